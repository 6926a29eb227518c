"""Standard output: the report in colour on a terminal, the same lines as text anywhere else."""

import sys

import typer

from ralph_cli.reports.terminal import lines, plain
from ralph_cli.reports.view import RunView


def show(view: RunView) -> None:
    """Print the report of a run."""
    if not sys.stdout.isatty():
        typer.echo(plain(view), nl=False)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print()
    for line in lines(view):
        text = Text.assemble(*line)
        # Wrapped by hand, so that the rest of a claim or quote hangs under its beginning.
        indent = 2 if text.plain.startswith("- ") else 4 if text.plain.startswith("[") else 0
        for number, part in enumerate(text.wrap(console, max(console.width - indent, 20)) or [text]):
            console.print(Text(" " * indent if number else "") + part)
