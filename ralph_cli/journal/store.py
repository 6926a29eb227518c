"""The journal: one SQLite file a run, an append-only list of events, committed before anybody acts on them.

Each event has a hash of itself and all events before it, so that a change is located. The hashes do not prove who wrote
the file, because anybody can compute them again. The seal of an event does: only the owner of the machine's key can
compute it (HMAC, RFC 2104).
"""

import contextlib
import fcntl
import hmac
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ralph_cli.core import clock
from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent
from ralph_cli.core.version import SCHEMA_VERSION
from ralph_cli.journal.consistency import EVENT, parse_event
from ralph_cli.journal.rows import (
    CHAIN_START,
    EVENT_COLUMNS,
    JOURNAL_FILE,
    chain_hash,
    read_chained_rows,
    read_raw_rows,
)


class Journal:
    """Appends the events of one run; a sink. WAL with synchronous=FULL: appended events survive a killed process.

    Threads that append at the same time share one commit, so that a batch of sub-queries does not wait for the disk
    once for each of them. Commits are made on a thread of their own, which no interrupt reaches. A second process on
    the same folder is refused. Events are sealed with `key`, if there is one.
    """

    def __init__(self, folder: Path, key: bytes = b"") -> None:
        self.folder, self._key = folder, key
        self._new = not folder.exists()
        try:
            with contextlib.ExitStack() as on_failure:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._lock_file = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
                on_failure.callback(os.close, self._lock_file)
                fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._db = _connect(folder)
                on_failure.callback(self._db.close)
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.execute("BEGIN IMMEDIATE")
                _create_table(self._db)
                self._db.execute("COMMIT")
                last = self._db.execute("SELECT seq, chain FROM event ORDER BY seq DESC LIMIT 1").fetchone()
                self._seq: int = last[0] if last else 0
                self._chain: str = last[1] if last else CHAIN_START
                self._files = _identify_files(folder)
                on_failure.pop_all()
        except BlockingIOError:
            raise JournalError(f"another process is writing to {folder}", code="journal-busy") from None
        except BaseException as error:
            self._remove()
            if isinstance(error, OSError | sqlite3.Error):
                raise _write_error(folder, error) from error
            raise
        self._pending: list[tuple[str, str, str]] = []
        self._appended = self._committed = 0
        self._failed: JournalError | None = None
        self._closed = False
        self._queue_lock, self._write_lock = threading.Lock(), threading.Lock()
        self._writer = ThreadPoolExecutor(1, "journal")

    def __call__(self, event: AnyEvent, /) -> None:
        """Append one event; it is on disk on return. Raises JournalError, after which nothing may be sent."""
        self._append(_as_row(clock.now(), event))

    def _append(self, row: tuple[str, str, str]) -> None:
        with self._queue_lock:
            if self._closed:
                raise self._failed or JournalError(f"the journal in {self.folder} is closed", code="journal-closed")
            self._pending.append(row)
            self._appended += 1
            written = self._writer.submit(self._alone, self._commit, self._appended)
        written.result()

    def _alone(self, work: Callable[..., None], *arguments: int) -> None:
        """Runs work on the database, one at a time: an executor that was interrupted at its start begins a second
        thread.
        """
        with self._write_lock:
            work(*arguments)

    def _commit(self, number: int) -> None:
        """Writes the pending events, unless the event of that number is on disk already."""
        if self._failed is not None:
            raise self._failed
        if self._committed >= number:
            return
        with self._queue_lock:
            rows, self._pending = self._pending, []
            last_number = self._appended
        try:
            self._db.execute("BEGIN IMMEDIATE")
            chain = _insert(self._db, rows, self._seq, self._chain, self._key)
            self._db.execute("COMMIT")
            self._seq, self._chain = self._seq + len(rows), chain
            if _identify_files(self.folder) != self._files:
                raise FileNotFoundError("another file is in its place")
        except (OSError, sqlite3.Error) as error:
            # Events that others have queued are lost with these rows, so nobody may be told that they are kept.
            self._failed = _write_error(self.folder, error)
            with contextlib.suppress(sqlite3.Error):
                self._db.execute("ROLLBACK")
            raise self._failed from error
        self._committed = last_number

    def close(self) -> None:
        """Close the file and release the folder; later events are refused. An ended run is a single file."""
        with self._queue_lock:
            self._closed = True
        self._writer.shutdown(wait=False)
        try:
            self._alone(self._close)
        except KeyboardInterrupt:
            self._alone(self._close)
            raise

    def _close(self) -> None:
        if self._lock_file < 0:
            return
        # Fails while another process reads it: the write-ahead log then stays beside the file.
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA journal_mode=DELETE")
        self._db.close()
        os.close(self._lock_file)
        self._lock_file = -1

    def discard(self) -> None:
        """Close the journal and remove its folder if this journal made it, because the run never began."""
        self.close()
        self._remove()

    def _remove(self) -> None:
        if self._new:
            shutil.rmtree(self.folder, ignore_errors=True)


