"""What a passage stands in: its whole paragraph, or its table with the header rows."""

from array import array
from bisect import bisect_right
from operator import attrgetter

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span, Table
from ralph_cli.text.tables import is_row

MAX_CONTEXT = 2_400
"""Characters that are taken on each side of a passage at most."""

MIN_CONTEXT = 220
"""Characters on each side that are taken in any case, as far as there are so many."""

RECORDS_AROUND = 2
"""Records of a table (csv) that are taken on each side of one."""

_HEADER_LINES, _HEADER_CHARS = 6, 4_000
_WORD = re.compile(r"\w+")
_TABLES_BACK = 20
"""Tables before one of a sheet whose columns may have been named once for all of them."""

_SENTENCE_END = re.compile(r"[.:;?!][\"')\u2019\u201d]?\s*$")
_LIST_ITEM = re.compile(r"\s*(?:[-*+\u2022\u25cf\u25aa]\s|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s|#{1,6}\s|\|)")
_SHORT_LINE_SHARE = 0.75
_LONGEST_LINES = 3


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a text, counted from 0, without their ends."""

    text: str
    starts: "array[int]"

    def number_at(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def span(self, number: int) -> tuple[int, int]:
        end = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else len(self.text)
        return self.starts[number], end

    def __getitem__(self, number: int) -> str:
        start, end = self.span(number)
        return self.text[start:end]


def index_lines(document: Document) -> _Lines:
    """The lines of a document; a page's end ends a line."""
    starts = array("q", [0])
    starts.extend(match.end() for match in re.finditer(r"[\n\f]", document.text))
    return _Lines(document.text, starts)


def context_span(
    document: Document,
    span: Span,
    lines: _Lines | None = None,
    max_characters: int = MAX_CONTEXT,
    least: int = MIN_CONTEXT,
) -> Span:
    """The whole lines of the paragraph or table that `span` stands in, at most `max_characters` characters more on each
    side.

    A table is taken with the lines above its rows that name columns, period and unit. At least `least` characters on
    each side are taken, but none of another document, sheet or slide.
    """
    lines = lines or index_lines(document)
    text = document.text
    first, last = lines.number_at(span.start), lines.number_at(max(span.end - 1, span.start))
    tabular = is_row(lines[first]) or is_row(lines[last])
    width = _full_line_width(lines, first)
    up, down = first, last
    records = _kind_at(document, span.start) == "csv" and bool(column_lines(document, span.start))
    while (
        up > 0
        and (not records or up > first - RECORDS_AROUND)
        and span.start - lines.starts[up - 1] <= max_characters
        and not _starts_block(lines, up, tabular, width)
    ):
        up -= 1
    if tabular:
        up = _table_start(lines, up, span.start - max_characters)
    while (
        down + 1 < len(lines.starts)
        and (not records or down < last + RECORDS_AROUND)
        and lines.span(down + 1)[1] - span.end <= max_characters
        and not _starts_block(lines, down + 1, tabular, width)
    ):
        down += 1
    low, high = lines.starts[up], lines.span(down)[1]
    # A paragraph on one endless line is cut at a word.
    if span.start - low > max_characters:
        low = text.rfind(" ", low, span.start - max_characters) + 1 or span.start - max_characters
    if high - span.end > max_characters:
        space = text.find(" ", span.end + max_characters, high)
        high = space if space >= 0 else span.end + max_characters
    if not records:
        low, high = min(low, _minimum_start(text, span.start, least)), max(high, _minimum_end(text, span.end, least))
    if document.noun_at(span.start) != "page":
        return Span(max(low, document.page_at(span.start).start), min(high, document.page_at(span.end - 1).end))
    member = document.member_at(span.start)
    return Span(max(low, member.start), min(high, member.end)) if member else Span(low, high)


