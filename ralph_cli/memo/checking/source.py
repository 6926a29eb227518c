"""One document that a memo quotes: finds words in it, in every way in which a quotation may be meant.

Words are looked up as quotes are (exact, folded, re-cut): first as the memo writes them, then without what typesetting
adds (a comma before the closing mark, single marks for double ones, a first letter in another case), then with words
left out and put in.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import ClosestText
from ralph_cli.core.run import Tier
from ralph_cli.core.structure import Span
from ralph_cli.memo.checking.elisions import (
    ElidedQuotation,
    MatchedParts,
    display_text,
    find_parts,
    parse_elisions,
    swap_first_case,
)
from ralph_cli.retrieval.context import sentence_span
from ralph_cli.retrieval.quotes.index import Match, QuoteIndex, differences
from ralph_cli.retrieval.quotes.scanned import describe_unsure_words, lowest_confidence
from ralph_cli.text.fold import fold
from ralph_cli.text.lexicon import find_qualifier
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.sentences import CLAUSES, sentence_ends, shorten_line

# The distance in characters from the edge of a similar passage within which its first word is looked for.
EDGE_CHARS = 60

# The most similar places among which the one on the page that the memo names is preferred.
MAX_NEAR = 4

# The most characters of omitted words that are shown.
MAX_SHOWN_CHARS = 160

TRAILING = " .,;:!?\u2026"
_LEADING = re.compile(r"\A(?:(?:\.\s?){3,4}|\u2026\s*)")
_SWAPPED = str.maketrans(
    {"'": '"', "\u2018": "\u201c", "\u2019": "\u201d", '"': "'", "\u201c": "\u2018", "\u201d": "\u2019"}
)
_TYPED = re.compile(r"[*_#>`\\]+")
_ENDED = re.compile(r"[*_\s]*(?:[.!?:;]|\n\s*\n|\Z)")


@dataclass(frozen=True, slots=True)
class Hit:
    """A quotation as it was found in one document.

    `meaning_change` is what its ellipses and brackets change, as (words in the memo, words in the document).
    """

    match: Match
    notes: tuple[str, ...] = ()
    meaning_change: tuple[str, str] | None = None


class Source:
    """One document to look in."""

    def __init__(self, number: int, document: Document) -> None:
        self.number, self.document, self.index = number, document, QuoteIndex(document)
        self._is_markdown = document.kind == "markdown"

    @cached_property
    def folded(self) -> str:
        """The folded text."""
        return fold(self.document.text).text

    @cached_property
    def lower(self) -> str:
        """The folded text in one case."""
        return self.folded.casefold()

    def find(self, words: str, is_named: Callable[[Span], bool] = lambda _span: False) -> Hit | None:
        """The place of the words, at the best tier of all ways to read them.

        If words with gaps have several places, those that `is_named` accepts come first: they are on the named page.
        """
        recut: Hit | None = None
        wanted = parse_elisions(words)
        for form in _typographic_variants(words):
            if form != words and wanted and wanted.departs:
                break  # dots at an edge leave words out
            match = self.index.find(form)
            hit = self._hit(form, words, match) if match else None
            if hit is not None and hit.match.tier != "recut":
                return hit
            recut = recut or (None if wanted and wanted.departs else hit)
        if recut is not None:
            return recut
        chains = find_parts(wanted, self.document, self.index) if wanted else []
        if wanted and chains:
            return self._hit_from_parts(sorted(chains, key=lambda chain: not is_named(chain.span)), wanted)
        return self._find_with_swapped_case(words)

    def _hit(self, form: str, words: str, match: Match) -> Hit | None:
        tier, notes = match.tier, self.index.describe_departures(form, match.span, match.tier)
        if tier == "recut" and _figure_signs(form) != _figure_signs(self._text(match.span)):
            return None  # a loss that is quoted as a gain is more than a matter of typing
        if tier == "exact" and form not in words:
            tier = "folded"
        if tier == "recut" and self._is_markdown and _without_markup(form) == _without_markup(self._text(match.span)):
            tier, notes = "folded", ()  # only the document's own Markdown separates the words
        notes = (*notes, *self._continuation_notes(form, words, match.span))
        return Hit(replace(match, tier=tier), notes)

    def _continuation_notes(self, form: str, words: str, span: Span) -> Iterator[str]:
        """A note if a full stop of the memo's hides that the sentence continues in the document."""
        rest = self.document.text[span.end : span.end + MAX_SHOWN_CHARS]
        if words.endswith(".") and not form.endswith(".") and not _ENDED.match(rest):
            stop, _ = next(sentence_ends(rest), (len(rest), 0))
            yield f"the sentence continues: {quoted_excerpt(rest[:stop])}"

    def _find_with_swapped_case(self, words: str) -> Hit | None:
        """The words with their first letter in the other case, which is shown."""
        swapped = swap_first_case(words)
        match = self.index.find(swapped) or self.index.find(swapped.rstrip(TRAILING)) if swapped != words else None
        if match is None:
            return None
        change = f"{words.split()[0]} -> {self._text(match.span).split()[0]}"
        return Hit(replace(match, tier="recut"), (change,))

    def _hit_from_parts(self, chains: Sequence[MatchedParts], wanted: ElidedQuotation) -> Hit:
        chain = chains[0]
        left = "; ".join(map(quoted_excerpt, chain.omitted))
        notes = [f"omitted: {left}"] if left else []
        notes += [f"inserted by the memo: {', '.join(wanted.inserted)}"] if wanted.inserted else []
        for part, span in zip(wanted.parts, chain.spans, strict=True):
            departures = self.index.describe_departures(display_text(part), span, chain.tier)
            # The words omitted before a later part are listed as omitted already.
            notes += [note for note in departures if span == chain.spans[0] or not note.startswith("begins behind")]
        change = chain.meaning_change or self._negation_at_start(chain.span, wanted)
        tier: Tier = "elided" if wanted.departs else chain.tier
        places = tuple(dict.fromkeys(item.span for item in chains if item.meaning_change == chain.meaning_change))
        return Hit(Match(chain.span, tier, places, len(places)), tuple(notes), change)

    def _negation_at_start(self, span: Span, wanted: ElidedQuotation) -> tuple[str, str] | None:
        """The memo's insertion at the beginning, where the document has a negation."""
        first = sentence_span(self.document, span, CLAUSES).start
        before = " ".join(self.document.text[first : span.start].split()[-2:])
        put_in = " ".join(wanted.edges[0].inserted)
        return (put_in, before) if put_in and find_qualifier(before) else None

    def _text(self, span: Span) -> str:
        return self.document.text[span.start : span.end]

    def nearest(self, words: str, is_named: Callable[[Span], bool] = lambda _span: False) -> ClosestText | None:
        """The text that resembles the words most; of several places one that `is_named` accepts.

        A text with half of the words or fewer is another text: "$5 million" resembles any other sum of millions.
        """
        found = self.index.closest(words, MAX_NEAR)
        near = next((item for item in found if is_named(item.span)), found[0] if found else None)
        if near is None:
            return None
        span = self._align_edges(words, near.span)
        wanted, there = (Counter(re.findall(r"\w+", fold(text).text)) for text in (words, self._text(span)))
        if 2 * (wanted & there).total() <= wanted.total():
            return None
        differing = differences(fold(words).text.strip(), fold(self._text(span)).text)
        return self.passage(span, differing, near.score)

    def passage(self, span: Span, differing: tuple[str, ...], score: float = 100.0) -> ClosestText:
        """A passage of the document, to be shown instead of a quotation's words."""
        page, text = self.document.page_at(span.start), self._text(span)
        ocr, unsure = lowest_confidence(self.document, span), describe_unsure_words(self.document, span)
        return ClosestText(text, self.describe_place(span), page.number, page.label, score, differing, ocr, unsure)

    def describe_place(self, span: Span) -> str:
        """The place of a passage for a reader: pages with what is printed on them, or line and heading."""
        return self.document.describe_span(span)

    def _align_edges(self, words: str, span: Span) -> Span:
        """A passage that resembles the words, from their own first word to their last if those are near."""
        parts, text = words.split(), self.document.text
        low, high = max(span.start - EDGE_CHARS, 0), min(span.end + EDGE_CHARS, len(text))
        first, last = (rf"(?<!\w){re.escape(word)}(?!\w)" for word in (parts[0], parts[-1]))
        firsts = (low + match.start() for match in re.finditer(first, text[low : span.start + EDGE_CHARS]))
        start = min(firsts, key=lambda at: abs(at - span.start), default=span.start)
        low = max(span.end - EDGE_CHARS, start)
        lasts = (low + match.end() for match in re.finditer(last, text[low:high]))
        end = min(lasts, key=lambda at: abs(at - span.end), default=span.end)
        return Span(start, end) if start < end else span


