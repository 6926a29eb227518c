"""Ctrl-C, SIGTERM and SIGHUP: the first one stops the run and keeps its record, the second ends the process."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from ralph_cli.core.events import AnyEvent

# Seconds until a swallowed interrupt is raised again: at once it would be swallowed, too.
AGAIN_SECONDS = 0.01


class Interrupts:
    """The signal handlers of the process.

    While a result is being printed, a first signal changes nothing: the program is about to end with the exit code of
    that result. Signals that the parent process made it ignore, as nohup does, stay ignored.
    """

    def __init__(self) -> None:
        self.received = 0
        self.run = ""
        self._number: int = signal.SIGINT
        self._raises = True
        self._postponed = False
        self._is_typed_at = False

    def install(self) -> None:
        """Install the handlers."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        sys.unraisablehook = self._on_unraisable

    @property
    def exit_code(self) -> int:
        """The exit code of a program that the signal ended: 128 and its number."""
        return 128 + self._number

    def follow(self, event: "AnyEvent") -> None:
        """Note that a run began, which signals interrupt, or ended, whose result they do not."""
        if event.kind == "run_halted":
            self._raises = False
        elif event.kind == "run_started":
            self.run = event.run
            self._resume()

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Let signals interrupt a block although there is a result, because it takes long."""
        self._resume()
        try:
            yield
        finally:
            self._raises = False

    @contextmanager
    def prompting(self) -> Iterator[None]:
        """Surround a prompt: a signal discards the typed line, and never counts as a second one."""
        self.received, self._postponed, self._raises, self._is_typed_at = 0, False, True, True
        try:
            yield
        finally:
            self._is_typed_at = False

    def end(self) -> None:
        """Ignore Ctrl-C from now on, so that it does not change the exit code."""
        if signal.getsignal(signal.SIGINT) == self._on_signal:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_at_once(self, kept: str = "") -> NoReturn:
        """End the process and its children; the line that says so ends in `kept`."""
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
            _say("interrupted: stopping; a second interrupt ends it at once")
            raise KeyboardInterrupt
        self._postponed = True

    def _on_unraisable(self, lost: "sys.UnraisableHookArgs") -> None:
        """Interrupt again if an interrupt was swallowed, as in callbacks of weak references."""
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(lost)
            return
        signal.signal(signal.SIGALRM, _interrupt)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)


interrupts = Interrupts()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _say(line: str) -> None:
    """Write a line to standard error without its buffer, which may be what was interrupted."""
    # A terminal shows ^C, and perhaps the status, in the line of the cursor.
    begin = "\n" if os.isatty(2) else ""
    with suppress(OSError):
        os.write(2, f"{begin}ralph: {line}\n".encode())


def _kill_children() -> None:
    """Kill the child processes with their groups. Only Linux tells which they are."""
    for children in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text().split()):
                with suppress(OSError):
                    os.killpg(child, signal.SIGKILL)
