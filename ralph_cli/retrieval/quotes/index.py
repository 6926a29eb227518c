"""Finds a quote in a document: exactly, then folded, then by letters and digits; otherwise the most similar text.

A quote is only a pointer. The quoted text is always document.text[span.start:span.end].
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property
from operator import attrgetter

from ralph_cli.core.document import Document
from ralph_cli.core.run import Tier
from ralph_cli.core.structure import REGIONAL, Span
from ralph_cli.documents.structure.running_lines import running_line_spans
from ralph_cli.retrieval.quotes.additions import describe_additions, overlapping_additions
from ralph_cli.retrieval.quotes.scanned import describe_unsure_words
from ralph_cli.retrieval.quotes.search_text import SearchText, widen_to_whole
from ralph_cli.retrieval.quotes.suggest import alignments
from ralph_cli.text.boundary import is_inside_word, on_boundaries
from ralph_cli.text.fold import FoldedText, fold, replace_spans
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.quantities.dates import possible_days
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.raised import footnote_marks, without_footnote_marks
from ralph_cli.text.scan import find_places, strip_interval
from ralph_cli.text.signature import count_zero_width

MAX_OCCURRENCES = 1_000

_QUOTATION_MARKS = {
    '"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u201e": "\u201c", "\u201a": "\u2018",
    "\u00ab": "\u00bb", "\u00bb": "\u00ab", "`": "`",
}  # fmt: skip
_NEGATED = re.compile(rf"(?i)\b(?:{NEGATIONS})\s+\Z")
_MAX_DIFFERENCES = 12
_POSITION = attrgetter("start", "end")


@dataclass(frozen=True, slots=True)
class Match:
    """The occurrences of a quote. `span` is the first one at the best tier; `occurrences` are all in order.

    `occurrences` has at most 1,000 spans (50 for re-cut quotes), none inside another. `count` is the true number,
    within the same limit. If a quote has too many places to examine (2,000,000 characters in all), both cover the
    first ones.
    """

    span: Span
    tier: Tier
    occurrences: tuple[Span, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Text that resembles a quote (`score` 75 to 100) but differs from it; `differing` lists the differences.

    Use it only for "did you mean": at a score of 84 a number may be wrong.
    """

    span: Span
    score: float
    differing: tuple[str, ...]


