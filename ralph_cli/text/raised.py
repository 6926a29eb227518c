"""Raised, lowered and struck-out text in plain characters: 10\N{SUPERSCRIPT SIX}, not 106.

A footnote's mark, an exponent or an index that stands at a figure must not become a digit of it. Words that are struck
out no longer hold: they are said to be so and have a stroke through each letter and digit, so that they are not found
when they are quoted as if they did.
"""

import re
import unicodedata

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

RAISED = "".join(dict.fromkeys(_RAISED.values()))
"""Every raised figure and sign."""

LOWERED = "".join(dict.fromkeys(_LOWERED.values()))
"""Every lowered figure and sign."""

_TO_RAISED, _TO_LOWERED = str.maketrans(_RAISED), str.maketrans(_LOWERED)
_FROM_EITHER = {ord(mark): plain for table in (_RAISED, _LOWERED) for plain, mark in reversed(table.items())}
_FRACTIONS = {
    unicodedata.normalize("NFKC", mark).replace("\u2044", "/"): mark
    for mark in map(chr, (*range(0xBC, 0xBF), *range(0x2150, 0x215F)))
}


def raise_figures(text: str) -> str:
    """The text with its digits, signs and round brackets raised, character by character; letters have no such form."""
    return text.translate(_TO_RAISED)


def lower_figures(text: str) -> str:
    """The text with its digits, signs and round brackets lowered, character by character."""
    return text.translate(_TO_LOWERED)


def flatten_figures(text: str) -> str:
    """The text with raised and lowered figures written plainly, character by character."""
    return text.translate(_FROM_EITHER)


def write_fraction(numerator: str, denominator: str) -> str:
    """One figure over another: as the one character that Unicode has for it, else with a slash.

    Behind a figure the second form needs a space: 3 5/16.
    """
    numerator, denominator = flatten_figures(numerator).strip(), flatten_figures(denominator).strip()
    return _FRACTIONS.get(f"{numerator}/{denominator}", f"{numerator}/{denominator}")


def strike(text: str) -> str:
    """The text with a stroke through each letter and digit."""
    return _LETTER.sub(_STRUCK, text)


def cross_out(text: str) -> str:
    """The text as struck-out words are written, the space around it left outside."""
    words = text.strip()
    if not words:
        return text
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}{STRUCK_OPENING}{strike(words)}{STRUCK_CLOSING}{tail}"
