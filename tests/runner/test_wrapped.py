"""Any function in the outer loop: what is accepted and returned, what the next attempt is told, when it ends."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from reached import reached, reaches

from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.errors import ConfigError, LimitExceeded, ProviderError
from ralph_cli.core.events import (
    AnyEvent,
    CallFinished,
    IterationStarted,
    NoticeIssued,
    RunHalted,
    RunStarted,
    StepFinished,
)
from ralph_cli.core.model import Usage
from ralph_cli.core.run import Evidence, Lesson, StopType
from ralph_cli.loop.config import RalphConfig, ReflectionConfig, StopConditionConfig, ValidationConfig
from ralph_cli.loop.decide import is_accepted
from ralph_cli.loop.detectors import (
    CompositeDetector,
    ConsecutiveFailureDetector,
    CostLimitDetector,
    MaxIterationDetector,
    RegressingDetector,
    ScoreThresholdDetector,
    StalledDetector,
    StopDecision,
    TimeoutDetector,
    standard_detectors,
)
from ralph_cli.loop.state import LoopState, fold
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.runner.reflect import ModelReflector, RuleReflector
from ralph_cli.runner.runner import Execution, RalphResult, RalphRunner
from ralph_cli.runner.scorers import JudgeScorer, KeywordScorer, LengthScorer, Score

ROWS = {
    "C1": [
        "test_five_phases_until_every_scorer_passes",
        "test_what_failed_and_what_was_learnt_are_fed_into_the_next_input",
        "test_it_reflects_on_failures_only",
        "test_a_reflector_that_fails_loses_nothing",
    ],
    "C2": [
        "test_completion_is_really_emitted",
        "test_each_stop_has_its_type_and_reason",
        "test_an_interrupt_stops_after_the_attempt_in_progress",
        "test_a_detector_that_fails_stops_the_loop",
    ],
    "C3": [
        "test_each_stop_has_its_type_and_reason",
        "test_a_detector_of_ones_own",
        "test_detectors_without_a_bound_are_refused",
        "test_a_function_may_fail_twice_in_the_same_way",
    ],
    "C4": [
        "test_scorers_are_chosen_by_name",
        "test_nothing_scored_is_never_accepted",
        "test_the_history_of_reflections_is_capped",
        "test_the_mean_must_reach_the_threshold_too",
    ],
    "C5": ["test_the_state_is_the_fold_of_the_events", "test_cost_and_tokens_are_really_recorded"],
    "C6": ["test_the_best_output_is_returned", "test_a_result_says_all_of_a_run"],
    "C7": [
        "test_accepted_means_that_every_scorer_passed",
        "test_it_always_ends_and_returns_the_best",
        "test_everything_may_be_asynchronous",
        "test_a_scorer_that_breaks_has_not_passed_and_the_loop_goes_on",
    ],
}

SECOND = KeywordScorer(["second"])


def plays(*outputs: Any) -> tuple[Callable[[str], Any], list[str]]:
    """A function that gives these in order, the last one for ever; exceptions are raised. And what it was asked."""
    asked: list[str] = []

    def play(input: str) -> Any:
        asked.append(input)
        output = outputs[min(len(asked), len(outputs)) - 1]
        if isinstance(output, BaseException):
            raise output
        return output

    return play, asked


def valued(*values: float) -> Any:
    """A scorer that gives these in order, the last one for ever."""
    left = list(values)

    def valued(input: str, output: str) -> float:
        return left.pop(0) if len(left) > 1 else left[0]

    return valued


def stops(**conditions: Any) -> RalphConfig:
    return RalphConfig(stop_condition=StopConditionConfig(**conditions))


def test_five_phases_until_every_scorer_passes() -> None:
    events: list[AnyEvent] = []
    play, asked = plays("first", "first", "second")
    runner = RalphRunner(play, [SECOND, LengthScorer(3)], reflector=RuleReflector(), sink=events.append)
    result = runner.run("count")
    assert (result.output, result.iterations, result.stop_type) == ("second", 3, StopType.COMPLETION)
    assert result.scores == {"keywords": 1.0, "length": 1.0} and len(asked) == 3
    kinds = [type(event) for event in events]
    assert kinds == [RunStarted, *[IterationStarted, StepFinished] * 3, RunHalted]


def test_completion_is_really_emitted() -> None:
    """Even where the score would stop it as well: all that was asked was reached."""
    result = RalphRunner(plays("second")[0], [SECOND], stops(score_threshold=0.5)).run("q")
    assert result.stop_type is StopType.COMPLETION and result.stop_type.is_success()
    assert result.reason == "every check passed"


def test_what_failed_and_what_was_learnt_are_fed_into_the_next_input() -> None:
    play, asked = plays("first", ValueError("no pen"), "second")
    result = RalphRunner(play, [SECOND], reflector=RuleReflector()).run("count")
    assert asked[0] == "count" and result.stop_type is StopType.COMPLETION
    assert asked[1].startswith("count\n\n## ") and "keywords: does not mention second" in asked[1]
    assert "Mend what keywords found: does not mention second" in asked[1]
    assert "it failed with ValueError: no pen" in asked[2] and "does not mention" not in asked[2]
    assert [learnt["iteration"] for learnt in result.reflections] == [1, 2]
    assert result.reflections[0]["suggestions"] == ["Mend what keywords found: does not mention second"]


LESSON = Lesson("s", ("do this",))


class Learns:
    """A reflector of a test's own, which keeps what it was given."""

    def __init__(self, lesson: Any = LESSON) -> None:
        self.lesson = lesson
        self.given: list[tuple[str, Sequence[Evidence], int, str]] = []

    def reflect(
        self, input: str, output: str, evidence: Sequence[Evidence], history: Sequence[Lesson], level: str
    ) -> Lesson:
        self.given.append((output, evidence, len(history), level))
        if isinstance(self.lesson, BaseException):
            raise self.lesson
        return self.lesson  # type: ignore[no-any-return]


