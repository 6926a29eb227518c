"""`ralph models`: whose models can be asked, which are taken by default, and what they cost."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ralph_cli.config import Settings

ROLES = (("answers", 0), ("sub-queries", 1))
"""What the default models of a vendor do, and their places among them."""


def models() -> int:
    """List the vendors with their keys, and their default models with prices; any other model can be named, too."""
    from ralph_cli import config

    for line in _lines(config.load_settings()):
        typer.echo(line)
    return 0


def _lines(settings: "Settings") -> Iterator[str]:
    from ralph_cli.config import ENVIRONMENT_VARIABLES
    from ralph_cli.providers.registry import DEFAULT_MODELS, KEYED_VENDORS

    for vendor in KEYED_VENDORS:
        key, address = ENVIRONMENT_VARIABLES[f"{vendor}_key"][0], ENVIRONMENT_VARIABLES[f"{vendor}_base_url"][0]
        endpoint = settings.endpoint(vendor)
        state = f"{key} is set" if endpoint.api_key else f"{key} is not set"
        yield f"{vendor}: {state}" + (f"; served at {endpoint.base_url} ({address})" if endpoint.base_url else "")
        for role, place in ROLES:
            name = DEFAULT_MODELS[vendor][place]
            yield f"  {f'{vendor}:{name}':<30} {_price(vendor, name, endpoint.base_url):<44} default for {role}"
    yield "offline: needs no key"
    yield f"  {'offline:extractive':<30} {'free; finds passages by their words':<44} taken when no key is set"
    yield f"  {'offline:semantic':<30} {'free; by meaning, too (with the extra `semantic`)':<44}"
    yield "Name any model of a vendor with --model and --judge-model: vendor:model. Prices are US dollars for a million"
    yield "tokens, from the package genai-prices; a server of your own is reached with OPENAI_BASE_URL."


def _price(vendor: str, name: str, base_url: str | None) -> str:
    """The price of a million tokens in and out, as single calls of a thousand are priced."""
    from ralph_cli.core.model import Usage
    from ralph_cli.providers import prices

    found = [
        prices.price(vendor, name, usage, base_url) for usage in (Usage(input_tokens=1_000), Usage(output_tokens=1_000))
    ]
    if None in found:
        return "price unknown"
    return "${:g} in, ${:g} out".format(*(round((dollars or 0) * 1_000, 4) for dollars in found))
