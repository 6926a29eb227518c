"""The journal and the traces: what was appended is there after a kill, and nobody else's file is overwritten."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fakes import document
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import (
    AnyEvent,
    CallFinished,
    CallStarted,
    ClosingSink,
    DraftSubmitted,
    IterationStarted,
    NoticeIssued,
    RunHalted,
    RunStarted,
    SnippetRan,
    StepFinished,
    TurnRejected,
)
from ralph_cli.core.model import Usage
from ralph_cli.core.run import (
    Absence,
    Attempt,
    Claim,
    Draft,
    DraftClaim,
    Evidence,
    Halt,
    Issue,
    Quote,
    Ruling,
    Search,
    Step,
    StopType,
    Verdict,
)
from ralph_cli.journal import store
from ralph_cli.journal.rows import JOURNAL_FILE, refuse_if_running
from ralph_cli.journal.store import Journal, read_events, read_rows, write_journal
from ralph_cli.journal.traces import INDEX_FILE, TraceWriter, read_index, write_atomic

STEP = Step(
    Attempt(
        (Claim(1, "c", (1,)),),
        (Quote(1, "q", 0, 1, 1, "i", "folded", 2, "Q"),),
        None,
        (Search("t", 3),),
        (Issue("quotes", "m", 1),),
        True,
        "worker",
    ),
    (Evidence("judge", (Issue("judge", "n", None),), (Ruling(1, Verdict.PARTLY, "r", "j"),), "b"),),
)
EVENTS: list[AnyEvent] = [
    RunStarted("r", "qa", "q", {"id": "d"}, {"models": {}}, "now"),
    NoticeIssued("c", "m"),
    IterationStarted(1, ""),
    SnippetRan(1, 1, "code", "out", False, False, 0.1, 2, (1, 2)),
    DraftSubmitted(1, 2, Draft((DraftClaim("t", ("q",)),)), ("wrong",)),
    DraftSubmitted(1, 3, Draft(absence=Absence(("a",), "n")), ()),
    TurnRejected(1, 3, "why"),
    CallFinished(
        1, "worker", "m", Usage(1, 2, 3), 0.5, {"text": "x", "calls": [], "stop": "end", "model": "m", "raw": None}
    ),
    StepFinished(STEP),
    RunHalted(Halt(StopType.MAX_ITERATIONS, "d"), "later"),
]


def test_events_come_back_as_they_went_in(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "run")
    for event in EVENTS:
        journal(event)
    assert list(read_events(tmp_path / "run")) == EVENTS  # while it is open
    journal.close()
    assert list(read_events(tmp_path / "run")) == EVENTS
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [".lock", JOURNAL_FILE]
    assert (tmp_path / "run" / JOURNAL_FILE).stat().st_mode & 0o077 == 0
    write_journal(tmp_path / "elsewhere", read_rows(tmp_path / "run"))
    assert list(read_rows(tmp_path / "elsewhere")) == list(read_rows(tmp_path / "run"))
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == [".lock", JOURNAL_FILE]
    with pytest.raises(JournalError, match="cannot be written"):
        write_journal(tmp_path / "elsewhere", ())


@examples(max_examples=20, deadline=None)
@given(st.text(max_size=40))
def test_any_text_survives(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder))
        journal(NoticeIssued("c", text))
        journal.close()
        (event,) = read_events(Path(folder))
        clean = text.encode("utf-8", "replace").decode()
        assert isinstance(event, NoticeIssued) and event.message == clean


def test_threads_share_commits_and_lose_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path)

    def append(thread: int) -> None:
        for number in range(20):
            journal(NoticeIssued(str(thread), str(number)))

    threads = [threading.Thread(target=append, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    journal.close()
    found = [event for event in read_events(tmp_path) if isinstance(event, NoticeIssued)]
    assert len(found) == 160
    for thread in range(8):
        assert [event.message for event in found if event.code == str(thread)] == [str(n) for n in range(20)]


def test_what_was_appended_is_there_after_a_kill(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom ralph_cli.core.events import NoticeIssued\n"
        "from ralph_cli.journal.store import Journal\njournal = Journal(Path(sys.argv[1]))\n"
        "for n in range(10**6):\n    journal(NoticeIssued('n', str(n)))\n    print(n, flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    acknowledged = [int(child.stdout.readline()) for _ in range(20)]
    os.kill(child.pid, signal.SIGKILL)
    acknowledged += [int(line) for line in child.stdout.read().split()]
    child.wait()
    child.stdout.close()
    kept = [int(event.message) for event in read_events(tmp_path) if isinstance(event, NoticeIssued)]
    assert kept[: len(acknowledged)] == acknowledged
    Journal(tmp_path).close()  # the lock went with the process


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    with pytest.raises(JournalError, match="another process"):
        Journal(tmp_path)
    journal.close()


def test_a_journal_that_could_not_be_made_leaves_the_folder_free(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_FILE).write_bytes(b"this is no database" * 100)
    for _ in range(2):
        with pytest.raises(JournalError, match="cannot be written"):
            Journal(tmp_path)
    refuse_if_running(tmp_path)


def test_a_folder_without_a_run_and_a_damaged_journal_are_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no run"):
        list(read_events(tmp_path))
    (tmp_path / JOURNAL_FILE).write_bytes(b"this is no database" * 100)
    with pytest.raises(JournalError, match="cannot be read"):
        list(read_events(tmp_path))


def test_traces_follow_the_events_and_a_foreign_index_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "run-1"
    folder.mkdir()
    writer = TraceWriter(tmp_path, folder)
    for event in EVENTS:
        writer(event)
    trace = json.loads((folder / "iter-01.json").read_text("utf-8"))
    assert trace["iter"] == 1 and trace["usage"]["input_tokens"] == 2 and trace["passed"] is False
    assert trace["halt"]["type"] == "max_iterations" and trace["generated"]["quotes"][0]["text"] == "q"
    entry = read_index(tmp_path)["sessions"]["run-1"]
    assert entry["iterations"][0]["tracePath"] == "run-1/iter-01.json" and entry["status"] == "max_iterations"
    (tmp_path / INDEX_FILE).write_text('{"version": 99}')
    told: list[str] = []
    writer = TraceWriter(tmp_path, folder, told.append)
    for event in EVENTS:
        writer(event)
    assert (tmp_path / INDEX_FILE).read_text() == '{"version": 99}'
    assert len(told) == 1 and "not a session index" in told[0] and "move it away" in told[0]


def test_an_atomic_write_never_follows_a_link(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("theirs")
    (tmp_path / "trace.json").symlink_to(target)
    write_atomic(tmp_path / "trace.json", "ours")
    assert target.read_text() == "theirs" and (tmp_path / "trace.json").read_text() == "ours"


def test_after_a_failed_write_nothing_is_said_to_be_kept(tmp_path: Path) -> None:
    """A full disk: whoever appends afterwards is refused, also those that were queued behind the row that failed."""
    journal = Journal(tmp_path)
    journal(NoticeIssued("n", "kept"))
    journal._db.execute("PRAGMA max_page_count = 9")
    refused = []

    def append(number: int) -> None:
        try:
            journal(NoticeIssued("n", "x" * 20_000 + str(number)))
        except JournalError as error:
            refused.append(error.code)

    threads = [threading.Thread(target=append, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(JournalError):
        journal(NoticeIssued("n", "small"))
    journal.close()
    kept = [event.message for event in read_events(tmp_path) if isinstance(event, NoticeIssued)]
    assert kept[0] == "kept" and len(kept) - 1 + len(refused) == 6 and refused


@pytest.mark.parametrize("fails", ["at the first write", "at the first event", "at the index"])
def test_a_run_that_cannot_be_recorded_leaves_no_folder(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    """Else it would be the newest run, and `ralph trace show` would show nothing."""

    if fails == "at the first write":
        monkeypatch.setattr(store, "EVENT_COLUMNS", "no such statement")
    elif fails == "at the first event":
        monkeypatch.setattr(store, "EVENT_COLUMNS", "other (name TEXT)")
    else:
        settings.out.mkdir()
        (settings.out / ".index.lock").mkdir()
    with pytest.raises(JournalError):
        ask(document("The rent is due on the first day of each month.\n"), "What is due?", settings=settings)
    assert [path for path in settings.out.iterdir() if path.name != ".index.lock"] == []


def test_a_journal_that_is_closed_refuses_and_never_crashes(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    stop = threading.Event()

    def append() -> None:
        while not stop.is_set():
            try:
                journal(NoticeIssued("n", "x"))
            except JournalError:
                return

    threads = [threading.Thread(target=append) for _ in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    journal.close()
    stop.set()
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()
    journal.close()
    with pytest.raises(JournalError, match="closed"):
        journal(NoticeIssued("n", "late"))


def test_nothing_passes_the_gate_after_the_end() -> None:
    heard: list[AnyEvent] = []
    inside, go_on = threading.Event(), threading.Event()

    def slow(event: AnyEvent) -> None:
        if isinstance(event, NoticeIssued):
            inside.set()
            go_on.wait(5)
        heard.append(event)

    gate = ClosingSink(slow)
    passing = threading.Thread(target=lambda: gate(NoticeIssued("n", "was passing")))
    passing.start()
    inside.wait(5)
    ending = threading.Thread(target=lambda: gate(EVENTS[-1]))
    ending.start()
    go_on.set()
    passing.join()
    ending.join()
    gate(NoticeIssued("n", "too late"))
    with pytest.raises(JournalError, match="has ended"):
        gate(CallStarted(9, "subquery", "m", 1, "d", "it would be bought and nowhere recorded"))
    assert [event.kind for event in heard] == ["noticed", "run_halted"]


def test_the_end_of_a_run_waits_for_no_thread_that_was_interrupted() -> None:
    """An interrupt may strike where a thread is about to say that its event is through."""
    heard: list[AnyEvent] = []
    gate = ClosingSink(heard.append)
    gate._passing.add(threading.get_ident())
    gate(EVENTS[-1])
    assert [event.kind for event in heard] == ["run_halted"]


def test_a_trace_that_fails_later_is_told_and_not_fatal(tmp_path: Path) -> None:
    folder = tmp_path / "run-1"
    folder.mkdir()
    told: list[str] = []
    writer = TraceWriter(tmp_path, folder, told.append)
    for event in (*EVENTS[:-1], EVENTS[1]):  # what comes after a step, and is not the end, has it written
        writer(event)
    (folder / "iter-01.json").unlink()
    (folder / "iter-01.json").mkdir()
    writer(EVENTS[-1])
    assert told and "iter-01.json" in told[0]
