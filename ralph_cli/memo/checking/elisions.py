"""Quotations with words left out or put in: "pays [the amount] ... in full [sic]", found part by part, in order.

Words in square brackets are the memo's, not the document's; "[T]he" marks a changed first letter. An ellipsis leaves
words out. The check shows which: at the edges of a quotation, up to the beginning or end of its sentence. `qualifiers`
decides whether a gap changes the meaning.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ralph_cli.core.document import Document
from ralph_cli.core.run import Tier
from ralph_cli.core.structure import Page, Span
from ralph_cli.memo.checking.qualifiers import (
    Gap,
    find_limit_behind,
    find_negation_before,
    is_reversing,
    meaning_change,
)
from ralph_cli.retrieval.context import sentence_span
from ralph_cli.retrieval.quotes.index import Match, QuoteIndex
from ralph_cli.text.raised import RAISED
from ralph_cli.text.sentences import line_at

# The most characters, about a page, that an ellipsis may leave out. Parts further apart are two quotations.
MAX_ELLIPSIS_CHARS = 3_000

# The most characters of the document that words in square brackets may replace.
MAX_REPLACED_CHARS = 200

_ELLIPSIS = (
    r"\[\s*(?:\.\s*){2,4}\]|\[\s*\u2026\s*\]|\(\s*(?:\.\s*){3,4}\)|\(\s*\u2026\s*\)|(?:\.\s?){3,5}|\u2026|\*\s\*\s\*"
)
_INSERTED = r"\w{0,40}\[[^\[\]]{0,200}\]\w{0,40}"
_FIRST_LETTER = re.compile(r"(?<!\w)\[(\w)\](?=\w)")
_GAP = re.compile(rf"(?P<ellipsis>{_ELLIPSIS})|(?P<inserted>{_INSERTED})")
_EDITORIAL_NOTE = re.compile(
    r"(?i)\[\s*(?:sic|emphasis (?:added|supplied|mine|in original)|footnotes? omitted|citations? omitted)\W*\]"
)
# A footnote's mark within a quotation, which is no inserted figure.
_FOOTNOTE_MARK = re.compile(
    rf"(?<=[a-z.,;:])\[\d{{1,2}}\](?!\w)|(?:(?<=[a-z]{{3}})|(?<=[.,;:]))[{RAISED}]{{1,2}}(?!\w)"
)

# Put before a first letter that the memo has changed.
_CHANGED_LETTER = "\ue000"

MAX_ANCHORS = 40
MAX_PARTS = 24
# The most places of each part that are compared.
MAX_PLACES = 100

TIER_RANKS: tuple[Tier, ...] = ("exact", "folded", "elided", "recut")


@dataclass(frozen=True, slots=True)
class ElidedQuotation:
    """A quotation cut at its gaps: the document's words, the gaps between them and at the edges, and the inserted
    words.
    """

    parts: tuple[str, ...]
    gaps: tuple[Gap, ...]
    edges: tuple[Gap, Gap]
    inserted: tuple[str, ...]

    @property
    def departs(self) -> bool:
        """Whether anything is left out or put in, beyond an editor's note or a changed first letter."""
        return any(gap.ellipsis or gap.inserted for gap in (*self.gaps, *self.edges))


@dataclass(frozen=True, slots=True)
class MatchedParts:
    """The parts of a quotation in the document, in order, with the least distance between them.

    `omitted` are the document's words that ellipses leave out. `meaning_change` is the first gap that changes the
    meaning, as (words in the memo, words in the document).
    """

    spans: tuple[Span, ...]
    tier: Tier
    omitted: tuple[str, ...] = ()
    meaning_change: tuple[str, str] | None = None

    @property
    def span(self) -> Span:
        """From the first part's beginning to the last one's end."""
        return Span(self.spans[0].start, self.spans[-1].end)


def parse_elisions(words: str) -> ElidedQuotation | None:
    """The quotation cut at its gaps; None if it has none, nothing but gaps, or more than 24 parts."""
    inserted = [match[0] for match in _FIRST_LETTER.finditer(words)]
    parts: list[str] = []
    gaps: list[Gap] = []
    words, marks = _FOOTNOTE_MARK.subn("", words)
    words = _FIRST_LETTER.sub(rf"{_CHANGED_LETTER}\1", words)
    last, gap = 0, Gap()
    for match in [*_GAP.finditer(words), None]:
        part = words[last : match.start() if match else len(words)].strip(" \n\t,;")
        if any(map(str.isalnum, part)):
            gaps.append(gap)
            parts.append(part)
            gap = Gap()
        if match is not None:
            gap = _extend_gap(gap, match)
            inserted += [match[0].strip()] if match["inserted"] else []
            last = match.end()
    if not 0 < len(parts) <= MAX_PARTS or (len(parts) == 1 and not inserted and not marks and last == 0):
        return None
    return ElidedQuotation(tuple(parts), tuple(gaps[1:]), (gaps[0], gap), tuple(inserted))


