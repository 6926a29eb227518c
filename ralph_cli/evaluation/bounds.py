"""The budget of an evaluation for all its questions together, and what is left of it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from math import inf
from pathlib import Path
from typing import TypeVar

from ralph_cli.config import Settings, flag_of
from ralph_cli.core.budget import Budget
from ralph_cli.core.events import AnyEvent, CallFinished, CallStarted
from ralph_cli.core.model import Model, Usage
from ralph_cli.core.run import Halt, StopType
from ralph_cli.evaluation.results import QuestionResult
from ralph_cli.journal.store import read_events
from ralph_cli.wiring.models import ModelNames
from ralph_cli.wiring.spending import most_usd, run_budget

T = TypeVar("T", int, float)


@dataclass(frozen=True, slots=True)
class EvaluationBounds:
    """The budget of all questions together (`whole`) and of each (`each`); `folder` contains the questions' runs."""

    settings: Settings
    judge: str
    folder: Path
    whole: Budget
    each: Budget

    @classmethod
    def of(
        cls, settings: Settings, names: ModelNames, given: Mapping[str, Model], each: Budget, folder: Path
    ) -> "EvaluationBounds":
        """The budget from the settings; by default that of a run, unless each question has its own.

        `given` are the models that the caller provides.
        """
        is_bounded = settings.max_cost is not None or each.usd is None
        asked = settings if is_bounded else settings.model_copy(update={"max_cost": inf})
        return cls(settings, names.judge, folder, run_budget(asked, names.by_role, given)[0], each)

    def describe(self) -> str:
        """The limits of all questions, each with its flag; empty if there are none."""
        whole = self.whole
        amounts = {
            "max_cost": None if whole.usd is None else f"${whole.usd:g}",
            "max_calls": None if whole.calls is None else f"{whole.calls:,} calls",
            "max_tokens": None if whole.tokens is None else f"{whole.tokens:,} tokens",
            "max_time": None if whole.seconds is None else f"{whole.seconds:g} s",
        }
        return ", ".join(
            f"{amount} ({'the default of ' if getattr(self.settings, name) is None else ''}{flag_of(name)})"
            for name, amount in amounts.items()
            if amount is not None
        )

    def left_by(self, results: Iterable[QuestionResult], seconds: float) -> Budget:
        """The rest of the whole budget after these results, `seconds` after this sitting began."""
        return replace(reduce(self.subtract, results, self.whole), seconds=_minus(self.whole.seconds, seconds))

    def subtract(self, left: Budget, result: QuestionResult) -> Budget:
        """The rest of a budget after a result. A call with an unknown bill counts as the most that it may have cost."""
        usage, grading = result.usage, result.grading
        tokens = (usage.input_tokens, usage.output_tokens, grading.input_tokens, grading.output_tokens)
        return Budget(
            _minus(left.seconds, result.seconds),
            _minus(left.usd, self._counted_usd(result)),
            _minus(left.calls, usage.calls + grading.calls),
            _minus(left.tokens, sum(tokens)),
        )

    def of_question(self, left: Budget) -> dict[str, float | None]:
        """The settings that keep a question within its own budget, and within what is left of the whole."""
        return self.of_rest(
            replace(left, usd=_lower(self.each.usd, left.usd), seconds=_lower(self.each.seconds, left.seconds))
        )

    def of_rest(self, left: Budget) -> dict[str, float | None]:
        """The settings that keep a call within the rest of the budget."""
        bounds = {"max_cost": left.usd, "max_time": left.seconds, "max_calls": left.calls, "max_tokens": left.tokens}
        kept = {name: None if bound is None else max(bound, 0) for name, bound in bounds.items()}
        # "none" for all questions is none for each, too.
        return kept if left.usd is not None else kept | {"max_cost": self.settings.max_cost}

    def has_ended_all(self, stop: StopType, left: Budget) -> bool:
        """Whether a question stopped at a limit of the whole evaluation, and not at one of its own."""
        match stop:
            case StopType.MAX_CALLS | StopType.MAX_TOKENS:
                return True
            case StopType.MAX_COST:
                return _lower(left.usd, self.each.usd) != self.each.usd
            case StopType.TIMEOUT:
                return _lower(left.seconds, self.each.seconds) != self.each.seconds
            case _:
                return False

    def _counted_usd(self, result: QuestionResult) -> float:
        spent = result.usage.usd
        if spent is None:
            calls = _calls(read_events(self.folder / result.run))
            spent = sum(most_usd(self.settings, model, usage) for model, usage in calls)
            spent = spent if self.each.usd is None else min(spent, self.each.usd)
        return spent + most_usd(self.settings, self.judge, result.grading)


def halt_of(left: Budget) -> Halt | None:
    """The end of an evaluation with this rest of its budget; None if it can continue."""
    if left.usd is not None and left.usd <= 0:
        unknown = ", or may be: a price is unknown (--cost-each bounds it)" if left.usd == -inf else ""
        return Halt(StopType.MAX_COST, f"the budget of the evaluation is spent{unknown}")
    for limit, stop, amount in (
        ("calls", StopType.MAX_CALLS, left.calls),
        ("tokens", StopType.MAX_TOKENS, left.tokens),
        ("time", StopType.TIMEOUT, left.seconds),
    ):
        if amount is not None and amount <= 0:
            return Halt(stop, f"the {limit} limit of the evaluation is reached")
    return None


def _calls(events: Iterable[AnyEvent]) -> Iterator[tuple[str, Usage]]:
    """The model and usage of each call; for a call without an end the bill is unknown."""
    found: dict[int, tuple[str, Usage]] = {}
    for event in events:
        if isinstance(event, CallStarted):
            found[event.number] = event.model, Usage(1, characters=event.characters, usd=None)
        elif isinstance(event, CallFinished):
            found[event.number] = event.model, event.usage
    return iter(found.values())


def _minus(bound: T | None, spent: T) -> T | None:
    return None if bound is None else bound - spent


def _lower(one: float | None, other: float | None) -> float | None:
    bounds = [bound for bound in (one, other) if bound is not None]
    return min(bounds) if bounds else None
