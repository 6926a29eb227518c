"""Where a figure stands: the words and dates that govern it in a quote, against those that a claim says of it. Pure.

In a table they are those of its row and of its column, in prose those of the clause around it. Of the places of one
claim's quotes only what tells them apart counts: a word that all rows share says nothing of any.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Literal

from ralph_cli.checks.figures.header import TableHeaders
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.run import Quote
from ralph_cli.text.quantities.clauses import PARTS_OF_DATES, is_of_date, say_words, words_of_figures
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.sentences import line_at
from ralph_cli.text.tables import NIL_CELL, count_cells, is_row

_MOST_HEADING_WORDS, _MOST_TITLE_WORDS = 8, 4
_GENERIC = say_words("percent change total amount number growth rate value other net average percentage")


@dataclass(frozen=True, slots=True)
class Place:
    """What governs a quoted figure: `words` are stems and parts of dates; `column` names its column, "" for none.

    `moment`, a year and a month, tells which of two places is the earlier one, None where its column and row name no
    date. Where not `is_dated`, its dates stand in other cells of its row, and may be of anything.
    text[start:end] of the document is the figure.
    """

    words: frozenset[str]
    column: str = ""
    in_table: bool = False
    moment: tuple[int, int | None] | None = None
    start: int = 0
    end: int = 0
    is_dated: bool = True


def find_places(
    quote: Quote, quantities: Sequence[Quantity], headers: TableHeaders, fiscal_end: int
) -> dict[int, Place]:
    """The place of each figure of a quote, by where it begins in the quote's text."""
    said = words_of_figures(quote.text)
    found: dict[int, Place] = {}
    for (start, end), group in groupby(quantities, key=lambda one: line_at(quote.text, one.start, one.end)):
        if is_row(quote.text[start:end]):
            found |= _places_in_row(quote, start, end, list(group), headers, fiscal_end)
            continue
        for quantity in (one for one in group if one.is_measured or one.start in said):
            words = said.get(quantity.start, frozenset()) | say_words(_title_above(quote.text, start))
            span = quote.start + quantity.start, quote.start + quantity.end
            found[quantity.start] = Place(words, "", False, _moment(words), *span)
    return found


def _places_in_row(
    quote: Quote, start: int, end: int, found: Sequence[Quantity], headers: TableHeaders, fiscal_end: int
) -> Iterator[tuple[int, Place]]:
    """The places of the figures of a row, by where each begins; of a date in a cell of its own it says so alone."""
    row = [one for one in found if one.is_measured]
    dates = [one for one in found if one.kind == "date"]
    loose = [one for one in dates if not _is_in_label(quote, one, start, headers)]
    labelled = " ".join(one.text for one in dates if one not in loose)
    for one in loose:
        yield one.start, Place(frozenset(), "", True, None, quote.start + one.start, quote.start + one.end, False)
    for quantity in row:
        label = _label_of(quote.text, start, [one for one in (*row, *loose) if one.start <= quantity.start])
        name = headers.column_at(quote.start + quantity.start)[1]
        if not _of_part(say_words(name), "y:") and not NIL_CELL.search(quote.text[start:end]):
            name = f"{name} {_name_by_count(headers.at(quote.start + start).names, quantity, row)}".strip()
        words = say_words(name, fiscal_end)
        words |= say_words(f"{label} , {labelled} , {_heading_above(quote.text, start)}")
        moment = _moment(say_words(name)) or _moment(words)
        is_dated = any(map(is_of_date, words)) or not loose
        words |= say_words(" , ".join(one.text for one in loose))
        span = quote.start + quantity.start, quote.start + quantity.end
        yield quantity.start, Place(words, name, True, moment, *span, is_dated)


def _is_in_label(quote: Quote, figure: Quantity, start: int, headers: TableHeaders) -> bool:
    """Whether a figure stands in the first cell of its row, which begins at `start` of its quote."""
    column, _ = headers.column_at(quote.start + figure.start)
    return column == 0 if column is not None else count_cells(f"{quote.text[start : figure.start]}0") == 1


def _title_above(text: str, start: int) -> str:
    """The nearest line of few words above running text that begins with a capital and ends no sentence."""
    titles = (line for line in reversed(text[:start].split("\n")[:-1]) if len(line.split()) <= _MOST_TITLE_WORDS)
    return next((line for line in titles if line[:1].isupper() and line[-1:].isalnum()), "")


