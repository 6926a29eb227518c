"""The Python API: names and paths in, a result out; the same functions that the commands call."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli import __version__
from ralph_cli.checks.command import CommandVerifier, Surroundings, read_verifiers
from ralph_cli.checks.quotes import pin
from ralph_cli.config import Settings, command_environment, load
from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import AnyEvent, CallFinished, Fanout, Gate, Noticed, RunStarted, Sink
from ralph_cli.core.goal import GoalState
from ralph_cli.core.model import Model, Usage
from ralph_cli.core.nonce import Nonces
from ralph_cli.core.run import Draft, DraftClaim, Halt, Issue, Outcome, Quote, StopType
from ralph_cli.documents.load import load as load_document
from ralph_cli.documents.locate import QuoteIndex
from ralph_cli.journal.store import FILE as JOURNAL_FILE
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.journal.traces import TraceWriter
from ralph_cli.loop.completion import goal_detectors
from ralph_cli.loop.detectors import StopDetector
from ralph_cli.loop.engine import run_loop
from ralph_cli.loop.state import LoopState, fold
from ralph_cli.modes import goal_record
from ralph_cli.providers.replaying import Recording
from ralph_cli.reports.view import RunView, view
from ralph_cli.wiring.goal import GoalSpec, build_goal, goal_settings, without_judge
from ralph_cli.wiring.models import Models, Names, Parts, build_models, choose, open_engine
from ralph_cli.wiring.qa import build_qa
from ralph_cli.wiring.task import build_task, read_spec
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
class Earlier:
    """What a run takes over from an earlier one: its paid replies, and the seed with which it asks the same again."""

    recording: Recording
    seed: str


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
    earlier: Earlier | None = None,
) -> Finished:
    """Answer `question` from `document`, with every claim pinned to verbatim quotes.

    `models` replaces the worker, judge or subquery by models of the caller's, `engine` the sandbox. `sink` hears every
    event after it was committed to the journal. Raises RalphError: UserError for what a person can mend, ProviderError
    when a model service fails, EngineError when no sandbox can run. A question that could not be answered is not an
    error: see `Finished.outcome`. `earlier` is how `resume` goes on with a run.
    """
    settings = settings or load()
    question = checked(question, "question", 'ralph qa report.pdf "What was ...?"')
    names = choose(settings, models or {})
    loaded = opened(document, settings, password, encoding, stdin, on_loading)

    def build(stage: Stage) -> Parts:
        return build_qa(settings, stage.models, loaded, question, stage.engine, stage.nonces, stage.sink)

    return execute(
        "qa",
        question,
        loaded,
        build,
        settings=settings,
        names=names,
        models=models,
        engine=engine,
        sink=sink,
        earlier=earlier,
    )


def run_task(
    document: str | Path | Document | None,
    task: str,
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
    """Do `task` on `document`: the result is free text, or data, at `Finished.outcome.best.attempt.output`.

    Every figure, date and quotation in it is in the quotes of the brief behind it (`attempt.claims`, `attempt.quotes`),
    and those are in the document. Format, schema and memory are settings. Without a document (None) the memory named
    by `settings.memory` is all that is known. `models` may also hold a "reasoner"; everything else is as in `ask`.
    """
    settings = settings or load()
    task = checked(task, "task", 'ralph task contract.docx "List every deadline"')
    names = choose(settings, models or {})
    loaded = None if document is None else opened(document, settings, password, encoding, stdin, on_loading)
    spec = read_spec(settings, task, loaded)

    def build(stage: Stage) -> Parts:
        kept = stage.nonces, stage.sink, stage.folder
        return build_task(settings, stage.models, loaded, spec, stage.engine, *kept)

    return execute("task", task, loaded, build, settings=settings, names=names, models=models, engine=engine, sink=sink)


def run_goal(
    document: str | Path | Document,
    objective: str,
    *,
    verify: Sequence[str | CommandVerifier] = (),
    instructions: str = "",
    require_verifier: bool = True,
    resume: bool = False,
    shell: bool = False,
    folder: Path | None = None,
    suffix: str = ".txt",
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: Sink | None = None,
    password: str | None = None,
    encoding: str | None = None,
    stdin: Callable[[], bytes] | None = None,
    on_loading: Callable[[int, int], None] | None = None,
) -> Finished:
    """Work on `document` toward `objective` until every command of `verify` has passed on the output.

    A command is run in `folder` (the working folder), with "{output}" replaced by the path of a file that ends in
    `suffix`. The worker is told `instructions`. With `resume` the newest run of this goal goes on if it was cut off.
    Without any verifier ConfigError is raised, unless `require_verifier` is False: then the result is unverified.
    `goal_of` tells status, output and evidence; everything else is as in `ask`.
    """
    settings = goal_settings(settings or load())
    objective = checked(
        objective, "objective", 'ralph goal report.pdf "Extract ..." --verify "python check.py {output}"'
    )
    around = Surroundings(folder or Path.cwd(), command_environment(), settings.verify_timeout, shell)
    spec = GoalSpec(objective, read_verifiers(verify, shell=shell), around, instructions, require_verifier, suffix)
    names = without_judge(choose(settings, models or {}))
    loaded = opened(document, settings, password, encoding, stdin, on_loading)
    earlier = goal_record.unfinished(settings.out, loaded.sha256, objective) if resume else None
    spec = replace(spec, earlier=earlier)

    def build(stage: Stage) -> Parts:
        if resume and earlier is None:
            stage.sink(Noticed("afresh", "no run of this goal was cut off, so it starts afresh"))
        kept = stage.nonces, stage.sink, stage.folder
        return build_goal(settings, stage.models, loaded, spec, stage.engine, *kept)

    finished = execute(
        "goal",
        objective,
        loaded,
        build,
        settings=settings,
        names=names,
        models=models,
        engine=engine,
        sink=Fanout((goal_record.GoalRecord(settings.out), *((sink,) if sink else ()))),
        detectors=goal_detectors(earlier.iteration if earlier else 0),
    )
    goal_record.keep_output(finished.folder, suffix, finished.outcome.best)
    return finished


def goal_of(folder: Path) -> GoalState:
    """Status, output and evidence of the goal whose run is in `folder`. Raises JournalError."""
    return goal_record.goal_of(folder)


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
    detectors: StopDetector | None = None,
    earlier: Earlier | None = None,
) -> Finished:
    """Run the mode that `build` makes, with journal, traces, ledger and models around it; every mode comes through."""
    folder = run_folder(settings, mode, document)
    journal = Journal(folder)
    heard = _Heard()
    traces = TraceWriter(settings.out, folder, heard.complain)
    everyone = Gate(Fanout((journal, traces, heard, *((sink,) if sink else ()))))
    try:
        ledger = Ledger(settings.limits)
        recording, seed = (earlier.recording, earlier.seed) if earlier else (None, clock.token(16))
        built = build_models(settings, names, ledger, everyone, models, recording)
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
            outcome = run_loop(
                parts.mode, state, ledger=ledger, config=settings.stops, sink=everyone, detectors=detectors
            )
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
        mode=finished.mode,
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
        mode=started.mode,
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


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """What became of one quote: where it stands (`quote`), or why it does not (`issue`); exactly one is None."""

    said: str
    quote: Quote | None
    issue: Issue | None


def check_quotes(
    document: str | Path | Document, quotes: Sequence[str], *, settings: Settings | None = None
) -> tuple[QuoteCheck, ...]:
    """Look up quotes in a document, without any model or key; in their order. Raises DocumentError."""
    loaded = opened(document, settings or load())
    index = QuoteIndex(loaded)
    found = []
    for said in quotes:
        attempt = pin(Draft((DraftClaim("", (said,)),)), loaded, index)
        found.append(QuoteCheck(said, next(iter(attempt.quotes), None), next(iter(attempt.refused), None)))
    return tuple(found)
