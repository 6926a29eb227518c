"""Help, version and list of runs, where nothing is wrong with what was typed: they do not wait for Typer."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from ralph_cli.core.errors import RalphError
from ralph_cli.core.version import __version__
from ralph_cli.environment import terminal_columns

HELP_FILE = Path(__file__).with_name("help.txt")
"""What Typer makes of the commands for a terminal of 80 columns or more; a test holds it to that."""

HELP_COLUMNS = 80


def answer_early(words: list[str]) -> bool:
    """Answer a command line that can be answered here; False for any other, which nothing has been said of yet.

    So the whole command line says what is wrong, with words, settings, runs or standard output.
    """
    try:
        if words in (["--help"], ["-h"]) and terminal_columns() >= HELP_COLUMNS:
            return _print(HELP_FILE.read_text("utf-8"))
        if words == ["--version"]:
            return _print(f"ralph {__version__}\n")
        if words[:2] == ["trace", "list"] and (options := _parse(words[2:])) is not None:
            from ralph_cli.commands.early.listing import list_runs  # what it imports no help needs

            return _print(*list_runs(**options))
    except (RalphError, OSError):
        return False
    return False


def _parse(words: list[str]) -> dict[str, Any] | None:
    """The options of a list of runs; None where Typer is to read them."""
    options: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        value = next(rest, "") if word in ("-n", "--number", "--out") else ""
        if word == "--json":
            options["as_json"] = True
        elif word == "--out" and value and not value.startswith("-"):
            options["typed"] = Path(value)
        elif word in ("-n", "--number") and value.isdecimal() and value.isascii() and 0 < len(value.lstrip("0")) < 18:
            options["number"] = int(value)
        else:
            return None
    return options


def _print(text: str, notes: str = "") -> bool:
    """Print both; False if there is no standard output, or it takes nothing."""
    if sys.stdout is None:
        return False
    # Past its buffer: what is left in that when nobody reads would be in the way of whoever says so.
    rest = text.encode(sys.stdout.encoding, "backslashreplace")
    while rest:
        rest = rest[os.write(1, rest) :]
    with suppress(OSError):
        os.write(2, notes.encode(errors="backslashreplace"))
    return True
