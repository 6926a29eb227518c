"""Finds all occurrences of a string with bounded time, and trims white space from intervals."""

from collections.abc import Callable, Iterator

from ralph_cli.core.structure import Span

# Most characters that one search compares: a text of one repeated syllable has as many hits as characters.
MAX_COMPARED = 2_000_000


def find_places(
    text: str, wanted: str, check: Callable[[int], Span | None], max_characters: int = MAX_COMPARED
) -> Iterator[Span]:
    """Yield what `check` returns for each occurrence of `wanted`, in order, skipping those inside an accepted span.

    It stops after checking `max_characters` characters in total, so that its time is bounded.
    """
    at, left = text.find(wanted) if wanted else -1, max_characters // max(1, len(wanted)) + 1
    while at >= 0 and left > 0:
        span = check(at)
        if span is not None:
            yield span
        at, left = text.find(wanted, at + (1 if span is None else len(wanted))), left - 1


def strip_interval(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the interval without white space at its edges; empty if it contains nothing else."""
    stripped = text[start:end].lstrip()
    start = end - len(stripped)
    return start, start + len(stripped.rstrip())
