"""What a parser hands back: pages, headings and cautions, checked before they become a document."""

import json
from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.document import (
    CLAUSE_KINDS,
    ORIGINS,
    PAGE_BREAK,
    Addition,
    Caution,
    Cell,
    Column,
    Document,
    Heading,
    NamedPlace,
    Note,
    Page,
    ScannedPage,
    Span,
    Table,
)
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.ocr.words import WORD_FIELDS, unpack_words
from ralph_cli.documents.structure.clauses import clause_places

_REQUIRED_KEYS = {"pages", "headings", "cautions"}
_OPTIONAL_KEYS = {"quoted", "notes", "tables", "additions", "places", "scans", "refusal"}
MAX_HEADINGS = 50_000
"""Headings that a document may have."""

MISSING_FONTS = "missing-fonts"
"""Code of the caution that a text depends on the fonts of the machine, which may have more of them tomorrow."""

MAX_PASSAGES = 100_000
"""Quotations, notes or additions that a document may have."""

_MAX_TABLES, _MAX_CELLS = 50_000, 2_000_000
_MAX_PLACES = 2_000_000
MOST_PLACES = 500_000
"""Places that are kept of a document."""

_MOST_NAME_BYTES = 48 << 20
_MAX_CAUTIONS = 100
_MAX_LABEL = 40
_MAX_PLACE = 120
_MAX_HEADING = 500
_MAX_MESSAGE = 1_000


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """The text of one page, without page breaks, and the label printed on it ("" when it has none)."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class ParsedHeading:
    """A heading at `offset` characters into the page with index `page` (from 0)."""

    page: int
    offset: int
    text: str
    level: int


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """A note, `start` to `end` on the page with index `page`, cited at the character `cited` of that page."""

    page: int
    start: int
    end: int
    cited: int


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """A table on the page with index `page`; all its offsets are relative to that page."""

    page: int
    table: Table


@dataclass(frozen=True, slots=True)
class ParsedAddition:
    """An addition on the page with index `page`; its offsets are relative to that page."""

    page: int
    addition: Addition


@dataclass(frozen=True, slots=True)
class ParsedPlace:
    """What the format calls the text from character `offset` of the page with index `page` on."""

    page: int
    offset: int
    name: str


@dataclass(frozen=True, slots=True)
class ParsedScan:
    """The words that were read off the picture of the page with index `page`, as `pack_words` keeps them."""

    page: int
    words: bytes


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The result of one parser run. Offsets are relative to pages, so whatever a parser says, pages tile the text.

    `quoted` holds (page index, start, end) of the passages that the format marks as quotations. `refusal` is why this
    is no document to ask about, and what to do, unless its pages can be read as pictures.
    """

    pages: tuple[ParsedPage, ...]
    headings: tuple[ParsedHeading, ...] = ()
    cautions: tuple[Caution, ...] = ()
    quoted: tuple[tuple[int, int, int], ...] = ()
    notes: tuple[ParsedNote, ...] = ()
    tables: tuple[ParsedTable, ...] = ()
    additions: tuple[ParsedAddition, ...] = ()
    places: tuple[ParsedPlace, ...] = ()
    scans: tuple[ParsedScan, ...] = ()
    refusal: tuple[str, str] | None = None

    def to_json(self) -> bytes:
        """A compact form that `from_json` reads back."""
        value: dict[str, Any] = {
            "pages": [[page.text, page.label] for page in self.pages],
            "headings": [[h.page, h.offset, h.text, h.level] for h in self.headings],
            "cautions": [[c.code, c.message, list(c.pages)] for c in self.cautions],
        }
        if self.quoted:
            value["quoted"] = [list(place) for place in self.quoted]
        if self.notes:
            value["notes"] = [[note.page, note.start, note.end, note.cited] for note in self.notes]
        if self.tables:
            value["tables"] = [_table_to_row(found) for found in self.tables]
        if self.additions:
            rows = ((found.page, found.addition) for found in self.additions)
            value["additions"] = [[page, it.start, it.end, it.origin] for page, it in rows]
        if self.places:
            value["places"] = [[place.page, place.offset, place.name] for place in self.places]
        if self.scans:
            value["scans"] = [[scan.page, list(memoryview(scan.words).cast("i"))] for scan in self.scans]
        if self.refusal:
            value["refusal"] = list(self.refusal)
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")

    @classmethod
    def from_json(cls, data: bytes, limits: LoadLimits) -> "ParsedDocument":
        """Read the form of `to_json` back; ValueError for anything a correct parser would not have written."""
        value = read_json(data)
        if not isinstance(value, dict) or not _REQUIRED_KEYS <= set(value) <= _REQUIRED_KEYS | _OPTIONAL_KEYS:
            raise ValueError("not a parser's result")
        pages = tuple(
            ParsedPage(text, label) for text, label in validated_rows(value["pages"], (str, str), limits.pages)
        )
        headings = tuple(
            ParsedHeading(*row) for row in validated_rows(value["headings"], (int, int, str, int), MAX_HEADINGS)
        )
        warnings = validated_rows(value["cautions"], (str, str, list), _MAX_CAUTIONS)
        cautions = tuple(Caution(code, message, tuple(numbers)) for code, message, numbers in warnings)
        quoted = tuple((a, b, c) for a, b, c in validated_rows(value.get("quoted", []), (int, int, int), MAX_PASSAGES))
        notes = tuple(
            ParsedNote(*row) for row in validated_rows(value.get("notes", []), (int, int, int, int), MAX_PASSAGES)
        )
        rows = validated_rows(value.get("tables", []), (int, int, int, list, list), _MAX_TABLES)
        tables = tuple(_table_from_row(*row) for row in rows)
        rows = validated_rows(value.get("additions", []), (int, int, int, str), MAX_PASSAGES)
        additions = tuple(ParsedAddition(page, Addition(*row)) for page, *row in rows)
        places = tuple(
            ParsedPlace(*row) for row in validated_rows(value.get("places", []), (int, int, str), _MAX_PLACES)
        )
        scans = tuple(_scan_from_row(*row) for row in validated_rows(value.get("scans", []), (int, list), limits.pages))
        refusal = next(iter(validated_rows([value["refusal"]], (str, str), 1)), None) if "refusal" in value else None
        refused = (refusal[0], refusal[1]) if refusal else None
        parsed = cls(pages, headings, cautions, quoted, notes, tables, additions, places, scans, refused)
        parsed.validate(limits)
        return parsed

    def validate(self, limits: LoadLimits) -> None:
        """ValueError unless every offset, number and string is one that a correct parser may return."""
        if not 0 < len(self.pages) <= limits.pages:
            raise ValueError("no pages, or too many")
        if sum(len(page.text) for page in self.pages) > limits.characters:
            raise ValueError("too many characters")
        for page in self.pages:
            if PAGE_BREAK in page.text or len(page.label) > _MAX_LABEL:
                raise ValueError("a page break inside a page, or an overlong label")
            page.text.encode("utf-8")  # UnicodeEncodeError, a ValueError, for half a surrogate pair
        for heading in self.headings:
            if not 0 <= heading.page < len(self.pages) or not 1 <= heading.level <= 100:
                raise ValueError("a heading on a page that does not exist")
            if not 0 <= heading.offset <= len(self.pages[heading.page].text) or len(heading.text) > _MAX_HEADING:
                raise ValueError("a heading outside its page")
        for index, start, end in (*self.quoted, *((note.page, note.start, note.end) for note in self.notes)):
            if not 0 <= index < len(self.pages) or not 0 <= start < end <= len(self.pages[index].text):
                raise ValueError("a quotation or note outside its page")
        if any(not 0 <= note.cited <= len(self.pages[note.page].text) for note in self.notes):
            raise ValueError("a note that is cited outside its page")
        if sum(len(found.table.cells) for found in self.tables) > _MAX_CELLS:
            raise ValueError("too many cells")
        for found in self.tables:
            if not 0 <= found.page < len(self.pages) or not _is_within(found.table, len(self.pages[found.page].text)):
                raise ValueError("a table or cell outside its page")
        self._validate_additions()
        self._validate_places()
        self._validate_scans()
        for caution in self.cautions:
            if len(caution.message) > _MAX_MESSAGE or any(
                type(number) is not int or not 0 < number <= len(self.pages) for number in caution.pages
            ):
                raise ValueError("a caution about pages that do not exist")

    def _validate_additions(self) -> None:
        last = (0, 0)
        for page, addition in ((found.page, found.addition) for found in self.additions):
            if not 0 <= page < len(self.pages) or not 0 <= addition.start < addition.end <= len(self.pages[page].text):
                raise ValueError("an addition outside its page")
            if (page, addition.start) < last or addition.origin not in ORIGINS:
                raise ValueError("additions out of order, or of no known origin")
            last = (page, addition.end)

    def _validate_places(self) -> None:
        last = (0, 0)
        for place in self.places:
            if not 0 <= place.page < len(self.pages) or not 0 <= place.offset <= len(self.pages[place.page].text):
                raise ValueError("a place outside its page")
            if (place.page, place.offset) < last or not 0 < len(place.name) <= _MAX_PLACE:
                raise ValueError("places out of order, or of no name or an overlong one")
            if not place.name.isprintable():
                raise ValueError("a place whose name does not fit on one line")
            last = (place.page, place.offset)

    def _validate_scans(self) -> None:
        last_page = -1
        for scan in self.scans:
            if not last_page < scan.page < len(self.pages):
                raise ValueError("scanned pages out of order, or that do not exist")
            last_page, last = scan.page, 0
            for word in unpack_words(scan.words):
                if not last <= word.start < word.end <= len(self.pages[scan.page].text):
                    raise ValueError("a scanned word outside its page, or out of order")
                if not 0 <= word.confidence <= 100 or word.left > word.right or word.bottom > word.top:
                    raise ValueError("a scanned word of no confidence or size")
                last = word.end


