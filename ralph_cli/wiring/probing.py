"""Make one small call to a model, to see whether it answers and what that costs."""

from dataclasses import dataclass

from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.model import Request, Usage, UserTurn
from ralph_cli.providers.registry import CLOUDS, DEFAULT_MODELS, KEYED_VENDORS, connect, parse_model_name
from ralph_cli.wiring.spending import PricedModel

LONGEST_PROBE_S = 60.0  # seconds for an answer of one word

# A model that thinks first needs more tokens than the word.
_PROBE = Request("doctor", "", (UserTurn("Reply with the one word: ready"),), max_tokens=500)


@dataclass(frozen=True, slots=True)
class Probe:
    """A model's answer: its duration in seconds, its tokens and dollars, and the name that the model gave."""

    served_as: str
    seconds: float
    usage: Usage


def probe(settings: Settings, name: str) -> Probe:
    """Ask the model once, without retries.

    Raises ConfigError or ProviderError with the reason if it cannot be asked.
    """
    endpoint = settings.endpoint(name.partition(":")[0])
    model = connect(name, endpoint, deadline_s=min(LONGEST_PROBE_S, settings.max_call_time))
    begun = clock.monotonic()
    try:
        reply = PricedModel(model, settings.price_list).complete(_PROBE)
    finally:
        if close := getattr(model, "close", None):
            close()
    return Probe(reply.model, clock.monotonic() - begun, reply.usage)


def services_of(settings: Settings) -> tuple[str, ...]:
    """Return all services whose models can be named: vendors, clouds, and the servers of the settings."""
    return (*KEYED_VENDORS, *CLOUDS, *settings.profiles)


def named_models(settings: Settings, more: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Return, by service, the models that the settings name, and `more`. Raises ConfigError for an invalid name."""
    wishes = (settings.model, settings.judge_model, settings.subquery_model, settings.verifier_model)
    found: dict[str, tuple[str, ...]] = dict.fromkeys(services_of(settings), ())
    for wish in (*wishes, *settings.panel, *more):
        vendor, model = parse_model_name(wish, "openai", settings.profiles) if wish else ("", "")
        if vendor in found:
            found[vendor] = tuple(dict.fromkeys((*found[vendor], f"{vendor}:{model}")))
    return found


def models_to_probe(settings: Settings, more: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Return, for each configured service, the models to ask: the named models, else its cheap default, if any."""
    named = named_models(settings, more)
    cheap = {vendor: (f"{vendor}:{names[1]}",) for vendor, names in DEFAULT_MODELS.items()}
    return {name: named[name] or cheap.get(name, ()) for name in named if settings.can_reach(name)}
