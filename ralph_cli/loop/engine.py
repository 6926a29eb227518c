"""The one outer loop of every mode: halt? - plan - run - analyze, until `decide` or a bound says stop."""

from typing import Protocol

from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import LimitExceeded, RalphError
from ralph_cli.core.events import AnyEvent, IterationStarted, RunHalted, Sink, StepFinished
from ralph_cli.core.run import Attempt, Evidence, Halt, HaltReason, Outcome, Step
from ralph_cli.loop.decide import decide
from ralph_cli.loop.state import LoopState


class Mode(Protocol):
    """What differs between qa, task and goal; the engine owns everything else."""

    def plan(self, state: LoopState) -> str:
        """What the next attempt is told: empty at first, later the exact feedback on what failed."""
        ...

    def run(self, order: str, iteration: int) -> Attempt:
        """One attempt."""
        ...

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        """What the checks find, cheap ones first."""
        ...


def run_loop(mode: Mode, state: LoopState, *, ledger: Ledger, sink: Sink) -> Outcome:
    """Turn until `decide` says halt, a budget runs out or a person interrupts; every step goes to `sink`.

    The outcome holds the best step, not the last. Errors that are neither a budget nor an interrupt are recorded as
    the run's end and raised again.
    """

    def emit(event: AnyEvent) -> LoopState:
        sink(event)
        return state.apply(event)

    halt = decide(state, ledger.limits.iterations)
    try:
        while halt is None:
            ledger.check_time()
            order = mode.plan(state)
            state = emit(IterationStarted(len(state.steps) + 1, order))
            attempt = mode.run(order, state.iteration)
            state = emit(StepFinished(Step(attempt, mode.analyze(attempt))))
            halt = decide(state, ledger.limits.iterations)
    except LimitExceeded as error:
        halt = Halt(HaltReason.BUDGET, error.message)
    except KeyboardInterrupt:
        halt = Halt(HaltReason.INTERRUPTED, "interrupted")
    except RalphError as error:
        emit(RunHalted(Halt(HaltReason.ERROR, error.message), clock.now()))
        raise
    emit(RunHalted(halt, clock.now()))
    return Outcome(halt, state.best, len(state.steps))
