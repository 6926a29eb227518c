"""The tokens of an RTF file (Rich Text Format specification 1.9.1): groups, control words and characters.

Some control words say which part a text belongs to, or represent a character.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from ralph_cli.core.structure import Origin

_TOKEN = re.compile(
    r"\\([A-Za-z]{1,32})(-?\d{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z'])|([{}])|([^\\{}\r\n]+)|[\r\n]+|(\\)",
    re.DOTALL,
)
_CODE_PAGES = {
    0: "cp1252", 1: "", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_DEFAULT_CODE_PAGE = "cp1252"
# The most levels of groups in a file.
DEEPEST = 2_000

_TABLES = "fonttbl colortbl stylesheet filetbl revtbl listtable listoverridetable rsidtbl xmlnstbl info generator"
_SETTINGS = "themedata colorschememapping latentstyles datastore userprops docvar mmathPr wgrffmtfilter pgdsctbl pn"
_OBJECTS = "pict nonshppict object objdata do sp shprslt datafield fldinst formfield background private template"
_MARKS = (
    "nonesttables bkmkstart bkmkend xe tc tcn atnid atnauthor atntime atndate atnref atnparent atrfstart atrfend atnicn"
)
_SEPARATORS = "ftnsep ftnsepc aftnsep aftnsepc ftncn aftncn"
# Words that begin a group whose text is not part of the document.
SKIPPED = frozenset(f"{_TABLES} {_SETTINGS} {_OBJECTS} {_MARKS} {_SEPARATORS}".split())

# Words that begin a group that old programs may skip, but whose text is part of the document.
READ_THOUGH_OPTIONAL = frozenset({"shpinst", "shptxt", "annotation", "footnote", "ud", "objresult"})

HEADS: dict[str, Origin] = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "page header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "page footer"),
}

SIGNS = {
    "tab": "\t", "line": "\n", "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018",
    "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d", "emspace": "\u2003", "enspace": "\u2002",
    "qmspace": "\u2005", "zwj": "\u200d", "zwnj": "\u200c", "ltrmark": "\u200e", "rtlmark": "\u200f", "page": "\n",
    "column": "\n", "softline": "\n",
}  # fmt: skip
SYMBOLS = {"~": "\u00a0", "_": "\u2011", "-": "\u00ad", "\\": "\\", "{": "{", "}": "}"}
CODE_PAGE_WORDS = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind ("word", "symbol", "byte", "text", "open", "close"), its text, and a word's number."""

    kind: str
    text: str = ""
    number: int | None = None


def read_tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of a file whose bytes are the characters of `source`; binary data are left out."""
    at = 0
    while match := _TOKEN.match(source, at):
        at = match.end()
        word, number, byte, symbol, brace, text, _ = match.groups()
        if word:
            if word == "bin":
                at += max(int(number or 0), 0)
            yield Token("word", word, int(number) if number else None)
        elif byte:
            yield Token("byte", chr(int(byte, 16)))
        elif symbol:
            yield Token("symbol", symbol)
        elif brace:
            yield Token("open" if brace == "{" else "close")
        elif text:
            yield Token("text", text)


def is_skipped(word: str, is_optional: bool) -> bool:
    r"""Whether a group beginning with this word is not text of the document; `is_optional` if \* is before the word."""
    return word in SKIPPED or (is_optional and word not in READ_THOUGH_OPTIONAL and word not in HEADS)


def known_encoding(name: str, usual: str = _DEFAULT_CODE_PAGE) -> str:
    """Return the name of an available encoding: the given one, or else `usual`."""
    name = {"cp65001": "utf-8", "cp10000": "mac_roman", "cp0": usual, "cp1361": "johab"}.get(name, name)
    try:
        "".encode(name)
    except LookupError:
        return usual
    return name


@dataclass(slots=True)
class Group:
    """The state of a group, for any reader."""

    is_new: bool = True
    starred: bool = False
    font: int = 0
    skipped: int = 1
    """The number of characters after a Unicode one that replace it in old programs."""


_Group = TypeVar("_Group", bound=Group)


class TokenReader(ABC, Generic[_Group]):
    """Processes tokens in order: keeps a stack of open groups, and decodes characters by the encoding of their font."""

    def __init__(self, outside: _Group) -> None:
        self._state, self._stack = outside, list[_Group]()
        self._encoding, self._fonts = _DEFAULT_CODE_PAGE, dict[int, str]()
        self._bytes, self._to_skip = "", 0

    def _take(self, token: Token) -> None:
        if token.kind != "byte":
            self._flush_bytes()
        match token.kind:
            case "open":
                self._open_group()
            case "close" if self._stack:
                self._close_group()
            case "word":
                self._take_word(token.text, token.number)
            case "symbol":
                self._take_symbol(token.text)
            case "byte":
                self._take_byte(token.text)
            case "text":
                self._take_text(token.text)

    def _open_group(self) -> None:
        self._stack.append(self._state)
        self._state = replace(self._state, is_new=True, starred=False)

    def _close_group(self) -> None:
        self._state = self._stack.pop()

    @abstractmethod
    def _take_word(self, word: str, number: int | None) -> None: ...

    @abstractmethod
    def _take_symbol(self, symbol: str) -> None: ...

    @abstractmethod
    def _write(self, text: str) -> None: ...

    def _take_character(self, word: str, number: int | None) -> bool:
        """Apply a word for a character, or about the decoding of characters; return whether it was one."""
        match word:
            case "u" if number is not None:
                self._write(chr(number % 0x10000))
                self._to_skip = self._state.skipped
            case "uc":
                self._state.skipped = min(max(number, 0), 100) if number is not None else 1
            case "f":
                self._state.font = number or 0
            case "ansicpg" if number:
                self._encoding = known_encoding(f"cp{number}")
            case _:
                return False
        return True

    def _name_encoding(self, charset: int) -> None:
        r"""Set the character set (\fcharset) of the font that is being defined."""
        self._fonts[self._state.font] = _CODE_PAGES.get(charset, _DEFAULT_CODE_PAGE)

    def _take_byte(self, byte: str) -> None:
        self._state.is_new = False
        if self._to_skip:
            self._to_skip -= 1
        else:
            self._bytes += byte

    def _flush_bytes(self) -> None:
        if self._bytes:
            data, self._bytes = self._bytes, ""
            self._write(self._decode(data))

    def _take_text(self, text: str) -> None:
        self._state.is_new = False
        skipped = min(self._to_skip, len(text))
        self._to_skip -= skipped
        self._put(text[skipped:])

    def _put(self, text: str) -> None:
        self._write(text if text.isascii() else self._decode(text))

    def _decode(self, data: str) -> str:
        """Decode bytes, one per character, in the encoding of their font; undecodable ones become U+FFFD."""
        encoding = known_encoding(self._fonts.get(self._state.font) or self._encoding, self._encoding)
        return data.encode("latin-1", "replace").decode(encoding, "replace")
