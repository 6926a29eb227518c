"""Pages of a PDF that say less, or something else, than a reader of them sees."""

import re
import unicodedata
from collections import Counter
from typing import Any, Literal

import pypdfium2  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.ink import PageCanvas
from ralph_cli.documents.pdf.marked_content import IMAGE
from ralph_cli.text.raised import flatten_figures

_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_NAMELESS = re.compile(rf"[\x01\x03-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd]|[^\s{_PRIVATE}][{_PRIVATE}]\S")
_BULLET = re.compile(r"^[\x01\x03-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd](?=\s)", re.MULTILINE)
_THUMBNAIL = 400
"""Pixels across a page that is looked at as a whole."""

_SCAN_SHARE = 0.5


def has_nameless_letters(text: str) -> bool:
    """Whether something in a page's text is no letter of any script: the file's fonts do not say what it is.

    Left alone is what stands before a line, or a private-use character at the edge of a word, as bullets do.
    """
    return _NAMELESS.search(_BULLET.sub("", text)) is not None


def differs(text: str, text_page: Any) -> bool:
    """Whether the page's text has other letters or digits than pdfium's own, in whatever order."""
    return _letters(text) != _letters(text_page.get_text_range(errors="replace"))


def _letters(text: str) -> dict[str, int]:
    """How often each letter and digit stands in a text, raised figures and ligatures written plainly."""
    counts = Counter(text if text.isascii() else unicodedata.normalize("NFKC", flatten_figures(text)))
    return {character: count for character, count in counts.items() if character.isalnum()}


def classify_textless(page: Any) -> Literal["blank", "scan", "drawing"]:
    """What a page without text is: a picture that covers it, nothing to see, or drawings and small pictures."""
    try:
        width, height = page.get_size()
        pictures = 0
        for item in page.get_objects(filter=[IMAGE], max_depth=3):
            pictures += 1
            left, bottom, right, top = item.get_bounds()
            if (right - left) * (top - bottom) >= _SCAN_SHARE * width * height:
                return "scan"
    except pypdfium2.PdfiumError:
        return "scan"  # a picture that is odd
    if pictures:
        return "drawing"
    canvas = PageCanvas(page, _THUMBNAIL, max(round(_THUMBNAIL * height / max(width, 1)), 1))
    return "blank" if canvas.render(canvas.page_rect).is_flat(canvas.page_rect) else "drawing"
