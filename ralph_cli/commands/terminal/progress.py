"""The progress display on standard error: a line for each step, and what ralph is waiting for."""

import ast
import shutil
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import TYPE_CHECKING

import typer

from ralph_cli.commands.terminal.interrupts import interrupts
from ralph_cli.core import clock, events
from ralph_cli.core.model import Usage
from ralph_cli.core.run import Step
from ralph_cli.reports.safe_text import one_line
from ralph_cli.rlm.searches import parse_code
from ralph_cli.text.lexicon import pluralize

if TYPE_CHECKING:
    from ralph_cli.config import Settings

# The key of running code in `_waiting`, whose other keys are numbers of calls.
CODE = 0

# The key of a running verifier there.
VERIFIER = -1

# Seconds after which the display shows what it waits for.
SHOW_WAIT_AFTER = 2.0

REDRAW_SECONDS = 0.5

# What an agent does, by its name.
ACTIVITIES = {
    "worker": "the worker is thinking",
    "goal": "the worker is thinking",
    "judge": "the judge is reading",
    "child": "child workers explore their parts",
    "subquery": "sub-queries",
    "extractor": "the worker writes down what it has",
    "reader": "the reader gathers quotes",
    "reasoner": "the writer writes",
    "task_judge": "the judge is reading",
    "counter": "the judge reads what may limit the claims",
    "grader": "the answer is compared with the reference",
}

# The width where standard error is no terminal: lines are not wrapped for programs.
UNWRAPPED = 10_000

# Statements that only prepare what a snippet does.
NOT_DOING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)

# Issues that are shown of a refused attempt, at most.
MAX_REFUSALS_SHOWN = 5

# Agents whose turns begin with a line of their own.
PHASES = {"reader": "reading", "reasoner": "writing", "task_judge": "judging"}


class SilentProgress:
    """Shows nothing."""

    def __call__(self, event: events.AnyEvent, /) -> None:
        """Tell the signal handlers about the event."""
        interrupts.follow(event)

    def on_loading(self, done: int, total: int) -> None:
        """Ignore the progress of loading."""

    def on_files(self, done: int, total: int) -> None:
        """Ignore the progress of loading a set."""

    def write(self, line: str) -> None:
        """Ignore the line."""

    def show_status(self, line: str) -> None:
        """Ignore the status."""


class FirstNotices:
    """Passes events on, but each notice only once. `shown` are the notices that were passed on."""

    def __init__(self, display: SilentProgress, shown: set[str]) -> None:
        self._display, self._shown = display, shown

    def __call__(self, event: events.AnyEvent, /) -> None:
        if isinstance(event, events.NoticeIssued):
            if event.message in self._shown:
                return
            self._shown.add(event.message)
        self._display(event)


