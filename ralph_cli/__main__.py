"""The console script, also as `python -m ralph_cli`: Ctrl-C ends it in one line, also while it is being loaded."""

import atexit
import gc
import os
import signal
import sys

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import NoReturn


# After so many new objects Python looks for unused ones; after the usual 700 a tenth of the time of an import goes to
# that, in vain, and an SDK is made of 300,000 that stay.
YOUNG_OBJECTS = 500_000


def main() -> "NoReturn":
    """Load the command line and carry it out; exits with its code."""
    if sys.platform == "win32":
        sys.exit("ralph: it runs on Linux and macOS; on Windows use it in WSL 2 or in a container")
    _open_standard_streams()
    gc.set_threshold(YOUNG_OBJECTS)
    # At its end Python looks for unused objects once more, which takes a third of the time of all imports.
    atexit.register(gc.freeze)
    usual = signal.getsignal(signal.SIGINT)
    try:
        if usual is signal.default_int_handler:  # else whoever started it wants Ctrl-C to be ignored
            signal.signal(signal.SIGINT, _leave)
            sys.unraisablehook = _again
        # Not above: importing these takes most of the time before a command begins.
        from ralph_cli.environment import refuse_plugins

        refuse_plugins()
        from ralph_cli.commands.app import main as run

        signal.signal(signal.SIGINT, usual)
        run()
    except KeyboardInterrupt:
        _leave()


def _open_standard_streams() -> None:
    """Give a standard stream that is closed to nobody: else the next file, a journal for one, would take its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def _leave(*_: object) -> "NoReturn":
    """End at once: nothing has begun, and an exception could be lost in whatever is being imported."""
    os.write(2, b"ralph: interrupted\n")
    os._exit(130)


def _again(lost: "sys.UnraisableHookArgs") -> None:
    """Interrupt again when an interrupt was swallowed, as in callbacks of weak references, which imports run."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    from threading import Timer

    # A moment later, because here it would be swallowed, too.
    Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()


if __name__ == "__main__":
    main()
