"""The properties of a mail, a recipient or an attachment (MS-OXMSG, section 2.4; numbers: MS-OXPROPS)."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.plain.decoding import decode_text

MAIL_CLASS, SUBJECT, SENT, TEXT = 0x001A, 0x0037, 0x0039, 0x1000
# The code pages of 8-bit strings and of the HTML text.
CODE_PAGE, PAGE_CODE_PAGE = 0x3FFD, 0x3FDE

METHOD, CONTENT, FILE_NAME = 0x3705, 0x3701, 0x3707
# How an attachment is stored: as a file, or as an object of another program.
BY_VALUE, OBJECT = 1, 6

# The start of FILETIMEs.
EPOCH = datetime(1601, 1, 1, tzinfo=UTC)

STRING_8, STRING, BINARY = 0x001E, 0x001F, 0x0102
_UNSIGNED = {0x000B: 2, 0x0040: 8}
# The size in bytes of values that are numbers, truth values or times, by their kind.
NUMBERS = {0x0002: 2, 0x0003: 4, 0x0014: 8, **_UNSIGNED}


@dataclass(slots=True)
class Properties:
    """Values by property number: texts, bytes and numbers; a time is a FILETIME."""

    texts: dict[int, str] = field(default_factory=dict)
    binaries: dict[int, bytes] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)

    def text(self, *numbers: int) -> str:
        """Return the first of these texts that is not blank, else ""."""
        return next((text for number in numbers if (text := self.texts.get(number, "").strip())), "")

    @property
    def code_page(self) -> int:
        """The code page of 8-bit strings."""
        return self.numbers.get(CODE_PAGE) or self.numbers.get(PAGE_CODE_PAGE) or 1252

    def new_part(self) -> "Properties":
        """Return empty properties for a recipient or attachment of the mail, with the mail's code page."""
        return Properties(numbers={CODE_PAGE: self.code_page})

    def take(self, number: int, kind: int, content: bytes, name: str) -> None:
        """Add a stored value if its kind is supported."""
        if kind in NUMBERS:
            self.numbers[number] = int.from_bytes(content, "little", signed=kind not in _UNSIGNED)
        elif kind == STRING:
            self.texts[number] = content.decode("utf-16-le", "replace").rstrip("\0")
        elif kind == STRING_8:
            self.read_string(number, content.rstrip(b"\0"), name)
        elif kind == BINARY:
            self.binaries[number] = content

    def read_string(self, number: int, content: bytes, name: str) -> None:
        """Add an 8-bit text."""
        try:
            text = decode_text(content, name=name, declared=code_page_label(self.code_page))[0]
        except DocumentError:
            text = content.decode("latin-1")
        self.texts[number] = text


@dataclass(slots=True)
class Attachment:
    """The properties of an attachment; `item` is its mail, if it is one."""

    properties: Properties
    item: "Item | None" = None


@dataclass(slots=True)
class Item:
    """A mail with its recipients and attachments; `doubts` describe damage and missing parts."""

    properties: Properties
    recipients: list[Properties] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


def code_page_label(number: int) -> str:
    """Return the name of the encoding with this Windows number."""
    return {65001: "utf-8", 20127: "us-ascii", 20866: "koi8-r", 21866: "koi8-u", 50220: "iso-2022-jp"}.get(
        number, f"iso-8859-{number - 28590}" if 28591 <= number <= 28605 else f"cp{number}"
    )
