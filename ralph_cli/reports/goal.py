"""Renders a goal: its status in words, its evidence, and one JSON object."""

from typing import Any

from ralph_cli.core.results.goal import GoalState, GoalStatus, rejection_notice
from ralph_cli.core.run import StopType
from ralph_cli.reports.safe_text import one_line, pick, trace_line
from ralph_cli.reports.terminal import describe_spending
from ralph_cli.reports.view import RunView


def describe_verification(goal: GoalState) -> str:
    """Whether evidence has accepted the output, and which, in words."""
    if goal.verified:
        return "verified: passed " + ", ".join(f"{item.name} ({item.ended})" for item in goal.current_evidence)
    if not goal.verifier_names:
        return "not verified: the goal has no verifier"
    if not goal.evidence:
        return "not verified: no verifier was run on the output"
    if not goal.current_evidence:
        return "not verified: the output was changed after it was last verified"
    failed = [f"{item.name} ({item.ended})" for item in goal.current_evidence if not item.passed]
    return "not verified: failed " + ", ".join(failed)


def evidence_of(goal: GoalState) -> list[dict[str, Any]]:
    """The latest evidence as plain values; `current` says whether it is about the present output."""
    return [
        {
            **pick(item, "name", "call", "command"),
            "status": "pass" if item.passed else "fail",
            **pick(item, "ended", "output", "at"),
            "current": item.revision == goal.revision,
        }
        for item in goal.evidence
    ]


def as_object(view: RunView, goal: GoalState, output: str) -> dict[str, Any]:
    """The object of `ralph goal --json`.

    `ok` says that the run reached its end. `verified` says that the user's verifiers passed on the present `output`; a
    goal without a verifier (--no-require-verifier) is never verified. `verification` says the same in words. `evidence`
    is that of the latest verification; its `current` is false if the output was changed later.
    """
    return {
        "ok": view.ok,
        "status": goal.status.value,
        "verified": goal.verified,
        "verification": describe_verification(goal),
        "stop": {"type": view.halt.type.value, "reason": view.halt.detail},
        "objective": view.question,
        "output": output,
        "notice": rejection_notice(goal, view.halt, output),
        "said": goal.said,
        "evidence": evidence_of(goal),
        "iterations": goal.iteration,
        "usage": {**pick(view.usage, "calls", "input_tokens", "output_tokens", "usd"), "seconds": view.seconds},
        "document": view.document,
        "subqueries": view.subqueries,
        "children": [child.as_object() for child in view.children],
        "notices": list(view.notices),
        "run": {"id": view.run, "folder": view.folder, "continues": goal.terms.continues},
    }


def goal_lines(view: RunView, goal: GoalState) -> list[str]:
    """How the goal ended, what the verifiers said, its cost, and where its trace is."""
    words = {
        GoalStatus.ACTIVE: "Not finished",
        GoalStatus.COMPLETED: "Completed" if goal.verified else "Completed, NOT verified",
        GoalStatus.BLOCKED: "Blocked",
        GoalStatus.BUDGET_EXHAUSTED: "Budget exhausted",
    }
    checked = one_line(describe_verification(goal))
    threshold = view.halt.type is StopType.SCORE_THRESHOLD
    word = "Stopped at the score threshold, NOT accepted" if threshold else words[goal.status]
    lines = [f"{word} ({one_line(view.halt.detail)}). {checked[:1].upper()}{checked[1:]}."]
    if goal.status is GoalStatus.ACTIVE:
        lines.append("`ralph goal` with --continue resumes it.")
    if goal.said and goal.status is GoalStatus.COMPLETED:
        lines.append(f"The worker says: {one_line(goal.said, 300)}")
    return [
        *lines,
        *map(one_line, view.losses),
        trace_line(view.folder, view.run),
        describe_spending(view, goal.iteration),
    ]


def output_with_notice(view: RunView, goal: GoalState, output: str) -> str:
    """The output, followed by the notice if a bound was reached."""
    text = rejection_notice(goal, view.halt, output)
    return f"{output.rstrip()}\n\n{text}" if text else output
