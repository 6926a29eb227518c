"""Replays a run: makes it again with the same loop and checks from its record alone, and compares the two."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Any

from ralph_cli.config import Settings, complete_settings
from ralph_cli.core.errors import ConfigError, RalphError
from ralph_cli.core.events import (
    AnyEvent,
    CallFinished,
    CallRetried,
    CallStarted,
    GoalSet,
    IterationStarted,
    NoticeIssued,
    RunHalted,
    RunStarted,
    SnippetRan,
    SnippetStarted,
    VerifierStarted,
)
from ralph_cli.documents.source import DocumentLike, DocumentSource
from ralph_cli.journal.consistency import EVENT
from ralph_cli.journal.rows import JOURNAL_FILE, refuse_if_running
from ralph_cli.journal.store import read_events
from ralph_cli.runs.execute import EarlierRuns, Setup
from ralph_cli.runs.goals import pursue_goal, recorded_goal
from ralph_cli.runs.history import RecordedRun, called_name, find_run, read_run
from ralph_cli.runs.questions import answer_question, do_task
from ralph_cli.runs.resuming.earlier import find_followed
from ralph_cli.runs.resuming.record_fields import resumed_settings
from ralph_cli.runs.resuming.resume import RESUMABLE_MODES, open_document, schema_setting
from ralph_cli.wiring.models import ModelNames
from sandbox import Sandbox, SandboxUnavailable

# Events on where and with what a run is made, which a replay does not compare.
_BESIDE = (RunStarted, NoticeIssued, CallStarted, CallRetried, GoalSet, VerifierStarted)


@dataclass(frozen=True, slots=True)
class Replay:
    """A replayed run: its record, the number of equal events, and the first difference.

    `difference` is empty if all events are equal.
    """

    run: RecordedRun
    events: int
    difference: str = ""


def replay(
    run: str | Path | None = None,
    *,
    settings: Settings | None = None,
    document: DocumentLike | None = None,
    password: str | None = None,
) -> Replay:
    """Make a run again from its record, and compare: no model, sandbox or verifier is asked, and nothing is kept.

    None is the newest run. The document is read again from its old path, or from `document`. Loop and checks are those
    of this version. Raises ConfigError for a run whose record lacks a decision, and DocumentError if the document is
    gone or has changed.
    """
    settings = complete_settings(settings)
    folder = run if isinstance(run, Path) else find_run(settings.out, run)
    refuse_if_running(folder)
    recorded = read_run(folder)
    started = recorded.started
    if started.mode not in RESUMABLE_MODES or started.settings.get("verifier"):
        what = (
            "a verifier of the caller's decided on it" if started.settings.get("verifier") else f"it is {started.mode}"
        )
        raise ConfigError(f"{folder.name} cannot be replayed: {what}", code="not-replayable")
    source = open_document(started, settings, DocumentSource.of(document or "", password=password))
    changes = schema_setting(started, (folder,), settings, accept=False)
    chosen, _ = resumed_settings(started, settings, changes, accept=True)
    with tempfile.TemporaryDirectory(prefix="ralph-replay-") as scratch:
        memory = "off" if chosen.memory == "off" else str(Path(scratch) / "memory.md")
        schema = changes.get("output_schema", settings.output_schema)
        # A replay spends nothing.
        unbounded = {"max_cost": inf, "max_time": None, "max_calls": None, "max_tokens": None}
        places = {"out": Path(scratch), "memory": memory, "output_schema": schema}
        chosen = chosen.model_copy(update={**places, **unbounded})
        earlier = EarlierRuns((recorded.events,), started.seed, (folder,), names=_model_names(recorded))
        followed = find_followed(started, (folder,))
        setup = Setup(settings=chosen, engine=_no_engine, earlier=earlier, followed=followed)
        try:
            _make_again(recorded, source, setup)
        except RalphError as error:
            # The record ends where the run was cut off; `_compare` finds out whether the replay ended too early.
            if not list(Path(scratch).glob(f"*/{JOURNAL_FILE}")):
                raise
            ended = error.line
        else:
            ended = ""
        (again,) = (path.parent for path in Path(scratch).glob(f"*/{JOURNAL_FILE}"))
        return _compare(recorded, tuple(read_events(again)), ended)


def _make_again(recorded: RecordedRun, source: DocumentSource | None, setup: Setup) -> None:
    started = recorded.started
    if started.mode == "task":
        do_task(source, started.question, setup)
        return
    assert source is not None
    if started.mode == "qa":
        answer_question(source, started.question, setup)
        return
    continues = next((event.continues for event in recorded.events if isinstance(event, GoalSet)), "")
    pursue_goal(source, recorded_goal(recorded.events, started.question, continues), setup)


def _model_names(recorded: RecordedRun) -> ModelNames:
    """The models of the record, which need not exist any more."""
    settings = recorded.started.settings
    named = settings.get("models", {})
    worker, judge, subquery = (called_name(str(named.get(role, "absent"))) for role in ("worker", "judge", "subquery"))
    panel = tuple(called_name(str(name)) for name in settings.get("panel") or ())
    asked = {event.agent: event.model for event in recorded.events if isinstance(event, CallStarted)}
    verifier = asked.get("verifier", "absent") if settings.get("verify_with_model") else ""
    return ModelNames(worker, judge, subquery, (), verifier, "", panel, asked.get("reasoner", ""))


def _no_engine() -> Sandbox:
    raise SandboxUnavailable("there is no output of the code that comes next in the record")


def _compare(recorded: RecordedRun, again: tuple[AnyEvent, ...], ended: str) -> Replay:
    before, now = list(_decisive(_whole_snippets(recorded.events))), list(_decisive(again))
    for number, (was, is_) in enumerate(zip(before, now, strict=False), 1):
        if was != is_:
            kinds = f"a {was['kind']}" if was["kind"] == is_["kind"] else f"a {was['kind']} and is a {is_['kind']} now"
            return Replay(recorded, number - 1, f"event {number} differs: it was {kinds}")
    if len(now) < len(before):
        return Replay(recorded, len(now), f"it ends after {len(now)} of {len(before)} events: {ended}")
    return Replay(recorded, len(before))


def _whole_snippets(events: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
    """The events without those of an interrupted snippet: the record lacks its output, so nobody can repeat it."""
    bounds = (SnippetStarted, SnippetRan, IterationStarted)
    last = max((at for at, event in enumerate(events) if isinstance(event, bounds)), default=-1)
    return events[: last + 1] if isinstance(events[last], SnippetStarted) else events


def _decisive(events: Iterable[AnyEvent]) -> Iterator[Mapping[str, Any]]:
    """The decisive events as plain values, without times, prices, and the order of simultaneous calls."""
    beside = set()
    for event in events:
        if isinstance(event, CallStarted) and (event.branch or event.agent == "subquery"):
            beside.add(event.number)
        if isinstance(event, _BESIDE) or (isinstance(event, CallFinished) and event.number in beside):
            continue
        if isinstance(event, RunHalted):
            if event.halt.type.is_cut_off():  # a cut-off run is compared as far as its record goes
                continue
            event = replace(event, at="")
        if isinstance(event, CallFinished):
            if event.reply is None:
                continue
            event = replace(event, number=0, seconds=0.0)
        yield EVENT.dump_python(event, mode="json")
