"""Files within files: the contents of an archive or mail, unpacked by a parser process, limited, and never written."""

import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.process.child import StartParser, run_parser, start_parser
from ralph_cli.documents.sniff import MAIL_KINDS, display_name, identify

# The most levels of archives inside each other.
MAX_DEPTH = 3

# Code of the caution that lists the attachments of a mail.
ATTACHMENTS = "attachments"

# The most characters of a file's name in an archive, and of a fault.
MAX_NAME = 1_000

# The most files in an archive.
MAX_FILES = 10_000

_CHUNK = 1 << 20
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, LookupError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file within an archive or mail: its bytes, or why they are unavailable (`fault`)."""

    name: str
    data: bytes
    fault: str = ""


def is_archive(name: str, data: bytes) -> bool:
    """Whether a file is a ZIP archive and named as one: office documents are also archives."""
    return name.lower().endswith(".zip") and data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def read_inner(data: bytes, path: str, inner: Sequence[str], limits: LoadLimits) -> bytes:
    """Return the bytes of the file with these names, outermost first, inside the file at `path`.

    Raises DocumentError "missing" if it does not exist, "damaged" if it is unreadable, and the errors of unpacking.
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
    """Return the files in an archive, or `only` the one of that name; the attachments of a mail and its inner mails.

    They are in their original order; other files contain none. Names of attachments are unique, and pictures shown in
    the text are left out. Raises DocumentError damaged, too-big, timeout, crashed.
    """
    name, decode = display_name(path), partial(decode_entries, most=limits.bytes)
    if is_archive(path, data):
        return run_parser("unpack", data, decode, name=name, limits=limits, start=start, only=only)
    kind = identify(path, data)
    if kind not in MAIL_KINDS:
        return ()
    return run_parser("attachments", data, decode, name=name, limits=limits, start=start, kind=kind)


def encode_entries(entries: Sequence[Entry]) -> bytes:
    """Return the entries in the form that `decode_entries` reads."""
    head = [[entry.name, len(entry.data), entry.fault] for entry in entries]
    return json.dumps(head).encode("ascii") + b"\n" + b"".join(entry.data for entry in entries)


def decode_entries(answer: bytes, most: int) -> tuple[Entry, ...]:
    """Return the files in a parser's answer. Raises ValueError for anything that a correct parser would not send."""
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


def unpack_zip(data: bytes, *, name: str, only: str | None, limits: LoadLimits) -> bytes:
    """Return the files of the archive in the form of `encode_entries`; an unreadable one with the reason.

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
        except RuntimeError as error:  # zipfile's error for an unsupported method or a missing password
            yield Entry(member.filename, b"", f"it cannot be unpacked ({error})"[:200])
            continue
        left -= len(content)
        if left < 0:
            what = f"{name} unpacks to more than {limits.bytes >> 20} MiB"
            raise DocumentError(what, code="too-big", hint="split the archive")
        yield Entry(member.filename, content)


def _read_bounded(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    """Return the bytes of a file, at most one chunk more than `most`: sizes stated in an archive may be false."""
    parts: list[bytes] = []
    size = 0
    with archive.open(member) as stream:
        while size <= most and (part := stream.read(_CHUNK)):
            parts.append(part)
            size += len(part)
    return b"".join(parts)
