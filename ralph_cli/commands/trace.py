"""`ralph trace`: the runs that were made, and one of them."""

from pathlib import Path
from typing import Annotated

import typer

from ralph_cli.commands import options
from ralph_cli.commands.goal import print_goal
from ralph_cli.commands.judge_test import print_test
from ralph_cli.commands.report import report
from ralph_cli.commands.takes import Given, Late, takes
from ralph_cli.commands.terminal.screen import print_report, print_run

app = typer.Typer(help="Read the records of runs.", rich_markup_mode=None)

app.command("report", cls=Late)(report)


@app.callback(invoke_without_command=True)
def _trace(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list", cls=Late)
@takes("out")
def list_runs(given: Given) -> int:
    """The runs in the folder, oldest first: name, how it ended, calls, document, question."""
    from ralph_cli import config
    from ralph_cli.core.errors import JournalError
    from ralph_cli.reports.safe_text import one_line
    from ralph_cli.runs import history

    settings = config.load_settings(given)
    names = history.run_names(settings.out)
    if not names:
        typer.echo(f"there are no runs in {one_line(str(settings.out))}", err=True)
    for name in names:
        try:
            view = history.read_run(settings.out / name).view
        except JournalError as error:
            typer.echo(f"{name}  {one_line(error.message)}")
            continue
        document = one_line(str(view.document.get("path", "")), 40)
        typer.echo(
            f"{name}  {view.halt.type.value}  {view.usage.calls} calls  {document}  {one_line(view.question, 80)}"
        )
    return 0


@app.command("show", cls=Late)
@takes("out")
def show(
    given: Given,
    run: options.Run = None,
    steps: Annotated[bool, typer.Option("--steps/--no-steps", help="Every step with its code and output.")] = True,
    json: options.Json = False,
) -> int:
    """One run: every step, then the report."""
    from ralph_cli import config
    from ralph_cli.reports.safe_text import to_json
    from ralph_cli.reports.story import story
    from ralph_cli.runs import history

    settings = config.load_settings(given)
    found = history.read_run(history.find_run(settings.out, run))
    kinds = {event.kind for event in found.events}
    if steps and not json:
        typer.echo(story(found.events))
    if "cases_made" in kinds and "goal_set" not in kinds:
        print_test(found, json=json)
    elif json:
        typer.echo(to_json(history.as_object(found)))
    elif "goal_set" in kinds:
        print_goal(found)
    else:
        print_report(found.view)
    return 0


@app.command("resume", cls=Late)
@takes(
    "max_iterations",
    "max_time",
    "max_cost",
    "out",
    memory="Memory file of a task (default <out>/memory/<document id>.md).",
)
def resume(
    given: Given,
    run: options.Run = None,
    document: Annotated[
        str | None, typer.Option("--document", help="Where the document is now (default: where it was).")
    ] = None,
    accept_settings: Annotated[
        bool,
        typer.Option(
            "--accept-settings",
            help="Also use the run's sandbox, memory file and scripts: only for runs you trust. Never its addresses.",
        ),
    ] = False,
    password: options.Password = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Resume a question or task run that was interrupted; completed calls are not repeated."""
    from ralph_cli import config
    from ralph_cli.commands.qa import exit_code
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.runs.resume import resume as go_on

    changes = dict(given)
    settings = config.load_settings({"out": changes.pop("out", None)})
    with progress(settings.heartbeat, quiet=quiet) as display:
        finished = go_on(
            run,
            settings=settings,
            changes=changes,
            document=document,
            accept_settings=accept_settings,
            sink=display,
            password=password,
        )
    shown = finished.view
    print_run(shown, json=json)
    return exit_code(shown.halt.type)


@app.command("export", cls=Late)
@takes("out")
def export(
    given: Given,
    output: Annotated[Path, typer.Option("--output", "-o", help="The new file to write, e.g. run.zip.")],
    run: options.Run = None,
    with_document: Annotated[
        bool, typer.Option("--with-document", help="Include the document itself (otherwise only its hash).")
    ] = False,
) -> int:
    """One run as one file that `ralph verify` checks anywhere: its events, the document's hash, never a key.

    Prints the seal of the file: kept separately, it later proves that this is the same record.
    """
    from ralph_cli import config
    from ralph_cli.reports.safe_text import one_line
    from ralph_cli.runs.export import export as write

    bundle = write(run, output, settings=config.load_settings(given), with_document=with_document)
    inside = "with the document" if with_document else "without the document"
    typer.echo(f"{one_line(str(bundle.path))}: {bundle.events} events, {bundle.bytes:,} bytes, {inside}")
    typer.echo(f"seal {bundle.seal}")
    for notice in bundle.notices:
        typer.echo(f"note: {one_line(notice)}", err=True)
    return 0
