"""Arguments and options that several commands share and that are no settings, and the document that they name."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ralph_cli.documents.source import DocumentSource, OnLoading


def result_option(*flags: str, help: str) -> Any:
    """An option that says what becomes of the result, under that heading of `--help`."""
    return typer.Option(*flags, help=help, rich_help_panel="Output")


Document = Annotated[str, typer.Argument(help="PDF, docx, text, Markdown, HTML or source file; - for standard input.")]
Run = Annotated[str | None, typer.Argument(help="Name of the run, or the end of it; default the newest.")]
Password = Annotated[str | None, typer.Option("--password", help="Password of an encrypted PDF.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Encoding of a text file, e.g. cp1252.")]
Json = Annotated[bool, result_option("--json", help="Print one JSON object.")]
Force = Annotated[bool, result_option("--force", help="Replace files that are there and that ralph did not write.")]
Quiet = Annotated[bool, result_option("--quiet", "-q", help="No progress on standard error.")]


def source_of(
    path: str | Path, *, password: str | None = None, encoding: str | None = None, on_loading: "OnLoading | None" = None
) -> "DocumentSource":
    """The document that a command line names."""
    from ralph_cli.documents.source import DocumentSource

    return DocumentSource(str(path), password, encoding, standard_input=standard_input, on_loading=on_loading)


def standard_input() -> bytes:
    """What comes in on standard input, no more than a document may have; UserError when there is none."""
    from ralph_cli.core.errors import UserError
    from ralph_cli.documents.limits import DEFAULT_LIMITS

    if sys.stdin is None:
        raise UserError("standard input is closed", code="no-input", hint="name a file instead of -")
    return sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1)
