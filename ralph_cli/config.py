"""Flags over environment over ralph.toml over defaults, into frozen Settings; the only reader of the environment."""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from ralph_cli.checks.form import AnswerForm, Range
from ralph_cli.checks.output.shape import Format
from ralph_cli.core.budget import Budget
from ralph_cli.core.errors import ConfigError
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.providers.registry import KEYLESS_VENDORS, Endpoint

SETTINGS_FILE = "ralph.toml"

ENVIRONMENT_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic_key": ("ANTHROPIC_API_KEY", "ANTHROPIC_APIKEY"),
    "openai_key": ("OPENAI_API_KEY", "OPENAI_APIKEY"),
    "anthropic_base_url": ("ANTHROPIC_BASE_URL",),
    "openai_base_url": ("OPENAI_BASE_URL",),
    "openai_api": ("OPENAI_API",),
    "model": ("GENERATE_MODEL",),
    "judge_model": ("VALIDATE_MODEL",),
    "subquery_model": ("SUBQUERY_MODEL",),
    "max_iterations": ("MAX_ITERS",),
    "max_steps": ("WORKER_MAX_STEPS",),
    "max_subqueries": ("WORKER_MAX_LLM_CALLS",),
    "heartbeat_ms": ("PROGRESS_HEARTBEAT_MS",),
    "out": ("OUT_DIR",),
    "cache": ("RALPH_CACHE_DIR",),
    "sandbox": ("RALPH_SANDBOX",),
}
"""Which variables set which setting, first one set wins. A blank value counts as not set."""

SECRETS = ("anthropic_key", "openai_key")

_RANGE = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")


def _parse_range(value: Any) -> Any:
    """A count "5" or a range "3-7"."""
    if isinstance(value, Range):
        return value
    match = _RANGE.fullmatch(str(value).strip())
    if match is None:
        raise ValueError(f"write a count or a range such as 3-7, not {value!r}")
    low, high = int(match.group(1)), int(match.group(2) or match.group(1))
    return Range(low, high)


MIN_QUOTE_CHARS = 12


def _parse_lengths(value: Any) -> Any:
    """A range "40-160", or one number for the most; nobody wants quotes of exactly so many characters."""
    if not re.fullmatch(r"\d+", most := str(value).strip()):
        return _parse_range(value)
    if int(most) < MIN_QUOTE_CHARS:
        raise ValueError(
            f"at most {most} is below the least, {MIN_QUOTE_CHARS}; write both, such as 4-{MIN_QUOTE_CHARS}"
        )
    return Range(MIN_QUOTE_CHARS, int(most))


def _check_key(value: Any) -> Any:
    """A key that could not be sent would come back as a connection error, so it is refused here."""
    if isinstance(value, str):
        value = value.strip()
        if not value.isascii() or not value.isprintable() or " " in value:
            raise ValueError("the key has spaces or control characters in it; copy it again")
    return value


def _expand_folder(value: Path) -> Path:
    """The folder with `~` resolved; whose home is not known is refused."""
    try:
        return value.expanduser()
    except RuntimeError as error:
        raise ValueError(f"{value} cannot be resolved ({error}); write the whole path") from None


def _parse_models(value: Any) -> Any:
    """Models as a list, or as one text with commas between them."""
    if not isinstance(value, str):
        return value
    names = tuple(name.strip() for name in value.split(","))
    if not all(names):
        raise ValueError(f"write models with commas between them, not {value!r}")
    return names


Folder = Annotated[Path, AfterValidator(_expand_folder)]
Counts = Annotated[Range, BeforeValidator(_parse_range)]
Lengths = Annotated[Range, BeforeValidator(_parse_lengths)]
Models = Annotated[tuple[str, ...], BeforeValidator(_parse_models)]
Key = Annotated[SecretStr | None, BeforeValidator(_check_key)]


