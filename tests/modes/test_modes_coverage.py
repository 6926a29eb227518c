"""A task that asks for everything shows why nothing is missing; a look-up need not."""

import json
from collections.abc import Sequence

import pytest
from fakes import ABSENT, NOT_THERE, FakeSandbox, document, second_reader

from ralph_cli.api import ask, run_task
from ralph_cli.config import Settings
from ralph_cli.core.model import Reply, Request
from ralph_cli.core.run import StopType
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.json import as_object
from ralph_cli.reports.terminal import report_text
from ralph_cli.runs.history import read_run
from ralph_cli.runs.result import Result

CLAUSES = [
    "\n".join(f"{page}.{k} Clause {page}.{k} says what nobody has to pay for in this hall." for k in range(40))
    for page in range(1, 11)
]
CLAUSES[0] += "\nThe tenant pays a rent of $48,000 a year."
CLAUSES[8] += "\nThe tenant pays a deposit of $12,000 at once."
LEASE = document("\f".join(CLAUSES))
RENT = {"text": "A rent is owed.", "quotes": ["pays a rent of $48,000 a year"]}
DEPOSIT = {"text": "A deposit is owed.", "quotes": ["pays a deposit of $12,000 at once"]}
LOOK = {"code": "find('rent of')"}
READ = {"code": "print(llm_query_batch([('what is owed?', context[s:e]) for n, _, s, e in pages if n > 1]))"}
FIRST = "- a rent of $48,000 a year, which the tenant owes under the lease"
BOTH = FIRST + "\n- a deposit of $12,000, which is owed at once"


def wrote(output: str) -> Reply:
    return text_reply(json.dumps({"output": output, "memory_update": "What is owed was gathered from the lease."}))


def told(request: Request) -> str:
    turn = request.turns[-1]
    return getattr(turn, "text", "") or "\n".join(text for _, text, _ in getattr(turn, "results", ()))


def play(settings: Settings, task: str, *script: Reply, **changes: object) -> tuple[Result, ScriptedModel]:
    worker = ScriptedModel(list(script), vendor="a")
    well = text_reply('{"ok": true, "issues": []}')
    judge = ScriptedModel(lambda request: second_reader(request) or well, vendor="b")
    reader = ScriptedModel(lambda request: text_reply("The rent and the deposit are owed."), vendor="a")
    models = {"worker": worker, "judge": judge, "subquery": reader}
    chosen = settings.model_copy(update={"strategy": "rlm", **changes})
    return run_task(LEASE, task, settings=chosen, models=models, engine=FakeSandbox), worker


def test_a_list_is_sent_back_until_something_shows_that_nothing_is_missing(settings: Settings) -> None:
    done, worker = play(
        settings,
        "List every payment that is owed",
        tool_reply(LOOK),
        tool_reply({"claims": [RENT], "complete": {"terms": ["pays a"]}}),
        tool_reply({"code": "find('pays a')"}),
        tool_reply({"claims": [RENT, DEPOSIT], "complete": {"terms": ["pays a"]}}),
        wrote(BOTH),
    )
    assert done.outcome.ok and done.outcome.iterations == 1
    told_ = told(worker.requests[2])
    assert "1 of 2 places of these terms were not read: pages 9 (pays a: 2 places)" in told_
    text = report_text(done.view)
    assert (
        "Complete, as far as code can tell: every place of these terms in the text was read: pays a: 2 places." in text
    )
    assert as_object(read_run(done.folder).view)["completeness"] == [
        {"by": "places", "holds": True, "message": "every place of these terms in the text was read: pays a: 2 places"}
    ]
    judge_saw = next(
        event for event in read_run(done.folder).events if event.kind == "call_started" and "judge" in event.agent
    )
    assert "every place of these terms" in judge_saw.sent and "searched, places counted: rent of: 1" in judge_saw.sent


def test_what_is_said_unasked_of_completeness_reaches_the_judge(settings: Settings) -> None:
    done, _ = play(
        settings,
        "Say what the rent is",
        tool_reply(LOOK),
        tool_reply({"claims": [{**RENT, "quotes": ["rent that nobody pays"]}], "complete": {"terms": ["rent of"]}}),
        tool_reply({"claims": [RENT]}),
        wrote(FIRST),
    )
    calls = [event for event in read_run(done.folder).events if event.kind == "call_started"]
    assert done.outcome.ok and "every place of these terms in the text was read: rent of: 1 place" in calls[-1].sent


