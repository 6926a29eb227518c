"""What speaks against a claim: found by a local search, read by the judge, kept beside the claim or sent back."""

import json
from itertools import count

import pytest
from fakes import document
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.judge.claims import Judge
from ralph_cli.checks.judge.counter_evidence import NAME, NOT_RUN, PARTLY_RUN, CounterEvidence, Findings, order_findings
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.prompts.json_reply import parse_object
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.core.structure import Span
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.search.cues import QualifierIndex

FILLER = "Nothing of interest is said in this line of the agreement at all.\n" * 12
LEASE = document(
    f"The tenant may sublet the north hall to any person.\n{FILLER}\f{FILLER}"
    "Notwithstanding clause 2, the tenant may not sublet the north hall to a competitor of the landlord.\n"
    f"{FILLER}However, the weather is often bad.\n{FILLER}",
    kind="pdf",
)
SUBLET = DraftClaim("The tenant may sublet the north hall to anybody.", ("tenant may sublet the north hall to any",))


def span_of(about: Document, words: str) -> Span:
    return Span(about.text.index(words), about.text.index(words) + len(words))


def findings(*said: tuple[int, str]):
    return text_reply(json.dumps({"findings": [{"passage": n, "verdict": v, "reason": f"{v} it"} for n, v in said]}))


def countered(*script, claims=(SUBLET,), about: Document = LEASE, times=1):
    model = ScriptedModel(list(script), name="judge")
    numbers = count()
    check = CounterEvidence(model, about, "May it be sublet?", lambda: f"n{next(numbers)}")
    attempt = resolve_quotes(Draft(claims), about, QuoteIndex(about))
    assert not attempt.refused
    found = [check(attempt) for _ in range(times)]
    return found[-1], model


def test_a_passage_that_limits_a_claim_is_kept_beside_it_and_fails_nothing():
    evidence, model = countered(findings((1, "qualifies")))
    assert evidence.passed and evidence.check == NAME and len(model.requests) == 1
    (said,), (quote,) = evidence.qualifications, evidence.quotes
    assert (said.claim, said.quote, said.contradicts, said.judge) == (1, 2, False, "judge") and quote.id == 2
    assert (
        quote.text == LEASE.text[quote.start : quote.end]
        and quote.text.startswith("Notwithstanding")
        and quote.page == 2
    )
    told = model.requests[0].turns[-1].text
    assert "[[Notwithstanding clause 2" in told and "weather" not in told.split("[[")[1].split("]]")[0]
    assert told.rstrip().endswith("May it be sublet?")


def test_a_passage_that_contradicts_a_claim_sends_it_back():
    evidence, _ = countered(findings((1, "contradicts")))
    (issue,) = evidence.issues
    assert not evidence.passed and issue.claim == 1 and "(page 2: " in issue.line
    assert "Notwithstanding" in issue.material and "Notwithstanding" not in issue.message


def test_a_name_that_is_written_as_an_ending_is_looked_for_like_any_other():
    text = f"ING pays the rent of the north hall.\n{FILLER}However, ING may not pay the rent of the north hall in June."
    about = document(text)
    (found,) = QualifierIndex(about).candidates("ING pays the rent of the north hall.", [Span(0, 36)], [Span(0, 36)], 3)
    assert text[found.span.start : found.span.end].startswith("However") and "ing" in found.reason


def test_a_passage_about_something_else_is_nothing():
    evidence, _ = countered(findings((1, "none")))
    assert evidence.passed and evidence.qualifications == () and evidence.quotes == ()
    assert "1 passage " in evidence.note


def test_where_nothing_limits_a_claim_nobody_is_asked():
    claim = DraftClaim("The tenant may sublet the north hall.", SUBLET.quotes)
    short = document("The tenant may sublet the north hall to any person. However, rent is due.\n")
    evidence, model = countered(claims=(claim,), about=short)
    assert evidence.passed and model.requests == [] and "no passage found" in evidence.note


def test_what_was_read_once_is_not_read_again():
    evidence, model = countered(findings((1, "contradicts")), times=2)
    assert len(model.requests) == 1 and not evidence.passed