def bound_tables(tables: Sequence[ParsedTable]) -> tuple[ParsedTable, ...]:
    """The first tables, as many as a document may have, with headers on one line and of bounded length."""
    kept: list[ParsedTable] = []
    cells = 0
    for found in tables[:_MAX_TABLES]:
        cells += len(found.table.cells)
        if cells > _MAX_CELLS:
            break
        columns = tuple(replace(column, header=clean_heading(column.header)) for column in found.table.columns)
        kept.append(ParsedTable(found.page, replace(found.table, columns=columns)))
    return tuple(kept)


def bound_places(places: Sequence[ParsedPlace]) -> tuple[tuple[ParsedPlace, ...], str]:
    """The first places, as many as are kept of a document, and where they end: "" if it has no more.

    Behind them one more place stands for all the rest.
    """
    room = _MOST_NAME_BYTES
    for count, place in enumerate(places):
        room -= len(place.name.encode("utf-8"))
        if count + 1 >= MOST_PLACES or room < 0:
            rest = replace(place, name=clean_place(f"{place.name} or behind it"))
            return (*places[:count], rest), f"; the last one that has a place of its own is {places[count - 1].name}"
    return tuple(places), ""


def bound_cautions(cautions: Sequence[Caution]) -> tuple[Caution, ...]:
    """The first cautions, as many as a document may have, none longer than it may be; what is left out is counted."""
    kept = [replace(caution, message=shorten(caution.message, _MAX_MESSAGE)) for caution in cautions[:_MAX_CAUTIONS]]
    if len(cautions) > _MAX_CAUTIONS:
        left = len(cautions) - _MAX_CAUTIONS + 1
        kept[-1] = Caution("more-findings", f"{left:,} more findings about this document are not listed")
    return tuple(kept)


