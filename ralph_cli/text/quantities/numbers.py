"""Read the number at a token, in digits or in words: "1,577", "half a", "one in five". Pure."""

# ruff: noqa: SIM905

import re
import unicodedata
from decimal import Decimal
from typing import Literal, NamedTuple

from ralph_cli.text.lexicon import ORDINALS, TENS, UNITS
from ralph_cli.text.quantities.tokens import HYPHENS, Tokens
from ralph_cli.text.quantities.vocabulary import (
    FRACTIONS,
    LETTER_SCALES,
    LITTLE_WORDS,
    SCALES,
    TIMES,
    singular,
)
from ralph_cli.text.raised import flatten_figures

# How a number is written if not plainly: as a share of a whole, a multiple, or a place in an order.
Form = Literal["", "share", "multiple", "ordinal"]

_CONTINENTAL = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{1,2}")
_GROUPING = str.maketrans("", "", " ,'\u2019\u00a0\u2007\u2009\u202f")
_OF_DIGITS = re.compile(r"(?:[ -](?P<over>\d{1,2}))?/(?P<under>\d{1,2})\b(?!/)")
_MAX_EXPONENT_DIGITS = 2
_ENDINGS = frozenset(("st", "nd", "rd", "th"))
_GROUPS = {word: power for word, power in SCALES.items() if power % 3 == 0 and len(word) > 3}
_COMPARED = frozenset("less more higher lower larger smaller fewer greater year".split())
_HOW_OFTEN = frozenset("a per each every in during since on between . ,".split())
_WHOLES = UNITS | TENS | {"hundred": 100, "thousand": 1000}


class Number(NamedTuple):
    """A number whose last token is before the index `next`; `decimals` are those that it shows."""

    value: Decimal
    next: int
    decimals: int = 0
    form: Form = ""
    worded: bool = False


def read_number(tokens: Tokens, at: int, *, arithmetic: bool = False) -> Number | None:
    """Return the number that begins at a token, or None. In arithmetic a slash divides and does not form a fraction."""
    if tokens.is_number(at):
        return _read_digits(tokens, at, arithmetic)
    word = tokens.low(at)
    if not tokens.is_word(at):
        glyph = _glyph(word)
        return Number(glyph, at + 1, 2, "share", worded=True) if glyph is not None else None
    if word == "twice":
        is_often = tokens.low(at + 1) in _HOW_OFTEN
        return Number(Decimal(2), at + 1, form="" if is_often else "multiple", worded=True)
    if word in ("half", "a", "an"):
        return _read_half(tokens, at) if word == "half" else _read_article(tokens, at)
    return _read_place(tokens, at) or _read_words(tokens, at)


def _read_place(tokens: Tokens, at: int) -> Number | None:
    """Return the ordinal number in words: "third", "forty-second", but not the one in "the third party"."""
    word, last = tokens.low(at), tokens.skip_hyphen(at + 1)
    last, tens = (last, TENS[word]) if word in TENS and last > at + 1 else (at, 0)
    place = ORDINALS.get(tokens.low(last))
    if place is None or (tens and place >= 10) or tokens.low(last + 1) in ("party", "parties"):
        return None
    return Number(Decimal(tens + place), last + 1, form="ordinal", worded=True)


def _glyph(sign: str) -> Decimal | None:
    """Return the value of a fraction sign."""
    if len(sign) != 1 or sign.isalnum() is False or not unicodedata.decomposition(sign).startswith("<fraction>"):
        return None
    over, _, under = unicodedata.normalize("NFKC", sign).partition("\u2044")
    return Decimal(over or 1) / Decimal(under) if under else None


