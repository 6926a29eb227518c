"""Converts picture files to PDF, one page per picture, to render, read and mark them like scans; in the child.

Pillow decodes them, restricted to the formats named here, because some of its other decoders run programs.
"""

import io
import struct
import zlib
from dataclasses import replace
from typing import Any

import pypdfium2  # type: ignore[import-untyped]

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.text.lexicon import pluralize

_FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP")
# The format in which several pictures are pages; in other formats they are an animation.
_PAGED = "TIFF"

_FAULTS = (
    OSError, SyntaxError, ValueError, LookupError, TypeError, ArithmeticError, EOFError, zlib.error, struct.error,
)  # fmt: skip
_MOST_PIXELS = 120_000_000
_POINTS = 72
# Resolutions that scanners write; values outside are placeholders of cameras or programs.
_SCAN_DPI = (150, 1_200)

# The assumed resolution: a small picture is part of a screen, whose letters are small.
_USUAL_DPI, _SCREEN_DPI, _SCREEN_SIDE = 200, 100, 1_400


def as_pdf(data: bytes, name: str) -> tuple[bytes, tuple[Caution, ...]]:
    """Return the pictures of a file as pages of a PDF, and cautions about pictures that are missing from it.

    Raises DocumentError damaged, too-big, unsupported.
    """
    from PIL import Image, ImageOps, ImageSequence

    Image.MAX_IMAGE_PIXELS = None  # `_check_size` applies the limit before decoding
    document = pypdfium2.PdfDocument.new()
    cautions: list[Caution] = []
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as file:
            if file.format != _PAGED and getattr(file, "n_frames", 1) > 1:
                message = f"an animation of {file.n_frames} pictures, of which only the first is read"  # type: ignore[attr-defined]
                cautions.append(Caution("animation", message))
            for picture in ImageSequence.Iterator(file) if file.format == _PAGED else (file,):
                _check_size(picture, name)
                _add_page(document, ImageOps.exif_transpose(picture), _POINTS / _resolution(picture))
    except _FAULTS:
        # Decoders report damage with many different errors.
        count = len(document)
        if not count:
            raise DocumentError(f"{name} is damaged: no picture", code="damaged", hint="get the file again") from None
        message = f"damaged: only {pluralize(count, 'picture')} could be read, and more may have been there"
        cautions.append(Caution("damaged-file", message))
    copy = io.BytesIO()
    document.save(copy)
    return copy.getvalue(), tuple(cautions)


def parse_pictures(data: bytes, name: str, cautions: tuple[Caution, ...], limits: LoadLimits) -> ParsedDocument:
    """Return the pages of a PDF made by `as_pdf`: none has text before OCR reads it."""
    total = len(pypdfium2.PdfDocument(data))
    if total > limits.pages:
        raise DocumentError(f"{name} has {total} pictures; the limit is {limits.pages}", code="too-big")
    unread = Caution("no-text", f"a picture of {pluralize(total, 'page')}", tuple(range(1, total + 1)))
    refusal = f"{name} is a picture, which has no text of its own", "it is read unless --ocr is never"
    return replace(plain_document([""] * total, (unread, *cautions)), refusal=refusal)


def _check_size(picture: Any, name: str) -> None:
    """Refuse a picture that would need too much memory when decoded."""
    if picture.width * picture.height > _MOST_PIXELS:
        what = f"a picture of {name} has more than {_MOST_PIXELS // 1_000_000} million pixels"
        raise DocumentError(what, code="too-big", hint="scan it at 200 to 300 dots an inch")


def _add_page(document: Any, picture: Any, scale: float) -> None:
    """Add a page of the picture's size, with `scale` points per pixel."""
    bitmap = pypdfium2.PdfBitmap.from_pil(_on_white(picture))
    width, height = bitmap.width * scale, bitmap.height * scale
    page = document.new_page(width, height)
    image = pypdfium2.PdfImage.new(document)
    image.set_bitmap(bitmap)
    image.set_matrix(pypdfium2.PdfMatrix().scale(width, height))
    page.insert_obj(image)
    page.gen_content()
    page.close()


def _on_white(picture: Any) -> Any:
    """Return the picture in gray or colour; transparent areas become white, as on paper."""
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        white = picture.copy()
        white.paste((255, 255, 255, 255), (0, 0, *picture.size))
        white.alpha_composite(picture)
        picture = white
    return picture.convert("L" if picture.mode in ("1", "L") else "RGB")


def _resolution(picture: Any) -> float:
    """Return the resolution in dots per inch."""
    found = round(float(max(picture.info.get("dpi") or (0,))))  # some formats store dots per metre
    if _SCAN_DPI[0] <= found <= _SCAN_DPI[1]:
        return found
    return _SCREEN_DPI if max(picture.size) < _SCREEN_SIDE else _USUAL_DPI
