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
from ralph_cli.documents.pdf.boxes import Box, enclose, join_boxes
from ralph_cli.documents.pdf.content.annotations import open_page
from ralph_cli.documents.pdf.ink import PageCanvas, Rect, RenderedRegion, intersect
from ralph_cli.documents.pdf.reader import LaidOutPage, open_pdf

# Lines of the page that are shown above and below the quoted lines.
_CONTEXT_LINES = 4.2

# Most pixels of blank paper left at each side of a picture.
_MARGIN = 12

# The largest difference between the pixels of a row without print.
_FLAT = 12

_YELLOW = (255, 214, 10)
# The largest height of a picture, as a multiple of its width.
_MAX_ASPECT = 1.4


@dataclass(frozen=True, slots=True)
class _Crop:
    """The part of a page around quoted lines, and these lines; both in pixels of the whole page."""

    region: Rect
    lines: list[Rect]


def crop_quotes(
    data: bytes,
    *,
    name: str,
    password: str | None,
    layout: Layout,
    pages: list[dict[str, Any]],
    width: int,
    most: int,
    whole: bool,
) -> bytes:
    """Return the pixels of the pages around quotes, or of `whole` pages: one line of JSON that describes them, then the
    bytes.

    Each page is {number, text, spans: [[start, end], ...]} and gives one picture per span. A picture is described as
    [page, span's index, width, height, bytes per pixel (1 gray, 3 RGB), [[left, top, right, bottom] of a quoted line in
    pixels, ...]]. Pictures are made in that order until they would exceed `most` bytes in total; the rest is left out.
    """
    described: list[list[Any]] = []
    pixels: list[bytes] = []
    room = most
    with open_pdf(data, name, password) as document:
        for number, index, page, boxes in _locate_spans(document, name, layout, pages):
            wide, tall = (max(side, 1.0) for side in page.get_size())
            canvas = PageCanvas(page, width, max(round(width * tall / wide), 1))
            cut = _crop(canvas, boxes, whole=whole)
            if cut is None:
                continue
            _, top, _, bottom = cut.region
            room -= width * (bottom - top) * 3
            if room < 0:
                break
            depth, content = _pack(canvas.render(cut.region))
            left, right = 0, width
            if not whole:
                row = width * depth
                above, below = _whole_lines(content, row, cut, depth)
                content = content[(above - top) * row : (below - top) * row]
                top, bottom = above, below
                left, right, content = _trim_margins(content, width, cut.lines, depth)
            lines = [[near - left, upper - top, far - left, lower - top] for near, upper, far, lower in cut.lines]
            described.append([number, index, right - left, bottom - top, depth, lines])
            pixels.append(content)
    return json.dumps(described).encode("ascii") + b"\n" + b"".join(pixels)