class LineProgress(SilentProgress):
    """Writes a line for each finished step, and every `interval` seconds what takes long."""

    def __init__(self, interval: float, max_cost: float | None = None) -> None:
        self._interval, self._max_cost = interval, max_cost
        self._usage = Usage()
        self._waiting: dict[int, tuple[str, float]] = {}
        self._children: dict[str, str] = {}
        self._iteration = 0
        self._batches = 0
        self._agent = ""
        self._has_model = False
        self._loading = ("", 0.0)
        self._status = ""
        self._held = ("", 0.0)
        self._shown = False
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run_heartbeat, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Start the thread that shows what takes long."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread and clear the status."""
        self._stopped.set()
        self._thread.join(timeout=1)
        self.draw("")

    def __call__(self, event: events.AnyEvent, /) -> None:
        super().__call__(event)
        with self._lock:
            line = self.event_line(event)
            if line:
                self.write(line)

    def on_loading(self, done: int, total: int) -> None:
        """Note how much of the document is read."""
        page = f": page {done} of {total}" if total > 1 else ""
        self._loading = (f"reading the document{page}", self._loading[1] or clock.monotonic())

    def on_files(self, done: int, total: int) -> None:
        """Note how many documents are read."""
        what = f"reading the documents: {done} of {total}"
        self._loading = (what, self._loading[1] or clock.monotonic()) if done < total else ("", 0.0)

    def show_status(self, line: str) -> None:
        """Set the status, which is shown while nothing else is."""
        self._status = line

    def write(self, line: str) -> None:
        """Write lines, wrapped at the width of a terminal with further rows indented."""
        width = shutil.get_terminal_size().columns if sys.stderr.isatty() else UNWRAPPED
        for row in line.split("\n"):
            indent = " " * (len(row) - len(row.lstrip()) + 2)
            typer.echo("\n".join(textwrap.wrap(row, width, subsequent_indent=indent) or [row]), err=True)

    def draw(self, line: str) -> None:
        """Show what ralph waits for, here as a line."""
        if line:
            typer.echo(line, err=True)

    def event_line(self, event: events.AnyEvent) -> str:
        """Return the line for an event; empty if it has none."""
        match event:
            case events.NoticeIssued(code, message):
                return f"note: {one_line(message)}" if code != "sandbox" else f"sandbox: {one_line(message)}"
            case events.IterationStarted(number):
                self._iteration = number
                return f"iteration {number}" if number > 1 and not self._batches else ""
            case events.CallStarted() | events.CallFinished() | events.CallRetried():
                return self._call_line(event)
            case events.SnippetStarted():
                self._waiting[CODE] = ("running code", clock.monotonic())
            case events.SnippetRan():
                self._waiting.pop(CODE, None)
                return self._snippet_line(event)
            case events.ChildStarted():
                self._children[event.branch] = event.question
            case events.ChildFinished(branch=branch, error=error, seconds=seconds):
                question = one_line(self._children.pop(branch, ""), 90)
                result = f"failed ({one_line(error, 110)})" if error else "handed in"
                return f"  child {branch}: {question} - {result} after {seconds:.0f} s{self._usage_suffix()}"
            case events.DraftSubmitted(step=step, problems=problems):
                what = "submitted; local checks passed" if not problems else f"rejected: {problems[0]}"
                return f"  step {step}: {one_line(what, 150)}{self._usage_suffix()}"
            case events.TurnRejected(step=step, reason=reason):
                return f"  step {step}: {one_line(reason, 150)}"
            case events.VerifierStarted(name=name):
                self._waiting[VERIFIER] = (f"the verifier {one_line(name, 60)} runs", clock.monotonic())
            case events.OutputChanged() | events.VerifierFinished() | events.WorkerReported():
                return self._goal_line(event)
            case events.CasesGenerated(batches=batches):
                self._batches = len(batches)
            case events.StepFinished(step):
                return self._step_line(step)
        return ""

    def _call_line(self, event: events.CallEvent) -> str:
        match event:
            case events.CallStarted(number, agent, model):
                self._has_model = self._has_model or not model.startswith("offline:")
                self._waiting[number] = (ACTIVITIES.get(agent, agent), clock.monotonic())
                return self._phase_line(agent)
            case events.CallFinished(number, model=model, usage=usage):
                self._waiting.pop(number, None)
                if not model.startswith("offline:"):  # their usage counts words
                    self._usage += usage
            case events.CallRetried(agent, _, attempt, reason, wait):
                self._held = one_line(reason, 120), clock.monotonic() + wait
                return f"  {agent} failed ({one_line(reason, 120)}), try {attempt + 1} in {wait:.0f} s"
        return ""

    def _step_line(self, step: Step) -> str:
        if self._batches:
            refused = f": {len(step.issues)} of {len(step.attempt.claims)} claims refused"
            broken = next((item.broken for item in step.evidence if item.broken), "")
            result = f", no verdicts: {one_line(broken, 110)}" if broken else refused
            return f"  batch {self._iteration} of {self._batches}{result}{self._usage_suffix()}"
        self._agent = ""
        issues = [f"  refused: {one_line(i.line, 150)}" for i in step.issues if step.attempt.output]
        rulings = []
        for item in step.rulings:
            if item.verdict.is_judgement:
                what = f"claim {item.claim}" if item.claim else "output"
                rulings.append(f"  judge: {what} {item.verdict.value} - {one_line(item.reason, 110)}")
        return "\n".join(rulings or issues[:MAX_REFUSALS_SHOWN])

    def _snippet_line(self, event: events.SnippetRan) -> str:
        more = ", ..." if len(event.pages) > 6 else ""
        pages = f", pages {', '.join(map(str, event.pages[:6]))}{more}" if event.pages else ""
        queries = event.queries if self._usage.calls else 0
        asked = f", {pluralize(queries, 'sub-query', 'sub-queries')}" if queries else ""
        fault = ", error" if event.error else ""
        what = one_line(describe_code(event.code), 70) if self._has_model else "the text is searched for words"
        return f"  step {event.step}: {what}{pages}{asked}{fault}{self._usage_suffix()}"

    def _goal_line(self, event: events.OutputChanged | events.VerifierFinished | events.WorkerReported) -> str:
        self._waiting.pop(VERIFIER, None)
        match event:
            case events.OutputChanged(output=output, revision=revision):
                return f"  output, version {revision}: {len(output):,} characters{self._usage_suffix()}"
            case events.VerifierFinished(name=name, passed=passed, ended=ended, output=output):
                fault = "" if passed or not output else f": {one_line(output, 110)}"
                return f"  verified by {one_line(name)}: {'passed' if passed else 'FAILED'} ({one_line(ended)}){fault}"
            case events.WorkerReported(text=text, intent=intent):
                words = {"note": "notes", "done": "says that it is done", "blocked": "cannot go on"}
                return f"  the worker {words[intent]}: {one_line(text, 110)}".rstrip(": ")

    def _phase_line(self, agent: str) -> str:
        """Return a line when another agent of a task begins; sub-queries belong to the agent that asks them."""
        if agent not in PHASES or agent == self._agent:
            return ""
        self._agent = agent
        return f"  {PHASES[agent]}"

    def _usage_suffix(self) -> str:
        if not self._usage.calls:
            return ""
        parts = [pluralize(self._usage.calls, "call")]
        if self._usage.usd or self._max_cost:
            of_most = f" of ${self._max_cost:g}" if self._max_cost else ""
            parts.append(f"${self._usage.usd or 0:.4f}{of_most}")
        return f"  ({', '.join(parts)})"

    def _run_heartbeat(self) -> None:
        while not self._stopped.wait(self._interval):
            with self._lock:
                line = self.waiting_line()
                if line:
                    self.draw(line)

    def waiting_line(self) -> str:
        """Return what ralph is waiting for, once that takes long."""
        now = clock.monotonic()
        reason, until = self._held
        if now < until:
            return f"  waiting {until - now:.0f} s: {reason} ..."
        if self._waiting:
            what, since = next(iter(self._waiting.values()))
            many = f" ({len(self._waiting)} in flight)" if len(self._waiting) > 1 else ""
            return f"  {what}{many}, {now - since:.0f} s ..." if now - since >= SHOW_WAIT_AFTER else ""
        if self._iteration == 0 and self._loading[0] and now - self._loading[1] >= SHOW_WAIT_AFTER:
            return f"  {self._loading[0]} ..."
        return self._status


