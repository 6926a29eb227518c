"""The quotes of a run looked up in another text: a new version of the document, or the same file read otherwise.

A quote is still there if its words are, exactly or folded. If they are not, the closest true text tells a change from a
loss: most of the quote's words must stand in it, or else the quote is gone. Nothing here decides whether a change
matters; the words that differ are shown, and so is a sentence that was changed around words that were not.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from ralph_cli.core.document import Document, Span
from ralph_cli.core.run import Quote
from ralph_cli.core.verification import QuoteStanding, Standing
from ralph_cli.documents.fold import fold
from ralph_cli.documents.locate import Match, QuoteIndex, differences

LEAST_SHARED = 0.6
"""Share of a quote's words, in order, that a text must have to be the same passage with changes."""

CANDIDATES = 3
SENTENCE = 600
"""Characters to each side within which a sentence is looked for."""

_END = re.compile(r"(?<=[.;:!?])[\"'”’)\]*_]*\s+(?=[\"'“‘(\[*_]*[A-Z0-9(])|\n[ \t]*\n|\f|\n(?=[ \t]*(?:#|[-*|>] ))")
_MARKS = re.compile(r"[*_#>|]+")
_WORD = re.compile(r"\w+(?:[.,]\d+)*|[$€£¥%]")


def stands(quote: Quote, document: Document, index: QuoteIndex, before: Document | None = None) -> QuoteStanding:
    """Where a quote stands in `document`, another text than it was taken from; `before` is that text, if at hand."""
    match = _found(quote, index)
    if match is None:
        return _changed(quote, document, index) or QuoteStanding(quote, Standing.GONE)
    span = _same_place(quote, match, document)
    page = document.page_at(span.start)
    moved = document.paged and page.number != quote.page
    return QuoteStanding(
        quote,
        Standing.MOVED if moved else Standing.HOLDS,
        document.text[span.start : span.end],
        span.start,
        span.end,
        page.number,
        page.label,
        match.tier,
        notes=tuple(_notes(quote, match, span, document, index, before)),
    )


def _found(quote: Quote, index: QuoteIndex) -> Match | None:
    """The quote's own words, exactly or folded; or those a worker gave for it, which leave out running lines."""
    match = index.find(quote.text)
    if match is None and quote.match != "recut":
        match = index.find(quote.said)
    return match if match is not None and match.tier != "recut" else None


def _same_place(quote: Quote, match: Match, document: Document) -> Span:
    """Of several places the one that is most likely meant: the same of as many, else on the same page, else nearest."""
    places = match.occurrences
    if len(places) == len(quote.places):
        return (
            places[quote.places.index((quote.start, quote.end))]
            if (quote.start, quote.end) in quote.places
            else places[0]
        )
    return min(
        places,
        key=lambda span: (document.page_at(span.start).number != quote.page, abs(span.start - quote.start)),
    )


def _notes(
    quote: Quote, match: Match, span: Span, document: Document, index: QuoteIndex, before: Document | None
) -> Iterator[str]:
    if match.count != quote.occurrences:
        yield f"stood in {quote.occurrences} places, now in {match.count}"
    departures = index.departures(quote.text, span, match.tier)
    yield from (note for note in departures if note.startswith("begins behind") and note not in quote.difference)
    if before is None or quote.end > len(before.text):
        return
    then, now = (_sentence(text, *place) for text, place in _both(quote, span, document, before))
    changes = differences(then, now)
    if changes:
        yield f"its sentence reads otherwise now: {'; '.join(changes)}"


def _both(
    quote: Quote, span: Span, document: Document, before: Document
) -> tuple[tuple[str, tuple[int, int]], tuple[str, tuple[int, int]]]:
    return (before.text, (quote.start, quote.end)), (document.text, (span.start, span.end))


def _changed(quote: Quote, document: Document, index: QuoteIndex) -> QuoteStanding | None:
    """The closest true text, if it is the same passage with changes; of equals the one nearest to the old place."""
    recut = index.find(quote.text)
    spans = [recut.span] if recut is not None else [near.span for near in index.closest(quote.text, CANDIDATES)]
    wanted = fold(quote.text).text.strip()
    rated = [
        (_shared(wanted, text := _sentence_of(document, span)), -abs(span.start - quote.start), span, text)
        for span in spans
    ]
    rated = [item for item in rated if item[0] >= LEAST_SHARED]
    if not rated:
        return None
    _, _, span, _ = max(rated, key=lambda item: item[:2])
    span = _fitted(wanted, document, span)
    page = document.page_at(span.start)
    text = document.text[span.start : span.end]
    return QuoteStanding(
        quote,
        Standing.CHANGED,
        text,
        span.start,
        span.end,
        page.number,
        page.label,
        differing=differences(wanted, fold(text).text.strip()),
    )


def _sentence_of(document: Document, span: Span) -> str:
    return _sentence(document.text, span.start, span.end)


def _shared(wanted: str, text: str) -> float:
    """The share of the wanted words that stand in the text in the same order."""
    ours, theirs = _WORD.findall(wanted.casefold()), _WORD.findall(text.casefold())
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(ours) if ours else 0.0


def _fitted(wanted: str, document: Document, span: Span) -> Span:
    """The place widened or cut to where the quote's first and last words are answered, within its sentence."""
    start, end = _sentence_span(document.text, span.start, span.end)
    ours = [match[0].casefold() for match in re.finditer(r"\S+", wanted)]
    found = list(re.finditer(r"\S+", document.text[start:end]))
    theirs = [fold(match[0]).text.casefold() for match in found]
    blocks = [b for b in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks() if b.size]
    if not blocks:
        return span
    # What precedes the first answered word, and follows the last, is as long as it is in the quote.
    first = max(blocks[0].b - blocks[0].a, 0)
    last = min(blocks[-1].b + len(ours) - blocks[-1].a, len(found))
    return Span(start + found[first].start(), start + found[max(last, first + 1) - 1].end())


def _sentence_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence, or the sentences, in which text[start:end] stands; a list item or table row counts as one."""
    low, high = max(0, start - SENTENCE), min(len(text), end + SENTENCE)
    ends = [match.end() for match in _END.finditer(text, low, start + 1) if match.end() <= start]
    stops = [match.start() for match in _END.finditer(text, max(end - 1, 0), high) if match.start() >= end - 1]
    first, last = ends[-1] if ends else low, max(stops[0], end) if stops else high
    return first, last


def _sentence(text: str, start: int, end: int) -> str:
    """The folded words of that sentence, without the marks of Markdown."""
    first, last = _sentence_span(text, start, end)
    return " ".join(_MARKS.sub(" ", fold(text[first:last]).text).split())
