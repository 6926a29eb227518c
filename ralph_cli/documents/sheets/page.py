"""A sheet as a page: a line per row, a name per cell, tables with columns, then stored values and formulas."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, islice, pairwise

from ralph_cli.core.document import Caution
from ralph_cli.core.structure import REGIONAL, NamedPlace, Origin, Table
from ralph_cli.documents.office.findings import describe_reasons
from ralph_cli.documents.page_text import PageText, label_text, one_line
from ralph_cli.documents.sheets.formulas import Formulas, column_name
from ralph_cli.documents.sight import CLIPPED
from ralph_cli.documents.structure.grids import GridCell, GridRow, is_figure, make_tables

HIDDEN_CELL: Origin = "hidden cell"
_MOST_NAMED_CELLS = 400_000
# Characters that stored values, and formulas, may always take; otherwise their limit is the length of the sheet's rows.
_LEAST_ROOM = 4_000

_LONGEST_NAME = 100
# Columns of a sheet; if merged cells cover more in sum, they overlap.
_WIDEST = 16_384


@dataclass(slots=True)
class SheetCell:
    """A filled cell: the text it shows, and the value stored in it if that says more.

    `unseen` says why no reader sees it, "" if readers do. `indent` is the indent of its text in points. `is_regional`
    means that its form depends on the reader's region.
    """

    column: int
    text: str
    stored: str = ""
    formula: str = ""
    unseen: str = ""
    indent: float = 0.0
    is_regional: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """Merged cells, or a table that the sheet declares: rows from 1, columns from 0, all inclusive."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class SheetTotals:
    """The totals of all sheets in a workbook; `write` is called with the number of characters added."""

    write: Callable[[int], None]
    named_cells: int = 0
    unlisted: Counter[str] = field(default_factory=Counter)
    hidden: Counter[Origin] = field(default_factory=Counter)
    unseen: Counter[str] = field(default_factory=Counter)
    """The number of unseen cells, by reason."""


