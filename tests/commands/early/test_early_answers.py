"""What is answered before the command line is loaded is what the command line answers, and costs little."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from journal.forging import rechain, rewritten
from journal.test_journal import EVENTS

from ralph_cli.commands.app import run
from ralph_cli.commands.early.answers import HELP_FILE, answer_early
from ralph_cli.commands.early.listing import describe_run
from ralph_cli.config import ENVIRONMENT_VARIABLES, load_settings
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import AnyEvent, CallFinished, CallStarted, RunHalted, RunStarted
from ralph_cli.core.model import Usage
from ralph_cli.core.run import Halt, StopType
from ralph_cli.environment import RUNS_VARIABLES, find_runs_folder
from ralph_cli.journal.store import Journal
from ralph_cli.runs.history import find_start, read_run

START = RunStarted("r", "qa", "What is due\x1b?", {"path": "a/b.pdf", "id": "d"}, {}, "2026-01-01T00:00:00.000Z")
SENT = CallStarted(1, "worker", "m", 3, "d", "s")
PAID, FREE = (CallFinished(1, "worker", "m", Usage(1, 2, 3, usd=usd), 0.5) for usd in (0.25, 0.0))
UNPRICED = CallFinished(1, "worker", "m", Usage(1, 2, 3, usd=None), 0.5)
ENDS = [RunHalted(Halt(stop, "d"), "later") for stop in StopType]


def record(folder: Path, events: Sequence[AnyEvent]) -> Path:
    with closing(Journal(folder)) as journal:
        for event in events:
            journal(event)
    return folder


@pytest.mark.parametrize(
    "events",
    [
        EVENTS,
        [START, SENT, PAID, SENT, PAID, ENDS[0]],
        [START, SENT, PAID, UNPRICED, ENDS[0]],
        [START, SENT, ENDS[0]],  # it may have been paid for
        [START, SENT, FREE],
        *([START, end] for end in ENDS),
    ],
)
def test_the_list_tells_of_a_run_what_its_whole_record_tells(tmp_path: Path, events: Sequence[AnyEvent]) -> None:
    told, whole = describe_run(record(tmp_path / "one", events)), read_run(tmp_path / "one")
    view = whole.view
    assert told == {
        "id": "one",
        "folder": str(tmp_path / "one"),
        "begun": find_start(whole.events, "one").at,
        "mode": view.mode,
        "stop": view.halt.type.value,
        "running": False,
        "ok": view.ok,
        "usd": view.usage.usd,
        "document": str(view.document.get("path", "")),
        "question": view.question,
    }


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE event SET body = replace(body, '\"a/b.pdf\"', '[]') WHERE seq = 1", "event 1 in"),
        ("UPDATE event SET body = '[]' WHERE seq = 1", "event 1 in"),
        ("UPDATE event SET body = '{' WHERE seq = 2", "event 2 in"),
        ("UPDATE event SET body = replace(body, '0.25', '-1') WHERE seq = 3", "event 3 in"),
        ("UPDATE event SET body = replace(body, '0.25', 'NaN') WHERE seq = 3", "event 3 in"),
        ("UPDATE event SET body = replace(body, '0.25', '\"free\"') WHERE seq = 3", "event 3 in"),
        ("UPDATE event SET body = replace(body, '\"type\"', '\"kind\"') WHERE seq = 4", "event 4 in"),
        ("DELETE FROM event WHERE seq = 4", "cut off before it began"),
    ],
)
def test_a_forged_record_is_named_in_the_list(tmp_path: Path, statement: str, told: str) -> None:
    folder = record(tmp_path / "one", [START, SENT, PAID, ENDS[0]])
    if statement.startswith("DELETE"):
        statement = "UPDATE event SET kind = 'noticed' WHERE seq = 1"
    else:
        rewritten(folder, statement)
        assert "was changed" in describe_run(folder)["error"]
    rechain(rewritten(folder, statement))
    assert told in describe_run(folder)["error"]


def answers(words: list[str], capfd: pytest.CaptureFixture[str]) -> tuple[str, str]:
    assert answer_early(words)
    out, err = capfd.readouterr()
    return out, err


@pytest.mark.parametrize(
    "options", ["", "-n 2", "--number 1 --json", "--json", "--out other", "--json --out elsewhere/../other -n 9"]
)
def test_an_early_list_is_that_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], options: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("elsewhere").mkdir()
    for number, events in enumerate(([START, SENT, PAID, ENDS[0]], [START, SENT], [], [START, ENDS[1]])):
        record(Path("out", f"2026-{number}"), events)
    record(Path("other", "2025-é"), [START, ENDS[2]])
    early = answers(["trace", "list", *options.split()], capfd)
    assert run(["trace", "list", *options.split()]) == 0
    assert early == tuple(capfd.readouterr()) and "202" in early[0] and "\x1b" not in early[0]


@pytest.mark.parametrize(
    "words",
    [
        ["trace", "list", "-n", "0"],
        ["trace", "list", "-n", "x"],
        ["trace", "list", "-n", "٣"],
        ["trace", "list", "-n"],
        ["trace", "list", "--out"],
        ["trace", "list", "--out", "--json"],
        ["trace", "list", "--out", "nowhere"],
        ["trace", "list", "--help"],
        ["trace", "list", "more"],
        ["trace", "lits"],
        ["trace"],
        ["--help", "qa"],
        ["--versoin"],
        [],
    ],
)
def test_what_needs_other_words_is_left_to_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not answer_early(words)
    assert tuple(capfd.readouterr()) == ("", "")


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--version"]])
def test_early_help_and_version_are_those_of_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    early = answers(words, capfd)
    assert run(words) == 0
    made = "COLUMNS=80 python -c \"from ralph_cli.commands.app import run; run(['--help'])\""
    assert early == tuple(capfd.readouterr()), f"write it anew: {made} > {HELP_FILE}"
    monkeypatch.setenv("COLUMNS", "79")  # where the lines are too long it is made anew
    assert answer_early(words) == (words == ["--version"])


SET: dict[str, Callable[[pytest.MonkeyPatch], object]] = {
    "nowhere": lambda patch: None,
    "in a variable": lambda patch: patch.setenv("RALPH_OUT", "~/there"),
    "in a blank variable": lambda patch: patch.setenv("RALPH_OUT", " "),
    "in a file of variables": lambda patch: Path(".env").write_text("export RALPH_OUT='a b'\nno such line!\n"),
    "in another one": lambda patch: Path(".env").write_text("MY_KEY=x\n"),
    "in a folder": lambda patch: Path(".env").mkdir(),
    "in the file of settings": lambda patch: Path("ralph.toml").write_text("max_steps = 9\nout = 'toml'\n"),
    "in both": lambda patch: [patch.setenv("RALPH_OUT", "x"), Path("ralph.toml").write_text("out = 'toml'\n")],
    "with an old name": lambda patch: [patch.setenv("OUT_DIR", "x"), patch.setenv("RALPH_OUT_DIR", "y")],
}


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("where", SET)
@pytest.mark.parametrize("typed", [None, "typed", "~/typed"])
def test_the_folder_of_runs_is_that_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, typed: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    SET[where](monkeypatch)
    settings = load_settings({"out": typed})
    assert find_runs_folder(Path(typed) if typed else None) == (settings.out, "out" in settings.model_fields_set)
    assert ENVIRONMENT_VARIABLES["out"] == RUNS_VARIABLES


@pytest.mark.parametrize("line", ["out = 5", "out =", "out = '~no-such-person/x'"])
def test_a_folder_of_runs_that_is_wrong_is_told_as_by_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ralph.toml").write_text(line)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    with pytest.raises(ConfigError) as early:
        find_runs_folder(None)
    assert (early.value.message, early.value.code) == (caught.value.message, caught.value.code)


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


@pytest.mark.parametrize("words", [["--help"], ["trace", "list"]])
def test_an_early_answer_loads_nothing_that_takes_long(tmp_path: Path, words: list[str]) -> None:
    """`tests/bench/startup.py` measures how long it takes."""
    record(tmp_path / "out" / "one", [START, ENDS[0]])
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=x\n")
    code = """
import atexit, sys
from ralph_cli.__main__ import main
slow = {"typer", "rich", "pydantic", "dataclasses", "asyncio", "dotenv", "ralph_cli.config", "ralph_cli.commands.app"}
atexit.register(lambda: print(sorted(slow & set(sys.modules))))
main()
"""
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n") and len(done.stdout) > 50 and done.stderr == ""
