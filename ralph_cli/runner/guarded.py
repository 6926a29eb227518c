"""Calls third-party code so that a loop always ends properly, whatever that code does."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ralph_cli.core import clock
from ralph_cli.core.awaiting import POLL_SECONDS, Awaiter, CallTimedOut, call_with_timeout
from ralph_cli.core.budget import unknown_cost_error
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.run import StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.detectors import (
    CompositeDetector,
    CostLimitDetector,
    MaxIterationDetector,
    StopDecision,
    StopDetector,
    TimeoutDetector,
)
from ralph_cli.loop.state import LoopState, StateTracker


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time limit of a run: `timeout` seconds after `started` (monotonic); 0 means no limit."""

    timeout: float
    started: float

    @property
    def end(self) -> float | None:
        """The end of the time limit on the monotonic clock; None without a limit."""
        return self.started + self.timeout if self.timeout else None

    @property
    def has_passed(self) -> bool:
        """Whether the time is over."""
        return self.end is not None and clock.monotonic() >= self.end

    def __call__(self, awaiter: Awaiter, call: Callable[[], object], min_seconds: float = 0.0) -> object:
        """Return the awaited result of `call`. Raises CallTimedOut if it takes longer than the time left and
        `min_seconds`.

        Without a time limit, the call runs on this thread, otherwise on a separate one. If no time is left, it is not
        made.
        """
        if self.end is None:
            return awaiter(call())
        left = max(self.end - clock.monotonic(), min_seconds)
        if left <= 0:
            raise CallTimedOut
        return call_with_timeout(lambda: self.await_value(awaiter, call(), min_seconds), left)

    def await_value(self, awaiter: Awaiter, value: object, min_seconds: float = 0.0) -> object:
        """Return the awaited result of `value`. The wait for the call times out first; then this one is cancelled."""
        if self.end is None:
            return awaiter(value)
        return awaiter(value, max(self.end - clock.monotonic(), min_seconds) + POLL_SECONDS)

    def timeout_error(self, what: str = "") -> LimitExceeded:
        """Return the error for the end of the time limit; `what` is still running."""
        used = clock.monotonic() - self.started
        message = f"{used:.1f} s of {self.timeout:g} s are used" + (f"; {what} is still running" if what else "")
        return LimitExceeded("time", cap=self.timeout, spent=round(used, 1), message=message)


class GuardedDetectors:
    """Detectors that see the usage. A detector that fails or hangs stops the loop. None can declare the work done."""

    def __init__(self, detectors: StopDetector, tracker: StateTracker, awaiter: Awaiter, deadline: Deadline) -> None:
        self._detectors, self._tracker, self._awaiter, self._deadline = detectors, tracker, awaiter, deadline

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        state = replace(state, usage=self._tracker.state.usage)
        for detector in flatten_detectors([self._detectors]):
            if config.max_cost and state.usage.usd is None and isinstance(detector, CostLimitDetector):
                return StopDecision(True, StopType.MAX_COST, unknown_cost_error(config.max_cost).line)
            decision, name = self._ask(detector, state, config), type(detector).__name__
            if isinstance(decision, str):
                return StopDecision(True, StopType.SYSTEM_ERROR, f"{name} failed: {decision}")
            if decision and decision.stop_type in (StopType.COMPLETION, StopType.ABSENT):
                fault = f"{name} said {decision.stop_type.value}, which only passed checks can say"
                return StopDecision(True, StopType.SYSTEM_ERROR, fault)
            if decision:
                return decision
        return StopDecision(False)

    def _ask(self, detector: StopDetector, state: LoopState, config: StopConditionConfig) -> StopDecision | str:
        """Return the decision, or a description of the failure."""
        try:
            # At least a moment: a detector may have to report that the time is over.
            decision = self._deadline(self._awaiter, lambda: detector.check(state, config), min_seconds=POLL_SECONDS)
        except CallTimedOut:
            return StopDecision(True, StopType.TIMEOUT, self._deadline.timeout_error(type(detector).__name__).message)
        except Exception as error:  # noqa: BLE001 - a limit that cannot be checked is no limit, so the loop ends
            return f"{type(error).__name__}: {error}"
        if isinstance(decision, StopDecision):
            return decision
        return f"it returned {type(decision).__name__} instead of a StopDecision"


def flatten_detectors(detectors: Iterable[StopDetector]) -> Iterator[StopDetector]:
    """Yield the detectors in the order in which they are asked, without those that only contain others."""
    for detector in detectors:
        if type(detector) is CompositeDetector:  # a subclass may decide differently from its parts
            yield from flatten_detectors(detector)
        else:
            yield detector


def require_bound(detectors: Sequence[StopDetector], config: StopConditionConfig) -> None:
    """Raise ValueError unless one of the detectors is sure to stop the loop.

    A cost limit is not sure, because the cost may be 0 or unknown. A subclass is not sure, because it may never stop.
    """
    kinds = {type(detector) for detector in flatten_detectors(detectors)}
    if MaxIterationDetector in kinds or (TimeoutDetector in kinds and config.timeout):
        return
    raise ValueError(
        "the detectors set no bound: add MaxIterationDetector(), or TimeoutDetector() with `timeout` in the "
        "configuration (subclasses and a limit on the cost do not count)"
    )
