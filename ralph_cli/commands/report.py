"""`ralph trace report`, and the reports that other commands write after their run."""

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

DocumentFile = Annotated[
    str | None,
    typer.Option("--document", "--doc", help="Where the document is now (default: where it was; checked by its hash)."),
]
ReportFile = Annotated[Path | None, options.result_option("--report", help="Write an HTML report with all evidence.")]
Annotate = Annotated[
    Path | None,
    options.result_option(
        "--annotate", help="Write a copy of the PDF with the quotes highlighted; for a set, copies to this folder."
    ),
]


@takes("out")
def report(
    given: Given,
    run: options.Run = None,
    html: Annotated[Path | None, options.result_option(help="One HTML file, without scripts; prints well.")] = None,
    pdf: Annotated[Path | None, options.result_option(help="A copy of the PDF with highlighted quotes.")] = None,
    md: Annotated[Path | None, options.result_option(help="The same as Markdown.")] = None,
    csv: Annotated[Path | None, options.result_option(help="One row for each claim and quote.")] = None,
    document: DocumentFile = None,
    force: options.Force = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
) -> int:
    """Write the result of a run as a report that can be checked, printed and filed."""
    from ralph_cli import config
    from ralph_cli.runs import history, report

    targets = report.ReportTargets(html, pdf, md, csv)
    if not targets.paths_by_format():
        hint = "ralph trace report --html report.html"
        raise UserError("choose what to write: --html, --pdf, --md or --csv", code="no-target", hint=hint)
    settings = config.load_settings(given)
    found = history.read_run(history.find_run(settings.out, run))
    targets.check(*report.recorded_files(found), document or "-")
    source = report.load_run_document(
        found, settings, options.source_of(document or "", password=password, encoding=encoding)
    )
    with replacing((html, pdf, md, csv), settings.cache_folder, force=force):
        report.write_reports(found, source, targets, _print_written)
    if source.missing:
        print_error(f"without the document's pages and passages: {source.missing}", "give its path with --document")
    return 0


def prepare(targets: "ReportTargets", source: "DocumentSource | None", settings: "Settings") -> "DocumentSource | None":
    """If a report is wanted, load the document, once for run and report, and return its source.

    Fails before anything is paid for if a report could not be written.
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
    """Write the reports of a printed run; return `code`, or 1 instead of 0 if a report could not be written."""
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
