"""Whether a worker does the same thing over and over and is told the same each time."""

from dataclasses import field

from ralph_cli.core.deferred.dataclasses import dataclass

MAX_REPEATS = 3
"""So many equal steps in a row end an iteration: another one would only cost money."""


@dataclass(slots=True)
class RepetitionDetector:
    """Counts equal steps in a row: the same act with the same answer, or the same answer to what could not be used."""

    _latest: object = None
    _count: int = 0
    _reason: str = field(default="")

    def add(self, step: object, reason: str) -> None:
        """A step was taken; `reason` says in words what it was, for whoever is told that it was repeated."""
        self._count = self._count + 1 if step == self._latest else 1
        self._latest, self._reason = step, reason

    @property
    def verdict(self) -> str:
        """What was repeated too often, in words; empty as long as nothing was."""
        return f"{MAX_REPEATS} times in a row {self._reason}" if self._count >= MAX_REPEATS else ""
