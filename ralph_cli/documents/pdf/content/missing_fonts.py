"""Words in fonts that are neither in a PDF nor on this machine.

pdfium asks the machine for each font that is not in the file, and has fonts of its own for Latin letters only. Letters
for which nobody has a font are read, but leave no ink; of lines that run down or are turned, pdfium does not even give
the text, for its objects have no area. For both, a font that has a box for each letter can stand in.
"""

import ctypes
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.pdf.boxes import loose_box, tight_box
from ralph_cli.documents.pdf.characters import object_bounds
from ralph_cli.documents.pdf.content.box_font import box_font
from ralph_cli.documents.pdf.geometry.words import page_characters
from ralph_cli.documents.pdf.marked_content import TEXT, address

# Where letters are drawn as boxes, see `PdfFile`.
Boxes = Literal["none", "lost", "missing", "all"]

# Names of the 14 fonts that need not be in a file (ISO 32000-2, 9.6.2.2); pdfium has them itself.
_STANDARD = re.compile(rb"(?:Courier|Helvetica|Times|Symbol|ZapfDingbats)(?:-(?:Roman|(?:Bold)?(?:Oblique|Italic)?))?")

# A letter or digit that pdfium's own fonts may lack.
_LETTER = re.compile(r"[^\W_\x00-\xff]")

# What pdfium knows the font of boxes by; those of the machine are known by addresses.
_BOXES, _BOXES_NAME = 1, b"Boxes\0"

# At the end of the family names of pdfium's two multiple master fonts; its standard fonts are others.
_ADAPTED = b" MM"

# Points: pdfium gives no text of what is narrower.
_NO_AREA = 0.01

# Share of a letter's room: what pdfium does not draw has a box that is half as flat.
_NO_OUTLINE = 0.002

# Points: what has no area and is longer is more than a few spaces.
_LEAST_LOST = 36.0

_MOST_NAME = 256


class _Fonts:
    """Where pdfium gets the fonts of the machine; `is_missing` once it asked for one that is no standard font in vain.

    `boxes` is for which fonts boxes stand in now.
    """

    def __init__(self) -> None:
        self.is_missing = False
        self.boxes: Boxes = "none"
        self._info = pdfium_c.FPDF_GetDefaultSystemFontInfo()
        self._own: dict[str, Any] = {}
        self._kept: list[Any] = []
        of_boxes: dict[str, Callable[..., Any]] = {
            "GetFontData": lambda table, buffer, size: _fill(buffer, size, b"" if table else box_font()),
            # By its own name it is another font to pdfium than the one that is asked for.
            "GetFaceName": lambda buffer, size: _fill(buffer, size, _BOXES_NAME),
            "GetFontCharset": lambda: 1,
            "DeleteFont": lambda: None,
        }
        answers = {name: partial(self._answer, name, of_font) for name, of_font in of_boxes.items()}
        for name, answer in ({"MapFont": self._map} | answers).items():
            own = getattr(self._info.contents, name)
            # A function that was read from the structure would change with it.
            self._own[name] = type(own)(ctypes.cast(own, ctypes.c_void_p).value)
            self._kept.append(type(own)(answer))
            setattr(self._info.contents, name, self._kept[-1])
        pdfium_c.FPDF_SetSystemFontInfo(self._info)

    def _map(self, this: Any, weight: int, italic: int, charset: int, pitch: int, face: Any, exact: Any) -> Any:
        if self.boxes == "all":
            return _BOXES
        found = self._own["MapFont"](this, weight, italic, charset, pitch, face, exact)
        if found or _STANDARD.fullmatch(ctypes.cast(face, ctypes.c_char_p).value or b""):
            return found
        self.is_missing = True
        return _BOXES if self.boxes == "missing" else found

    def _answer(self, name: str, of_boxes: Callable[..., Any], this: Any, font: Any, *asked: Any) -> Any:
        """What pdfium asks of a font: of that of boxes it is said here, of others by the machine."""
        return of_boxes(*asked) if font == _BOXES else self._own[name](this, font, *asked)


def _fill(buffer: Any, size: int, data: bytes) -> int:
    """Give pdfium these bytes, if it has room for them; how many they are."""
    if buffer and size >= len(data):
        ctypes.memmove(buffer, data, len(data))
    return len(data)


_fonts = _Fonts()


