"""What a text says of its own structure beside what its format does: its parts, blocks and tables, found once."""

from dataclasses import replace

from ralph_cli.core.structure import CLAUSE_KINDS, Table
from ralph_cli.documents.parsed import MAX_PASSAGES, ParsedDocument, bound_tables
from ralph_cli.documents.structure.blocks import find_blocks
from ralph_cli.documents.structure.clauses import clause_places, find_clauses
from ralph_cli.documents.structure.headings import find_headings
from ralph_cli.documents.structure.plain_tables import find_plain_tables
from ralph_cli.documents.structure.running_lines import running_line_spans
from ralph_cli.documents.structure.statements import complete_tables

_LAID_OUT = frozenset(["pdf", "image", "xlsx", "ods", "csv", "json"])
"""Formats whose readers know all of their tables."""

_PAGES_EACH = 2
"""Pages for each line that the type of a PDF sets apart above which they are too few to tell its headings by."""


def complete(parsed: ParsedDocument, kind: str) -> ParsedDocument:
    """A document of this kind with all of its structure; what was found in its text before is found again."""
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
    """Where a table begins below a title in its grid, as sheets have it: a label alone above the names of columns."""
    title = table.cells_of(0)
    is_titled = table.header_rows > 1 and len(title) == 1 and title[0].column == 0
    return table.rows[0].end if is_titled else table.start
