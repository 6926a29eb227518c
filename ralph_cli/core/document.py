"""Defines a document: one immutable text with a map from character offsets to pages."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Literal, TypeVar, get_args

from ralph_cli.core.structure import (
    CLAUSE_KINDS,
    Addition,
    Block,
    Cell,
    Clause,
    Heading,
    Label,
    NamedPlace,
    Note,
    Page,
    ScannedPage,
    Span,
    Statement,
    Table,
)

T = TypeVar("T")

# The languages whose figures and dates are parsed, as ISO 639-1 codes.
Language = Literal["de", "en", "es", "fr", "it", "ja", "pt", "zh"]

LANGUAGES: frozenset[str] = frozenset(get_args(Language))

# The word for a page, in the formats that always have pages.
PAGE_NOUNS: dict[str, str] = {
    "pdf": "page",
    "pptx": "slide",
    "odp": "slide",
    "xlsx": "sheet",
    "xlsb": "sheet",
    "xls": "sheet",
    "ods": "sheet",
    "epub": "chapter",
    "image": "page",
}


SKIPPED = "skipped"  # code of the caution about a file that was named or found but is not in the set


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning for readers of the document: something was replaced, skipped or unreadable."""

    code: str
    message: str
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One document of a set: text[start:end] of the set's text, with its pages from `first_page` on.

    `name` is unique within the set; `path`, `kind`, `sha256` and `fingerprint` are those of the document. A document
    inside an archive or a mail has the path of that file, and `inner` has its names within the file, outermost first.
    """

    name: str
    path: str
    kind: str
    sha256: str
    fingerprint: str
    start: int
    end: int
    first_page: int
    pages: int
    inner: tuple[str, ...] = ()

    @property
    def last_page(self) -> int:
        """The number of the member's last page in the set."""
        return self.first_page + self.pages - 1


_LONG_NAME = 48  # most characters of a document's name that are repeated with each of its pages

_FILLED_LINE = re.compile(r"\S[^\n]*")
_IN_BRACKETS = re.compile(r"\(.*\)")
# Matches a statement that says more than a currency: "Shares (in thousands)", but not "Value ($)".
_SAYS_UNIT = re.compile(r"[%\u2030]|[^\W\d_A-Z][^(]*\Z")

# Matches a cell with its own unit or scale, or with a date: "2.1%", "(7.6) pp", "November 2016", "3/1/18".
_OWN_UNIT = re.compile(
    r"[%\u2030]|[^\W\d_][^\W\d_A-Z]{2}|\d\)?\s?(?![A-Z]{3}\b)[^\W\d_]|\d:\d|\b\d{1,4}([-/.])\d{1,2}\1\d{2,4}\b(?!\1)"
)

_KINDS_WITH_LINES = frozenset(["text", "markdown", "code", "csv", "json"])