class LiveProgress(LineProgress):
    """The same on a terminal, whose last line shows what ralph is waiting for."""

    def write(self, line: str) -> None:
        self.draw("")
        super().write(line)

    def draw(self, line: str) -> None:
        # Only the last row of a wrapped line could be cleared.
        line = line[: max(shutil.get_terminal_size().columns - 1, 10)]
        if line or self._shown:
            # Return to the line's start and clear it. All other control characters were escaped.
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()
        self._shown = bool(line)


def describe_code(code: str) -> str:
    """Return the first line of a snippet's first statement that is no import, definition, assignment or text."""
    try:
        statements = parse_code(code).body
    except (SyntaxError, ValueError, RecursionError):
        return next((line for line in code.splitlines() if line.strip()), "")
    for statement in statements:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not is_text and not isinstance(statement, NOT_DOING):
            return (ast.get_source_segment(code, statement) or "").split("\n")[0]
    return "definitions"


@contextmanager
def progress(settings: "Settings", *, quiet: bool) -> Iterator[SilentProgress]:
    """Show progress during a block: live on a terminal, as lines elsewhere, not at all if `quiet`."""
    if quiet:
        yield SilentProgress()
        return
    live = sys.stderr.isatty()
    interval = REDRAW_SECONDS if live else settings.heartbeat
    max_cost = settings.max_cost if settings.max_cost != inf else None
    display = LiveProgress(interval, max_cost) if live else LineProgress(interval, max_cost)
    display.start()
    try:
        yield display
    finally:
        display.stop()