def test_it_reflects_on_failures_only() -> None:
    learns = Learns()
    RalphRunner(plays("first", OSError("gone"), "second")[0], [SECOND], reflector=learns).run("q")
    assert [(output, seen) for output, _, seen, _ in learns.given] == [("first", 0), ("", 1)]
    assert learns.given[1][1][0].issues[0].message == "OSError: gone"
    switched_off = RalphConfig(reflection=ReflectionConfig(enabled=False))
    nothing = Learns()
    result = RalphRunner(plays("first", "second")[0], [SECOND], switched_off, nothing).run("q")
    assert not nothing.given and not result.reflections and result.iterations == 2


@pytest.mark.parametrize("wrong", [RuntimeError("dim"), None, "try harder"])
def test_a_reflector_that_fails_loses_nothing(wrong: Any) -> None:
    play, asked = plays("first", "second")
    result = RalphRunner(play, [SECOND], reflector=Learns(wrong)).run("q")
    assert result.stop_type is StopType.COMPLETION and "by rules" in result.reflections[0]["summary"]
    assert "Mend what keywords found" in asked[1]


def test_the_history_of_reflections_is_capped() -> None:
    learns = Learns()
    config = RalphConfig(
        reflection=ReflectionConfig(max_history=2, level="deep"), stop_condition=StopConditionConfig(max_iterations=5)
    )
    result = RalphRunner(plays("first")[0], [SECOND], config, learns).run("q")
    assert [(seen, level) for _, _, seen, level in learns.given] == [(n, "deep") for n in (0, 1, 2, 2, 2)]
    assert [learnt["iteration"] for learnt in result.reflections] == [4, 5]
    assert len(result.state["reflection_history"]) == 2


