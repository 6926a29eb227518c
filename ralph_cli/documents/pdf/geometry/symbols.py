"""Characters of symbol fonts, such as the boxes of a form: a PDF names them by letters, or not at all."""

import ctypes
from typing import Any

import pypdfium2.raw as pdfium_c  # type: ignore[import-untyped]

from ralph_cli.core.deferred import re
from ralph_cli.documents.docx.symbols import UNKNOWN, translate_symbol
from ralph_cli.documents.pdf.boxes import tight_box

NAMELESS = "\x00"
"""Stands for a character that the file gives no name; it is white space if nothing is drawn for it."""

_FONT = re.compile(r"(?:[^+]*\+)?(wingdings|webdings|symbol)[ -]?([23]?)", re.IGNORECASE)
_LONGEST_NAME = 200
_ALONE = r"(?<![^\s\x00])[OPQRSaclnoqruvx\xa3](?![^\s\x00])"
_CANDIDATE = re.compile(rf"[\x00\xa7\xa8\xfb-\xfe\uf020-\uf0ff]|{_ALONE}")
"""What may be a box, tick, cross or bullet; the letters among them stand alone then."""


def read_symbols(raw: Any, source: str) -> str:
    """The characters of a pdfium text page, each as it was, or as what it shows; U+FFFD if that has no name."""

    def read(match: "re.Match[str]") -> str:
        character, index = match.group(), match.start()
        if character == NAMELESS:
            return UNKNOWN if tight_box(raw, index) else " "
        font = _FONT.match(_font_name(raw, index))
        shown = translate_symbol(character, " ".join(filter(None, font.groups())).lower()) if font else UNKNOWN
        return character if shown == UNKNOWN else shown

    return _CANDIDATE.sub(read, source)


def _font_name(raw: Any, index: int) -> str:
    name = ctypes.create_string_buffer(_LONGEST_NAME)
    pdfium_c.FPDFText_GetFontInfo(raw, index, name, _LONGEST_NAME, None)
    return name.value.decode("utf-8", "replace")
