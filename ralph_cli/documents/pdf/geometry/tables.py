"""Tables of figures: which rows make one, which columns it has, and what the rows above call them."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import chain, pairwise

from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row, distance
from ralph_cli.documents.structure.grids import is_date, is_time

_NOTE_MARK = re.compile(r"\(?\w{1,2}\)|\*+|[\u2020\u2021\u00a7]")
_LABELLED = re.compile(r"\S[:\uff1a](?:\s|\D|$)")
"""A label with what it says: "Sample: blood", several in a row above a table name no columns."""

CURRENCY = re.compile(r"(?:US|C|A|HK)?[$\u20ac\u00a3\u00a5]$")
TAIL = re.compile(r"[)%]+$")
_LONG_PROSE, _NOTE_WORDS = 10, 6
_FAR = 3.5
"""Rows further apart than this, in heights of type, belong to two tables."""

_LEAST_ROWS, _LEAST_SHARE = 3, 0.1
_MOST_HEADINGS = 20
LABEL_INDENT = 30.0
_TOUCHING = 1.0
"""Points between two ranges of figures of one column."""

_MOST_LABEL_ROWS = 3
_SMALL = 0.9


class _Kind(Enum):
    """What a row may be to a table."""

    DATA = auto()
    HEADING = auto()
    TEXT = auto()
    PROSE = auto()


@dataclass(slots=True)
class FigureColumn:
    """Figures under each other between `left` and `right`.

    Names stand in the middle of signs and figures; the column's currency signs begin at `sign`.
    `is_named`: something stands above this column and no other. `has_words`: its cells are no figures.
    """

    left: float
    right: float
    is_named: bool = False
    has_words: bool = False
    sign: float = math.inf

    def holds(self, fragment: Fragment) -> bool:
        """Whether the fragment stands, at least in part, in the room of the column."""
        return fragment.left < self.right and fragment.right > self.left

    def is_under(self, fragment: Fragment) -> bool:
        """Whether the fragment, in a row above, stands over the column or its signs."""
        return fragment.left < self.right and fragment.right > min(self.left, self.sign)


@dataclass(slots=True)
class FigureTable:
    """The rows of a table, what stands above them, and its columns from left to right.

    `first` is the index of the first row in its block; `label_edge` is where labels begin.
    """

    first: int
    rows: list[Row]
    above: list[Row]
    label_edge: float
    columns: list[FigureColumn]


def find_tables(rows: list[Row], least_rows: int = _LEAST_ROWS) -> list[FigureTable]:
    """The tables of a block: so many rows of figures under each other, in two columns or behind labels; of fewer rows
    those whose columns are all named; and labels with what they say."""
    if not any(len(row) > 1 for row in rows) or any(fragment.is_right_to_left for row in rows for fragment in row):
        return []
    for left, right in chain.from_iterable(map(pairwise, rows)):
        if right.height < _SMALL * left.height and right.baseline > left.baseline and _NOTE_MARK.fullmatch(right.text):
            right.is_figure = False  # the raised mark of a note
    edge = min(row[0].left for row in rows) + LABEL_INDENT
    kinds = [_kind(row, edge) for row in rows]
    tables = []
    for first, end in _numeric_runs(rows, kinds):
        data = [rows[at] for at in range(first, end) if kinds[at] is _Kind.DATA]
        above = _rows_above(rows, kinds, first)
        columns = _figure_columns(data, min(least_rows, 2))
        _name_columns(rows[first:end], above, edge, columns)
        if len(data) < least_rows and not all(column.is_named for column in columns):
            continue
        is_labelled = all(is_text(row[0]) for row in data) and len(data) >= min(least_rows, 2)
        if len(columns) > 1 or (columns and is_labelled):
            columns = sorted(columns + _word_columns(data, above, edge, columns), key=lambda column: column.left)
            tables.append(FigureTable(first, rows[first:end], above, edge, columns))
    return sorted([*tables, *_find_pairs(rows, tables)], key=lambda table: table.first)


def _find_pairs(rows: list[Row], tables: list[FigureTable]) -> Iterator[FigureTable]:
    """Labels that end in colons, with what they say from one left edge on; a label alone may stand above or among them.

    Only rows that are near each other, and outside of other tables, count.
    """
    taken = {at for table in tables for at in range(table.first - len(table.above), table.first + len(table.rows))}
    end = 0
    for first, row in enumerate(rows):
        if first < end or first in taken or not _is_pair(row):
            continue
        edge, end = row[1].left, first + 1
        while end < len(rows) and end not in taken and _goes_on(rows[end - 1], rows[end], edge):
            end += 1
        pairs = [it for it in rows[first:end] if _is_pair(it)]
        colons = sum(label.text.endswith((":", "\uff1a")) for label, _ in pairs)
        if colons >= max(_LEAST_ROWS, len(pairs) / 2):
            is_headed = first > 0 and first - 1 not in taken and _goes_on(rows[first - 1], row, edge)
            above = rows[first - 1] if is_headed else row
            begin = first - (len(above) == 1 and above[0].left < row[0].left)
            column = FigureColumn(edge, max(value.right for _, value in pairs), has_words=True)
            label_edge = min(it[0].left for it in rows[begin:end]) + LABEL_INDENT
            yield FigureTable(begin, rows[begin:end], [], label_edge, [column])


def _is_pair(row: Row) -> bool:
    return len(row) == 2 and row[0].has_letters


def _goes_on(above: Row, row: Row, edge: float) -> bool:
    """Whether a row near below another one is a label, alone or with what it says from the edge on."""
    is_near = 0 <= distance(above, row) <= _FAR
    return is_near and (abs(row[1].left - edge) < _TOUCHING if _is_pair(row) else row[-1].right < edge)


def _kind(row: Row, label_edge: float) -> _Kind:
    words = sum(part.left > label_edge and part.has_letters for part in row)
    figures = [part for part in row if part.is_figure and not (words > 1 and _NOTE_MARK.fullmatch(part.text))]
    if len(row) > 1 and _NOTE_MARK.fullmatch(row[0].text) and row[1].is_prose and len(row[1].words) > _NOTE_WORDS:
        return _Kind.PROSE
    if figures and not all(is_time(fragment.text) for fragment in figures):
        return _Kind.DATA if len(row) > 1 else _Kind.TEXT
    if any(fragment.is_prose and len(fragment.words) >= _LONG_PROSE for fragment in row):
        return _Kind.PROSE
    is_heading = (figures and row[-1].left > label_edge) or sum(part.left > label_edge for part in row) >= 2
    return _Kind.HEADING if is_heading and not row[0].text[:1].islower() else _Kind.TEXT


def _numeric_runs(rows: list[Row], kinds: list[_Kind]) -> Iterator[tuple[int, int]]:
    """Rows [first, end) that begin and end with figures, and that neither prose, headings nor a wide gap parts.

    A long label that ends before the figures of the row above is no prose, if it has not the lines of a paragraph.
    """
    first = last = -1
    for number, kind in enumerate(kinds):
        is_far = number > 0 and not 0 <= distance(rows[number - 1], rows[number]) <= _FAR
        if first >= 0 and (
            is_far or kind is _Kind.HEADING or (kind is _Kind.PROSE and not _is_label(rows, last, number))
        ):
            yield first, last + 1
            first = -1
        if kind is _Kind.DATA:
            first, last = (number if first < 0 else first), number
    if first >= 0:
        yield first, last + 1


def _is_label(rows: list[Row], last: int, number: int) -> bool:
    """Whether a row, near enough below the last one with figures, stands to the left of all of these."""
    figures = (fragment.left for fragment in rows[last] if fragment.is_figure)
    is_left = rows[number][-1].right <= min(figures) and not rows[number][-1].text.endswith(".")
    return number - last <= _MOST_LABEL_ROWS and is_left


def _figure_columns(rows: list[Row], least: int) -> list[FigureColumn]:
    """The x-ranges that so many figures share, at least; none if they run into each other."""
    figures = sorted(((it, at) for at, row in enumerate(rows) for it in row if it.is_figure), key=lambda it: it[0].left)
    columns: list[tuple[FigureColumn, set[int], int]] = []  # each with the rows in which it has figures, and how many
    for figure, at in figures:
        for number, (column, filled, count) in enumerate(columns):
            shared = min(column.right, figure.right) - max(column.left, figure.left)
            if shared > 0.3 * min(figure.right - figure.left, column.right - column.left):
                column.left, column.right = min(column.left, figure.left), max(column.right, figure.right)
                columns[number] = column, filled | {at}, count + 1
                break
        else:
            columns.append((FigureColumn(figure.left, figure.right), {at}, 1))
    columns.sort(key=lambda it: it[0].left)
    found: list[tuple[FigureColumn, set[int], int]] = []
    for column, filled, count in columns:
        # Amounts with a sign, or in brackets, may stand a little to one side of those without; never in one row.
        if found and column.left - found[-1][0].right < _TOUCHING and not filled & found[-1][1]:
            before, its_rows, its_count = found.pop()
            column = FigureColumn(before.left, max(before.right, column.right))
            filled, count = filled | its_rows, count + its_count
        found.append((column, filled, count))
    fewest = max(min(least, len(rows)), _LEAST_SHARE * len(rows))
    wide = [column for column, _, count in found if count >= fewest]
    if wide and all(map(is_text, (row[0] for row in rows))):
        begin = wide[0]
        wide = wide[not any(begin.holds(part) for row in rows for part in row[1:]) :]  # years name rows, too
    is_clear = all(left.right <= right.left for left, right in pairwise(wide))
    return wide if is_clear else []


def _word_columns(rows: list[Row], above: list[Row], edge: float, columns: list[FigureColumn]) -> list[FigureColumn]:
    """The columns of words beside those of figures, if these have names: with a name, apart from all labels, and filled
    in half of the rows, or in three with times; half of them with a label."""
    if not all(column.is_named for column in columns):
        return []
    labels = max((row[0].right for row in rows if row[0].left <= edge), default=edge)
    beside = [part for row in rows for part in row if part.left > edge and not (part.is_figure or is_sign(part))]
    found: list[tuple[FigureColumn, Row]] = []
    for part in sorted(beside, key=lambda part: part.left):
        if found and found[-1][0].holds(part):
            found[-1][0].right = max(found[-1][0].right, part.right)
            found[-1][1].append(part)
        elif part.left >= labels:
            found.append((FigureColumn(part.left, part.right, has_words=True), [part]))
    first, names = {id(row[0]) for row in rows}, [*chain.from_iterable(row for row in above if len(row) > 1)]
    return [
        column
        for column, parts in found
        if (2 * len(parts) >= len(rows) or (len(parts) >= _LEAST_ROWS and all(is_date(part.text) for part in parts)))
        and 2 * sum(id(part) in first for part in parts) <= len(parts)
        and not any(column.left < it.right and min(it.left, it.sign) < column.right for it in columns)
        and any(column.holds(part) and not any(it.holds(part) for it in columns) for part in names if part.left > edge)
    ]


def is_sign(fragment: Fragment) -> bool:
    """Whether a piece is a sign of the figure beside it."""
    return bool(CURRENCY.match(fragment.text) or TAIL.match(fragment.text))


def _rows_above(rows: list[Row], kinds: list[_Kind], first: int) -> list[Row]:
    """The rows that may name the columns of a table which begins at `first`, from top to bottom: also above a long
    label, right below the names."""
    begin = first
    while begin > 0 and first - begin < _MOST_HEADINGS:
        is_label = begin == first and kinds[max(begin - 2, 0)] is _Kind.HEADING and _is_label(rows, first, begin - 1)
        is_label = is_label and not rows[begin - 1][0].text[:1].islower()
        is_end = kinds[begin - 1] is _Kind.DATA or (kinds[begin - 1] is _Kind.PROSE and not is_label)
        is_end |= sum(_LABELLED.search(part.text) is not None for part in rows[begin - 1]) > 1
        if is_end or distance(rows[begin - 1], rows[begin]) > _FAR:
            break
        begin -= 1
    return rows[begin:first]


def _name_columns(rows: list[Row], above: list[Row], edge: float, columns: list[FigureColumn]) -> None:
    """Say of each column where its signs begin, and whether something stands above it and no other."""
    for sign, figure in chain.from_iterable(map(pairwise, rows)):
        column = next((column for column in columns if column.holds(figure)), None)
        if column and figure.is_figure and CURRENCY.match(sign.text):
            column.sign = min(column.sign, sign.left)
    for fragment in chain.from_iterable(above):
        under = [column for column in columns if column.is_under(fragment)] if fragment.left > edge else []
        if len(under) == 1:
            under[0].is_named = True


def is_text(fragment: Fragment) -> bool:
    """Whether a piece holds words or a time."""
    return not fragment.is_figure or is_time(fragment.text)
