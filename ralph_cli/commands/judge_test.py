"""`ralph judge-test`: how many deliberately false claims the judge catches."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands import qa
from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import BOUNDS, Given, takes
from ralph_cli.core.run import StopType

if TYPE_CHECKING:
    from ralph_cli.core.results.judge_test import JudgeTest
    from ralph_cli.runs.history import RecordedRun

Source = Annotated[
    str | None, typer.Option("--document", "--doc", help="Take the claims from this document; default ralph's own.")
]
Claims = Annotated[int | None, typer.Option(help="True claims to begin with (default 20).")]
Seed = Annotated[int, typer.Option(help="Decides which claims are used, and what is changed in them.")]


@takes("judge_model", "panel", *BOUNDS, "max_failures", "out", "ocr", "ocr_language")
def judge_test(
    given: Given,
    document: Source = None,
    claims: Claims = None,
    seed: Seed = 0,
    password: options.Password = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Test the judge on true claims and on copies falsified by code; print how many it catches."""
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress

    settings = config.load_settings(given)
    with progress(settings, quiet=quiet) as display:
        source = None
        if document is not None:
            source = options.source_of(document, password=password, encoding=encoding, display=display)
        test = api.judge_test(source, claims=claims, seed=seed, settings=settings, sink=display)
    _print(test, json=json)
    return exit_code(test)


def exit_code(test: "JudgeTest") -> int:
    """Return 0 if the test was completed, 2 if no model gave a verdict, else the code as for a question."""
    return 0 if test.halt.type is StopType.TESTED and test.usable else qa.exit_code(test.halt.type)


def print_test(run: "RecordedRun", *, json: bool) -> None:
    """Print the result of a recorded test."""
    from ralph_cli.judge_testing.mode import summarize_judge_test

    _print(summarize_judge_test(run.events, Path(run.view.folder)), json=json)


def _print(test: "JudgeTest", *, json: bool) -> None:
    from ralph_cli.judge_testing.report import render_json, render_text

    typer.echo(render_json(test) if json else render_text(test), nl=json)
