"""Arguments and options that several commands share and that are no settings, and the document that they name."""

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ralph_cli.core.errors import UserError

if TYPE_CHECKING:
    from ralph_cli.documents.source import DocumentSource, OnLoading


def result_option(*flags: str, help: str) -> Any:
    """An option that says what becomes of the result, under that heading of `--help`."""
    return typer.Option(*flags, help=help, rich_help_panel="Output")


def number(*flags: str, help: str, least: int | None = None) -> Any:
    """An option that takes a whole number, of at least `least`."""

    def parse(typed: str | int) -> int:
        if not re.fullmatch(r"[+-]?\d{1,18}", str(typed).strip()):
            raise typer.BadParameter(f"it must be a whole number, not {typed}")
        if least is not None and int(typed) < least:
            raise typer.BadParameter(f"it must be at least {least}, not {typed}")
        return int(typed)

    return typer.Option(*flags, parser=parse, metavar="<int>", help=help, show_default=False)


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


def refuse_swapped(command: str, document: str, text: str) -> None:
    """UserError when the text that is put to a document is a file, and the document is none."""
    if document != "-" and not _is_there(document) and _is_there(text):
        what = f"{text} is there, and {document!r} is not: the document comes first"
        hint = f"ralph {command} {shlex.quote(text)} {shlex.quote(document)}"
        raise UserError(what, code="swapped", hint=hint)


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a sentence may be longer than a name can be
        return False


def standard_input() -> bytes:
    """What comes in on standard input, no more than a document may have; UserError when there is none."""
    from ralph_cli.documents.limits import DEFAULT_LIMITS

    if sys.stdin is None:
        raise UserError("standard input is closed", code="no-input", hint="name a file instead of -")
    return sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1)
