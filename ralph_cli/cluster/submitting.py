"""Fills a table through workers: submits a job for each document, and turns the results into runs of the table."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path, PurePath

from ralph_cli.cluster.collecting import Collecting, kept_jobs, purse_of
from ralph_cli.cluster.database import JobQueue
from ralph_cli.cluster.job import FORMAT, Job, JobDocument
from ralph_cli.cluster.shares import Amounts, DatabaseShares
from ralph_cli.cluster.store import open_store
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
    """Fills a table through the workers at a database and a store, which are given by their addresses.

    It replaces `table.run.fill_table`. `on_wait` gets lines that say what ralph is waiting for.
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
        """Submit the remaining questions, wait for the answers, and return the table.

        Jobs that were submitted before are collected and not submitted again. Once a bound of the table is reached,
        waiting jobs are cancelled, and jobs in progress are finished. Raises ConfigError, JournalError.
        """
        if source.password is not None or any(other.password is not None for other in source.others):
            hint = "remove the password from the files, or leave out --database"
            raise ConfigError("a password would travel through the store", code="password", hint=hint)
        if filling.only_changed:
            hint = "run it without --database; workers can then answer what it leaves"
            raise ConfigError("--only-changed runs on one machine", code="usage", hint=hint)
        names = setup.choose_models()
        bounds, notices = run_budget(setup.settings, names.by_role, setup.models)
        for notice in notices:
            if setup.sink is not None:
                setup.sink(notice)
        purse = Ledger(bounds)
        purse.book_earlier(known.spent)
        with closing(self.open_queue(self.database)) as queue, closing(self.open_shares(self.database)) as shares:
            collecting = Collecting(
                queue, shares, open_store(self.store), record, known, source, setup, purse, on_cell, self.on_wait
            )
            _submit(collecting, filling, bounds, _job_settings(setup, names, bounds))
            collecting.wait()
        return record.as_table(known.cells, collecting.halt or Halt(StopType.COMPLETION, "every cell was asked"))


def _submit(collecting: Collecting, filling: Filling, bounds: Budget, settings: dict[str, object]) -> None:
    """Submit the jobs that were kept, and new ones for the remaining questions."""
    record, known = collecting.record, collecting.known
    earlier = kept_jobs(record)
    is_bounded = bounds != Budget()
    if is_bounded or any(job.purse for job in earlier.values()):
        collecting.shares.open(purse_of(record), bounds, Amounts.of(known.spent))
    for job_id, job in earlier.items():
        collecting.submit(job_id, job)
    submitted = {(job.row.sha256, question.id) for job in earlier.values() for question in job.questions}
    collecting.stop_at_a_bound()
    for row in record.rows if collecting.halt is None else ():
        pending = [
            question
            for question in pending_questions(record, known, row, filling.again)
            if (row.sha256, question.id) not in submitted
        ]
        if pending:
            job = _make_job(collecting, filling, settings, row, pending)
            job = job.model_copy(update={"purse": purse_of(record)}) if is_bounded else job
            collecting.submit(collecting.keep(job), job)


def _job_settings(setup: Setup, names: ModelNames, bounds: Budget) -> dict[str, object]:
    """Return the settings of a job: those that a run's record may decide.

    The database counts the bounds of the table. A worker gets only the bound of the cost, so that it requires prices.
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
    collecting: Collecting, filling: Filling, settings: dict[str, object], row: TableRow, pending: list[TableQuestion]
) -> Job:
    """Return the job of a row, after putting its documents and interrupted runs into the store."""
    record, known, source = collecting.record, collecting.known, collecting.source
    store, ours = collecting.store, collecting.setup.settings
    whole = open_row(row, source, ours.cache_folder, (record.folder, ours.out))
    document = whole.load()
    whole.keep_text(ours.cache_folder)
    members = [(member.name, source.of_member(member), member.fingerprint) for member in document.members]
    documents = members or [(row.name, replace(whole, document=None), document.fingerprint)]
    places = [(row.name, question.id) for question in pending]
    begun = [place for place in places if place in known.folders and known.cells[place].state in CONTINUED]
    earlier = _earlier_runs(record.runs_of(row.sha256), [known.folders[place] for place in begun])
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
        earlier=tuple(store.put("bundles", pack_run(folder, ours)[0]) for folder in earlier),
        paid=Amounts.of(sum((known.cells[place].usage for place in begun), Usage())),
        # A cell that failed because this machine or a worker lacked something continues what was paid for.
        again=(CellState.FAILED, *(state for state in CONTINUED if state in filling.again)),
        seconds=filling.each.seconds,
        usd=None if filling.each.usd == inf else filling.each.usd,
        made=clock.now(),
    )


def _earlier_runs(runs: Path, begun: list[Path]) -> list[Path]:
    """Return the runs of a row that these runs belong to, with the runs that they continued."""
    seeds = {read_run(folder).started.seed for folder in begun}
    folders = [runs / name for name in begun_runs(runs)] if seeds else []
    return [folder for folder in folders if read_run(folder).started.seed in seeds]
