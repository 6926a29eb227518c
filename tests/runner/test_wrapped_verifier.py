"""A verifier in a wrapped loop: it is asked after the scorers, and nothing is accepted without its yes."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from ralph_cli.checks.verifier import LLMVerifier, VerificationResult
from ralph_cli.core.events import AnyEvent, CallFinished, NoticeIssued, StepFinished
from ralph_cli.core.model import Usage
from ralph_cli.core.run import SKIPPED_VERIFIER_CHECK, StopType
from ralph_cli.loop.config import RalphConfig, StopConditionConfig, ValidationConfig
from ralph_cli.loop.detectors import ConsecutiveFailureDetector, MaxIterationDetector, StopDecision, TimeoutDetector
from ralph_cli.loop.state import LoopState
from ralph_cli.providers.metered import turn_text
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.runner.reflect import ModelReflector, RuleReflector
from ralph_cli.runner.runner import RalphRunner
from ralph_cli.runner.scorers import KeywordScorer

ROWS = {
    "B1": ["test_it_is_asked_after_every_scorer_has_passed_and_its_reason_is_told"],
    "B2": ["test_a_verifier_among_the_scorers_is_refused", "test_what_cannot_verify_is_refused"],
    "B4": ["test_the_last_iteration_may_be_left_unverified"],
    "C3": ["test_a_score_threshold_is_not_reached_when_it_refuses"],
    "C7": ["test_a_verifier_alone_may_accept"],
}

YES, NO = VerificationResult(True), VerificationResult(False, "no dates")
SECOND = KeywordScorer(["second"])


class Fits:
    """A verifier of a test's own."""

    def __init__(self, *verdicts: Any) -> None:
        self.verdicts = list(verdicts)
        self.asked: list[tuple[str, str, int, tuple[str, ...]]] = []

    def verify(self, task: str, result: str, iteration: int, previous_results: Sequence[str]) -> VerificationResult:
        self.asked.append((task, result, iteration, tuple(previous_results)))
        verdict = self.verdicts.pop(0)
        if isinstance(verdict, BaseException):
            raise verdict
        return verdict  # type: ignore[no-any-return]


class Counts:
    """A function that says "first", "second", "second again" ... and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, input: str) -> str:
        self.asked.append(input)
        return f"{'first' if len(self.asked) == 1 else 'second'} {len(self.asked)}"


def stops(most: int = 5, *, skip: bool = False, enabled: bool = True) -> RalphConfig:
    checks = ValidationConfig(enabled=enabled, skip_last_verification=skip)
    return RalphConfig(checks, stop_condition=StopConditionConfig(max_iterations=most))


def test_it_is_asked_after_every_scorer_has_passed_and_its_reason_is_told() -> None:
    counts, fits = Counts(), Fits(NO, YES)
    result = RalphRunner(counts, [SECOND], stops(), verifier=fits).run("count")
    assert (result.stop_type, result.output, result.iterations) == (StopType.COMPLETION, "second 3", 3)
    assert fits.asked == [("count", "second 2", 2, ()), ("count", "second 3", 3, ("second 2",))]
    assert "verifier: the verifier says that it is not complete: no dates" in counts.asked[2]
    assert result.scores == {"keywords": 1.0}


def test_a_score_threshold_is_not_reached_when_it_refuses() -> None:
    config = RalphConfig(stop_condition=StopConditionConfig(score_threshold=1.0))
    result = RalphRunner(lambda order: "second", [SECOND], config, verifier=Fits(NO, YES)).run("q")
    assert result.stop_type is StopType.COMPLETION and result.iterations == 2


def test_what_it_says_reaches_the_reflectors() -> None:
    by_rules = RalphRunner(Counts(), config=stops(), reflector=RuleReflector(), verifier=Fits(NO, YES)).run("count")
    assert by_rules.reflections[0]["suggestions"] == [
        "Mend what verifier found: the verifier says that it is not complete: no dates"
    ]
    model = ScriptedModel([text_reply('{"summary": "s", "suggestions": ["add dates"]}')])
    RalphRunner(Counts(), config=stops(), reflector=ModelReflector(model), verifier=Fits(NO, YES)).run("count")
    assert "not complete: no dates" in turn_text(model.requests[0].turns[0])


def test_a_verifier_alone_may_accept() -> None:
    events: list[AnyEvent] = []
    result = RalphRunner(Counts(), config=stops(), verifier=Fits(NO, YES), sink=events.append).run("count")
    assert (result.stop_type, result.output, result.scores) == (StopType.COMPLETION, "second 2", {})
    assert not [event for event in events if isinstance(event, NoticeIssued)]
    never = RalphRunner(Counts(), config=stops(2), verifier=Fits(NO, NO)).run("count")
    assert never.stop_type is StopType.MAX_ITERATIONS


def test_with_validation_off_it_is_not_asked_and_nothing_is_accepted() -> None:
    fits = Fits()
    events: list[AnyEvent] = []
    config = stops(2, enabled=False)
    result = RalphRunner(Counts(), [SECOND], config, verifier=fits, sink=events.append).run("count")
    assert result.stop_type is StopType.MAX_ITERATIONS and not fits.asked
    assert [event.code for event in events if isinstance(event, NoticeIssued)] == ["no-scorers"]


@pytest.mark.parametrize("wrong", [RuntimeError("down"), None, True])
def test_a_verifier_that_fails_is_never_a_pass(wrong: Any) -> None:
    result = RalphRunner(Counts(), [SECOND], stops(), verifier=Fits(wrong)).run("count")
    assert (result.stop_type, result.output) == (StopType.UNJUDGED, "second 2")
    assert "verifier could not be run" in result.reason


def test_the_last_iteration_may_be_left_unverified() -> None:
    for skip, expected in ((False, StopType.MAX_ITERATIONS), (True, StopType.COMPLETION)):
        events: list[AnyEvent] = []
        fits = Fits(NO, NO)
        result = RalphRunner(Counts(), [SECOND], stops(3, skip=skip), verifier=fits, sink=events.append).run("q")
        assert (result.stop_type, result.iterations, len(fits.asked)) == (expected, 3, 1 if skip else 2)
        last = [event.step for event in events if isinstance(event, StepFinished)][-1]
        assert (last.evidence[-1].check == SKIPPED_VERIFIER_CHECK) is skip
    assert ValidationConfig().skip_last_verification is False


def test_what_nothing_has_looked_at_is_not_accepted_on_the_last_iteration() -> None:
    fits = Fits(NO)
    result = RalphRunner(Counts(), config=stops(2, skip=True), verifier=fits).run("q")
    assert result.stop_type is StopType.MAX_ITERATIONS and len(fits.asked) == 1


class MoreIterations(MaxIterationDetector):
    """A subclass, which may stop later than its configuration says."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        return StopDecision(len(state.steps) >= 4, StopType.MAX_ITERATIONS, "four")


