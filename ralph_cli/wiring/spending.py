"""What a run may spend: the bounds in the settings, or default bounds; and what calls can cost."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf

from ralph_cli.config import Settings
from ralph_cli.core.budget import Budget, Forecast
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import NoticeIssued
from ralph_cli.core.model import Model, Reply, Request, Usage
from ralph_cli.providers import prices
from ralph_cli.providers.metered import Estimate, most_prompt_tokens, most_tokens
from ralph_cli.providers.prices import PriceList
from ralph_cli.providers.registry import KEYLESS_VENDORS, parse_model_name
from ralph_cli.providers.wrapper import ModelWrapper

DEFAULT_USD = 5.0  # US dollars of a run for which nobody has set a bound

DEFAULT_CALLS, DEFAULT_TOKENS = 500, 4_000_000  # calls and tokens of such a run where a price is unknown

_PROBE = Request("worker", "", ())


def run_budget(
    settings: Settings, names: Mapping[str, str], given: Mapping[str, Model]
) -> tuple[Budget, tuple[NoticeIssued, ...]]:
    """Return what a run with these models may spend, and the notices about it at the start.

    `names` has the model of each role, `given` has the caller's models. Without `max_cost` the run still has a bound:
    in dollars, or, if a price is unknown, in calls and tokens. Models of this machine cost nothing.
    """
    budget = Budget(settings.max_time, settings.max_cost, settings.max_calls, settings.max_tokens)
    if settings.max_cost == inf:
        return Budget(budget.seconds, None, budget.calls, budget.tokens), ()
    if settings.max_cost is not None:
        return budget, ()
    vendors = {role: model.vendor for role, model in given.items()}
    costly = {
        role: name
        for role, name in names.items()
        if vendors.get(role, name.split(":")[0]) not in KEYLESS_VENDORS and name
    }
    if not costly:
        return budget, ()
    unknown = [n for role, n in costly.items() if role in given or cost_estimator(settings, n)(_PROBE).usd is None]
    lift = "--max-cost sets another bound, `--max-cost none` takes it away"
    if not unknown:
        told = f"at most ${DEFAULT_USD:g} may be spent, the default: {lift}"
        return replace(budget, usd=DEFAULT_USD), (NoticeIssued("bounds", told),)
    bounded = replace(
        budget,
        calls=DEFAULT_CALLS if budget.calls is None else budget.calls,
        tokens=DEFAULT_TOKENS if budget.tokens is None else budget.tokens,
    )
    if bounded == budget:
        return budget, ()
    told = (
        f"the price of {', '.join(dict.fromkeys(unknown))} is unknown, so this run is bounded by {bounded.calls:,} "
        f"calls and {bounded.tokens:,} tokens: --max-calls and --max-tokens set other bounds, `--max-cost none` takes "
        "them away"
    )
    return bounded, (NoticeIssued("bounds", told),)


def cost_estimator(settings: Settings, name: str) -> Estimate:
    """Return a function for the most that a request to that model can cost and use."""
    vendor, model = parse_model_name(name, "anthropic", settings.profiles)
    base_url, own = settings.endpoint(vendor).base_url, settings.price_list

    def forecast(request: Request) -> Forecast:
        if vendor == "offline":
            return Forecast(0.0)
        prompt = most_prompt_tokens(request)
        # Tokens written to a prompt cache cost more than others.
        written = prompt if request.cache else 0
        usage = Usage(1, prompt, request.max_tokens, cache_write_tokens=written)
        return Forecast(prices.price(vendor, model, usage, base_url, own), most_tokens(request))

    return forecast


def most_usd(settings: Settings, model: str, usage: Usage) -> float:
    """Return the cost of a call; if its bill is unknown, the most that a call of its size may cost; else inf."""
    if usage.usd is not None:
        return usage.usd
    # The script is no longer known; no other script takes more tokens than this one.
    most = cost_estimator(settings, model)(Request("", "\u8cc3" * usage.characters, ())).usd
    return inf if most is None else most


def require_price(settings: Settings, name: str) -> None:
    """Raise ConfigError if the user has set a cap that an unknown price would break."""
    if settings.max_cost in (None, inf) or cost_estimator(settings, name)(_PROBE).usd is not None:
        return
    hint = f"--prices {name}=IN/OUT gives it (dollars per million tokens), or leave out --max-cost"
    raise ConfigError(f"the price of {name} is unknown, so --max-cost cannot be kept", code="no-price", hint=hint)


class PricedModel(ModelWrapper):
    """A model whose replies have the prices of the settings, if the settings give any."""

    def __init__(self, wrapped: Model, own: PriceList) -> None:
        self.wrapped, self._own = wrapped, own

    def complete(self, request: Request) -> Reply:
        """Return the wrapped model's reply at that price."""
        reply = self.wrapped.complete(request)
        usd = prices.own_price(self.name, reply.usage, self._own)
        return reply if usd is None else replace(reply, usage=replace(reply.usage, usd=usd))
