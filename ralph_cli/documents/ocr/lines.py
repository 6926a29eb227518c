"""Words in a picture as words of type: on the baseline of their line, as high as its type, and level on the page."""

from collections.abc import Sequence
from statistics import median

from ralph_cli.core.deferred import re
from ralph_cli.documents.ocr.tsv import PictureWord
from ralph_cli.documents.pdf.geometry.word import Word

_CAPITAL, _SMALL, _DESCENT = 0.72, 0.52, 0.21
"""Heights of letters above the baseline, and their depth below it, as shares of the size of type."""

_TYPE_ROOM = 1.15
"""The room of a line of type, as a multiple of its size."""

_TALL = re.compile(r"[A-Z0-9bdfhklt\u00c0-\u00de\u0400-\u042f]")
_DEEP = re.compile(r"[gjpqyQ,;()\[\]{}/|$@\u00a7]")
_LETTER = re.compile(r"[^\W_]")
_LEAST_WORDS = 5
_MOST_SLOPE = 0.09
"""About five degrees: a page that is turned by more is not made level."""


def place_words(lines: Sequence[Sequence[PictureWord]], height: int, scale: float) -> tuple[str, list[Word]]:
    """All words as one text, and each with its place on the page that is made level.

    `height` is that of the picture, `scale` the points to a pixel. Words of one line of tesseract's are one line here,
    though their own boxes differ by what letters they have.
    """
    slope = _page_slope(lines)
    placed: list[Word] = []
    parts: list[str] = []
    at = 0
    for line in lines:
        size, baseline = _measure(line, slope)
        for number, word in enumerate(line):
            if parts:
                parts.append(" " if number else "\n")
                at += 1
            # The page is turned back around its upper left corner.
            left, right = (x + slope * baseline for x in (word.left, word.right))
            foot = (height - baseline) * scale
            placed.append(Word(at, at + len(word.text), left * scale, right * scale, foot, size * _TYPE_ROOM * scale))
            parts.append(word.text)
            at += len(word.text)
    return "".join(parts), placed


def _page_slope(lines: Sequence[Sequence[PictureWord]]) -> float:
    """By how many pixels the lines of the page sink for each pixel to the right."""
    slopes: list[tuple[float, int]] = []
    for line in lines:
        feet = [((word.left + word.right) / 2, word.bottom) for word in line if _stands_on_line(word.text)]
        if len(feet) < _LEAST_WORDS:
            continue
        middle = sum(x for x, _ in feet) / len(feet)
        level = sum(y for _, y in feet) / len(feet)
        spread = sum((x - middle) ** 2 for x, _ in feet)
        if spread:
            slopes.append((sum((x - middle) * (y - level) for x, y in feet) / spread, len(feet)))
    found = median([slope for slope, count in slopes for _ in range(count)]) if slopes else 0.0
    return found if abs(found) <= _MOST_SLOPE else 0.0


def _measure(line: Sequence[PictureWord], slope: float) -> tuple[float, float]:
    """The size of a line's type, and the height of its baseline on the level page, in pixels from above."""
    sizes = [size for word in line if (size := _type_size(word))] or [word.bottom - word.top for word in line]
    size = median(sizes)
    feet = []
    for word in line:
        sinks = slope * (word.left + word.right) / 2
        if _stands_on_line(word.text):
            feet.append(word.bottom - sinks)
    if not feet:
        feet = [word.bottom - slope * (word.left + word.right) / 2 - _DESCENT * size for word in line]
    return size, median(feet)


def _stands_on_line(text: str) -> bool:
    return bool(_LETTER.search(text)) and not _DEEP.search(text)


def _type_size(word: PictureWord) -> float:
    """The size of type of which a word of these letters has such a box; 0 if its letters do not say it."""
    if not _LETTER.search(word.text):
        return 0.0
    above = _CAPITAL if _TALL.search(word.text) else _SMALL
    return (word.bottom - word.top) / (above + (_DESCENT if _DEEP.search(word.text) else 0.0))
