"""Finding a quote in a document: exactly, then folded; and the closest true text when it is not there.

A quote is only a pointer. What counts as the quote afterwards is always document.text[span.start:span.end].
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from ralph_cli.core.document import Document, Span
from ralph_cli.documents.boundary import on_boundaries, splits
from ralph_cli.documents.closest import alignments
from ralph_cli.documents.fold import Folded, fold, without_hyphens

MAX_OCCURRENCES = 1_000
_QUOTATION_MARKS = {
    '"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u201e": "\u201c", "\u201a": "\u2018",
    "\u00ab": "\u00bb", "\u00bb": "\u00ab", "`": "`",
}  # fmt: skip
_LINE_END_HYPHEN = re.compile("(?<=\\w)[-\u2010\u00ad][ \t\r]*[\n\f]\\s*(?=\\w)")
_MAX_DIFFERENCES = 12

Tier = Literal["exact", "folded"]


@dataclass(frozen=True, slots=True)
class Match:
    """Where a quote stands. `span` is the first place at the best tier, `occurrences` all places in order.

    `occurrences` holds at most 1,000; `count` is the true number.
    """

    span: Span
    tier: Tier
    occurrences: tuple[Span, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Text that resembles a quote (`score` 75 to 100) but is not it; `differing` names what is different.

    For showing as "did you mean" only: at 84 the number may be a wrong one.
    """

    span: Span
    score: float
    differing: tuple[str, ...]


class QuoteIndex:
    """Answers where quotes stand in one document; keeps the folded copies it needs once they are made."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._cached: Folded | None = None
        self._cached_key: Folded | None = None

    @property
    def _folded(self) -> Folded:
        if self._cached is None:
            self._cached = fold(self._text)
        return self._cached

    @property
    def _key(self) -> Folded:
        if self._cached_key is None:
            self._cached_key = without_hyphens(self._folded)
        return self._cached_key

    def find(self, quote: str) -> Match | None:
        """Where the quote stands, or None. It must begin and end on the boundaries of words and numbers.

        White space around the quote is ignored; if it is not found, one pair of quotation marks around it is, too.
        """
        quote = quote.strip()
        if not quote:
            return None
        match = self._find(quote)
        if match is None and len(quote) > 2 and _QUOTATION_MARKS.get(quote[0]) == quote[-1]:
            inner = quote[1:-1].strip()
            match = self._find(inner) if inner else None
        return match

    def closest(self, quote: str, limit: int = 1) -> tuple[Suggestion, ...]:
        """Up to `limit` places that resemble the quote, best first; none that score below 75."""
        wanted = fold(quote).text.strip()
        folded = self._folded
        found: list[Suggestion] = []
        for score, start, end in alignments(wanted, folded.text, limit):
            first, last = self._snap(*folded.origin(start, end))
            if first < last:
                differing = differences(wanted, fold(self._text[first:last]).text)
                found.append(Suggestion(Span(first, last), score, differing))
        return tuple(found)

    def _find(self, quote: str) -> Match | None:
        exact = list(self._exact(quote))
        wanted = fold(quote).text.strip()
        spans = set(exact)
        if wanted:
            spans.update(self._in_folded(wanted))
            if not spans:
                spans.update(self._divided(wanted))
        if not spans:
            return None
        ordered = sorted(spans, key=lambda span: (span.start, span.end))
        kept = tuple(ordered[:MAX_OCCURRENCES])
        if exact:
            return Match(exact[0], "exact", kept, len(ordered))
        return Match(ordered[0], "folded", kept, len(ordered))

    def _exact(self, quote: str) -> Iterator[Span]:
        for start in _places(self._text, quote):
            if on_boundaries(self._text, start, start + len(quote)):
                yield Span(start, start + len(quote))

    def _in_folded(self, wanted: str) -> Iterator[Span]:
        for at in _places(self._folded.text, wanted):
            start, end = self._folded.origin(at, at + len(wanted))
            # Half a ligature is not a place to cut, and would give more text than was asked for.
            if on_boundaries(self._text, start, end) and fold(self._text[start:end]).text == wanted:
                yield Span(start, end)

    def _divided(self, wanted: str) -> Iterator[Span]:
        """Places where only hyphens at line ends stand between the quote and the text."""
        key = without_hyphens(Folded(wanted)).text
        if not key:
            return
        for at in _places(self._key.text, key):
            start, end = self._key.origin(at, at + len(key))
            if on_boundaries(self._text, start, end) and _reads_as(self._text[start:end], wanted):
                yield Span(start, end)

    def _snap(self, start: int, end: int) -> tuple[int, int]:
        """Widen to whole words and numbers and drop white space at the edges."""
        text = self._text
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        while start > 0 and splits(text, start):
            start -= 1
        while end < len(text) and splits(text, end):
            end += 1
        return start, end


def differences(quote: str, text: str) -> tuple[str, ...]:
    """The words in which a quote departs from a text, each as "quoted -> true" (at most 12)."""
    ours, theirs = quote.split(), text.split()
    found: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind != "equal":
            found.append(f"{' '.join(ours[a:b]) or '(nothing)'} -> {' '.join(theirs[c:d]) or '(nothing)'}")
    return tuple(found[:_MAX_DIFFERENCES])


def _places(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _reads_as(text: str, wanted: str) -> bool:
    """Whether `wanted` is this text with each hyphen at a line end kept or, between letters, closed up."""
    pattern: list[str] = []
    last = 0
    for match in _LINE_END_HYPHEN.finditer(text):
        pattern.append(re.escape(fold(text[last : match.start()]).text))
        letters = text[match.start() - 1].isalpha() and text[match.end()].isalpha()
        pattern.append("(?:- ?)?" if letters else "- ?")
        last = match.end()
    pattern.append(re.escape(fold(text[last:]).text))
    return re.fullmatch("".join(pattern), wanted) is not None
