"""The result of a parser: a text with its structure, validated before it becomes a document."""

import base64
import json
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import chain, pairwise
from typing import Any, ClassVar

from ralph_cli.core.document import Caution, Document
from ralph_cli.core.structure import (
    PAGE_BREAK,
    POSITIONED,
    Addition,
    Block,
    Clause,
    Heading,
    NamedPlace,
    Note,
    Page,
    ScannedPage,
    Span,
    Table,
    move_positioned,
)
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.ocr.words import WORD_FIELDS, unpack_words

# The most headings in a document.
MAX_HEADINGS = 50_000

# Code of the caution that the text depends on the machine's fonts, which can change.
MISSING_FONTS = "missing-fonts"

# The most quotations, notes or additions in a document, each.
MAX_PASSAGES = 100_000

_MAX_TABLES, _MAX_CELLS = 50_000, 2_000_000
_MAX_PLACES = _MAX_BLOCKS = 2_000_000
# The most places kept for a document.
MOST_PLACES = 500_000

_MOST_NAME_BYTES = 48 << 20
_MAX_CAUTIONS = 100
_MAX_LABEL = 40
_MAX_PLACE = 120
_MAX_HEADING = 500
_MAX_MESSAGE = 1_000
_MOST = {
    "headings": MAX_HEADINGS,
    "clauses": MAX_PASSAGES,
    "quoted": MAX_PASSAGES,
    "notes": MAX_PASSAGES,
    "tables": _MAX_TABLES,
    "blocks": _MAX_BLOCKS,
    "additions": MAX_PASSAGES,
    "places": _MAX_PLACES,
    "cautions": _MAX_CAUTIONS,
}


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The result of one parser run: the text, its pages and its structure, as in a `Document`.

    `quoted` are the passages that the format marks as quotations. `refusal` says why this document cannot be used,
    and what to do; pages that can be read as pictures override it.
    """

    __pydantic_config__: ClassVar[dict[str, object]] = {"extra": "forbid", "val_json_bytes": "base64"}

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
    scans: tuple[ScannedPage, ...] = ()
    refusal: tuple[str, str] | None = None

    def to_json(self) -> bytes:
        """Return a compact form that `from_json` reads."""
        value = {name: found for it in fields(self) if (found := getattr(self, name := it.name)) not in ((), None)}
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_to_plain).encode("utf-8")

    @classmethod
    def from_json(cls, data: bytes, limits: LoadLimits) -> "ParsedDocument":
        """Read the form that `to_json` writes. Raises ValueError for anything that a correct parser would not write."""
        parsed: ParsedDocument = _schema().validate_json(data, strict=True)
        parsed.validate(limits)
        return parsed

    def validate(self, limits: LoadLimits) -> None:
        """Raise ValueError unless a correct parser could return every offset, number and string."""
        self._validate_pages(limits)
        for name, most in _MOST.items():
            if len(getattr(self, name)) > most:
                raise ValueError(f"too many {name}")
        if sum(len(table.cells) + len(table.rows) for table in self.tables) > 2 * _MAX_CELLS:
            raise ValueError("too many cells")
        inside: Iterable[Any] = chain(self.quoted, self.notes, self.blocks, self.additions, self.tables)
        for one in inside:
            if not 0 <= one.start < one.end <= len(self.text):
                raise ValueError("something outside of the text")
        begins: Iterable[Any] = chain(self.headings, self.clauses, self.places)
        cited = (note.cited for note in self.notes)
        if any(not 0 <= start <= len(self.text) for start in chain((one.start for one in begins), cited)):
            raise ValueError("something begins outside of the text")
        for name in ("headings", "clauses", "tables", "blocks", "additions", "places"):
            _validate_order(name, getattr(self, name))
        for table in self.tables:
            _validate_table(table)
        self._validate_names()
        self._validate_scans()

    def _validate_names(self) -> None:
        for heading in self.headings:
            if not 1 <= heading.level <= 100 or not 0 < len(heading.text) <= _MAX_HEADING:
                raise ValueError("a heading of no level, or an overlong one")
            if max(heading.end, heading.sure_until) > len(self.text):
                raise ValueError("a heading that reaches out of the text")
        for place in self.places:
            if len(place.name) > _MAX_PLACE or not place.name.isprintable():
                raise ValueError("a place whose name does not fit on one line")
        for caution in self.cautions:
            if len(caution.message) > _MAX_MESSAGE or any(not 0 < it <= len(self.pages) for it in caution.pages):
                raise ValueError("a caution about pages that do not exist")

    def _validate_pages(self, limits: LoadLimits) -> None:
        if not 0 < len(self.pages) <= limits.pages:
            raise ValueError("no pages, or too many")
        if len(self.text) > limits.characters + len(self.pages):
            raise ValueError("too many characters")
        self.text.encode("utf-8")  # UnicodeEncodeError, a ValueError, for an unpaired surrogate
        starts = [0, *(page.end + len(PAGE_BREAK) for page in self.pages)]
        numbers = range(1, len(self.pages) + 1)
        if [*numbers] != [page.number for page in self.pages] or starts[:-1] != [page.start for page in self.pages]:
            raise ValueError("pages that do not follow each other")
        if any(page.end < page.start or len(page.label) > _MAX_LABEL for page in self.pages):
            raise ValueError("a page without an end, or with an overlong label")
        if self.text.count(PAGE_BREAK) != len(self.pages) - 1 or starts[-1] != len(self.text) + len(PAGE_BREAK):
            raise ValueError("page breaks that are not those between pages")
        if any(self.text[page.end] != PAGE_BREAK for page in self.pages[:-1]):
            raise ValueError("a page without a break behind it")

    def _validate_scans(self) -> None:
        last_page = 0
        for scan in self.scans:
            if not last_page < scan.number <= len(self.pages) or scan.start != self.pages[scan.number - 1].start:
                raise ValueError("scanned pages out of order, or that do not exist")
            if len(scan.words) % (array("i").itemsize * WORD_FIELDS):
                raise ValueError("malformed words of a scanned page")
            page, last_page, last = self.pages[scan.number - 1], scan.number, 0
            for word in unpack_words(scan.words):
                if not last <= word.start < word.end <= page.end - page.start:
                    raise ValueError("a scanned word outside its page, or out of order")
                if not 0 <= word.confidence <= 100 or word.left > word.right or word.bottom > word.top:
                    raise ValueError("a scanned word of no confidence or size")
                last = word.end


def _validate_order(name: str, found: Sequence[Any]) -> None:
    """Raise ValueError unless `found` is in order; blocks, additions and tables must not overlap either."""
    lie_apart = name in ("blocks", "additions", "tables")
    for one, other in pairwise(found):
        if other.start < (one.end if lie_apart else one.start):
            raise ValueError(f"{name} out of order")


def _validate_table(table: Table) -> None:
    """Raise ValueError unless rows and cells are in order within the table, and cells within its rows and columns."""
    if any(not column.left <= column.right for column in table.columns):
        raise ValueError("a column without room")
    if not -1 <= table.title <= table.start or not -1 <= table.continues < table.start:
        raise ValueError("a table whose title or beginning stands behind it")
    if not 0 <= table.header_rows <= len(table.rows):
        raise ValueError("a table with more header rows than rows")
    last = table.start
    for number, row in enumerate(table.rows):
        if not last <= row.start <= row.end <= table.end or not -1 <= row.parent < number:
            raise ValueError("a row outside its table, or of a group that begins behind it")
        last = row.end
    last, at = table.start, 0
    for cell in table.cells:
        if not last <= cell.start < cell.end <= table.end or not at <= cell.row < len(table.rows):
            raise ValueError("a cell outside its table, or out of order")
        if not 0 <= cell.column <= cell.last < len(table.columns):
            raise ValueError("a cell in no column")
        last, at = cell.end, cell.row
    for it in table.statements:
        if not 0 <= it.start < it.end or not -1 <= it.row < len(table.rows) or not -1 <= it.column < len(table.columns):
            raise ValueError("a statement of no table, row or column")


@cache
def _schema() -> Any:
    """Return the schema of a parser's result. Imports pydantic at the first call."""
    from pydantic import TypeAdapter

    return TypeAdapter(ParsedDocument)


