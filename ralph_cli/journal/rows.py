"""The file of a journal: its rows as they are stored, chained by hashes, and the lock of its process.

`store` parses the rows. It is apart because importing it takes longer than listing the runs.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ralph_cli.core.errors import JournalError
from ralph_cli.core.version import SCHEMA_VERSION

JOURNAL_FILE = "journal.sqlite3"
_UNCHAINED_COLUMNS = "event (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL)"
EVENT_COLUMNS = _UNCHAINED_COLUMNS.removesuffix(")") + ", chain TEXT NOT NULL, seal TEXT NOT NULL)"
# The table of events as SQLite stores its definition, by the schema version in the file (version 1 wrote none).
_STORED_EVENT_TABLES = {0: f"CREATE TABLE {_UNCHAINED_COLUMNS}", 2: f"CREATE TABLE {EVENT_COLUMNS}"}

# The hash before the first event.
CHAIN_START = hashlib.sha256(b"ralph-journal").hexdigest()


def read_chained_rows(folder: Path) -> Iterator[tuple[int, str, str, str]]:
    """The events in `folder` in order: number, time, kind, and body as JSON; works while another process writes.

    Raises JournalError if there is no journal, an event is missing, or an event does not fit the chain of hashes.
    """
    chain = CHAIN_START
    for place, (seq, at, kind, body, *chained) in enumerate(read_raw_rows(folder), 1):
        if seq != place or not all(isinstance(part, str) for part in (at, kind, body)):
            raise _damage_error(folder, f"event {place} is missing or damaged")
        if chained:
            chain = chain_hash(chain, (seq, at, kind, body))
            if chained[0] != chain:
                raise _damage_error(folder, f"event {place} was changed, or another event is before it,")
        yield seq, at, kind, body


def read_chain(folder: Path) -> str:
    """The last hash of the journal in `folder`, which depends on all of its events. Raises JournalError."""
    chain = CHAIN_START
    for row in read_raw_rows(folder):
        chain = chain_hash(chain, row[:4])
    return chain


def chain_hash(previous: str, row: tuple[object, ...]) -> str:
    """The hash that chains an event, as (number, time, kind, body), to the ones before it."""
    return hashlib.sha256(f"{previous}{json.dumps(row)}".encode()).hexdigest()


def read_raw_rows(folder: Path) -> list[tuple[Any, ...]]:
    """The rows as they are stored, unchecked, with hash and seal if they have them. Raises JournalError."""
    path = folder / JOURNAL_FILE
    if not path.is_file():
        raise JournalError(f"there is no run in {folder}", code="no-run", hint="`ralph trace list` shows the runs")
    if path.is_symlink():
        what = f"{path} is a symbolic link; a journal is read from the run's own folder only"
        raise JournalError(what, code="journal-damaged", hint="put the file itself there")
    try:
        db = sqlite3.connect(path.absolute().as_uri() + "?mode=ro", uri=True, timeout=30)
        try:
            if db.execute("PRAGMA schema_version").fetchone() == (0,):
                return []  # its process was killed before it could record anything
            ((version,),) = db.execute("PRAGMA user_version").fetchall()
            if version > SCHEMA_VERSION:
                what = f"the journal in {folder} is of schema {version}; this ralph reads up to {SCHEMA_VERSION}"
                raise JournalError(what, code="journal-newer", hint="use a ralph as new as the one that wrote it")
            # In a foreign file `event` may be a view or have computed columns, whose SQL would run when it is read.
            definition = db.execute("SELECT type, sql FROM sqlite_master WHERE name = 'event'").fetchall()
            if definition != [("table", _STORED_EVENT_TABLES.get(version))]:
                raise JournalError(f"{path} is not a journal of ralph", code="journal-damaged")
            return db.execute("SELECT * FROM event ORDER BY seq").fetchall()
        finally:
            db.close()
    except (sqlite3.Error, UnicodeError, OverflowError) as error:
        raise JournalError(f"the journal in {folder} cannot be read: {error}", code="journal-damaged") from error


def _damage_error(folder: Path, what: str) -> JournalError:
    return JournalError(f"{what} in the journal in {folder}", code="journal-damaged")


@contextlib.contextmanager
def hold_run(folder: Path, work: str = "this run") -> Iterator[None]:
    """Lock the run in `folder`, so that no other process works on it or continues it.

    `work` describes the contents of the folder. Raises JournalError if another process holds the lock. A folder without
    write access is not locked.
    """
    try:
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        what = f"another process is still working on {work}, in {folder}"
        hint = "wait until it ends, or stop it; finished work is kept"
        raise JournalError(what, code="run-busy", hint=hint) from None
    finally:
        os.close(handle)


@contextlib.contextmanager
def hold_folder(folder: Path, work: str) -> Iterator[None]:
    """Lock a folder of many runs, which is created if needed; JournalError also if it cannot be created."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".lock").touch()
    except OSError as error:
        what = f"{folder} cannot be written: {error.strerror or error}"
        raise JournalError(what, code="unwritable", hint="choose another folder") from error
    with hold_run(folder, work):
        yield


def refuse_if_running(folder: Path) -> None:
    """Raise JournalError while a process holds the lock of the run in `folder`."""
    with hold_run(folder):
        pass


def is_running(folder: Path) -> bool:
    """Whether a process works on the run in `folder`, or continues it."""
    try:
        refuse_if_running(folder)
    except JournalError:
        return True
    return False
