"""Footnotes of a memo: which text is the note that is cited behind a quotation."""

from collections.abc import Iterator

from ralph_cli.core.deferred import re
from ralph_cli.core.document import Document
from ralph_cli.memo.reading.page_references import has_reference

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


def _number(match: re.Match[str]) -> int:
    return int((match["bracketed"] or match["superscript"] or match["plain"]).translate(_SUPERSCRIPTS))
