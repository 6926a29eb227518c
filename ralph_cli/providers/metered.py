"""A model around a model: reserves before each call, books and records after it."""

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace

from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.events import CallFinished, CallStarted, EventSink
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, ToolTurn, Turn, Usage, UserTurn
from ralph_cli.providers.wrapper import ModelWrapper

Estimate = Callable[[Request], float | None]
"""The most a request can cost in US dollars, or None when the price is unknown."""


@dataclass(slots=True)
class TimeLimitedModel(ModelWrapper):
    """A model that is cut off when the time of its run is over, whatever it does; for models that know of no limit."""

    ledger: Ledger

    def complete(self, request: Request) -> Reply:
        """The wrapped model's reply. Raises LimitExceeded when the time is over before it has come."""
        return self.ledger.call_in_remaining_time(lambda: self.wrapped.complete(request))


@dataclass(slots=True)
class MeteredModel(ModelWrapper):
    """Checks the budget before, charges and records after, every call of the wrapped model; safe from every thread."""

    ledger: Ledger
    sink: EventSink
    numbers: Iterator[int]
    estimate: Estimate = field(default=lambda request: None)

    def complete(self, request: Request) -> Reply:
        """The wrapped model's reply. The start is recorded before the request is sent, the reply before it is seen."""
        with self.ledger.reserve(self.estimate(request)) as book:
            number = next(self.numbers)
            digest, newest = request_digest(request), turn_text(request.turns[-1])
            size = request.characters
            self.sink(CallStarted(number, request.agent, self.name, size, digest, newest, request.ordinal))
            begun = clock.monotonic()

            def finish(usage: Usage, reply: Json | None = None, error: str = "") -> None:
                book(usage)
                seconds = round(clock.monotonic() - begun, 3)
                self.sink(CallFinished(number, request.agent, self.name, usage, seconds, reply, error))

            try:
                reply = self.wrapped.complete(request)
            except ProviderError as error:
                # A timeout may have been billed: it counts as what was promised, and is reported as unknown.
                spent = Usage(calls=1, characters=request.characters, usd=None if error.usage_unknown else 0.0)
                finish(spent, error=error.message)
                raise
            finish(replace(reply.usage, calls=1, characters=request.characters), _reply_as_json(reply))
            return reply


def call_numbers() -> Iterator[int]:
    """The numbers of a run's calls, shared by its models. `next` on it is atomic."""
    return itertools.count(1)


def request_digest(request: Request) -> str:
    """SHA-256 of everything in a request that decides its answer."""
    body = {
        "agent": request.agent,
        "system": request.system,
        "turns": [{"kind": type(turn).__name__, **asdict(turn)} for turn in request.turns],
        "tools": [asdict(tool) for tool in request.tools],
        "schema": request.output_schema,
        "max_tokens": request.max_tokens,
    }
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def turn_text(turn: Turn) -> str:
    """The text of one turn."""
    match turn:
        case UserTurn(text) | ModelTurn(text):
            return text
        case ToolTurn(results, note):
            return "\n".join([text for _, text, _ in results] + ([note] if note else []))


def _reply_as_json(reply: Reply) -> Json:
    calls = [asdict(call) for call in reply.calls]
    return {"text": reply.text, "calls": calls, "stop": reply.stop.value, "model": reply.model, "raw": reply.turn.raw}
