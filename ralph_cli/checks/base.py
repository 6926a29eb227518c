"""Defines a check, how checks combine, and how good a step is. An empty list of checks proves nothing."""

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from ralph_cli.core.errors import RalphError
from ralph_cli.core.run import Attempt, Evidence, Step

Check = Callable[[Attempt], Evidence]

# A check that also reads the evidence of earlier checks: the sources of figures, and doubts that it must settle.
JudgeCheck = Callable[[Attempt, Sequence[Evidence]], Evidence]

# The `check` of issues that the writer of an output can fix without other words of the document.
WORDING = "wording"


def describe_failure(error: Exception) -> str:
    """The reason why a check failed to run; for a failure of a model's service with its hint and code."""
    if isinstance(error, RalphError):
        return f"{error.line} [{error.code}]"
    return str(error) or type(error).__name__


def run_in_order(checks: Sequence[Check], attempt: Attempt) -> tuple[Evidence, ...]:
    """Run the checks until one does not pass, so that no judge is paid to read a broken answer."""
    found: list[Evidence] = []
    for check in checks:
        found.append(check(attempt))
        if not found[-1].passed:
            break
    return tuple(found)


def run_all(checks: Sequence[Check], attempt: Attempt) -> tuple[Evidence, ...]:
    """Run all of the checks, which cost nothing, so that the worker gets all issues at once."""
    return tuple(check(attempt) for check in checks)


def all_passed(evidence: Sequence[Evidence]) -> bool:
    """Whether something was checked and nothing failed."""
    return bool(evidence) and all(item.passed for item in evidence)


class StepQuality(NamedTuple):
    """The quality of a step. Compares field by field, the most important first."""

    passed: bool
    has_result: bool
    claims_passed: int
    mean_score: float
    checks_passed: int
    claims_quoted: int
    fewer_issues: int
    """The number of issues, negative."""


def rate_step(step: Step) -> StepQuality:
    """The quality of a step."""
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