@pytest.mark.parametrize(
    ("conditions", "outputs", "expected", "reason"),
    [
        ({"max_iterations": 4}, ["first"], StopType.MAX_ITERATIONS, "within 4 iterations"),
        ({"timeout": 1e-9}, ["first"], StopType.TIMEOUT, "are used"),
        ({"max_cost": 0.25}, [Execution("first", Usage(1, usd=0.1))], StopType.MAX_COST, "$0.3000 of $0.25"),
        ({}, [ValueError("no pen")], StopType.MAX_CONSECUTIVE_FAILURES, "ValueError: no pen"),
        ({"max_consecutive_failures": 2}, [""], StopType.MAX_CONSECUTIVE_FAILURES, "it returned nothing"),
        ({"max_consecutive_failures": 1}, [7], StopType.MAX_CONSECUTIVE_FAILURES, "it returned int"),
        ({"score_threshold": 0.4}, ["first"], StopType.SCORE_THRESHOLD, "reached 0.4"),
    ],
)
def test_each_stop_has_its_type_and_reason(
    conditions: dict[str, Any], outputs: list[Any], expected: StopType, reason: str
) -> None:
    config = RalphConfig(ValidationConfig(min_score_threshold=0.8), stop_condition=StopConditionConfig(**conditions))
    result = RalphRunner(plays(*outputs)[0], [KeywordScorer(["first", "second"])], config).run("q")
    assert result.stop_type is expected and reason in result.reason
    assert result.stop_type.is_success() == (expected is StopType.SCORE_THRESHOLD)
    assert result.stop_type.is_failure() == (expected is StopType.MAX_CONSECUTIVE_FAILURES)


def test_a_usage_that_is_none_fails_the_attempt_and_is_not_booked() -> None:
    def execute(order: str) -> Execution:
        return Execution("second", Usage(1, usd=-5.0))

    def forged(order: str) -> Execution:
        return Execution("second", {"usd": -5})  # type: ignore[arg-type]

    for function, why in (
        (execute, "usd must be a finite number of at least 0"),
        (forged, "usage is a Usage, not dict"),
    ):
        result = RalphRunner(function, [SECOND], stops(max_cost=0.25)).run("q")
        assert result.stop_type is StopType.MAX_CONSECUTIVE_FAILURES and why in result.reason
        assert result.state["cumulative_cost"] == 0


def test_a_failure_between_successes_does_not_stop_it() -> None:
    play, asked = plays(ValueError(), ValueError(), "first", ValueError(), ValueError(), "second")
    result = RalphRunner(play, [SECOND]).run("q")
    assert result.stop_type is StopType.COMPLETION and len(asked) == 6
    assert (result.state["failed_steps"], result.state["successful_steps"]) == (4, 2)


def test_a_function_may_fail_twice_in_the_same_way() -> None:
    """As in the example of the source: the same weak answer twice, then a good one. Others ask for more."""
    assert RalphRunner(plays("first", "first", "second")[0], [SECOND]).run("q").iterations == 3
    stalled = RalphRunner(plays("first", "first", "second")[0], [SECOND], detectors=standard_detectors()).run("q")
    assert (stalled.stop_type, stalled.iterations) == (StopType.STALLED, 2)
    worse: list[Any] = [RegressingDetector(), MaxIterationDetector()]
    worst = RalphRunner(plays("a")[0], [valued(0.4, 0.3, 0.2, 0.1)], detectors=worse).run("q")
    assert (worst.stop_type, worst.iterations, worst.scores) == (StopType.REGRESSING, 3, {"valued": 0.4})


def test_the_best_output_is_returned() -> None:
    play, _ = plays("a", "b", "c", RuntimeError("late"))
    result = RalphRunner(play, [valued(0.1, 0.4, 0.2)], stops(max_iterations=4)).run("q")
    assert (result.output, result.scores) == ("b", {"valued": 0.4}) and result.stop_type is StopType.MAX_ITERATIONS


