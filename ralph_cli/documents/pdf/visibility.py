"""Whether a reader of a PDF page sees the words of its text.

Each character must leave ink and be large enough to read. The test renders the page without a text object: the page
must then differ at the object's characters, by the least contrast of ink. This finds every trick: invisible mode, text
in the background's colour, a cover, a clip, a hidden layer. Words over a picture pass if the picture has ink there, as
the text layer of a scan does. An ActualText must match the drawn text. Not found: a font whose glyphs show other
letters than its character map names.
"""

import ctypes
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents import sight
from ralph_cli.documents.pdf.boxes import Box, enclose
from ralph_cli.documents.pdf.characters import Glyph, Glyphs, object_bounds
from ralph_cli.documents.pdf.ink import PageCanvas, Rect, intersect, without_objects
from ralph_cli.documents.pdf.layout import PageLayout
from ralph_cli.documents.pdf.marked_content import IMAGE, PATH, SHADING, TEXT, is_on_layer

# Height of a character's space, as a multiple of its type size.
_ROOM = 1.2

# A letter squeezed to a line is unreadable, on paper and on screen.
_SLIVER_POINTS = 0.5

_GLYPH_PIXELS = 24
_SCALES = (1.5, 8.0)
_MOST_PIXELS = 4_000_000
_OVERLAP = 0.1
_UNSEEN_MODES = (3, 7)


class PageVisibility:
    """Tell which words of one page can be seen."""

    def __init__(self, page: Any, text_page: Any, layout: PageLayout) -> None:
        self._page, self._layout = page, layout
        self._glyphs = Glyphs(page, text_page, layout)

    def check(self, offsets: Iterable[int]) -> sight.Visibility:
        """Return whether all characters at these offsets of the page's text can be seen."""
        glyphs = self._glyphs.at(offsets)
        hidden = {glyph.offset: sight.OTHER_WORDS for glyph in glyphs if glyph.is_misspoken}
        hidden |= {glyph.offset: sight.TINY for glyph in glyphs if _is_tiny(glyph.loose)}
        rest = [glyph for glyph in glyphs if glyph.offset not in hidden]
        picture = False
        for canvas, portion in self._portions(rest):
            unseen = self._without_ink(canvas, portion)
            if unseen:
                unseen = self._without_duplicates(canvas, portion, unseen)
            words = _words(self._layout.text, unseen)
            for word, on_picture in zip(words, self._on_pictures(canvas, words), strict=True):
                picture = picture or on_picture
                if not on_picture:
                    hidden |= {glyph.offset: self._reason(canvas, glyph) for glyph in word}
        if not hidden:
            return sight.Visibility(on_picture=picture)
        why = Counter(hidden.values()).most_common(1)[0][0]
        return sight.Visibility(why, len(hidden) < len(glyphs), picture)

    def _disjoint_groups(self, glyphs: Sequence[Glyph]) -> Iterator[tuple[list[Any], list[Glyph]]]:
        """Yield the glyphs with the objects that draw them, in groups whose objects do not overlap."""
        groups: list[list[int]] = []
        for owner in dict.fromkeys(glyph.owner for glyph in glyphs):
            extent = self._glyphs.extent(owner)
            for group in groups:
                if not any(_overlap(extent, self._glyphs.extent(other)) for other in group):
                    group.append(owner)
                    break
            else:
                groups.append([owner])
        for group in groups:
            owners = set(group)
            drawn = [glyph for glyph in glyphs if glyph.owner in owners]
            yield [self._glyphs.handle(owner) for owner in group], drawn

    def _portions(self, glyphs: Sequence[Glyph]) -> Iterator[tuple[PageCanvas, Sequence[Glyph]]]:
        """Yield the glyphs in portions to render together, each at a scale at which its type is large enough."""
        if not glyphs:
            return
        least = min(max(glyph.loose.width, glyph.loose.height) for glyph in glyphs)
        scale = min(max(_GLYPH_PIXELS / least, _SCALES[0]), _SCALES[1])
        canvas = PageCanvas(self._page, *(max(math.ceil(side * scale), 1) for side in self._page.get_size()))
        left, top, right, bottom = self._region(canvas, glyphs)
        if (right - left) * (bottom - top) <= _MOST_PIXELS or len(glyphs) == 1:
            yield canvas, glyphs
            return
        middle = len(glyphs) // 2
        yield from self._portions(glyphs[:middle])
        yield from self._portions(glyphs[middle:])

    def _region(self, canvas: PageCanvas, glyphs: Sequence[Glyph]) -> Rect:
        return intersect(enclose([canvas.to_pixels(*glyph.loose) for glyph in glyphs]), canvas.page_rect)

    def _without_ink(self, canvas: PageCanvas, glyphs: Sequence[Glyph], twins: Iterable[Any] = ()) -> list[Glyph]:
        """Return the glyphs that leave no ink. The objects `twins` are hidden in both renderings."""
        region = self._region(canvas, glyphs)
        if not _area(region):
            return list(glyphs)
        found: list[Glyph] = []
        with without_objects(twins):
            page = canvas.render(region)
            for objects, drawn in self._disjoint_groups(glyphs):
                with without_objects(objects):
                    without = canvas.render(region)
                found += [g for g in drawn if not page.differs(without, _without_edge(canvas.to_pixels(*g.box)))]
        return found

    def _without_duplicates(self, canvas: PageCanvas, glyphs: Sequence[Glyph], unseen: list[Glyph]) -> list[Glyph]:
        """Return those of the unseen glyphs that are not printed twice.

        Some files make bold type by drawing the same words again at a small offset; pdfium returns these words once.
        """
        owners = {glyph.owner for glyph in unseen}
        places = [object_bounds(self._glyphs.handle(owner)) for owner in owners]
        twins = [item for item, box in self._glyphs.unread_objects if any(_same_place(box, place) for place in places)]
        if not twins:
            return unseen
        without_ink = self._without_ink(canvas, [glyph for glyph in glyphs if glyph.owner in owners], twins)
        offsets = {glyph.offset for glyph in without_ink}
        return [glyph for glyph in unseen if glyph.offset in offsets]

    def _on_pictures(self, canvas: PageCanvas, words: Sequence[Sequence[Glyph]]) -> list[bool]:
        """Whether each word lies on the ink of a picture, as the text layer of a scan does."""
        rects = [enclose([canvas.to_pixels(*glyph.loose) for glyph in word]) for word in words]
        region = intersect(enclose(rects), canvas.page_rect) if rects else (0, 0, 0, 0)
        if not _area(region) or not any(True for _ in self._page.get_objects([IMAGE, SHADING])):
            return [False] * len(words)
        with without_objects([item.raw for item in self._page.get_objects([TEXT])]):
            seen = canvas.render(region)
            with without_objects([item.raw for item in self._page.get_objects([PATH])]):
                pictures = canvas.render(region)
        inked = [not seen.is_flat(rect) and not pictures.is_flat(rect) for rect in rects]
        # A scan's text layer has full stops and dashes for specks.
        return [ink or (any(inked) and not self._has_letters(word)) for ink, word in zip(inked, words, strict=True)]

    def _has_letters(self, word: Sequence[Glyph]) -> bool:
        return any(self._layout.text[glyph.offset].isalnum() for glyph in word)

    def _reason(self, canvas: PageCanvas, glyph: Glyph) -> str:
        """Return the most likely reason why the glyph is not seen."""
        rect = canvas.to_pixels(*glyph.box)
        region = intersect(rect, canvas.page_rect)
        if not _area(region):
            return sight.OFF_PAGE
        handle = self._glyphs.handle(glyph.owner)
        mode = pdfium_c.FPDFTextObj_GetTextRenderMode(handle)
        flags = sight.INVISIBLE if mode in _UNSEEN_MODES else "", sight.LAYER if is_on_layer(handle) else ""
        levels = [ctypes.c_uint() for _ in range(4)]
        known = pdfium_c.FPDFPageObj_GetFillColor(handle, *map(ctypes.byref, levels))
        red, green, blue, alpha = (level.value for level in levels) if known else (0, 0, 0, 255)
        page = canvas.render(region)
        behind = page.colour(rect) if known and page.is_flat(region) else None
        ground = None if behind is None else frozenset({behind})
        why = sight.seen(red << 16 | green << 8 | blue, ground, None, flags, alpha / 255)
        return why if sight.is_unseen(why) else sight.CLIPPED


