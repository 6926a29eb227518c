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


ROLES = {
    "worker": ("worker", "goal", "extractor", "reader", "reasoner"),
    "judge": ("judge", "task_judge", "absence", "list", "counter", "verifier", "panel"),
    "children": ("child",),
    "sub-queries": ("subquery",),
}
"""Whose calls they are, by agent."""


def usd_by_role(items: Iterable[Spending]) -> dict[str, float]:
    """US dollars by role, the dearest first; what has no known price, or costs nothing, is left out."""
    found: dict[str, float] = {}
    for item in items:
        role = next((role for role, agents in ROLES.items() if item.agent in agents), item.agent)
        found[role] = found.get(role, 0.0) + (item.usage.usd or 0.0)
    return dict(sorted(((role, usd) for role, usd in found.items() if usd), key=lambda pair: -pair[1]))
