"""What a check is, how checks combine, and how good a step is. An empty list of checks proves nothing."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from ralph_cli.core.errors import RalphError
from ralph_cli.core.run import Attempt, Evidence, Step

Check = Callable[[Attempt], Evidence]

JudgeCheck = Callable[[Attempt, Sequence[Evidence]], Evidence]
"""A check that reads what the checks before it have found: the sources of figures, and doubts that it is to settle."""

WORDING = "wording"
"""The `check` of issues with an output that whoever wrote it can mend without other words of the document."""


def describe_failure(error: Exception) -> str:
    """Why a check could not be made, in words: of a failure of a model's service with its hint and its code."""
    if isinstance(error, RalphError):
        return f"{error.line} [{error.code}]"
    return str(error) or type(error).__name__


def run_in_order(checks: Sequence[Check], attempt: Attempt) -> tuple[Evidence, ...]:
    """Run the checks until one does not pass, so that a judge is never paid to read a broken answer."""
    found: list[Evidence] = []
    for check in checks:
        found.append(check(attempt))
        if not found[-1].passed:
            break
    return tuple(found)


def run_all(checks: Sequence[Check], attempt: Attempt) -> tuple[Evidence, ...]:
    """Run all of the checks, which cost nothing, so that everything that is wrong is told at once."""
    return tuple(check(attempt) for check in checks)


def all_passed(evidence: Sequence[Evidence]) -> bool:
    """True only if something was checked and nothing failed."""
    return bool(evidence) and all(item.passed for item in evidence)


class StepQuality(NamedTuple):
    """How good a step is; compares field by field, the weightiest first."""

    passed: bool
    has_result: bool
    claims_passed: int
    mean_score: float
    checks_passed: int
    claims_quoted: int
    fewer_issues: int
    """The number of issues, negative."""


def rate_step(step: Step) -> StepQuality:
    """How good a step is, for comparing."""
    faulty = {issue.claim for issue in step.attempt.refused}
    return StepQuality(
        all_passed(step.evidence),
        step.attempt.has_result,
        sum(ruling.verdict.passes for ruling in step.rulings),
        fmean(step.scores.values()) if step.scores else 0.0,
        sum(item.passed for item in step.evidence),
        sum(bool(claim.quotes) and claim.id not in faulty for claim in step.attempt.claims),
        -len(step.issues),
    )
