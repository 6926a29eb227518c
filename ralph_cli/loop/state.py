"""The state of a run is the fold of its events. Resume, report and replay read nothing else."""

import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from typing import Any

from ralph_cli.checks.base import rate_step
from ralph_cli.core import clock
from ralph_cli.core.coverage import Coverage, SubqueryTally
from ralph_cli.core.events import (
    AnyEvent,
    CallFinished,
    CallStarted,
    CoverageAdded,
    IterationStarted,
    RunHalted,
    RunStarted,
    StepFinished,
    SubqueriesAsked,
)
from ralph_cli.core.model import Usage
from ralph_cli.core.run import Halt, Lesson, Step


@dataclass(frozen=True, slots=True)
class LoopState:
    """The state of a run after some of its events. `started` is on the monotonic clock and is not compared.

    `has_language_model` is False for a question or task if both worker and judge are the built-in engine.
    """

    run: str = ""
    question: str = ""
    iteration: int = 0
    steps: tuple[Step, ...] = ()
    usage: Usage = Usage()
    halt: Halt | None = None
    open_calls: frozenset[int] = frozenset()
    has_language_model: bool = True
    coverage: Coverage = field(default_factory=Coverage)
    subqueries: SubqueryTally = field(default_factory=SubqueryTally)
    started: float = field(default_factory=clock.monotonic, compare=False)

    @property
    def best(self) -> Step | None:
        """The best step by `rate_step`; of equal steps, the later one."""
        if not self.steps:
            return None
        return max(enumerate(self.steps), key=lambda item: (*rate_step(item[1]), item[0]))[1]

    @property
    def cumulative_cost(self) -> float:
        """The cost in US dollars; calls of unknown price count as 0, see `usage.usd`."""
        return self.usage.usd or 0.0

    @property
    def total_tokens(self) -> int:
        """The sum of input and output tokens."""
        return self.usage.input_tokens + self.usage.output_tokens

    @property
    def successful_steps(self) -> int:
        """The number of attempts with a result to check."""
        return sum(step.attempt.has_result for step in self.steps)

    @property
    def failed_steps(self) -> int:
        """The number of attempts without a result to check."""
        return len(self.steps) - self.successful_steps

    @property
    def consecutive_failures(self) -> int:
        """The number of latest attempts without a result to check."""
        count = 0
        for step in reversed(self.steps):
            if step.attempt.has_result:
                break
            count += 1
        return count

    @property
    def score_history(self) -> tuple[dict[str, float], ...]:
        """The scores of each iteration that has scores."""
        return tuple(step.scores for step in self.steps if step.scores)

    @property
    def reflection_history(self) -> tuple[Lesson, ...]:
        """The lessons, oldest first."""
        return tuple(step.lesson for step in self.steps if step.lesson is not None)

    def elapsed(self) -> float:
        """Return the seconds since the loop began."""
        return clock.monotonic() - self.started

    def success_rate(self) -> float:
        """The share of attempts with a result to check; 0 before the first attempt."""
        return self.successful_steps / len(self.steps) if self.steps else 0.0

    def latest_score(self) -> dict[str, float]:
        """The scores of the latest attempt; empty if it has none."""
        return self.steps[-1].scores if self.steps else {}

    def best_score(self, metric: str) -> float:
        """Return the highest value of one score so far; 0 if there is none."""
        return max((scores[metric] for scores in self.score_history if metric in scores), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values, for a checkpoint."""
        return {
            "run": self.run,
            "question": self.question,
            "iteration": self.iteration,
            "elapsed": self.elapsed(),
            "cumulative_cost": self.cumulative_cost,
            "total_tokens": self.total_tokens,
            "consecutive_failures": self.consecutive_failures,
            "successful_steps": self.successful_steps,
            "failed_steps": self.failed_steps,
            "success_rate": self.success_rate(),
            "score_history": list(self.score_history),
            "reflection_history": [asdict(lesson) for lesson in self.reflection_history],
            "usage": asdict(self.usage),
            "halt": asdict(self.halt) if self.halt else None,
        }

    def apply(self, event: AnyEvent) -> "LoopState":
        """Return the state after `event`; many events leave it unchanged."""
        match event:
            case RunStarted(run=run, question=question):
                return replace(self, run=run, question=question, has_language_model=not _is_without_model(event))
            case IterationStarted(number=number):
                return replace(self, iteration=number)
            case StepFinished(step=step):
                return replace(self, steps=(*self.steps, step))
            case CoverageAdded(how=how, spans=spans):
                return replace(self, coverage=self.coverage.with_spans(how, spans))
            case SubqueriesAsked(tally=tally):
                return replace(self, subqueries=tally)
            case CallStarted(number=number):
                return replace(self, open_calls=self.open_calls | {number})
            case CallFinished(number=number, usage=usage):
                return replace(self, usage=self.usage + usage, open_calls=self.open_calls - {number})
            case RunHalted(halt=halt):
                # Calls that were sent and never returned may be billed, at an unknown price.
                lost = Usage(calls=len(self.open_calls), usd=None) if self.open_calls else Usage()
                return replace(self, halt=halt, usage=self.usage + lost, open_calls=frozenset())
            case _:
                return self


class StateTracker:
    """A sink that keeps the fold of all events so far. Events of models come from several threads."""

    def __init__(self) -> None:
        self.state = LoopState()
        self._lock = threading.Lock()

    def __call__(self, event: AnyEvent, /) -> None:
        with self._lock:
            self.state = self.state.apply(event)


def fold(events: Iterable[AnyEvent]) -> LoopState:
    """Return the state after these events."""
    return reduce(LoopState.apply, events, LoopState())


def _is_without_model(started: RunStarted) -> bool:
    """Whether neither worker nor judge is a language model; false for a goal, which its verifiers decide."""
    models = started.settings.get("models", {})
    return started.mode in ("qa", "task") and all(
        str(models.get(role, "")).startswith("offline:") for role in ("worker", "judge")
    )