@dataclass(frozen=True, slots=True)
class Document:
    """One loaded document.

    `id` is the first 16 hex digits of `sha256`, the hash of the file's bytes. `fingerprint` also covers the loader's
    name, version and options, so equal fingerprints mean equal `text`. Formats without pages have a single page 1.

    `quoted` are the passages that the format marks as quotations, such as <blockquote>; `notes` are those of docx.
    `tables` record the column of each figure, because a row of text does not show empty cells. `additions` and `places`
    are sorted, and additions do not overlap. `scans` are the pages that were read by OCR.

    The `members` of a set (kind "set") are its documents in order; its pages are numbered consecutively. Models see the
    file's name, or `called`, the name that the file had in earlier questions. `language` is the language that a person
    set (ISO 639-1); if empty, it is detected from the text.
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
    blocks: tuple[Block, ...] = ()
    clauses: tuple[Clause, ...] = ()
    additions: tuple[Addition, ...] = ()
    places: tuple[NamedPlace, ...] = ()
    members: tuple[Member, ...] = ()
    scans: tuple[ScannedPage, ...] = ()
    language: str = ""
    called: str = ""
    _derived: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def derive(self, make: Callable[["Document"], T]) -> T:
        """Return the value of `make` for this document. The value is cached, because documents never change."""
        if make not in self._derived:
            self._derived[make] = make(self)
        derived: T = self._derived[make]
        return derived

    def in_language(self, language: str | None) -> "Document":
        """Return the document with this language; unchanged if `language` is empty."""
        return replace(self, language=language) if language and language != self.language else self

    def table_at(self, offset: int) -> Table | None:
        """Return the table that contains `offset`; None outside tables, and between a title and its rows."""
        at = bisect_right(self.tables, offset, key=attrgetter("start")) - 1
        return self.tables[at] if at >= 0 and offset < self.tables[at].end else None

    def cells_in(self, start: int, end: int) -> Iterator[Cell]:
        """Yield the cells that overlap or touch text[start:end]."""
        first = max(bisect_right(self.tables, start, key=attrgetter("start")) - 1, 0)
        for table in self.tables[first : bisect_left(self.tables, end, key=attrgetter("start"))]:
            if start < table.end:
                low = max(bisect_left(table.cells, start, key=attrgetter("start")) - 1, 0)
                yield from table.cells[low : bisect_right(table.cells, end, key=attrgetter("start"))]

    def column_labels(self, table: Table, column: int, last: int = -1) -> tuple[Label, ...]:
        """Return the labels of a column, or of the columns up to `last`, outermost first. Labels that only state a
        scale are left out.
        """
        naming = self._naming_table(table)
        if len(naming.columns) <= max(column, last):
            return ()
        stated = {it.start for it in naming.statements if it.row == -1}
        read = ((cells[0].start in stated, self._label(cells)) for cells in naming.names_of(column, last))
        return tuple(label for states, label in read if not (states and _IN_BRACKETS.fullmatch(label.text)))

    def column_path(self, table: Table, column: int, last: int = -1) -> tuple[str, ...]:
        """Return the words of `column_labels`, such as ("Corporate", "2021")."""
        return tuple(label.text for label in self.column_labels(table, column, last))

    def row_labels(self, table: Table, row: int) -> tuple[Label, ...]:
        """Return the labels of a row, outermost group first."""
        return tuple(map(self._label, [*table.labels_of(row)][::-1]))

    def row_path(self, table: Table, row: int) -> tuple[str, ...]:
        """Return the words of `row_labels`, such as ("Net revenues", "Corporate")."""
        return tuple(label.text for label in self.row_labels(table, row))

    def statements_of(self, table: Table, row: int, cell: Cell | None = None) -> list[Statement]:
        """Return the statements of scale, unit or currency that apply to a row, or to one of its cells.

        The order is: the row and its groups (innermost first), the column, the whole table. Statements of the whole
        table are included only if the others say no more than a currency. The result is empty for a cell with its own
        unit or a date.
        """
        if cell and _OWN_UNIT.search(self.text, cell.start, cell.end):
            return []
        found = [it for group in table.groups_of(row) for it in table.statements if it.row == group]
        found += (it for it in table.statements if cell and cell.column <= it.column <= cell.last)
        if not any(_SAYS_UNIT.search(self.text, it.start, it.end) for it in found):
            found += (it for it in table.statements if it.row == it.column == -1)
        return found

    def lines_above(self, offset: int) -> tuple[Span, ...]:
        """Return the lines that govern the table row at `offset`: statements of scale and unit, column names, group
        labels.

        The result is empty outside table rows.
        """
        table = self.table_at(offset)
        row = table.row_at(offset) if table else -1
        if table is None or row < table.header_rows:
            return ()
        named = self._naming_table(table)
        lines = [it[:2] for it in self.statements_of(table, row) if it.row != row]
        lines += [it[:2] for it in named.rows[: named.header_rows]]
        for group in [*table.groups_of(row)][1:]:
            labels = [it for it in table.cells_of(group) if table.columns[it.column].is_label]
            lines.append((labels[0].start, labels[-1].end) if labels else table.rows[group][:2])
        apart: list[Span] = []
        for start, end in sorted(lines, key=lambda line: (line[0], -line[1])):
            if not apart or start >= apart[-1].end:
                apart.append(Span(start, end))
        return tuple(apart)

    def _naming_table(self, table: Table) -> Table:
        """Return the table whose header rows name the columns: `table` itself, or the table that it continues."""
        before = self.table_at(table.continues) if table.continues >= 0 and not table.header_rows else None
        return before or table

    def _label(self, cells: Sequence[Cell]) -> Label:
        words = " ".join(" ".join(self.text[cell.start : cell.end] for cell in cells).split())
        return Label(words, cells[0].start, cells[-1].end)

    def sections_at(self, offset: int) -> tuple[Heading, ...]:
        """Return the headings that certainly apply to a character, outermost first; possibly none.

        A heading without a number counts only if it is the nearest one above and on the same page, because its extent
        is unknown.
        """
        above = self.headings[: bisect_right(self.headings, offset, key=attrgetter("start"))]
        found = [heading for heading in above if heading.is_counted and offset < heading.sure_until]
        near = next((heading for heading in reversed(above) if heading.sure_until > heading.start), None)
        return (*found, near) if near and not near.is_counted and offset < near.sure_until else tuple(found)

    def clauses_in(self, start: int, end: int) -> tuple[Clause, ...]:
        """Return the numbered parts that begin in text[start:end]."""
        low, high = (bisect_left(self.clauses, offset, key=attrgetter("start")) for offset in (start, end))
        return self.clauses[low:high]

    def clause_at(self, offset: int) -> Clause | None:
        """Return the numbered part that contains a character. A part with a letter ends with its paragraph."""
        begin = self._file_at(offset)[0]
        at = bisect_right(self.clauses, offset, key=attrgetter("start")) - 1
        while at >= 0 and "(" in self.clauses[at].key and "\n\n" in self.text[self.clauses[at].start : offset]:
            at -= 1
        is_inside = at >= 0 and self.clauses[at].start >= begin
        return self.clauses[at] if is_inside and self.clauses[at].key else None

    def block_at(self, offset: int) -> Block | None:
        """Return the block that contains a character; None between blocks."""
        at = bisect_right(self.blocks, offset, key=attrgetter("start")) - 1
        return self.blocks[at] if at >= 0 and offset < self.blocks[at].end else None

    @property
    def unreadable_pages(self) -> tuple[int, ...]:
        """The pages that could not be read as text, or only in part."""
        return tuple(sorted({page for caution in self.cautions for page in caution.pages}))

    @property
    def paged(self) -> bool:
        """Whether page numbers are meaningful to a reader."""
        return len(self.pages) > 1 or self.kind in PAGE_NOUNS

    @property
    def page_noun(self) -> str:
        """The word for the document's pages: "slide", "sheet", "chapter"; "page" in most formats."""
        return PAGE_NOUNS.get(self.kind, "page")

    def page_at(self, offset: int) -> Page:
        """Return the page that contains `offset`; a page break belongs to the page before it. Raises ValueError if
        `offset` is outside.
        """
        if not 0 <= offset < max(len(self.text), 1):
            raise ValueError(f"offset {offset} is outside the document (0..{len(self.text)})")
        return self.pages[max(bisect_right(self.pages, offset, key=lambda page: page.start) - 1, 0)]

    def line_at(self, offset: int) -> str:
        """Return the line of `offset` in a text without pages, as "line 120"; or its paragraph, as docx and HTML have
        no lines.
        """
        begin, kind = self._file_at(offset)
        if kind not in _KINDS_WITH_LINES:
            return f"paragraph {max(sum(1 for _ in _FILLED_LINE.finditer(self.text, begin, offset + 1)), 1)}"
        before = self.text.count("\n", begin, offset + 1)
        return f"line {before + 1}"

    def describe_span(self, span: Span) -> str:
        """Return where a reader finds a passage, in the terms of its format and with its document if in a set.

        "p. 3-4 (printed iii)", "slide 4", "Balance!B7 to D7", or "clause 7.2, line 120, under “Term”" without pages.
        """
        member = self.member_at(span.start)
        return f"{member.name}, {self._place_in(member, span)}" if member else self._place_in(None, span)

    def own_number(self, page: Page) -> int:
        """Return the number of a page within its own document; outside a set, this is the page's number."""
        member = self.member_at(page.start)
        return page.number - (member.first_page - 1 if member else 0)

    def describe_page(self, page: Page) -> str:
        """Return a page for use in a sentence, as "page 3"; in a set, with its document and numbered within it."""
        member = self.member_at(page.start)
        noun = PAGE_NOUNS.get(member.kind if member else self.kind, "page")
        return f"{noun} {self.own_number(page)} of {member.name}" if member else f"{noun} {page.number}"

    def name_page(self, page: Page) -> str:
        """Return the name of a page beyond its number in the set: "a.pdf p. 3", "b.txt", "slide 4 (Outlook)"."""
        member = self.member_at(page.start)
        if member is None:
            return describe_pages(page.number, page.number, page.label, self.page_noun)
        name = member.name if len(member.name) <= _LONG_NAME else f"...{member.name[-_LONG_NAME:]}"
        if member.pages == 1 and member.kind not in PAGE_NOUNS:
            return name
        own, noun = self.own_number(page), PAGE_NOUNS.get(member.kind, "page")
        return f"{name} {describe_pages(own, own, '' if noun == 'page' else page.label, noun)}"

    def noun_at(self, offset: int) -> str:
        """Return the word for the page that contains `offset`, in its format: "page", "sheet", "slide"."""
        return PAGE_NOUNS.get(self._file_at(offset)[1], "page")

    def name_place(self, span: Span) -> str:
        """Return the format's own name for the location of a passage: "Balance!B7 to D7", "row 12"; "" without such
        names.
        """
        begin, kind = self._file_at(span.start)
        names = [name for at in (span.start, span.end - 1) if (name := self._place_name(at, begin))]
        if not names or kind in CLAUSE_KINDS:
            return ""
        first, last = names[0], names[-1]
        return first if first == last else f"{first} to {last.removeprefix(_common_start(first, last))}"

    def place_beside_pages(self, span: Span) -> str:
        """Return the location of a passage as `describe_span` does; "" if the number and label of its page say
        it all.
        """
        by_page = self.paged and PAGE_NOUNS.get(self.kind, "page") == "page" and not self.places and not self.members
        return "" if by_page else self.describe_span(span)

    def member_at(self, offset: int) -> "Member | None":
        """Return the document of a set that contains `offset`; None outside a set."""
        at = bisect_right(self.members, offset, key=lambda member: member.start) - 1
        return self.members[max(at, 0)] if self.members else None

    def _file_at(self, offset: int) -> tuple[int, str]:
        """Return the start and the kind of the file that contains `offset`."""
        member = self.member_at(offset)
        return (member.start, member.kind) if member else (0, self.kind)

    def _place_in(self, member: "Member | None", span: Span) -> str:
        begin, end, kind = (member.start, member.end, member.kind) if member else (0, len(self.text), self.kind)
        if name := self.name_place(span):
            return name
        first_page, last_page = self.page_at(span.start), self.page_at(min(span.end, max(end, 1)) - 1)
        before = member.first_page - 1 if member else 0
        if kind in PAGE_NOUNS or (member.pages > 1 if member else self.paged):
            numbers = first_page.number - before, last_page.number - before
            return describe_pages(*numbers, first_page.label, PAGE_NOUNS.get(kind, "page"))
        heading = self._heading_above(span.start, begin)
        clause = self._place_name(span.start, begin)
        number = clause.rpartition(" ")[2]
        is_told = not clause or re.match(rf"\W*(?:\w+ )?{re.escape(number)}(?![\w(]|\.\d)", heading)
        line = self.line_at(span.start)
        at = line if is_told else f"{clause}, {line}"
        return f"{at}, under “{heading}”" if heading else at

    def _place_name(self, offset: int, begin: int) -> str:
        at = bisect_right(self.places, offset, key=lambda place: place.start) - 1
        return self.places[at].name if at >= 0 and self.places[at].start >= begin else ""

    def _heading_above(self, offset: int, begin: int) -> str:
        above = self.headings[: bisect_right(self.headings, offset, key=attrgetter("start"))]
        nearest = next((heading for heading in reversed(above) if not heading.is_read_off), None)
        return " ".join(nearest.text.split())[:60] if nearest and nearest.start >= begin else ""


def describe_pages(first: int, last: int, label: str, noun: str = "page") -> str:
    """Return page numbers with the label printed on the first page: "p. 3 (printed iii)", "slides 3-4", "sheet 2
    (Costs)".
    """
    numbers = str(first) if last <= first else f"{first}-{last}"
    printed = "" if label in ("", str(first)) else f" (printed {label})" if noun == "page" else f" ({label})"
    return (f"p. {numbers}" if noun == "page" else f"{noun}{'s' * (last > first)} {numbers}") + printed


def _common_start(first: str, last: str) -> str:
    """Return the common beginning of two place names up to "!" or a comma, which the end of a range omits."""
    starts = (f"{first.rpartition(mark)[0]}{mark}" for mark in ("!", ", ") if mark in first)
    return next((start for start in starts if last.startswith(start)), "")