def test_a_result_says_all_of_a_run() -> None:
    config = RalphConfig(metadata={"ticket": 7})
    result = RalphRunner(plays("first", "second")[0], [SECOND], config, RuleReflector()).run("count")
    state = result.state
    assert state["question"] == "count" and state["iteration"] == 2 and state["metadata"] == {"ticket": 7}
    assert state["score_history"] == [{"keywords": 0.0}, {"keywords": 1.0}] and state["elapsed"] >= 0
    assert state["halt"] == {"type": StopType.COMPLETION, "detail": "every check passed"}
    assert RalphRunner(plays(ValueError())[0], [SECOND]).run("q").output == ""
    assert repr(RalphRunner(plays("")[0], [SECOND])).startswith("RalphRunner(scorers=1, config=RalphConfig(")


def test_cost_and_tokens_are_really_recorded() -> None:
    """What the function says it spent, and what the models of scorer and reflector spent."""
    events: list[AnyEvent] = []
    ledger = Ledger(Budget())
    weak = text_reply('{"score": 0.2, "reason": "vague"}', usage=Usage(input_tokens=30, output_tokens=3, usd=0.03))
    good = text_reply('{"score": 0.9, "reason": "clear"}', usage=Usage(input_tokens=30, output_tokens=3, usd=0.03))
    learnt = text_reply(
        '{"summary": "s", "suggestions": ["x"]}', usage=Usage(input_tokens=5, output_tokens=5, usd=0.01)
    )
    runner = RalphRunner(
        plays(Execution("first", Usage(1, 100, 10, usd=0.5)), Execution("second", Usage(1, 100, 10, usd=0.25)))[0],
        [JudgeScorer(ScriptedModel([weak, good]), "Is it clear?")],
        reflector=ModelReflector(ScriptedModel([learnt])),
        sink=events.append,
        ledger=ledger,
    )
    state = runner.run("q").state
    assert state["cumulative_cost"] == pytest.approx(0.75 + 0.06 + 0.01) and state["total_tokens"] == 220 + 66 + 10
    assert ledger.spent.usd == pytest.approx(0.82) and ledger.spent.calls == 5
    finished = [event for event in events if isinstance(event, CallFinished)]
    assert [event.agent for event in finished] == ["execute", "scorer", "reflector", "execute", "scorer"]
    assert len({event.number for event in finished}) == 5


def test_a_cost_that_is_unknown_keeps_no_cap() -> None:
    """Neither that of the configuration nor that of a ledger; the attempt that was made is scored and kept."""
    unknown = Execution("first", Usage(1, usd=None))
    result = RalphRunner(plays(unknown)[0], [SECOND], stops(max_cost=1)).run("q")
    assert (result.stop_type, result.iterations, result.output) == (StopType.MAX_COST, 1, "first")
    assert result.reason.startswith("the cost limit of $1 cannot be enforced")
    judge = JudgeScorer(ScriptedModel([text_reply('{"score": 0, "reason": ""}', usage=Usage(usd=None))] * 9), "?")
    judged = RalphRunner(plays("first")[0], [judge], stops(max_cost=1)).run("q")
    assert (judged.stop_type, judged.iterations) == (StopType.MAX_COST, 1)
    shared = RalphRunner(plays(unknown)[0], [SECOND], ledger=Ledger(Budget(usd=1.0))).run("q")
    assert (shared.stop_type, shared.output) == (StopType.MAX_COST, "first") and "unknown" in shared.reason
    good = RalphRunner(plays(Execution("second", Usage(1, usd=None)))[0], [SECOND], stops(max_cost=1)).run("q")
    assert good.stop_type is StopType.COMPLETION
    uncapped = RalphRunner(plays(unknown)[0], [SECOND], stops(max_iterations=3)).run("q")
    assert uncapped.stop_type is StopType.MAX_ITERATIONS


