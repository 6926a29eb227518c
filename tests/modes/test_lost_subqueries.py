"""Sub-queries that gave no answer are counted and said, and too many of them are no ground for an answer."""

import json
import sys
from pathlib import Path

import pytest
from fakes import FakeSandbox
from test_modes_coverage import LEASE, RENT, told

from ralph_cli.api import VerifierCommands, ask, run_goal
from ralph_cli.config import Settings
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Reply, Request
from ralph_cli.core.run import StopType
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.json import as_object
from ralph_cli.reports.terminal import report_text
from ralph_cli.runs.history import read_run
from ralph_cli.runs.result import Result

FULL = ProviderError("too many requests", code="rate-limit")
ASK = {"code": "for got in llm_query_batch([('what is owed?', context[s:e]) for n, _, s, e in pages]): print(got)"}
LOOK = {"code": "find('rent of')"}
PRINT = {"code": "for n, _, s, e in pages:\n    if n in (3, 4, 5, 6): print(context[s:e])"}
HAND_IN = {"claims": [RENT]}


def play(
    settings: Settings, lost: set[int], *acts: dict[str, object], **changes: object
) -> tuple[Result, list[Request]]:
    """A question whose first sub-queries on pages `lost` fail; asked again they are answered, but those on page 10."""
    asked: list[str] = []

    def answer(request: Request) -> Reply | ProviderError:
        text = request.inputs["text"]
        asked.append(text)
        page = int(text.split(".")[0])
        return FULL if page in lost and (page == 10 or asked.count(text) == 1) else text_reply("nothing is owed")

    worker = ScriptedModel([tool_reply(act) for act in acts], vendor="a")
    verdict = {"verdicts": [{"id": 1, "verdict": "supported", "reason": "it says so"}]}
    judge = ScriptedModel(lambda request: text_reply(json.dumps(verdict)), vendor="b")
    models = {"worker": worker, "judge": judge, "subquery": ScriptedModel(answer, vendor="a")}
    chosen = settings.model_copy(update={"strategy": "rlm", "retry": "continue", "output_chars": 50_000, **changes})
    done = ask(LEASE, "What is the rent?", settings=chosen, models=models, engine=FakeSandbox)
    return done, worker.requests


def test_a_few_that_are_lost_are_counted_wherever_the_result_is_shown(settings: Settings) -> None:
    done, _ = play(settings, {3, 4}, ASK, LOOK, HAND_IN)
    assert done.ok
    word = (
        "2 of 10 sub-queries gave no answer (too many requests); they were to read pages 3-4, which no model has read "
        "in full."
    )
    recorded = read_run(done.folder)
    for shown in (report_text(done.view), report_text(recorded.view)):
        assert word in " ".join(shown.split())
    assert word in done.view.notices and word in [notice.message for notice in done.notices]
    counted = as_object(recorded.view)["subqueries"]
    assert (counted["asked"], counted["lost"], counted["reasons"]) == (10, 2, {"too many requests": 2})
    pages = [(page.start, page.end) for page in LEASE.pages[2:4]]
    assert counted["unread"] == [list(page) for page in pages] == done.to_dict()["subqueries"]["unread"]
    assert as_object(done.view)["coverage"]["pages"]["unread"] == [[3, 4]]


def test_nothing_is_said_where_none_is_lost(settings: Settings) -> None:
    done, _ = play(settings, set(), ASK, LOOK, HAND_IN)
    assert done.ok and "sub-quer" not in report_text(done.view) and done.view.subqueries["asked"] == 10


@pytest.mark.parametrize("mend", [ASK, PRINT])
def test_too_many_are_sent_back_and_made_good_by_asking_again_or_by_reading(
    settings: Settings, mend: dict[str, object]
) -> None:
    done, requests = play(settings, {3, 4, 5, 6}, ASK, LOOK, HAND_IN, mend, HAND_IN)
    assert done.ok and done.outcome.iterations == 2
    assert "4 of 10 sub-queries gave no answer" in told(requests[3]) and "too many requests" in told(requests[3])
    text = report_text(done.view)
    assert ("gave no answer" in text) is (mend is PRINT) is ("was shown to a model in another way" in text)


def test_an_answer_is_not_accepted_while_more_than_the_share_are_lost(settings: Settings) -> None:
    done, _ = play(settings, {10}, ASK, LOOK, HAND_IN, ASK, HAND_IN, max_lost=0.05)
    assert done.ok is False and done.stop.type is StopType.STALLED
    assert "1 of 10 sub-queries gave no answer" in report_text(done.view)
    lenient, _ = play(settings, set(range(1, 11)), ASK, LOOK, HAND_IN, max_lost=1.0)
    assert lenient.ok and "10 of 10 sub-queries gave no answer" in report_text(lenient.view)


def test_a_goal_counts_them_over_all_its_conversations_and_refuses_an_output_that_misses_too_many(
    settings: Settings, tmp_path: Path
) -> None:
    done_acts = [{"verify": True}, {"say": "<promise>DONE</promise>"}]
    acts = [
        ASK,
        {"output": "nothing is owed"},
        *done_acts,
        {"code": "print(llm_query('and else?', context[:200]))"},
        *done_acts,
    ]
    worker = ScriptedModel([tool_reply(act) for act in [*acts, PRINT, *done_acts]], vendor="a")
    lost = {"3.", "4.", "5.", "6."}
    subquery = ScriptedModel(
        lambda request: FULL if request.inputs["text"][:2] in lost else text_reply("no"), vendor="a"
    )
    models = {"worker": worker, "subquery": subquery, "judge": ScriptedModel([])}
    chosen = settings.model_copy(update={"strategy": "rlm", "output_chars": 50_000})
    verify = VerifierCommands([f"{sys.executable} -c pass"])
    done = run_goal(LEASE, "Say what is owed", verify=verify, settings=chosen, models=models, engine=FakeSandbox)
    assert done.ok and done.outcome.iterations == 3
    for request in (worker.requests[4], worker.requests[7]):
        assert "4 of 1" in told(request) and "sub-queries gave no answer" in told(request)
    assert done.view.subqueries["asked"] == 11


def test_those_that_were_not_asked_are_said_apart(settings: Settings) -> None:
    done, _ = play(settings, set(), ASK, LOOK, HAND_IN, max_subqueries=7)
    assert done.ok and done.view.subqueries["refused"] == 3
    assert "3 further sub-queries were not asked: their number was used up (--max-subqueries)." in done.view.notices
