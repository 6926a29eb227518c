"""Checks whether folders can be written to, by trying it before anything is paid for, and deletes runs."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError, JournalError
from ralph_cli.core.events import RunStarted
from ralph_cli.journal.copies import copies_of
from ralph_cli.journal.reviews import reviews_file
from ralph_cli.journal.rows import JOURNAL_FILE, hold_run, is_running
from ralph_cli.journal.store import read_events
from ralph_cli.journal.traces import remove_from_index
from ralph_cli.runs.history import find_run, run_names


def folder_fault(folder: Path) -> str:
    """The reason why no file can be made in a folder; empty if one can. Nothing is left behind."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return f"no file can be made in {folder} ({error.strerror or error})"


def require_runs_folder(out: Path) -> None:
    """Raise ConfigError unless runs can be kept in the folder `out`, which need not exist yet."""
    place = out.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if fault := folder_fault(place):
        hint = "choose another folder with --out (RALPH_OUT)"
        raise ConfigError(f"runs cannot be kept in {out}: {fault}", code="bad-out", hint=hint)


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """A deleted run, and the runs beside it whose copy of it was deleted, because they continued it."""

    name: str
    copied_to: tuple[str, ...] = ()


def delete_run(out: Path, name: str) -> DeletedRun:
    """Delete the run with that name, or a unique beginning or end of it.

    Deletes its folder, its reviews, its entry in the index, and its copies in runs in `out` that continued it. Raises
    JournalError if there is no such run, a process works on it or on one of those, or a folder cannot be deleted.
    """
    folder = find_run(out, name)
    if folder.is_symlink():
        what = f"{folder} is a symbolic link, and what it leads to is not deleted"
        raise JournalError(what, code="run-elsewhere", hint="delete the link itself")
    copies = copies_of(folder)
    with ExitStack() as held:
        for run in _runs_with(folder, copies):
            held.enter_context(hold_run(run))
        for path in (*copies, folder):
            try:
                shutil.rmtree(path)
            except OSError as error:
                raise JournalError(f"{path} cannot be deleted: {error}", code="run-undeletable") from error
    reviews_file(folder).unlink(missing_ok=True)
    remove_from_index(out, folder.name)
    return DeletedRun(folder.name, tuple(run.name for run in _runs_with(folder, copies)[1:]))


def delete_older_runs(out: Path, age: timedelta) -> Iterator[DeletedRun]:
    """Delete the runs that began longer than `age` ago, oldest first; yields each.

    Keeps links, and runs that a process works on or continues. Raises JournalError as `delete_run` does.
    """
    limit = datetime.fromisoformat(clock.now()) - age
    for name in run_names(out):
        folder = out / name
        if folder.is_symlink() or _begun(folder) >= limit:
            continue
        if not any(map(is_running, _runs_with(folder, copies_of(folder)))):
            yield delete_run(out, name)


def _runs_with(folder: Path, copies: Sequence[Path]) -> list[Path]:
    """The folder of a run, and the folders of the runs that contain these copies of it."""
    return [folder, *(copy.parent.parent for copy in copies)]


def _begun(folder: Path) -> datetime:
    """The time when a run began, as recorded; else when its file was last written."""
    with suppress(JournalError, ValueError, TypeError):
        first = next(read_events(folder), None)
        if isinstance(first, RunStarted):
            begun = datetime.fromisoformat(first.at)
            return begun if begun.tzinfo else begun.replace(tzinfo=UTC)
    return datetime.fromtimestamp((folder / JOURNAL_FILE).lstat().st_mtime, UTC)
