"""The key with which this machine seals what it records, so that it knows its own runs from those of others."""

import os
from contextlib import suppress
from pathlib import Path

from ralph_cli.core import clock

KEY_FILE, KEY_BYTES = "runs.key", 32


def machine_key(folder: Path) -> bytes:
    """The key in `folder`, made when it is used first; empty when none can be kept there, and nothing is sealed then.

    It never leaves the machine, and is no key of a model service.
    """
    path = folder / KEY_FILE
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = path.with_name(f".{KEY_FILE}.{clock.token(4)}")
        if not path.exists():
            handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(clock.token(KEY_BYTES))
            try:
                os.link(temporary, path)  # of two processes that make one at once the first one's is taken
            except FileExistsError:
                pass
            finally:
                temporary.unlink()
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle) as file:
            key = bytes.fromhex(file.read(2 * KEY_BYTES + 1))
    except (OSError, ValueError):
        return b""
    return key if len(key) == KEY_BYTES else b""
