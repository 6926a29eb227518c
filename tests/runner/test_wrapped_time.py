"""The time of a wrapped loop: whatever hangs, a run with a timeout ends, and returns the best it has."""

import asyncio
import contextvars
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from ralph_cli.checks.verifier import VerificationResult
from ralph_cli.core.awaiting import CallTimedOut, call_with_timeout
from ralph_cli.core.events import AnyEvent, RunHalted, StepFinished
from ralph_cli.core.run import Evidence, Lesson, StopType
from ralph_cli.loop.config import RalphConfig, StopConditionConfig, ValidationConfig
from ralph_cli.loop.detectors import MaxIterationDetector, StopDecision, StopDetector, standard_detectors
from ralph_cli.loop.state import LoopState
from ralph_cli.runner.runner import RalphRunner
from ralph_cli.runner.scorers import KeywordScorer

ROWS = {"C3": ["test_a_function_that_hangs_does_not_hang_the_run", "test_a_detector_that_hangs_does_not_hang_the_run"]}

SECOND = KeywordScorer(["second"])


@pytest.fixture
def freed() -> Iterator[threading.Event]:
    """What hangs here waits for the end of its test."""
    over = threading.Event()
    yield over
    over.set()


def timed(seconds: float = 0.7, **more: Any) -> RalphConfig:
    return RalphConfig(ValidationConfig(**more), stop_condition=StopConditionConfig(timeout=seconds))


class Hangs:
    """A function whose second call does not come back."""

    def __init__(self, freed: threading.Event) -> None:
        self.freed, self.calls = freed, 0

    def __call__(self, input: str) -> str:
        self.calls += 1
        if self.calls == 2:
            self.freed.wait(20)
        return f"first {self.calls}"


@pytest.mark.parametrize("detectors", [None, [MaxIterationDetector()]], ids=["standard", "none for the time"])
def test_a_function_that_hangs_does_not_hang_the_run(
    freed: threading.Event, detectors: list[StopDetector] | None
) -> None:
    events: list[AnyEvent] = []
    runner = RalphRunner(Hangs(freed), [SECOND], timed(), detectors=detectors, sink=events.append)
    result = runner.run("q")
    assert (result.stop_type, result.output, result.iterations) == (StopType.TIMEOUT, "first 1", 1)
    assert "of 0.7 s are used" in result.reason and "; the function is still running" in result.reason
    assert isinstance(events[-1], RunHalted)


def test_an_asynchronous_function_that_hangs_is_cancelled() -> None:
    cancelled = threading.Event()

    async def hangs(input: str) -> str:
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return "late"

    result = RalphRunner(hangs, [SECOND], timed()).run("q")
    assert (result.stop_type, result.output, result.iterations) == (StopType.TIMEOUT, "", 0)
    assert cancelled.wait(5)


def test_once_the_time_is_over_no_further_call_is_begun(freed: threading.Event) -> None:
    calls: list[str] = []

    def slow(input: str, output: str) -> float:
        return float(freed.wait(20))

    def execute(input: str) -> str:
        calls.append(input)
        return "first"

    result = RalphRunner(execute, [slow], timed(), detectors=[MaxIterationDetector()]).run("q")
    assert (result.stop_type, result.output, len(calls)) == (StopType.TIMEOUT, "first", 1)
    assert result.reason.endswith("of 0.7 s are used")


@pytest.mark.parametrize("parallel", [1, 4])
def test_scorers_that_hang_do_not_hang_the_run(freed: threading.Event, parallel: int) -> None:
    begun: list[str] = []

    def hangs(name: str) -> Any:
        def score(input: str, output: str) -> float:
            begun.append(name)
            return float(freed.wait(20))

        score.__name__ = name
        return score

    result = RalphRunner(lambda input: "an output", [hangs("a"), hangs("b")], timed(parallel=parallel)).run("q")
    assert (result.stop_type, result.output) == (StopType.TIMEOUT, "an output")
    assert result.scores == {"a": 0.0, "b": 0.0} and begun == (["a"] if parallel == 1 else ["a", "b"])


class Reflects:
    """A reflector that hangs."""

    def __init__(self, freed: threading.Event) -> None:
        self.freed = freed

    def reflect(
        self, input: str, output: str, evidence: Sequence[Evidence], history: Sequence[Lesson], level: str
    ) -> Lesson:
        self.freed.wait(20)
        return Lesson("late")


def test_a_reflector_that_hangs_does_not_lose_the_attempt(freed: threading.Event) -> None:
    result = RalphRunner(lambda input: "first", [SECOND], timed(), Reflects(freed)).run("q")
    assert (result.stop_type, result.output, result.iterations) == (StopType.TIMEOUT, "first", 1)
    assert "by rules" in result.reflections[0]["summary"] and "time" in result.reflections[0]["summary"]


class Verifies:
    """A verifier that hangs."""

    def __init__(self, freed: threading.Event) -> None:
        self.freed = freed

    def verify(self, task: str, result: str, iteration: int, previous_results: Sequence[str]) -> VerificationResult:
        self.freed.wait(20)
        return VerificationResult(True)


