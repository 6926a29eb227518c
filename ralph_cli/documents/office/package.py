"""The package of a Word, Excel or PowerPoint document: an archive whose parts refer to each other.

An encrypted document contains the archive (MS-OFFCRYPTO). Part names, relations and content types follow ECMA-376,
part 2 (Open Packaging Conventions).
"""

import io
import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.archive import Archive
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute
from ralph_cli.documents.sniff import is_encrypted_office

CONTENT_TYPES = "[Content_Types].xml"
_MAIN_TYPE = "officeDocument"
_TEXT_PARTS = re.compile(r"(?<!/diagrams)/(?:sheet|slide|notesslide|comments?|chart|drawing|data)\d*\.xml$")

# Excel encrypts a workbook that is only protected against changes with this password, and opens it without asking.
_DEFAULT_PASSWORD = "VelvetSweatshop"

# The most bytes of encryption information; 2,000 are usual.
_MOST_INFO = 1 << 20

# The most rounds of hashing a password, which take 2 s; Office uses 100,000.
_MOST_SPINS = 1_000_000


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference of a part: its kind, such as "header" or "footnotes", and the name of the other part."""

    kind: str
    target: str


class Package(Archive):
    """The parts of one document with their references; `usual_main_part` is the usual name of the main part."""

    def __init__(
        self, data: bytes, name: str, limits: LoadLimits, usual_main_part: str, inside: Archive | None = None
    ) -> None:
        super().__init__(data, name, limits, inside)
        self._usual_main_part = usual_main_part
        self._links: dict[str, dict[str, str]] = {}

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the references of a part inside the package, by id; "" is the package itself."""
        found: dict[str, Relation] = {}
        for element in self._references(part):
            if attribute(element, "TargetMode") != "External":
                kind = attribute(element, "Type").rpartition("/")[2]
                found[attribute(element, "Id")] = Relation(kind, self.resolve(part, attribute(element, "Target")))
        return found

    def links(self, part: str) -> dict[str, str]:
        """Return the addresses that a part refers to outside of the package, by id."""
        if part not in self._links:
            outside = (one for one in self._references(part) if attribute(one, "TargetMode") == "External")
            self._links[part] = {attribute(one, "Id"): attribute(one, "Target") for one in outside}
        return self._links[part]

    def open(self, relation: Relation | None, findings: Findings, usual: str, *expected: str) -> Element | None:
        """Return the tree of a referenced part; None, with a finding, if the file lacks it.

        `usual` is its name in the finding if there is no reference. Raises DocumentError as `read_xml` does.
        """
        if relation is None or not self.has(relation.target):
            findings.miss(relation.target if relation else usual)
            return None
        return self.read_xml(relation.target, *expected)

    def find_part(self, relations: dict[str, Relation], kind: str, findings: Findings, usual: str = "") -> str:
        """Return the part of this kind that another part refers to, or else the one with the `usual` name, or ""."""
        named = [relation.target for relation in relations.values() if relation.kind == kind]
        found = next((part for part in (*named, usual) if self.has(part)), "")
        if named and not found:
            findings.miss(named[0])
        return found

    def _references(self, part: str) -> list[Element]:
        folder, file = posixpath.split(part)
        listing = posixpath.join(folder, "_rels", f"{file}.rels")
        return list(self.read_xml(listing, ":Relationships")) if self.has(listing) else []

    def content_type(self, part: str) -> str:
        """Return the type that the package declares for a part, "" if it declares none."""
        by_name, by_ending = self._content_types
        name = part.casefold()
        return by_name.get(name) or by_ending.get(name.rpartition(".")[2], "")

    @cached_property
    def _content_types(self) -> tuple[dict[str, str], dict[str, str]]:
        """The types of parts by their names, and by their suffixes."""
        by_name: dict[str, str] = {}
        by_ending: dict[str, str] = {}
        for element in self.read_xml(CONTENT_TYPES, ":Types"):
            kind = attribute(element, "ContentType")
            by_name.setdefault(attribute(element, "PartName").lstrip("/").casefold(), kind)
            by_ending[attribute(element, "Extension").casefold()] = kind
        return by_name, by_ending

    def main_part(self) -> str:
        """Return the name of the main part, from the package's relations or else the usual one."""
        named = [found.target for found in self.relations("").values() if found.kind == _MAIN_TYPE]
        for part in (*named, self._usual_main_part):
            if self.has(part):
                return part
        raise self.damaged_error(f"its main part, {(*named, self._usual_main_part)[0]}, is missing")

    def orphans(self) -> list[str]:
        """Return the parts that may contain text but were not read, because nothing refers to them."""
        return self.unread_parts(_TEXT_PARTS)

    def doubts(self, main: str, what: str) -> list[str]:
        """Return faults that may stop other programs although the text is readable.

        `what` is the type that the main part should be declared as.
        """
        doubts = [
            f"the part {part} is missing: the program that the file was made for may refuse it"
            for part in (CONTENT_TYPES, "_rels/.rels")
            if not self.has(part)
        ]
        if self.has(CONTENT_TYPES) and not (kind := self.content_type(main)).endswith(".main+xml"):
            doubts.append(f"the main part {main[:100]} is not declared as {what}: {kind[:100] or 'nothing'}")
        return doubts


def decrypt_package(data: bytes, name: str, password: str | None) -> bytes:
    """Return the archive in an encrypted document, opened with the given or default password; else `data` unchanged.

    Loads the decryption library, so call it in a child process. Raises DocumentError encrypted, wrong-password,
    damaged.
    """
    if not is_encrypted_office(data):
        return data
    from msoffcrypto.exceptions import InvalidKeyError

    for tried in filter(None, (password, _DEFAULT_PASSWORD)):
        try:
            return _decrypt(data, tried)
        except InvalidKeyError:
            continue
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - the library raises anything for what is broken or unknown to it
            hint = "get the file again, or remove its password and save it again"
            message = f"{name} cannot be decrypted: its encryption is broken, or of an unknown kind"
            raise DocumentError(message, code="damaged", hint=hint) from None
    if password is None:
        hint = "give its password with --password"
        raise DocumentError(f"{name} is protected by a password", code="encrypted", hint=hint)
    raise DocumentError(f"wrong password for {name}", code="wrong-password", hint="check --password")


def _decrypt(data: bytes, password: str) -> bytes:
    """Return the archive in an encrypted document. Raises the errors of the library."""
    import olefile
    from msoffcrypto.format.ooxml import OOXMLFile

    with olefile.OleFileIO(io.BytesIO(data)) as container:
        if container.get_size("EncryptionInfo") > _MOST_INFO:
            raise ValueError("too long")
    document, archive = OOXMLFile(io.BytesIO(data)), io.BytesIO()
    if document.info.get("spinValue", 0) > _MOST_SPINS:
        raise ValueError("too many")
    document.load_key(password=password, verify_password=True)
    document.decrypt(archive)
    return archive.getvalue()
