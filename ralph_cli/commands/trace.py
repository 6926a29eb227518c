"""`ralph trace`: lists runs, and shows, replays, resumes, exports or deletes one."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.goal import print_goal
from ralph_cli.commands.judge_test import print_test
from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import BOUNDS, HELP_FLAGS, CommandGroups, Given, Late, takes
from ralph_cli.commands.qa import exit_code
from ralph_cli.commands.report import DocumentFile, report
from ralph_cli.commands.terminal.screen import print_report, print_run
from ralph_cli.core.errors import JournalError, UserError
from ralph_cli.reports.safe_text import one_line, to_json
from ralph_cli.text.lexicon import pluralize

if TYPE_CHECKING:
    from ralph_cli.runs.history import RecordedRun

app = typer.Typer(
    cls=CommandGroups, help="Read the records of runs.", rich_markup_mode=None, context_settings=HELP_FLAGS
)

app.command("report", cls=Late)(report)


@app.callback(invoke_without_command=True)
def _trace(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command("list", cls=Late)
@takes("out")
def list_runs(
    given: Given,
    number: Annotated[int, typer.Option("-n", "--number", min=1, help="How many at most.")] = 20,
    json: options.Json = False,
) -> int:
    """List the runs in the folder, newest first: name, age, how it ended, cost, document, question."""
    from ralph_cli import config
    from ralph_cli.commands.terminal import run_list

    settings = config.load_settings(given)
    if "out" in settings.model_fields_set and not settings.out.is_dir():
        hint = "name the folder of runs with --out or RALPH_OUT"
        raise UserError(f"there is no folder {settings.out}", code="no-folder", hint=hint)
    text, notes = run_list.list_runs(settings.out, number, as_json=json)
    typer.echo(text, nl=False)
    typer.echo(notes, nl=False, err=True)
    return 0


@app.command("show", cls=Late)
@takes("out")
def show(
    given: Given,
    run: options.Run = None,
    steps: Annotated[bool, typer.Option("--steps/--no-steps", help="Every step with its code and output.")] = True,
    json: options.Json = False,
) -> int:
    """Show a run: every step, then the report."""
    from ralph_cli import config
    from ralph_cli.reports.story import story
    from ralph_cli.runs import history

    settings = config.load_settings(given)
    found = history.read_run(history.find_run(settings.out, run))
    if steps and not json:
        typer.echo(story(found.events))
    _print_recorded(found, json=json)
    return 0


def _print_recorded(found: "RecordedRun", *, json: bool) -> None:
    """Print the result of a recorded run again."""
    from ralph_cli.runs import history

    kinds = {event.kind for event in found.events}
    if "cases_made" in kinds and "goal_set" not in kinds:
        print_test(found, json=json)
    elif json:
        typer.echo(to_json(history.as_object(found)))
    elif "goal_set" in kinds:
        print_goal(found)
    else:
        print_report(found.view)


@app.command("replay", cls=Late)
@takes("out")
def replay(
    given: Given,
    run: options.Run = None,
    document: DocumentFile = None,
    password: options.Password = None,
    json: options.Json = False,
) -> int:
    """Repeat a run from its record, without any model, and print it. It is an error if anything differs."""
    from ralph_cli import config
    from ralph_cli.runs.resuming.replay import replay as make_again

    replayed = make_again(run, settings=config.load_settings(given), document=document, password=password)
    if replayed.difference:
        recorded = replayed.run.started.settings.get("version", "another version")
        what = f"the replay of {replayed.run.view.run} differs from its record: {replayed.difference}"
        raise JournalError(what, code="replay-differs", hint=f"it was made with ralph {recorded}")
    _print_recorded(replayed.run, json=json)
    typer.echo(f"replayed: all {replayed.events} events are as recorded; nothing was sent", err=True)
    return 0


@app.command("resume", cls=Late)
@takes(*("max_iterations", *BOUNDS, "out"), memory="Memory file of a task (default <out>/memory/<document id>.md).")
def resume(
    given: Given,
    run: options.Run = None,
    document: DocumentFile = None,
    accept_settings: Annotated[
        bool,
        typer.Option(
            "--accept-settings",
            help="Also use the run's sandbox, memory file and scripts. Only for runs that you trust.",
        ),
    ] = False,
    password: options.Password = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Resume a run that was interrupted; completed calls are not repeated."""
    from ralph_cli import config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.runs.history import read_run
    from ralph_cli.runs.resuming.resume import resume as go_on

    changes = dict(given)
    settings = config.load_settings({"out": changes.pop("out", None)})
    with progress(settings, quiet=quiet) as display:
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
    if finished.mode == "goal":
        _print_recorded(read_run(finished.folder), json=json)
    else:
        print_run(shown, json=json)
    return exit_code(shown.halt.type)


