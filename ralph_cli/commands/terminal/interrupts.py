"""Ctrl-C, SIGTERM and SIGHUP: the first ends what is being done, with its record; the second ends all at once."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from ralph_cli.core.events import AnyEvent

AGAIN_SECONDS = 0.01
"""After so long an interrupt is raised again that was swallowed: at once it would be swallowed, too."""


class Interrupts:
    """What the program does when it is told to end. There is one for the process, for signals are the process's.

    While a result is being handed over, a first signal changes nothing: the program is about to end with the exit code
    of that result. Signals that whoever started the program has it ignore, as nohup does, stay ignored.
    """

    def __init__(self) -> None:
        self.received = 0
        self.run = ""
        self._number: int = signal.SIGINT
        self._raises = True
        self._postponed = False
        self._is_typed_at = False

    def install(self) -> None:
        """Take charge of the signals."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        sys.unraisablehook = self._on_unraisable

    @property
    def exit_code(self) -> int:
        """That of a program which such a signal has ended: 128 and the number of the signal."""
        return 128 + self._number

    def follow(self, event: "AnyEvent") -> None:
        """Let the result of a run that has ended be handed over; end nothing but a run, or what comes after it."""
        if event.kind == "run_halted":
            self._raises = False
        elif event.kind == "run_started":
            self.run = event.run
            self._resume()

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """A time in which signals count although there is a result: for what takes long."""
        self._resume()
        try:
            yield
        finally:
            self._raises = False

    @contextmanager
    def prompting(self) -> Iterator[None]:
        """A time in which a person types: a signal takes back the line that is typed, and is no second one of any."""
        self.received, self._postponed, self._raises, self._is_typed_at = 0, False, True, True
        try:
            yield
        finally:
            self._is_typed_at = False

    def end(self) -> None:
        """The program ends: Ctrl-C must not change its exit code any more."""
        if signal.getsignal(signal.SIGINT) == self._on_signal:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_at_once(self, kept: str = "") -> NoReturn:
        """End the process with its children, whatever is at work in it; what is `kept` is told."""
        _say(f"ended at once{kept}")
        _kill_children()
        os._exit(self.exit_code)

    def _resume(self) -> None:
        self._raises = True
        if self._postponed:
            self._postponed = False
            raise KeyboardInterrupt

    def _on_signal(self, number: int, _frame: object) -> None:
        self._number = number
        if self._is_typed_at:
            raise KeyboardInterrupt
        self.received += 1
        if self.received > 1:
            self.end_at_once(f"; what is recorded is kept: `ralph trace show {self.run}`" if self.run else "")
        if self._raises:
            _say("interrupted: stopping; a second time ends it at once")
            raise KeyboardInterrupt
        self._postponed = True

    def _on_unraisable(self, lost: "sys.UnraisableHookArgs") -> None:
        """Interrupt again when an interrupt was swallowed, as in callbacks of weak references."""
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(lost)
            return
        signal.signal(signal.SIGALRM, _interrupt)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)


interrupts = Interrupts()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _say(line: str) -> None:
    """A line on standard error, past its buffer: that may be what was interrupted."""
    # A terminal shows ^C, and perhaps what is waited for, in the line where the cursor is.
    begin = "\n" if os.isatty(2) else ""
    with suppress(OSError):
        os.write(2, f"{begin}ralph: {line}\n".encode())


def _kill_children() -> None:
    """Kill the processes that this one has started, each with its group; on Linux only, where they can be found."""
    for children in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text().split()):
                with suppress(OSError):
                    os.killpg(child, signal.SIGKILL)
