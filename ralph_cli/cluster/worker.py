"""Does a job on this machine: the runs are made in a folder of its own, and go to the store when they have ended."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

from ralph_cli.cluster.connection import require_postgres
from ralph_cli.cluster.database import require_worker_id
from ralph_cli.cluster.job import (
    FORMAT,
    FailedCell,
    Job,
    JobDocument,
    JobResult,
    read_file,
    require_same_version,
    write_file,
)
from ralph_cli.cluster.serving import WorkerUnfit, serve
from ralph_cli.cluster.shares import DatabaseShares, JobPurse, Turns
from ralph_cli.cluster.store import Store, open_store
from ralph_cli.cluster.unpacking import unpack_run
from ralph_cli.config import Settings
from ralph_cli.core.budget import Budget
from ralph_cli.core.document import SKIPPED, Caution, Document
from ralph_cli.core.errors import DocumentError, JournalError, RalphError
from ralph_cli.core.model import Model
from ralph_cli.core.results.table import Cell, CellState, Table
from ralph_cli.core.run import StopType
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.rows import hold_folder
from ralph_cli.journal.traces import replace_file
from ralph_cli.runs.execute import Setup
from ralph_cli.runs.export import pack_run
from ralph_cli.runs.history import begun_runs
from ralph_cli.runs.resuming.record_fields import resumed_settings
from ralph_cli.table.record import TableRecord, read_cells
from ralph_cli.table.run import FAULTS_OF_MACHINE, Filling, cores, fill_table

OnCell = Callable[[Cell], None]
"""Called with each cell when it is done; may raise, which ends the job after it."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where a worker does its jobs: the store, its own `folder`, and a setup with the settings of this machine.

    `shares` count what jobs spend whose table has bounds.
    """

    worker: str
    store: Store
    folder: Path
    setup: Setup
    shares: DatabaseShares | None = None

    def do_job(self, sha256: str, on_cell: OnCell = lambda cell: None) -> str:
        """Do the job with that hash, or go on with it; returns the hash of its result.

        What is wrong with the job, or with a document, is in the result. Raises JournalError when the store, or the
        disk of this machine, cannot be used, and WorkerUnfit when this machine lacks what every cell of it needs.
        """
        job = read_file(Job, self.store.get("jobs", sha256))
        try:
            require_same_version(job)
            result = self._fill(job, sha256, on_cell)
        except (JournalError, WorkerUnfit):
            raise
        except RalphError as error:
            if error.code in FAULTS_OF_MACHINE:
                raise WorkerUnfit(error.line, has_begun=False) from None
            result = JobResult(format=FORMAT, job=sha256, worker=self.worker, fault=error.line)
        return self.store.put("results", write_file(result))

    def _fill(self, job: Job, sha256: str, on_cell: OnCell) -> JobResult:
        folder = self.folder / sha256[:32]
        ours = self.setup.settings
        # A record lifts no bound; the person who submits a job may, where this machine has none of its own.
        changes = {"max_cost": job.settings.get("max_cost")} if ours.max_cost is None else {}
        settings, _ = resumed_settings(job.started, ours, changes, given_models=self.setup.models)
        setup = replace(self.setup, settings=settings.model_copy(update={"out": folder}))
        source = self._load(job, folder, setup)
        row = replace(job.row, path=source.path, inner=())
        record = TableRecord(folder, job.seed, job.questions, (row,), {})
        for bundle in job.earlier:
            unpack_run(self.store.get("bundles", bundle), record, row, source, settings)
        filling = Filling(again=job.again, each=Budget(job.seconds, job.usd), jobs=1)
        purse = self._open_purse(job, sha256)
        setup = replace(setup, purse=purse)
        table = fill_table(
            record, read_cells(record), source, setup, filling, on_cell=lambda _done, _total, cell: on_cell(cell)
        )
        if table.lacking:
            raise WorkerUnfit(table.lacking, has_begun=any(cell.state.is_accepted for cell in table))
        runs = record.runs_of(row.sha256)
        return JobResult(
            format=FORMAT,
            job=sha256,
            worker=self.worker,
            bundles=tuple(self._pack(runs / name, setup) for name in begun_runs(runs)),
            failed=tuple(_without_run(table)),
            stop=table.halt.type,
            detail=table.halt.detail if table.halt.type is not StopType.COMPLETION else "",
            is_refused=purse is not None and bool(purse.refused),
        )

    def _open_purse(self, job: Job, sha256: str) -> JobPurse | None:
        """What the job may spend of its table's bounds. Raises JournalError for a job that nobody here can bound."""
        if not job.purse:
            return None
        shares = self.shares
        if shares is None:
            raise JournalError("the job is bounded with others, and nobody counts them here", code="no-shares")
        seconds = shares.begin(job.purse, sha256, self.worker)
        return JobPurse(partial(shares.hold, job.purse, sha256, self.worker), job.paid, seconds)

    def _load(self, job: Job, folder: Path, setup: Setup) -> DocumentSource:
        """The document of the job, from the store. Raises DocumentError when it is not read as the submitter did."""
        cache = setup.settings.cache_folder
        sources = [self._load_one(document, folder / "documents", setup) for document in job.documents]
        if not job.row.is_set:
            if len(sources) != 1:
                raise JournalError("the job has not one document", code="store-damaged")
            source = sources[0]
        else:
            named = [
                NamedDocument(document.name, source.load(cache), source.path)
                for document, source in zip(job.documents, sources, strict=True)
            ]
            joined = join_documents("", named, [Caution(SKIPPED, message) for message in job.skipped])
            source = DocumentSource(str(folder / "documents"), ocr=setup.settings.ocr_options, document=joined)
        if source.load().sha256 != job.row.sha256:
            raise JournalError(f"the documents of the job are not {job.row.name}", code="store-damaged")
        return source

    def _load_one(self, document: JobDocument, folder: Path, setup: Setup) -> DocumentSource:
        """A document, in a file of its own name in a folder that nobody else names."""
        name = PurePosixPath(document.file.replace("\\", "/").replace("\0", "")).name[-200:] or "document"
        path = folder / document.sha256[:32] / name
        data = self.store.get("documents", document.sha256)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, data)
        except OSError as error:
            raise JournalError(f"{path} cannot be written: {error.strerror}", code="unwritable") from error
        source = DocumentSource(str(path), encoding=document.encoding, ocr=setup.settings.ocr_options)
        loaded: Document = source.load_bytes(data, setup.settings.cache_folder)
        if loaded.fingerprint != document.fingerprint:
            what = f"{document.name} is not read on {self.worker} as where the table was submitted"
            hint = "install the same versions, and for scanned pages the same OCR, on all machines"
            raise DocumentError(what, code="other-reading", hint=hint)
        return replace(source, document=loaded)

    def _pack(self, run: Path, setup: Setup) -> str:
        """Export a run to the store; returns the hash of the bundle."""
        return self.store.put("bundles", pack_run(run, setup.settings)[0])


