"""Looks up every quote in the document by code, stores it with span and page, and checks it again at the end."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from ralph_cli.core.coverage import Spans, count_covered
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Draft, DraftClaim, Evidence, Issue, Quote
from ralph_cli.core.structure import Span
from ralph_cli.retrieval.quotes.index import Match, QuoteIndex
from ralph_cli.retrieval.quotes.scanned import lowest_confidence
from ralph_cli.retrieval.search.nearest import key_words
from ralph_cli.text.sentences import shorten_line

# The characters of a quote that an issue repeats.
MAX_SHOWN_CHARS = 200

# The characters that an issue shows of the text closest to a quote.
MAX_CLOSEST_CHARS = 300

# The least characters of a part of a quote with an ellipsis: fewer are in many places.
MIN_PART_CHARS = 12

_TITLE_CHARS = 300
_ELLIPSIS = re.compile(r"\[?(?:\.{3}|\u2026)\]?")
# The most places of a quote that are kept; its occurrences are counted to the end.
MAX_PLACES = 50


# The reason why a reader cannot see each of these spans; "" for a visible one.
HiddenReasonLookup = Callable[[Sequence[Span]], Mapping[Span, str]]


@dataclass(frozen=True, slots=True)
class VisibilityPolicy:
    """Determines whether a reader sees a quote, and whether a hidden one may be evidence."""

    hidden_reasons: HiddenReasonLookup
    hidden_allowed: bool = False


@dataclass(frozen=True, slots=True)
class _ResolvedQuote:
    """A quote of a draft as it was looked up: `span` and `match` are None if it is not in the document."""

    claim: int
    position: int
    wording: str
    match: Match | None
    span: Span | None


def resolve_quotes(
    draft: Draft,
    document: Document,
    index: QuoteIndex,
    seen_spans: Spans = (),
    visibility: VisibilityPolicy | None = None,
    shortest: int = 0,
) -> Attempt:
    """Look up every quote of `draft`. Claims keep the quotes that were found; `refused` names the others.

    Words in several places get one place: on the page that the claim names, else on the page of a quote of the same
    claim with only one place, else one that the worker has seen (`seen_spans`). Of those it is the one on the page that
    most quotes of the claim share, or whose title the claim names, as near to each other as possible: a table row and
    its header are often repeated elsewhere, but seldom together; the header is the one above the row. With a
    `visibility`, a place that a reader sees is preferred, and a quote without one is refused unless that is allowed. A
    quote of fewer than `shortest` characters must be from the header above a quoted row of the same claim. A quote with
    an ellipsis becomes the quotes that its parts are.
    """
    resolved: list[_ResolvedQuote] = []
    for number, claim in enumerate(draft.claims, 1):
        resolved += _resolve_claim(number, claim, document, index, seen_spans)
    resolved, hidden_reasons = _prefer_visible(resolved, document, visibility) if visibility else (resolved, {})
    by_span: dict[Span, Quote] = {}
    ids: dict[int, dict[int, None]] = defaultdict(dict)
    refused: list[Issue] = []
    for item in resolved:
        match, span = item.match, item.span
        if match is None or span is None:
            refused.append(_not_found_issue(item, document, index))
            continue
        if len(item.wording.strip()) < shortest:
            beside = [other.span for other in resolved if other.claim == item.claim and other.span]
            in_headers = _places_in_headers(match.occurrences, _header_spans(document, beside))
            if not in_headers:
                refused.append(_too_short_issue(item, shortest))
                continue
            span = in_headers[0]
        if span not in by_span:
            departures = index.describe_departures(item.wording, span, match.tier)
            quote = quote_at(document, span, len(by_span) + 1, match, item.wording, departures)
            by_span[span] = replace(quote, hidden=hidden_reasons.get(span, ""))
        quote = by_span[span]
        if quote.hidden and visibility and not visibility.hidden_allowed:
            refused.append(_hidden_issue(item, quote, document))
        ids[item.claim][quote.id] = None
    claims: list[Claim] = []
    for number, claim in enumerate(draft.claims, 1):
        calculations = tuple(" ".join(calculation.split()) for calculation in claim.calculations)
        because = " ".join(claim.because.split())
        claims.append(Claim(number, " ".join(claim.text.split()), tuple(ids[number]), calculations, because))
    return Attempt(tuple(claims), tuple(by_span.values()), draft.absence, refused=tuple(refused))


def _resolve_claim(
    number: int, claim: DraftClaim, document: Document, index: QuoteIndex, seen_spans: Spans
) -> list[_ResolvedQuote]:
    said = [(place, part) for place, quote in enumerate(claim.quotes, 1) for part in _split_at_ellipses(quote, index)]
    found = [index.find(wording) for _, wording in said]
    spans = _choose_places([match for match in found if match], document, seen_spans, claim)
    return [
        _ResolvedQuote(number, place, wording, match, spans[match] if match else None)
        for (place, wording), match in zip(said, found, strict=True)
    ]


def _split_at_ellipses(wording: str, index: QuoteIndex) -> list[str]:
    """Return the parts of words with an ellipsis, if each part is in the document and the whole is not.

    A reader of the marked parts sees what is left out.
    """
    parts = [part.strip() for part in _ELLIPSIS.split(wording)]
    is_split = len(parts) > 1 and min(map(len, parts)) >= MIN_PART_CHARS and not index.find(wording)
    return parts if is_split and all(map(index.find, parts)) else [wording]


def _prefer_visible(
    resolved: list[_ResolvedQuote], document: Document, visibility: VisibilityPolicy
) -> tuple[list[_ResolvedQuote], Mapping[Span, str]]:
    """The quotes moved to the nearest place that a reader sees, if they have one, and why the others are hidden."""
    hidden_reasons = dict(visibility.hidden_reasons([item.span for item in resolved if item.span]))
    places = {
        item: _match_places(item.match, document)[:MAX_PLACES]
        for item in resolved
        if item.match and item.span and hidden_reasons[item.span]
    }
    elsewhere = [span for spans in places.values() for span in spans if span not in hidden_reasons]
    if elsewhere:
        hidden_reasons |= visibility.hidden_reasons(elsewhere)
    moved = [replace(item, span=_nearest_visible(item.span, places.get(item, ()), hidden_reasons)) for item in resolved]
    return moved, hidden_reasons


def _nearest_visible(span: Span | None, places: Sequence[Span], hidden_reasons: Mapping[Span, str]) -> Span | None:
    """The place nearest to `span` that a reader sees; `span` itself if there is none."""
    if span is None:
        return None
    visible = (place for place in places if not hidden_reasons[place])
    return min(visible, key=lambda place: abs(place.start - span.start), default=span)


def _choose_places(matches: list[Match], document: Document, seen_spans: Spans, claim: DraftClaim) -> dict[Match, Span]:
    """The place for each quote of one claim that belongs with the others."""
    places = _likely_places(matches, document, seen_spans, claim)
    shared = Counter(page for spans in places.values() for page in {_page_of(span, document) for span in spans})
    if not shared:
        return {}
    words = key_words(claim.text).keys()
    titled = {number: len(words & _title_words(document, number)) for number in shared if len(shared) > 1}
    page = min(shared, key=lambda number: (number != claim.page, -shared[number], -titled.get(number, 0), number))
    on_page = {
        match: [span for span in spans if _page_of(span, document) == page] or spans for match, spans in places.items()
    }
    anchor = min(on_page.values(), key=len)[0]
    headers = _header_spans(document, [spans[0] for spans in on_page.values() if len(spans) == 1])
    fitting = {match: _places_in_headers(spans, headers) or spans for match, spans in on_page.items()}
    return {match: min(spans, key=lambda span: abs(span.start - anchor.start)) for match, spans in fitting.items()}


def _likely_places(
    matches: list[Match], document: Document, seen_spans: Spans, claim: DraftClaim
) -> dict[Match, list[Span]]:
    """The places of each quote that the worker has seen; all places on the page that the claim names, or that is
    certain.
    """
    every = {match: _match_places(match, document) for match in matches}
    places = {match: _prefer_seen(spans, seen_spans) for match, spans in every.items()}

    def pages_of_single(found: Mapping[Match, list[Span]]) -> set[int]:
        return {_page_of(spans[0], document) for spans in found.values() if len(spans) == 1}

    certain_pages = {claim.page} if claim.page else pages_of_single(every) or pages_of_single(places)
    for match, spans in every.items():
        on_certain_page = [span for span in spans if _page_of(span, document) in certain_pages]
        # The lines above a row were printed with it, even if not all of their words count as seen.
        if on_certain_page and (claim.page or not any(span in on_certain_page for span in places[match])):
            places[match] = on_certain_page
    return places


def _page_of(span: Span, document: Document) -> int:
    return document.page_at(span.start).number


def _title_words(document: Document, number: int) -> AbstractSet[str]:
    """The words at the beginning of a page: they often name its statement."""
    page = document.pages[number - 1]
    return key_words(document.text[page.start : min(page.start + _TITLE_CHARS, page.end)]).keys()


def _prefer_seen(places: list[Span], seen_spans: Spans) -> list[Span]:
    """The places that were seen whole; if there are none, those seen in part, else all."""
    read = {place: count_covered(seen_spans, place.start, place.end) for place in places}
    whole = [place for place in places if read[place] == place.end - place.start]
    return whole or [place for place in places if read[place]] or places


def _match_places(match: Match, document: Document) -> list[Span]:
    """The places of a quote at its best tier."""
    if match.tier != "exact":
        return list(match.occurrences)
    wording = document.text[match.span.start : match.span.end]
    return [span for span in match.occurrences if document.text[span.start : span.end] == wording]


def quote_at(
    document: Document, span: Span, number: int, match: Match, wording: str, difference: tuple[str, ...] = ()
) -> Quote:
    """The document's own words at a place of a match, as the quote with this number."""
    first, last = document.page_at(span.start), document.page_at(span.end - 1)
    text = document.text[span.start : span.end]
    places = tuple((place.start, place.end) for place in match.occurrences[:MAX_PLACES])
    found = Quote(number, text, span.start, span.end, first.number, first.label, match.tier, match.count, wording)
    where = document.place_beside_pages(span)
    ocr = lowest_confidence(document, span)
    return replace(found, places=places, difference=difference, last_page=last.number, where=where, ocr=ocr)


