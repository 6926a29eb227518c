"""Detectors that decide when a loop stops. Each is pluggable; the first one that stops the loop gives the reason."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

from ralph_cli.checks.base import rate_step
from ralph_cli.core.run import StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.state import LoopState
from ralph_cli.text.lexicon import pluralize


@dataclass(frozen=True, slots=True)
class StopDecision:
    """The decision of a detector; truthy if the loop should stop."""

    should_stop: bool
    stop_type: StopType = StopType.NONE
    reason: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.should_stop


CONTINUE = StopDecision(False)


class StopDetector(Protocol):
    """Anything that can decide whether to stop."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        """Return the decision for this state; CONTINUE to continue."""
        ...


class MaxIterationDetector:
    """Stops after the maximum number of iterations."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        if len(state.steps) < config.max_iterations:
            return CONTINUE
        return StopDecision(
            True, StopType.MAX_ITERATIONS, f"not accepted within {pluralize(config.max_iterations, 'iteration')}"
        )


class TimeoutDetector:
    """Stops when the loop's time is over; 0 is no limit."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        if not config.timeout or state.elapsed() < config.timeout:
            return CONTINUE
        return StopDecision(True, StopType.TIMEOUT, f"{state.elapsed():.1f} s of {config.timeout:g} s are used")


class CostLimitDetector:
    """Stops when the cost limit is reached; 0 is no limit."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        if not config.max_cost or state.cumulative_cost < config.max_cost:
            return CONTINUE
        return StopDecision(True, StopType.MAX_COST, f"${state.cumulative_cost:.4f} of ${config.max_cost:g} spent")


class ConsecutiveFailureDetector:
    """Stops after `max_consecutive_failures` consecutive attempts without a result to check; 0 is no limit."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        failures = state.consecutive_failures
        if not config.max_consecutive_failures or failures < config.max_consecutive_failures:
            return CONTINUE
        last = state.steps[-1].attempt.error
        what = f"{failures} attempts in a row failed" + (f", the last with: {last}" if last else "")
        return StopDecision(True, StopType.MAX_CONSECUTIVE_FAILURES, what)


class ScoreThresholdDetector:
    """Stops when the latest attempt reaches the score (see `Step.score`); 0 disables it.

    If a check without a score refused an attempt, the attempt has no score, whatever the other scores are, and the loop
    continues.
    """

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        score = state.steps[-1].score if state.steps else None
        if not config.score_threshold or score is None or score < config.score_threshold:
            return CONTINUE
        return StopDecision(True, StopType.SCORE_THRESHOLD, f"the score {score:.2f} reached {config.score_threshold:g}")


class UserInterruptDetector:
    """Stops when `asked` reports a user's request, if the configuration allows it."""

    def __init__(self, asked: Callable[[], bool]) -> None:
        self._asked = asked

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        if not config.enable_user_interrupt or not self._asked():
            return CONTINUE
        return StopDecision(True, StopType.USER_INTERRUPTED, "interrupted")


class StalledDetector:
    """Stops when the last attempts were equal, or failed for the same reasons; patience 0 disables it."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        last = state.steps[-config.patience :] if config.patience >= 2 else ()
        if len(last) < config.patience or len(last) < 2:
            return CONTINUE
        times = "twice" if len(last) == 2 else f"{len(last)} times in a row"
        attempts = [step.attempt for step in last]
        if attempts[0].has_result and all(attempt == attempts[0] for attempt in attempts):
            return StopDecision(True, StopType.STALLED, f"the same answer failed {times}")
        if last[0].issues and all(step.issues == last[0].issues for step in last):
            why = f": {error}" if (error := last[-1].attempt.error) else ""
            return StopDecision(True, StopType.STALLED, f"the same problems were found {times}{why}")
        return CONTINUE


class RegressingDetector:
    """Stops when each of the last attempts was worse than the one before it; patience 0 disables it."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        last = state.steps[-(config.patience + 1) :]
        if not config.patience or len(last) <= config.patience:
            return CONTINUE
        ranks = [rate_step(step)._replace(fewer_issues=0) for step in last]
        if all(later < earlier for earlier, later in pairwise(ranks)):
            return StopDecision(True, StopType.REGRESSING, f"the attempts got worse {config.patience} times in a row")
        return CONTINUE


class CompositeDetector:
    """Several detectors, asked in order. The first one that stops decides."""

    def __init__(self, detectors: Sequence[StopDetector] = ()) -> None:
        self._detectors = list(detectors)

    def add(self, detector: StopDetector) -> "CompositeDetector":
        """Append a detector, and return this object."""
        self._detectors.append(detector)
        return self

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        """Return the first decision to stop, otherwise CONTINUE."""
        return next(filter(None, (detector.check(state, config) for detector in self._detectors)), CONTINUE)

    def __len__(self) -> int:
        return len(self._detectors)

    def __iter__(self) -> Iterator[StopDetector]:
        return iter(self._detectors)

    def __repr__(self) -> str:
        return f"CompositeDetector(detectors={len(self)})"


def standard_detectors(asked: Callable[[], bool] = lambda: False) -> CompositeDetector:
    """Return the detectors of every mode, in order; the iteration limit is the last of the limits."""
    return CompositeDetector(
        [
            UserInterruptDetector(asked),
            ScoreThresholdDetector(),
            StalledDetector(),
            RegressingDetector(),
            ConsecutiveFailureDetector(),
            CostLimitDetector(),
            TimeoutDetector(),
            MaxIterationDetector(),
        ]
    )
