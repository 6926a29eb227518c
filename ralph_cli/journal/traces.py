"""Writes readable traces from the journal's events: iter-01.json ... of a run, and session-index.json of all runs."""

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ralph_cli.core import clock
from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent, CallFinished, IterationStarted, RunHalted, RunStarted, StepFinished
from ralph_cli.core.model import Usage
from ralph_cli.journal.consistency import EVENT

INDEX_FILE = "session-index.json"
VERSION = 1


_encode = json.JSONEncoder(ensure_ascii=False).encode


class IterationTraces:
    """One object for each iteration: feedback, every step, call, submission, the attempt and its evidence."""

    def __init__(self, events: Iterable[AnyEvent] = ()) -> None:
        self.found: list[dict[str, Any]] = []
        self._started: RunStarted | None = None
        self._usage = Usage()
        for event in events:
            self.add(event)

    def add(self, event: AnyEvent) -> None:
        """Add an event to the trace of the latest iteration."""
        latest = self.found[-1] if self.found else None
        plain = {} if latest is None else EVENT.dump_python(event, mode="json")
        match event:
            case RunStarted():
                self._started = event
            case IterationStarted(number, feedback):
                self._usage = Usage()
                self.found.append(self._begin(number, feedback))
            case StepFinished(step) if latest is not None:
                latest["generated"] = plain["step"]["attempt"]
                latest["checks"] = plain["step"]["evidence"]
                latest["passed"] = bool(step.evidence) and all(item.passed for item in step.evidence)
            case RunHalted() if latest is not None:
                latest["halt"] = plain["halt"]
            case _ if latest is not None:
                latest["events"].append(plain)
        if isinstance(event, CallFinished) and latest is not None:
            self._usage += event.usage
            latest["usage"] = asdict(self._usage)

    def _begin(self, number: int, feedback: object) -> dict[str, Any]:
        started = self._started
        return {
            "version": VERSION,
            "iter": number,
            "session": started.run if started else "",
            "query": started.question if started else "",
            "document": started.document if started else {},
            "constraints": feedback,
            "events": [],
            "passed": False,
        }


def write_traces(folder: Path, traces: IterationTraces, first: int = 0) -> list[Path]:
    """Write iter-NN.json for each iteration from the `first` on into the run's folder; returns the paths of all."""
    paths = [folder / f"iter-{item['iter']:02d}.json" for item in traces.found]
    for path, item in list(zip(paths, traces.found, strict=True))[first:]:
        write_atomic(path, render_json(item))
    return paths


def render_json(value: Any, levels: int = 2, margin: str = "\n") -> str:
    """JSON with a line for each entry of its outer levels; deeper levels are on one line.

    The standard encoder with an indent is pure Python, and several times slower.
    """
    inner = margin + " "
    if levels and isinstance(value, dict) and value:
        entries = (f"{_encode(str(name))}: {render_json(item, levels - 1, inner)}" for name, item in value.items())
        return "{" + inner + f",{inner}".join(entries) + margin + "}"
    if levels and isinstance(value, list) and value:
        items = (render_json(item, levels - 1, inner) for item in value)
        return "[" + inner + f",{inner}".join(items) + margin + "]"
    return _encode(value)


def write_atomic(path: Path, text: str) -> None:
    """Replace `path` by `text`, readable by its owner only; a reader sees the old file or the new one."""
    try:
        replace_file(path, text.encode("utf-8", "replace"))
    except OSError as error:
        hint = "free some disk space, or choose another folder with --out"
        raise JournalError(f"{path} cannot be written: {error}", code="trace-unwritable", hint=hint) from error


