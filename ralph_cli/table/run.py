"""Fill a table:

one job for each document asks its questions in order; as many jobs run in parallel as there are cores.
"""

import os
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from math import inf

from ralph_cli.core.awaiting import POLL_SECONDS, cancellation
from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.errors import ConfigError, DocumentError, JournalError, RalphError
from ralph_cli.core.results.table import Cell, CellChange, CellState, Table, TableQuestion, TableRow
from ralph_cli.core.run import Halt, StopType
from ralph_cli.documents.source import DocumentSource
from ralph_cli.loop.engine import LIMIT_STOP_TYPES
from ralph_cli.runs.execute import Setup
from ralph_cli.runs.questions import answer_question
from ralph_cli.runs.resuming.resume import resume_run
from ralph_cli.table.cells import fill_cell
from ralph_cli.table.changes import OldAnswer, take_over
from ralph_cli.table.record import KnownCells, TableRecord, read_old_answers
from ralph_cli.table.rows import open_row
from ralph_cli.table.sandboxes import KeptEngine
from ralph_cli.wiring.spending import run_budget

UNBOUNDED = Budget()

# Called with the number of finished cells, the number to do, and the last cell; from any thread.
OnCell = Callable[[int, int, Cell], None]

# Codes of errors that concern a single question.
_OF_ONE_QUESTION = ("no-question", "long-question")


# States of cells whose runs are resumed, because what they paid for is kept.
CONTINUED = (CellState.CUT_OFF, CellState.FAILED, CellState.UNJUDGED)

# Codes for something that this machine lacks, such as a key or a sandbox: every other cell would fail the same way.
FAULTS_OF_MACHINE = ("no-key", "no-price", "no-sandbox", "auth", "billing")


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """How a table is filled: which states of cells are asked `again`, the budget of `each` cell, and how many documents
    side by side (0: one a core).

    With `only_changed` accepted answers from earlier versions of a document are verified first, and asked again only if
    they are no longer right.
    """

    again: Collection[CellState] = ()
    each: Budget = UNBOUNDED
    jobs: int = 0
    only_changed: bool = False


# A function that fills a table: `fill_table`, or one with workers on other machines.
Fill = Callable[[TableRecord, KnownCells, DocumentSource, Setup, Filling, OnCell], Table]


def pending_questions(
    record: TableRecord, known: KnownCells, row: TableRow, again: Collection[CellState] = ()
) -> list[TableQuestion]:
    """Return the questions that are still to be put to a document."""
    if row.fault:
        return []
    table = Table(folder=record.folder, questions=record.questions, rows=(), halt=NOT_ENDED)
    states = {question.id: known.cells.get((row.name, question.id)) for question in record.questions}
    return [
        question
        for question in table.of_each(row)
        if (cell := states[question.id]) is None or not cell.state.is_final or cell.state in again
    ]


NOT_ENDED = Halt(StopType.NONE, "")


def fill_table(
    record: TableRecord,
    known: KnownCells,
    source: DocumentSource,
    setup: Setup,
    filling: Filling,
    on_cell: OnCell = lambda done, total, cell: None,
) -> Table:
    """Ask the pending questions, and return the table.

    `source` has the documents and the options to read them. The bounds of the settings hold for the whole table,
    including the earlier cost of its cells. A failed cell is reported, and the others continue. The table ends after as
    many service failures in a row as the settings allow, or at the first that shows what this machine lacks (see
    `Table.lacking`). Raises errors that concern every cell: ConfigError, JournalError.
    """
    names = setup.choose_models()
    asked = setup.settings
    bounds, notices = run_budget(asked, names.by_role, setup.models)
    purse = Ledger(bounds, within=setup.purse)
    purse.book_earlier(known.spent)
    for notice in notices:
        if setup.sink is not None:
            setup.sink(notice)
    work = {row.name: pending_questions(record, known, row, filling.again) for row in record.rows}
    total = sum(map(len, work.values()))
    sheet = _Sheet(known, total, asked.max_failures, on_cell)
    cell_settings = asked.model_copy(
        update={
            "max_cost": filling.each.usd or inf,
            "max_time": filling.each.seconds,
            "max_calls": None,
            "max_tokens": None,
            "refresh": True,
        }
    )
    rows = [row for row in record.rows if work[row.name]]
    with ThreadPoolExecutor(max(min(filling.jobs or cores(), len(rows)), 1), "table") as pool:
        stop = threading.Event()

        def start(row: TableRow) -> Future[None]:
            cell_setup = replace(setup, settings=cell_settings, purse=purse)
            job = _RowJob(record, row, source, cell_setup, sheet, stop, filling.only_changed)
            context = copy_context()
            context.run(cancellation.set, stop)
            return pool.submit(context.run, job.ask_all, work[row.name])

        try:
            _await_all([start(row) for row in rows], stop)
        except BaseException:
            stop.set()
            raise
    halt = sheet.halt or Halt(StopType.COMPLETION, "every cell was asked")
    return replace(record.as_table(sheet.known.cells, halt), changes=tuple(sheet.changes), lacking=sheet.lacking)