class QuoteIndex:
    """Finds quotes in one document; keeps the folded copies of its text."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text
        self._whole = SearchText(FoldedText(document.text), document.text)

    @cached_property
    def _running_lines(self) -> tuple[Span, ...]:
        """The spans at the ends of pages that have running lines."""
        return running_line_spans(self._document.text, self._document.pages)

    @cached_property
    def _without_running_lines(self) -> SearchText | None:
        """The text without running headers and footers; None if it has none."""
        edits = [(span.start, span.end, "\n") for span in self._running_lines]
        return SearchText(replace_spans(self._text, edits), self._text) if edits else None

    @cached_property
    def _without_marks(self) -> SearchText | None:
        """The text without footnote marks; None if it has none."""
        edits = without_footnote_marks(self._text)
        return SearchText(replace_spans(self._text, edits), self._text) if edits else None

    def find(self, quote: str) -> Match | None:
        """Return the match of the quote, or None. It must begin and end at boundaries of words and numbers.

        White space around the quote is ignored. If the quote is not found, one pair of quotation marks around it is
        ignored too. A quote across a page's end may leave out the running lines there, and any quote may leave out
        footnote marks. A figure at its edge is widened to the whole figure.
        """
        quote = quote.strip()
        if not quote:
            return None
        match = self._in_one_document(self._find_faithful(quote))
        if match is None and len(quote) > 2 and _QUOTATION_MARKS.get(quote[0]) == quote[-1]:
            quote = quote[1:-1].strip()
            match = self._in_one_document(self._find_faithful(quote))
        match = match or self._in_one_document(self._find_loose(quote))
        return match or self._in_one_document(self._find_regional(quote))

    def _in_one_document(self, match: Match | None) -> Match | None:
        """Return the match without spans that cross from one document of a set into the next; None if none is left."""
        if match is None or not self._document.members:
            return match
        member_at = self._document.member_at
        kept = tuple(at for at in match.occurrences if member_at(at.start) is member_at(at.end - 1))
        if len(kept) == len(match.occurrences):
            return match
        count = match.count - len(match.occurrences) + len(kept)
        return replace(match, span=kept[0], occurrences=kept, count=count) if kept else None

    def closest(self, quote: str, limit: int = 1) -> tuple[Suggestion, ...]:
        """Return up to `limit` passages that resemble the quote, best first; none has a score below 75."""
        wanted = fold(quote).text.strip()
        folded = self._whole.folded
        found: list[Suggestion] = []
        for score, start, end in alignments(wanted, folded.text, limit):
            first, last = self._snap(*folded.original_span(start, end))
            if first < last:
                differing = differences(wanted, fold(self._text[first:last]).text)
                found.append(Suggestion(Span(first, last), score, differing))
        return tuple(found)

    def describe_departures(self, quote: str, span: Span, tier: Tier) -> tuple[str, ...]:
        """Return notes on a quote that a reader should know.

        They name its differences from the worker's words, what it leaves out, and words that are doubtful or not
        running text.
        """
        notes: list[str] = []
        if tier == "recut":
            text = self._text[span.start : span.end]
            quoted, shown = (replace_spans(part, without_footnote_marks(part)).text for part in (quote, text))
            notes += differences(fold(quoted).text.strip(), fold(shown).text)
            if count_zero_width(quote):
                notes.append("the quote as given had invisible characters")
        for end in self._running_lines if "\f" in self._text[span.start : span.end] else ():
            if span.start < end.start and end.end < span.end:
                lines = [line.strip() for line in self._text[end.start : end.end].splitlines()]
                notes.append(f"over a page's end: {' / '.join(line for line in lines if line)}")
        if left_out := Counter(_marks(self._text[span.start : span.end])) - Counter(_marks(quote)):
            notes.append(f"leaves out the mark of a footnote: {', '.join(left_out.elements())}")
        if negation := _NEGATED.search(self._text, max(0, span.start - 24), span.start):
            notes.append(f'begins behind "{negation[0].strip()}"')
        notes += describe_additions(self._document, span)
        if unsure := describe_unsure_words(self._document, span):
            notes.append(unsure)
        return tuple(notes)

    def _find_faithful(self, quote: str) -> Match | None:
        """Return the match at the first two tiers."""
        wanted = fold(quote).text.strip()
        exact = [span for span in self._find_exact(quote) if self._is_whole(span)] if quote else []
        same = self._keep_faithful(quote, self._whole.find_folded(wanted)) if wanted else []
        if wanted and not exact and not same:
            searches = (
                search(wanted) for copy in self._search_texts() for search in (copy.find_folded, copy.find_hyphenated)
            )
            same = next((found for spans in searches if (found := self._keep_faithful(quote, spans))), [])
            same = same or self._keep_faithful(quote, self._find_without_marks(quote))
        if not exact and not same:
            return None
        places = {*exact, *same, *self._find_across_pages(quote, wanted)}
        return _make_match(exact or same, places, "exact" if exact else "folded")

    def _find_across_pages(self, quote: str, wanted: str) -> list[Span]:
        """Return the spans that cross a page's end, past running lines; they count in addition to other spans."""
        if self._without_running_lines is None or not wanted:
            return []
        found = self._keep_faithful(quote, self._without_running_lines.find_folded(wanted))
        return [span for span in found if "\f" in self._text[span.start : span.end]]

    def _find_loose(self, quote: str) -> Match | None:
        """Return the match at the last tier: the same words without a sign, or the same letters and digits."""
        wanted = fold(quote).text.strip()
        if not wanted:
            return None
        recut = {
            Span(*widen_to_whole(self._text, span.start, span.end))
            for copy in self._search_texts()
            for span in (*copy.find_folded(wanted), *copy.find_hyphenated(wanted))
        }
        for copy in self._search_texts():
            recut = recut or set(copy.find_loose(wanted))
        return _make_match(sorted(recut, key=_POSITION), recut, "recut") if recut else None

    def _find_regional(self, quote: str) -> Match | None:
        """Return the match of a quote whose dates are written differently from cells in the reader's regional form.

        "3/4/2026" may be two different days, so it must have exactly one match.
        """
        found: dict[Span, Match] = {}
        dates = [one for one in read_quantities(quote) if one.kind == "date"] if self._is_regional else []
        for order in ("month first", "day first"):
            days = [(one, possible_days(one.text).get(order, one.date)) for one in dates]
            edits = [(one.start, one.end, "{}-{:02}-{:02}".format(*day)) for one, day in days if all(day[:3])]
            edits = [edit for edit in edits if quote[edit[0] : edit[1]] != edit[2]]
            match = self._find_faithful(replace_spans(quote, edits).text) if edits else None
            if match and all(self._is_shown(day, match.span) for *_, day in edits):
                found[match.span] = replace(match, tier="recut")
        return next(iter(found.values())) if len(found) == 1 else None

    def _is_shown(self, day: str, span: Span) -> bool:
        """Whether a cell in a span shows this day in the reader's regional form."""
        parts = (one for one in overlapping_additions(self._document, span) if one.origin == REGIONAL)
        return any(self._text.startswith(day, one.start) for one in parts)

    @cached_property
    def _is_regional(self) -> bool:
        """Whether the document has cells with regional dates."""
        return any(one.origin == REGIONAL for one in self._document.additions)

    def _find_without_marks(self, quote: str) -> Iterator[Span]:
        """Yield spans with footnote marks that the quote leaves out; marks in the quote must be there too."""
        if self._without_marks is None:
            return
        plain = replace_spans(quote, without_footnote_marks(quote)).text
        for span in self._without_marks.find_folded(fold(plain).text.strip()):
            start, end = widen_to_whole(self._text, span.start, span.end)
            marks = iter(_marks(self._text[start:end]))
            if all(mark in marks for mark in _marks(quote)):
                yield Span(start, end)

    def _search_texts(self) -> Iterator[SearchText]:
        """Yield the texts to search: the document's, then the text without running lines."""
        yield self._whole
        if self._without_running_lines is not None:
            yield self._without_running_lines

    def _find_exact(self, quote: str) -> Iterator[Span]:
        def look(at: int) -> Span | None:
            return Span(at, at + len(quote)) if on_boundaries(self._text, at, at + len(quote)) else None

        return find_places(self._text, quote, look)

    def _keep_faithful(self, quote: str, spans: Iterable[Span]) -> list[Span]:
        """Return the spans that need no widening and have at least as many invisible characters as the quote."""
        hidden = count_zero_width(quote)
        whole = [span for span in spans if self._is_whole(span)]
        return [s for s in whole if not hidden or count_zero_width(self._text[s.start : s.end]) >= hidden]

    def _is_whole(self, span: Span) -> bool:
        return widen_to_whole(self._text, span.start, span.end) == (span.start, span.end)

    def _snap(self, start: int, end: int) -> tuple[int, int]:
        """Return the span without whitespace at its edges, widened to whole words and numbers."""
        start, end = strip_interval(self._text, start, end)
        while start > 0 and is_inside_word(self._text, start):
            start -= 1
        while end < len(self._text) and is_inside_word(self._text, end):
            end += 1
        return start, end


def differences(quote: str, text: str) -> tuple[str, ...]:
    """Return the words in which a quote differs from a text, each as "quoted -> true" (at most 12)."""
    quoted_words, text_words = quote.split(), text.split()
    found: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, quoted_words, text_words, autojunk=False).get_opcodes():
        if kind != "equal":
            found.append(f"{' '.join(quoted_words[a:b]) or '(nothing)'} -> {' '.join(text_words[c:d]) or '(nothing)'}")
    return tuple(found[:_MAX_DIFFERENCES])


def _marks(text: str) -> list[str]:
    """Return the footnote marks in a text."""
    return [text[start:end] for start, end in footnote_marks(text)]


def _make_match(best: list[Span], places: Iterable[Span], tier: Tier) -> Match:
    ordered = sorted(places, key=_POSITION)
    return Match(best[0], tier, tuple(ordered[:MAX_OCCURRENCES]), len(ordered))
