"""How near the words of a text stand to its figures, which tells what is said of which. Pure.

A word belongs to a figure by a weight from 0 to 1: how near it stands to that figure, as a share of how near it stands
to all figures of the sentence for which it might be meant. What parts clauses counts as distance, and what stands
well before the first figure of a sentence is said of all of them.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from math import exp
from operator import itemgetter
from typing import NamedTuple

from ralph_cli.core.deferred import re
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

_YEAR_BEFORE = frozenset(("prior", "previous", "preceding", "earlier", "before", "ago", "last"))
_NOT_AT = re.compile(r"(?i)\b(?:beyond|after|before|since|until|past|than)\s+(?:(?:the|end|of|fiscal|year)\s+)*\Z")
"""What a time stands behind at which nothing is: "due after 2027"."""

_BESIDE = re.compile(r"\s*(?:[^\W\d_]+\s+){0,2}\(")
_LISTED = re.compile(r"(?i),\s*(?:and\s+)?|\sand\s")
_JOINT = re.compile(r"\s*(?:,|,?\s*and|,?\s*or)\s*(?:of|to|in|at)?\s*")
"""What stands between figures of a list."""

_RESPECTIVELY = re.compile(r"(?i)\brespectively\b")
_WORD = re.compile(r"[^\W\d_]{3,}|(?<![^\W_])[A-Z]{2}(?![^\W_])")
_ENDINGS = re.compile(r"(?:ables?|ations?|itions?|ions?|ings?|ments?|ives?|ers?|ed|al|ly|es?)\Z")
_NO_LABEL = frozenset().union(
    LITTLE_WORDS, ABOUT, OVER, UNDER, NUMBER_WORDS, SCALES, TIMES, {"respectively", "ended"}
) - {"own", "against"}
_ALIKE = {
    "home": "domestic", "abroad": "international", "overseas": "international", "foreign": "international",
    "bought": "buy", "purchase": "buy", "purchased": "buy", "rent": "lease", "rented": "lease", "sold": "sell",
    "sale": "sell", "paid": "pay", "abstained": "abstention", "overall": "total",
    "consolidated": "total", "altogether": "total", "held": "hold", "lent": "loan", "built": "build",
}  # fmt: skip
"""Words that name one thing in tables and another way in sentences, and forms that no ending tells."""


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
    word = _ALIKE.get(word, word)
    while len(stem := _ENDINGS.sub("", word)) > 2 and stem != word:
        word = stem
    word = word[:-1] if len(word) > 3 and word[-1] == word[-2] else word  # "planned"
    return f"{word[:-1]}i" if word[-1] == "y" else word  # "carried" and "carry"


class _Layout(NamedTuple):
    """The words of a text that name something, each with its place, counted in words, and the places of its figures."""

    figures: tuple[Quantity, ...]
    words: tuple[tuple[str, float], ...]
    places: Mapping[int, float]
    listed: Mapping[int, tuple[frozenset[str], bool]]


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
    words, is_dated = layout.listed.get(start, (frozenset[str](), False))
    if is_dated:
        found = {word: weight for word, weight in found.items() if not is_of_date(word)}
    return found | dict.fromkeys(words, 1.0)


def _is_beside(text: str, one: Quantity, other: Quantity) -> bool:
    """Whether one figure stands in brackets behind the other, and is said of the same: "21 patients (10.3%)"."""
    return bool(_BESIDE.fullmatch(text, one.end, other.start)) and ")" in text[other.end - 1 : other.end + 1]


@lru_cache(maxsize=512)
def _lay_out(text: str) -> _Layout:
    figures = read_quantities(text, "prose")
    years = {one.date.year for one in figures if one.date.year is not None}
    before = f"y:{min(years) - 1}" if len(years) == 1 else ""
    words: list[tuple[str, float]] = []
    places: dict[int, float] = {}
    at, ahead, end = 0.0, list(reversed(figures)), 0
    for token in _TOKEN.finditer(text):
        while ahead and ahead[-1].start <= token.start():
            figure, at = ahead.pop(), at + 1
            places[figure.start] = at
            words += [(word, at) for word in _times(figure) if not _NOT_AT.search(text, 0, figure.start)]
            end = figure.end if figure.kind not in ("count", "identifier") else end
        if token.start() < end:
            continue
        word, is_bracketed = token[0].lower(), bool(ahead) and ahead[-1].start <= token.end() + 1
        at += 1 if word == "(" and is_bracketed else _STEPS.get(word, 1)  # "the founders (55%)"
        if word in _YEAR_BEFORE and before:
            words.append((before, at))
        words += [(stem, at) for stem in _stems(token[0])]
    places |= {figure.start: at + 1 for figure in ahead}
    listed = {start: (said, is_dated) for start, said, is_dated in _pair_lists(text, figures)}
    return _Layout(tuple(figures), tuple(words), places, listed)


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


def _pair_lists(text: str, quantities: Sequence[Quantity]) -> Iterator[tuple[int, frozenset[str], bool]]:
    """The words of each figure, by its place, of lists that go together: "in 2022 and 2021 it sold 5 and 4".

    The last says whether they are dates; else, of figures that a text calls "respectively", what is listed before them.
    """
    for (begin, end), group in groupby(quantities, key=lambda one: sentence_at(text, one.start, one.end)):
        found = list(group)
        lists = list(_read_lists(text, found))
        dates = [one for one in lists if one[0].kind == "date"]
        said = _RESPECTIVELY.search(text, begin, end)
        if said and dates and not any(len(one) == len(dates[-1]) for one in lists if one not in dates):
            lists.append([one for one in found if one.kind != "date"][-len(dates[-1]) :])  # "up to 8 from 3 in ..."
        for figures in lists:
            alike = [one for one in dates if len(one) == len(figures) > 1]
            if figures not in dates and alike and (said or len(dates) == 1):
                nearest = min(alike, key=lambda one: abs(one[0].start - figures[0].start))
                yield from ((one.start, say_words(date.text), True) for one, date in zip(figures, nearest, strict=True))
        if said and not dates and lists and len(figures := lists[-1]) > 1:
            listed = _LISTED.split(text[begin : figures[0].start])[-len(figures) :]
            if len(listed) == len(figures):
                yield from ((one.start, say_words(item), False) for one, item in zip(figures, listed, strict=True))


def _read_lists(text: str, quantities: Sequence[Quantity]) -> Iterator[list[Quantity]]:
    """The figures and dates of a sentence in the lists that they stand in, or alone."""
    found: list[Quantity] = []
    for one in quantities:
        if found and (
            not _JOINT.fullmatch(text, found[-1].end, one.start) or (found[-1].kind == "date") != (one.kind == "date")
        ):
            yield found
            found = []
        found.append(one)
    if found:
        yield found