def test_a_ledger_ends_the_run_before_the_next_call() -> None:
    ledger = Ledger(Budget(calls=2))
    result = RalphRunner(plays(Execution("first", Usage(1)))[0], [SECOND], ledger=ledger).run("q")
    assert (result.stop_type, result.iterations, result.output) == (StopType.MAX_CALLS, 2, "first")
    spent = RalphRunner(plays(LimitExceeded("cost", cap=1, spent=2))[0], [SECOND]).run("q")
    assert spent.stop_type is StopType.MAX_COST
    judge = JudgeScorer(ScriptedModel([text_reply('{"score": 0, "reason": ""}')] * 9), "?")
    judged = RalphRunner(plays("first")[0], [judge], ledger=Ledger(Budget(calls=3))).run("q")
    assert (judged.stop_type, judged.iterations) == (StopType.MAX_CALLS, 3)


def test_the_state_is_the_fold_of_the_events() -> None:
    events: list[AnyEvent] = []
    usage = Usage(1, 7, 1, usd=0.5)
    play, _ = plays(Execution("first", usage), ValueError(), Execution("second", usage))
    result = RalphRunner(play, [SECOND], reflector=RuleReflector(), sink=events.append).run("count")
    plain = fold(events).to_dict()
    for key in set(plain) - {"elapsed"}:
        assert result.state[key] == plain[key], key
    assert plain["cumulative_cost"] == 1.0


def test_scorers_are_chosen_by_name() -> None:
    config = RalphConfig(ValidationConfig(scorer_names=("length",)))
    assert RalphRunner(plays("first")[0], [SECOND, LengthScorer(3)], config).run("q").scores == {"length": 1.0}
    with pytest.raises(ValueError, match=r"scorer_names has unknown names .length"):
        RalphRunner(plays("")[0], [SECOND], config)
    with pytest.raises(ValueError, match="a name of its own: keywords"):
        RalphRunner(plays("")[0], [SECOND, SECOND])


@pytest.mark.parametrize(
    ("scorers", "config"),
    [
        ([], stops(max_iterations=3)),
        ([SECOND], RalphConfig(ValidationConfig(enabled=False), stop_condition=StopConditionConfig(max_iterations=3))),
    ],
)
def test_nothing_scored_is_never_accepted(scorers: list[Any], config: RalphConfig) -> None:
    events: list[AnyEvent] = []
    result = RalphRunner(plays("second")[0], scorers, config, RuleReflector(), sink=events.append).run("q")
    assert (result.stop_type, result.output, result.scores) == (StopType.MAX_ITERATIONS, "second", {})
    assert [event.code for event in events if isinstance(event, NoticeIssued)] == [
        "no-scorers"
    ] and not result.reflections


def test_the_mean_must_reach_the_threshold_too() -> None:
    def lenient(input: str, output: str) -> Score:
        return Score(0.1, passed=True)

    result = RalphRunner(plays("a")[0], [lenient], stops(max_iterations=2)).run("q")
    assert result.stop_type is StopType.MAX_ITERATIONS and result.scores == {"lenient": 0.1}
    result = RalphRunner(plays("a")[0], [lenient], stops(score_threshold=0.1)).run("q")
    assert result.stop_type is StopType.SCORE_THRESHOLD and result.iterations == 1
    with pytest.raises(ValueError, match="mean score"):
        RalphRunner(plays("a")[0], [KeywordScorer(["a"], name="mean score")])


def test_a_scorer_that_breaks_has_not_passed_and_the_loop_goes_on() -> None:
    """Neither an error nor a hanging scorer ends the run, and neither is told to the function as its fault."""
    left = [RuntimeError("down"), None]
    never = threading.Event()

    def flaky(input: str, output: str) -> float:
        error = left.pop(0) if left else 1.0
        if isinstance(error, RuntimeError):
            raise error
        return 1.0 if error else float(never.wait())

    play, asked = plays("fine")
    config = RalphConfig(ValidationConfig(timeout=0.5))
    result = RalphRunner(play, [flaky, LengthScorer(1)], config, RuleReflector()).run("q")
    never.set()
    assert (result.stop_type, result.iterations) == (StopType.COMPLETION, 3) and asked == ["q", "q", "q"]
    assert result.state["score_history"][:2] == [{"flaky": 0.0, "length": 1.0}] * 2


