"""The outer loop of every mode: halt? - plan - run - analyze - learn, until the contract is met or a detector stops."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import LimitExceeded, RalphError
from ralph_cli.core.events import AnyEvent, EventSink, IterationStarted, RunHalted, StepFinished
from ralph_cli.core.run import Attempt, Evidence, Halt, Lesson, Outcome, Step, StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.decide import decide
from ralph_cli.loop.detectors import StopDetector, standard_detectors
from ralph_cli.loop.state import LoopState

LIMIT_STOP_TYPES = {
    "time": StopType.TIMEOUT,
    "cost": StopType.MAX_COST,
    "calls": StopType.MAX_CALLS,
    "tokens": StopType.MAX_TOKENS,
    "cancelled": StopType.USER_INTERRUPTED,
}


class Mode(Protocol):
    """The part of the loop that differs between qa, task, goal and a wrapped function; the engine does
    everything else.
    """

    def plan(self, state: LoopState) -> str:
        """Return the message for the next attempt: empty at first, later the exact feedback on what failed."""
        ...

    def run(self, message: str, iteration: int) -> Attempt:
        """Make one attempt."""
        ...

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        """Return the evidence of the checks, cheap checks first."""
        ...

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Return the lesson from the attempt, or None if there is nothing to learn. `state` is the state before the
        attempt.
        """
        ...


def run_loop(
    mode: Mode,
    state: LoopState,
    *,
    ledger: Ledger,
    config: StopConditionConfig,
    sink: EventSink,
    detectors: StopDetector | None = None,
    has_result: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run iterations until the contract is met, a detector stops, a budget runs out or a user interrupts.

    Every step goes to `sink`. The outcome has the best step, not the last. Any other error, including a bug, ends the
    run as SYSTEM_ERROR. It is raised again if there is nothing to show: no earlier step, and `has_result` is false for
    the interrupted iteration. Errors that must end the program, such as SystemExit, are always raised. In each case
    RunHalted is the last event.
    """
    stops = standard_detectors() if detectors is None else detectors

    def emit(event: AnyEvent) -> LoopState:
        sink(event)
        return state.apply(event)

    halt, failure = decide(state, config, stops), None
    try:
        while halt is None:
            ledger.check_time()
            order = mode.plan(state)
            state = emit(IterationStarted(len(state.steps) + 1, order))
            attempt = mode.run(order, state.iteration)
            evidence = mode.analyze(attempt)
            state = emit(StepFinished(Step(attempt, evidence, mode.learn(state, attempt, evidence))))
            # Calls are recorded outside the loop; their cost is in the ledger.
            state = replace(state, usage=ledger.spent)
            halt = decide(state, config, stops)
    except LimitExceeded as error:
        halt = Halt(LIMIT_STOP_TYPES.get(error.limit, StopType.SYSTEM_ERROR), error.line)
    except KeyboardInterrupt:
        halt = Halt(StopType.USER_INTERRUPTED, "interrupted")
    except BaseException as error:  # noqa: BLE001 - neither the best attempt nor the journal's end may be lost
        halt, failure = Halt(StopType.SYSTEM_ERROR, _error_message(error)), error
    if failure is None:
        try:
            emit(RunHalted(halt, clock.now()))
        except KeyboardInterrupt:
            pass  # the interrupt is too late to end anything
        except Exception as error:  # noqa: BLE001 - an end that cannot be recorded must not cost the best attempt
            halt, failure = Halt(StopType.SYSTEM_ERROR, _error_message(error)), error
    if failure is None:
        return Outcome(halt, state.best, len(state.steps))
    with suppress(Exception):  # a sink that failed before may fail again; the failure itself is raised below
        emit(RunHalted(halt, clock.now()))
    answered = state.best is not None and state.best.attempt.has_result
    if not isinstance(failure, Exception) or not (answered or has_result()):
        raise failure
    return Outcome(halt, state.best, len(state.steps))


def _error_message(error: BaseException) -> str:
    if isinstance(error, RalphError):
        return error.line
    return f"{type(error).__name__}: {error}".removesuffix(": ")
