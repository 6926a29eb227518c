"""Sums the cost of a run by agent and model."""

from collections.abc import Iterable
from dataclasses import dataclass

from ralph_cli.core.events import AnyEvent, CallFinished
from ralph_cli.core.model import Usage


@dataclass(frozen=True, slots=True)
class Spending:
    """The usage of one agent and model, the wall time of its calls in seconds, and how many of them failed."""

    agent: str
    model: str
    usage: Usage
    seconds: float
    failed: int


def spending(events: Iterable[AnyEvent]) -> tuple[Spending, ...]:
    """The spending of each agent and model, in the order of their first calls."""
    found: dict[tuple[str, str], Spending] = {}
    for event in events:
        if isinstance(event, CallFinished):
            key = event.agent, event.model
            earlier = found.get(key, Spending(*key, Usage(), 0.0, 0))
            seconds, failed = earlier.seconds + event.seconds, earlier.failed + bool(event.error)
            found[key] = Spending(*key, earlier.usage + event.usage, seconds, failed)
    return tuple(found.values())


# The agents of each role.
ROLES = {
    "worker": ("worker", "goal", "extractor", "reader", "reasoner"),
    "judge": ("judge", "task_judge", "absence", "list", "counter", "verifier", "panel"),
    "children": ("child",),
    "sub-queries": ("subquery",),
}


def usd_by_role(items: Iterable[Spending]) -> dict[str, float]:
    """US dollars by role, highest first, without roles that cost nothing or have no known price."""
    found: dict[str, float] = {}
    for item in items:
        role = next((role for role, agents in ROLES.items() if item.agent in agents), item.agent)
        found[role] = found.get(role, 0.0) + (item.usage.usd or 0.0)
    return dict(sorted(((role, usd) for role, usd in found.items() if usd), key=lambda pair: -pair[1]))
