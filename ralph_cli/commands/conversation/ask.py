"""`ralph ask`: asks a further question about the document of a run."""

from typing import Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.commands.qa import exit_code
from ralph_cli.commands.report import Annotate, DocumentFile, ReportFile, prepare, write_requested_reports
from ralph_cli.commands.terminal.screen import print_run
from ralph_cli.core.errors import UserError


@takes(*RUN, *JUDGED, "panel", "bullets", "quotes", "answer_as", "limits", "refresh")
def ask(
    given: Given,
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The run: its name, the end of it, its folder, or `last`.")
    ] = None,
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help='What else you want to know: "and in 2021?"')
    ] = None,
    document: DocumentFile = None,
    password: options.Password = None,
    report: ReportFile = None,
    annotate: Annotate = None,
    json: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Ask a further question about the document of a run; it is understood from what was asked before.

    Models and settings are those of the run, except what you set now. Bounds are those of this command.
    """
    from ralph_cli import config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.documents.source import DocumentSource
    from ralph_cli.runs.execute import Setup
    from ralph_cli.runs.questions import answer_question
    from ralph_cli.runs.report import ReportTargets
    from ralph_cli.runs.resuming.following import find_question, open_followed

    if run is None or question is None:
        missing = "run" if run is None else "question"
        raise UserError(f"the {missing} is missing", code="usage", hint='ralph ask last "and in 2021?"')
    settings = config.load_settings(given)
    folder = find_question(settings.out, run)
    targets = ReportTargets(html=report, pdf=annotate)
    with replacing((report, annotate), settings.cache_folder, force=force):
        with progress(settings, quiet=quiet) as display:
            named = DocumentSource(document or "", password, on_loading=display.on_loading)
            source, setup = open_followed(folder, Setup.of(settings, sink=display), named)
            prepare(targets, source, settings)
            finished = answer_question(source, question, setup)
        print_run(finished.view, json=json)
        return write_requested_reports(finished, source, targets, exit_code(finished.view.halt.type), quiet=quiet)
