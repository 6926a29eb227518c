"""Boxes of a printed form that are drawn with lines: squares, some of them with a tick or cross of lines inside.

Without a word in the text "Yes" and "No" beside them would read alike. Only a page with both kinds in one size has
boxes: a square alone may be a bullet or the key of a chart, one with a drawing in it a picture.
"""

import ctypes
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.boxes import Box
from ralph_cli.documents.pdf.characters import object_bounds
from ralph_cli.documents.pdf.content.box_marks import BoxState
from ralph_cli.documents.pdf.marked_content import PATH

_SMALLEST, _LARGEST = 4.0, 18.0
"""Points: the sides of a box."""

_UNEVEN, _SAME_SIZE = 0.2, 0.15
_MOST_OBJECTS, _PLAIN_SEGMENTS, _MOST_SEGMENTS = 1_500, 6, 40
"""A page drawn in more pieces than that is drawn letter by letter, or a picture; it takes too long to look through."""

_SHORT = 0.5
_SPREAD, _REACH, _OVERSHOOT = 0.25, 0.3, 0.6
"""Shares of a box's side: how far a tick extends at least, and how far it may run out to the left and to the right."""


def find_drawn_boxes(page: Any, taken: Sequence[Box] = (), drawn_over: Sequence[Box] = ()) -> list[BoxState]:
    """The boxes of a page, and whether each is ticked.

    There is none where a field is `taken` to stand. What was `drawn_over` the page may be a tick, too.
    """
    squares: list[Box] = []
    strokes = list(drawn_over)
    for item, bounds in _small_paths(page):
        if _is_slanted(item):
            strokes.append(bounds)
        elif _is_square(bounds) and pdfium_c.FPDFPath_CountSegments(item) <= _PLAIN_SEGMENTS and _is_stroked(item):
            squares.append(bounds)
    if not squares or not strokes:
        return []
    free = [square for square in dict.fromkeys(squares) if not any(_overlap(square, place) for place in taken)]
    found = [(square, any(_is_tick(stroke, square) for stroke in strokes)) for square in free]
    ticked, empty = ([square.height for square, is_ticked in found if is_ticked is wanted] for wanted in (True, False))
    if not any(abs(one - other) < _SAME_SIZE * one for one in ticked for other in empty):
        return []
    return found


def _small_paths(page: Any) -> Iterator[tuple[Any, Box]]:
    """The shapes that stand on the page itself and are no larger than a box with what runs out of it."""
    count = pdfium_c.FPDFPage_CountObjects(page.raw)
    for number in range(count if count <= _MOST_OBJECTS else 0):
        item = pdfium_c.FPDFPage_GetObject(page.raw, number)
        bounds = object_bounds(item) if pdfium_c.FPDFPageObj_GetType(item) == PATH else None
        if bounds is not None and max(bounds.width, bounds.height) <= (1 + _OVERSHOOT) * _LARGEST:
            yield item, bounds


def _is_square(bounds: Box) -> bool:
    uneven = abs(bounds.width - bounds.height)
    return min(bounds.width, bounds.height) > _SMALLEST and uneven < _UNEVEN * bounds.height <= _UNEVEN * _LARGEST


def _is_stroked(item: Any) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDFPath_GetDrawMode(item, fill, stroke)
    return bool(stroke.value)


def _is_slanted(item: Any) -> bool:
    """Whether a shape has a line that is neither level nor upright, or a curve."""
    points = []
    x, y = ctypes.c_float(), ctypes.c_float()
    for number in range(min(pdfium_c.FPDFPath_CountSegments(item), _MOST_SEGMENTS)):
        segment = pdfium_c.FPDFPath_GetPathSegment(item, number)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        if kind == pdfium_c.FPDF_SEGMENT_BEZIERTO:
            return True
        points.append((x.value, y.value, kind))
    lines = (pair for pair in pairwise(points) if pair[1][2] == pdfium_c.FPDF_SEGMENT_LINETO)
    return any(abs(one[0] - other[0]) > _SHORT and abs(one[1] - other[1]) > _SHORT for one, other in lines)


def _is_tick(stroke: Box, square: Box) -> bool:
    """Whether a stroke stands in a box; a tick may run out at the upper right."""
    side = square.height
    return (
        min(stroke.width, stroke.height) > _SPREAD * side
        and stroke.left > square.left - _REACH * side
        and stroke.bottom > square.bottom - _REACH * side
        and stroke.right < square.right + _OVERSHOOT * side
        and stroke.top < square.top + _OVERSHOOT * side
    )


def _overlap(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.bottom < other.top and other.bottom < one.top
