"""Marked content of a PDF page: layers, and ActualText, which can state a text that differs from the drawn one."""

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.text.fold import fold

# Kinds of page objects.
TEXT, PATH, IMAGE, SHADING = 1, 2, 3, 4

_ACTUAL_TEXT = b"ActualText"
_MOST_BYTES = 1 << 20
_NAMELESS = "\ufffd"


def address(handle: Any) -> int:
    """Return the memory address of a pdfium object, as an identity; 0 for no object."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0 if handle else 0


def is_on_layer(handle: Any) -> bool:
    """Whether an object belongs to a layer (optional content) that can be switched on and off."""
    return any(_mark_name(mark) == "OC" for mark in _marks(handle))


def has_actual_text(handle: Any) -> bool:
    """Whether an object is marked with an ActualText."""
    return any(_actual_text(mark) is not None for mark in _marks(handle))


def find_misspoken(page: Any) -> dict[int, bool]:
    """Return the text objects with an ActualText, by address, and whether the ActualText differs from what they draw.

    The marks are removed from the page, so that pdfium reads the drawn text. Glyphs without a letter in the font are
    accepted; all other drawn letters must be in the ActualText, in order.
    """
    spans: dict[int, tuple[str, list[Any]]] = {}
    for item in page.get_objects([TEXT]):
        for mark in _marks(item.raw):
            actual_text = _actual_text(mark)
            if actual_text is not None:
                spans.setdefault(address(mark), (actual_text, []))[1].append(item.raw)
    if not spans:
        return {}
    for _, objects in spans.values():
        for handle in objects:
            for mark in [mark for mark in _marks(handle) if _actual_text(mark) is not None]:
                pdfium_c.FPDFPageObj_RemoveMark(handle, mark)
    drawn = _drawn_texts(page)
    found: dict[int, bool] = {}
    for actual_text, objects in spans.values():
        words = "".join(drawn.get(address(handle), "") for handle in objects)
        found |= {address(handle): not _is_consistent(_meaningful_characters(actual_text), words) for handle in objects}
    return found


def _marks(handle: Any) -> Iterator[Any]:
    for number in range(max(pdfium_c.FPDFPageObj_CountMarks(handle), 0)):
        yield pdfium_c.FPDFPageObj_GetMark(handle, number)


def _mark_name(mark: Any) -> str:
    buffer, size = (ctypes.c_ushort * 64)(), ctypes.c_ulong()
    if not pdfium_c.FPDFPageObjMark_GetName(mark, buffer, ctypes.sizeof(buffer), ctypes.byref(size)):
        return ""
    return _decode_utf16(buffer, size.value)


def _actual_text(mark: Any) -> str | None:
    """Return the ActualText of a mark; None if it has no ActualText."""
    size = ctypes.c_ulong()
    ask = pdfium_c.FPDFPageObjMark_GetParamStringValue
    if not ask(mark, _ACTUAL_TEXT, None, 0, ctypes.byref(size)) or size.value > _MOST_BYTES:
        return None
    buffer = (ctypes.c_ushort * (size.value // 2 + 1))()
    ask(mark, _ACTUAL_TEXT, buffer, ctypes.sizeof(buffer), ctypes.byref(size))
    return _decode_utf16(buffer, size.value)


def _decode_utf16(buffer: Any, size: int) -> str:
    return bytes(buffer)[:size].decode("utf-16-le", "replace").rstrip("\x00")


def _drawn_texts(page: Any) -> dict[int, str]:
    """Return the text of each text object in the page's current state; `_NAMELESS` for a glyph without a letter."""
    text_page = page.get_textpage()
    found: dict[int, str] = {}
    for index in range(max(pdfium_c.FPDFText_CountChars(text_page.raw), 0)):
        owner = address(pdfium_c.FPDFText_GetTextObject(text_page.raw, index))
        code = pdfium_c.FPDFText_GetUnicode(text_page.raw, index)
        nameless = pdfium_c.FPDFText_HasUnicodeMapError(text_page.raw, index) == 1 or not 0 < code < 0x110000
        if owner:
            found[owner] = found.get(owner, "") + (_NAMELESS if nameless or 0xD800 <= code < 0xE000 else chr(code))
    text_page.close()
    return found


def _is_consistent(actual_text: str, drawn: str) -> bool:
    """Whether the drawn text fits the ActualText: it is equal, or lacks only letters whose glyphs have no name."""
    words = _meaningful_characters(drawn)
    if _NAMELESS not in drawn:
        return words == actual_text
    rest = iter(actual_text)
    return all(character in rest for character in words)


def _meaningful_characters(text: str) -> str:
    """Return the letters, digits and signs of figures; the kind of hyphen at a line end is ignored."""
    folded = fold(text).text.casefold()
    return "".join(
        c
        for at, c in enumerate(folded)
        if c.isalnum() or c in "()%.,+" or (c == "-" and folded[at + 1 : at + 2].isdecimal())
    )
