"""The interface between ralph and a language model: a request, a reply, and one method."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from numbers import Integral, Real
from typing import Any, Protocol

Json = dict[str, Any]


class StopReason(StrEnum):
    """The reason why a model stopped. Providers refuse a reply whose reason is unknown."""

    END = "end"
    TOOL = "tool"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool the model may call; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Json


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call by the model. `arguments` is None if the model did not write a JSON object; `malformed` then has its
    text.
    """

    id: str
    name: str
    arguments: Json | None
    malformed: str = ""


@dataclass(frozen=True, slots=True)
class UserTurn:
    """A message from ralph to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """A message from the model. `raw` is the provider's own content, sent back unchanged."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    raw: Any = None


@dataclass(frozen=True, slots=True)
class ToolTurn:
    """The answers to the calls of the previous turn, as (call id, text, is error). Each id occurs exactly once."""

    results: tuple[tuple[str, str, bool], ...]
    note: str = ""


Turn = UserTurn | ModelTurn | ToolTurn


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model.

    `agent` is the role that asks (worker, subquery, judge). `output_schema` requests one JSON object of that shape as
    text. `inputs` are the named values that the prompt was rendered from. Language models never see them; engines that
    read no prose (`offline`, `scripted`) do. `cache` marks the prefix of this request as worth caching. `shared` is the
    number of characters at the start of the first turn that other runs may share.

    `ordinal` counts the parallel requests of an iteration's code, from 1; it is 0 for a single request. `branch` names
    the child worker that asks: "2", or "2.1" for a child of worker 2; it is empty for the run's own worker. Models see
    neither of these two.
    """

    agent: str
    system: str
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()
    output_schema: Json | None = None
    output_name: str = "output"
    max_tokens: int = 8_000
    cache: bool = False
    shared: int = 0
    inputs: Mapping[str, Any] = field(default_factory=dict)
    ordinal: int = 0
    branch: str = ""

    @property
    def characters(self) -> int:
        """The characters of all prompt text, without the overhead of the wire format."""
        total = len(self.system)
        for turn in self.turns:
            match turn:
                case UserTurn(text):
                    total += len(text)
                case ModelTurn(text, calls):
                    total += len(text) + sum(len(str(c.arguments or c.malformed)) for c in calls)
                case ToolTurn(results, note):
                    total += len(note) + sum(len(text) for _, text, _ in results)
        return total


# The counts of a usage, in the order of its fields.
_COUNTS = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "characters")


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and cost. `usd` is None as soon as any part has an unknown price.

    `input_tokens` includes the tokens read from or written to a prompt cache, for every vendor. Raises ValueError if a
    count or price is negative or not a finite number, because booking it would hide what was spent.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    characters: int = 0
    usd: float | None = 0.0

    def __post_init__(self) -> None:
        for name in _COUNTS:
            count: object = getattr(self, name)
            if not isinstance(count, Integral) or isinstance(count, bool) or count < 0:
                raise ValueError(f"usage: {name} must be a whole number of at least 0, not {count!r}")
        usd: object = self.usd
        if usd is not None and (not isinstance(usd, Real) or isinstance(usd, bool) or not 0 <= float(usd) < inf):
            raise ValueError(f"usage: usd must be a finite number of at least 0, or None if unknown, not {usd!r}")

    def __add__(self, other: "Usage") -> "Usage":
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        known = self.usd is not None and other.usd is not None
        return Usage(**counts, usd=(self.usd or 0.0) + (other.usd or 0.0) if known else None)

    def __sub__(self, other: "Usage") -> "Usage":
        """Return the difference; no count goes below 0."""
        counts = {name: max(getattr(self, name) - getattr(other, name), 0) for name in _COUNTS}
        known = self.usd is not None and other.usd is not None
        return Usage(**counts, usd=max((self.usd or 0.0) - (other.usd or 0.0), 0.0) if known else None)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer and its cost. `turn` belongs in the history."""

    turn: ModelTurn
    stop: StopReason
    usage: Usage = Usage()
    model: str = ""

    @property
    def text(self) -> str:
        return self.turn.text

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return self.turn.calls


class Model(Protocol):
    """A model has a name, a vendor and the method `complete`."""

    @property
    def name(self) -> str:
        """The name as `vendor:model`, as the user wrote it or from the default."""
        ...

    @property
    def vendor(self) -> str:
        """The model family: anthropic, openai, offline, scripted, ..."""
        ...

    def complete(self, request: Request) -> Reply:
        """Answer the request, or raise ProviderError. Never returns an error as a reply."""
        ...