class Settings(BaseModel):
    """Everything a person can set, checked. Names are those of ralph.toml and, with dashes, of the flags."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    model: str | None = None
    judge_model: str | None = None
    subquery_model: str | None = None
    panel: Models = ()
    counter_evidence: bool = True
    verify_with_model: bool = False
    verifier_model: str | None = None
    skip_last_verification: bool = False
    anthropic_key: Key = None
    openai_key: Key = None
    anthropic_base_url: str | None = None
    openai_base_url: str | None = None
    openai_api: Literal["responses", "chat"] | None = None
    sandbox: Literal["auto", "pyodide", "native"] = "auto"
    strategy: Literal["auto", "rlm", "direct"] = "auto"
    retry: Literal["continue", "fresh", "auto"] = "auto"
    direct_chars: int = Field(24_000, ge=0, le=1_000_000)
    bullets: Counts = Range(1, 7)
    quotes: Counts = Range(1, 8)
    quote_chars: Lengths = Range(MIN_QUOTE_CHARS, 500)
    allow_hidden_text: bool = False
    max_iterations: int = Field(4, ge=1, le=100)
    max_steps: int = Field(80, ge=2, le=1_000)
    max_subqueries: int = Field(60, ge=0, le=10_000)
    max_time: float | None = Field(None, gt=0, le=1e9)
    max_cost: float | None = Field(None, gt=0, allow_inf_nan=False)
    max_failures: int = Field(3, ge=0, le=1_000)
    score_threshold: float = Field(0.0, ge=0, le=1)
    min_coverage: float | None = Field(None, ge=0, le=1)
    verify_timeout: float = Field(60.0, gt=0, le=86_400)
    summary_chars: int = Field(4_000, ge=200, le=100_000)
    format: Format | None = None
    output_schema: Path | None = None
    memory: str = "auto"
    memory_budget: int = Field(1_500, ge=400, le=100_000)
    snippet_seconds: float = Field(30.0, gt=0, le=3_600)
    snippet_memory_mb: int = Field(2_048, ge=256, le=16_384)
    heartbeat_ms: int = Field(8_000, ge=100)
    out: Folder = Path("out")
    cache: Folder = Path("~/.cache/ralph")

    @model_validator(mode="after")
    def _check_quote_chars(self) -> "Settings":
        # Shorter pieces ("Inc.", "2018") stand everywhere and prove nothing.
        if self.quote_chars.low < 4:
            raise ValueError("quote_chars must begin at 4 or more")
        return self

    @property
    def form(self) -> AnswerForm:
        """The form that an answer must have."""
        return AnswerForm(self.bullets, self.quotes, self.quote_chars)

    @property
    def output_format(self) -> Format:
        """The form of a task's output: JSON where there is a schema and nothing else was said, else Markdown."""
        return self.format or ("json" if self.output_schema else "md")

    @property
    def budget(self) -> Budget:
        """What a run may spend."""
        return Budget(self.max_time, self.max_cost)

    @property
    def stops(self) -> StopConditionConfig:
        """When the outer loop stops."""
        return StopConditionConfig(
            max_iterations=self.max_iterations,
            timeout=self.max_time or 0.0,
            max_cost=self.max_cost or 0.0,
            max_consecutive_failures=self.max_failures,
            score_threshold=self.score_threshold,
        )

    @property
    def cache_folder(self) -> Path:
        """Where the sandbox's runtime and the texts of documents are kept."""
        return self.cache.expanduser()

    def endpoint(self, vendor: str) -> Endpoint:
        """Where the models of `vendor` are served; without key and address it is the vendor's own service."""
        if vendor == "anthropic":
            return Endpoint("anthropic", _secret(self.anthropic_key), self.anthropic_base_url)
        if vendor == "openai":
            return Endpoint("openai", _secret(self.openai_key), self.openai_base_url, self.openai_api)
        return Endpoint(vendor)

    def can_reach(self, vendor: str) -> bool:
        """Whether models of `vendor` can be asked: there is a key, or the address of a server that may need none."""
        endpoint = self.endpoint(vendor)
        return vendor in KEYLESS_VENDORS or bool(endpoint.api_key or endpoint.base_url)

    def shown(self) -> dict[str, Any]:
        """The settings as a trace may hold them: no keys."""
        plain = self.model_dump(mode="json", exclude=set(SECRETS) | {"bullets", "quotes", "quote_chars"})
        # In full: a range of one length must not be read back as an upper bound.
        lengths = f"{self.quote_chars.low}-{self.quote_chars.high}"
        return plain | {"bullets": str(self.bullets), "quotes": str(self.quotes), "quote_chars": lengths}


