"""The outer loop on a mode without models: when it stops, what it returns, what a fold of its events gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.budget import Ledger, Limits
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.events import AnyEvent, IterationStarted, RunHalted, StepFinished
from ralph_cli.core.model import Usage
from ralph_cli.core.run import (
    Absence,
    Attempt,
    Claim,
    Evidence,
    HaltReason,
    Issue,
    Outcome,
    Quote,
    Ruling,
    Step,
    Verdict,
)
from ralph_cli.loop.decide import accepted, decide
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


def run(mode: Listed, **limits: int) -> tuple[Outcome, list[AnyEvent]]:
    events: list[AnyEvent] = []
    return run_loop(mode, LoopState(), ledger=Ledger(Limits(**limits)), sink=events.append), events


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
    assert accepted(step) is ok


def test_it_goes_on_until_a_step_passes() -> None:
    outcome, events = run(Listed((attempt("one"), evidence(passed=False)), (attempt("two"), evidence(passed=True))))
    assert outcome.ok and outcome.iterations == 2 and outcome.best is not None
    assert outcome.best.attempt.claims[0].text == "two"
    assert [event.number for event in events if isinstance(event, IterationStarted)] == [1, 2]
    assert isinstance(events[-1], RunHalted)


def test_an_absence_that_passes_is_its_own_reason() -> None:
    absent = Attempt(absence=Absence(("x",)), finished=True)
    outcome, _ = run(Listed((absent, (Evidence("form"),))))
    assert outcome.halt.reason is HaltReason.ABSENT and not outcome.ok


def test_a_check_that_broke_ends_the_run_unjudged() -> None:
    outcome, _ = run(Listed((attempt(), (Evidence("form"), Evidence("judge", broken="down")))))
    assert outcome.halt.reason is HaltReason.UNJUDGED


def test_a_budget_and_an_interrupt_keep_the_best_step() -> None:
    for error, reason in (
        (LimitExceeded("cost", cap=1, spent=1), HaltReason.BUDGET),
        (KeyboardInterrupt(), HaltReason.INTERRUPTED),
    ):
        outcome, events = run(Listed((attempt(), evidence(passed=False)), error))
        assert outcome.halt.reason is reason and outcome.best is not None and isinstance(events[-1], RunHalted)


def test_an_error_is_recorded_as_the_end_and_raised() -> None:
    events: list[AnyEvent] = []
    with pytest.raises(ProviderError):
        run_loop(Listed(ProviderError("down", code="x")), LoopState(), ledger=Ledger(Limits()), sink=events.append)
    last = events[-1]
    assert isinstance(last, RunHalted) and last.halt.reason is HaltReason.ERROR


outcomes = st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=6, max_size=6)


@given(outcomes, st.integers(1, 5))
def test_it_always_ends_within_its_iterations_with_the_best_step(said: list[tuple[str, bool]], most: int) -> None:
    mode = Listed(*((attempt(text), evidence(passed=passed, why=text)) for text, passed in said))
    outcome, events = run(mode, iterations=most)
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    assert 1 <= len(steps) <= most and outcome.iterations == len(steps)
    assert outcome.ok == accepted(steps[-1])
    assert outcome.best in steps
    if any(accepted(step) for step in steps):
        assert outcome.best is not None and accepted(outcome.best)


@given(outcomes, st.integers(0, 12))
def test_a_fold_of_a_prefix_and_then_the_rest_is_the_whole(said: list[tuple[str, bool]], cut: int) -> None:
    mode = Listed(*((attempt(text), evidence(passed=passed, why=text)) for text, passed in said))
    _, events = run(mode)
    half = fold(events[:cut])
    for event in events[cut:]:
        half = half.apply(event)
    assert half == fold(events)


def test_decide_is_asked_before_the_first_attempt() -> None:
    assert decide(LoopState(), 4) is None


def test_a_ledger_refuses_the_call_that_would_overspend_and_gives_promises_back() -> None:
    ledger = Ledger(Limits(usd=1.0))
    with ledger.reserve(0.6) as book:
        with pytest.raises(LimitExceeded), ledger.reserve(0.6):
            pass
        book(Usage(calls=1, usd=0.1))
    with ledger.reserve(0.6) as book:
        book(Usage(calls=1, usd=0.2))
    assert ledger.spent == Usage(calls=2, usd=pytest.approx(0.3))


def test_a_ledger_knows_when_the_time_is_over() -> None:
    now = [0.0]
    ledger = Ledger(Limits(seconds=10), monotonic=lambda: now[0])
    ledger.check_time()
    now[0] = 10.0
    with pytest.raises(LimitExceeded, match="time"):
        ledger.check_time()


def test_usage_with_an_unknown_price_stays_unknown() -> None:
    assert (Usage(calls=1, usd=0.5) + Usage(calls=1, usd=None)).usd is None