def test_a_provider_that_is_down_is_a_failed_attempt() -> None:
    result = RalphRunner(plays(ProviderError("down", code="x"), "second")[0], [SECOND]).run("q")
    assert result.stop_type is StopType.COMPLETION


def test_an_interrupt_stops_after_the_attempt_in_progress() -> None:
    runner: RalphRunner

    def interrupted(input: str) -> str:
        other = threading.Thread(target=runner.interrupt)
        other.start()
        other.join()
        return "first"

    for allowed, expected in ((True, StopType.USER_INTERRUPTED), (False, StopType.MAX_ITERATIONS)):
        config = stops(max_iterations=2, enable_user_interrupt=allowed)
        for detectors in (None, [MaxIterationDetector()]):
            runner = RalphRunner(interrupted, [SECOND], config, detectors=detectors)
            result = runner.run("q")
            assert (result.stop_type, result.output) == (expected, "first")
            assert result.iterations == (1 if allowed else 2)


def test_an_interrupt_is_for_one_run() -> None:
    runner = RalphRunner(plays("first")[0], [SECOND], stops(max_iterations=2, enable_user_interrupt=True))
    runner.interrupt()
    assert runner.run("q").stop_type is StopType.USER_INTERRUPTED
    assert runner.run("q").stop_type is StopType.MAX_ITERATIONS