def _secret(key: SecretStr | None) -> str | None:
    return key.get_secret_value() if key is not None else None


def load_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings for this call. `flags` holds what was given on the command line (None values are not given).

    `.env` and ralph.toml are read from `folder` (the working folder); real variables win over `.env`.
    Raises ConfigError that names the setting, where it came from and what is wrong.
    """
    try:
        folder = folder or Path.cwd()
    except OSError as error:
        raise ConfigError(f"the working folder is gone: {error}", code="no-folder", hint="cd to another one") from error
    real = dict(os.environ if environ is None else environ)
    dotenv = _read_dotenv(folder / ".env")
    layers = [
        ("the defaults", {}),
        (SETTINGS_FILE, _read_toml(folder / SETTINGS_FILE)),
        ("the environment", _settings_from_environment({**dotenv, **{k: v for k, v in real.items() if v.strip()}})),
        ("the command line", {name: value for name, value in (flags or {}).items() if value is not None}),
    ]
    merged: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for source, values in layers:
        merged |= values
        origin |= dict.fromkeys(values, source)
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise as_config_error(error, origin) from None


def fetch_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a package client needs to fetch the sandbox's runtime: proxies, certificates, its own settings."""
    real = os.environ if environ is None else environ
    wanted = re.compile(r"(?i)(https?_proxy|no_proxy|npm_config_.*|ssl_cert_.*|node_extra_ca_certs|deno_.*|home|path)")
    found = {name: value for name, value in real.items() if wanted.fullmatch(name)}
    # Behind a proxy that signs for others, its certificate is in the machine's store and not among Deno's own.
    return {"DENO_TLS_CA_STORE": "mozilla,system", **found}


def _read_dotenv(path: Path) -> dict[str, str]:
    try:
        return {name: value for name, value in dotenv_values(path).items() if value is not None}
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path} cannot be read: {error}", code="bad-settings-file", hint="save it as UTF-8"
        ) from error


def command_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a verifier of the user's gets to see: where programs are, the home folder, the language; never a key."""
    real = os.environ if environ is None else environ
    return {name: real[name] for name in ("PATH", "HOME", "LANG") if name in real}


def _read_toml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path.name} cannot be read: {error}", code="bad-settings-file") from error
    for name in SECRETS:
        if name in values:
            hint = f"set {ENVIRONMENT_VARIABLES[name][0]} in the environment or in .env, which git ignores"
            raise ConfigError(f"{path.name} must not hold a key ({name})", code="key-in-file", hint=hint)
    return values


def _settings_from_environment(variables: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for setting, names in ENVIRONMENT_VARIABLES.items():
        value = next((variables[name] for name in names if variables.get(name, "").strip()), None)
        if value is not None:
            found[setting] = value
    return found


def as_config_error(error: ValidationError, origin: Mapping[str, str]) -> ConfigError:
    """The first fault of settings in one line; `origin` says where each setting came from."""
    fault = error.errors(include_url=False, include_input=False)[0]
    name = str(fault["loc"][0]) if fault["loc"] else "the settings"
    source = origin.get(name, "the settings")
    if fault["type"] == "extra_forbidden":
        known = ", ".join(sorted(set(Settings.model_fields) - set(SECRETS)))
        return ConfigError(f"unknown setting {name!r} in {source}", code="unknown-setting", hint=f"known: {known}")
    message = str(fault["msg"]).removeprefix("Value error, ")
    where = (
        f" ({'/'.join(ENVIRONMENT_VARIABLES[name])})"
        if source == "the environment" and name in ENVIRONMENT_VARIABLES
        else ""
    )
    return ConfigError(f"{name.replace('_', '-')} from {source}{where}: {message}", code="bad-setting")
