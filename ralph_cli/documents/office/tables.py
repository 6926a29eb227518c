"""Tables of texts and slides: a line for each row, and under which column each cell stands."""

from collections.abc import Sequence
from typing import Any

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.structure import EMPTY_CELL, Table
from ralph_cli.documents.structure.grids import GridCell, GridRow, make_tables

MOST_COLUMNS = 1_000
"""What is further right counts as the last of these."""

_LONGEST_REPEATED = 100


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell that covers the columns [column, end); `continues` says that it goes on with the cell above it.

    `marked` are characters of its text of which something is to be said: where they begin and end, and what it is.
    """

    column: int
    end: int
    text: str = ""
    continues: bool = False
    marked: tuple[tuple[int, int, Any], ...] = ()


_EMPTY = TableCell(0, 1)


def write_table(
    rows: Sequence[Sequence[TableCell]],
    header_rows: int | None = None,
    marked: list[tuple[int, int, Any]] | None = None,
    indents: Sequence[float] = (),
) -> tuple[str, list[Table]] | None:
    """The text of a table, cells two spaces apart, and the table in it; None if nothing is in it.

    The first `header_rows` name its columns; unknown, the first full row does. In a table whose columns have names an
    empty cell under one is marked, if a filled one follows it, and a cell that goes on with the one above says what
    that says. `marked` is given where in the text the characters are that are marked in its cells; `indents` are how
    far the labels of rows are set in.
    """
    rows = _fill_down(rows)
    header = range(header_rows) if header_rows is not None else _find_header(rows)
    named = {at for number in header if number < len(rows) for it in rows[number] if it.text for at in _covered(it)}
    parts: list[str] = []
    length = 0
    grid: list[GridRow] = []
    heads = 0
    for number, row in enumerate(rows):
        filled = [at for at, cell in enumerate(row) if cell.text and not cell.continues]
        separator = "\n" if parts else ""
        begin, cells = length + len(separator), list[GridCell]()
        for cell in row[: filled[-1] + 1] if filled else ():
            is_named = number not in header and not named.isdisjoint(_covered(cell))
            text = (cell.text if named or not cell.continues else "") or (EMPTY_CELL if is_named else "")
            if text:
                parts += (separator, text)
                length += len(separator) + len(text)
                separator = "  "
            if text and cell.text:
                at = length - len(text)
                cells.append(GridCell(text, at, length, cell.column, cell.end - 1))
                if marked is not None and not cell.continues:
                    marked += ((at + start, at + end, what) for start, end, what in cell.marked)
        if cells:
            heads += number in header
            grid.append(GridRow(begin, length, cells, indents[number] if indents else 0.0))
    if not parts:
        return None
    count = max(cell.end for row in rows for cell in row)
    return "".join(parts), make_tables(grid, count, heads or None)


def _covered(cell: TableCell) -> range:
    return range(cell.column, cell.end)


def _fill_down(rows: Sequence[Sequence[TableCell]]) -> list[list[TableCell]]:
    """The rows without gaps between cells; one that goes on with a short cell above has its text."""
    found: list[list[TableCell]] = []
    above: dict[int, TableCell] = {}
    for row in rows:
        cells: list[TableCell] = []
        for cell in row:
            last = cells[-1].end if cells else 0
            cells += [TableCell(at, at + 1) for at in range(last, min(cell.column, MOST_COLUMNS - 1))]
            said = above.get(cell.column, _EMPTY) if cell.continues else cell
            column = min(cell.column, MOST_COLUMNS - 1)
            end = max(min(cell.end, MOST_COLUMNS), column + 1)
            cells.append(TableCell(column, end, said.text, cell.continues, said.marked))
        above = {cell.column: cell for cell in cells if len(cell.text) <= _LONGEST_REPEATED}
        found.append(cells)
    return found


def _find_header(rows: Sequence[Sequence[TableCell]]) -> range:
    """The first row of more than one cell, if it is full; of its cells the first may be empty, as in a corner."""
    count = max((row[-1].end for row in rows if row), default=0)
    for at, row in enumerate(rows):
        if sum(bool(cell.text) for cell in row) > 1:
            is_full = row[-1].end == count and all(cell.text for cell in row[1:])
            return range(at, at + 1) if is_full else range(0)
    return range(0)
