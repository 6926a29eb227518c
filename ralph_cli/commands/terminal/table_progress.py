"""The progress of a table on standard error: a line for each cell, with rate, cost, time left and failures."""

import threading

from ralph_cli.commands.terminal.progress import SilentProgress
from ralph_cli.core import clock
from ralph_cli.core.model import Usage
from ralph_cli.core.results.table import Cell, CellState
from ralph_cli.reports.safe_text import one_line
from ralph_cli.reports.table.words import STATES


class TableProgress:
    """Shows the finished cells of a table on `display`; can be called from any thread."""

    def __init__(self, display: SilentProgress) -> None:
        self._display = display
        self._begun = clock.monotonic()
        self._usage = Usage()
        self._failed = 0
        self._lock = threading.Lock()

    def on_cell(self, done: int, total: int, cell: Cell) -> None:
        """Show a finished cell."""
        with self._lock:
            self._usage += cell.usage
            self._failed += cell.state is CellState.FAILED
            standing = self._standing(done, total)
        where = f"{one_line(cell.row, 60)} / {one_line(cell.question)}"
        self._display.write(f"{where}: {STATES[cell.state].words}: {one_line(cell.shown, 100)}\n  {standing}")
        self._display.show_status(f"  {standing} ...")

    def on_progress(self, what: str, done: int, total: int) -> None:
        """Show how far the work after the last cell is."""
        self._display.show_status(f"  {what}: {done:,} of {total:,} ...")

    def _standing(self, done: int, total: int) -> str:
        seconds = max(clock.monotonic() - self._begun, 0.001)
        parts = [f"{done:,} of {total:,} cells", f"{60 * done / seconds:,.1f} a minute"]
        if self._usage.usd is None:
            parts.append("at an unknown price")
        elif self._usage.usd:
            parts.append(f"${self._usage.usd:,.4f}")
        if done < total:
            parts.append(f"about {describe_seconds(seconds / done * (total - done))} left")
        if self._failed:
            parts.append(f"{self._failed:,} failed")
        return ", ".join(parts)


def describe_seconds(seconds: float) -> str:
    """Return a duration for people: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
