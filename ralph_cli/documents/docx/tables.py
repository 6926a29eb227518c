"""A table: its grid, its rows as lines, and under which column each cell stands."""

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from itertools import takewhile
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.document import Addition, Cell, Column, Table
from ralph_cli.documents.docx.formatting.look import MARKED_HIDDEN
from ralph_cli.documents.docx.formatting.styles import Ground, Styles, shaded
from ralph_cli.documents.docx.formatting.table_parts import TablePlace, read_look
from ralph_cli.documents.docx.paragraphs import DELETED, Mark, Paragraph
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.xml_tree import attribute, child, is_on, number, preferred_choice
from ralph_cli.documents.parsed import clean_heading
from ralph_cli.text.tables import EMPTY_CELL

_MOST_COLUMNS = 256
"""Word itself makes at most 63; what is further right counts as the last of these."""
_LONGEST_REPEATED = 100
_NOT_ROWS = frozenset({"w:sdtPr", "w:tblPr", "w:trPr", "w:tblGrid", "w:tblPrEx", "mc:Fallback"})


@dataclass(slots=True)
class GridCell:
    """A cell: the columns [column, end) that it covers, and what is in it; `above` is the cell that it goes on with."""

    column: int
    end: int
    blocks: "list[Paragraph | Grid]" = field(default_factory=list)
    above: "GridCell | None" = None
    _text: str | None = None

    def text(self) -> str:
        """The text of its paragraphs on one line; of a part of a cell above what that says, if it is short."""
        if self.above is not None:
            text = self.above.text()
            return text if len(text) <= _LONGEST_REPEATED else ""
        if self._text is None:
            texts = (block.write()[0] for block in self.blocks if isinstance(block, Paragraph) and not block.origin)
            self._text = " ".join(" ".join(texts).split())
        return self._text

    def marks(self) -> list[Mark]:
        """What is referred to in it."""
        return [mark for block in self.blocks if isinstance(block, Paragraph) for mark, _ in block.write()[1]]


@dataclass(slots=True, eq=False)
class GridRow:
    """A row of cells, in order; `names_columns` if the document says that it is one of the header."""

    cells: list[GridCell]
    names_columns: bool = False

    @property
    def is_nested(self) -> bool:
        """Whether a table stands in one of its cells."""
        return any(isinstance(block, Grid) for cell in self.cells for block in cell.blocks)


@dataclass(slots=True)
class Grid:
    """A table that was read."""

    rows: list[GridRow]


