"""What a text says of its own structure beside what its format does: its parts, blocks and tables, found once."""

from dataclasses import replace

from ralph_cli.core.structure import CLAUSE_KINDS
from ralph_cli.documents.parsed import MAX_PASSAGES, ParsedDocument, bound_tables
from ralph_cli.documents.structure.blocks import find_blocks
from ralph_cli.documents.structure.clauses import clause_places, find_clauses
from ralph_cli.documents.structure.headings import find_headings
from ralph_cli.documents.structure.plain_tables import find_plain_tables
from ralph_cli.documents.structure.running_lines import running_line_spans
from ralph_cli.documents.structure.statements import complete_tables

_LAID_OUT = frozenset(["pdf", "image", "xlsx", "ods", "csv", "json"])
"""Formats whose readers know all of their tables."""


def complete(parsed: ParsedDocument, kind: str) -> ParsedDocument:
    """A document of this kind with all of its structure; what was found in its text before is found again."""
    text = parsed.text
    own = tuple(heading for heading in parsed.headings if not heading.is_read_off)
    clauses = tuple(find_clauses(text, own)[:MAX_PASSAGES])
    places = parsed.places
    if kind in CLAUSE_KINDS and len(parsed.pages) == 1:
        places = tuple(clause_places(text, clauses))
    headings = tuple(find_headings(text, parsed.pages, own, kind))
    tables = parsed.tables
    if kind not in _LAID_OUT:
        tables = tuple(sorted((*tables, *find_plain_tables(text, parsed.pages, tables))))
    tables = tuple(complete_tables(text, parsed.pages, bound_tables(tables)))
    furniture = running_line_spans(text, parsed.pages)
    blocks = tuple(find_blocks(text, parsed.pages, tables, headings, parsed.notes, furniture))
    return replace(parsed, headings=headings, clauses=clauses, places=places, tables=tables, blocks=blocks)