@pytest.mark.parametrize("fault", [ProviderError("down", code="down"), *[text_reply("perhaps")] * 1])
def test_a_search_that_cannot_be_read_fails_nothing_and_says_so(fault):
    evidence, _ = countered(fault, *[text_reply("perhaps")] * 5)
    assert evidence.passed and evidence.check == NOT_RUN and "were not checked" in evidence.note


def test_the_budget_ends_the_search_and_not_the_answer():
    class Spent(ScriptedModel):
        def complete(self, request):
            raise LimitExceeded("calls", cap=1, spent=1)

    check = CounterEvidence(Spent([]), LEASE, "?", lambda: "n")
    assert check(resolve_quotes(Draft((SUBLET,)), LEASE, QuoteIndex(LEASE))).check == NOT_RUN


def test_what_an_earlier_attempt_found_out_holds_when_the_next_search_cannot_be_made():
    model = ScriptedModel([findings((1, "contradicts")), ProviderError("down", code="down")], name="judge")
    check = CounterEvidence(model, LEASE, "May it be sublet?", lambda: "n")
    index = QuoteIndex(LEASE)
    check(resolve_quotes(Draft((SUBLET,)), LEASE, index))
    other = DraftClaim("The weather is fine.", SUBLET.quotes)
    evidence = check(resolve_quotes(Draft((SUBLET, other)), LEASE, index))
    (issue,) = evidence.issues
    assert issue.claim == 1 and evidence.check == PARTLY_RUN and "1 more were not checked" in evidence.note


def test_a_passage_that_is_quoted_repeated_or_signs_the_document_is_not_read():
    bar = "Notwithstanding clause 2, the tenant may not sublet the north hall to a competitor of the landlord."
    signed = "IN WITNESS WHEREOF, except for the north hall, the tenant and the landlord may sublet."
    text = f"The tenant may sublet the north hall to any person.\n{FILLER}\f{bar}\n{FILLER}"
    twice = document(f"{text}{bar}\n{FILLER}", kind="pdf")
    evidence, model = countered(findings((1, "qualifies")), about=twice)
    assert len(evidence.qualifications) == 1 and model.requests[0].turns[-1].text.count("[[") == 1
    for quoted in (bar, bar[:61]):
        _, model = countered(claims=(SUBLET, DraftClaim("A competitor is left out.", (quoted,))), about=document(text))
        assert model.requests == []
    # Nor is what the judge is shown beside another claim's quote.
    beside = (SUBLET, DraftClaim("The hall is let.", ("The north hall is let to the tenant",)))
    shown = document(text.replace(bar, f"The north hall is let to the tenant. {bar}"))
    assert countered(claims=beside, about=shown)[1].requests == []
    again = (SUBLET, DraftClaim("Anybody may take the north hall, a competitor of the landlord, too.", SUBLET.quotes))
    assert countered(findings((1, "none")), claims=again)[1].requests[0].turns[-1].text.count("[[") == 1
    under = document(f"The tenant may sublet the north hall to any person.\n{FILLER}\f{signed}\n{FILLER}", kind="pdf")
    assert countered(about=under)[1].requests == []
    dated = DraftClaim("The tenant may sublet the north hall, as is signed.", SUBLET.quotes)
    assert len(countered(findings((1, "none")), claims=(dated,), about=under)[1].requests) == 1


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "none",
        findings((1, "none")).turn.text,
        findings((1, "none"), (1, "none")).turn.text,
        findings((1, "none"), (3, "none")).turn.text,
        findings((1, "none"), (2, "maybe")).turn.text,
        findings((1, "none"), (2, "none")).turn.text * 2,
    ],
)
def test_findings_out_of_shape_are_refused(reply):
    with pytest.raises(ValueError, match=r"."):
        order_findings(parse_object(reply, Findings).findings, 2)


