"""A goal for a reader: its status in words, the evidence, and one JSON object."""

from typing import Any

from ralph_cli.core.results.goal import GoalState, GoalStatus, rejection_notice
from ralph_cli.core.run import StopType
from ralph_cli.reports.safe_text import one_line, pick, trace_line
from ralph_cli.reports.terminal import describe_spending
from ralph_cli.reports.view import RunView


def describe_verification(goal: GoalState) -> str:
    """In words, whether evidence has accepted the output, and whose."""
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
    """The latest evidence as plain values; `current` says whether it is of the output as it stands."""
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

    `ok` says that the run reached its end, `verified` that the user's verifiers have passed on `output` as it stands; a
    goal without any verifier (--no-require-verifier) is never verified. `verification` says it in words.
    `evidence` is that of the latest verification; `current` is false in it if the output was changed later.
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
    """How it ended, what the verifiers said, what it cost and where the trace is."""
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
    """The output, with the notice below it when a bound was reached."""
    text = rejection_notice(goal, view.halt, output)
    return f"{output.rstrip()}\n\n{text}" if text else output
