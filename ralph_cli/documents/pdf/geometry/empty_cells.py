"""Cells of a table in which nothing stands, where that is certain."""

from ralph_cli.documents.pdf.geometry.fragments import Fragment
from ralph_cli.documents.pdf.geometry.rows import Row
from ralph_cli.documents.pdf.geometry.tables import FigureColumn, FigureTable

_LEAST_FILLED = 0.2


def find_empty_cells(table: FigureTable) -> dict[int, list[float]]:
    """For each row of the table, where the columns begin in which it has nothing before its last figure.

    A false mark moves a figure under another header as silently as a missing one. So nothing may stand in or above the
    table that is neither a label nor under a header, and each column must be named by what stands above it alone.
    """
    if not _is_plain(table):
        return {}
    found: dict[int, list[float]] = {}
    for number, row in enumerate(table.rows):
        empty = _empty_columns(row, table.columns)
        if empty:
            found[number] = [column.left for column in empty]
    return found


def _is_plain(table: FigureTable) -> bool:
    """Whether all that the table holds and all that stands above it is known to be a label, a header or a cell."""
    columns = table.columns
    if not all(column.is_named for column in columns):
        return False
    data = [row for row in table.rows if any(fragment.is_figure for fragment in row)]
    for column in columns:
        filled = sum(any(part.is_figure and column.holds(part) for part in row) for row in data)
        if filled < max(2, _LEAST_FILLED * len(data)):
            return False
    for row in table.above:
        for fragment in row:
            if fragment.left > table.label_edge and not any(column.holds(fragment) for column in columns):
                return False
    return all(_is_plain_row(row, columns) for row in table.rows)


def _is_plain_row(row: Row, columns: list[FigureColumn]) -> bool:
    """Whether a row is a label before all columns, if it has one, and figures that stand each in one column."""
    label, *cells = row
    if label.is_figure:
        cells = row
    elif label.right > columns[0].left and label.has_letters:
        return False
    return not any(fragment.has_letters or not _is_in_one(fragment, columns) for fragment in cells)


def _is_in_one(fragment: Fragment, columns: list[FigureColumn]) -> bool:
    """Whether a figure stands in one column; signs stand beside their figures."""
    return not fragment.is_figure or sum(column.holds(fragment) for column in columns) == 1


def _empty_columns(row: Row, columns: list[FigureColumn]) -> list[FigureColumn]:
    """The columns before the row's last figure in which nothing stands."""
    figures = [fragment for fragment in row if fragment.is_figure]
    if not figures or not row[0].has_letters:
        return []
    before = [column for column in columns if column.right < figures[-1].left]
    return [column for column in before if not any(column.holds(fragment) for fragment in row)]