def test_another_value_under_the_same_label_is_proposed():
    table = "Statement\n(in millions)  2018  2017\nNet sales of the group  32,765  31,657\n"
    restated = "As restated\n(in millions)  2018  2017\nNet sales of the group  32,700  31,600\n"
    about = document(f"{table}{FILLER}\f{FILLER}{restated}{FILLER}", kind="pdf")
    (found,) = QualifierIndex(about).candidates(
        "Net sales were 32,765.", [span_of(about, "Net sales of the group  32,765  31,657")], [Span(0, 200)], 3
    )
    assert "32,700" in about.text[found.span.start : found.span.end] and "another figure" in found.reason
    own = [span_of(about, "Net sales of the group  32,765  31,657")]
    for further in (
        restated.replace("32,700", "4,100"),
        "",
    ):  # one of many tables, each with its own; the same in billions
        text = about.text + further if further else about.text.replace("32,700  31,600", "32.8  31.7")
        assert QualifierIndex(document(text)).candidates("Net sales were 32,765.", own, [Span(0, 200)], 3) == []
    again = about.text.replace("32,700  31,600", "32,765  31,657")  # the same, of which the claim is a rounding
    assert QualifierIndex(document(again)).candidates("Net sales were 32.8 billion, up from 31,657.", own, [], 3) == []


GENERAL = "\n\n".join(f"{n}. General. The parties keep the records of this in good order.\n" for n in range(20, 80))
HALL = (
    "1. Term. The lease of the hall runs from 1 April 2021 to 31 March 2031.\n\n2. Rent. The rent of 4,800 is due on "
    "the first day of each month.\n\n3. Ending. The tenant may end this lease by giving six months' notice.\n\n"
    + GENERAL
)
RENT = "The rent of 4,800 is due on the first day of each month."
ENDING = "The tenant may end this lease by giving six"


@pytest.mark.parametrize(
    ("quote", "clause"),
    [
        (RENT, "Notwithstanding section 2, nothing is due for the first quarter of 2022."),
        (RENT, "Section 2 of the lease is deleted and replaced with: The rent of 5,200 is due on the fifth day."),
        (RENT, "With effect from 1 January 2024 the monthly rent is increased to 5,200."),
        (RENT, "The tenant owes no rent while the hall is closed, except for heating."),
        (RENT, "The landlord waives the first three months of rent."),
        (RENT, "Section 2 applies only from the day on which the keys are handed over."),
        (RENT, "Rent shall abate in proportion while the hall is being rebuilt."),
        (RENT, "Payment of rent is suspended until the hall may be used."),
        (ENDING, "The tenant may not end this lease before 1 April 2026."),
        (ENDING, "This lease ends on 30 June 2028 if the building is sold."),
        (ENDING, "Clause 3 does not bind the landlord's heirs."),
    ],
)
def test_what_limits_a_clause_is_proposed_in_whatever_words(quote: str, clause: str) -> None:
    about = document(f"{HALL}\n\n130. {clause}\n")
    at = about.text.index(quote)
    own = Span(about.text.rindex("\n\n", 0, at), at + len(quote))
    found = QualifierIndex(about).candidates(quote, [span_of(about, quote)], [own], 3)
    assert any(about.text[item.span.start : item.span.end] in clause for item in found)


@pytest.mark.parametrize(
    "clause",
    [
        "For further information on it, see Section 2 of this lease.",
        "Keys, doors, windows, roof, floors, pipes, wires, lamps, tanks, gates of Section 2 are kept dry by him.",
        "Nothing is said of the months, except that they are many.",
        "Refer to what is said before, unless amended, on the rent of the hall due on the first day of each month.",
        "For more, see the part that limits the rent due on the first day of each month.",
        "Rent due on the first day of each month is waived \u2610 until the hall may be used.",
    ],
)
def test_what_points_to_a_clause_or_shares_no_word_of_its_subject_is_not_proposed(clause: str) -> None:
    about = document(f"{HALL}\n\n130. {clause}\n")
    own = span_of(about, RENT)
    found = QualifierIndex(about).candidates(RENT.replace("month", "week"), [own], [own], 3)
    assert not any(about.text[item.span.start : item.span.end] in clause for item in found)


