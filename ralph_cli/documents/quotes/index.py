"""Finding a quote in a document: exactly, then folded, then by letters and digits; else the closest true text.

A quote is only a pointer. What counts as the quote afterwards is always document.text[span.start:span.end].
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from ralph_cli.core.document import Document, Span
from ralph_cli.core.run import Tier
from ralph_cli.documents.quotes.running_lines import page_ends
from ralph_cli.documents.quotes.suggest import alignments
from ralph_cli.text.boundary import on_boundaries, splits
from ralph_cli.text.edges import whole
from ralph_cli.text.fold import Folded, fold, replaced, without_hyphens
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.scan import places
from ralph_cli.text.signature import (
    LEAST,
    LEAST_LINE,
    Letters,
    agree,
    fills_line,
    invisible,
    key_of,
    with_edges,
    with_signs,
)

MAX_OCCURRENCES = 1_000
MAX_RECUT = 50
"""Places that are looked at in the last tier."""

_QUOTATION_MARKS = {
    '"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u201e": "\u201c", "\u201a": "\u2018",
    "\u00ab": "\u00bb", "\u00bb": "\u00ab", "`": "`",
}  # fmt: skip
_LINE_END_HYPHEN = re.compile("(?<=\\w)[-\u2010\u00ad][ \t\r]*[\n\f]\\s*(?=\\w)")
_NEGATED = re.compile(rf"(?i)\b(?:{NEGATIONS})\s+\Z")
_MAX_DIFFERENCES = 12
_EFFORT_DIVIDED = 100_000
"""As `scan.EFFORT`: to read over line ends costs more."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a quote stands. `span` is the first place at the best tier, `occurrences` all places in order.

    `occurrences` holds at most 1,000 (50 of re-cut quotes), none inside another; `count` is the true number, or that.
    Of a quote that stands in more places than can be looked at (2,000,000 characters in all), both hold the first ones.
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


@dataclass(eq=False)
class _Copy:
    """A text to search in, with the keys it needs once they are made; `base` leads back to the document's own text."""

    base: Folded
    original: str

    @cached_property
    def folded(self) -> Folded:
        return fold(self.base.text)

    @cached_property
    def _key(self) -> Folded:
        return without_hyphens(self.folded)

    @cached_property
    def _letters(self) -> Letters:
        return Letters(self.folded.text)

    def same(self, wanted: str) -> Iterator[Span]:
        """Places whose folded text is `wanted`."""

        def look(at: int) -> Span | None:
            start, end = self.folded.origin(at, at + len(wanted))
            # Half a ligature is not a place to cut, and would give more text than was asked for.
            return self._span(start, end) if fold(self.base.text[start:end]).text == wanted else None

        return places(self.folded.text, wanted, look)

    def divided(self, wanted: str) -> Iterator[Span]:
        """Places where only hyphens at line ends stand between the quote and the text."""
        key = without_hyphens(Folded(wanted)).text

        def look(at: int) -> Span | None:
            start, end = self._key.origin(at, at + len(key))
            return self._span(start, end) if _reads_as(self.base.text[start:end], wanted) else None

        return places(self._key.text, key, look, _EFFORT_DIVIDED)

    def recut(self, wanted: str) -> Iterator[Span]:
        """Places with the same letters and digits that differ from the quote in nothing that changes a number."""
        key = key_of(wanted)
        if len(key) < LEAST_LINE or key.isdecimal():
            return
        for first, last in self._letters.find(key, MAX_RECUT):
            # A few letters and digits stand anywhere by chance, but seldom as a line of their own.
            start, end = self.folded.origin(first, last)
            if len(key) < LEAST and not fills_line(self.base.text, start, end):
                continue
            start, end = with_edges(wanted, self.base.text, start, end)
            if not on_boundaries(self.base.text, start, end):
                continue  # half a number is another one, and is not to be mended by widening it
            first, last = whole(self.base.text, start, end)
            start, end = with_signs(self.base.text, start, end, first, last)
            span = self._span(first, last) if agree(wanted, fold(self.base.text[start:end]).text) else None
            if span is not None:
                yield span

    def _span(self, start: int, end: int) -> Span | None:
        start, end = self.base.origin(start, end)
        return Span(start, end) if on_boundaries(self.original, start, end) else None


