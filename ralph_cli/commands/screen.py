"""Standard output: the report in colour on a terminal, the same lines as text anywhere else."""

import sys
from collections.abc import Iterable

import typer

from ralph_cli.reports.terminal import Styled, lines, plain
from ralph_cli.reports.view import RunView


def show(view: RunView) -> None:
    """Print the report of a run."""
    show_lines(lines(view), plain(view))


def show_lines(styled: Iterable[list[Styled]], text: str) -> None:
    """Print lines in colour on a terminal, and the same as `text` anywhere else."""
    if not sys.stdout.isatty():
        typer.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print()
    for line in styled:
        line_ = Text.assemble(*line)
        # Wrapped by hand, so that the rest of a claim or quote hangs under its beginning.
        begin = line_.plain.lstrip(" ")
        indent = 2 if line_.plain.startswith("- ") else 4 if begin != line_.plain or begin.startswith("[") else 0
        for number, part in enumerate(line_.wrap(console, max(console.width - indent, 20)) or [line_]):
            console.print(Text(" " * indent if number else "") + part)
