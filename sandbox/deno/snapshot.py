"""The memory snapshot from which Pyodide starts five times faster: built once per runtime, checked at each use."""

from __future__ import annotations

import fcntl
import hashlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sandbox.deno.runtime import FILES
from sandbox.deno.worker import PROGRAM, START_SECONDS, Deno
from sandbox.worker import Bounds, WorkerFault

MAX_SNAPSHOT_BYTES = 256 << 20
STALE_SECONDS = 7 * 86_400.0
HASH_DIGITS = 64  # of a SHA-256 in hexadecimal
BUILD_BOUNDS = Bounds(json=1 << 16, blob=MAX_SNAPSHOT_BYTES, max_resident=4 << 30)


def ensure_snapshot(deno: Deno, *, on_wait: Callable[[str], None] = lambda _: None) -> Path | None:
    """Return a snapshot for this runtime, this Deno and this worker program; None if none can be built."""
    key = _snapshot_key(deno)
    path = deno.runtime / f"snapshot-{key[:16]}.bin"
    if _is_valid(path, key):
        return path
    try:
        with open(deno.runtime / "snapshot.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_valid(path, key):  # else another process built it meanwhile
                on_wait("preparing the sandbox (once, some seconds)")
                _store(path, key, _build(deno))
                _remove_stale(path)
    except (OSError, WorkerFault):
        return None  # the worker starts without it, or reports what is wrong
    return path


def forget_snapshot(path: Path) -> None:
    """Remove a snapshot from which no worker could be started."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        pass


def _snapshot_key(deno: Deno) -> str:
    """Return a hash of what a snapshot depends on. Deno's size replaces its version, which takes 30 ms."""
    parts = repr((sorted(FILES.items()), deno.binary.stat().st_size)).encode()
    return hashlib.sha256(parts + PROGRAM.read_bytes() + repr(deno.boot_message()).encode()).hexdigest()


def _is_valid(path: Path, key: str) -> bool:
    """Whether the file begins with the key and the hash of the rest."""
    try:
        with open(path, "rb") as file:
            if file.read(HASH_DIGITS) != key.encode():
                return False
            expected = file.read(HASH_DIGITS)
            return hashlib.file_digest(file, "sha256").hexdigest().encode() == expected
    except OSError:
        return False


def _build(deno: Deno) -> bytes:
    worker, _ = deno.spawn("snapshot", None, BUILD_BOUNDS)
    try:
        worker.send(deno.boot_message(), seconds=START_SECONDS)
        return worker.receive(seconds=START_SECONDS).blob
    finally:
        worker.kill()


def _store(path: Path, key: str, memory: bytes) -> None:
    """Write beside the final path, then rename, so that readers see the whole file or none."""
    descriptor, name = tempfile.mkstemp(prefix=".snapshot-", dir=path.parent)
    ready = Path(name)
    try:
        with open(descriptor, "wb") as file:
            file.write(key.encode() + hashlib.sha256(memory).hexdigest().encode())
            file.write(memory)
        ready.replace(path)
    except BaseException:
        ready.unlink()
        raise


def _remove_stale(current: Path) -> None:
    """Remove old snapshots of other versions, which take 30 MB each."""
    for old in current.parent.glob("*snapshot-*"):
        if old != current and time.time() - old.stat().st_mtime > STALE_SECONDS:
            old.unlink(missing_ok=True)
