"""Collects what was refused in each iteration: drafts, quotes, and issues of the checks."""

from collections.abc import Iterable
from dataclasses import dataclass

from ralph_cli.core.events import AnyEvent, DraftSubmitted, IterationStarted, StepFinished
from ralph_cli.core.run import Issue


@dataclass(frozen=True, slots=True)
class Refusals:
    """The refusals of one iteration: problems of drafts that were sent back at once, as (step, problem); quotes that
    are not in the document; issues of the checks; checks that could not be run, as (check, reason).
    """

    iteration: int
    drafts: tuple[tuple[int, str], ...] = ()
    quotes: tuple[Issue, ...] = ()
    issues: tuple[Issue, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()


def collect_refusals(events: Iterable[AnyEvent]) -> tuple[Refusals, ...]:
    """The iterations with refusals."""
    number, drafts = 0, list[tuple[int, str]]()
    found = []
    for event in events:
        match event:
            case IterationStarted(number=number):
                drafts = []
            case DraftSubmitted(step=step, problems=problems):
                drafts += [(step, problem) for problem in problems]
            case StepFinished(step=step):
                quotes = step.attempt.refused
                issues = tuple(issue for issue in dict.fromkeys(step.issues) if issue not in quotes)
                broken = tuple((item.check, item.broken) for item in step.evidence if item.broken)
                found.append(Refusals(number, tuple(drafts), quotes, issues, broken))
                drafts = []
    if drafts:  # the run was cut off within an iteration
        found.append(Refusals(number, tuple(drafts)))
    return tuple(item for item in found if item.drafts or item.quotes or item.issues or item.broken)
