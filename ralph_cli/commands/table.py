"""`ralph table`: the same questions to many documents."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands import qa
from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.core.errors import UserError
from ralph_cli.core.run import StopType
from ralph_cli.reports.safe_text import one_line, to_json
from ralph_cli.text.plural import pluralize

if TYPE_CHECKING:
    from ralph_cli.commands.terminal.progress import SilentProgress
    from ralph_cli.core.results.table import Cell, CellState, Table
    from ralph_cli.table.estimate import TableEstimate

Questions = Annotated[
    Path | None,
    typer.Argument(metavar="QUESTIONS", help="CSV (id, question, type), YAML, or a question on each line."),
]
Output = Annotated[Path, options.result_option("-o", "--output", help="Folder of the table.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the table in that folder.")]
CostEach = Annotated[float | None, typer.Option("--cost-each", help="US dollars for each cell.")]
TimeEach = Annotated[float | None, typer.Option("--time-each", help="Seconds for each cell.")]
Retry = Annotated[
    list[str] | None,
    typer.Option("--retry", help="Ask cells again that are failed, unjudged or refused; may be given again."),
]
OnlyChanged = Annotated[
    bool,
    typer.Option(
        "--only-changed",
        help="Of a document that has changed, look up what was quoted, and ask again only what no longer holds.",
    ),
]
DryRun = Annotated[
    bool,
    options.result_option(
        "--estimate", "--dry-run", help="Say what would be asked and what it will likely cost, and send nothing."
    ),
]
Jobs = Annotated[
    int | None, options.number("--jobs", help="Documents that are asked side by side; default one a core.", least=1)
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
    retry: Retry = None,
    only_changed: OnlyChanged = False,
    dry_run: DryRun = False,
    strict_load: options.StrictLoad = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
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
        asked, again = questions or Path(), _states(retry)
        if dry_run:
            found = api.estimate_table(asked, source, folder=output, resume=resume, again=again, settings=settings)
            return _print_estimate(found, json=json)
        filled = api.make_table(
            asked,
            source,
            folder=output,
            resume=resume,
            again=again,
            settings=settings,
            only_changed=only_changed,
            cost_each=cost_each,
            time_each=time_each,
            jobs=jobs,
            on_cell=_Lines(display),
        )
    for cell in filled:
        typer.echo(f"{one_line(cell.row)} / {cell.question}: {one_line(cell.shown, 200)}")
    return exit_code(filled)


def exit_code(table: "Table") -> int:
    """0 if every cell has been asked, whatever was answered; 2 if one failed; else as for a question."""
    if table.halt.type is not StopType.COMPLETION:
        return qa.exit_code(table.halt.type)
    return 2 if any(cell.state.value in ("failed", "unjudged", "cut off", "not asked") for cell in table) else 0


def _states(names: list[str] | None) -> "list[CellState]":
    """The states of cells that are asked again."""
    from ralph_cli.core.results.table import CellState

    retried = {state.value: state for state in (CellState.FAILED, CellState.UNJUDGED, CellState.REFUSED)}
    wanted = [name.strip().lower() for given in names or () for name in given.split(",")]
    if unknown := [name for name in wanted if name not in retried]:
        what = f"--retry: it must be {' or '.join(retried)}, not {unknown[0]}"
        raise UserError(what, code="usage", hint="--retry failed --retry unjudged")
    return [retried[name] for name in wanted]


def _print_estimate(found: "TableEstimate", *, json: bool) -> int:
    """Print what would be asked, and low, likely and high cost by model."""
    if json:
        usd = {"low": found.low, "likely": found.likely, "high": found.high, "bound": found.bound}
        by_model = {model: {"likely": likely, "high": high} for model, (likely, high) in found.by_model.items()}
        shown = {"cells": found.cells, "documents": found.documents, "usd": usd, "by_model": by_model, "how": found.how}
        typer.echo(to_json({"estimate": shown}))
        return 0
    typer.echo(f"{pluralize(found.cells, 'cell')} of {pluralize(found.documents, 'document')} would be asked.")
    if found.likely is None or found.high is None or found.low is None:
        typer.echo("The cost is not known: a model has no price (--prices gives one).")
    elif not found.high:
        typer.echo("It costs nothing: no model of a vendor is asked.")
    else:
        bound = f"; the bound is ${found.bound:g}" if found.bound is not None else "; there is no bound in dollars"
        typer.echo(f"Likely ${found.likely:.2f} (low ${found.low:.2f}, high ${found.high:.2f}){bound}.")
        for model, (likely, high) in found.by_model.items():
            typer.echo(f"  {model}: likely ${likely:.2f}, high ${high:.2f}")
    for line in found.how:
        typer.echo(f"How it is known: {line}.")
    typer.echo("Nothing was sent.")
    return 0


class _Lines:
    """Tells of each cell when it is done."""

    def __init__(self, display: "SilentProgress") -> None:
        self._display = display

    def __call__(self, done: int, total: int, cell: "Cell") -> None:
        where = f"{one_line(cell.row, 60)} / {cell.question}"
        self._display.write(f"{done} of {total}: {where}: {cell.state}: {one_line(cell.shown, 100)}")
