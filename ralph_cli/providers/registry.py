"""Finds the model for a model name. This is the only place where a vendor's module is loaded, on first use."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from ralph_cli.core.errors import ConfigError
from ralph_cli.core.model import Model
from ralph_cli.providers.endpoint import (
    Api,
    AwsAccess,
    AzureAccess,
    Endpoint,
    GoogleAccess,
    check_address,
    check_key,
    is_own_service,
)
from ralph_cli.providers.scripted import load_script

# The possible names before the colon of a model's name, in addition to the profiles of the settings.
VENDORS = ("anthropic", "openai", "azure", "bedrock", "vertex", "offline", "scripted")

# Vendors that are chosen if only their key is set, in order of preference.
KEYED_VENDORS = ("anthropic", "openai")

# Services with models of many makers under their own names, so that the user must name one.
CLOUDS = ("azure", "bedrock", "vertex")

KEYLESS_VENDORS = ("offline", "scripted")  # vendors that run on this machine, without key and network

OFFLINE_MODELS = ("extractive", "semantic")

# For each vendor, the model for worker and judge, and the cheap one for sub-queries.
DEFAULT_MODELS = {
    "anthropic": ("claude-sonnet-5-5", "claude-haiku-5-5"),
    "openai": ("gpt-6.1-sol", "gpt-6-luna"),
    "offline": ("extractive", "extractive"),
}

_FAMILIES = (("anthropic", re.compile(r"claude")), ("openai", re.compile(r"(chat)?gpt|o\d+(-|$)")))
# The maker of a model by a word in its name, because clouds and own servers serve models of many makers.
_MAKERS = {
    "claude": "anthropic", "gpt": "openai", "chatgpt": "openai", "gemini": "google", "gemma": "google",
    "nova": "amazon", "titan": "amazon", "llama": "meta", "mistral": "mistral", "mixtral": "mistral",
    "ministral": "mistral", "magistral": "mistral", "devstral": "mistral", "qwen": "alibaba", "qwq": "alibaba",
    "deepseek": "deepseek", "grok": "xai", "kimi": "moonshot", "glm": "zhipu", "phi": "microsoft", "command": "cohere",
}  # fmt: skip

_ADDRESSES = {
    "azure": "AZURE_OPENAI_ENDPOINT",
    "bedrock": "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "vertex": "ANTHROPIC_VERTEX_BASE_URL",
}
_WORD = re.compile(r"(?<![a-z])[a-z]{3,}")
# Words that stand for a vendor's default model.
_VENDOR_WORDS = {"claude": "anthropic", "anthropic": "anthropic", "gpt": "openai", "openai": "openai"}


def parse_model_name(name: str, default_vendor: str, profiles: tuple[str, ...] = ()) -> tuple[str, str]:
    """Split a model's name into vendor and model: "openai:gpt-6-luna", "claude-sonnet-5-5", "llama3.2:3b".

    `profiles` are vendors, too. A bare name of a known family belongs to that family's vendor, any other name to
    `default_vendor`. "claude" and "gpt" alone mean their vendors' default models. Models are not checked against a
    list, because new ones appear every month.
    """
    name = name.strip()
    vendor, colon, model = name.partition(":")
    if name in _VENDOR_WORDS:
        vendor = _VENDOR_WORDS[name]
        model = DEFAULT_MODELS[vendor][0]
    elif (vendor in VENDORS or vendor in profiles) and (colon or vendor == "offline"):
        model = model.strip() or (DEFAULT_MODELS["offline"][0] if vendor == "offline" else "")
    else:
        vendor, model = next((v for v, family in _FAMILIES if family.match(name)), default_vendor), name
    if not model or re.search(r"\s|[^ -~]", model):
        raise ConfigError(f"{name!r} is no name of a model", code="bad-model", hint="write vendor:model")
    return vendor, model


def model_family(name: str) -> str:
    """Return the maker of a model ("vendor:model"), whichever service runs it; its vendor if the name does not say.

    Models at Azure OpenAI with other names count as OpenAI's.
    """
    vendor, _, model = name.partition(":")
    if vendor in KEYLESS_VENDORS:
        return vendor
    found = next((_MAKERS[word] for word in _WORD.findall(model.lower()) if word in _MAKERS), "")
    return found or ("openai" if vendor == "azure" else vendor)


def wire_format(model: str, endpoint: Endpoint) -> Api:
    """Return the wire format for the model at that endpoint."""
    if endpoint.api is not None:
        return endpoint.api
    family = model_family(f"{endpoint.vendor}:{model}")
    match endpoint.access:
        case AzureAccess(api_version=version):
            # Version 2025-03-01-preview added the Responses API; versions without a date are later.
            return "chat" if (version or "") < "2025-03-01" else "responses"
        case AwsAccess() | GoogleAccess() if family == "anthropic":
            return "messages"
        case AwsAccess() | GoogleAccess():
            return "responses" if family == "openai" and "gpt-oss" not in model else "chat"
    if endpoint.vendor == "anthropic":
        return "messages"
    return "responses" if is_own_service(endpoint.vendor, endpoint.base_url) else "chat"


def connect(name: str, endpoint: Endpoint, *, deadline_s: float = 600.0) -> Model:
    """Return the model of that name at that endpoint, without retries. `deadline_s` is the wall-clock limit of one
    attempt.

    Raises ConfigError for an unknown vendor, missing or malformed settings, and an address that must not be used.
    """
    profiles = (endpoint.vendor,) if endpoint.base_url else ()
    vendor, model = parse_model_name(name, endpoint.vendor, profiles)
    if vendor not in VENDORS + profiles:
        raise ConfigError(f"unknown vendor {vendor!r}", code="unknown-vendor", hint=f"one of {', '.join(VENDORS)}")
    if vendor != endpoint.vendor:
        # Otherwise one vendor's key would be sent to another.
        raise ConfigError(f"{vendor}:{model} cannot be called at the {endpoint.vendor} endpoint", code="bad-endpoint")
    if vendor == "scripted":
        return load_script(Path(model))
    if vendor == "offline":
        if model not in OFFLINE_MODELS:
            hint = f"there are {' and '.join(f'offline:{name}' for name in OFFLINE_MODELS)}"
            raise ConfigError(f"there is no offline model {model!r}", code="bad-model", hint=hint)
        offline = import_module("ralph_cli.providers.offline.model")
        return cast(Model, offline.OfflineModel(_load_embedding() if model == "semantic" else None))
    require_access(f"{vendor}:{model}", endpoint)
    api = wire_format(model, endpoint)
    if api == "messages":
        return cast(Model, _wire_module(api).Anthropic(model, endpoint, deadline_s))
    return cast(Model, _wire_module(api).OpenAI(model, endpoint, deadline_s, api))


def require_access(name: str, endpoint: Endpoint) -> None:
    """Raise ConfigError if settings that the model needs are missing or cannot be used."""
    vendor = endpoint.vendor
    is_profile = vendor not in VENDORS
    if endpoint.base_url is not None:
        variable = _ADDRESSES.get(vendor, f"{vendor.upper()}_BASE_URL")
        where, whose = (f"base_url of [providers.{vendor}]", f"key of {vendor}") if is_profile else (variable, "")
        check_address(endpoint.base_url, where, whose or f"{vendor} API key")
    for key in filter(None, (endpoint.api_key, getattr(endpoint.access, "token", None))):
        check_key(key, f"the API key of {vendor}")
    for header, text in endpoint.headers:
        check_key(text.replace(" ", ""), f"the header {header} of {vendor}")
    if not endpoint.missing:
        return
    *others, last = endpoint.missing
    wanted = f"{', '.join(others)} and {last}" if others else last
    if vendor in KEYED_VENDORS:
        hint = f"set {wanted} in the environment or in .env, or {vendor.upper()}_BASE_URL for a server without a key"
        raise ConfigError(f"{name} needs a key", code="no-key", hint=hint)
    verb = "install" if all(part.startswith("the extra") for part in endpoint.missing) else "set"
    what = f"{name} cannot be asked: {wanted} {'are' if others else 'is'} missing"
    hint = f"{verb} {'them' if others else 'it'}; `ralph models` shows what is there"
    raise ConfigError(what, code="not-configured", hint=hint)


def load_sdk(name: str, endpoint: Endpoint) -> None:
    """Import what the model of that name needs, before its first request would do so."""
    if endpoint.vendor not in KEYLESS_VENDORS:
        _wire_module(wire_format(name.partition(":")[2], endpoint)).load_sdk()


def _wire_module(api: Api) -> Any:
    return import_module("ralph_cli.providers.vendors." + ("anthropic" if api == "messages" else "openai"))


@cache
def _load_embedding() -> object:
    """Return the embedding model of the extra, loaded once. Raises ConfigError that says how to install it."""
    from ralph_cli.providers.offline import semantic

    return semantic.load_embedding()
