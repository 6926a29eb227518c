"""The characters of a PDF page as they are drawn: the box of each character, and the object that draws it."""

import ctypes
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.boxes import Box, enclose, loose_box, tight_box
from ralph_cli.documents.pdf.geometry.words import call_unchecked
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, PageLayout
from ralph_cli.documents.pdf.marked_content import TEXT, address, find_misspoken, has_actual_text

_BOUNDS = call_unchecked(pdfium_c.FPDFPageObj_GetBounds)
_FIGURE_SIGNS = frozenset(".,-\u2010\u2011\u2012\u2013()%\u2030")
_SYMBOL_CATEGORIES = frozenset({"Sc", "Sm"})


@dataclass(frozen=True, slots=True)
class Glyph:
    """One drawn character: its offset in the text, the object that draws it, its box and the space its type takes.

    `is_misspoken` is true if the text that the object states (ActualText) differs from the text that it draws.
    """

    offset: int
    owner: int
    box: Box
    loose: Box
    is_misspoken: bool


@dataclass(slots=True)
class _Object:
    """A text object of the page, with the box around all of its characters."""

    handle: Any
    extent: Box | None = None
    indices: list[int] = field(default_factory=list)


class Glyphs:
    """The drawn characters of one page."""

    def __init__(self, page: Any, text_page: Any, layout: PageLayout) -> None:
        self._page, self._raw, self._layout = page, text_page.raw, layout
        self._misspoken: dict[int, bool] | None = None

    def at(self, offsets: Iterable[int]) -> list[Glyph]:
        """Return the glyphs at these offsets of the page's text.

        Only characters that change the meaning are included.
        """
        found = []
        for offset in offsets:
            index = self._layout.characters[offset]
            if index == NOT_A_CHARACTER or not _is_meaningful(self._layout.text[offset]):
                continue
            handle = pdfium_c.FPDFText_GetTextObject(self._raw, index)
            loose = loose_box(self._raw, index)
            if not handle or loose is None:
                continue
            owner, is_misspoken = address(handle), self._is_misspoken(handle)
            # The words of an ActualText have no positions of their own.
            box = tight_box(self._raw, index) or loose if is_misspoken is None else self.extent(owner)
            found.append(Glyph(offset, owner, box, loose, bool(is_misspoken)))
        return found

    def _is_misspoken(self, handle: Any) -> bool | None:
        """Whether an object's ActualText differs from what the object draws; None if it has no ActualText."""
        if self._misspoken is None and has_actual_text(handle):
            self._misspoken = find_misspoken(self._page)
        return self._misspoken.get(address(handle)) if self._misspoken else None

    @cached_property
    def _objects(self) -> dict[int, _Object]:
        """Return all text objects that have characters in the page's text, by address."""
        found: dict[int, _Object] = {}
        for index in range(max(pdfium_c.FPDFText_CountChars(self._raw), 0)):
            handle = pdfium_c.FPDFText_GetTextObject(self._raw, index)
            if owner := address(handle):
                found.setdefault(owner, _Object(handle)).indices.append(index)
        return found

    def extent(self, owner: int) -> Box:
        """Return the box around all characters of an object."""
        item = self._objects[owner]
        if item.extent is None:
            boxes = (loose_box(self._raw, index) for index in item.indices)
            item.extent = Box(*enclose(filter(None, boxes)))
        return item.extent

    def handle(self, owner: int) -> Any:
        """Return the object with the address `owner`."""
        return self._objects[owner].handle

    @cached_property
    def unread_objects(self) -> list[tuple[Any, Box | None]]:
        """Return the text objects that add nothing to the page's text, because pdfium took them for repetitions."""
        texts = (item.raw for item in self._page.get_objects([TEXT]))
        unread = [raw for raw in texts if address(raw) not in self._objects and self._is_misspoken(raw) is None]
        return [(raw, object_bounds(raw)) for raw in unread]


def _is_meaningful(character: str) -> bool:
    """Whether a reader who does not see this character is misled: a letter, a digit, or a sign of a figure.

    Boxes, bullets and dashes are often drawn over an invisible character, or cut off at the edge of a cell.
    """
    category = unicodedata.category(character)
    return character in _FIGURE_SIGNS or category[0] in "LN" or category in _SYMBOL_CATEGORIES


def object_bounds(handle: Any) -> Box | None:
    """Return the box of an object, in the coordinates of its container; None if it has no bounds."""
    sides = (ctypes.c_float * 4)()
    if not _BOUNDS(handle, *[ctypes.byref(sides, at) for at in (0, 4, 8, 12)]):
        return None
    return Box(*sides)
