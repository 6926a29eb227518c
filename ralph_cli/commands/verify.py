"""`ralph verify`: checks a run or a bundle again, offline and without any model."""

from pathlib import Path
from typing import Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.takes import Given, takes
from ralph_cli.commands.terminal.screen import print_lines
from ralph_cli.reports.safe_text import to_json


@takes("out")
def verify(
    given: Given,
    run: Annotated[
        str | None, typer.Argument(help="A run's name, the end of it, its folder, or a bundle; default the newest run.")
    ] = None,
    document: Annotated[
        Path | None,
        typer.Option("--document", "--doc", help="The document, or a new version of it (default the one of the run)."),
    ] = None,
    password: options.Password = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Check a run again on its document, or on a new version of it: no key, no network, no model.

    Exit code 0: every deterministic check passes. 2: a check fails, or a quote or the text around it has changed.
    1: nothing could be checked, because the bundle is damaged or was changed, or the document or the run is missing.
    """
    from ralph_cli import config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.reports.verified import as_object, verification_lines
    from ralph_cli.runs.verifying.verify import verify as check_again

    settings = config.load_settings(given)
    with progress(settings, quiet=quiet) as display:
        found = check_again(
            run,
            document=document,
            settings=settings,
            password=password,
            encoding=encoding,
            on_loading=display.on_loading,
        )
    if json:
        typer.echo(to_json(as_object(found)))
    else:
        print_lines(verification_lines(found))
    return 0 if found.holds else 2
