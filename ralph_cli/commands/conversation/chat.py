"""`ralph chat`: a prompt at which each line is a question about the same documents."""

import json as json_text
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.parameters import options
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.commands.parameters.takes import JUDGED, RUN, Given, takes
from ralph_cli.commands.qa import exit_code
from ralph_cli.commands.report import write_requested_reports
from ralph_cli.commands.terminal.interrupts import interrupts
from ralph_cli.commands.terminal.screen import print_fault, print_lines, print_notes, print_report
from ralph_cli.core.errors import RalphError, UserError

if TYPE_CHECKING:
    from ralph_cli.commands.terminal.progress import SilentProgress
    from ralph_cli.core.document import Document
    from ralph_cli.core.run import Quote
    from ralph_cli.documents.source import DocumentSource
    from ralph_cli.reports.safe_text import Styled
    from ralph_cli.runs.execute import Setup
    from ralph_cli.runs.result import Result

HELP = """\
Each line is a question about the same documents. It is understood from those before it.
/e      show the quotes of the last answer, with their pages
/1      show quote 1 with the lines around it; /2, /3, ...
/open   write the evidence report of the last answer, and print its path
/cost   show what the last answer and all answers have cost
/new    start over: the next question is a first one
/help   show this; /quit or Ctrl-D ends, Ctrl-C stops the current answer"""

# Lines that are shown before and after a quote.
AROUND = 3


@takes(*RUN, *JUDGED, "panel", "bullets", "quotes", "answer_as", "limits", "refresh")
def chat(
    given: Given,
    documents: options.Documents = None,
    doc: options.Doc = None,
    strict_load: options.StrictLoad = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    history: Annotated[
        Path | None, typer.Option(help="A file that keeps the typed lines (default: they are not kept).")
    ] = None,
    json: Annotated[
        bool, options.result_option("--json", help="Print a JSON object for each question, one a line.")
    ] = False,
    quiet: options.Quiet = False,
) -> int:
    """Ask one question after the other about documents, each understood from those before it.

    Questions are read from the terminal, or one a line from standard input.
    """
    from ralph_cli import config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.runs.execute import Setup
    from ralph_cli.runs.opening import load_documents

    named = [*(documents or []), *(doc or [])]
    if not named:
        raise UserError("the document is missing", code="usage", hint="ralph chat DOCUMENT...")
    if "-" in named:
        what = "standard input has the questions, so it cannot be the document"
        raise UserError(what, code="usage", hint="name the document by its file")
    settings = config.load_settings(given)
    setup = Setup.of(settings)
    setup.choose_models()  # fails before anybody types
    with progress(settings, quiet=quiet) as display:
        source = options.source_of(*named, password=password, encoding=encoding, strict=strict_load, display=display)
        source = load_documents(source, settings)
    lines = TypedLines(history)
    talk = Talk(source, setup, json=json, quiet=quiet, is_short=lines.is_interactive)
    if lines.is_interactive and not quiet:
        typer.echo("Type a question. /help shows the commands, Ctrl-D ends.", err=True)
    try:
        for line in lines:
            if line in ("/quit", "/q", "/exit"):
                break
            talk.take(line)
    finally:
        lines.close()
    return 2 if talk.is_any_open else 0


