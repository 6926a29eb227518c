"""A text in which quotes are looked for: folded, past hyphens at line ends, and by letters and digits alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ralph_cli.core.structure import Span
from ralph_cli.text.boundary import on_boundaries
from ralph_cli.text.edges import widen_to_whole
from ralph_cli.text.fold import FoldedText, fold, without_hyphens
from ralph_cli.text.scan import find_places
from ralph_cli.text.signature import (
    MIN_KEY,
    MIN_LINE_KEY,
    LetterIndex,
    fills_line,
    has_same_meaning,
    include_edge_signs,
    include_outer_signs,
    letter_key,
)

MAX_LOOSE_PLACES = 50
"""Places that are looked at in the last tier."""

_LINE_END_HYPHEN = re.compile("(?<=\\w)[-\u2010\u00ad][ \t\r]*[\n\f]\\s*(?=\\w)")
_MAX_HYPHENATED = 100_000
"""As `scan.MAX_COMPARED`: to read over line ends costs more."""


@dataclass(eq=False)
class SearchText:
    """A text to search in, with the keys it needs once they are made; `base` leads back to the document's own text."""

    base: FoldedText
    original: str

    @cached_property
    def folded(self) -> FoldedText:
        return fold(self.base.text)

    @cached_property
    def _key(self) -> FoldedText:
        return without_hyphens(self.folded)

    @cached_property
    def _letters(self) -> LetterIndex:
        return LetterIndex(self.folded.text)

    def find_folded(self, wanted: str) -> Iterator[Span]:
        """Places whose folded text is `wanted`."""

        def look(at: int) -> Span | None:
            start, end = self.folded.original_span(at, at + len(wanted))
            # Half a ligature is not a place to cut, and would give more text than was asked for.
            return self._span(start, end) if fold(self.base.text[start:end]).text == wanted else None

        return find_places(self.folded.text, wanted, look)

    def find_hyphenated(self, wanted: str) -> Iterator[Span]:
        """Places where only hyphens at line ends stand between the quote and the text."""
        key = without_hyphens(FoldedText(wanted)).text

        def look(at: int) -> Span | None:
            start, end = self._key.original_span(at, at + len(key))
            return self._span(start, end) if _reads_as(self.base.text[start:end], wanted) else None

        return find_places(self._key.text, key, look, _MAX_HYPHENATED)

    def find_loose(self, wanted: str) -> Iterator[Span]:
        """Places with the same letters and digits that differ from the quote in nothing that changes a number."""
        key = letter_key(wanted)
        if len(key) < MIN_LINE_KEY or key.isdecimal():
            return
        for first, last in self._letters.find(key, MAX_LOOSE_PLACES):
            # A few letters and digits stand anywhere by chance, but seldom as a line of their own.
            start, end = self.folded.original_span(first, last)
            if len(key) < MIN_KEY and not fills_line(self.base.text, start, end):
                continue
            start, end = include_edge_signs(wanted, self.base.text, start, end)
            if not on_boundaries(self.base.text, start, end):
                continue  # half a number is another one, and is not to be mended by widening it
            first, last = widen_to_whole(self.base.text, start, end)
            start, end = include_outer_signs(self.base.text, start, end, first, last)
            span = self._span(first, last) if has_same_meaning(wanted, fold(self.base.text[start:end]).text) else None
            if span is not None:
                yield span

    def _span(self, start: int, end: int) -> Span | None:
        start, end = self.base.original_span(start, end)
        return Span(start, end) if on_boundaries(self.original, start, end) else None


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
