"""Whether a folder can be written to: tried before anything is paid for, and not guessed from its permissions."""

import tempfile
from pathlib import Path

from ralph_cli.core.errors import ConfigError


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
