"""A document is one immutable text with a map from character offsets to pages."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal, get_args

PAGE_BREAK = "\f"
"""Joins the pages of `Document.text`; loaders keep it out of the pages themselves."""

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
]
"""Where words come from that stand beside the running text, or were put over the page."""

ORIGINS: tuple[Origin, ...] = get_args(Origin)


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character interval [start, end) in `Document.text`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"empty or negative span: {self.start}..{self.end}")


@dataclass(frozen=True, slots=True)
class Page:
    """One page: `number` counts from 1, `label` is what is printed on it (often the same), text[start:end] its text."""

    number: int
    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading or outline entry that begins at `start`; `level` counts from 1."""

    text: str
    start: int
    level: int


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote, text[start:end], that is cited at the character `cited`."""

    start: int
    end: int
    cited: int


@dataclass(frozen=True, slots=True)
class Addition:
    """Words, text[start:end], that are not of the running text: whoever quotes them should say where they are from."""

    start: int
    end: int
    origin: Origin

    def moved(self, by: int) -> "Addition":
        """The same addition, so many characters further on."""
        return Addition(self.start + by, self.end + by, self.origin)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures: what its header says ("" when nothing names it), and the room from `left` to `right`.

    The room is in points from the page's left edge; both are 0 in formats without places on a page.
    """

    header: str = ""
    left: float = 0.0
    right: float = 0.0


@dataclass(frozen=True, slots=True)
class Cell:
    """A filled cell, text[start:end], in the column with the index `column` of its table."""

    start: int
    end: int
    column: int


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of figures under each other: text[start:end], their columns from left to right, and the cells in order."""

    start: int
    end: int
    columns: tuple[Column, ...]
    cells: tuple[Cell, ...]

    def moved(self, by: int, behind: int = -1) -> "Table":
        """The same table in a text that has grown by so many characters at the place `behind`, or before its start."""

        def place(offset: int) -> int:
            return offset + by if offset > behind else offset

        cells = tuple(Cell(place(cell.start), place(cell.end), cell.column) for cell in self.cells)
        return Table(place(self.start), place(self.end), self.columns, cells)


@dataclass(frozen=True, slots=True)
class Caution:
    """Something about the document a reader must know: what was replaced, skipped or could not be read."""

    code: str
    message: str
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One loaded document.

    `id` is the first 16 hex digits of `sha256`, the hash of the file's bytes; `fingerprint` also covers the loader's
    name, version and options, so equal fingerprints mean equal `text`. Formats without pages have a single page 1.
    `quoted` are the passages that the format itself marks as quotations, such as <blockquote>, `notes` those of docx.
    `tables` say under which column each figure stands, for a row of text alone does not show an empty cell.
    `additions` are in order and lie apart.
    """

    id: str
    path: str
    kind: str
    sha256: str
    fingerprint: str
    text: str
    pages: tuple[Page, ...]
    headings: tuple[Heading, ...] = ()
    cautions: tuple[Caution, ...] = ()
    quoted: tuple[Span, ...] = ()
    notes: tuple[Note, ...] = ()
    tables: tuple[Table, ...] = ()
    additions: tuple[Addition, ...] = ()

    @property
    def unreadable_pages(self) -> tuple[int, ...]:
        """The pages of which nothing, or not everything, could be read as text."""
        return tuple(sorted({page for caution in self.cautions for page in caution.pages}))

    @property
    def paged(self) -> bool:
        """Whether page numbers mean something to a reader."""
        return len(self.pages) > 1 or self.kind == "pdf"

    def page_at(self, offset: int) -> Page:
        """The page that holds the character at `offset`; a page break belongs to the page before it."""
        if not 0 <= offset < max(len(self.text), 1):
            raise ValueError(f"offset {offset} is outside the document (0..{len(self.text)})")
        return self.pages[max(bisect_right(self.pages, offset, key=lambda page: page.start) - 1, 0)]

    def line_at(self, offset: int) -> str:
        """The line of `offset` in a text without pages: "line 120"; docx and HTML have no lines, there a paragraph."""
        lines = self.text[: offset + 1].split("\n")
        if self.kind in ("docx", "html"):
            return f"paragraph {max(sum(bool(line.strip()) for line in lines), 1)}"
        return f"line {len(lines)}"

    def place_at(self, offset: int) -> str:
        """Where a reader finds `offset` in a text without pages: "line 120, under “Term”"."""
        at = bisect_right(self.headings, offset, key=lambda heading: heading.start) - 1
        under = f", under “{' '.join(self.headings[at].text.split())[:60]}”" if at >= 0 else ""
        return self.line_at(offset) + under
