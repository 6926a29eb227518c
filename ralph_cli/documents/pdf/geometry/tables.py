"""Tables of figures: which rows make one, which columns it has, and what the rows above call them."""

import math
from collections.abc import Iterator
from dataclasses import field
from enum import Enum, auto
from itertools import pairwise

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row

_YEAR = re.compile(r"(?:19|20)\d\d$")
CURRENCY = re.compile(r"(?:US|C|A|HK)?[$\u20ac\u00a3\u00a5]$")
TAIL = re.compile(r"[)%]+$")
_LONG_PROSE = 10
_FAR = 3.5
"""Rows further apart than this, in heights of type, belong to two tables."""

_LEAST_ROWS, _LEAST_SHARE = 3, 0.1
_MOST_HEADINGS = 8
_LABEL_INDENT = 30.0
_MOST_LABEL_ROWS = 3


class _Kind(Enum):
    """What a row may be to a table."""

    DATA = auto()
    HEADING = auto()
    TEXT = auto()
    PROSE = auto()


@dataclass(slots=True)
class FigureColumn:
    """Figures under each other between `left` and `right`; `header` is what stands above it, from top to bottom.

    Headers stand in the middle of signs and figures; the column's currency signs begin at `sign`.
    `is_named`: something stands above this column and no other.
    """

    left: float
    right: float
    header: Row = field(default_factory=list)
    is_named: bool = False
    sign: float = math.inf

    def holds(self, fragment: Fragment) -> bool:
        """Whether the fragment stands, at least in part, in the room of the column."""
        return fragment.left < self.right and fragment.right > self.left

    def is_under(self, fragment: Fragment) -> bool:
        """Whether the fragment, in a row above, stands over the column or its signs."""
        return fragment.left < self.right and fragment.right > min(self.left, self.sign)


@dataclass(slots=True)
class FigureTable:
    """The rows of a table, what stands above them, its columns from left to right, and for each cell its column.

    `first` is the index of the first row in its block; `label_edge` is where labels begin.
    """

    first: int
    rows: list[Row]
    above: list[Row]
    label_edge: float
    columns: list[FigureColumn]
    cells: list[tuple[Row, int]]


def find_tables(rows: list[Row]) -> list[FigureTable]:
    """The tables of a block: at least three rows of figures under each other, in two columns or more."""
    if sum(len(row) > 1 and any(fragment.is_figure for fragment in row) for row in rows) < _LEAST_ROWS:
        return []
    if any(fragment.is_right_to_left for row in rows for fragment in row):
        return []
    edge = min(row[0].left for row in rows) + _LABEL_INDENT
    kinds = [_kind(row, edge) for row in rows]
    tables = []
    for first, end in _numeric_runs(rows, kinds):
        columns = _figure_columns([rows[at] for at in range(first, end) if kinds[at] is _Kind.DATA])
        if len(columns) > 1:
            above = _rows_above(rows, kinds, first)
            cells = list(_cells(rows[first:end], columns))
            for parts, number in cells:
                if CURRENCY.match(parts[0].text):
                    columns[number].sign = min(columns[number].sign, parts[0].left)
            _read_headers(above, edge, columns)
            tables.append(FigureTable(first, rows[first:end], above, edge, columns, cells))
    return tables


def _kind(row: Row, label_edge: float) -> _Kind:
    figures = [fragment for fragment in row if fragment.is_figure]
    if figures and not all(_YEAR.match(fragment.text) for fragment in figures):
        return _Kind.DATA if len(row) > 1 else _Kind.TEXT
    if any(fragment.is_prose and len(fragment.words) >= _LONG_PROSE for fragment in row):
        return _Kind.PROSE
    is_heading = figures or sum(fragment.left > label_edge for fragment in row) >= 2
    return _Kind.HEADING if is_heading else _Kind.TEXT


def _numeric_runs(rows: list[Row], kinds: list[_Kind]) -> Iterator[tuple[int, int]]:
    """Rows [first, end) that begin and end with figures, and that neither prose, headings nor a wide gap parts.

    A long label that ends before the figures of the row above is no prose, if it has not the lines of a paragraph.
    """
    first = last = -1
    for number, kind in enumerate(kinds):
        is_far = number > 0 and not 0 <= _distance(rows[number - 1], rows[number]) <= _FAR
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
    return number - last <= _MOST_LABEL_ROWS and rows[number][-1].right <= min(figures)


def _distance(above: Row, below: Row) -> float:
    return (above[0].baseline - below[0].baseline) / max(above[0].height, below[0].height)


