"""Tables of figures: which rows make one, which columns it has, and what the rows above call them."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from enum import Enum, auto
from itertools import pairwise

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.structure import Column, Table
from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row
from ralph_cli.documents.structure.grids import GridCell, GridRow, is_time, make_tables

_SENTENCE_END = re.compile(r"(?:[.;]|[^\W\d_],)$")
_NOTE_MARK = re.compile(r"\(?\w{1,2}\)|\*+|[\u2020\u2021\u00a7]")
CURRENCY = re.compile(r"(?:US|C|A|HK)?[$\u20ac\u00a3\u00a5]$")
TAIL = re.compile(r"[)%]+$")
_LONG_PROSE, _NOTE_WORDS, _FEW_WORDS = 10, 6, 3
_FAR = 3.5
"""Rows further apart than this, in heights of type, belong to two tables."""

_LEAST_ROWS, _LEAST_SHARE = 3, 0.1
_MOST_HEADINGS = 8
_LABEL_INDENT = 30.0
_MOST_LABEL_ROWS = 3
_OFF_CENTRE, _BLANK_LINE = 0.08, 2.2
_NEAR_LINE, _LEAST_INDENT = 0.8, 0.5
"""Lines of one label are nearer than this share of the distance of rows; a label is set in by more than half this share
of the height of type."""


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


def find_tables(rows: list[Row], least_rows: int = _LEAST_ROWS) -> list[FigureTable]:
    """The tables of a block: so many rows of figures under each other, in two columns or behind labels; of fewer rows
    those whose columns are all named."""
    if not any(len(row) > 1 and any(fragment.is_figure for fragment in row) for row in rows):
        return []
    if any(fragment.is_right_to_left for row in rows for fragment in row):
        return []
    edge = min(row[0].left for row in rows) + _LABEL_INDENT
    kinds = [_kind(row, edge) for row in rows]
    tables = []
    for first, end in _numeric_runs(rows, kinds):
        data = [rows[at] for at in range(first, end) if kinds[at] is _Kind.DATA]
        columns = _figure_columns(data, min(least_rows, 2))
        above = _rows_above(rows, kinds, first)
        if columns and len(data) < least_rows:
            _read_headers(above, edge, columns)
            columns = columns if all(column.is_named for column in columns) else []
            for column in columns:
                column.header.clear()
        is_labelled = all(not row[0].is_figure for row in data) and len(data) >= min(least_rows, 2)
        if len(columns) > 1 or (columns and is_labelled):
            cells = list(_cells(rows[first:end], columns))
            for parts, number in cells:
                if CURRENCY.match(parts[0].text):
                    columns[number].sign = min(columns[number].sign, parts[0].left)
            _read_headers(above, edge, columns)
            tables.append(FigureTable(first, rows[first:end], above, edge, columns, cells))
    return tables


def _kind(row: Row, label_edge: float) -> _Kind:
    figures = [fragment for fragment in row if fragment.is_figure]
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
    is_left = rows[number][-1].right <= min(figures) and not rows[number][-1].text.endswith(".")
    return number - last <= _MOST_LABEL_ROWS and is_left


def _distance(above: Row, below: Row) -> float:
    return (above[0].baseline - below[0].baseline) / max(above[0].height, below[0].height)


def _figure_columns(rows: list[Row], least: int) -> list[FigureColumn]:
    """The x-ranges that so many figures share, at least; none if they run into each other."""
    figures = sorted((fragment for row in rows for fragment in row if fragment.is_figure), key=lambda part: part.left)
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
    columns = [column for column, count in found if count >= max(min(least, len(rows)), _LEAST_SHARE * len(rows))]
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


def to_tables(
    table: FigureTable, text: str, place: Callable[[Fragment], tuple[int, int]], edge: float | None = 0.0
) -> list[Table]:
    """A table of figures with its cells at the places of a text; the labels of its rows are the first column.

    The page begins at `edge` on the left; without one its columns have no room.
    """
    above = _behind_sentence(table.above)
    heads = _find_heads(table, above)
    naming = [at for at, row in enumerate(heads) if any(column for column, _, _ in row)]
    first = naming[0] if naming else len(heads)
    if not naming and heads and heads[-1] and any(len(row) == 1 and _is_text(row[0]) for row in table.rows):
        first -= 1  # the first of several groups
    rows = [*zip(above[first:], heads[first:], strict=True)]
    rows += ((row, _find_cells(row, table)) for row in table.rows)
    rows = [(row, cells) for row, cells in rows if cells]
    height = max(row[0].height for row, _ in rows)
    grid = []
    for (row, cells), goes_on in zip(rows, _find_wrapped(rows), strict=True):
        made = []
        for column, last, parts in cells:
            start, end = place(parts[0])[0], place(parts[-1])[1]
            made.append(GridCell(text[start:end], start, end, column, last))
        grid.append(GridRow(made[0].start, made[-1].end, made, row[0].left / height / _LEAST_INDENT, goes_on=goes_on))
    room = [(table.label_edge, table.columns[0].left), *((column.left, column.right) for column in table.columns)]
    begin = edge or 0.0
    columns = [Column(round(left - begin, 1), round(max(left, right) - begin, 1)) for left, right in room]
    head = sum(bool(heads[at]) for at in range(first, naming[-1] + 1)) if naming else 0
    found = make_tables(grid, columns if edge is not None else len(columns), head, 1)
    if found and first:
        found[0] = found[0]._replace(title=place(above[0][0])[0])
    return found


def _find_wrapped(rows: Sequence[tuple[Row, list[Placed]]]) -> Iterator[bool]:
    """Of each row whether its label is the rest of that of the one above: they are of one size, and as near to each
    other as any two rows, which is clearly nearer than rows with figures are."""
    are_full = [cells[0][0] == 0 < cells[-1][0] for _, cells in rows]
    apart = [_distance(above[0], below[0]) for above, below in pairwise(rows)]
    usual = sorted(gap for gap, pair in zip(apart, pairwise(are_full), strict=True) if all(pair))
    alike = [_may_wrap(above[0][0], below[0][0]) for above, below in pairwise(rows)]
    nearest = min((gap for gap, is_alike in zip(apart, alike, strict=True) if is_alike), default=0.0)
    near = min(_NEAR_LINE * usual[len(usual) // 2], nearest / _NEAR_LINE) if usual else 0.0
    yield False
    yield from (is_alike and gap < near for gap, is_alike in zip(apart, alike, strict=True))


def _may_wrap(above: Fragment, below: Fragment) -> bool:
    """Whether the size and left edge of a line allow that it goes on with the one above."""
    size = max(above.height, below.height)
    is_below = above.baseline - below.baseline > 0.5 * size and below.left > above.left - 0.2 * size
    return is_below and abs(above.height - below.height) < 0.05 * size


def _is_text(fragment: Fragment) -> bool:
    return not fragment.is_figure or is_time(fragment.text)


def _behind_sentence(rows: list[Row]) -> list[Row]:
    """Of the rows above a table those that may belong to it: behind the last one that ends or goes on a sentence."""
    last = -1
    for at, row in enumerate(rows):
        is_end = len(row) == 1 and bool(_SENTENCE_END.search(row[-1].text)) and len(row[-1].words) > _FEW_WORDS
        last = at if is_end or (row[0].text[:1].islower() and row[0].is_prose) else last
    return rows[last + 1 :]


def _find_cells(row: Row, table: FigureTable) -> list[Placed]:
    """The cells of a row of figures: its label, and what stands in the columns, signs with their figures."""
    found: list[Placed] = []
    waiting: Row = []
    for fragment in row:
        if CURRENCY.match(fragment.text):
            waiting.append(fragment)
            continue
        if TAIL.match(fragment.text) and found and found[-1][0]:
            found[-1][2].append(fragment)
            continue
        under = [number for number, column in enumerate(table.columns, 1) if column.holds(fragment)]
        is_label = not fragment.is_figure and fragment.left < table.columns[0].left - _LABEL_INDENT
        if is_label or (not under and fragment.right <= table.columns[0].left):
            if found and found[-1][0] == 0:
                found[-1][2].append(fragment)
            else:
                found.append((0, 0, [fragment]))
        elif under:
            found.append((under[0], under[-1], [*waiting, fragment]))
        waiting = []
    return found


def _find_heads(table: FigureTable, above: list[Row]) -> list[list[Placed]]:
    """Of each row above a table what it says of its columns: each piece that stands over some, and what names labels.

    A name may stand over a name below it rather than over figures. A single piece in the middle of the whole table is a
    title.
    """
    rooms = [(min(column.left, column.sign), column.right) for column in table.columns]
    left, right = table.label_edge - _LABEL_INDENT, table.columns[-1].right
    has_labels = any(not row[0].is_figure for row in table.rows)
    edge = table.label_edge if has_labels else -math.inf
    found: list[list[Placed]] = []
    for at, row in reversed(list(enumerate(above))):
        heads: list[Placed] = []
        is_named = any(column for heads in found for column, _, _ in heads)
        if is_named and _distance(row, above[at + 1]) > _BLANK_LINE:
            return [[]] * (at + 1) + found
        for fragment in row:
            under = [n for n, room in enumerate(rooms, 1) if fragment.left < room[1] and fragment.right > room[0]]
            if fragment.left <= edge or not under:
                if fragment.right <= table.columns[0].left and fragment.left <= edge:
                    heads.append((0, 0, [fragment]))
                continue
            middle = (fragment.left + fragment.right) / 2
            over = (rooms[under[0] - 1][0] + rooms[under[-1] - 1][1]) / 2
            is_wide = fragment.left < rooms[0][0] and abs(middle - (left + right) / 2) < abs(middle - over)
            if not (is_wide and len(row) == 1):
                heads.append((under[0], under[-1], [fragment]))
        heads = _widen(heads, rooms)
        if len(row) == len(heads) == 1 and heads[0][0] and len(rooms) > 1:
            # A name by itself in the middle of all columns stands over all of them.
            middle = (row[0].left + row[0].right) / 2
            if abs(middle - (rooms[0][0] + rooms[-1][1]) / 2) < _OFF_CENTRE * (rooms[-1][1] - rooms[0][0]):
                heads = [(1, len(rooms), heads[0][2])]
        for first, last, parts in heads:
            if first == last > 0:
                rooms[first - 1] = (min(rooms[first - 1][0], parts[0].left), max(rooms[first - 1][1], parts[-1].right))
        found.insert(0, heads)
    return found


def _widen(heads: list[Placed], rooms: list[tuple[float, float]]) -> list[Placed]:
    """The heads of a row, in which one also stands over columns beside it without a head if it is in their middle."""
    over = {column for first, last, _ in heads for column in range(first, last + 1)}
    widened: list[Placed] = []
    for first, last, parts in heads:
        middle = (parts[0].left + parts[-1].right) / 2
        best = (first, last)
        while first and last < len(rooms) and last + 1 not in over:
            last += 1
            apart = [abs(middle - (rooms[first - 1][0] + rooms[end - 1][1]) / 2) for end in (best[1], last)]
            best = (first, last) if apart[1] < apart[0] else best
        widened.append((*best, parts))
    return widened
