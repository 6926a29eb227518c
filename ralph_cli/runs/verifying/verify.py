"""Verifying a run later and elsewhere: every deterministic check again, offline, without any key or model."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

from ralph_cli.config import Settings, load
from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError, JournalError
from ralph_cli.core.events import AnyEvent, GoalSet, RunStarted
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.results.verification import Rechecked, Verification
from ralph_cli.core.run import Halt, Issue, Step, StopType
from ralph_cli.documents.load import load_bytes
from ralph_cli.documents.source import DocumentLike, DocumentSource, OnLoading
from ralph_cli.journal.bundle import Bundle
from ralph_cli.journal.store import FILE as JOURNAL_FILE
from ralph_cli.journal.unpack import read_bundle
from ralph_cli.loop.state import fold
from ralph_cli.modes.goal_record import OUTPUT
from ralph_cli.reports.safe_text import show_command
from ralph_cli.runs.execute import described
from ralph_cli.runs.history import as_object, find_run, recorded, told
from ralph_cli.runs.opening import CHANGED, open_recorded
from ralph_cli.runs.verifying.recheck import reading_of, recheck

NO_DOCUMENT = "name the document with --document"


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the record comes from: its events, the folder of a run, or the bundle they were packed in."""

    events: tuple[AnyEvent, ...]
    folder: Path | None = None
    bundle: Bundle | None = None

    @property
    def started(self) -> RunStarted:
        return next(event for event in self.events if isinstance(event, RunStarted))


def verify(
    run_or_bundle: str | Path | None = None,
    *,
    document: DocumentLike | None = None,
    settings: Settings | None = None,
    password: str | None = None,
    encoding: str | None = None,
    on_loading: OnLoading | None = None,
) -> Verification:
    """Check a recorded run again against its document: a run's name or folder, an exported bundle, None for the newest.

    `document` is the file to check against, by default the one of the run, or the one in the bundle. If it is another
    than the run's, every quote is looked up in it: still there, moved, changed or gone. No model is asked and nothing
    of a goal's verifiers is run; what they said is taken over as recorded. Raises JournalError for a record that cannot
    be read or was tampered with, and DocumentError when the document cannot be read.
    """
    settings = settings or load()
    source = _source(run_or_bundle, settings)
    state = fold(source.events)
    started = source.started
    halt = state.halt or Halt(StopType.NONE, "the run has no end: it still runs, or was killed")
    if started.mode == "judge-test":
        what = f"{started.run} is a test of a judge, whose word cannot be had again without the judge"
        raise JournalError(what, code="nothing-to-verify", hint="ralph judge-test")
    if state.best is None:
        what = f"{started.run} has no attempt that could be verified ({halt.detail})"
        raise JournalError(what, code="nothing-to-verify", hint=show_command(settings.out, started.run))
    reading = _Reader(settings, DocumentSource("", password, encoding, on_loading=on_loading))
    at_hand, changed = None, ""
    try:
        at_hand = reading.at_hand(source, document)
    except DocumentError as error:
        if error.code != CHANGED:
            raise
        changed = error.message
    before = reading.before(source, at_hand) if document is not None else None
    goal = _goal(source.events)
    checks, quotes = recheck(started, state.best, halt, at_hand, before, given=document is not None, changed=changed)
    checks = (*_of_bundle(source), *checks, *(_of_goal(source.folder, goal, halt, state.best) if goal else ()))
    return Verification(
        run=started.run,
        mode=started.mode,
        question=started.question,
        source="bundle" if source.bundle else "run",
        seal=source.bundle.seal if source.bundle else "",
        events=len(source.events),
        begun=started.at,
        halt=halt,
        document=started.document,
        now=described(at_hand) if at_hand else {},
        reading=reading_of(started, at_hand),
        checks=checks,
        claims=state.best.attempt.claims,
        quotes=quotes,
        rulings=state.best.rulings,
        evidence=goal.evidence if goal else (),
        output=goal.delivered(state.best) if goal else state.best.attempt.output,
    )


