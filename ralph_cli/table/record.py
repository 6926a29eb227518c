"""The folder of a table: its questions and documents in one file, and each cell's run as a folder.

    table.json                      questions, documents, the seed that the prompts of its runs share
    runs/<document's hash>/<run>/   the record of each run, as of any other

What is in a cell stands in the record of its run and nowhere else: the matrix is read from there.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError, JournalError, RalphError, describe_fault
from ralph_cli.core.model import Usage
from ralph_cli.core.results.table import Cell, CellState, Table, TableQuestion, TableRow
from ralph_cli.core.run import Halt, StopType
from ralph_cli.journal.traces import replace_file
from ralph_cli.runs.history import RecordedRun, read_run, run_names
from ralph_cli.table.cells import fill_cell

TABLE_FILE = "table.json"
RUNS_FOLDER = "runs"

# The version of the file's format.
FORMAT = 1

# A document's hash, which also names the folder of its runs.
HASH = re.compile(r"[0-9a-f]{64}")

_NOT_A_TABLE = "name the folder of a table, as `ralph table ... -o FOLDER` makes it"

NO_CELLS: Mapping[tuple[str, str], Cell] = {}
NO_HALT = Halt(StopType.NONE, "")


class _File(BaseModel):
    """The contents of a table's file."""

    model_config = ConfigDict(extra="forbid")

    format: Annotated[int, Field(ge=1)]
    seed: Annotated[str, Field(pattern=r"^[0-9a-f]{16,64}$")]
    questions: tuple[TableQuestion, ...]
    rows: tuple[TableRow, ...]
    earlier: dict[str, tuple[str, ...]] = {}


_FILE = TypeAdapter(_File)


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A table as stored in its folder.

    `earlier` has the earlier hashes of each row's document by row name, latest first.
    """

    folder: Path
    seed: str
    questions: tuple[TableQuestion, ...]
    rows: tuple[TableRow, ...]
    earlier: dict[str, tuple[str, ...]]

    def runs_of(self, sha256: str) -> Path:
        """Return the folder of the runs on the document with that hash."""
        return self.folder / RUNS_FOLDER / sha256[:32]

    def seed_of(self, row: TableRow) -> str:
        """Return the seed of the prompts of all runs on that document. The author of a document cannot predict it."""
        return hashlib.sha256(f"{self.seed}:{row.sha256}".encode()).hexdigest()[:32]

    def with_changes(self, questions: tuple[TableQuestion, ...], rows: tuple[TableRow, ...]) -> "TableRecord":
        """Return the table with the present questions and documents. Those with answers are kept.

        Raises ConfigError for a different question with the id of an earlier question.
        """
        before = {question.id: question for question in self.questions}
        for question in questions:
            if (then := before.get(question.id, question)).question != question.question:
                what = f"the question {question.id} was {then.question!r} in this table"
                raise ConfigError(what, code="other-question", hint="give the new question an id of its own")
        now = {row.name: row for row in rows}
        earlier = dict(self.earlier)
        for row in self.rows:
            changed = now.get(row.name, row)
            if row.sha256 and changed.sha256 and row.sha256 != changed.sha256:
                known = earlier.get(row.name, ())
                earlier[row.name] = (row.sha256, *(other for other in known if other != row.sha256))
        ids, names = {question.id for question in questions}, now.keys()
        kept_questions = tuple(question for question in self.questions if question.id not in ids)
        kept_rows = tuple(row for row in self.rows if row.name not in names)
        return replace(self, questions=kept_questions + questions, rows=kept_rows + rows, earlier=earlier)

    def as_table(self, cells: Mapping[tuple[str, str], Cell] = NO_CELLS, halt: Halt = NO_HALT) -> Table:
        """Return the table with these cells."""
        return Table(folder=self.folder, questions=self.questions, rows=self.rows, cells=cells, halt=halt)

    def write(self) -> None:
        """Write the file of the table, completely or not at all. Raises JournalError."""
        held = _File(
            format=FORMAT, seed=self.seed, questions=self.questions, rows=self.rows, earlier=self.earlier
        ).model_dump(mode="json")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            replace_file(self.folder / TABLE_FILE, json.dumps(held, indent=1, ensure_ascii=False).encode())
        except OSError as error:
            what = f"the table cannot be recorded in {self.folder}: {error.strerror or error}"
            raise JournalError(what, code="unwritable", hint="choose another folder with -o") from error


def begin_table(folder: Path, questions: tuple[TableQuestion, ...], rows: tuple[TableRow, ...]) -> TableRecord:
    """Create a table in `folder`. Raises ConfigError if the folder has one."""
    if (folder / TABLE_FILE).exists():
        what = f"there is a table in {folder}"
        raise ConfigError(what, code="table-exists", hint="--resume continues it; -o names another folder")
    return TableRecord(folder, clock.token(32), questions, rows, {})


def open_table(folder: Path) -> TableRecord:
    """Return the table in `folder`.

    Raises ConfigError if there is no table, JournalError if its file is damaged or newer.
    """
    path = folder / TABLE_FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} {describe_fault(error)}", code="no-table", hint=_NOT_A_TABLE) from error
    try:
        held = _FILE.validate_json(data)
    except ValidationError as error:
        raise JournalError(f"{path} is damaged: {error.errors()[0]['msg']}", code="damaged") from error
    hashes = [row.sha256 for row in held.rows if row.sha256]
    if not all(map(HASH.fullmatch, (*hashes, *(sha256 for known in held.earlier.values() for sha256 in known)))):
        raise JournalError(f"{path} is damaged: a hash in it is none", code="damaged")
    if held.format > FORMAT:
        raise JournalError(f"{path} was made by a newer version of ralph", code="newer", hint="update ralph")
    return TableRecord(folder, held.seed, held.questions, held.rows, held.earlier)


@dataclass(frozen=True, slots=True)
class KnownCells:
    """The cell of each row and question, the folder of its run, and the cost of all runs."""

    cells: dict[tuple[str, str], Cell]
    folders: dict[tuple[str, str], Path]
    spent: Usage


@dataclass(frozen=True, slots=True)
class RowRuns:
    """The cells of a row by question, their runs, and the cost of all runs on its document.

    If a cell has several runs, the newest accepted run counts, else the newest that has ended.
    """

    row: TableRow
    cells: dict[str, Cell]
    runs: dict[str, RecordedRun]
    spent: Usage


def read_row(record: TableRecord, row: TableRow, names: Iterable[str] | None = None) -> RowRuns:
    """Read the runs on a row's document: all of them, or those with these `names`."""
    cells: dict[str, Cell] = {}
    runs: dict[str, RecordedRun] = {}
    usages: dict[str, Usage] = {}
    asked = {(question.question, question.answer_as): question for question in record.questions}
    for run in _read_runs(record.runs_of(row.sha256), names) if row.sha256 else ():
        # A resumed run counts the cost of the run that it continues.
        usages[run.started.seed] = run.view.usage if run.view.asks_models else Usage()
        question = asked.get((run.view.question, str(run.started.settings.get("answer_as", ""))))
        if question is None or run.view.document.get("sha256") != row.sha256:
            continue
        cell = fill_cell(row, question, run.view)
        if question.id not in cells or _rank(cell) >= _rank(cells[question.id]):
            cells[question.id], runs[question.id] = cell, run
    return RowRuns(row, cells, runs, sum(usages.values(), Usage()))


