"""Whether a reader of the documents' pages can see what a memo quotes: hidden words are no source."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ralph_cli.core.document import Span
from ralph_cli.core.results.memo import Finding, MemoCheck
from ralph_cli.core.run import Quote

Unseen = Callable[[Sequence[Span]], Mapping[Span, str]]
"""Why a reader of one document cannot see each of these spans, "" if nothing speaks against it."""

ELSEWHERE = 10
"""Other places of hidden words that are looked at."""


def looked_at(check: MemoCheck, unseen: Sequence[Unseen], *, allowed: bool = False) -> MemoCheck:
    """The findings that hold, each with why a reader cannot see its words; then it does not hold, unless `allowed`.

    `unseen` has a function for each of the check's documents, which is asked for all spans of it at once.
    """
    hidden: dict[tuple[int, Span], str] = {}
    for number, look in enumerate(unseen):
        own = [one for one in (*check.findings, *check.terms) if one.holds and one.quote and one.document == number]
        first = dict(look([_span(one.quote) for one in own if one.quote]))
        others = [
            span
            for one in own
            if one.quote and first[_span(one.quote)]
            for span in _others(one.quote)
            if span not in first
        ]
        hidden |= {(number, span): why for span, why in {**first, **(look(others) if others else {})}.items()}
    return replace(
        check,
        findings=tuple(_told(one, hidden, allowed=allowed) for one in check.findings),
        terms=tuple(_told(one, hidden, allowed=allowed) for one in check.terms),
    )


def _told(finding: Finding, hidden: Mapping[tuple[int, Span], str], *, allowed: bool) -> Finding:
    quote, number = finding.quote, finding.document
    if quote is None or number is None or not (why := hidden.get((number, _span(quote)), "")):
        return finding
    elsewhere = any(not hidden.get((number, span), "unknown") for span in _others(quote))
    notes = (
        *finding.notes,
        f"a reader cannot see it there: {why}" + ("; it can be seen elsewhere" if elsewhere else ""),
    )
    outcome = finding.outcome if allowed or elsewhere else "hidden"
    return replace(finding, outcome=outcome, quote=replace(quote, hidden=why), notes=notes)


def _span(quote: Quote) -> Span:
    return Span(quote.start, quote.end)


def _others(quote: Quote) -> list[Span]:
    return [Span(*place) for place in quote.places if place != (quote.start, quote.end)][:ELSEWHERE]
