"""The live display: a line for each step on standard error, a pulse while something takes long, nothing when quiet."""

import time

import pytest

from ralph_cli.commands.terminal.progress import LineProgress, SilentProgress, progress
from ralph_cli.commands.terminal.table_progress import TableProgress
from ralph_cli.config import Settings
from ralph_cli.core.events import (
    AnyEvent,
    CallFinished,
    CallRetried,
    CallStarted,
    DraftSubmitted,
    IterationStarted,
    NoticeIssued,
    SnippetRan,
    StepFinished,
)
from ralph_cli.core.model import Usage
from ralph_cli.core.results.table import Cell, CellState
from ralph_cli.core.run import Attempt, Draft, Evidence, Ruling, Step, Verdict

EVENTS: list[AnyEvent] = [
    NoticeIssued("one-family", "worker and judge are of one family"),
    IterationStarted(1, ""),
    CallStarted(1, "worker", "m", 10, "d", "s"),
    CallFinished(1, "worker", "m", Usage(1, 10, 2, usd=0.002), 1.0),
    SnippetRan(1, 1, "\n# find the rent\nfind('rent')", "out", True, False, 0.1, 3, (4, 9)),
    DraftSubmitted(1, 2, Draft(), ("quote 1 of claim 1 is not in the document\x1b[2J",)),
    CallRetried("judge", "m", 1, "overloaded", 4.0),
    StepFinished(Step(Attempt(), (Evidence("judge", (), (Ruling(1, Verdict.SUPPORTED, "it says so", "m"),)),))),
]


def test_each_step_is_a_line_with_what_it_did_pages_calls_and_cost(capsys: pytest.CaptureFixture[str]) -> None:
    display = LineProgress(8)
    for event in EVENTS:
        display(event)
    out, err = capsys.readouterr()
    assert out == "" and "\x1b" not in err
    assert "step 1: find('rent'), pages 4, 9, 3 sub-queries, error  (1 call, $0.0020)" in err
    assert "rejected: quote 1 of claim 1" in err and "judge failed (overloaded), try 2 in 4 s" in err
    assert "judge: claim 1 supported - it says so" in err and "note: worker and judge" in err


def test_waiting_is_told_after_two_seconds_and_not_before(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("ralph_cli.core.clock.monotonic", lambda: now[0])
    display = LineProgress(0.01)
    display(CallStarted(1, "judge", "m", 10, "d", "s"))
    assert display.waiting_line() == ""
    now[0] += 3
    assert display.waiting_line() == "  the judge is reading, 3 s ..."
    display(CallRetried("judge", "m", 1, "the service asks for fewer requests", 40.0))
    assert display.waiting_line() == "  waiting 40 s: the service asks for fewer requests ..."
    now[0] += 41
    assert display.waiting_line() == "  the judge is reading, 44 s ..."
    display(CallFinished(1, "judge", "m", Usage(), 3.0))
    assert display.waiting_line() == ""
    capsys.readouterr()


def test_reading_a_document_is_told_when_it_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("ralph_cli.core.clock.monotonic", lambda: now[0])
    display = LineProgress(0.01)
    display.on_loading(1, 400)
    assert display.waiting_line() == ""
    now[0] += 2.5
    display.on_loading(90, 400)
    assert "page 90 of 400" in display.waiting_line()


def test_the_heartbeat_beats_by_itself(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ralph_cli.commands.terminal.progress.SHOW_WAIT_AFTER", 0.0)
    with progress(Settings(heartbeat_ms=100), quiet=False) as display:
        display(CallStarted(1, "worker", "m", 10, "d", "s"))
        time.sleep(0.3)
    assert "the worker is thinking" in capsys.readouterr().err


def test_quiet_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(Settings(), quiet=True) as display:
        assert type(display) is SilentProgress
        for event in EVENTS:
            display(event)
        display.on_loading(1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_table_tells_of_each_cell_with_rate_cost_and_failures(capsys: pytest.CaptureFixture[str]) -> None:
    told = TableProgress(LineProgress(1e9))
    state, usage = CellState.ANSWERED, Usage(2, usd=0.5)
    told.on_cell(1, 3, Cell(row="a\x1b.pdf", question="law", state=state, answer="English", usage=usage))
    told.on_cell(2, 3, Cell(row="b.pdf", question="law", state=CellState.FAILED, reason="it is damaged"))
    first, standing, second, last = capsys.readouterr().err.splitlines()
    assert first == "a\\u{1b}.pdf / law: answered: English" and second == "b.pdf / law: failed: it is damaged"
    assert "1 of 3 cells, " in standing and " a minute, $0.5000, about " in standing and "failed" not in standing
    assert last.endswith("left, 1 failed")
