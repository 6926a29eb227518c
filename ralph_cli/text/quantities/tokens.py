"""The tokens of a text: numbers, words and single signs, each with its position. Pure."""

import re
from typing import NamedTuple

from ralph_cli.text.fold import ZERO_WIDTH
from ralph_cli.text.raised import LOWERED, RAISED

_APART = "[,'\u2019\u00a0\u2007\u2009\u202f]"
_NUMBER = (
    r"\d+(?:\.\d+){2,}(?!,)"  # 12.3.1 is a name, or a date
    r"|\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{1,2}(?=\s?(?:Mio|Mrd|EUR|\u20ac|%))|(?<![\[,])\d+,\d\d(?![\w,\])])"  # continental
    r"|(?<!\d )\d{1,3}(?: \d{3})+(?=\s?(?:EUR|\u20ac|CHF|SEK|NOK|DKK|PLN|CZK))"  # 20 000 000 EUR
    rf"|\d{{1,3}}(?:{_APART}\d{{3}})+(?!\d)(?:\.\d+)?|\d+\.\d+|\d+|(?<![\w.])\.\d+"
)
_SIGN = rf"[{re.escape(RAISED + LOWERED)}]+|[^\s{ZERO_WIDTH}]"
_TOKEN = re.compile(rf"(?:(?P<number>{_NUMBER})|(?P<word>[A-Za-z\u00b5\u00c0-\u024f]+)|{_SIGN})[{ZERO_WIDTH}]*")
HYPHENS = frozenset("-\u2010\u2011\u2013")
MINUSES = frozenset("-\u2011\u2212\u2013")


class Token(NamedTuple):
    """A token at text[start:end]. `apart` is true if a table cell or a row ends before it."""

    text: str
    start: int
    end: int
    low: str
    sort: str
    glued: bool
    apart: bool


class Tokens:
    """The tokens of one text by index. An index outside of the text gives an empty token, not an error."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._all = _tokenize(text)

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, index: int) -> Token:
        return self._all[index]

    def low(self, index: int) -> str:
        """Return the token in lower case; "" outside the text."""
        return self._all[index].low if 0 <= index < len(self._all) else ""

    def is_number(self, index: int) -> bool:
        return 0 <= index < len(self._all) and self._all[index].sort == "number"

    def is_word(self, index: int) -> bool:
        return 0 <= index < len(self._all) and self._all[index].sort == "word"

    def is_glued(self, index: int) -> bool:
        """Whether nothing is between a token and the one before it."""
        return 0 < index < len(self._all) and self._all[index].glued

    def is_apart(self, index: int) -> bool:
        return index >= len(self._all) or self._all[index].apart

    def is_capitalized(self, index: int) -> bool:
        return 0 <= index < len(self._all) and self._all[index].text[0].isupper()

    def has(self, index: int, *words: str) -> bool:
        """Whether these words follow one another from `index` on."""
        return all(self.low(index + number) == word for number, word in enumerate(words))

    def skip_hyphen(self, index: int) -> int:
        """Return the index after a hyphen that joins two words, or `index`."""
        joins = self.low(index) in HYPHENS and (self.is_glued(index) or self.is_glued(index + 1))
        return index + 1 if joins else index

    def index_at(self, offset: int, index: int = 0) -> int:
        """Return the index of the first token, from `index` on, that begins at or after `offset`."""
        while index < len(self._all) and self._all[index].start < offset:
            index += 1
        return index


def _tokenize(text: str) -> list[Token]:
    found: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        wide = "  " in gap or "\t" in gap
        apart = "\f" in gap or (_ends_row(text, end, match.start()) if "\n" in gap else wide)
        sort = match.lastgroup or "sign"
        glued = bool(found) and not gap
        word = match[0].rstrip(ZERO_WIDTH)
        found.append(Token(word, match.start(), match.end(), word.lower(), sort, glued, apart))
        end = match.end()
    return found


def _ends_row(text: str, end: int, start: int) -> bool:
    """Whether the line end between two tokens is that of a line with separated cells, and not of a line of a
    wrapped sentence."""
    line = text[text.rfind("\n", 0, end) + 1 : end].strip()
    return not text[start].islower() and ("  " in line or "\t" in line or line[:1] == "|")
