"""Does jobs on this machine: makes their runs in a folder of the worker, and puts finished ones into the store."""

import threading
from collections.abc import Callable, Mapping
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
from ralph_cli.core.results.table import Cell, CellState
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

# Called with each finished cell; an exception ends the job.
OnCell = Callable[[Cell], None]


@dataclass(frozen=True, slots=True)
class Workplace:
    """What a worker needs for its jobs: the store, its own `folder`, and a setup with this machine's settings.

    `shares` count what the jobs of bounded tables spend.
    """

    worker: str
    store: Store
    folder: Path
    setup: Setup
    shares: DatabaseShares | None = None

    def do_job(self, sha256: str, on_cell: OnCell = lambda cell: None) -> str:
        """Do or continue the job with that hash; return the hash of its result.

        The result has the faults of the job and of its documents. Raises JournalError if the store or the disk cannot
        be used, and WorkerUnfit if this machine lacks what every cell needs.
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
        # A record raises no bound, but the submitter may, unless this machine has a bound of its own.
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
            bundles=tuple(
                self.store.put("bundles", pack_run(runs / name, setup.settings)[0]) for name in begun_runs(runs)
            ),
            failed=tuple(
                FailedCell(question=cell.question, reason=cell.reason)
                for cell in table
                if cell.state is CellState.FAILED and not cell.run
            ),
            stop=table.halt.type,
            detail=table.halt.detail if table.halt.type is not StopType.COMPLETION else "",
            is_refused=purse is not None and bool(purse.refused),
        )

    def _open_purse(self, job: Job, sha256: str) -> JobPurse | None:
        """Return the budget of a job whose table has bounds. Raises JournalError if they cannot be counted here."""
        if not job.purse:
            return None
        if self.shares is None:
            raise JournalError("the bounds of the job's table cannot be counted here", code="no-shares")
        seconds = self.shares.begin(job.purse, sha256, self.worker)
        return JobPurse(partial(self.shares.hold, job.purse, sha256, self.worker), job.paid, seconds)

    def _load(self, job: Job, folder: Path, setup: Setup) -> DocumentSource:
        """Return the document of the job. Raises DocumentError if its text differs from the submitter's."""
        cache = setup.settings.cache_folder
        sources = [self._load_one(document, folder / "documents", setup) for document in job.documents]
        if not job.row.is_set:
            if len(sources) != 1:
                raise JournalError("the job does not have one document", code="store-damaged")
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
        """Return a document from the store, in a file of its name in a folder named by its hash."""
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
            what = f"{self.worker} reads another text of {document.name} than the machine that submitted the table"
            hint = "install the same versions, and for scanned pages the same OCR, on all machines"
            raise DocumentError(what, code="other-reading", hint=hint)
        return replace(source, document=loaded)


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

    No other worker may have the id `worker`. Its runs are kept in a folder of that name: started again with the same
    id and folder, it continues what it began, and pays for nothing twice. `on_cell` gets each finished cell, `on_fault`
    a line for each failed job. Raises ConfigError, JournalError, and WorkerUnfit if it lacks a key or a sandbox that a
    job needs: then it takes no further jobs.
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
