"""Files within files: what an archive or a mail holds, and one of it by the names under which it stands there."""

from collections.abc import Sequence

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.mail.attachments import list_attachments
from ralph_cli.documents.process.child import StartParser, start_parser
from ralph_cli.documents.sets.archives import Entry, is_archive, unpack
from ralph_cli.documents.sniff import display_name, identify

MAX_DEPTH = 3
"""Archives within archives that are opened."""


def read_inner(data: bytes, path: str, inner: Sequence[str], limits: LoadLimits) -> bytes:
    """The bytes of the file that stands under these names in the file at `path`, the outermost first.

    Raises DocumentError "missing" when there is none, "damaged" when it cannot be had, or what unpacking raises.
    """
    if len(inner) > MAX_DEPTH:
        what = f"a document in {display_name(path)} stands in files within files, deeper than {MAX_DEPTH}"
        raise DocumentError(what, code="damaged", hint="unpack the archive first")
    for name in inner:
        found = next((entry for entry in list_files(data, path, limits, name) if entry.name == name), None)
        if found is None:
            what = f"there is no {display_name(name)} in {display_name(path)}"
            raise DocumentError(what, code="missing", hint="name the document")
        path = f"{path}/{name}"
        if found.fault:
            raise DocumentError(f"{display_name(path)} cannot be read: {found.fault}", code="damaged")
        data = found.data
    return data


def list_files(
    data: bytes, path: str, limits: LoadLimits, only: str | None = None, start: StartParser = start_parser
) -> tuple[Entry, ...]:
    """The files in an archive, or that one; the attachments of a mail; none of anything else."""
    if is_archive(path, data):
        return unpack(data, display_name(path), limits, only, start)
    return list_attachments(data, display_name(path), identify(path, data), limits, start)
