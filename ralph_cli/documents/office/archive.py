"""An archive of parts, as office documents and books are: bounded in what it unpacks to, its damage told in words."""

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
# What unpacking a damaged part raises; the module's own error for a wrong checksum is the first.
_UNPACK_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError, RuntimeError,
    NotImplementedError, OverflowError,
)  # fmt: skip


class Archive:
    """The parts of one document. At most 6 bytes are unpacked for each character that a document may have, and no more
    than leave the parser room for what it makes of them; an archive `inside` of another shares its room.
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
        """Whether there is a part of this name; case does not count."""
        return _part_key(part) in self._members

    def read(self, part: str) -> bytes:
        """The bytes of a part. Raises DocumentError damaged, too-big, encrypted."""
        data = b"".join(self._unpack(part))
        if len(data) < self._members[_part_key(part)].file_size:
            raise self.damaged_error(f"the part {part} cannot be unpacked: it ends too early")
        return data

    def read_xml(self, part: str, *expected: str) -> Element:
        """The tree of a part with one of the `expected` roots. Raises DocumentError damaged, too-big, unsupported."""
        with self._describing_xml(part):
            root = parse_xml(self.read(part))
        self._expect(root, part, expected)
        return root

    def iterate_xml(self, part: str, expected: str, *names: str, opened: tuple[str, ...] = ()) -> Iterator[Element]:
        """The elements of these names in a part, each when it is complete; what is around them is not kept.

        Of `opened` elements come the attributes alone. For parts that are too large for a tree. Raises DocumentError as
        `read_xml` does, while it goes on.
        """
        with self._describing_xml(part):
            expect = partial(self._expect, part=part, expected=(expected,))
            yield from iterate_xml(self._unpack(part), names, expect, opened)

    @property
    def is_used_up(self) -> bool:
        """Whether there was no room left for a part, here or in what it shares its room with."""
        return self._outermost._left < 0

    def unread_parts(self, pattern: re.Pattern[str]) -> list[str]:
        """The parts with names of this form, all in small letters, that were not asked for."""
        return [part for part in self._members if part not in self._read and pattern.search(part)]

    def resolve(self, part: str, target: str) -> str:
        """The name of the part that `target` means in a reference from `part`."""
        return posixpath.normpath(posixpath.join("/", posixpath.dirname(part), target)).lstrip("/")

    def damaged_error(self, what: str) -> DocumentError:
        """For a file that cannot be read as it should; `what` says what is wrong, and where."""
        return DocumentError(f"{self.name} is damaged: {what}", code="damaged", hint=_HINT)

    def too_big_error(self, what: str) -> DocumentError:
        """For a file of more than a document may have."""
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
        """The bytes of a part, piece by piece."""
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
                    outermost._left -= len(data)  # what the archive says of its sizes may be a lie
                    if outermost._left < 0:
                        raise self._unpacks_to_too_much_error()
                    yield data
        except _UNPACK_ERRORS as error:
            raise self.damaged_error(f"the part {part} cannot be unpacked: {_describe_fault(error)}") from None

    def _unpacks_to_too_much_error(self) -> DocumentError:
        return self.too_big_error(f"unpacks to more than {self._outermost._most >> 20:,} MiB")


def _part_key(part: str) -> str:
    """The form in which names of parts are compared: case does not count, and some programs write backslashes."""
    return part.replace("\\", "/").casefold()


def _describe_fault(error: Exception) -> str:
    if isinstance(error, zipfile.BadZipFile) and "CRC" in str(error):
        return "its bytes are not those that were packed (wrong checksum)"
    if isinstance(error, NotImplementedError):
        return "it is packed in a way that is not known"
    if isinstance(error, EOFError):
        return "it ends too early"
    return "its bytes are broken"
