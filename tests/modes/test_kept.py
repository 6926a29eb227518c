"""What stands of an answer from one attempt to the next, and what no longer does."""

from fakes import document

from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.run import Draft, DraftClaim, Evidence, Qualification, Ruling, Verdict
from ralph_cli.modes.kept import AcceptedClaims
from ralph_cli.retrieval.quotes.index import QuoteIndex

LEASE = document(
    "The tenant may sublet the north hall to any person.\nRent falls due on the first day of each month.\n"
)
SUBLET = DraftClaim("It may be sublet.", ("tenant may sublet the north hall",))
RENT = DraftClaim("Rent is due monthly.", ("Rent falls due on the first day of each month",))
ATTEMPT = resolve_quotes(Draft((SUBLET, RENT)), LEASE, QuoteIndex(LEASE))


def ruling(claim: int, verdict: Verdict = Verdict.SUPPORTED) -> Ruling:
    return Ruling(claim, verdict, "for a reason", "judge")


JUDGED = Evidence("judge", rulings=(ruling(1), ruling(2)))


def test_claims_that_the_judge_lets_stand_are_kept_with_their_rulings():
    kept = AcceptedClaims().update(ATTEMPT, [JUDGED])
    assert kept.claims == (SUBLET, RENT) and [item.claim for item in kept.rulings_for(ATTEMPT)] == [1, 2]


def test_a_claim_that_is_contradicted_later_stands_no_longer():
    denied = Evidence("counter", qualifications=(Qualification(1, 3, True, "another clause forbids it", "judge"),))
    kept = AcceptedClaims().update(ATTEMPT, [JUDGED]).update(ATTEMPT, [JUDGED, denied])
    assert kept.claims == (RENT,) and [item.claim for item in kept.rulings_for(ATTEMPT)] == [2]


def test_a_claim_that_is_only_qualified_stands():
    limited = Evidence("counter", qualifications=(Qualification(1, 3, False, "only with consent", "judge"),))
    assert AcceptedClaims().update(ATTEMPT, [JUDGED, limited]).claims == (SUBLET, RENT)


def test_an_answer_keeps_the_order_in_which_it_was_handed_in_first():
    refused = Evidence("judge", rulings=(ruling(1, Verdict.NOT), ruling(2)))
    kept = AcceptedClaims().update(ATTEMPT, [refused])
    nothing = resolve_quotes(kept.merge(Draft()), LEASE, QuoteIndex(LEASE))
    later = kept.update(nothing, [Evidence("judge", rulings=(ruling(1),))])
    assert later.claims == (RENT,) and later.merge(Draft((SUBLET,))).claims == (SUBLET, RENT)


def test_nothing_changes_when_nobody_has_judged():
    kept = AcceptedClaims().update(ATTEMPT, [JUDGED])
    assert kept.update(ATTEMPT, [Evidence("quotes")]) is kept
