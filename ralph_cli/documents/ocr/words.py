"""Words that were read off the picture of a page: where they stand in the text, where on the page, how surely."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span

WORD_FIELDS = 7
# Confidence below which OCR is said to be unsure of a word: of figures with less about a tenth is wrong (on rendered
# pages of annual reports), of the others one in 300.
UNSURE = 90

# Steps to a point in which places on the page are kept.
_STEPS = 10


class ScannedWord(NamedTuple):
    """A word at text[start:end]; `confidence` is the program's own, 0 to 100; its box is in points of the page."""

    start: int
    end: int
    confidence: int
    left: float
    bottom: float
    right: float
    top: float


def scanned_words(document: Document, span: Span) -> tuple[ScannedWord, ...]:
    """The words of a passage that were read by OCR, in order; none where the file itself has the text."""
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
    """Words of one page as rows of numbers; their offsets are those of the page.

    A page has hundreds of words, and a document thousands of pages, so they are kept as numbers and not as objects.
    """
    rows = array("i")
    for word in words:
        rows.extend(word[:3])
        rows.extend(round(side * _STEPS) for side in word[3:])
    return rows.tobytes()


def unpack_words(packed: bytes) -> Iterator[ScannedWord]:
    """The words that `pack_words` has packed."""
    rows = memoryview(packed).cast("i")
    for at in range(0, len(rows), WORD_FIELDS):
        start, end, confidence, *box = rows[at : at + WORD_FIELDS]
        left, bottom, right, top = (side / _STEPS for side in box)
        yield ScannedWord(start, end, confidence, left, bottom, right, top)
