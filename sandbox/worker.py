"""A worker process and the framed pipe to it. Every byte that it sends is untrusted."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.guest import MODULES as GUEST_MODULES

TICK = 0.05  # seconds between two looks


@dataclass(frozen=True, slots=True)
class ProcessWatch:
    """The memory and CPU time of a process, from /proc; 0 without /proc, where only the engines' own limits apply."""

    process: int
    max_resident: int

    def is_too_large(self) -> bool:
        """Whether it has more resident memory than it may."""
        return self._field("statm", 1) * os.sysconf("SC_PAGE_SIZE") > self.max_resident

    def computing_seconds(self) -> float:
        """Return the CPU seconds of its threads."""
        # User and system time are the 12th and 13th field after the name, which may contain anything.
        return (self._field("stat", 11) + self._field("stat", 12)) / os.sysconf("SC_CLK_TCK")

    def _field(self, name: str, number: int) -> int:
        try:
            with open(f"/proc/{self.process}/{name}", "rb") as file:
                return int(file.read().rpartition(b")")[2].split()[number])
        except (OSError, ValueError, IndexError):
            return 0


@dataclass(slots=True)
class Spell:
    """CPU seconds of a process during a block, and the limit that it reached; empty if none."""

    seconds: float = 0.0
    reached: str = ""


@contextmanager
def watch_beside(watch: ProcessWatch, seconds: float) -> Iterator[Spell]:
    """Watch a process during a block, on a thread; kill it if it grows too large or computes too long."""
    spell, over, begun = Spell(), threading.Event(), watch.computing_seconds()

    def look() -> None:
        while not spell.reached and not over.wait(TICK):
            spell.seconds = watch.computing_seconds() - begun
            if watch.is_too_large():
                spell.reached = "memory limit"
            elif spell.seconds > seconds:
                spell.reached = "time limit"
        if spell.reached:
            try:
                os.kill(watch.process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    thread = threading.Thread(target=look, name="sandbox-watch", daemon=True)
    thread.start()
    try:
        yield spell
    finally:
        over.set()
        thread.join()
        spell.seconds = max(watch.computing_seconds() - begun, spell.seconds)


ERROR_TAIL = 16_384  # bytes of standard error that are searched for a reason
LINE_CHARS = 300  # of the reason
_FAULT = re.compile(r"\b(?:error|fatal|panicked|out of memory)\b", re.IGNORECASE)
HEADER = struct.Struct("!IQ")  # length of the JSON part, length of the blob
CHUNK = 1 << 20
PIPE_SIZE = 1 << 20

# The kernel kills a worker when the *thread* that started it ends (PDEATHSIG), and `start` may run on a short one.
# So one thread that lives as long as this process starts all workers.
_SPAWNER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sandbox-spawn")


class WorkerFault(Exception):
    """The worker cannot be used any more; `reason` says why in words for the model."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Bounds:
    """The largest JSON part, blob and resident memory of a worker, in bytes."""

    json: int
    blob: int
    max_resident: int


@dataclass(frozen=True, slots=True)
class Frame:
    """One message of a worker."""

    meta: dict[str, Any]
    blob: bytes


class Worker:
    """A process in a session of its own; `scratch` is its temporary folder, which is removed with it."""

    def __init__(
        self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path, bounds: Bounds, scratch: Path | None = None
    ) -> None:
        self._bounds = bounds
        self._scratch = scratch
        self._buffer = bytearray()
        self._last_memory_check = 0.0
        # A file, not a pipe, because nobody has to read it. Its end says why a worker did not start.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `kill`
        try:
            self._process = _spawn(argv, env, cwd, self._errors.fileno())
        except BaseException:
            self._errors.close()
            self._remove_scratch()
            raise
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stdin_fd, self._stdout_fd = self._process.stdin.fileno(), self._process.stdout.fileno()
        self.watch = ProcessWatch(self._process.pid, bounds.max_resident)
        for descriptor in (self._stdin_fd, self._stdout_fd):
            os.set_blocking(descriptor, False)
            _enlarge_pipe(descriptor)

    def send(self, meta: Mapping[str, Any], blob: bytes = b"", *, seconds: float) -> None:
        """Send one message. Raises WorkerFault if the worker is gone or does not read it in time."""
        text = json.dumps(meta).encode("ascii")
        deadline = time.monotonic() + seconds
        for part in (HEADER.pack(len(text), len(blob)) + text, blob):
            self._write(part, deadline)

    def receive(self, *, seconds: float) -> Frame:
        """Read one message. Raises WorkerFault on silence, death, too much memory and malformed messages."""
        deadline = time.monotonic() + seconds
        self._read_at_least(HEADER.size, deadline)
        text_size, blob_size = HEADER.unpack_from(self._buffer)
        if text_size > self._bounds.json or blob_size > self._bounds.blob:
            raise WorkerFault("protocol violation", f"a message of {text_size} + {blob_size} bytes")
        body = HEADER.size + text_size
        self._read_at_least(body + blob_size, deadline)
        with memoryview(self._buffer) as view:
            text, blob = bytes(view[HEADER.size : body]), bytes(view[body : body + blob_size])
        del self._buffer[: body + blob_size]
        try:
            meta = json.loads(text)
        except (ValueError, RecursionError, MemoryError) as error:
            raise WorkerFault("protocol violation", f"not JSON: {type(error).__name__}") from None
        if not isinstance(meta, dict):
            raise WorkerFault("protocol violation", "not an object")
        return Frame(meta, blob)

    def expect_silence(self) -> None:
        """Raise WorkerFault if the worker has sent something unasked."""
        try:
            self._buffer += os.read(self._stdout_fd, CHUNK)
        except BlockingIOError:
            pass
        if self._buffer:
            raise WorkerFault("protocol violation", f"{len(self._buffer)} bytes or more after the end of a message")

    def error_tail(self) -> str:
        """Return the line of standard error that says why a worker ended: one that names a fault, or the last one."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - ERROR_TAIL))
        said = self._errors.read().decode("utf-8", "replace").splitlines()
        lines = [line for line in (text.strip("#= \t") for text in said) if line]
        faults = [line for line in lines if _FAULT.search(line)]
        return (faults or lines[-1:] or [""])[0][:LINE_CHARS]

    def kill(self) -> None:
        """Kill the process group, reap it, and remove its folder. May be called twice."""
        if self._process.poll() is None:  # else it is reaped, and its number may be another process's
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):  # PermissionError: macOS, when only the zombie is left
                pass
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.stdin = self._process.stdout = None
        self._errors.close()
        self._remove_scratch()

    def _write(self, data: bytes, deadline: float) -> None:
        view, poller = memoryview(data), select.poll()
        poller.register(self._stdin_fd, select.POLLOUT)
        while view:
            try:
                view = view[os.write(self._stdin_fd, view[:CHUNK]) :]
            except BlockingIOError:
                self._wait(poller, deadline)
            except OSError as error:
                raise WorkerFault("the worker died", error.strerror or "") from None

    def _read_at_least(self, need: int, deadline: float) -> None:
        poller = select.poll()
        poller.register(self._stdout_fd, select.POLLIN)
        while len(self._buffer) < need:
            self._wait(poller, deadline)
            try:
                chunk = os.read(self._stdout_fd, CHUNK)
            except BlockingIOError:
                continue
            if not chunk:
                raise WorkerFault("the worker died", self._exit_reason())
            self._buffer += chunk

    def _wait(self, poller: select.poll, deadline: float) -> None:
        """Wait for the pipe. Raises WorkerFault after the deadline, or if the worker is too large."""
        while True:
            now = time.monotonic()
            if now - self._last_memory_check >= TICK:
                self._last_memory_check = now
                if self.watch.is_too_large():
                    raise WorkerFault("memory limit", f"more than {self._bounds.max_resident} bytes resident")
            left = deadline - now
            if left <= 0:
                raise WorkerFault("time limit")
            if poller.poll(min(left, TICK) * 1000):
                return

    def _exit_reason(self) -> str:
        try:
            code = self._process.wait(5)
        except subprocess.TimeoutExpired:
            return "it closed its pipe"
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def _remove_scratch(self) -> None:
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)


