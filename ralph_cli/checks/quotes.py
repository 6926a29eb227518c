"""Every quote is the document's own words: looked up by code, stored with span and page, checked again at the end."""

from collections import Counter
from dataclasses import dataclass

from ralph_cli.core.coverage import Spans, covered
from ralph_cli.core.document import Document, Span
from ralph_cli.core.run import Attempt, Claim, Draft, Evidence, Issue, Quote
from ralph_cli.documents.locate import Match, QuoteIndex

SHOWN = 200
PLACES = 50
"""Places of a quote that are kept; how often it stands in the document is counted to the end."""


def pin(draft: Draft, document: Document, index: QuoteIndex, seen: Spans = ()) -> Attempt:
    """Look up every quote of `draft`. Claims keep the quotes that were found; the others are named in `refused`.

    Words that stand in several places are pinned to one that the worker has `seen`, if there is one. Of those it is the
    one on the page that most quotes of the claim share, as near to each other as can be: a table row and its header are
    often repeated elsewhere, but seldom together.
    """
    by_span: dict[tuple[int, int], Quote] = {}
    claims: list[Claim] = []
    refused: list[Issue] = []
    for number, said in enumerate(draft.claims, 1):
        found = [index.find(wording) for wording in said.quotes]
        spans = _together([match for match in found if match], document, seen)
        ids: list[int] = []
        for place, (wording, match) in enumerate(zip(said.quotes, found, strict=True), 1):
            if match is None:
                refused.append(_not_found(number, place, wording, document, index))
                continue
            span = spans[match]
            quote = by_span.get((span.start, span.end))
            if quote is None:
                quote = by_span[span.start, span.end] = _quote(len(by_span) + 1, span, match, wording, document, index)
            if quote.id not in ids:
                ids.append(quote.id)
        calculations = tuple(" ".join(calculation.split()) for calculation in said.calculations)
        claims.append(Claim(number, " ".join(said.text.split()), tuple(ids), calculations))
    return Attempt(tuple(claims), tuple(by_span.values()), draft.absence, refused=tuple(refused))


def _together(matches: list[Match], document: Document, seen: Spans) -> dict[Match, Span]:
    """For each quote of one claim the place that belongs with the others."""
    places = {match: _seen(_places(match, document), seen) for match in matches}
    pages = {match: {document.page_at(span.start).number for span in spans} for match, spans in places.items()}
    shared = Counter(page for found in pages.values() for page in found)
    if not shared:
        return {}
    page = min(shared, key=lambda number: (-shared[number], number))
    on_page = {
        match: [span for span in spans if document.page_at(span.start).number == page] or spans
        for match, spans in places.items()
    }
    anchor = min(on_page.values(), key=len)[0]
    return {match: min(spans, key=lambda span: abs(span.start - anchor.start)) for match, spans in on_page.items()}


def _seen(places: list[Span], seen: Spans) -> list[Span]:
    """The places of which all was seen; if there are none, those of which some was, else all."""
    read = {place: covered(seen, place.start, place.end) for place in places}
    whole = [place for place in places if read[place] == place.end - place.start]
    return whole or [place for place in places if read[place]] or places


def _places(match: Match, document: Document) -> list[Span]:
    """The places of a quote at its best tier."""
    if match.tier != "exact":
        return list(match.occurrences)
    wording = document.text[match.span.start : match.span.end]
    return [span for span in match.occurrences if document.text[span.start : span.end] == wording]


def _quote(number: int, span: Span, match: Match, wording: str, document: Document, index: QuoteIndex) -> Quote:
    page = document.page_at(span.start)
    return Quote(
        number,
        document.text[span.start : span.end],
        span.start,
        span.end,
        page.number,
        page.label,
        match.tier,
        match.count,
        wording,
        tuple((place.start, place.end) for place in match.occurrences[:PLACES]),
        index.departures(wording, span, match.tier),
        document.page_at(span.end - 1).number,
    )


def _not_found(number: int, place: int, wording: str, document: Document, index: QuoteIndex) -> Issue:
    shown = " ".join(wording.split())
    shown = shown if len(shown) <= SHOWN else shown[:SHOWN] + "..."
    there = wording.strip() in document.text
    fault = "begins or ends inside a word or number" if there else "is not in the document"
    head = f"quote {place} of claim {number} {fault}"
    for near in index.closest(wording):
        words = ", ".join(near.differing[:8])
        differs = f" (differs in: {words})" if words else ""
        page = document.page_at(near.span.start).number
        material = f'"{shown}" - the closest true text is "{clip(document, near.span)}"{differs}'
        return Issue("quotes", f"{head}; the closest true text is on page {page}", number, material)
    advice = "nothing like it is there, so copy the words from printed output, or drop the claim"
    return Issue("quotes", f"{head}; {advice}", number, f'"{shown}"')


def clip(document: Document, span: Span) -> str:
    """The text of `span` on one line, cut at 300 characters."""
    text = " ".join(document.text[span.start : span.end].split())
    return text if len(text) <= 300 else text[:300] + "..."


def quotes_hold(document: Document) -> "QuoteCheck":
    """The check that an attempt's quotes are in `document` where they say, and that every claim has one."""
    return QuoteCheck(document)


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """See `quotes_hold`."""

    document: Document

    def __call__(self, attempt: Attempt) -> Evidence:
        found = list(attempt.refused)
        text = self.document.text
        for quote in attempt.quotes:
            if text[quote.start : quote.end] != quote.text:
                found.append(Issue("quotes", f"quote {quote.id} is not the document's text at its place"))
            elif self.document.page_at(quote.start).number != quote.page:
                found.append(Issue("quotes", f"quote {quote.id} is not on page {quote.page}"))
        refused = {issue.claim for issue in attempt.refused}
        for claim in attempt.claims:
            if not claim.quotes and claim.id not in refused:
                found.append(Issue("quotes", f"claim {claim.id} has no quote", claim.id))
        return Evidence("quotes", tuple(found))
