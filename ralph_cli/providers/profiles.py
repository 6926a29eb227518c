"""The user's own servers: the sections [providers.NAME] of the settings."""

import difflib
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from ralph_cli.core.errors import ConfigError
from ralph_cli.providers.endpoint import Api
from ralph_cli.providers.registry import CLOUDS, KEYLESS_VENDORS, VENDORS


class Profile(BaseModel):
    """A section [providers.NAME]: a server whose models are called NAME:model, or additional settings for a vendor's
    service.

    It never holds a key, only the name of the variable with the key.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = None
    key_variable: str = Field(default="", pattern=r"^([A-Z][A-Z0-9_]*)?$")
    api: Api | None = None
    headers: dict[str, str] = Field(default={}, repr=False)
    _variables: dict[str, str] = PrivateAttr(default_factory=dict)

    @property
    def wanted_variables(self) -> tuple[str, ...]:
        """The names of the variables for the key and for the header values that begin with `$`."""
        names = (self.key_variable, *(value[1:] for value in self.headers.values() if value.startswith("$")))
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def key(self) -> str | None:
        """The key, if its variable was set when the settings were loaded."""
        return self._variables.get(self.key_variable)

    @property
    def held(self) -> tuple[str, ...]:
        """The values of its variables, which must not be shown anywhere."""
        return tuple(self._variables.values())

    @property
    def sent_headers(self) -> tuple[tuple[str, str], ...]:
        """The headers with the variables' values filled in."""
        values = {name: self._value(text) for name, text in self.headers.items()}
        return tuple((name, value) for name, value in values.items() if value)

    @property
    def unset(self) -> tuple[str, ...]:
        """The variables of headers that have no value."""
        return tuple(
            name for name in self.wanted_variables if name not in self._variables and name != self.key_variable
        )

    def _value(self, text: str) -> str | None:
        return self._variables.get(text[1:]) if text.startswith("$") else text

    def remember(self, variables: Mapping[str, str]) -> None:
        """Store the values of the named variables, but not in a field, so that nothing shows or writes them."""
        held = {name: variables.get(name, "").strip() for name in self.wanted_variables}
        self._variables |= {name: value for name, value in held.items() if value}


_PROFILE_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
# Headers that the clients set: those that sign a request or say how it is sent.
_OWN_HEADERS = re.compile(
    r"(?i)(proxy-)?authorization|(x-)?api-key|cookie|host|connection|accept-encoding|te|trailer|upgrade"
    r"|(content|transfer|x-amz|x-stainless)-.*"
)


def parse_profiles(value: Any) -> Any:
    """Parse the profile sections, given as a mapping or as TOML text such as `lab = { base_url = "http://lab:8000/v1"
    }`.
    """
    if isinstance(value, str):
        try:
            return tomllib.loads(value)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f'it is not TOML ({error}); write lab = {{ base_url = "..." }}') from None
    return value


def check_profiles(value: Mapping[str, Profile]) -> Mapping[str, Profile]:
    """Return the sections unchanged. Raises ValueError for an invalid name, address or header."""
    for name, provider in value.items():
        section = f"[providers.{name}]"
        allowed = {"headers", "api"} if name in CLOUDS else {"headers"}
        if name in VENDORS and (name in KEYLESS_VENDORS or provider.model_fields_set - allowed):
            raise ValueError(f"{section} is a vendor's name; only {' and '.join(sorted(allowed))} can be set there")
        if name == "azure" and provider.api == "messages":
            raise ValueError(f"{section}: api is responses or chat")
        if not _PROFILE_NAME.fullmatch(name):
            raise ValueError(f"{section}: a name has small letters, digits, - and _, and begins with a letter")
        if name not in VENDORS and not provider.base_url:
            raise ValueError(f'{section} has no base_url; write base_url = "https://host/v1"')
        for header, text in provider.headers.items():
            if not _HEADER_NAME.fullmatch(header) or not text.isascii() or not text.isprintable():
                raise ValueError(f"{section}: the header {header!r} has characters that cannot be sent")
            if _OWN_HEADERS.fullmatch(header):
                raise ValueError(f"{section}: the header {header} is not set by hand; a key is named by key_variable")
    return value


def profile_error(fault: Any, source: str, messages: Mapping[str, str]) -> ConfigError:
    """Return the fault of a section [providers.NAME] in one line. The value is not shown, because it may be a key.

    `fault` is one of pydantic's errors, and `messages` has the texts for its types.
    """
    _, name, *path = map(str, fault["loc"])
    section, field = f"[providers.{name}]", ".".join(path)
    if fault["type"] == "extra_forbidden":
        if re.search("key|token|secret|password", field, re.IGNORECASE):
            hint = f'write key_variable = "{re.sub("[^A-Z0-9]", "_", name.upper())}_API_KEY", and set that variable'
            return ConfigError(f"{source} must not hold a key ({section} {field})", code="key-in-file", hint=hint)
        near = difflib.get_close_matches(field, Profile.model_fields, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(Profile.model_fields)}"
        return ConfigError(f"unknown setting: {field} of {section} in {source}", code="unknown-setting", hint=hint)
    if field == "key_variable":
        what, hint = "it must be the name of a variable in capitals", "such as LAB_API_KEY; the key itself is set there"
    else:
        what, hint = messages.get(fault["type"], "it must be a table").format(**fault.get("ctx", {})), ""
    return ConfigError(f"{field or 'the section'} of {section} in {source}: {what}", code="bad-setting", hint=hint)
