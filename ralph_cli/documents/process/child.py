"""Runs a parser in its own process, with limits on memory and time, and does not trust its answers."""

import dataclasses
import json
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits

_BOOTSTRAP = "from ralph_cli.documents.process.worker import main; main()"
_PACKAGE_ROOT = str(Path(__file__).resolve().parents[3])
_MAX_ERROR = 1 << 16
_REPORTED = "encrypted wrong-password damaged no-text too-big unsupported undecodable empty changed crashed"
_CODES = frozenset(_REPORTED.split())
# The signals of a process without memory: pdfium's when memory is refused (other faults give SIGTRAP, SIGILL or
# SIGSEGV), and the kernel's when the machine has none left.
_MEMORY_SIGNALS = frozenset({"SIGABRT", "SIGKILL"})


OnProgress = Callable[[int, int], None] | None
_Result = TypeVar("_Result")

PROGRESS = b"P"
RESULT = b"R"
FAILURE = b"E"
# Exit status of a parser process that ran out of memory.
EXIT_MEMORY = 77

_HEADER = struct.Struct(">cQ")
_PROGRESS = struct.Struct(">II")


def encode_frame(kind: bytes, payload: bytes) -> bytes:
    """Return one frame as bytes."""
    return _HEADER.pack(kind, len(payload)) + payload


def encode_progress(done: int, total: int) -> bytes:
    """Return a frame that reports `done` of `total` pages."""
    return encode_frame(PROGRESS, _PROGRESS.pack(done, total))


def read_progress(payload: bytes) -> tuple[int, int]:
    """Return the number of pages done and the total. Raises ValueError if the payload is not a progress report."""
    try:
        done, total = _PROGRESS.unpack(payload)
    except struct.error as error:
        raise ValueError("malformed progress") from error
    return done, total


def read_frame(pipe: IO[bytes], max_bytes: int) -> tuple[bytes, bytes] | None:
    """Return the next frame, or None if the stream ends, even inside a frame.

    Raises ValueError for an unknown kind or a payload of more than `max_bytes` bytes.
    """
    header = pipe.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    kind, length = _HEADER.unpack(header)
    if kind not in (PROGRESS, RESULT, FAILURE) or length > max_bytes:
        raise ValueError("unknown or oversized frame")
    payload = pipe.read(length)
    return (kind, payload) if len(payload) == length else None


class ParserProcess(Protocol):
    """A process that reads a request and a file from `stdin`, and answers in frames on `stdout`."""

    stdin: IO[bytes]
    stdout: IO[bytes]

    def kill(self) -> None:
        """End the process and the processes that read pages for it."""

    def wait(self) -> int:
        """Return its status when it has ended; a negative one is the signal that ended it."""


def run_parser(
    operation: str,
    data: bytes,
    decode: Callable[[bytes], _Result],
    *,
    name: str,
    limits: LoadLimits,
    on_progress: OnProgress = None,
    start: "StartParser | None" = None,
    **options: Any,
) -> _Result:
    """Ask a parser process for an operation on a file's bytes; `decode` converts its answer to a value, or raises.

    `start` starts the process; the default is a fresh one. It inherits no environment and gets the file through a
    pipe. Raises DocumentError: what the parser reported; timeout, too-big or crashed if it did not survive; and
    crashed for an answer that no correct parser gives, because the file may have taken over the parser.
    """
    request = {"op": operation, "name": name, "limits": dataclasses.asdict(limits), **options}
    result = exchange(request, data, name, limits, on_progress, start or start_parser)
    try:
        return decode(result)
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise _invalid_result_error(name, error) from None


def exchange(
    request: dict[str, Any], data: bytes, name: str, limits: LoadLimits, on_progress: OnProgress, start: "StartParser"
) -> bytes:
    """Send a request and the file's bytes to a new parser process, and return its answer unchanged."""
    header = json.dumps(request).encode("ascii") + b"\n"
    process = start()
    watch = _Watchdog(process, limits.seconds_for(len(data)))
    feeder = threading.Thread(target=_feed, args=(process.stdin, header, data), daemon=True)
    feeder.start()
    try:
        result = _receive(process.stdout, name, limits, watch, on_progress)
    finally:
        watch.cancel()
        process.kill()  # it is finished, or must be stopped
        status = process.wait()
        feeder.join()  # its pipe has no reader any more
        process.stdout.close()
    if result is not None:
        return result
    raise _exit_error(name, watch, status, limits)


