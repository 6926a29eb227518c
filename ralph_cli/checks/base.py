"""What a check is, and how checks combine. An empty list of checks proves nothing."""

from collections.abc import Callable, Sequence
from statistics import fmean

from ralph_cli.core.run import Attempt, Evidence, Step, Verdict

Check = Callable[[Attempt], Evidence]

PASSING_VERDICTS = frozenset({Verdict.SUPPORTED, Verdict.VERBATIM})
"""Verdicts with which a claim stands."""


def run_in_order(checks: Sequence[Check], attempt: Attempt) -> tuple[Evidence, ...]:
    """Run the checks until one does not pass, so that a judge is never paid to read a broken answer."""
    found: list[Evidence] = []
    for check in checks:
        found.append(check(attempt))
        if not found[-1].passed:
            break
    return tuple(found)


def all_passed(evidence: Sequence[Evidence]) -> bool:
    """True only if something was checked and nothing failed."""
    return bool(evidence) and all(item.passed for item in evidence)


def step_quality(step: Step) -> tuple[bool, bool, int, float, int, int, int]:
    """How good a step is, for comparing, most weight first.

    Whether it passed, whether it answered at all, claims a judge let stand, the mean score, how many checks it passed,
    claims with all quotes found, and how few issues there are.
    """
    good = sum(ruling.verdict in PASSING_VERDICTS for ruling in step.rulings)
    faulty = {issue.claim for issue in step.attempt.refused}
    pinned = sum(bool(claim.quotes) and claim.id not in faulty for claim in step.attempt.claims)
    mean = fmean(step.scores.values()) if step.scores else 0.0
    passed = sum(item.passed for item in step.evidence)
    return all_passed(step.evidence), step.attempt.has_result, good, mean, passed, pinned, -len(step.issues)
