"""Tables of figures: which rows make one, which columns it has, and what the rows above call them."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import chain, pairwise

from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row, distance
from ralph_cli.documents.structure.grids import is_date, is_time

_NOTE_MARK = re.compile(r"\(?\w{1,2}\)|\*+|[\u2020\u2021\u00a7]")
# A label with what it says: "Sample: blood", several in a row above a table name no columns.
_LABELLED = re.compile(r"\S[:\uff1a](?:\s|\D|$)")

CURRENCY = re.compile(r"(?:US|C|A|HK)?[$\u20ac\u00a3\u00a5]$")
TAIL = re.compile(r"[)%]+$")
_LONG_PROSE, _NOTE_WORDS = 10, 6
# Rows further apart than this, in heights of type, belong to two tables.
_FAR = 3.5

_LEAST_ROWS, _LEAST_SHARE = 3, 0.1
LABEL_INDENT = 30.0
# Points between two ranges of figures of one column.
_TOUCHING = 1.0

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
    `is_named`: something stands above this column and no other. `has_words`: its cells are no figures. Rows are
    `filled` that have one.
    """

    left: float
    right: float
    is_named: bool = False
    has_words: bool = False
    sign: float = math.inf
    filled: set[int] = field(default_factory=set)

    def holds(self, fragment: Fragment) -> bool:
        """Whether the fragment stands, at least in part, in the room of the column."""
        return fragment.left < self.right and fragment.right > self.left

    def is_beside(self, other: "FigureColumn") -> bool:
        """Whether it shares room with another column, with its signs."""
        return other.left < self.right and min(self.left, self.sign) < other.right

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
    _set_marks(rows)
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


def _set_marks(rows: list[Row]) -> None:
    """Say of the raised marks of notes that they are no figures."""
    for left, right in chain.from_iterable(map(pairwise, rows)):
        if right.height < _SMALL * left.height and right.baseline > left.baseline and _NOTE_MARK.fullmatch(right.text):
            right.is_figure = False


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
    figures = [part.text for part in row if part.is_figure]
    if len(row) > 1 and _NOTE_MARK.fullmatch(row[0].text) and row[1].is_prose and len(row[1].words) > _NOTE_WORDS:
        return _Kind.PROSE
    if not all(map(is_time, figures)):
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
    columns: list[FigureColumn] = []
    for column in _gather_figures(rows):
        last = columns[-1] if columns else column
        # Amounts with a sign, or in brackets, may stand a little to one side of those without; never in one row.
        if column.left - last.right < _TOUCHING and not column.filled & last.filled:
            last.right = max(last.right, column.right)
            last.filled |= column.filled
        else:
            columns.append(column)
    fewest = max(min(least, len(rows)), _LEAST_SHARE * len(rows))
    wide = [column for column in columns if len(column.filled) >= fewest]
    if wide and all(map(is_text, (row[0] for row in rows))):
        begin = wide[0]
        wide = wide[not any(begin.holds(part) for row in rows for part in row[1:]) :]  # years name rows, too
    return wide if all(left.right <= right.left for left, right in pairwise(wide)) else []


def _gather_figures(rows: list[Row]) -> list[FigureColumn]:
    """The x-ranges of figures that stand above each other, from left to right."""
    columns: list[FigureColumn] = []
    for figure, at in sorted(
        ((it, at) for at, row in enumerate(rows) for it in row if it.is_figure), key=lambda it: it[0].left
    ):
        for column in columns:
            shared = min(column.right, figure.right) - max(column.left, figure.left)
            if shared > 0.3 * min(figure.right - figure.left, column.right - column.left):
                column.left, column.right = min(column.left, figure.left), max(column.right, figure.right)
                column.filled.add(at)
                break
        else:
            columns.append(FigureColumn(figure.left, figure.right, filled={at}))
    return sorted(columns, key=lambda column: column.left)


def _word_columns(rows: list[Row], above: list[Row], edge: float, columns: list[FigureColumn]) -> list[FigureColumn]:
    """The columns of words beside those of figures, if these have names: with a name, apart from all labels, and filled
    in half of the rows, or in three with times; half of them with a label."""
    if not all(column.is_named for column in columns):
        return []
    names = chain.from_iterable(row for row in above if len(row) > 1)
    free = [it for it in names if it.left > edge and not any(column.holds(it) for column in columns)]
    first = {id(row[0]) for row in rows}
    found = []
    for column, parts in _gather_words(rows, edge):
        are_times = len(parts) >= _LEAST_ROWS and all(is_date(it.text) for it in parts)
        are_labelled = 2 * sum(id(part) in first for part in parts) <= len(parts)
        is_apart = any(map(column.holds, free)) and not any(it.is_beside(column) for it in columns)
        if (are_times or 2 * len(parts) >= len(rows)) and are_labelled and is_apart:
            found.append(column)
    return found


def _gather_words(rows: list[Row], edge: float) -> list[tuple[FigureColumn, Row]]:
    """The words that stand above each other, behind all labels, and their x-range."""
    labels = max((row[0].right for row in rows if row[0].left <= edge), default=edge)
    beside = [part for row in rows for part in row if part.left > edge and not (part.is_figure or is_sign(part))]
    found: list[tuple[FigureColumn, Row]] = []
    for part in sorted(beside, key=lambda part: part.left):
        if found and found[-1][0].holds(part):
            found[-1][0].right = max(found[-1][0].right, part.right)
            found[-1][1].append(part)
        elif part.left >= labels:
            found.append((FigureColumn(part.left, part.right, has_words=True), [part]))
    return found


def is_sign(fragment: Fragment) -> bool:
    """Whether a piece is a sign of the figure beside it."""
    return bool(CURRENCY.match(fragment.text) or TAIL.match(fragment.text))


def _rows_above(rows: list[Row], kinds: list[_Kind], first: int) -> list[Row]:
    """The rows that may name the columns of a table which begins at `first`, from top to bottom."""
    begin = first
    while begin > 0 and kinds[begin - 1] not in (_Kind.DATA, _Kind.PROSE):
        is_labelled = sum(_LABELLED.search(part.text) is not None for part in rows[begin - 1]) > 1
        if is_labelled or distance(rows[begin - 1], rows[begin]) > _FAR:
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