def replace_file(path: Path, content: bytes) -> None:
    """Replace `path` by `content` as `write_atomic` does; if it raises OSError, `path` is unchanged."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{clock.token(4)}")
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold the lock file `path`; processes side by side take turns. Raises OSError if it cannot be opened."""
    lock = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def update_index(out: Path, run: str, summary: dict[str, Any], traces: Sequence[Path]) -> None:
    """Add a run to `<out>/session-index.json`, or update its entry.

    Runs side by side take turns. Raises JournalError for an index that ralph did not write, which is never overwritten.
    """
    try:
        with hold_lock(out / ".index.lock"):
            index = read_index(out)
            now = clock.now()
            entry = index["sessions"].setdefault(run, {"createdAt": now})
            entry.update(summary)
            entry["updatedAt"] = now
            places = enumerate((str(path.relative_to(out)) for path in traces), 1)
            entry["iterations"] = [{"iter": number, "tracePath": path, "storedAt": now} for number, path in places]
            write_atomic(out / INDEX_FILE, render_json(index))
    except OSError as error:
        raise _index_error(out, error) from error


def remove_from_index(out: Path, run: str) -> None:
    """Remove a run from `<out>/session-index.json`. Raises JournalError as `update_index` does."""
    try:
        with hold_lock(out / ".index.lock"):
            index = read_index(out)
            if index["sessions"].pop(run, None) is not None:
                write_atomic(out / INDEX_FILE, render_json(index))
    except OSError as error:
        raise _index_error(out, error) from error


def _index_error(out: Path, error: OSError) -> JournalError:
    hint = "move .index.lock away, or choose another folder with --out"
    return JournalError(f"{out / '.index.lock'} cannot be used: {error}", code="index-locked", hint=hint)


def read_index(out: Path) -> dict[str, Any]:
    """The index of `out`; empty if there is none. Raises JournalError if it is damaged or of another version."""
    path = out / INDEX_FILE
    if not path.exists():
        return {"version": VERSION, "sessions": {}}
    try:
        index = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        hint = "move it away; `ralph trace show RUN` still reads the journals"
        raise JournalError(f"{path} cannot be read: {error}", code="index-damaged", hint=hint) from error
    if not isinstance(index, dict) or index.get("version") != VERSION or not isinstance(index.get("sessions"), dict):
        hint = "move it away, or use the version of ralph that wrote it"
        raise JournalError(f"{path} is not a session index of version {VERSION}", code="index-damaged", hint=hint)
    return index


class TraceWriter:
    """A sink that updates the readable traces of one run after each iteration and at the end.

    A trace that cannot be written stops a run before it begins. Later `on_problem` is called instead: everything is in
    the journal, and an answer that was paid for must be shown. It is also called once for an index that is damaged or
    foreign, which is left as it is, without this run.
    """

    def __init__(self, out: Path, folder: Path, on_problem: Callable[[str], None] = lambda _: None) -> None:
        self._out, self._folder, self._on_problem = out, folder, on_problem
        self._traces = IterationTraces()
        self._written = 0
        self._summary: dict[str, Any] = {}
        self._indexed = True
        self._has_unwritten_step = False

    def __call__(self, event: AnyEvent, /) -> None:
        # The end follows the last step at once, so both are written together.
        if self._has_unwritten_step and not isinstance(event, RunHalted):
            self._write(has_begun=True)
        self._traces.add(event)
        self._has_unwritten_step = isinstance(event, StepFinished)
        if isinstance(event, RunStarted):
            self._summary = {"mode": event.mode, "question": event.question, "document": event.document}
            self._summary |= {"status": "running"}
        elif isinstance(event, RunHalted):
            self._summary |= {"status": event.halt.type.value, "detail": event.halt.detail}
        if isinstance(event, RunStarted | RunHalted):
            self._write(has_begun=isinstance(event, RunHalted))

    def _write(self, *, has_begun: bool) -> None:
        try:
            traces = write_traces(self._folder, self._traces, self._written)
            self._written = max(len(traces) - 1, 0)  # the latest trace may still grow
            if self._indexed:
                update_index(self._out, self._folder.name, self._summary, traces)
        except JournalError as error:
            self._indexed = self._indexed and error.code != "index-damaged"
            if not has_begun and self._indexed:
                raise
            self._on_problem(error.line)