def _read_digits(tokens: Tokens, at: int, arithmetic: bool) -> Number:
    written = _plain_digits(tokens[at].text)
    if written.count(".") > 1:
        return Number(Decimal(0), at + 1)
    number = Number(Decimal(written), at + 1, len(written.partition(".")[2]))
    behind = tokens.low(at + 1)
    raised = flatten_figures(behind) if tokens.is_glued(at + 1) else ""
    if raised != behind and raised:
        # A raised number is the exponent of a ten, and the mark of a footnote at any other figure.
        power = (
            raised.isdecimal() and len(raised) <= _MAX_EXPONENT_DIGITS and number.value == 10 and not number.decimals
        )
        return number._replace(value=number.value ** int(raised) if power else number.value, next=at + 2)
    glyph = _glyph(behind)
    if glyph is not None:
        return Number(number.value + glyph, at + 2, 2)
    if behind in _ENDINGS and tokens.is_glued(at + 1):
        return Number(number.value, at + 2, form="ordinal")
    fraction = None if arithmetic or number.decimals else _fraction_at(tokens, at, number.value)
    return fraction or _with_half(tokens, number)


def _plain_digits(written: str) -> str:
    """Return digits without group separators, with a decimal point."""
    is_continental = _CONTINENTAL.fullmatch(written) and written.count(",") == 1
    if is_continental and not re.fullmatch(r"\d{1,3}(?:,\d{3})+", written):
        written = written.replace(".", "").replace(",", ".")
    return written.translate(_GROUPING)


def _fraction_at(tokens: Tokens, at: int, value: Decimal) -> Number | None:
    """Return the fraction in digits that begins with a number: "3/4", "2 1/2"."""
    match = _OF_DIGITS.match(tokens.text, tokens[at].end)
    under = int(match["under"]) if match else 0
    if match is None or value >= 100 or under < 2 or not (match["over"] or value < under):
        return None
    after = tokens.index_at(match.end(), at)
    if match["over"]:
        return Number(value + Decimal(match["over"]) / under, after, 4)
    return Number(value / under, after, 4, "share")


def _with_half(tokens: Tokens, number: Number) -> Number:
    """Return the number with the fraction in words after it: "two and a half", "four and three quarters"."""
    at = number.next
    over = {"a": 1, **UNITS}.get(tokens.low(at + 1), 0)
    rest = tokens.skip_hyphen(at + 2)
    under = FRACTIONS.get(singular(tokens.low(rest)), 0)
    if number.decimals or not tokens.has(at, "and") or not 0 < over < under <= 4:
        return number
    return number._replace(
        value=number.value + Decimal(over) / under, decimals=1 if under == 2 else 2 if under == 4 else 4, next=rest + 1
    )


def _read_half(tokens: Tokens, at: int) -> Number | None:
    after, before = tokens.low(at + 1), tokens.low(at - 1)
    is_joined = tokens.skip_hyphen(at + 1) > at + 1 or before in HYPHENS
    if after == "year" or is_joined or before in ("first", "second", "last", "other"):
        return None
    if before == "a" and tokens.low(at - 2) == "and":  # of "a year and a half", which was read before
        return None
    if after in ("a", "an") and tokens.low(at + 2) in (*SCALES, *TIMES, "percent", "percentage"):
        return Number(Decimal("0.5"), at + 2, 1, worded=True)
    return Number(Decimal("0.5"), at + 1, 1, "share", worded=True)


def _read_article(tokens: Tokens, at: int) -> Number | None:
    """Return the number or share that begins with "a": "a million", "a dozen", "a year and a half", "a third of"."""
    word = tokens.low(at + 1)
    if word in ("hundred", "dozen"):
        return _read_words(tokens, at + 1)
    if word in SCALES and word not in LETTER_SCALES:
        return Number(Decimal(1), at + 1, worded=True)
    if tokens.has(at + 2, "and", "a", "half"):
        return Number(Decimal("1.5"), at + 1, 1, worded=True)
    is_time = word == "quarter" and tokens.low(at + 2) != "of"
    if word in FRACTIONS and word != "half" and not is_time and is_share(tokens, at + 1):
        return Number(Decimal(1) / FRACTIONS[word], at + 2, 4, "share", worded=True)
    return None


def is_share(tokens: Tokens, at: int) -> bool:
    """Whether a fraction word means a share ("a third of", "by a quarter,"), not an order ("a third party")."""
    word = tokens.low(at + 1)
    return not tokens.is_word(at + 1) or word in LITTLE_WORDS or word in _COMPARED


