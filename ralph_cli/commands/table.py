"""`ralph table`: the same questions to many documents."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands import qa
from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.core.run import StopType
from ralph_cli.reports.safe_text import one_line

if TYPE_CHECKING:
    from ralph_cli.commands.terminal.progress import SilentProgress
    from ralph_cli.core.results.table import Cell, Table

Questions = Annotated[
    Path | None,
    typer.Argument(metavar="QUESTIONS", help="CSV (id, question, type), YAML, or a question on each line."),
]
Output = Annotated[Path, options.result_option("-o", "--output", help="Folder of the table.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the table in that folder.")]
CostEach = Annotated[float | None, typer.Option("--cost-each", help="US dollars for each cell.")]
TimeEach = Annotated[float | None, typer.Option("--time-each", help="Seconds for each cell.")]
Jobs = Annotated[
    int | None, options.number("--jobs", help="Documents that are asked side by side; default one a core.", least=1)
]
Database = Annotated[
    str | None, typer.Option("--database", help="Let workers answer, by this postgresql://USER@HOST/NAME.")
]
Store = Annotated[
    str | None, typer.Option("--store", help="Folder or address (s3://, gcs://, az://) that workers share.")
]


@takes(
    *(name for name in RUN if name not in ("max_time", "max_cost", "max_calls", "max_tokens", "out")),
    *JUDGED,
    "panel",
    "bullets",
    "quotes",
    "counter_evidence",
    max_time="Time for the whole table.",
    max_cost="US dollars for the whole table, what it has cost before among it (default 5).",
    max_calls="Calls of models for the whole table, as for --max-cost.",
    max_tokens="Tokens for the whole table, as for --max-cost.",
)
def table(
    given: Given,
    questions: Questions = None,
    documents: options.Documents = None,
    doc: options.Doc = None,
    output: Output = Path("out/table"),
    resume: Resume = False,
    cost_each: CostEach = None,
    time_each: TimeEach = None,
    jobs: Jobs = None,
    strict_load: options.StrictLoad = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    database: Database = None,
    store: Store = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Put the same questions to each of many documents; every cell of the table has its proof."""
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress

    settings = config.load_settings(given)
    paths = [*(documents or []), *(doc or [])]
    with progress(settings, quiet=quiet) as display:
        source = options.source_of(*paths, password=password, encoding=encoding, strict=strict_load, display=display)
        filled = api.make_table(
            questions or Path(),
            source,
            folder=output,
            resume=resume,
            cost_each=cost_each,
            time_each=time_each,
            jobs=jobs,
            settings=settings,
            database=database,
            store=store,
            on_cell=_Lines(display),
            on_wait=display.write,
        )
    for cell in filled:
        typer.echo(f"{one_line(cell.row)} / {cell.question}: {one_line(cell.shown, 200)}")
    return exit_code(filled)


def exit_code(table: "Table") -> int:
    """0 if every cell has been asked, whatever was answered; 2 if one failed; else as for a question."""
    if table.halt.type is not StopType.COMPLETION:
        return qa.exit_code(table.halt.type)
    return 2 if any(cell.state.value in ("failed", "unjudged", "cut off", "not asked") for cell in table) else 0


class _Lines:
    """Tells of each cell when it is done."""

    def __init__(self, display: "SilentProgress") -> None:
        self._display = display

    def __call__(self, done: int, total: int, cell: "Cell") -> None:
        where = f"{one_line(cell.row, 60)} / {cell.question}"
        self._display.write(f"{done} of {total}: {where}: {cell.state}: {one_line(cell.shown, 100)}")
