"""Watches a worker's memory and computing time, also while the host is busy with an answer for it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

TICK = 0.05  # seconds between two looks


@dataclass(frozen=True, slots=True)
class ProcessWatch:
    """What a process uses, as /proc tells it; 0 where there is none (the engines' own caps still hold there)."""

    process: int
    max_resident: int

    def is_too_large(self) -> bool:
        """Whether it holds more resident memory than it may."""
        return self._field("statm", 1) * os.sysconf("SC_PAGE_SIZE") > self.max_resident

    def computing_seconds(self) -> float:
        """Seconds that its threads have computed."""
        # User and system time are the 12th and 13th field behind the name, which may have anything in it.
        return (self._field("stat", 11) + self._field("stat", 12)) / os.sysconf("SC_CLK_TCK")

    def _field(self, name: str, number: int) -> int:
        try:
            with open(f"/proc/{self.process}/{name}", "rb") as file:
                return int(file.read().rpartition(b")")[2].split()[number])
        except (OSError, ValueError, IndexError):
            return 0


@dataclass(slots=True)
class Spell:
    """Seconds that a process computed during a block, and the limit that ended it there; empty if none did."""

    seconds: float = 0.0
    reached: str = ""


@contextmanager
def watch_beside(watch: ProcessWatch, seconds: float) -> Iterator[Spell]:
    """Watch a process during a block, on a thread: one that grows too large, or computes longer, is killed."""
    spell, over, begun = Spell(), threading.Event(), watch.computing_seconds()

    def look() -> None:
        while not spell.reached and not over.wait(TICK):
            spell.seconds = watch.computing_seconds() - begun
            if watch.is_too_large():
                spell.reached = "memory limit"
            elif spell.seconds > seconds:
                spell.reached = "time limit"
        if spell.reached:
            try:
                os.kill(watch.process, signal.SIGKILL)
            except ProcessLookupError:
                pass

    thread = threading.Thread(target=look, name="sandbox-watch", daemon=True)
    thread.start()
    try:
        yield spell
    finally:
        over.set()
        thread.join()
        spell.seconds = max(watch.computing_seconds() - begun, spell.seconds)
