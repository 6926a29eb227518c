"""Finds the words of a passage that OCR read with low confidence."""

from ralph_cli.core.document import Document
from ralph_cli.core.structure import ScannedPage, Span
from ralph_cli.documents.ocr.words import UNSURE, scanned_words, unpack_words
from ralph_cli.text.sentences import shorten_line

# The most words that a note names.
_MOST = 4

# The most characters shown of a word.
_LONGEST = 40


def lowest_confidence(document: Document, span: Span) -> int | None:
    """Return the lowest confidence of a word that OCR read in the passage; None if OCR read none of it."""
    return min((word.confidence for word in scanned_words(document, span)), default=None)


def unsure_words(document: Document, span: Span) -> dict[str, int]:
    """Return the words of a passage that OCR is unsure of, each with its lowest confidence."""
    found: dict[str, int] = {}
    for word in scanned_words(document, span):
        if word.confidence < UNSURE:
            text = document.text[word.start : word.end]
            found[text] = min(word.confidence, found.get(text, word.confidence))
    return found


def describe_unsure_words(document: Document, span: Span) -> str:
    """Return a note on the words of a passage that OCR is unsure of, with its confidence; "" if it is sure of all."""
    found = unsure_words(document, span)
    parts = [f'"{shorten_line(text, _LONGEST)}" ({confidence} %)' for text, confidence in [*found.items()][:_MOST]]
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"OCR is unsure of {', '.join(parts)}{more}" if found else ""


def describe_unsure_lines(document: Document) -> dict[int, str]:
    """Return the note of `describe_unsure_words` for each line that has one, keyed by the start of the line."""
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
