"""The configuration of a loop's validation, reflection and halt: frozen values that refuse invalid settings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from numbers import Integral, Real
from typing import Any, Literal

ReflectionLevel = Literal["shallow", "medium", "deep"]


@dataclass(frozen=True, slots=True)
class ValidationConfig:
    """The settings of the analyze phase.

    `scorer_names` selects scorers by name (empty: all). With a mean score below `min_score_threshold`, the loop
    reflects and a result is not complete. `parallel` scorers run at once, each for at most `timeout` seconds (0: no
    limit). With `skip_last_verification`, a verifier is not asked in the last iteration that `max_iterations` allows.

    Raises ValueError for a threshold outside [0, 1], `parallel` below 1, a negative or infinite timeout, or a value of
    another type.
    """

    enabled: bool = True
    scorer_names: tuple[str, ...] = ()
    min_score_threshold: float = 0.5
    parallel: int = 4
    timeout: float = 0.0
    skip_last_verification: bool = False

    def __post_init__(self) -> None:
        _require_bools(self, "enabled", "skip_last_verification")
        names = self.scorer_names
        listed = isinstance(names, Sequence) and not isinstance(names, str)
        _require(listed and all(isinstance(name, str) for name in names), "scorer_names must be a sequence of names")
        _require_share(self, "min_score_threshold")
        _require_whole(self, 1, "parallel")
        _require_amount(self, "timeout")


@dataclass(frozen=True, slots=True)
class ReflectionConfig:
    """The settings of the learn phase: the depth of a reflection, and the number of lessons kept.

    Raises ValueError for an unknown level, an empty history, or a value of another type.
    """

    enabled: bool = True
    level: ReflectionLevel = "medium"
    max_history: int = 50

    def __post_init__(self) -> None:
        _require_bools(self, "enabled")
        _require(self.level in ("shallow", "medium", "deep"), "level must be shallow, medium or deep")
        _require_whole(self, 1, "max_history")


@dataclass(frozen=True, slots=True)
class StopConditionConfig:
    """The settings of the halt phase. Zero disables a condition, except `max_iterations`, because a loop always has a
    limit.

    `timeout` is in seconds, `max_cost` in US dollars, and `score_threshold` is a mean score. `patience` is the number
    of consecutive equal failures, or worse results, after which the loop gives up. Raises ValueError for an invalid
    limit or a value of another type.
    """

    max_iterations: int = 10
    timeout: float = 0.0
    max_cost: float = 0.0
    max_consecutive_failures: int = 3
    score_threshold: float = 0.0
    enable_user_interrupt: bool = False
    patience: int = 2

    def __post_init__(self) -> None:
        _require_whole(self, 1, "max_iterations")
        _require_amount(self, "timeout", "max_cost")
        _require_whole(self, 0, "max_consecutive_failures", "patience")
        _require_share(self, "score_threshold")
        _require_bools(self, "enable_user_interrupt")


@dataclass(frozen=True, slots=True)
class RalphConfig:
    """All three settings, and the caller's own metadata. Raises ValueError for parts of another type."""

    validation: ValidationConfig = field(default_factory=ValidationConfig)
    reflection: ReflectionConfig = field(default_factory=ReflectionConfig)
    stop_condition: StopConditionConfig = field(default_factory=StopConditionConfig)
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parts = {"validation": ValidationConfig, "reflection": ReflectionConfig, "stop_condition": StopConditionConfig}
        for name, kind in parts.items():
            _require(isinstance(getattr(self, name), kind), f"{name} must be a {kind.__name__}")
        _require(isinstance(self.metadata, Mapping), "metadata must be a mapping")


def _require_whole(config: object, least: int, *names: str) -> None:
    def is_whole(value: Any) -> bool:
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        return whole and value >= least

    _require_each(config, names, is_whole, f"a whole number of at least {least}")


def _require_amount(config: object, *names: str) -> None:
    rule = "a number that is finite and not negative (0 is no limit)"
    _require_each(config, names, lambda value: _is_number(value) and 0 <= value < inf, rule)


def _require_share(config: object, *names: str) -> None:
    _require_each(config, names, lambda value: _is_number(value) and 0 <= value <= 1, "between 0 and 1")


def _require_bools(config: object, *names: str) -> None:
    _require_each(config, names, lambda value: isinstance(value, bool), "True or False")


def _require_each(config: object, names: Iterable[str], holds: Callable[[Any], bool], rule: str) -> None:
    for name in names:
        value = getattr(config, name)
        _require(holds(value), f"{name} must be {rule}, not {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)