def _connect(folder: Path) -> sqlite3.Connection:
    previous_umask = os.umask(0o077)  # SQLite makes its files by the umask
    try:
        return sqlite3.connect(folder / JOURNAL_FILE, timeout=30, check_same_thread=False, isolation_level=None)
    finally:
        os.umask(previous_umask)


def _create_table(db: sqlite3.Connection) -> None:
    db.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    db.execute(f"CREATE TABLE IF NOT EXISTS {EVENT_COLUMNS}")


def _insert(db: sqlite3.Connection, rows: Iterable[tuple[str, str, str]], seq: int, chain: str, key: bytes) -> str:
    """Adds rows after the one of that number and hash; returns the hash of the last."""
    chained = []
    for number, row in enumerate(rows, seq + 1):
        chain = chain_hash(chain, (number, *row))
        chained.append((number, *row, chain, _seal(key, chain)))
    db.executemany("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", chained)
    return chain


def write_journal(folder: Path, rows: "Iterable[JournalRow]") -> None:
    """Write a whole journal that was recorded elsewhere, with its times, into the new `folder`. Raises JournalError.

    It has no seals, because a seal says that this machine made the record. A folder in which this fails is of no use.
    """
    try:
        folder.mkdir(mode=0o700)
        (folder / ".lock").touch(mode=0o600)
        with contextlib.closing(_connect(folder)) as db:
            db.execute("PRAGMA journal_mode=MEMORY")  # there is nothing to roll back to
            db.execute("BEGIN IMMEDIATE")
            _create_table(db)
            _insert(db, (_as_row(row.at, row.event) for row in rows), 0, CHAIN_START, b"")
            db.execute("COMMIT")
    except (OSError, sqlite3.Error) as error:
        raise _write_error(folder, error) from error


def _as_row(at: str, event: AnyEvent) -> tuple[str, str, str]:
    body = json.dumps(EVENT.dump_python(event, mode="json"), ensure_ascii=False, separators=(",", ":"))
    return at, event.kind, body.encode("utf-8", "replace").decode()


def _identify_files(folder: Path) -> list[tuple[int, int]]:
    """The identities of the journal's files. SQLite goes on writing into files that were deleted, moved or unmounted.

    Raises OSError if one is missing.
    """
    states = [(folder / f"{JOURNAL_FILE}{suffix}").stat() for suffix in ("", "-wal")]
    return [(state.st_dev, state.st_ino) for state in states]


def _write_error(folder: Path, error: Exception) -> JournalError:
    if isinstance(error, FileNotFoundError):
        what = f"{folder} was deleted, moved or unmounted while the run went on"
        return JournalError(what, code="journal-gone", hint="keep runs in a folder that stays: --out (RALPH_OUT)")
    hint = "free some disk space, or choose another folder with --out (RALPH_OUT)"
    return JournalError(f"the journal in {folder} cannot be written: {error}", code="journal-unwritable", hint=hint)


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One event with the time when it was appended."""

    at: str
    event: AnyEvent


def read_events(folder: Path) -> Iterator[AnyEvent]:
    """The events of the run in `folder`, in order; works while another process writes.

    Raises JournalError if there is no journal, or a row is not an event of this schema.
    """
    for row in read_rows(folder):
        yield row.event


def read_rows(folder: Path) -> Iterator[JournalRow]:
    """The events with their times, as `read_events`.

    Raises JournalError also if an event is missing, or does not fit the chain of hashes.
    """
    for seq, at, _, body in read_chained_rows(folder):
        yield JournalRow(at, parse_event(body, f"event {seq} in {folder}", "an event of a run", "journal-damaged"))


def is_sealed(folder: Path, key: bytes) -> bool:
    """Whether all events of the journal in `folder` were sealed with `key`. Raises JournalError as `read_rows` does."""
    for _ in read_rows(folder):
        pass  # reading checks the chain, so the seal of the last event covers all
    *_, last = (None, *read_raw_rows(folder))
    return bool(key) and last is not None and len(last) == 6 and hmac.compare_digest(str(last[5]), _seal(key, last[4]))


def _seal(key: bytes, chain: str) -> str:
    return hmac.new(key, chain.encode(), "sha256").hexdigest() if key else ""


KEY_FILE, KEY_BYTES = "runs.key", 32


def machine_key(folder: Path) -> bytes:
    """The key in `folder`, created on first use; empty if none can be kept there, and then nothing is sealed.

    It never leaves the machine, and is not a key of a model service.
    """
    path = folder / KEY_FILE
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = path.with_name(f".{KEY_FILE}.{clock.token(4)}")
        if not path.exists():
            handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(clock.token(KEY_BYTES))
            try:
                os.link(temporary, path)  # of two processes that create one at once the first one's key is kept
            except FileExistsError:
                pass
            finally:
                temporary.unlink()
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle) as file:
            key = bytes.fromhex(file.read(2 * KEY_BYTES + 1))
    except (OSError, ValueError):
        return b""
    return key if len(key) == KEY_BYTES else b""
