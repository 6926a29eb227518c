"""Quotes on paper: pictures of a PDF's pages around quotes, and a copy of the PDF with the quotes highlighted."""

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span
from ralph_cli.documents.pages import ask_pages, group_by_page
from ralph_cli.documents.source import DocumentSource

# Width of the whole page in pixels; a picture leaves out blank margins.
WIDTH = 1100

# Most bytes of raw pixels of all pictures; later spans get no picture.
MAX_PIXEL_BYTES = 60 << 20

_AUTHOR = "ralph"
_TINT = (255, 224, 77)
_SHADES = 32
_STEP = 256 // _SHADES
_GRAYS = [round(255 * shade / (_SHADES - 1)) for shade in range(_SHADES)]
# Gray pictures, which most pages give, have a palette: the shades of gray, and the same shades under the marker.
_PALETTE = bytes(gray for gray in _GRAYS for _ in _TINT) + bytes(gray * ink // 255 for gray in _GRAYS for ink in _TINT)
_TO_SHADE = bytes(value // _STEP for value in range(256))
_SHADE_INKED = bytes(min(value + _SHADES, 255) for value in range(256))
# Each channel is scaled, so that what is printed stays readable under the marker.
_COLOUR_INKED = tuple(bytes(value * ink // 255 for value in range(256)) for ink in _TINT)
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of page `page`, or of the part around a quote, with the quoted lines marked: a PNG of `width` x
    `height` pixels.
    """

    page: int
    width: int
    height: int
    png: bytes


@dataclass(frozen=True, slots=True)
class Annotation:
    """A note to attach to a highlighted span."""

    span: Span
    text: str


def render_pictures(
    document: Document,
    spans: Sequence[Span],
    *,
    source: DocumentSource | None = None,
    most: int = MAX_PIXEL_BYTES,
    whole: bool = False,
) -> list[tuple[Picture, ...]]:
    """Return, for each span of a PDF, pictures of the pages it is on; none for spans beyond `most` bytes of pixels.

    A picture shows the part of a page around the span, or the `whole` page. A parser process draws it and sends pixels,
    not an image file. Raises DocumentError as `ask_pages` does.
    """
    pages, owners = group_by_page(document, spans)

    def decode(answer: bytes) -> list[tuple[Picture, ...]]:
        found: list[list[Picture]] = [[] for _ in spans]
        for number, index, picture in _parse_pictures(answer, most):
            found[owners[number][index]].append(picture)
        return [tuple(group) for group in found]

    return ask_pages("cut", document, pages, decode, source=source, width=WIDTH, most=most, whole=whole)


@dataclass(frozen=True, slots=True)
class PagePicture(Picture):
    """A whole page, unmarked. `lines` has the lines of each requested span as left, top, right and bottom in pixels."""

    lines: tuple[tuple[tuple[int, int, int, int], ...], ...]


def draw_page(
    document: Document, number: int, spans: Sequence[Span] = (), *, source: DocumentSource | None = None
) -> PagePicture:
    """Draw a whole page of a PDF, unmarked, with the positions of the `spans` on it.

    Spans on other pages have no lines. A parser process draws it, as in `render_pictures`. Raises DocumentError as
    `ask_pages` does.
    """
    own = document.pages[number - 1]
    pages, owners = group_by_page(document, spans)
    asked = [page for page in pages if page["number"] == number]
    asked = asked or [{"number": number, "text": document.text[own.start : own.end], "spans": []}]
    inside = owners.get(number, [])

    def decode(answer: bytes) -> PagePicture:
        head, _, pixels = answer.partition(b"\n")
        ((page, across, down, depth, found),) = json.loads(head)
        _check_size(across, down, depth)
        if page != number or len(pixels) != across * down * depth or len(found) != len(inside):
            raise ValueError("not the page that was asked for")
        for lines in found:
            _check_lines(lines, across, down)
        by_span = dict(zip(inside, found, strict=True))
        places = tuple(tuple(tuple(line) for line in by_span.get(index, ())) for index in range(len(spans)))
        return PagePicture(number, across, down, _encode_png(pixels, across, down, depth, ()), places)

    return ask_pages("draw", document, asked, decode, source=source, width=WIDTH, most=MAX_PIXEL_BYTES)


def annotate(document: Document, notes: Sequence[Annotation], *, source: DocumentSource | None = None) -> bytes:
    """Return a copy of the PDF in which each note's span is highlighted and has the note. The file is not changed.

    The copy of an encrypted PDF has the same encryption. Raises DocumentError as `ask_pages` does.
    """
    pages, owners = group_by_page(document, [note.span for note in notes])
    for page in pages:
        page["notes"] = [notes[owner].text for owner in owners[page["number"]]]

    def decode(answer: bytes) -> bytes:
        if not answer.startswith(b"%PDF-"):
            raise ValueError("not a PDF")
        return answer

    return ask_pages("annotate", document, pages, decode, source=source, author=_AUTHOR)


def _parse_pictures(result: bytes, most: int) -> list[tuple[int, int, Picture]]:
    """Return the pictures in a child's answer, encoded as PNG. Raises ValueError for an inconsistent answer."""
    head, _, pixels = result.partition(b"\n")
    described = json.loads(head)
    if len(pixels) > most:
        raise ValueError("too many pixels")
    found, at = [], 0
    for number, index, across, down, depth, lines in described:
        if any(type(value) is not int for value in (number, index)) or index < 0:
            raise ValueError("a value that is not a number")
        _check_size(across, down, depth)
        size = across * down * depth
        if at + size > len(pixels):
            raise ValueError("a picture of an impossible size")
        _check_lines(lines, across, down)
        png = _encode_png(pixels[at : at + size], across, down, depth, lines)
        found.append((number, index, Picture(number, across, down, png)))
        at += size
    if at != len(pixels):
        raise ValueError("pixels that belong to no picture")
    return found


def _check_size(across: Any, down: Any, depth: Any) -> None:
    if any(type(value) is not int for value in (across, down, depth)):
        raise ValueError("a value that is not a number")
    if not 0 < across <= WIDTH or down < 1 or depth not in (1, 3):
        raise ValueError("a picture of an impossible size")


def _check_lines(lines: Any, across: int, down: int) -> None:
    for left, top, right, bottom in lines:
        if not (0 <= left < right <= across and 0 <= top < bottom <= down):
            raise ValueError("a line outside its picture")


def _encode_png(pixels: bytes, width: int, height: int, depth: int, lines: Sequence[Sequence[int]]) -> bytes:
    """Return a PNG of these pixels, with the quoted lines tinted as by a marker pen."""
    row = width * depth
    if depth == 1:
        pixels = pixels.translate(_TO_SHADE)
    rows = [bytearray(pixels[at : at + row]) for at in range(0, len(pixels), row)]
    tables = (_SHADE_INKED,) if depth == 1 else _COLOUR_INKED
    for y, start, end in _marked_rows(lines):
        for channel, table in enumerate(tables):
            part = slice(start * depth + channel, end * depth, depth)
            rows[y][part] = rows[y][part].translate(table)
    head = struct.pack(">IIBBBBB", width, height, 8, 3 if depth == 1 else 2, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + line for line in rows), 9)
    palette = [(b"PLTE", _PALETTE)] if depth == 1 else []
    return _PNG + b"".join(_chunk(*part) for part in ((b"IHDR", head), *palette, (b"IDAT", body), (b"IEND", b"")))


def _marked_rows(lines: Sequence[Sequence[int]]) -> Iterator[tuple[int, int, int]]:
    """Yield the rows of pixels under the marker as (y, start, end), each pixel once even if lines overlap."""
    rows: dict[int, list[tuple[int, int]]] = {}
    for left, top, right, bottom in lines:
        for y in range(top, bottom):
            rows.setdefault(y, []).append((left, right))
    for y, parts in rows.items():
        reached = 0
        for left, right in sorted(parts):
            if right > max(left, reached):
                yield y, max(left, reached), right
                reached = right


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
