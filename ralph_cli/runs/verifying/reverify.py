"""Repeats the local checks of a recorded attempt on the text that it was made on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ralph_cli.checks.base import all_passed
from ralph_cli.checks.form import AnswerForm, FormCheck
from ralph_cli.checks.quotes import MAX_PLACES, QuoteCheck
from ralph_cli.core.document import Document
from ralph_cli.core.results.verification import QuoteStanding, Rechecked, Standing
from ralph_cli.core.run import Attempt, Doubt, Evidence, Halt, Issue, Quote, Search, Step, StopType, Verdict
from ralph_cli.core.structure import Span
from ralph_cli.retrieval.quotes.index import MAX_OCCURRENCES, QuoteIndex
from ralph_cli.retrieval.search.occurrences import SearchCounter, SearchTerm, Tally
from ralph_cli.runs.verifying.context import DocumentContext
from ralph_cli.runs.verifying.versions import standing_at
from ralph_cli.text.lexicon import pluralize
from ralph_cli.text.verbatim import departure, unquoted_parts


def recheck_quote(quote: Quote, current: DocumentContext, index: QuoteIndex) -> QuoteStanding:
    """Whether everything recorded of a quote is right: text, place, page and label, tier, number of places."""
    document = current.document
    if quote.end > len(document.text):
        behind = f"its place ({quote.start:,}-{quote.end:,}) is behind the end of the document"
        return QuoteStanding(quote, Standing.WRONG, notes=(behind,))
    here = standing_at(quote, Standing.HOLDS, current, Span(quote.start, quote.end))
    last = document.page_at(quote.end - 1).number
    differences = (
        (here.text != quote.text, "the document has other words at its place"),
        (here.page != quote.page, f"it is on page {here.page}, recorded is {quote.page}"),
        (here.label != quote.label, f'the page is printed "{here.label}", recorded is "{quote.label}"'),
        (quote.last_page not in (0, last), f"it ends on page {last}, recorded is {quote.last_page}"),
    )
    notes = [note for differs, note in differences if differs] + _recheck_match(quote, index)
    return replace(here, standing=Standing.WRONG, notes=tuple(notes)) if notes else replace(here, tier=quote.match)


def _recheck_match(quote: Quote, index: QuoteIndex) -> list[str]:
    """The errors in the recorded match of a quote."""
    match = index.find(quote.said)
    if match is None:
        return ["the words as they were given are not found in the document"]
    span = next((item for item in match.occurrences if (item.start, item.end) == (quote.start, quote.end)), None)
    if span is None:
        return ["the words as they were given are elsewhere"] if match.count <= MAX_OCCURRENCES else []
    places = tuple((place.start, place.end) for place in match.occurrences[:MAX_PLACES])
    departures = index.describe_departures(quote.said, span, match.tier)
    differences = (
        (match.tier != quote.match, f"its match is {match.tier}, recorded is {quote.match}"),
        (match.count != quote.occurrences, f"it is in {match.count} places, recorded is {quote.occurrences}"),
        (quote.places not in ((), places), "its other places are not those recorded"),
        (quote.difference != departures, "its difference from the words as they were given is not the one recorded"),
    )
    return [note for differs, note in differences if differs]


def recheck_searches(attempt: Attempt, document: Document) -> Rechecked | None:
    """Counts the searches for an absence again; None if there are none."""
    recorded = [(attempt.absence.searched, attempt.searches)] if attempt.absence else []
    recorded += [(tuple(it.term for it in claim.searches), claim.searches) for claim in attempt.claims]
    recorded = [(terms, searches) for terms, searches in recorded if terms or searches]
    if not recorded:
        return None
    counter, counted, faults = document.derive(SearchCounter), dict[str, int | None](), list[Issue]()
    for terms, searches in recorded:
        now = _count_again(terms, searches, counter)
        faults += _compare_counts(searches, now)
        counted |= {term: tally.search.hits for term, tally in now.items()}
    found = sum(bool(hits) for hits in counted.values())
    told = f"{pluralize(len(counted), 'searched term')} counted again in the whole text, {found} of them found there"
    return Rechecked("absence", told, tuple(faults))


def _count_again(terms: Sequence[str], searches: Sequence[Search], counter: SearchCounter) -> dict[str, Tally]:
    """The new counts by search, without expressions that took too long to count, then or now."""
    code = [SearchTerm(search.term, search.pattern, search.within) for search in searches if search.by == "code"]
    uncounted = {search.label for search in searches if search.fault}
    tallies = [tally for tally in counter.count(terms, code) if not tally.search.fault]
    return {tally.search.label: tally for tally in tallies if tally.search.label not in uncounted}


def _compare_counts(searches: Sequence[Search], now: Mapping[str, Tally]) -> Iterator[Issue]:
    then = {search.label: search.hits for search in searches if not search.fault}
    for term in dict.fromkeys((*then, *now)):
        tally, before = now.get(term), then.get(term)
        hits = tally.search.hits if tally else None
        # Earlier versions also counted hits inside words.
        if before != hits and (tally is None or before != tally.anywhere):
            was, is_ = ("not at all" if n is None else pluralize(n, "time") for n in (before, hits))
            yield Issue("absence", f"it was counted {was}, it is there {is_}", material=term)


def recheck_form(attempt: Attempt, form: AnswerForm) -> Rechecked:
    """Checks the form of claims and quotes."""
    counts = f"{pluralize(len(attempt.claims), 'claim')} and {pluralize(len(attempt.quotes), 'quote')}"
    told = f"{counts}: number, length, wording"
    if attempt.absence is not None:
        told = "an absence names what was searched, and claims nothing"
    return Rechecked("form", told, FormCheck(form)(attempt).issues)


def recheck_claims(attempt: Attempt, document: Document) -> Rechecked:
    """Checks that every claim has a quote, and that no quote of the attempt was refused."""
    found = [issue for issue in QuoteCheck(document)(attempt).issues if issue.claim is not None]
    told = f"{pluralize(len(attempt.claims), 'claim')}: each has a quote, and no quote of the attempt was refused"
    return Rechecked("claims", told, tuple(found))


def compare_doubts(found: Evidence, step: Step) -> tuple[Issue, ...]:
    """The objections of code that the record hides. Recorded and open doubts are shown anyway."""
    recorded = {(doubt.claim, doubt.words) for doubt in step.doubts if doubt.kind == "objection"}
    message = "code objects to this, and the record does not say so"
    return tuple(
        Issue(found.check, message, doubt.claim or None, f'"{doubt.words}": {doubt.message}')
        for doubt in found.doubts
        if doubt.kind == "objection" and (doubt.claim, doubt.words) not in recorded
    )


def merge_doubts(step: Step, found: Iterable[Doubt]) -> tuple[Doubt, ...]:
    """The recorded doubts, and new ones."""
    recorded = {(doubt.claim, doubt.words, doubt.kind) for doubt in step.doubts}
    more = (doubt for doubt in found if (doubt.claim, doubt.words, doubt.kind) not in recorded)
    return (*step.doubts, *more)


def recheck_verdicts(step: Step, halt: Halt, kind: str = "") -> Rechecked:
    """Checks that the run's end fits its evidence, and that verbatim text is verbatim; `kind` is the format of an
    output.
    """
    faults: list[Issue] = []
    accepted = halt.type in (StopType.COMPLETION, StopType.ABSENT)
    if accepted and not all_passed(step.evidence):
        faults.append(Issue("record", "the run is recorded as accepted, but not every check of it passed"))
    refused = {issue.claim for item in step.evidence for issue in item.issues}
    for ruling in step.rulings:
        verdict, claim = ruling.verdict.value, ruling.claim or None
        if ruling.verdict.passes and claim and claim in refused:
            faults.append(Issue("record", f"claim {claim} is recorded as {verdict} and as refused", claim))
        if not ruling.verdict.passes and all_passed(step.evidence):
            faults.append(Issue("record", f"a verdict is recorded as {verdict} and as passed", claim))
    judged = {ruling.claim for ruling in step.rulings}
    unjudged = [claim.id for claim in step.attempt.claims if claim.id not in judged and 0 not in judged]
    if halt.type is StopType.COMPLETION and unjudged and step.attempt.claims:
        faults.append(Issue("record", f"claim {unjudged[0]} is recorded as accepted without any verdict", unjudged[0]))
    faults += _recheck_verbatim(step, kind)
    return Rechecked("record", "the run's end, its evidence and its verdicts fit together", tuple(faults))


def _recheck_verbatim(step: Step, kind: str) -> list[Issue]:
    """Checks the verdicts of the deterministic judge, which need no model."""
    attempt = step.attempt
    claims = {claim.id: claim for claim in attempt.claims}
    faults = []
    for ruling in step.rulings:
        if ruling.verdict is not Verdict.VERBATIM:
            continue
        if claim := claims.get(ruling.claim):
            if departure(claim.text, [quote.text for quote in attempt.quotes_of(claim)]):
                faults.append(Issue("record", f"claim {claim.id} is called verbatim, and is not its quote", claim.id))
        elif attempt.quotes:
            parts = unquoted_parts(attempt.output, kind, [quote.text for quote in attempt.quotes])
            faults += [Issue("record", f"the output is called verbatim, but {part}") for part in parts]
    return faults
