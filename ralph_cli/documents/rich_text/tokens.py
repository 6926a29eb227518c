"""The tokens of an RTF file (Rich Text Format specification 1.9.1): groups, control words, and characters."""

from collections.abc import Iterator

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass

_TOKEN = re.compile(
    r"\\([A-Za-z]{1,32})(-?\d{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z'])|([{}])|([^\\{}\r\n]+)|[\r\n]+|(\\)",
    re.DOTALL,
)
_CODE_PAGES = {
    0: "cp1252", 1: "", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk", 136: "big5",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
DEFAULT_CODE_PAGE = "cp1252"
DEEPEST = 2_000
"""Groups in each other that a file may have."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind ("word", "symbol", "byte", "text", "open", "close"), what it says, and a word's number."""

    kind: str
    text: str = ""
    number: int | None = None


def read_tokens(source: str) -> Iterator[Token]:
    """The tokens of a file whose bytes are the characters of `source`; binary data are left out."""
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


def code_page(charset: int) -> str:
    """The name of the encoding of a font with this character set (\\fcharset); "" if it is that of the file."""
    return _CODE_PAGES.get(charset, DEFAULT_CODE_PAGE)


def decode(data: str, encoding: str) -> tuple[str, int]:
    """Bytes, each a character, in an encoding, and how many could not be read; those become U+FFFD."""
    text = data.encode("latin-1", "replace").decode(encoding, "replace")
    return text, text.count("\ufffd")


def known_encoding(name: str, usual: str = DEFAULT_CODE_PAGE) -> str:
    """An encoding that can be read here, or the usual one."""
    name = {"cp65001": "utf-8", "cp10000": "mac_roman", "cp0": usual, "cp1361": "johab"}.get(name, name)
    try:
        "".encode(name)
    except LookupError:
        return usual
    return name
