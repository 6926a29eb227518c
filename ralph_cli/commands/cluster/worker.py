"""`ralph worker`: answers the questions of tables, on any machine."""

from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.cluster.queue import Database
from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import Given, takes
from ralph_cli.reports.safe_text import one_line

if TYPE_CHECKING:
    from ralph_cli.core.results.table import Cell

Store = Annotated[str, typer.Option(help="Shared folder, or s3://, gcs://, az://, as in `ralph table`.")]
Name = Annotated[
    str, typer.Option("--id", help="Id of this worker, such as host1-0; use the same one after a restart.")
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Documents side by side, for each worker; default one a core.")]


@takes(
    *("model", "judge_model", "subquery_model", "max_parallel", "max_rate", "max_call_time", "max_cost", "prices"),
    *("out", "cache", "sandbox", "require_walls"),
)
def worker(
    given: Given, database: Database, store: Store, name: Name, jobs: Jobs = None, quiet: options.Quiet = False
) -> int:
    """Answer questions of tables that were submitted with --database, until you interrupt it."""
    from ralph_cli import config
    from ralph_cli.cluster.worker import work
    from ralph_cli.commands.terminal.interrupts import interrupts
    from ralph_cli.commands.terminal.progress import progress

    settings = config.load_settings(given)
    with progress(settings, quiet=quiet) as display:

        def tell(cell: "Cell") -> None:
            display.write(f"{cell.question}: {cell.state}")

        display.write(f"the worker {name} is waiting for documents")
        try:
            work(
                database,
                store,
                name,
                jobs=jobs,
                settings=settings,
                on_cell=tell,
                on_fault=lambda message: typer.echo(f"ralph: {one_line(message, 300)}", err=True),
            )
        except KeyboardInterrupt:
            # The jobs are threads, which would keep running. They can be cut anywhere and continued later.
            interrupts.end_at_once(f"; start {name} again and it continues")
    return 0
