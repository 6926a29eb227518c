"""Quotes on the pages of a PDF, in the child process: parts of pages as pixels, and a copy with highlights."""

import ctypes
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import Layout
from ralph_cli.documents.parsed import Box
from ralph_cli.documents.pdf.reader import LaidOutPage, open_pdf

_CONTEXT_LINES = 4.2
"""Lines of the page that are shown above and below the quoted ones."""

_MARGIN = 24
"""Pixels of blank paper that are left at each side of a picture."""

_YELLOW = (255, 214, 10)
_MAX_ASPECT = 1.4
"""The most height of a picture, as a multiple of its width."""


@dataclass(frozen=True, slots=True)
class _Crop:
    """The part of a page, in pixels of the whole page at that width: rows top..bottom, and the quoted lines in it."""

    width: int
    height: int
    top: int
    bottom: int
    lines: list[list[int]]


def crop_quotes(
    data: bytes, *, name: str, password: str | None, layout: Layout, pages: list[dict[str, Any]], width: int, most: int
) -> bytes:
    """Pixels of the pages around quotes: one line of JSON that describes the pictures, then their bytes.

    Each page is {number, text, spans: [[start, end], ...]}, and gives a picture a span: [page, span's index, width,
    height, bytes a pixel (1 gray, 3 RGB), [[left, top, right, bottom] of a quoted line in pixels, ...]]. Pictures are
    made in that order until they would have more than `most` bytes together; the rest is left out.
    """
    described: list[list[Any]] = []
    pixels: list[bytes] = []
    room = most
    with open_pdf(data, name, password) as document:
        for number, index, page, boxes in _locate_spans(document, name, layout, pages):
            cut = _crop(page, boxes, width)
            if cut is None:
                continue
            room -= cut.width * (cut.bottom - cut.top) * 3
            if room < 0:
                break
            depth, content = _render(page, cut)
            left, right, content = _trim_margins(content, cut, depth)
            lines = [[x - left, top, far - left, bottom] for x, top, far, bottom in cut.lines]
            described.append([number, index, right - left, cut.bottom - cut.top, depth, lines])
            pixels.append(content)
    return json.dumps(described).encode("ascii") + b"\n" + b"".join(pixels)


def annotate(
    data: bytes, *, name: str, password: str | None, layout: Layout, pages: list[dict[str, Any]], author: str
) -> bytes:
    """A copy of the PDF in which each span is highlighted and has a note.

    Each page is {number, text, spans: [[start, end], ...], notes: [text, ...]}. Whatever else the file holds is kept;
    a digital signature no longer fits, which is the way of every changed copy.
    """
    notes = {page["number"]: page["notes"] for page in pages}
    with open_pdf(data, name, password) as document:
        for number, index, page, boxes in _locate_spans(document, name, layout, pages):
            if boxes:
                _highlight(page, boxes, author, notes[number][index])
        copy = io.BytesIO()
        try:
            document.save(copy)
        except pypdfium2.PdfiumError:
            raise DocumentError(f"{name} cannot be copied", code="unsupported") from None
        return copy.getvalue()


def _locate_spans(
    document: Any, name: str, layout: Layout, pages: list[dict[str, Any]]
) -> Iterator[tuple[int, int, Any, list[Box]]]:
    """Page number, span's index, page and the rectangles of the span, for each span."""
    for wanted in pages:
        laid_out = LaidOutPage(document, name, layout, wanted["number"], wanted["text"])
        for index, (start, end) in enumerate(wanted["spans"]):
            yield wanted["number"], index, laid_out.page, laid_out.boxes(start, end)