def test_a_look_up_need_not_read_it_all(settings: Settings) -> None:
    done, _ = play(settings, "Say what the rent is", tool_reply(LOOK), tool_reply({"claims": [RENT]}), wrote(FIRST))
    assert done.outcome.ok and done.outcome.iterations == 1
    assert "; all of it was searched by code." in report_text(done.view) and done.view.completeness == ()


def test_a_reader_that_shows_nothing_is_taken_in_the_end_and_the_result_says_so(settings: Settings) -> None:
    again = [tool_reply({"claims": [RENT], "complete": {"pages": "1-3"}})] * 2
    done, worker = play(settings, "List every payment", tool_reply(LOOK), *again, wrote(FIRST))
    assert done.outcome.ok and done.outcome.iterations == 1 and len(worker.requests) == 4
    text = report_text(done.view)
    assert "Whether something is missing was not shown: of the pages that it is about, these were not read" in text
    assert "Searched by code, but never read: pages 2-10 (read, at least in part: 1 of 10 pages" in text
    told_ = as_object(read_run(done.folder).view)["coverage"]
    assert told_["pages"]["unread"] == [[2, 10]] and told_ == as_object(done.view)["coverage"]


def test_what_a_person_demands_to_be_read_is_said_first_and_holds(settings: Settings) -> None:
    done, worker = play(
        settings,
        "Say what the rent is",
        tool_reply(LOOK),
        tool_reply({"claims": [RENT]}),
        wrote(FIRST),
        tool_reply(READ),
        tool_reply({"not_found": {"searched": ["nothing to add"]}}),
        wrote(FIRST),
        min_coverage=0.8,
        retry="continue",
    )
    assert "At least 80% of the document must be read." in told(worker.requests[0])
    assert done.outcome.ok and done.outcome.iterations == 2
    (issue,) = done_issues(done)
    assert "pages 1-10 were read by no model, or hardly" in issue and issue in told(worker.requests[3])
    assert issue not in told(worker.requests[5])  # the writer has no document


def done_issues(done: Result) -> list[str]:
    """The issues of the check "coverage" in a finished run's journal."""
    steps = [event.step for event in read_run(done.folder).events if event.kind == "step_finished"]
    return [issue.message for step in steps for issue in step.issues if issue.check == "coverage"]


@pytest.mark.parametrize(("least", "iterations"), [(None, 1), (0.9, 2)])
def test_a_question_has_to_read_only_when_it_is_told_to(
    settings: Settings, least: float | None, iterations: int
) -> None:
    claim = {"claims": [{"text": "The rent is $48,000 a year.", "quotes": RENT["quotes"]}]}
    script = [tool_reply(LOOK), tool_reply(claim), tool_reply(READ), tool_reply(claim)]
    verdict = text_reply(json.dumps({"verdicts": [{"id": 1, "verdict": "supported", "reason": "r"}]}))
    models = {
        "worker": ScriptedModel(script, vendor="a"),
        "judge": ScriptedModel([verdict], vendor="b"),
        "subquery": ScriptedModel(lambda request: text_reply("nothing else")),
    }
    chosen = settings.model_copy(update={"strategy": "rlm", "min_coverage": least, "retry": "continue"})
    asked = ask(LEASE, "What is the rent?", settings=chosen, models=models, engine=FakeSandbox)
    assert asked.outcome.ok and asked.outcome.iterations == iterations


GONE = {"not_found": {"searched": ["guarantee", "deposit"], "note": "No deposit is mentioned."}}
LOST = {"code": "find('guarantee')\nfor word in ['surety', 'bond']:\n    print(word, word in context)"}
OWED = {"text": "A deposit of $12,000 is owed.", "quotes": DEPOSIT["quotes"]}
SUPPORTED = text_reply(json.dumps({"verdicts": [{"id": 1, "verdict": "supported", "reason": "r"}]}))


def asks(settings: Settings, *script: Reply, judge: Sequence[Reply] = ()) -> tuple[Result, ScriptedModel]:
    worker = ScriptedModel(list(script), vendor="a")
    models = {"worker": worker, "judge": ScriptedModel(list(judge), vendor="b"), "subquery": ScriptedModel([])}
    chosen = settings.model_copy(update={"strategy": "rlm"})
    return ask(LEASE, "How much is the security?", settings=chosen, models=models, engine=FakeSandbox), worker


