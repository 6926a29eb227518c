"""`ralph table`: asks the same questions about many documents."""

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
from ralph_cli.commands.terminal.estimate import print_table_estimate
from ralph_cli.commands.terminal.screen import print_lines
from ralph_cli.core.errors import UserError
from ralph_cli.core.results.table import CellChange, CellState, Table
from ralph_cli.core.run import Halt, StopType
from ralph_cli.reports.safe_text import one_line, to_json
from ralph_cli.text.lexicon import pluralize

if TYPE_CHECKING:
    from ralph_cli.table.outputs import WrittenTable

# Problems of files that are printed, at most.
MAX_PROBLEMS = 5

Questions = Annotated[
    Path | None,
    typer.Argument(
        metavar="QUESTIONS",
        help="CSV (id, question, type), YAML, or a question on each line; or a table's folder, to rewrite its files.",
    ),
]
Output = Annotated[Path, options.result_option("-o", "--output", help="Folder of the table.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the table in that folder.")]
CostEach = Annotated[float | None, typer.Option(help="US dollars for each cell.")]
TimeEach = Annotated[float | None, typer.Option(help="Seconds for each cell.")]
Retry = Annotated[
    list[str] | None, typer.Option(help="Ask failed, unjudged or refused cells again; may be given again.")
]
OnlyChanged = Annotated[
    bool,
    typer.Option("--only-changed", help="In documents that changed, ask again only where a quote no longer matches."),
]
DryRun = Annotated[
    bool, options.result_option("--estimate", "--dry-run", help="Print what it will likely cost, and send nothing.")
]
Compare = Annotated[
    bool,
    options.result_option("--compare", help="Print what differs between the documents, and what is missing where."),
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Documents that are asked side by side; default one a core.")]
Database = Annotated[str | None, typer.Option(help="Let workers answer, through this postgresql://USER@HOST/NAME.")]
Store = Annotated[str | None, typer.Option(help="Folder or address (s3://, gcs://, az://) that workers share.")]
Evidence = Annotated[
    Literal["none", "pages", "full"],
    options.result_option(
        "--evidence",
        help="Pages with each cell's quotes in context, and highlighted copies of PDFs; full: also pictures of pages.",
    ),
]


@takes(
    *(name for name in (*RUN, *JUDGED) if name not in ("out", "retry")),
    *("panel", "bullets", "quotes", "limits"),
    max_time="Time for the whole table.",
    max_cost="US dollars for the whole table, including earlier runs (default 5).",
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
    """Ask the same questions about each of many documents; every cell of the table has its proof.

    With only the folder of a table, rewrite its files from its records.
    """
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.commands.terminal.table_progress import TableProgress
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
            cells = TableProgress(display)
            write = partial(write_table, folder, settings, source=source, on_progress=cells.on_progress)
            halt: Halt | None = None
            changes: Sequence[CellChange] = ()
            again = _states(retry)
            if dry_run and recorded is None:
                found = api.estimate_table(
                    questions, source, folder=output, resume=resume, again=again, settings=settings
                )
                return print_table_estimate(found, json=json)
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
                        on_cell=cells.on_cell,
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
    """Return the folder of a table whose files are to be rewritten, if only that is given."""
    return questions if questions is not None and questions.is_dir() and not paths and not resume else None


def _hand_over(
    written: "WrittenTable", changes: Sequence[CellChange] = (), *, compare: bool = False, json: bool
) -> None:
    """Print the result of a table, where it is, and what differs in it."""
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
        print_lines([*table_lines(written.table, files, written.made), *comparison_lines(compared)])


def exit_code(table: Table) -> int:
    """Return 0 if every cell was asked, whatever the answers, 2 if one failed, else the code as for a question."""
    if table.halt.type is not StopType.COMPLETION:
        return qa.exit_code(table.halt.type)
    return 2 if any(cell.state.value in ("failed", "unjudged", "cut off", "not asked") for cell in table) else 0


def _states(names: list[str] | None) -> list[CellState]:
    """Return the states of cells that --retry asks again."""
    retried = {state.value: state for state in (CellState.FAILED, CellState.UNJUDGED, CellState.REFUSED)}
    wanted = [name.strip().lower() for given in names or () for name in given.split(",")]
    if unknown := [name for name in wanted if name not in retried]:
        what = f"--retry: it must be {' or '.join(retried)}, not {unknown[0]}"
        raise UserError(what, code="usage", hint="--retry failed --retry unjudged")
    return [retried[name] for name in wanted]


def _describe_change(change: CellChange) -> str:
    """Say whether an answer from an earlier version of the document was kept."""
    if change.holds:
        return f"not asked again: {pluralize(len(change.quotes), 'quote')} found as before"
    return f"asked again: {one_line(change.why)}"
