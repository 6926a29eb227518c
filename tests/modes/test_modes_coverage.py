"""A task that asks for everything is not done before the document was read; a look-up is."""

import json

import pytest
from fakes import FakeSandbox, document

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
    judge = ScriptedModel(lambda request: text_reply('{"ok": true, "issues": []}'), vendor="b")
    reader = ScriptedModel(lambda request: text_reply("The rent and the deposit are owed."), vendor="a")
    models = {"worker": worker, "judge": judge, "subquery": reader}
    chosen = settings.model_copy(update={"strategy": "rlm", **changes})
    return run_task(LEASE, task, settings=chosen, models=models, engine=FakeSandbox), worker


def test_a_list_of_everything_that_left_pages_unread_is_sent_back_with_the_pages(settings: Settings) -> None:
    done, worker = play(
        settings,
        "List every payment that is owed",
        tool_reply(LOOK),
        tool_reply({"claims": [RENT]}),
        wrote(FIRST),
        tool_reply(READ),
        tool_reply({"claims": [DEPOSIT]}),
        wrote(BOTH),
    )
    assert done.outcome.ok and done.outcome.iterations == 2
    (issue,) = done_issues(done)
    assert "pages 1-10 were read by no model, or hardly" in issue and "at least 80%" in issue
    assert issue in told(worker.requests[3]) and worker.requests[3].agent == "reader"
    view = done.view
    assert view.coverage is not None and view.coverage.shown > 0.9 and view.coverage.unread_pages == ()
    assert "Never read" not in report_text(view)


def done_issues(done: Result) -> list[str]:
    """The issues of the check "coverage" in a finished run's journal."""
    steps = [event.step for event in read_run(done.folder).events if event.kind == "step_finished"]
    return [issue.message for step in steps for issue in step.issues if issue.check == "coverage"]


def test_a_look_up_need_not_read_it_all(settings: Settings) -> None:
    done, _ = play(settings, "Say what the rent is", tool_reply(LOOK), tool_reply({"claims": [RENT]}), wrote(FIRST))
    assert done.outcome.ok and done.outcome.iterations == 1
    assert "never read: pages 2-10" in report_text(done.view)


def test_what_was_never_read_is_a_warning_where_it_was_allowed(settings: Settings) -> None:
    done, _ = play(
        settings, "List every payment", tool_reply(LOOK), tool_reply({"claims": [RENT]}), wrote(FIRST), min_coverage=0.0
    )
    assert done.outcome.ok
    assert "Never read: pages 2-10 (read, at least in part: 1 of 10 pages" in report_text(done.view)
    told = as_object(read_run(done.folder).view)["coverage"]
    assert told["pages"]["unread"] == [[2, 10]] and told == as_object(done.view)["coverage"]


def test_a_reader_that_will_not_read_is_not_accepted_and_does_not_go_on_for_ever(settings: Settings) -> None:
    again = [tool_reply({"claims": [RENT]}), wrote(FIRST)]
    done, worker = play(settings, "List every payment", tool_reply(LOOK), *again * 6)
    assert done.outcome.halt.type in (StopType.STALLED, StopType.MAX_ITERATIONS) and not done.outcome.ok
    assert done.outcome.best is not None and done.outcome.best.attempt.output == FIRST and len(worker.requests) < 10


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


ABSENT = {"not_found": {"searched": ["guarantee", "deposit"], "note": "No deposit is mentioned."}}
LOST = {"code": "find('guarantee')\nfor word in ['surety', 'bond']:\n    print(word, word in context)"}
OWED = {"text": "A deposit of $12,000 is owed.", "quotes": DEPOSIT["quotes"]}


def asks(settings: Settings, *script: Reply, judged: bool = False) -> tuple[Result, ScriptedModel]:
    verdict = text_reply(json.dumps({"verdicts": [{"id": 1, "verdict": "supported", "reason": "r"}]}))
    worker = ScriptedModel(list(script), vendor="a")
    models = {"worker": worker, "judge": ScriptedModel([verdict] * judged, vendor="b"), "subquery": ScriptedModel([])}
    chosen = settings.model_copy(update={"strategy": "rlm"})
    return ask(LEASE, "How much is the security?", settings=chosen, models=models, engine=FakeSandbox), worker


def test_an_absence_that_the_text_speaks_against_costs_one_turn_and_may_be_mended(settings: Settings) -> None:
    done, worker = asks(settings, tool_reply(LOST), tool_reply(ABSENT), tool_reply({"claims": [OWED]}), judged=True)
    assert done.outcome.ok and done.outcome.iterations == 1
    answer = told(worker.requests[2])
    assert "Not taken" in answer and "(page 9)" in answer and "The tenant pays a deposit of $12,000 at once." in answer
    assert "<data-" in answer.split("The tenant pays")[0]  # the document's words are data


def test_whoever_has_seen_the_places_may_say_so_again_and_the_record_shows_it_all(settings: Settings) -> None:
    done, worker = asks(settings, tool_reply(LOST), tool_reply(ABSENT), tool_reply(ABSENT))
    assert done.outcome.halt.type is StopType.ABSENT and len(worker.requests) == 3
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
        assert "Never read: pages 2-8, 10 (read, at least in part: 2 of 10 pages" in text
        assert "what they mean is the worker's judgement" in text
        line = as_object(view)["coverage"]
        assert line["pages"]["unread"] == [[2, 8], [10, 10]]


def test_an_absence_that_the_steps_ran_out_on_is_asked_about_in_the_next_attempt(settings: Settings) -> None:
    steps = settings.model_copy(update={"max_steps": 2})
    script = [tool_reply(LOST), tool_reply(LOST), tool_reply(ABSENT), tool_reply(ABSENT)]
    done, worker = asks(steps, *script)
    assert worker.requests[2].agent == "extractor" and done.outcome.iterations == 2
    assert "The tenant pays a deposit of $12,000 at once." in told(worker.requests[3])
    assert done.outcome.halt.type is StopType.ABSENT


def test_a_task_with_nothing_to_work_on_is_asked_about_what_was_not_looked_at(settings: Settings) -> None:
    done, worker = play(
        settings, "Draft a note on the security", tool_reply(LOST), tool_reply(ABSENT), tool_reply(ABSENT)
    )
    assert done.outcome.halt.type is StopType.ABSENT and len(worker.requests) == 3
    assert "(page 9)" in told(worker.requests[2])
    view = done.view
    assert [search.term for search in view.searches][:2] == ["guarantee", "deposit"] and "deposit: 1" in report_text(
        view
    )
