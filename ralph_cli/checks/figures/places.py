"""Where a figure stands: the words and dates that govern it in a quote, against those that a claim says of it. Pure.

In a table they are those of its row and of its column, in prose those that stand near it. Whether a claim means a place
is told by how much of what it says of a figure the place has, against what other places have of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from ralph_cli.checks.figures.tables.header import TableHeaders
from ralph_cli.core.run import Quote
from ralph_cli.text.quantities.nearness import is_of_date, say_words, weigh_words
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.relations import ordered_pairs
from ralph_cli.text.scales import read_unit
from ralph_cli.text.sentences import line_at

_SHARE_BEHIND = re.compile(r" \(\d")
"""Of an amount with a figure in brackets behind it that is the percentage."""

_OWN = 0.5
"""From this weight on a word is said of a place."""


@dataclass(frozen=True, slots=True)
class Place:
    """What governs a quoted figure: the `weights`, up to 1, of stems and parts of dates; `column` names its column.

    `moment`, a year and a month, tells which of two places is the earlier one, None where its column and row name no
    date. Where not `is_dated`, its dates stand in other cells of its row, and may be of anything.
    text[start:end] of the document is the figure. `unit` is one of what its table says that it is measured in.
    `follows` is where the figure stands from which a sentence says that it came.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    column: str = ""
    in_table: bool = False
    moment: tuple[int, int | None] | None = None
    start: int = 0
    end: int = 0
    is_dated: bool = True
    unit: Quantity | None = None
    follows: int = -1

    @property
    def words(self) -> frozenset[str]:
        """What is said of it rather than of other figures."""
        return frozenset(word for word, weight in self.weights.items() if weight >= _OWN)

    def agreement(self, said: Mapping[str, float]) -> float:
        """How much of what is said of a figure the place has, in words."""
        return sum(weight * self.weights[word] for word, weight in said.items() if word in self.weights)

    def is_of_other_time(self, said: Mapping[str, float], other: "Place") -> bool:
        """Whether what is said of a figure names this cell by a word, and by its time another cell."""
        own = {word for word, weight in said.items() if weight >= _OWN}
        times = set(filter(is_of_date, own))
        is_named = self.in_table and self.is_dated and bool(own & self.words)
        return is_named and bool(times & other.words - self.words) and not times & self.words


def find_places(
    quote: Quote, quantities: Sequence[Quantity], headers: TableHeaders, fiscal_end: int
) -> dict[int, Place]:
    """The place of each figure of a quote, by where it begins in the quote's text."""
    origins = {after.start: quote.start + before.start for before, after in ordered_pairs(quote.text, quantities)}
    found: dict[int, Place] = {}
    for (start, _end), group in groupby(quantities, key=lambda one: line_at(quote.text, one.start, one.end)):
        if headers.is_in_header(quote.start + start):
            continue
        if headers.is_row(quote.start + start):
            found |= _places_in_row(quote, start, list(group), headers, fiscal_end)
            continue
        for quantity in (one for one in group if one.is_measured or one.date.day):
            weights = weigh_words(quote.text, quantity.start)
            span = quote.start + quantity.start, quote.start + quantity.end
            place = Place(weights, "", False, None, *span, follows=origins.get(quantity.start, -1))
            found[quantity.start] = replace(place, moment=_moment(place.words))
    return found


def _places_in_row(
    quote: Quote, start: int, found: Sequence[Quantity], headers: TableHeaders, fiscal_end: int
) -> Iterator[tuple[int, Place]]:
    """The places of the figures of a row, by where each begins; of a date in a cell of its own it says so alone."""
    row = [one for one in found if one.is_measured]
    dates = [one for one in found if one.kind == "date"]
    loose = [one for one in dates if not headers.is_in_label(quote.start + one.start)]
    labelled = " ".join(one.text for one in dates if one not in loose)
    for one in loose:
        yield one.start, Place({}, "", True, None, quote.start + one.start, quote.start + one.end, False)
    for quantity in row:
        at = quote.start + quantity.start
        if headers.is_in_label(at) and any(not headers.is_in_label(quote.start + one.start) for one in row):
            continue
        name = headers.column_at(at)
        label = headers.label_at(at)
        unit = _unit_of(f"{name} {headers.signs_at(at)}", label, headers.at(at).unit)
        if unit and unit.kind == "percent" and _SHARE_BEHIND.match(quote.text, quantity.end):
            unit = None
        words = say_words(name, fiscal_end)
        words |= say_words(f"{label} , {labelled}")
        said = say_words(name)
        moment = _moment(said | frozenset(word for word in words if word.startswith("m:"))) or _moment(words)
        is_dated = any(map(is_of_date, words)) or not loose
        words |= say_words(" , ".join(one.text for one in loose))
        span = at, quote.start + quantity.end
        yield quantity.start, Place(dict.fromkeys(words, 1.0), name, True, moment, *span, is_dated, unit)


def _unit_of(column: str, label: str, of_title: Quantity | None) -> Quantity | None:
    """One of the unit in which a cell is measured: by its column, its row's label, or the title."""
    labels = (column, *(f"({part})" for part in label.split(" , ")[1:]), *label.split(" , "))
    return next(filter(None, map(read_unit, labels)), of_title)


def _moment(words: frozenset[str]) -> tuple[int, int | None] | None:
    years, months = (sorted(int(one[2:]) for one in words if one.startswith(part)) for part in ("y:", "m:"))
    return (years[-1], months[0] if len(months) == 1 else None) if years else None


def is_earlier(one: Place, other: Place) -> bool:
    """Whether a place is of an earlier time than another, as far as both say."""
    if other.follows == one.start:
        return True
    if one.moment is None or other.moment is None:
        return False
    (year, month), (another, later) = one.moment, other.moment
    return year < another or (year == another and month is not None and later is not None and month < later)
