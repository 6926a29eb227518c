"""Arguments and options that several commands share and that are no settings, and the documents that they name."""

import glob
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ralph_cli.core.errors import UserError
from sandbox.kernel import return_freed_memory

if TYPE_CHECKING:
    from ralph_cli.commands.terminal.progress import SilentProgress
    from ralph_cli.documents.source import DocumentSource


def result_option(*flags: str, help: str) -> Any:
    """Return an option about the result, which `--help` lists under that heading."""
    return typer.Option(*flags, help=help, rich_help_panel="Output")


Documents = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DOCUMENT",
        help="PDF, docx, text, Markdown, HTML or source file; a folder, a pattern or a ZIP archive of them; - for "
        "standard input. Several are read as one set.",
    ),
]
Doc = Annotated[
    list[str] | None,
    typer.Option("--doc", "--document", help="A document, for scripts; may be given again, instead of DOCUMENT."),
]
StrictLoad = Annotated[
    bool, typer.Option("--strict-load", help="Stop if a file of a set cannot be read or appears twice.")
]
Run = Annotated[str | None, typer.Argument(help="Name of the run, or the end of it; default the newest.")]
Password = Annotated[str | None, typer.Option(help="Password of an encrypted PDF or Office document.")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of a text file, e.g. cp1252.")]
Json = Annotated[bool, result_option("--json", help="Print one JSON object.")]
Force = Annotated[bool, result_option("--force", help="Replace existing files that ralph did not write.")]
Quiet = Annotated[bool, result_option("--quiet", "-q", help="No progress on standard error.")]


def source_of(
    *paths: str | Path,
    password: str | None = None,
    encoding: str | None = None,
    strict: bool = False,
    display: "SilentProgress | None" = None,
) -> "DocumentSource":
    """Return the source of the document at a path, or of the set of several; `display` shows how loading proceeds."""
    from ralph_cli.documents.source import DocumentSource

    return_freed_memory(above=1 << 20)  # as a long text takes
    first, *others = (
        DocumentSource(str(path), password, encoding, standard_input=standard_input, strict=strict) for path in paths
    )
    on_loading, on_files = (display.on_loading, display.on_files) if display else (None, None)
    return replace(first, others=tuple(others), on_loading=on_loading, on_files=on_files)


def name_documents(command: str, documents: list[str] | None, doc: list[str] | None, text: str | None) -> list[str]:
    """Return the documents that a command line names beside a question or a task.

    Raises UserError if either is missing, or if they are swapped.
    """
    named = [*(documents or []), *(doc or [])]
    noun = {"qa": "question", "goal": "objective"}.get(command, command)
    if text is None or not named:
        missing = noun if text is None or _is_there(text) else "document"
        raise UserError(f"the {missing} is missing", code="usage", hint=f"ralph {command} DOCUMENT... {noun.upper()}")
    first, *others = named
    found = {path: path == "-" or _is_there(path) or _matches(path) for path in named}
    if _is_there(text) and not found[first]:
        hint = f"ralph {command} {shlex.quote(text)} {shlex.quote(first)}"
        raise UserError(f"{text} exists and {first!r} does not: name the document first", code="swapped", hint=hint)
    if _is_there(text) and all(found.values()):
        hint = f'ralph {command} {shlex.join([*named, text])} "..."'
        raise UserError(f"the {noun} is missing", code="usage", hint=hint)
    absent = [path for path in others if not found[path] and not glob.has_magic(path)]
    if absent and found[first]:
        hint = f'put the {noun} in quotation marks: ralph {command} {shlex.quote(first)} "..."'
        raise UserError(f"there is no file {absent[0]}", code="missing", hint=hint)
    if named.count("-") > 1:
        raise UserError("standard input can be read only once", code="usage", hint="name the other documents by path")
    return named


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a question may be longer than a file name can be
        return False


def _matches(pattern: str) -> bool:
    """Whether a pattern matches files. A question ends in a pattern's character, too."""
    return glob.has_magic(pattern) and bool(glob.glob(pattern, recursive=True))  # noqa: PTH207


def standard_input() -> bytes:
    """Read standard input, up to a document's limit. Raises UserError if it is closed."""
    from ralph_cli.documents.limits import DEFAULT_LIMITS

    if sys.stdin is None:
        raise UserError("standard input is closed", code="no-input", hint="name a file instead of -")
    return sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1)
