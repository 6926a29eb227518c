"""An archive of parts, the form of office documents and books, with limits on unpacking and clear errors for damage."""

import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from xml.etree.ElementTree import Element

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.xml_tree import MAX_DEPTH, BrokenXml, DeclaresEntities, TooDeep, iterate_xml, parse_xml

# An archive with more parts is refused.
MAX_MEMBERS = 10_000

_HINT = "get the file again, or open it in the program that it was made for and save it again"
_CHUNK = 1 << 16
# The errors of unpacking a damaged part; the first is the module's own, for a wrong checksum.
_UNPACK_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError, RuntimeError,
    NotImplementedError, OverflowError,
)  # fmt: skip


class Archive:
    """The parts of one document.

    It unpacks at most 6 bytes per character that a document may have, and leaves memory for the parser's results. An
    archive `inside` another one shares its limit.
    """

    def __init__(self, data: bytes, name: str, limits: LoadLimits, inside: "Archive | None" = None) -> None:
        self.name, self.limits = name, limits
        self._outermost: Archive = inside._outermost if inside else self
        self._most = self._left = min(6 * limits.characters, limits.memory // 7)
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except _UNPACK_ERRORS:
            what = "the archive's list of parts, at its end, is missing or broken: the file may be cut off"
            raise self.damaged_error(what) from None
        members = self._archive.infolist()
        if len(members) > MAX_MEMBERS:
            raise self.too_big_error(f"has more than {MAX_MEMBERS:,} parts")
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._read: set[str] = set()
        for member in members:
            key = _part_key(member.filename)
            if key in self._members and not member.is_dir():
                raise self.damaged_error(f"the part {member.filename} is in it twice")
            self._members[key] = member

    def has(self, part: str) -> bool:
        """Whether the archive has a part of this name; case is ignored."""
        return _part_key(part) in self._members

    def read(self, part: str) -> bytes:
        """Return the bytes of a part. Raises DocumentError damaged, too-big, encrypted."""
        data = b"".join(self._unpack(part))
        if len(data) < self._members[_part_key(part)].file_size:
            raise self.damaged_error(f"the part {part} cannot be unpacked: it ends too early")
        return data

    def read_xml(self, part: str, *expected: str) -> Element:
        """Return a tree with one of the `expected` roots. Raises DocumentError damaged, too-big, unsupported."""
        with self._describing_xml(part):
            root = parse_xml(self.read(part))
        self._expect(root, part, expected)
        return root

    def iterate_xml(self, part: str, expected: str, *names: str, opened: tuple[str, ...] = ()) -> Iterator[Element]:
        """Yield each complete element of these names in a part; surrounding elements are not kept.

        `opened` elements are yielded with their attributes only. Use it for parts that are too large for a tree.
        Raises DocumentError as `read_xml` does, during the iteration.
        """
        with self._describing_xml(part):
            expect = partial(self._expect, part=part, expected=(expected,))
            yield from iterate_xml(self._unpack(part), names, expect, opened)

    @property
    def is_used_up(self) -> bool:
        """Whether a part exceeded the limit on unpacking, here or in an archive that shares the limit."""
        return self._outermost._left < 0

    def unread_parts(self, pattern: re.Pattern[str]) -> list[str]:
        """Return the parts that were not read and whose lower-case names match the pattern."""
        return [part for part in self._members if part not in self._read and pattern.search(part)]

    def resolve(self, part: str, target: str) -> str:
        """Return the name of the part that `target` refers to from `part`."""
        return posixpath.normpath(posixpath.join("/", posixpath.dirname(part), target)).lstrip("/")

    def damaged_error(self, what: str) -> DocumentError:
        """Return the error for a damaged file; `what` says what is wrong, and where."""
        return DocumentError(f"{self.name} is damaged: {what}", code="damaged", hint=_HINT)

    def too_big_error(self, what: str) -> DocumentError:
        """Return the error for a file that exceeds a limit."""
        hint = "split the file; if it is small, it may be malicious"
        return DocumentError(f"{self.name} {what}", code="too-big", hint=hint)

    def _expect(self, root: Element, part: str, expected: tuple[str, ...]) -> None:
        if root.tag not in expected:
            raise self.damaged_error(f"the part {part} holds something else: <{root.tag.rpartition(':')[2][:40]}>")

    @contextmanager
    def _describing_xml(self, part: str) -> Iterator[None]:
        try:
            yield
        except BrokenXml as error:
            raise self.damaged_error(f"the part {part} is broken: {error}") from None
        except TooDeep:
            raise self.too_big_error(f"nests elements more than {MAX_DEPTH} levels deep, in {part}") from None
        except DeclaresEntities:
            hint = "no office program writes this: do not trust the file"
            message = f"{self.name} has a document type with an internal subset, which can declare entities, in {part}"
            raise DocumentError(message, code="unsupported", hint=hint) from None

    def _unpack(self, part: str) -> Iterator[bytes]:
        """Yield the bytes of a part in chunks."""
        member = self._members.get(_part_key(part))
        if member is None:
            raise self.damaged_error(f"the part {part} is missing")
        self._read.add(_part_key(part))
        if member.flag_bits & 1:
            hint = "remove its password and save it again"
            raise DocumentError(f"{self.name} is protected by a password", code="encrypted", hint=hint)
        outermost = self._outermost
        if member.file_size > outermost._left:
            outermost._left = -1
            raise self._unpacks_to_too_much_error()
        try:
            with self._archive.open(member) as stream:
                while data := stream.read(_CHUNK):
                    outermost._left -= len(data)  # the sizes stated in the archive may be false
                    if outermost._left < 0:
                        raise self._unpacks_to_too_much_error()
                    yield data
        except _UNPACK_ERRORS as error:
            raise self.damaged_error(f"the part {part} cannot be unpacked: {_describe_fault(error)}") from None

    def _unpacks_to_too_much_error(self) -> DocumentError:
        return self.too_big_error(f"unpacks to more than {self._outermost._most >> 20:,} MiB")


def _part_key(part: str) -> str:
    """Return the form in which part names are compared: case is ignored, and some programs write backslashes."""
    return part.replace("\\", "/").casefold()


def _describe_fault(error: Exception) -> str:
    if isinstance(error, zipfile.BadZipFile) and "CRC" in str(error):
        return "its bytes are not those that were packed (wrong checksum)"
    if isinstance(error, NotImplementedError):
        return "it is packed in a way that is not known"
    if isinstance(error, EOFError):
        return "it ends too early"
    return "its bytes are broken"