def _without_run(table: Table) -> Iterator[FailedCell]:
    for cell in table:
        if cell.state is CellState.FAILED and not cell.run:
            yield FailedCell(question=cell.question, reason=cell.reason)


def work(
    database: str,
    store: str,
    worker: str,
    *,
    jobs: int | None = None,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    until: threading.Event | None = None,
    on_cell: Callable[[Cell], None] = lambda cell: None,
    on_fault: Callable[[str], None] = lambda message: None,
) -> None:
    """Do the jobs of all tables at this database, `jobs` documents side by side, until the event `until` is set.

    The id `worker` is this one's alone. Its runs are kept in a folder of that name in that of the settings: begun again
    with the same id and folder, it goes on with what it had begun, and pays for nothing twice. `on_cell` is called with
    each cell that is done, `on_fault` with a line for each job that failed. Raises ConfigError, JournalError,
    and WorkerUnfit when it lacks a key or a sandbox that a job needs: it takes no other one then.
    """
    setup = Setup.of(settings, models)
    folder = setup.settings.out / f"worker-{require_worker_id(worker)}"
    shares = DatabaseShares(require_postgres(database))
    setup = replace(setup, take_turn=Turns(shares.take_turn))
    place = Workplace(worker, open_store(store), folder, setup, shares)

    def do_job(job: str, check: Callable[[], None]) -> str:
        def after(cell: Cell) -> None:
            on_cell(cell)
            check()

        return place.do_job(job, after)

    def tell(error: Exception) -> None:
        on_fault(error.line if isinstance(error, RalphError) else f"{type(error).__name__}: {error}")

    with hold_folder(folder, f"the jobs of {worker}"):
        serve(database, worker, jobs or cores(), do_job, until or threading.Event(), tell)