def _to_plain(value: Any) -> Any:
    """Return a part of a result as a value for JSON."""
    if isinstance(value, bytes):
        return base64.urlsafe_b64encode(value).decode("ascii")
    return {it.name: getattr(value, it.name) for it in fields(value)}


def bound_tables(tables: Sequence[Table]) -> tuple[Table, ...]:
    """Return the first tables, up to the limits for tables and cells in a document."""
    kept: list[Table] = []
    cells = 0
    for table in tables[:_MAX_TABLES]:
        cells += len(table.cells)
        if cells > _MAX_CELLS:
            break
        kept.append(table)
    return tuple(kept)


def bound_places(places: Sequence[NamedPlace]) -> tuple[tuple[NamedPlace, ...], str]:
    """Return the first places, up to the limit, and a note that names the last one kept, "" if all are kept.

    One more place at the end then covers the rest of the document.
    """
    room = _MOST_NAME_BYTES
    for count, place in enumerate(places):
        room -= len(place.name.encode("utf-8"))
        if count + 1 >= MOST_PLACES or room < 0:
            rest = place._replace(name=clean_place(f"{place.name} or behind it"))
            return (*places[:count], rest), f"; the last one that has a place of its own is {places[count - 1].name}"
    return tuple(places), ""


def bound_cautions(cautions: Sequence[Caution]) -> tuple[Caution, ...]:
    """Return the first cautions, up to the limit, each shortened; the last one then counts the cautions left out."""
    kept = [replace(caution, message=shorten(caution.message, _MAX_MESSAGE)) for caution in cautions[:_MAX_CAUTIONS]]
    if len(cautions) > _MAX_CAUTIONS:
        left = len(cautions) - _MAX_CAUTIONS + 1
        kept[-1] = Caution("more-findings", f"{left:,} more findings about this document are not listed")
    return tuple(kept)


