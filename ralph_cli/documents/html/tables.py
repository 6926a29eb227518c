"""Tables of a page: which cell stands in which column, which rows name the columns, and where cells are empty.

Cells take their columns by the HTML standard's way of forming a table (4.9.12). Rows that name columns are those of
<thead> and of <th>; without such rows, those above the first figure. A cell that reaches down into further rows says
in each what it says in the first.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import field

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.structure import EMPTY_CELL, Table
from ralph_cli.documents.html.numbering import integer
from ralph_cli.documents.html.text_builder import CELL as CELL_APART
from ralph_cli.documents.html.text_builder import SEPARATORS, TextBuilder
from ralph_cli.documents.structure.grids import GridCell, GridRow, is_figure, make_tables

_MOST_COLUMNS = 1_000
_MOST_ROWS = 1 << 16
_MOST_HEADER_ROWS = 10
_LONGEST_HEADER = 200
_LONGEST_REPEATED, _MOST_REPEATED = 100, 30
"""Characters of a cell, and cells of a row, that are said again: more make a page larger than it is."""
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _FilledCell:
    """A cell with text: the columns that it takes, and between which places its text stands.

    What a cell of a row above says again begins `ahead` characters before the place of the cell behind it.
    """

    left: int
    right: int
    start: int
    end: int
    text: str
    ahead: int = 0

    @property
    def is_amount(self) -> bool:
        return is_figure(self.text)

    def to_cell(self, offsets: list[int]) -> GridCell:
        """The cell in offsets."""
        start = offsets[self.start] - self.ahead
        end = start + len(self.text) if self.ahead else offsets[self.end]
        return GridCell(self.text, start, end, self.left, self.right - 1)


@dataclass(slots=True)
class _Row:
    cells: list[_FilledCell] = field(default_factory=list)
    reaching: list[_FilledCell] = field(default_factory=list)
    """Cells of rows above that reach into this one, from the left."""
    names_columns: bool = True


@dataclass(slots=True)
class GridTable:
    """A table while it is read."""

    holds_table: bool = False
    _rows: list[_Row] = field(default_factory=list)
    _right: int = 0
    _most: int = 0
    _taken: dict[int, int] = field(default_factory=dict)
    """For a column that a cell of a row above takes, too: the last row in which it does, counted from 1."""
    _reaching: list[_FilledCell] = field(default_factory=list)

    def begin_row(self) -> None:
        """Begin a row."""
        self._right = 0
        if any(self._taken.get(cell.left, 0) <= len(self._rows) for cell in self._reaching):
            self._reaching = [cell for cell in self._reaching if self._taken.get(cell.left, 0) > len(self._rows)]
        self._rows.append(_Row(reaching=self._reaching if len(self._reaching) <= _MOST_REPEATED else []))

    def end_row_group(self) -> None:
        """End a group of rows: no cell reaches out of it."""
        self._taken, self._reaching = {}, []

    def begin_cell(self, attributes: Mapping[str, str | None]) -> int:
        """Find the columns of the next cell; returns the first."""
        if not self._rows:
            self.begin_row()
        left = self._right
        while self._taken.get(left, 0) >= len(self._rows):
            left += 1
        self._right = left + min(max(integer(attributes.get("colspan")) or 1, 1), _MOST_COLUMNS)
        self._most = max(self._most, self._right)
        height = integer(attributes.get("rowspan")) if "rowspan" in attributes else 1
        if (height == 0 or (height or 1) > 1) and self._right <= _MOST_COLUMNS:
            last = len(self._rows) + (height or _MOST_ROWS) - 1
            self._taken |= dict.fromkeys(range(left, self._right), last)
        return left

    def end_cell(self, left: int, is_header: bool, start: int, out: TextBuilder) -> None:
        """Keep a cell that begins at a column and a place, if anything was written."""
        row = self._rows[-1]
        if len(out.parts) > start - 1:
            text = "".join(out.parts[start:]).strip()
            cell = _FilledCell(left, self._right, start, len(out.parts), text)
            row.cells.append(cell)
            row.names_columns = row.names_columns and is_header
            if self._taken.get(left, 0) > len(self._rows):
                self._reaching = sorted((*self._reaching, cell), key=lambda reaching: reaching.left)

    def finish(self, out: TextBuilder) -> None:
        """Write a mark for each empty cell under a column that a header names, where its row goes on behind it.

        Where a cell of a row above takes the place, that cell's text is written instead, unless it is long.
        Nothing where no header names columns, as in a table that only places things on the page.
        """
        columns: list[_NamedColumn] = []
        count = 0
        for count_rows in () if self.holds_table else (_count_marked_rows, _count_rows_above_figures):
            if not columns:
                count = count_rows(self._rows)
                rows = self._rows[:count] if count <= _MOST_HEADER_ROWS else []
                columns = _name_columns([row.cells for row in rows], self._most)
        cells = [cell for row in self._rows[count:] for cell in row.cells]
        # A figure under no header says that headers and figures do not stand in the same columns of the grid.
        if columns and all(_find_column(columns, cell) is not None for cell in cells if cell.left and cell.is_amount):
            for number, row in enumerate(self._rows):
                row.cells = _complete_row(row, columns if number >= count else [], out)

    def to_tables(self, offsets: list[int]) -> list[Table]:
        """What it is in a finished text; nothing for what only places things on the page."""
        grid = []
        for row in () if self.holds_table else self._rows:
            if cells := [cell.to_cell(offsets) for cell in row.cells]:
                grid.append(GridRow(cells[0].start, cells[-1].end, cells, is_header=row.names_columns))
        if len(grid) < 2 or all(len(row.cells) < 2 for row in grid):
            return []
        return make_tables(grid, self._most)


@dataclass(frozen=True, slots=True)
class _NamedColumn:
    left: int
    right: int
    header: str


def _count_marked_rows(rows: list[_Row]) -> int:
    """How many rows at the top the page itself calls headers."""
    return next((index for index, row in enumerate(rows) if not row.names_columns), len(rows))


def _count_rows_above_figures(rows: list[_Row]) -> int:
    """How many rows stand above the first figure, without the name of its section."""
    count = next((index for index, row in enumerate(rows) if any(cell.is_amount for cell in row.cells)), 0)
    while count and all(cell.left == 0 for cell in rows[count - 1].cells):
        count -= 1
    return count


def _name_columns(rows: list[list[_FilledCell]], most: int) -> list[_NamedColumn]:
    """The columns that header rows name; a header above several others is a part of their names."""
    columns: list[_NamedColumn] = []
    for row in reversed(rows):
        if len(row) == 1 and row[0].right - row[0].left >= max(2, most):
            continue  # the table's title
        above: dict[int, list[str]] = {number: [] for number in range(len(columns))}
        for cell in row:
            below = [at for at in above if columns[at].left < cell.right and cell.left < columns[at].right]
            if not below:
                columns.append(_NamedColumn(cell.left, cell.right, _one_line(cell.text)))
            for at in below:
                above[at].append(cell.text)
        for at, names in above.items():
            left, right, header = columns[at].left, columns[at].right, columns[at].header
            columns[at] = _NamedColumn(left, right, _one_line(" ".join((*names, header))))
    return sorted(columns, key=lambda column: column.left)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_HEADER].rstrip()


def _find_column(columns: list[_NamedColumn], cell: _FilledCell) -> int | None:
    """The first column with a name that a cell stands under."""
    index = bisect_right(columns, cell.left, key=lambda column: column.right)
    return index if index < len(columns) and columns[index].left < cell.right else None


def _complete_row(row: _Row, columns: list[_NamedColumn], out: TextBuilder) -> list[_FilledCell]:
    """Write before each cell of a row what belongs between it and the one before; returns all cells with text.

    That is a mark for each column with a name in which there is nothing, and what cells of rows above say.
    """
    if len(row.cells) + len(row.reaching) < 2 and not any(_DIGIT.search(cell.text) for cell in row.cells):
        return row.cells
    apart = SEPARATORS[CELL_APART]
    completed: list[_FilledCell] = []
    reached = 0
    for cell in row.cells:
        written = ""
        places: list[tuple[_FilledCell, int]] = []
        for above in (*row.reaching, cell):
            if not reached <= above.left <= cell.left:
                continue
            written += (EMPTY_CELL + apart) * _count_between(columns, reached, above.left)
            if above is not cell:
                short = len(above.text) <= _LONGEST_REPEATED and "\n" not in above.text
                if short:
                    places.append((above, len(written)))
                    written += above.text + apart
                else:
                    written += (EMPTY_CELL + apart) * _count_between(columns, above.left, above.right)
            reached = above.right
        out.parts[cell.start - 1] += written
        completed += (
            _FilledCell(above.left, above.right, cell.start, cell.start, above.text, len(written) - at)
            for above, at in places
        )
        completed.append(cell)
    return completed


def _count_between(columns: list[_NamedColumn], left: int, right: int) -> int:
    """How many columns with names lie between two columns of the grid."""
    first = bisect_left(columns, left, key=lambda column: column.left)
    return max(bisect_right(columns, right, key=lambda column: column.right) - first, 0)