@dataclass
class Talk:
    """The questions of one prompt, and their results.

    `shown` are the notices so far. `is_short` prints answers without quotes until somebody asks for them.
    `is_any_open`: a question has no accepted answer.
    """

    source: "DocumentSource"
    setup: "Setup"
    json: bool
    quiet: bool
    is_short: bool
    last: "Result | None" = None
    results: "list[Result]" = field(default_factory=list)
    is_any_open: bool = False
    shown: set[str] = field(default_factory=set)

    def take(self, line: str) -> None:
        """Ask a question or carry out a command. An error is printed and does not end the prompt."""
        try:
            if line.startswith("/"):
                self._carry_out(line[1:])
            else:
                self._ask(line)
        except RalphError as error:
            print_fault(error)
            self.is_any_open |= not line.startswith("/")

    def _ask(self, question: str) -> None:
        from ralph_cli.commands.terminal.progress import progress
        from ralph_cli.reports.json import as_object
        from ralph_cli.reports.terminal import answer_lines

        try:
            with progress(self.setup.settings, quiet=self.quiet) as display:
                result = self._answer(question, display)
        except KeyboardInterrupt as error:
            if self._is_over:
                raise
            print_notes(error)
            return
        self.last = result
        self.results.append(result)
        code = exit_code(result.stop.type)
        self.is_any_open |= code not in (0, 3)
        if self.json:
            typer.echo(json_text.dumps(as_object(result.view), ensure_ascii=True))
        elif self.is_short:
            print_lines([*answer_lines(result.view), []])
        else:
            typer.echo(f"> {question}\n")
            print_report(result.view)
            typer.echo()
        if code == 130 and self._is_over:
            raise KeyboardInterrupt

    @property
    def _is_over(self) -> bool:
        """Whether an interrupt also ends the prompt: any but Ctrl-C does, and any does where nobody types."""
        return not self.is_short or interrupts.exit_code != 130

    def _answer(self, question: str, display: "SilentProgress") -> "Result":
        from ralph_cli.commands.terminal.progress import FirstNotices
        from ralph_cli.runs.questions import answer_question
        from ralph_cli.runs.resuming.following import follow_run

        setup = replace(self.setup, sink=FirstNotices(display, self.shown))
        if self.last is None:
            return answer_question(self.source, question, setup)
        return follow_run(self.last.folder, question, setup, self.source)

    def _carry_out(self, command: str) -> None:
        from ralph_cli.reports.terminal import evidence_lines

        if command in ("help", "h", "?"):
            typer.echo(HELP, err=not self.is_short)
            return
        if command == "new":
            self.last = None
            return
        if self.last is None:
            raise UserError("nothing was asked yet", code="usage", hint="type a question; /help shows the commands")
        if command in ("e", "evidence"):
            print_lines(evidence_lines(self.last.view))
        elif command.isdecimal():
            self._print_quote(self.last, int(command))
        elif command == "cost":
            self._print_cost(self.last)
        elif command == "open":
            self._write_report(self.last)
        else:
            raise UserError(f"there is no /{command}", code="usage", hint="/help shows the commands")

    def _print_quote(self, result: "Result", number: int) -> None:
        quotes = {quote.id: quote for quote in (*result.quotes, *result.view.found_passages)}
        if number not in quotes:
            known = ", ".join(f"/{name}" for name in quotes) or "none"
            raise UserError(f"the last answer has no quote {number}", code="usage", hint=f"it has {known}")
        print_lines(passage_lines(quotes[number], self.source.load(), paged=result.view.paged))

    def _print_cost(self, result: "Result") -> None:
        from ralph_cli.core.model import Usage
        from ralph_cli.reports.terminal import describe_cost, describe_spending
        from ralph_cli.text.lexicon import pluralize

        whole = sum((each.usage for each in self.results), Usage())
        typer.echo(f"the last answer: {describe_spending(result.view, result.view.iterations)}")
        spent = describe_cost(whole) if any(each.view.asks_models for each in self.results) else "no model calls"
        typer.echo(f"all of {pluralize(len(self.results), 'question')}: {spent}")

    def _write_report(self, result: "Result") -> None:
        from ralph_cli.reports.safe_text import one_line
        from ralph_cli.runs.report import ReportTargets

        settings = self.setup.settings
        path = settings.out / f"{result.run}.html"
        with replacing((path,), settings.cache_folder, force=False):
            if write_requested_reports(result, self.source, ReportTargets(html=path), 0, quiet=True) == 0:
                typer.echo(one_line(str(path.resolve())))


def passage_lines(quote: "Quote", document: "Document", *, paged: bool) -> "Iterator[list[Styled]]":
    """Yield the place of a quote, and the quote with some lines of its page before and after it."""
    from ralph_cli.reports.safe_text import make_visible, one_line
    from ralph_cli.reports.view import describe_place

    yield [(f"[{quote.id}] {one_line(describe_place(quote, paged=paged))}", "bold")]
    page, text = document.page_at(quote.start), document.text
    before = text[page.start : quote.start].split("\n")[-AROUND - 1 :]
    after = text[quote.end : max(page.end, quote.end)].split("\n")[: AROUND + 1]
    parts = ("\n".join(before), "dim"), (text[quote.start : quote.end], "bold"), ("\n".join(after), "dim")
    line: list[Styled] = [("    ", "")]
    for part, style in parts:
        first, *further = make_visible(part).split("\n")
        line.append((first, style))
        for words in further:
            yield line
            line = [("    ", ""), (words, style)]
    yield line


PROMPT = "> "
# Lines that a history file keeps.
MOST_KEPT = 1_000


class TypedLines:
    """The lines that are typed, stripped, until the input ends. Ctrl-C discards the current line.

    At a terminal, arrow keys bring back earlier lines. Only the file `history` keeps them, if one is given.
    """

    def __init__(self, history: Path | None = None) -> None:
        self.is_interactive = sys.stdin is not None and sys.stdin.isatty()
        self._history = history if self.is_interactive else None
        if self._history is not None:
            _read_history(self._history)

    def __iter__(self) -> Iterator[str]:
        if sys.stdin is None:
            raise UserError("standard input is closed", code="no-input", hint="questions are read from it")
        while True:
            try:
                with interrupts.prompting():
                    line = self._read()
            except EOFError:
                break
            except UnicodeDecodeError as error:
                hint = "each question is a line of text"
                raise UserError("standard input is not UTF-8", code="bad-input", hint=hint) from error
            except KeyboardInterrupt:
                if not self.is_interactive or interrupts.exit_code != 130:
                    raise  # SIGTERM and SIGHUP end the program
                typer.echo("\n(Ctrl-D or /quit ends)", err=True)
                continue
            if line.strip():
                yield line.strip()
        if self.is_interactive:
            typer.echo(err=True)

    def close(self) -> None:
        """Write the history, if a file was given for it."""
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
        raise UserError(what, code="bad-history", hint="name a file with --history") from error


def _write_history(path: Path) -> None:
    import readline

    readline.set_history_length(MOST_KEPT)
    try:
        readline.write_history_file(path)
    except OSError as error:
        typer.echo(f"note: the history was not kept: {error.strerror or error}", err=True)
