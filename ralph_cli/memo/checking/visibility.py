"""Whether a reader of the documents' pages can see what a memo quotes: hidden words are no source."""

from collections.abc import Sequence
from dataclasses import replace

from ralph_cli.checks.quotes import HiddenReasonLookup
from ralph_cli.core.results.memo import Finding, MemoCheck
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Span

MAX_OTHER_PLACES = 10
"""Other places of hidden words that are looked at."""


def check_visibility(
    check: MemoCheck, lookups: Sequence[HiddenReasonLookup], *, hidden_allowed: bool = False
) -> MemoCheck:
    """The findings that hold, each with why a reader cannot see its words; then it does not hold, unless
    `hidden_allowed`.

    `lookups` has a function for each of the check's documents, which is asked for all spans of it at once.
    """
    hidden: dict[tuple[int | None, Span], str] = {}
    for number, look_up in enumerate(lookups):
        findings = [finding for finding in (*check.findings, *check.terms) if finding.document == number]
        quotes = [finding.quote for finding in findings if finding.holds and finding.quote]
        reasons = dict(look_up([_span(quote) for quote in quotes]))
        others = [span for quote in quotes if reasons[_span(quote)] for span in _other_spans(quote)]
        unknown = [span for span in others if span not in reasons]
        reasons |= look_up(unknown) if unknown else {}
        hidden |= {(number, span): why for span, why in reasons.items()}

    def apply(finding: Finding) -> Finding:
        quote, number = finding.quote, finding.document
        why = hidden.get((number, _span(quote)), "") if quote else ""
        if quote is None or not why:
            return finding
        elsewhere = any(not hidden.get((number, span), "unknown") for span in _other_spans(quote))
        note = f"hidden from readers there: {why}" + ("; it is visible elsewhere" if elsewhere else "")
        outcome = finding.outcome if hidden_allowed or elsewhere else "hidden"
        return replace(finding, outcome=outcome, quote=replace(quote, hidden=why), notes=(*finding.notes, note))

    return replace(check, findings=tuple(map(apply, check.findings)), terms=tuple(map(apply, check.terms)))


def _span(quote: Quote) -> Span:
    return Span(quote.start, quote.end)


def _other_spans(quote: Quote) -> list[Span]:
    return [Span(*place) for place in quote.places if place != (quote.start, quote.end)][:MAX_OTHER_PLACES]
