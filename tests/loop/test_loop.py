"""The outer loop on a mode without models: when it stops, what it returns, what a fold of its events gives."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reached import reached, reaches

from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.events import AnyEvent, IterationStarted, RunHalted, StepFinished
from ralph_cli.core.model import Usage
from ralph_cli.core.run import (
    SKIPPED_VERIFIER_CHECK,
    Absence,
    Attempt,
    Claim,
    Evidence,
    Halt,
    Issue,
    Lesson,
    Outcome,
    Quote,
    Ruling,
    Step,
    StopType,
    Verdict,
)
from ralph_cli.loop.config import RalphConfig, ReflectionConfig, StopConditionConfig, ValidationConfig
from ralph_cli.loop.decide import decide, is_accepted
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
    UserInterruptDetector,
    standard_detectors,
)
from ralph_cli.loop.engine import run_loop
from ralph_cli.loop.state import LoopState, fold

QUOTE = Quote(1, "words", 0, 5, 1, "1", "exact", 1, "words")


def attempt(text: str = "a claim", *, finished: bool = True) -> Attempt:
    return Attempt((Claim(1, text, (1,)),), (QUOTE,), finished=finished)


def evidence(*, passed: bool, why: str = "no") -> tuple[Evidence, ...]:
    verdict = Verdict.SUPPORTED if passed else Verdict.NOT
    issues = () if passed else (Issue("judge", why, 1),)
    return (Evidence("judge", issues, (Ruling(1, verdict, why, "j"),)),)


class Listed:
    """A mode that plays given steps; an exception in the list is raised."""

    def __init__(self, *steps: tuple[Attempt, tuple[Evidence, ...]] | BaseException) -> None:
        self.steps = list(steps)
        self.found: tuple[Evidence, ...] = ()

    def plan(self, state: LoopState) -> str:
        return str(len(state.steps))

    def run(self, order: str, iteration: int) -> Attempt:
        step = self.steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        self.found = step[1]
        return step[0]

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        return self.found

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        return Lesson("tried") if not is_accepted(Step(attempt, evidence)) else None


def run(mode: Listed, **stops: Any) -> tuple[Outcome, list[AnyEvent]]:
    events: list[AnyEvent] = []
    config = StopConditionConfig(**stops)
    return run_loop(mode, LoopState(), ledger=Ledger(Budget()), config=config, sink=events.append), events


@pytest.mark.parametrize(
    ("step", "ok"),
    [
        (Step(attempt(), evidence(passed=True)), True),
        (Step(attempt(finished=False), evidence(passed=True)), False),
        (Step(attempt(), evidence(passed=False)), False),
        (Step(attempt(), ()), False),
    ],
    ids=["done and checked", "checked but not done", "done but a check fails", "done but nothing was checked"],
)
def test_done_needs_a_claim_and_evidence(step: Step, ok: bool) -> None:
    assert is_accepted(step) is ok


def test_it_goes_on_until_a_step_passes() -> None:
    outcome, events = run(Listed((attempt("one"), evidence(passed=False)), (attempt("two"), evidence(passed=True))))
    assert outcome.ok and outcome.iterations == 2 and outcome.best is not None
    assert outcome.best.attempt.claims[0].text == "two"
    assert [event.number for event in events if isinstance(event, IterationStarted)] == [1, 2]
    assert isinstance(events[-1], RunHalted)


def test_an_absence_that_passes_is_its_own_reason() -> None:
    absent = Attempt(absence=Absence(("x",)), finished=True)
    outcome, _ = run(Listed((absent, (Evidence("form"),))))
    assert outcome.halt.type is StopType.ABSENT and not outcome.ok


def test_a_verification_that_was_skipped_is_in_the_reason() -> None:
    absent = Attempt(absence=Absence(("x",)), finished=True)
    for made in (attempt(), absent):
        outcome, _ = run(Listed((made, (Evidence("form"), Evidence(SKIPPED_VERIFIER_CHECK)))))
        assert outcome.halt.detail.endswith("; the verifier was skipped on this last iteration")
    outcome, _ = run(Listed((attempt(), (Evidence("form"), Evidence("verifier")))))
    assert outcome.halt.detail == "every check passed"


def test_a_check_that_broke_ends_the_run_unjudged() -> None:
    outcome, _ = run(Listed((attempt(), (Evidence("form"), Evidence("judge", broken="down")))))
    assert outcome.halt.type is StopType.UNJUDGED


def test_a_budget_and_an_interrupt_keep_the_best_step() -> None:
    for error, reason in (
        (LimitExceeded("cost", cap=1, spent=1), StopType.MAX_COST),
        (KeyboardInterrupt(), StopType.USER_INTERRUPTED),
    ):
        outcome, events = run(Listed((attempt(), evidence(passed=False)), error))
        assert outcome.halt.type is reason and outcome.best is not None and isinstance(events[-1], RunHalted)


def test_an_error_is_recorded_as_the_end_and_raised() -> None:
    events: list[AnyEvent] = []
    with pytest.raises(ProviderError):
        mode = Listed(ProviderError("down", code="x"))
        config = StopConditionConfig()
        run_loop(mode, LoopState(), ledger=Ledger(Budget()), config=config, sink=events.append)
    last = events[-1]
    assert isinstance(last, RunHalted) and last.halt.type is StopType.SYSTEM_ERROR


class Bug(Exception):
    """What nobody foresaw."""


@pytest.mark.parametrize("where", ["run", "analyze", "learn", "plan"])
def test_a_bug_loses_neither_the_best_attempt_nor_the_end_of_the_journal(where: str) -> None:
    mode = Listed((attempt("one"), evidence(passed=False)), (attempt("two"), evidence(passed=False)))
    whole, calls = getattr(mode, where), []

    def breaks_later(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 2:
            raise Bug("no such key")
        return whole(*given)

    setattr(mode, where, breaks_later)
    outcome, events = run(mode)
    assert outcome.halt == Halt(StopType.SYSTEM_ERROR, "Bug: no such key") and outcome.iterations == 1
    assert outcome.best is not None and outcome.best.attempt.claims[0].text == "one"
    assert isinstance(events[-1], RunHalted) and events[-1].halt == outcome.halt


@pytest.mark.parametrize("first", [None, (Attempt(error="it broke"), ())], ids=["nothing", "nothing that answered"])
@pytest.mark.parametrize("error", [Bug("no such key"), ProviderError("down", code="x")])
def test_without_an_attempt_that_answered_it_is_raised_again(first: Any, error: Exception) -> None:
    events: list[AnyEvent] = []
    mode = Listed(*([first] if first else []), error)
    with pytest.raises(type(error)) as caught:
        run_loop(mode, LoopState(), ledger=Ledger(Budget()), config=StopConditionConfig(), sink=events.append)
    assert caught.value is error
    assert isinstance(events[-1], RunHalted) and events[-1].halt.type is StopType.SYSTEM_ERROR


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit()])
def test_what_must_end_the_program_does_so_after_the_end_is_recorded(error: BaseException) -> None:
    events: list[AnyEvent] = []
    mode = Listed((attempt(), evidence(passed=False)), error)
    with pytest.raises(type(error)):
        run_loop(mode, LoopState(), ledger=Ledger(Budget()), config=StopConditionConfig(), sink=events.append)
    last = events[-1]
    assert isinstance(last, RunHalted) and last.halt.type is StopType.SYSTEM_ERROR
    assert last.halt.detail.startswith(type(error).__name__)


def test_a_sink_that_fails_from_then_on_does_not_lose_the_best_attempt() -> None:
    heard: list[AnyEvent] = []

    def sink(event: AnyEvent) -> None:
        if len(heard) == 3:
            raise OSError("no space left")
        heard.append(event)

    mode = Listed((attempt(), evidence(passed=False)), (attempt("two"), evidence(passed=True)))
    outcome = run_loop(mode, LoopState(), ledger=Ledger(Budget()), config=StopConditionConfig(), sink=sink)
    assert outcome.halt == Halt(StopType.SYSTEM_ERROR, "OSError: no space left") and outcome.best is not None


def test_a_run_whose_end_cannot_be_recorded_keeps_its_attempt_and_is_not_accepted() -> None:
    def sink(event: AnyEvent) -> None:
        if isinstance(event, RunHalted):
            raise OSError("no space left")

    mode = Listed((attempt(), evidence(passed=True)))
    outcome = run_loop(mode, LoopState(), ledger=Ledger(Budget()), config=StopConditionConfig(), sink=sink)
    assert outcome.halt == Halt(StopType.SYSTEM_ERROR, "OSError: no space left")
    assert outcome.best is not None and not outcome.ok


outcomes = st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=6, max_size=6)


@reaches(accepted=0.3)
@given(outcomes, st.integers(1, 5))
def test_it_always_ends_within_its_iterations_with_the_best_step(said: list[tuple[str, bool]], most: int) -> None:
    mode = Listed(*((attempt(text), evidence(passed=passed, why=text)) for text, passed in said))
    outcome, events = run(mode, max_iterations=most, patience=0)
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    assert 1 <= len(steps) <= most and outcome.iterations == len(steps)
    assert outcome.ok == is_accepted(steps[-1])
    assert outcome.best in steps
    if reached("accepted", any(is_accepted(step) for step in steps)):
        assert outcome.best is not None and is_accepted(outcome.best)


@given(outcomes, st.integers(0, 12))
def test_a_fold_of_a_prefix_and_then_the_rest_is_the_whole(said: list[tuple[str, bool]], cut: int) -> None:
    mode = Listed(*((attempt(text), evidence(passed=passed, why=text)) for text, passed in said))
    _, events = run(mode, max_iterations=6)
    half = fold(events[:cut])
    for event in events[cut:]:
        half = half.apply(event)
    assert half == fold(events)


def test_decide_is_asked_before_the_first_attempt() -> None:
    assert decide(LoopState(), StopConditionConfig(), standard_detectors()) is None


def test_a_ledger_refuses_the_call_that_would_overspend_and_gives_promises_back() -> None:
    ledger = Ledger(Budget(usd=1.0))
    with ledger.reserve(0.6) as book:
        with pytest.raises(LimitExceeded), ledger.reserve(1.1):
            pass
        book(Usage(calls=1, usd=0.1))
    with ledger.reserve(0.6) as book:
        book(Usage(calls=1, usd=0.2))
    assert ledger.spent.calls == 2 and ledger.spent.usd == pytest.approx(0.3)


UNKNOWN = "the cost limit of \\$1 cannot be enforced: the price of a call is unknown"


def test_a_ledger_with_a_cap_refuses_to_go_on_once_a_price_is_unknown() -> None:
    ledger = Ledger(Budget(usd=1.0))
    with ledger.reserve(None) as book:
        book(Usage(calls=1, usd=None))
    for worst in (None, 0.0, 0.1):
        with pytest.raises(LimitExceeded, match=UNKNOWN) as caught, ledger.reserve(worst):
            pass
    assert caught.value.limit == "cost" and "price" in caught.value.hint
    uncapped = Ledger(Budget())
    for _ in range(2):
        with uncapped.reserve(None) as book:
            book(Usage(calls=1, usd=None))
    assert uncapped.spent == Usage(calls=2, usd=None)


def test_an_unknown_bill_counts_as_what_was_promised_and_what_was_known_stays_counted() -> None:
    """The sum is unknown, and said so; the cap is kept all the same."""
    ledger = Ledger(Budget(usd=1.0))
    with ledger.reserve(0.5) as book:
        book(Usage(calls=1, usd=0.4))
    with ledger.reserve(0.3) as book:
        book(Usage(calls=1, usd=None))
    assert ledger.spent == Usage(calls=2, usd=None)
    with ledger.reserve(0.3):
        pass
    with (
        pytest.raises(
            LimitExceeded, match=r"cost limit reached: \$0\.7 of \$1 spent, and the next call may take up to \$0\.4"
        ),
        ledger.reserve(0.4),
    ):
        pass


def test_a_limit_of_any_name_ends_a_run_with_its_reason_and_hint() -> None:
    known = LimitExceeded("cost", cap=1, spent=0, message="the cost is unknown", hint="use another model")
    outcome, _ = run(Listed((attempt(), evidence(passed=False)), known))
    assert outcome.halt == Halt(StopType.MAX_COST, "the cost is unknown - use another model")
    other, _ = run(Listed((attempt(), evidence(passed=False)), LimitExceeded("rows", cap=1, spent=2)))
    assert other.halt == Halt(StopType.SYSTEM_ERROR, "rows limit reached: 2 of 1")


def test_a_ledger_knows_when_the_time_is_over() -> None:
    now = [0.0]
    ledger = Ledger(Budget(seconds=10), monotonic=lambda: now[0])
    ledger.check_time()
    now[0] = 10.0
    with pytest.raises(LimitExceeded, match="time"):
        ledger.check_time()


def test_usage_with_an_unknown_price_stays_unknown() -> None:
    assert (Usage(calls=1, usd=0.5) + Usage(calls=1, usd=None)).usd is None


@pytest.mark.parametrize(
    "wrong",
    [{"usd": -5}, {"usd": float("nan")}, {"usd": float("inf")}, {"usd": "5"}, {"usd": True}, {"calls": -1}]
    + [{name: -1} for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")]
    + [{"characters": 1.5}, {"calls": True}, {"input_tokens": None}],
)
def test_usage_that_would_hide_what_was_spent_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"usage: {next(iter(wrong))} must be a "):
        Usage(**wrong)


def scored(value: float, *, text: str = "a claim", why: str = "no") -> Step:
    return Step(attempt(text), (Evidence("judge", (Issue("judge", f"{why} {value}", 1),), score=value),))


def failed(error: str = "it broke") -> Step:
    return Step(Attempt(error=error), (Evidence("form", (Issue("form", "nothing"),)),))


CASES = [
    (MaxIterationDetector(), {"max_iterations": 2}, [scored(0.1), scored(0.2)], StopType.MAX_ITERATIONS),
    (CostLimitDetector(), {"max_cost": 0.5}, [scored(0.1)], StopType.MAX_COST),
    (TimeoutDetector(), {"timeout": 1e-9}, [scored(0.1)], StopType.TIMEOUT),
    (
        ConsecutiveFailureDetector(),
        {"max_consecutive_failures": 2},
        [scored(1.0), failed(), failed()],
        StopType.MAX_CONSECUTIVE_FAILURES,
    ),
    (ScoreThresholdDetector(), {"score_threshold": 0.8}, [scored(0.8)], StopType.SCORE_THRESHOLD),
    (UserInterruptDetector(lambda: True), {"enable_user_interrupt": True}, [], StopType.USER_INTERRUPTED),
    (StalledDetector(), {}, [scored(0.1), scored(0.1)], StopType.STALLED),
    (StalledDetector(), {}, [scored(0.1, text="one"), scored(0.1, text="two")], StopType.STALLED),
    (RegressingDetector(), {}, [scored(0.9), scored(0.5), scored(0.1)], StopType.REGRESSING),
]


@pytest.mark.parametrize(("detector", "config", "steps", "expected"), CASES, ids=lambda value: type(value).__name__)
def test_each_detector_stops_and_can_be_switched_off(
    detector: Any, config: dict[str, Any], steps: list[Step], expected: StopType
) -> None:
    state = LoopState(steps=tuple(steps), usage=Usage(calls=1, usd=0.5))
    said = detector.check(state, StopConditionConfig(**config))
    assert said and said.stop_type is expected and said.reason
    off = StopConditionConfig(max_iterations=9, max_consecutive_failures=0, patience=0)
    assert not detector.check(state, off)
    assert not detector.check(
        LoopState(), StopConditionConfig(max_iterations=9, timeout=60, max_cost=1, score_threshold=1)
    )


def test_a_refusal_without_a_score_keeps_an_attempt_from_the_threshold() -> None:
    """What one check measured says nothing of what another refused: the loop goes on."""
    full, refused = Evidence("output", score=1.0), Evidence("task_judge", (Issue("task_judge", "a gap"),))
    config = StopConditionConfig(score_threshold=1)
    for items, stops in [((full,), True), ((full, refused), False), ((refused,), False), ((), False)]:
        state = LoopState(steps=(Step(attempt(), items),))
        assert bool(ScoreThresholdDetector().check(state, config)) is stops
    broken = Evidence("verifier", broken="it is down")
    assert Step(attempt(), (full, broken)).score is None and Step(attempt(), (full, refused)).scores == {"output": 1.0}
    both = (Evidence("a", (Issue("a", "low"),), score=0.5), full)
    assert Step(attempt(), both).score == 0.75


def test_the_first_detector_that_stops_decides() -> None:
    both = CompositeDetector([ConsecutiveFailureDetector()]).add(MaxIterationDetector())
    said = both.check(LoopState(steps=(failed(), failed(), failed())), StopConditionConfig(max_iterations=3))
    assert said.stop_type is StopType.MAX_CONSECUTIVE_FAILURES and len(both) == 2 and "it broke" in said.reason
    assert bool(StopDecision(False)) is False


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: StopConditionConfig(max_iterations=0),
        lambda: StopConditionConfig(max_iterations=float("inf")),  # type: ignore[arg-type]
        lambda: StopConditionConfig(timeout=float("inf")),
        lambda: StopConditionConfig(max_cost=float("nan")),
        lambda: StopConditionConfig(timeout=-1),
        lambda: StopConditionConfig(max_cost=-1),
        lambda: StopConditionConfig(score_threshold=2),
        lambda: ValidationConfig(min_score_threshold=1.5),
        lambda: ValidationConfig(parallel=0),
        lambda: ValidationConfig(timeout=-1),
        lambda: ReflectionConfig(level="very"),  # type: ignore[arg-type]
        lambda: ReflectionConfig(max_history=0),
        lambda: StopConditionConfig(max_iterations=2.5),  # type: ignore[arg-type]
        lambda: StopConditionConfig(max_iterations=True),
        lambda: StopConditionConfig(max_iterations="3"),  # type: ignore[arg-type]
        lambda: StopConditionConfig(max_iterations=None),  # type: ignore[arg-type]
        lambda: StopConditionConfig(max_consecutive_failures=1.5),  # type: ignore[arg-type]
        lambda: StopConditionConfig(patience=float("nan")),  # type: ignore[arg-type]
        lambda: StopConditionConfig(timeout="60"),  # type: ignore[arg-type]
        lambda: StopConditionConfig(max_cost=True),
        lambda: StopConditionConfig(score_threshold=float("nan")),
        lambda: StopConditionConfig(enable_user_interrupt="no"),  # type: ignore[arg-type]
        lambda: ReflectionConfig(max_history=1.5),  # type: ignore[arg-type]
        lambda: ReflectionConfig(enabled="no"),  # type: ignore[arg-type]
        lambda: ReflectionConfig(level=["deep"]),  # type: ignore[arg-type]
        lambda: ValidationConfig(parallel=2.5),  # type: ignore[arg-type]
        lambda: ValidationConfig(timeout=float("inf")),
        lambda: ValidationConfig(min_score_threshold="0.5"),  # type: ignore[arg-type]
        lambda: ValidationConfig(scorer_names="length"),  # type: ignore[arg-type]
        lambda: ValidationConfig(scorer_names=(1,)),  # type: ignore[arg-type]
        lambda: ValidationConfig(skip_last_verification=1),  # type: ignore[arg-type]
        lambda: RalphConfig(StopConditionConfig()),  # type: ignore[arg-type]
        lambda: RalphConfig(metadata=None),  # type: ignore[arg-type]
    ],
)
def test_a_configuration_without_sense_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"must be|must not"):
        wrong()


def test_the_defaults_are_those_of_the_design() -> None:
    config = RalphConfig()
    assert config.validation == ValidationConfig(True, (), 0.5, 4, 0.0)
    assert config.reflection == ReflectionConfig(True, "medium", 50)
    assert config.stop_condition == StopConditionConfig(10, 0.0, 0.0, 3, 0.0, False)


def test_success_and_failure_of_a_stop() -> None:
    assert {stop for stop in StopType if stop.is_success()} == {StopType.COMPLETION, StopType.SCORE_THRESHOLD}
    assert {stop for stop in StopType if stop.is_failure()} == {
        StopType.MAX_CONSECUTIVE_FAILURES,
        StopType.SYSTEM_ERROR,
    }


def test_the_state_counts_what_a_checkpoint_needs() -> None:
    steps = (scored(0.2), failed(), Step(attempt(), evidence(passed=True), Lesson("s", ("do",))))
    state = LoopState(steps=steps, usage=Usage(2, 10, 5, usd=0.25))
    assert (state.successful_steps, state.failed_steps, state.consecutive_failures) == (2, 1, 0)
    assert state.success_rate() == pytest.approx(2 / 3) and state.total_tokens == 15 and state.cumulative_cost == 0.25
    assert state.score_history == ({"judge": 0.2},) and state.best_score("judge") == 0.2 and state.latest_score() == {}
    plain = state.to_dict()
    assert plain["reflection_history"] == [{"summary": "s", "suggestions": ("do",)}] and plain["failed_steps"] == 1
    assert LoopState().success_rate() == 0.0 and LoopState().latest_score() == {}
