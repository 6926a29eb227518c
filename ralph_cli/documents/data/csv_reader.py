"""Tables in plain text (csv, tsv; RFC 4180): the text unchanged, with rows as places and cells under their headers."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import PurePath

from ralph_cli.core.document import Caution
from ralph_cli.core.structure import NamedPlace, Table
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import MOST_PLACES, ParsedDocument, bound_places
from ralph_cli.documents.plain.reader import read_plain_text
from ralph_cli.documents.structure.grids import GridCell, GridRow, make_tables
from ralph_cli.documents.tables import measure_blanks
from ralph_cli.text.lexicon import pluralize

# The most cells whose headers are recorded, and the most columns of a table, as in Excel.
_MOST_CELLS, _MOST_COLUMNS = 400_000, 16_384

# The number of rows among which the header is searched.
_MOST_ROWS_ABOVE = 50

# A row of another width is reported only in a table of at least this many rows, with this share of the usual width.
_LEAST_ROWS, _SAME_SHARE = 4, 0.9

_YEAR = re.compile(r"\W*(?:19|20)\d\d\W*")
_AMOUNT = re.compile(r"[^\w]*\d[\d.,\s'\u2019]*[^\w]*(?:[kKmMbB]|[A-Z]{3})?")

_QUOTED = re.compile(r' *"((?:[^"]++|"")*+)"')
_SEPARATOR_LINE = re.compile(r"sep=(.)\n", re.IGNORECASE)
_DELIMITERS = "\t;|,"
_SAMPLE_CHARACTERS, _SAMPLE_RECORDS = 1 << 17, 200
_LEAST_SHARE, _SURE_SHARE = 0.6, 0.9
# The most rows with unmatched quotation marks, after which quotation marks are ordinary characters.
_MOST_UNSOUND = 100


@dataclass(slots=True)
class Record:
    """A row of a table, text[start:end], and the spans of its cells, without surrounding quotation marks and blanks."""

    start: int
    end: int
    cells: list[tuple[int, int]]
    is_sound: bool = True
    """Whether its quotation marks match."""

    @property
    def is_blank(self) -> bool:
        """Whether all cells are empty."""
        return all(start == end for start, end in self.cells)


def find_delimiter(text: str, suffix: str) -> str:
    """Return the delimiter: from a first line "sep=;", as Excel writes it, or the one that makes rows of equal width.

    Return "" if no delimiter does. The comma is tried last, because it may be a decimal comma.
    """
    if named := _SEPARATOR_LINE.match(text):
        return named[1]
    shares: dict[str, float] = {}
    for delimiter in _DELIMITERS:
        sample = list(islice(read_records(text[:_SAMPLE_CHARACTERS], delimiter), _SAMPLE_RECORDS))
        widths = Counter(len(record.cells) for record in sample if not record.is_blank)
        several = [(count, width) for width, count in widths.items() if width > 1]
        if several:
            shares[delimiter] = max(several)[0] / widths.total()
    if suffix in (".tsv", ".tab") and shares.get("\t", 0) >= _LEAST_SHARE:
        return "\t"
    sure = next((delimiter for delimiter, share in shares.items() if share >= _SURE_SHARE), "")
    best = max(shares, key=lambda each: shares[each], default="")
    return sure or (best if shares.get(best, 0) >= _LEAST_SHARE else "")


def read_records(text: str, delimiter: str) -> Iterator[Record]:
    """Yield the records of a text in order, including blank ones, but not a line that only names the delimiter.

    A cell in quotation marks may contain delimiters and line ends. A mark that is never closed is an ordinary
    character, as are all marks after it.
    """
    named = _SEPARATOR_LINE.match(text)
    at = named.end() if named else 0
    unsound = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if unsound >= _MOST_UNSOUND or text.find('"', at, end) < 0:
            record = Record(at, end, _split(text, at, end, delimiter))
        else:
            record, believed = _read_quoted(text, at, delimiter)
            unsound += 0 if record.is_sound else 1 if believed else _MOST_UNSOUND
        yield record
        at = record.end + 1


def _split(text: str, start: int, end: int, delimiter: str) -> list[tuple[int, int]]:
    """Return the cells of a row without quotation marks."""
    line = text[start:end]
    cells: list[tuple[int, int]] = []
    if " " not in line:
        for cell in line.split(delimiter):
            end = start + len(cell)
            cells.append((start, end))
            start = end + 1
        return cells
    for cell in line.split(delimiter):
        lead = len(cell) - len(cell.lstrip(" "))
        stripped = cell.strip(" ")
        cells.append((start + lead, start + lead + len(stripped)) if stripped else (start, start))
        start += len(cell) + 1
    return cells


@cache
def _field_pattern(delimiter: str) -> "re.Pattern[str]":
    """Return a pattern for a quoted or a plain cell with the delimiter, line end or end of text after it."""
    sign = re.escape(delimiter)
    return re.compile(rf' *+"((?:[^"]++|"")*+)" *+({sign}|\n|\Z)|([^{sign}\n]*+)({sign}|\n|\Z)')


def _read_quoted(text: str, start: int, delimiter: str) -> tuple[Record, bool]:
    """Return a row with quotation marks, and whether marks after it can still be trusted."""
    match = _field_pattern(delimiter).match
    cells: list[tuple[int, int]] = []
    at, is_sound, behind = start, True, delimiter
    while behind == delimiter:
        field = match(text, at)
        assert field is not None  # a plain cell may be empty, and ends with the text
        if field[1] is not None:
            cells.append(field.span(1))
            behind = field[2]
        elif not text[at : field.end(3)].lstrip(" ").startswith('"'):
            cells += _split(text, at, field.end(3), delimiter)
            behind = field[4]
        elif _QUOTED.match(text, at):
            cells.append((at, field.end(3)))
            is_sound, behind = False, field[4]
        else:
            stop = text.find("\n", at)
            stop = len(text) if stop < 0 else stop
            return Record(start, stop, [*cells, *_split(text, at, stop, delimiter)], False), False
        at = field.end()
    return Record(start, at - len(behind), cells, is_sound), True


def parse_csv(data: bytes, *, name: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Return a table's text unchanged, with places like "row 12", numbered as in a spreadsheet; call it in a child
    process.

    A text that is not a table has only lines. Raises DocumentError as `read_plain_text` does.
    """
    text, cautions = read_plain_text(data, name=name, encoding=encoding, limits=limits)
    text = text.replace("\f", " ")
    delimiter = find_delimiter(text, PurePath(name).suffix.lower())
    if not delimiter:
        return plain_document([text], cautions)
    reader = _TableReader(text)
    for number, record in enumerate(read_records(text, delimiter), 1):
        reader.add(number, record)
    places, unnamed = bound_places(reader.places)
    found = [*cautions, *reader.describe_damage()]
    if unnamed:
        found.append(Caution("places-dropped", f"so many rows that not all have places{unnamed}"))
    if reader.dropped:
        what = f"of the rows from {reader.dropped:,} on it is not kept under which headers their cells stand"
        found.append(Caution("places-dropped", what))
    return plain_document([text], found, tables=tuple(reader.tables()), places=places)


