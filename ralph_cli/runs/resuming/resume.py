"""Resumes a run that was cut off: paid replies come from its journal, and only the rest is asked."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ralph_cli.checks.verifier import Verifier
from ralph_cli.config import Settings, complete_settings
from ralph_cli.core.errors import ConfigError, DocumentError, JournalError
from ralph_cli.core.events import AnyEvent, EventSink, RunHalted, RunStarted
from ralph_cli.core.model import Model
from ralph_cli.core.run import StopType
from ralph_cli.documents.source import DocumentLike, DocumentSource
from ralph_cli.journal.copies import SCHEMA_SNAPSHOT_FILE
from ralph_cli.journal.rows import is_running
from ralph_cli.journal.store import is_sealed, machine_key, read_events
from ralph_cli.reports.safe_text import trace_command
from ralph_cli.runs.execute import Setup
from ralph_cli.runs.goals import pursue_goal, recorded_goal
from ralph_cli.runs.history import find_run, find_start, run_names
from ralph_cli.runs.opening import DOCUMENT_CHANGED, open_recorded
from ralph_cli.runs.questions import answer_question, do_task
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.earlier import find_followed, hold_runs, without_unusable_verdicts
from ralph_cli.runs.resuming.record_fields import resumed_settings
from ralph_cli.wiring.task import find_run_file
from sandbox import Sandbox

RESUMABLE_MODES = ("qa", "task", "goal")
FINISHED_STOPS = (StopType.COMPLETION, StopType.ABSENT, StopType.PASSAGES, StopType.NO_PASSAGES)


def resume(
    run: str | Path | None = None,
    *,
    settings: Settings | None = None,
    changes: Mapping[str, Any] | None = None,
    document: DocumentLike | None = None,
    accept_settings: bool = False,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: EventSink | None = None,
    password: str | None = None,
) -> Result:
    """Resume a run that was killed, interrupted, or stopped by a bound.

    None is the newest run without an answer.

    The new run has its own folder and begins at the beginning. Every request that the earlier run has a reply to is
    answered from its journal, at the price of then; only new requests are sent. `changes` replaces recorded settings
    (`max_time`, `max_iterations`, ...). The question is that of the record; keys, addresses, folders, files and the
    sandbox come from `settings`, by default from the environment, and notices report where those differ from the run's
    (see `runs.resuming.record_fields`). `accept_settings` takes the run's sandbox and files, never an address.

    `document` says where the document is now. No `password` is ever recorded. A task finds memory and schema as the
    earlier run found them, and saves nothing twice. A run with a `verifier` of the caller needs one again, which is
    asked anew about everything. Raises ConfigError if there is nothing to resume, and DocumentError if the document is
    gone or has changed.
    """
    settings = complete_settings(settings)
    folder = run if isinstance(run, Path) else find_run(settings.out, run) if run else find_unfinished(settings.out)
    setup = Setup(settings=settings, models=models or {}, verifier=verifier, engine=engine, sink=sink)
    source = DocumentSource.of(document or "", password=password)
    return resume_run(folder, setup, source, changes or {}, accept_settings=accept_settings)


def resume_run(
    folder: Path, setup: Setup, document: DocumentSource, changes: Mapping[str, Any], *, accept_settings: bool = False
) -> Result:
    """Resume the run in `folder` with `setup`, except for the settings of the run; see `resume`."""
    settings = setup.settings
    with hold_runs(folder) as earlier:
        started, last = find_start(earlier.runs[0], str(folder)), earlier.runs[0][-1]
        _require_resumable(started, last, folder, settings.cache_folder)
        if isinstance(last, RunHalted) and last.halt.type is StopType.UNJUDGED:
            earlier = without_unusable_verdicts(earlier)
        require_verifier(started, setup.verifier)
        source = open_document(started, settings, document)
        schema = schema_setting(started, earlier.folders, settings, accept=accept_settings)
        chosen, notices = resumed_settings(
            started, settings, {**schema, **changes}, accept=accept_settings, given_models=setup.models.keys()
        )
        followed = find_followed(started, earlier.folders)
        setup = replace(setup, settings=chosen, earlier=replace(earlier, notices=notices), followed=followed)
        if started.mode == "task":
            return do_task(source, started.question, setup)
        assert source is not None
        if started.mode == "goal":
            return pursue_goal(source, recorded_goal(earlier.runs[0], started.question, folder.name), setup)
        return answer_question(source, started.question, setup)


def find_unfinished(out: Path) -> Path:
    """The newest run in `out` that has no answer yet, and that no process works on.

    Runs that another run continued to an answer are left out. Raises ConfigError if there is none.
    """
    answered: set[str] = set()
    for name in reversed(run_names(out)):
        try:
            events = tuple(read_events(out / name))
            started = find_start(events, name)
        except JournalError:
            continue
        if isinstance(events[-1], RunHalted) and events[-1].halt.type in FINISHED_STOPS:
            answered.add(started.seed)
        elif started.mode in RESUMABLE_MODES and started.seed not in answered and not is_running(out / name):
            return out / name
    hint = "`ralph trace list` shows the runs"
    raise ConfigError(f"no run in {out} waits to be resumed", code="nothing-to-resume", hint=hint)


def _require_resumable(started: RunStarted, last: AnyEvent, folder: Path, cache: Path) -> None:
    if isinstance(last, RunHalted) and last.halt.type in FINISHED_STOPS:
        what = f"{folder.name} has ended: {last.halt.detail}"
        raise ConfigError(what, code="nothing-to-resume", hint=trace_command(folder.parent, folder.name))
    if started.mode not in RESUMABLE_MODES:
        hint = f"run `ralph {started.mode}` again"
        raise ConfigError(f"a {started.mode} run cannot be resumed this way", code="not-resumable", hint=hint)
    if started.mode == "goal" and not is_sealed(folder, machine_key(cache)):
        what = f"{folder.name} is not of this machine, and a record does not choose the commands that verify a goal"
        raise ConfigError(what, code="not-resumable", hint="ralph goal ... --verify ... --continue")


def require_verifier(started: RunStarted, verifier: Verifier | None) -> None:
    """Raise ConfigError if a run had a verifier and now has none: it could accept what was refused before."""
    had = started.settings.get("verifier")
    if had and verifier is None:
        what = f"that run had a verifier of its own ({had}), so it cannot be resumed without one"
        raise ConfigError(what, code="no-verifier", hint="give it in Python, as verifier=...")


def schema_setting(
    started: RunStarted, folders: tuple[Path, ...], current: Settings, *, accept: bool
) -> dict[str, Path]:
    """The schema of the run from its folder, because the path in the record may lead anywhere."""
    if not started.settings.get("output_schema"):
        return {}
    snapshot = find_run_file(folders, SCHEMA_SNAPSHOT_FILE)
    if snapshot is not None:
        return {"output_schema": snapshot}
    if accept or current.output_schema is not None:
        return {}
    what = f"that run had a schema, and there is no {SCHEMA_SNAPSHOT_FILE} in its folder"
    raise ConfigError(what, code="no-schema", hint="--accept-settings reads the file that the record names")


def open_document(started: RunStarted, settings: Settings, given: DocumentSource) -> DocumentSource | None:
    """The document of that run, read as then, from its old path or from `given`; None for a run without one."""
    about = started.document
    if not about and started.mode == "task":
        return None
    try:
        found = open_recorded(about, settings.cache_folder, given)
    except DocumentError as error:
        if error.code not in (DOCUMENT_CHANGED, "no-document", "missing"):
            raise
        hint = "name the document's file with --document, or ask again"
        raise DocumentError(error.message, code=error.code, hint=hint) from None
    document = found.load()
    if document.sha256 != about.get("sha256"):
        hint = "ask again: what was found does not hold for another text"
        raise DocumentError(f"{given.path} is not the document of that run", code=DOCUMENT_CHANGED, hint=hint)
    if document.fingerprint != about.get("fingerprint", document.fingerprint):
        why = "by another reader, with another encoding or password"
        what = f"{document.path} is not read as in that run: {why}"
        raise DocumentError(what, code=DOCUMENT_CHANGED, hint="ask again, with the options of that run")
    # Prompts have its old name: with another name no recorded reply would match.
    return replace(found, document=replace(document, called=str(about.get("path", ""))))
