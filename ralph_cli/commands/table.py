"""`ralph table`: the same questions to many documents."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ralph_cli.commands import qa
from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.commands.terminal.screen import print_lines
from ralph_cli.core.errors import UserError
from ralph_cli.reports.safe_text import one_line, pick, plain_text, to_json
from ralph_cli.text.lexicon import pluralize

if TYPE_CHECKING:
    from ralph_cli.core.results.table import CellChange, CellState, Table
    from ralph_cli.table.estimate import TableEstimate
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
Compare = Annotated[
    bool,
    options.result_option(
        "--compare", help="Say what differs between the documents, what stands out, and who does not say it."
    ),
]
Jobs = Annotated[
    int | None, options.number("--jobs", help="Documents that are asked side by side; default one a core.", least=1)
]
Database = Annotated[
    str | None, typer.Option("--database", help="Let workers answer, by this postgresql://USER@HOST/NAME.")
]
Store = Annotated[
    str | None, typer.Option("--store", help="Folder or address (s3://, gcs://, az://) that workers share.")
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
    *(name for name in (*RUN, *JUDGED) if name not in ("out", "retry")),
    *("panel", "bullets", "quotes", "limits"),
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
    evidence: Evidence = "pages",
    compare: Compare = False,
    strict_load: options.StrictLoad = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    database: Database = None,
    store: Store = None,
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
    from ralph_cli.core.run import Halt, StopType
    from ralph_cli.table.outputs import output_paths, write_table

    settings = config.load_settings(given)
    paths = [*(documents or []), *(doc or [])]
    recorded = _recorded_table(questions, paths, resume=resume)
    if questions is None or not (paths or recorded):
        missing = "documents are" if questions else "questions are"
        raise UserError(f"the {missing} missing", code="usage", hint="ralph table QUESTIONS DOCUMENT... -o FOLDER")
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
            halt: Halt | None = None
            changes: Sequence[CellChange] = ()
            again = _states(retry)
            if dry_run and recorded is None:
                found = api.estimate_table(
                    questions, source, folder=output, resume=resume, again=again, settings=settings
                )
                return _print_estimate(found, json=json)
            if recorded is None:
                try:
                    filled = api.make_table(
                        questions,
                        source,
                        folder=output,
                        resume=resume,
                        again=again,
                        only_changed=only_changed,
                        cost_each=cost_each,
                        time_each=time_each,
                        jobs=jobs,
                        settings=settings,
                        database=database,
                        store=store,
                        on_cell=told.on_cell,
                        on_wait=display.write,
                    )
                    halt, changes = filled.halt, filled.changes
                except KeyboardInterrupt:
                    _hand_over(write(level="none", halt=Halt(StopType.USER_INTERRUPTED, "interrupted")), json=json)
                    raise
            written = write(level=evidence, halt=halt)
        _hand_over(written, changes, compare=compare, json=json)
    return exit_code(written.table)


def _recorded_table(questions: Path | None, paths: list[str], *, resume: bool) -> Path | None:
    """The folder of a table that is to be written anew: it stands in the place of the questions, alone."""
    if questions is None or paths or resume or not questions.is_dir():
        return None
    return questions


def _hand_over(
    written: "WrittenTable", changes: "Sequence[CellChange]" = (), *, compare: bool = False, json: bool
) -> None:
    """Say how the table came out and where it is, and what differs in it."""
    from ralph_cli.reports.table.comparison import comparison_lines, comparison_objects
    from ralph_cli.reports.table.json import as_object
    from ralph_cli.reports.table.terminal import table_lines
    from ralph_cli.table.comparing import compare_table

    compared = compare_table(written.table) if compare else ()
    files = {name: str(path) for name, path in written.files.items()}
    for problem in written.problems[:MAX_PROBLEMS]:
        typer.echo(f"note: {one_line(problem)}", err=True)
    if (more := len(written.problems) - MAX_PROBLEMS) > 0:
        typer.echo(f"note: and {more:,} more of the kind", err=True)
    if json:
        shown = as_object(written.table, files, written.problems)
        shown["changes"] = [asdict(change) for change in changes]
        typer.echo(to_json(shown | ({"comparison": comparison_objects(compared)} if compare else {})))
    else:
        for change in changes:
            typer.echo(f"{one_line(change.row)}, {change.question}: {_describe_change(change)}")
        lines = [*table_lines(written.table, files, written.made), *comparison_lines(compared)]
        print_lines(lines, plain_text(lines))


def exit_code(table: "Table") -> int:
    """0 if every cell has been asked, whatever was answered; 2 if one failed; else as for a question."""
    from ralph_cli.core.run import StopType

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
        usd = pick(found, "low", "likely", "high", "bound")
        by_model = {model: {"likely": likely, "high": high} for model, (likely, high) in found.by_model.items()}
        shown = {**pick(found, "cells", "documents"), "usd": usd, "by_model": by_model, "how": found.how}
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


def _describe_change(change: "CellChange") -> str:
    """What became of an answer from an earlier version of the document."""
    if change.holds:
        return f"still stands ({pluralize(len(change.quotes), 'quote')} looked up), not asked again"
    return f"asked again: {one_line(change.why)}"
