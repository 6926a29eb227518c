"""Prints results on standard output, in colour on a terminal, and errors on standard error."""

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from ralph_cli.core.errors import RalphError, UserError
from ralph_cli.reports.safe_text import Styled, make_visible, one_line, plain_text, to_json

if TYPE_CHECKING:
    from ralph_cli.reports.view import RunView


class _LossyFile(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def open_standard_error() -> TextIO:
    """Return a standard error that ignores failed writes and escapes characters that a terminal cannot show.

    A full disk or a closed terminal there must not lose a result.
    """
    encoding = getattr(sys.stderr, "encoding", "utf-8")
    raw = io.BufferedWriter(_LossyFile(2, "wb", closefd=False))
    return io.TextIOWrapper(raw, encoding, errors="backslashreplace", line_buffering=True)


def print_error(message: str, hint: str, code: str = "") -> None:
    """Print one line on standard error: what is wrong, its code, and how to fix it."""
    name = f" [{code}]" if code else ""
    typer.echo(f"ralph: {one_line(message)}{name}{f' - {one_line(hint)}' if hint else ''}", err=True)


def print_fault(error: RalphError) -> None:
    """Print the error that ends a command, with its notes."""
    print_error(error.message, error.hint, error.code)
    print_notes(error)


def print_notes(error: BaseException) -> None:
    """Print a line for each note of an exception."""
    for note in getattr(error, "__notes__", []):
        print_error(note, "")


def print_report(view: "RunView") -> None:
    """Print the report of a run."""
    from ralph_cli.reports.terminal import report_lines

    print_lines(report_lines(view))


def print_run(view: "RunView", output: Path | None = None, *, json: bool) -> None:
    """Print a finished run: one JSON object, or its report.

    A task's output in JSON or CSV is printed alone, and its report goes to standard error. With `output`, an accepted
    output is written to that file.
    """
    from ralph_cli.reports.sections.outcome import payload
    from ralph_cli.reports.terminal import report_lines

    if json:
        from ralph_cli.reports.json import as_object

        typer.echo(to_json(as_object(view)))
    elif (for_programs := view.format in ("json", "csv")) or output is not None:
        if output is None:
            print_exactly(payload(view))
        print_lines(report_lines(view, output=False), err=for_programs)
    else:
        print_report(view)
    if output is not None:
        typer.echo(write_if_accepted(output, payload(view), accepted=view.ok is not False), err=True)


def print_exactly(text: str) -> None:
    """Print text as visible characters on a terminal, and exactly as it was checked elsewhere."""
    shown = make_visible(text) if sys.stdout.isatty() else text
    if shown:
        typer.echo(shown, nl=not shown.endswith("\n"))


def write_if_accepted(path: Path, text: str, *, accepted: bool) -> str:
    """Write an accepted output to a file; return a line that says whether it was written."""
    if not accepted:
        return make_visible(f"{path} was not written: nothing was accepted. The output is in the run's folder.")
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        hint = "the output is in the run's folder"
        raise UserError(f"{path} cannot be written: {error.strerror}", code="bad-output", hint=hint) from error
    return make_visible(f"Written to {path}")


def print_lines(lines: Iterable[list[Styled]], *, err: bool = False) -> None:
    """Print lines, in colour on a terminal and as plain text elsewhere; with `err` on standard error."""
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty():
        typer.echo(plain_text(lines), nl=False, err=err)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, stderr=err)
    console.print()
    for line in lines:
        line_ = Text.assemble(*line)
        # Wrapped here so that further rows of a claim or quote are indented.
        begin = line_.plain.lstrip(" ")
        indent = 2 if line_.plain.startswith("- ") else 4 if begin != line_.plain or begin.startswith("[") else 0
        for number, part in enumerate(line_.wrap(console, max(console.width - indent, 20)) or [line_]):
            console.print(Text(" " * indent if number else "") + part)
