"""Words at their places on a page, of which fragments and rows are made, and the rulings between them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# One of two letters of a script that has no spaces.
IDEOGRAPHS = re.compile("(?=[{0}][{0}]).".format("\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"))

# Where a figure stands to the line of type.
LEVEL, RAISED, LOWERED = 0, 1, -1


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


class Ruling(NamedTuple):
    """A line from `left` to `right` at the height `foot`, in points of the page turned as its text is."""

    left: float
    right: float
    foot: float

    def covers(self, left: float, right: float) -> float:
        """The share of a column from `left` to `right` that it reaches over."""
        return (min(right, self.right) - max(left, self.left)) / max(right - left, 1.0)


class Rulings(NamedTuple):
    """The rulings of a page: those `across` from top to bottom, and those `down` it from right to left, which are
    turned: their `left` is the lower end, their `right` the upper, and their `foot` how far from the left they are.

    `grounds` are the upper and lower sides of what is filled.
    """

    across: Sequence[Ruling] = ()
    down: Sequence[Ruling] = ()
    grounds: Sequence[Ruling] = ()


# Those of a page that draws none, or is only text.
NO_RULINGS = Rulings()