def test_a_refusal_of_one_claim_says_that_the_others_are_to_be_handed_in_again(settings: Settings) -> None:
    rent = {"text": "The rent is $48,000 a year.", "quotes": RENT["quotes"]}
    wrong = {"text": "A deposit of $12,000 is owed.", "quotes": ["A deposit of $12,000 is to be paid by the owner."]}
    worker = [tool_reply(LOOK), tool_reply({"claims": [rent, wrong]}), tool_reply({"claims": [wrong]})]
    asked = asks(settings, *worker, tool_reply(LOST), tool_reply({"claims": [rent]}), judge=[SUPPORTED])[1]
    assert told(asked.requests[2]).startswith("Not taken; hand the other claims in again, too:\n")
    assert told(asked.requests[3]).startswith("Not taken:\n")


def test_an_absence_is_recorded_with_what_worker_and_code_searched_and_who_looked_after_them(
    settings: Settings,
) -> None:
    done, worker = asks(settings, tool_reply(LOST), tool_reply(GONE), judge=[ABSENT])
    assert done.outcome.halt.type is StopType.ABSENT and len(worker.requests) == 2
    for view in (done.view, read_run(done.folder).view):
        found = as_object(view)["not_found"]
        assert {(item["term"], item["hits"], item["by"]) for item in found["searched"]} == {
            ("guarantee", 0, "worker"),
            ("deposit", 1, "worker"),
            ("bond", 0, "code"),
            ("surety", 0, "code"),
        }
        text = report_text(view)
        assert "    deposit: 1\n" in text and "    bond, in its code: 0\n" in text
        assert "Searched by code, but never read: pages 2-10 (read, at least in part: 1 of 10 pages" in text
        assert f"scripted:script has looked for itself, too: {NOT_THERE}" in text
        assert as_object(view)["coverage"]["pages"]["unread"] == [[2, 10]]


def test_an_absence_that_the_steps_ran_out_on_is_looked_at_like_any_other(settings: Settings) -> None:
    steps = settings.model_copy(update={"max_steps": 2})
    said = {"id": 1, "verdict": "answered", "reason": "It is there.", "passages": ["deposit of $12,000 at once"]}
    script = [tool_reply(LOST), tool_reply(LOST), tool_reply(GONE), tool_reply({"claims": [OWED]})]
    found = text_reply(json.dumps({"verdicts": [said]}))
    done, worker = asks(steps, *script, judge=[found, SUPPORTED])
    assert worker.requests[2].agent == "extractor" and done.outcome.iterations == 2
    assert "deposit of $12,000 at once" in told(worker.requests[3]) and done.ok


def test_a_task_with_nothing_to_work_on_ends_as_an_absence_with_its_searches(settings: Settings) -> None:
    done, worker = play(settings, "Draft a note on the security", tool_reply(LOST), tool_reply(GONE))
    assert done.outcome.halt.type is StopType.ABSENT and len(worker.requests) == 2
    assert [search.term for search in done.view.searches][:2] == ["guarantee", "deposit"]
    assert "deposit: 1" in report_text(done.view)


def test_a_quote_of_a_page_that_nobody_looked_at_comes_back_once_in_a_task_and_in_a_question(
    settings: Settings,
) -> None:
    script = [tool_reply(LOOK), tool_reply({"claims": [DEPOSIT]}), tool_reply({"claims": [DEPOSIT]})]
    _, worker = play(settings, "Say what deposit is owed", *script, wrote("- a deposit of $12,000"))
    judge = ScriptedModel([text_reply('{"verdicts": [{"id": 1, "verdict": "supported", "reason": "so"}]}')], vendor="b")
    models = {"worker": ScriptedModel(script, vendor="a"), "judge": judge, "subquery": ScriptedModel([])}
    chosen = settings.model_copy(update={"strategy": "rlm"})
    asked = ask(LEASE, "Is a deposit owed?", settings=chosen, models=models, engine=FakeSandbox)
    assert asked.outcome.ok
    for requests in (worker.requests, models["worker"].requests):
        assert "of where these quotes stand nothing was printed" in told(requests[2]) and "offset" in told(requests[2])