@pytest.mark.parametrize("where", ["execute", "scorer", "reflector"])
def test_control_c_keeps_what_there_is(where: str) -> None:
    calls = 0

    def strikes(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise KeyboardInterrupt
        return 0.0 if where == "scorer" else "first"

    reflector = Learns(KeyboardInterrupt()) if where == "reflector" else None
    execute = strikes if where == "execute" else plays("first")[0]
    result = RalphRunner(execute, [strikes if where == "scorer" else SECOND], reflector=reflector).run("q")
    assert result.stop_type is StopType.USER_INTERRUPTED
    assert result.output == ("" if where == "reflector" else "first")


class Reflects:
    async def reflect(
        self, input: str, output: str, evidence: Sequence[Evidence], history: Sequence[Lesson], level: str
    ) -> Lesson:
        await asyncio.sleep(0)
        return Lesson("s", ("say second",))


class Never:
    async def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        return StopDecision(False)


def test_everything_may_be_asynchronous() -> None:
    loops: set[int] = set()

    async def execute(input: str) -> Execution:
        loops.add(id(asyncio.get_running_loop()))
        return Execution("second" if "say second" in input else "first", Usage(usd=0.5))

    async def score(input: str, output: str) -> float:
        await asyncio.sleep(0)
        return float(output == "second")

    detectors: Any = [Never(), MaxIterationDetector()]
    runner = RalphRunner(execute, [score], reflector=Reflects(), detectors=detectors)
    result = runner.run("q")
    assert (result.output, result.stop_type, result.iterations) == ("second", StopType.COMPLETION, 2)
    assert result.state["cumulative_cost"] == 1.0

    async def already_running() -> RalphResult:
        return runner.run("q")

    assert asyncio.run(already_running()).output == "second"
    assert len(loops) == 1, "a client that the function keeps open finds its loop again"


def test_asynchronous_failures_are_failed_attempts() -> None:
    async def execute(input: str) -> str:
        raise OSError("gone")

    async def cancelled(input: str) -> str:
        raise asyncio.CancelledError

    for failing in (execute, cancelled):
        assert RalphRunner(failing, [SECOND]).run("q").stop_type is StopType.MAX_CONSECUTIVE_FAILURES


def test_a_runner_within_a_runner_does_not_wait_for_itself() -> None:
    async def inner(input: str) -> str:
        return "second"

    async def outer(input: str) -> str:
        return RalphRunner(inner, [SECOND]).run(input).output

    assert RalphRunner(outer, [SECOND]).run("q").stop_type is StopType.COMPLETION


class ThreeOf:
    """A detector of a test's own."""

    def __init__(self, said: Callable[[LoopState], Any]) -> None:
        self.said = said

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        return self.said(state)  # type: ignore[no-any-return]


def test_a_detector_of_ones_own() -> None:
    mine = ThreeOf(lambda state: StopDecision(len(state.steps) == 3, StopType.BLOCKED, "enough"))
    result = RalphRunner(plays("first")[0], [SECOND], detectors=[mine, MaxIterationDetector()]).run("q")
    assert (result.stop_type, result.reason, result.iterations) == (StopType.BLOCKED, "enough", 3)
    paid = ThreeOf(lambda state: StopDecision(state.cumulative_cost >= 1, StopType.MAX_COST, "paid"))
    play, _ = plays(Execution("first", Usage(usd=0.5)))
    nested: Any = CompositeDetector([CompositeDetector([paid]), MaxIterationDetector()])
    assert RalphRunner(play, [SECOND], detectors=nested).run("q").iterations == 2


@pytest.mark.parametrize(
    "said",
    [
        lambda state: 1 / 0,
        lambda state: None,
        lambda state: True,
        lambda state: StopDecision(True, StopType.COMPLETION, "done"),
    ],
    ids=["raises", "says nothing", "says no decision", "says done"],
)
def test_a_detector_that_fails_stops_the_loop(said: Callable[[LoopState], Any]) -> None:
    """What was reached is returned all the same, and a detector's word is no completion."""
    result = RalphRunner(plays("first")[0], [SECOND], detectors=[ThreeOf(said), MaxIterationDetector()]).run("q")
    assert result.stop_type is StopType.SYSTEM_ERROR and result.stop_type.is_failure()
    assert "ThreeOf" in result.reason and result.output == "first"


class LaterTimeout(TimeoutDetector):
    """A subclass: what it overrides may never stop."""


class FewerIterations(MaxIterationDetector):
    """Another one."""


@pytest.mark.parametrize(
    ("detectors", "conditions", "bound"),
    [
        ([], {}, False),
        ([ScoreThresholdDetector(), StalledDetector(), RegressingDetector()], {"score_threshold": 0.9}, False),
        ([TimeoutDetector(), CostLimitDetector()], {}, False),
        ([ConsecutiveFailureDetector()], {}, False),
        ([CompositeDetector([CompositeDetector()])], {}, False),
        ([MaxIterationDetector()], {}, True),
        ([TimeoutDetector()], {"timeout": 60}, True),
        ([CostLimitDetector()], {"max_cost": 1}, False),
        ([LaterTimeout(), FewerIterations()], {"timeout": 60}, False),
        ([CompositeDetector([LaterTimeout(), TimeoutDetector()])], {"timeout": 60}, True),
        ([CompositeDetector([StalledDetector(), CompositeDetector([MaxIterationDetector()])])], {}, True),
    ],
)
def test_detectors_without_a_bound_are_refused(detectors: list[Any], conditions: dict[str, Any], bound: bool) -> None:
    """A cap on the cost is none: what a function says it spent may be nothing, or unknown."""

    def make() -> RalphRunner:
        return RalphRunner(plays("first")[0], [SECOND], stops(**conditions), detectors=detectors)

    if bound:
        make()
    else:
        with pytest.raises(ValueError, match="no bound"):
            make()


tries = st.lists(st.one_of(st.none(), st.lists(st.floats(0, 1), min_size=2, max_size=2)), min_size=1, max_size=7)


def played(
    attempts: list[list[float] | None], most: int, threshold: float
) -> tuple[RalphResult, list[AnyEvent], list[str]]:
    """A run whose function fails at None, and whose two scorers else give these values."""
    made = iter([*enumerate(attempts), *((n, None) for n in range(len(attempts), 99))])

    def execute(input: str) -> str:
        number, values = next(made)
        if values is None:
            raise ValueError(str(number))
        return str(number)

    def at(place: int) -> Any:
        def score(input: str, output: str) -> float:
            return (attempts[int(output)] or [0.0, 0.0])[place]

        score.__name__ = f"score {place}"
        return score

    events: list[AnyEvent] = []
    conditions = StopConditionConfig(max_iterations=most, max_consecutive_failures=0)
    config = RalphConfig(ValidationConfig(min_score_threshold=threshold), stop_condition=conditions)
    result = RalphRunner(execute, [at(0), at(1)], config, RuleReflector(), sink=events.append).run("q")
    return result, events, [str(n) for n, values in enumerate(attempts) if values is not None]


@reaches(accepted=0.2)
@examples(max_examples=60, deadline=None)
@given(tries, st.integers(1, 8), st.floats(0, 1))
def test_accepted_means_that_every_scorer_passed(
    attempts: list[list[float] | None], most: int, threshold: float
) -> None:
    result, _, _ = played(attempts, most, threshold)
    good = [n for n, values in enumerate(attempts[:most]) if values and min(values) >= threshold]
    assert (result.stop_type is StopType.COMPLETION) == bool(good)
    if reached("accepted", good):
        assert result.output == str(good[0]) and result.iterations == good[0] + 1
        assert min(result.scores.values()) >= threshold


@examples(max_examples=60, deadline=None)
@given(tries, st.integers(1, 8))
def test_it_always_ends_and_returns_the_best(attempts: list[list[float] | None], most: int) -> None:
    result, events, answered = played(attempts, most, 1.0)
    assert isinstance(events[-1], RunHalted) and 1 <= result.iterations <= most
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    assert len(steps) == result.iterations and result.stop_type is events[-1].halt.type
    made = [fmean(values) for values in attempts[: result.iterations] if values]
    if made:
        assert result.output in answered and fmean(result.scores.values()) == max(made)
    else:
        assert result.output == ""
    assert any(is_accepted(step) for step in steps) == (result.stop_type is StopType.COMPLETION)


def awaited(value: Any) -> Awaitable[Any]:
    async def give() -> Any:
        return value

    return give()


@reaches(measured=0.15)
@examples(max_examples=40, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.floats(0, 1),
            st.sampled_from([0, 1, True, ValueError("x")]),
            st.builds(lambda value: ("later", value), st.floats(0, 1)),
        )
        | st.one_of(st.floats(), st.integers(-2, 2), st.sampled_from([None, "1"])),
        min_size=1,
        max_size=4,
    )
)
def test_no_nonsense_of_a_scorer_is_accepted(given_by: list[Any]) -> None:
    def scorer(number: int, value: Any) -> Any:
        def score(input: str, output: str) -> Any:
            if isinstance(value, Exception):
                raise value
            return awaited(value[1]) if isinstance(value, tuple) else value

        score.__name__ = f"scorer {number}"
        return score

    runner = RalphRunner(plays("x")[0], [scorer(*each) for each in enumerate(given_by)], stops(max_iterations=1))
    values = [value[1] if isinstance(value, tuple) else value for value in given_by]
    numbers = [value for value in values if not isinstance(value, Exception)]
    if not reached("measured", all(isinstance(value, int | float) and 0 <= value <= 1 for value in numbers)):
        with pytest.raises(ConfigError, match="a score is a number between 0 and 1"):
            runner.run("q")
        return
    result = runner.run("q")
    proper = [isinstance(value, int | float) and 0.5 <= value <= 1 for value in values]
    assert (result.stop_type is StopType.COMPLETION) == all(proper)
