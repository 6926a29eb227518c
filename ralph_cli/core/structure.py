"""How a text is built: its pages, parts, blocks, tables and notes, by offsets in the whole text.

A reader of a format makes these once, and nobody else recognises them again. What is not certain is not there. They are
tuples, for they come from another process and from files by the million.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, get_args

PAGE_BREAK = "\f"  # joins the pages of `Document.text`; loaders keep it out of the pages themselves

# Written for an empty cell under a named column if further cells follow in the row: they must not be read under that
# column's header. A quote may leave it out.
EMPTY_CELL = "\u2423"

# The origin of words beside the running text, or on top of the page.
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

# Origins of words that the document holds, but does not show.
HIDDEN_ORIGINS: frozenset[Origin] = frozenset(origin for origin in ORIGINS if origin.startswith("hidden "))

# Those of them that no click of a reader's brings to light, as it does a sheet, row, column or slide folded away.
UNSEEN_ORIGINS: frozenset[Origin] = frozenset(["hidden cell", "hidden text"])

# Origin of what a spreadsheet program shows in the form of its user's country: the text has one of these forms.
REGIONAL: Origin = "date or time in regional form"

# What a block of text is; furniture is what nearly every page repeats at its head or foot.
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
    """One page: `number` counts from 1, `label` is what is printed on it (often the same), text[start:end] its text."""

    number: int
    label: str
    start: int
    end: int


class Heading(NamedTuple):
    """A heading or outline entry that begins at `start`; `level` counts from 1. text[start:end] is its part.

    The text up to `sure_until` certainly belongs to it; `is_counted` says that an outline or a
    number names it. Of one that only looks like a heading that is no further than its page. `is_read_off`: its format
    does not say that it is one.
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
    """A numbered part that begins at `start`: its `key`, "7.1(a)" or "schedule 4", and what a person calls it.

    An empty key says that the part before it has ended.
    """

    start: int
    key: str
    name: str

    def moved(self, by: int) -> "Clause":
        """The part moved by `by` characters."""
        return self._replace(start=self.start + by)


class Block(NamedTuple):
    """A self-contained piece of text, text[start:end]: its sentences end in it."""

    start: int
    end: int
    kind: BlockKind

    def moved(self, by: int) -> "Block":
        """The block moved by `by` characters."""
        return Block(self.start + by, self.end + by, self.kind)


class Note(NamedTuple):
    """A footnote or endnote, text[start:end], that is cited at the character `cited`."""

    start: int
    end: int
    cited: int

    def moved(self, by: int) -> "Note":
        """The note moved by `by` characters."""
        return Note(self.start + by, self.end + by, self.cited + by)


class Addition(NamedTuple):
    """Words, text[start:end], outside of the running text. A quote of them should say their origin."""

    start: int
    end: int
    origin: Origin

    def moved(self, by: int) -> "Addition":
        """The addition moved by `by` characters."""
        return Addition(self.start + by, self.end + by, self.origin)


class NamedPlace(NamedTuple):
    """What a format itself calls its text from `start` to the next place: "Balance!B7", "cell 4", "row 12".

    In a text of lines or paragraphs it is a numbered part, "clause 7.2"; "" is text behind the last of them.
    """

    start: int
    name: str

    def moved(self, by: int) -> "NamedPlace":
        """The place moved by `by` characters."""
        return NamedPlace(self.start + by, self.name)


class ScannedPage(NamedTuple):
    """The page `number`, which begins at `start`, was read by OCR: `words` are its words, their places on the page and
    the confidence in each, as `pack_words` keeps them.
    """

    number: int
    start: int
    words: bytes


class Column(NamedTuple):
    """A column of a table: the room from `left` to `right`, in points from the page's left edge, 0 without places.

    `is_label`: its cells say what a row is about, and are no values of it.
    """

    left: float = 0.0
    right: float = 0.0
    is_label: bool = False


class Row(NamedTuple):
    """A row of a table, text[start:end]. `parent` is the row that heads its group, by number, -1 if it is in none.

    `goes_on`: its label is the rest of that of the row before it.
    """

    start: int
    end: int
    parent: int = -1
    goes_on: bool = False


class Cell(NamedTuple):
    """A filled cell, text[start:end], in a row of its table, that covers the columns from `column` to `last`."""

    start: int
    end: int
    row: int
    column: int
    last: int


@dataclass(frozen=True, slots=True)
class Label:
    """Words of a table on one line, text[start:end]: what names a row or a column, or says in what it counts."""

    text: str
    start: int
    end: int


class Statement(NamedTuple):
    """Words, text[start:end], that say in what the figures of a table are given: its scale, unit or currency.

    They are of all the table, or of the one `row` or `column` with that number, where these are not -1.
    """

    start: int
    end: int
    row: int = -1
    column: int = -1


class Table(NamedTuple):
    """A table, text[start:end]: its columns from left to right, its rows from top to bottom, and its cells in order.

    The names of its columns are the cells of the first `header_rows`. If it `continues` the table that begins at that
    character (-1: none), that one names its columns where it has no header rows of its own. text[title:start] is
    what stands above it as its title, nothing where `title` is -1.
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
        """The table in a text that has grown by `by` characters at the place `behind`, or before the table."""

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
        """The cell that holds a character; None where none does."""
        at = bisect_right(self.cells, offset, key=itemgetter(0)) - 1
        return self.cells[at] if at >= 0 and offset < self.cells[at].end else None

    def row_at(self, offset: int) -> int:
        """The number of the row that holds a character, or of the nearest one before it; -1 above the first."""
        return bisect_right(self.rows, offset, key=itemgetter(0)) - 1

    def cells_of(self, row: int) -> Sequence[Cell]:
        """The filled cells of a row, from left to right."""
        first = bisect_right(self.cells, row - 1, key=itemgetter(2))
        return self.cells[first : bisect_right(self.cells, row, lo=first, key=itemgetter(2))]

    def groups_of(self, row: int) -> Iterator[int]:
        """A row and the rows that head its groups, the innermost first, by their numbers."""
        while row >= 0:
            yield row
            row = self.rows[row].parent

    def labels_of(self, row: int) -> Iterator[list[Cell]]:
        """The cells that say what a row is about, the innermost group first; one that goes over lines is several."""
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
        """The header cells above a column, or above several up to `last`, the outermost first; one that goes over lines
        is several."""
        last = max(column, last)
        header = self.cells[: bisect_right(self.cells, self.header_rows - 1, key=itemgetter(2))]
        wide = len(self.columns) - 1  # a cell above all columns is a title
        above = (it for it in header if it.column <= last and column <= it.last)
        above = (it for it in above if it.column or it.last < wide or not wide)
        for _, lines in groupby(above, key=itemgetter(3, 4)):
            yield list(lines)


# Formats in which a person names a place by the numbered part: their texts have no pages, nor places of their own.
CLAUSE_KINDS = frozenset(["text", "markdown", "html", "docx", "odt", "rtf"])

# The fields of a document that hold what begins at some place of its text, in the order of these places.
POSITIONED = ("headings", "quoted", "notes", "tables", "blocks", "clauses", "additions", "places")


def move_positioned(found: Any, by: int, low: int = 0, high: int | None = None) -> dict[str, Any]:
    """The parts of a text by field: all that begin from `low` to before `high`, moved by `by` characters."""
    end = float("inf") if high is None else high
    return {name: tuple(one.moved(by) for one in getattr(found, name) if low <= one.start < end) for name in POSITIONED}