def _heading_above(text: str, start: int) -> str:
    """The heading of the group of rows that a row belongs to: the nearest line above it that is none."""
    heading = next((line for line in reversed(text[:start].split("\n")[:-1]) if not is_row(line)), "")
    return heading if len(heading.split()) <= _MOST_HEADING_WORDS and count_cells(heading) == 1 else ""


def _label_of(text: str, start: int, row: Sequence[Quantity]) -> str:
    """The words of a line that stand before a figure, the nearest that there are; `row` are the figures up to it."""
    row = sorted(row, key=lambda one: one.start)
    begins = [start, *(one.end for one in row[:-1])]
    labels = (text[begin : one.start] for begin, one in zip(begins, row, strict=True))
    return next((label for label in reversed([*labels]) if say_words(label)), "")


def _name_by_count(names: Sequence[Sequence[str]], figure: Quantity, row: Sequence[Quantity]) -> str:
    """The name of a row's figure by its number, if a header line has as many names as the row has figures.

    So it is if it has half of them, and amounts and percentages take turns.
    """
    number, count = row.index(figure), len(row)
    pairs = count > 2 and all((one.kind == "percent") == bool(at % 2) for at, one in enumerate(row))
    for cells in reversed(names):
        if count > 1 and len(cells) in (count, count + 1):
            return cells[number - count]
        if pairs and len(cells) in (count // 2, count // 2 + 1):
            return cells[number // 2 - count // 2]
    return ""


def _moment(words: frozenset[str]) -> tuple[int, int | None] | None:
    years, months = (sorted(int(one[2:]) for one in words if one.startswith(part)) for part in ("y:", "m:"))
    return (years[-1], months[0] if len(months) == 1 else None) if years else None


def place_of_result(places: Sequence[Place]) -> Place | None:
    """Where that stands which is computed of figures: at all of their dates, nowhere if one of them has none."""
    dates = [frozenset(filter(is_of_date, place.words)) for place in places]
    return Place(frozenset().union(*dates)) if dates and all(dates) else None


def is_earlier(one: Place, other: Place) -> bool:
    """Whether a place is of an earlier time than another, as far as both say."""
    if one.moment is None or other.moment is None:
        return False
    (year, month), (another, later) = one.moment, other.moment
    return year < another or (year == another and month is not None and later is not None and month < later)


def misplaced(
    said: frozenset[str], known: frozenset[str], place: Place, others: Iterable[Place]
) -> Literal["", "date", "column", "subject"]:
    """Whether words that are said of a figure name another place of the quotes, and its own with no word.

    That place is named if the words are said that it has and the figure's own has not, in prose half of them. `said`
    are those beside it, `known` all of the claim and its question.
    """
    others = list(others)
    for part in PARTS_OF_DATES:
        named, own = _of_part(said, part), _of_part(place.words, part)
        if named and own and not named & own and any(named & other.words for other in others):
            # Of the claim's words its date may be said, too, of something else.
            return "column" if own & known or not place.is_dated else "date"
    for other in others:
        theirs, own = _words(other.words - place.words), place.words - other.words
        known_by = len(theirs) if place.in_table else len(theirs) / 2
        if _words(own) and theirs & said and len(theirs & said) >= known_by and not own & known:
            return "column" if place.in_table else "subject"
    return ""


def _words(words: frozenset[str]) -> frozenset[str]:
    """The words that are no dates, and none that any row may have."""
    return frozenset(word for word in words if not is_of_date(word)) - _GENERIC


def _of_part(words: frozenset[str], part: str) -> frozenset[str]:
    return frozenset(word for word in words if word.startswith(part))


def are_exchanged(
    said: tuple[frozenset[str], frozenset[str]], places: tuple[Sequence[Place], Sequence[Place]]
) -> Literal["", "open", "sure"]:
    """Whether what is said of two figures fits the places of the other one better; "sure" if that is so of both.

    Words that tell both figures count before the number of words: of "X paid 5 and Y 7" the verb is said of one alone.
    """
    first, second = said[0] - said[1], said[1] - said[0]
    own, other = places
    straight, crossed = (_fit(first, own), _fit(second, other)), (_fit(first, other), _fit(second, own))
    if crossed[0] > straight[0] and crossed[1] > straight[1]:
        return "sure"
    return "open" if (min(crossed), sum(crossed)) > (min(straight), sum(straight)) else ""


def _fit(said: frozenset[str], places: Sequence[Place]) -> int:
    """How many of the words said of a figure one of its places has."""
    return max(len(said & place.words) for place in places)
