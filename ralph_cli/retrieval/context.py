"""Finds the context of a passage: its whole paragraph, or its table with the header rows."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import takewhile
from operator import attrgetter

from ralph_cli.core.document import Document
from ralph_cli.core.structure import EMPTY_CELL, Block, Cell, Span
from ralph_cli.text.sentences import sentence_at

# The most characters of context on each side of a passage.
MAX_CONTEXT = 2_400

# The fewest characters of context on each side, if the document has so many.
MIN_CONTEXT = 220

# The number of table records (csv) on each side of a passage.
RECORDS_AROUND = 2


def context_span(document: Document, span: Span, max_characters: int = MAX_CONTEXT, least: int = MIN_CONTEXT) -> Span:
    """Return the whole blocks that contain `span`, with at most `max_characters` more on each side.

    The context of a table includes its title. It has at least `least` characters on each side, but does not extend
    into another document, sheet or slide.
    """
    text = document.text
    first, last = document.block_at(span.start), document.block_at(span.end - 1)
    low, high = min(first.start if first else span.start, span.start), max(last.end if last else span.end, span.end)
    if first is not None and first.kind == "table":
        low = _with_captions(document, first)
    records = _records_around(document, span)
    if records is not None:
        low, high = records.start, records.end
    # A long paragraph on one line is cut at a word, a table at a row.
    if span.start - low > max_characters:
        line = text.find("\n", span.start - max_characters, span.start) + 1
        low = line or text.rfind(" ", low, span.start - max_characters) + 1 or span.start - max_characters
    if high - span.end > max_characters:
        line, space = (
            text.rfind("\n", span.end, span.end + max_characters),
            text.find(" ", span.end + max_characters, high),
        )
        high = line if line >= 0 else space if space >= 0 else span.end + max_characters
    if records is None:
        low, high = min(low, _minimum_start(text, span.start, least)), max(high, _minimum_end(text, span.end, least))
    if document.noun_at(span.start) != "page":
        return Span(max(low, document.page_at(span.start).start), min(high, document.page_at(span.end - 1).end))
    member = document.member_at(span.start)
    return Span(max(low, member.start), min(high, member.end)) if member else Span(low, high)


def sentence_span(document: Document, span: Span, stops: str = ".!?") -> Span:
    """Return the sentence or sentences that contain a passage; a sentence ends with its block at the latest."""
    first, last = document.block_at(span.start), document.block_at(span.end - 1)
    low, high = first.start if first else span.start, last.end if last else span.end
    return Span(*sentence_at(document.text, span.start, span.end, low, max(high, span.end), stops))


def _with_captions(document: Document, table: Block) -> int:
    """Return the start of the captions directly above a table."""
    at = bisect_left(document.blocks, table.start, key=attrgetter("start"))
    while at and document.blocks[at - 1].kind == "caption":
        at -= 1
    return document.blocks[at].start


def _records_around(document: Document, span: Span) -> Span | None:
    """Return the span of table records around a passage; None for formats other than csv."""
    member = document.member_at(span.start)
    table = document.table_at(span.start) if (member.kind if member else document.kind) == "csv" else None
    if table is None:
        return None
    first = max(table.row_at(span.start) - RECORDS_AROUND, 0)
    last = min(table.row_at(span.end - 1) + RECORDS_AROUND, len(table.rows) - 1)
    return Span(min(table.rows[first].start, span.start), max(table.rows[last].end, span.end))


def _minimum_start(text: str, start: int, least: int) -> int:
    """Return where the line of the character `least` before `start` begins, or a word in it if the line is long."""
    at = max(start - least, 0)
    line = max(text.rfind("\n", 0, at), text.rfind("\f", 0, at)) + 1
    return line if at - line <= MIN_CONTEXT else text.rfind(" ", line, at) + 1 or at


def _minimum_end(text: str, end: int, least: int) -> int:
    """Return where the line of the character `least` after `end` ends, or a word in it if the line is long."""
    at = min(end + least, len(text))
    ends = [place for place in (text.find("\n", at), text.find("\f", at)) if place >= 0]
    line = min([*ends, len(text)])
    if line - at <= MIN_CONTEXT:
        return line
    space = text.find(" ", at, line)
    return space if space >= 0 else at


_HEADER_CHARS = 60
# The fewest words that two column names must share to be shortened.
_LEAST_SAME = 3

_MOST_FIGURES = 12
_PARTING = frozenset(",;|\t")


def describe_sparse_rows(document: Document) -> dict[int, str]:
    """Return descriptions of rows with empty cells, keyed by the start of their line: each figure with its column.

    Rows whose empty cells are marked, or whose cells are separated by signs as in csv, have no description. Neither
    have rows with a figure in an unnamed column, because an incomplete description would mislead.
    """
    found: dict[int, str] = {}
    for table in document.tables:
        names = [document.column_path(table, column) for column in range(len(table.columns))]
        named = [at for at, name in enumerate(names) if name and not table.columns[at].is_label]
        for number in range(table.header_rows, len(table.rows)):
            all_cells = table.cells_of(number)
            cells = [cell for cell in all_cells if not table.columns[cell.column].is_label]
            if not cells or len(cells) > _MOST_FIGURES or any(cell.last != cell.column for cell in cells):
                continue
            columns = [cell.column for cell in cells]
            is_told = set(columns) <= set(named) and columns != named[: len(columns)]
            line = _line_start(document.text, table.rows[number].start)
            if is_told and not _shows_empty_cells(document.text, line, all_cells):
                found[line] = _describe(document.text, cells, names)
    return found


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\f", 0, offset)) + 1


def _shows_empty_cells(text: str, line: int, cells: Sequence[Cell]) -> bool:
    """Whether a row's empty cells are marked, or signs separate all its cells."""
    if EMPTY_CELL in text[line : cells[-1].end]:
        return True
    before = (text[line : cell.start].rstrip(' "')[-1:] for cell in cells)
    return all(sign in _PARTING or not sign for sign in before) and cells[-1].start > line


def _describe(text: str, cells: Sequence[Cell], names: Sequence[tuple[str, ...]]) -> str:
    """Return the figures of a row with their columns. A name that begins like the one before it is shortened."""
    told: list[str] = []
    before: list[str] = []
    for cell in cells:
        words = " ".join(names[cell.column]).split()
        while len(" ".join(words)) > _HEADER_CHARS and len(words) > 1:
            words = words[1:]
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, words[:-1], strict=False)))
        name = " ".join(["\u2026", *words[same:]] if same >= _LEAST_SAME and words != before else words)
        figure = " ".join(text[cell.start : cell.end].split())
        told.append(f"{figure} {'' if told else 'stands '}under \u201c{name}\u201d")
        before = words
    return "; ".join(told)
