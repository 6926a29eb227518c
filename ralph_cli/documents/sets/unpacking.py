"""Reading a ZIP archive, in the parser process: bounded, and nothing is written."""

import io
import zipfile
import zlib
from collections.abc import Iterator

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.sets.containers import MAX_NAME, Entry, encode_entries

MAX_FILES = 10_000
"""Files that an archive may have."""

_CHUNK = 1 << 20
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, LookupError, NotImplementedError)


def unpack_zip(data: bytes, *, name: str, only: str | None, limits: LoadLimits) -> bytes:
    """The files of the archive as `encode_entries` writes them; of one that cannot be read, why.

    Raises DocumentError damaged, too-big: together they may have as many bytes as a document.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [member for member in archive.infolist() if not member.is_dir()]
    except _DAMAGE as error:
        raise DocumentError(f"{name} is a damaged archive ({error})", code="damaged", hint="get it again") from None
    if only is not None:
        members = [member for member in members if member.filename == only][:1]
    if len(members) > MAX_FILES:
        what = f"{name} holds {len(members):,} files; the limit is {MAX_FILES:,}"
        raise DocumentError(what, code="too-big", hint="split the archive")
    entries = tuple(_read_members(archive, members, name, limits))
    return encode_entries(entries)


def _read_members(
    archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], name: str, limits: LoadLimits
) -> Iterator[Entry]:
    left = limits.bytes
    names: set[str] = set()
    for member in members:
        if len(member.filename) > MAX_NAME or member.filename in names:
            is_long = len(member.filename) > MAX_NAME
            what = f"its name has more than {MAX_NAME:,} characters" if is_long else "another file in it has this name"
            yield Entry(member.filename[:MAX_NAME], b"", f"{what}: unpack the archive first")
            continue
        names.add(member.filename)
        if member.flag_bits & 1:
            yield Entry(member.filename, b"", "it is encrypted: unpack the archive with its password first")
            continue
        try:
            content = _read_bounded(archive, member, left)
        except _DAMAGE as error:
            yield Entry(member.filename, b"", f"it is damaged ({error})"[:200])
            continue
        except RuntimeError as error:  # what zipfile says of a method or password it does not have
            yield Entry(member.filename, b"", f"it cannot be unpacked ({error})"[:200])
            continue
        left -= len(content)
        if left < 0:
            what = f"{name} unpacks to more than {limits.bytes >> 20} MiB"
            raise DocumentError(what, code="too-big", hint="split the archive")
        yield Entry(member.filename, content)


def _read_bounded(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """The bytes of a file, one chunk more than `most` at the latest: what an archive says of sizes may be untrue."""
    parts: list[bytes] = []
    size = 0
    with archive.open(member) as stream:
        while size <= most and (part := stream.read(_CHUNK)):
            parts.append(part)
            size += len(part)
    return b"".join(parts)
