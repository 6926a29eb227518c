"""Rectangles on a PDF page: the boxes of characters, and the boxes that enclose several of them."""

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

_Side = TypeVar("_Side", int, float)


class Box(NamedTuple):
    """A rectangle on a page, in PDF points (1/72 inch), origin at the lower left of the unrotated page."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """Return the distance from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Return the distance from bottom to top."""
        return self.top - self.bottom


def enclose(rects: Iterable[tuple[_Side, _Side, _Side, _Side]]) -> tuple[_Side, _Side, _Side, _Side]:
    """Return the smallest rectangle that contains all of `rects`.

    In each rectangle the lower coordinates come first.
    """
    lefts, lows, rights, highs = zip(*rects, strict=True)
    return min(lefts), min(lows), max(rights), max(highs)


def loose_box(text_page: Any, index: int) -> Box | None:
    """Return the space that pdfium's character `index` takes in its line, whatever its shape; None if it has no box."""
    rect = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFText_GetLooseCharBox(text_page, index, ctypes.byref(rect)):
        return None
    return Box(rect.left, rect.bottom, rect.right, rect.top)


def tight_box(text_page: Any, index: int) -> Box | None:
    """Return the box around the shape of pdfium's character `index`; None if it has no box."""
    sides = [ctypes.c_double() for _ in range(4)]
    if not pdfium_c.FPDFText_GetCharBox(text_page, index, *map(ctypes.byref, sides)):
        return None
    left, right, bottom, top = (side.value for side in sides)
    return Box(left, bottom, right, top) if left < right and bottom < top else None


def join_boxes(boxes: Iterable[Box]) -> list[Box]:
    """Return one rectangle per line around boxes in reading order. Cells that are far apart get one each."""
    lines: list[Box] = []
    for box in boxes:
        if lines and _continues(lines[-1], box):
            lines[-1] = Box(*enclose((lines[-1], box)))._replace(left=lines[-1].left)
        else:
            lines.append(box)
    return lines


def _continues(line: Box, box: Box) -> bool:
    """Whether a character with this box belongs to the line."""
    shared_height = min(line.top, box.top) - max(line.bottom, box.bottom)
    return (
        shared_height > 0.5 * min(box.height, line.height)
        and box.left - line.left >= -1
        and box.left - line.right < 3 * box.height
    )
