"""The ink of a PDF page: how the rendered page changes when some of its objects are left out."""

import ctypes
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.sight import LEAST_CONTRAST

_BYTES_PER_PIXEL = 4
_WHITE = (255, 255, 255, 255)

# Left, top, right, bottom in pixels, half-open.
Rect = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class RenderedRegion:
    """A rendered part of a page: `region` in pixels, and four bytes per pixel (blue, green, red, unused)."""

    region: Rect
    data: bytes

    def rows(self, rect: Rect) -> Iterator[bytes]:
        """Yield the pixels of a rectangle row by row, clipped to the picture."""
        left, top, right, bottom = intersect(rect, self.region)
        width = (self.region[2] - self.region[0]) * _BYTES_PER_PIXEL
        first, last = (left - self.region[0]) * _BYTES_PER_PIXEL, (right - self.region[0]) * _BYTES_PER_PIXEL
        for y in range(top - self.region[1], bottom - self.region[1]):
            yield self.data[y * width + first : y * width + last]

    def differs(self, other: "RenderedRegion", rect: Rect) -> bool:
        """Whether a reader sees a difference between the two pictures in a rectangle."""
        return any(
            our_row != other_row and any(abs(a - b) >= LEAST_CONTRAST for a, b in zip(our_row, other_row, strict=True))
            for our_row, other_row in zip(self.rows(rect), other.rows(rect), strict=True)
        )

    def is_flat(self, rect: Rect) -> bool:
        """Whether a reader sees only one colour in a rectangle."""
        rows = list(self.rows(rect))
        for channel in range(_BYTES_PER_PIXEL):
            levels = [level for row in rows for level in row[channel::_BYTES_PER_PIXEL]]
            if levels and max(levels) - min(levels) >= LEAST_CONTRAST:
                return False
        return True

    def colour(self, rect: Rect) -> int | None:
        """Return the colour in the middle of a rectangle, as 0xRRGGBB; None if the middle is outside of the picture."""
        x, y = (rect[0] + rect[2]) // 2, (rect[1] + rect[3]) // 2
        pixel = next(self.rows((x, y, x + 1, y + 1)), b"")
        return int.from_bytes(pixel[:3], "little") if pixel else None


class PageCanvas:
    """A page of `width` x `height` pixels."""

    def __init__(self, page: Any, width: int, height: int) -> None:
        self._page = page
        self.page_rect: Rect = (0, 0, width, height)
        self._x, self._y = ctypes.c_int(), ctypes.c_int()

    def to_pixels(self, left: float, bottom: float, right: float, top: float) -> Rect:
        """Return a box of page coordinates in pixels, at least one pixel large, with the page's rotation applied."""
        (x, y), (u, v) = self.to_pixel(left, top), self.to_pixel(right, bottom)
        x, u, y, v = min(x, u), max(x, u), min(y, v), max(y, v)
        return x, y, max(u, x + 1), max(v, y + 1)

    def render(self, region: Rect) -> RenderedRegion:
        """Render `region` of the page in its current state, on white paper and with its annotations."""
        left, top, right, bottom = region
        bitmap = pypdfium2.PdfBitmap.new_native(right - left, bottom - top, pdfium_c.FPDFBitmap_BGRx)
        bitmap.fill_rect(_WHITE, 0, 0, right - left, bottom - top)
        _, _, width, height = self.page_rect
        pdfium_c.FPDF_RenderPageBitmap(bitmap.raw, self._page.raw, -left, -top, width, height, 0, pdfium_c.FPDF_ANNOT)
        used, stride = (right - left) * _BYTES_PER_PIXEL, bitmap.stride
        data = bytes(bitmap.buffer)
        bitmap.close()
        if stride != used:
            data = b"".join(data[y * stride : y * stride + used] for y in range(bottom - top))
        return RenderedRegion(region, data)

    def to_pixel(self, x: float, y: float) -> tuple[int, int]:
        """Convert a point of the page to pixels from the upper left, with the page's rotation applied."""
        _, _, width, height = self.page_rect
        pdfium_c.FPDF_PageToDevice(
            self._page.raw, 0, 0, width, height, 0, x, y, ctypes.byref(self._x), ctypes.byref(self._y)
        )
        return self._x.value, self._y.value

    def to_point(self, x: int, y: int) -> tuple[float, float]:
        """Convert a pixel, counted from the upper left, to a point of the page, whatever its rotation."""
        _, _, width, height = self.page_rect
        across, up = ctypes.c_double(), ctypes.c_double()
        pdfium_c.FPDF_DeviceToPage(self._page.raw, 0, 0, width, height, 0, x, y, ctypes.byref(across), ctypes.byref(up))
        return across.value, up.value


@contextmanager
def without_objects(objects: Iterable[Any]) -> Iterator[None]:
    """Hide these objects of the page from rendering while the context is active."""
    hidden = list(objects)
    try:
        for item in hidden:
            pdfium_c.FPDFPageObj_SetIsActive(item, False)
        yield
    finally:
        for item in hidden:
            pdfium_c.FPDFPageObj_SetIsActive(item, True)


def intersect(rect: Rect, bounds: Rect) -> Rect:
    """Return the part of a rectangle inside another; a rectangle without area if they do not overlap."""
    left, top = max(rect[0], bounds[0]), max(rect[1], bounds[1])
    return left, top, max(left, min(rect[2], bounds[2])), max(top, min(rect[3], bounds[3]))
