"""The reading order of a slide's shapes: from top to bottom, and from left to right for shapes side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from operator import attrgetter
from typing import Generic, TypeVar

_DEEPEST = 50
# If a slide has more shapes, only their upper edges are compared.
_MOST_SHAPES = 2_000

# The share of a shape that may extend over the gap to the next one.
_OVERLAP = 0.1

_Content = TypeVar("_Content")
_by_corner = attrgetter("top", "left")


@dataclass(frozen=True, slots=True)
class Box(Generic[_Content]):
    """A shape's position, in any unit, and its content."""

    content: _Content = field(compare=False)
    left: float
    top: float
    right: float
    bottom: float


def order_boxes(boxes: Sequence[Box[_Content]]) -> list[_Content]:
    """Return the contents of the boxes in reading order.

    Content above a continuous horizontal gap comes first; without one, content left of a continuous vertical gap
    (recursive X-Y cut, Nagy and Seth 1984).
    """
    if len(boxes) > _MOST_SHAPES:
        return [box.content for box in sorted(boxes, key=_by_corner)]
    return [box.content for box in _order(list(boxes), _DEEPEST)]


def _order(boxes: list[Box[_Content]], depth: int) -> list[Box[_Content]]:
    if len(boxes) < 2 or not depth:
        return sorted(boxes, key=_by_corner)
    for begin, end in ((attrgetter("top"), attrgetter("bottom")), (attrgetter("left"), attrgetter("right"))):
        parts = _cut(boxes, begin, end)
        if len(parts) > 1:
            return [box for part in parts for box in _order(part, depth - 1)]
    return sorted(boxes, key=_by_corner)


def _cut(
    boxes: list[Box[_Content]], begin: Callable[[Box[_Content]], float], end: Callable[[Box[_Content]], float]
) -> list[list[Box[_Content]]]:
    """Group the boxes so that the groups follow each other on one axis."""
    parts: list[list[Box[_Content]]] = []
    reach = -inf
    for box in sorted(boxes, key=begin):
        if parts and begin(box) < reach:
            parts[-1].append(box)
        else:
            parts.append([box])
        reach = max(reach, end(box) - _OVERLAP * (end(box) - begin(box)))
    return parts