class SheetPage:
    """The page of one sheet; rows are added in order."""

    def __init__(
        self, name: str, totals: SheetTotals, hidden: Origin | None = None, is_hidden: Callable[[int], bool] = bool
    ) -> None:
        """`is_hidden` says whether the column with this number, from 0, is hidden."""
        self.page = PageText(one_line(name), hidden)
        self.formulas = Formulas()
        self.is_hidden_column = is_hidden
        self._prefix = f"{_quote_name(self.page.label)}!"
        self._totals = totals
        self._starts, self._ends, self._rows, self._columns = (array("l") for _ in range(4))
        self._blocks: list[int] = []
        """The index of the first cell of each block of consecutive rows."""
        self._indents: dict[int, float] = {}
        """The indent of a row's first cell in points, by the row's number, for indented rows."""
        self._last_row = 0
        self._stored: list[tuple[str, str]] = []

    def add_row(self, row: int, cells: Sequence[SheetCell], is_hidden: bool = False) -> None:
        """Add a row with its filled cells, from left to right; `row` counts from 1. Cells without text add nothing."""
        self._keep_sources(row, cells)
        shown = [cell for cell in cells if cell.text]
        if not shown:
            return
        page = self.page
        if not self._blocks or row != self._last_row + 1:
            self._blocks.append(len(self._starts))
            if page.length:
                page.write("\n")
        self._last_row = row
        if shown[0].indent:
            self._indents[row] = shown[0].indent
        is_named = self._totals.named_cells + len(shown) <= _MOST_NAMED_CELLS
        self._totals.named_cells += len(shown) if is_named else 0
        if not is_named:
            name = f"{self._prefix}{column_name(shown[0].column)}{row}:{column_name(shown[-1].column)}{row}"
            page.places.append(NamedPlace(page.length + bool(page.length), name))
        parts: dict[Origin | None, list[SheetCell]] = {}
        for cell in shown:
            place = HIDDEN_CELL if cell.unseen else "hidden column" if self.is_hidden_column(cell.column) else None
            parts.setdefault(None if is_hidden or page.hidden else place, []).append(cell)
        self._totals.unseen.update(cell.unseen for cell in parts.get(HIDDEN_CELL, ()))
        before = page.length
        for origin in sorted(parts, key=bool):
            self._add_line(row, parts[origin], "hidden row" if is_hidden else origin, is_named)
        self._totals.write(page.length - before)

    def _keep_sources(self, row: int, cells: Sequence[SheetCell]) -> None:
        """Keep the formulas and stored values of a row's cells."""
        for cell in cells:
            if cell.formula:
                self.formulas.add(row, cell.column, cell.formula)
            if cell.stored:
                self._stored.append((f"{column_name(cell.column)}{row}", cell.stored))

    def _add_line(self, row: int, cells: list[SheetCell], hidden: Origin | None, is_named: bool) -> None:
        """Write the visible cells of a row, or those hidden for one reason, on one line."""
        page = self.page
        page.write("\n" if page.length else "")
        begin = page.length
        separator = "[hidden] " if hidden and hidden != "hidden row" else ""
        for cell in cells:
            page.write(separator)
            separator = "  "
            at = page.write(cell.text)
            if cell.is_regional:
                page.mark(REGIONAL, at, page.length)
            self._starts.append(at)
            self._ends.append(page.length)
            self._rows.append(row)
            self._columns.append(cell.column)
            if is_named:
                page.places.append(NamedPlace(at, f"{self._prefix}{column_name(cell.column)}{row}"))
        if hidden:
            self._hide(hidden, begin, page.length)

    def _hide(self, origin: Origin, start: int, end: int) -> None:
        self.page.mark(origin, start, end)
        self._totals.hidden[origin] += 1

    def name_cells(self, reference: str) -> str:
        """Return the name of a cell or range of this sheet as other sheets write it."""
        return f"{self._prefix}{reference}"

    def name_place(self, reference: str) -> None:
        """Set the cell or range of this name as the location of the text written next."""
        self.page.places.append(NamedPlace(self.page.length, self.name_cells(reference)))

    def add_beside(self, text: str | PageText, label: str, reference: str = "", origin: Origin | None = None) -> None:
        """Add text of the sheet that is not in a cell, such as a comment; `reference` names the cell that it belongs
        to.
        """
        before = self.page.length
        self.page.write("\n\n" if before else "")
        self.name_place(reference or label)
        at = self.page.write(label_text(label, text))
        if origin:
            self.page.mark(origin, at, self.page.length)
        self._totals.write(self.page.length - before)

    def finish(self, merged: Sequence[Area] = (), declared: Sequence[Area] = ()) -> PageText:
        """Return the page with its tables, followed by stored values and formulas.

        Values stored in the covered part of `merged` cells are hidden. `declared` are tables whose first row names
        their columns.
        """
        tops: dict[tuple[int, int], Area] = {(area.top, area.left): area for area in merged}
        self._hide_covered(merged)
        text = self.page.text()
        named, naming = dict[int, int](), list[int]()
        for first, end in pairwise([*self._join_blocks(text, tops), len(self._starts)]):
            used = sorted(set(self._columns[first:end]))
            found = self._to_tables(text, range(first, end), used, tops, declared)
            # Rows after an empty one may still belong to the names above, if these name all of their columns.
            is_rest = found and not found[0].header_rows and all(column in named for column in used[1:])
            if is_rest and used[0] in naming:
                found = self._to_tables(text, range(first, end), naming, tops, declared)
                found[0] = found[0]._replace(continues=named[used[-1]])
            elif found:
                naming = used
                named = {column: found[-1].start for at, column in enumerate(used) if [*found[-1].names_of(at)]}
            self.page.tables += found
        room = max(self.page.length, _LEAST_ROOM)
        self._append_lines("stored value", "stored values of cells that show less", self._stored, room)
        lines = self.formulas.list_lines()
        self._totals.unlisted["formula"] += self.formulas.unlisted
        self._append_lines("formula", "formulas", lines, room)
        return self.page

    def _join_blocks(self, text: str, tops: dict[tuple[int, int], Area]) -> Iterator[int]:
        """Yield the first cells of blocks; rows that begin with figures join the block of names directly above them."""
        names: set[int] = set()
        for first, end in pairwise([*self._blocks, len(self._starts)]):
            figures = (at for at in range(first, end) if is_figure(text[self._starts[at] : self._ends[at]]))
            found = list(figures if names else islice(figures, 1))
            begins = found and self._rows[found[0]] == self._rows[first]
            if not begins or not names.issuperset(self._columns[at] for at in found):
                yield first
            last = () if found else (at for at in range(first, end) if self._rows[at] == self._rows[end - 1])
            cells = [(self._rows[at], self._columns[at]) for at in last]
            spans = [range(at, (tops[row, at].right if (row, at) in tops else at) + 1) for row, at in cells]
            names = set(chain(*spans)) if sum(map(len, spans)) <= _WIDEST else set()

    def _to_tables(
        self, text: str, block: range, used: list[int], tops: dict[tuple[int, int], Area], declared: Sequence[Area]
    ) -> list[Table]:
        """Return the tables of a block of rows; its columns are those with content."""
        if len(used) < 2:
            return []
        numbers = {column: number for number, column in enumerate(used)}
        grid = []
        for row, places in groupby(block, key=self._rows.__getitem__):
            cells = []
            for at in places:
                start, stop, column = self._starts[at], self._ends[at], self._columns[at]
                area = tops.get((row, column))
                last = bisect_right(used, area.right) - 1 if area else numbers[column]
                cells.append(GridCell(text[start:stop], start, stop, numbers[column], last))
            is_header = any(area.top == row for area in declared)
            grid.append(GridRow(cells[0].start, cells[-1].end, cells, self._indents.get(row, 0.0), is_header))
        return make_tables(grid, len(used))

    def _hide_covered(self, merged: Sequence[Area]) -> None:
        """Mark values stored in merged cells after the first: they are not shown."""
        by_row: dict[int, list[Area]] = {}
        rows = set(self._rows) if merged else set()
        for area in merged:
            few = range(area.top, area.bottom + 1)
            for row in rows.intersection(few) if len(few) <= len(rows) else filter(few.__contains__, rows):
                by_row.setdefault(row, []).append(area)
        for at, row in enumerate(self._rows) if by_row else ():
            for area in by_row.get(row, ()):
                is_first = (row, self._columns[at]) == (area.top, area.left)
                if area.left <= self._columns[at] <= area.right and not is_first:
                    self._hide(HIDDEN_CELL, self._starts[at], self._ends[at])
                    self._totals.unseen[CLIPPED] += 1

    def _append_lines(self, origin: Origin, label: str, lines: Sequence[tuple[str, str]], room: int) -> None:
        """Add lines, each with the name of its cell, up to `room` characters."""
        if not lines:
            return
        page, before = self.page, self.page.length
        at = page.add_block(f"[{label}]")
        listed = 0
        for reference, text in lines:
            if page.length - at + len(text) > room:
                break
            page.write("\n")
            self.name_place(reference)
            page.write(text if origin == "formula" else f"{reference}  {text}")
            listed += 1
        page.mark(origin, at, page.length)
        self._totals.unlisted[origin] += len(lines) - listed
        self._totals.write(page.length - before)


