"""Finds the words of a passage that are not running text: filled in, laid over the page, or next to the text."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Addition, Origin, Span
from ralph_cli.text.sentences import shorten_line

# The most characters shown of an addition.
_LONGEST = 60

# The most additions that a note names.
_MOST = 3

_LINE = re.compile(r"[^\n\f]+")


def describe_additions(document: Document, span: Span) -> tuple[str, ...]:
    """Return a note for each origin of words in a span: "from a form field" if the whole span has this origin.

    If only a part has it, the note names the part: 'from a form field: "Jane Doe"'.
    """
    parts: dict[Origin, list[str]] = defaultdict(list)
    rest, at = "", span.start
    for addition in overlapping_additions(document, span):
        start, end = max(addition.start, span.start), min(addition.end, span.end)
        rest += document.text[at:start]
        at = end
        if any(map(str.isalnum, document.text[start:end])):
            parts[addition.origin].append(f'"{shorten_line(document.text[start:end], _LONGEST)}"')
    is_whole = len(parts) == 1 and not any(map(str.isalnum, rest + document.text[at : span.end]))
    return tuple(_describe(origin, () if is_whole else words) for origin, words in parts.items())


def describe_lines_with_additions(document: Document) -> dict[int, str]:
    """Return the notes of `describe_additions` for each line that has any, keyed by the start of the line."""
    text, found = document.text, dict[int, str]()
    for addition in document.additions:
        start = max(text.rfind(sign, 0, addition.start) for sign in "\n\f") + 1
        ends = (text.find(sign, addition.end) for sign in "\n\f")
        end = min((at for at in ends if at >= 0), default=len(text))
        for line in _LINE.finditer(text, start, end):
            if notes := describe_additions(document, Span(*line.span())):
                found[line.start()] = "; ".join(notes)
    return found


def overlapping_additions(document: Document, span: Span) -> Iterator[Addition]:
    """Yield the additions with characters in a span, in order."""
    first = bisect_right(document.additions, span.start, key=attrgetter("end"))
    for at in range(first, len(document.additions)):  # there may be many
        if document.additions[at].start >= span.end:
            return
        yield document.additions[at]


def _describe(origin: Origin, words: Sequence[str]) -> str:
    more = len(words) - _MOST
    named = ", ".join(words[:_MOST]) + (f" and {more} more" if more > 0 else "")
    article = "an" if origin[0] in "aeiou" else "a"
    return f"from {article} {origin}" + (f": {named}" if named else "")
