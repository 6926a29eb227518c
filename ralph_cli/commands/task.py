"""`ralph task`: does a task on documents; the output is text or data."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.commands.qa import exit_code
from ralph_cli.commands.report import Annotate, ReportFile, prepare, write_requested_reports
from ralph_cli.commands.terminal.estimate import Estimate, print_estimate
from ralph_cli.commands.terminal.screen import print_run
from ralph_cli.core.errors import UserError

NoMemory = Annotated[bool, typer.Option("--no-memory", help="Neither read nor write notes about the document.")]
OutputFile = Annotated[
    Path | None, options.result_option("--output", help="Write the output to this file once it is accepted.")
]
NoDocument = Annotated[bool, typer.Option("--no-document", help="Work only from notes; give --memory FILE.")]


@takes(*RUN, *JUDGED, "format", "output_schema", "memory", "memory_budget", "refresh")
def task(
    given: Given,
    documents: options.Documents = None,
    task: Annotated[str | None, typer.Argument(metavar="TASK", help="What is to be done.")] = None,
    doc: options.Doc = None,
    strict_load: options.StrictLoad = False,
    no_memory: NoMemory = False,
    no_document: NoDocument = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    output: OutputFile = None,
    report: ReportFile = None,
    annotate: Annotate = None,
    estimate: Estimate = False,
    json: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Do a task on documents, such as "summarize"; what it states in figures and quotations is in the document."""
    from ralph_cli import api, config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.runs.report import ReportTargets, check_target

    paths = _name_documents(documents, doc, task, no_document=no_document)
    source_of = partial(options.source_of, *paths, password=password, encoding=encoding, strict=strict_load)
    if no_memory:
        if "memory" in given:
            raise UserError("--memory and --no-memory exclude each other", code="usage", hint="leave one of them out")
        given["memory"] = "off"
    settings = config.load_settings(given)
    if estimate:
        return print_estimate(settings, "task", source_of() if paths else None, json=json)
    targets = ReportTargets(html=report, pdf=annotate)
    targets.check(*paths)
    if output is not None:
        check_target(output, tuple(paths))
    with replacing((output, report, annotate), settings.cache_folder, force=force):
        with progress(settings, quiet=quiet) as display:
            named = source_of(display=display) if paths else None
            source = prepare(targets, named, settings)
            finished = api.run_task(source, task or "", settings=settings, sink=display)
        print_run(finished.view, output, json=json)
        return write_requested_reports(finished, source, targets, exit_code(finished.stop.type), quiet=quiet)


def _name_documents(
    documents: list[str] | None, doc: list[str] | None, task: str | None, *, no_document: bool
) -> list[str]:
    """Return the documents that are named beside the task; with --no-document none may be."""
    if not no_document:
        return options.name_documents("task", documents, doc, task)
    if documents or doc or task is None:
        what = "--no-document takes only a task, no document"
        raise UserError(what, code="usage", hint='ralph task --no-document "List the deadlines" --memory FILE')
    return []