def draw_pages(
    data: bytes, *, name: str, password: str | None, layout: Layout, pages: list[dict[str, Any]], width: int, most: int
) -> bytes:
    """Return the pixels of whole pages, unmarked: one line of JSON that describes them, then their bytes.

    Each page is {number, text, spans: [[start, end], ...]}. It is described as [number, width, height, bytes per pixel,
    [the lines of a span as [left, top, right, bottom] in pixels, ...]]. A page of more than `most` bytes is drawn
    smaller.
    """
    described: list[list[Any]] = []
    pixels: list[bytes] = []
    with open_pdf(data, name, password) as document:
        for wanted in pages:
            located = list(_locate_spans(document, name, layout, [wanted]))
            page = located[0][2] if located else open_page(document, wanted["number"] - 1)[0]
            wide, tall = (max(side, 1.0) for side in page.get_size())
            across = min(width, max(int((most * wide / tall / 4) ** 0.5), 1))
            down = min(max(round(across * tall / wide), 1), most // 4)
            canvas = PageCanvas(page, across, down)
            depth, content = _pack(canvas.render(canvas.page_rect))
            lines = [_lines_of(canvas, boxes) for _, _, _, boxes in located]
            described.append([wanted["number"], across, down, depth, lines])
            pixels.append(content)
    return json.dumps(described).encode("ascii") + b"\n" + b"".join(pixels)


def annotate(
    data: bytes, *, name: str, password: str | None, layout: Layout, pages: list[dict[str, Any]], author: str
) -> bytes:
    """Return a copy of the PDF in which each span is highlighted and has a note.

    Each page is {number, text, spans: [[start, end], ...], notes: [text, ...]}. Everything else in the file is kept. A
    digital signature becomes invalid, as in any changed copy.
    """
    notes = {page["number"]: page["notes"] for page in pages}
    # Reading a page merges its overlays into it, so the copy is made from a document opened separately.
    with open_pdf(data, name, password) as document, open_pdf(data, name, password) as unread:
        for number, index, _, boxes in _locate_spans(document, name, layout, pages):
            if boxes:
                _highlight(unread[number - 1], boxes, author, notes[number][index])
        copy = io.BytesIO()
        try:
            unread.save(copy)
        except pypdfium2.PdfiumError:
            raise DocumentError(f"{name} cannot be copied", code="unsupported") from None
        return copy.getvalue()


def _locate_spans(
    document: Any, name: str, layout: Layout, pages: list[dict[str, Any]]
) -> Iterator[tuple[int, int, Any, list[Box]]]:
    """Yield page number, span's index, page and rectangles for each span."""
    for wanted in pages:
        if "boxes" in wanted:
            page, _ = open_page(document, wanted["number"] - 1)
            for index, words in enumerate(wanted["boxes"]):
                yield wanted["number"], index, page, join_boxes(Box(*word) for word in words)
            continue
        laid_out = LaidOutPage(document, name, layout, wanted["number"], wanted["text"])
        for index, (start, end) in enumerate(wanted["spans"]):
            yield wanted["number"], index, laid_out.page, laid_out.boxes(start, end)


def _crop(canvas: PageCanvas, boxes: list[Box], *, whole: bool) -> _Crop | None:
    """Return the part of the page around these lines, or the `whole` page; None if no line is on the page."""
    _, _, width, height = canvas.page_rect
    lines = _lines_of(canvas, boxes)
    if not lines:
        return None
    if whole:
        return _Crop(canvas.page_rect, lines)
    line_height = sorted(bottom - top for _, top, _, bottom in lines)[len(lines) // 2]
    context = min(max(round(_CONTEXT_LINES * line_height), width // 12), width // 5)
    _, first, _, last = enclose(lines)
    top = max(first - context, 0)
    region = (0, top, width, min(last + context, height, top + round(_MAX_ASPECT * width)))
    return _Crop(region, [intersect(line, region) for line in lines if line[1] < region[3]])


def _lines_of(canvas: PageCanvas, boxes: list[Box]) -> list[Rect]:
    """Return the boxes in pixels, clipped to the page."""
    lines = []
    for box in boxes:
        corners = canvas.to_pixel(box.left, box.top), canvas.to_pixel(box.right, box.bottom)
        (left, right), (top, bottom) = map(sorted, zip(*corners, strict=True))
        line = intersect((left, top, right, bottom), canvas.page_rect)
        if line[0] < line[2] and line[1] < line[3]:
            lines.append(line)
    return lines


def _pack(rendered: RenderedRegion) -> tuple[int, bytes]:
    """Return the bytes per pixel, and the pixels from the upper left. Gray pictures have one byte per pixel."""
    blue, green, red = (rendered.data[channel::4] for channel in range(3))
    if red == green == blue:
        return 1, red
    packed = bytearray(3 * len(red))
    packed[0::3], packed[1::3], packed[2::3] = red, green, blue
    return 3, bytes(packed)


def _whole_lines(pixels: bytes, row: int, cut: _Crop, depth: int) -> tuple[int, int]:
    """Return the first and last row of the page that cut no line of print and leave little blank paper.

    An edge stays unchanged if no blank row separates it from the quoted lines.
    """
    _, top, _, bottom = cut.region
    _, first, _, last = enclose(cut.lines)
    rows = [pixels[at : at + row] for at in range(0, len(pixels), row)]
    printed = [any(max(line[part::depth]) - min(line[part::depth]) > _FLAT for part in range(depth)) for line in rows]

    def edge(ordered: range) -> int:
        """Return how many rows to remove at an edge."""
        blank = next((count for count, y in enumerate(ordered) if not printed[y]), None)
        if blank is None:
            return 0
        beyond = next((count for count, y in enumerate(ordered) if count > blank and printed[y]), len(ordered))
        return max(blank, beyond - _MARGIN)

    above = edge(range(max(first - top, 0)))
    below = edge(range(bottom - top - 1, min(last, bottom) - top - 1, -1))
    return top + above, bottom - below


def _trim_margins(pixels: bytes, width: int, lines: list[Rect], depth: int) -> tuple[int, int, bytes]:
    """Return the first and last column without the blank side margins, and the pixels between them."""
    row = width * depth
    printed = [x for x in range(width) if any(min(pixels[x * depth + part :: row]) < 250 for part in range(depth))]
    columns = [*printed[:1], *printed[-1:], *(side for line in lines for side in (line[0], line[2]))]
    left, right = max(min(columns) - _MARGIN, 0), min(max(columns) + _MARGIN, width)
    rows = (pixels[at + left * depth : at + right * depth] for at in range(0, len(pixels), row))
    return left, right, b"".join(rows)


def _highlight(page: Any, boxes: list[Box], author: str, note: str) -> None:
    annotation = pdfium_c.FPDFPage_CreateAnnot(page.raw, pdfium_c.FPDF_ANNOT_HIGHLIGHT)
    if not annotation:
        raise DocumentError("this PDF cannot be annotated", code="unsupported")
    try:
        pdfium_c.FPDFAnnot_SetColor(annotation, pdfium_c.FPDFANNOT_COLORTYPE_Color, *_YELLOW, 255)
        left, bottom, right, top = enclose(boxes)
        pdfium_c.FPDFAnnot_SetRect(annotation, ctypes.byref(pdfium_c.FS_RECTF(left, top, right, bottom)))
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
