"""How a loop validates, reflects and stops: frozen values that refuse what makes no sense."""

from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

Level = Literal["shallow", "medium", "deep"]


@dataclass(frozen=True, slots=True)
class ValidationConfig:
    """The analyze phase.

    `scorer_names` picks scorers by name (empty: all). Below a mean score of `min_score_threshold` the loop reflects,
    and a result is not complete. `parallel` scorers run at once, each for at most `timeout` seconds (0: no limit).
    With `skip_last_verification` a verifier is not asked in the iteration that `max_iterations` makes the last.
    Raises ValueError for a threshold outside [0, 1], less than one scorer at once, or a negative timeout.
    """

    enabled: bool = True
    scorer_names: tuple[str, ...] = ()
    min_score_threshold: float = 0.5
    parallel: int = 4
    timeout: float = 0.0
    skip_last_verification: bool = False

    def __post_init__(self) -> None:
        _require(0.0 <= self.min_score_threshold <= 1.0, "min_score_threshold must be between 0 and 1")
        _require(self.parallel >= 1, "parallel must be at least 1")
        _require(self.timeout >= 0, "timeout must not be negative")


@dataclass(frozen=True, slots=True)
class ReflectionConfig:
    """The learn phase: how deep a reflector looks, and how many lessons are kept.

    Raises ValueError for an unknown level or an empty history.
    """

    enabled: bool = True
    level: Level = "medium"
    max_history: int = 50

    def __post_init__(self) -> None:
        _require(self.level in ("shallow", "medium", "deep"), "level must be shallow, medium or deep")
        _require(self.max_history >= 1, "max_history must be at least 1")


@dataclass(frozen=True, slots=True)
class StopConditionConfig:
    """The halt phase. Zero switches a condition off, except `max_iterations`: a loop always has a bound.

    `timeout` is in seconds, `max_cost` in US dollars, `score_threshold` is a mean score. `patience` is how often in a
    row the same failure, or a worse result, is seen before the loop gives up.
    Raises ValueError for a bound that is none.
    """

    max_iterations: int = 10
    timeout: float = 0.0
    max_cost: float = 0.0
    max_consecutive_failures: int = 3
    score_threshold: float = 0.0
    enable_user_interrupt: bool = False
    patience: int = 2

    def __post_init__(self) -> None:
        _require(1 <= self.max_iterations < inf, "max_iterations must be at least 1, and finite")
        _require(0 <= self.timeout < inf, "timeout must not be negative, and be finite: 0 is no limit")
        _require(0 <= self.max_cost < inf, "max_cost must not be negative, and be finite: 0 is no limit")
        _require(self.max_consecutive_failures >= 0, "max_consecutive_failures must not be negative")
        _require(0.0 <= self.score_threshold <= 1.0, "score_threshold must be between 0 and 1")
        _require(self.patience >= 0, "patience must not be negative")


@dataclass(frozen=True, slots=True)
class RalphConfig:
    """All three, and whatever the caller wants to keep with them."""

    validation: ValidationConfig = field(default_factory=ValidationConfig)
    reflection: ReflectionConfig = field(default_factory=ReflectionConfig)
    stop_condition: StopConditionConfig = field(default_factory=StopConditionConfig)
    metadata: dict[str, Any] = field(default_factory=dict)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)
