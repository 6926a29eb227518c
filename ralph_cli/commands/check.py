"""`ralph check`: whether a memo's quotations are in the document, and on the pages that it names."""

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
    typer.Option(
        "--doc", "--document", help="The document that it quotes, or a folder of them; several: give --doc again."
    ),
]
Others = Annotated[list[str] | None, typer.Argument(hidden=True, metavar="--doc DOCUMENT")]
Html = Annotated[Path | None, options.result_option("--html", help="Also write the report to this HTML file.")]
Strict = Annotated[bool, typer.Option("--strict", help="Terms and page references that cannot be checked count, too.")]
WithJudge = Annotated[
    bool, typer.Option("--judge", help="Let the judge model say whether the quotations support what the memo says.")
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
    from ralph_cli.reports.memo.terminal import memo_lines, memo_text
    from ralph_cli.runs import lookup

    doc = _documents(memo, others or [], doc or [])
    if html is not None:
        from ralph_cli.runs.report import check_target

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
            print_lines(memo_lines(checked), memo_text(checked))
        if html is not None:
            from ralph_cli.runs.report import render_memo_report, write_report_file

            text = render_memo_report(checked, quoted)
            write_report_file(html, text.encode("utf-8", "backslashreplace"))
    return 0 if checked.ok else 2


def _documents(memo: str, others: list[str], doc: list[str]) -> list[str]:
    """The documents of --doc; UserError when there are none, or files that nothing says the use of."""
    command = shlex.join(
        ["ralph", "check", memo, *(word for path in (others or ["DOCUMENT"]) for word in ("--doc", path))]
    )
    if not doc:
        raise UserError("the document to check against is missing", code="usage", hint=command)
    if others:
        what = f"one memo at a time: what is {' '.join(others)} for?"
        raise UserError(what, code="usage", hint="give each document with --doc")
    return doc
