"""`ralph goal`: work on a document until the user's own verifiers pass."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import RUN, Given, takes
from ralph_cli.commands.qa import exit_code
from ralph_cli.commands.task import OutputFile
from ralph_cli.commands.terminal.estimate import Estimate, print_estimate
from ralph_cli.commands.terminal.screen import print_exactly, write_if_accepted
from ralph_cli.reports.safe_text import make_visible, to_json

if TYPE_CHECKING:
    from ralph_cli.runs.history import RecordedRun
    from ralph_cli.runs.result import Result

VerifyCommands = Annotated[
    list[str] | None,
    typer.Option(
        help='A command that must succeed on the output, e.g. "python check.py {output}"; "NAME: COMMAND" names it. '
        "May be given several times: all must pass."
    ),
]
Shell = Annotated[bool, typer.Option("--shell", help="Run the verifiers with /bin/sh; by default without a shell.")]
Instructions = Annotated[str, typer.Option(help="What the worker should know about the verifiers.", show_default=False)]
Require = Annotated[bool, typer.Option(help="Without it, a goal needs no --verify: its result is accepted unverified.")]
Continue = Annotated[bool, typer.Option("--continue", help="Resume the newest interrupted run of this goal.")]


@takes(
    *RUN,
    "verify_timeout",
    "summary_chars",
    score_threshold="Stop, not accepted, once this share of verifiers passed (default off).",
    retry="After a refusal: begin a `fresh` conversation (default), `continue` it, or `auto`.",
    max_iterations="Iterations of the outer loop (default 20 here).",
)
def goal(
    given: Given,
    documents: options.Documents = None,
    objective: Annotated[str | None, typer.Argument(metavar="OBJECTIVE", help="What to produce.")] = None,
    doc: options.Doc = None,
    strict_load: options.StrictLoad = False,
    verify: VerifyCommands = None,
    shell: Shell = False,
    instructions: Instructions = "",
    require_verifier: Require = True,
    resume: Continue = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    output: OutputFile = None,
    estimate: Estimate = False,
    json: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Produce a text from documents until your verifiers pass on it: commands of yours, run on the output."""
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.runs.report import check_target

    paths = options.name_documents("goal", documents, doc, objective)
    source_of = partial(options.source_of, *paths, password=password, encoding=encoding, strict=strict_load)
    settings = config.load_settings(given)
    if estimate:
        return print_estimate(settings, "goal", source_of(), json=json)
    if output is not None:
        check_target(output, tuple(paths))
    with replacing((output,), settings.cache_folder, force=force):
        with progress(settings, quiet=quiet) as display:
            finished = api.run_goal(
                source_of(display=display),
                objective or "",
                verify=api.VerifierCommands(verify or (), shell=shell, suffix=_suffix(output)),
                instructions=instructions,
                require_verifier=require_verifier,
                resume=resume,
                settings=settings,
                sink=display,
            )
        return _print_result(finished, output, json=json)


def _print_result(finished: "Result", output: Path | None, *, json: bool) -> int:
    """Print the output and how the goal ended; return the exit code."""
    from ralph_cli import api
    from ralph_cli.reports import goal as report

    shown, state = finished.view, api.goal_of(finished.folder)
    text = state.final_output(finished.outcome.best)
    lines = report.goal_lines(shown, state)
    if output is not None:
        lines.append(write_if_accepted(output, text, accepted=finished.outcome.ok))
    if json:
        typer.echo(to_json(report.as_object(shown, state, text)))
        return exit_code(shown.halt.type)
    if output is None and text:
        print_exactly(report.output_with_notice(shown, state, text))
    elif not finished.outcome.ok:
        lines = [*report.output_with_notice(shown, state, "").splitlines(), *lines]
    for line in lines:
        typer.echo(make_visible(line), err=True)
    return exit_code(shown.halt.type)


def print_goal(run: "RecordedRun") -> None:
    """Print the output of a recorded goal, and how it ended."""
    from ralph_cli.loop.state import fold
    from ralph_cli.reports import goal as report
    from ralph_cli.runs.history import goal_state

    state = goal_state(run.events)
    assert state is not None
    text = state.final_output(fold(run.events).best)
    lines = report.output_with_notice(run.view, state, text).splitlines() or ["No output."]
    for line in (*lines, "", *report.goal_lines(run.view, state)):
        typer.echo(make_visible(line))


def _suffix(output: Path | None) -> str:
    """Return the suffix of the file that the verifiers get: that of --output, or .txt."""
    from ralph_cli.runs.goals import is_file_ending

    wanted = output.suffix if output is not None else ""
    return wanted if is_file_ending(wanted) else ".txt"
