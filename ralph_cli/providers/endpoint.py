"""How to reach a model: its address, key and proxy, and which of these are missing."""

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from ralph_cli.core.errors import ConfigError

# A wire format: Anthropic's Messages, OpenAI's Responses, or Chat Completions.
Api = Literal["messages", "responses", "chat"]

# The vendors' own services, for which the vendors' prices apply.
OWN_HOSTS = {
    "anthropic": ("api.anthropic.com",),
    "openai": ("api.openai.com",),
    "azure": ("openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"),
    "bedrock": ("amazonaws.com", "amazonaws.com.cn", "api.aws"),
    "vertex": ("googleapis.com",),
}

_MIN_KEY_CHARS = 8


@dataclass(frozen=True, slots=True)
class Network:
    """How this machine reaches other hosts. Unencrypted addresses are in the local network and use no proxy."""

    proxy: str | None = field(default=None, repr=False)
    no_proxy: str = ""
    ca_file: str | None = None

    def proxy_for(self, url: str) -> str | None:
        """Return the proxy for an address, if any. `no_proxy` lists hosts, domains and networks.

        Raises ConfigError if the proxy is not the address of an HTTP proxy.
        """
        parts = urlsplit(url)
        host = parts.hostname or ""
        if not self.proxy or parts.scheme != "https":
            return None
        # Imported on use, because it imports an HTTP client.
        from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]

        if proxy_bypass_environment(parts.netloc, {"no": self.no_proxy}) or any(self._networks_with(host)):
            return None
        proxy = self.proxy if "://" in self.proxy else f"http://{self.proxy}"
        try:
            way = urlsplit(proxy)
            is_usable = way.scheme in ("http", "https") and way.hostname and way.port != 0
        except ValueError:
            is_usable = False
        if not is_usable:
            hint = f"write http://host:port, or name {host} in NO_PROXY"
            raise ConfigError("HTTPS_PROXY is not the address of an HTTP proxy", code="bad-proxy", hint=hint)
        return proxy

    def _networks_with(self, host: str) -> Iterator[bool]:
        for entry in self.no_proxy.split(","):
            try:
                yield ipaddress.ip_address(host) in ipaddress.ip_network(entry.strip(), strict=False)
            except ValueError:
                yield False


