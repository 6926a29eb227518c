"""Letters that a PDF gives only by a code, and characters of symbol fonts, which it names by letters or not at all.

pdfium finds no name for a code, and reads it as a number of Unicode. That is right only by chance. An embedded TrueType
font often maps Unicode to its glyphs, and then decides: a letter that is not in the map was not drawn, and is read as
U+FFFD. A code may also be the UTF-8 of a letter in the map, as libharu writes it. It names the code, too, but pdfium
drops a list of names (bfrange) if one code has three bytes.
"""

import ctypes
import re
import struct
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.documents.docx.symbols import UNKNOWN, translate_symbol
from ralph_cli.documents.pdf.boxes import tight_box

# What a code of two or more bytes may be read as; signs and private characters are no letters.
_CANDIDATE = re.compile("[\u0100-\u1fff\u2c00-\udfff\uf900-\ufffd]")

_MOST_BYTES, _MOST_MAPS = 1 << 25, 8
# The last code of two bytes.
_LAST = 0xFFFF

# Stands for a character that the file gives no name; it is white space if nothing is drawn for it.
NAMELESS = "\x00"

_FONT = re.compile(r"(?:[^+]*\+)?(wingdings|webdings|symbol)[ -]?([23]?)", re.IGNORECASE)
_LONGEST_NAME = 200
_ALONE = r"(?<![^\s\x00])[OPQRSaclnoqruvx\xa3](?![^\s\x00])"
# What may be a box, tick, cross or bullet; the letters among them stand alone then.
_SYMBOL = re.compile(rf"[\x00\xa7\xa8\xfb-\xfe\uf020-\uf0ff]|{_ALONE}")


def read_codes(raw: Any, source: str) -> str:
    """The characters of a pdfium text page, each as it was, or as the letter that its font has for its code."""
    fonts: dict[int | None, set[int]] = {}

    def read(match: "re.Match[str]") -> str:
        character, index = match.group(), match.start()
        if pdfium_c.FPDFText_HasUnicodeMapError(raw, index) != 1:
            return character
        font = pdfium_c.FPDFTextObj_GetFont(pdfium_c.FPDFText_GetTextObject(raw, index))
        key = ctypes.cast(font, ctypes.c_void_p).value
        if key not in fonts:
            fonts[key] = _read_letters(font)
        has = fonts[key]
        code = pdfium_c.FPDFText_GetUnicode(raw, index)
        if not has or code in has:
            return character
        spelled = code.to_bytes(4, "big").lstrip(b"\0").decode("utf-8", "replace")
        return spelled if len(spelled) == 1 and ord(spelled) in has else UNKNOWN

    return _CANDIDATE.sub(read, source)


def _read_letters(font: Any) -> set[int]:
    """The code points for which an embedded font has glyphs; none if it does not say, or if no letter is among them."""
    size = ctypes.c_size_t()
    if not font or pdfium_c.FPDFFont_GetIsEmbedded(font) != 1:
        return set()
    pdfium_c.FPDFFont_GetFontData(font, None, 0, ctypes.byref(size))
    program = ctypes.create_string_buffer(min(size.value, _MOST_BYTES))
    buffer = ctypes.cast(program, ctypes.POINTER(ctypes.c_uint8))
    pdfium_c.FPDFFont_GetFontData(font, buffer, len(program), ctypes.byref(size))
    try:
        found = {code for at in _unicode_maps(program.raw) for code in _code_points(program.raw, at)}
    except struct.error:  # the font is cut off
        return set()
    return found if any(chr(code).isalpha() for code in found) else set()


def _unicode_maps(program: bytes) -> Iterator[int]:
    """Where the maps from Unicode begin in a font program (OpenType 1.9.1, "cmap")."""
    (count,) = struct.unpack_from(">H", program, 4)
    tables = (struct.unpack_from(">4s3I", program, 12 + 16 * number) for number in range(count))
    base = next((start for tag, _, start, _ in tables if tag == b"cmap"), None)
    if base is None:
        return
    (count,) = struct.unpack_from(">H", program, base + 2)
    for number in range(min(count, _MOST_MAPS)):
        platform, encoding, start = struct.unpack_from(">2HI", program, base + 4 + 8 * number)
        if platform == 0 or (platform == 3 and encoding in (1, 10)):
            yield base + start


def _code_points(program: bytes, at: int) -> Iterator[int]:
    """The code points of two bytes with a glyph in a map of format 4, 12 or 13; ranges that overlap are cut."""
    (form,) = struct.unpack_from(">H", program, at)
    least = 0
    if form == 4:
        (size,) = struct.unpack_from(">H", program, at + 6)
        for end in range(at + 14, at + 14 + size, 2):
            rows = (end, end + size + 2, end + 2 * size + 2, end + 3 * size + 2)
            last, first, step, offset = (struct.unpack_from(">H", program, place)[0] for place in rows)
            glyphs = rows[-1] + offset
            for code in range(max(first, least), last + 1):
                glyph = struct.unpack_from(">H", program, glyphs + 2 * (code - first))[0] if offset else code
                if glyph and (glyph + step) % 65536:
                    yield code
            least = max(last + 1, least)
    elif form in (12, 13):
        (count,) = struct.unpack_from(">I", program, at + 12)
        for group in range(min(count, _LAST)):
            first, last = struct.unpack_from(">2I", program, at + 16 + 12 * group)
            yield from range(max(first, least), min(last, _LAST) + 1)
            least = max(last + 1, least)


def read_symbols(raw: Any, source: str) -> str:
    """The characters of a pdfium text page, each as it was, or as what it shows; U+FFFD if that has no name."""

    def read(match: "re.Match[str]") -> str:
        character, index = match.group(), match.start()
        if character == NAMELESS:
            return UNKNOWN if tight_box(raw, index) else " "
        font = _FONT.match(_font_name(raw, index))
        shown = translate_symbol(character, " ".join(filter(None, font.groups())).lower()) if font else UNKNOWN
        return character if shown == UNKNOWN else shown

    return _SYMBOL.sub(read, source)


def _font_name(raw: Any, index: int) -> str:
    name = ctypes.create_string_buffer(_LONGEST_NAME)
    pdfium_c.FPDFText_GetFontInfo(raw, index, name, _LONGEST_NAME, None)
    return name.value.decode("utf-8", "replace")
