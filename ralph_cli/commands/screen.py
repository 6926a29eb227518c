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

    console = Console(highlight=False, soft_wrap=False)
    for line in lines(view):
        console.print(Text.assemble(*[(text, style) for text, style in line]))