@dataclass(frozen=True, slots=True)
class AzureAccess:
    """What Azure OpenAI needs in addition to address and key. `token` is an Entra ID token that replaces the key."""

    api_version: str | None = None
    token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class AwsAccess:
    """A region of Amazon, and the credentials: two keys, a profile of its files, or those that its own chain finds."""

    region: str | None = None
    profile: str | None = None
    access_key: str | None = field(default=None, repr=False)
    secret_key: str | None = field(default=None, repr=False)
    session_token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class GoogleAccess:
    """A project and a location of Google Cloud, and the credentials: a token, a file, or the default ones."""

    project: str | None = None
    location: str | None = None
    token: str | None = field(default=None, repr=False)
    credentials: Path | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a vendor's models are served, and with which key. If `base_url` is None, it is the vendor's own service.

    `vendor` is the part before the colon of a model's name: a vendor, a cloud, or a profile of the settings. `api`
    selects the wire format if a service has several. For a profile, `key_variable` is the variable of its key, and
    `unset` are the variables of its headers without a value.
    """

    vendor: str
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    api: Api | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    network: Network = Network()
    access: AzureAccess | AwsAccess | GoogleAccess | None = None
    key_variable: str = ""
    unset: tuple[str, ...] = ()

    @property
    def secrets(self) -> tuple[str, ...]:
        """All values that must not be shown anywhere; any header that is long enough may be a key."""
        own: tuple[str | None, ...] = tuple(text for _, text in self.headers if len(text) >= _MIN_KEY_CHARS)
        match self.access:
            case AzureAccess(token=token) | GoogleAccess(token=token):
                own += (token,)
            case AwsAccess(access_key=access_key, secret_key=secret_key, session_token=session_token):
                own += (access_key, secret_key, session_token)
        return tuple(dict.fromkeys(found for found in (self.api_key, *own) if found))

    @property
    def account(self) -> str:
        """A text that identifies the account whose calls share limits; it changes with address, key, region and
        project.
        """
        own: tuple[str | None, ...] = ()
        match self.access:
            case AzureAccess(token=token):
                own = (token,)
            case AwsAccess(region=region, profile=profile, access_key=access_key):
                own = (region, profile, access_key)
            case GoogleAccess(project=project, location=location):
                own = (project, location)
        return "\n".join(part or "" for part in (self.vendor, self.base_url, self.api_key, *own))

    @property
    def missing(self) -> tuple[str, ...]:
        """What must be set or installed before a request; empty if nothing is missing."""
        wanted: dict[str, object] = {self.key_variable: self.api_key or not self.key_variable}
        match self.access:
            case AzureAccess(api_version=api_version, token=token):
                wanted = {
                    "AZURE_OPENAI_ENDPOINT": self.base_url,
                    "AZURE_OPENAI_API_VERSION": api_version,
                    "AZURE_OPENAI_API_KEY": self.api_key or token,
                }
            case AwsAccess(region=region, profile=profile, access_key=access_key, secret_key=secret_key):
                wanted = {
                    "AWS_REGION": region or profile,
                    "AWS_ACCESS_KEY_ID": access_key or not secret_key,
                    "AWS_SECRET_ACCESS_KEY": secret_key or not access_key,
                    "the extra ralph-cli[bedrock]": self.api_key or _is_installed("boto3"),
                }
            case GoogleAccess(project=project, location=location, token=token):
                wanted = {
                    "GOOGLE_CLOUD_PROJECT": project,
                    "GOOGLE_CLOUD_LOCATION": location,
                    "the extra ralph-cli[vertex]": token
                    or (_is_installed("google.auth") and _is_installed("requests")),
                }
            case None if self.vendor in OWN_HOSTS:
                wanted = {f"{self.vendor.upper()}_API_KEY": self.api_key or self.base_url}
        return (*(name for name, found in wanted.items() if not found), *self.unset)


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the parent package is missing
        return False


def is_own_service(vendor: str, base_url: str | None) -> bool:
    """Whether the address is the vendor's own service; other services have other prices and behaviour."""
    if vendor not in OWN_HOSTS:
        return False
    host = (urlsplit(base_url).hostname or "") if base_url else OWN_HOSTS[vendor][0]
    return any(host == own or host.endswith("." + own) for own in OWN_HOSTS[vendor])


def check_address(base_url: str, where: str, what: str) -> None:
    """Raise ConfigError unless the address is encrypted or in the local network, to protect documents and keys.

    `where` names the setting, and `what` the key that would be sent.
    """
    try:
        url = urlsplit(base_url)
        host, port = url.hostname or "", url.port
    except ValueError:
        host, port, url = "", None, urlsplit("")
    odd = url.username or url.password or url.query or url.fragment
    if url.scheme not in ("http", "https") or not host or port == 0 or odd:
        hint = "write https://host[:port]/path, without user or password"
        raise ConfigError(f"{where} is not a web address", code="bad-url", hint=hint)
    if url.scheme == "http" and not _is_local(host):
        told = f"documents and the {what} would be sent to {host} unencrypted"
        raise ConfigError(told, code="insecure-url", hint=f"use https in {where}")


def _is_local(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.rsplit(".", 1)[-1] in ("localhost", "local", "lan", "internal", "home")
    return address.is_private or address.is_loopback or address.is_link_local


def check_key(text: str, what: str) -> None:
    """Raise ConfigError for a key that cannot be sent in a header, which the SDKs would report as a lost connection."""
    if not re.fullmatch(r"[!-~]+", text):
        hint = "copy it again; a line break or a space may have slipped in"
        raise ConfigError(f"{what} has invalid characters", code="bad-key", hint=hint)