class _TableReader:
    """Processes the rows of a text in order, and finds the header."""

    def __init__(self, text: str) -> None:
        self.places: list[NamedPlace] = []
        self.dropped = 0
        """The first row whose cells are not all kept, 0 if all are."""
        self._text = text
        self._widths: Counter[int] = Counter()
        self._first_of_width: dict[int, int] = {}
        self._unsound: int | None = None
        self._last: Record | None = None
        self._head: list[Record] = []
        self._header: Record | None = None
        self._rows: list[GridRow] = []
        self._count = 0

    def add(self, number: int, record: Record) -> None:
        """Process the next row."""
        if len(self.places) <= MOST_PLACES and record.start < record.end:
            self.places.append(NamedPlace(record.start, f"row {number}"))
        if not record.is_sound and self._unsound is None:
            self._unsound = record.start
        if record.is_blank:
            return
        width = len(record.cells)
        self._widths[width] += 1
        self._first_of_width.setdefault(width, record.start)
        self._last = record
        if len(self._head) < _MOST_ROWS_ABOVE:
            self._head.append(record)
        if not self.dropped:
            self._add_cells(number, record)

    def _add_cells(self, number: int, record: Record) -> None:
        cells = [
            GridCell(self._text[start:end].replace('""', '"'), start, end, column, column)
            for column, (start, end) in enumerate(record.cells[:_MOST_COLUMNS])
            if start < end
        ]
        self._count += len(cells)
        if self._count > _MOST_CELLS or len(record.cells) > _MOST_COLUMNS:
            self.dropped = number
        else:
            label = self._text[record.start : cells[0].end] if cells else ""
            self._rows.append(GridRow(record.start, record.end, cells, measure_blanks(label.replace('"', "", 1))))

    def tables(self) -> list[Table]:
        """Return the table of the rows from the header on; nothing without a header."""
        header = self._find_header()
        if header is None:
            return []
        rows = [row for row in self._rows if row.start >= header.start and row.cells]
        wide = max((row.cells[-1].column for row in rows), default=0) + 1
        return make_tables(rows, max(wide, len(header.cells)), 1) if len(rows) > 1 else []

    def describe_damage(self) -> list[Caution]:
        """Return a caution about unmatched quotation marks, or a row whose width differs from nearly all others.

        A row of one cell is a title or a note.
        """
        what = ""
        usual, count = self._widths.most_common(1)[0] if self._widths else (0, 0)
        rows = self._widths.total()
        if self._unsound is not None:
            what = f"quotation marks of the row in line {self._line(self._unsound):,} do not match"
        elif usual > 1 and rows >= _LEAST_ROWS and count >= min(_SAME_SHARE * rows, rows - 1):
            odd = [(start, width) for width, start in self._first_of_width.items() if width not in (1, usual)]
            if self._last and len(self._last.cells) != usual and not self._text.endswith("\n"):
                odd.append((self._last.start, len(self._last.cells)))
            if odd:
                start, width = min(odd)
                cells = pluralize(width, "cell")
                what = f"the row in line {self._line(start):,} has {cells} where others have {usual:,}"
        return [Caution("incomplete", f"{what}: the file may be cut off or damaged")] if what else []

    def _find_header(self) -> Record | None:
        """Return the first row of the usual width, if most columns have a name, and no name is repeated or a figure."""
        usual = self._widths.most_common(1)[0][0] if self._widths else 0
        first = next((record for record in self._head if len(record.cells) == usual), None)
        if first is None or usual < 2:
            return None
        names = [self._text[start:end].strip() for start, end in first.cells if start < end]
        if len(set(names)) < len(names) or 2 * len(names) < usual:
            return None
        is_named = all(_YEAR.fullmatch(name) or not _AMOUNT.fullmatch(name) for name in names)
        return first if is_named and any(not name.isdigit() for name in names) else None

    def _line(self, offset: int) -> int:
        return self._text.count("\n", 0, offset) + 1
