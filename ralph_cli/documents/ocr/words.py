"""Words read by OCR: their offsets in the text, their positions on the page, and their confidence."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span

WORD_FIELDS = 7
# OCR counts as unsure of a word below this confidence. About one in ten figures below it is wrong (on rendered pages of
# annual reports), and one in 300 of the others.
UNSURE = 90

# Steps per point in which positions on the page are stored.
_STEPS = 10


class ScannedWord(NamedTuple):
    """A word at text[start:end]; `confidence` is the program's, 0 to 100; its box is in points of the page."""

    start: int
    end: int
    confidence: int
    left: float
    bottom: float
    right: float
    top: float


def scanned_words(document: Document, span: Span) -> tuple[ScannedWord, ...]:
    """Return the words of a passage that OCR read, in order; none if the text is the file's own."""
    first = max(bisect_right(document.scans, span.start, key=lambda scan: scan.start) - 1, 0)
    found: list[ScannedWord] = []
    for scan in document.scans[first:]:
        if scan.start >= span.end:
            break
        for word in unpack_words(scan.words):
            start, end = word.start + scan.start, word.end + scan.start
            if start < span.end and span.start < end:
                found.append(word._replace(start=start, end=end))
    return tuple(found)


def pack_words(words: Iterable[ScannedWord]) -> bytes:
    """Pack the words of one page as rows of numbers; their offsets count from the page's start.

    They are stored as numbers, not objects, because a page has hundreds of words and a document thousands of pages.
    """
    rows = array("i")
    for word in words:
        rows.extend(word[:3])
        rows.extend(round(side * _STEPS) for side in word[3:])
    return rows.tobytes()


def unpack_words(packed: bytes) -> Iterator[ScannedWord]:
    """Yield the words that `pack_words` packed."""
    rows = memoryview(packed).cast("i")
    for at in range(0, len(rows), WORD_FIELDS):
        start, end, confidence, *box = rows[at : at + WORD_FIELDS]
        left, bottom, right, top = (side / _STEPS for side in box)
        yield ScannedWord(start, end, confidence, left, bottom, right, top)
