"""Finds the words of a passage that OCR is unsure of."""

from ralph_cli.core.document import Document
from ralph_cli.core.structure import ScannedPage, Span
from ralph_cli.documents.ocr.words import UNSURE, scanned_words, unpack_words
from ralph_cli.text.sentences import shorten_line

_MOST, _LONGEST = 4, 40


def lowest_confidence(document: Document, span: Span) -> int | None:
    """The lowest confidence of a word that OCR read in the passage; None if the file itself has all of the text."""
    return min((word.confidence for word in scanned_words(document, span)), default=None)


def unsure_words(document: Document, span: Span) -> dict[str, int]:
    """The words of a passage that OCR is unsure of, with its lowest confidence in each."""
    found: dict[str, int] = {}
    for word in scanned_words(document, span):
        if word.confidence < UNSURE:
            text = document.text[word.start : word.end]
            found[text] = min(word.confidence, found.get(text, word.confidence))
    return found


def describe_unsure_words(document: Document, span: Span) -> str:
    """A note on the words of a passage that OCR is unsure of, with its confidence; "" if there are none."""
    found = unsure_words(document, span)
    parts = [f'"{shorten_line(text, _LONGEST)}" ({confidence} %)' for text, confidence in [*found.items()][:_MOST]]
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"OCR is unsure of {', '.join(parts)}{more}" if found else ""


def describe_unsure_lines(document: Document) -> dict[int, str]:
    """The notes of `describe_unsure_words` on each line that has some, by the start of the line."""
    found: dict[int, str] = {}
    for scan in document.scans:
        end = document.pages[scan.number - 1].end
        for start in sorted(_lines_with_doubts(document.text, scan)):
            line_end = document.text.find("\n", start, end)
            found[start] = describe_unsure_words(document, Span(start, line_end if line_end >= 0 else end))
    return found


def _lines_with_doubts(text: str, scan: ScannedPage) -> set[int]:
    words = (word.start + scan.start for word in unpack_words(scan.words) if word.confidence < UNSURE)
    return {text.rfind("\n", scan.start, start) + 1 or scan.start for start in words}
