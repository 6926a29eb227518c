"""From the name of a model to the model: whose it is, and the one place where a vendor's module is loaded, on use."""

import ipaddress
from dataclasses import field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlsplit

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.model import Model
from ralph_cli.providers import prices
from ralph_cli.providers.scripted import load_script

ADAPTERS = {
    "anthropic": "ralph_cli.providers.vendors.anthropic:Anthropic",
    "openai": "ralph_cli.providers.vendors.openai:OpenAI",
    "offline": "ralph_cli.providers.offline.model:OfflineModel",
    "scripted": "ralph_cli.providers.scripted:ScriptedModel",
}
KEYED_VENDORS = ("anthropic", "openai")
"""Vendors that are chosen where nothing but their key is set, the first one first."""

KEYLESS_VENDORS = ("offline", "scripted")
"""Vendors that are asked on this machine, without key and network."""

OFFLINE_MODELS = ("extractive", "semantic")

DEFAULT_MODELS = {
    "anthropic": ("claude-sonnet-5-5", "claude-haiku-5-5"),
    "openai": ("gpt-6.1-sol", "gpt-6-luna"),
    "offline": ("extractive", "extractive"),
}
"""For each vendor the model that works or judges, and the cheap one for sub-queries."""

NO_KEY = "none"
"""What is sent to a server that asks for no key."""

_FAMILIES = (("anthropic", re.compile(r"claude")), ("openai", re.compile(r"(chat)?gpt|o\d+(-|$)")))
_VENDOR_WORDS = {"claude": "anthropic", "anthropic": "anthropic", "gpt": "openai", "openai": "openai"}
"""What a person may say for the default model of a vendor."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a vendor's models are served and with which key. `base_url` None is the vendor's own service.

    `api` chooses the wire format of OpenAI models; None takes "responses" for OpenAI itself and "chat" elsewhere.
    """

    vendor: str
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    api: Literal["responses", "chat"] | None = None


def parse_model_name(name: str, default_vendor: str) -> tuple[str, str]:
    """Split a model's name into vendor and model: "openai:gpt-6-luna", "claude-sonnet-5-5", "llama3.2:3b".

    A bare name of a known family belongs to its vendor, any other name to `default_vendor`; "claude" and "gpt" alone
    mean the default models of theirs. Models are not checked against a list: new ones appear every month, and the
    service knows best.
    """
    name = name.strip()
    vendor, colon, model = name.partition(":")
    if name in _VENDOR_WORDS:
        vendor = _VENDOR_WORDS[name]
        model = DEFAULT_MODELS[vendor][0]
    elif vendor in ADAPTERS and (colon or vendor == "offline"):
        model = model.strip() or (DEFAULT_MODELS["offline"][0] if vendor == "offline" else "")
    else:
        vendor, model = next((v for v, family in _FAMILIES if family.match(name)), default_vendor), name
    if not model or re.search(r"\s|[^ -~]", model):
        raise ConfigError(f"{name!r} is no name of a model", code="bad-model", hint="write vendor:model")
    return vendor, model


def connect(name: str, endpoint: Endpoint, *, deadline_s: float = 600.0) -> Model:
    """The model of that name at that endpoint, without retries; `deadline_s` is the wall-clock limit of one attempt.

    Raises ConfigError for an unknown vendor, a missing or malformed key, and an address that must not be used.
    """
    vendor, model = parse_model_name(name, endpoint.vendor)
    if vendor not in ADAPTERS:
        raise ConfigError(f"unknown vendor {vendor!r}", code="unknown-vendor", hint=f"one of {', '.join(ADAPTERS)}")
    if vendor != endpoint.vendor:
        # Otherwise one vendor's key would be sent to another.
        raise ConfigError(f"{vendor}:{model} cannot be called at the {endpoint.vendor} endpoint", code="bad-endpoint")
    if vendor == "scripted":
        return load_script(Path(model))
    module, _, class_name = ADAPTERS[vendor].partition(":")
    adapter = getattr(import_module(module), class_name)
    if vendor == "offline":
        if model not in OFFLINE_MODELS:
            hint = f"there are {' and '.join(f'offline:{name}' for name in OFFLINE_MODELS)}"
            raise ConfigError(f"there is no offline model {model!r}", code="bad-model", hint=hint)
        return cast(Model, adapter(_load_embedding() if model == "semantic" else None))
    _check_address(endpoint)
    wire_format = (endpoint.api,) if vendor == "openai" else ()
    return cast(Model, adapter(model, _checked_key(endpoint), endpoint.base_url, deadline_s, *wire_format))


def load_sdk(name: str) -> None:
    """Import what the model of that name needs before its first request, which would import it otherwise."""
    vendor = name.partition(":")[0]
    if vendor in KEYED_VENDORS:
        import_module(ADAPTERS[vendor].partition(":")[0]).load_sdk()


@cache
def _load_embedding() -> object:
    """The embedding model of the extra, read once; ConfigError says how to get it."""
    from ralph_cli.providers.offline import semantic

    return semantic.load_embedding()


def _checked_key(endpoint: Endpoint) -> str:
    """The key, checked: the SDKs would report a malformed one as a lost connection."""
    key = (endpoint.api_key or "").strip()
    if not key and not prices.is_own_service(endpoint.vendor, endpoint.base_url):
        return NO_KEY
    if not key:
        hint = f"set the API key of {endpoint.vendor}, or use offline:extractive"
        raise ConfigError(f"there is no API key for {endpoint.vendor}", code="missing-key", hint=hint)
    if not re.fullmatch(r"[!-~]+", key):
        hint = "copy it again; a line break or a space may have slipped in"
        raise ConfigError(f"the API key of {endpoint.vendor} has invalid characters", code="bad-key", hint=hint)
    return key


def _check_address(endpoint: Endpoint) -> None:
    """Documents and keys travel encrypted, except to this machine and to the local network."""
    if endpoint.base_url is None:
        return
    variable = f"{endpoint.vendor.upper()}_BASE_URL"
    try:
        url = urlsplit(endpoint.base_url)
        host, port = url.hostname or "", url.port
    except ValueError:
        host, port, url = "", None, urlsplit("")
    if url.scheme not in ("http", "https") or not host or port == 0 or url.username or url.password:
        hint = "write https://host[:port]/path, without user or password"
        raise ConfigError(f"{variable} is not a web address", code="bad-url", hint=hint)
    if url.scheme == "http" and not _is_local(host):
        what = f"documents and the {endpoint.vendor} API key would be sent to {host} unencrypted"
        raise ConfigError(what, code="insecure-url", hint=f"use https in {variable}")


def _is_local(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.rsplit(".", 1)[-1] in ("localhost", "local", "lan", "internal", "home")
    return address.is_private or address.is_loopback or address.is_link_local
