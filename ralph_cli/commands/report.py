"""`ralph trace report`, and the reports that `qa` and `task` write after their run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import Given, takes
from ralph_cli.commands.terminal.interrupts import interrupts
from ralph_cli.commands.terminal.screen import print_error
from ralph_cli.core.errors import RalphError, UserError
from ralph_cli.reports.safe_text import one_line

if TYPE_CHECKING:
    from ralph_cli.config import Settings
    from ralph_cli.documents.source import DocumentSource
    from ralph_cli.runs.report import ReportTargets
    from ralph_cli.runs.result import Result

Html = Annotated[
    Path | None, options.result_option("--html", help="One HTML file: no script, no request; prints well.")
]
Pdf = Annotated[
    Path | None, options.result_option("--pdf", help="A copy of the PDF with the quotes highlighted, a note on each.")
]
Markdown = Annotated[Path | None, options.result_option("--md", help="The same as Markdown.")]
Csv = Annotated[Path | None, options.result_option("--csv", help="One row for each claim and quote.")]
DocumentFile = Annotated[
    str | None,
    typer.Option("--document", "--doc", help="Where the document is now (default: where it was; checked by its hash)."),
]
ReportFile = Annotated[
    Path | None, options.result_option("--report", help="Write an evidence report (HTML) after the run.")
]
Annotate = Annotated[
    Path | None,
    options.result_option(
        "--annotate",
        help="Write a copy of the PDF with the quotes highlighted after the run; of a set, copies to this folder.",
    ),
]


@takes("out")
def report(
    given: Given,
    run: options.Run = None,
    html: Html = None,
    pdf: Pdf = None,
    md: Markdown = None,
    csv: Csv = None,
    document: DocumentFile = None,
    force: options.Force = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
) -> int:
    """Write what a run found as a report that can be checked, printed and filed."""
    from ralph_cli import config
    from ralph_cli.runs import history, report

    targets = report.ReportTargets(html, pdf, md, csv)
    if not targets.paths_by_format():
        hint = "ralph trace report --html report.html"
        raise UserError("say what to write: --html, --pdf, --md or --csv", code="no-target", hint=hint)
    settings = config.load_settings(given)
    found = history.read_run(history.find_run(settings.out, run))
    targets.check(*report.recorded_files(found), document or "-")
    source = report.load_run_document(
        found, settings, options.source_of(document or "", password=password, encoding=encoding)
    )
    with replacing((html, pdf, md, csv), settings.cache_folder, force=force):
        report.write_reports(found, source, targets, _print_written)
    if source.missing:
        print_error(f"without the document's pages and passages: {source.missing}", "--document says where it is")
    return 0


def prepare(targets: "ReportTargets", source: "DocumentSource | None", settings: "Settings") -> "DocumentSource | None":
    """The source with its document loaded, once for run and report, when a report is wanted.

    Refuses, before anything is paid for, what could not be written afterwards.
    """
    from ralph_cli.runs.opening import load_documents
    from ralph_cli.runs.report import document_files, require_highlightable

    if not targets.paths_by_format():
        return source
    source = load_documents(source, settings) if source else None
    document = source.document if source else None
    targets.check(*document_files(document))
    require_highlightable(targets, document)
    return source


def write_requested_reports(
    finished: "Result", source: "DocumentSource | None", targets: "ReportTargets", code: int, *, quiet: bool
) -> int:
    """Write the reports of a run that was shown already; `code`, or 1 when it was 0 and a report is missing."""
    from ralph_cli.runs import history, report

    if not targets.paths_by_format():
        return code
    found = report.RunDocument(source.document, source=source) if source else report.RunDocument()

    def on_written(path: Path, size: int) -> None:
        if not quiet:
            _print_written(path, size, err=True)

    try:
        with interrupts.allowed():
            run = history.RecordedRun(finished.view, history.read_run(finished.folder).events)
            report.write_reports(run, found, targets, on_written)
    except RalphError as error:
        if error.code == report.NO_QUOTES and found.document is not None and found.document.members:
            typer.echo(f"No copy is highlighted: {error.message}", err=True)
            return code
        print_error(error.message, error.hint, error.code)
        return code or 1
    except KeyboardInterrupt:
        print_error("not every report was written", f"`ralph trace report {finished.run}` writes them")
        return code or 130
    return code


def _print_written(path: Path, size: int, *, err: bool = False) -> None:
    typer.echo(f"Written to {one_line(str(path))} ({max(size // 1000, 1):,} kB)", err=err)
