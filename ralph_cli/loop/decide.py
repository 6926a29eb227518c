"""Whether to stop, and why. Pure: no clock, no model, no file."""

from ralph_cli.checks.base import all_passed
from ralph_cli.core.run import Halt, HaltReason, Step
from ralph_cli.loop.state import LoopState


def decide(state: LoopState, iterations: int) -> Halt | None:
    """The completion contract first, then the stop rules, then the iteration cap; None means go on."""
    if not state.steps:
        return None
    last = state.steps[-1]
    if accepted(last):
        if last.attempt.absence is not None:
            return Halt(HaltReason.ABSENT, "the answer is not in the document, as far as the searches below can tell")
        return Halt(HaltReason.ACCEPTED, "every claim passed every check")
    broken = [evidence for evidence in last.evidence if evidence.broken]
    if broken and not last.issues:
        return Halt(HaltReason.UNJUDGED, f"{broken[0].check} could not be made: {broken[0].broken}")
    if stalled(state.steps):
        return Halt(HaltReason.STALLED, "the same answer failed twice for the same reasons")
    if len(state.steps) >= iterations:
        return Halt(HaltReason.ITERATIONS, f"not accepted within {iterations} iterations")
    return None


def accepted(step: Step) -> bool:
    """The worker says it is done AND something was checked AND nothing failed; a claim alone never counts."""
    return step.attempt.finished and all_passed(step.evidence)


def stalled(steps: tuple[Step, ...]) -> bool:
    """Whether the last two attempts are the same and failed for the same reasons."""
    return len(steps) >= 2 and steps[-1].attempt == steps[-2].attempt and steps[-1].issues == steps[-2].issues