def clean_place(name: str) -> str:
    """The name of a place on one line; what stands in the middle of a long one is left out."""
    line = name if name.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in name)
    if len(line) <= _MAX_PLACE:
        return line
    half = _MAX_PLACE // 2
    return f"{line[:half]}\u2026{line[1 - half :]}"


def shorten(text: str, most: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def _is_within(table: Table, length: int) -> bool:
    """Whether a table lies within `length` characters, and its cells, in order, within the table and its columns."""
    if not 0 <= table.start < table.end <= length:
        return False
    if any(len(column.header) > _MAX_HEADING or not column.left <= column.right for column in table.columns):
        return False
    last = table.start
    for cell in table.cells:
        if not last <= cell.start < cell.end <= table.end or not 0 <= cell.column < len(table.columns):
            return False
        last = cell.end
    return True


def _table_to_row(found: ParsedTable) -> list[Any]:
    table = found.table
    columns = [[column.header, column.left, column.right] for column in table.columns]
    return [found.page, table.start, table.end, columns, [[cell.start, cell.end, cell.column] for cell in table.cells]]


def _table_from_row(page: int, start: int, end: int, columns: list[Any], cells: list[Any]) -> ParsedTable:
    named = tuple(Column(*row) for row in validated_rows(columns, (str, float, float), _MAX_CELLS))
    filled = tuple(Cell(*row) for row in validated_rows(cells, (int, int, int), _MAX_CELLS))
    return ParsedTable(page, Table(start, end, named, filled))


def _scan_from_row(page: int, numbers: list[Any]) -> ParsedScan:
    if len(numbers) % WORD_FIELDS or any(type(number) is not int for number in numbers):
        raise ValueError("malformed words of a scanned page")
    try:
        return ParsedScan(page, array("i", numbers).tobytes())
    except OverflowError as error:
        raise ValueError("a scanned word beyond any page") from error


def clean_label(label: str) -> str:
    """A page label cut to a length and to characters that fit on one line."""
    return "".join(c for c in label if c.isprintable()).strip()[:_MAX_LABEL]


def clean_heading(text: str) -> str:
    """A heading on one line, cut to a bounded length."""
    return " ".join(text.split())[:_MAX_HEADING].rstrip()


def assemble(parsed: ParsedDocument, *, path: str, kind: str, sha256: str, fingerprint: str) -> Document:
    """Join the pages with page breaks and turn page-relative offsets into document offsets."""
    pages: list[Page] = []
    start = 0
    for number, page in enumerate(parsed.pages, 1):
        end = start + len(page.text)
        pages.append(Page(number, page.label or str(number), start, end))
        start = end + len(PAGE_BREAK)
    headings = [Heading(h.text, pages[h.page].start + h.offset, h.level) for h in parsed.headings if h.text]
    headings.sort(key=lambda heading: heading.start)
    text = PAGE_BREAK.join(page.text for page in parsed.pages)
    places = [NamedPlace(pages[place.page].start + place.offset, place.name) for place in parsed.places]
    if kind in CLAUSE_KINDS and len(pages) == 1:
        places = [*clause_places(text, headings)]
    return Document(
        id=sha256[:16],
        path=path,
        kind=kind,
        sha256=sha256,
        fingerprint=fingerprint,
        text=text,
        pages=tuple(pages),
        headings=tuple(headings),
        cautions=parsed.cautions,
        quoted=tuple(Span(pages[index].start + a, pages[index].start + b) for index, a, b in parsed.quoted),
        notes=tuple(Note(*(pages[n.page].start + at for at in (n.start, n.end, n.cited))) for n in parsed.notes),
        tables=tuple(found.table.moved(pages[found.page].start) for found in parsed.tables),
        additions=tuple(found.addition.moved(pages[found.page].start) for found in parsed.additions),
        places=tuple(places),
        scans=tuple(ScannedPage(scan.page + 1, pages[scan.page].start, scan.words) for scan in parsed.scans),
    )


def read_json(data: bytes) -> Any:
    """What a parser wrote as JSON, or ValueError."""
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def validated_rows(value: Any, types: tuple[type, ...], limit: int) -> list[list[Any]]:
    """`value` as a list of rows with exactly these types (bool is not int), at most `limit` of them, or ValueError."""
    if not isinstance(value, list) or len(value) > limit:
        raise ValueError("not a list, or too long")
    for row in value:
        if not isinstance(row, list) or len(row) != len(types):
            raise ValueError("a row of the wrong length")
        if any(type(item) is not wanted for item, wanted in zip(row, types, strict=True)):
            raise ValueError("a value of the wrong type")
    return value
