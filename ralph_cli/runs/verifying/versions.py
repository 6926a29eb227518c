"""Looks up the quotes of a run in another text: a new version of the document, or the same file read in another way.

A quote is still there if its words are, exactly or folded. If they are not, the closest text decides: the quote is
changed if most of its words are there in order, else it is gone. Code shows the words that differ, and the changes
around unchanged words; whether they matter is for the reader to decide.
"""

import re
from dataclasses import replace
from difflib import SequenceMatcher

from ralph_cli.core.document import Document
from ralph_cli.core.results.verification import QuoteStanding, Standing
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Span
from ralph_cli.retrieval.context import sentence_span
from ralph_cli.retrieval.quotes.index import Match, QuoteIndex, differences
from ralph_cli.runs.verifying.context import DocumentContext, context_changes, has_new_heading, words_of
from ralph_cli.text.fold import fold
from ralph_cli.text.sentences import CLAUSES

# Share of a quote's words that a text must have in order to be the same passage with changes.
MIN_SHARED_WORDS = 0.6

CANDIDATES = 3

# Words shown beyond the edge of a changed quote, in addition to as many as were changed there.
EXTRA_WORDS = 25

_STOPS = ".,;:!?"
_CLOSING = "\"'”’)]*_"
_WORD = re.compile(r"\w+(?:[.,]\d+)*|[$€£¥%]")


def locate_quote(
    quote: Quote, current: DocumentContext, index: QuoteIndex, original: DocumentContext | None = None
) -> QuoteStanding:
    """The standing of a quote in another text, `current`; `original` is the text it was taken from, if available."""
    document = current.document
    match = _find_quote(quote, index)
    if match is None:
        return _find_changed(quote, current, index) or QuoteStanding(quote, Standing.GONE)
    span = _likeliest_place(quote, match, document)
    page = document.page_at(span.start)
    # A forged record may name a place outside the text.
    fits = original is not None and 0 <= quote.start < quote.end <= len(original.document.text)
    known = original if fits else None
    if document.paged:
        elsewhere = page.number != quote.page
    else:
        elsewhere = known is not None and has_new_heading(known, quote.start, current, span.start)
    # A new negation before the quote is reported even without the old text; an old one is in the record.
    departures = index.describe_departures(quote.text, span, match.tier)
    around = [note for note in departures if note.startswith("begins behind") and note not in quote.difference]
    around += context_changes(quote, known, current, span) if known is not None else ()
    if original is not None and known is None:
        around.append("its recorded place is not in the text of the run, so nothing around it can be compared")
    notes = [f"was in {quote.occurrences} places, now in {match.count}"] if match.count != quote.occurrences else []
    if known is None and (head := current.table_header(span)):
        notes.append(f"the lines that head its table now: {' / '.join(head)}")
    there = standing_at(quote, Standing.MOVED if elsewhere else Standing.HOLDS, current, span)
    return replace(there, tier=match.tier, notes=tuple(notes), around=tuple(around))


def standing_at(quote: Quote, standing: Standing, context: DocumentContext, span: Span) -> QuoteStanding:
    """The standing of a quote whose words, or the closest to them, are at that place."""
    document, page = context.document, context.document.page_at(span.start)
    text, heading = document.text[span.start : span.end], context.heading_at(span.start)
    where = document.place_beside_pages(span)
    place = span.start, span.end, page.number, page.label
    return QuoteStanding(quote, standing, text, *place, heading, where=where)


def _find_quote(quote: Quote, index: QuoteIndex) -> Match | None:
    """The quote's own words, exactly or folded; or the worker's wording, which leaves out running lines."""
    match = index.find(quote.text)
    if match is None and quote.match != "recut":
        match = index.find(quote.said)
    return match if match is not None and match.tier != "recut" else None


def _likeliest_place(quote: Quote, match: Match, document: Document) -> Span:
    """The most likely of several places: the same one if their number is the same; else on the same page; else the
    nearest.
    """
    places, old = match.occurrences, (quote.start, quote.end)
    if len(places) == len(quote.places):
        return places[quote.places.index(old) if old in quote.places else 0]
    return min(places, key=lambda s: (document.page_at(s.start).number != quote.page, abs(s.start - quote.start)))


def _find_changed(quote: Quote, current: DocumentContext, index: QuoteIndex) -> QuoteStanding | None:
    """The closest text if it is the same passage with changes; of several, the one nearest to the old place."""
    document = current.document
    wanted = fold(quote.text).text.strip()
    recut = index.find(quote.text)
    if recut is not None:
        span = recut.span
    else:
        near = [found.span for found in index.closest(quote.text, CANDIDATES)]
        rated = [
            (_shared_word_ratio(wanted, _sentence_words(document, span)), -abs(span.start - quote.start))
            for span in near
        ]
        if not rated or max(rated)[0] < MIN_SHARED_WORDS:
            return None
        span = _fit_to_quote(wanted, document, near[rated.index(max(rated))])
    changed = standing_at(quote, Standing.CHANGED, current, span)
    return replace(changed, differing=differences(wanted, fold(changed.text).text.strip()))


def _shared_word_ratio(wanted: str, text: str) -> float:
    """The share of the wanted words that the text has in the same order."""
    ours, theirs = _WORD.findall(wanted.casefold()), _WORD.findall(text.casefold())
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(ours) if ours else 0.0


def _fit_to_quote(wanted: str, document: Document, span: Span) -> Span:
    """The place from the quote's first word to its last, or to the edge of the sentence if that word was changed."""
    sentence = sentence_span(document, span, CLAUSES)
    found = list(re.finditer(r"\S+", document.text[sentence.start : sentence.end]))
    ours, theirs = wanted.split(), [fold(match[0]).text for match in found]
    mine, others = ([word.strip(_STOPS).casefold() or word for word in words] for words in (ours, theirs))
    matcher = SequenceMatcher(None, mine, others, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return span
    first, last = blocks[0].b, blocks[-1].b + blocks[-1].size
    if missing := blocks[0].a:
        fewest = max(first - missing - EXTRA_WORDS, 0)
        while first > fewest and not _ends_sentence(theirs[first - 1]):
            first -= 1
    # A quote that ends with its sentence ends with a sentence now, too.
    if (missing := len(ours) - blocks[-1].a - blocks[-1].size) or _ends_sentence(ours[-1]):
        most = min(last + missing + EXTRA_WORDS, len(theirs))
        while last < most and not _ends_sentence(theirs[last - 1]):
            last += 1
    low, high = sentence.start + found[first].start(), sentence.start + found[last - 1].end()
    while high - 1 > low and document.text[high - 1] in _STOPS and wanted[-1:] not in _STOPS:
        high -= 1
    return Span(low, high)


def _ends_sentence(word: str) -> bool:
    """Whether a sentence may end with the word."""
    return word.rstrip(_CLOSING)[-1:] in (".", ";", ":", "!", "?")


def _sentence_words(document: Document, span: Span) -> str:
    """The folded words of the sentence that contains a place, without the marks of Markdown."""
    sentence = sentence_span(document, span, CLAUSES)
    return " ".join(words_of(document.text[sentence.start : sentence.end]))