def _crop(page: Any, boxes: list[Box], width: int) -> _Crop | None:
    """Where to cut the page for these lines; None when nothing of them lies on the page."""
    wide, tall = (max(side, 1.0) for side in page.get_size())
    height = max(round(width * tall / wide), 1)
    lines = []
    for box in boxes:
        left, top = _to_pixels(page, width, height, box.left, box.top)
        right, bottom = _to_pixels(page, width, height, box.right, box.bottom)
        left, right = sorted((min(max(left, 0), width), min(max(right, 0), width)))
        top, bottom = sorted((min(max(top, 0), height), min(max(bottom, 0), height)))
        if left < right and top < bottom:
            lines.append([left, top, right, bottom])
    if not lines:
        return None
    line = sorted(bottom - top for _, top, _, bottom in lines)[len(lines) // 2]
    context = min(max(round(_CONTEXT_LINES * line), width // 12), width // 5)
    first, last = min(line[1] for line in lines), max(line[3] for line in lines)
    upper, lower = max(first - context, 0), min(last + context, height)
    lower = min(lower, upper + round(_MAX_ASPECT * width))
    shown = [
        [left, top - upper, right, min(bottom, lower) - upper] for left, top, right, bottom in lines if top < lower
    ]
    return _Crop(width, height, upper, lower, shown)


def _to_pixels(page: Any, width: int, height: int, x: float, y: float) -> tuple[int, int]:
    """A point of the page in pixels from the upper left, the page's rotation applied."""
    across, down = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, x, y, ctypes.byref(across), ctypes.byref(down))
    return across.value, down.value


def _render(page: Any, cut: _Crop) -> tuple[int, bytes]:
    """Bytes a pixel, and the pixels from the upper left; one byte when all of them are gray."""
    rows = cut.bottom - cut.top
    bitmap = pdfium_c.FPDFBitmap_CreateEx(cut.width, rows, pdfium_c.FPDFBitmap_BGR, None, 0)
    if not bitmap:
        raise MemoryError
    try:
        pdfium_c.FPDFBitmap_FillRect(bitmap, 0, 0, cut.width, rows, 0xFFFFFFFF)
        flags = pdfium_c.FPDF_ANNOT | pdfium_c.FPDF_REVERSE_BYTE_ORDER
        pdfium_c.FPDF_RenderPageBitmap(bitmap, page.raw, 0, -cut.top, cut.width, cut.height, 0, flags)
        stride = pdfium_c.FPDFBitmap_GetStride(bitmap)
        held = ctypes.string_at(pdfium_c.FPDFBitmap_GetBuffer(bitmap), stride * rows)
    finally:
        pdfium_c.FPDFBitmap_Destroy(bitmap)
    packed = b"".join(held[row * stride : row * stride + 3 * cut.width] for row in range(rows))
    red = packed[0::3]
    return (1, red) if red == packed[1::3] == packed[2::3] else (3, packed)


def _trim_margins(pixels: bytes, cut: _Crop, depth: int) -> tuple[int, int, bytes]:
    """The pixels without the blank margins at the sides, and from which column to which they are."""
    row = cut.width * depth
    printed = [x for x in range(cut.width) if any(min(pixels[x * depth + part :: row]) < 250 for part in range(depth))]
    columns = [*printed[:1], *printed[-1:], *(side for line in cut.lines for side in (line[0], line[2]))]
    left, right = max(min(columns) - _MARGIN, 0), min(max(columns) + _MARGIN, cut.width)
    kept = (pixels[at + left * depth : at + right * depth] for at in range(0, len(pixels), row))
    return left, right, b"".join(kept)


def _highlight(page: Any, boxes: list[Box], author: str, note: str) -> None:
    annotation = pdfium_c.FPDFPage_CreateAnnot(page.raw, pdfium_c.FPDF_ANNOT_HIGHLIGHT)
    if not annotation:
        raise DocumentError("this PDF cannot be annotated", code="unsupported")
    try:
        pdfium_c.FPDFAnnot_SetColor(annotation, pdfium_c.FPDFANNOT_COLORTYPE_Color, *_YELLOW, 255)
        around = pdfium_c.FS_RECTF(
            min(box.left for box in boxes),
            max(box.top for box in boxes),
            max(box.right for box in boxes),
            min(box.bottom for box in boxes),
        )
        pdfium_c.FPDFAnnot_SetRect(annotation, ctypes.byref(around))
        for box in boxes:
            quad = pdfium_c.FS_QUADPOINTSF(
                box.left, box.top, box.right, box.top, box.left, box.bottom, box.right, box.bottom
            )
            pdfium_c.FPDFAnnot_AppendAttachmentPoints(annotation, ctypes.byref(quad))
        pdfium_c.FPDFAnnot_SetFlags(annotation, pdfium_c.FPDF_ANNOT_FLAG_PRINT)
        for key, text in ((b"Contents", note), (b"T", author)):
            words = text.encode("utf-16-le", "replace") + b"\0\0"
            buffer = ctypes.create_string_buffer(words, len(words))
            pdfium_c.FPDFAnnot_SetStringValue(annotation, key, ctypes.cast(buffer, pdfium_c.FPDF_WIDESTRING))
    finally:
        pdfium_c.FPDFPage_CloseAnnot(annotation)
