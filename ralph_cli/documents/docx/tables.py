"""A table: its grid, its rows as lines, and under which column each cell stands."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.paragraphs import DELETED
from ralph_cli.documents.docx.styles import Ground, Styles, TablePlace, exact_height, read_look, shaded
from ralph_cli.documents.office.findings import MERGED, Findings
from ralph_cli.documents.office.xml_tree import attribute, child, is_on, number, preferred_choice
from ralph_cli.documents.page_text import PageText, join_lines
from ralph_cli.documents.sight import CLIPPED, MARKED, is_flat
from ralph_cli.documents.tables import TableCell, TableRow, measure_blanks, write_table

_MOST_COLUMNS = 256
"""Word itself makes at most 63; what is further right counts as the last of these."""
_NOT_ROWS = frozenset({"w:sdtPr", "w:tblPr", "w:trPr", "w:tblGrid", "w:tblPrEx", "mc:Fallback"})


@dataclass(slots=True)
class Grid:
    """A table that was read. Of a row with tables in it, which only places things on the page, there are the blocks.

    `beside` are words in other cells that are not of the running text, such as those of a chart.
    """

    rows: "list[TableRow | list[PageText | Grid]]" = field(default_factory=list)
    beside: list[PageText] = field(default_factory=list)


def read_grid(
    element: Element,
    styles: Styles,
    findings: Findings,
    ground: Ground,
    read_blocks: Callable[[Element, Ground], list[PageText | Grid]],
) -> Grid:
    """The table of an element (w:tbl); `ground` is what is behind it, `read_blocks` reads what is in a cell."""
    properties = child(element, "w:tblPr")
    style = attribute(child(properties, "w:tblStyle")) or styles.usual("table")
    outside = shaded(child(properties, "w:shd"), ground.colours)
    look = read_look(child(properties, "w:tblLook"))
    rows = list(_find_inside(element, "w:tr"))
    found = Grid()
    merged: set[int] = set()
    for at, row in enumerate(rows):
        settings = child(row, "w:trPr")
        if settings is not None and any(child(settings, name) is not None for name in DELETED):
            findings.changed = True
            continue
        cells: list[TableCell] = []
        inside: list[PageText | Grid] = []
        places = list(_place_cells(row, settings))
        flag = CLIPPED if is_flat(exact_height(child(settings, "w:trHeight"), "val", "hRule")) else ""
        last = max((end for _, _, end in places), default=0)
        above, merged = merged, set[int]()
        for cell, column, end in places:
            details = child(cell, "w:tcPr")
            behind = styles.cell_ground(style, TablePlace(at, len(rows), column, last, look), outside)
            if (shading := child(details, "w:shd")) is not None:
                behind = replace(behind, colours=shaded(shading, outside))
            behind = replace(behind, flag=ground.flag or flag)
            blocks = read_blocks(cell, behind)
            text = join_lines(block for block in blocks if isinstance(block, PageText) and not block.additions)
            merge = child(details, "w:vMerge")
            goes_on = merge is not None and attribute(merge) != "restart" and column in above
            if goes_on or child(details, "w:cellDel") is not None:
                findings.hide(text.text(), MERGED)
                blocks, text = [], PageText()
            if merge is not None:
                merged.add(column)
            cells.append(TableCell(column, end, text, goes_on))
            inside += blocks
        if is_on(child(settings, "w:hidden")):
            findings.hide(join_lines(block for block in inside if isinstance(block, PageText)).text(), MARKED)
        elif any(isinstance(block, Grid) for block in inside):
            found.rows.append(inside)
        else:
            indent = _measure_indent(places[0][0], styles) if places else 0.0
            found.rows.append(TableRow(cells, indent, is_on(child(settings, "w:tblHeader"))))
            found.beside += [block for block in inside if isinstance(block, PageText) and block.additions]
    return found


def _measure_indent(cell: Element, styles: Styles) -> float:
    """How many points the first line of a cell is set in."""
    paragraph = next(cell.iter("w:p"), None)
    properties = child(paragraph, "w:pPr")
    style = attribute(child(properties, "w:pStyle")) or styles.usual("paragraph")
    told = (child(properties, "w:ind"), styles.paragraph_property(style, "w:ind"))

    def read(*names: str) -> float:
        return next((found / 20 for one in told for name in names if (found := number(attribute(one, name)))), 0.0)

    text = next(paragraph.iter("w:t"), None) if paragraph is not None else None
    blanks = measure_blanks(text.text or "") if text is not None else 0.0
    return read("left", "start") + read("firstLine") - read("hanging") + blanks


def write_grid(grid: Grid) -> PageText:
    """The table as lines, as `write_table` has them; what only is placed by it stands one below the other."""
    out = PageText()
    columns = max((cell.end for row in grid.rows if isinstance(row, TableRow) for cell in row.cells), default=0)
    named = -1  # where the part of it begins that names its columns
    for is_table, rows in groupby(grid.rows, lambda row: isinstance(row, TableRow)):
        if is_table:
            count = len(out.tables)
            out.add_line(write_table([row for row in rows if isinstance(row, TableRow)], columns))
            if named >= 0 and len(out.tables) > count and not out.tables[count].header_rows:
                out.tables[count] = out.tables[count]._replace(continues=named)
            named = next((it.start for it in reversed(out.tables[count:]) if it.header_rows), named)
            continue
        for block in (block for row in rows if isinstance(row, list) for block in row):
            out.add_line(write_grid(block) if isinstance(block, Grid) else block)
    for text in grid.beside:
        out.add_block(text)
    return out


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
    column = min(number(attribute(child(settings, "w:gridBefore")), 0), _MOST_COLUMNS)
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
