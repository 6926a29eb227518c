"""Files within files: what an archive or a mail holds, unpacked by a parser process and never written to disk."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.process.child import StartParser, run_parser, start_parser
from ralph_cli.documents.sniff import MAIL_KINDS, display_name, identify

MAX_DEPTH = 3
"""Archives within archives that are opened."""

ATTACHMENTS = "attachments"
"""Code of the caution about a mail that says which attachments it has."""

MAX_NAME = 1_000
"""Characters of a file's name in an archive, and of what is said of it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file within an archive or mail: its bytes, or why they cannot be had (`fault`)."""

    name: str
    data: bytes
    fault: str = ""


def is_archive(name: str, data: bytes) -> bool:
    """Whether a file is a ZIP archive that is named as one: office documents are archives, too."""
    return name.lower().endswith(".zip") and data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


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
    """The files in an archive, or `only` the one of that name; the attachments of a mail, and of the mails in it.

    They are in their order; there are none in any other file. No two attachments have the same name, and pictures that
    stand in the text are not among them. Raises DocumentError damaged, too-big, timeout, crashed.
    """
    name, decode = display_name(path), partial(decode_entries, most=limits.bytes)
    if is_archive(path, data):
        return run_parser("unpack", data, decode, name=name, limits=limits, start=start, only=only)
    kind = identify(path, data)
    if kind not in MAIL_KINDS:
        return ()
    return run_parser("attachments", data, decode, name=name, limits=limits, start=start, kind=kind)


def encode_entries(entries: Sequence[Entry]) -> bytes:
    """A form that `decode_entries` reads back."""
    head = [[entry.name, len(entry.data), entry.fault] for entry in entries]
    return json.dumps(head).encode("ascii") + b"\n" + b"".join(entry.data for entry in entries)


def decode_entries(answer: bytes, most: int) -> tuple[Entry, ...]:
    """The files in a parser's answer; ValueError for anything that a correct one would not have sent."""
    head, _, rest = answer.partition(b"\n")
    described = json.loads(head)
    if not isinstance(described, list) or len(rest) > most:
        raise ValueError("not a list of files, or too much")
    entries, at = [], 0
    for name, size, fault in described:
        if not isinstance(name, str) or not isinstance(fault, str) or type(size) is not int or size < 0:
            raise ValueError("a file without a name or size")
        entries.append(Entry(name[:MAX_NAME], rest[at : at + size], fault[:MAX_NAME]))
        at += size
    if at != len(rest):
        raise ValueError("bytes that belong to no file")
    return tuple(entries)
