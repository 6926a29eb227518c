"""`ralph worker`: takes documents of tables from the queue, on any machine."""

from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import Given, takes
from ralph_cli.reports.safe_text import one_line

if TYPE_CHECKING:
    from ralph_cli.core.results.table import Cell

Database = Annotated[str, typer.Option("--database", help="postgresql://USER@HOST/NAME, as `ralph table` was given.")]
Store = Annotated[str, typer.Option("--store", help="Shared folder, or s3://, gcs://, az://, as `ralph table` has it.")]
Name = Annotated[str, typer.Option("--id", help="Id of this worker, its own: host1-0. Give it the same one again.")]
Jobs = Annotated[
    int | None,
    options.number("--jobs", help="Documents side by side, of every worker; default one a core.", least=1),
]


@takes(
    "model",
    "judge_model",
    "subquery_model",
    "max_parallel",
    "max_rate",
    "max_call_time",
    "max_cost",
    "prices",
    "out",
    "cache",
    "sandbox",
    "require_walls",
)
def worker(
    given: Given,
    database: Database,
    store: Store,
    name: Name,
    jobs: Jobs = None,
    quiet: options.Quiet = False,
) -> int:
    """Answer questions of tables that were submitted with --database, until it is interrupted, at any moment."""
    from ralph_cli import config
    from ralph_cli.cluster.worker import work
    from ralph_cli.commands.terminal.interrupts import interrupts
    from ralph_cli.commands.terminal.progress import progress

    settings = config.load_settings(given)
    with progress(settings, quiet=quiet) as display:

        def tell(cell: "Cell") -> None:
            display.write(f"{cell.question}: {cell.state}")

        display.write(f"the worker {name} waits for documents")
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
            # The jobs at work are threads, which would go on; they may be cut anywhere, and are gone on with.
            interrupts.end_at_once(f"; begun again as {name} it goes on where it was")
    return 0
