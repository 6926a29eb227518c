"""A stream of paragraphs and tables of an RTF file: the text itself, a note, or a header.

RTF gives the end of each cell as a distance from the margin.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ralph_cli.documents.page_text import PARAGRAPH, PageText, clean_text, join_lines
from ralph_cli.documents.rich_text.ink import Shade, read_shade
from ralph_cli.documents.sight import CLIPPED, OFF_PAGE, is_far_off, is_flat
from ralph_cli.documents.tables import MOST_COLUMNS, TableCell, TableRow, write_table

# Twentieths of a point by which two positions of the same edge may differ.
_NEAR = 60


@dataclass(slots=True)
class CellForm:
    """The right edge of a cell, and whether it continues the cell to its left or above."""

    edge: int
    joins_left: bool = False
    joins_above: bool = False
    shade: Shade = field(default_factory=Shade)


@dataclass(slots=True)
class RowForm:
    """The layout of a row: `left` is the left edge of its first cell, `indent` the indent of its label in points."""

    left: int = 0
    indent: float = 0.0
    cells: list[CellForm] = field(default_factory=list)
    is_header: bool = False
    flag: str = ""
    shade: Shade = field(default_factory=lambda: Shade(is_sure=False))


# The rows of a table under construction.
_Rows = list[tuple[RowForm, list[PageText]]]


def _write_rows(rows: _Rows) -> PageText:
    """Return the text of a table with its columns; empty if all cells are empty."""
    edges = _distinct_edges(edge for form, _ in rows for edge in (form.left, *(c.edge for c in form.cells)))
    return write_table([TableRow(_place(form, cells, edges), form.indent, form.is_header) for form, cells in rows])


def why_cut(height: int | None) -> str:
    """Return why nothing is seen in a row or line of this height (twentieths of a point, negative if exact), or ""."""
    return CLIPPED if height is not None and height < 0 and is_flat(-height / 20) else ""


def _distinct_edges(edges: Iterable[int]) -> list[int]:
    found: list[int] = []
    for edge in sorted(set(edges)):
        if not found or edge > found[-1] + _NEAR:
            found.append(edge)
    return found[: MOST_COLUMNS + 1]


def _place(form: RowForm, texts: list[PageText], edges: list[int]) -> list[TableCell]:
    """Return the cells of a row in the columns of their table."""
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
    """The current paragraph and table, and the page to which they are written with the separator `apart`.

    `marked` are the notes in the paragraph, each with the number of parts before it.
    """

    page: PageText
    apart: int = PARAGRAPH
    parts: list[str] = field(default_factory=list)
    marked: list[tuple[int, int]] = field(default_factory=list)
    level: int = 0
    """The level of a heading; 0 for other paragraphs."""
    indents: tuple[int, int] = (0, 0)
    """The indent of the paragraph and the additional indent of its first line, in twentieths of a point."""
    in_table: bool = False
    in_row: bool = False
    """Whether the layout of the current row is known."""
    is_nested: bool = False
    cells: list[PageText] = field(default_factory=list)
    cell: list[PageText] = field(default_factory=list)
    row: RowForm = field(default_factory=RowForm)
    rows: _Rows = field(default_factory=list)
    indent: float = 0.0
    """The indent of the row's label, in points."""
    next_cell: CellForm = field(default_factory=lambda: CellForm(0))

    def take_word(self, word: str, number: int | None, levels: dict[int, int]) -> bool:
        """Apply a word about paragraphs or tables, and return whether it was one; `levels` are the levels of styles."""
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
        """Apply a word about the layout of a row; return whether it was one."""
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
        """Why nothing is seen in the current paragraph or row; "" if nothing hides it."""
        if is_far_off(self.indents[0] / 20):
            return OFF_PAGE
        return self.row.flag if self.in_row else ""

    def shades(self) -> list[Shade] | None:
        """Return the shades behind the current cell; empty outside of tables, None if the file specifies them later."""
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
        """Write the table when a paragraph outside of it ends."""
        if self.cells or any(self.cell):  # from a row without an end
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
        """Return the text of the paragraph and clear its parts."""
        found = PageText.of(_join(self.parts))
        if not self.cells and not any(self.cell):
            self.indent = sum(self.indents) / 20
        found.marks = [(what, len(_join(self.parts[:count]))) for what, count in self.marked]
        self.parts, self.marked = [], []
        return found


def _join(parts: list[str]) -> str:
    """Join parts into a text; surrogate pairs split between parts become one character."""
    text = "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "\n".join(line.strip(" \t") for line in clean_text(text).split("\n")).strip()