@app.command("export", cls=Late)
@takes("out")
def export(
    given: Given,
    run: options.Run = None,
    output: Annotated[
        Path | None, options.result_option("--output", "-o", help="The new file (default the run's name.zip).")
    ] = None,
    with_document: Annotated[
        bool, typer.Option("--with-document", help="Include the document itself (otherwise only its hash).")
    ] = False,
    json: options.Json = False,
) -> int:
    """Export a run as one file that `ralph verify` checks anywhere: its events and the document's hash, never a key.

    Prints the seal of the file. If you keep it separately, it later proves that the record is unchanged.
    """
    from ralph_cli import config
    from ralph_cli.runs.export import export as write

    bundle = write(run, output, settings=config.load_settings(given), with_document=with_document)
    if json:
        record = {"path": str(bundle.path), "events": bundle.events, "bytes": bundle.bytes, "seal": bundle.seal}
        typer.echo(to_json(record | {"with_document": with_document, "notices": list(bundle.notices)}))
        return 0
    inside = "with the document" if with_document else "without the document"
    typer.echo(f"{one_line(str(bundle.path))}: {bundle.events} events, {bundle.bytes:,} bytes, {inside}")
    typer.echo(f"seal {bundle.seal}")
    for notice in bundle.notices:
        typer.echo(f"note: {one_line(notice)}", err=True)
    return 0


@app.command("delete", cls=Late)
@takes("out")
def delete(
    given: Given,
    run: Annotated[str | None, typer.Argument(help="A run's name, or part of it.")] = None,
    older_than: Annotated[
        str | None, typer.Option(help="Delete every run that began longer ago, such as 90d, 12w or 36h.")
    ] = None,
) -> int:
    """Delete a run, or old ones: the folder with its journal, traces and output, and its copies in runs that continue
    it. This cannot be undone."""
    from ralph_cli import config
    from ralph_cli.runs.folders import delete_older_runs, delete_run

    if (run is None) == (older_than is None):
        hint = "`ralph trace list` shows the runs"
        raise UserError("name one run, or an age with --older-than", code="usage", hint=hint)
    out = config.load_settings(given).out
    deleted = []
    for found in [delete_run(out, run)] if run else delete_older_runs(out, _parse_age(older_than or "")):
        typer.echo(one_line(found.name))
        deleted.append(found)
    typer.echo(f"{pluralize(len(deleted), 'run')} deleted")
    for name in sorted({name for found in deleted for name in found.copied_to} - {found.name for found in deleted}):
        copy = f"its copy in {one_line(name)}, which continues it, is deleted, too"
        typer.echo(f"note: {copy}; what that run took over stays until you delete that run", err=True)
    return 0


def _parse_age(text: str) -> timedelta:
    """Return the age that a number with a unit says: hours, days or weeks."""
    number, unit = text.strip()[:-1], {"h": "hours", "d": "days", "w": "weeks"}.get(text.strip()[-1:])
    if unit is None or not number.isdecimal() or len(number) > 6:
        raise UserError(f"--older-than {text!r} is no age", code="usage", hint="write 90d, 12w or 36h")
    return timedelta(**{unit: int(number)})
