"""The command line's entry: the commands, and the one place where an error becomes a line and an exit code."""

import difflib
import io
import os
import re
import sys
import warnings
from typing import Any, NoReturn

import typer

from ralph_cli.commands import check, eval, goal, judge_test, ls, qa, table, task, trace, verify
from ralph_cli.commands.cluster import queue, worker
from ralph_cli.commands.conversation import ask, chat
from ralph_cli.commands.machine import doctor, models
from ralph_cli.commands.mcp import command as mcp
from ralph_cli.commands.parameters.takes import HELP_FLAGS, CommandGroups, Interrupted, Late
from ralph_cli.commands.serving import view
from ralph_cli.commands.terminal.interrupts import interrupts
from ralph_cli.commands.terminal.screen import open_standard_error, print_error, print_fault
from ralph_cli.core.deferred.packages import defer_reexports
from ralph_cli.core.errors import LimitExceeded, RalphError, UserError
from ralph_cli.reports.safe_text import one_line, to_json

ACCEPTED, ERROR, NOT_ACCEPTED, ABSENT, BUDGET, INTERRUPTED = 0, 1, 2, 3, 4, 130

EXTRA = re.compile(r"unexpected extra argument\(?s?\)? \((.*)\)")

BROKEN_PIPE = 141
"""As other programs end in a pipe: 128 and the number of SIGPIPE."""

SDK_PACKAGES = (
    "anthropic",
    "anthropic.lib.",
    "anthropic.resources.",
    "anthropic.types.",
    "openai.lib.",
    "openai.types.",
)
"""Packages of the vendors' SDKs that offer the names of thousands of classes, of which a request needs few."""

EPILOG = (
    "Exit codes: 0 accepted; 1 error; 2 ran, but not accepted within its bounds; 3 not in the document; "
    "4 a budget was reached; 130 interrupted. A variable RALPH_<OPTION>, such as RALPH_MAX_COST, sets an option, too."
)

ASK, CHECK, RECORDS, MACHINE = "Ask", "Check", "Records of runs", "This machine"
MANY, AGENTS = "Many machines", "Agents"

app = typer.Typer(
    cls=CommandGroups,
    context_settings=HELP_FLAGS,
    help="Answers questions about long documents; every claim is backed by verbatim quotes with page and position.",
    epilog=EPILOG,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("qa", cls=Late, rich_help_panel=ASK)(qa.qa)
app.command("ask", cls=Late, rich_help_panel=ASK)(ask.ask)
app.command("chat", cls=Late, rich_help_panel=ASK)(chat.chat)
app.command("task", cls=Late, rich_help_panel=ASK)(task.task)
app.command("goal", cls=Late, rich_help_panel=ASK)(goal.goal)
app.command("table", cls=Late, rich_help_panel=ASK)(table.table)
app.command("check", cls=Late, rich_help_panel=CHECK)(check.check)
app.command("verify", cls=Late, rich_help_panel=CHECK)(verify.verify)
app.command("eval", cls=Late, rich_help_panel=CHECK)(eval.evaluate)
app.command("judge-test", cls=Late, rich_help_panel=CHECK)(judge_test.judge_test)
app.add_typer(trace.app, name="trace", rich_help_panel=RECORDS)
app.command("view", cls=Late, rich_help_panel=RECORDS)(view.view)
app.command("worker", cls=Late, rich_help_panel=MANY)(worker.worker)
app.add_typer(queue.app, name="queue", rich_help_panel=MANY)
app.command("mcp", cls=Late, rich_help_panel=AGENTS)(mcp.mcp)
app.command("ls", cls=Late, rich_help_panel=MACHINE)(ls.ls)
app.command("doctor", rich_help_panel=MACHINE)(doctor.doctor)
app.command("models", rich_help_panel=MACHINE)(models.models)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version and exit.")
) -> None:
    if version:
        from ralph_cli.core.version import __version__

        typer.echo(f"ralph {__version__}")
        raise typer.Exit(ACCEPTED)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(argv: list[str] | None = None) -> int:
    """Carry out a command line and return its exit code; standard error has said why when it is not 0."""
    if sys.stdout is None:
        # Better to stop before a run is paid for.
        print_error("standard output is closed", "the result is written there: give it a file, or a program that reads")
        return ERROR
    as_json = "--json" in (sys.argv[1:] if argv is None else argv)
    try:
        code = app(args=argv, prog_name="ralph", standalone_mode=False)
        return code if isinstance(code, int) else ACCEPTED
    except typer.TyperException as error:
        # A word of the command line was not understood.
        return _fail(_usage_error(error), as_json=as_json)
    except Interrupted as error:
        return _fail_interrupted(error.notes)
    except (KeyboardInterrupt, typer.Abort):
        return _fail_interrupted([])
    except RalphError as error:
        return _fail(error, as_json=as_json)
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # typer makes an exit of a broken pipe
        # The reader has left (`ralph ... | head`); python must not complain about it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        # What can be written elsewhere was handled there: this is standard output, on a full disk for one.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        shown = f"what was found is kept: `ralph trace show {interrupts.run}`" if interrupts.run else ""
        print_error(f"standard output cannot be written: {error.strerror or error}", shown)
        return ERROR


