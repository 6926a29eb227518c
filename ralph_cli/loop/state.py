"""The state of a run is the fold of its events; resume, report and replay read nothing else."""

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
    """What is known of a run after some of its events. `started` is on the monotonic clock and not compared.

    `has_language_model` is False for a question or task that the built-in engine works on and judges.
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
        """The step with the most claims standing; of equals the one with fewer issues, then the later one."""
        if not self.steps:
            return None
        return max(enumerate(self.steps), key=lambda item: (*rate_step(item[1]), item[0]))[1]

    @property
    def cumulative_cost(self) -> float:
        """US dollars spent; calls of unknown price count nothing, see `usage.usd`."""
        return self.usage.usd or 0.0

    @property
    def total_tokens(self) -> int:
        """Tokens in and out."""
        return self.usage.input_tokens + self.usage.output_tokens

    @property
    def successful_steps(self) -> int:
        """Attempts that gave something to check."""
        return sum(step.attempt.has_result for step in self.steps)

    @property
    def failed_steps(self) -> int:
        """Attempts that gave nothing to check."""
        return len(self.steps) - self.successful_steps

    @property
    def consecutive_failures(self) -> int:
        """How many of the latest attempts gave nothing to check."""
        count = 0
        for step in reversed(self.steps):
            if step.attempt.has_result:
                break
            count += 1
        return count

    @property
    def score_history(self) -> tuple[dict[str, float], ...]:
        """The scores of each iteration that had any."""
        return tuple(step.scores for step in self.steps if step.scores)

    @property
    def reflection_history(self) -> tuple[Lesson, ...]:
        """What was learnt, oldest first."""
        return tuple(step.lesson for step in self.steps if step.lesson is not None)

    def elapsed(self) -> float:
        """Seconds since the loop began."""
        return clock.monotonic() - self.started

    def success_rate(self) -> float:
        """Share of attempts that gave something to check; 0 before the first."""
        return self.successful_steps / len(self.steps) if self.steps else 0.0

    def latest_score(self) -> dict[str, float]:
        """The scores of the latest attempt, empty if it has none."""
        return self.steps[-1].scores if self.steps else {}

    def best_score(self, metric: str) -> float:
        """The highest value of one score so far; 0 if it was never given."""
        return max((scores[metric] for scores in self.score_history if metric in scores), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """The state as plain values, for a checkpoint."""
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
        """The state after `event`; events that change nothing leave it as it is."""
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
                # Calls that were sent and never came back may be billed, at an unknown price.
                lost = Usage(calls=len(self.open_calls), usd=None) if self.open_calls else Usage()
                return replace(self, halt=halt, usage=self.usage + lost, open_calls=frozenset())
            case _:
                return self


class StateTracker:
    """A sink that keeps the fold of all events so far; those of models come from several threads."""

    def __init__(self) -> None:
        self.state = LoopState()
        self._lock = threading.Lock()

    def __call__(self, event: AnyEvent, /) -> None:
        with self._lock:
            self.state = self.state.apply(event)


def fold(events: Iterable[AnyEvent]) -> LoopState:
    """The state after these events."""
    return reduce(LoopState.apply, events, LoopState())


def _is_without_model(started: RunStarted) -> bool:
    """Whether neither worker nor judge is a language model; a goal is for its verifiers to decide."""
    models = started.settings.get("models", {})
    return started.mode in ("qa", "task") and all(
        str(models.get(role, "")).startswith("offline:") for role in ("worker", "judge")
    )