class PdfFile(pypdfium2.PdfDocument):  # type: ignore[misc]
    """A PDF that knows in which fonts to draw words whose own is neither in the file nor on this machine.

    Boxes stand in for fonts that are "missing", or for "all" that are not in the file; or for those that are missing on
    pages of which words would be "lost" else; or for "none".
    """

    def __init__(self, data: bytes, password: str | None = None, boxes: Boxes = "lost") -> None:
        super().__init__(data, password=password)
        self._boxes, self._open_in_boxes = boxes, partial(PdfFile, data, password, "missing")
        self._in_boxes: PdfFile | None = None

    def get_page(self, index: int) -> Any:
        """The page with that index; its fonts are loaded now. Raises PdfiumError when it does not load."""
        _fonts.boxes = self._boxes
        try:
            return super().get_page(index)
        finally:
            _fonts.boxes = "none"

    def load_all_words(self, index: int) -> "tuple[PdfFile, Any]":
        """The page with that index, and the file that it is of: this one, or the same in boxes."""
        page = self.get_page(index)
        lost = len(_lost_objects(page)) if self._boxes == "lost" else 0
        if not lost:
            return self, page
        if self._in_boxes is None:
            self._in_boxes = self._open_in_boxes()
            self._in_boxes.init_forms()
        in_boxes = self._in_boxes.get_page(index)
        if len(_lost_objects(in_boxes)) == lost:  # they were blanks
            in_boxes.close()
            return self, page
        page.close()
        return self._in_boxes, in_boxes

    def close_all(self) -> None:
        """Close the file, and what was opened of it in boxes."""
        if self._in_boxes is not None:
            self._in_boxes.close()
        self.close()


def find_missing_fonts(page: Any, text_page: Any) -> frozenset[str]:
    """The names of the fonts, as the file gives them, for letters on the page that neither it nor this machine has."""
    fonts = {address(font): font for font in _fonts_without_letters(text_page)}
    for handle in _lost_objects(page):
        bounds = object_bounds(handle)
        if bounds is not None and bounds.height > _LEAST_LOST:
            font = pdfium_c.FPDFTextObj_GetFont(handle)
            fonts[address(font)] = font
    return frozenset(map(_name, fonts.values()))


def is_blank(text_page: Any, index: int) -> bool:
    """Whether pdfium's character `index` is a letter without an outline, in a font that is not in the file."""
    code = pdfium_c.FPDFText_GetUnicode(text_page.raw, index)
    is_letter = code < 0x110000 and _LETTER.match(chr(code)) is not None
    return is_letter and _is_foreign(_font_at(text_page, index)) and _has_no_outline(text_page, index)


def _fonts_without_letters(text_page: Any) -> Iterator[Any]:
    known: dict[int, bool] = {}
    for match in _LETTER.finditer(page_characters(text_page.raw)):
        font = _font_at(text_page, match.start())
        key = address(font)
        if key not in known:
            known[key] = not _is_foreign(font)
        if known[key] or not (_is_boxes(font) or _has_no_outline(text_page, match.start())):
            continue
        handle = pdfium_c.FPDFText_GetTextObject(text_page.raw, match.start())
        # The text layer of a scan is not seen, whatever its font.
        if pdfium_c.FPDFTextObj_GetTextRenderMode(handle) != pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE:
            known[key] = True
            yield font


def _lost_objects(page: Any) -> list[Any]:
    """The text objects of which pdfium gives no text, for they have no area, and their fonts are missing."""
    if not _fonts.is_missing:
        return []
    found = []
    for item in page.get_objects([TEXT]):
        bounds = object_bounds(item.raw)
        if bounds is not None and bounds.width < _NO_AREA:
            found += [item.raw] if _is_missing(pdfium_c.FPDFTextObj_GetFont(item.raw)) else []
    return found


def _font_at(text_page: Any, index: int) -> Any:
    handle = pdfium_c.FPDFText_GetTextObject(text_page.raw, index)
    return pdfium_c.FPDFTextObj_GetFont(handle) if handle else None


def _is_foreign(font: Any) -> bool:
    """Whether a font is not in the file."""
    return bool(font) and pdfium_c.FPDFFont_GetIsEmbedded(font) == 0


def _is_missing(font: Any) -> bool:
    """Whether nothing, boxes, or a font that pdfium adapts to any that is missing, stands in for a font."""
    buffer = ctypes.create_string_buffer(_MOST_NAME)
    pdfium_c.FPDFFont_GetFamilyName(font, buffer, _MOST_NAME)
    return _is_foreign(font) and (not buffer.value or buffer.value.endswith(_ADAPTED))


def _is_boxes(font: Any) -> bool:
    size = ctypes.c_size_t()
    pdfium_c.FPDFFont_GetFontData(font, None, 0, ctypes.byref(size))
    return size.value == len(box_font())


def _has_no_outline(text_page: Any, index: int) -> bool:
    box, room = tight_box(text_page.raw, index), loose_box(text_page.raw, index)
    if box is None or room is None:
        return True
    return min(box.width, box.height) < _NO_OUTLINE * max(room.width, room.height)


def _name(font: Any) -> str:
    """The name that the file gives a font; "" for one in another encoding than UTF-8."""
    buffer = ctypes.create_string_buffer(_MOST_NAME)
    pdfium_c.FPDFFont_GetBaseFontName(font, buffer, _MOST_NAME)
    name = buffer.value.decode("utf-8", "replace")
    return "" if "\ufffd" in name else name
