"""Every quote is the document's own words: looked up by code, stored with span and page, checked again at the end."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ralph_cli.core.coverage import Spans, covered
from ralph_cli.core.document import Document, Span
from ralph_cli.core.run import Attempt, Claim, Draft, DraftClaim, Evidence, Issue, Quote
from ralph_cli.documents.quotes.index import Match, QuoteIndex

SHOWN = 200
PLACES = 50
"""Places of a quote that are kept; how often it stands in the document is counted to the end."""


Unseen = Callable[[Sequence[Span]], Mapping[Span, str]]
"""Why a reader cannot see each of these spans, "" if nothing speaks against it."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """How it is found out whether a reader sees a quote, and whether one that is hidden may be evidence."""

    unseen: Unseen
    hidden_allowed: bool = False


@dataclass(frozen=True, slots=True)
class _Looked:
    """One quote of a draft as it was looked up: `span` and `match` are None when it is not in the document."""

    claim: int
    place: int
    wording: str
    match: Match | None
    span: Span | None


def pin(
    draft: Draft, document: Document, index: QuoteIndex, seen: Spans = (), visibility: Visibility | None = None
) -> Attempt:
    """Look up every quote of `draft`. Claims keep the quotes that were found; the others are named in `refused`.

    Words that stand in several places are pinned to one on the page of a quote of the same claim that stands in one
    place only, else to one that the worker has `seen`, if there is one. Of those it is the one on the page that most
    quotes of the claim share, as near to each other as can be: a table row and its header are often repeated
    elsewhere, but seldom together. With a `visibility`, a place that a reader sees is preferred, and a
    quote that stands in none is refused unless that is allowed.
    """
    looked = [
        item for number, said in enumerate(draft.claims, 1) for item in _look_up(number, said, document, index, seen)
    ]
    looked, unseen = _in_sight(looked, document, visibility) if visibility else (looked, {})
    by_span: dict[Span, Quote] = {}
    ids: dict[int, list[int]] = {}
    refused: list[Issue] = []
    for item in looked:
        if item.match is None or item.span is None:
            refused.append(_not_found(item.claim, item.place, item.wording, document, index))
            continue
        quote = by_span.get(item.span)
        if quote is None:
            hidden = unseen.get(item.span, "")
            quote = _quote(len(by_span) + 1, item.span, item.match, item.wording, document, index, hidden)
            by_span[item.span] = quote
        if quote.hidden and visibility and not visibility.hidden_allowed:
            refused.append(_not_seen(item, quote, document))
        ids.setdefault(item.claim, [])
        if quote.id not in ids[item.claim]:
            ids[item.claim].append(quote.id)
    claims = tuple(
        Claim(
            number,
            " ".join(said.text.split()),
            tuple(ids.get(number, ())),
            tuple(" ".join(calculation.split()) for calculation in said.calculations),
        )
        for number, said in enumerate(draft.claims, 1)
    )
    return Attempt(claims, tuple(by_span.values()), draft.absence, refused=tuple(refused))


def _look_up(number: int, said: DraftClaim, document: Document, index: QuoteIndex, seen: Spans) -> list[_Looked]:
    found = [index.find(wording) for wording in said.quotes]
    spans = _together([match for match in found if match], document, seen)
    return [
        _Looked(number, place, wording, match, spans[match] if match else None)
        for place, (wording, match) in enumerate(zip(said.quotes, found, strict=True), 1)
    ]


def _in_sight(
    looked: list[_Looked], document: Document, visibility: Visibility
) -> tuple[list[_Looked], Mapping[Span, str]]:
    """The quotes moved to the nearest place that a reader sees, if they have one, and why the others are unseen."""
    unseen = dict(visibility.unseen([item.span for item in looked if item.span]))
    places = {
        item: _places(item.match, document)[:PLACES]
        for item in looked
        if item.match and item.span and unseen[item.span]
    }
    elsewhere = [span for spans in places.values() for span in spans if span not in unseen]
    if elsewhere:
        unseen |= visibility.unseen(elsewhere)
    moved = [replace(item, span=_nearest(item.span, places.get(item, ()), unseen)) for item in looked]
    return moved, unseen


def _nearest(span: Span | None, places: Sequence[Span], unseen: Mapping[Span, str]) -> Span | None:
    """The place nearest to `span` that a reader sees; `span` itself if there is none."""
    if span is None:
        return None
    start = span.start
    return min((place for place in places if not unseen[place]), key=lambda it: abs(it.start - start), default=span)


def _together(matches: list[Match], document: Document, seen: Spans) -> dict[Match, Span]:
    """For each quote of one claim the place that belongs with the others."""
    every = {match: _places(match, document) for match in matches}
    places = {match: _seen(spans, seen) for match, spans in every.items()}
    single = [spans[0] for spans in every.values() if len(spans) == 1] or [
        spans[0] for spans in places.values() if len(spans) == 1
    ]
    sure = {document.page_at(span.start).number for span in single}
    for match, spans in every.items():
        beside = [span for span in spans if document.page_at(span.start).number in sure]
        # What stands above a row was printed with it, whether or not its own words were seen to the letter.
        if beside and not any(span in beside for span in places[match]):
            places[match] = beside
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


def _quote(
    number: int, span: Span, match: Match, wording: str, document: Document, index: QuoteIndex, hidden: str
) -> Quote:
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
        hidden,
    )


def _not_seen(item: _Looked, quote: Quote, document: Document) -> Issue:
    where = f" on page {quote.page}" if document.paged else ""
    what = f"quote {item.place} of claim {item.claim} is text that a reader cannot see{where} ({quote.hidden})"
    return Issue("quotes", f"{what}; quote visible text", item.claim, f'"{_short(item.wording)}"')


def _not_found(number: int, place: int, wording: str, document: Document, index: QuoteIndex) -> Issue:
    shown = _short(wording)
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


def _short(wording: str) -> str:
    shown = " ".join(wording.split())
    return shown if len(shown) <= SHOWN else shown[:SHOWN] + "..."


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
