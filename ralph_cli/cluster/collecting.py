"""Turns the results of workers into runs of the table: verified, unpacked, and counted against its bounds."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ralph_cli.cluster.database import EndedJob, JobQueue
from ralph_cli.cluster.job import Job, JobResult, read_file, write_file
from ralph_cli.cluster.shares import Amounts, DatabaseShares
from ralph_cli.cluster.store import Store
from ralph_cli.cluster.unpacking import unpack_run
from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import JournalError, RalphError, describe_fault
from ralph_cli.core.results.table import Cell, CellState, TableRow
from ralph_cli.core.run import Halt, StopType
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.traces import replace_file
from ralph_cli.loop.engine import LIMIT_STOP_TYPES
from ralph_cli.runs.execute import Setup
from ralph_cli.table.record import KnownCells, TableRecord, read_cells
from ralph_cli.table.rows import open_row
from ralph_cli.table.run import OnCell
from ralph_cli.text.lexicon import pluralize

# Seconds between two questions for results, at least.
LEAST_POLL_SECONDS = 0.25

# The share of time that a submitter spends on these questions, at most.
POLL_SHARE = 0.02

# The folder of submitted jobs whose results are not in the table yet, in the table's folder.
JOBS_FOLDER = "jobs"


def kept_jobs(record: TableRecord) -> dict[str, Job]:
    """Return the submitted jobs of this table that are not collected, by id. Raises JournalError."""
    try:
        found = sorted((record.folder / JOBS_FOLDER).glob("*-*"))
        return {path.name: read_file(Job, path.read_bytes()) for path in found if not path.name.startswith(".")}
    except OSError as error:
        what = f"{record.folder / JOBS_FOLDER} {describe_fault(error)}"
        raise JournalError(what, code="unreadable") from error


def purse_of(record: TableRecord) -> str:
    """Return the name of a table's bounds in the database, a hash that reveals nothing."""
    return hashlib.sha256(f"purse:{record.seed}".encode()).hexdigest()[:32]


@dataclass(slots=True)
class Collecting:
    """The submitted jobs of a table. `halt` says why some were not done, `known` has the cells of the others."""

    queue: JobQueue
    shares: DatabaseShares
    store: Store
    record: TableRecord
    known: KnownCells
    source: DocumentSource
    setup: Setup
    purse: Ledger
    on_cell: OnCell
    on_wait: Callable[[str], None]
    halt: Halt | None = None
    _jobs: dict[str, Job] = field(default_factory=dict)
    _total: int = 0
    _done: int = 0

    def keep(self, job: Job) -> str:
        """Record a job in the table's folder, so that it is collected even after a crash; return its id."""
        data = write_file(job)
        job_id = f"{job.row.sha256[:32]}-{self.store.put('jobs', data)}"
        folder = self.record.folder / JOBS_FOLDER
        try:
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(folder / job_id, data)
        except OSError as error:
            raise JournalError(f"{folder} {describe_fault(error)}", code="unwritable") from error
        return job_id

    def submit(self, job_id: str, job: Job) -> None:
        """Submit a job to the workers, unless they have it already."""
        self.queue.submit(job_id, self.store.put("jobs", write_file(job)))
        self._jobs[job_id] = job
        self._total += len(job.questions)

    def wait(self) -> None:
        """Collect the results until no job is left."""
        announced = 0
        while self._jobs:
            begun = clock.monotonic()
            ended = self.queue.ended(self._jobs)
            asked = clock.monotonic() - begun
            for job in ended:
                self._collect(job, self._jobs.pop(job.id))
            self.stop_at_a_bound()
            if self._jobs:
                if announced != len(self._jobs):
                    announced = len(self._jobs)
                    self.on_wait(f"{pluralize(announced, 'document')} in progress, or waiting for a worker")
                clock.sleep(max(LEAST_POLL_SECONDS, asked / POLL_SHARE))

    def _collect(self, ended: EndedJob, job: Job) -> None:
        if ended.is_cancelled:
            self.halt = self.halt or Halt(StopType.USER_INTERRUPTED, "jobs were cancelled; continue with --resume")
            return
        row = next((row for row in self.record.rows if row.sha256 == job.row.sha256), None)
        if row is not None:
            self._fill(row, job, *self._take(ended, job, row))
        (self.record.folder / JOBS_FOLDER / ended.id).unlink(missing_ok=True)

    def _take(self, ended: EndedJob, job: Job, row: TableRow) -> tuple[KnownCells, dict[str, str]]:
        """Turn a result into runs; return the cells, and why questions have none ("" for all others)."""
        reasons: dict[str, str] = {}
        alone = replace(self.record, rows=(row,))
        before, worker = read_cells(alone).spent, ended.worker
        try:
            if not ended.result:
                what = f"the worker {ended.worker} failed; its own output says why"
                raise JournalError(what, code="worker-failed")
            result = read_file(JobResult, self.store.get("results", ended.result))
            worker = result.worker
            reasons = {item.question: item.reason for item in result.failed}
            if result.fault:
                reasons[""] = f"{result.worker}: {result.fault}"
            if result.stop is StopType.SYSTEM_ERROR or result.is_refused:
                self._end(Halt(result.stop, result.detail))
            settings = self.setup.settings
            source = self.source
            if result.bundles:
                source = open_row(row, source, settings.cache_folder, (self.record.folder, settings.out))
            for bundle in result.bundles:
                unpack_run(self.store.get("bundles", bundle), self.record, row, source, settings)
        except RalphError as error:
            reasons[""] = error.line
        read = read_cells(alone)
        self.purse.book_earlier(read.spent - before)
        if job.purse and not reasons.get("", ""):
            sha256 = ended.id.rpartition("-")[2]
            self.shares.collect(job.purse, sha256, worker, Amounts.of(self.purse.spent))
        return read, reasons

    def _fill(self, row: TableRow, job: Job, read: KnownCells, reasons: dict[str, str]) -> None:
        self.known.folders.update(read.folders)
        for question in job.questions:
            place = row.name, question.id
            reason = reasons.get(question.id) or reasons.get("", "")
            cell = read.cells.get(place)
            if cell is None and reason:
                cell = Cell(row=row.name, question=question.id, state=CellState.FAILED, reason=reason)
            if cell is not None:
                self.known.cells[place] = cell
                self._done += 1
                self.on_cell(self._done, self._total, cell)

    def stop_at_a_bound(self) -> None:
        """Let no further job begin once a bound of the table is reached."""
        reached = next((limit for limit, left in self.purse.left.items() if left <= 0), None)
        seconds = self.purse.seconds_left
        if reached is None and seconds is not None and seconds <= 0:
            reached = "time"
        if reached is not None and self.halt is None:
            self._end(Halt(LIMIT_STOP_TYPES[reached], f"the bound of the table was reached ({reached})"))

    def _end(self, halt: Halt) -> None:
        """Let no further job begin; those in progress are finished."""
        self.halt = self.halt or halt
        if self._jobs:
            self.queue.cancel(self._jobs, at_work=False)
