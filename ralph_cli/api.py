"""The Python API: names and paths in, a result out; the same functions that the commands call."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ralph_cli import __version__, wiring
from ralph_cli.config import Settings, load
from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import AnyEvent, CallFinished, Fanout, Noticed, RunStarted, Sink
from ralph_cli.core.model import Model, Usage
from ralph_cli.core.run import Halt, Outcome, StopType
from ralph_cli.documents.load import load as load_document
from ralph_cli.journal.store import FILE as JOURNAL_FILE
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.journal.traces import TraceWriter
from ralph_cli.loop.engine import run_loop
from ralph_cli.loop.state import LoopState, fold
from ralph_cli.reports.view import RunView, view
from sandbox import Sandbox

MAX_QUESTION = 20_000


@dataclass(frozen=True, slots=True)
class Asked:
    """What `ask` returns: the outcome, the document it speaks of, what it cost and where its record is."""

    outcome: Outcome
    document: Document
    question: str
    usage: Usage
    seconds: float
    run: str
    folder: Path
    judge: str
    notices: tuple[Noticed, ...]


def ask(
    document: str | Path | Document,
    question: str,
    *,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: Sink | None = None,
    password: str | None = None,
    encoding: str | None = None,
    stdin: Callable[[], bytes] | None = None,
    on_loading: Callable[[int, int], None] | None = None,
) -> Asked:
    """Answer `question` from `document`, with every claim pinned to verbatim quotes.

    `models` replaces the worker, judge or subquery by models of the caller's, `engine` the sandbox. `sink` hears every
    event after it was committed to the journal. Raises RalphError: UserError for what a person can mend, ProviderError
    when a model service fails, EngineError when no sandbox can run. A question that could not be answered is not an
    error: see `Asked.outcome`.
    """
    settings = settings or load()
    question = _checked(question)
    names = wiring.choose(settings, models or {})
    if not isinstance(document, Document):
        document = load_document(
            document,
            stdin=stdin,
            password=password,
            encoding=encoding,
            cache=settings.cache_folder,
            on_progress=on_loading,
        )
    folder = wiring.run_folder(settings, document)
    journal = Journal(folder)
    heard = _Notices()
    everyone = Fanout((journal, TraceWriter(settings.out, folder), heard, *((sink,) if sink else ())))
    try:
        return _ask(document, question, settings, names, models, engine, everyone, heard, folder)
    finally:
        journal.close()


def _ask(
    document: Document,
    question: str,
    settings: Settings,
    names: wiring.Names,
    models: Mapping[str, Model] | None,
    engine: Callable[[], Sandbox] | None,
    sink: Sink,
    heard: "_Notices",
    folder: Path,
) -> Asked:
    ledger = Ledger(settings.limits)
    built = wiring.build_models(settings, names, ledger, sink, models)
    started = RunStarted(folder.name, "qa", question, described(document), _recorded(settings, names), clock.now())
    sink(started)
    state = LoopState().apply(started)
    for notice in (*names.notices, *(Noticed(caution.code, caution.message) for caution in document.cautions)):
        sink(notice)

    def waiting(what: str) -> None:
        sink(Noticed("sandbox", what))

    opened = engine or wiring.open_engine(settings, len(document.text), waiting)
    parts = wiring.build_qa(settings, built, document, question, opened, sink)
    try:
        outcome = run_loop(parts.mode, state, ledger=ledger, config=settings.stops, sink=sink)
    finally:
        parts.close()
        built.close()
    return Asked(
        outcome,
        document,
        question,
        ledger.spent,
        round(ledger.elapsed, 3),
        folder.name,
        folder,
        built.judge.name,
        tuple(heard.notices),
    )


class _Notices:
    """A sink that remembers what a person should be told."""

    def __init__(self) -> None:
        self.notices: list[Noticed] = []

    def __call__(self, event: AnyEvent, /) -> None:
        if isinstance(event, Noticed):
            self.notices.append(event)


def _checked(question: str) -> str:
    text = question.strip()
    if not text:
        raise ConfigError("the question is empty", code="no-question", hint='ralph qa report.pdf "What was ...?"')
    if len(text) > MAX_QUESTION:
        what = f"the question has {len(text):,} characters, at most {MAX_QUESTION:,} are taken"
        raise ConfigError(what, code="long-question", hint="put long material into the document")
    return text


def described(document: Document) -> dict[str, object]:
    """What a trace keeps of a document: enough to know it again, none of its text."""
    return {
        "id": document.id,
        "sha256": document.sha256,
        "fingerprint": document.fingerprint,
        "path": document.path,
        "kind": document.kind,
        "pages": len(document.pages),
        "characters": len(document.text),
        "cautions": [caution.message for caution in document.cautions],
    }


def _recorded(settings: Settings, names: wiring.Names) -> dict[str, object]:
    chosen = {"worker": names.worker, "judge": names.judge, "subquery": names.subquery}
    return {"version": __version__, "models": chosen, **settings.shown()}


def view_of(asked: Asked) -> RunView:
    """What a reader is shown of a result of `ask`."""
    return view(
        run=asked.run,
        folder=str(asked.folder),
        question=asked.question,
        document=described(asked.document),
        halt=asked.outcome.halt,
        best=asked.outcome.best,
        judge=asked.judge,
        iterations=asked.outcome.iterations,
        usage=asked.usage,
        seconds=asked.seconds,
        notices=tuple(notice.message for notice in asked.notices),
    )


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run as its journal tells it."""

    view: RunView
    events: tuple[AnyEvent, ...]


def recorded(folder: Path) -> Recorded:
    """Read a run back from its journal, finished or not. Raises JournalError."""
    events = tuple(read_events(folder))
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    if started is None:
        raise JournalError(f"the run in {folder} was cut off before it began", code="no-run")
    state = fold(events)
    unfinished = Halt(StopType.USER_INTERRUPTED, "the run has no end: it still runs, or was killed")
    seconds = sum(event.seconds for event in events if isinstance(event, CallFinished))
    shown = view(
        run=started.run,
        folder=str(folder),
        question=started.question,
        document=started.document,
        halt=state.halt or unfinished,
        best=state.best,
        judge=str(started.settings.get("models", {}).get("judge", "")),
        iterations=len(state.steps),
        usage=state.usage,
        seconds=round(seconds, 3),
        notices=tuple(event.message for event in events if isinstance(event, Noticed)),
    )
    return Recorded(shown, events)


def run_names(out: Path) -> list[str]:
    """The runs in `out` that have a journal, oldest first."""
    return sorted(path.parent.name for path in out.glob(f"*/{JOURNAL_FILE}"))


def find_run(out: Path, name: str | None) -> Path:
    """The folder of the run of that name, or a unique beginning or end of it, or of the newest."""
    names = run_names(out)
    if not names:
        raise JournalError(f"there are no runs in {out}", code="no-run", hint='ralph qa report.pdf "What was ...?"')
    if name is None:
        return out / names[-1]
    matching = [run for run in names if run == name] or [r for r in names if r.startswith(name) or r.endswith(name)]
    if len(matching) != 1:
        what = "no run" if not matching else f"{len(matching)} runs"
        raise JournalError(f"{what} in {out} match {name!r}", code="no-run", hint="`ralph trace list` shows the runs")
    return out / matching[0]