def _header_spans(document: Document, spans: Sequence[Span]) -> list[Span]:
    """The lines that name the columns, period and unit of quoted rows."""
    return [line for span in spans for line in document.lines_above(span.start)]


def _places_in_headers(places: Sequence[Span], headers: Sequence[Span]) -> list[Span]:
    return [place for place in places if any(line.start <= place.start < line.end for line in headers)]


def _too_short_issue(item: _ResolvedQuote, shortest: int) -> Issue:
    short = f"quote {item.position} of claim {item.claim} is too short (fewer than {shortest} characters)"
    advice = "take in the words beside it; only words of the header above a quoted row may be so short"
    return Issue("quotes", f"{short}; {advice}", item.claim, f'"{item.wording.strip()}"')


def _hidden_issue(item: _ResolvedQuote, quote: Quote, document: Document) -> Issue:
    where = f" on page {quote.page}" if document.paged else ""
    what = f"quote {item.position} of claim {item.claim} is text that a reader cannot see{where} ({quote.hidden})"
    return Issue(
        "quotes", f"{what}; quote visible text", item.claim, f'"{shorten_line(item.wording, MAX_SHOWN_CHARS)}"'
    )


def _not_found_issue(item: _ResolvedQuote, document: Document, index: QuoteIndex) -> Issue:
    shown = shorten_line(item.wording, MAX_SHOWN_CHARS)
    there = item.wording.strip() in document.text
    fault = "begins or ends inside a word or number" if there else "is not in the document"
    head = f"quote {item.position} of claim {item.claim} {fault}"
    for near in index.closest(item.wording):
        words = ", ".join(near.differing[:8])
        differs = f" (differs in: {words})" if words else ""
        text = shorten_line(document.text[near.span.start : near.span.end], MAX_CLOSEST_CHARS)
        message = f"{head}; the closest true text is on page {document.page_at(near.span.start).number}"
        return Issue("quotes", message, item.claim, f'"{shown}" - the closest true text is "{text}"{differs}')
    advice = "nothing like it is there, so copy the words from printed output, or drop the claim"
    return Issue("quotes", f"{head}; {advice}", item.claim, f'"{shown}"')


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """The check that an attempt's quotes are in `document` at their places, and that every claim has one.

    A claim that something is not in the document has searches instead.
    """

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
            if not claim.quotes and not claim.searches and claim.id not in refused:
                found.append(Issue("quotes", f"claim {claim.id} has no quote", claim.id))
        return Evidence("quotes", tuple(found))
