"""Standard output: the report in colour on a terminal, the same lines as text anywhere else."""

import sys
from collections.abc import Iterable

import typer

from ralph_cli.reports.terminal import Styled, lines
from ralph_cli.reports.view import RunView


def show(view: RunView) -> None:
    """Print the report of a run."""
    show_lines(lines(view))


def show_lines(report: Iterable[list[Styled]]) -> None:
    """Print a report that was made line by line."""
    if not sys.stdout.isatty():
        typer.echo("\n".join("".join(text for text, _ in line) for line in report))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print()
    for line in report:
        text = Text.assemble(*line)
        # Wrapped by hand, so that the rest of a claim or quote hangs under its beginning.
        begin = text.plain.lstrip(" ")
        indent = 2 if text.plain.startswith("- ") else 4 if begin != text.plain or begin.startswith("[") else 0
        for number, part in enumerate(text.wrap(console, max(console.width - indent, 20)) or [text]):
            console.print(Text(" " * indent if number else "") + part)
