"""A table: its grid, its rows as lines, and under which column each cell stands."""

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from itertools import groupby, takewhile
from typing import Any
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.docx.formatting.styles import Ground, Styles, exact_height, shaded
from ralph_cli.documents.docx.formatting.table_parts import TablePlace, read_look
from ralph_cli.documents.docx.paragraphs import DELETED, Mark, Paragraph
from ralph_cli.documents.office.findings import MERGED, Findings
from ralph_cli.documents.office.tables import TableCell, write_table
from ralph_cli.documents.office.xml_tree import attribute, child, is_on, number, preferred_choice
from ralph_cli.documents.page_text import PageText
from ralph_cli.documents.sight import CLIPPED, MARKED, is_flat

_MOST_COLUMNS = 256
"""Word itself makes at most 63; what is further right counts as the last of these."""
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
        """The text of its paragraphs on one line; of a part of a cell above nothing."""
        if self.above is not None:
            return ""
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

    @property
    def indent(self) -> float:
        """How far its first cell is set in, in points."""
        blocks = self.cells[0].blocks if self.cells else ()
        return next((block.left / 20 for block in blocks if isinstance(block, Paragraph)), 0.0)


@dataclass(slots=True)
class Grid:
    """A table that was read."""

    rows: list[GridRow]


class TableText(PageText):
    """The text of a table, with what is referred to in it and where."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[tuple[Mark, int]] = []


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
        flag = CLIPPED if is_flat(exact_height(child(settings, "w:trHeight"), "val", "hRule")) else ""
        last = max((end for _, _, end in places), default=0)
        above, merged = merged, {}
        for cell, column, end in places:
            details = child(cell, "w:tcPr")
            behind = styles.cell_ground(style, TablePlace(at, len(rows), column, last, look), outside)
            if (shading := child(details, "w:shd")) is not None:
                behind = replace(behind, colours=shaded(shading, outside))
            behind = replace(behind, flag=ground.flag or flag)
            cells.append(GridCell(column, end, read_blocks(cell, behind)))
            merge = child(details, "w:vMerge")
            goes_on = merge is not None and attribute(merge) != "restart" and column in above
            if goes_on or child(details, "w:cellDel") is not None:
                findings.hide(cells[-1].text(), MERGED)
                cells[-1] = GridCell(column, end, above=above[column] if goes_on else None)
            if merge is not None:
                merged[column] = above[column] if goes_on else cells[-1]
        if is_on(child(settings, "w:hidden")):
            for one in cells:
                findings.hide(one.text(), MARKED)
        else:
            found.append(GridRow(cells, is_on(child(settings, "w:tblHeader"))))
    return Grid(found)


def write_grid(grid: Grid) -> TableText:
    """The table as lines, one a row, cells two spaces apart, as `write_table` has them.

    A row with a table in one of its cells only places things on the page: what is in its cells stands one below the
    other. Words in other cells that are not of the running text, such as those of a chart, stand behind the table.
    """
    out = TableText()
    for is_nested, rows in groupby(grid.rows, lambda row: row.is_nested):
        if is_nested:
            for row in rows:
                _write_apart(row, out)
        else:
            _write_rows(list(rows), out)
    for row in (row for row in grid.rows if not row.is_nested):
        for block in (block for cell in row.cells for block in cell.blocks if isinstance(block, Paragraph)):
            if block.origin:
                _write_block(block, out, "\n\n")
    return out


def _write_rows(rows: list[GridRow], out: TableText) -> None:
    cells = [
        [
            TableCell(cell.column, cell.end, text, cell.above is not None, _place_marks(cell, text))
            for cell in row.cells
            for text in (cell.text(),)
        ]
        for row in rows
    ]
    header = sum(1 for _ in takewhile(lambda row: row.names_columns, rows))
    marked: list[tuple[int, int, Any]] = []
    written = write_table(cells, header or None, marked, [row.indent for row in rows])
    if written is None:
        return
    at = out.add_line(written[0])
    out.tables += [table.moved(at) for table in written[1]]
    out.marks += [(mark, at + place) for _, place, mark in marked]


def _place_marks(cell: GridCell, text: str) -> tuple[tuple[int, int, Mark], ...]:
    """What is referred to in a cell, at its end: its paragraphs are joined."""
    return tuple((len(text), len(text), mark) for mark in cell.marks())


def _write_apart(row: GridRow, out: TableText) -> None:
    for cell in row.cells:
        for block in cell.blocks:
            if isinstance(block, Grid):
                inner = write_grid(block)
                if inner.length:
                    at = out.add_line(inner.text())
                    out.marked += [addition.moved(at) for addition in inner.marked]
                    out.marks += [(mark, at + place) for mark, place in inner.marks]
                    out.tables += [table.moved(at) for table in inner.tables]
            else:
                _write_block(block, out, "\n")


def _write_block(block: Paragraph, out: TableText, separator: str) -> None:
    text, marks = block.write()
    at = out.length
    if text:
        out.write(separator if out.length else "")
        at = out.write(text)
    out.marks += [(mark, at + place) for mark, place in marks]
    if block.origin and text:
        out.mark(block.origin, at, out.length)


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
