"""The state of a goal: the fold of its run's events."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from ralph_cli.core import events
from ralph_cli.core.run import Halt, Step, StopType


class GoalStatus(StrEnum):
    """The status of a goal. All but ACTIVE are terminal: the next run of the same goal starts from scratch."""

    ACTIVE = "active"
    COMPLETED = "completed"
    BLOCKED = "blocked"
    BUDGET_EXHAUSTED = "budget_exhausted"


def status_after(stop: StopType) -> GoalStatus:
    """Return the status of a goal after a run with this stop type. An interrupted or failed run can be continued."""
    match stop:
        case StopType.COMPLETION:
            return GoalStatus.COMPLETED
        case StopType.USER_INTERRUPTED | StopType.SYSTEM_ERROR | StopType.NONE:
            return GoalStatus.ACTIVE
        case StopType.BLOCKED | StopType.MAX_CONSECUTIVE_FAILURES | StopType.STALLED | StopType.REGRESSING:
            return GoalStatus.BLOCKED
        case _:
            return GoalStatus.BUDGET_EXHAUSTED


@dataclass(frozen=True, slots=True)
class GoalState:
    """The state of a goal after some of its events.

    `evidence` belongs to the latest verification; it describes `output` only if their revisions agree. `passed` is the
    latest output that passed every verifier. `reason` says why the goal stopped, or why the last attempt to finish was
    refused.
    """

    run: str = ""
    objective: str = ""
    document: str = ""
    terms: events.GoalSet = field(default_factory=lambda: events.GoalSet((), True))
    status: GoalStatus = GoalStatus.ACTIVE
    iteration: int = 0
    output: str = ""
    revision: int = 0
    evidence: tuple[events.VerifierFinished, ...] = ()
    passed: str = ""
    summary: str = ""
    said: str = ""
    reason: str = ""

    @property
    def verifier_names(self) -> tuple[str, ...]:
        """The names of the verifiers."""
        return tuple(name for name, _ in self.terms.verifiers)

    @property
    def current_evidence(self) -> tuple[events.VerifierFinished, ...]:
        """The latest evidence if it is about the current output; otherwise empty."""
        return self.evidence if all(item.revision == self.revision for item in self.evidence) else ()

    @property
    def verified(self) -> bool:
        """Whether every verifier has passed on the current output; False without verifiers."""
        passed = {item.name for item in self.current_evidence if item.passed}
        failed = any(not item.passed for item in self.current_evidence)
        return bool(self.verifier_names) and not failed and passed == set(self.verifier_names)

    def apply(self, event: events.AnyEvent) -> "GoalState":
        """Return the state after `event`; many events leave it unchanged."""
        match event:
            case events.RunStarted(run=run, question=objective, document=document):
                return replace(self, run=run, objective=objective, document=str(document.get("sha256", "")))
            case events.GoalSet():
                return replace(self, terms=event)
            case events.IterationStarted(number=number):
                return replace(self, iteration=number)
            case events.OutputChanged(output=output, revision=revision):
                return replace(self, output=output, revision=revision)
            case events.VerifierFinished():
                latest = self.evidence[-1] if self.evidence else None
                same = latest is not None and (latest.round, latest.revision) == (event.round, event.revision)
                now = replace(self, evidence=(*self.evidence, event) if same else (event,))
                return replace(now, passed=now.output) if now.verified else now
            case events.WorkerReported(text=text):
                return replace(self, said=text)
            case events.StepFinished(step=step):
                summary = step.lesson.summary if step.lesson else self.summary
                return replace(self, summary=summary, reason="; ".join(issue.line for issue in step.issues))
            case events.RunHalted(halt=halt):
                return replace(self, status=status_after(halt.type), reason=halt.detail)
            case _:
                return self

    def final_output(self, best: Step | None) -> str:
        """Return the output for the user: the output that passed, else that of the `best` step, else the latest."""
        if self.verified or self.status is GoalStatus.COMPLETED:
            return self.output
        if self.passed or best is None:
            return self.passed or self.output
        return best.attempt.output or self.output


def rejection_notice(goal: GoalState, halt: Halt, output: str = "") -> str:
    """Return the notice below an `output` that was not accepted: the number of retries and the last evidence."""
    if goal.status is not GoalStatus.BUDGET_EXHAUSTED:
        return ""
    retries = max(goal.iteration - 1, 0)
    retry_count = "1 retry" if retries == 1 else f"{retries} retries"
    changed = goal.passed and not goal.verified
    last_passed = " It is the last version that passed every verifier; the worker changed it afterwards."
    passed_note = last_passed if changed else ""
    first = f"Stopped after {retry_count} ({halt.detail}); the output above was not accepted.{passed_note}"
    if not goal.evidence:
        return f"{first}\nNo verifier was run."
    stale = "" if goal.current_evidence else " (for an earlier version of the output)"
    if output and output != goal.output:
        stale = " (for another version of the output)"
    return f"{first}\nLast verifier evidence{stale}:\n" + "\n".join(describe_evidence(item) for item in goal.evidence)


def describe_evidence(item: events.VerifierFinished) -> str:
    """Return one piece of evidence in words."""
    word = "passed" if item.passed else "FAILED"
    return f"- {item.name} {word} ({item.ended}) at {item.at}: {item.command}" + (
        f"\n{item.output}" if item.output else ""
    )