def _usage_error(error: Any) -> UserError:
    """What was not understood of the command line, in the words of every other error."""
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    path = context.command_path if context else "ralph"
    usage = " ".join((path, *context.command.collect_usage_pieces(context))) if context else path
    message, hint = error.format_message().rstrip("."), f"`{path} --help` shows the usage"
    if parameter is not None and error.message:
        message = f"{'/'.join(parameter.opts)}: {error.message}"
    elif parameter is not None:
        message = f"the {parameter.name} is missing"
        hint = f"usage: {usage}"
    elif "requires an argument" in message:
        message = f"{error.option_name} needs a value behind it"
    elif hasattr(error, "possibilities"):
        message = f"there is no option {error.option_name}"
        word = error.option_name.lstrip("-")
        arguments = (
            [item.name for item in context.command.params if item.param_type_name == "argument"] if context else []
        )
        if any(name.startswith(word) for name in arguments):
            hint = f"it stands there without an option: {usage}"
        elif near := difflib.get_close_matches(error.option_name, error.possibilities or (), n=1, cutoff=0.75):
            hint = f"did you mean {near[0]}? {hint}"
    elif extra := EXTRA.search(message):
        message = f"too many words: {extra[1]}"
    return UserError(message, code="usage", hint=hint)


def _fail(error: RalphError, *, as_json: bool) -> int:
    """Say what is wrong on standard error, for a program on standard output, too; return the exit code."""
    print_fault(error)
    if as_json:
        fields = {"code": error.code, "message": error.message, "hint": error.hint, "run": error.run or None}
        typer.echo(to_json({"ok": False, "error": fields}))
    return BUDGET if isinstance(error, LimitExceeded) else ERROR


def _fail_interrupted(notes: list[str]) -> int:
    """Say what is kept of a run that was interrupted before there was anything to show; return the exit code."""
    for line in notes or ([] if interrupts.received else ["interrupted"]):
        print_error(line, "")
    return INTERRUPTED


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """A warning, such as of a variable's old name, as one line for a person."""
    typer.echo(f"note: {one_line(str(message))}", err=True)


def main() -> NoReturn:
    """The console script."""
    warnings.showwarning = _show_warning
    warnings.simplefilter("once", FutureWarning)
    sys.stderr = open_standard_error()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that cannot show a character must not cost an answer.
        sys.stdout.reconfigure(errors="backslashreplace")
    interrupts.install()
    defer_reexports(*SDK_PACKAGES)  # here alone: a program that imports ralph has imports of its own
    code = run()
    interrupts.end()
    sys.exit(interrupts.exit_code if code == INTERRUPTED else code)
