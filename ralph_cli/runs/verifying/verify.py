"""Verifies a run later and elsewhere: repeats every deterministic check, offline, without a key or model."""

import hashlib
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ralph_cli.config import Settings, load_settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError, JournalError
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.results.verification import Rechecked, Verification
from ralph_cli.core.run import Halt, Issue, Step, StopType
from ralph_cli.documents.ocr.engine import OcrOptions
from ralph_cli.documents.sets.loading import load_source
from ralph_cli.documents.source import DocumentLike, DocumentSource, OnLoading
from ralph_cli.journal.bundle import Bundle, read_bundle
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.loop.state import fold
from ralph_cli.modes.goal_record import OUTPUT_STEM
from ralph_cli.reports.safe_text import trace_command
from ralph_cli.runs.execute import describe_document
from ralph_cli.runs.history import (
    UNFINISHED,
    RecordedRun,
    as_object,
    find_run,
    goal_state,
    read_run,
    run_from_events,
    run_names,
)
from ralph_cli.runs.opening import DOCUMENT_CHANGED, is_recorded_set, load_recorded, load_recorded_set, open_recorded
from ralph_cli.runs.verifying.recheck import reading_of, recheck

NAME_DOCUMENT_HINT = "name the document with --document"


@dataclass(frozen=True, slots=True)
class _RecordSource:
    """A record with its origin: the folder of a run, or a bundle."""

    run: RecordedRun
    folder: Path | None = None
    bundle: Bundle | None = None


def verify(
    run_or_bundle: str | Path | Bundle | None = None,
    *,
    document: DocumentLike | None = None,
    settings: Settings | None = None,
    password: str | None = None,
    encoding: str | None = None,
    on_loading: OnLoading | None = None,
) -> Verification:
    """Check a recorded run again against its document: a run's name or folder, a bundle or its file, or None for the
    newest run.

    `document` is the file to check against; the default is that of the run or of the bundle. In another document every
    quote is looked up: it is still there, moved, changed or gone. No model and none of a goal's verifiers is run; their
    results are taken from the record. Raises JournalError for a record that cannot be read or was tampered with, and
    DocumentError if the document cannot be read.
    """
    settings = settings or load_settings()
    source = _read_record(run_or_bundle, settings)
    state = fold(source.run.events)
    started = source.run.started
    halt = state.halt or UNFINISHED
    if started.mode == "judge-test":
        what = f"{started.run} is a judge test, which cannot be verified without asking the judge again"
        raise JournalError(what, code="nothing-to-verify", hint="ralph judge-test")
    if state.best is None:
        what = f"{started.run} has no attempt that could be verified ({halt.detail})"
        raise JournalError(what, code="nothing-to-verify", hint=trace_command(settings.out, started.run))
    reader = _DocumentReader(settings, DocumentSource("", password, encoding, on_loading=on_loading))
    current, changed = None, ""
    try:
        current = reader.open_current(source, document)
    except DocumentError as error:
        if error.code != DOCUMENT_CHANGED:
            raise
        changed = error.message
    original = reader.open_original(source, current) if document is not None else None
    goal = goal_state(source.run.events)
    checks, quotes, doubts = recheck(
        started, state.best, halt, current, original, document_named=document is not None, changed_reason=changed
    )
    checks = (*_check_bundle(source), *checks, *(_check_goal(source.folder, goal, halt, state.best) if goal else ()))
    return Verification(
        run=started.run,
        mode=started.mode,
        question=started.question,
        source="bundle" if source.bundle else "run",
        seal=source.bundle.seal if source.bundle else "",
        events=len(source.run.events),
        begun=started.at,
        halt=halt,
        document=started.document,
        now=describe_document(current) if current else {},
        reading=reading_of(started, current),
        checks=checks,
        claims=state.best.attempt.claims,
        quotes=quotes,
        rulings=state.best.rulings,
        evidence=goal.evidence if goal else (),
        output=goal.final_output(state.best) if goal else state.best.attempt.output,
        doubts=doubts,
        because=state.best.attempt.because,
    )


def _read_record(named: str | Path | Bundle | None, settings: Settings) -> _RecordSource:
    """The record: a file is a bundle, a folder a run, anything else the name of a run."""
    if isinstance(named, Bundle):
        return _RecordSource(run_from_events(tuple(row.event for row in named.rows), ""), bundle=named)
    path = Path(named) if named is not None else None
    if path is not None and path.is_file():
        if not _is_archive(path):
            hint = f"ralph verify RUN --document {shlex.quote(str(path))} checks a run against it"
            raise JournalError(f"{path} is no exported run", code="no-run", hint=hint)
        return _read_record(read_bundle(path), settings)
    if path is not None and (path.suffix or len(path.parts) > 1) and not path.exists():
        hint = "`ralph trace export -o run.zip` writes one; `ralph trace list` shows the runs"
        raise JournalError(f"there is no file or run {path}", code="no-run", hint=hint)
    if path is not None and path.is_dir() and not (path / JOURNAL_FILE).is_file():
        names = [str(path / name) for name in run_names(path)[-1:]]
        hint = f"name one of its runs: {names[0]}" if names else "`ralph trace list` shows the runs"
        raise JournalError(f"{path} is a folder, and not that of a run", code="no-run", hint=hint)
    if path is None or not (path / JOURNAL_FILE).is_file():
        path = find_run(settings.out, str(named) if named else None)
    return _RecordSource(read_run(path), folder=path)