def _figure_columns(rows: list[Row]) -> list[FigureColumn]:
    """The x-ranges that figures share; none if they run into each other."""
    figures = sorted((fragment for row in rows for fragment in row if fragment.is_figure), key=lambda part: part.left)
    if len(rows) < _LEAST_ROWS:
        return []
    found: list[tuple[FigureColumn, int]] = []
    for figure in figures:
        for at, (column, count) in enumerate(found):
            shared = min(column.right, figure.right) - max(column.left, figure.left)
            if shared > 0.3 * min(figure.right - figure.left, column.right - column.left):
                column.left, column.right = min(column.left, figure.left), max(column.right, figure.right)
                found[at] = column, count + 1
                break
        else:
            found.append((FigureColumn(figure.left, figure.right), 1))
    columns = [column for column, count in found if count >= max(2, _LEAST_SHARE * len(rows))]
    columns.sort(key=lambda column: column.left)
    is_clear = all(left.right <= right.left for left, right in pairwise(columns))
    return columns if is_clear else []


def _rows_above(rows: list[Row], kinds: list[_Kind], first: int) -> list[Row]:
    """The rows that may name the columns of a table which begins at `first`, from top to bottom."""
    begin = first
    while begin > 0 and first - begin < _MOST_HEADINGS:
        if kinds[begin - 1] in (_Kind.DATA, _Kind.PROSE) or _distance(rows[begin - 1], rows[begin]) > _FAR:
            break
        begin -= 1
    return rows[begin:first]


def _read_headers(above: list[Row], label_edge: float, columns: list[FigureColumn]) -> None:
    """Give each column what stands above it, but for labels; what runs over several belongs to each of them."""
    for row in above:
        for fragment in row:
            under = [column for column in columns if column.is_under(fragment)] if fragment.left > label_edge else []
            for column in under:
                column.header.append(fragment)
                column.is_named |= len(under) == 1


def _cells(rows: list[Row], columns: list[FigureColumn]) -> Iterator[tuple[Row, int]]:
    """The filled cells, row by row: the figure with the currency sign before and the sign behind it."""
    for row in rows:
        for at, fragment in enumerate(row):
            column = next((n for n, column in enumerate(columns) if column.holds(fragment)), None)
            if not fragment.is_figure or column is None:
                continue
            before = row[at - 1 : at] if at and CURRENCY.match(row[at - 1].text) else []
            behind = row[at + 1 : at + 2] if at + 1 < len(row) and TAIL.match(row[at + 1].text) else []
            yield [*before, fragment, *behind], column


Placed = tuple[int, int, Row]
"""A cell: the first and last column that it stands in, 0 for labels and 1 for the first of figures; and its pieces."""


def find_cells(row: Row, table: FigureTable) -> list[Placed]:
    """The cells of a row of figures: its label, and what stands in the columns, signs with their figures."""
    found: list[Placed] = []
    for fragment in row:
        under = [n for n, column in enumerate(table.columns, 1) if column.holds(fragment)]
        is_sign = bool(CURRENCY.match(fragment.text) or TAIL.match(fragment.text))
        if not under and is_sign:
            found.append((-1, -1, [fragment]))
        elif not under and fragment.left < table.columns[0].left:
            found.append((0, 0, [fragment]))
        elif under:
            first = 0 if fragment.has_letters and fragment.left < table.columns[0].left - _LABEL_INDENT else under[0]
            found.append((first, first or 0, [fragment]) if not first else (under[0], under[-1], [fragment]))
    joined: list[Placed] = []
    for at, (first, last, parts) in enumerate(found):
        behind = found[at + 1][0] if at + 1 < len(found) else -1
        if (joined and joined[-1][0] == first == 0) or (
            joined and first < 0 and TAIL.match(parts[0].text) and joined[-1][0] > 0
        ):
            joined[-1][2].extend(parts)
        elif joined and joined[-1][0] < 0 and first > 0:
            joined[-1] = (first, last, [*joined[-1][2], *parts])
        elif first >= 0 or behind > 0:
            joined.append((first, last, parts))
    return [one for one in joined if one[0] >= 0]


def find_heads(row: Row, table: FigureTable) -> list[Placed]:
    """What a row above a table says of its columns: each piece that stands over some, and what names the labels.

    A piece that stands in the middle of the whole table is a title.
    """
    left, right = table.label_edge - _LABEL_INDENT, table.columns[-1].right
    found: list[Placed] = []
    for fragment in row:
        under = [n for n, column in enumerate(table.columns, 1) if column.is_under(fragment)]
        if not under or fragment.left <= table.label_edge:
            if fragment.right <= table.columns[0].left and fragment.left <= table.label_edge:
                found.append((0, 0, [fragment]))
            continue
        middle = (fragment.left + fragment.right) / 2
        over = (table.columns[under[0] - 1].left + table.columns[under[-1] - 1].right) / 2
        if fragment.left < table.columns[0].left and abs(middle - (left + right) / 2) < abs(middle - over):
            continue
        found.append((under[0], under[-1], [fragment]))
    return found
