"""What a language model is to the rest of ralph: one request, one reply, one method."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf
from numbers import Integral, Real
from typing import Any, Protocol

Json = dict[str, Any]


class StopReason(StrEnum):
    """Why a model stopped. A reply without a known reason is refused by its provider."""

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
    """One call the model made. `arguments` is None when what it wrote is not a JSON object (`malformed` holds it)."""

    id: str
    name: str
    arguments: Json | None
    malformed: str = ""


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What we say to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What the model said, as it must be sent back: `raw` is the provider's own content, untouched."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    raw: Any = None


@dataclass(frozen=True, slots=True)
class ToolTurn:
    """Answers to the calls of the turn before: every id exactly once, as (call id, text, is error)."""

    results: tuple[tuple[str, str, bool], ...]
    note: str = ""


Turn = UserTurn | ModelTurn | ToolTurn


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model.

    `agent` names who asks (worker, subquery, judge). `output_schema` asks for one JSON object of that shape as text.
    `inputs` are the named values the prompt was rendered from; language models never see them, engines that read no
    prose (`offline`, `scripted`) do. `cache` marks the prefix of this request as worth caching, `shared` is how many
    characters of the first turn other runs may begin with, too. `ordinal` counts those that an iteration's code asks
    side by side, from 1; it is 0 for what is asked alone. `branch` names the child worker that asks: "2", or "2.1" for
    a child of that; it is empty for the run's own worker. No model sees these two.
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
        """Characters of all prompt text: what is sent, whatever the wire format adds."""
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


# What a usage counts, in the order of its fields.
_COUNTS = ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "characters")


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls, tokens and money. `usd` is None as soon as any part has an unknown price.

    `input_tokens` includes what was read from or written to a prompt cache, for every vendor.
    Raises ValueError for a count or price that is negative or no finite number: booked, it would hide what was spent.
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
        """What is left without another, of nothing less than nothing."""
        counts = {name: max(getattr(self, name) - getattr(other, name), 0) for name in _COUNTS}
        known = self.usd is not None and other.usd is not None
        return Usage(**counts, usd=max((self.usd or 0.0) - (other.usd or 0.0), 0.0) if known else None)


@dataclass(frozen=True, slots=True)
class Reply:
    """One model answer and what it cost. `turn` is what belongs into the history."""

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
    """A model is a name, the family behind it, and `complete`."""

    @property
    def name(self) -> str:
        """`vendor:model`, as the user wrote it or as the default says."""
        ...

    @property
    def vendor(self) -> str:
        """The family: anthropic, openai, offline, scripted, ..."""
        ...

    def complete(self, request: Request) -> Reply:
        """Answer the request, or raise ProviderError. Never returns an error as a reply."""
        ...
