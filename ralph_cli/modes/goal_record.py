"""The record of a goal between runs: goal.json in its run folder for readers, the journal for resuming."""

import json
from contextlib import suppress
from functools import reduce
from pathlib import Path
from typing import Any

from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent, GoalSet, IterationStarted, RunHalted, StepFinished, VerifierFinished
from ralph_cli.core.results.goal import GoalState, GoalStatus
from ralph_cli.core.run import Step
from ralph_cli.journal.store import read_events
from ralph_cli.journal.traces import write_atomic
from ralph_cli.reports.goal import evidence_of

RECORD_FILE = "goal.json"
OUTPUT_STEM = "output"
VERSION = 1


class GoalRecord:
    """A sink that keeps `<out>/<run>/goal.json` up to date."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self.goal = GoalState()

    def __call__(self, event: AnyEvent, /) -> None:
        """Fold the event, and write the file if the event changes it."""
        self.goal = self.goal.apply(event)
        if isinstance(event, GoalSet):
            self._write()
        elif isinstance(event, IterationStarted | VerifierFinished | StepFinished | RunHalted):
            # The journal has everything, so a failed copy must not end a run.
            with suppress(JournalError):
                self._write()

    def _write(self) -> None:
        path = self._out / self.goal.run / RECORD_FILE
        write_atomic(path, json.dumps(goal_as_json(self.goal), ensure_ascii=False, indent=1))


def goal_as_json(goal: GoalState) -> dict[str, Any]:
    """Return the state as plain values; the output is in the journal, and after verification in the run folder."""
    return {
        "version": VERSION,
        "status": goal.status.value,
        "iteration": goal.iteration,
        "objective": goal.objective,
        "instructions": goal.terms.instructions,
        "run": goal.run,
        "continues": goal.terms.continues,
        "document": goal.document,
        "verifiers": [{"name": name, "command": command} for name, command in goal.terms.verifiers],
        "require_verifier": goal.terms.require_verifier,
        "verified": goal.verified,
        "summary": goal.summary,
        "last_evidence": evidence_of(goal),
        "stop_reason": goal.reason,
        "output_characters": len(goal.output),
    }


def save_output(folder: Path, suffix: str, best: Step | None) -> None:
    """Save the resulting text in the run's folder, even if it was never verified. Raises JournalError."""
    text = read_goal(folder).final_output(best)
    if text:
        write_atomic(folder / f"{OUTPUT_STEM}{suffix}", text)


def read_goal(folder: Path) -> GoalState:
    """Return the state of the goal whose run is in `folder`, from its journal. Raises JournalError."""
    return reduce(GoalState.apply, read_events(folder), GoalState())


def find_unfinished(out: Path, document: str, objective: str) -> Path | None:
    """Return the newest unfinished run folder in `out` for this objective on this document (by SHA-256), if there is
    one.
    """
    for path in sorted(out.glob(f"*/{RECORD_FILE}"), key=lambda path: path.parent.name, reverse=True):
        record = _read_record(path)
        if (record.get("document"), record.get("objective")) != (document, objective):
            continue
        if record.get("status") != GoalStatus.ACTIVE.value:
            return None
        # The journal decides; the record beside it is a copy for readers.
        with suppress(JournalError):
            return path.parent if read_goal(path.parent).status is GoalStatus.ACTIVE else None
    return None


def _read_record(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and found.get("version") == VERSION else {}
