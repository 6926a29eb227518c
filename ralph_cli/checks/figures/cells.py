"""What the structure of a document tells about a figure in a table: its row, column, scale and unit. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Cell, Label, Statement, Table
from ralph_cli.text.quantities.currencies import currencies_named
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.vocabulary import units_named
from ralph_cli.text.scales import Scales, read_scales, read_unit

# Rows above and below a cell that contain its neighbours.
_NEAR_ROWS = 8

_FIGURE = re.compile(r"[\d.,()\s\u2212-]+")
_LONGEST_UNIT = 12
_NUMBERED = re.compile(r"\A\W*\w+ \d+[.:]?\s+")


@dataclass(frozen=True, slots=True)
class CellFacts:
    """The labels and units of a cell: `row` and `column` name it, `scale` is the nearest statement of scale or unit.

    `scales` are the scales stated for it. `unit` is one of the unit that its row, its column or the table's title
    names. `units` and `currencies` are all that any of these name.
    """

    row: tuple[Label, ...] = ()
    column: tuple[Label, ...] = ()
    scale: Label | None = None
    scales: Scales = field(default_factory=Scales)
    unit: Quantity | None = None
    units: frozenset[str] = frozenset()
    currencies: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Return the row and column in words."""
        return " ".join(label.text for label in (*self.row, *self.column))


def find_cell(document: Document, offset: int) -> tuple[Table, Cell] | None:
    """Return the table and cell with the character at `offset`; None in header rows, row labels and running text."""
    table = document.table_at(offset)
    cell = table.cell_at(offset) if table else None
    if table is None or cell is None or cell.row < table.header_rows or table.columns[cell.column].is_label:
        return None
    return table, cell


def is_row(document: Document, offset: int) -> bool:
    """Whether a character is in a row of a table below its header."""
    table = document.table_at(offset)
    return table is not None and table.row_at(offset) >= table.header_rows


def read_cell(document: Document, table: Table, cell: Cell) -> CellFacts:
    """Return the labels, scales and units of a cell."""
    row, column = document.row_labels(table, cell.row), document.column_labels(table, cell.column, cell.last)
    stated = [(it, document.text[it.start : it.end]) for it in document.statements_of(table, cell.row, cell)]
    scaling = next(((it, found) for it, text in stated if (found := read_scales(text)).powers), None)
    scales = scaling[1] if scaling else Scales()
    nearest = scaling[0] if scaling else stated[0][0] if stated else None
    title = document.text[table.title : table.start] if table.title >= 0 else ""
    labels = [*(label.text for label in reversed(column)), *(label.text for label in reversed(row))]
    signs = [text for it, text in stated if it.row != it.column]
    words = "\n".join((*labels, *(text for _, text in stated)))
    return CellFacts(
        row,
        column,
        _name_statement(document, nearest) if nearest else None,
        scales,
        next(filter(None, map(read_unit, (*signs, *labels, *_units_of(document, table, cell, row)))), None),
        units_named(words),
        currencies_named(words) or currencies_named(title),
    )


def _name_statement(document: Document, statement: Statement) -> Label:
    """Return the words of a statement. If it is the first figure of a column, return only the sign for the column."""
    label = as_label(document, statement.start, statement.end)
    is_figure = find_cell(document, statement.start) is not None
    return replace(label, text=_FIGURE.sub("", label.text)) if is_figure else label


def _units_of(document: Document, table: Table, cell: Cell, row: tuple[Label, ...]) -> Iterator[str]:
    """Yield texts that may be a unit as a whole, in brackets: the row's group, its cell in a column of units, a
    title.
    """
    yield from (f"({label.text})" for label in row if len(row) > 1)
    # The last column of a table may hold units; it is then not one of the table's columns.
    last = max(it.end for it in table.cells_of(cell.row))
    spans = [(it.start, it.end) for it in table.cells_of(cell.row) if it != cell]
    spans.append((last, document.text.find("\n", last)))
    beside = (document.text[start:end].strip() for start, end in spans)
    yield from (f"({text})" for text in beside if len(text) <= _LONGEST_UNIT and not any(map(str.isdigit, text)))
    title = document.text[table.title : table.start] if table.title >= 0 else ""
    yield from (_NUMBERED.sub("", line.strip()) for line in reversed(title.split("\n")))


def as_label(document: Document, start: int, end: int) -> Label:
    """Return the words of text[start:end] as a label on one line."""
    return Label(" ".join(document.text[start:end].split()), start, end)


def lines_above(document: Document, start: int, end: int) -> tuple[Label, ...]:
    """Return the lines above table rows in text[start:end] that apply to them, each once."""
    found: dict[Label, None] = {}
    at = start
    for line in document.text[start:end].splitlines(keepends=True):
        found |= dict.fromkeys(as_label(document, it.start, it.end) for it in document.lines_above(at))
        at += len(line)
    return tuple(found)


def quote_header(document: Document, start: int, end: int) -> tuple[str, ...]:
    """Return the words of `lines_above`."""
    return tuple(line.text for line in lines_above(document, start, end))


def set_cells_apart(document: Document, quote: Quote) -> Quote:
    """Return a quote with tabs instead of separators between cells: "7,120,450" in a CSV file may be three figures."""
    text = list(quote.text)
    for cell in document.cells_in(quote.start, quote.end):
        for at in (cell.start - 1 - quote.start, cell.end - quote.start):
            if 0 <= at < len(text) and text[at] in ",;":
                text[at] = "\t"
    return replace(quote, text="".join(text))


def neighbours(table: Table, cell: Cell) -> Iterator[tuple[Cell, bool]]:
    """Yield the cells in the row of a cell, then nearby cells in its column, and whether each is in the row.

    Skip labels.
    """
    first, last = max(table.header_rows, cell.row - _NEAR_ROWS), cell.row + _NEAR_ROWS
    rows = sorted(range(first, last + 1), key=lambda row: abs(row - cell.row))
    for row in rows:
        for it in sorted(table.cells_of(row), key=lambda it: abs(it.column - cell.column)):
            is_beside = row == cell.row or (it.column <= cell.last and cell.column <= it.last)
            if it != cell and is_beside and not table.columns[it.column].is_label:
                yield it, row == cell.row
