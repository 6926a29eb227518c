"""A word at its place on a page, as fragments and rows are made of."""

from dataclasses import dataclass

LEVEL, RAISED, LOWERED = 0, 1, -1
"""Where a figure stands to the line of type."""


@dataclass(slots=True)
class Word:
    """The characters [start, end) of a page, their room and baseline in points; `height` is that of the type.

    `is_glued`: no white space parts it from the word before. It is not frozen, for `shift` is known from neighbours.
    """

    start: int
    end: int
    left: float
    right: float
    baseline: float
    height: float
    is_glued: bool = False
    shift: int = LEVEL
