"""`ralph models`: lists vendors, their default models and prices."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from ralph_cli.config import Settings

# The roles of a vendor's default models, in their order.
ROLES = ("answers", "sub-queries")


def models() -> int:
    """List the vendors with their keys, and their default models with prices; any other model can be named, too."""
    from ralph_cli import config
    from ralph_cli.reports.safe_text import make_visible

    for line in _lines(config.load_settings()):
        typer.echo(make_visible(line))
    return 0


def _lines(settings: "Settings") -> Iterator[str]:
    from ralph_cli.commands.machine.services import describe_service
    from ralph_cli.providers.registry import DEFAULT_MODELS
    from ralph_cli.wiring.probing import named_models

    for vendor, named in named_models(settings).items():
        yield f"{vendor}: {describe_service(settings, vendor)[1]}"
        known = DEFAULT_MODELS.get(vendor, ())
        defaults = {f"{vendor}:{model}": role for model, role in zip(known, ROLES, strict=False)}
        for name in dict.fromkeys((*defaults, *named)):
            uses = [f"default for {defaults[name]}"] if name in defaults else []
            uses += ["named in the settings"] if name in named else []
            yield f"  {name:<30} {_price(settings, name):<44} {', '.join(uses)}"
    yield "offline: needs no key"
    yield f"  {'offline:extractive':<30} {'free; finds passages by their words':<44} default if no key is set"
    yield f"  {'offline:semantic':<30} free; also by meaning (with the extra `semantic`)"
    yield "Name any model of a vendor with --model and --judge-model: vendor:model. Prices are US dollars for a"
    yield "million tokens, from the package genai-prices or --prices. Add your own server as [providers.NAME]."


def _price(settings: "Settings", name: str) -> str:
    """Return the price of a million input and output tokens, from the price of a thousand."""
    from ralph_cli.core.model import Usage
    from ralph_cli.providers import prices

    vendor, _, model = name.partition(":")
    base_url, own = settings.endpoint(vendor).base_url, settings.price_list
    found = [
        prices.price(vendor, model, usage, base_url, own)
        for usage in (Usage(input_tokens=1_000), Usage(output_tokens=1_000))
    ]
    if None in found:
        return "price unknown"
    return "${:g} in, ${:g} out".format(*(round((dollars or 0) * 1_000, 4) for dollars in found))
