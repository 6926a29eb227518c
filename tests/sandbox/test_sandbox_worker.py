"""The host's reading and writing, against processes that do each thing wrong."""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.questions import replace_surrogates, replace_unsafe
from sandbox.worker import Bounds, Worker, WorkerFault

ROOMY = Bounds(json=1 << 20, blob=1 << 20, max_resident=1 << 30)
Start = Callable[..., Worker]


def frame(meta: object, blob: bytes = b"") -> bytes:
    text = json.dumps(meta).encode()
    return struct.pack("!IQ", len(text), len(blob)) + text + blob


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a Python program as a worker; it ends with the test."""
    workers = []

    def run(code: str, bounds: Bounds = ROOMY) -> Worker:
        worker = Worker([sys.executable, "-I", "-S", "-c", code], env={}, cwd=tmp_path, bounds=bounds)
        workers.append(worker)
        return worker

    yield run
    for worker in workers:
        worker.kill()


def says(data: bytes) -> str:
    return f"import os, time; os.write(1, {data!r}); time.sleep(60)"


def test_a_message_comes_through_in_pieces(start: Start) -> None:
    data = frame({"op": "x"}, b"blob") + frame({"op": "y"})
    worker = start(f"import os, time\nfor b in {data!r}: os.write(1, bytes([b]))\ntime.sleep(60)")
    first, second = worker.receive(seconds=10), worker.receive(seconds=10)
    assert (first.meta, first.blob, second.meta, second.blob) == ({"op": "x"}, b"blob", {"op": "y"}, b"")


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("!IQ", (1 << 20) + 1, 0), struct.pack("!IQ", 2, (1 << 20) + 1), frame([1]), frame("x"), frame(None),
        struct.pack("!IQ", 1, 0) + b"{", struct.pack("!IQ", 3, 0) + b"{\xff}",
        struct.pack("!IQ", 90_000, 0) + b"[" * 90_000,
    ],
)  # fmt: skip
def test_what_is_not_a_message_is_a_violation(data: bytes, start: Start) -> None:
    with pytest.raises(WorkerFault, match="protocol violation"):
        start(says(data)).receive(seconds=10)


def test_silence_and_half_a_message(start: Start) -> None:
    for data in (b"", frame({"op": "x"})[:-1]):
        with pytest.raises(WorkerFault, match="time limit"):
            start(says(data)).receive(seconds=0.2)


def test_an_end_is_told(start: Start) -> None:
    with pytest.raises(WorkerFault, match="the worker died: exit code 3"):
        start("import os; os._exit(3)").receive(seconds=10)
    with pytest.raises(WorkerFault, match="the worker died: signal 6"):
        start("import os; os.abort()").receive(seconds=10)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is watched through /proc")
def test_too_much_memory_is_seen(start: Start) -> None:
    small = Bounds(json=1 << 20, blob=1 << 20, max_resident=60 << 20)
    with pytest.raises(WorkerFault, match="memory limit"):
        start("import time; x = bytearray(b'x') * (100 << 20); time.sleep(60)", small).receive(seconds=10)


def test_one_that_does_not_read_is_not_waited_for(start: Start) -> None:
    worker = start("import time; time.sleep(60)")
    with pytest.raises(WorkerFault, match="time limit"):
        worker.send({"op": "x"}, bytes(8 << 20), seconds=0.3)


def test_one_that_has_ended_takes_nothing(start: Start) -> None:
    worker = start("")
    with pytest.raises(WorkerFault, match="the worker died"):
        worker.receive(seconds=10)
    with pytest.raises(WorkerFault, match="the worker died"):
        worker.send({"op": "x"}, bytes(8 << 20), seconds=5)


def test_its_last_words_are_kept(start: Start) -> None:
    worker = start("raise SystemExit('why it ended')")
    with pytest.raises(WorkerFault):
        worker.receive(seconds=10)
    assert worker.error_tail() == "why it ended"


@pytest.mark.parametrize(
    ("banner", "line"),
    [
        ("\n\n#\n# Fatal JavaScript out of memory: Reached heap limit\n#\n==== C stack trace ====\n  at x\n",
         "Fatal JavaScript out of memory: Reached heap limit"),
        ("============\nDeno has panicked. This is a bug in Deno.\n\nPlatform: linux\nthread 'main' panicked at a:1\n",
         "Deno has panicked. This is a bug in Deno."),
        ("error: Module not found\n    at file:///x\n", "error: Module not found"),
        ("Traceback (most recent call last):\n  File 'x'\nOSError: no\n", "OSError: no"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_banner_is_told_in_one_line(banner: str, line: str, start: Start) -> None:
    worker = start(f"import sys; sys.stderr.write({banner!r}); raise SystemExit(1)")
    with pytest.raises(WorkerFault):
        worker.receive(seconds=10)
    assert worker.error_tail() == line


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WorkerFault, match=r"the worker did not start.*No such file"):
        Worker([str(tmp_path / "none")], env={}, cwd=tmp_path, bounds=ROOMY)


def test_its_folder_goes_with_it(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "file").write_text("x")
    worker = Worker([sys.executable, "-c", ""], env={}, cwd=tmp_path, bounds=ROOMY, scratch=scratch)
    worker.kill()
    worker.kill()
    assert not scratch.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(worker._process.pid, 0)


def test_cleaning_keeps_every_place() -> None:
    assert replace_unsafe("a\0b\ud800c\udfff\U0001f600") == "a\ufffdb\ufffdc\ufffd\U0001f600"
    assert replace_surrogates("a\0b\ud800") == "a\0b\ufffd"
