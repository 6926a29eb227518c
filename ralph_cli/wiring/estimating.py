"""What a run will likely cost, before anything is sent: from runs like it, or from the usual number of calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from ralph_cli.config import Settings
from ralph_cli.core.model import Usage
from ralph_cli.providers import prices
from ralph_cli.providers.registry import parse_model_name
from ralph_cli.wiring.models import ModelNames
from ralph_cli.wiring.spending import run_budget

LEAST_RUNS = 3
"""Recorded runs from which an estimate is made."""

CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class PastRun:
    """What a recorded run has cost in US dollars, and how many characters its document had."""

    usd: float
    characters: int


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """US dollars that a run may cost at the low end, likely, and at the high end (None: a price is unknown); how that
    was estimated, in a sentence; and its bound in dollars, if it has one.
    """

    low: float | None
    likely: float | None
    high: float | None
    how: str
    bound: float | None


@dataclass(frozen=True, slots=True)
class _Calls:
    """Calls of a run by role."""

    worker: int
    judge: int
    subquery: int


_EXPLORING = (_Calls(5, 1, 0), _Calls(12, 2, 4), _Calls(60, 8, 60))
_WHOLE = (_Calls(1, 1, 0), _Calls(2, 2, 0), _Calls(8, 6, 0))
_GOAL_EXPLORING = (_Calls(7, 0, 0), _Calls(25, 0, 4), _Calls(160, 0, 60))
_GOAL_WHOLE = (_Calls(3, 0, 0), _Calls(9, 0, 0), _Calls(60, 0, 0))
"""The usual calls at the low end, likely, and at the high end: where code explores, and where the text is given whole.

They are assumptions, which recorded runs replace. A goal has no judge and more iterations; it sets, verifies and hands
in its output in calls of their own.
"""

LONGEST_CONVERSATION = 60
"""Calls of the worker after which a conversation is taken to have been begun anew."""


def estimate_cost(
    settings: Settings, names: ModelNames, characters: int, past: Sequence[PastRun], *, is_goal: bool = False
) -> CostEstimate:
    """What a run on a document of so many characters may cost, with these models; `past` are runs like it."""
    budget, _ = run_budget(settings, names.by_role, {})
    whole = settings.strategy == "direct" or (settings.strategy == "auto" and characters <= settings.direct_chars)
    reading = "the model is given the whole text" if whole else "the model explores the text by code"
    size = f"the document has {characters:,} characters, and {reading}"
    if len(past) >= LEAST_RUNS:
        # The text is a part of each call only where it is given whole.
        costs = sorted(run.usd * (characters / run.characters if whole and run.characters else 1) for run in past)
        tenths = quantiles(costs, n=10, method="inclusive")
        how = f"{size}; from {len(past)} recorded runs with these models"
        return CostEstimate(tenths[0], median(costs), tenths[-1], how, budget.usd)
    direct, exploring = (_GOAL_WHOLE, _GOAL_EXPLORING) if is_goal else (_WHOLE, _EXPLORING)
    usual = direct if whole else exploring
    low, likely, high = (_cost(settings, names, calls, characters if whole else 0) for calls in usual)
    few = f"{len(past)} recorded run{'s' * (len(past) != 1)} with these models" if past else "no recorded runs"
    judge = "" if is_goal else f"of the judge {usual[0].judge} to {usual[2].judge}, "
    how = (
        f"{size}; {few}, so the usual number of calls is assumed: of the worker {usual[0].worker} to "
        f"{usual[2].worker}, {judge}sub-queries up to {usual[2].subquery}"
    )
    return CostEstimate(low, likely, high, how, budget.usd)


def _cost(settings: Settings, names: ModelNames, calls: _Calls, characters: int) -> float | None:
    """The cost of so many calls; conversations grow, and what was sent before is mostly read from a cache."""
    text = characters // CHARS_PER_TOKEN
    worker_input = 3_500 + text + 700 * min(calls.worker, LONGEST_CONVERSATION)
    parts = (
        (names.worker, 1, Usage(1, worker_input, 400)),
        (names.worker, calls.worker - 1, Usage(1, worker_input, 400, cache_read_tokens=worker_input * 9 // 10)),
        (names.judge, calls.judge, Usage(1, 5_000, 600)),
        (names.subquery, calls.subquery, Usage(1, 8_000, 200)),
    )
    total = 0.0
    for name, count, usage in parts:
        vendor, model = parse_model_name(name, "anthropic")
        if not count or vendor in ("offline", "scripted"):
            continue
        each = prices.price(vendor, model, usage, settings.endpoint(vendor).base_url, settings.price_list)
        if each is None:
            return None
        total += each * count
    return total
