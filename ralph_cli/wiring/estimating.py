"""Estimate the cost of a run before anything is sent: from similar runs, or from the usual number of calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles

from ralph_cli.config import Settings
from ralph_cli.core.model import Usage
from ralph_cli.providers import prices
from ralph_cli.providers.registry import parse_model_name
from ralph_cli.wiring.models import ModelNames
from ralph_cli.wiring.spending import run_budget

LEAST_RUNS = 3  # recorded runs from which an estimate is made

CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class PastRun:
    """The cost of a recorded run in US dollars, the characters of its document, and the dollars by role."""

    usd: float
    characters: int
    usd_by_role: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The estimated cost of a run in US dollars: low, likely and high (None: a price is unknown).

    It has a sentence on how the cost was estimated, and the run's bound in dollars, if it has one. `by_model` has the
    likely and the high cost of each model.
    """

    low: float | None
    likely: float | None
    high: float | None
    how: str
    bound: float | None
    by_model: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Calls:
    """Calls of a run by role."""

    worker: int
    judge: int
    subquery: int


_EXPLORING = (_Calls(5, 1, 0), _Calls(12, 2, 4), _Calls(60, 8, 60))
_WHOLE = (_Calls(1, 1, 0), _Calls(2, 2, 0), _Calls(8, 6, 0))
_GOAL_EXPLORING = (_Calls(7, 0, 0), _Calls(25, 0, 4), _Calls(160, 0, 60))
# The usual calls at the low end, likely, and at the high end: where code explores, and where the text is given whole.
# They are assumptions, which recorded runs replace. A goal has no judge and more iterations; it sets, verifies and
# hands in its output in calls of their own.
_GOAL_WHOLE = (_Calls(3, 0, 0), _Calls(9, 0, 0), _Calls(60, 0, 0))

LONGEST_CONVERSATION = 60  # calls of the worker after which a conversation is taken to have been begun anew


def estimate_cost(
    settings: Settings,
    names: ModelNames,
    characters: int,
    past: Sequence[PastRun],
    *,
    is_goal: bool = False,
    is_first: bool = True,
) -> CostEstimate:
    """Return the likely cost of a run with these models on a document of that length; `past` are similar runs.

    If `is_first` is false, the beginning of the prompts is already in the vendor's cache.
    """
    budget, _ = run_budget(settings, names.by_role, {})
    whole = settings.strategy == "direct" or (settings.strategy == "auto" and characters <= settings.direct_chars)
    reading = "the model is given the whole text" if whole else "the model explores the text by code"
    size = f"the document has {characters:,} characters, and {reading}"
    if len(past) >= LEAST_RUNS:
        # Each call contains the text only if it is given whole.
        costs = sorted(run.usd * (characters / run.characters if whole and run.characters else 1) for run in past)
        tenths = quantiles(costs, n=10, method="inclusive")
        how = f"{size}; from {len(past)} recorded runs with these models"
        shares = _shares(names, past)
        by_model = {model: (share * median(costs), share * tenths[-1]) for model, share in shares.items()}
        return CostEstimate(tenths[0], median(costs), tenths[-1], how, budget.usd, by_model)
    direct, exploring = (_GOAL_WHOLE, _GOAL_EXPLORING) if is_goal else (_WHOLE, _EXPLORING)
    usual = direct if whole else exploring
    text = characters if whole else 0
    costs_by_model = [_cost(settings, names, calls, text, is_first=is_first) for calls in usual]
    low, likely, high = (total(list(costs.values())) for costs in costs_by_model)
    few = f"{len(past)} recorded run{'s' * (len(past) != 1)} with these models" if past else "no recorded runs"
    judge = "" if is_goal else f"of the judge {usual[0].judge} to {usual[2].judge}, "
    how = (
        f"{size}; {few}, so the usual number of calls is assumed: of the worker {usual[0].worker} to "
        f"{usual[2].worker}, {judge}sub-queries up to {usual[2].subquery}"
    )
    by_model = {model: (costs_by_model[1][model] or 0.0, usd or 0.0) for model, usd in costs_by_model[2].items()}
    return CostEstimate(low, likely, high, how, budget.usd, by_model)


def total(costs: Sequence[float | None]) -> float | None:
    """Return the sum of costs; None if one is unknown."""
    known = [usd for usd in costs if usd is not None]
    return sum(known) if len(known) == len(costs) else None


def _shares(names: ModelNames, past: Sequence[PastRun]) -> dict[str, float]:
    """Return the share of each model in the cost of past runs, if they recorded it."""
    spent: dict[str, float] = {}
    for run in past:
        for role, usd in run.usd_by_role.items():
            model = names.by_role.get(role, names.worker)
            spent[model] = spent.get(model, 0.0) + usd
    whole = sum(spent.values())
    return {model: usd / whole for model, usd in spent.items()} if whole else {}


def _cost(
    settings: Settings, names: ModelNames, calls: _Calls, characters: int, *, is_first: bool
) -> dict[str, float | None]:
    """Return the cost of these calls by model. Conversations grow, and a cache holds most of the text sent before."""
    text = characters // CHARS_PER_TOKEN
    worker_input = 3_500 + text + 700 * min(calls.worker, LONGEST_CONVERSATION)
    begun = Usage(1, worker_input, 400, cache_read_tokens=0 if is_first else (2_500 + text) * 9 // 10)
    parts = (
        (names.worker, 1, begun),
        (names.worker, calls.worker - 1, Usage(1, worker_input, 400, cache_read_tokens=worker_input * 9 // 10)),
        (names.judge, calls.judge, Usage(1, 5_000, 600)),
        (names.subquery, calls.subquery, Usage(1, 8_000, 200)),
    )
    found: dict[str, float | None] = {}
    for name, count, usage in parts:
        vendor, model = parse_model_name(name, "anthropic", settings.profiles)
        if not count or vendor in ("offline", "scripted"):
            continue
        each = prices.price(vendor, model, usage, settings.endpoint(vendor).base_url, settings.price_list)
        before = found.get(name, 0.0)
        found[name] = None if each is None or before is None else before + each * count
    return found
