"""Writes tables as text: a line for each row, cells two spaces apart, and the row and column of each cell.

Every reader that knows rows and cells uses this module, so that tables look alike in all formats.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from ralph_cli.core.structure import EMPTY_CELL
from ralph_cli.documents.page_text import CELL, LINE, SEPARATORS, PageText
from ralph_cli.documents.structure.grids import GridCell, GridRow, find_header, make_tables

# The most columns; cells further right count as part of the last one.
MOST_COLUMNS = 1_000

_MOST_HEADER_ROWS = 10
_LONGEST_REPEATED = 100
_POINTS_OF_BLANK, _BLANKS_OF_TAB = 3.0, 12


class TableCell(NamedTuple):
    """A cell with its finished text, which covers the columns [column, end). `goes_on`: it continues the cell above.

    `before` and `behind` are the separators that its text needs before and after it, if it has several lines.
    """

    column: int
    end: int
    content: str | PageText = ""
    goes_on: bool = False
    before: int = 0
    behind: int = 0


class TableRow(NamedTuple):
    """The cells of a row from left to right; `indent`, in points, and `is_header` have the meaning of `GridRow`."""

    cells: Sequence[TableCell]
    indent: float = 0.0
    is_header: bool = False


class _Placed(NamedTuple):
    """A cell and its text in the columns that are kept; a cell that `goes_on` has the text of the cell above."""

    source: TableCell
    shown: GridCell
    """The cell with offsets in its own text."""

    @property
    def is_own(self) -> bool:
        return not self.source.goes_on

    def at(self, place: int) -> GridCell:
        """Return the cell with its offsets moved to the offset `place`."""
        text, start, end, column, last = self.shown
        return GridCell(text, place + start, place + end, column, last)


def measure_blanks(text: str) -> float:
    """Return the indent of a text by the blanks at its start, in points, for a font of 12 points."""
    blanks = text[: len(text) - len(text.lstrip())]
    return _POINTS_OF_BLANK * len(blanks.expandtabs(_BLANKS_OF_TAB))


# A cell with the texts to write before it: empty marks, and texts repeated from above.
_Completed = tuple[list[tuple[str, _Placed | None]], _Placed]

# The first and last column under each name of a header, from left to right.
_Names = Sequence[tuple[int, int]]

_EMPTY = (EMPTY_CELL, None)
_DIGIT = re.compile(r"\d")


def write_table(rows: Sequence[TableRow], columns: int = 0, *, is_loose: bool = False) -> PageText:
    """Return the text of a table with its contents and the `Table` itself; an empty page if all cells are empty.

    The table has at least `columns` columns, and more if its cells need them. Under named columns, an empty cell
    before a filled one is marked. A cell that continues a short one above repeats its text.

    `is_loose` is for formats that also use tables for layout: a table without header and figures is written as text
    only. Such formats also split a column into several, for example one for a sign, so a name has one cell whatever
    its width.
    """
    placed = [(row, cells) for row, cells in zip(rows, _place(rows), strict=True) if cells]
    count = max([min(columns, MOST_COLUMNS), *(it.shown.last + 1 for _, cells in placed for it in cells)])
    kept = [(row, cells) for row, cells in placed if any(it.is_own and it.shown.text for it in cells)]
    if not kept:
        return PageText()
    grid = [
        GridRow(0, 0, [it.shown for it in cells if it.shown.text], row.indent, row.is_header) for row, cells in kept
    ]
    head = find_header(grid, count)[0] if len(grid) > 1 else 0
    names = _name_columns([cells for _, cells in kept[:head]], grid, head, count, is_loose)
    page, written, behind = PageText(), list[GridRow](), 0
    for number, (row, cells) in enumerate(kept):
        completed = [*_complete(cells, names, number >= head, is_loose)]
        written.append(_write_row(page, row, completed, behind, is_below=number >= head))
        behind = completed[-1][1].source.behind
    if not page.tables and (not is_loose or _has_columns(written)):
        page.tables += make_tables(written, count, head)
    return page


def _has_columns(rows: Sequence[GridRow]) -> bool:
    """Whether there are several rows, and one of them has several cells."""
    return len(rows) > 1 and any(len(row.cells) > 1 for row in rows)


def _write_row(page: PageText, row: TableRow, cells: Sequence[_Completed], behind: int, *, is_below: bool) -> GridRow:
    """Write a row on a line of its own, after the separator `behind` that the cell before it needs.

    If the row `is_below` the header, repeated texts count as cells.
    """
    begin, filled, apart = -1, list[GridCell](), LINE
    for ahead, it in cells:
        if page.length:
            page.write(SEPARATORS[max(apart, behind, it.source.before)])
        begin = page.length if begin < 0 else begin
        for text, again in ahead:
            at = page.write(text)
            filled += [again.at(at)] if again and is_below else []
            page.write(SEPARATORS[CELL])
        filled.append(it.at(page.write(it.source.content)))
        apart, behind = CELL, it.source.behind
    return GridRow(begin, filled[-1].end, filled, row.indent, row.is_header)


def _place(rows: Sequence[TableRow]) -> Iterator[list[_Placed]]:
    """Yield the cells of each row, with continued texts filled in."""
    above: dict[int, _Placed] = {}
    for row in rows:
        placed: list[_Placed] = []
        for cell in row.cells:
            column = min(cell.column, MOST_COLUMNS - 1)
            last = max(min(cell.end, MOST_COLUMNS) - 1, column)
            raw = cell.content if isinstance(cell.content, str) else cell.content.text()
            if cell.goes_on:
                raw = above[column].shown.text if column in above else ""
            text = raw.strip()
            lead = len(raw) - len(raw.lstrip()) if len(text) < len(raw) else 0
            placed.append(_Placed(cell, GridCell(text, lead, lead + len(text), column, last)))
        above = {it.shown.column: it for it in placed}
        yield placed


def _name_columns(
    header: Sequence[Sequence[_Placed]], grid: Sequence[GridRow], head: int, count: int, is_loose: bool
) -> _Names:
    """Return the columns that header rows name; a header above several others is part of their names.

    Return nothing if headers and figures are not in the same columns of the grid.
    """
    is_marked = any(row.is_header for row in grid[:head])
    has_figures = any(cell.is_figure for row in grid for cell in row.cells)
    if head > _MOST_HEADER_ROWS or (is_loose and not is_marked and not has_figures):
        return []
    names = _lowest_names(header, count)
    if not all(_is_under(names, cell) for row in grid[head:] for cell in row.cells if cell.column and cell.is_figure):
        return []
    return names if is_loose else sorted({(at, at) for first, last in names for at in range(first, last + 1)})


def _lowest_names(header: Sequence[Sequence[_Placed]], count: int) -> list[tuple[int, int]]:
    """Return the columns of names without another name below, from left to right; a title over all is not a name."""
    names: list[tuple[int, int]] = []
    for cells in reversed(header):
        filled = [(it.shown.column, it.shown.last) for it in cells if it.is_own and it.shown.text]
        if len(filled) == 1 and filled[0][1] - filled[0][0] + 1 >= max(2, count):
            continue
        names += [it for it in filled if not any(a <= it[1] and it[0] <= b for a, b in [*names])]
    return sorted(names)


def _is_under(names: _Names, cell: GridCell) -> bool:
    """Whether a cell is under a name."""
    at = bisect_left(names, cell.column, key=itemgetter(1))
    return at < len(names) and names[at][0] <= cell.last


def _complete(cells: Sequence[_Placed], names: _Names, is_below: bool, is_loose: bool) -> Iterator[_Completed]:
    """Yield each filled cell of a row with the texts to write before it: empty marks, and texts repeated from above.

    If the row `is_below` the header, each name without a cell under it gets a mark. A row whose only cell has no
    figure is a title: at the left, over several columns, or anywhere if the format `is_loose`.
    """
    filled = [it for it in cells if it.shown.text]
    first = filled[0].shown
    is_left = is_loose or not first.column or first.last > first.column
    is_title = len(filled) == 1 and is_left and not _DIGIT.search(first.text)
    marks = names if is_below else []
    ahead: list[tuple[str, _Placed | None]] = []
    reached = 0
    for it in filled:
        text, column, last = it.shown.text, it.shown.column, it.shown.last
        if (names or not is_loose) and not is_title and column >= reached:
            ahead += [_EMPTY] * _count_between(marks, reached, column - 1)
            if not it.is_own:
                is_short = len(text) <= _LONGEST_REPEATED and "\n" not in text
                ahead += [(text, it)] if is_short else [_EMPTY] * _count_between(marks, column, last)
            reached = last + 1
        if it.is_own:
            yield ahead, it
            ahead = []


def _count_between(names: _Names, first: int, last: int) -> int:
    """Count the names that cover only columns from `first` to `last`."""
    if not names or first > last:
        return 0
    return max(bisect_right(names, last, key=itemgetter(1)) - bisect_left(names, first, key=itemgetter(0)), 0)
