"""The structure of a text: its pages, parts, blocks, tables and notes, as offsets in the whole text.

The reader of a format creates these values once; no other code detects them again. Uncertain structure is left out. The
values are tuples, because they come from another process and from files by the million.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, get_args

PAGE_BREAK = "\f"  # joins the pages of `Document.text`; loaders keep it out of the pages themselves

# Marks an empty cell under a named column if further cells follow in the row, so that these are not read under that
# column's header. A quote may leave it out.
EMPTY_CELL = "\u2423"

# The origin of words outside the running text, or on top of the page.
Origin = Literal[
    "form field",
    "signature",
    "typed note",
    "stamp",
    "comment",
    "page header",
    "page footer",
    "chart",
    "diagram",
    "image description",
    "speaker note",
    "stored value",
    "formula",
    "date or time in regional form",
    "hidden sheet",
    "hidden row",
    "hidden column",
    "hidden cell",
    "hidden slide",
    "hidden text",
]

ORIGINS: tuple[Origin, ...] = get_args(Origin)

# Origins of words that the document contains but does not show.
HIDDEN_ORIGINS: frozenset[Origin] = frozenset(origin for origin in ORIGINS if origin.startswith("hidden "))

# Hidden origins that a reader cannot show with a click, unlike a hidden sheet, row, column or slide.
UNSEEN_ORIGINS: frozenset[Origin] = frozenset(["hidden cell", "hidden text"])

# Origin of dates and times that a spreadsheet program shows in its user's regional form; the text has one such form.
REGIONAL: Origin = "date or time in regional form"

# The kind of a block of text; furniture is text that nearly every page repeats at its top or bottom.
BlockKind = Literal["paragraph", "item", "heading", "caption", "note", "table", "furniture"]


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character interval [start, end) in `Document.text`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"empty or negative span: {self.start}..{self.end}")

    def moved(self, by: int) -> "Span":
        """The span moved by `by` characters."""
        return Span(self.start + by, self.end + by)


class Page(NamedTuple):
    """One page. `number` counts from 1, `label` is printed on the page (often the same), and text[start:end] is its
    text.
    """

    number: int
    label: str
    start: int
    end: int


class Heading(NamedTuple):
    """A heading or outline entry that begins at `start`. `level` counts from 1; text[start:end] is its part.

    The text up to `sure_until` certainly belongs to the heading; without outline entry or number, this is at most the
    end of its page. `is_counted` says that an outline or a number names it. `is_read_off` says that the format does not
    mark it as a heading.
    """

    text: str
    start: int
    level: int
    end: int = 0
    sure_until: int = 0
    is_counted: bool = True
    is_read_off: bool = False

    def moved(self, by: int) -> "Heading":
        """The heading moved by `by` characters."""
        return self._replace(start=self.start + by, end=self.end + by, sure_until=self.sure_until + by)


class Clause(NamedTuple):
    """A numbered part that begins at `start`. `key` is "7.1(a)" or "schedule 4", and `name` is what a person calls it.

    An empty key marks the end of the previous part.
    """

    start: int
    key: str
    name: str

    def moved(self, by: int) -> "Clause":
        """The part moved by `by` characters."""
        return self._replace(start=self.start + by)


class Block(NamedTuple):
    """A self-contained piece of text, text[start:end]. No sentence continues beyond it."""

    start: int
    end: int
    kind: BlockKind

    def moved(self, by: int) -> "Block":
        """The block moved by `by` characters."""
        return Block(self.start + by, self.end + by, self.kind)


class Note(NamedTuple):
    """A footnote or endnote, text[start:end], that is cited at the offset `cited`."""

    start: int
    end: int
    cited: int

    def moved(self, by: int) -> "Note":
        """The note moved by `by` characters."""
        return Note(self.start + by, self.end + by, self.cited + by)


class Addition(NamedTuple):
    """Words, text[start:end], outside the running text. A quote of them should state their origin."""

    start: int
    end: int
    origin: Origin

    def moved(self, by: int) -> "Addition":
        """The addition moved by `by` characters."""
        return Addition(self.start + by, self.end + by, self.origin)


class NamedPlace(NamedTuple):
    """The format's own name for the text from `start` to the next place: "Balance!B7", "cell 4", "row 12".

    In a text of lines or paragraphs it is a numbered part, "clause 7.2"; "" marks the text after the last part.
    """

    start: int
    name: str

    def moved(self, by: int) -> "NamedPlace":
        """The place moved by `by` characters."""
        return NamedPlace(self.start + by, self.name)


class ScannedPage(NamedTuple):
    """The page `number`, which begins at `start` and was read by OCR.

    `words` are its words with their positions and confidence, in the format of `pack_words`.
    """

    number: int
    start: int
    words: bytes


class Column(NamedTuple):
    """A column of a table, from `left` to `right` in points from the page's left edge; 0 if positions are unknown.

    `is_label` says that its cells describe the rows and are not values.
    """

    left: float = 0.0
    right: float = 0.0
    is_label: bool = False


class Row(NamedTuple):
    """A row of a table, text[start:end]. `parent` is the number of the row that heads its group; -1 without a group.

    `goes_on` says that its label continues the label of the previous row.
    """

    start: int
    end: int
    parent: int = -1
    goes_on: bool = False


class Cell(NamedTuple):
    """A filled cell, text[start:end], in the row `row` of its table. It covers the columns from `column` to `last`."""

    start: int
    end: int
    row: int
    column: int
    last: int


@dataclass(frozen=True, slots=True)
class Label:
    """Words of a table on one line, text[start:end], that name a row or a column or state a unit."""

    text: str
    start: int
    end: int


class Statement(NamedTuple):
    """Words, text[start:end], that state the scale, unit or currency of a table's figures.

    They apply to one `row` or `column`, by number, or to the whole table if both are -1.
    """

    start: int
    end: int
    row: int = -1
    column: int = -1


class Table(NamedTuple):
    """A table, text[start:end]: its columns from left to right, its rows from top to bottom, and its cells in order.

    The cells of the first `header_rows` rows name the columns. `continues` is the start of the table that this one
    continues, or -1; a table without header rows takes its column names from that table. text[title:start] is the title
    above the table; `title` is -1 if there is none.
    """

    start: int
    end: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    cells: tuple[Cell, ...]
    header_rows: int = 0
    statements: tuple[Statement, ...] = ()
    title: int = -1
    continues: int = -1

    def moved(self, by: int, behind: int = -1) -> "Table":
        """Return the table for a text that grew by `by` characters at the position `behind`, or before the table."""

        def place(offset: int) -> int:
            return offset + by if offset > behind else offset

        if not by:
            return self
        return self._replace(
            start=place(self.start),
            end=place(self.end),
            rows=tuple(row._replace(start=place(row.start), end=place(row.end)) for row in self.rows),
            cells=tuple(cell._replace(start=place(cell.start), end=place(cell.end)) for cell in self.cells),
            statements=tuple(it._replace(start=place(it.start), end=place(it.end)) for it in self.statements),
            title=place(self.title) if self.title >= 0 else -1,
            continues=place(self.continues) if self.continues >= 0 else -1,
        )

    def cell_at(self, offset: int) -> Cell | None:
        """Return the cell that contains the character at `offset`, or None."""
        at = bisect_right(self.cells, offset, key=itemgetter(0)) - 1
        return self.cells[at] if at >= 0 and offset < self.cells[at].end else None

    def row_at(self, offset: int) -> int:
        """Return the number of the row that contains `offset`, or of the nearest row before it; -1 above the
        first row.
        """
        return bisect_right(self.rows, offset, key=itemgetter(0)) - 1

    def cells_of(self, row: int) -> Sequence[Cell]:
        """Return the filled cells of a row, from left to right."""
        first = bisect_right(self.cells, row - 1, key=itemgetter(2))
        return self.cells[first : bisect_right(self.cells, row, lo=first, key=itemgetter(2))]

    def groups_of(self, row: int) -> Iterator[int]:
        """Yield the numbers of a row and of the rows that head its groups, innermost first."""
        while row >= 0:
            yield row
            row = self.rows[row].parent

    def labels_of(self, row: int) -> Iterator[list[Cell]]:
        """Yield the label cells of a row, innermost group first. A label that spans several lines has several cells."""
        while row >= 0:
            first = last = row
            while self.rows[first].goes_on:
                first -= 1
            while last + 1 < len(self.rows) and self.rows[last + 1].goes_on:
                last += 1
            labels: dict[int, list[Cell]] = {}
            for number in range(first, last + 1):
                for cell in self.cells_of(number):
                    if self.columns[cell.column].is_label:
                        labels.setdefault(cell.column, []).append(cell)
            yield from (labels[column] for column in sorted(labels, reverse=True))
            row = self.rows[first].parent

    def names_of(self, column: int, last: int = -1) -> Iterator[list[Cell]]:
        """Yield the header cells above a column, or above the columns up to `last`, outermost first.

        A header that spans several lines has several cells.
        """
        last = max(column, last)
        header = self.cells[: bisect_right(self.cells, self.header_rows - 1, key=itemgetter(2))]
        wide = len(self.columns) - 1  # a cell above all columns is a title
        above = (it for it in header if it.column <= last and column <= it.last)
        above = (it for it in above if it.column or it.last < wide or not wide)
        for _, lines in groupby(above, key=itemgetter(3, 4)):
            yield list(lines)


# Formats in which people refer to numbered parts, because their texts have neither pages nor named places.
CLAUSE_KINDS = frozenset(["text", "markdown", "html", "docx", "odt", "rtf"])

# The fields of a document whose values have a start offset in its text; each field is sorted by that offset.
POSITIONED = ("headings", "quoted", "notes", "tables", "blocks", "clauses", "additions", "places")


def move_positioned(found: Any, by: int, low: int = 0, high: int | None = None) -> dict[str, Any]:
    """Return the positioned parts, by field, that begin in [low, high), moved by `by` characters."""
    end = float("inf") if high is None else high
    return {name: tuple(one.moved(by) for one in getattr(found, name) if low <= one.start < end) for name in POSITIONED}
