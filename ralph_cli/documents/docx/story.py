"""The text of one part of a document, or of a note in it: paragraphs and tables in order, with their positions.

A table keeps its grid: each row is a line, and the column of each cell is known.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from xml.etree.ElementTree import Element

from ralph_cli.core.structure import Span
from ralph_cli.documents.docx.drawings import Drawings, find_doubtful_paragraphs
from ralph_cli.documents.docx.fields import Fields
from ralph_cli.documents.docx.paragraphs import DELETED, Mark, Paragraph, read_paragraph
from ralph_cli.documents.docx.reading import Reading
from ralph_cli.documents.docx.styles import PAPER, Ground, Styles, TablePlace, exact_height, read_look, shaded
from ralph_cli.documents.office.findings import MERGED, Findings
from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on, number, preferred_choice
from ralph_cli.documents.page_text import PageText, join_lines
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sight import CLIPPED, MARKED, is_flat
from ralph_cli.documents.tables import TableCell, TableRow, measure_blanks, write_table

_QUOTE_STYLES = ("quote", "intense quote", "block text", "quotations", "block quote", "block quotation")
# Twentieths of a point (a quarter inch): a paragraph indented this far on both sides is a block quotation.
_INDENT = 360

_BLOCKS = frozenset({"w:p", "w:tbl", "w:altChunk", "w:subDoc"})
_NOT_BLOCKS = frozenset({"w:sdtPr", "w:tblPr", "w:trPr", "w:tcPr", "w:pPr", "mc:Fallback", "w:background"})


# Word itself writes at most 63; cells further right count as part of the last column.
_MOST_COLUMNS = 256

_NOT_ROWS = frozenset({"w:sdtPr", "w:tblPr", "w:trPr", "w:tblGrid", "w:tblPrEx", "mc:Fallback"})


@dataclass(slots=True)
class Grid:
    """A table that was read. A row that contains tables only serves layout, and is kept as its blocks.

    `beside` are texts in other cells that are not running text, such as a chart's.
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
    """Return the table of an element (w:tbl); `ground` is the ground behind it, and `read_blocks` reads a cell."""
    properties = child(element, "w:tblPr")
    style = attribute(child(properties, "w:tblStyle")) or styles.usual("table")
    outside = shaded(child(properties, "w:shd"), ground.colours)
    look = read_look(child(properties, "w:tblLook"))
    rows = list(_find_inside(element, "w:tr"))
    found = Grid()
    merged: set[int] = set()
    for at, row in enumerate(rows):
        settings = child(row, "w:trPr")
        if _is_deleted(settings):
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
            blocks = read_blocks(cell, replace(behind, flag=ground.flag or flag))
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
        indent = _measure_indent(places[0][0], styles) if places else 0.0
        row_read = TableRow(cells, indent, is_on(child(settings, "w:tblHeader")))
        _take_row(found, row_read, inside, findings, is_hidden=is_on(child(settings, "w:hidden")))
    return found


def _is_deleted(settings: Element | None) -> bool:
    """Whether a row was deleted in a tracked change."""
    return settings is not None and any(child(settings, name) is not None for name in DELETED)


def _take_row(
    found: Grid, row: TableRow, inside: list[PageText | Grid], findings: Findings, *, is_hidden: bool
) -> None:
    """Add a row, or the blocks of a row that only serves layout; a hidden row is only recorded as a finding."""
    if is_hidden:
        findings.hide(join_lines(block for block in inside if isinstance(block, PageText)).text(), MARKED)
    elif any(isinstance(block, Grid) for block in inside):
        found.rows.append(inside)
    else:
        found.rows.append(row)
        found.beside += [block for block in inside if isinstance(block, PageText) and block.additions]


def _measure_indent(cell: Element, styles: Styles) -> float:
    """Return the indent of a cell's first line, in points."""
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
    """Return the table as lines, like `write_table`; blocks in a layout table follow one below the other."""
    out = PageText()
    columns = max((cell.end for row in grid.rows if isinstance(row, TableRow) for cell in row.cells), default=0)
    named = -1  # where the part that names the columns begins
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
    """Yield the rows of a table or the cells of a row, including those in content controls and tracked insertions."""
    for one in element:
        if one.tag == name:
            yield one
        elif one.tag == "mc:AlternateContent":
            yield from _find_inside(preferred_choice(one), name)
        elif one.tag not in _NOT_ROWS and one.tag not in DELETED and one.tag not in ("w:tc", "w:p"):
            yield from _find_inside(one, name)


def _place_cells(row: Element, settings: Element | None) -> Iterator[tuple[Element, int, int]]:
    """Yield the cells of a row, except deleted ones, each with its columns [first, end)."""
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


_Block = Paragraph | Grid | PageText | ParsedDocument