@dataclass(slots=True)
class TableText:
    """The text of a table, and where its cells, marks and inner tables are in it, and what is not its own words."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    cells: list[Cell] = field(default_factory=list)
    marks: list[tuple[Mark, int]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    additions: list[Addition] = field(default_factory=list)

    def write(self, text: str) -> int:
        """Add some text, and return where it begins."""
        at = self.length
        self.parts.append(text)
        self.length += len(text)
        return at


def read_grid(
    element: Element,
    styles: Styles,
    findings: Findings,
    ground: Ground,
    read_blocks: Callable[[Element, Ground], list[Paragraph | Grid]],
) -> Grid:
    """The table of an element (w:tbl); `ground` is what is behind it, `read_blocks` reads what is in a cell."""
    properties = child(element, "w:tblPr")
    style = attribute(child(properties, "w:tblStyle")) or styles.usual("table")
    outside = shaded(child(properties, "w:shd"), ground.colours)
    look = read_look(child(properties, "w:tblLook"))
    rows = list(_find_inside(element, "w:tr"))
    found: list[GridRow] = []
    merged: dict[int, GridCell] = {}
    for at, row in enumerate(rows):
        settings = child(row, "w:trPr")
        if settings is not None and any(child(settings, name) is not None for name in DELETED):
            findings.changed = True
            continue
        cells: list[GridCell] = []
        places = list(_place_cells(row, settings))
        last = max((end for _, _, end in places), default=0)
        above, merged = merged, {}
        for cell, column, end in places:
            details = child(cell, "w:tcPr")
            behind = styles.cell_ground(style, TablePlace(at, len(rows), column, last, look), outside)
            if (shading := child(details, "w:shd")) is not None:
                behind = replace(behind, colours=shaded(shading, outside))
            cells.append(GridCell(column, end, read_blocks(cell, behind)))
            merge = child(details, "w:vMerge")
            goes_on = merge is not None and attribute(merge) != "restart" and column in above
            if goes_on or child(details, "w:cellDel") is not None:
                findings.hide(cells[-1].text(), "in cells that are merged or deleted")
                cells[-1] = GridCell(column, end, above=above[column] if goes_on else None)
            if merge is not None:
                merged[column] = above[column] if goes_on else cells[-1]
        if is_on(child(settings, "w:hidden")):
            for one in cells:
                findings.hide(one.text(), MARKED_HIDDEN)
        else:
            found.append(GridRow(cells, is_on(child(settings, "w:tblHeader"))))
    return Grid(found)


def write_grid(grid: Grid) -> TableText:
    """The table as lines, one a row, cells two spaces apart.

    In a table whose columns have names an empty cell under one is marked, if a filled cell follows it; one that goes on
    with a cell above says what that says. A row with a table in one of
    its cells only places things on the page: what is in its cells stands one below the other. Words in other cells that
    are not of the running text, such as those of a chart, stand behind the table.
    """
    header = _header(grid)
    names = _column_names(header)
    out = TableText()
    for row in grid.rows:
        if row.is_nested:
            _write_apart(row, out)
        else:
            _write_row(row, {} if row in header else names, bool(names), out)
    if out.length:
        count = max((cell.end for row in grid.rows for cell in row.cells), default=0)
        columns = tuple(Column(names.get(at, "")) for at in range(count))
        out.tables.insert(0, Table(0, out.length, columns, tuple(out.cells)))
    for row in (row for row in grid.rows if not row.is_nested):
        for block in (block for cell in row.cells for block in cell.blocks if isinstance(block, Paragraph)):
            if block.origin:
                _write_block(block, out, "\n\n")
    return out


def _write_row(row: GridRow, names: dict[int, str], repeats: bool, out: TableText) -> None:
    texts = [cell.text() if repeats or cell.above is None else "" for cell in row.cells]
    filled = [at for at, text in enumerate(texts) if text and row.cells[at].above is None]
    if not filled:
        return
    separator = "\n" if out.length else ""
    column = 0
    for cell, text in zip(row.cells[: filled[-1] + 1], texts, strict=False):
        skipped = [at for at in range(column, cell.column) if at in names]  # columns that the row leaves out
        column = cell.end
        is_named = any(at in names for at in range(cell.column, cell.end))
        for word in (*(EMPTY_CELL for _ in skipped), text or (EMPTY_CELL if is_named else "")):
            if word:
                out.write(separator)
                at = out.write(word)
                separator = "  "
        if text:
            out.cells.append(Cell(at, out.length, cell.column))
        out.marks += [(mark, out.length) for mark in cell.marks()]


def _write_apart(row: GridRow, out: TableText) -> None:
    for cell in row.cells:
        for block in cell.blocks:
            if isinstance(block, Grid):
                inner = write_grid(block)
                if inner.length:
                    at = _write_line("".join(inner.parts), out)
                    out.additions += [addition.moved(at) for addition in inner.additions]
                    out.marks += [(mark, at + place) for mark, place in inner.marks]
                    out.tables += [table.moved(at) for table in inner.tables]
            else:
                _write_block(block, out, "\n")


def _write_block(block: Paragraph, out: TableText, separator: str) -> None:
    text, marks = block.write()
    at = _write_line(text, out, separator) if text else out.length
    out.marks += [(mark, at + place) for mark, place in marks]
    if block.origin and text:
        out.additions.append(Addition(at, out.length, block.origin))


def _write_line(text: str, out: TableText, separator: str = "\n") -> int:
    if out.length:
        out.write(separator)
    return out.write(text)


def _header(grid: Grid) -> list[GridRow]:
    """The rows that name the columns: those that the document calls so, else the first full row.

    Of the latter the first cell may be empty, as in the corner of a table; a row of one cell above it is a title.
    """
    header = list(takewhile(lambda row: row.names_columns, grid.rows))
    if header:
        return header
    count = max((cell.end for row in grid.rows for cell in row.cells), default=0)
    first = next((row for row in grid.rows if sum(bool(cell.text()) for cell in row.cells) > 1), None)
    if first is None or len(first.cells) != count or first.is_nested:
        return []
    return [first] if all(cell.text() for cell in first.cells[1:]) else []


def _column_names(header: list[GridRow]) -> dict[int, str]:
    """What the rows of a header say of each column."""
    names: dict[int, list[str]] = {}
    for row in header:
        for cell in row.cells:
            text = cell.text()
            for at in range(cell.column, cell.end) if text else ():
                if text not in names.setdefault(at, []):
                    names[at].append(text)
    return {at: clean_heading(" ".join(texts)) for at, texts in names.items()}


def _find_inside(element: Element, name: str) -> Iterator[Element]:
    """The rows of a table or the cells of a row, also those within content controls and tracked insertions."""
    for one in element:
        if one.tag == name:
            yield one
        elif one.tag == "mc:AlternateContent":
            yield from _find_inside(preferred_choice(one), name)
        elif one.tag not in _NOT_ROWS and one.tag not in DELETED and one.tag not in ("w:tc", "w:p"):
            yield from _find_inside(one, name)


def _place_cells(row: Element, settings: Element | None) -> Iterator[tuple[Element, int, int]]:
    """The cells of a row with the columns that they cover, first and behind the last; what is deleted is left out."""
    column = min(number(attribute(child(settings, "w:gridBefore")), 0) or 0, _MOST_COLUMNS)
    held: tuple[Element, int, int] | None = None
    for cell in _find_inside(row, "w:tc"):
        properties = child(cell, "w:tcPr")
        span = max(number(attribute(child(properties, "w:gridSpan")), 1) or 1, 1)
        end = min(column + span, _MOST_COLUMNS)
        merge = child(properties, "w:hMerge")
        if held and merge is not None and attribute(merge) != "restart":
            held = (held[0], held[1], end)
        else:
            if held:
                yield held
            held = (cell, min(column, _MOST_COLUMNS - 1), end)
        column = end
    if held:
        yield held