def _await_all(futures: Sequence[Future[None]], stop: threading.Event) -> None:
    """Wait until all are done. The first failure, or Ctrl-C, stops the others."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            if (error := future.exception()) is not None:
                stop.set()
                raise error


@dataclass(slots=True)
class _Sheet:
    """The shared state of all jobs: the cells, and why the table ends early. Thread-safe."""

    known: KnownCells
    total: int
    max_failures: int
    on_cell: OnCell
    done: int = 0
    failures: int = 0
    halt: Halt | None = None
    lacking: str = ""
    changes: list[CellChange] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, cell: Cell, *, is_service_fault: bool) -> None:
        """Add a finished cell."""
        with self._lock:
            self.known.cells[cell.row, cell.question] = cell
            self.done += 1
            self.failures = self.failures + 1 if is_service_fault else 0
            if self.failures and self.failures == self.max_failures:
                what = f"{self.failures} cells in a row failed: {cell.reason}"
                self.halt = self.halt or Halt(StopType.SYSTEM_ERROR, what)
            done = self.done
        self.on_cell(done, self.total, cell)

    def end(self, halt: Halt) -> None:
        """Begin no further cell."""
        with self._lock:
            self.halt = self.halt or halt


@dataclass(slots=True)
class _RowJob:
    """The questions to one document, one after the other: the text is read and the sandbox started once."""

    record: TableRecord
    row: TableRow
    source: DocumentSource
    setup: Setup
    sheet: _Sheet
    stop: threading.Event
    only_changed: bool = False

    def ask_all(self, questions: Sequence[TableQuestion]) -> None:
        """Ask the questions until all are answered, or the table ends."""
        if self._has_ended():
            return
        try:
            source = self._open()
        except DocumentError as error:
            for question in questions:
                self.sheet.add(self._failed(question, error.line), is_service_fault=False)
            return
        engine = KeptEngine()
        runs = self.record.runs_of(self.row.sha256)
        settings = self.setup.settings.model_copy(update={"out": runs})
        setup = replace(
            self.setup,
            settings=settings,
            open_engines=engine.open,
            shared_seed=self.record.seed_of(self.row),
        )
        old = read_old_answers(self.record, self.row) if self.only_changed else {}
        try:
            for question in questions:
                if self._has_ended():
                    return
                if question.id in old and self._take_over(
                    OldAnswer(self.row, question, old[question.id]), source, setup
                ):
                    continue
                self._ask(question, source, setup)
        finally:
            engine.close()

    def _has_ended(self) -> bool:
        return self.stop.is_set() or self.sheet.halt is not None

    def _open(self) -> DocumentSource:
        """Return the document as it was when the table was begun. Raises DocumentError."""
        settings = self.setup.settings
        source = open_row(self.row, self.source, settings.cache_folder, (self.record.folder, settings.out))
        if source.load().sha256 != self.row.sha256:
            what = f"{self.row.name} has changed since the table was begun"
            raise DocumentError(what, code="document-changed", hint="--resume takes it as it is now")
        # A later version can then be compared with this text.
        source.keep_text(settings.cache_folder)
        return source

    def _failed(self, question: TableQuestion, reason: str, run: str = "") -> Cell:
        return Cell(row=self.row.name, question=question.id, state=CellState.FAILED, reason=reason, run=run)

    def _take_over(self, old: OldAnswer, source: DocumentSource, setup: Setup) -> bool:
        """Fill the cell with an answer from an earlier version if it is still right; return whether it is."""
        question = old.question
        settings = setup.settings.model_copy(update={"answer_as": question.answer_as})
        change, result = take_over(old, source, replace(setup, settings=settings))
        self.sheet.changes.append(change)
        if result is not None:
            self.sheet.add(fill_cell(self.row, question, result.view), is_service_fault=False)
        return result is not None

    def _ask(self, question: TableQuestion, source: DocumentSource, setup: Setup) -> None:
        settings = setup.settings.model_copy(update={"answer_as": question.answer_as})
        setup = replace(setup, settings=settings)
        place = self.row.name, question.id
        earlier, known = self.sheet.known.folders.get(place), self.sheet.known.cells.get(place)
        try:
            if earlier is not None and known is not None and known.state in CONTINUED:
                changes = {"max_cost": settings.max_cost, "max_time": settings.max_time}
                assert setup.purse is not None
                setup.purse.take_back(known.usage)
                result = resume_run(earlier, setup, source, changes)
            else:
                result = answer_question(source, question.question, setup)
        except JournalError:
            raise
        except ConfigError as error:
            if error.code not in _OF_ONE_QUESTION:
                raise
            self.sheet.add(self._failed(question, error.line), is_service_fault=False)
            return
        except Exception as error:  # noqa: BLE001 - whatever breaks one cell must not end the others
            line = error.line if isinstance(error, RalphError) else f"{type(error).__name__}: {error}"
            self.sheet.add(self._failed(question, line), is_service_fault=isinstance(error, RalphError))
            if isinstance(error, RalphError) and error.code in FAULTS_OF_MACHINE:
                self.sheet.lacking = line
                self.sheet.end(Halt(StopType.SYSTEM_ERROR, line))
            return
        cell = fill_cell(self.row, question, result.view)
        self.sheet.known.folders[place] = result.folder
        stop = result.view.halt.type
        self.sheet.add(cell, is_service_fault=stop is StopType.SYSTEM_ERROR)
        if self._is_table_bound(stop, setup):
            self.sheet.end(result.view.halt)

    def _is_table_bound(self, stop: StopType, setup: Setup) -> bool:
        """Whether a bound of the whole table, not of the run itself, ended the run."""
        if stop is StopType.USER_INTERRUPTED:
            return True
        assert setup.purse is not None
        bound = next((limit for limit, kind in LIMIT_STOP_TYPES.items() if kind is stop), "")
        left = setup.purse.left
        own = {"cost": setup.settings.max_cost, "time": setup.settings.max_time}
        return bound in left and left[bound] < (own.get(bound) or inf)
