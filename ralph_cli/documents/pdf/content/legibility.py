"""Pages of a PDF that say less, or something else, than a reader of them sees."""

import unicodedata
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

import pypdfium2  # type: ignore[import-untyped]

from ralph_cli.core.deferred import re
from ralph_cli.documents.pdf.ink import PageCanvas
from ralph_cli.documents.pdf.marked_content import IMAGE
from ralph_cli.text.raised import flatten_figures

_PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
_CONTROL = "\x01\x03-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd"
_ODD = re.compile(f"[{_CONTROL}{_PRIVATE}]")
_BULLET = re.compile(rf"^[{_CONTROL}](?=\s)|(?:^|(?<=\s))[{_PRIVATE}]+|[{_PRIVATE}]+(?=\s|$)", re.MULTILINE)
_WORD = re.compile("[A-Za-z]{4,}")
_VOWELS, _CONSONANTS = "aeiouyAEIOUY", "bcdfghjklmnpqrstvwxzBCDFGHJKLMNPQRSTVWXZ"
_MANY_LETTERS, _FEW_VOWELS = 200, 0.22
_THUMBNAIL = 400
"""Pixels across a page that is looked at as a whole."""

_SCAN_SHARE = 0.5


def has_nameless_letters(text: str) -> bool:
    """Whether something in a page's text is no letter of any script: the file's fonts do not say what it is.

    Left alone is what stands alone before a line, and private-use characters at the edge of a word, as bullets do.
    """
    return _ODD.search(text) is not None and _ODD.search(_BULLET.sub("", text)) is not None


def count_letters(text: str) -> dict[str, int]:
    """How often each letter and digit stands in a text, raised figures and ligatures written plainly."""
    letters: dict[str, int] = {}
    for character, count in Counter(text).items():
        plain = character if character.isascii() else unicodedata.normalize("NFKC", flatten_figures(character))
        for letter in plain:
            if letter.isalnum():
                letters[letter] = letters.get(letter, 0) + count
    return letters


def differs(text: str, text_page: Any, symbols: tuple[str, str] = ("", "")) -> bool:
    """Whether a page's text has, in whatever order, other letters or digits than pdfium's own.

    Characters of symbol fonts count as what they are named there, `symbols[0]`, and as what they show, `symbols[1]`.
    """
    named, shown = symbols
    return count_letters(text + named) != count_letters(text_page.get_text_range(errors="replace") + shown)


def looks_garbled(text: str, letters: dict[str, int]) -> bool:
    """Whether the Latin words of a page have hardly a vowel, as when a font's letters are named by their numbers.

    A third to a half of the letters of a page are vowels in languages that are written in Latin letters.
    """
    if not _is_short_of_vowels(letters):
        return False
    return _is_short_of_vowels(Counter("".join(_WORD.findall(text))))


def _is_short_of_vowels(letters: Mapping[str, int]) -> bool:
    vowels, others = (sum(letters.get(letter, 0) for letter in group) for group in (_VOWELS, _CONSONANTS))
    return vowels + others >= _MANY_LETTERS and vowels < _FEW_VOWELS * (vowels + others)


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
