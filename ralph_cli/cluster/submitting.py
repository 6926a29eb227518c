"""Fills a table by workers: a job for each document is submitted, and what comes back becomes runs of the table."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import PurePath

from ralph_cli.cluster.collecting import Collecting, kept_jobs, purse_of
from ralph_cli.cluster.database import JobQueue
from ralph_cli.cluster.job import FORMAT, Job, JobDocument, finite
from ralph_cli.cluster.shares import Amounts, DatabaseShares
from ralph_cli.cluster.store import Store, open_store
from ralph_cli.core import clock
from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.document import SKIPPED
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.model import Usage
from ralph_cli.core.prompts.templates import prompt_digests
from ralph_cli.core.results.table import CellState, Table, TableQuestion, TableRow
from ralph_cli.core.run import Halt, StopType
from ralph_cli.core.version import __version__
from ralph_cli.documents.source import DocumentSource
from ralph_cli.runs import execute
from ralph_cli.runs.execute import Setup, describe_start
from ralph_cli.runs.export import pack_run
from ralph_cli.runs.history import begun_runs, read_run
from ralph_cli.runs.resuming.record_fields import FROM_RECORD, LOWER_OF_BOTH
from ralph_cli.table.record import KnownCells, TableRecord
from ralph_cli.table.rows import open_row
from ralph_cli.table.run import CONTINUED, Filling, OnCell, pending_questions
from ralph_cli.wiring.models import ModelNames
from ralph_cli.wiring.spending import run_budget


@dataclass(slots=True)
class Submission:
    """Fills a table by the workers at a database and a store, which are given by their addresses.

    It stands in for `table.run.fill_table`. `on_wait` is told what is waited for.
    """

    database: str
    store: str
    on_wait: Callable[[str], None] = lambda message: None
    open_queue: Callable[[str], JobQueue] = JobQueue
    open_shares: Callable[[str], DatabaseShares] = DatabaseShares

    def __call__(
        self,
        record: TableRecord,
        known: KnownCells,
        source: DocumentSource,
        setup: Setup,
        filling: Filling,
        on_cell: OnCell = lambda done, total, cell: None,
    ) -> Table:
        """Submit what is still to be asked, wait for it, and give the table.

        Jobs that were submitted before and not collected are collected, not submitted anew. Once a bound of the table
        is reached, jobs that nobody has begun are cancelled, and those at work are waited for. Raises ConfigError,
        JournalError.
        """
        if source.password is not None or any(other.password is not None for other in source.others):
            hint = "take the password off the files, or leave out --database"
            raise ConfigError("a password would travel through the store", code="password", hint=hint)
        if filling.only_changed:
            hint = "leave out --database for it; what it leaves open can go to workers afterwards"
            raise ConfigError("--only-changed is done by one machine", code="usage", hint=hint)
        with closing(self.open_queue(self.database)) as queue, closing(self.open_shares(self.database)) as shares:
            return self._fill(queue, shares, open_store(self.store), record, known, source, setup, filling, on_cell)

    def _fill(
        self,
        queue: JobQueue,
        shares: DatabaseShares,
        store: Store,
        record: TableRecord,
        known: KnownCells,
        source: DocumentSource,
        setup: Setup,
        filling: Filling,
        on_cell: OnCell,
    ) -> Table:
        names = setup.choose_models()
        bounds, notices = run_budget(setup.settings, names.by_role, setup.models)
        for notice in notices:
            if setup.sink is not None:
                setup.sink(notice)
        purse = Ledger(bounds)
        purse.book_earlier(known.spent)
        collecting = Collecting(queue, shares, store, record, known, source, setup, purse, on_cell, self.on_wait)
        earlier = kept_jobs(record)
        is_bounded = bounds != Budget()
        if is_bounded or any(job.purse for job in earlier.values()):
            shares.open(purse_of(record), bounds, Amounts.of(known.spent))
        for job_id, job in earlier.items():
            collecting.submit(job_id, job)
        submitted = {(job.row.sha256, question.id) for job in earlier.values() for question in job.questions}
        settings = _job_settings(setup, names, bounds)
        collecting.stop_at_a_bound()
        for row in record.rows if collecting.halt is None else ():
            pending = [
                question
                for question in pending_questions(record, known, row, filling.again)
                if (row.sha256, question.id) not in submitted
            ]
            if pending:
                job = _make_job(store, record, known, row, pending, source, setup, settings, filling)
                job = job.model_copy(update={"purse": purse_of(record)}) if is_bounded else job
                collecting.submit(collecting.keep(job), job)
        collecting.wait()
        return record.as_table(known.cells, collecting.halt or Halt(StopType.COMPLETION, "every cell was asked"))


def _job_settings(setup: Setup, names: ModelNames, bounds: Budget) -> dict[str, object]:
    """The settings of a job: those that the record of a run may decide. The bounds are those of the table, counted in
    the database; a worker is told of the cost, so that it asks for prices.
    """
    job = execute.Job("qa", "", None, names)
    recorded = describe_start(job, setup.settings, "", "").settings
    settings = {name: value for name, value in recorded.items() if name in FROM_RECORD | LOWER_OF_BOTH | {"models"}}
    if setup.settings.memory == "off":
        settings["memory"] = "off"
    of_table = ("max_calls", "max_tokens", "max_time", "max_cost")
    settings = {name: value for name, value in settings.items() if name not in of_table}
    return settings if bounds.usd is None else settings | {"max_cost": bounds.usd}


def _make_job(
    store: Store,
    record: TableRecord,
    known: KnownCells,
    row: TableRow,
    pending: list[TableQuestion],
    source: DocumentSource,
    setup: Setup,
    settings: dict[str, object],
    filling: Filling,
) -> Job:
    """The job of a row, whose documents and cut-off runs are in the store then."""
    whole = open_row(row, source, setup.settings.cache_folder, (record.folder, setup.settings.out))
    document = whole.load()
    whole.keep_text(setup.settings.cache_folder)
    members = [(member.name, source.of_member(member), member.fingerprint) for member in document.members]
    documents = members or [(row.name, replace(whole, document=None), document.fingerprint)]
    return Job(
        format=FORMAT,
        version=__version__,
        prompts=prompt_digests(),
        settings=settings,
        seed=record.seed,
        questions=tuple(pending),
        row=replace(row, path="", inner=()),
        documents=tuple(
            JobDocument(
                name=name,
                file=PurePath((item.inner or (item.path,))[-1]).name[-200:],
                sha256=store.put("documents", item.read()),
                fingerprint=fingerprint,
                encoding=item.encoding,
            )
            for name, item, fingerprint in documents
        ),
        skipped=tuple(caution.message for caution in document.cautions if caution.code == SKIPPED),
        earlier=tuple(_store_earlier(store, record, known, row, pending, setup)),
        paid=Amounts.of(sum((known.cells[place].usage for place in _begun(known, row, pending)), Usage())),
        # What failed here before, for what this machine or a worker lacked, goes on with what was paid for.
        again=(CellState.FAILED, *(state for state in CONTINUED if state in filling.again)),
        seconds=filling.each.seconds,
        usd=finite(filling.each.usd),
        made=clock.now(),
    )


def _begun(known: KnownCells, row: TableRow, pending: list[TableQuestion]) -> list[tuple[str, str]]:
    """The cells of these questions that have a run to go on with."""
    places = [(row.name, question.id) for question in pending]
    return [place for place in places if place in known.folders and known.cells[place].state in CONTINUED]


def _store_earlier(
    store: Store, record: TableRecord, known: KnownCells, row: TableRow, pending: list[TableQuestion], setup: Setup
) -> Iterator[str]:
    """The bundles of runs that did not end with a result, and of those that they went on with, to go on with."""
    seeds = {read_run(known.folders[place]).started.seed for place in _begun(known, row, pending)}
    runs = record.runs_of(row.sha256)
    for name in begun_runs(runs) if seeds else ():
        if read_run(runs / name).started.seed in seeds:
            yield store.put("bundles", pack_run(runs / name, setup.settings)[0])
