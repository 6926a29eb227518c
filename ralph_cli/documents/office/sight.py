"""Whether a reader sees characters: their size, and their colour against what is behind them."""

from ralph_cli.documents.hidden_reasons import LEAST_CONTRAST

Colours = frozenset[int] | None
"""The colours, as 0xRRGGBB, that may be behind some text; None if that is not known."""

WHITE = 0xFFFFFF

_LARGEST_UNREAD = 1.0
"""Points: characters of this size or less are not read."""


def is_tiny(points: float | None) -> bool:
    """Whether characters of this size are too small to read; not if the size is not known."""
    return points is not None and points <= _LARGEST_UNREAD


def is_lost(colour: int | None, behind: Colours) -> bool:
    """Whether text of this colour cannot be seen on any ground that may be behind it.

    `colour` is None if the program chooses it, so that the text is seen.
    """
    return colour is not None and behind is not None and all(_is_near(colour, ground) for ground in behind)


def is_doubtful(colour: int | None, behind: Colours) -> bool:
    """Whether text of this colour is white on a ground that is not known."""
    return behind is None and colour is not None and _is_near(colour, WHITE)


def _is_near(colour: int, other: int) -> bool:
    return all(abs((colour >> by & 255) - (other >> by & 255)) < LEAST_CONTRAST for by in (16, 8, 0))
