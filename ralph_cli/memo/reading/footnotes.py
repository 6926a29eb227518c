"""Footnotes of a memo: which text is the note that is cited behind a quotation or at the end of its sentence."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from ralph_cli.core.document import Document
from ralph_cli.memo.reading.page_references import has_reference
from ralph_cli.text.raised import footnote_marks
from ralph_cli.text.sentences import sentence_ends

_REFERENCE_MARK = re.compile(
    '[\\s.,;:!?*_"\u201d\u2019)]{0,4}(?:\\[\\^(?P<markdown>[\\w-]+)\\]|\\[(?P<bracketed>\\d{1,3})\\](?![(:])'
    "|(?P<superscript>[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}))|[.,;]?(?P<plain>\\d{1,3})(?![\\w%]|[.,]\\d)"
)
"""A note's mark right behind a quotation; one that is only a number touches the quotation, as superscripts do."""

_SUPERSCRIPTS = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_MARKDOWN_NOTE = re.compile(r"^ {0,3}\[\^([\w-]+)\]:(.*(?:\n(?: {2,}|\t).*)*)", re.MULTILINE)
_NOTE = re.compile(
    r"(?m)^[ \t]*(?:\[(?P<bracketed>\d{1,3})\]:?|(?P<superscript>[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3})"
    r"|(?P<plain>\d{1,3})[.):]?(?=\s))"
    r"(?P<text>[^\n]*(?:\n(?![ \t]*(?:\[|\d|[\u00b9\u00b2\u00b3\u2070-\u2079]|\n|\Z))[^\n]+)*)"
)
_BACK_LINK = re.compile("^[^\n]*\u21a9[^\n]*$", re.MULTILINE)
"""A note of a web page, whose number is not in its text: it ends with an arrow that leads back."""


_SENTENCE_REACH = 1_000
"""Characters behind a quotation or a figure within which its sentence ends with the mark of a note."""


def find_note_spans(document: Document, end: int) -> Iterator[tuple[int, int]]:
    """The spans of the notes that may be cited right behind a quotation that ends at `end`, the likeliest first."""
    for note in document.notes:
        # The mark may stand before the closing quotation mark, or behind it and a full stop.
        if -2 <= note.cited - end <= 3:
            yield note.start, note.end
    text = document.text
    mark = _REFERENCE_MARK.match(text, end)
    if mark is None:
        return
    if mark["markdown"]:
        yield from (match.span(2) for match in _MARKDOWN_NOTE.finditer(text) if match[1] == mark["markdown"])
        return
    number = _number(mark)
    found = [match for match in _NOTE.finditer(text, mark.end()) if _number(match) == number]
    # A plain number at the beginning of a line may be that of a list item.
    found.sort(key=lambda match: match["plain"] is not None)
    yield from (match.span("text") for match in found if has_reference(match["text"]))
    # Notes of a web page are numbered by their order.
    backlinks = list(_BACK_LINK.finditer(text, mark.end()))
    if 0 < number <= len(backlinks):
        yield backlinks[number - 1].span()


def note_spans(document: Document) -> tuple[tuple[int, int], ...]:
    """The spans of all notes that the memo cites, in order."""
    text = document.text
    spans = {(note.start, note.end) for note in document.notes}
    spans |= {match.span(2) for match in _MARKDOWN_NOTE.finditer(text)}
    first: dict[int, int] = {}
    for at in document.derive(note_marks):
        if (mark := _REFERENCE_MARK.match(text, at)) and not mark["markdown"]:
            first.setdefault(_number(mark), at)
    for match in _NOTE.finditer(text) if first else ():
        # A numbered item before anything cites that number is no note.
        if first.get(_number(match), len(text)) < match.start() and has_reference(match["text"]):
            spans.add(match.span("text"))
    spans |= {match.span() for match in _BACK_LINK.finditer(text)}
    return tuple(sorted(spans))


def note_marks(document: Document) -> tuple[int, ...]:
    """Where notes are cited, in order: right before each mark that does not begin its line, as that of a note does."""
    text = document.text
    written = (start for start, _ in footnote_marks(text) if text[text.rfind("\n", 0, start) + 1 : start].strip())
    return tuple(sorted({*written, *(note.cited for note in document.notes)}))


def note_mark_behind(document: Document, at: int, high: int) -> int | None:
    """The next mark of a note behind `at` in the same sentence, which may end right before it; or None."""
    marks = document.derive(note_marks)
    index = bisect_left(marks, at)
    mark = marks[index] if index < len(marks) else high + 1
    if mark > min(high, at + _SENTENCE_REACH):
        return None
    return None if any(end < mark - 1 for end, _ in sentence_ends(document.text, max(at - 2, 0), mark)) else mark


def _number(match: re.Match[str]) -> int:
    return int((match["bracketed"] or match["superscript"] or match["plain"]).translate(_SUPERSCRIPTS))
