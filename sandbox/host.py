"""The host's side of a session: one exchange per snippet, and a new worker whenever one cannot be trusted."""

from __future__ import annotations

import json
import math
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, Self

from sandbox.guest.touched import MAX_SPANS
from sandbox.interface import (
    HostQuery,
    Protections,
    ResourceLimits,
    Result,
    SandboxFailure,
    SandboxUnavailable,
    missing_walls,
    refuse_to_delegate,
)
from sandbox.questions import Questions, ask_host, replace_surrogates, replace_unsafe
from sandbox.worker import Bounds, Frame, Worker, WorkerFault, watch_beside

CALL_BYTES = 128 << 20  # UTF-8 of all prompts and texts of one call
ERROR_CHARS = 16_384
VALUE_NOTE_CHARS = 64  # characters that the guest may add to a shortened value
LOAD_SECONDS = 300.0
PIECE_CHARS = 1 << 20  # of the document at a time, so that neither side holds a second copy of it


class Engine(Protocol):
    """An engine: it starts workers."""

    name: str
    walls: Protections
    max_resident: int
    """Bytes of resident memory at which a worker is killed."""

    def spawn(self, bounds: Bounds, options: Mapping[str, int]) -> Worker:
        """Start a worker. Raises SandboxUnavailable or SandboxFailure."""


