"""Whether a reader of the documents' pages can see what a memo quotes: hidden words are no source."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ralph_cli.core.document import Span
from ralph_cli.core.results.memo import Finding, MemoCheck
from ralph_cli.core.run import Quote

HiddenReasonLookup = Callable[[Sequence[Span]], Mapping[Span, str]]
"""Why a reader of one document cannot see each of these spans, "" if nothing speaks against it."""

MAX_OTHER_PLACES = 10
"""Other places of hidden words that are looked at."""


def check_visibility(
    check: MemoCheck, lookups: Sequence[HiddenReasonLookup], *, hidden_allowed: bool = False
) -> MemoCheck:
    """The findings that hold, each with why a reader cannot see its words; then it does not hold, unless
    `hidden_allowed`.

    `lookups` has a function for each of the check's documents, which is asked for all spans of it at once.
    """
    hidden: dict[tuple[int, Span], str] = {}
    for number, look in enumerate(lookups):
        own = [one for one in (*check.findings, *check.terms) if one.holds and one.quote and one.document == number]
        first = dict(look([_span(one.quote) for one in own if one.quote]))
        others = [
            span
            for one in own
            if one.quote and first[_span(one.quote)]
            for span in _other_spans(one.quote)
            if span not in first
        ]
        hidden |= {(number, span): why for span, why in {**first, **(look(others) if others else {})}.items()}
    return replace(
        check,
        findings=tuple(_apply_visibility(one, hidden, hidden_allowed=hidden_allowed) for one in check.findings),
        terms=tuple(_apply_visibility(one, hidden, hidden_allowed=hidden_allowed) for one in check.terms),
    )


def _apply_visibility(finding: Finding, hidden: Mapping[tuple[int, Span], str], *, hidden_allowed: bool) -> Finding:
    quote, number = finding.quote, finding.document
    if quote is None or number is None or not (why := hidden.get((number, _span(quote)), "")):
        return finding
    elsewhere = any(not hidden.get((number, span), "unknown") for span in _other_spans(quote))
    notes = (
        *finding.notes,
        f"hidden from readers there: {why}" + ("; it is visible elsewhere" if elsewhere else ""),
    )
    outcome = finding.outcome if hidden_allowed or elsewhere else "hidden"
    return replace(finding, outcome=outcome, quote=replace(quote, hidden=why), notes=notes)


def _span(quote: Quote) -> Span:
    return Span(quote.start, quote.end)


def _other_spans(quote: Quote) -> list[Span]:
    return [Span(*place) for place in quote.places if place != (quote.start, quote.end)][:MAX_OTHER_PLACES]
