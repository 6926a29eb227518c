"""The completion contract of a goal: saying DONE is an intent, and only fresh evidence that passed accepts it. Pure."""

from dataclasses import dataclass

from ralph_cli.core.events import Verified
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.run import Evidence, Issue, StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.detectors import (
    GO_ON,
    CompositeDetector,
    ConsecutiveFailureDetector,
    CostLimitDetector,
    ScoreThresholdDetector,
    StopDecision,
    TimeoutDetector,
)
from ralph_cli.loop.state import LoopState

MARKER = "<promise>DONE</promise>"
"""With this the worker says that it believes to be done; it proves nothing."""

CHECK, BLOCKED = "completion", "blocked"
"""What the issues of a goal are called."""

PATIENCE = 3
"""So many refusals in a row for the very same reason, and the goal is blocked."""

SHOWN = 300
"""Characters of a verifier's output that make part of the reason of a refusal."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What the worker says at the end of an iteration; neither `done` nor `blocked` means its steps were used up."""

    done: bool = False
    blocked: str = ""


def intends(text: str) -> bool:
    """Whether the text holds the completion marker."""
    return MARKER in text


def without_marker(text: str) -> str:
    """The text as a user sees it."""
    while MARKER in text:  # taking one out may put another together
        text = text.replace(MARKER, "").strip()
    return text


def examine(goal: GoalState, intent: Intent) -> tuple[Evidence, ...]:
    """The evidence on the output, from what the verifiers said and nothing else.

    Nothing at all when there is no verifier and none is demanded: that is no acceptance, see `UnverifiedDetector`.
    Where there are verifiers all must have passed, whether one is demanded or not.
    """
    issues = tuple(_issues(goal, intent))
    if not issues and not goal.verified:
        return ()
    return (Evidence(CHECK, issues, score=_share(goal)),)


def _issues(goal: GoalState, intent: Intent) -> list[Issue]:
    failed = [item for item in goal.fresh if not item.passed]
    missing = [name for name in goal.required if name not in {item.name for item in goal.fresh}]
    accepted = goal.verified or not (goal.terms.require_verifier or goal.required)
    if intent.blocked and not (intent.done and accepted and goal.output):
        return [Issue(BLOCKED, "the worker cannot go on", material=intent.blocked)]
    found: list[Issue] = []
    if not intent.done:
        found.append(Issue(CHECK, "the steps of the iteration were used up before you said that you are done"))
    if not goal.output:
        return [*found, Issue(CHECK, "there is no output: hand it in with `output` or `output_from`")]
    if goal.terms.require_verifier and not goal.required:
        return [*found, Issue(CHECK, "there is no verifier that could accept the output")]
    if failed:
        return [*found, *(_failure(item) for item in failed)]
    if missing:
        found.append(
            Issue(CHECK, f"{_late(goal)}: call `verify` and read what it says before you say that you are done")
        )
    return found


def _late(goal: GoalState) -> str:
    if goal.fresh or not goal.evidence:
        return "no verifier has looked at the output"
    earlier = goal.evidence[-1].revision < 0
    return "the evidence is of an earlier run" if earlier else "the output was changed after it was last verified"


def _failure(item: Verified) -> Issue:
    says = " ".join(item.output.split())[:SHOWN]
    return Issue(CHECK, f"the verifier {item.name} failed ({item.ended})", material=says)


def _share(goal: GoalState) -> float | None:
    """The share of the verifiers that passed on the output as it stands; None if none has looked."""
    if not goal.required or not goal.fresh:
        return None
    return sum(item.passed for item in goal.fresh) / len(goal.required)


class BlockedDetector:
    """Stops when the worker says that it cannot go on, or was refused for the same reason three times in a row."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        last = state.steps[-PATIENCE:]
        said = [issue.line for issue in last[-1].issues if issue.check == BLOCKED]
        if said:
            return StopDecision(True, StopType.BLOCKED, said[0])
        if len(last) == PATIENCE and last[0].issues and all(step.issues == last[0].issues for step in last):
            reason = "; ".join(issue.line for issue in last[0].issues)
            return StopDecision(True, StopType.BLOCKED, f"refused {PATIENCE} times for the same reason: {reason}")
        return GO_ON


class UnverifiedDetector:
    """Stops when the worker says it is done and there is no verifier; the reason says that there is none."""

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        last = state.steps[-1]
        if not last.attempt.finished or not last.attempt.output or last.evidence:
            return GO_ON
        reason = "unverified: the worker says it is done, and no verifier has confirmed it (--no-require-verifier)"
        return StopDecision(True, StopType.COMPLETION, reason)


@dataclass(frozen=True, slots=True)
class IterationBudget:
    """Stops at the cap of iterations; those of earlier runs of a goal that is continued count too."""

    before: int = 0

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        """See `StopDetector`."""
        made = self.before + len(state.steps)
        if made < config.max_iterations:
            return GO_ON
        return StopDecision(
            True, StopType.MAX_ITERATIONS, f"{made} of {config.max_iterations} iterations are used, none was accepted"
        )


def goal_detectors(before: int = 0) -> CompositeDetector:
    """The detectors of a goal, in the order in which they are asked; `before` is how many iterations it had."""
    return CompositeDetector(
        [
            UnverifiedDetector(),
            BlockedDetector(),
            ScoreThresholdDetector(),
            ConsecutiveFailureDetector(),
            CostLimitDetector(),
            TimeoutDetector(),
            IterationBudget(before),
        ]
    )
