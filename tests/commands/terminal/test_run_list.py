"""The list of runs tells of each what its whole record tells."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from journal.forging import rechain, rewritten

from ralph_cli.commands.app import run
from ralph_cli.commands.terminal.run_list import describe_run
from ralph_cli.core.events import AnyEvent, CallFinished, CallStarted, RunHalted, RunStarted
from ralph_cli.core.model import Usage
from ralph_cli.core.run import Halt, StopType
from ralph_cli.journal.store import Journal

START = RunStarted("r", "qa", "What is due\x1b?", {"path": "a/b.pdf", "id": "d"}, {}, "2026-01-01T00:00:00.000Z")
SENT = CallStarted(1, "worker", "m", 3, "d", "s")
PAID = CallFinished(1, "worker", "m", Usage(1, 2, 3, usd=0.25), 0.5)
UNPRICED = CallFinished(1, "worker", "m", Usage(1, 2, 3, usd=None), 0.5)
ACCEPTED, TIMEOUT = (RunHalted(Halt(stop, "d"), "later") for stop in (StopType.COMPLETION, StopType.TIMEOUT))


def record(folder: Path, events: Sequence[AnyEvent]) -> Path:
    with closing(Journal(folder)) as journal:
        for event in events:
            journal(event)
    return folder


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([START, SENT, PAID, SENT, PAID, ACCEPTED], {"ok": True, "usd": 0.5, "stop": "completion", "mode": "qa"}),
        ([START, SENT, PAID, SENT, UNPRICED, TIMEOUT], {"ok": False, "usd": None, "stop": "timeout"}),
        ([START, SENT, ACCEPTED], {"usd": None, "question": START.question}),  # it may have been paid for
        ([START, SENT, PAID], {"ok": False, "stop": "none", "running": False, "document": "a/b.pdf"}),
    ],
)
def test_the_list_tells_of_each_run_how_it_ended_and_what_it_cost(
    tmp_path: Path, events: Sequence[AnyEvent], told: dict[str, object]
) -> None:
    found = describe_run(record(tmp_path / "one", events))
    assert told.items() <= found.items() and found["id"] == "one" and found["begun"] == START.at


@pytest.mark.parametrize("statement", ["replace(body, '\"a/b.pdf\"', '[]')", "'{'"])
def test_a_forged_record_is_named_in_the_list(tmp_path: Path, statement: str) -> None:
    folder = record(tmp_path / "one", [START, SENT, PAID, ACCEPTED])
    rewritten(folder, f"UPDATE event SET body = {statement} WHERE seq = 1")
    assert "was changed" in describe_run(folder)["error"]
    rechain(folder)
    assert "event 1 in" in describe_run(folder)["error"]


def test_the_newest_runs_are_listed_and_those_that_cannot_be_read_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, events in enumerate(([START, SENT, PAID, ACCEPTED], [START, SENT], [], [START, TIMEOUT])):
        record(Path("out", f"2026-{number}"), events)
    record(Path("other", "2025-é"), [START, TIMEOUT])
    assert run(["trace", "list", "-n", "3"]) == 0
    out, err = capsys.readouterr()
    assert [line[:6] for line in out.splitlines()] == ["2026-3", "2026-2", "2026-1"] and "\x1b" not in out
    assert "interrupted before its first step" in out and "killed" in out and "-n 4 shows all" in err
    assert run(["trace", "list", "--out", "elsewhere"]) == 1
    assert "there is no folder" in capsys.readouterr().err
    assert run(["trace", "list", "--json", "--out", "other"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [found["id"] for found in listed["runs"]] == ["2025-é"] and listed["older"] == 0


def test_no_package_beside_us_is_looked_through_for_plugins(tmp_path: Path) -> None:
    code = """
import atexit
from ralph_cli.__main__ import main
@atexit.register
def tell():
    from pydantic.plugin import _loader
    print("looked through:", _loader._plugins)
main()
"""
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", code, "trace", "show", "--help"]
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "--steps" in done.stdout and done.stdout.endswith("looked through: None\n")
