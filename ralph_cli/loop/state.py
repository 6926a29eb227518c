"""The state of a run is the fold of its events; resume, report and replay read nothing else."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce

from ralph_cli.checks.base import standing
from ralph_cli.core.events import AnyEvent, CallFinished, IterationStarted, RunHalted, RunStarted, StepFinished
from ralph_cli.core.model import Usage
from ralph_cli.core.run import Halt, Step


@dataclass(frozen=True, slots=True)
class LoopState:
    """What is known of a run after some of its events."""

    run: str = ""
    question: str = ""
    iteration: int = 0
    steps: tuple[Step, ...] = ()
    usage: Usage = Usage()
    halt: Halt | None = None

    @property
    def best(self) -> Step | None:
        """The step with the most claims standing; of equals the one with fewer issues, then the later one."""
        if not self.steps:
            return None
        return max(enumerate(self.steps), key=lambda item: (*standing(item[1]), item[0]))[1]

    def apply(self, event: AnyEvent) -> "LoopState":
        """The state after `event`; events that change nothing leave it as it is."""
        match event:
            case RunStarted(run=run, question=question):
                return replace(self, run=run, question=question)
            case IterationStarted(number=number):
                return replace(self, iteration=number)
            case StepFinished(step=step):
                return replace(self, steps=(*self.steps, step))
            case CallFinished(usage=usage):
                return replace(self, usage=self.usage + usage)
            case RunHalted(halt=halt):
                return replace(self, halt=halt)
            case _:
                return self


def fold(events: Iterable[AnyEvent]) -> LoopState:
    """The state after these events."""
    return reduce(LoopState.apply, events, LoopState())
