"""Deleting runs: they hold passages of documents and everything that models said."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ralph_cli.core import clock
from ralph_cli.core.errors import JournalError
from ralph_cli.core.events import RunStarted
from ralph_cli.journal.store import JOURNAL_FILE, hold_run, is_running, read_events
from ralph_cli.journal.traces import remove_from_index
from ralph_cli.runs.history import find_run, run_names


def delete_run(out: Path, name: str) -> str:
    """Delete the run of that name, or of a unique beginning or end of it; returns its name.

    Its folder goes with all that is in it, and its entry in the index; nothing outside the folder is touched. Raises
    JournalError when there is no such run, a process works on it, or its folder cannot be deleted.
    """
    folder = find_run(out, name)
    if folder.is_symlink():
        what = f"{folder} is a symbolic link, and what it leads to is not deleted"
        raise JournalError(what, code="run-elsewhere", hint="delete the link itself")
    with hold_run(folder):
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise JournalError(f"{folder} cannot be deleted: {error}", code="run-undeletable") from error
    remove_from_index(out, folder.name)
    return folder.name


def delete_older_runs(out: Path, age: timedelta) -> Iterator[str]:
    """Delete the runs that began longer than `age` ago, oldest first; yields the name of each.

    Runs that a process works on stay, and so do links. Raises JournalError as `delete_run` does.
    """
    limit = datetime.fromisoformat(clock.now()) - age
    for name in run_names(out):
        folder = out / name
        if not folder.is_symlink() and _begun(folder) < limit and not is_running(folder):
            yield delete_run(out, name)


def _begun(folder: Path) -> datetime:
    """When a run began: as it says itself, or else when its file was last written."""
    with suppress(JournalError, ValueError, TypeError):
        first = next(read_events(folder), None)
        if isinstance(first, RunStarted):
            begun = datetime.fromisoformat(first.at)
            return begun if begun.tzinfo else begun.replace(tzinfo=UTC)
    return datetime.fromtimestamp((folder / JOURNAL_FILE).lstat().st_mtime, UTC)
