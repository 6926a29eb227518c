"""The completion contract of a goal: DONE is only an intent, and only fresh evidence that passed accepts it. Pure."""

from dataclasses import dataclass

from ralph_cli.core.events import VerifierFinished
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.run import Evidence, Issue, StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.detectors import (
    CONTINUE,
    CompositeDetector,
    ConsecutiveFailureDetector,
    CostLimitDetector,
    ScoreThresholdDetector,
    StopDecision,
    TimeoutDetector,
)
from ralph_cli.loop.state import LoopState

DONE_MARKER = "<promise>DONE</promise>"  # the worker's statement that it is done; it proves nothing

COMPLETION_CHECK, BLOCKED_CHECK = "completion", "blocked"  # the checks of a goal's issues

MAX_SAME_REFUSALS = 3  # consecutive refusals for the same reason after which the goal is blocked

MAX_SHOWN_CHARS = 300  # most characters of a verifier's output in the reason of a refusal


@dataclass(frozen=True, slots=True)
class Intent:
    """The worker's statement at the end of an iteration. If neither `done` nor `blocked` is set, its steps were used
    up.
    """

    done: bool = False
    blocked: str = ""


def has_done_marker(text: str) -> bool:
    """Whether the text contains the completion marker."""
    return DONE_MARKER in text


def remove_marker(text: str) -> str:
    """Return the text without completion markers, as a user sees it."""
    while DONE_MARKER in text:  # removing one marker may form another one
        text = text.replace(DONE_MARKER, "").strip()
    return text


def completion_evidence(goal: GoalState, intent: Intent) -> tuple[Evidence, ...]:
    """Return the evidence on the output, from the verifiers' results alone.

    It is empty if there is no verifier and none is required, which does not accept the output (see
    `UnverifiedDetector`). If there are verifiers, all must have passed, whether one is required or not.
    """
    issues = tuple(_issues(goal, intent))
    if not issues and not goal.verified:
        return ()
    return (Evidence(COMPLETION_CHECK, issues, score=_passed_share(goal)),)


def _issues(goal: GoalState, intent: Intent) -> list[Issue]:
    failed = [item for item in goal.current_evidence if not item.passed]
    missing = [name for name in goal.verifier_names if name not in {item.name for item in goal.current_evidence}]
    accepted = goal.verified or not (goal.terms.require_verifier or goal.verifier_names)
    if intent.blocked and not (intent.done and accepted and goal.output):
        return [Issue(BLOCKED_CHECK, "the worker cannot continue", material=intent.blocked)]
    failures: list[Issue] = []
    faults = [] if intent.done else ["the steps of the iteration were used up before you said that you are done"]
    if not goal.output:
        faults.append("there is no output: hand it in with `output` or `output_from`")
    elif goal.terms.require_verifier and not goal.verifier_names:
        faults.append("there is no verifier that could accept the output")
    elif failed:
        failures = [_failure_issue(item) for item in failed]
    elif missing:
        advice = "call `verify` and read what it says before you say that you are done"
        faults.append(f"{_missing_evidence_reason(goal)}: {advice}")
    return [Issue(COMPLETION_CHECK, fault) for fault in faults] + failures


def _missing_evidence_reason(goal: GoalState) -> str:
    if goal.current_evidence or not goal.evidence:
        return "no verifier has looked at the output"
    return "the output was changed after it was last verified"


def _failure_issue(item: VerifierFinished) -> Issue:
    says = " ".join(item.output.split())[:MAX_SHOWN_CHARS]
    return Issue(COMPLETION_CHECK, f"the verifier {item.name} failed ({item.ended})", material=says)


def _passed_share(goal: GoalState) -> float | None:
    """Return the share of verifiers that passed on the current output; None if none was run."""
    if not goal.verifier_names or not goal.current_evidence:
        return None
    return sum(item.passed for item in goal.current_evidence) / len(goal.verifier_names)


class BlockedDetector:
    """Stops when the worker says that it cannot continue, or was refused for the same reason three times in a row."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        last = state.steps[-MAX_SAME_REFUSALS:]
        reasons = [issue.line for issue in last[-1].issues if issue.check == BLOCKED_CHECK]
        if reasons:
            return StopDecision(True, StopType.BLOCKED, reasons[0])
        if len(last) == MAX_SAME_REFUSALS and last[0].issues and all(step.issues == last[0].issues for step in last):
            reason = f"refused {MAX_SAME_REFUSALS} times for the same reason: "
            return StopDecision(True, StopType.BLOCKED, reason + "; ".join(issue.line for issue in last[0].issues))
        return CONTINUE


class UnverifiedDetector:
    """Stops when the worker says it is done and there is no verifier; the reason says so."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        last = state.steps[-1]
        if not last.attempt.finished or not last.attempt.output or last.evidence:
            return CONTINUE
        reason = "unverified: the worker says it is done, and no verifier has confirmed it (--no-require-verifier)"
        return StopDecision(True, StopType.COMPLETION, reason)


class IterationCapDetector:
    """Stops at the iteration limit."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        """See `StopDetector`."""
        made = len(state.steps)
        if made < config.max_iterations:
            return CONTINUE
        reason = f"{made} of {config.max_iterations} iterations used, none accepted"
        return StopDecision(True, StopType.MAX_ITERATIONS, reason)


def goal_detectors() -> CompositeDetector:
    """Return the detectors of a goal, in order."""
    return CompositeDetector(
        [
            UnverifiedDetector(),
            BlockedDetector(),
            ScoreThresholdDetector(),
            ConsecutiveFailureDetector(),
            CostLimitDetector(),
            TimeoutDetector(),
            IterationCapDetector(),
        ]
    )