def read_cells(record: TableRecord, on_row: Callable[[int, int], None] = lambda done, total: None) -> KnownCells:
    """Return the cells of a table, from the records of its runs.

    `on_row` is called with the rows read, and all rows.
    """
    found = KnownCells({}, {}, Usage())
    for number, row in enumerate(record.rows, 1):
        read = read_row(record, row)
        found.cells.update({(row.name, question): cell for question, cell in read.cells.items()})
        found.folders.update({(row.name, question): Path(run.view.folder) for question, run in read.runs.items()})
        found = replace(found, spent=found.spent + read.spent)
        on_row(number, len(record.rows))
    return found


def read_old_answers(record: TableRecord, row: TableRow) -> dict[str, RecordedRun]:
    """Return, by question id, the newest accepted answer from an earlier version of a row's document."""
    found: dict[str, RecordedRun] = {}
    asked = {(question.question, question.answer_as): question.id for question in record.questions}
    for sha256 in record.earlier.get(row.name, ()):
        for run in reversed(list(_read_runs(record.runs_of(sha256)))):
            place = asked.get((run.view.question, str(run.started.settings.get("answer_as", ""))))
            if place is not None and run.view.halt.type in (StopType.COMPLETION, StopType.ABSENT):
                found.setdefault(place, run)
    return found


def _rank(cell: Cell) -> tuple[bool, bool]:
    return cell.state.is_accepted, cell.state.is_final and cell.state is not CellState.FAILED


def _read_runs(folder: Path, names: Iterable[str] | None = None) -> Iterator[RecordedRun]:
    """Yield the runs in a folder that have begun, oldest first."""
    for name in run_names(folder) if names is None else names:
        try:
            yield read_run(folder / name)
        except RalphError:
            continue  # it was killed before it began
