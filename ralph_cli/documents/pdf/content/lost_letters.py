"""The second f of "effect", where pdfium takes it for a repetition of the first.

Bold type is sometimes made by drawing a letter twice, so pdfium leaves out a text object that draws the same as one
just before it and overlaps it. Where each letter is an object of its own, that hits the wide f of some fonts: "effect"
is read as "ef ect". What was left out draws the same as the one before, so what it says is certain; that it stands a
letter further on says that it is no bold type.
"""

import ctypes
from array import array
from dataclasses import dataclass, replace
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.boxes import Box
from ralph_cli.documents.pdf.characters import object_bounds
from ralph_cli.documents.pdf.geometry.words import call_unchecked, page_characters
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, PageLayout
from ralph_cli.documents.pdf.marked_content import TEXT, address

_ADDRESS_OF = call_unchecked(pdfium_c.FPDFPage_GetObject, ctypes.c_void_p)
_LETTER = "f"
_STEPS_AHEAD = 3
_MOST_STEPS = 1_000
# How far right of the first the second one stands, in heights of its box; bold type is not so far apart.
_SHIFTS = (0.15, 0.6)

# A letter whose box is narrower than so many times its height does not overlap its neighbour by half.
_WIDE = 0.5

# A page with so many letters that share an object with the one before is drawn in words; nothing is lost of them.
_MANY_WORDS = 8

_END_OF_TEXT = 2
# What stands nearer than so many times that shift goes on the word.
_NEXT = 1.6


@dataclass(slots=True)
class _PageObjects:
    """The objects of a page, looked for beside where the last one was found: text is drawn in order."""

    page: Any
    count: int
    ahead: int = 0

    def find(self, handle: Any, near: int) -> int | None:
        """The index of an object, probably so far behind index `near` as the last one was; None if it is not found."""
        wanted = address(handle)
        guess = min(max(near + self.ahead, 0), max(self.count - 1, 0))
        raw = self.page.raw
        for distance in range(min(self.count, _MOST_STEPS)):
            for index in (guess + distance, guess - distance):
                if 0 <= index < self.count and _ADDRESS_OF(raw, index) == wanted:
                    self.ahead = index - near
                    return index
        return None

    def get(self, index: int) -> Any:
        """The object with that index."""
        return pdfium_c.FPDFPage_GetObject(self.page.raw, index)


def restore_letters(page: Any, text_page: Any, layout: PageLayout) -> PageLayout:
    """The page with the letters in their places that pdfium left out as repetitions."""
    raw = text_page.raw
    source = page_characters(raw)
    objects = _PageObjects(page, pdfium_c.FPDFPage_CountObjects(page.raw))
    words = 0
    index = source.find(_LETTER)
    while index >= 0 and words < _MANY_WORDS:
        if index + 1 == len(source) or pdfium_c.FPDFText_IsGenerated(raw, index + 1) != 0:
            handle = pdfium_c.FPDFText_GetTextObject(raw, index)
            if handle and address(handle) != address(pdfium_c.FPDFText_GetTextObject(raw, index - 1)):
                shift = _lost_after(raw, objects, index, handle)
                layout = layout if shift is None else _insert(raw, layout, index, shift)
            else:
                words += 1
        index = source.find(_LETTER, index + 1)
    return layout


def _lost_after(raw: Any, objects: _PageObjects, index: int, handle: Any) -> float | None:
    """How far right of pdfium's character `index` the same letter stands again, which was left out; None if nowhere."""
    first = object_bounds(handle)
    if first is None or first.width < _WIDE * first.height:
        return None
    found = objects.find(handle, index)
    if found is None:
        return None
    for other in map(objects.get, range(found + 1, min(found + 1 + _STEPS_AHEAD, objects.count))):
        second = object_bounds(other) if pdfium_c.FPDFPageObj_GetType(other) == TEXT else None
        if second is None or not _is_alike(first, second):
            continue
        shift = second.left - first.left
        if _SHIFTS[0] * first.height < shift < _SHIFTS[1] * first.height and not _has_text(other, raw):
            return shift
    return None


def _is_alike(first: Box, second: Box) -> bool:
    near = 0.05 * first.height
    return (
        abs(first.width - second.width) < near
        and abs(first.bottom - second.bottom) < near
        and abs(first.top - second.top) < near
        and second.width > near
    )


def _has_text(handle: Any, raw: Any) -> bool:
    """Whether pdfium reads anything of a text object; of one that was left out it does not."""
    return int(pdfium_c.FPDFTextObj_GetText(handle, raw, None, 0)) > _END_OF_TEXT


def _insert(raw: Any, layout: PageLayout, index: int, shift: float) -> PageLayout:
    """The layout with one more letter behind pdfium's character `index`; a gap that the letter fills goes."""
    at = layout.characters.index(index) + 1
    end = at
    while end < len(layout.text) and layout.text[end] == " " and layout.characters[end] == NOT_A_CHARACTER:
        end += 1
    if end == len(layout.text) or _left(raw, layout.characters[end]) - _left(raw, index) > (1 + _NEXT) * shift:
        end = at
    text = layout.text[:at] + _LETTER + layout.text[end:]
    characters = layout.characters[:at] + array("i", [index]) + layout.characters[end:]
    tables = tuple(table.moved(1 - (end - at), at) for table in layout.tables)
    return replace(layout, text=text, characters=characters, tables=tables)


def _left(raw: Any, index: int) -> float:
    """Where pdfium's character begins; far right for none."""
    x, y = ctypes.c_double(), ctypes.c_double()
    if index == NOT_A_CHARACTER or not pdfium_c.FPDFText_GetCharOrigin(raw, index, ctypes.byref(x), ctypes.byref(y)):
        return float("inf")
    return x.value
