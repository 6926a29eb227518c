"""Words on a PDF page that are no text: drawn as shapes, or in a picture. They cannot be read, so the page is named.

Only a page with many-sided shapes or a picture of some size is looked at. Drawn without its text, has it rows of many
strokes, as lines of print are? Photographs, charts and grids have none. A page whose text itself is drawn in thousands
of pieces is taken as read.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.boxes import Box
from ralph_cli.documents.pdf.characters import object_bounds
from ralph_cli.documents.pdf.ink import PageCanvas, without_objects
from ralph_cli.documents.pdf.marked_content import IMAGE, PATH, TEXT

_FORM = 5
_MANY_OBJECTS, _MOST_OBJECTS, _DEPTH = 800, 5_000, 3
# A frame has six segments at most; some twenty letters as shapes have so many more together.
_PLAIN_SEGMENTS, _MANY_SEGMENTS = 6, 300

_PICTURE_SHARE, _PAGE_SHARE = 0.03, 0.5
# A picture of the whole page with so much text is a scan with its text layer, or a background.
_LAYER_LETTERS = 200

_PIXELS_PER_POINT = 100 / 72
_MOST_PIXELS = 1_400
_CONTRAST = 60
_STROKES, _MANY_STROKES = 10, 15
_LINE_HEIGHTS = range(5, 23)


@dataclass(frozen=True, slots=True)
class _Band:
    """Rows of pixels, from `top` on, with `strokes` on average between `left` and `right`."""

    top: int
    height: int
    left: int
    right: int
    strokes: float


def may_have_unread_print(page: Any, characters: int) -> bool:
    """Whether a page with so many characters has shapes or a picture among which there may be words."""
    objects = pdfium_c.FPDFPage_CountObjects(page.raw)
    if objects > _MANY_OBJECTS and characters > objects / 2:
        return False
    width, height = page.get_size()
    segments = 0
    for kind, item in _objects(page):
        if kind == PATH:
            segments += max(pdfium_c.FPDFPath_CountSegments(item) - _PLAIN_SEGMENTS, 0)
            if segments >= _MANY_SEGMENTS:
                return True
        elif kind == IMAGE and (box := object_bounds(item)) is not None:
            share = box.width * box.height / max(width * height, 1)
            if share >= _PICTURE_SHARE and (share < _PAGE_SHARE or characters < _LAYER_LETTERS):
                return True
    return False


def has_unread_print(page: Any, text_page: Any) -> bool:
    """Whether the page, drawn without its text, has lines of print where there is no text either."""
    width, height = page.get_size()
    scale = min(_PIXELS_PER_POINT, _MOST_PIXELS / max(width, height, 1))
    canvas = PageCanvas(page, max(round(width * scale), 1), max(round(height * scale), 1))
    with without_objects([item for kind, item in _objects(page) if kind == TEXT]):
        drawn = canvas.render(canvas.page_rect)
    rows = [row[1::4] for row in drawn.rows(canvas.page_rect)]
    bands = [band for band in _bands(rows) if not _is_read(band, canvas, text_page)]
    return len(bands) >= 3 or sum(band.strokes >= _MANY_STROKES for band in bands) >= 2


def _objects(page: Any) -> Iterator[tuple[int, Any]]:
    """Kind and handle of the objects of a page, those in its forms too, up to a number."""
    waiting = [(partial(pdfium_c.FPDFPage_GetObject, page.raw), pdfium_c.FPDFPage_CountObjects(page.raw), 0)]
    seen = 0
    while waiting:
        get, count, depth = waiting.pop()
        for number in range(min(count, _MOST_OBJECTS - seen)):
            item = get(number)
            kind = pdfium_c.FPDFPageObj_GetType(item)
            seen += 1
            yield kind, item
            if kind == _FORM and depth < _DEPTH:
                inside = pdfium_c.FPDFFormObj_CountObjects(item)
                waiting.append((partial(pdfium_c.FPDFFormObj_GetObject, item), inside, depth + 1))


def _bands(rows: list[bytes]) -> Iterator[_Band]:
    """Rows of a height that lines of print have, with so many strokes beside each other that letters would leave them.

    The rows of a grid are all alike; those of letters are not.
    """
    paper = Counter(b"".join(rows[::7])).most_common(1)
    if not paper:
        return
    table = bytes(abs(value - paper[0][0]) > _CONTRAST for value in range(256))
    inked = [row.translate(table) for row in rows]
    strokes = [row.count(b"\0\1") for row in inked]
    top = 0
    while top < len(rows):
        end = top
        most = 0
        while end < len(rows) and strokes[end] >= max(most / 4, _STROKES / 2):
            most = max(most, strokes[end])
            end += 1
        band = inked[top:end]
        mean = sum(strokes[top:end]) / max(end - top, 1)
        if end - top in _LINE_HEIGHTS and mean >= _STROKES and 2 * len(set(band)) >= len(band):
            left, right = min(row.find(1) for row in band), max(row.rfind(1) for row in band)
            yield _Band(top, end - top, left, right, mean)
        top = end + 1


def _is_read(band: _Band, canvas: PageCanvas, text_page: Any) -> bool:
    """Whether the page's text has words where the band is, as a scan with a text layer has."""
    left, top = canvas.to_point(band.left, band.top)
    right, bottom = canvas.to_point(band.right, band.top + band.height)
    box = Box(min(left, right), min(top, bottom), max(left, right), max(top, bottom))
    letters = sum(map(str.isalnum, text_page.get_text_bounded(*box)))
    return letters >= band.strokes / 4
