"""The boxes of a form whose state is drawn as lines: those that are printed on a page, and characters for all of them.

Without a word in the text "Yes" and "No" beside them would read alike. The characters are unseen on the page. Printed
boxes are squares, some of them with a tick or cross of lines inside. Only a page with both kinds in one size has boxes:
a square alone may be a bullet or the key of a chart, one with a drawing in it a picture.
"""

import ctypes
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.boxes import Box, loose_box
from ralph_cli.documents.pdf.characters import object_bounds
from ralph_cli.documents.pdf.geometry.words import page_characters
from ralph_cli.documents.pdf.marked_content import PATH, address

# Stand in the text where a box is ticked or an option chosen, and where it is not.
TICKED, UNTICKED = "\u2714", "\u274f"

# Where a box stands, and whether it is ticked.
BoxState = tuple[Box, bool]

_MARK_FONT = b"ZapfDingbats"
_MARK_SIZES = (6.0, 12.0)
_MARK_WIDTH = 0.85
_INVISIBLE = 3
# Heights of a box: its words begin no further from it.
_NEAR = 4.0

_GAP = 0.3

# Points: the sides of a box.
_SMALLEST, _LARGEST = 4.0, 18.0

_UNEVEN, _SAME_SIZE = 0.2, 0.15
# A page drawn in more pieces than that is drawn letter by letter, or a picture; it takes too long to look through.
_MOST_OBJECTS, _PLAIN_SEGMENTS, _MOST_SEGMENTS = 1_500, 6, 40

_SHORT = 0.5
# Shares of a box's side: how far a tick extends at least, and how far it may run out to the left and to the right.
_SPREAD, _REACH, _OVERSHOOT = 0.25, 0.3, 0.6


class _Letter(NamedTuple):
    """A letter of the page: its room, the height of its baseline, and the object that draws it."""

    room: Box
    baseline: float
    owner: int


def count_symbols(page: Any, boxes: Sequence[BoxState]) -> list[int]:
    """How many characters that are pictures, such as boxes and ticks, stand in each box."""
    if not boxes:
        return []
    with closing(page.get_textpage()) as text_page:
        insides = [text_page.get_text_bounded(*box) for box, _ in boxes]
    return [sum(unicodedata.category(character) in ("So", "Co") for character in inside) for inside in insides]


def mark_boxes(document: Any, page: Any, boxes: Sequence[BoxState]) -> None:
    """Give each box a character that says its state, beside its words; pictures of the page stay as they are."""
    if not boxes:
        return
    with closing(page.get_textpage()) as text_page:
        letters = _letters(text_page)
    count = pdfium_c.FPDFPage_CountObjects(page.raw)
    order = {address(pdfium_c.FPDFPage_GetObject(page.raw, number)): number for number in range(count)}
    marks = []
    for box, is_ticked in boxes:
        size = min(max(box.height, _MARK_SIZES[0]), _MARK_SIZES[1])
        left, baseline, neighbour = _place_mark(box, size, letters)
        item = pdfium_c.FPDFPageObj_NewTextObj(document.raw, _MARK_FONT, size)
        words = (TICKED if is_ticked else UNTICKED).encode("utf-16-le") + b"\0\0"
        buffer = ctypes.create_string_buffer(words, len(words))
        pdfium_c.FPDFText_SetText(item, ctypes.cast(buffer, pdfium_c.FPDF_WIDESTRING))
        pdfium_c.FPDFTextObj_SetTextRenderMode(item, _INVISIBLE)
        pdfium_c.FPDFPageObj_Transform(item, 1, 0, 0, 1, left, baseline)
        marks.append((order.get(neighbour, count), item))
    # From the last on, so that the places of the others stay.
    for at, item in sorted(marks, key=_index, reverse=True):
        pdfium_c.FPDFPage_InsertObjectAtIndex(page.raw, item, at)


def _letters(text_page: Any) -> list[_Letter]:
    found = []
    x, y = ctypes.c_double(), ctypes.c_double()
    for index, character in enumerate(page_characters(text_page.raw)):
        room = None if character.isspace() else loose_box(text_page.raw, index)
        if room is not None and pdfium_c.FPDFText_GetCharOrigin(text_page.raw, index, x, y):
            found.append(_Letter(room, y.value, address(pdfium_c.FPDFText_GetTextObject(text_page.raw, index))))
    return found


def _place_mark(box: Box, size: float, letters: list[_Letter]) -> tuple[float, float, int]:
    """Where the mark of a box begins, beside the nearest words on its line, and the object before which it is read."""
    middle, reach = (box.bottom + box.top) / 2, _NEAR * box.height
    line = [letter for letter in letters if letter.room.bottom < middle < letter.room.top]
    after = min((it for it in line if 0 <= it.room.right - box.right <= reach), key=_left, default=None)
    before = max((it for it in line if 0 <= box.left - it.room.left <= reach), key=_left, default=None)
    if after is None:
        return box.left, before.baseline if before else middle - 0.3 * size, 0
    if before and box.left - before.room.right < after.room.left - box.right:
        return before.room.right + _GAP * size, before.baseline, after.owner
    return max(after.room.left - (_MARK_WIDTH + _GAP) * size, box.left), after.baseline, after.owner


def _left(letter: _Letter) -> float:
    return letter.room.left


def _index(mark: tuple[int, Any]) -> int:
    return mark[0]


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
