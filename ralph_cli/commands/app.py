"""The command line's entry: all commands, and the one place that turns an error into a line and an exit code."""

import io
import os
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
from ralph_cli.core.version import __version__
from ralph_cli.reports.safe_text import one_line, to_json

ACCEPTED = 0
ERROR = 1
NOT_ACCEPTED = 2
ABSENT = 3
BUDGET = 4
INTERRUPTED = 130

# The code with which other programs end in a broken pipe: 128 and the number of SIGPIPE.
BROKEN_PIPE = 141

# Packages of the vendors' SDKs that export thousands of classes, of which a request needs few.
SDK_PACKAGES = (
    "anthropic",
    "anthropic.lib.",
    "anthropic.resources.",
    "anthropic.types.",
    "openai.lib.",
    "openai.types.",
)

app = typer.Typer(
    cls=CommandGroups,
    context_settings=HELP_FLAGS,
    help="Answers questions about long documents; every claim is backed by verbatim quotes with page and position.",
    epilog="Exit codes: 0 accepted; 1 error; 2 ran, but not accepted within its bounds; 3 not in the document; "
    "4 a budget was reached; 130 interrupted. A variable RALPH_<OPTION>, such as RALPH_MAX_COST, also sets an option.",
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("qa", cls=Late, rich_help_panel="Ask")(qa.qa)
app.command("ask", cls=Late, rich_help_panel="Ask")(ask.ask)
app.command("chat", cls=Late, rich_help_panel="Ask")(chat.chat)
app.command("task", cls=Late, rich_help_panel="Ask")(task.task)
app.command("goal", cls=Late, rich_help_panel="Ask")(goal.goal)
app.command("table", cls=Late, rich_help_panel="Ask")(table.table)
app.command("check", cls=Late, rich_help_panel="Check")(check.check)
app.command("verify", cls=Late, rich_help_panel="Check")(verify.verify)
app.command("eval", cls=Late, rich_help_panel="Check")(eval.evaluate)
app.command("judge-test", cls=Late, rich_help_panel="Check")(judge_test.judge_test)
app.add_typer(trace.app, name="trace", rich_help_panel="Records of runs")
app.command("view", cls=Late, rich_help_panel="Records of runs")(view.view)
app.command("worker", cls=Late, rich_help_panel="Many machines")(worker.worker)
app.add_typer(queue.app, name="queue", rich_help_panel="Many machines")
app.command("mcp", cls=Late, rich_help_panel="Agents")(mcp.mcp)
app.command("ls", cls=Late, rich_help_panel="This machine")(ls.ls)
app.command("doctor", rich_help_panel="This machine")(doctor.doctor)
app.command("models", rich_help_panel="This machine")(models.models)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version and exit.")
) -> None:
    if version:
        typer.echo(f"ralph {__version__}")
        raise typer.Exit(ACCEPTED)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(argv: list[str] | None = None) -> int:
    """Run a command line and return its exit code. If it is not 0, standard error says why."""
    if sys.stdout is None:
        # Stop before anything is paid for.
        print_error("standard output is closed", "results go there: redirect it to a file or a program")
        return ERROR
    as_json = "--json" in (sys.argv[1:] if argv is None else argv)
    try:
        code = app(args=argv, prog_name="ralph", standalone_mode=False)
        return code if isinstance(code, int) else ACCEPTED
    except typer.TyperException as error:
        return _fail(_usage_error(error), as_json=as_json)
    except Interrupted as error:
        return _fail_interrupted(error.notes)
    except (KeyboardInterrupt, typer.Abort):
        return _fail_interrupted([])
    except RalphError as error:
        return _fail(error, as_json=as_json)
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # typer turns a broken pipe into an exit
        _close_standard_output()  # the reader is gone: `ralph ... | head`
        return BROKEN_PIPE
    except OSError as error:
        # Writers of other files handle their errors. This is standard output, for example on a full disk.
        _close_standard_output()
        shown = f"the run is kept: `ralph trace show {interrupts.run}`" if interrupts.run else ""
        print_error(f"standard output cannot be written: {error.strerror or error}", shown)
        return ERROR


def _close_standard_output() -> None:
    """Send what is still written to nowhere, so that Python does not report it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage_error(error: Any) -> UserError:
    """Return what typer could not parse, as an error like all others."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "ralph"
    return UserError(error.format_message().rstrip("."), code="usage", hint=f"`{command} --help` shows the usage")


def _fail(error: RalphError, *, as_json: bool) -> int:
    """Print an error on standard error, with `as_json` also on standard output; return the exit code."""
    print_fault(error)
    if as_json:
        fields = {"code": error.code, "message": error.message, "hint": error.hint, "run": error.run or None}
        typer.echo(to_json({"ok": False, "error": fields}))
    return BUDGET if isinstance(error, LimitExceeded) else ERROR


def _fail_interrupted(notes: list[str]) -> int:
    """Print what is kept of an interrupted run that has no result yet; return the exit code."""
    for line in notes or ([] if interrupts.received else ["interrupted"]):
        print_error(line, "")
    return INTERRUPTED


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as one line, for example that a variable has a new name."""
    typer.echo(f"note: {one_line(str(message))}", err=True)


def main() -> NoReturn:
    """Run the console script."""
    warnings.showwarning = _show_warning
    warnings.simplefilter("once", FutureWarning)
    sys.stderr = open_standard_error()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A character that the terminal cannot show must not lose the answer.
        sys.stdout.reconfigure(errors="backslashreplace")
    interrupts.install()
    defer_reexports(*SDK_PACKAGES)  # only here: a program that imports ralph chooses its own imports
    code = run()
    interrupts.end()
    sys.exit(interrupts.exit_code if code == INTERRUPTED else code)