class WorkerSandbox:
    """A `Sandbox` whose snippets run in a worker process; replaces the worker when it breaks."""

    def __init__(
        self,
        engine: Engine,
        limits: ResourceLimits,
        require_walls: bool = False,
        on_missing: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.name = engine.name
        self._require_walls, self._on_missing = require_walls, on_missing
        self._told = False
        self._engine = engine
        self._limits = limits
        self._bounds = Bounds(json=(1 << 20) + 14 * limits.output, blob=CALL_BYTES, max_resident=engine.max_resident)
        self._worker: Worker | None = None
        self._document = ""
        self._characters = 0
        self._pages = "[]"
        self._prelude: tuple[str, tuple[str, ...]] | None = None
        self._closed = False
        self._lock = threading.RLock()

    @property
    def walls(self) -> Protections:
        """The walls around the worker that was started last."""
        return self._engine.walls

    def start(self) -> None:
        """Start a worker and load the document, unless one is running."""
        with self._lock:
            if self._closed:
                raise SandboxFailure("the sandbox is closed")
            if self._worker is not None:
                return
            options = {
                "output": self._limits.output,
                "prompt_chars": self._limits.prompt_chars,
                "batch": self._limits.batch,
                "call_bytes": CALL_BYTES,
            }
            self._worker = self._engine.spawn(self._bounds, options)
            self._check_walls()
            if self._document or self._pages != "[]":
                self._send_document(self._worker)
            if self._prelude is not None:
                self._send_prelude(self._worker, *self._prelude)

    def _check_walls(self) -> None:
        """Report once which walls are missing on this machine. Raises SandboxUnavailable if they are required."""
        missing = missing_walls(self.walls)
        if not missing:
            return
        what = f"on this machine the {self.name} sandbox lacks {', '.join(missing)}"
        if self._require_walls:
            self._kill_worker()
            raise SandboxUnavailable(what, "`ralph doctor` shows the walls; without --require-walls the others suffice")
        if not self._told:
            self._told = True
            held = [name for name, state in self.walls.items() if state]
            self._on_missing(f"{what}; it has {', '.join(held)}")

    def load(self, context: str, pages: Sequence[tuple[int, str, int, int]]) -> None:
        """Keep the document, and load it into the running worker."""
        with self._lock:
            self._document = replace_surrogates(context)  # no copy is made of a clean text
            self._characters = len(context)
            self._pages = json.dumps([list(page) for page in pages])
            if self._worker is not None:
                self._send_document(self._worker)

    def define(self, code: str, offered: Sequence[str]) -> None:
        """Keep the prelude, and define it in the running worker; see `Sandbox.define`."""
        with self._lock:
            self._prelude = code, tuple(offered)
            if self._worker is not None:
                self._send_prelude(self._worker, *self._prelude)

    def run(
        self,
        code: str,
        query: HostQuery,
        *,
        seconds: float | None = None,
        watched: Collection[int] = (),
        now: float | None = None,
        delegate: HostQuery = refuse_to_delegate,
    ) -> Result:
        """Run one snippet; see `Sandbox.run`."""
        with self._lock:
            most = self._limits.seconds + self._limits.seconds_per_million * (self._characters // 1_000_000)
            clock = _Stopwatch(most, seconds)
            self.start()
            assert self._worker is not None
            try:
                result = self._run_snippet(
                    self._worker, code, {"query": query, "delegate": delegate}, clock, watched, now
                )
            except WorkerFault as fault:
                self._kill_worker()
                return Result("", 0, None, self._limit_message(fault, clock), True, clock.spent)
            except BaseException:  # from `query`, or an interrupt: the worker waits for an answer in vain
                self._kill_worker()
                raise
            if result.state_lost:
                self._kill_worker()
            return result

    def close(self) -> None:
        """Kill the worker; the sandbox cannot be used again."""
        with self._lock:
            self._closed = True
            self._kill_worker()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _kill_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()

    def _send_prelude(self, worker: Worker, code: str, offered: Sequence[str]) -> None:
        error = self._hand_over(worker, {"op": "define", "code": code, "offered": list(offered)}, "defined")
        if error is not None:
            raise SandboxFailure(f"the sandbox could not run the code that comes before every snippet: {error}")

    def _hand_over(self, worker: Worker, message: dict[str, Any], expected: str, blob: bytes = b"") -> str | None:
        """Send something that a worker keeps. If that fails, kill the worker and return the error."""
        nonce = secrets.token_hex(16)
        try:
            worker.send({**message, "nonce": nonce}, blob, seconds=LOAD_SECONDS)
            reply = worker.receive(seconds=LOAD_SECONDS).meta
            if reply.get("op") != expected or reply.get("nonce") != nonce:
                raise WorkerFault("protocol violation", f"no answer that it is {expected}")
            error = reply.get("error")
        except WorkerFault as fault:
            error = str(fault)
        except BaseException:
            self._kill_worker()
            raise
        if error is not None:
            self._kill_worker()
        return None if error is None else replace_unsafe(str(error)[:ERROR_CHARS])

    def _send_document(self, worker: Worker) -> None:
        error, last = None, max(self._characters - 1, 0) // PIECE_CHARS
        for number in range(last + 1):
            piece = self._document[number * PIECE_CHARS : (number + 1) * PIECE_CHARS].encode("utf-8")
            message = {"op": "load", "pages": self._pages if number == last else ""}
            if error := self._hand_over(worker, message, "loaded", piece):
                break
        if error is not None:
            size, memory = len(self._document) // 1_000_000, self._limits.memory >> 20
            raise SandboxFailure(
                f"the document ({size} million characters) could not be loaded into the sandbox, which may use "
                f"{memory} MB: {error}"
            )

    def _run_snippet(
        self,
        worker: Worker,
        code: str,
        answerers: Mapping[str, HostQuery],
        clock: _Stopwatch,
        watched: Collection[int],
        now: float | None,
    ) -> Result:
        nonce = secrets.token_hex(16)
        worker.expect_silence()
        with clock:
            message = {"op": "exec", "nonce": nonce, "code": replace_unsafe(code), "watched": sorted(watched)}
            worker.send({**message, "now": now}, seconds=clock.left)
        while True:
            with clock:
                frame = worker.receive(seconds=clock.left)
            if frame.meta.get("nonce") != nonce:
                raise WorkerFault("protocol violation", "a message without this snippet's nonce")
            match frame.meta.get("op"):
                case "call":
                    with watch_beside(worker.watch, clock.left) as spell:
                        answers = ask_host(*self._parse_call(frame, answerers))
                    clock.spent += spell.seconds  # computed instead of waiting for the answer
                    if spell.reached:
                        raise WorkerFault(spell.reached)
                    with clock:
                        worker.send({"answers": answers}, seconds=clock.left)
                case "done":
                    worker.expect_silence()
                    return replace(self._parse_result(frame, clock.spent), reached=_reached(frame, watched))
                case "fatal":
                    reason = f"the worker died: {_text_field(frame, 'error', 300)}"
                    return Result("", 0, None, reason, True, clock.spent)
                case _:
                    raise WorkerFault("protocol violation", "an unknown message")

    def _parse_call(self, frame: Frame, answerers: Mapping[str, HostQuery]) -> tuple[HostQuery, Questions]:
        """Return who answers a call, and its pairs of texts. The JSON has their sizes in bytes, the blob the texts."""
        whom = frame.meta.get("whom", "query")
        if not isinstance(whom, str) or whom not in answerers:
            raise WorkerFault("protocol violation", "whom a call asks")
        sizes = frame.meta.get("sizes")
        if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
            raise WorkerFault("protocol violation", "sizes of a call")
        if not 2 <= len(sizes) <= 2 * self._limits.batch or len(sizes) % 2 or sum(sizes) != len(frame.blob):
            raise WorkerFault("protocol violation", "sizes of a call")
        return answerers[whom], Questions(frame.blob, sizes, self._limits.prompt_chars)

    def _parse_result(self, frame: Frame, seconds: float) -> Result:
        total = frame.meta.get("total")
        stdout = _text_field(frame, "stdout", self._limits.output) or ""
        if type(total) is not int or not len(stdout) <= total < 1 << 53:
            raise WorkerFault("protocol violation", "the count of printed characters")
        value = _text_field(frame, "value", self._limits.output + VALUE_NOTE_CHARS)
        error = _text_field(frame, "error", ERROR_CHARS)
        return Result(stdout, total, value, error, False, seconds, _touched_spans(frame, self._characters))

    def _limit_message(self, fault: WorkerFault, clock: _Stopwatch) -> str:
        if fault.reason == "time limit":
            return f"time limit of {clock.reached_limit:g} s"
        if fault.reason == "memory limit":
            return f"memory limit of {self._limits.memory >> 20} MB"
        return fault.reason


class _Stopwatch:
    """Measures the time inside its `with` blocks, which is the worker's.

    `seconds` bounds this time, `overall_seconds` the time of worker and host together.
    """

    def __init__(self, seconds: float, overall_seconds: float | None) -> None:
        self._seconds = seconds
        self._overall_seconds = math.inf if overall_seconds is None else overall_seconds
        self._ends = time.monotonic() + self._overall_seconds
        self._since = 0.0
        self.spent = 0.0

    @property
    def left(self) -> float:
        return min(self._seconds - self.spent, self._ends - time.monotonic())

    @property
    def reached_limit(self) -> float:
        """The bound that was reached."""
        return self._seconds if self.spent >= self._seconds else self._overall_seconds

    def __enter__(self) -> None:
        self._since = time.monotonic()

    def __exit__(self, *_error: object) -> None:
        self.spent += time.monotonic() - self._since


def _text_field(frame: Frame, name: str, max_chars: int) -> str | None:
    """Return a text field, cleaned as everything from the guest, or None."""
    value = frame.meta.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > max_chars:
        raise WorkerFault("protocol violation", f"field {name}")
    return replace_unsafe(value)


def _reached(frame: Frame, watched: Collection[int]) -> tuple[int, ...]:
    """Return the watched expressions that the guest reports as evaluated."""
    value = frame.meta.get("reached")
    return tuple(sorted(number for number in watched if isinstance(value, list) and number in value))


def _touched_spans(frame: Frame, characters: int) -> tuple[tuple[int, int], ...]:
    """Return the slices that the guest reports. Malformed ones are left out; they are only hints."""
    value = frame.meta.get("touched")
    items = value[:MAX_SPANS] if isinstance(value, list) else []
    pairs = [item for item in items if isinstance(item, list) and len(item) == 2]
    return tuple((a, b) for a, b in pairs if type(a) is type(b) is int and 0 <= a < b <= characters)
