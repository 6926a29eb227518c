"""What a call costs, from the price table that `genai_prices` carries; it never asks the network."""

from urllib.parse import urlsplit

from ralph_cli.core.model import Usage

OWN_HOSTS = {"anthropic": "api.anthropic.com", "openai": "api.openai.com"}


def is_own_service(vendor: str, base_url: str | None) -> bool:
    """Whether the address is the vendor's own service; others have other prices and habits."""
    if vendor not in OWN_HOSTS:
        return False
    host = (urlsplit(base_url).hostname or "") if base_url else OWN_HOSTS[vendor]
    return host == OWN_HOSTS[vendor] or host.endswith("." + OWN_HOSTS[vendor])


def price(vendor: str, model: str, usage: Usage, base_url: str | None = None) -> float | None:
    """US dollars for one call's usage, or None when the price is unknown.

    Unknown are: models the table does not hold, vendors without a price list, and every address that is not the
    vendor's own. Give the usage of one call, not a sum: long contexts have their own tier.
    """
    if not is_own_service(vendor, base_url):
        return None
    import genai_prices

    try:
        tokens = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cache_write_tokens=usage.cache_write_tokens,
            output_tokens=usage.output_tokens,
        )
        return float(genai_prices.calc_price(tokens, model, provider_id=vendor).total_price)
    except (LookupError, ValueError, ArithmeticError):
        return None
