"""The Python API: names and paths in, a result out; the same functions that the commands call."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ralph_cli import __version__
from ralph_cli.config import Settings, load
from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import AnyEvent, CallFinished, Fanout, Gate, Noticed, RunStarted, Sink
from ralph_cli.core.model import Model, Usage
from ralph_cli.core.nonce import Nonces
from ralph_cli.core.run import Halt, Outcome, StopType
from ralph_cli.documents.load import load as load_document
from ralph_cli.journal.store import FILE as JOURNAL_FILE
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.journal.traces import TraceWriter
from ralph_cli.loop.engine import run_loop
from ralph_cli.loop.state import LoopState, fold
from ralph_cli.reports.view import RunView, view
from ralph_cli.wiring.models import Models, Names, Parts, build_models, choose, open_engine
from ralph_cli.wiring.qa import build_qa
from sandbox import Sandbox

MAX_QUESTION = 20_000


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run returns: the outcome, the document it speaks of, what it cost and where its record is."""

    outcome: Outcome
    mode: str
    question: str
    document: dict[str, object]
    usage: Usage
    seconds: float
    run: str
    folder: Path
    judge: str
    notices: tuple[Noticed, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """What a mode is built on: settings, connected models, a sandbox to be opened, nonces, the sink, the folder."""

    settings: Settings
    models: Models
    engine: Callable[[], Sandbox]
    nonces: Nonces
    sink: Sink
    folder: Path


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
) -> Finished:
    """Answer `question` from `document`, with every claim pinned to verbatim quotes.

    `models` replaces the worker, judge or subquery by models of the caller's, `engine` the sandbox. `sink` hears every
    event after it was committed to the journal. Raises RalphError: UserError for what a person can mend, ProviderError
    when a model service fails, EngineError when no sandbox can run. A question that could not be answered is not an
    error: see `Finished.outcome`.
    """
    settings = settings or load()
    question = checked(question, "question", 'ralph qa report.pdf "What was ...?"')
    names = choose(settings, models or {})
    loaded = opened(document, settings, password, encoding, stdin, on_loading)

    def build(stage: Stage) -> Parts:
        return build_qa(settings, stage.models, loaded, question, stage.engine, stage.nonces, stage.sink)

    return execute(
        "qa", question, loaded, build, settings=settings, names=names, models=models, engine=engine, sink=sink
    )


def opened(
    document: str | Path | Document,
    settings: Settings,
    password: str | None = None,
    encoding: str | None = None,
    stdin: Callable[[], bytes] | None = None,
    on_loading: Callable[[int, int], None] | None = None,
) -> Document:
    """The document, loaded if it is a path. Raises DocumentError."""
    if isinstance(document, Document):
        return document
    cache = settings.cache_folder
    return load_document(
        document, stdin=stdin, password=password, encoding=encoding, cache=cache, on_progress=on_loading
    )


def execute(
    mode: str,
    question: str,
    document: Document | None,
    build: Callable[[Stage], Parts],
    *,
    settings: Settings,
    names: Names,
    models: Mapping[str, Model] | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: Sink | None = None,
) -> Finished:
    """Run the mode that `build` makes, with journal, traces, ledger and models around it; every mode comes through."""
    folder = run_folder(settings, mode, document)
    journal = Journal(folder)
    heard = _Heard()
    traces = TraceWriter(settings.out, folder, heard.complain)
    everyone = Gate(Fanout((journal, traces, heard, *((sink,) if sink else ()))))
    try:
        ledger = Ledger(settings.limits)
        built = build_models(settings, names, ledger, everyone, models)
        seed = clock.token(16)
        about = described(document)
        started = RunStarted(folder.name, mode, question, about, _recorded(settings, names), clock.now(), seed)
        everyone(started)
        cautions = document.cautions if document else ()
        for notice in (*names.notices, *(Noticed(caution.code, caution.message) for caution in cautions)):
            everyone(notice)

        def waiting(what: str) -> None:
            everyone(Noticed("sandbox", what))

        size = len(document.text) if document else 0
        stage = Stage(settings, built, engine or open_engine(settings, size, waiting), Nonces(seed), everyone, folder)
        parts = build(stage)
        try:
            state = LoopState().apply(started)
            outcome = run_loop(parts.mode, state, ledger=ledger, config=settings.stops, sink=everyone)
        finally:
            parts.close()
            built.close()
        spent, seconds, notices = heard.state.usage, round(ledger.elapsed, 3), tuple(heard.notices)
        return Finished(outcome, mode, question, about, spent, seconds, folder.name, folder, built.judge.name, notices)
    finally:
        journal.close()


def run_folder(settings: Settings, mode: str, document: Document | None) -> Path:
    """A fresh folder for a run: the time, the document's hash and chance are in its name, nothing anybody wrote is."""
    # Milliseconds, so that runs are listed in the order in which they were started.
    stamp = clock.now().replace("-", "").replace(":", "").replace(".", "").replace("T", "-").removesuffix("Z")
    about = document.id[:8] if document else "nothing"
    return settings.out / f"{stamp}-{mode}-{about}-{clock.token(3)}"


class _Heard:
    """A sink that remembers what a person should be told, and the state that the events fold to."""

    def __init__(self) -> None:
        self.notices: list[Noticed] = []
        self.state = LoopState()
        self._lock = threading.Lock()

    def __call__(self, event: AnyEvent, /) -> None:
        with self._lock:
            self.state = self.state.apply(event)
            if isinstance(event, Noticed):
                self.notices.append(event)

    def complain(self, message: str) -> None:
        """Remember something that went wrong beside the run."""
        self.notices.append(Noticed("trace", message))


def checked(text: str, what: str, example: str) -> str:
    """A question, task or objective without surrounding space; ConfigError when it is empty or too long."""
    text = text.strip()
    if not text:
        raise ConfigError(f"the {what} is empty", code="no-question", hint=example)
    if len(text) > MAX_QUESTION:
        told = f"the {what} has {len(text):,} characters, at most {MAX_QUESTION:,} are taken"
        raise ConfigError(told, code="long-question", hint="put long material into the document")
    return text


def described(document: Document | None) -> dict[str, object]:
    """What a trace keeps of a document: enough to know it again, none of its text; empty for a run without one."""
    if document is None:
        return {}
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


def _recorded(settings: Settings, names: Names) -> dict[str, object]:
    chosen = {"worker": names.worker, "judge": names.judge, "subquery": names.subquery}
    return {"version": __version__, "models": chosen, **settings.shown()}


def view_of(finished: Finished) -> RunView:
    """What a reader is shown of a result."""
    return view(
        run=finished.run,
        folder=str(finished.folder),
        question=finished.question,
        document=finished.document,
        halt=finished.outcome.halt,
        best=finished.outcome.best,
        judge=finished.judge,
        iterations=finished.outcome.iterations,
        usage=finished.usage,
        seconds=finished.seconds,
        notices=tuple(notice.message for notice in finished.notices),
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
    unfinished = Halt(StopType.NONE, "the run has no end: it still runs, or was killed")
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
