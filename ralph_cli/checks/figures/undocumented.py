"""What a claim may say beside its figures: a currency that the document lacks, "the second day", odd digits. Pure."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from ralph_cli.text.quantities.figures import figures
from ralph_cli.text.quantities.units import unit_of

_CURRENCY_TRACES = {
    "$": ("$", "dollar", "usd"),
    "\u20ac": ("\u20ac", "eur"),
    "\u00a3": ("\u00a3", "pound", "gbp", "sterling"),
    "\u00a5": ("\u00a5", "\uffe5", "yen", "jpy", "yuan", "cny", "rmb", "renminbi", "\u5186", "\u5143"),
}
"""What a text that counts in a currency has somewhere, in any language; that "eur" is in "Europe" is fine."""

_EXPONENTS = "\u00b2\u00b3\u00b9\u2070\u2074\u2075\u2076\u2077\u2078\u2079\u2080\u2081\u2082\u2083\u2084"

_THE = re.compile(r"(?i)\b(?:the|each|every)\s+\Z")
_TIME = re.compile(
    r"(?i)[\s-](?:(?:business|working|trading|calendar|fiscal|full|lease|contract)\s+)?"
    r"(?:day|week|month|year|anniversary|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)


def currencies(text: str, is_mentioned: Callable[[str], bool]) -> Iterator[str]:
    """The amounts in a currency of which a document has no trace; `is_mentioned` looks a word up in it, in lower
    case."""
    for figure in figures(text):
        traces = _CURRENCY_TRACES.get(unit_of(figure, text), ())
        if traces and not any(map(is_mentioned, traces)):
            yield figure.text


def odd_digits(text: str, quotes: Sequence[str]) -> Iterator[str]:
    """The signs for numbers that are no digits, as in a circle, and in no quote; exponents and fractions are none."""
    for sign in dict.fromkeys(text):
        if unicodedata.category(sign) in ("No", "Nl") and not any(sign in quote for quote in quotes):
            plain = unicodedata.normalize("NFKC", sign)
            if "\u2044" not in plain and sign not in _EXPONENTS:
                yield sign


def ordinals(text: str, supported_values: frozenset[Decimal]) -> Iterator[str]:
    """The places in an order of time ("the second day") whose number is not borne out."""
    cardinal = {figure.start for figure in figures(text)}
    for figure in figures(text, ordinals=True):
        behind = _TIME.match(text, figure.end)
        is_ordinal = figure.start not in cardinal and _THE.search(text, 0, figure.start)
        if is_ordinal and behind and figure.value not in supported_values:
            yield text[figure.start : behind.end()]
