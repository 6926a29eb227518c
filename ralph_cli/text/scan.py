"""Places in a text: all of a string, within bounds also where the text repeats itself, and one without white space."""

from collections.abc import Callable, Iterator

from ralph_cli.core.structure import Span

# Characters that one search compares: a text of one syllable has as many places as characters.
MAX_COMPARED = 2_000_000


def find_places(
    text: str, wanted: str, check: Callable[[int], Span | None], max_characters: int = MAX_COMPARED
) -> Iterator[Span]:
    """What `check` makes of each place of `wanted`, in order; places inside one that it takes are passed over.

    It ends when as many places were looked at as have `max_characters` characters, so that its time is bounded.
    """
    at, left = text.find(wanted) if wanted else -1, max_characters // max(1, len(wanted)) + 1
    while at >= 0 and left > 0:
        span = check(at)
        if span is not None:
            yield span
        at, left = text.find(wanted, at + (1 if span is None else len(wanted))), left - 1


def strip_interval(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the interval without the white space at its edges; empty if it has only white space."""
    stripped = text[start:end].lstrip()
    start = end - len(stripped)
    return start, start + len(stripped.rstrip())