def _same_place(first: Box | None, second: Box | None) -> bool:
    if first is None or second is None:
        return False
    near = 0.25 * min(first.width, first.height)
    return all(abs(a - b) <= near for a, b in zip(first, second, strict=True))


def _is_tiny(box: Box) -> bool:
    return sight.is_flat(max(box.width, box.height) / _ROOM) or min(box.width, box.height) < _SLIVER_POINTS


def _overlap(first: Box, second: Box) -> bool:
    """Whether two boxes overlap by more than a touch."""
    across = min(first.right, second.right) - max(first.left, second.left)
    upward = min(first.top, second.top) - max(first.bottom, second.bottom)
    touch = _OVERLAP * min(first.width, first.height, second.width, second.height)
    return min(across, upward) > max(touch, 0)


def _without_edge(rect: Rect) -> Rect:
    """Return a rectangle without its edge, where a neighbour's ink may reach."""
    left, top, right, bottom = rect
    across, down = (1 if right - left > 4 else 0), (1 if bottom - top > 4 else 0)
    return left + across, top + down, right - across, bottom - down


def _area(rect: Rect) -> int:
    return (rect[2] - rect[0]) * (rect[3] - rect[1])


def _words(text: str, glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    """Return the glyphs in words, split at white space and at gaps."""
    words: list[list[Glyph]] = []
    for glyph in sorted(glyphs, key=lambda glyph: glyph.offset):
        if words and not any(map(str.isspace, text[words[-1][-1].offset : glyph.offset])):
            words[-1].append(glyph)
        else:
            words.append([glyph])
    return words
