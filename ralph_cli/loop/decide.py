"""Whether to stop, and why: the completion contract first, then the detectors. Pure but for the clock of the state."""

from ralph_cli.checks.base import all_passed
from ralph_cli.core.run import Halt, Step, StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.detectors import StopDetector
from ralph_cli.loop.state import LoopState

UNASKED = "; the verifier was not asked on this last iteration"


def decide(state: LoopState, config: StopConditionConfig, detectors: StopDetector) -> Halt | None:
    """Why the loop ends here, or None to go on."""
    if not state.steps:
        return None
    last = state.steps[-1]
    if accepted(last):
        unasked = UNASKED if last.verification == "skipped" else ""
        if last.attempt.absence is not None:
            told = "the answer is not in the document, as far as the searches below can tell"
            return Halt(StopType.ABSENT, told + unasked)
        return Halt(StopType.COMPLETION, "every check passed" + unasked)
    broken = [evidence for evidence in last.evidence if evidence.broken]
    if broken and not last.issues:
        return Halt(StopType.UNJUDGED, f"{broken[0].check} could not be made: {broken[0].broken}")
    said = detectors.check(state, config)
    return Halt(said.stop_type, said.reason) if said else None


def accepted(step: Step) -> bool:
    """The worker says it is done AND something was checked AND nothing failed; a claim alone never counts."""
    return step.attempt.finished and all_passed(step.evidence)
