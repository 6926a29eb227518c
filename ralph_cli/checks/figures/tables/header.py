"""What stands above a row of a table and governs its figures: lines, scale, currency, percent, dates. Pure.

The same lines are shown to a worker, count as quoted, and are what the figures are checked against. Tables, their rows
and what governs these are those of the document.
"""

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field, replace

from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Cell, Table
from ralph_cli.documents.sniff import MAIL_KINDS
from ralph_cli.text.quantities.currencies import currencies_named
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.quantities.vocabulary import PACES
from ralph_cli.text.scales import SCALE_STATEMENT, Scales, read_scales, read_unit
from ralph_cli.text.sentences import line_at

_FEW_AMOUNTS = 5
_MOST_CELLS, _MOST_READ = 400, 20_000
_NIL = re.compile(r"[$\u20ac\u00a3\u00a5(\s]*[-\u2010-\u2015\u2212][)%\s]*")
_MAIL_DATE = re.compile(r"(?m)^Date: .*")
_NUMBERED = re.compile(r"\A\W*\w+ \d+[.:]?\s+")
PER_CENT = re.compile(r"(?i)%|\bper\s?cent")
_PER_CENT_ALONE = re.compile(r"(?i)(?<![\d)])(?<!\d\s)(?<!\)\s)(?:%|\bper\s?cent)")