class Story(PageText):
    """A text under construction; `repeated` means that it is on every page."""

    def __init__(self, reading: Reading, drawings: Drawings, paper: Ground = PAPER, repeated: bool = False) -> None:
        super().__init__()
        self._reading, self._drawings, self._paper = reading, drawings, paper
        self._fields = Fields(repeated)
        self._doubtful: set[Hashable] = set()
        self.sections: list[Element] = []

    def read(self, element: Element) -> None:
        """Add the content of an element, in order."""
        self._doubtful = find_doubtful_paragraphs(element)
        for block in self._blocks(element, self._paper):
            self._add(block)
        if self._fields.unread:
            self._reading.findings.unread["equations in fields"] += self._fields.unread

    def _blocks(self, container: Element, ground: Ground) -> Iterator[_Block]:
        """Yield the paragraphs, tables and included documents in an element; joined paragraphs are one."""
        waiting: Paragraph | None = None
        for element in self._elements(container):
            if element.tag == "w:p":
                behind = self._behind(element, ground)
                paragraph = read_paragraph(
                    element, self._reading, self._fields, behind, self._drawings.read, before=waiting
                )
                waiting = paragraph if paragraph.joins_next else None
                self.sections += children(element, "w:pPr", "w:sectPr")
                for one in children(element, "w:subDoc"):
                    self._drawings.read_foreign(one)
                if waiting is None:
                    yield from self._with_boxes(paragraph)
                continue
            if waiting is not None:
                yield from self._with_boxes(waiting)
                waiting = None
            if element.tag != "w:tbl":
                if (document := self._drawings.read_foreign(element)) is not None:
                    yield document
                continue
            behind = self._behind(element, ground)
            yield read_grid(element, self._reading.styles, self._reading.findings, behind, self._read_cell)
        if waiting is not None:
            yield from self._with_boxes(waiting)

    def _behind(self, element: Element, ground: Ground) -> Ground:
        """Return the ground behind a paragraph or table; unknown if a drawing may be between it and the paper."""
        if ground is self._paper and any(id(one) in self._doubtful for one in element.iter("w:p")):
            return replace(ground, colours=None)
        return ground

    def _elements(self, container: Element) -> Iterator[Element]:
        """Yield paragraphs, tables and included files, also those in content controls, tracked moves and the like."""
        for element in container:
            if element.tag in _BLOCKS:
                yield element
            elif element.tag in DELETED:
                self._reading.findings.changed = True
            elif element.tag == "w:sectPr":
                self.sections.append(element)
            elif element.tag == "mc:AlternateContent":
                yield from self._elements(preferred_choice(element))
            elif element.tag not in _NOT_BLOCKS:
                yield from self._elements(element)

    def _read_cell(self, cell: Element, ground: Ground) -> list[PageText | Grid]:
        found: list[PageText | Grid] = []
        for block in self._blocks(cell, ground):
            if isinstance(block, ParsedDocument):
                found += _part_additions(block)
            else:
                found.append(block.content() if isinstance(block, Paragraph) else block)
        return found

    def _with_boxes(self, paragraph: Paragraph) -> Iterator[_Block]:
        """Yield a paragraph, followed by its text boxes and the texts of its charts."""
        yield paragraph
        for box in paragraph.boxes:
            if box.content is not None:
                yield from self._blocks(box.content, box.ground)
            elif box.text:
                yield box.text

    def _add(self, block: _Block) -> None:
        if not isinstance(block, Paragraph):
            self.add_block(write_grid(block) if isinstance(block, Grid) else block)
            return
        content = block.content()
        at = self.add_block(content)
        if not content:
            return
        if block.level:
            self.name_part(block.title(), at, block.level)
        elif block.indent >= _INDENT or any(name in _QUOTE_STYLES for name in self._reading.styles.names(block.style)):
            self.quoted.append(Span(at + len(block.label), at + self._end_of_words(content.text(), content.marks)))

    def _end_of_words(self, text: str, marks: list[tuple[Mark, int]]) -> int:
        """Return where a paragraph ends without the note marks after its last word."""
        end = len(text)
        for mark, at in reversed(marks):
            if 0 < at < end and text[at:end] == self._reading.note_marks.get((mark.kind, mark.number)):
                end = at
        return end


def _part_additions(document: ParsedDocument) -> Iterator[PageText]:
    """Yield an included document in parts: running text, and each passage with another origin."""
    last = 0
    for one in (*document.additions, None):
        yield PageText.of(document.text[last : one.start if one else None].strip())
        if one:
            beside = PageText.of(document.text[max(last, one.start) : one.end].strip())
            beside.mark(one.origin, 0, beside.length)
            yield beside
            last = max(last, one.end)