def column_lines(document: Document, offset: int) -> tuple[Span, ...]:
    """The lines that name the columns of the table in which `offset` stands, if they stand above it.

    They are the first of a table, as its format has it, that together hold the names of all its columns; behind an
    empty row of a sheet they may be those of a table before. Nothing where no table is known, or its names are not so.
    """
    tables = document.tables
    number = bisect_right(tables, offset, key=attrgetter("start")) - 1
    if number < 0 or offset >= end_of_rows(document, tables[number]):
        return ()
    names = {
        word
        for column in range(len(tables[number].columns))
        for name in document.column_path(tables[number], column)
        for word in _WORD.findall(name)
    }
    first = document.page_at(offset).start
    back = _TABLES_BACK if document.noun_at(offset) == "sheet" else 0
    for table in reversed(tables[max(number - back, 0) : number + 1]):
        if not names or table.start < first:
            break
        if found := _lines_with(names, document.text, table.start, offset):
            return found
    return ()


def end_of_rows(document: Document, table: Table) -> int:
    """Where the rows of a table end; the last ones of records (csv) may have no figure, and so no cell."""
    return document.page_at(table.start).end if _kind_at(document, table.start) == "csv" else table.end


def _lines_with(names: set[str], text: str, start: int, end: int) -> tuple[Span, ...]:
    """The first lines of text[start:end], a few at most, that together hold all these words; nothing without them.

    A line with other figures than those of names is a row, which may have words of the names by chance.
    """
    found: list[Span] = []
    left = set(names)
    for line in re.finditer(r"[^\n]+(?=\n)", text[start : min(end, start + _HEADER_CHARS)]):
        words = set(_WORD.findall(line[0]))
        if len(found) == _HEADER_LINES or any(word[0].isdigit() for word in words - names):
            break
        found.append(Span(start + line.start(), start + line.end()))
        left -= words
        if not left:
            return tuple(found)
    return ()


def _kind_at(document: Document, offset: int) -> str:
    member = document.member_at(offset)
    return member.kind if member else document.kind


def _starts_block(lines: _Lines, number: int, tabular: bool, width: int) -> bool:
    """Whether another block begins with line `number`, seen from the line before it."""
    line, before = lines[number], lines[number - 1]
    if not line.strip() or not before.strip():
        return True
    if tabular:
        # A label may run over lines of its own, but running text is no part of a table.
        return not (is_row(line) or _is_label(line, width)) or not (is_row(before) or _is_label(before, width))
    if is_row(line) or is_row(before) or _LIST_ITEM.match(line):
        return True
    return len(before.rstrip()) < _SHORT_LINE_SHARE * width and bool(
        _SENTENCE_END.search(before) or line.lstrip()[:1].isupper()
    )


def _is_label(line: str, width: int) -> bool:
    return len(line.strip()) < _SHORT_LINE_SHARE * width and not line.rstrip().endswith((".", ";"))


def _table_start(lines: _Lines, up: int, floor: int) -> int:
    """The first line of a table, from its header rows on: up to six lines above that are short."""
    width = _full_line_width(lines, up)
    for _ in range(_HEADER_LINES):
        if up == 0 or lines.starts[up - 1] < floor or not lines[up - 1].strip():
            break
        if not (is_row(lines[up - 1]) or _is_label(lines[up - 1], width)):
            break
        up -= 1
    return up


def _full_line_width(lines: _Lines, number: int) -> int:
    """The length of a full line around here: a paragraph's last line is shorter."""
    lengths = [len(lines[at].rstrip()) for at in range(max(number - 20, 0), min(number + 21, len(lines.starts)))]
    lengths = sorted(lengths)[-_LONGEST_LINES:]
    return lengths[0] if lengths else 0


def _minimum_start(text: str, start: int, least: int) -> int:
    """Where the line begins that stands `least` characters before `start`, or a word of it if it is long."""
    at = max(start - least, 0)
    line = max(text.rfind("\n", 0, at), text.rfind("\f", 0, at)) + 1
    return line if at - line <= MIN_CONTEXT else text.rfind(" ", line, at) + 1 or at


def _minimum_end(text: str, end: int, least: int) -> int:
    """Where the line ends that stands `least` characters behind `end`, or a word of it if it is long."""
    at = min(end + least, len(text))
    ends = [place for place in (text.find("\n", at), text.find("\f", at)) if place >= 0]
    line = min([*ends, len(text)])
    if line - at <= MIN_CONTEXT:
        return line
    space = text.find(" ", at, line)
    return space if space >= 0 else at