SUPPLY = "SUPPLY CONTRACT\nbetween Orel and Tamm\n\n" + "\n\n".join(
    f"{n}. {'Payment' if n == 3 else 'General'}\n\n"
    + (
        "3.1 Orel pays within thirty days.\n\n(a) Late sums bear four per cent."
        if n == 3
        else f"{n}.1 The parties keep the records of this in good order, unless clause {n}.1 says otherwise."
    )
    for n in range(1, 70)
)
CLUB = "House rules\n\n3. Payment\n\n3.1 Members pay at the bar, and clause 3.1 holds for guests, too."


@pytest.mark.parametrize(
    ("quote", "later"),
    [
        ("Orel pays within thirty days", "Clause 3.1 now says sixty."),
        ("Orel pays within thirty days", "Sections 3 to 5 of the contract end in May."),
        ("Late sums bear four per cent", "In clause 3.1(a) the rate is five."),
    ],
)
def test_what_another_document_says_of_a_quotes_clause_is_proposed(quote: str, later: str) -> None:
    amendment = f"Amendment\nto the supply contract of Orel and Tamm\n\n1. {later}\n\n2. The rest stays as it is."
    named = zip(("rules.txt", "contract.txt", "amendment.txt"), (CLUB, SUPPLY, amendment), strict=True)
    about = join_documents("deal", [NamedDocument(name, document(text), name) for name, text in named])
    own = span_of(about, quote)
    found = QualifierIndex(about).candidates("That is still so.", [own], [own], 1)
    assert [about.text[item.span.start : item.span.end] for item in found] == [later]


@pytest.mark.parametrize(
    ("other", "is_proposed"),
    [
        ("3.1 The annual rent is EUR 52,000, payable in advance.", True),
        ("Annual rent: EUR 52,000", True),
        ("Annual rent  52,000  54,000", True),
        ("The annual rent is EUR 48 thousand in 2026.", False),  # the same, rounded
        ("The rent of parking space 12 is due in advance.", False),
        ("Rent B2", False),
    ],
)
def test_another_figure_for_the_same_in_another_document_is_proposed(other: str, is_proposed: bool) -> None:
    said = "From April 2025 the annual rent of the hall, as was agreed with the tenant, is EUR 48,000."
    named = zip(("a.txt", "b.txt"), (said, f"Letter\n\n{GENERAL}\n\n{other}"), strict=True)
    about = join_documents("deal", [NamedDocument(name, document(text), name) for name, text in named])
    own = span_of(about, said)
    found = QualifierIndex(about).candidates("From April 2025 the annual rent is EUR 48,000.", [own], [own], 3)
    assert any(item.reason == "another figure in another document" for item in found) == is_proposed


@pytest.mark.parametrize(
    "wording", ["The {} fee of it is EUR {} for all.", "The {} fee is EUR {} a month, unless agreed."]
)
@pytest.mark.parametrize("is_set", [True, False])
def test_the_same_sentence_about_another_subject_is_not_proposed(wording: str, is_set: bool) -> None:
    names = ("storage", "loading", "cleaning", "parking", "mooring")
    own, other = ("\n\n".join(wording.format(name, n + add) for n, name in enumerate(names)) for add in (100, 700))
    named = (NamedDocument(name, document(text), name) for name, text in (("a.txt", own), ("b.txt", other)))
    about = join_documents("deal", list(named)) if is_set else document(own)
    quoted = [span_of(about, wording.format("storage", 100))]
    found = QualifierIndex(about).candidates("The storage fee is EUR 100.", quoted, quoted, 3)
    assert [about.text[it.span.start : it.span.end] for it in found] == [wording.format("storage", 700)] * is_set


def test_what_shares_only_a_tables_header_or_words_of_measure_is_not_proposed() -> None:
    header = "(amounts of the parent in millions, except warehouse and member data)"
    text = f"{GENERAL}\n\n{header}\nSales of coal  192,052  163,220\n\n"
    notes = "\n\n".join(f"{header} Note {n} speaks of the sixth month, except for leases held by us." for n in range(4))
    about = document(text + notes)
    own = [span_of(about, words) for words in (header, "Sales of coal  192,052  163,220")]
    assert QualifierIndex(about).candidates("In the sixth month sales of coal were 192,052.", own, own, 3) == []


