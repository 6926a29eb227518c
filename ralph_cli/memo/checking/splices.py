"""A quotation that is put together: its beginning stands in one place of a document, its end in another."""

from bisect import bisect_right
from collections.abc import Sequence

from ralph_cli.core.structure import Span
from ralph_cli.memo.checking.source import Source, quoted_excerpt
from ralph_cli.text.fold import fold

MAX_SILENT_GAP = 250
"""Characters between two pieces up to which the words between them were left out, rather than two passages joined."""

MIN_PIECE_WORDS, MAX_PLACES = 3, 50
"""Words that a piece must have (fewer stand anywhere by chance), and places of it that are compared."""


def describe_splice(words: str, sources: Sequence[Source]) -> str | None:
    """How the words are put together from two pieces that are there, in words; None if they are not."""
    parts = fold(words).text.split()
    best = max(
        ((_matching_head_words(parts, source), source) for source in sources), key=lambda pair: pair[0], default=None
    )
    if best is None or best[0] < MIN_PIECE_WORDS:
        return None
    size = min(best[0], len(parts) - MIN_PIECE_WORDS)
    head, tail = " ".join(parts[:size]), " ".join(parts[size:])
    for other in sorted(sources, key=lambda source: source is not best[1]):
        first, second = best[1].index.find(head), other.index.find(tail)
        if size >= MIN_PIECE_WORDS and first is not None and second is not None:
            return _render_splice(best[1], _nearest_pair(first.occurrences, second.occurrences), other)
    return None


def _matching_head_words(parts: Sequence[str], source: Source) -> int:
    """How many of the first words stand in the document one behind the other."""
    return bisect_right(range(1, len(parts) + 1), False, key=lambda size: " ".join(parts[:size]) not in source.folded)


def _nearest_pair(heads: Sequence[Span], tails: Sequence[Span]) -> tuple[Span, Span]:
    """The two places that are nearest to each other."""
    pairs = [(head, tail) for head in heads[:MAX_PLACES] for tail in tails[:MAX_PLACES]]
    return min(pairs, key=lambda pair: abs(pair[1].start - pair[0].end))


def _render_splice(source: Source, places: tuple[Span, Span], other: Source) -> str:
    head, tail = places
    if source is other and 0 <= tail.start - head.end <= MAX_SILENT_GAP:
        return f"omits without an ellipsis: {quoted_excerpt(source.document.text[head.end : tail.start])}"
    return f"put together from {_render_place(source, head)}; and {_render_place(other, tail)}"


def _render_place(source: Source, span: Span) -> str:
    return f"{quoted_excerpt(source.document.text[span.start : span.end])}, {source.describe_place(span)}"
