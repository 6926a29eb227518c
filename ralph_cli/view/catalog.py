"""The runs and tables of a folder as their records stand now; a record is read again when it has changed."""

import os
import stat
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import quote

from ralph_cli.core.errors import RalphError
from ralph_cli.journal.reviews import reviews_file
from ralph_cli.journal.rows import JOURNAL_FILE, is_running
from ralph_cli.runs.history import RecordedRun, read_run
from ralph_cli.table.record import RUNS_FOLDER, TABLE_FILE, TableRecord, open_table

MOST_RUNS_KEPT, MOST_TABLES_KEPT = 24, 8
"""What is held whole, so that a page and its pictures do not read it again each."""

K = TypeVar("K")
V = TypeVar("V")

State = tuple[tuple[int, int], ...]
"""Time and size of the files of a run, and whether a process works on it; another one says that it is to be read."""


@dataclass(frozen=True, slots=True)
class RunAddress:
    """Where a run is: its own name, and, if it is of a table, that of the table and of the folder of its document."""

    run: str
    table: str | None = None
    document: str = ""

    @property
    def path(self) -> str:
        """The address below that of the server, without a slash at either end."""
        own = f"runs/{quote_name(self.run)}"
        return own if self.table is None else f"{table_path(self.table)}/runs/{quote_name(self.document)}/{own[5:]}"


def table_path(name: str) -> str:
    """The address of a table, as that of a run."""
    return f"tables/{quote_name(name)}"


def quote_name(name: str) -> str:
    """A folder's name as a part of an address, whatever is in it."""
    return quote(os.fsencode(name), safe="")


class LastUsed(Generic[K, V]):
    """Keeps the `most` values that were asked for last; several threads may ask."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """What was kept under a key, if it is there still."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: K, value: V) -> V:
        """Keep a value, and give it back."""
        with self._lock:
            self._held[key] = value
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return value


class Catalog:
    """What there is in the folder `root`, which holds runs, tables or both, or is a table itself.

    Whoever asks names runs and tables by their names; what is no name of a folder that is there is not found, and a
    symbolic link is no such folder, so that nothing outside of `root` is ever read.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._runs = LastUsed[Path, tuple[State, RecordedRun]](MOST_RUNS_KEPT)
        self._tables = LastUsed[Path, tuple[State, TableRecord]](MOST_TABLES_KEPT)

    def tables(self) -> dict[str, Path]:
        """The folders of tables by their names."""
        if _is_file(self.root / TABLE_FILE):
            return {self.root.absolute().name or "table": self.root}
        return {name: self.root / name for name in _folders(self.root) if _is_file(self.root / name / TABLE_FILE)}

    def open_table(self, name: str) -> TableRecord | None:
        """The table of that name; None if there is none. Raises RalphError when it cannot be read."""
        folder = self.tables().get(name)
        if folder is None:
            return None
        state = _stats(folder / TABLE_FILE)
        known = self._tables.get(folder)
        if known and known[0] == state:
            return known[1]
        return self._tables.keep(folder, (state, open_table(folder)))[1]

    def list_runs(self) -> dict[RunAddress, State]:
        """The runs beside tables and the state of each, oldest first."""
        return {RunAddress(name): state for name, state in _scan(self.root).items()}

    def list_cells(self, record: TableRecord) -> dict[str, dict[str, State]]:
        """The runs of a table and the state of each, by the folder of their document."""
        runs = record.folder / RUNS_FOLDER
        return {name: _scan(runs / name) for name in _folders(runs)} if not runs.is_symlink() else {}

    def find_folder(self, address: RunAddress) -> Path | None:
        """The folder of a run; None if there is no such run."""
        parent = self.root
        if address.table is not None:
            try:
                record = self.open_table(address.table)
            except RalphError:
                return None
            if record is None or not any(address.document == record.runs_of(row.sha256).name for row in record.rows):
                return None
            parent = record.folder / RUNS_FOLDER
            if parent.is_symlink() or not _is_folder(parent, address.document):
                return None
            parent /= address.document
        is_run = _is_folder(parent, address.run) and (parent / address.run / JOURNAL_FILE).exists()
        return parent / address.run if is_run else None

    def read(self, address: RunAddress) -> RecordedRun | None:
        """A run as it stands now; None if there is none. Raises JournalError when its record cannot be read."""
        folder = self.find_folder(address)
        if folder is None:
            return None
        state = _state_of(folder)
        known = self._runs.get(folder)
        if known and known[0] == state:
            return known[1]
        return self._runs.keep(folder, (state, read_run(folder)))[1]

    def state_of(self, address: RunAddress) -> State:
        """The state of a run; empty if there is none."""
        folder = self.find_folder(address)
        return () if folder is None else _state_of(folder)


def _folders(parent: Path) -> list[str]:
    """The folders in a folder, in order; none if it is gone."""
    try:
        with os.scandir(parent) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _is_folder(parent: Path, name: str) -> bool:
    """Whether that is the name of a folder in a folder, and not a way to another one."""
    if "/" in name or name in ("", ".", ".."):
        return False
    try:
        return stat.S_ISDIR((parent / name).lstat().st_mode)
    except (OSError, ValueError):
        return False


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _scan(parent: Path) -> dict[str, State]:
    """The runs in a folder that have a journal, and the state of each, oldest first."""
    states = ((name, _state_of(parent / name)) for name in _folders(parent))
    return {name: state for name, state in states if state[0] != _NOTHING}


_NOTHING = 0, 0


def _state_of(folder: Path) -> State:
    journal = f"{folder}/{JOURNAL_FILE}"
    states = _stats(journal, f"{journal}-wal", reviews_file(folder))
    # Nothing is written when a process is killed: of a record that was not closed it is asked whether one works on it.
    return states if states[1] == _NOTHING else (*states, (int(is_running(folder)), 0))


def _stats(*files: Path | str) -> State:
    return tuple(_stat(file) for file in files)


def _stat(file: Path | str) -> tuple[int, int]:
    try:
        status = os.stat(file)  # noqa: PTH116 - of 30,000 files: a Path of each takes longer than to ask
    except OSError:
        return _NOTHING
    return status.st_mtime_ns, status.st_size
