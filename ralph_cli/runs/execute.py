"""Runs a mode with its journal, traces, ledger and models. Every run comes through here."""

import hmac
import itertools
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from ralph_cli.checks.verifier import Verifier
from ralph_cli.config import Settings, complete_settings
from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.document import SKIPPED, Document, Member
from ralph_cli.core.errors import ConfigError, JournalError, RalphError
from ralph_cli.core.events import (
    JUDGES,
    AnyEvent,
    CallEvent,
    CallFinished,
    CallStarted,
    ClosingSink,
    EventSink,
    Fanout,
    IterationStarted,
    NoticeIssued,
    RunHalted,
    RunStarted,
)
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import Nonces
from ralph_cli.core.prompts.templates import prompt_digests
from ralph_cli.core.run import Halt, Outcome, StopType
from ralph_cli.core.version import __version__
from ralph_cli.documents.load import describe_loader
from ralph_cli.journal.copies import MEMORY_SNAPSHOT_FILE, SCHEMA_SNAPSHOT_FILE, copy_runs
from ralph_cli.journal.store import Journal, machine_key
from ralph_cli.journal.traces import TraceWriter
from ralph_cli.loop.detectors import StopDetector
from ralph_cli.loop.engine import run_loop
from ralph_cli.loop.state import LoopState, StateTracker
from ralph_cli.providers.replaying import Recording
from ralph_cli.reports.safe_text import pick
from ralph_cli.reports.view import RunView
from ralph_cli.runs.folders import require_runs_folder
from ralph_cli.runs.history import describe_kept, read_run, run_from_events
from ralph_cli.runs.result import Result
from ralph_cli.wiring.models import (
    BuiltMode,
    ModelNames,
    RunContext,
    TakeTurn,
    build_models,
    choose_models,
    engine_opener,
)
from ralph_cli.wiring.spans import open_spans
from ralph_cli.wiring.spending import run_budget
from sandbox import Sandbox

MAX_QUESTION = 20_000


@dataclass(frozen=True, slots=True)
class EarlierRuns:
    """The earlier runs that a run continues: their events, their seed, and their folders, the latest first.

    `notices` tell what was not taken over. `dropped` are calls of the latest run whose replies are of no use. With
    `names`, the models of a replayed run, nothing is asked that has no record.
    """

    runs: tuple[tuple[AnyEvent, ...], ...]
    seed: str
    folders: tuple[Path, ...] = ()
    notices: tuple[NoticeIssued, ...] = ()
    dropped: tuple[CallEvent, ...] = ()
    names: ModelNames | None = None

    @property
    def unused(self) -> Iterator[CallEvent]:
        """The calls whose replies are not used: those of judges before the first iteration of the latest run, and
        `dropped`.
        """
        begun = itertools.takewhile(lambda event: not isinstance(event, IterationStarted), next(iter(self.runs), ()))
        yield from (call for call in begun if isinstance(call, CallStarted | CallFinished) and call.agent in JUDGES)
        yield from self.dropped

    def copy_to(self, folder: Path) -> None:
        """Copies the earlier runs that a new run needs into its folder. Raises JournalError."""
        if self.names is not None:
            return
        recording = Recording()
        longest_first = sorted(zip(self.folders, self.runs, strict=True), key=lambda run: -len(run[1]))
        needed = [earlier for earlier, events in longest_first if recording.add(events)]
        copy_runs(needed, folder, (MEMORY_SNAPSHOT_FILE, SCHEMA_SNAPSHOT_FILE))


