"""The list of runs: one line for each, or one JSON object."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ralph_cli.core import clock
from ralph_cli.core.errors import JournalError
from ralph_cli.core.run import StopType
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.reports.safe_text import one_line, to_json
from ralph_cli.reports.view import RUNNING
from ralph_cli.runs.history import read_run

# Words for how runs end; any other ending keeps its own name.
ENDINGS = {
    "completion": "accepted",
    "absent": "not in the document",
    "passages": "passages only",
    "no_passages": "nothing found",
    "running": "still running",
    "none": "killed",
    "user_interrupted": "interrupted",
    "system_error": "failed",
    "max_iterations": "not accepted",
}


def list_runs(out: Path, number: int, *, as_json: bool = False) -> tuple[str, str]:
    """Return what to print of the newest runs in the folder `out`, at most `number`, and notes about the list."""
    names = sorted(path.parent.name for path in out.glob(f"*/{JOURNAL_FILE}"))
    records = [describe_run(out / name) for name in reversed(names[-number:])]
    older = max(len(names) - number, 0)
    if as_json:
        return to_json({"runs": records, "older": older}) + "\n", ""
    note = "" if names else f"there are no runs in {one_line(str(out))}\n"
    note += f"{older} older runs are not shown: -n {len(names)} shows all\n" if older else ""
    now = clock.now()
    return "".join(f"{_line(record, now)}\n" for record in records), note


def describe_run(folder: Path) -> dict[str, Any]:
    """Return the JSON object of a run in the list; `error` says why its record cannot be read."""
    record: dict[str, Any] = {"id": folder.name, "folder": str(folder)}
    try:
        run = read_run(folder)
    except JournalError as error:
        return record | {"error": error.message}
    view = run.view
    return record | {
        "begun": run.started.at,
        "mode": view.mode,
        "stop": StopType.NONE.value if view.halt == RUNNING else view.halt.type.value,
        "running": view.halt == RUNNING,
        "ok": view.ok,
        "usd": view.usage.usd,
        "document": str(view.document.get("path", "")),
        "question": view.question,
    }


def _line(record: Mapping[str, Any], now: str) -> str:
    if "error" in record:
        return f"{record['id']}  {one_line(record['error'])}"
    stop = "running" if record["running"] else record["stop"]
    ending = ENDINGS.get(stop) or one_line(stop.replace("_", " "))
    usd = record["usd"]
    cost = "price unknown" if usd is None else f"${usd:.2f}" if usd else "no cost"
    document, question = one_line(Path(record["document"]).name, 40), one_line(record["question"], 80)
    return f"{record['id']}  {describe_age(record['begun'], now)}  {ending}  {cost}  {document}  {question}"


def describe_age(then: str, now: str) -> str:
    """Return how long ago a recorded time was, in its largest unit, or its date after four weeks."""
    try:
        seconds = (datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()
    except (TypeError, ValueError):
        return "at an unknown time"
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return then[:10] if seconds > 28 * 86_400 else f"{seconds // size:.0f} {unit} ago"
    return "just now"
