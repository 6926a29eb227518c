"""Decides whether to stop, and why:

by the completion contract first, then by the detectors. Pure except for the clock.
"""

from ralph_cli.checks.base import all_passed
from ralph_cli.core.run import Halt, Step, StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.detectors import StopDetector
from ralph_cli.loop.state import LoopState

VERIFIER_SKIPPED_NOTE = "; the verifier was skipped on this last iteration"

PASSAGES = Halt(StopType.PASSAGES, "code has found passages that may answer; no language model has read them")
NO_PASSAGES = Halt(StopType.NO_PASSAGES, "code has found no passage that may answer; no language model has looked")


def decide(state: LoopState, config: StopConditionConfig, detectors: StopDetector) -> Halt | None:
    """Return why the loop ends here, or None to continue."""
    if not state.steps:
        return None
    last = state.steps[-1]
    if is_accepted(last):
        if not state.has_language_model and last.verification != "passed":
            return NO_PASSAGES if last.attempt.absence is not None else PASSAGES
        unasked = VERIFIER_SKIPPED_NOTE if last.verification == "skipped" else ""
        if last.attempt.absence is not None:
            reason = "the answer is not in the document, as far as the searches below can tell"
            return Halt(StopType.ABSENT, reason + unasked)
        return Halt(StopType.COMPLETION, "every check passed" + unasked)
    broken = [evidence for evidence in last.evidence if evidence.broken]
    if broken and not last.issues:
        return Halt(StopType.UNJUDGED, f"{broken[0].check} could not be run: {broken[0].broken}")
    decision = detectors.check(state, config)
    return Halt(decision.stop_type, decision.reason) if decision else None


def is_accepted(step: Step) -> bool:
    """Whether the worker says it is done, something was checked, and nothing failed. The worker's word alone never
    counts.
    """
    return step.attempt.finished and all_passed(step.evidence)
