"""`ralph check`: checks whether a memo's quotations are in the document, on the pages that it names."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import BOUNDS, Given, takes
from ralph_cli.commands.terminal.screen import print_lines
from ralph_cli.core.errors import UserError
from ralph_cli.reports.safe_text import to_json

Doc = Annotated[
    list[str] | None,
    typer.Option("--doc", "--document", help="The document that it quotes, or a folder of them; may be given again."),
]
Others = Annotated[list[str] | None, typer.Argument(hidden=True, metavar="--doc DOCUMENT")]
Html = Annotated[Path | None, options.result_option("--html", help="Also write the report to this HTML file.")]
Strict = Annotated[bool, typer.Option("--strict", help="Also fail on terms and page references that are unverified.")]
WithJudge = Annotated[
    bool, typer.Option("--judge", help="Let the judge model decide whether the quotations support the memo's claims.")
]


@takes("judge_model", "allow_hidden_text", *BOUNDS, "ocr", "ocr_language", "language")
def check(
    given: Given,
    memo: Annotated[str, typer.Argument(help="Markdown, text, docx, PDF or HTML; - for standard input.")],
    others: Others = None,
    doc: Doc = None,
    strict: Strict = False,
    html: Html = None,
    judge: WithJudge = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
    force: options.Force = False,
    quiet: options.Quiet = False,
) -> int:
    """Check a memo's quotations and page references against documents; without --judge no model is asked."""
    from ralph_cli import config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.reports.memo.terminal import memo_lines
    from ralph_cli.runs import lookup
    from ralph_cli.runs.report import check_target, render_memo_report, write_report_file

    doc = _documents(memo, others or [], doc or [])
    if html is not None:
        check_target(html, (memo, *doc))
    lookup.refuse_same_file(memo, doc)
    settings = config.load_settings(given)
    with replacing((html,), settings.cache_folder, force=force):
        with progress(settings, quiet=quiet) as display:
            read, *quoted = (
                options.source_of(path, password=password, encoding=encoding, display=display) for path in (memo, *doc)
            )
            quoted = lookup.load_documents(quoted, settings, display)
            checked = lookup.check_memo(read, quoted, judge=judge, strict=strict, settings=settings, sink=display)
        if json:
            from ralph_cli.reports.memo.json import memo_object

            typer.echo(to_json(memo_object(checked)))
        else:
            print_lines(memo_lines(checked))
        if html is not None:
            text = render_memo_report(checked, quoted)
            write_report_file(html, text.encode("utf-8", "backslashreplace"))
    return 0 if checked.ok else 2


def _documents(memo: str, others: list[str], doc: list[str]) -> list[str]:
    """Return the documents of --doc. Raises UserError if there are none, or if files are given without --doc."""
    if not doc:
        options_ = " ".join(f"--doc {shlex.quote(path)}" for path in (others or ["DOCUMENT"]))
        hint = f"ralph check {shlex.quote(memo)} {options_}"
        raise UserError("the document to check against is missing", code="usage", hint=hint)
    if others:
        what = f"one memo at a time: what is {' '.join(others)} for?"
        raise UserError(what, code="usage", hint="give each document with --doc")
    return doc