def _source(named: str | Path | None, settings: Settings) -> _Source:
    """The record: a file is a bundle, a folder a run, anything else the name of a run."""
    path = Path(named) if named is not None else None
    if path is not None and path.is_file():
        bundle = read_bundle(path)
        return _Source(tuple(row.event for row in bundle.rows), bundle=bundle)
    folder = (
        path
        if path is not None and (path / JOURNAL_FILE).is_file()
        else find_run(settings.out, str(named) if named else None)
    )
    return _Source(recorded(folder).events, folder=folder)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads documents with the options of one call."""

    settings: Settings
    options: DocumentSource

    def at_hand(self, source: _Source, given: DocumentLike | None) -> Document | None:
        """The document to check against; None when the run had none, or is a goal whose document is not at hand."""
        if given is not None:
            options = self.options
            named = DocumentSource.of(given, password=options.password, encoding=options.encoding)
            return replace(named, on_loading=options.on_loading).load(self.settings.cache_folder)
        recorded_path = str(source.started.document.get("path", ""))
        if not source.started.document:
            return None
        try:
            if source.bundle is not None:
                if source.bundle.document is None:
                    what = "the bundle does not hold the document"
                    raise DocumentError(what, code="no-document", hint=f"{NO_DOCUMENT} ({recorded_path})")
                return load_bytes(
                    source.bundle.document,
                    recorded_path,
                    password=self.options.password,
                    encoding=self.options.encoding,
                    cache=self.settings.cache_folder,
                    on_progress=self.options.on_loading,
                )
            return open_recorded(source.started.document, self.settings.cache_folder, self.options).load()
        except DocumentError as error:
            if error.code == CHANGED:
                raise
            if source.started.mode == "goal":
                return None
            if error.code == "missing" or (error.code == "no-document" and source.bundle is None):
                raise DocumentError(error.message, code=error.code, hint=NO_DOCUMENT) from None
            raise

    def before(self, source: _Source, at_hand: Document | None) -> Document | None:
        """The text of the run itself, when it can be had beside another one: sentences can be compared with it."""
        if at_hand is None or reading_of(source.started, at_hand) == "same":
            return None
        with suppress(DocumentError):
            found = self.at_hand(source, None)
            return found if reading_of(source.started, found) == "same" else None
        return None


def _of_bundle(source: _Source) -> Iterator[Rechecked]:
    """Of a bundle: the chain has held, or it could not be read; its view must be what the journal tells."""
    if source.bundle is None:
        return
    bundle = source.bundle
    telling = told(source.events, "")
    faults: tuple[Issue, ...] = ()
    if _essence(bundle.view) != _essence(as_object(telling)):
        faults = (Issue("bundle", "view.json does not tell what the journal tells"),)
    what = f"{len(source.events)} events in one chain, every member as the manifest says"
    yield Rechecked("bundle", what, faults)


def _essence(shown: Mapping[str, Any]) -> object:
    """What a view says in every version of ralph: how it ended, claims with verdicts, quotes with pages, the output."""
    parts: dict[str, object] = {name: shown.get(name) for name in ("ok", "question", "objective")}
    for name, key in (("stop", "type"), ("output", "text")):
        part = shown.get(name)
        parts[name] = part.get(key) if isinstance(part, dict) else part
    claim, quote = ("id", "text", "quotes", "verdict", "reason", "judge"), ("id", "text", "page", "label", "match")
    for name, keys in (("claims", claim), ("quotes", quote)):
        rows = shown.get(name)
        listed = rows if isinstance(rows, list) else []
        parts[name] = [[row.get(key) if isinstance(row, dict) else row for key in keys] for row in listed]
    return parts


def _goal(events: tuple[AnyEvent, ...]) -> GoalState | None:
    if not any(isinstance(event, GoalSet) for event in events):
        return None
    return reduce(GoalState.apply, events, GoalState())


def _of_goal(folder: Path | None, goal: GoalState, halt: Halt, best: Step) -> Iterator[Rechecked]:
    """Of a goal: its end fits the recorded evidence, and the output's file is the output that was recorded."""
    faults: list[Issue] = []
    if halt.type is StopType.COMPLETION and goal.terms.require_verifier and not goal.verified:
        faults.append(Issue("record", "the goal is recorded as completed, but not every verifier passed its output"))
    yield Rechecked(
        "record", "the goal's end fits the evidence of its verifiers, which were not run again", tuple(faults)
    )
    text = goal.delivered(best)
    if not text:
        yield Rechecked("output", "", skipped="the goal has no output")
        return
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    if folder is None:
        yield Rechecked("output", f"the output is in the bundle (sha256 {digest[:12]}...)")
        return
    files = sorted(path for path in folder.glob(f"{OUTPUT}.*") if path.is_file() and not path.is_symlink())
    same = [path.name for path in files if path.read_bytes() == text.encode("utf-8", "replace")]
    if same:
        yield Rechecked("output", f"{same[0]} is the output that was recorded (sha256 {digest[:12]}...)")
    elif files:
        what = f"{files[0].name} in the run's folder is not the output that was recorded"
        yield Rechecked("output", "the output's file", (Issue("output", what),))
    else:
        yield Rechecked("output", "", skipped="the output's file is not in the run's folder any more")
