"""Tables for tests: made of the cells of a text, and asked for what stands above a figure."""

from collections.abc import Sequence

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Table
from ralph_cli.documents.structure.grids import GridCell, GridRow, make_tables


def make_table(text: str, *rows: Sequence[str], begin: int = 0, header_rows: int = 1) -> Table:
    """The table of a text from `begin` on whose rows have these cells in their order, "" for an empty one."""
    grid, at = [], begin
    for row in rows:
        cells = []
        for column, words in enumerate(row):
            if words:
                start = text.index(words, at)
                at = start + len(words)
                cells.append(GridCell(words, start, at, column, column))
        grid.append(GridRow(cells[0].start, cells[-1].end, cells))
    (table,) = make_tables(grid, max(map(len, rows)), header_rows)
    return table


def names_at(document: Document, offset: int) -> str:
    """What stands above the cell at a place, "" where nothing names its column."""
    table = document.table_at(offset)
    cell = table.cell_at(offset) if table else None
    assert table and cell, f"no cell at {offset}"
    return " ".join(document.column_path(table, cell.column, cell.last))


def names_of(document: Document, words: str) -> str:
    """What stands above the cell in which these words are first found in a cell."""
    for table in document.tables:
        for cell in table.cells:
            if words in document.text[cell.start : cell.end]:
                return names_at(document, cell.start)
    raise AssertionError(f"{words!r} is in no cell")


def column_names(document: Document, number: int = 0) -> list[str]:
    """What names each column of a table."""
    table = document.tables[number]
    return [" ".join(document.column_path(table, column)) for column in range(len(table.columns))]


def cells_below(document: Document, number: int = 0) -> list[tuple[str, int]]:
    """The words and the column of each cell of a table but for those of its header."""
    table = document.tables[number]
    inside = (cell for cell in table.cells if cell.row >= table.header_rows)
    return [(document.text[cell.start : cell.end], cell.column) for cell in inside]