def _extend_gap(gap: Gap, match: re.Match[str]) -> Gap:
    """A gap with one more ellipsis or insertion in it."""
    if match["ellipsis"]:
        return Gap(MAX_ELLIPSIS_CHARS, gap.inserted, ellipsis=True)
    if _EDITORIAL_NOTE.fullmatch(match[0]):
        return Gap(max(gap.reach, 3), gap.inserted, gap.ellipsis)
    return Gap(max(gap.reach, MAX_REPLACED_CHARS), (*gap.inserted, match[0].strip()), gap.ellipsis)


def find_parts(wanted: ElidedQuotation, document: Document, index: QuoteIndex) -> list[MatchedParts]:
    """The places of the parts in the document, each near the part before it; the closest together first."""
    anchor = max(range(len(wanted.parts)), key=lambda at: len(wanted.parts[at]))
    match = _find_part(index, wanted.parts[anchor])
    if match is None:
        return []
    before = _length_at_most(wanted.gaps[:anchor], wanted.parts[:anchor])
    behind = _length_at_most(wanted.gaps[anchor:], wanted.parts[anchor + 1 :])
    found: dict[tuple[Span, ...], MatchedParts] = {}
    for place in match.occurrences[:MAX_ANCHORS]:
        low, high = max(place.start - before, 0), min(place.end + behind, len(document.text))
        chains = _find_within(wanted, document, *line_at(document.text, low, high))
        found |= {chain.spans: chain for chain in chains}
    return sorted(found.values(), key=lambda it: (it.meaning_change is not None, it.span.end - it.span.start))


def _length_at_most(gaps: Sequence[Gap], parts: Sequence[str]) -> int:
    """The most characters of the document that gaps and parts may take, with white space and hyphens at line ends."""
    return sum(gap.reach for gap in gaps) + sum(2 * len(part) + 40 for part in parts)


def display_text(part: str) -> str:
    """A part as it is shown to a person."""
    return part.replace(_CHANGED_LETTER, "")


def swap_first_case(words: str) -> str:
    """The words with their first letter in the other case."""
    return words[:1].swapcase() + words[1:]


def _find_part(index: QuoteIndex, part: str) -> Match | None:
    """The place of a part; a changed first letter may be in either case."""
    plain = display_text(part)
    if part == plain:
        return index.find(plain)
    return index.find(plain) or index.find(swap_first_case(plain))


def _find_within(wanted: ElidedQuotation, document: Document, low: int, high: int) -> Iterator[MatchedParts]:
    """The parts within text[low:high], from each place of the first one."""
    text = document.text[low:high]
    window = QuoteIndex(Document("", "", document.kind, "", "", text, (Page(1, "1", 0, len(text)),)))
    places: list[list[tuple[Span, Tier]]] = []
    for part in wanted.parts:
        match = _find_part(window, part)
        if match is None:
            return
        places.append([(span, match.tier) for span in match.occurrences[:MAX_PLACES]])
    for first in places[0]:
        chain = [first]
        for gap, following in zip(wanted.gaps, places[1:], strict=True):
            end = chain[-1][0].end
            near = next((place for place in following if end <= place[0].start <= end + gap.reach), None)
            if near is None:
                break
            chain.append(near)
        if len(chain) == len(places):
            tier = max((tier for _, tier in chain), key=TIER_RANKS.index)
            spans = tuple(Span(span.start + low, span.end + low) for span, _ in chain)
            omitted = _omitted_texts(wanted, spans, document)
            yield MatchedParts(spans, tier, omitted, _meaning_change(wanted, spans, document))


def _omitted_texts(wanted: ElidedQuotation, spans: Sequence[Span], document: Document) -> tuple[str, ...]:
    """The omitted words: between the parts, and in the sentence around a quotation with dots at its edges."""
    between = [document.text[first.end : second.start] for first, second in pairwise(spans)]
    before, behind = _sentence_around(spans, document)
    edges = [before] if wanted.edges[0].ellipsis else []
    parts = [*edges, *between, *([behind] if wanted.edges[1].ellipsis else [])]
    return tuple(flat for part in parts if any(map(str.isalnum, flat := " ".join(part.split()))))


def _sentence_around(spans: Sequence[Span], document: Document) -> tuple[str, str]:
    """The words of the same sentence before the first part and behind the last one."""
    start, end = spans[0].start, spans[-1].end
    whole = sentence_span(document, Span(start, end))
    return document.text[whole.start : start], document.text[end : whole.end]


def _meaning_change(wanted: ElidedQuotation, spans: Sequence[Span], document: Document) -> tuple[str, str] | None:
    """The first gap that changes the meaning, as (words in the memo, words in the document); None if none does."""
    text = document.text
    for put_in in (*wanted.edges[0].inserted, *wanted.edges[1].inserted):
        if is_reversing(put_in):
            return put_in, ""
    for gap, part, (first, second) in zip(wanted.gaps, wanted.parts[1:], pairwise(spans), strict=True):
        before, omitted = text[spans[0].start : first.end], text[first.end : second.start]
        if found := meaning_change(gap, before, omitted, display_text(part)):
            return found
    before, behind = _sentence_around(spans, document)
    word = find_negation_before(before) if wanted.edges[0].ellipsis else ""
    word = word or (find_limit_behind(behind) if wanted.edges[1].ellipsis else "")
    return ("[...]", word) if word else None