@dataclass(frozen=True, slots=True)
class NamedCell:
    """A cell of a row, document.text[start:end], with what names its column."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class TableHeader:
    """What governs the figures of a row. `is_certain` says that the scales are stated for its own table.

    `cells` are those of the row's line, by their places in the document, each with the name of its column.
    `is_of_column` says that a scale stands in a line of units, each of one column.
    `unit` is one of that which its title names.
    `decimals` is how many most amounts of the table show, None for a table of few.
    """

    lines: tuple[str, ...] = ()
    cells: tuple[NamedCell, ...] = ()
    scales: Scales = field(default_factory=Scales)
    is_certain: bool = False
    is_of_column: bool = False
    currencies: frozenset[str] = frozenset()
    has_percent: bool = False
    decimals: int | None = None
    dates: tuple[Quantity, ...] = ()
    per_time: str = ""
    unit: Quantity | None = None


def read_header(text: str, context: str = "") -> TableHeader:
    """What a quoted text, and what is quoted beside it, say of its figures."""
    both = f"{context}\n{text}"
    scales = read_scales(both)
    percent = bool(_PER_CENT_ALONE.search(both))
    return TableHeader(
        scales=scales, is_certain=bool(scales.powers), currencies=currencies_named(context), has_percent=percent
    )


class TableHeaders:
    """The headers of one document's rows, each read once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._read: dict[int, TableHeader] = {}
        self._decimals: dict[int, int | None] = {}

    def at(self, offset: int) -> TableHeader:
        """The header of the line in which a place of the document stands."""
        page = self._document.page_at(offset)
        start, end = line_at(self._document.text, offset, offset, page.start, page.end)
        if start not in self._read:
            self._read[start] = self._header(offset, start, end)
        return self._read[start]

    def is_row(self, offset: int) -> bool:
        """Whether a character stands in a row of a table that is none of its header."""
        table = self._document.table_at(offset)
        return table is not None and table.row_at(offset) >= table.header_rows

    def is_in_header(self, offset: int) -> bool:
        """Whether a character stands in a row that names the columns of a table."""
        table = self._document.table_at(offset)
        return table is not None and table.row_at(offset) < table.header_rows

    def column_at(self, offset: int) -> str:
        """What names the column of the cell at a place; "" where none is known."""
        table, cell = self._cell_at(offset)
        return " ".join(self._document.column_path(table, cell.column, cell.last)) if table and cell else ""

    def signs_at(self, offset: int) -> str:
        """The words that say of the row or column in which a character stands in what its figures are given."""
        table, cell = self._cell_at(offset)
        stated = self._document.statements_of(table, cell.row, cell) if table and cell else ()
        return " ".join(self._document.text[it.start : it.end] for it in stated if it.row != it.column)

    def is_in_label(self, offset: int) -> bool:
        """Whether a character stands in a cell that says what its row is about."""
        table, cell = self._cell_at(offset)
        return table is not None and cell is not None and table.columns[cell.column].is_label

    def _cell_at(self, offset: int) -> tuple[Table | None, Cell | None]:
        table = self._document.table_at(offset)
        return table, table.cell_at(offset) if table else None

    def label_at(self, offset: int) -> str:
        """What the row of a table is about in which a character stands, with the labels of its groups."""
        table = self._document.table_at(offset)
        return " , ".join(self._document.row_path(table, table.row_at(offset))) if table else ""

    def set_cells_apart(self, quote: Quote) -> Quote:
        """A quote with a tab for each sign between two cells: "7,120,450" of a CSV file may be three figures."""
        text = list(quote.text)
        for cell in self._document.cells_in(quote.start, quote.end):
            for at in (cell.start - 1 - quote.start, cell.end - quote.start):
                if 0 <= at < len(text) and text[at] in ",;":
                    text[at] = "\t"
        return replace(quote, text="".join(text))

    def has_nil(self, quote: Quote) -> bool:
        """Whether a quote has a cell that stands for nil."""
        cells = self._document.cells_in(quote.start, quote.end)
        inside = (cell for cell in cells if cell.start < quote.end and quote.start < cell.end)
        return any(_NIL.fullmatch(self._document.text, cell.start, cell.end) for cell in inside)

    def mail_date_at(self, offset: int) -> Date | None:
        """The date of the mail in which a place stands, if it does in one."""
        member = self._document.member_at(offset)
        begin, kind = (member.start, member.kind) if member else (0, self._document.kind)
        lines = _MAIL_DATE.findall(self._document.text, begin, offset) if kind in MAIL_KINDS else ()
        return next((found.date for found in read_quantities(lines[-1]) if found.date.day), None) if lines else None

    def lines_above(self, start: int, end: int) -> tuple[str, ...]:
        """The header lines of the rows of text[start:end], each once; none for running text."""
        found: dict[str, None] = {}
        at = start
        for line in self._document.text[start:end].splitlines(keepends=True):
            found.update(dict.fromkeys(self.at(at).lines))
            at += len(line)
        return tuple(found)

    def _header(self, offset: int, start: int, end: int) -> TableHeader:
        text, document = self._document.text, self._document
        table = document.table_at(offset)
        row = table.row_at(offset) if table else -1
        if table is None or row < table.header_rows:
            return TableHeader(scales=self._scales_before(start), has_percent=bool(PER_CENT.search(text[start:end])))
        above = tuple(text[it.start : it.end].strip() for it in document.lines_above(offset))
        cells = [
            NamedCell(it.start, it.end, " ".join(document.column_path(table, it.column, it.last)))
            for it in table.cells_of(row)
        ]
        own = "\n".join(dict.fromkeys((*above, *(cell.name for cell in cells))))
        scales = read_scales(own)
        title = text[table.title : table.start] if table.title >= 0 else ""
        if table.start not in self._decimals:
            self._decimals[table.start] = _most_decimals(text, table)
        paces = {
            PACES[word] for line in own.split("\n") for word in re.findall(r"[a-z]+", line.lower()) if word in PACES
        }
        return TableHeader(
            unit=_read_title(title),
            lines=above,
            cells=tuple(cells),
            scales=scales if scales.powers else self._scales_before(start),
            is_certain=bool(scales.powers),
            is_of_column=any(
                it.column > 0 and SCALE_STATEMENT.search(text, it.start, it.end) for it in table.statements
            ),
            currencies=currencies_named("\n".join((own, title, text[table.start : table.end][:_MOST_READ]))),
            has_percent=bool(PER_CENT.search("\n".join((own, text[start:end])))),
            decimals=self._decimals[table.start],
            dates=tuple(found for found in read_quantities(own) if found.kind == "date"),
            per_time=paces.pop() if len(paces) == 1 else "",
        )

    def _scales_before(self, start: int) -> Scales:
        """The scales of the nearest line above a place that states one: they may be those of the place, too."""
        text, member = self._document.text, self._document.member_at(start)
        places = self._document.derive(_find_scales)
        at = places[bisect_left(places, start) - 1] if places else start
        if not (member.start if member else 0) <= at < start:
            return Scales()
        return read_scales(text[text.rfind("\n", 0, at) + 1 : text.find("\n", at) % (len(text) + 1)])


def _find_scales(document: Document) -> list[int]:
    """Where scales are stated in the text of a document."""
    return [match.start() for match in SCALE_STATEMENT.finditer(document.text)]


def _most_decimals(text: str, table: Table) -> int | None:
    """How many decimals most amounts of a table show, None for a table of few."""
    values = (it for it in table.cells[:_MOST_CELLS] if it.row >= table.header_rows)
    read = (found for it in values for found in read_quantities(text[it.start : it.end]))
    shown = Counter(found.decimals for found in read if found.kind in ("none", "currency", "count"))
    return shown.most_common(1)[0][0] if shown.total() > _FEW_AMOUNTS else None


def _read_title(title: str) -> Quantity | None:
    """One of the unit that the nearest line of a table's title names."""
    lines = (_NUMBERED.sub("", line.strip()) for line in reversed(title.split("\n")))
    return next(filter(None, map(read_unit, lines)), None)


def quote_header(document: Document, start: int, end: int) -> tuple[str, ...]:
    """The header lines of the rows of text[start:end] that stand above them; none for running text."""
    return TableHeaders(document).lines_above(start, end)
