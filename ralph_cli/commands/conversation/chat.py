"""`ralph chat`: a prompt at which each line is a question about the same documents, and follows on those before it."""

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
Each line is a question about the same documents, and is understood from those before it.
/e      the quotes behind the last answer, with their pages
/1      quote 1 with what stands around it; /2, /3, ...
/open   write the evidence report of the last answer, and say where it is
/cost   what the last answer and all of them have cost
/new    forget what was asked: the next question is a first one
/help   this; /quit or Ctrl-D ends, Ctrl-C stops the answer that is under way"""

AROUND = 3
"""Lines that are shown before and behind those of a quote."""


@takes(*RUN, *JUDGED, "panel", "bullets", "quotes", "answer_as", "limits", "refresh")
def chat(
    given: Given,
    documents: options.Documents = None,
    doc: options.Doc = None,
    strict_load: options.StrictLoad = False,
    password: options.Password = None,
    encoding: options.Encoding = None,
    history: Annotated[
        Path | None, typer.Option("--history", help="A file that keeps the lines typed (default: nothing keeps them).")
    ] = None,
    json: Annotated[
        bool, options.result_option("--json", help="Print one JSON object for each question, a line each.")
    ] = False,
    quiet: options.Quiet = False,
) -> int:
    """Ask one question after the other about documents, each understood from those before it.

    Questions come from the terminal or, a line each, from standard input.
    """
    from ralph_cli import config
    from ralph_cli.commands.terminal.progress import progress
    from ralph_cli.runs.execute import Setup
    from ralph_cli.runs.opening import load_documents

    named = [*(documents or []), *(doc or [])]
    if not named:
        raise UserError("the document is missing", code="usage", hint="ralph chat DOCUMENT...")
    if "-" in named:
        what = "standard input has the questions, and cannot be the document, too"
        raise UserError(what, code="usage", hint="name the document by its file")
    settings = config.load_settings(given)
    setup = Setup.of(settings)
    setup.choose_models()  # what cannot be asked is told before anybody types
    with progress(settings, quiet=quiet) as display:
        source = options.source_of(*named, password=password, encoding=encoding, strict=strict_load, display=display)
        source = load_documents(source, settings)
    lines = TypedLines(history)
    talk = Talk(source, setup, json=json, quiet=quiet, is_short=lines.is_interactive)
    if lines.is_interactive and not quiet:
        typer.echo("Ask about it; /help tells what else there is, Ctrl-D ends.", err=True)
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
    """The questions that were asked at one prompt, and what a person wants to see of the answers.

    `is_short` leaves the quotes out until they are asked for. `is_any_open` says that a question has no accepted
    answer.
    """

    source: "DocumentSource"
    setup: "Setup"
    json: bool
    quiet: bool
    is_short: bool
    last: "Result | None" = None
    results: "list[Result]" = field(default_factory=list)
    is_any_open: bool = False
    told: set[str] = field(default_factory=set)

    def take(self, line: str) -> None:
        """Do what a line says: a question is asked, a command carried out. An error is told, and nothing ends."""
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
            self._print_answer(result)
        else:
            typer.echo(f"> {question}\n")
            print_report(result.view)
            typer.echo()
        if code == 130 and self._is_over:
            raise KeyboardInterrupt

    @property
    def _is_over(self) -> bool:
        """Whether an interrupt ends the prompt, too: what is no Ctrl-C does, and so does any where nobody types."""
        return not self.is_short or interrupts.exit_code != 130

    def _answer(self, question: str, display: "SilentProgress") -> "Result":
        from ralph_cli.commands.terminal.progress import FirstNotices
        from ralph_cli.runs.questions import answer_question
        from ralph_cli.runs.resuming.following import follow_run

        setup = replace(self.setup, sink=FirstNotices(display, self.told))
        if self.last is None:
            return answer_question(self.source, question, setup)
        return follow_run(self.last.folder, question, setup, self.source)

    def _print_answer(self, result: "Result") -> None:
        from ralph_cli.reports.terminal import answer_lines

        _show([*answer_lines(result.view), []])

    def _carry_out(self, command: str) -> None:
        if command in ("help", "h", "?"):
            typer.echo(HELP, err=not self.is_short)
            return
        if command == "new":
            self.last = None
            return
        if self.last is None:
            raise UserError("nothing was asked yet", code="usage", hint="type a question; /help tells more")
        if command in ("e", "evidence"):
            self._print_evidence(self.last)
        elif command.isdecimal():
            self._print_quote(self.last, int(command))
        elif command == "cost":
            self._print_cost(self.last)
        elif command == "open":
            self._write_report(self.last)
        else:
            raise UserError(f"there is no /{command}", code="usage", hint="/help tells what there is")

    def _print_evidence(self, result: "Result") -> None:
        from ralph_cli.reports.terminal import evidence_lines

        _show(list(evidence_lines(result.view)))

    def _print_quote(self, result: "Result", number: int) -> None:
        quotes = {quote.id: quote for quote in (*result.quotes, *result.view.found_passages)}
        if number not in quotes:
            known = ", ".join(f"/{name}" for name in quotes) or "none"
            raise UserError(f"the last answer has no quote {number}", code="usage", hint=f"it has {known}")
        _show(list(passage_lines(quotes[number], self.source.load(), paged=result.view.paged)))

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


def _show(lines: "list[list[Styled]]") -> None:
    from ralph_cli.reports.safe_text import plain_text

    print_lines(lines, plain_text(lines))


def passage_lines(quote: "Quote", document: "Document", *, paged: bool) -> "Iterator[list[Styled]]":
    """A quote in the lines of the document in which it stands, with some before and behind it."""
    from ralph_cli.reports.safe_text import make_visible, one_line
    from ralph_cli.reports.view import describe_place

    yield [(f"[{quote.id}] {one_line(describe_place(quote, paged=paged))}", "bold")]
    page = document.page_at(quote.start)
    text, at = document.text, page.start
    lines: list[list[Styled]] = []
    inside: list[int] = []
    for words in text[page.start : max(page.end, quote.end)].split("\n"):
        low, high = (min(max(place - at, 0), len(words)) for place in (quote.start, quote.end))
        if high > low:
            inside.append(len(lines))
        parts = (("    " * bool(words), ""), (words[:low], "dim"), (words[low:high], "bold"), (words[high:], "dim"))
        lines.append([(make_visible(part, keep="\t"), style) for part, style in parts])
        at += len(words) + 1
    begin, end = (inside[0], inside[-1]) if inside else (0, 0)
    yield from lines[max(begin - AROUND, 0) : end + AROUND + 1]


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