@dataclass(frozen=True, slots=True)
class FollowedRuns:
    """The runs that a further question follows on, the first one first: their events and folders.

    `chain` is the last hash in the journal of the last run, by which it can be recognised.
    """

    runs: tuple[tuple[AnyEvent, ...], ...]
    folders: tuple[Path, ...]
    chain: str

    @property
    def starts(self) -> list[RunStarted]:
        """The events that begin these runs."""
        return [event for events in self.runs for event in events if isinstance(event, RunStarted)]

    @property
    def record(self) -> dict[str, object]:
        """The entry about these runs in the record of a run that follows on them."""
        questions = [started.question for started in self.starts]
        return {"run": self.folders[-1].name, "chain": self.chain, "questions": questions}

    def copy_to(self, folder: Path) -> None:
        """Copies these runs into the folder of a run that follows on them, so that it can be moved alone. Raises
        JournalError.
        """
        copy_runs(self.folders, folder, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a run is made with: the settings, and what a caller provides instead of them.

    `models` replaces models by role, `engine` the sandbox. `sink` is called with every event after it is in the
    journal. `followed` are the runs that a question follows on. Related runs can share a budget (`purse`), a way to
    open sandboxes (`open_engines`), and the seed of the marks around data (`shared_seed`), so that their prompts begin
    alike. With `take_turn` they share a rate limit with other programs.
    """

    settings: Settings
    models: Mapping[str, Model] = field(default_factory=dict)
    verifier: Verifier | None = None
    engine: Callable[[], Sandbox] | None = None
    sink: EventSink | None = None
    earlier: EarlierRuns | None = None
    followed: FollowedRuns | None = None
    purse: Ledger | None = None
    open_engines: Callable[[Settings, int, Callable[[str], None]], Callable[[], Sandbox]] = engine_opener
    shared_seed: str = ""
    take_turn: TakeTurn = lambda endpoint, gap: 0.0

    def choose_models(self) -> ModelNames:
        """The models of the run: those of a replayed run, else the choice of `wiring.models.choose_models`."""
        if self.earlier is not None and self.earlier.names is not None:
            return self.earlier.names
        return choose_models(self.settings, self.models, self.verifier)

    def new_seed(self) -> str:
        """A random seed for a run, after the seed that it shares with others."""
        return f"{self.shared_seed}-{clock.token(8)}" if self.shared_seed else clock.token(16)

    def with_shared_marks(self, document: Document) -> "Setup":
        """The setup with which all prompts on this document begin alike on this machine, so that a cache can hold them.

        The marks around data depend on the machine's key, so that no author of a document can foresee them, and on the
        document's bytes. Runs that share a seed already, as those of a table do, keep it.
        """
        key = machine_key(self.settings.cache_folder)
        if self.shared_seed or not key:
            return self
        return replace(self, shared_seed=hmac.digest(key, f"marks:{document.sha256}".encode(), "sha256").hex()[:32])

    @classmethod
    def of(
        cls,
        settings: Settings | None,
        models: Mapping[str, Model] | None = None,
        verifier: Verifier | None = None,
        engine: Callable[[], Sandbox] | None = None,
        sink: EventSink | None = None,
    ) -> "Setup":
        """The setup for the arguments of a public function; without `settings` those of the environment.

        Raises ConfigError, also if runs cannot be kept in their folder.
        """
        if settings is not None and not isinstance(settings, Settings):
            what = f"settings are {type(settings).__name__}, not Settings"
            raise ConfigError(what, code="bad-settings", hint="Settings(max_cost=2.0), or load_settings({...})")
        settings = complete_settings(settings)
        require_runs_folder(settings.out)
        return cls(settings=settings, models=models or {}, verifier=verifier, engine=engine, sink=sink)


@dataclass(frozen=True, slots=True)
class Job:
    """What a run does: its mode, question, document and models.

    `read_as` is recorded so that a resumed run reads the document in the same way. `terms` has what the local checks
    need later. `follows` is the record of the runs that a question follows on. `detectors` stop the loop; the default
    is those of the settings.
    """

    mode: str
    text: str
    document: Document | None
    names: ModelNames
    read_as: Mapping[str, object] = field(default_factory=dict)
    terms: Mapping[str, object] = field(default_factory=dict)
    follows: Mapping[str, object] = field(default_factory=dict)
    detectors: StopDetector | None = None


def execute(job: Job, build: Callable[[RunContext], BuiltMode], setup: Setup) -> Result:
    """Run the mode that `build` makes, with its journal, traces, ledger and models."""
    document, settings, sink = job.document, setup.settings, setup.sink
    earlier = setup.earlier or EarlierRuns((), setup.new_seed())
    recording = Recording(*earlier.runs, is_closed=earlier.names is not None)
    folder = new_run_folder(settings, job.mode, document)
    journal = Journal(folder, machine_key(settings.cache_folder))
    event_log = _EventLog()
    spans, without_spans = open_spans(settings)
    listeners = Fanout((event_log, *spans, *((sink,) if sink else ())))
    # Faults beside the run are not sent to its journal, which may be the cause.
    traces = TraceWriter(settings.out, folder, lambda message: listeners(NoticeIssued("trace", message)))
    all_sinks = ClosingSink(Fanout((journal, recording, traces, listeners)))
    budget, bounds = run_budget(settings, job.names.by_role, setup.models)
    ledger = Ledger(budget, within=setup.purse)
    with ExitStack() as closing:
        closing.callback(journal.close)
        closing.callback(ledger.close)
        started = describe_start(job, settings, folder.name, earlier.seed)
        try:
            built = build_models(settings, job.names, ledger, all_sinks, setup.models, recording, setup.take_turn)
            closing.callback(built.close)
            earlier.copy_to(folder)
            if setup.followed is not None:
                setup.followed.copy_to(folder)
            all_sinks(started)
        except BaseException:
            journal.discard()
            raise
        closing.enter_context(_name_run(folder, job.mode))
        cautions = [NoticeIssued(item.code, item.message) for item in document.cautions] if document else []
        for notice in (*earlier.notices, *job.names.notices, *bounds, *cautions, *without_spans):
            all_sinks(notice)
        built.repeat_calls(earlier.unused, are_used=False)
        size = len(document.text) if document else 0
        opener = setup.engine or setup.open_engines(
            settings, size, lambda what: all_sinks(NoticeIssued("sandbox", what))
        )
        stage = RunContext(
            settings,
            built,
            opener,
            Nonces(earlier.seed),
            all_sinks,
            folder,
            ledger,
            earlier.runs,
            earlier.names is not None,
            setup.followed.runs if setup.followed else (),
        )
        try:
            parts = build(stage)
        except BaseException as error:
            interrupted = isinstance(error, KeyboardInterrupt)
            kind = StopType.USER_INTERRUPTED if interrupted else StopType.SYSTEM_ERROR
            with suppress(JournalError):  # the first failure is reported, not a second one
                all_sinks(RunHalted(Halt(kind, str(error) or type(error).__name__), clock.now()))
            raise
        closing.callback(parts.close)
        outcome = run_loop(
            parts.mode,
            LoopState().apply(started),
            ledger=ledger,
            config=settings.stops,
            sink=all_sinks,
            detectors=job.detectors,
            has_result=parts.has_result,
        )
    view = _read_back(folder, event_log.events, outcome)
    # Notices that could not be recorded, such as on a trace that could not be written, are shown too.
    messages = tuple(dict.fromkeys((*(notice.message for notice in event_log.notices), *view.notices)))
    return Result(
        outcome=outcome,
        view=replace(view, notices=messages),
        document=started.document,
        folder=folder,
        notices=(*event_log.notices, *(NoticeIssued("subqueries", line) for line in view.losses)),
        coverage=event_log.state.coverage,
    )


def new_run_folder(settings: Settings, mode: str, document: Document | None) -> Path:
    """A new folder for a run, named by time, the document's hash and chance; no foreign text is in its name."""
    # Milliseconds keep the runs in the order in which they started.
    stamp = clock.now().replace("-", "").replace(":", "").replace(".", "").replace("T", "-").removesuffix("Z")
    about = document.id[:8] if document else "nothing"
    return settings.out / f"{stamp}-{mode}-{about}-{clock.token(3)}"


@contextmanager
def _name_run(folder: Path, mode: str) -> Iterator[None]:
    """Adds the run's name, its kept calls and the command to resume it to an error that ends the run."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, RalphError):
            error.run = folder.name
        error.add_note(describe_kept(folder, mode))
        raise


def _read_back(folder: Path, events: Sequence[AnyEvent], outcome: Outcome) -> RunView:
    """The run as its journal has it; if the journal failed, as its events tell."""
    try:
        view = read_run(folder).view
        if view.halt == outcome.halt:
            return view
    except JournalError:
        pass
    return run_from_events((*events, RunHalted(outcome.halt, clock.now())), str(folder)).view


class _EventLog(StateTracker):
    """A sink that keeps the events, the notices, and the state of the run."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[AnyEvent] = []

    def __call__(self, event: AnyEvent, /) -> None:
        super().__call__(event)
        self.events.append(event)

    @property
    def notices(self) -> list[NoticeIssued]:
        return [event for event in self.events if isinstance(event, NoticeIssued)]


def require_text(text: str, what: str, example: str) -> str:
    """A question, task or objective without surrounding space; ConfigError if it is no text, empty or too long."""
    if not isinstance(text, str):
        raise ConfigError(f"the {what} must be text, not {text!r:.80}", code="no-question", hint=example)
    text = text.strip()
    if not text:
        raise ConfigError(f"the {what} is empty", code="no-question", hint=example)
    if len(text) > MAX_QUESTION:
        fault = f"the {what} has {len(text):,} characters, at most {MAX_QUESTION:,} are allowed"
        raise ConfigError(fault, code="long-question", hint="put long material into the document")
    return text


def describe_document(
    document: Document | None, read_as: Mapping[str, object] = MappingProxyType({})
) -> dict[str, object]:
    """The record of a document: enough to recognise it, without its text; empty for a run without a document.

    `page_starts` are the offsets of its pages, so that coverage can be shown by page without the document. `read_as`
    says how it was read, as in `DocumentSource.record`.
    """
    if document is None:
        return {}
    members = {"documents": [describe_member(member) for member in document.members]} if document.members else {}
    skipped = [caution.message for caution in document.cautions if caution.code == SKIPPED]
    return {
        **read_as,
        **pick(document, "id", "sha256", "fingerprint", "path", "kind"),
        "reader": describe_loader(document.kind),
        "pages": len(document.pages),
        "page_starts": [page.start for page in document.pages],
        "characters": len(document.text),
        "cautions": [caution.message for caution in document.cautions],
        "unreadable": list(document.unreadable_pages),
        **members,
        **({"skipped": skipped} if skipped else {}),
    }


def describe_member(member: Member) -> dict[str, object]:
    """The record of one document of a set."""
    return {
        **pick(member, "name", "path", *(["inner"] if member.inner else [])),
        **pick(member, "sha256", "fingerprint", "kind"),
        "reader": describe_loader(member.kind),
        **pick(member, "pages", "first_page", "start"),
        "characters": member.end - member.start,
    }


def describe_start(job: Job, settings: Settings, run: str, seed: str) -> RunStarted:
    """The event that begins a run of the job, with everything that the run depends on."""
    recorded = _recorded(settings, job.names) | ({"terms": dict(job.terms)} if job.terms else {})
    document = describe_document(job.document, job.read_as)
    return RunStarted(run, job.mode, job.text, document, recorded, clock.now(), seed, dict(job.follows))


def _recorded(settings: Settings, names: ModelNames) -> dict[str, object]:
    chosen = {"worker": names.worker, "judge": names.judge, "subquery": names.subquery}
    panel = {"panel": list(names.panel)} if names.panel else {}
    verifier = {"verifier": names.custom_verifier} if names.custom_verifier else {}
    versions = {"version": __version__, "python": platform.python_version(), "prompts": prompt_digests()}
    return {**versions, "models": chosen, **verifier, **settings.shown(), **panel}
