"""What a run cost, by agent and model."""

from collections.abc import Iterable
from dataclasses import dataclass

from ralph_cli.core.events import AnyEvent, CallFinished
from ralph_cli.core.model import Usage


@dataclass(frozen=True, slots=True)
class Spending:
    """What one agent spent on one model: usage, wall time of its calls in seconds, calls that failed."""

    agent: str
    model: str
    usage: Usage
    seconds: float
    failed: int


def spending(events: Iterable[AnyEvent]) -> tuple[Spending, ...]:
    """One line for each agent and model, in the order in which they were first asked."""
    found: dict[tuple[str, str], Spending] = {}
    for event in events:
        if isinstance(event, CallFinished):
            key = event.agent, event.model
            earlier = found.get(key, Spending(*key, Usage(), 0.0, 0))
            seconds, failed = earlier.seconds + event.seconds, earlier.failed + bool(event.error)
            found[key] = Spending(*key, earlier.usage + event.usage, seconds, failed)
    return tuple(found.values())
