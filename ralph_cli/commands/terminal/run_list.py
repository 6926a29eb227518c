"""The list of runs: what is told of each by a few of its events, so that a list does not wait for whole records."""

import json
from collections.abc import Mapping
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any

from ralph_cli.core import clock
from ralph_cli.core.errors import JournalError
from ralph_cli.journal.rows import JOURNAL_FILE, is_running, read_chained_rows
from ralph_cli.reports.safe_text import one_line, to_json

MAX_LISTED = 20
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
"""How runs end, in the words of the list; any other ending is named as it is."""


def list_runs(out: Path, number: int = MAX_LISTED, *, as_json: bool = False) -> tuple[str, str]:
    """What is printed of the newest runs in the folder `out`, `number` at most, and what is noted beside it."""
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
    """What the list tells of a run; `error` says why nothing more is known."""
    record: dict[str, Any] = {"id": folder.name, "folder": str(folder)}
    try:
        return record | _read_outline(folder)
    except JournalError as error:
        return record | {"error": error.message}


def _read_outline(folder: Path) -> dict[str, Any]:
    """How a run began, what it cost and how it ended, as `RunView` has it; of its other events only the chain is read.

    Raises JournalError.
    """
    started: dict[str, Any] | None = None
    stop, unanswered = "", set[int]()
    usd: float | None = 0.0
    for seq, _, kind, body in read_chained_rows(folder):
        if kind not in ("run_started", "call_started", "call_finished", "run_halted"):
            continue
        try:
            event = json.loads(body)
            if kind == "run_started" and started is None:
                begun = {"begun": event["at"], "mode": event["mode"], "question": event["question"]}
                started = {name: _text(value) for name, value in begun.items()}
                started["document"] = _text(event["document"].get("path", ""))
            elif kind == "call_started":
                unanswered.add(event["number"])
            elif kind == "call_finished":
                unanswered.discard(event["number"])
                usd = _add(usd, event["usage"].get("usd", 0.0))
            elif kind == "run_halted":
                stop = _text(event["halt"]["type"])
                # Calls that were sent and never came back may be billed; nobody knows how much.
                usd, unanswered = None if unanswered else usd, set()
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise JournalError(f"event {seq} in {folder} is not an event of a run", code="journal-damaged") from error
    if started is None:
        raise JournalError(f"the run in {folder} was cut off before it began", code="no-run")
    return {
        "begun": started["begun"],
        "mode": started["mode"],
        "stop": stop or "none",
        "running": not stop and is_running(folder),
        "ok": None if stop == "passages" else stop == "completion",
        "usd": usd,
        "document": started["document"],
        "question": started["question"],
    }


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("it is no text")
    return value


def _add(sum_: float | None, usd: Any) -> float | None:
    """A sum of prices, None as soon as one is not known."""
    if usd is not None and (type(usd) not in (int, float) or not 0 <= usd < inf):
        raise ValueError("it is no price")
    return None if sum_ is None or usd is None else sum_ + usd


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
    """How long ago a time of a record was, in its largest unit; the day of what is older than four weeks."""
    try:
        seconds = (datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()
    except (TypeError, ValueError):
        return "at an unknown time"
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return then[:10] if seconds > 28 * 86_400 else f"{seconds // size:.0f} {unit} ago"
    return "just now"