# Code with which a worker loads our modules from their sources, so that it knows no path of this package.
LOAD_MODULES = """
import sys, types
def load_modules(modules):
    for name, source in modules:
        above, _, own = name.rpartition(".")
        module = sys.modules[name] = types.ModuleType(name)
        if above:
            setattr(sys.modules[above], own, module)
        exec(compile(source, "<sandbox>", "exec"), vars(module))
"""


def read_sources(*modules: str) -> list[tuple[str, str]]:
    """Return names and sources of the guest's modules and then of these `modules`, for `LOAD_MODULES`."""
    folder = Path(__file__).parent
    guest = [f"guest.{name}" for name in GUEST_MODULES]
    files = [(name, folder.joinpath(*name.split(".")).with_suffix(".py")) for name in (*guest, *modules)]
    empty = [("sandbox", ""), ("sandbox.guest", "")]
    return empty + [(f"sandbox.{name}", file.read_text("utf-8")) for name, file in files]


@contextmanager
def kill_on_error(worker: Worker) -> Iterator[None]:
    """Kill the worker if the block fails, and add its error line to a WorkerFault."""
    try:
        yield
    except WorkerFault as fault:
        words = worker.error_tail()
        worker.kill()
        raise WorkerFault(str(fault), words) from None
    except BaseException:
        worker.kill()
        raise


def _spawn(argv: Sequence[str], env: Mapping[str, str], cwd: Path, errors: int) -> subprocess.Popen[bytes]:
    future: Future[subprocess.Popen[bytes]] = _SPAWNER.submit(
        subprocess.Popen,
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=dict(env),
        cwd=cwd,
        bufsize=0,
        start_new_session=True,
    )
    try:
        return future.result()
    except OSError as error:
        raise WorkerFault("the worker did not start", f"{argv[0]}: {error.strerror}") from None
    except BaseException:  # interrupted during the start: nobody will own the process
        future.add_done_callback(_kill_orphan)
        raise


def _kill_orphan(future: Future[subprocess.Popen[bytes]]) -> None:
    if not future.cancelled() and future.exception() is None:
        future.result().kill()


def _enlarge_pipe(descriptor: int) -> None:
    """Enlarge the pipe where that is possible: a document has many megabytes."""
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
    except (AttributeError, OSError):  # macOS has no such call; Linux bounds the pipes of a user together
        pass
