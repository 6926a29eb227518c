"""Asks a further question on a run, with the conversation, the variables and the answers of that run."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import RunHalted, RunStarted
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.rows import JOURNAL_FILE, is_running, read_chain, refuse_if_running
from ralph_cli.journal.store import read_events
from ralph_cli.runs.execute import FollowedRuns, Setup
from ralph_cli.runs.history import find_run, find_start, run_names
from ralph_cli.runs.questions import answer_question
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.earlier import find_followed
from ralph_cli.runs.resuming.record_fields import ALWAYS_CURRENT, LOWER_OF_BOTH, resumed_settings, unnamed_models
from ralph_cli.runs.resuming.resume import open_document, require_verifier

# The name for the newest run that answered a question.
LATEST = "last"


def follow_run(folder: Path, question: str, setup: Setup, document: DocumentSource) -> Result:
    """Put a further `question` to the document of the run in `folder`; see `api.follow_up`."""
    source, setup = open_followed(folder, setup, document)
    return answer_question(source, question, setup)


def open_followed(folder: Path, setup: Setup, document: DocumentSource) -> tuple[DocumentSource, Setup]:
    """The document of the run in `folder`, loaded, and the setup for a question that follows on that run."""
    followed = read_followed(folder)
    started, current = followed.starts[-1], setup.settings
    require_verifier(started, setup.verifier)
    source = open_document(started, current, document)
    assert source is not None
    # Settings that a person sets now win. The others are those of the run, except bounds, which each question has for
    # itself, and models that nobody had named.
    said = current.model_fields_set - ALWAYS_CURRENT - LOWER_OF_BOTH
    changes = {name: getattr(current, name) for name in said | unnamed_models(started)}
    chosen, _ = resumed_settings(started, current, changes, given_models=setup.models.keys())
    chosen = chosen.model_copy(update={name: getattr(current, name) for name in LOWER_OF_BOTH})
    shared_seed = started.seed.partition("-")[0]
    return source, replace(setup, settings=chosen, followed=followed, shared_seed=shared_seed)


def read_followed(folder: Path) -> FollowedRuns:
    """The run in `folder`, a question, with those that it follows on.

    Raises JournalError if a process works on it, or if one of those is not in its folder as it was; ConfigError if it
    is not a question.
    """
    events = tuple(read_events(folder))
    started = find_start(events, folder.name)
    if not isinstance(events[-1], RunHalted):
        refuse_if_running(folder)
    if started.mode != "qa":
        what = f"{folder.name} is a {started.mode} run, and only a question can be followed by another"
        raise ConfigError(what, code="not-a-question", hint='ralph qa DOCUMENT "..."')
    before = find_followed(started, (folder,))
    runs, folders = (before.runs, before.folders) if before else ((), ())
    return FollowedRuns((*runs, events), (*folders, folder), read_chain(folder))


def find_question(out: Path, name: str) -> Path:
    """The folder of the run that a person names: "last" is the newest question; else its folder, its name, or a unique
    beginning or end of it. Raises JournalError if there is none.
    """
    if name == LATEST:
        questions = (out / run for run in reversed(run_names(out)) if _is_question(out / run))
        found = next(questions, None)
        if found is None:
            hint = 'ralph qa report.pdf "What was ...?"'
            raise JournalError(f"no question was put in {out}", code="no-run", hint=hint)
        return found
    path = Path(name)
    if (path / JOURNAL_FILE).is_file():
        return path
    if path.is_file():
        what = f"{name} is a file and no run"
        raise ConfigError(what, code="usage", hint=f'a first question is put with `ralph qa {name} "..."`')
    return find_run(out, name)


def _is_question(folder: Path) -> bool:
    with suppress(JournalError):
        first = next(read_events(folder), None)
        return isinstance(first, RunStarted) and first.mode == "qa" and not is_running(folder)
    return False
