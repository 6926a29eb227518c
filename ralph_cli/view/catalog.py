"""The runs and tables of a folder as their records stand now; a record is read again when it has changed."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ralph_cli.core.errors import RalphError
from ralph_cli.journal.reviews import reviews_file
from ralph_cli.journal.store import JOURNAL_FILE
from ralph_cli.runs.history import RecordedRun, read_run, run_names
from ralph_cli.table.record import TABLE_FILE, TableRecord, open_table

MOST_RUNS_KEPT = 24
"""Runs that are held whole, so that a page and its pictures do not read one again each."""

State = tuple[tuple[int, int], ...]
"""Time and size of the files of a run; another one says that something was added."""


@dataclass(frozen=True, slots=True)
class RunAddress:
    """Where a run is: its own name, and, if it is of a table, that of the table and of the folder of its document."""

    run: str
    table: str | None = None
    document: str = ""

    @property
    def path(self) -> str:
        """The address below that of the server, without a slash at either end."""
        return f"runs/{self.run}" if self.table is None else f"tables/{self.table}/runs/{self.document}/{self.run}"


class Catalog:
    """What there is in the folder `root`, which holds runs, tables or both, or is a table itself.

    Whoever asks names runs and tables by their names; what is no name of a folder that is there is not found, so that
    nothing outside of `root` is ever read.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._runs: OrderedDict[Path, tuple[State, RecordedRun]] = OrderedDict()

    def tables(self) -> dict[str, Path]:
        """The folders of tables by their names."""
        if (self.root / TABLE_FILE).is_file():
            return {self.root.absolute().name or "table": self.root}
        return {path.parent.name: path.parent for path in sorted(self.root.glob(f"*/{TABLE_FILE}"))}

    def open_table(self, name: str) -> TableRecord | None:
        """The table of that name; None if there is none. Raises RalphError when it cannot be read."""
        folder = self.tables().get(name)
        return None if folder is None else open_table(folder)

    def list_runs(self, table: TableRecord | None = None) -> dict[RunAddress, State]:
        """The runs beside tables, or those of a table, and the state of each, oldest first."""
        if table is None:
            return {RunAddress(name): _state_of(self.root / name) for name in run_names(self.root)}
        name = next((name for name, folder in self.tables().items() if folder == table.folder), "")
        found = {}
        for row in table.rows:
            folder = table.runs_of(row.sha256)
            for run in run_names(folder) if row.sha256 else ():
                found[RunAddress(run, name, folder.name)] = _state_of(folder / run)
        return found

    def find_folder(self, address: RunAddress) -> Path | None:
        """The folder of a run; None if there is no such run."""
        if address.table is None:
            return self.root / address.run if address.run in run_names(self.root) else None
        try:
            table = self.open_table(address.table)
        except RalphError:
            return None
        for row in table.rows if table else ():
            folder = table.runs_of(row.sha256) if table and row.sha256 else None
            if folder and folder.name == address.document and address.run in run_names(folder):
                return folder / address.run
        return None

    def read(self, address: RunAddress) -> RecordedRun | None:
        """A run as it stands now; None if there is none. Raises JournalError when its record cannot be read."""
        folder = self.find_folder(address)
        if folder is None:
            return None
        state = _state_of(folder)
        with self._lock:
            known = self._runs.get(folder)
            if known and known[0] == state:
                self._runs.move_to_end(folder)
                return known[1]
        run = read_run(folder)
        with self._lock:
            self._runs[folder] = state, run
            while len(self._runs) > MOST_RUNS_KEPT:
                self._runs.popitem(last=False)
        return run

    def state_of(self, address: RunAddress) -> State:
        """The state of a run; empty if there is none."""
        folder = self.find_folder(address)
        return () if folder is None else _state_of(folder)


def _state_of(folder: Path) -> State:
    return tuple(_stats(folder / JOURNAL_FILE, folder / f"{JOURNAL_FILE}-wal", reviews_file(folder)))


def _stats(*files: Path) -> Iterator[tuple[int, int]]:
    for file in files:
        try:
            status = file.stat()
        except OSError:
            yield 0, 0
        else:
            yield status.st_mtime_ns, status.st_size
