"""Reuses answers that this machine has found before: the same question, asked in the same way, costs nothing."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ralph_cli.config import PLACES
from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import AnyEvent, CoverageAdded, EventSink, NoticeIssued, RunHalted, RunStarted
from ralph_cli.core.model import Json
from ralph_cli.core.run import Attempt, Evidence, Lesson, Step, StopType
from ralph_cli.journal.consistency import EVENT
from ralph_cli.journal.store import is_sealed, machine_key, read_events
from ralph_cli.journal.traces import read_index
from ralph_cli.loop.state import LoopState, fold
from ralph_cli.runs.execute import EarlierRuns, Job, Setup, describe_start, execute
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.record_fields import ALWAYS_CURRENT, LOWER_OF_BOTH
from ralph_cli.wiring.models import BuiltMode, RunContext

# The code of the notice on a reused answer.
REUSED = "reused"

_ACCEPTED = (StopType.COMPLETION, StopType.ABSENT)
# Settings without effect on an accepted answer: bounds, keys, folders, and what a person sees.
_WITHOUT_EFFECT = (ALWAYS_CURRENT | LOWER_OF_BOTH) - PLACES

# Vendors whose replies cost nothing, or are in a file that may have changed.
_NEVER_REUSED = ("offline", "scripted")


def run_or_reuse(job: Job, build: Callable[[RunContext], BuiltMode], setup: Setup) -> Result:
    """Run the job, as `execute` does, unless its answer is known.

    The answer is known if a run in the folder of runs had the same mode, question, document, settings, models, prompts
    and version, was accepted, is sealed by this machine, and has quotes that are in the document. The answer then gets
    a record of its own, with a notice that names that run. Models, verifiers and engines of the caller are always
    asked.
    """
    known = next(_find_answers(job, setup), None) if _may_be_known(job, setup) else None
    if known is None:
        return execute(job, build, setup)
    started = known.started
    when = f"on {started.at[:10]} at {started.at[11:16]} UTC, in run {started.run}"
    what = f"answered {when}: its quotes were looked up again, nothing was asked or paid now; --refresh asks again"
    setup = Setup(settings=setup.settings, sink=setup.sink, followed=setup.followed)
    return repeat_answer(job, setup, known, what)


def repeat_answer(job: Job, setup: Setup, known: "KnownAnswer", what: str) -> Result:
    """A new record for a known answer, with a notice of its origin `what`. Nothing is asked."""
    earlier = EarlierRuns((), setup.new_seed(), notices=(NoticeIssued(REUSED, what),), names=job.names)
    setup = Setup(settings=setup.settings, sink=setup.sink, earlier=earlier, followed=setup.followed)
    return execute(job, lambda stage: BuiltMode(_RepeatedAnswer(known.step, known.coverage, stage.sink)), setup)


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """The parts of a run that are reused: its start, the accepted step, and its coverage."""

    started: RunStarted
    step: Step
    coverage: tuple[CoverageAdded, ...]


@dataclass(frozen=True, slots=True)
class _RepeatedAnswer:
    """A mode of one iteration that returns a known answer; see `loop.engine.Mode`."""

    step: Step
    coverage: tuple[CoverageAdded, ...]
    sink: EventSink

    def plan(self, state: LoopState) -> str:
        return ""

    def run(self, message: str, iteration: int) -> Attempt:
        for part in self.coverage:
            self.sink(replace(part, iteration=iteration))
        return self.step.attempt

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        return self.step.evidence

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        return self.step.lesson


def _may_be_known(job: Job, setup: Setup) -> bool:
    of_the_caller = setup.models or setup.verifier or setup.engine or setup.earlier
    vendors = {name.split(":")[0] for name in (job.names.worker, job.names.judge, *job.names.panel)}
    return not (setup.settings.refresh or of_the_caller or vendors & set(_NEVER_REUSED))


def _find_answers(job: Job, setup: Setup) -> Iterator[KnownAnswer]:
    """The known answers, the newest first."""
    out, key = setup.settings.out, machine_key(setup.settings.cache_folder)
    wanted = _terms(describe_start(job, setup.settings, "", ""))
    sessions: dict[str, Any] = {}
    with suppress(JournalError):
        sessions = read_index(out)["sessions"]
    for name in sorted(sessions, reverse=True):
        entry, folder = sessions[name], out / name
        if not isinstance(entry, dict) or entry.get("question") != job.text or folder.parent != out:
            continue
        with suppress(JournalError):
            if folder.is_dir() and not folder.is_symlink() and is_sealed(folder, key):
                answer = _accepted_answer(tuple(read_events(folder)), job)
                if answer is not None and _terms(answer.started) == wanted:
                    yield answer


def _accepted_answer(events: tuple[AnyEvent, ...], job: Job) -> KnownAnswer | None:
    """The answer of a run if it was accepted, is not itself reused, and has quotes from the document."""
    started, best = events[0], fold(events).best
    halted = isinstance(events[-1], RunHalted) and events[-1].halt.type in _ACCEPTED
    taken_over = any(isinstance(event, NoticeIssued) and event.code == REUSED for event in events)
    if not isinstance(started, RunStarted) or best is None or not halted or taken_over:
        return None
    text = job.document.text if job.document else ""
    if any(text[quote.start : quote.end] != quote.text for quote in best.attempt.quotes):
        return None
    return KnownAnswer(started, best, tuple(event for event in events if isinstance(event, CoverageAdded)))


def _terms(started: RunStarted) -> Json:
    """Everything in the start of a run that an answer depends on."""
    plain = EVENT.dump_python(started, mode="json")
    settings = {name: value for name, value in plain["settings"].items() if name not in _WITHOUT_EFFECT}
    document = {name: value for name, value in plain["document"].items() if name != "path"}
    asked = {name: plain[name] for name in ("mode", "question", "follows")}
    return {**asked, "settings": settings, "document": document}