def describe_totals(pages: list[PageText], totals: SheetTotals, uncalculated: int) -> Iterator[Caution]:
    """Yield cautions about the sheets of a workbook."""
    sheets = [page.label for page in pages if page.hidden and page.length]
    parts = [f"the sheet{'s' * (len(sheets) > 1)} {', '.join(sheets[:8])}"[:300]] * bool(sheets)
    for kind, count in sorted(totals.hidden.items()):
        if kind == HIDDEN_CELL:
            parts.append(f"{totals.unseen.total():,} hidden cells ({describe_reasons(totals.unseen)})")
        else:
            parts.append(f"{count:,} {'rows with hidden columns' if kind == 'hidden column' else f'{kind}s'}")
    if parts:
        yield Caution("hidden-parts", f"hidden parts are read and marked: {'; '.join(parts)}")
    if uncalculated:
        what = f"{uncalculated:,} cells hold formulas without a result: the formula is given in its place"
        yield Caution("no-result", what)
    for origin, count in totals.unlisted.items():
        if count:
            yield Caution("not-listed", f"{count:,} {origin}s are not listed: there are too many")


def _quote_name(name: str) -> str:
    """Return the name of a sheet as formulas write it."""
    name = name[:_LONGEST_NAME] or "Sheet"
    return name if name.replace("_", "").isalnum() else "'" + name.replace("'", "''") + "'"
