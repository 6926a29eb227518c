"""`ralph table`: the same questions to many documents."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ralph_cli.commands import qa
from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.commands.terminal.screen import print_lines
from ralph_cli.core.run import Halt, StopType
from ralph_cli.reports.safe_text import one_line, to_json
from ralph_cli.reports.styled import plain_text

if TYPE_CHECKING:
    from ralph_cli.core.results.table import Table
    from ralph_cli.table.outputs import WrittenTable

MAX_PROBLEMS = 5
"""What could not be made is told so many times."""

Questions = Annotated[
    Path | None,
    typer.Argument(
        metavar="QUESTIONS",
        help="CSV (id, question, type), YAML, or a question on each line; or the folder of a table, to write its files "
        "anew.",
    ),
]
Output = Annotated[Path, options.result_option("-o", "--output", help="Folder of the table.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the table in that folder.")]
CostEach = Annotated[float | None, typer.Option("--cost-each", help="US dollars for each cell.")]
TimeEach = Annotated[float | None, typer.Option("--time-each", help="Seconds for each cell.")]
Jobs = Annotated[
    int | None, options.number("--jobs", help="Documents that are asked side by side; default one a core.", least=1)
]

Evidence = Annotated[
    Literal["none", "pages", "full"],
    options.result_option(
        "--evidence",
        help="For each cell a page with its quotes in their context, and of each PDF a copy with them highlighted; "
        "full: with pictures; none: no new ones.",
    ),
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
    evidence: Evidence = "pages",
    strict_load: options.StrictLoad = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Put the same questions to each of many documents; every cell of the table has its proof.

    With the folder of a table alone its files are written anew from its records.
    """
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.commands.terminal.table_progress import TableProgress
    from ralph_cli.table.outputs import output_paths, write_table

    settings = config.load_settings(given)
    paths = [*(documents or []), *(doc or [])]
    recorded = _recorded_table(questions, paths, resume=resume)
    folder = recorded or output
    with replacing(output_paths(folder), settings.cache_folder, force=force):
        with progress(settings, quiet=quiet) as display:
            source = options.source_of(
                *(paths if not recorded else [""]),
                password=password,
                encoding=encoding,
                strict=strict_load,
                display=display,
            )
            told = TableProgress(display)
            write = partial(write_table, folder, settings, source=source, on_progress=told.on_progress)
            halt = None
            if recorded is None:
                try:
                    halt = api.make_table(
                        questions or Path(),
                        source,
                        folder=output,
                        resume=resume,
                        cost_each=cost_each,
                        time_each=time_each,
                        jobs=jobs,
                        settings=settings,
                        on_cell=told.on_cell,
                    ).halt
                except KeyboardInterrupt:
                    _hand_over(write(level="none", halt=Halt(StopType.USER_INTERRUPTED, "interrupted")), json=json)
                    raise
            written = write(level=evidence, halt=halt)
        _hand_over(written, json=json)
    return exit_code(written.table)


def _recorded_table(questions: Path | None, paths: list[str], *, resume: bool) -> Path | None:
    """The folder of a table that is to be written anew: it stands in the place of the questions, alone."""
    if questions is None or paths or resume or not questions.is_dir():
        return None
    return questions


def _hand_over(written: "WrittenTable", *, json: bool) -> None:
    """Say how the table came out and where it is."""
    from ralph_cli.reports.table.json import as_object
    from ralph_cli.reports.table.terminal import table_lines

    files = {name: str(path) for name, path in written.files.items()}
    for problem in written.problems[:MAX_PROBLEMS]:
        typer.echo(f"note: {one_line(problem)}", err=True)
    if (more := len(written.problems) - MAX_PROBLEMS) > 0:
        typer.echo(f"note: and {more:,} more of the kind", err=True)
    if json:
        typer.echo(to_json(as_object(written.table, files, written.problems)))
    else:
        lines = list(table_lines(written.table, files, written.made))
        print_lines(lines, plain_text(lines))


def exit_code(table: "Table") -> int:
    """0 if every cell has been asked, whatever was answered; 2 if one failed; else as for a question."""
    if table.halt.type is not StopType.COMPLETION:
        return qa.exit_code(table.halt.type)
    return 2 if any(cell.state.value in ("failed", "unjudged", "cut off", "not asked") for cell in table) else 0