class VerifiesLater:
    """One that does so while it is awaited."""

    async def verify(
        self, task: str, result: str, iteration: int, previous_results: Sequence[str]
    ) -> VerificationResult:
        await asyncio.sleep(20)
        return VerificationResult(True)


def test_a_verifier_that_hangs_accepts_nothing_and_loses_nothing(freed: threading.Event) -> None:
    verifiers: list[Any] = [Verifies(freed), VerifiesLater()]
    for verifier in verifiers:
        events: list[AnyEvent] = []
        result = RalphRunner(lambda input: "second", [SECOND], timed(), verifier=verifier, sink=events.append).run("q")
        assert (result.stop_type, result.output, result.iterations) == (StopType.TIMEOUT, "second", 1)
        (step,) = [event.step for event in events if isinstance(event, StepFinished)]
        assert step.verification == "failed" and "the run's time limit" in step.evidence[-1].broken


class Detects:
    """A detector that hangs."""

    def __init__(self, freed: threading.Event) -> None:
        self.freed = freed

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        self.freed.wait(20)
        return StopDecision(False)


def test_a_detector_that_hangs_does_not_hang_the_run(freed: threading.Event) -> None:
    detectors: list[StopDetector] = [Detects(freed), MaxIterationDetector()]
    result = RalphRunner(lambda input: "first", [SECOND], timed(), detectors=detectors).run("q")
    assert (result.stop_type, result.output, result.iterations) == (StopType.TIMEOUT, "first", 1)
    assert "; Detects is still running" in result.reason


def test_detectors_are_asked_also_when_the_time_is_over(freed: threading.Event) -> None:
    """In their order, as without anything that hangs: a score that suffices is no timeout."""

    def hangs(input: str, output: str) -> float:
        return float(freed.wait(20))

    checks = ValidationConfig(min_score_threshold=0.9)
    config = RalphConfig(checks, stop_condition=StopConditionConfig(timeout=0.7, score_threshold=0.5))
    result = RalphRunner(lambda input: "second", [SECOND, hangs], config, detectors=standard_detectors()).run("q")
    assert (result.stop_type, result.scores) == (StopType.SCORE_THRESHOLD, {"keywords": 1.0, "hangs": 0.0})


def test_without_a_timeout_everything_is_called_where_run_was_called() -> None:
    threads: list[threading.Thread] = []

    def execute(input: str) -> str:
        threads.append(threading.current_thread())
        return "second"

    class Learns:
        def reflect(
            self, input: str, output: str, evidence: Sequence[Evidence], history: Sequence[Lesson], level: str
        ) -> Lesson:
            threads.append(threading.current_thread())
            return Lesson("s")

    class Detected:
        def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
            threads.append(threading.current_thread())
            return StopDecision(False)

    config = RalphConfig(stop_condition=StopConditionConfig(max_iterations=1))
    RalphRunner(execute, [KeywordScorer(["x"])], config, Learns(), detectors=[Detected(), MaxIterationDetector()]).run(
        "q"
    )
    assert threads == [threading.current_thread()] * 3


def test_what_is_called_on_a_thread_has_the_callers_context_and_raises_there() -> None:
    mark = contextvars.ContextVar("mark", default="none")
    mark.set("here")
    result = RalphRunner(lambda input: f"second {mark.get()}", [SECOND], timed(60)).run("q")
    assert (result.stop_type, result.output) == (StopType.COMPLETION, "second here")

    def strikes(input: str) -> str:
        raise KeyboardInterrupt

    assert RalphRunner(strikes, [SECOND], timed(60)).run("q").stop_type is StopType.USER_INTERRUPTED

    def leaves(input: str) -> str:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        RalphRunner(leaves, [SECOND], timed(60)).run("q")

    def late(input: str) -> str:
        raise TimeoutError("the database is slow")

    failed = RalphRunner(late, [SECOND], timed(60)).run("q")
    assert failed.stop_type is StopType.MAX_CONSECUTIVE_FAILURES and "the database is slow" in failed.reason


def test_a_call_within_its_time_gives_what_it_gives(freed: threading.Event) -> None:
    assert call_with_timeout(lambda: 7, 5) == 7
    with pytest.raises(CallTimedOut):
        call_with_timeout(lambda: freed.wait(20), 0.05)
    with pytest.raises(ZeroDivisionError):
        call_with_timeout(lambda: 1 / 0, 5)


@pytest.mark.parametrize("seconds", [1e10, 1e300])
def test_a_time_longer_than_a_system_can_wait_is_no_limit(seconds: float) -> None:
    async def second(input: str) -> str:
        return "second"

    config = RalphConfig(ValidationConfig(timeout=seconds), stop_condition=StopConditionConfig(timeout=seconds))
    result = RalphRunner(second, [SECOND], config).run("q")
    assert (result.stop_type, result.iterations) == (StopType.COMPLETION, 1)
