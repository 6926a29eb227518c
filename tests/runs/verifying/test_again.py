"""What is recorded of a quote, an absence or a verdict is checked to the letter: each rule has a record to break it."""

from dataclasses import replace
from typing import Any

import pytest
from fakes import document

from ralph_cli.checks.form import AnswerForm
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.results.verification import Standing
from ralph_cli.core.run import (
    Absence,
    Attempt,
    Draft,
    DraftClaim,
    Evidence,
    Halt,
    Issue,
    Ruling,
    Search,
    Step,
    StopType,
    Verdict,
)
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.runs.verifying.context import DocumentContext
from ralph_cli.runs.verifying.reverify import (
    recheck_claims,
    recheck_form,
    recheck_quote,
    recheck_searches,
    recheck_verdicts,
)

DOC = document(
    "The rent is $48,000 a year.\nThe rent is due monthly.\n"
    "\fIt ends in ten years\u2019 time. The rent is due monthly.\n"
)
INDEX = QuoteIndex(DOC)
ATTEMPT = resolve_quotes(
    Draft((DraftClaim("The rent is due.", ("The rent is due monthly.", "ten years' time")),)), DOC, INDEX
)
RENT, TERM = ATTEMPT.quotes


def test_what_was_recorded_holds_again() -> None:
    for quote in ATTEMPT.quotes:
        found = recheck_quote(quote, DocumentContext(DOC), INDEX)
        assert (found.standing, found.text, found.notes) == (Standing.HOLDS, quote.text, ())


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"text": "The rent is due yearly.."}, "other words at its place"),
        ({"start": RENT.start + 1, "end": RENT.end + 1}, "other words at its place"),
        ({"end": 10**6}, "behind the end"),
        ({"page": 7}, "is on page 2, recorded is 7"),
        ({"label": "iv"}, 'printed "2", recorded is "iv"'),
        ({"last_page": 3}, "ends on page 2, recorded is 3"),
        ({"match": "recut"}, "match is exact, recorded is recut"),
        ({"said": "The rent is due daily."}, "not found"),
        ({"said": "The rent is $48,000 a year."}, "are elsewhere"),
        ({"occurrences": 1}, "is in 2 places, recorded is 1"),
        ({"places": ((0, 5),)}, "other places"),
        ({"difference": ("-1 -> 1",)}, "difference"),
    ],
)
def test_every_recorded_fact_of_a_quote_is_checked(change: dict[str, Any], told: str) -> None:
    found = recheck_quote(replace(RENT, **change), DocumentContext(DOC), INDEX)
    assert found.standing is Standing.WRONG and not found.there
    assert any(told in note for note in found.notes), found.notes


def test_a_tier_that_was_made_better_than_it_is_is_noticed() -> None:
    assert TERM.match == "folded"
    found = recheck_quote(replace(TERM, match="exact"), DocumentContext(DOC), INDEX)
    assert found.notes == ("its match is folded, recorded is exact",)


def test_the_searches_of_an_absence_are_counted_again() -> None:
    absent = Attempt(absence=Absence(("parking", "rent")), searches=(Search("parking", 0), Search("rent", 3)))
    found = recheck_searches(absent, DOC)
    assert found is not None and found.holds and recheck_searches(ATTEMPT, DOC) is None
    for wrong in (
        (Search("parking", 0), Search("rent", 0)),
        (Search("parking", 0),),
        (*absent.searches, Search("x", 0)),
    ):
        again = recheck_searches(replace(absent, searches=wrong), DOC)
        assert again is not None and again.faults and not again.holds


def test_form_and_pins_are_checked_again() -> None:
    assert recheck_form(ATTEMPT, AnswerForm()).holds and recheck_claims(ATTEMPT, DOC).holds
    bare = replace(ATTEMPT, claims=(replace(ATTEMPT.claims[0], text="Yes", quotes=()),))
    assert len(recheck_form(bare, AnswerForm()).faults) == 2
    assert [fault.claim for fault in recheck_claims(bare, DOC).faults] == [1]
    refused = replace(ATTEMPT, refused=(Issue("quotes", "quote 3 of claim 1 is not in the document", 1),))
    assert recheck_claims(refused, DOC).faults == refused.refused


DONE = Halt(StopType.COMPLETION, "every check passed")


def step(*rulings: Ruling, issues: tuple[Issue, ...] = (), attempt: Attempt = ATTEMPT) -> Step:
    return Step(attempt, (Evidence("form"), Evidence("judge", issues, rulings)))


def test_an_end_that_its_evidence_does_not_bear_out_is_named() -> None:
    good, bad = (Ruling(1, verdict, "r", "gpt") for verdict in (Verdict.SUPPORTED, Verdict.NOT))
    issue = (Issue("judge", "claim 1 is not supported", 1),)
    assert recheck_verdicts(step(good), DONE).holds
    assert recheck_verdicts(step(bad, issues=issue), Halt(StopType.MAX_ITERATIONS, "")).holds
    for made_up, told in (
        (step(good, issues=issue), "not every check"),
        (step(bad, issues=issue), "not every check"),
        (step(bad), "as passed"),
        (step(), "without any verdict"),
        (Step(ATTEMPT, ()), "not every check"),
    ):
        assert any(told in fault.message for fault in recheck_verdicts(made_up, DONE).faults), told


def test_verbatim_is_compared_again() -> None:
    verbatim = Ruling(1, Verdict.VERBATIM, "r", "offline")
    own = replace(ATTEMPT, claims=(replace(ATTEMPT.claims[0], text="The rent is due monthly."),))
    assert recheck_verdicts(step(verbatim, attempt=own), DONE).holds
    found = recheck_verdicts(step(verbatim), DONE)
    assert [fault.message for fault in found.faults] == ["claim 1 is called verbatim, and is not its quote"]
    whole = Ruling(0, Verdict.VERBATIM, "r", "offline")
    output = replace(own, output="- The rent is due monthly.")
    assert recheck_verdicts(step(whole, attempt=output), DONE, "md").holds
    assert recheck_verdicts(step(whole, attempt=replace(output, output="- It is due daily.")), DONE, "md").faults
