"""Every quote is the document's own words: looked up by code, stored with span and page, checked again at the end."""

from dataclasses import dataclass

from ralph_cli.core.document import Document, Span
from ralph_cli.core.run import Attempt, Claim, Draft, Evidence, Issue, Quote, Search
from ralph_cli.documents.fold import fold
from ralph_cli.documents.locate import Match, QuoteIndex

SHOWN = 200


def pin(draft: Draft, document: Document, index: QuoteIndex) -> Attempt:
    """Look up every quote of `draft`. Claims keep the quotes that were found; the others are named in `refused`.

    Words that stand in several places are pinned to the one on a page that the claim's other quotes are on, if there is
    one: a table row is repeated elsewhere, its header is not.
    """
    matches = [[index.find(wording) for wording in said.quotes] for said in draft.claims]
    by_span: dict[tuple[int, int], Quote] = {}
    claims: list[Claim] = []
    refused: list[Issue] = []
    for number, (said, found) in enumerate(zip(draft.claims, matches, strict=True), 1):
        pages = {document.page_at(match.span.start).number for match in found if match and match.count == 1}
        ids: list[int] = []
        for place, (wording, match) in enumerate(zip(said.quotes, found, strict=True), 1):
            if match is None:
                refused.append(Issue("quotes", _not_found(number, place, wording, document, index), number))
                continue
            span = _nearest(match, pages, document)
            quote = by_span.setdefault((span.start, span.end), _quote(len(by_span) + 1, span, match, wording, document))
            if quote.id not in ids:
                ids.append(quote.id)
        claims.append(Claim(number, " ".join(said.text.split()), tuple(ids)))
    searches = count_terms(draft.absence.searched, document) if draft.absence else ()
    return Attempt(tuple(claims), tuple(by_span.values()), draft.absence, searches, tuple(refused))


def _nearest(match: Match, pages: set[int], document: Document) -> Span:
    """The first place of a quote on one of `pages` at the same tier, else its first place."""
    wording = document.text[match.span.start : match.span.end]
    for span in match.occurrences:
        same = match.tier == "folded" or document.text[span.start : span.end] == wording
        if same and document.page_at(span.start).number in pages:
            return span
    return match.span


def _quote(number: int, span: Span, match: Match, wording: str, document: Document) -> Quote:
    page = document.page_at(span.start)
    text = document.text[span.start : span.end]
    return Quote(number, text, span.start, span.end, page.number, page.label, match.tier, match.count, wording)


def _not_found(number: int, place: int, wording: str, document: Document, index: QuoteIndex) -> str:
    shown = " ".join(wording.split())
    shown = shown if len(shown) <= SHOWN else shown[:SHOWN] + "..."
    there = wording.strip() in document.text
    fault = "begins or ends inside a word or number" if there else "is not in the document"
    line = f'quote {place} of claim {number} {fault}: "{shown}".'
    for near in index.closest(wording):
        words = ", ".join(near.differing[:8])
        differs = f" (differs in: {words})" if words else ""
        page = document.page_at(near.span.start).number
        return f'{line} Closest true text, page {page}: "{clip(document, near.span)}"{differs}.'
    return f"{line} Nothing like it is there: copy the words from printed output, or drop the claim."


def clip(document: Document, span: Span) -> str:
    """The text of `span` on one line, cut at 300 characters."""
    text = " ".join(document.text[span.start : span.end].split())
    return text if len(text) <= 300 else text[:300] + "..."


def count_terms(terms: tuple[str, ...], document: Document) -> tuple[Search, ...]:
    """How often each term stands in the document, case ignored, whitespace and typography folded."""
    folded = fold(document.text).text.casefold()
    unique = dict.fromkeys(" ".join(term.split()) for term in terms)
    return tuple(Search(term, folded.count(fold(term).text.strip().casefold())) for term in unique if term)


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