def test_only_an_iteration_that_is_the_last_is_left_unverified() -> None:
    """Where no detector ends the run after `max_iterations`, nobody can tell which iteration is the last."""
    conditions = StopConditionConfig(max_iterations=2, timeout=60)
    config = RalphConfig(ValidationConfig(skip_last_verification=True), stop_condition=conditions)
    for detectors in ([TimeoutDetector(), ConsecutiveFailureDetector()], [TimeoutDetector(), MoreIterations()]):
        fits = Fits(NO, NO, YES)
        result = RalphRunner(Counts(), config=config, verifier=fits, detectors=detectors).run("q")
        assert (result.stop_type, result.iterations, len(fits.asked)) == (StopType.COMPLETION, 3, 3)


def test_a_verifier_among_the_scorers_is_refused() -> None:
    verifiers: list[Any] = [Fits(YES), LLMVerifier(ScriptedModel([]))]
    for verifier in verifiers:
        with pytest.raises(TypeError, match=f"{type(verifier).__name__} is a verifier: pass it as verifier="):
            RalphRunner(Counts(), [SECOND, verifier])


@pytest.mark.parametrize("wrong", [ScriptedModel([]), LLMVerifier, lambda text: True])
def test_what_cannot_verify_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="a verifier"):
        RalphRunner(Counts(), [SECOND], verifier=wrong)


def test_its_model_is_metered() -> None:
    events: list[AnyEvent] = []
    cost = Usage(input_tokens=10, output_tokens=5, usd=0.25)
    replies = [text_reply(f'{{"complete": {word}, "reason": "x"}}', usage=cost) for word in ("false", "true")]
    result = RalphRunner(
        Counts(), config=stops(), verifier=LLMVerifier(ScriptedModel(replies)), sink=events.append
    ).run("q")
    assert result.stop_type is StopType.COMPLETION and result.state["cumulative_cost"] == 0.5
    assert [event.agent for event in events if isinstance(event, CallFinished)] == ["verifier", "verifier"]


def test_it_may_be_asynchronous_and_finds_its_loop_again() -> None:
    loops: set[int] = set()

    class Later:
        async def verify(
            self, task: str, result: str, iteration: int, previous_results: Sequence[str]
        ) -> VerificationResult:
            loops.add(id(asyncio.get_running_loop()))
            assert previous_results == ("first 1",) * (iteration - 1)
            return VerificationResult(iteration == 2)

    runner = RalphRunner(Counts(), config=stops(), verifier=Later())
    assert runner.run("q").stop_type is StopType.COMPLETION
    runner = RalphRunner(lambda input: "first 1", config=stops(), verifier=Later())
    assert [runner.run("q").iterations for _ in range(2)] == [2, 2]
    assert len(loops) == 2, "one loop for each runner"
