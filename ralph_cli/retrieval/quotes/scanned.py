"""What OCR is unsure of: the words of a passage that it may have read wrongly."""

from ralph_cli.core.document import Document
from ralph_cli.core.structure import ScannedPage, Span
from ralph_cli.documents.ocr.words import UNSURE, scanned_words, unpack_words
from ralph_cli.text.sentences import shorten_line

_MOST, _LONGEST = 4, 40


def lowest_confidence(document: Document, span: Span) -> int | None:
    """The lowest confidence of a word of the passage that OCR has read; None when the file itself has all of it."""
    return min((word.confidence for word in scanned_words(document, span)), default=None)


def unsure_words(document: Document, span: Span) -> dict[str, int]:
    """The words of a passage of which OCR is unsure, with its lowest confidence in each."""
    found: dict[str, int] = {}
    for word in scanned_words(document, span):
        if word.confidence < UNSURE:
            text = document.text[word.start : word.end]
            found[text] = min(word.confidence, found.get(text, word.confidence))
    return found


def describe_unsure_words(document: Document, span: Span) -> str:
    """The words of a passage of which OCR is unsure, with its confidence in each; "" if there are none."""
    found = unsure_words(document, span)
    parts = [f'"{shorten_line(text, _LONGEST)}" ({confidence} %)' for text, confidence in [*found.items()][:_MOST]]
    more = f" and {len(found) - _MOST} more" if len(found) > _MOST else ""
    return f"OCR is unsure of {', '.join(parts)}{more}" if found else ""


def describe_unsure_lines(document: Document) -> dict[int, str]:
    """By the offset at which it begins, what `describe_unsure_words` says of each line that has some."""
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
