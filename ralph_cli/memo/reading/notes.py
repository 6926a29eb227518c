"""The notes of a memo: where each is, and which of them a place cites."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import PageReference
from ralph_cli.memo.reading.page_references import has_reference
from ralph_cli.text.raised import footnote_marks
from ralph_cli.text.sentences import sentence_ends

# The mark of a note right behind a quotation. A plain number must touch the quotation, as superscripts do.
_MARK = re.compile(
    '[\\s.,;:!?*_"\u201d\u2019)]{0,4}(?:\\[(?P<markdown>\\^[\\w-]+)\\]|\\[(?P<bracketed>\\d{1,3})\\](?![(:])'
    "|(?P<superscript>[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}))|[.,;]?(?P<plain>\\d{1,3})(?![\\w%]|[.,]\\d)"
)

_SUPERSCRIPTS = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_MARKDOWN_NOTE = re.compile(r"^ {0,3}\[(\^[\w-]+)\]:(.*(?:\n(?: {2,}|\t).*)*)", re.MULTILINE)
_NUMBERED_NOTE = re.compile(
    r"(?m)^[ \t]*(?:\[(?P<bracketed>\d{1,3})\]:?|(?P<superscript>[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3})"
    r"|(?P<plain>\d{1,3})[.):]?(?=\s))"
    r"(?P<text>[^\n]*(?:\n(?![ \t]*(?:\[|\d|[\u00b9\u00b2\u00b3\u2070-\u2079]|\n|\Z))[^\n]+)*)"
)
# A note of a web page, which ends with an arrow that leads back. Its number is not in the text.
_BACK_LINK = re.compile("^[^\n]*\u21a9[^\n]*$", re.MULTILINE)


class _Note(NamedTuple):
    """A note, text[start:end], with the label that cites it: "^a" in Markdown, else its number."""

    start: int
    end: int
    label: str


def note_spans(document: Document) -> tuple[tuple[int, int], ...]:
    """The spans of all notes that the memo cites, in order."""
    spans = {(note.start, note.end) for note in document.notes}
    marks = [match for at in document.derive(note_marks) if (match := _MARK.match(document.text, at))]
    first = {_label(match): match.start() for match in reversed(marks)}
    for note in document.derive(_labelled_notes):
        # A numbered item before its number is cited is no note.
        if note.label.startswith("^") or first.get(note.label, len(document.text)) < note.start:
            spans.add((note.start, note.end))
    return tuple(sorted(spans))


def note_marks(document: Document) -> tuple[int, ...]:
    """The places that cite notes, in order. A mark at the beginning of a line begins a note."""
    text = document.text
    written = (start for start, _ in footnote_marks(text) if text[text.rfind("\n", 0, start) + 1 : start].strip())
    return tuple(sorted({*written, *(note.cited for note in document.notes)}))


def note_mark_behind(document: Document, at: int, high: int) -> int | None:
    """The next mark of a note behind `at`, up to `high`, in the same sentence, which may end right before it."""
    marks = document.derive(note_marks)
    index = bisect_left(marks, at)
    if index == len(marks) or marks[index] > high:
        return None
    mark = marks[index]
    return None if any(end < mark - 1 for end, _ in sentence_ends(document.text, max(at - 2, 0), mark)) else mark


def pages_of_note(document: Document, cited: int, references: Sequence[PageReference]) -> PageReference | None:
    """All pages that the note cited at `cited` names, as one reference; None if it names none."""
    for start, end in _spans_of_cited_note(document, cited):
        low, high = (bisect_left(references, place, key=lambda reference: reference.start) for place in (start, end))
        if found := references[low:high]:
            ranges = tuple(pair for reference in found for pair in reference.ranges)
            return replace(found[0], text=", ".join(item.text for item in found), ranges=ranges, end=found[-1].end)
    return None


def _spans_of_cited_note(document: Document, at: int) -> Iterator[tuple[int, int]]:
    """The spans of the notes that a mark at `at` may cite."""
    for note in document.notes:
        # The mark may stand before the closing quotation mark, or behind it and a full stop.
        if -2 <= note.cited - at <= 3:
            yield note.start, note.end
    if mark := _MARK.match(document.text, at):
        for start, end, label in document.derive(_labelled_notes):
            if label == _label(mark) and (start >= mark.end() or mark["markdown"]):
                yield start, end


def _labelled_notes(document: Document) -> tuple[_Note, ...]:
    text = document.text
    notes = [_Note(*match.span(2), match[1]) for match in _MARKDOWN_NOTE.finditer(text)]
    numbered = (match for match in _NUMBERED_NOTE.finditer(text) if has_reference(match["text"]))
    notes += [_Note(*match.span("text"), _label(match)) for match in numbered]
    notes += [_Note(*match.span(), str(number)) for number, match in enumerate(_BACK_LINK.finditer(text), 1)]
    return tuple(notes)


def _label(match: re.Match[str]) -> str:
    groups = match.groupdict()
    number = groups["bracketed"] or groups["superscript"] or groups["plain"]
    return str(int(number.translate(_SUPERSCRIPTS))) if number else groups["markdown"]
