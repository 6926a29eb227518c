"""What tesseract prints of a picture, and its words as words of type: on their baseline, as high as it, and level."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import NamedTuple

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

_COLUMNS = 12
_WORD_LEVEL = "5"
_RULES = re.compile(r"[|_\u2014=~\u00a6]*[|_\u00a6][|_\u2014=~\u00a6]*")
"""What is read of the lines that are drawn around cells: it says nothing, and parts a row."""


class PictureWord(NamedTuple):
    """A word in a picture; its box is in pixels from the upper left."""

    text: str
    confidence: int
    left: int
    top: int
    right: int
    bottom: int


def parse_tsv(printed: str) -> list[list[PictureWord]]:
    """The lines of words, in the order of the program. ValueError for what is no such table."""
    rows = (line.split("\t", _COLUMNS - 1) for line in printed.split("\n")[1:] if line.strip())
    return [[word for _, word in group] for _, group in groupby(_words(rows), key=lambda item: item[0])]


def _words(rows: Iterator[list[str]]) -> Iterator[tuple[tuple[str, ...], PictureWord]]:
    for row in rows:
        if len(row) != _COLUMNS:
            raise ValueError("a row of the wrong length")
        text = "".join(row[11].split())
        if row[0] != _WORD_LEVEL or not text or _RULES.fullmatch(text):
            continue
        left, top, width, height = map(int, row[6:10])
        confidence = min(max(int(float(row[10])), 0), 100)
        yield tuple(row[1:5]), PictureWord(text, confidence, left, top, left + width, top + height)


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
    feet = [(word.bottom - slope * (word.left + word.right) / 2, _stands_on_line(word.text)) for word in line]
    standing = [foot for foot, is_standing in feet if is_standing]
    return size, median(standing or [foot - _DESCENT * size for foot, _ in feet])


def _stands_on_line(text: str) -> bool:
    return bool(_LETTER.search(text)) and not _DEEP.search(text)


def _type_size(word: PictureWord) -> float:
    """The size of type of which a word of these letters has such a box; 0 if its letters do not say it."""
    if not _LETTER.search(word.text):
        return 0.0
    above = _CAPITAL if _TALL.search(word.text) else _SMALL
    return (word.bottom - word.top) / (above + (_DESCENT if _DEEP.search(word.text) else 0.0))