def test_a_quoted_header_is_no_subject_however_often_it_stands() -> None:
    header = "(amounts in millions, except member fee and warehouse count data)"
    note = "Amounts in the list, count data and the fee that a member of a warehouse owes are told below."
    about = document(f"{GENERAL}\n\n{header}\nFees of coal  192,052  163,220\n\n{note}")
    own = [span_of(about, words) for words in (header, "Fees of coal  192,052  163,220")]
    assert QualifierIndex(about).candidates("Member fees of coal were 192,052.", own, own, 3) == []


@pytest.mark.parametrize(("more", "is_near"), [("", True), ("and the yard by the records ", False)])
def test_in_a_long_document_a_passage_shares_most_of_what_a_statement_says(more: str, is_near: bool) -> None:
    limits = "\n\n".join(f"{n}. Unless agreed otherwise, the parties keep the records here." for n in range(200, 290))
    about = document(f"{HALL}\n\n{limits}\n\n130. The rent of the hall is waived in case of fire and flood.\n")
    statement = f"The rent of the hall {more}is 4,800."
    found = QualifierIndex(about).candidates(statement, [span_of(about, RENT)], [], 3)
    assert any("waived" in about.text[it.span.start : it.span.end] for it in found) == is_near


def test_a_passage_is_not_cut_behind_an_abbreviation() -> None:
    about = document(f"{HALL}\n\n130. The U.S. Dollar rent of the hall, see No. 7, is suspended until 2030.\n")
    (found,) = QualifierIndex(about).candidates(RENT, [span_of(about, RENT)], [], 1)
    assert about.text[found.span.start : found.span.end].startswith("The U.S. Dollar rent of the hall, see No. 7, is")


@given(st.text(min_size=1, max_size=400), st.text(max_size=60))
def test_any_text_can_be_searched(text, statement):
    about = document(text)
    for item in QualifierIndex(about).candidates(statement, [Span(0, len(text))], [], 3):
        assert 0 <= item.span.start < item.span.end <= len(about.text)


def verdict_and(*said: tuple[int, str]):
    body = {"verdicts": [{"id": 1, "verdict": "supported", "reason": "it is", "quotes": []}]}
    return text_reply(json.dumps(body | json.loads(findings(*said).turn.text)))


@pytest.mark.parametrize(
    ("replies", "asked", "verdict"),
    [
        ([verdict_and((1, "contradicts"))], 1, "contradicts"),
        (
            [verdict_and((1, "none"), (2, "none")), verdict_and((1, "qualifies"))],
            2,
            "qualifies",
        ),  # one passage, not two
        ([verdict_and(), findings((1, "contradicts"))], 2, "contradicts"),  # said nothing of it, and is asked again
    ],
)
def test_the_judge_reads_what_may_limit_a_claim_in_the_same_call(replies, asked, verdict):
    model = ScriptedModel(list(replies), name="judge", vendor="b")
    counter = CounterEvidence(model, LEASE, "May it be sublet?", lambda: "n")
    attempt = resolve_quotes(Draft((SUBLET,)), LEASE, QuoteIndex(LEASE))
    assert Judge(model, LEASE, "May it be sublet?", lambda: "n", counter=counter)(attempt).passed
    evidence = counter(attempt)
    prompt = model.requests[0].turns[-1].text
    assert len(model.requests) == asked and "[[Notwithstanding" in prompt
    shape = next(line for line in prompt.splitlines() if line.startswith('{"'))
    assert json.loads(shape).keys() == {"verdicts", "findings"}
    assert evidence.qualifications[0].contradicts == (verdict == "contradicts")


def test_findings_on_passages_that_were_not_shown_are_nothing() -> None:
    model = ScriptedModel([verdict_and((1, "contradicts"))], name="judge", vendor="b")
    counter = CounterEvidence(model, LEASE, "May it be sublet?", lambda: "n")
    weather = DraftClaim("The weather is often bad.", ("the weather is often bad",))
    attempt = resolve_quotes(Draft((weather,)), LEASE, QuoteIndex(LEASE))
    assert counter.unread(attempt) == []
    assert Judge(model, LEASE, "How is the weather?", lambda: "n", counter=counter)(attempt).passed
