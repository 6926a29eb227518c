"""A stream of paragraphs and tables of an RTF file: its text itself, a note, a header.

The cells of a row end at given distances from the margin.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ralph_cli.documents.page_text import PARAGRAPH, PageText, clean_text, join_lines
from ralph_cli.documents.rich_text.ink import Shade, read_shade
from ralph_cli.documents.sight import CLIPPED, OFF_PAGE, is_far_off, is_flat
from ralph_cli.documents.tables import MOST_COLUMNS, TableCell, TableRow, write_table

# Twentieths of a point by which edges may differ that are one.
_NEAR = 60


@dataclass(slots=True)
class CellForm:
    """Where a cell ends, and whether it goes on with the one before it or above it."""

    edge: int
    joins_left: bool = False
    joins_above: bool = False
    shade: Shade = field(default_factory=Shade)


@dataclass(slots=True)
class RowForm:
    """How a row is divided; `left` is where its first cell begins, `indent` how far its label is set in, in points."""

    left: int = 0
    indent: float = 0.0
    cells: list[CellForm] = field(default_factory=list)
    is_header: bool = False
    flag: str = ""
    shade: Shade = field(default_factory=lambda: Shade(is_sure=False))


# The rows of a table while they are read.
_Rows = list[tuple[RowForm, list[PageText]]]


def _write_rows(rows: _Rows) -> PageText:
    """The text of a table, and its columns in it; empty if nothing is in it."""
    edges = _distinct_edges(edge for form, _ in rows for edge in (form.left, *(c.edge for c in form.cells)))
    return write_table([TableRow(_place(form, cells, edges), form.indent, form.is_header) for form, cells in rows])


def why_cut(height: int | None) -> str:
    """Why nothing is seen in a row or line of so many twentieths of a point, less than 0 if it is kept; "" if it is."""
    return CLIPPED if height is not None and height < 0 and is_flat(-height / 20) else ""


def _distinct_edges(edges: Iterable[int]) -> list[int]:
    found: list[int] = []
    for edge in sorted(set(edges)):
        if not found or edge > found[-1] + _NEAR:
            found.append(edge)
    return found[: MOST_COLUMNS + 1]


def _place(form: RowForm, texts: list[PageText], edges: list[int]) -> list[TableCell]:
    """The cells of a row in the columns of its table."""
    cells: list[TableCell] = []
    shown = PageText()
    column = max(bisect_left(edges, form.left - _NEAR), 0)
    for at, text in enumerate(texts):
        shape = form.cells[at] if at < len(form.cells) else None
        end = bisect_left(edges, shape.edge - _NEAR) if shape else column + 1
        end = max(end, column + 1)
        if shape and shape.joins_left and cells:
            text = join_lines((shown, text))
            cells.append(cells.pop()._replace(end=end, content=text))
        else:
            cells.append(TableCell(column, end, text, bool(shape and shape.joins_above and not text)))
        column, shown = end, text
    return cells


@dataclass(slots=True)
class Flow:
    """The paragraph and the table that are being read, and the page on which they are written, so far `apart`.

    `marked` are what is noted in the paragraph, each with the number of parts before it.
    """

    page: PageText
    apart: int = PARAGRAPH
    parts: list[str] = field(default_factory=list)
    marked: list[tuple[int, int]] = field(default_factory=list)
    level: int = 0
    """Of a heading; 0 for other paragraphs."""
    indents: tuple[int, int] = (0, 0)
    """By how many twentieths of a point the paragraph is set in, and its first line more."""
    in_table: bool = False
    in_row: bool = False
    """Whether the form of the row that is being read is known."""
    is_nested: bool = False
    cells: list[PageText] = field(default_factory=list)
    cell: list[PageText] = field(default_factory=list)
    row: RowForm = field(default_factory=RowForm)
    rows: _Rows = field(default_factory=list)
    indent: float = 0.0
    """How far the label of the row is set in, in points."""
    next_cell: CellForm = field(default_factory=lambda: CellForm(0))

    def take_word(self, word: str, number: int | None, levels: dict[int, int]) -> bool:
        """Whether a word says something of paragraphs or tables, which is then done; `levels` are those of styles."""
        match word:
            case "par" | "sect":
                self.end_paragraph()
            case "pard":
                self.level, self.in_table, self.is_nested, self.indents = 0, False, False, (0, 0)
            case "li" | "lin":
                self.indents = (number or 0, self.indents[1])
            case "fi":
                self.indents = (self.indents[0], number or 0)
            case "s":
                self.level = levels.get(number or 0, self.level)
            case "outlinelevel":
                self.level = (number or 0) + 1 if 0 <= (number or 0) < 9 else 0
            case "intbl":
                self.in_table = True
            case "itap":
                self.is_nested = (number or 0) > 1
            case "cell":
                self._end_cell()
            case "nestcell" | "nestrow":
                self.parts.append(" ")
            case "row":
                self._end_row()
            case _:
                return self._take_form(word, number)
        return True

    def _take_form(self, word: str, number: int | None) -> bool:
        """Whether a word says how a row is divided, which is then noted."""
        match word:
            case "trowd":
                self.row, self.in_row = RowForm(), True
            case "trhdr":
                self.row.is_header = True
            case "trrh":
                self.row.flag = why_cut(number)
            case "trleft":
                self.row.left = number or 0
            case "clmrg":
                self.next_cell.joins_left = True
            case "clvmrg":
                self.next_cell.joins_above = True
            case "cellx":
                self.next_cell.edge = number or 0
                self.row.cells.append(self.next_cell)
                self.next_cell = CellForm(0)
            case _ if read_shade(word)[0] == "cell":
                self.next_cell.shade = self.next_cell.shade.changed(word, number)
            case _ if read_shade(word)[0] == "row":
                self.row.shade = self.row.shade.changed(word, number)
            case _:
                return False
        return True

    @property
    def flag(self) -> str:
        """Why nothing is seen in the paragraph or row that is being read; "" if nothing says so."""
        if is_far_off(self.indents[0] / 20):
            return OFF_PAGE
        return self.row.flag if self.in_row else ""

    def shades(self) -> list[Shade] | None:
        """What is behind the cell that is being read; nothing outside of tables, None if the file tells it later."""
        if not self.in_table and not self.in_row:
            return []
        at = len(self.cells)
        if not self.in_row or self.is_nested or at >= len(self.row.cells):
            return None
        return [self.row.shade, self.row.cells[at].shade]

    def end_paragraph(self) -> None:
        """Write the paragraph that ends here, or keep it for its cell."""
        text = self._take_parts()
        if self.in_table:
            self.cell.append(text)
            return
        self.end_table()
        at = self.page.add_line(text, self.apart)
        if self.level:
            self.page.name_part(text.text(), at, self.level)

    def end_table(self) -> None:
        """Write the table that ends where a paragraph outside of it does."""
        if self.cells or any(self.cell):  # of a row that does not end
            self.cells += [join_lines(self.cell)] if any(self.cell) else []
            self.cell = []
            self._end_row()
        if self.rows:
            self.page.add_line(_write_rows(self.rows), self.apart)
            self.rows = []

    def _end_cell(self) -> None:
        self.cells.append(join_lines((*self.cell, self._take_parts())))
        self.cell = []

    def _end_row(self) -> None:
        self.rows.append((replace(self.row, cells=list(self.row.cells), indent=self.indent), self.cells))
        self.cells, self.in_row = [], False

    def _take_parts(self) -> PageText:
        """The pieces of a paragraph."""
        found = PageText.of(_join(self.parts))
        if not self.cells and not any(self.cell):
            self.indent = sum(self.indents) / 20
        found.marks = [(what, len(_join(self.parts[:count]))) for what, count in self.marked]
        self.parts, self.marked = [], []
        return found


def _join(parts: list[str]) -> str:
    """Some pieces as text, in which halves of characters have come together."""
    text = "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "\n".join(line.strip(" \t") for line in clean_text(text).split("\n")).strip()
