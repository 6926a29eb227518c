"""Copies the runs that a run continues into its folder, so that it can be moved with everything that was paid for."""

import glob
import os
import shutil
import stat
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from ralph_cli.core.errors import JournalError
from ralph_cli.journal.rows import JOURNAL_FILE

# In a run's folder: memory and schema as the run found them, so that it can be resumed and understood later.
MEMORY_SNAPSHOT_FILE, SCHEMA_SNAPSHOT_FILE = "memory-before.md", "schema.json"

# The folder in a run's folder that has the copies, each under its name.
COPIES = "earlier"


def copy_runs(folders: Collection[Path], folder: Path, beside: Collection[str]) -> None:
    """Copy the journals of the runs in `folders`, and their files named in `beside`, into the folder of a run.

    No other process may work on these runs. Symbolic links are not followed. Raises JournalError.
    """
    for run in folders:
        copy = folder / COPIES / run.name
        try:
            copy.mkdir(parents=True)
            for name in (JOURNAL_FILE, f"{JOURNAL_FILE}-wal", *beside):
                if (run / name).is_file() and not (run / name).is_symlink():
                    _copy_file(run / name, copy / name)
        except OSError as error:
            what = f"the run that this one continues cannot be copied to {copy}: {error}"
            hint = "free some disk space, or choose another folder with --out (RALPH_OUT)"
            raise JournalError(what, code="journal-unwritable", hint=hint) from error


def _copy_file(file: Path, copy: Path) -> None:
    """Copies a file. A copy of a copy is a hard link where possible, so that a long chain of runs stays small; but only
    if others cannot write to the file.
    """
    about = file.stat()
    is_ours = about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    is_whole = not file.with_name(f"{JOURNAL_FILE}-wal").exists()  # else SQLite may repair the file when it is read
    if file.parent.parent.name == COPIES and is_ours and is_whole:
        with suppress(OSError):  # another file system
            os.link(file, copy, follow_symlinks=False)
            return
    shutil.copyfile(file, copy)


def copied_runs(folder: Path) -> list[Path]:
    """The folders of the copies in a run's folder, without symbolic links."""
    found = sorted(path.parent for path in (folder / COPIES).glob(f"*/{JOURNAL_FILE}") if not path.is_symlink())
    return [] if (folder / COPIES).is_symlink() else [copy for copy in found if not copy.is_symlink()]


def copies_of(folder: Path) -> list[Path]:
    """The copies of the run in `folder` in the runs beside it that continue it; symbolic links are not followed."""
    found = folder.parent.glob(f"*/{COPIES}/{glob.escape(folder.name)}")
    return sorted(copy for copy in found if not any(map(Path.is_symlink, (copy, *copy.parents[:2]))))
