"""The second reader of a list: what it finds missing goes to the worker once, and is told as a doubt after that."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest
from fakes import FakeSandbox, document

from ralph_cli.api import ask, run_task
from ralph_cli.checks.judge.lists import MAX_MISSING, MAX_PLACES_CHARS, ListReader
from ralph_cli.checks.judge.looks import READ_WHOLE_CHARS, Looker
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.config import Settings
from ralph_cli.core.coverage import asks_for_all
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, Reply, Request
from ralph_cli.core.run import Attempt, Draft, DraftClaim, StopType
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.json import as_object
from ralph_cli.reports.terminal import report_text
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.rlm.host_lookup import HostLookups
from ralph_cli.runs.result import Result

FILLER = "Nothing that matters is said in this line of the lease.\n" * 8
TEXT = (
    f"The tenant pays a rent of $48,000 a year.\nThe tenant pays a deposit of $12,000 at once.\n{FILLER}\f{FILLER}"
    f"A charge of $900 for cleaning is owed, too.\n{FILLER}"
)
LEASE = document(TEXT, kind="pdf")
LONG = document(f"{TEXT}\f{FILLER * (READ_WHOLE_CHARS // len(FILLER))}", kind="pdf")
RENT = DraftClaim("A rent is owed.", ("pays a rent of $48,000 a year",))
DEPOSIT = DraftClaim("A sum for safety is owed.", ("pays a deposit of $12,000 at once",))
CLEANING = {"item": "cleaning", "words": "A charge of $900 for cleaning is owed, too."}
SECURITY = {"item": "deposit", "words": "deposit of $12,000 at once"}


def says(*missing: Json, reason: str = "I read it all.") -> Reply:
    return text_reply(json.dumps({"missing": missing, "reason": reason}))


def attempt_at(*claims: DraftClaim, about: Document = LEASE) -> Attempt:
    attempt = resolve_quotes(Draft(claims), about, QuoteIndex(about))
    assert not attempt.refused
    return attempt


def reader(*script: Reply | ProviderError, about: Document = LEASE) -> tuple[ListReader, ScriptedModel]:
    model, numbers = ScriptedModel(list(script), name="reader", vendor="b"), count()
    looker = Looker(about, HostLookups(about))
    return ListReader(model, about, "List every payment", lambda: f"n{next(numbers)}", looker), model


def last_turn(request: Request) -> str:
    return request.turns[-1].text  # type: ignore[union-attr]


def test_a_missing_item_sends_the_list_back_once_and_is_then_told_as_a_doubt() -> None:
    check, model = reader(says(CLEANING))
    first = check(attempt_at(RENT, DEPOSIT))
    (issue,) = first.issues
    assert not first.passed and issue.check == "list" and CLEANING["words"] not in issue.message
    assert f'cleaning: p. 2, offset {TEXT.index("A charge")}: "{CLEANING["words"]}"' in issue.material
    again = check(attempt_at(RENT, DEPOSIT))
    (doubt,) = again.doubts
    assert again.passed and doubt.words == "cleaning" and CLEANING["words"] in doubt.message
    charge = DraftClaim("The cleaning is charged.", (CLEANING["words"],))
    assert check(attempt_at(RENT, DEPOSIT, charge)).doubts == ()
    assert len(model.requests) == 1


def test_the_reader_is_shown_the_list_and_all_of_a_short_document() -> None:
    check, model = reader(says())
    found = check(attempt_at(RENT, DEPOSIT))
    assert found.passed and not found.doubts and found.note.endswith("I read it all.")
    shown = last_turn(model.requests[0])
    assert "List every payment" in shown and "2. A sum for safety is owed." in shown and LEASE.text in shown


@pytest.mark.parametrize(
    ("claims", "missing"),
    [
        ((RENT, DEPOSIT), SECURITY),  # its words are quoted
        ((RENT, DraftClaim("The Deposit is owed.", ("for cleaning is owed",))), SECURITY),  # it is named
        ((RENT, DEPOSIT), {"item": "x", "words": "The tenant pays a rent of $48,000"}),
    ],
)
def test_what_is_quoted_or_named_already_is_not_missing(claims: Sequence[DraftClaim], missing: Json) -> None:
    found = reader(says(missing))[0](attempt_at(*claims))
    assert found.passed and not found.doubts


def test_of_a_long_document_the_reader_sees_what_stands_around_the_items_and_looks_first() -> None:
    looks = text_reply(json.dumps({"looks": [{"kind": "find", "what": "charge|fee", "document": ""}]}))
    check, model = reader(looks, says(CLEANING), about=LONG)
    found = check(attempt_at(RENT, DEPOSIT, about=LONG))
    first, second = model.requests
    assert not found.passed and "a rent of $48,000" in last_turn(first) and CLEANING["words"] not in last_turn(first)
    assert CLEANING["words"] in last_turn(second) and [it.what for it in found.looks] == ["charge|fee"]
    many = [f"It pays fee {n} of the hall.\n{FILLER * 4}" for n in range(200)]
    about = document("\f".join(many), kind="pdf")
    claims = [DraftClaim(f"Fee {n}.", (f"It pays fee {n} of the hall",)) for n in range(10, 90)]
    check, model = reader(looks, says(), about=about)
    assert check(attempt_at(*claims, about=about)).passed
    assert len(last_turn(model.requests[0])) < MAX_PLACES_CHARS + 12_000


BAD = [
    says({"item": "x", "words": "A charge of $950 for cleaning is owed."}),
    says({"item": "x", "words": "charge"}),
    says(reason=" "),
    text_reply('{"missing": []}'),
    text_reply("Nothing is missing."),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda reply: reply.turn.text[:50])
def test_words_that_are_not_there_are_corrected_and_a_broken_reader_is_no_yes(bad: Reply) -> None:
    check, model = reader(bad, says())
    assert check(attempt_at(RENT)).passed and "That could not be used" in last_turn(model.requests[1])
    found = reader(bad, bad)[0](attempt_at(RENT))
    is_slip = 'missing": [{' in bad.text  # words that are not there, twice: the item is left out
    assert found.passed is is_slip and bool(found.broken) is not is_slip
    check, _ = reader(ProviderError("it is down", code="down"), says())
    assert "it is down" in check(attempt_at(RENT)).broken and check(attempt_at(RENT)).passed


def test_no_more_items_are_told_than_a_worker_can_take_and_a_list_without_quotes_is_not_read() -> None:
    many = document("\n".join(f"There is charge number {n} of this." for n in range(40)), kind="pdf")
    missing = [{"item": f"charge no. {n}", "words": f"There is charge number {n} of this."} for n in range(1, 40)]
    quoted = DraftClaim("A charge.", ("There is charge number 0 of this.",))
    found = reader(says(*missing), about=many)[0](attempt_at(quoted, about=many))
    assert found.issues[0].material.count("\n- ") == MAX_MISSING - 1
    check, model = reader()
    assert check(Attempt()).passed and not model.requests


# In a run

RENT_ACT = {"text": "A rent of $48,000 a year is owed.", "quotes": list(RENT.quotes)}
CLEANING_ACT = {"text": "$900 for cleaning is owed.", "quotes": [CLEANING["words"]]}
LOOK = {"code": "find('rent|deposit|charge')"}


def models(worker: Sequence[Reply], listed: Sequence[Reply], asked: list[str]) -> dict[str, Any]:
    replies = iter(listed)

    def judge(request: Request) -> Reply:
        asked.append(request.agent)
        if request.agent == "list":
            return next(replies)
        if request.agent == "task_judge":
            return text_reply('{"ok": true, "issues": []}')
        said = [{"id": it["id"], "verdict": "supported", "reason": "it says so"} for it in request.inputs["claims"]]
        return text_reply(json.dumps({"verdicts": said}))

    return {
        "worker": ScriptedModel(worker, vendor="a"),
        "judge": ScriptedModel(judge, name="b:judge", vendor="b"),
        "subquery": ScriptedModel([]),
    }


def answer(settings: Settings, question: str, acts: Sequence[Json], *listed: Reply) -> tuple[Result, list[str]]:
    asked: list[str] = []
    made = models([tool_reply(act) for act in acts], listed, asked)
    chosen = settings.model_copy(update={"strategy": "rlm"})
    return ask(LEASE, question, settings=chosen, models=made, engine=FakeSandbox), asked


def test_a_list_is_mended_by_the_items_that_the_reader_found(settings: Settings) -> None:
    acts = [LOOK, {"claims": [RENT_ACT]}, {"claims": [CLEANING_ACT]}]
    done, asked = answer(settings, "List every payment that is owed", acts, says(CLEANING, SECURITY))
    assert done.ok and [it.text for it in done.claims] == [RENT_ACT["text"], CLEANING_ACT["text"]]
    assert asked == ["judge", "list", "judge"]  # the reader is asked once
    assert [it["words"] for it in as_object(done.view)["unconfirmed"]] == ["deposit"]  # what is missing still


def test_the_report_names_what_a_list_still_lacks(settings: Settings) -> None:
    acts = [LOOK, *[{"claims": [RENT_ACT]}] * 3]
    done, _ = answer(settings, "List every payment that is owed", acts, says(CLEANING))
    assert CLEANING["words"] in report_text(done.view)


def test_a_task_is_written_again_from_what_the_reader_found(settings: Settings) -> None:
    asked: list[str] = []
    first = "- a rent of $48,000 a year, which the tenant owes under the lease"
    outputs = [first, f"{first}\n- a charge of $900 for cleaning, which is owed, too"]
    wrote = [text_reply(json.dumps({"output": it, "memory_update": "What is owed was gathered."})) for it in outputs]
    script = [tool_reply(LOOK), *[tool_reply({"claims": [RENT_ACT], "complete": {"pages": "all"}})] * 2, wrote[0]]
    script += [tool_reply({"claims": [CLEANING_ACT], "complete": {"pages": "all"}}), wrote[1]]
    chosen = settings.model_copy(update={"strategy": "rlm", "memory": "off"})
    made = models(script, [says(CLEANING)], asked)
    done = run_task(LEASE, "List every payment.", settings=chosen, models=made, engine=FakeSandbox)
    assert done.ok and done.outcome.iterations == 2 and "cleaning" in done.text
    assert asked == ["list", "task_judge"]


def test_a_list_that_could_not_be_read_is_not_accepted(settings: Settings) -> None:
    bad = text_reply("Nothing is missing.")
    done, _ = answer(settings, "List every payment that is owed", [LOOK, {"claims": [RENT_ACT]}], bad, bad)
    assert done.stop.type is StopType.UNJUDGED and done.ok is not True


def test_of_a_plain_question_no_list_is_read(settings: Settings) -> None:
    done, asked = answer(settings, "What is the rent?", [LOOK, {"claims": [RENT_ACT]}])
    assert done.ok and asked == ["judge"]


@pytest.mark.parametrize("question", ["What is the rent each year?", "Is every invoice due on the first of a month?"])
def test_a_question_with_each_or_every_is_no_list(question: str) -> None:
    assert not asks_for_all(question, question=True)


def test_an_item_whose_name_is_only_a_part_of_a_word_is_missing() -> None:
    about = document("The paths are /lib64 and, apart from it, /lib alone.", kind="pdf")
    quoted = attempt_at(DraftClaim("The path /lib64.", ("The paths are /lib64",)), about=about)
    found = reader(says({"item": "/lib", "words": "apart from it, /lib alone"}), about=about)[0](quoted)
    assert found.issues and "/lib: " in found.issues[0].material
