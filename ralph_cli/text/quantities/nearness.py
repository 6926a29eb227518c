"""How near the words of a text stand to its figures, which tells what is said of which. Pure.

A word belongs to a figure by a weight from 0 to 1: how near it stands to that figure, as a share of how near it stands
to all figures of the sentence for which it might be meant. What parts clauses counts as distance, and what stands
well before the first figure of a sentence is said of all of them.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import exp
from operator import itemgetter
from typing import NamedTuple

from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.relations import are_comparable
from ralph_cli.text.quantities.vocabulary import ABOUT, LITTLE_WORDS, NUMBER_WORDS, OVER, SCALES, TIMES, UNDER, singular
from ralph_cli.text.sentences import sentence_at

PARTS_OF_DATES = ("y:", "m:", "p:", "l:")
"""How words for the year, the month, the part of a year and the length in months of a date begin."""

_PACE, _FAR = 4.0, 60.0
"""Words within which a word is a figure's rather than another's, and within which it is said of one at all."""

_LABEL, _OF_ALL = 3, 0.75
"""Words before the first figure of a sentence that are its own, and the weight for each figure of those before them."""

_REACH, _MOST_RIVALS, _MOST_EXPONENT = 3 * _FAR, 16, 700.0
"""What is looked at for a figure: words beyond count for less than 5 %."""

_TOKEN = re.compile(r"[^\W_]+(?:[.,]\d+)*|[,:;()]")
_NAME = re.compile(r"(?<![\w.,$])(?!(?:19|20)\d\d\b)(?:\d{1,4}|[B-HJ-Z])(?![\w%]|[.,]\d)")
"""A number or a letter by which things of one kind are told apart: "Lot 7", "Type B"."""

_STEPS = dict.fromkeys(",:;()", 3) | dict.fromkeys(("and", "or", "but", "while", "whereas"), 6)
"""What parts clauses, and for how many words it counts."""

_BESIDE = re.compile(r"\s*(?:[^\W\d_]+\s+){0,2}\(")
_WORD = re.compile(r"[^\W\d_]{3,}|(?<![^\W_])[A-Z]{2}(?![^\W_])")
_ENDINGS = re.compile(r"(?:ables?|ations?|itions?|ions?|ings?|ments?|ives?|ers?|ed|al|ly|es?)\Z")
_NO_LABEL = frozenset().union(
    LITTLE_WORDS, ABOUT, OVER, UNDER, NUMBER_WORDS, SCALES, TIMES, {"respectively", "ended"}
) - {"own", "against"}


def say_words(text: str, fiscal_end: int = 12) -> frozenset[str]:
    """The stems of the words that name something, times ("t:3year"), and the parts of dates: "y:2018", "m:6", "p:Q3".

    A day or month has all the years after which it may be named where fiscal years end with this month.
    """
    found: set[str] = set()
    for one in reversed(read_quantities(text, "prose")):
        found.update(_times(one))
        if one.kind == "date":
            found |= {f"y:{year}" for year in one.date.years(fiscal_end)}
            text = f"{text[: one.start]} {text[one.end :]}"
    return frozenset(found.union(_stems(text)))


def _stem(word: str) -> str:
    while len(stem := _ENDINGS.sub("", word)) > 2 and stem != word:
        word = stem
    word = word[:-1] if len(word) > 3 and word[-1] == word[-2] else word  # "planned"
    return f"{word[:-1]}i" if word[-1] == "y" else word  # "carried" and "carry"


class _Layout(NamedTuple):
    """The words of a text that name something, each with its place, counted in words, and the places of its figures."""

    figures: tuple[Quantity, ...]
    words: tuple[tuple[str, float], ...]
    places: Mapping[int, float]


@lru_cache(maxsize=512)
def weigh_words(
    text: str, start: int, *, is_claim: bool = False, names: frozenset[int] = frozenset()
) -> Mapping[str, float]:
    """How much each word of a text belongs to its figure that begins at `start`, a date with a day among them.

    Of a claim every other figure has words of its own, for it tells each once; in a quote only those of the same kind.
    Figures that begin at `names` have none: they are words themselves. Nothing where the text has no such figure.
    """
    layout = _lay_out(text)
    figure = next((one for one in layout.figures if one.start == start), None)
    if figure is None:
        return {}
    begin, end = sentence_at(text, figure.start, figure.end)
    others = (one for one in layout.figures if one is not figure and one.start not in names)
    others = (one for one in others if not _is_beside(text, *sorted((one, figure), key=lambda both: both.start)))
    beside = (one for one in others if begin <= one.start < end)
    here, own = layout.places[start], frozenset(_times(figure))
    rivals = [
        layout.places[one.start]
        for one in beside
        if are_comparable(figure, one) or (is_claim and figure.is_measured and one.is_measured)
    ]
    label = min(here, *rivals) - _LABEL if rivals else 0.0
    # Between a word and a figure far from it there are nearer ones, which take it all.
    rivals = sorted(rivals, key=lambda place: abs(place - here))[:_MOST_RIVALS]
    low, high = (bisect_left(layout.words, here + reach, key=itemgetter(1)) for reach in (-_REACH, _REACH))
    found: dict[str, float] = {}
    named = [(f"{one.value:f}", layout.places[one.start]) for one in layout.figures if one.start in names]
    for word, at in (*layout.words[low:high], *named):
        if word in own and at == here:
            continue
        apart = abs(at - here)
        shares = (exp(min(_MOST_EXPONENT, (apart - abs(at - rival)) / _PACE)) for rival in rivals)
        weight = 1 / (1 + sum(shares))
        if rivals and at < label:
            weight = _OF_ALL
        found[word] = max(found.get(word, 0.0), weight * exp(-apart / _FAR))
    return found


def _is_beside(text: str, one: Quantity, other: Quantity) -> bool:
    """Whether one figure stands in brackets behind the other, and is said of the same: "21 patients (10.3%)"."""
    return bool(_BESIDE.fullmatch(text, one.end, other.start)) and ")" in text[other.end - 1 : other.end + 1]


@lru_cache(maxsize=512)
def _lay_out(text: str) -> _Layout:
    figures = read_quantities(text, "prose")
    words: list[tuple[str, float]] = []
    places: dict[int, float] = {}
    at, ahead, end = 0.0, list(reversed(figures)), 0
    for token in _TOKEN.finditer(text):
        while ahead and ahead[-1].start <= token.start():
            figure, at = ahead.pop(), at + 1
            places[figure.start] = at
            words += [(word, at) for word in _times(figure)]
            end = figure.end if figure.kind not in ("count", "identifier") else end
        if token.start() < end:
            continue
        word, is_bracketed = token[0].lower(), bool(ahead) and ahead[-1].start <= token.end() + 1
        at += 1 if word == "(" and is_bracketed else _STEPS.get(word, 1)  # "the founders (55%)"
        words += [(stem, at) for stem in _stems(token[0])]
    places |= {figure.start: at + 1 for figure in ahead}
    return _Layout(tuple(figures), tuple(words), places)


def _times(quantity: Quantity) -> Iterator[str]:
    """The words for a date or a time; a quarter of a year is also its first, second, third or fourth."""
    date = quantity.date
    if quantity.kind in ("duration", "ordinal", "physical", "ratio"):
        yield f"t:{quantity.value.normalize():f}{quantity.unit}"
    if date.part is not None:
        yield f"t:{date.part[1:]}"
    named = (("y:", date.year), ("m:", date.month), ("p:", date.part), ("l:", date.months))
    yield from (f"{key}{value}" for key, value in named if value is not None)


def _stems(text: str) -> Iterator[str]:
    yield from (_stem(word) for word in map(singular, _WORD.findall(text)) if word not in _NO_LABEL)
    yield from _NAME.findall(text)


def is_of_date(word: str) -> bool:
    """Whether it stands for a part of a date."""
    return word[:2] in PARTS_OF_DATES
