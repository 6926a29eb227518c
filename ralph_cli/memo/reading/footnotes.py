"""Footnotes of a memo: which text is the note that is cited behind a quotation."""

import re
from collections.abc import Iterator

from ralph_cli.core.document import Document
from ralph_cli.memo.reading.page_references import references

_MARK = re.compile(
    '[\\s.,;:!?*_"\u201d\u2019)]{0,4}(?:\\[\\^(?P<typed>[\\w-]+)\\]|\\[(?P<bracketed>\\d{1,3})\\](?![(:])'
    "|(?P<raised>[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3}))|[.,;]?(?P<bare>\\d{1,3})(?![\\w%]|[.,]\\d)"
)
"""A note's mark right behind a quotation; one that is only a number touches the quotation, as raised numbers do."""

_RAISED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079", "0123456789")
_TYPED = re.compile(r"^ {0,3}\[\^([\w-]+)\]:(.*(?:\n(?: {2,}|\t).*)*)", re.MULTILINE)
_NOTE = re.compile(
    r"^[ \t]*(?:\[(?P<bracketed>\d{1,3})\]:?|(?P<raised>[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3})"
    r"|(?P<bare>\d{1,3})[.):]?(?=\s))"
    r"(?P<text>[^\n]*(?:\n(?![ \t]*(?:\[|\d|[\u00b9\u00b2\u00b3\u2070-\u2079]|\n|\Z))[^\n]+)*)",
    re.MULTILINE,
)
_BACK_LINK = re.compile("^[^\n]*\u21a9[^\n]*$", re.MULTILINE)
"""A note of a web page, whose number is not in its text: it ends with an arrow that leads back."""


def note_spans(document: Document, end: int) -> Iterator[tuple[int, int]]:
    """Where the texts are of the note that is cited behind a quotation that ends at `end`, the likeliest first."""
    for noted in document.notes:
        if -2 <= noted.cited - end <= 3:
            yield noted.start, noted.end
    text = document.text
    mark = _MARK.match(text, end)
    if mark is None:
        return
    if mark["typed"]:
        yield from (note.span(2) for note in _TYPED.finditer(text) if note[1] == mark["typed"])
        return
    number = _number(mark)
    found = [note for note in _NOTE.finditer(text, mark.end()) if _number(note) == number]
    found.sort(key=lambda note: note["bare"] is not None)
    yield from (note.span("text") for note in found if any(True for _ in references(note["text"])))
    backs = list(_BACK_LINK.finditer(text, mark.end()))
    if 0 < number <= len(backs):
        yield backs[number - 1].span()


def _number(match: re.Match[str]) -> int:
    return int((match["bracketed"] or match["raised"] or match["bare"]).translate(_RAISED))