def _is_archive(path: Path) -> bool:
    """Whether a file begins as a bundle does, even if it was damaged; True for a file that cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(2) in (b"PK", b"")
    except OSError:
        return True


@dataclass(frozen=True, slots=True)
class _DocumentReader:
    """Reads documents with the options of one call."""

    settings: Settings
    options: DocumentSource

    def open_current(self, source: _RecordSource, given: DocumentLike | None) -> Document | None:
        """The document to check against; None if the run had none, or is a goal whose document is not available."""
        if given is not None:
            named = DocumentSource.of(given, password=self.options.password, encoding=self.options.encoding)
            ocr = OcrOptions.recorded(source.run.started.document.get("ocr"))
            named = replace(named, on_loading=self.options.on_loading, ocr=ocr)
            return load_source(named, self.settings.cache_folder, (self.settings.out,)).load()
        record = source.run.started.document
        if not record:
            return None
        try:
            if source.bundle is None:
                return open_recorded(record, self.settings.cache_folder, self.options).load()
            documents = source.bundle.documents
            if not documents:
                hint = f"{NAME_DOCUMENT_HINT} ({record.get('path', '')})"
                raise DocumentError("the bundle does not hold the document", code="no-document", hint=hint)
            options = replace(self.options, ocr=OcrOptions.recorded(record.get("ocr")))
            if is_recorded_set(record):
                return load_recorded_set(record, documents, self.settings.cache_folder, options).load()
            return load_recorded(record, documents[0], self.settings.cache_folder, options).load()
        except DocumentError as error:
            if error.code == DOCUMENT_CHANGED:
                raise
            if source.run.started.mode == "goal":
                return None
            if error.code == "missing" or (error.code == "no-document" and source.bundle is None):
                raise DocumentError(error.message, code=error.code, hint=NAME_DOCUMENT_HINT) from None
            raise

    def open_original(self, source: _RecordSource, current: Document | None) -> Document | None:
        """The text of the run itself beside another document, if it is available, to compare sentences."""
        if current is None or reading_of(source.run.started, current) == "same":
            return None
        with suppress(DocumentError):
            found = self.open_current(source, None)
            return found if reading_of(source.run.started, found) == "same" else None
        return None


def _check_bundle(source: _RecordSource) -> Iterator[Rechecked]:
    """Checks that the view in a bundle shows what its journal has."""
    if source.bundle is None:
        return
    faults: tuple[Issue, ...] = ()
    if _comparable_view(source.bundle.view) != _comparable_view(as_object(source.run)):
        faults = (Issue("bundle", "view.json does not tell what the journal tells"),)
    what = f"{len(source.run.events)} events in one chain, every member as the manifest says"
    yield Rechecked("bundle", what, faults)


def _comparable_view(shown: Mapping[str, Any]) -> object:
    """The fields of a view that every version of ralph has: the end, claims with verdicts, quotes with pages, the
    output.
    """
    parts: dict[str, object] = {name: shown.get(name) for name in ("ok", "question", "objective")}
    for name, key in (("stop", "type"), ("output", "text")):
        part = shown.get(name)
        parts[name] = part.get(key) if isinstance(part, dict) else part
    claim, quote = ("id", "text", "quotes", "verdict", "reason", "judge"), ("id", "text", "page", "label", "match")
    doubt = ("claim", "words", "message", "kind", "because")
    for name, keys in (("claims", claim), ("quotes", quote), ("unconfirmed", doubt)):
        rows = shown.get(name)
        listed = rows if isinstance(rows, list) else []
        parts[name] = [[row.get(key) if isinstance(row, dict) else row for key in keys] for row in listed]
    return parts


def _check_goal(folder: Path | None, goal: GoalState, halt: Halt, best: Step) -> Iterator[Rechecked]:
    """Checks that the end of a goal fits its evidence, and that its output file has the recorded output."""
    faults: list[Issue] = []
    if halt.type is StopType.COMPLETION and goal.terms.require_verifier and not goal.verified:
        faults.append(Issue("record", "the goal is recorded as completed, but not every verifier passed its output"))
    told = "the goal's end fits the evidence of its verifiers, which were not run again"
    yield Rechecked("record", told, tuple(faults))
    yield _check_output_file(folder, goal.final_output(best).encode("utf-8", "replace"))


def _check_output_file(folder: Path | None, output: bytes) -> Rechecked:
    if not output:
        return Rechecked("output", "", skipped="the goal has no output")
    digest = f"sha256 {hashlib.sha256(output).hexdigest()[:12]}..."
    if folder is None:
        return Rechecked("output", f"the output is in the bundle ({digest})")
    files = sorted(path for path in folder.glob(f"{OUTPUT_STEM}.*") if path.is_file() and not path.is_symlink())
    if not files:
        return Rechecked("output", "", skipped="the output's file is not in the run's folder any more")
    if same := [path.name for path in files if path.read_bytes() == output]:
        return Rechecked("output", f"{same[0]} is the output that was recorded ({digest})")
    what = f"{files[0].name} in the run's folder is not the output that was recorded"
    return Rechecked("output", "the output's file", (Issue("output", what),))
