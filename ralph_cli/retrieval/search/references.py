"""Finds the passages of a document that name a numbered part of it: "Section 14.1", "clauses 4 and 7(a)". Pure."""

from collections.abc import Iterator

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span
from ralph_cli.documents.structure.clauses import above, named_clauses


class References:
    """The paragraphs and table rows that name numbered parts of a document, keyed by part."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._by_key: dict[str, list[Span]] = {}
        for span in _passages(document):
            for key in named_clauses(document.text[span.start : span.end]):
                self._by_key.setdefault(key, []).append(span)

    def naming(self, offset: int) -> tuple[Span, ...]:
        """Return the passages that name the part around an offset, its subparts or its parent.

        Passages inside the part are left out.
        """
        clause = self._document.clause_at(offset)
        if clause is None:
            return ()
        around = next(iter(above(clause.key)), "")
        keys = [key for key in self._by_key if key in (clause.key, around) or _is_part(key, clause.key)]
        found = {span.start: span for key in keys for span in self._by_key[key]}
        return tuple(span for start, span in sorted(found.items()) if not self._is_within(clause.key, span, offset))

    def _is_within(self, key: str, span: Span, offset: int) -> bool:
        other = self._document.clause_at(span.start)
        inside = other is not None and (other.key == key or _is_part(other.key, key))
        return inside or span.start <= offset < span.end


def _is_part(key: str, outer: str) -> bool:
    return key.startswith((f"{outer}.", f"{outer}("))


def _passages(document: Document) -> Iterator[Span]:
    for block in document.blocks:
        if block.kind != "table":
            yield Span(block.start, block.end)
    for table in document.tables:
        yield from (Span(row.start, row.end) for row in table.rows)
