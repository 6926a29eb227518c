"""The lines that a person types at a prompt, or that come in on standard input."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import typer

from ralph_cli.commands.terminal.interrupts import interrupts
from ralph_cli.core.errors import UserError

PROMPT = "> "
MOST_KEPT = 1_000
"""Lines of a history that are kept in its file."""


class TypedLines:
    """Lines without what surrounds them, until the input ends. Ctrl-C takes back the line that is being typed.

    At a terminal arrow keys bring back earlier lines; they are kept in the file `history` if one is given, and nowhere
    else.
    """

    def __init__(self, history: Path | None = None) -> None:
        self.is_interactive = sys.stdin is not None and sys.stdin.isatty()
        self._history = history if self.is_interactive else None
        if self._history is not None:
            _read_history(self._history)

    def __iter__(self) -> Iterator[str]:
        if sys.stdin is None:
            raise UserError("standard input is closed", code="no-input", hint="questions are read from there")
        while True:
            try:
                with interrupts.prompting():
                    line = self._read()
            except EOFError:
                break
            except UnicodeDecodeError as error:
                what = "what comes in on standard input is not text in UTF-8"
                raise UserError(what, code="bad-input", hint="a question is a line of text") from error
            except KeyboardInterrupt:
                if not self.is_interactive or interrupts.exit_code != 130:
                    raise  # whoever ended the program does not want another prompt
                typer.echo("\n(Ctrl-D or /quit ends)", err=True)
                continue
            if line.strip():
                yield line.strip()
        if self.is_interactive:
            typer.echo(err=True)

    def close(self) -> None:
        """Keep the history, if a file was given for it."""
        if self._history is not None:
            _write_history(self._history)

    def _read(self) -> str:
        if self.is_interactive and sys.stdout.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401 - arrow keys and history in `input`
            return input(PROMPT)
        if self.is_interactive:
            typer.echo(PROMPT, err=True, nl=False)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line


def _read_history(path: Path) -> None:
    import readline

    try:
        if path.exists():
            readline.read_history_file(path)
        else:
            path.touch(mode=0o600)
    except OSError as error:
        what = f"the history {path} cannot be used: {error.strerror or error}"
        raise UserError(what, code="bad-history", hint="--history takes a file") from error


def _write_history(path: Path) -> None:
    import readline

    readline.set_history_length(MOST_KEPT)
    try:
        readline.write_history_file(path)
    except OSError as error:
        typer.echo(f"note: the history was not kept: {error.strerror or error}", err=True)