class _Watchdog:
    """Kills the process when its time is over; the time can be reset once."""

    def __init__(self, process: ParserProcess, seconds: float) -> None:
        self._process = process
        self.expired = False
        self._set(seconds)

    def _set(self, seconds: float) -> None:
        self.seconds = seconds
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True
        self._timer.start()

    def restart(self, seconds: float) -> None:
        self._timer.cancel()
        self._set(seconds)

    def cancel(self) -> None:
        self._timer.cancel()

    def _expire(self) -> None:
        self.expired = True
        self._process.kill()


@dataclasses.dataclass(slots=True)
class _FreshProcess:
    """A parser process that was started for one file."""

    process: "subprocess.Popen[bytes]"
    stdin: IO[bytes]
    stdout: IO[bytes]

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def wait(self) -> int:
        return self.process.wait()


def start_parser() -> ParserProcess:
    """Start a fresh parser process. Raises DocumentError "crashed" if it cannot be started."""
    try:
        process = start_python(_BOOTSTRAP, subprocess.PIPE, subprocess.PIPE)
    except OSError as error:
        raise DocumentError(f"the document parser cannot be started: {error.strerror}", code="crashed") from None
    assert process.stdin is not None
    assert process.stdout is not None
    return _FreshProcess(process, process.stdin, process.stdout)


StartParser = Callable[[], ParserProcess]


def start_python(code: str, stdin: int, stdout: int) -> "subprocess.Popen[bytes]":
    """Start a Python process that runs this code, with the same import path and no environment.

    Raises OSError.
    """
    path = [_PACKAGE_ROOT, *(entry for entry in sys.path if entry and entry != _PACKAGE_ROOT)]
    code = f"import sys,json; sys.path[:]=json.loads(sys.argv[1])\n{code}"
    return subprocess.Popen(
        [sys.executable, "-I", "-c", code, json.dumps(path)],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env={},  # the environment holds keys
        cwd=Path(_PACKAGE_ROOT).anchor,
        start_new_session=True,
    )


def _feed(pipe: IO[bytes], header: bytes, data: bytes) -> None:
    with suppress(OSError), pipe:  # if the process ends early, its exit status gives the reason
        pipe.write(header)
        pipe.write(data)


def _receive(pipe: IO[bytes], name: str, limits: LoadLimits, watch: _Watchdog, on_progress: OnProgress) -> bytes | None:
    """Return the result, or None if the process ended without one. Raises the errors that the process reported."""
    total: int | None = None
    while True:
        try:
            frame = read_frame(pipe, limits.json_bytes)
            if frame is None:
                return None
            kind, payload = frame
            if kind == RESULT:
                return payload
            if kind == FAILURE:
                raise _parse_failure(payload)
            done, claimed = _checked_progress(payload, total, limits)
        except (ValueError, RecursionError) as error:
            raise _invalid_result_error(name, error) from None
        if total is None:
            watch.restart(limits.seconds + limits.seconds_per_page * claimed)
        total = claimed
        if on_progress is not None:
            on_progress(done, claimed)


def _invalid_result_error(name: str, error: Exception) -> DocumentError:
    what = f"the parser of {name} returned an invalid result ({error})"
    return DocumentError(what, code="crashed", hint="do not trust this file")


def _checked_progress(payload: bytes, total: int | None, limits: LoadLimits) -> tuple[int, int]:
    done, claimed = read_progress(payload)
    if claimed > limits.pages or done > claimed or (total is not None and claimed != total):
        raise ValueError("invalid progress report")
    return done, claimed


def _parse_failure(payload: bytes) -> DocumentError:
    if len(payload) > _MAX_ERROR:
        raise ValueError("an error message that is too long")
    value = json.loads(payload)
    if not isinstance(value, list) or len(value) != 3 or not all(isinstance(item, str) for item in value):
        raise ValueError("a malformed error message")
    code, message, hint = value
    return DocumentError(message, code=code if code in _CODES else "crashed", hint=hint)


def _exit_error(name: str, watch: _Watchdog, status: int, limits: LoadLimits) -> DocumentError:
    """Return the error for a parser that ended without a result."""
    try:
        ended_by = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    except ValueError:
        ended_by = f"signal {-status}"
    if watch.expired or ended_by == "SIGXCPU":
        message = f"{name} took longer than {round(watch.seconds, 1):g} s to read"
        return DocumentError(message, code="timeout", hint="split the file")
    if status == EXIT_MEMORY or ended_by in _MEMORY_SIGNALS:
        message = f"{name} needs more than {limits.memory >> 20} MiB of memory to read ({ended_by})"
        hint = "split the file; if it is small, it is damaged or hostile"
        return DocumentError(message, code="too-big", hint=hint)
    hint = "the file is damaged or hostile; try a repaired copy: qpdf in.pdf out.pdf"
    return DocumentError(f"the parser of {name} crashed ({ended_by})", code="crashed", hint=hint)
