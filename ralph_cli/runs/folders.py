"""Whether a folder can be written to: tried before anything is paid for, and not guessed from its permissions."""

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
    """Why no file can be made in a folder, in words; empty when one can. Nothing is left behind."""
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return f"no file can be made in {folder} ({error.strerror or error})"


def require_runs_folder(out: Path) -> None:
    """ConfigError unless runs can be kept in the folder `out`, which need not be there yet."""
    place = out.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if fault := folder_fault(place):
        hint = "choose another folder with --out (RALPH_OUT)"
        raise ConfigError(f"runs cannot be kept in {out}: {fault}", code="bad-out", hint=hint)


@dataclass(frozen=True, slots=True)
class DeletedRun:
    """A run that was deleted, and the runs beside it that had a copy of it, because they went on with it."""

    name: str
    copied_to: tuple[str, ...] = ()


def delete_run(out: Path, name: str) -> DeletedRun:
    """Delete the run of that name, or of a unique beginning or end of it.

    Its folder goes with all that is in it, what reviewers have said of it, its entry in the index, and its copies in
    the runs in `out` that went on with it; nothing else is touched. Raises JournalError when there is no such run, a
    process works on it or on one of these, or a folder cannot be deleted.
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

    Runs stay on which a process works, or on one that went on with them, and so do links. Raises JournalError as
    `delete_run` does.
    """
    limit = datetime.fromisoformat(clock.now()) - age
    for name in run_names(out):
        folder = out / name
        if folder.is_symlink() or _begun(folder) >= limit:
            continue
        if not any(map(is_running, _runs_with(folder, copies_of(folder)))):
            yield delete_run(out, name)


def _runs_with(folder: Path, copies: Sequence[Path]) -> list[Path]:
    """The folder of a run, and those of the runs that these copies of it are in."""
    return [folder, *(copy.parent.parent for copy in copies)]


def _begun(folder: Path) -> datetime:
    """When a run began: as it says itself, or else when its file was last written."""
    with suppress(JournalError, ValueError, TypeError):
        first = next(read_events(folder), None)
        if isinstance(first, RunStarted):
            begun = datetime.fromisoformat(first.at)
            return begun if begun.tzinfo else begun.replace(tzinfo=UTC)
    return datetime.fromtimestamp((folder / JOURNAL_FILE).lstat().st_mtime, UTC)