def clean_place(name: str) -> str:
    """Return the name of a place on one line; a long name loses its middle."""
    line = name if name.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in name)
    if len(line) <= _MAX_PLACE:
        return line
    half = _MAX_PLACE // 2
    return f"{line[:half]}\u2026{line[1 - half :]}"


def shorten(text: str, most: int) -> str:
    """Cut a text to `most` characters; an ellipsis marks the cut."""
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def clean_label(label: str) -> str:
    """Return a page label on one line, cut to the maximum length."""
    return "".join(c for c in label if c.isprintable()).strip()[:_MAX_LABEL]


def clean_heading(text: str) -> str:
    """Return a heading on one line, cut to the maximum length."""
    return " ".join(text.split())[:_MAX_HEADING].rstrip()


def join_parts(parts: Sequence[ParsedDocument], cautions: Sequence[Caution] = ()) -> ParsedDocument:
    """Join several documents with page breaks, within the limits of one document, and with these cautions."""
    pages: list[Page] = []
    found: dict[str, list[Any]] = {name: [] for name in POSITIONED}
    scans: list[ScannedPage] = []
    start = 0
    for part in parts:
        scans += (it._replace(number=it.number + len(pages), start=it.start + start) for it in part.scans)
        for page in part.pages:
            pages.append(Page(len(pages) + 1, page.label, page.start + start, page.end + start))
        for name, moved in move_positioned(part, start).items():
            found[name] += moved
        start += len(part.text) + len(PAGE_BREAK)
    tables = bound_tables(found.pop("tables"))
    kept = {name: tuple(each[: _MOST[name]]) for name, each in found.items()}
    text = PAGE_BREAK.join(part.text for part in parts)
    return ParsedDocument(text, tuple(pages), cautions=tuple(cautions), tables=tables, scans=tuple(scans), **kept)


def split_pages(parsed: ParsedDocument) -> list[ParsedDocument]:
    """Return each page as a document of its own, with the structure that begins on it but without cautions."""
    parts = []
    for page in parsed.pages:
        scans = tuple(it._replace(number=1, start=0) for it in parsed.scans if it.number == page.number)
        found = move_positioned(parsed, -page.start, page.start, page.end + len(PAGE_BREAK))
        text = parsed.text[page.start : page.end]
        parts.append(ParsedDocument(text, (Page(1, page.label, 0, len(text)),), scans=scans, **found))
    return parts


def page_text(parsed: ParsedDocument, index: int) -> str:
    """Return the text of the page with this index, counted from 0."""
    page = parsed.pages[index]
    return parsed.text[page.start : page.end]


def assemble(parsed: ParsedDocument, *, path: str, kind: str, sha256: str, fingerprint: str) -> Document:
    """Return the parsed text as a document with this path and hash. A page without a label gets its number as label."""
    found = {it.name: getattr(parsed, it.name) for it in fields(parsed) if it.name != "refusal"}
    found["pages"] = tuple(page if page.label else page._replace(label=str(page.number)) for page in parsed.pages)
    return Document(id=sha256[:16], path=path, kind=kind, sha256=sha256, fingerprint=fingerprint, **found)
