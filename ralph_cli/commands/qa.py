"""`ralph qa`: answers a question about documents."""

from functools import partial
from typing import Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.commands.report import Annotate, ReportFile, prepare, write_requested_reports
from ralph_cli.commands.terminal.estimate import Estimate, print_estimate
from ralph_cli.commands.terminal.screen import print_run
from ralph_cli.core.run import StopType


@takes(*RUN, *JUDGED, "panel", "bullets", "quotes", "answer_as", "limits", "refresh")
def qa(
    given: Given,
    documents: options.Documents = None,
    question: Annotated[str | None, typer.Argument(metavar="QUESTION", help="What you want to know.")] = None,
    doc: options.Doc = None,
    strict_load: options.StrictLoad = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    report: ReportFile = None,
    annotate: Annotate = None,
    estimate: Estimate = False,
    json: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Answer a question about documents; every claim is backed by verbatim quotes with page and position."""
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.runs.report import ReportTargets

    paths = options.name_documents("qa", documents, doc, question)
    source_of = partial(options.source_of, *paths, password=password, encoding=encoding, strict=strict_load)
    settings = config.load_settings(given)
    if estimate:
        named = source_of()
        return print_estimate(settings, "qa", named, json=json)
    targets = ReportTargets(html=report, pdf=annotate)
    targets.check(*paths)
    with replacing((report, annotate), settings.cache_folder, force=force):
        with progress(settings, quiet=quiet) as display:
            named = source_of(display=display)
            source = prepare(targets, named, settings)
            finished = api.ask(source or named, question or "", settings=settings, sink=display)
        print_run(finished.view, json=json)
        return write_requested_reports(finished, source, targets, exit_code(finished.stop.type), quiet=quiet)


def exit_code(stop: StopType) -> int:
    """Return the exit code for how a run stopped: 2, ran but not accepted, for everything that is not listed."""
    match stop:
        case StopType.COMPLETION | StopType.PASSAGES:
            return 0
        case StopType.SYSTEM_ERROR:
            return 1
        case StopType.ABSENT:
            return 3
        case StopType.TIMEOUT | StopType.MAX_COST | StopType.MAX_CALLS | StopType.MAX_TOKENS:
            return 4
        case StopType.USER_INTERRUPTED:
            return 130
        case _:
            return 2
