"""The second reader of an absence: it looks for itself, points to passages, and has a last word."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
from fakes import ABSENT, NOT_THERE, FakeSandbox, document, second_reader

from ralph_cli.api import ask
from ralph_cli.checks.judge.absences import AbsenceReader
from ralph_cli.checks.judge.looks import MOST_AT_FIRST, READ_WHOLE_CHARS, Looker
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, Reply, Request
from ralph_cli.core.run import Absence, Attempt, Claim, Search, StopType, Verdict
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.rlm.host_lookup import HostLookups
from ralph_cli.runs.result import Result

FILLER = "Nothing that matters is said in this line of the lease.\n" * 8
SECURITY = "The tenant hands over a bond of $12,000 before the keys are given out."
TEXT = f"Lease of the north hall.\nThe rent is $48,000 a year.\n{FILLER}\f{FILLER}{SECURITY}\n{FILLER}"
LEASE = document(TEXT, kind="pdf")
LONG = document(f"{TEXT}\f{FILLER * (READ_WHOLE_CHARS // len(FILLER))}\fKeys\nThe porter has them.", kind="pdf")
WHOLE = "The document does not answer the question: How much is the deposit?"
GONE = Attempt(absence=Absence(("deposit",), "Nothing is said."), searches=(Search("deposit", 0),))


def verdict(number: int, what: str, *passages: str, reason: str = "So it is.") -> Json:
    return {"id": number, "verdict": what, "reason": reason, "passages": list(passages)}


def says(*verdicts: Json) -> Reply:
    return text_reply(json.dumps({"verdicts": verdicts}))


def looks(*words: str, kind: str = "find") -> Reply:
    return text_reply(json.dumps({"looks": [{"kind": kind, "what": it, "document": ""} for it in words]}))


FOUND = says(verdict(1, "answered", SECURITY, reason="A bond is a deposit."))


def reader(*script: Reply | ProviderError, about: Document = LEASE) -> tuple[AbsenceReader, ScriptedModel]:
    model, numbers = ScriptedModel(list(script), name="reader", vendor="b"), count()
    looker = Looker(about, HostLookups(about))
    return AbsenceReader(model, about, WHOLE, lambda: f"n{next(numbers)}", looker), model


def last_turn(request: Request) -> str:
    return request.turns[-1].text  # type: ignore[union-attr]


def test_a_short_document_is_read_whole_in_one_call_and_an_absence_that_is_true_is_accepted() -> None:
    check, model = reader(ABSENT)
    found = check(GONE)
    (request,) = model.requests
    assert found.passed and found.note == NOT_THERE and found.rulings == () and found.looks == ()
    shown = last_turn(request)
    assert LEASE.text in shown and WHOLE in shown
    assert "searched, counted by code: deposit: 0" in shown and "The worker notes: Nothing is said." in shown
    assert check(GONE).passed and len(model.requests) == 1  # it was asked, and has agreed


def test_the_documents_of_a_short_set_are_read_each_by_itself_with_its_name() -> None:
    texts = {"lease.txt": "The rent is 5.", "plan.txt": "The deposit is 9."}
    about = join_documents("deal", [NamedDocument(name, document(text), name) for name, text in texts.items()])
    check, model = reader(ABSENT, about=about)
    assert check(GONE).passed
    shown = last_turn(model.requests[0])
    assert "1. lease.txt" in shown and "2. plan.txt" in shown
    assert "Document 2:\n<data-n0>\nThe deposit is 9.\n</data-n0>" in shown


def test_of_a_long_document_the_reader_sees_the_outline_and_looks_first() -> None:
    check, model = reader(looks("bond|guarantee", "pledge"), ABSENT, about=LONG)
    found = check(GONE)
    first, second = model.requests
    assert found.passed and len(LONG.text) > READ_WHOLE_CHARS
    assert first.output_schema["properties"].keys() == {"looks"} and "\n4 Keys\n" in last_turn(first)
    assert SECURITY not in last_turn(first) and "(pdf), 4 pages." in last_turn(first)
    assert SECURITY in last_turn(second) and second.turns[:1] == first.turns
    assert [it.line.split(" place")[0] for it in found.looks] == [
        "searched \u201cbond|guarantee\u201d: 1 hit in 1",
        "searched \u201cpledge\u201d: 0 hits in 0",
    ]


def test_what_the_reader_is_shown_of_a_long_document_is_bounded() -> None:
    check, model = reader(looks("1", "2", *["3"] * 2, "4", *map(str, range(5, 20)), kind="page"), ABSENT, about=LONG)
    found = check(GONE)
    assert found.passed and len(found.looks) == MOST_AT_FIRST
    assert all(len(request.system) + len(last_turn(request)) < 15_000 for request in model.requests)
    nothing = text_reply('{"looks": []}')
    check, model = reader(nothing, nothing, about=LONG)
    assert check(GONE).broken and len(model.requests) == 2  # who has not looked has no word


def test_an_answer_in_other_words_goes_to_the_worker_with_its_place() -> None:
    check, _ = reader(FOUND)
    found = check(GONE)
    (issue,) = found.issues
    assert not found.passed and not found.broken and issue.check == "absence" and issue.claim is None
    assert f'p. 2, offset {LEASE.text.index(SECURITY)}: "{SECURITY}"' in issue.material
    assert "A bond is a deposit." in issue.material and SECURITY not in issue.message
    assert "why in `note`" in issue.message


@pytest.mark.parametrize("last", ["absent", "answered"])
def test_the_same_absence_again_is_asked_once_more_and_that_is_the_last_word(last: str) -> None:
    check, model = reader(FOUND, says(verdict(1, last, *[SECURITY] * (last == "answered"))))
    check(GONE)
    again = Attempt(absence=Absence(("deposit",), "A bond is no deposit."), searches=GONE.searches)
    second, third = check(again), check(again)
    assert len(model.requests) == 2 and second.passed == third.passed == (last == "absent")
    shown = last_turn(model.requests[1])
    assert "A bond is no deposit." in shown and "A bond is a deposit." in shown
    around = shown.split("p. 2: ")[1]
    assert SECURITY in around and FILLER.strip().split("\n")[0] in around  # read in its place
    if last == "answered":
        assert "that is its last word" in third.issues[0].message and SECURITY in third.issues[0].material


def test_what_was_searched_in_vain_changes_nothing() -> None:
    check, model = reader(FOUND)
    terms = ("zzz", "qwertz", "deposit", "deposits", "security deposit")
    nonsense = Attempt(absence=Absence(terms), searches=tuple(Search(term, 0) for term in terms))
    assert not check(nonsense).passed and "zzz: 0, qwertz: 0" in last_turn(model.requests[0])


GARAGE = Claim(1, "The lease names no garage.", (), searches=(Search("garage", 0),))
BOND = Claim(3, "The lease names no deposit.", (), searches=(Search("deposit", 0),), because="A bond is none.")
BESIDE = Claim(2, "The lease names no other rent.", (1,), searches=(Search("rent", 1),))


def test_each_claim_that_something_is_not_there_has_a_ruling_of_one_call() -> None:
    check, model = reader(says(verdict(2, "answered", SECURITY), verdict(1, "absent", reason="No car is named.")))
    found = check(Attempt((GARAGE, BESIDE, BOND)))
    assert [(it.claim, it.verdict, it.judge) for it in found.rulings] == [
        (1, Verdict.ABSENT, "reader"),
        (3, Verdict.CONTRADICTED, "reader"),
    ]
    (issue,) = found.issues
    assert issue.claim == 3 and "claim 3 says" in issue.message and "why in `because`" in issue.message
    assert found.rulings[0].reason == "No car is named. (counted by code: garage: 0)" and len(model.requests) == 1
    shown = last_turn(model.requests[0])
    assert "Statement 2:" in shown and BESIDE.text not in shown and "A bond is none." in shown
    assert found.note == ""


def test_what_a_claim_says_beside_the_absence_needs_a_quote_of_its_own() -> None:
    check, _ = reader(says(verdict(1, "mixed", reason="It also says that the rent is low.")))
    found = check(Attempt((GARAGE,)))
    (issue,) = found.issues
    assert found.rulings[0].verdict is Verdict.NOT and "hand that in as a claim of its own" in issue.message
    assert issue.material == "It also says that the rent is low."


BAD = [
    says(),
    says(verdict(2, "absent")),
    says(verdict(1, "absent"), verdict(1, "absent")),
    says(verdict(1, "perhaps")),
    says(verdict(1, "absent", reason=" ")),
    says(verdict(1, "answered")),
    says(verdict(1, "answered", "The deposit is $12,000.")),
    says(verdict(1, "answered", "a bond of $13,000 before the keys")),
    text_reply("It is absent."),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda reply: reply.turn.text[:60])
def test_a_word_out_of_shape_or_words_that_are_not_there_are_corrected_and_never_a_yes(bad: Reply) -> None:
    check, model = reader(bad, ABSENT)
    assert check(GONE).passed and "That could not be used" in last_turn(model.requests[1])
    found = reader(bad, bad)[0](GONE)
    assert found.broken and not found.passed


def test_a_reader_that_fails_has_said_nothing() -> None:
    down = ProviderError("it is down", code="down", hint="try later")
    check, _ = reader(down, ABSENT)
    assert "it is down" in check(GONE).broken and check(GONE).passed
    check, _ = reader(FOUND, down, FOUND)
    assert check(GONE).issues and check(GONE).broken
    assert not check(GONE).broken  # it is asked again, for it has not had its last word


# In a run

LOOK = {"code": "find('rent')"}
NOT_FOUND = {"not_found": {"searched": ["deposit"], "note": "A bond is no deposit."}}
OWED = {"claims": [{"text": "A bond of $12,000 is handed over.", "quotes": [SECURITY]}]}
RENT = {"text": "The rent is $48,000 a year.", "quotes": ["The rent is $48,000 a year."]}
NO_GARAGE = {"text": "The lease names no garage.", "quotes": [], "searched": ["garage"]}


def run(
    settings: Settings, acts: Sequence[Json], *absences: Reply, about: Document = LEASE, **changes: Any
) -> tuple[Result, ScriptedModel, list[str]]:
    """A question: the worker acts so, the second reader says what is listed, the judge supports every claim."""
    replies = iter(absences)

    def judge(request: Request) -> Reply:
        if request.agent == "absence":
            return next(replies)
        said = [{"id": it["id"], "verdict": "supported", "reason": "it says so"} for it in request.inputs["claims"]]
        return second_reader(request) or text_reply(json.dumps({"verdicts": said}))

    models = {
        "worker": ScriptedModel([tool_reply(act) for act in acts], vendor="a"),
        "judge": ScriptedModel(judge, name="b:judge", vendor="b"),
        "subquery": ScriptedModel([]),
    }
    chosen = settings.model_copy(update={"strategy": "rlm", **changes})
    done = ask(about, "How much is the deposit?", settings=chosen, models=models, engine=FakeSandbox)
    return done, models["worker"], [request.agent for request in models["judge"].requests]


def told(request: Request) -> str:
    turn = request.turns[-1]
    return getattr(turn, "text", "") or "\n".join(text for _, text, _ in getattr(turn, "results", ()))


def test_a_true_absence_costs_the_worker_no_further_round(settings: Settings) -> None:
    done, worker, judged = run(settings, [LOOK, NOT_FOUND], ABSENT)
    assert done.absent and done.stop.type is StopType.ABSENT and len(worker.requests) == 2 and judged == ["absence"]
    done, _, judged = run(settings, [LOOK, NOT_FOUND], judge_looks=0)
    assert done.absent and judged == []  # it may not look, and the result says that counts are all there is


def test_a_false_absence_is_answered_from_the_passage_that_was_found(settings: Settings) -> None:
    done, worker, judged = run(settings, [LOOK, NOT_FOUND, OWED], FOUND)
    assert done.ok and done.outcome.iterations == 2 and judged == ["absence", "judge"]
    feedback = told(worker.requests[2])
    assert "a second reader has found passages" in feedback and f"offset {LEASE.text.index(SECURITY)}" in feedback
    assert SECURITY in feedback.split("<data-")[1].split("</data-")[0]


@pytest.mark.parametrize(("last", "stop"), [("absent", StopType.ABSENT), ("answered", None)])
def test_a_worker_that_insists_has_one_hearing(settings: Settings, last: str, stop: StopType | None) -> None:
    word = says(verdict(1, last, *[SECURITY] * (last == "answered"), reason="My last word."))
    done, _, judged = run(settings, [LOOK, *[NOT_FOUND] * 3], FOUND, word, max_iterations=3)
    assert judged == ["absence"] * 2 and done.absent == (last == "absent")
    if stop is None:
        assert done.ok is False and done.stop.type in (StopType.MAX_ITERATIONS, StopType.STALLED)


def test_a_failing_reader_is_no_verdict(settings: Settings) -> None:
    done, *_ = run(settings, [LOOK, NOT_FOUND], text_reply("Yes."), text_reply("It is absent."))
    assert done.stop.type is StopType.UNJUDGED and not done.absent and done.ok is not True


def test_a_claim_of_absence_that_is_refused_leaves_the_others_standing(settings: Settings) -> None:
    garage = document(TEXT.replace(SECURITY, f"{SECURITY}\nThe tenant may use the garage behind the hall."))
    found = says(verdict(1, "answered", "The tenant may use the garage behind the hall."))
    there = {"text": "There is a garage.", "quotes": ["may use the garage behind the hall"]}
    acts = [LOOK, {"claims": [RENT, NO_GARAGE]}, {"claims": [there]}]
    done, worker, judged = run(settings, acts, found, about=garage)
    assert done.ok and [claim.text for claim in done.claims] == [RENT["text"], there["text"]]
    assert judged == ["absence", "judge", "judge"] and "stand and are kept" in told(worker.requests[2])
    assert [it.verdict for it in done.claims] == ["supported", "supported"]
