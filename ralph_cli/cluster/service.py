"""A worker: takes jobs from the queue until it is told to end."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from ralph_cli.cluster.connection import require_postgres
from ralph_cli.cluster.database import require_worker_id
from ralph_cli.cluster.serving import serve
from ralph_cli.cluster.shares import DatabaseShares, Turns
from ralph_cli.cluster.store import open_store
from ralph_cli.cluster.worker import Workplace
from ralph_cli.config import Settings
from ralph_cli.core.errors import RalphError
from ralph_cli.core.model import Model
from ralph_cli.core.results.table import Cell
from ralph_cli.journal.rows import hold_folder
from ralph_cli.runs.execute import Setup
from ralph_cli.table.run import cores


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
