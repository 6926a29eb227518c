"""Arguments and options that several commands share and that are no settings, and the document that they name."""

import glob
import re
import shlex
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ralph_cli.core.errors import UserError

if TYPE_CHECKING:
    from ralph_cli.commands.terminal.progress import SilentProgress
    from ralph_cli.documents.source import DocumentSource

_TRIM_THRESHOLD, _MOST_ARENAS = -1, -8
"""As glibc's malloc.h numbers them."""


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
    bool, typer.Option("--strict-load", help="A file of a set that cannot be read, or is there twice, is an error.")
]
Run = Annotated[str | None, typer.Argument(help="Name of the run, or the end of it; default the newest.")]
Password = Annotated[str | None, typer.Option("--password", help="Password of an encrypted PDF or Office document.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Encoding of a text file, e.g. cp1252.")]
Json = Annotated[bool, result_option("--json", help="Print one JSON object.")]
Force = Annotated[bool, result_option("--force", help="Replace files that are there and that ralph did not write.")]
Quiet = Annotated[bool, result_option("--quiet", "-q", help="No progress on standard error.")]


def source_of(
    *paths: str | Path,
    password: str | None = None,
    encoding: str | None = None,
    strict: bool = False,
    display: "SilentProgress | None" = None,
) -> "DocumentSource":
    """The document that a command line names, or the set of several; `display` is told how far they are read."""
    from ralph_cli.documents.source import DocumentSource

    _return_freed_memory()
    first, *others = (
        DocumentSource(str(path), password, encoding, standard_input=standard_input, strict=strict) for path in paths
    )
    on_loading, on_files = (display.on_loading, display.on_files) if display else (None, None)
    return replace(first, others=tuple(others), on_loading=on_loading, on_files=on_files)


def _return_freed_memory() -> None:
    """Have what a long text took go back to the system when it is freed: glibc would keep up to 64 MB, and more for
    each thread."""
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):  # another library than glibc
        own = ctypes.CDLL(None)
        own.mallopt(_TRIM_THRESHOLD, 1 << 20)
        own.mallopt(_MOST_ARENAS, 1)


def name_documents(command: str, documents: list[str] | None, doc: list[str] | None, text: str | None) -> list[str]:
    """The documents that a command line names beside the text that is put to them.

    Raises UserError when one of both is missing, or when they are swapped.
    """
    named = [*(documents or []), *(doc or [])]
    noun = {"qa": "question", "goal": "objective"}.get(command, command)
    if text is not None and not named and _is_there(text):
        hint = f'ralph {command} {shlex.quote(text)} "..."'
        raise UserError(f"the {noun} is missing", code="usage", hint=hint)
    if text is None or not named:
        missing = noun if text is None else "document"
        raise UserError(f"the {missing} is missing", code="usage", hint=f"ralph {command} DOCUMENT... {noun.upper()}")
    first = named[0]
    if first != "-" and not _is_there(first) and not _matches(first) and _is_there(text):
        what = f"{text} is there, and {first!r} is not: the document comes first"
        hint = f"ralph {command} {shlex.quote(text)} {shlex.quote(first)}"
        raise UserError(what, code="swapped", hint=hint)
    absent = [path for path in named[1:] if path != "-" and not glob.has_magic(path) and not _is_there(path)]
    if absent and _is_there(first):
        hint = f'put it in quotation marks, if it is of the {noun}: ralph {command} {shlex.quote(first)} "..."'
        raise UserError(f"there is no file {absent[0]}", code="missing", hint=hint)
    if _is_there(text) and all(map(_is_there, named)):
        hint = f'ralph {command} {shlex.join([*named, text])} "..."'
        raise UserError(f"the {noun} is missing", code="usage", hint=hint)
    if named.count("-") > 1:
        raise UserError(
            "standard input is read once only", code="usage", hint="name the other documents by their files"
        )
    return named


def _is_there(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a sentence may be longer than a name can be
        return False


def _matches(pattern: str) -> bool:
    """Whether a word with marks of a pattern stands for files; a question has such a mark, too."""
    return glob.has_magic(pattern) and bool(glob.glob(pattern, recursive=True))  # noqa: PTH207


def standard_input() -> bytes:
    """What comes in on standard input, no more than a document may have; UserError when there is none."""
    from ralph_cli.documents.limits import DEFAULT_LIMITS

    if sys.stdin is None:
        raise UserError("standard input is closed", code="no-input", hint="name a file instead of -")
    return sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1)
