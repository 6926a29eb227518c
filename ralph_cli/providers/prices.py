"""The cost of a call, by the settings or by the price table in `genai_prices`; no network access is needed."""

from collections.abc import Mapping

from ralph_cli.core.model import Usage
from ralph_cli.providers.endpoint import is_own_service

# By `vendor:model`, US dollars per million tokens of input, of output, and of input read from a cache.
PriceList = Mapping[str, tuple[float, float, float]]

NO_PRICES: PriceList = {}
# The names of clouds in `genai_prices`; vendors have the same names there as here.
_TABLES = {"azure": "azure", "bedrock": "aws", "vertex": "google"}


def parse_prices(entries: tuple[str, ...]) -> PriceList:
    """Parse prices of the form `vendor:model=IN/OUT` or `vendor:model=IN/OUT/CACHED`. Raises ValueError."""
    found = {}
    for entry in entries:
        name, _, amounts = entry.partition("=")
        try:
            numbers = [float(amount) for amount in amounts.split("/")]
        except ValueError:
            numbers = []
        usable = len(numbers) in (2, 3) and all(0 <= number < 1e6 for number in numbers)
        if not usable or ":" not in name or not name.partition(":")[2].strip():
            raise ValueError(f"write vendor:model=IN/OUT, in dollars for a million tokens, not {entry!r}")
        found[name.strip()] = (numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else numbers[0])
    return found


def own_price(name: str, usage: Usage, own: PriceList) -> float | None:
    """Return the cost of one call in US dollars by the prices of the settings; None if they do not list the model."""
    if name not in own:
        return None
    fresh, out, cached = own[name]
    plain = usage.input_tokens - usage.cache_read_tokens
    return (plain * fresh + usage.cache_read_tokens * cached + usage.output_tokens * out) / 1_000_000


def saved_by_cache(name: str, usage: Usage) -> float:
    """Return how much the prompt cache saved in one call, in US dollars; 0 if unknown."""
    if not usage.cache_read_tokens or usage.usd is None:
        return 0.0
    vendor, _, model = name.partition(":")
    plain = Usage(usage.calls, usage.input_tokens, usage.output_tokens)
    whole = price(vendor, model, plain)
    return max(whole - usage.usd, 0.0) if whole is not None else 0.0


def price(
    vendor: str, model: str, usage: Usage, base_url: str | None = None, own: PriceList = NO_PRICES
) -> float | None:
    """Return the cost of one call in US dollars, or None if the price is unknown. The settings' prices, `own`, come
    first.

    Without those, the price is unknown for models not in the table, vendors without a price list, and every address
    that is not the vendor's own. Pass the usage of one call, not a sum, because long contexts have their own price
    tier.
    """
    said = own_price(f"{vendor}:{model}", usage, own)
    if said is not None or not is_own_service(vendor, base_url):
        return said
    import genai_prices

    try:
        tokens = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
        )
        # A cloud may write the publisher before the name.
        known_as = model.rpartition("/")[2] if vendor in _TABLES else model
        table = _TABLES.get(vendor, vendor)
        return float(genai_prices.calc_price(tokens, known_as, provider_id=table).total_price)
    except (LookupError, ValueError, ArithmeticError):
        return None
