"""What a text says of its figures beside one another: up or down from one to the other, whose words are whose. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise, product
from typing import Literal, NamedTuple

from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.vocabulary import ABOUT, LITTLE_WORDS, NUMBER_WORDS, OVER, UNDER, singular
from ralph_cli.text.sentences import sentence_at

RISE = r"rose|ris(?:es?|en|ing)|gr(?:ew|ow|owth)\w*|increas\w*|climb\w*|rais\w+|up(?!\s+to)|higher|widen\w*|jump\w*"
RISE += r"|improv\w*|expand\w*|gain(?:s|ed|ing)|advanc\w*|surg(?:ed|es|ing)|soar\w*|swell\w*|strengthen\w*"
FALL = r"fell|fall(?:s|en|ing)?|drop\w*|declin\w*|decreas\w*|reduc\w*|cuts?|down|lower\w*|slip\w*|shr[aiu]nk\w*"
FALL += r"|eas(?:ed|es|ing)|weaken\w*|soften\w*|tumbl\w*|plung\w*|slump\w*|retreat\w*|reced\w*"
FALL += r"|narrow\w*|dip(?:s|ped)?|contract(?:s|ed)|sank|slid\w*|fewer|smaller|less"
_RISES, _FALLS = (re.compile(rf"(?i)(?<![-\w])(?:{words})(?![-\w])") for words in (RISE, FALL))
_NEGATED = re.compile(rf"(?i)\b(?:{NEGATIONS})\b")
_CLAUSE = re.compile(r"(?i)[;:.]\s|\b(?:and|but|while|whereas|although|because|which|as(?!\s+an?\b))\b")
_FROM, _TO = re.compile(r"(?i)\bfrom\s+(?:[a-z]+\s+)?\Z"), re.compile(r"(?i)\bto\s+(?:[a-z]+\s+)?\Z")
_BETWEEN_TO = re.compile(r"(?i)\s*(?:[a-z]+\s+){0,5}to\s+(?:[a-z]+\s+)?")
_BETWEEN_FROM = re.compile(r"(?i)\s*,?\s*(?:[a-z]+\s+){0,5}from\s+(?:[a-z]+\s+)?")
_CHANGE = re.compile(
    rf"(?i)(?<![-\w])(?:{RISE}|{FALL})\s+"
    # "Rose slightly to", "raised its fee to", but neither "the increase amounted to" nor "fell due to".
    r"(?:(?:[a-z]+\s+){0,4}?(?P<by>by)|(?:[a-z]+ly\s+|(?:its|the|our|their)\s+(?:[a-z]+\s+){1,3}?)?to)\s+"
    r"(?:[a-z]+\s+)?\Z"
)
_CHANGE_REACH, _REACH = 60, 120
_MOST, _FAR_MORE = 0.5, 0.8
_NO_LABEL = LITTLE_WORDS | ABOUT | OVER | UNDER | NUMBER_WORDS
_WORD = re.compile(r"[^\W\d_]{3,}")
_OTHER_YEAR = re.compile(r"(?i)\b(?:prior|previous|preceding|earlier|before|ago|last)\b")
_RESPECTIVELY = re.compile(r"(?i)\brespectively\b")


class Pairing(NamedTuple):
    """The date that "respectively" gives a figure, and those that it gives the others."""

    own: Date
    others: tuple[Date, ...]


def misstated_direction(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    """Pairs of figures of which a text says that one rose, or fell, to the other, and that do the opposite."""
    for one, other in pairwise(quantities):
        gap = text[one.end : other.start]
        if _FROM.search(text, 0, one.start) and _BETWEEN_TO.fullmatch(gap):
            before, after = one, other
        elif _TO.search(text, 0, one.start) and _BETWEEN_FROM.fullmatch(gap):
            before, after = other, one
        else:
            continue
        if before.kind != after.kind or before.unit != after.unit or before.kind in ("date", "identifier", "ordinal"):
            continue
        change = _amount(after) - _amount(before)
        opposite = "rise" if change < 0 else "fall" if change > 0 else "none"
        if min(before.value, after.value) >= 0 and direction_before(text, one.start) == opposite:
            yield one, other


def direction_before(text: str, end: int) -> str:
    """The direction, "rise" or "fall", that the clause says which leads to a place; "" if it says both, or denies."""
    start = max((match.end() for match in _CLAUSE.finditer(text, 0, end)), default=0)
    found = direction_of(text[start:end])
    return "" if found == "unsure" else found


def direction_of(text: str) -> Literal["", "rise", "fall", "unsure"]:
    """Whether words say that something went up or down; "unsure" if they say both, or deny it."""
    rises, falls = bool(_RISES.search(text)), bool(_FALLS.search(text))
    if (rises or falls) and (rises == falls or _NEGATED.search(text)):
        return "unsure"
    return "rise" if rises else "fall" if falls else ""


def change_of(text: str, quantity: Quantity) -> Literal["", "by", "to"]:
    """Whether a text says that something rose or fell by a quantity, or to it; of neither, nothing."""
    match = _CHANGE.search(text, max(0, quantity.start - _CHANGE_REACH), quantity.start)
    return "" if match is None else "by" if match["by"] else "to"


def pair_dates(text: str, quantities: Sequence[Quantity]) -> dict[int, Pairing]:
    """The date of each figure, by its place, where a text says so: "$5 and $4 in 2022 and 2021, respectively"."""
    found: dict[int, Pairing] = {}
    for match in _RESPECTIVELY.finditer(text):
        begin = sentence_at(text, match.start(), match.end())[0]
        before = [one for one in quantities if begin <= one.start and one.end <= match.start()]
        runs = [list(run) for _, run in groupby(before, key=lambda one: one.kind == "date")][-2:]
        if len(runs) < 2 or len(runs[0]) != len(runs[1]) or len(runs[0]) < 2:
            continue
        dates, figures = runs if runs[0][0].kind == "date" else reversed(runs)
        for number, figure in enumerate(figures):
            others = tuple(date.date for date in dates if date is not dates[number])
            found[figure.start] = Pairing(dates[number].date, others)
    return found


def dates_of_only(text: str, quantity: Quantity) -> tuple[Date, ...]:
    """The dates that a sentence says of a figure: none if it compares it with another of its kind, or another year."""
    found = read_quantities(text, "prose")
    compared = sum(one.kind == quantity.kind for one in found) > 1 or _OTHER_YEAR.search(text)
    return () if compared else tuple(one.date for one in found if one.kind == "date")


def are_swapped(one: tuple[str, Quantity, Quantity], other: tuple[str, Quantity, Quantity]) -> bool:
    """Whether two texts say the words beside two figures of the other figure, each a text with its two figures.

    On some side of the figures most words of each label are the other's, far more than are its own, and on no side are
    as many its own; one label may hold all words of the other.
    """
    crossed = straight = False
    for (first, second), (own, others) in product(_words_beside(*one), _words_beside(*other)):
        across = _share(first, others), _share(second, own)
        along = _share(first, own), _share(second, others)
        crossed |= min(across) >= _MOST and sum(across) - sum(along) > _FAR_MORE
        straight |= min(along) >= _MOST and sum(along) >= sum(across)
    return crossed and not straight


def _share(label: frozenset[str], known: frozenset[str]) -> float:
    return len(label & known) / len(label) if label else 0.0


def _words_beside(text: str, one: Quantity, other: Quantity) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The words before each of two figures, and those behind each, up to the next figure or the end of the sentence."""
    yield _words_before(text, one), _words_before(text, other)
    yield _words_behind(text, one), _words_behind(text, other)


def _words_before(text: str, quantity: Quantity) -> frozenset[str]:
    return _content(re.split(r"\d|[.;]\s", text[max(0, quantity.start - _REACH) : quantity.start])[-1])


def _words_behind(text: str, quantity: Quantity) -> frozenset[str]:
    return _content(re.split(r"\d|[.;](?:\s|\Z)", text[quantity.end : quantity.end + _REACH])[0])


def _content(words: str) -> frozenset[str]:
    return frozenset(map(singular, map(str.lower, _WORD.findall(words)))) - _NO_LABEL


def _amount(quantity: Quantity) -> float:
    return float(quantity.value) * 10.0 ** (quantity.power or 0)
