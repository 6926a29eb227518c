"""The archive of a Word document: its parts, how they refer to each other, and what is said of a damaged one.

Part names, relations and content types are those of ECMA-376, part 2 (Open Packaging Conventions).
"""

import io
import posixpath
import struct
import zipfile
import zlib
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.docx.parts.xml_tree import (
    MAX_DEPTH,
    BrokenXml,
    DeclaresDocumentType,
    TooDeep,
    attribute,
    parse_xml,
)
from ralph_cli.documents.limits import LoadLimits

MAX_MEMBERS = 10_000
"""An archive with more parts is refused."""

CONTENT_TYPES = "[Content_Types].xml"
_MAIN_TYPE = "officeDocument"
_USUAL_MAIN_PART = "word/document.xml"
_HINT = "get the file again, or open it in a word processor and save it again"
_UNPACK_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, LookupError, RuntimeError,
    NotImplementedError, OverflowError,
)  # fmt: skip
"""What unpacking a damaged part raises; the module's own error for a wrong checksum is the first."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part refers to: the kind ("header", "footnotes"), and the other part's name as it is written."""

    kind: str
    target: str


class Package:
    """The parts of one document. At most 6 bytes of XML are unpacked for each character that a document may have, and
    no more than its parser has memory for.
    """

    def __init__(self, data: bytes, name: str, limits: LoadLimits) -> None:
        self.name = name
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
        for member in members:
            key = _part_key(member.filename)
            if key in self._members and not member.is_dir():
                raise self.damaged_error(f"the part {member.filename} is in it twice")
            self._members[key] = member

    def has(self, part: str) -> bool:
        """Whether there is a part of this name; case does not count."""
        return _part_key(part) in self._members

    def read_xml(self, part: str, *expected: str) -> Element:
        """The tree of a part with one of the `expected` roots. Raises DocumentError damaged, too-big, unsupported."""
        try:
            root = parse_xml(self._read(part))
        except BrokenXml as error:
            raise self.damaged_error(f"the part {part} is broken: {error}") from None
        except TooDeep:
            raise self.too_big_error(f"nests elements more than {MAX_DEPTH} levels deep, in {part}") from None
        except DeclaresDocumentType:
            hint = "no word processor writes this: do not trust the file"
            message = f"{self.name} contains a document type declaration, in {part}"
            raise DocumentError(message, code="unsupported", hint=hint) from None
        if root.tag not in expected:
            raise self.damaged_error(f"the part {part} holds something else: <{root.tag.rpartition(':')[2][:40]}>")
        return root

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part refers to inside of the package, by id; "" stands for the package itself."""
        folder, file = posixpath.split(part)
        listing = posixpath.join(folder, "_rels", f"{file}.rels")
        found: dict[str, Relation] = {}
        if self.has(listing):
            for element in self.read_xml(listing, ":Relationships"):
                if attribute(element, "TargetMode") != "External":
                    kind = attribute(element, "Type").rpartition("/")[2]
                    target = posixpath.normpath(posixpath.join("/", folder, attribute(element, "Target"))).lstrip("/")
                    found[attribute(element, "Id")] = Relation(kind, target)
        return found

    def content_type(self, part: str) -> str:
        """The type that the package declares for a part, "" if none."""
        usual = ""
        for element in self.read_xml(CONTENT_TYPES, ":Types"):
            if _part_key(attribute(element, "PartName").lstrip("/")) == _part_key(part):
                return attribute(element, "ContentType")
            if attribute(element, "Extension").casefold() == part.rpartition(".")[2].casefold():
                usual = attribute(element, "ContentType")
        return usual

    def main_part(self) -> str:
        """The name of the main part: what the package's relations say, or the usual one."""
        named = [found.target for found in self.relations("").values() if found.kind == _MAIN_TYPE]
        for part in (*named, _USUAL_MAIN_PART):
            if self.has(part):
                return part
        raise self.damaged_error(f"its main part, {(*named, _USUAL_MAIN_PART)[0]}, is missing")

    def damaged_error(self, what: str) -> DocumentError:
        """For a file that cannot be read as it should; `what` says what is wrong, and where."""
        return DocumentError(f"{self.name} is damaged: {what}", code="damaged", hint=_HINT)

    def too_big_error(self, what: str) -> DocumentError:
        """For a file of more than a document may have."""
        hint = "split the file; if it is small, it may be malicious"
        return DocumentError(f"{self.name} {what}", code="too-big", hint=hint)

    def _read(self, part: str) -> bytes:
        member = self._members[_part_key(part)]
        if member.flag_bits & 1:
            hint = "remove its password and save it again"
            raise DocumentError(f"{self.name} is protected by a password", code="encrypted", hint=hint)
        if member.file_size > self._left:
            raise self._unpacks_to_too_much_error()
        try:
            with self._archive.open(member) as stream:
                data = stream.read(self._left + 1)  # what the archive says of its sizes may be a lie
        except _UNPACK_ERRORS as error:
            raise self.damaged_error(f"the part {part} cannot be unpacked: {_describe_fault(error)}") from None
        self._left -= len(data)
        if self._left < 0:
            raise self._unpacks_to_too_much_error()
        if len(data) < member.file_size:
            raise self.damaged_error(f"the part {part} cannot be unpacked: it ends too early")
        return data

    def _unpacks_to_too_much_error(self) -> DocumentError:
        return self.too_big_error(f"unpacks to more than {self._most >> 20:,} MiB")


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
