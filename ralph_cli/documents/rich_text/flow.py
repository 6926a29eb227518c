"""A stream of paragraphs and tables of an RTF file: its text itself, a note, a header."""

from collections.abc import Callable
from dataclasses import field, replace

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.structure import Table
from ralph_cli.documents.page_text import clean_text, one_line
from ralph_cli.documents.rich_text.ink import Shade, read_shade
from ralph_cli.documents.rich_text.tables import CellForm, RowForm, RtfTable, why_cut


@dataclass(slots=True)
class Flow:
    """The paragraph and the table that are being read; `write` takes each paragraph that is finished, with its level.

    `write_table` takes the tables; without it they are written as paragraphs.
    """

    write: Callable[[str, int], None]
    write_table: Callable[[str, list[Table]], int] | None = None
    parts: list[str] = field(default_factory=list)
    level: int = 0
    """Of a heading; 0 for other paragraphs."""
    in_table: bool = False
    in_row: bool = False
    """Whether the form of the row that is being read is known."""
    is_nested: bool = False
    cells: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    row: RowForm = field(default_factory=RowForm)
    table: RtfTable = field(default_factory=RtfTable)
    next_cell: CellForm = field(default_factory=lambda: CellForm(0))

    def take_word(self, word: str, number: int | None, levels: dict[int, int]) -> bool:
        """Whether a word says something of paragraphs or tables, which is then done; `levels` are those of styles."""
        match word:
            case "par" | "sect":
                self.end_paragraph()
            case "pard":
                self.level, self.in_table, self.is_nested = 0, False, False
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
        """Why nothing is seen in the row that is being read; "" if nothing says so."""
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
        text = _join(self.parts)
        self.parts.clear()
        if self.in_table:
            self.cell += [text] if text else []
            return
        self.end_table()
        if text:
            self.write(text, self.level)

    def end_table(self) -> None:
        """Write the table that ends where a paragraph outside of it does."""
        if self.cells or self.cell:  # of a row that does not end
            self.cells += [one_line(" ".join(self.cell))] if self.cell else []
            self.cell = []
            self._end_row()
        if not self.table.rows:
            return
        written, self.table = self.table.write(), RtfTable()
        if written and self.write_table:
            self.write_table(*written)
        elif written:
            self.write(written[0], 0)

    def _end_cell(self) -> None:
        self.cell.append(_join(self.parts))
        self.parts.clear()
        self.cells.append(one_line(" ".join(self.cell)))
        self.cell = []

    def _end_row(self) -> None:
        self.table.rows.append((replace(self.row, cells=list(self.row.cells)), self.cells))
        self.cells, self.in_row = [], False


def _join(parts: list[str]) -> str:
    """The pieces of a paragraph, in which halves of characters have come together."""
    text = "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "\n".join(line.strip(" \t") for line in clean_text(text).split("\n")).strip()