def _read_words(tokens: Tokens, at: int) -> Number | None:
    cardinal = _read_cardinal(tokens, at)
    if cardinal is None:
        return None
    value, after = Decimal(cardinal[0]), cardinal[1]
    share = _read_share(tokens, at, value, after)
    if share is not None:
        return share
    number = _with_half(tokens, Number(value, after, worded=True))
    is_pronoun = number.value == 1 and tokens.low(tokens.skip_hyphen(after)) in LITTLE_WORDS - {"and", "to"}
    return None if is_pronoun else number


def _read_share(tokens: Tokens, at: int, value: Decimal, after: int) -> Number | None:
    """Return the share that begins with a number: "two-thirds", "one in five", "three quarters of"."""
    of = after + 1 if tokens.low(after) == "in" else after + 2
    of += tokens.low(of) in ("every", "each")
    if (tokens.low(after) == "in" or tokens.has(after, "out", "of")) and tokens.low(of) in _WHOLES:
        whole = Decimal(_WHOLES[tokens.low(of)])
        is_measured = tokens.low(of + 1) in (*SCALES, "%", "percent")
        is_part = 0 < value < whole and not is_measured
        return Number(value / whole, of + 1, 4, "share", worded=True) if is_part else None
    return _read_parts(tokens, at, value, after)


def _read_parts(tokens: Tokens, at: int, value: Decimal, after: int) -> Number | None:
    """Return the share made of a number and a fraction word: "two-thirds", "three quarters of"."""
    named = tokens.skip_hyphen(after)
    word = tokens.low(named)
    whole = Decimal(FRACTIONS.get(singular(word), 0))
    plural = word != singular(word)
    if not 0 < value < whole or not (plural or named > after or is_share(tokens, named)):
        return None
    if whole == 4 and plural and named == after:  # "the last three quarters", "three quarters of 2022"
        is_timed = tokens.is_number(named + 2) and tokens.low(named + 1) == "of"
        if tokens.low(at - 1) in ("first", "last", "past", "next") or is_timed:
            return None
    return Number(value / whole, named + 1, 4, "share", worded=True)


def _read_cardinal(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Return a number in words, and the index after it. A scale at its end ("two million") is left to the reader."""
    total, lowest, at_group = 0, 10**6, at
    while (group := _read_below_thousand(tokens, at_group)) is not None:
        value, after = group
        power = _GROUPS.get(tokens.low(after), 0)
        rest = after + 1 + (tokens.low(after + 1) == "and")
        more = power and _read_below_thousand(tokens, rest) is not None
        if not power or power >= lowest:
            return total + value, after
        if not more:
            return (value, after) if not total else (total + value * 10**power, after + 1)
        total, lowest, at_group = total + value * 10**power, power, rest
    return None


def _read_below_thousand(tokens: Tokens, at: int) -> tuple[int, int] | None:
    below = _read_below_hundred(tokens, at)
    if tokens.low(at) == "hundred" and tokens.low(at - 1) in ("a", "and"):
        below = 1, at
    if below is None or tokens.low(below[1]) != "hundred":
        return below
    value, after = below[0] * 100, below[1] + 1
    rest = _read_below_hundred(tokens, after + (tokens.low(after) == "and"))
    return (value + rest[0], rest[1]) if rest else (value, after)


def _read_below_hundred(tokens: Tokens, at: int) -> tuple[int, int] | None:
    word = tokens.low(at)
    if word == "dozen" or (word in UNITS and tokens.low(at + 1) == "dozen"):
        return UNITS.get(word, 1) * 12, at + 1 + (word in UNITS)
    if word in UNITS:
        return UNITS[word], at + 1
    if word not in TENS:
        return None
    one = tokens.skip_hyphen(at + 1)
    value = UNITS.get(tokens.low(one), 0)
    return (TENS[word] + value, one + 1) if 0 < value < 10 else (TENS[word], at + 1)