class QuoteIndex:
    """Answers where quotes stand in one document; keeps the folded copies it needs once they are made."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text
        self._whole = _Copy(Folded(document.text), document.text)

    @cached_property
    def _ends(self) -> tuple[Span, ...]:
        """Where pages end with running lines."""
        return page_ends(self._document)

    @cached_property
    def _run_on(self) -> _Copy | None:
        """The text without running heads and feet; None when it has none."""
        if not self._ends:
            return None
        return _Copy(replaced(self._text, ((span.start, span.end, "\n") for span in self._ends)), self._text)

    def find(self, quote: str) -> Match | None:
        """Where the quote stands, or None. It must begin and end on the boundaries of words and numbers.

        White space around the quote is ignored; if it is not found, one pair of quotation marks around it is, too. A
        quote over a page's end may leave out the running lines there. A figure at its edge is widened to all of it.
        """
        quote = quote.strip()
        if not quote:
            return None
        match = self._find(quote)
        if match is None and len(quote) > 2 and _QUOTATION_MARKS.get(quote[0]) == quote[-1]:
            quote = quote[1:-1].strip()
            match = self._find(quote)
        return match or self._recut(quote)

    def closest(self, quote: str, limit: int = 1) -> tuple[Suggestion, ...]:
        """Up to `limit` places that resemble the quote, best first; none that score below 75."""
        wanted = fold(quote).text.strip()
        folded = self._whole.folded
        found: list[Suggestion] = []
        for score, start, end in alignments(wanted, folded.text, limit):
            first, last = self._snap(*folded.origin(start, end))
            if first < last:
                differing = differences(wanted, fold(self._text[first:last]).text)
                found.append(Suggestion(Span(first, last), score, differing))
        return tuple(found)

    def departures(self, said: str, span: Span, tier: Tier) -> tuple[str, ...]:
        """What a reader should know of a quote's place: where it differs from what was said, and what it leaves out."""
        notes: list[str] = []
        if tier == "recut":
            notes += differences(fold(said).text.strip(), fold(self._text[span.start : span.end]).text)
            if invisible(said):
                notes.append("the quote as given had invisible characters")
        for end in self._ends if "\f" in self._text[span.start : span.end] else ():
            if span.start < end.start and end.end < span.end:
                lines = [line.strip() for line in self._text[end.start : end.end].splitlines()]
                notes.append(f"over a page's end: {' / '.join(line for line in lines if line)}")
        if negation := _NEGATED.search(self._text, max(0, span.start - 24), span.start):
            notes.append(f'begins behind "{negation[0].strip()}"')
        return tuple(notes)

    def _find(self, quote: str) -> Match | None:
        """The match at the first two tiers."""
        wanted = fold(quote).text.strip()
        exact = [span for span in self._exact(quote) if self._is_whole(span)] if quote else []
        same = self._faithful(quote, self._whole.same(wanted)) if wanted else []
        if wanted and not exact and not same:
            searches = (search(wanted) for copy in self._copies() for search in (copy.same, copy.divided))
            same = next((found for spans in searches if (found := self._faithful(quote, spans))), [])
        if not exact and not same:
            return None
        places = {*exact, *same, *self._over_ends(quote, wanted)}
        return _match(exact or same, places, "exact" if exact else "folded")

    def _over_ends(self, quote: str, wanted: str) -> list[Span]:
        """The places that run over a page's end, past running lines; beside others they are places, too."""
        if self._run_on is None or not wanted:
            return []
        return [span for span in self._faithful(quote, self._run_on.same(wanted)) if "\f" in self._slice(span)]

    def _slice(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def _recut(self, quote: str) -> Match | None:
        """The match at the last tier: the same words short of a sign, or the same letters and digits."""
        wanted = fold(quote).text.strip()
        if not wanted:
            return None
        words = [span for copy in self._copies() for span in (*copy.same(wanted), *copy.divided(wanted))]
        recut = {Span(*whole(self._text, span.start, span.end)) for span in words}
        for copy in self._copies():
            recut = recut or set(copy.recut(wanted))
        return _match(sorted(recut, key=_order), recut, "recut") if recut else None

    def _copies(self) -> Iterator[_Copy]:
        """The texts to search in: the document's, then, if it must be, the one without running lines."""
        yield self._whole
        if self._run_on is not None:
            yield self._run_on

    def _exact(self, quote: str) -> Iterator[Span]:
        def look(at: int) -> Span | None:
            return Span(at, at + len(quote)) if on_boundaries(self._text, at, at + len(quote)) else None

        return places(self._text, quote, look)

    def _faithful(self, quote: str, spans: Iterable[Span]) -> list[Span]:
        """Those that need no widening, and have as many invisible characters as the quote."""
        hidden = invisible(quote)
        return [
            span
            for span in spans
            if self._is_whole(span) and (not hidden or invisible(self._text[span.start : span.end]) >= hidden)
        ]

    def _is_whole(self, span: Span) -> bool:
        return whole(self._text, span.start, span.end) == (span.start, span.end)

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


def _match(best: list[Span], places: Iterable[Span], tier: Tier) -> Match:
    ordered = sorted(places, key=_order)
    return Match(best[0], tier, tuple(ordered[:MAX_OCCURRENCES]), len(ordered))


def _order(span: Span) -> tuple[int, int]:
    return span.start, span.end


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
