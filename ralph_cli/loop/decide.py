"""Whether to stop, and why: the completion contract first, then the detectors. Pure but for the clock of the state."""

from ralph_cli.checks.base import all_passed
from ralph_cli.core.run import Halt, Step, StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.detectors import StopDetector
from ralph_cli.loop.state import LoopState


def decide(state: LoopState, config: StopConditionConfig, detectors: StopDetector) -> Halt | None:
    """Why the loop ends here, or None to go on."""
    if not state.steps:
        return None
    last = state.steps[-1]
    if accepted(last):
        if last.attempt.absence is not None:
            return Halt(StopType.ABSENT, "the answer is not in the document, as far as the searches below can tell")
        return Halt(StopType.COMPLETION, "every check passed")
    broken = [evidence for evidence in last.evidence if evidence.broken]
    if broken and not last.issues:
        return Halt(StopType.UNJUDGED, f"{broken[0].check} could not be made: {broken[0].broken}")
    said = detectors.check(state, config)
    return Halt(said.stop_type, said.reason) if said else None


def accepted(step: Step) -> bool:
    """The worker says it is done AND something was checked AND nothing failed; a claim alone never counts."""
    return step.attempt.finished and all_passed(step.evidence)
