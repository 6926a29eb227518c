"""A quotation that is put together: its beginning stands in one place of a document, its end in another."""

from bisect import bisect_right
from collections.abc import Sequence

from ralph_cli.core.document import Span
from ralph_cli.memo.checking.source import Source, cut
from ralph_cli.text.fold import fold

SILENT = 250
"""Characters between two pieces up to which the words between them were left out, rather than two passages joined."""

LEAST, MOST = 3, 50
"""Words that a piece must have (fewer stand anywhere by chance), and places of it that are compared."""


def patched(words: str, sources: Sequence[Source]) -> str | None:
    """How the words are put together from two pieces that are there, in words; None if they are not."""
    parts = fold(words).text.split()
    best = max(((_head(parts, source), source) for source in sources), key=lambda one: one[0], default=None)
    if best is None or best[0] < LEAST:
        return None
    size = min(best[0], len(parts) - LEAST)
    head, tail = " ".join(parts[:size]), " ".join(parts[size:])
    for other in sorted(sources, key=lambda one: one is not best[1]):
        first, second = best[1].index.find(head), other.index.find(tail)
        if size >= LEAST and first is not None and second is not None:
            return _told(best[1], _nearest(first.occurrences, second.occurrences), other)
    return None


def _head(parts: Sequence[str], source: Source) -> int:
    """How many of the first words stand in the document one behind the other."""
    return bisect_right(range(1, len(parts) + 1), False, key=lambda size: " ".join(parts[:size]) not in source.folded)


def _nearest(heads: Sequence[Span], tails: Sequence[Span]) -> tuple[Span, Span]:
    """The two places that are nearest to each other."""
    return min(
        ((one, other) for one in heads[:MOST] for other in tails[:MOST]),
        key=lambda pair: abs(pair[1].start - pair[0].end),
    )


def _told(source: Source, places: tuple[Span, Span], other: Source) -> str:
    head, tail = places
    if source is other and 0 <= tail.start - head.end <= SILENT:
        return f"leaves out, without a sign: {cut(source.document.text[head.end : tail.start])}"
    return f"put together from {_place(source, head)}; and {_place(other, tail)}"


def _place(source: Source, span: Span) -> str:
    return f"{cut(source.document.text[span.start : span.end])}, {source.where(span)}"
