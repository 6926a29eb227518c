"""A verifier of the caller's own through the Python API: it decides, is metered, and is asked for again on resume."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeSandbox, hand_in, script_models
from test_ask import LOOK, MEMO, RENT, TERM, verdicts

from ralph_cli.api import VerifierCommands, ask, run_goal, run_task
from ralph_cli.checks.verifier import LLMVerifier, VerificationResult, Verifier
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError, JournalError, UserError
from ralph_cli.core.events import CallFinished, GoalSet, RunStarted
from ralph_cli.core.model import Model, Reply, Usage
from ralph_cli.core.run import StopType
from ralph_cli.journal.store import read_events
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.terminal import report_text
from ralph_cli.runs.goals import recorded_goal
from ralph_cli.runs.history import read_run
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.resume import resume

ROWS = {
    "B2": [
        "test_any_object_that_fits_decides_on_an_answer",
        "test_any_object_that_fits_decides_on_a_task",
        "test_what_cannot_verify_is_refused_before_anything_is_spent",
    ],
    "C3": ["test_a_score_threshold_is_not_reached_by_the_judge_when_it_refuses"],
    "B3": ["test_the_model_of_a_verifier_is_metered_and_its_calls_are_recorded"],
}

COST = Usage(calls=1, input_tokens=10, output_tokens=5, usd=0.25)
YES, NO = VerificationResult(True), VerificationResult(False, "the term is missing")


class Fits:
    """A verifier of a test's own, which inherits nothing."""

    def __init__(self, *verdicts: VerificationResult) -> None:
        self.verdicts = list(verdicts)
        self.asked: list[tuple[str, str, int]] = []

    def verify(self, task: str, result: str, iteration: int, previous_results: Sequence[str]) -> VerificationResult:
        self.asked.append((task, result, iteration))
        return self.verdicts.pop(0)


class Later:
    """One that is asynchronous."""

    async def verify(
        self, task: str, result: str, iteration: int, previous_results: Sequence[str]
    ) -> VerificationResult:
        return VerificationResult("ten years" in result, "the term is missing")


def models() -> dict[str, Model]:
    """A worker whose first answer lacks the term, and a judge whom that does not trouble."""
    return {
        "worker": ScriptedModel([tool_reply(LOOK), hand_in(RENT), hand_in(RENT, TERM)], vendor="a"),
        "judge": ScriptedModel([verdicts((1, "supported")), verdicts((2, "supported"))], vendor="b"),
        "subquery": ScriptedModel([]),
    }


def played(settings: Settings, verifier: Any, **changes: Any) -> Result:
    chosen = settings.model_copy(update={"strategy": "rlm", **changes})
    return ask(MEMO, "What is the rent?", settings=chosen, models=models(), engine=FakeSandbox, verifier=verifier)


@pytest.mark.parametrize("verifier", [Fits(NO, YES), Later()], ids=["sync", "async"])
def test_any_object_that_fits_decides_on_an_answer(settings: Settings, verifier: Verifier) -> None:
    asked = played(settings, verifier)
    assert asked.outcome.ok and asked.outcome.iterations == 2
    assert asked.outcome.best is not None and asked.outcome.best.evidence[-1].check == "verifier"
    if isinstance(verifier, Fits):
        assert [(task, number) for task, _, number in verifier.asked] == [("What is the rent?", n) for n in (1, 2)]


def test_its_no_is_never_overruled_and_its_failure_is_no_pass(settings: Settings) -> None:
    assert (
        played(settings, Fits(NO, VerificationResult(False, "no")), max_iterations=2).outcome.halt.type
        is StopType.MAX_ITERATIONS
    )
    assert played(settings, Fits()).outcome.halt.type is StopType.UNJUDGED


NONSENSE = "perhaps"


def test_of_a_broken_verifier_it_is_said_that_all_else_was_judged(settings: Settings) -> None:
    chosen = {"strategy": "rlm", "verify_with_model": True, "memory": "off"}
    output = "The tenant pays a base rent of $48,000 a year in equal instalments."
    script = [tool_reply(LOOK), hand_in(RENT)]
    for run, more, judge, told in (
        (ask, [], verdicts((1, "supported")), "found every claim supported"),
        (
            run_task,
            [text_reply(json.dumps({"output": output, "memory_update": ""}))],
            text_reply('{"ok": true, "issues": []}'),
            "found the task done",
        ),
    ):
        given: dict[str, Model] = {
            "worker": ScriptedModel([*script, *more], vendor="a"),
            "judge": ScriptedModel([judge], vendor="b", name="b:judge"),
            "subquery": ScriptedModel([]),
            "verifier": ScriptedModel([text_reply(NONSENSE)] * 3, vendor="b"),
        }
        done = run(MEMO, "Rent?", settings=settings.model_copy(update=chosen), models=given, engine=FakeSandbox)
        assert done.outcome.halt.type is StopType.UNJUDGED
        text = report_text(done.view)
        assert "Not verified: verifier could not be run" in text and f"b:judge {told}" in text
        assert "not judged" not in text and "nobody has judged" not in text and "Unjudged" not in text


def test_a_score_threshold_is_not_reached_by_the_judge_when_it_refuses(settings: Settings) -> None:
    asked = played(settings, Fits(NO, YES), score_threshold=1.0)
    assert asked.outcome.ok and asked.outcome.iterations == 2


def test_its_last_word_can_be_left_out(settings: Settings) -> None:
    only = Fits(NO)
    asked = played(settings, only, max_iterations=2, skip_last_verification=True)
    assert asked.outcome.ok and len(only.asked) == 1


