"""Raised, lowered and struck-out text in plain characters: 10\N{SUPERSCRIPT SIX}, not 106.

A footnote's mark, an exponent or an index at a figure must not become a digit of it. Words that are struck
out no longer hold: they are said to be so and have a stroke through each letter and digit, so that they are not found
when they are quoted as if they did.
"""

import re
import unicodedata
from collections.abc import Iterator

STRUCK_OPENING, STRUCK_CLOSING = "[struck out: ", "]"
_LETTER = re.compile(r"([^\W_])")
_STRUCK = "\\1\u0336"

_PLAIN = "0123456789+-=()\u2212"
_RAISED = dict(
    zip(
        _PLAIN,
        "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u207c\u207d\u207e\u207b",
        strict=True,
    )
)
_LOWERED = dict(
    zip(
        _PLAIN,
        "\u2080\u2081\u2082\u2083\u2084\u2085\u2086\u2087\u2088\u2089\u208a\u208b\u208c\u208d\u208e\u208b",
        strict=True,
    )
)

# Every raised figure and sign.
RAISED = "".join(dict.fromkeys(_RAISED.values()))

# Every lowered figure and sign.
LOWERED = "".join(dict.fromkeys(_LOWERED.values()))

_TO_RAISED, _TO_LOWERED = str.maketrans(_RAISED), str.maketrans(_LOWERED)
_FROM_EITHER = {ord(mark): plain for table in (_RAISED, _LOWERED) for plain, mark in reversed(table.items())}
_FRACTIONS = {
    unicodedata.normalize("NFKC", mark).replace("\u2044", "/"): mark
    for mark in map(chr, (*range(0xBC, 0xBF), *range(0x2150, 0x215F)))
}


_SHIFTED = re.compile(f"[{RAISED}]+|[{LOWERED}]+")
_SHIFTED_OR_BRACKETED = re.compile(rf"[{RAISED}]+|[{LOWERED}]+|(?<=[^\s\d])\[(?:\d{{1,2}}|\^[\w-]{{1,20}})\](?![\w(])")
_MARK = re.compile(f"[{RAISED[:10]}]{{1,2}}|\u207d[{RAISED[:10]}]{{1,2}}\u207e")
_CLOSING = ".,;:%)]\"'\u2019\u201d\u2030"
_AMOUNT = re.compile(r"[$\u00a2-\u00a5\u20a0-\u20cf] ?\d[\d.,]*$|\d(?:[.,]?\d){2,}$")
_PERCENT = re.compile(r"\d ?[%\u2030]$")
_WORD = re.compile(r"[^\W\d_]+$")
_SHORT_UNIT = re.compile(r"(?:^|[\d/(] ?)[^\W\d_]{3}$")
_REACH = 32


def raise_figures(text: str) -> str:
    """Return the text with its digits, signs and round brackets raised, character by character; letters stay
    unchanged.
    """
    return text.translate(_TO_RAISED)


def lower_figures(text: str) -> str:
    """Return the text with its digits, signs and round brackets lowered, character by character."""
    return text.translate(_TO_LOWERED)


def flatten_figures(text: str) -> str:
    """Return the text with raised and lowered figures as plain characters, character by character."""
    return text.translate(_FROM_EITHER)


def write_fraction(numerator: str, denominator: str) -> str:
    """One figure over another: as the one character that Unicode has for it, else with a slash.

    Behind a figure the second form needs a space: 3 5/16.
    """
    numerator, denominator = flatten_figures(numerator).strip(), flatten_figures(denominator).strip()
    return _FRACTIONS.get(f"{numerator}/{denominator}", f"{numerator}/{denominator}")


def strike(text: str) -> str:
    """Return the text with a stroke through each letter and digit."""
    return _LETTER.sub(_STRUCK, text)


def cross_out(text: str) -> str:
    """The text as struck-out words are written, the space around it left outside."""
    words = text.strip()
    if not words:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{STRUCK_OPENING}{strike(words)}{STRUCK_CLOSING}{tail}"


def readable_figures(text: str) -> Iterator[tuple[int, int, str]]:
    """Raised and lowered figures that may be written plainly without becoming a number or digits of one.

    They are behind a letter, or in brackets. Each as (start, end, plain form): "CO2" and "1,577(1)" say what they
    said, but 10 with a raised 6 is no 106.
    """
    for match in _SHIFTED.finditer(text):
        start, end = match.span()
        is_behind_letter = text[max(start - 1, 0) : start].isalpha() or match[0][0] in "\u207d\u208d"
        if is_behind_letter and not text[end : end + 1].isdigit():
            yield start, end, flatten_figures(match[0])


def footnote_marks(text: str) -> Iterator[tuple[int, int]]:
    """The intervals of marks of footnotes, in order: raised figures that are no exponents or parts of a formula, and
    numbers in square brackets behind a word, as plain texts have them ([1], [^1]).
    """
    for match in _SHIFTED_OR_BRACKETED.finditer(text):
        if match[0][0] == "[" or _is_mark(match):
            yield match.span()


def without_footnote_marks(text: str) -> list[tuple[int, int, str]]:
    """The edits (start, end, text) that take the marks of footnotes away, each with the character that it marks.

    Spaces before a mark go with it, as one does that parts two marks.
    """
    edits: list[tuple[int, int, str]] = []
    for start, end in footnote_marks(text):
        before = text[max(start - _REACH, 0) : start]
        first = max(start - len(before) + len(before.rstrip(" ")) - 1, 0)
        if edits and first < edits[-1][1]:
            edits[-1] = (edits[-1][0], end, edits[-1][2])
        else:
            edits.append((first, end, text[first : first + 1] if first < start else ""))
    return edits


def is_footnote_mark(text: str, at: int) -> bool:
    """Whether the raised figures that begin at `at` are a footnote mark; see `footnote_marks`."""
    match = _SHIFTED.match(text, at)
    return match is not None and _is_mark(match)


def _is_mark(figures: "re.Match[str]") -> bool:
    """A mark is in brackets, at the beginning, or behind a word, an amount, or what closes them.

    Behind 10, another short number, or one or two letters, as in "5 m", it may be an exponent. An amount has at least
    three digits or a currency.
    """
    if not _MARK.fullmatch(figures[0]):
        return False
    before = figures.string[max(0, figures.start() - _REACH) : figures.start()]
    if figures[0][0] == "\u207d" or not before or before[-1].isspace():
        return True
    closed = before.rstrip(_CLOSING)
    word = _WORD.search(closed)
    is_behind_word = word is not None and len(word[0]) > 2 and not _SHORT_UNIT.search(closed)
    return is_behind_word or bool(_AMOUNT.search(closed) or _PERCENT.search(before))
