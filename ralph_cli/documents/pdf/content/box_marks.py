"""Characters for the boxes of a form whose state is drawn as lines: unseen on the page, and read in its text."""

import ctypes
import unicodedata
from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.boxes import Box, loose_box
from ralph_cli.documents.pdf.geometry.words import page_characters
from ralph_cli.documents.pdf.marked_content import address

TICKED, UNTICKED = "\u2714", "\u274f"
"""Stand in the text where a box is ticked or an option chosen, and where it is not."""

BoxState = tuple[Box, bool]
"""Where a box stands, and whether it is ticked."""

_MARK_FONT = b"ZapfDingbats"
_MARK_SIZES = (6.0, 12.0)
_MARK_WIDTH = 0.85
_INVISIBLE = 3
_NEAR = 4.0
"""Heights of a box: its words begin no further from it."""

_GAP = 0.3


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