def _typographic_variants(words: str) -> Iterator[str]:
    """The words as they are, and without what typesetting adds within the marks."""
    yield words
    short = _LEADING.sub("", words.rstrip(TRAILING))
    if short and short != words:
        yield short
    swapped = short.translate(_SWAPPED)
    if swapped != short:
        yield swapped


def _without_markup(text: str) -> str:
    """A text without Markdown's marks, with one kind of quotation marks, and none at its edges."""
    return " ".join(_TYPED.sub("", fold(text).text.replace("|", " ").replace("'", '"')).split()).strip('"')


def _figure_signs(text: str) -> list[bool]:
    """For each figure whether it is negative, by a minus sign or by the brackets of accounts."""
    found = read_quantities(fold(text).text)
    return [figure.value < 0 for figure in found if figure.is_measured and re.search(r"\d", figure.text)]


def quoted_excerpt(text: str) -> str:
    """A text on one line between marks, shortened."""
    return f'"{shorten_line(text, MAX_SHOWN_CHARS)}"'


# The most characters between two pieces that count as an omission rather than two joined passages.
MAX_SILENT_GAP = 250

# The words that a piece must have: fewer are anywhere by chance.
MIN_PIECE_WORDS = 3

MAX_PLACES = 50


def describe_splice(words: str, sources: Sequence[Source]) -> str | None:
    """How the words are put together from two pieces of the documents, in words; None if they are not."""
    parts = fold(words).text.split()
    best = max(
        ((_matching_head_words(parts, source), source) for source in sources), key=lambda pair: pair[0], default=None
    )
    if best is None or best[0] < MIN_PIECE_WORDS:
        return None
    size = min(best[0], len(parts) - MIN_PIECE_WORDS)
    head, tail = " ".join(parts[:size]), " ".join(parts[size:])
    for other in sorted(sources, key=lambda source: source is not best[1]):
        first, second = best[1].index.find(head), other.index.find(tail)
        if size >= MIN_PIECE_WORDS and first is not None and second is not None:
            return _render_splice(best[1], _nearest_pair(first.occurrences, second.occurrences), other)
    return None


def _matching_head_words(parts: Sequence[str], source: Source) -> int:
    """How many of the first words are in the document in a row."""
    return bisect_right(range(1, len(parts) + 1), False, key=lambda size: " ".join(parts[:size]) not in source.folded)


def _nearest_pair(heads: Sequence[Span], tails: Sequence[Span]) -> tuple[Span, Span]:
    """The two places that are nearest to each other."""
    pairs = [(head, tail) for head in heads[:MAX_PLACES] for tail in tails[:MAX_PLACES]]
    return min(pairs, key=lambda pair: abs(pair[1].start - pair[0].end))


def _render_splice(source: Source, places: tuple[Span, Span], other: Source) -> str:
    head, tail = places
    if source is other and 0 <= tail.start - head.end <= MAX_SILENT_GAP:
        return f"omits without an ellipsis: {quoted_excerpt(source.document.text[head.end : tail.start])}"
    return f"put together from {_render_place(source, head)}; and {_render_place(other, tail)}"


def _render_place(source: Source, span: Span) -> str:
    return f"{quoted_excerpt(source.document.text[span.start : span.end])}, {source.describe_place(span)}"
