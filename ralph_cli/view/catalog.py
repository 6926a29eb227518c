"""The runs and tables of a folder. A record is read again when its files have changed."""

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

# Runs that are kept in memory, so that a page and its pictures do not read one again each.
MOST_RUNS_KEPT = 24

# Tables that are kept in memory.
MOST_TABLES_KEPT = 8

K = TypeVar("K")
V = TypeVar("V")

# Time and size of the files of a run, and whether a process works on it. A run is read again when this changes.
State = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class RunAddress:
    """The name of a run and, if it belongs to a table, the names of the table and of its document's folder."""

    run: str
    table: str | None = None
    document: str = ""

    @property
    def path(self) -> str:
        """The address below that of the server, without a slash at either end."""
        own = f"runs/{quote_name(self.run)}"
        return own if self.table is None else f"{table_path(self.table)}/runs/{quote_name(self.document)}/{own[5:]}"


def table_path(name: str) -> str:
    """Return the address of a table below that of the server."""
    return f"tables/{quote_name(name)}"


def quote_name(name: str) -> str:
    """Return any folder name as a part of an address."""
    return quote(os.fsencode(name), safe="")


class LastUsed(Generic[K, V]):
    """Keeps the `most` values that were used last. Can be used from any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, if it is still kept."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
            return self._held.get(key)

    def keep(self, key: K, value: V) -> V:
        """Keep a value and return it."""
        with self._lock:
            self._held[key] = value
            self._held.move_to_end(key)
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return value


class Catalog:
    """The contents of the folder `root`, which holds runs, tables or both, or is a table itself.

    Runs and tables are found by name among the existing folders. Symbolic links are ignored, so nothing outside `root`
    is ever read.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._runs = LastUsed[Path, tuple[State, RecordedRun]](MOST_RUNS_KEPT)
        self._tables = LastUsed[Path, tuple[State, TableRecord]](MOST_TABLES_KEPT)

    def tables(self) -> dict[str, Path]:
        """Return the folders of tables by name."""
        if _is_file(self.root / TABLE_FILE):
            return {self.root.absolute().name or "table": self.root}
        return {name: self.root / name for name in _folders(self.root) if _is_file(self.root / name / TABLE_FILE)}

    def open_table(self, name: str) -> TableRecord | None:
        """Return the table of that name, or None. Raises RalphError if it cannot be read."""
        folder = self.tables().get(name)
        if folder is None:
            return None
        state = _stats(folder / TABLE_FILE)
        known = self._tables.get(folder)
        if known and known[0] == state:
            return known[1]
        return self._tables.keep(folder, (state, open_table(folder)))[1]

    def list_runs(self) -> dict[RunAddress, State]:
        """Return the runs outside tables with their states, oldest first."""
        return {RunAddress(name): state for name, state in _scan(self.root).items()}

    def list_cells(self, record: TableRecord) -> dict[str, dict[str, State]]:
        """Return the runs of a table with their states, by the folder of their document."""
        runs = record.folder / RUNS_FOLDER
        return {name: _scan(runs / name) for name in _folders(runs)} if not runs.is_symlink() else {}

    def find_folder(self, address: RunAddress) -> Path | None:
        """Return the folder of a run, or None."""
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
        """Return a run as recorded so far, or None. Raises JournalError if its record cannot be read."""
        folder = self.find_folder(address)
        if folder is None:
            return None
        state = _state_of(folder)
        known = self._runs.get(folder)
        if known and known[0] == state:
            return known[1]
        return self._runs.keep(folder, (state, read_run(folder)))[1]

    def state_of(self, address: RunAddress) -> State:
        """Return the state of a run; empty if there is none."""
        folder = self.find_folder(address)
        return () if folder is None else _state_of(folder)


def _folders(parent: Path) -> list[str]:
    """Return the names of the folders in a folder, sorted; none if it is gone."""
    try:
        with os.scandir(parent) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _is_folder(parent: Path, name: str) -> bool:
    """Whether a name is that of a folder in `parent`, and not a path to elsewhere."""
    if "/" in name or name in ("", ".", ".."):
        return False
    try:
        return stat.S_ISDIR((parent / name).lstat().st_mode)
    except (OSError, ValueError):
        return False


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _scan(parent: Path) -> dict[str, State]:
    """Return the runs in a folder that have a journal, with their states, oldest first."""
    states = ((name, _state_of(parent / name)) for name in _folders(parent))
    return {name: state for name, state in states if state[0] != _NOTHING}


_NOTHING = 0, 0


def _state_of(folder: Path) -> State:
    journal = f"{folder}/{JOURNAL_FILE}"
    states = _stats(journal, f"{journal}-wal", reviews_file(folder))
    # A killed process writes nothing, so an open record also needs the question whether a process works on it.
    return states if states[1] == _NOTHING else (*states, (int(is_running(folder)), 0))


def _stats(*files: Path | str) -> State:
    return tuple(_stat(file) for file in files)


def _stat(file: Path | str) -> tuple[int, int]:
    try:
        status = os.stat(file)  # noqa: PTH116 - for 30,000 files, making a Path takes longer than the call
    except OSError:
        return _NOTHING
    return status.st_mtime_ns, status.st_size
