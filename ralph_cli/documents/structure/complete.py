"""Complete the structure that the format gives with the structure of the text: parts, blocks and tables, found once."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter

from ralph_cli.core.structure import CLAUSE_KINDS, Block, BlockKind, Heading, Note, Page, Span, Table
from ralph_cli.documents.parsed import MAX_PASSAGES, ParsedDocument, bound_tables
from ralph_cli.documents.structure.clauses import clause_places, find_clauses
from ralph_cli.documents.structure.headings import find_headings
from ralph_cli.documents.structure.plain_tables import find_plain_tables
from ralph_cli.documents.structure.running_lines import running_line_spans
from ralph_cli.documents.structure.statements import complete_tables

# Formats whose readers know all of their tables.
_LAID_OUT = frozenset(["pdf", "image", "xlsx", "ods", "csv", "json"])

# With more pages than this per line that a PDF sets apart by its type, these lines are too few to be its headings.
_PAGES_EACH = 2

_LINE = re.compile(r"[^\n\f]*\S[^\n\f]*")
_SENTENCE_END = re.compile(r"[.:;?!][\"')\u2019\u201d]?\s*\Z")
_LIST_ITEM = re.compile(
    r"\s*(?:[-*+\u2022\u25cf\u25aa\u25a0\u00b7]\s|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s|\d{1,3}(?:\.\d{1,3})+\s)"
)
_SHORT_LINE_SHARE = 0.75
# Lines on each side that are searched for a full line, and how many of the longest are compared.
_WINDOW, _LONGEST_LINES = 20, 3


def complete(parsed: ParsedDocument, kind: str) -> ParsedDocument:
    """Return a document of this kind with its full structure. Structure found in its text earlier is found again."""
    text = parsed.text
    own = tuple(heading for heading in parsed.headings if not heading.is_read_off)
    clauses = tuple(find_clauses(text, own)[:MAX_PASSAGES])
    places = parsed.places
    if kind in CLAUSE_KINDS and len(parsed.pages) == 1:
        places = tuple(clause_places(text, clauses))
    found = parsed.tables
    if kind not in _LAID_OUT:
        found = tuple(sorted((*found, *find_plain_tables(text, parsed.pages, found))))
    found = bound_tables(found)
    furniture = running_line_spans(text, parsed.pages)
    apart = [heading for heading in parsed.headings if heading.is_read_off and kind == "pdf"]
    apart = apart if _PAGES_EACH * len(apart) >= len(parsed.pages) else []
    taken = [(_body_start(it), it.end) for it in found] + [(it.start, it.end) for it in furniture]
    headings = tuple(find_headings(text, parsed.pages, own, kind, apart, taken))
    tables = tuple(complete_tables(text, parsed.pages, found, headings, furniture, apart))
    blocks = tuple(find_blocks(text, parsed.pages, tables, headings, parsed.notes, furniture))
    return replace(parsed, headings=headings, clauses=clauses, places=places, tables=tables, blocks=blocks)


def _body_start(table: Table) -> int:
    """Return the start of a table below a title in its grid, as in sheets: a single label above the column names."""
    title = table.cells_of(0)
    is_titled = table.header_rows > 1 and len(title) == 1 and title[0].column == 0
    return table.rows[0].end if is_titled else table.start


def find_blocks(
    text: str,
    pages: Sequence[Page],
    tables: Sequence[Table],
    headings: Sequence[Heading],
    notes: Sequence[Note],
    furniture: Sequence[Span],
) -> Iterator[Block]:
    """Yield the blocks of a text in order. No block continues over the end of a page."""
    known: list[tuple[int, int, BlockKind]] = sorted(
        [(table.start, table.end, "table") for table in tables]
        + [(table.title, table.start, "caption") for table in tables if table.title >= 0]
        + [(note.start, note.end, "note") for note in notes]
    )
    apart = _lie_apart(known)
    running = {match.start() for span in furniture for match in _LINE.finditer(text, span.start, span.end)}
    titles = {heading.start for heading in headings}
    for page in pages:
        at = page.start
        first = bisect_right(apart, page.start, key=itemgetter(1))
        for start, end, kind in apart[first:]:
            if start >= page.end:
                break
            yield from _read_lines(text, at, max(start, at), titles, running)
            stop = min(end, page.end)
            if text[max(start, at) : stop].strip():
                yield Block(max(start, at), stop, kind)
            at = max(stop, at)
        yield from _read_lines(text, at, page.end, titles, running)


def _lie_apart(known: Sequence[tuple[int, int, BlockKind]]) -> list[tuple[int, int, BlockKind]]:
    found: list[tuple[int, int, BlockKind]] = []
    for start, end, kind in known:
        begin = max(start, found[-1][1] if found else 0)
        if begin < end:
            found.append((begin, end, kind))
    return found


def _read_lines(text: str, low: int, high: int, titles: set[int], running: set[int]) -> Iterator[Block]:
    """Yield the blocks of text[low:high], which contains no table."""
    lines = [match.span() for match in _LINE.finditer(text, low, high)]
    lengths = array("l", (len(text[start:end].rstrip()) for start, end in lines))
    begin = -1
    kind: BlockKind = "paragraph"
    for number, (start, end) in enumerate(lines):
        words = start + len(text[start:end]) - len(text[start:end].lstrip())
        own: BlockKind | None = "furniture" if start in running else "heading" if {start, words} & titles else None
        if begin >= 0 and (own or kind in ("furniture", "heading") or _starts_block(text, lines, number, lengths)):
            yield Block(begin, lines[number - 1][1], kind)
            begin = -1
        if begin < 0:
            begin, kind = start, own or ("item" if _LIST_ITEM.match(text, start, end) else "paragraph")
    if begin >= 0:
        yield Block(begin, lines[-1][1], kind)


def _starts_block(text: str, lines: Sequence[tuple[int, int]], number: int, lengths: "array[int]") -> bool:
    """Whether a line begins a new block.

    It does after an empty line, with the mark of a list item, or after a short line if that line ends a sentence or
    this one begins with a capital.
    """
    (_, last), (start, end) = lines[number - 1], lines[number]
    if text.count("\n", last, start) > 1 or _LIST_ITEM.match(text, start, end):
        return True
    window = sorted(lengths[max(number - 1 - _WINDOW, 0) : number + _WINDOW])[-_LONGEST_LINES:]
    if lengths[number - 1] >= _SHORT_LINE_SHARE * window[0]:
        return False
    before = text[lines[number - 1][0] : last]
    return bool(_SENTENCE_END.search(before)) or text[start:end].lstrip()[:1].isupper()