def test_any_object_that_fits_decides_on_a_task(settings: Settings) -> None:
    output = "The tenant pays a base rent of $48,000 a year in equal instalments."
    result = text_reply(json.dumps({"output": output, "memory_update": ""}))
    given: dict[str, Model] = {
        "worker": ScriptedModel([tool_reply(LOOK), hand_in(RENT), result, hand_in(TERM), result]),
        "judge": ScriptedModel([text_reply('{"ok": true, "issues": []}')] * 2, vendor="b"),
        "subquery": ScriptedModel([]),
    }
    verifier = Fits(NO, YES)
    chosen = settings.model_copy(update={"strategy": "rlm", "memory": "off"})
    done = run_task(MEMO, "Say the rent.", settings=chosen, models=given, engine=FakeSandbox, verifier=verifier)
    assert done.outcome.ok and done.outcome.iterations == 2
    assert verifier.asked == [("Say the rent.", output, number) for number in (1, 2)]


class Narrow:
    """A method of the right name that cannot be asked."""

    def verify(self, result: str) -> bool:
        return True


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (ScriptedModel([]), "ScriptedModel has none"),
        (lambda task, result: True, "function has none"),
        (LLMVerifier, "the class LLMVerifier itself"),
        (Narrow(), "Narrow.verify cannot be called with task, result, iteration and previous_results"),
    ],
    ids=["a model", "a function", "a class", "another signature"],
)
def test_what_cannot_verify_is_refused_before_anything_is_spent(settings: Settings, wrong: Any, why: str) -> None:
    for run in (ask, run_task):
        with pytest.raises(ConfigError, match=why) as caught:
            run("missing.pdf", "What is the rent?", settings=settings, models=models(), verifier=wrong)
        assert caught.value.code == "bad-verifier" and caught.value.hint
    assert not settings.out.exists()


def test_two_verifiers_are_refused(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="one or the other") as caught:
        played(settings, Fits(YES), verify_with_model=True)
    assert caught.value.code == "two-verifiers" and not settings.out.exists()


def priced(*said: bool) -> list[Reply]:
    return [text_reply(json.dumps({"complete": complete, "reason": "no term"}), usage=COST) for complete in said]


def test_the_model_of_a_verifier_is_metered_and_its_calls_are_recorded(settings: Settings) -> None:
    asked = played(settings, LLMVerifier(ScriptedModel(priced(False, True), vendor="c")))
    assert asked.outcome.ok and asked.usage.usd == 0.5
    calls = [event for event in read_events(asked.folder) if isinstance(event, CallFinished)]
    assert [call.agent for call in calls].count("verifier") == 2 and len({call.number for call in calls}) == len(calls)
    broke = played(settings, LLMVerifier(ScriptedModel(priced(False, True), vendor="c")), max_cost=0.2)
    assert broke.outcome.halt.type is StopType.MAX_COST


def cut_short(settings: Settings, verifier: Verifier) -> Result:
    asked = played(settings, verifier, max_iterations=1)
    assert asked.outcome.halt.type is StopType.MAX_ITERATIONS
    started = read_run(asked.folder).events[0]
    assert isinstance(started, RunStarted) and started.settings["verifier"] == type(verifier).__name__
    return asked


def rest() -> dict[str, Model]:
    """The models from the first reply that a run of one iteration has not paid for."""
    return script_models([hand_in(RENT, TERM)], [verdicts((2, "supported"))])


def test_a_run_with_a_verifier_is_resumed_with_one(settings: Settings) -> None:
    first = cut_short(settings, Fits(NO))
    more: dict[str, Any] = {"settings": settings, "changes": {"max_iterations": 2}, "document": MEMO}
    with pytest.raises(ConfigError, match=r"that run had a verifier of its own \(Fits\)") as caught:
        resume(first.run, models=rest(), engine=FakeSandbox, **more)
    assert "verifier=" in caught.value.hint
    again = Fits(NO, YES)
    finished = resume(first.run, models=rest(), engine=FakeSandbox, verifier=again, **more)
    assert finished.outcome.ok and [number for _, _, number in again.asked] == [1, 2]


def test_what_a_verifiers_model_said_is_not_bought_again(settings: Settings) -> None:
    first = cut_short(settings, LLMVerifier(ScriptedModel(priced(False), vendor="c")))
    left = ScriptedModel(priced(True), vendor="c")
    finished = resume(
        first.run,
        settings=settings,
        changes={"max_iterations": 2},
        document=MEMO,
        models=rest(),
        engine=FakeSandbox,
        verifier=LLMVerifier(left),
    )
    assert finished.outcome.ok and len(left.requests) == 1 and finished.usage.usd == 0.5


@pytest.mark.parametrize("ending", ["/../../../outside.txt", "scripted:/etc/passwd", "", ".", ".a/b", "." + "x" * 99])
def test_a_record_chooses_no_path_by_the_ending_of_its_output(ending: str) -> None:
    with pytest.raises(JournalError, match="no ending of a file"):
        recorded_goal([GoalSet((), False, suffix=ending)], "objective", "")
    assert recorded_goal([GoalSet((), False, suffix=".csv")], "objective", "").verify.suffix == ".csv"


def test_no_goal_begins_with_an_ending_that_its_record_could_not_bring_back(tmp_path: Path) -> None:
    verify = VerifierCommands(["true"], suffix="/../outside.txt")
    with pytest.raises(UserError, match="no ending of a file"):
        run_goal(MEMO, "Copy it", verify=verify, settings=Settings(out=tmp_path / "runs"), engine=FakeSandbox)
    assert list(tmp_path.iterdir()) == []
