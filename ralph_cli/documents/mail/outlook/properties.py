"""The properties of a mail, a recipient or an attachment (MS-OXMSG, section 2.4; numbers: MS-OXPROPS)."""

from dataclasses import field
from datetime import UTC, datetime

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.mail.outlook.compound_file import Storage
from ralph_cli.documents.plain.decoding import decode_text

MAIL_CLASS, SUBJECT, SENT, TEXT = 0x001A, 0x0037, 0x0039, 0x1000
CODE_PAGE, PAGE_CODE_PAGE = 0x3FFD, 0x3FDE
"""Of the strings of 8 bits, and of the text as HTML."""

METHOD, CONTENT, FILE_NAME = 0x3705, 0x3701, 0x3707
BY_VALUE, OBJECT = 1, 6
"""How an attachment is kept: as a file, or as an object of another program."""

EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
"""From when FILETIMEs count."""

TABLE = "__properties_version1.0"
_STREAM_NAME = re.compile(r"__substg1\.0_([0-9a-f]{4})(001e|001f|0102)")
STRING_8, STRING, BINARY = 0x001E, 0x001F, 0x0102
SIGNED = {0x0002: 2, 0x0003: 4, 0x0014: 8}
BOOLEAN, TIME = 0x000B, 0x0040
_ENTRY = 16


@dataclass(slots=True)
class Properties:
    """Values by the numbers of the properties: texts, bytes, and numbers; a time is a FILETIME."""

    texts: dict[int, str] = field(default_factory=dict)
    binaries: dict[int, bytes] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)

    def text(self, *numbers: int) -> str:
        """The first of these texts that says something, else ""."""
        return next((text for number in numbers if (text := self.texts.get(number, "").strip())), "")

    @property
    def code_page(self) -> int:
        """The code page of the strings of 8 bits."""
        return self.numbers.get(CODE_PAGE) or self.numbers.get(PAGE_CODE_PAGE) or 1252

    def new_part(self) -> "Properties":
        """Those of a recipient or attachment of the mail, whose strings are in its code page."""
        return Properties(numbers={CODE_PAGE: self.code_page})

    def read_string(self, number: int, content: bytes, name: str) -> None:
        """Add a text of 8 bits."""
        try:
            text = decode_text(content, name=name, declared=code_page_label(self.code_page))[0]
        except DocumentError:
            text = content.decode("latin-1")
        self.texts[number] = text


def code_page_label(number: int) -> str:
    """The name of the encoding that has this number in Windows."""
    return {65001: "utf-8", 20127: "us-ascii", 20866: "koi8-r", 21866: "koi8-u", 50220: "iso-2022-jp"}.get(
        number, f"iso-8859-{number - 28590}" if 28591 <= number <= 28605 else f"cp{number}"
    )


def read_properties(storage: Storage, header: int, name: str, doubts: list[str], page: int = 0) -> Properties:
    """The properties of a storage, whose table has a header of so many bytes; what is missing is added to `doubts`.

    `page` is the code page of the mail that recipients and attachments belong to.
    """
    found = Properties(numbers={CODE_PAGE: page} if page else {})
    streams = {
        (int(match[1], 16), int(match[2], 16)): content
        for stream, content in storage.streams.items()
        if (match := _STREAM_NAME.fullmatch(stream))
    }
    table = storage.streams.get(TABLE)
    if table is None or len(table) < header or (len(table) - header) % _ENTRY:
        doubts.append("the list of what it holds is damaged")
    for at in range(header, len(table or b"") - _ENTRY + 1, _ENTRY):
        entry = (table or b"")[at : at + _ENTRY]
        kind, number = int.from_bytes(entry[:2], "little"), int.from_bytes(entry[2:4], "little")
        if kind in SIGNED:
            found.numbers[number] = int.from_bytes(entry[8 : 8 + SIGNED[kind]], "little", signed=True)
        elif kind in (BOOLEAN, TIME):
            found.numbers[number] = int.from_bytes(entry[8:10] if kind == BOOLEAN else entry[8:16], "little")
        elif kind in (STRING_8, STRING, BINARY):
            size = int.from_bytes(entry[8:12], "little")  # that of a text counts the sign that ends it
            if len(streams.get((number, kind), b"")) + 2 < size:
                doubts.append("some of what it lists is missing")
    for (number, kind), content in streams.items():
        if kind == BINARY:
            found.binaries[number] = content
        elif kind == STRING:
            found.texts[number] = content.decode("utf-16-le", "replace").rstrip("\0")
        else:
            found.read_string(number, content.rstrip(b"\0"), name)
    return found
