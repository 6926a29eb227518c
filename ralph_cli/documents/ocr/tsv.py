"""What tesseract prints of a picture as TSV: its words with their boxes and confidences, line by line."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from ralph_cli.core.deferred import re

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
