"""Describes services: whether their models can be asked, where they are, what is missing, what they answer."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ralph_cli.config import Settings
    from ralph_cli.providers.endpoint import Endpoint

# Whether it works (None: neither), what was looked at, what was found.
Line = tuple[bool | None, str, str]


def check_services(settings: "Settings") -> Iterator[Line]:
    """Check each service, the network, and the models that a run would use."""
    from ralph_cli.core.errors import ConfigError
    from ralph_cli.wiring.models import choose_models
    from ralph_cli.wiring.probing import services_of

    for vendor in services_of(settings):
        good, state = describe_service(settings, vendor)
        yield good, vendor, state
    yield None, "network", _describe_network(settings)
    try:
        names = choose_models(settings)
        yield None, "models", f"worker {names.worker}, sub-queries {names.subquery}, judge {names.judge}"
        for notice in names.notices:
            yield None, "note", notice.message
    except ConfigError as error:
        yield False, "models", f"{error.message} - {error.hint}"


def _describe_network(settings: "Settings") -> str:
    from urllib.parse import urlsplit

    network = settings.network
    proxy = network.proxy or ""
    host = urlsplit(proxy if "://" in proxy else f"//{proxy}").netloc.rpartition("@")[2]  # without user and password
    way = f"https through the proxy {host}" if proxy else "no proxy"
    way += f", but for {network.no_proxy}" if proxy and network.no_proxy else ""
    return f"{way}; certificates of {network.ca_file or 'this machine'}"


def ask_services(settings: "Settings", more: tuple[str, ...]) -> Iterator[Line]:
    """Make one small call to a model of each service: those that are configured, and `more`."""
    from ralph_cli.core.errors import ConfigError, ProviderError
    from ralph_cli.wiring.probing import models_to_probe, probe

    for vendor, names in models_to_probe(settings, more).items():
        if not names:
            yield None, vendor, f"not asked: name a model with ralph doctor --live --model {vendor}:NAME"
        for name in names:
            try:
                seen = probe(settings, name)
            except (ConfigError, ProviderError) as error:
                yield False, name, f"{error.message} - {error.hint}"
                continue
            usd = seen.usage.usd
            cost = "price unknown" if usd is None else f"${usd:.6f}"
            tokens = f"{seen.usage.input_tokens + seen.usage.output_tokens:,} tokens"
            yield True, name, f"answers as {seen.served_as} after {seen.seconds:.1f} s; {tokens}, {cost}"


def describe_service(settings: "Settings", vendor: str) -> tuple[bool | None, str]:
    """Say whether a service is configured correctly (None: not configured), also in words, without any key."""
    from ralph_cli.core.errors import ConfigError
    from ralph_cli.providers.registry import KEYED_VENDORS, require_access

    endpoint = settings.endpoint(vendor)
    if endpoint.missing:
        wanted = ", ".join(endpoint.missing)
        return None, f"{wanted} is not set" if vendor in KEYED_VENDORS else f"not configured; missing: {wanted}"
    try:
        require_access(vendor, endpoint)
    except ConfigError as error:
        return False, f"{error.message} - {error.hint}"
    return True, "; ".join(filter(None, (_who_asks(endpoint), _where(endpoint))))


def _who_asks(endpoint: "Endpoint") -> str:
    from ralph_cli.config import ENVIRONMENT_VARIABLES
    from ralph_cli.providers.endpoint import AwsAccess, AzureAccess, GoogleAccess

    match endpoint.access:
        case AzureAccess(token=token):
            return f"{'AZURE_OPENAI_API_KEY' if endpoint.api_key or not token else 'AZURE_OPENAI_AD_TOKEN'} is set"
        case AwsAccess(profile=profile, access_key=access_key):
            variable = "AWS_BEARER_TOKEN_BEDROCK" if endpoint.api_key else "AWS_ACCESS_KEY_ID" if access_key else ""
            whose = f"the profile {profile}" if profile else "this machine"
            return f"{variable} is set" if variable else f"Amazon's credentials of {whose}"
        case GoogleAccess(token=token, credentials=file):
            variable = "GOOGLE_OAUTH_ACCESS_TOKEN" if token else "GOOGLE_APPLICATION_CREDENTIALS" if file else ""
            return f"{variable} is set" if variable else "Google's credentials of this machine"
    known = ENVIRONMENT_VARIABLES.get(f"{endpoint.vendor}_key", (endpoint.key_variable,))[0]
    return (f"{known} is set" if endpoint.api_key else f"{known} is not set") if known else "no key"


def _where(endpoint: "Endpoint") -> str:
    from ralph_cli.providers.endpoint import AwsAccess, AzureAccess, GoogleAccess

    served = f"served at {endpoint.base_url}" if endpoint.base_url else ""
    match endpoint.access:
        case AzureAccess(api_version=version):
            return f"{served}; api version {version}"
        case AwsAccess(region=region):
            return f"region {region or 'of the profile'}" + (f"; {served}" if served else "")
        case GoogleAccess(project=project, location=location):
            return f"project {project} in {location}" + (f"; {served}" if served else "")
    return served
