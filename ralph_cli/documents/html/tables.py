"""Tables of a page: the row and column of each cell, by the algorithm of the HTML standard (4.9.12)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter

from ralph_cli.documents.html.numbering import integer
from ralph_cli.documents.html.text_builder import TextBuilder
from ralph_cli.documents.page_text import LINE
from ralph_cli.documents.tables import MOST_COLUMNS, TableCell, TableRow, write_table

_MOST_ROWS = 1 << 16
# The most cells that may extend down into one row: more would make the text larger than the page.
_MOST_REACHING = 30


@dataclass(slots=True)
class GridTable:
    """A table under construction. Rows in <thead> and rows of <th> name columns."""

    _rows: list[TableRow] = field(default_factory=list)
    """The rows before the current one."""
    _row: int = -1
    _cells: list[TableCell] = field(default_factory=list)
    _indent: float = 0.0
    _is_header: bool = True
    _right: int = 0
    _most: int = 0
    _taken: dict[int, int] = field(default_factory=dict)
    """For each column that a cell of an earlier row covers: the last row that the cell covers."""
    _reaching: list[TableCell] = field(default_factory=list)
    """Cells of earlier rows that extend into this row or further down."""

    def begin_row(self) -> None:
        """Begin a row."""
        self._end_row()
        self._row += 1
        self._reaching = [cell for cell in self._reaching if self._taken.get(cell.column, -1) >= self._row]
        self._cells = [*self._reaching] if len(self._reaching) <= _MOST_REACHING else []
        self._indent, self._is_header, self._right = 0.0, True, 0

    @property
    def begins_row(self) -> bool:
        """Whether the current row has no cell yet."""
        return all(cell.goes_on for cell in self._cells)

    def end_row_group(self) -> None:
        """End a group of rows; no cell extends beyond it."""
        self._taken, self._reaching = {}, []

    def begin_cell(self, attributes: Mapping[str, str | None]) -> tuple[int, int]:
        """Return the columns of the next cell: the first, and the one after the last."""
        if self._row < 0:
            self.begin_row()
        left = self._right
        while self._taken.get(left, -1) >= self._row:
            left += 1
        wide = integer(attributes["colspan"]) if "colspan" in attributes else 1
        self._right = left + min(max(wide or 1, 1), MOST_COLUMNS)
        self._most = max(self._most, self._right)
        height = integer(attributes.get("rowspan")) if "rowspan" in attributes else 1
        if (height == 0 or (height or 1) > 1) and self._right <= MOST_COLUMNS:
            self._taken |= dict.fromkeys(range(left, self._right), self._row + (height or _MOST_ROWS) - 1)
        return left, self._right

    def end_cell(self, columns: tuple[int, int], is_header: bool, text: TextBuilder) -> None:
        """Add a cell that covers these columns, unless it is empty."""
        before, behind, indent = text.before, text.pending, text.indent
        content = text.take()
        if not content:
            return
        if self.begins_row:
            self._indent = indent
        self._cells.append(TableCell(*columns, content, False, before, behind))
        self._is_header = self._is_header and is_header
        if self._taken.get(columns[0], -1) > self._row:
            self._reaching.append(TableCell(*columns, goes_on=True))

    def write(self, out: TextBuilder) -> None:
        """Write the table at the current position of `out`."""
        self._end_row()
        if table := write_table(self._rows, self._most, is_loose=True):
            cells = [cell for row in self._rows for cell in row.cells if cell.content]
            out.separate(cells[0].before)
            out.add_piece(table)
            out.separate(max(LINE, cells[-1].behind))

    def _end_row(self) -> None:
        if self._cells:
            cells = sorted(self._cells, key=itemgetter(0)) if self._cells[0].goes_on else self._cells
            self._rows.append(TableRow(cells, self._indent, self._is_header))
        self._cells = []
