"""Flags over environment over ralph.toml over defaults, into frozen Settings."""

import ast
import difflib
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
)
from pydantic.fields import FieldInfo

from ralph_cli.checks.form import LIST_FORM, AnswerForm, Range, is_list
from ralph_cli.checks.output.shape import Format
from ralph_cli.core.document import Language
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.option import Group, OnResume, Option
from ralph_cli.documents.ocr.engine import DEFAULT_LANGUAGE, OcrOptions
from ralph_cli.environment import (
    SETTINGS_FILE,
    expand_folder,
    read_toml,
    read_variables,
    working_folder,
)
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.providers.endpoint import AwsAccess, AzureAccess, Endpoint, GoogleAccess, Network
from ralph_cli.providers.governor import MAX_IN_FLIGHT
from ralph_cli.providers.prices import PriceList, parse_prices
from ralph_cli.providers.profiles import Profile, check_profiles, parse_profiles, profile_error
from ralph_cli.providers.registry import KEYLESS_VENDORS, VENDORS

MODELS, ANSWER, CHECKS, WORK, LIMITS, OUTPUT, MACHINE = Group
RECORDED, LOWER, ACCEPTED, CURRENT = OnResume

_RANGE = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")


def _parse_range(value: Any) -> Any:
    """A count "5" or a range "3-7"."""
    if isinstance(value, Range):
        return value
    match = _RANGE.fullmatch(str(value).strip())
    if match is None:
        raise ValueError(f"write a count or a range such as 3-7, not {value!r}")
    low, high = int(match.group(1)), int(match.group(2) or match.group(1))
    if low > high > 0:
        raise ValueError(f"the smaller number comes first: {high}-{low}, not {value}")
    if not low:
        raise ValueError(f"write a count of at least 1 or a range such as 3-7, not {value!r}")
    return Range(low, high)


MIN_QUOTE_CHARS = 12


def _parse_lengths(value: Any) -> Any:
    """A range "40-160", or one number for the most; nobody wants quotes of exactly so many characters."""
    if not re.fullmatch(r"\d+", most := str(value).strip()):
        lengths = _parse_range(value)
        if lengths.low < 4:  # shorter pieces ("Inc.", "2018") are everywhere and prove nothing
            raise ValueError("it must begin at 4 or more")
        return lengths
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
            raise ValueError("it has spaces or control characters in it; copy it again")
    return value


def _parse_models(value: Any) -> Any:
    """Models as a list, or as one text with commas between them."""
    if not isinstance(value, str):
        return value
    names = tuple(name.strip() for name in value.split(","))
    if not all(names):
        raise ValueError(f"write them with commas between, not {value!r}")
    return names


_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?")


def _parse_seconds(value: Any) -> Any:
    """Seconds as a number, or as a text such as 90s, 5m, 1h30m."""
    match = _DURATION.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if match is None or not any(match.groups()):
        return value
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return hours * 3_600 + minutes * 60 + seconds


def _parse_dollars(value: Any) -> Any:
    """An amount, or "none" for no bound at all, which is endless."""
    if isinstance(value, str) and value.strip().lower() == "none":
        return inf
    if not isinstance(value, str) and value == inf:
        return value
    if str(value).strip().lower().lstrip("+-") in ("inf", "infinity", "nan"):
        raise ValueError("it must be a finite number, or none")
    return value.strip().removeprefix("$") if isinstance(value, str) else value


def _check_prices(value: tuple[str, ...]) -> tuple[str, ...]:
    parse_prices(value)
    return value


Seconds = Annotated[float, BeforeValidator(_parse_seconds)]
Dollars = Annotated[float, BeforeValidator(_parse_dollars)]
Folder = Annotated[Path, AfterValidator(expand_folder)]
Counts = Annotated[Range, BeforeValidator(_parse_range)]
Lengths = Annotated[Range, BeforeValidator(_parse_lengths)]
Models = Annotated[tuple[str, ...], BeforeValidator(_parse_models)]
Prices = Annotated[tuple[str, ...], BeforeValidator(_parse_models), AfterValidator(_check_prices)]
Providers = Annotated[dict[str, Profile], BeforeValidator(parse_profiles), AfterValidator(check_profiles)]
Key = Annotated[SecretStr | None, BeforeValidator(_check_key)]


def setting(
    default: Any,
    group: Group,
    on_resume: OnResume,
    *environment: str,
    old: tuple[str, ...] = (),
    default_words: str = "",
    flag: str = "",
    metavar: str | None = None,
    secret: bool = False,
    **bounds: Any,
) -> Any:
    """A field of Settings: its default, its Option (but for the text, the docstring below it), and its bounds.

    `environment` are variables that others have named; without any it is RALPH_ and the setting's name. `old` names of
    variables are read, too, with RALPH_ before them or, as they once were, without.
    """
    field: FieldInfo = Field(default, **bounds)
    field.metadata.append(Option(group, on_resume, environment, old, default_words, flag, metavar, secret))
    return field


class Settings(BaseModel):
    """Everything a person can set, checked. Names are those of ralph.toml and, with dashes, of the flags."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    if not TYPE_CHECKING:  # editors and type checkers see the fields

        def __init__(self, **values: Any) -> None:
            """The settings with these values. Raises ConfigError."""
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise _as_config_error(error, {}) from error

    model: str | None = setting(
        None, MODELS, RECORDED, old=("GENERATE_MODEL",), default_words="Claude, if there is a key"
    )
    """Worker, vendor:model; `offline` needs no key. Any model name is passed through."""
    judge_model: str | None = setting(
        None, MODELS, RECORDED, old=("VALIDATE_MODEL",), default_words="GPT, if there is a key"
    )
    """Judge, vendor:model. With one key only, the same vendor judges, with a warning."""
    subquery_model: str | None = setting(
        None, MODELS, RECORDED, old=("SUBQUERY_MODEL",), default_words="a cheap one of the worker's vendor"
    )
    """Model of llm_query."""
    panel: Models = setting((), MODELS, RECORDED)
    """Models, with commas between, that are asked too where a claim is half proved."""
    anthropic_key: Key = setting(None, MODELS, CURRENT, "ANTHROPIC_API_KEY", "ANTHROPIC_APIKEY", secret=True)
    """Never in `ralph.toml`."""
    openai_key: Key = setting(None, MODELS, CURRENT, "OPENAI_API_KEY", "OPENAI_APIKEY", secret=True)
    """Never in `ralph.toml`."""
    anthropic_base_url: str | None = setting(None, MODELS, CURRENT, "ANTHROPIC_BASE_URL", default_words="the vendor's")
    """Where Claude is served."""
    openai_base_url: str | None = setting(None, MODELS, CURRENT, "OPENAI_BASE_URL", default_words="the vendor's")
    """Any server that speaks Chat Completions: Ollama, vLLM, LM Studio, llama.cpp."""
    openai_api: Literal["responses", "chat"] | None = setting(
        None, MODELS, CURRENT, "OPENAI_API", default_words="`responses` at the vendor's, `chat` elsewhere"
    )
    """How that server is spoken to."""
    azure_key: Key = setting(None, MODELS, CURRENT, "AZURE_OPENAI_API_KEY", secret=True)
    """Never in `ralph.toml`."""
    azure_token: Key = setting(None, MODELS, CURRENT, "AZURE_OPENAI_AD_TOKEN", secret=True)
    """A token of Entra ID, in place of the key. Never in `ralph.toml`."""
    azure_endpoint: str | None = setting(None, MODELS, CURRENT, "AZURE_OPENAI_ENDPOINT")
    """Where your deployments are served: `https://NAME.openai.azure.com`."""
    azure_api_version: str | None = setting(None, MODELS, CURRENT, "AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION")
    """Version of Azure's API: a date, "v1" or "preview". It is spoken to by Responses, before 2025-03-01 by Chat
    Completions.
    """
    bedrock_key: Key = setting(None, MODELS, CURRENT, "AWS_BEARER_TOKEN_BEDROCK", secret=True)
    """A key of Amazon Bedrock, in place of keys that sign. Never in `ralph.toml`."""
    aws_access_key: Key = setting(None, MODELS, CURRENT, "AWS_ACCESS_KEY_ID", secret=True)
    """Never in `ralph.toml`."""
    aws_secret_key: Key = setting(None, MODELS, CURRENT, "AWS_SECRET_ACCESS_KEY", secret=True)
    """Never in `ralph.toml`."""
    aws_session_token: Key = setting(None, MODELS, CURRENT, "AWS_SESSION_TOKEN", secret=True)
    """Never in `ralph.toml`."""
    aws_profile: str | None = setting(
        None, MODELS, CURRENT, "AWS_PROFILE", default_words="what Amazon's own chain finds"
    )
    """A profile of Amazon's files, which says who asks."""
    aws_region: str | None = setting(
        None, MODELS, CURRENT, "AWS_REGION", "AWS_DEFAULT_REGION", default_words="that of the profile"
    )
    """Region in which Amazon Bedrock is asked."""
    bedrock_base_url: str | None = setting(
        None,
        MODELS,
        CURRENT,
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
        "ANTHROPIC_BEDROCK_BASE_URL",
        default_words="the region's",
    )
    """Where Amazon Bedrock is served, such as an endpoint of your own network."""
    google_project: str | None = setting(None, MODELS, CURRENT, "GOOGLE_CLOUD_PROJECT", "ANTHROPIC_VERTEX_PROJECT_ID")
    """Project in which Google Vertex is asked."""
    google_location: str | None = setting(None, MODELS, CURRENT, "GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION")
    """Location in which it is asked, such as `europe-west1` or `global`."""
    google_credentials: Folder | None = setting(
        None, MODELS, CURRENT, "GOOGLE_APPLICATION_CREDENTIALS", default_words="the machine's own"
    )
    """File that says who asks, such as that of a service account."""
    google_token: Key = setting(
        None, MODELS, CURRENT, "GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN", secret=True
    )
    """A token in place of that file. Never in `ralph.toml`."""
    vertex_base_url: str | None = setting(
        None, MODELS, CURRENT, "ANTHROPIC_VERTEX_BASE_URL", default_words="the location's"
    )
    """Where Google Vertex is served, up to `/v1`."""
    providers: Providers = setting({}, MODELS, CURRENT, default_words="none")
    """Servers of your own, a section `[providers.NAME]` each, whose models are `NAME:model`. It has `base_url`,
    `key_variable`, `api` (`chat`, `responses` or `messages`) and `headers`; that of a vendor has only `headers`, that
    of a cloud `api`, too.
    """
    proxy: Key = setting(None, MODELS, CURRENT, "HTTPS_PROXY", "ALL_PROXY", secret=True)
    """Proxy through which `https` addresses are asked. Never in `ralph.toml`."""
    no_proxy: str = setting("", MODELS, CURRENT, "NO_PROXY", default_words="none")
    """Hosts, domains and networks, with commas between, that are asked without it."""
    ca_file: str | None = setting(None, MODELS, CURRENT, "SSL_CERT_FILE", "SSL_CERT_DIR", default_words="the machine's")
    """File or folder of certificates that are trusted, in PEM form."""
    bullets: Counts = setting(Range(1, 7), ANSWER, RECORDED)
    """How many claims: 5 (exactly) or 3-7."""
    quotes: Counts = setting(Range(1, 8), ANSWER, RECORDED)
    """How many different quotes: 5 (exactly) or 3-8."""
    quote_chars: Lengths = setting(Range(MIN_QUOTE_CHARS, 500), ANSWER, RECORDED)
    """Characters of a quote: 160 (at most) or 40-160."""
    answer_as: str = setting("", ANSWER, RECORDED, default_words="in any form", max_length=300)
    """What the answer of `qa` is to be, in words: `a date`, `a number of days`, `yes or no`. Its first claim states it;
    of `a list` each claim is an item.
    """
    allow_hidden_text: bool = setting(False, ANSWER, RECORDED)
    """Take quotes that a reader of the page cannot see, and mark them. For `qa`, `task` and `check`."""
    format: Format | None = setting(None, ANSWER, RECORDED, default_words="Markdown; JSON with a schema")
    """Form of a task's output: `md`, `text`, `json` or `csv`. Figures in the names of keys and columns are looked
    up, too, unless the task or the schema names them so.
    """
    output_schema: Path | None = setting(None, ANSWER, ACCEPTED, flag="--schema")
    """File with the JSON Schema that a task's JSON or CSV must fit. It alone then says how much is enough, where an
    output otherwise has at least 50 characters.
    """
    context_chars: int = setting(220, CHECKS, RECORDED, ge=220, le=20_000)
    """Characters before and after a quote that the judge is shown in any case, beside its paragraph or table."""
    judge_looks: int = setting(1, CHECKS, RECORDED, ge=0, le=3)
    """How often the judge may look things up before its verdicts, where the quotes leave a claim open: words, a
    section, a page or a table, up to six at once. 0 turns it off.
    """
    limits: bool = setting(False, CHECKS, RECORDED)
    """Have the judge of `qa` look in the whole document for what limits or contradicts each claim (exceptions,
    conditions, restated figures). This takes one more call for each attempt.
    """
    strict: bool = setting(False, CHECKS, RECORDED)
    """Refuse every claim to which code objects. Without it a worker may say why it stands by the claim; then the judge
    decides, and the result says what code could not confirm. Without a model to judge, it is always so.
    """
    verify_with_model: bool = setting(False, CHECKS, RECORDED)
    """Let a light model ask of each result whether it does what was asked. Its no is a refusal."""
    verifier_model: str | None = setting(None, CHECKS, RECORDED, default_words="a cheap one of the judge's vendor")
    """That model, vendor:model."""
    skip_last_verification: bool = setting(False, CHECKS, RECORDED)
    """Do not verify the last iteration's result. Report and JSON say so; without `verify_with_model` it has no
    effect, with a notice.
    """
    min_coverage: float | None = setting(None, CHECKS, RECORDED, default_words="none", ge=0, le=1)
    """Share of the document that a model must have read, such as 0.9. What read less is sent back with the pages to
    read. That text was sent to a model does not show that nothing is missing: see tasks.
    """
    max_lost: float = setting(0.2, CHECKS, RECORDED, ge=0, le=1)
    """Share of the sub-queries that may give no answer. Of an attempt for which more were lost nothing is accepted,
    until what they were to read was read in another way. The result counts lost ones in any case.
    """
    score_threshold: float = setting(0.0, CHECKS, RECORDED, default_words="0, off", ge=0, le=1)
    """Stop, not accepted, at this share of supported claims, or of figures found in a task. For a task it counts
    figures, dates and quotations that were found; for a goal, verifiers that passed. What a check without a score
    refuses (a task's judge, a verifier) does not count as reached.
    """
    verify_timeout: float = setting(60.0, CHECKS, ACCEPTED, gt=0, le=86_400)
    """Seconds for each run of a goal's verifier. Then it is killed, and has failed."""
    strategy: Literal["auto", "rlm", "direct"] = setting("auto", WORK, RECORDED)
    """How the document is read: `auto`, `rlm` (explore by code) or `direct` (give the whole text)."""
    direct_chars: int = setting(24_000, WORK, RECORDED, ge=0, le=1_000_000)
    """Up to this length of the document, `auto` is `direct`."""
    output_chars: int = setting(6_000, WORK, RECORDED, ge=500, le=100_000)
    """Characters of what a step prints that the worker is shown. `rest()` prints what was cut off."""
    retry: Literal["continue", "fresh", "auto"] = setting("auto", WORK, RECORDED)
    """After a refusal: `continue` the conversation, begin a `fresh` one, or `auto`. That decides by size and
    progress; for `ralph goal` it is `fresh`, unless it is set.
    """
    memory: str = setting(
        "auto", WORK, ACCEPTED, default_words="`auto`, which is `<out>/memory/<document id>.md`", metavar="<path>"
    )
    """File with notes on a document. `off` is none (`--no-memory`)."""
    memory_budget: int = setting(1_500, WORK, RECORDED, ge=400, le=100_000)
    """Characters of a memory file. The oldest notes are dropped first."""
    summary_chars: int = setting(4_000, WORK, RECORDED, ge=200, le=100_000)
    """Characters of the summary between iterations. A goal's conversation begins anew from it."""
    refresh: bool = setting(False, WORK, CURRENT)
    """Ask again what was answered before. Without it a question or task that this machine has answered in the same
    way, to acceptance, is answered from its record, which costs nothing.
    """
    max_iterations: int = setting(4, LIMITS, RECORDED, old=("MAX_ITERS",), ge=1, le=100)
    """Attempts of the outer loop. For `ralph goal` 20, unless it is set."""
    max_steps: int = setting(80, LIMITS, RECORDED, old=("WORKER_MAX_STEPS",), ge=2, le=1_000)
    """Worker steps in an attempt. Then one call over what was printed."""
    max_subqueries: int = setting(60, LIMITS, RECORDED, old=("WORKER_MAX_LLM_CALLS",), ge=0, le=10_000)
    """Sub-queries in an attempt."""
    max_depth: int = setting(1, LIMITS, RECORDED, ge=0, le=3)
    """Levels of workers below the worker: its code may hand a part of a long document to another one. 0 is none."""
    max_children: int = setting(60, LIMITS, RECORDED, ge=1, le=1_000)
    """Such workers in a run."""
    max_parallel: int = setting(MAX_IN_FLIGHT, LIMITS, CURRENT, ge=1, le=256)
    """Requests in flight at once. A service that is asked too much is sent fewer, and more again slowly."""
    max_rate: float | None = setting(None, LIMITS, CURRENT, default_words="none", gt=0, le=10_000)
    """Requests a second to a service, evenly apart. Workers at one database keep it together, for each key."""
    max_call_time: float = setting(300.0, LIMITS, CURRENT, gt=0, le=86_400)
    """Seconds for one request to a model, from sending to the last byte of its reply. With all repetitions it has twice
    that time. A slow model of one's own may need more.
    """
    max_time: Seconds | None = setting(None, LIMITS, LOWER, gt=0, le=1e9, metavar="<time>")
    """Time for the whole run: `90`, `90s`, `5m`, `1h30m`. A model call, a snippet or a verifier that is at work then is
    cut.
    """
    max_cost: Dollars | None = setting(
        None, LIMITS, LOWER, default_words="5; calls and tokens where a price is unknown", metavar="<float>", gt=0
    )
    """US dollars for the whole run, or `none`. Refused when a price is unknown, and reached when a reply comes without
    one.
    """
    max_calls: int | None = setting(None, LIMITS, LOWER, ge=1)
    """Calls of models in the whole run."""
    max_tokens: int | None = setting(None, LIMITS, LOWER, ge=1)
    """Tokens in the whole run, of prompts and replies."""
    prices: Prices = setting((), LIMITS, CURRENT)
    """Prices that count instead of the table's, with commas between: `vendor:model=IN/OUT` or `.../CACHED`, in US
    dollars for a million tokens.
    """
    max_failures: int = setting(3, LIMITS, RECORDED, ge=0, le=1_000)
    """Attempts in a row that gave nothing to check, before giving up. 0 is no limit."""
    out: Folder = setting(Path("out"), OUTPUT, CURRENT, old=("OUT_DIR",))
    """Folder for runs and traces."""
    heartbeat_ms: int = setting(8_000, OUTPUT, CURRENT, old=("PROGRESS_HEARTBEAT_MS",), ge=100)
    """Milliseconds after which waiting is reported when standard error is not a terminal."""
    otel: str = setting(
        "",
        OUTPUT,
        CURRENT,
        "RALPH_OTEL",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        default_words="none",
        metavar="<address>",
    )
    """OpenTelemetry collector to which spans of runs are sent, such as http://localhost:4318. They have no text of
    documents, questions or answers.
    """
    otel_texts: bool = setting(False, OUTPUT, CURRENT)
    """Put questions, prompts, replies, code and its output into the spans, too."""
    sandbox: Literal["auto", "pyodide", "native"] = setting("auto", MACHINE, ACCEPTED)
    """Where snippets run: `auto`, `pyodide` or `native` (Linux)."""
    require_walls: bool = setting(False, MACHINE, CURRENT)
    """Run no snippet on a machine that lacks one of the sandbox's walls."""
    snippet_seconds: float = setting(30.0, MACHINE, ACCEPTED, gt=0, le=3_600)
    """Wall time of one snippet, without the time sub-queries take; a second more for each million characters of the
    document.
    """
    snippet_memory_mb: int = setting(2_048, MACHINE, ACCEPTED, ge=256, le=16_384)
    """Megabytes for the snippets."""
    ocr: Literal["auto", "never", "force"] = setting("auto", WORK, RECORDED)
    """Read pages by OCR, with the program tesseract: `auto` (those without text, if it is installed), `never` or
    `force` (all pages of a PDF, also those that have text).
    """
    ocr_language: str = setting(DEFAULT_LANGUAGE, WORK, RECORDED, metavar="<language>")
    """Language of those pages, as tesseract names it: eng, deu, or eng+deu for both."""
    language: Language | None = setting(None, CHECKS, RECORDED, default_words="told by the text")
    """Language of the documents, in whose way figures and dates are read: de, en, es, fr, it, ja, pt or zh. A passage
    whose words tell another language is read in that.
    """
    cache: Folder = setting(Path("~/.cache/ralph"), MACHINE, CURRENT, "RALPH_CACHE", "RALPH_CACHE_DIR")
    """The sandbox's runtime, texts of documents."""

    @property
    def ocr_options(self) -> OcrOptions:
        """Which pages are read by OCR."""
        return OcrOptions(self.ocr, self.ocr_language)

    @property
    def form(self) -> AnswerForm:
        """The form that an answer must have: a list has as many claims as items, unless a number of them is set."""
        usual = AnswerForm()
        listed = LIST_FORM if is_list(self.answer_as) else usual
        bullets = listed.bullets if self.bullets == usual.bullets else self.bullets
        quotes = listed.quotes if self.quotes == usual.quotes else self.quotes
        return AnswerForm(bullets, quotes, self.quote_chars)

    @property
    def output_format(self) -> Format:
        """The form of a task's output: JSON where there is a schema and nothing else was said, else Markdown."""
        return self.format or ("json" if self.output_schema else "md")

    @property
    def price_list(self) -> PriceList:
        """The prices of the setting `prices`, parsed."""
        return parse_prices(self.prices)

    @property
    def stops(self) -> StopConditionConfig:
        """When the outer loop stops."""
        return StopConditionConfig(
            max_iterations=self.max_iterations,
            timeout=self.max_time or 0.0,
            max_cost=self.max_cost if self.max_cost and self.max_cost < inf else 0.0,
            max_consecutive_failures=self.max_failures,
            score_threshold=self.score_threshold,
        )

    @property
    def heartbeat(self) -> float:
        """Seconds after which waiting is reported again."""
        return self.heartbeat_ms / 1000

    @property
    def cache_folder(self) -> Path:
        """Where the sandbox's runtime and the texts of documents are kept."""
        return self.cache.expanduser()

    @property
    def network(self) -> Network:
        """How models are reached."""
        return Network(_secret(self.proxy), self.no_proxy, self.ca_file)

    @property
    def profiles(self) -> tuple[str, ...]:
        """The names of the user's own servers."""
        return tuple(name for name in self.providers if name not in VENDORS)

    def endpoint(self, vendor: str) -> Endpoint:
        """Where the models of a vendor or profile are served; without an address it is the vendor's own service."""
        profile, key = self.providers.get(vendor) or Profile(), _secret
        around: dict[str, Any] = {"headers": profile.sent_headers, "network": self.network, "unset": profile.unset}
        match vendor:
            case "anthropic":
                return Endpoint(vendor, key(self.anthropic_key), self.anthropic_base_url, **around)
            case "openai":
                return Endpoint(vendor, key(self.openai_key), self.openai_base_url, self.openai_api, **around)
            case "azure":
                azure = AzureAccess(self.azure_api_version, key(self.azure_token))
                return Endpoint(vendor, key(self.azure_key), self.azure_endpoint, profile.api, access=azure, **around)
            case "bedrock":
                keys = map(key, (self.aws_access_key, self.aws_secret_key, self.aws_session_token))
                aws = AwsAccess(self.aws_region, self.aws_profile, *keys)
                return Endpoint(vendor, key(self.bedrock_key), self.bedrock_base_url, profile.api, access=aws, **around)
            case "vertex":
                token, file = key(self.google_token), self.google_credentials
                google = GoogleAccess(self.google_project, self.google_location, token, file)
                return Endpoint(vendor, None, self.vertex_base_url, profile.api, access=google, **around)
        around["key_variable"] = profile.key_variable
        return Endpoint(vendor, profile.key, profile.base_url, profile.api, **around)

    def can_reach(self, vendor: str) -> bool:
        """Whether models of `vendor` can be asked: nothing that they need is missing."""
        return vendor in KEYLESS_VENDORS or not self.endpoint(vendor).missing

    def shown(self) -> dict[str, Any]:
        """The settings as a trace may hold them: no keys."""
        plain = self.model_dump(mode="json", exclude={*SECRETS, "bullets", "quotes", "quote_chars", "providers"})
        plain["providers"] = {name: self.providers[name].base_url for name in self.profiles}  # headers may hold keys
        plain = {name: _hide_credentials(value) for name, value in plain.items()}
        # In full: a range of one length must not be read back as an upper bound.
        lengths = f"{self.quote_chars.low}-{self.quote_chars.high}"
        unbounded = {"max_cost": "none"} if self.max_cost == inf else {}
        return plain | unbounded | {"bullets": str(self.bullets), "quotes": str(self.quotes), "quote_chars": lengths}


def _hide_credentials(value: Any) -> Any:
    """The value; if it is an address, without a user, a password and a query, which may be keys."""
    if isinstance(value, dict):
        return {name: _hide_credentials(item) for name, item in value.items()}
    return re.sub(r"^(https?://)(?:[^/?#]*@)?([^?#]*).*", r"\1\2", value) if isinstance(value, str) else value


def _declared_options() -> dict[str, Option]:
    found = {}
    for name, field in Settings.model_fields.items():
        option = next(item for item in field.metadata if isinstance(item, Option))
        prefixed = (f"RALPH_{name.upper()}", *(f"RALPH_{old}" for old in option.old_environment))
        names = option.environment or tuple(dict.fromkeys(prefixed))
        found[name] = replace(option, environment=names)
    return found


@cache
def describe_settings() -> Mapping[str, str]:
    """The text of each setting, from below its field: docs/settings.md has all of it, `--help` the first sentence.

    It is read from the source when somebody wants to see it: pydantic would at every start, which takes longer than
    all other imports of ours.
    """
    body = next(
        node.body
        for node in ast.parse(Path(__file__).read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == Settings.__name__
    )
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }


OPTIONS: Mapping[str, Option] = _declared_options()  # what is declared of each setting

# Which variables set which setting, first one set wins. A blank value counts as not set.
ENVIRONMENT_VARIABLES = {name: (*option.environment, *option.old_environment) for name, option in OPTIONS.items()}

SECRETS = frozenset(name for name, option in OPTIONS.items() if option.secret)

# The settings that say where models are asked, and how.
PLACES = frozenset(
    name
    for name, option in OPTIONS.items()
    if option.group is MODELS and option.on_resume is CURRENT and name not in SECRETS
)


def _secret(key: SecretStr | None) -> str | None:
    return key.get_secret_value() if key is not None else None


def load_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings for this call. `flags` holds what was given on the command line (None values are not given).

    `.env` and ralph.toml are read from `folder` (the working folder); real variables win over `.env`. Warns of a
    variable's old name, and of a variable RALPH_... that sets nothing.
    Raises ConfigError that names the setting, where it came from and what is wrong.
    """
    settings, notices = _load(flags, environ, folder)
    for notice in notices:
        warnings.warn(notice, FutureWarning, stacklevel=2)
    return settings


def _load(
    flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None, folder: Path | None = None
) -> tuple[Settings, tuple[str, ...]]:
    """The settings, and what a person should know of where they were read."""
    folder = folder or working_folder()
    variables, left_out = read_variables(environ, folder)
    layers = [
        {name: (f"{name} in {SETTINGS_FILE}", value) for name, value in _read_toml(folder / SETTINGS_FILE).items()},
        _settings_from_environment(variables),
        {name: (flag_of(name), value) for name, value in (flags or {}).items() if value is not None},
    ]
    notices = (*left_out, *_variable_notices(variables))
    merged = {name: where_and_value for layer in layers for name, where_and_value in layer.items()}
    values = {name: value for name, (_, value) in merged.items()}
    settings = make_settings(values, {name: where for name, (where, _) in merged.items()})
    _look_up_variables(settings.providers, variables)
    return settings, notices


def _look_up_variables(profiles: Mapping[str, Profile], variables: Mapping[str, str]) -> None:
    """Give each section what the variables hold that it names. A key of another service is none of these."""
    taken = {variable for name in SECRETS for variable in ENVIRONMENT_VARIABLES[name]}
    for name, profile in profiles.items():
        for variable in profile.wanted_variables:
            if variable in taken:
                what = f"[providers.{name}] names {variable}, which holds the key of another service"
                hint = "give this server a variable of its own, with the same key in it if that is meant"
                raise ConfigError(what, code="key-of-another", hint=hint)
        profile.remember(variables)


def make_settings(values: Mapping[str, Any], origin: Mapping[str, str]) -> Settings:
    """The settings with these values; `origin` says where each was set. Raises ConfigError that names it."""
    try:
        return Settings(**values)
    except ConfigError as error:
        if isinstance(fault := error.__cause__, ValidationError):
            raise _as_config_error(fault, origin) from None
        raise


def flag_of(name: str) -> str:
    """The flag of a setting."""
    return (OPTIONS[name].flag if name in OPTIONS else "") or f"--{name.replace('_', '-')}"


def complete_settings(settings: Settings | None) -> Settings:
    """The settings of a caller, with the environment's keys and addresses where they name none; None: all of it."""
    if settings is None:
        return load_settings()
    found, _ = _load()
    names = (PLACES | SECRETS) - settings.model_fields_set
    _look_up_variables(settings.providers, read_variables(None, Path.cwd())[0])
    return settings.model_copy(update={name: getattr(found, name) for name in names})


def _read_toml(path: Path) -> dict[str, Any]:
    values = read_toml(path)
    for name, value in values.items():
        if (meant := _nearest_setting(name)) in SECRETS:
            hint = f"set {ENVIRONMENT_VARIABLES[meant][0]} in the environment or in .env, which git ignores"
            raise ConfigError(f"{path.name} must not hold a key ({name})", code="key-in-file", hint=hint)
        if isinstance(value, dict) and name != "providers":
            hint = "leave out the line in brackets: only servers have a section, [providers.NAME]"
            raise ConfigError(f"{path.name} has a section [{name}]", code="bad-settings-file", hint=hint)
    return values


def _nearest_setting(name: str) -> str:
    """The setting that a name means, or most likely means: by its own name, or by that of its variable; else empty."""
    known = {variable.lower(): setting for setting, names in ENVIRONMENT_VARIABLES.items() for variable in names}
    known |= {setting: setting for setting in OPTIONS}
    near = difflib.get_close_matches(name.lower().replace("-", "_"), known, n=1)
    return known[near[0]] if near else ""


def _settings_from_environment(variables: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Each setting that a variable sets: the variable's name, and its value."""
    found = {}
    for setting, names in ENVIRONMENT_VARIABLES.items():
        used = next((name for name in names if variables.get(name, "").strip()), None)
        if used is not None:
            found[setting] = used, variables[used]
    return found


def _variable_notices(variables: Mapping[str, str]) -> Iterator[str]:
    """What a person should know of the variables: an old name that is read, a name of ralph's that sets nothing."""
    for setting, (used, _) in _settings_from_environment(variables).items():
        if used in OPTIONS[setting].old_environment:
            yield f"{used} is an old name; set {OPTIONS[setting].environment[0]} instead"
    known = {name for names in ENVIRONMENT_VARIABLES.values() for name in names}
    for name in sorted(name for name in variables if name.startswith("RALPH_") and name not in known):
        near = difflib.get_close_matches(name, known, n=1)
        yield f"{name} is no setting and has no effect" + (f"; did you mean {near[0]}?" if near else "")


# The message about a value, by pydantic's name of the fault.
_FAULTS = {
    "greater_than": "it must be more than {gt:g}",
    "greater_than_equal": "it must be at least {ge:g}",
    "less_than": "it must be less than {lt:g}",
    "less_than_equal": "it must be at most {le:g}",
    "int_parsing": "it must be a whole number",
    "int_from_float": "it must be a whole number",
    "float_parsing": "it must be a number",
    "finite_number": "it must be a finite number",
    "bool_parsing": "it must be true or false",
    "literal_error": "it must be {expected}",
    "path_type": "it must be a path, in quotes",
    "string_type": "it must be a text, in quotes",
    "tuple_type": "it must be a list of texts",
}


def _as_config_error(error: ValidationError, origin: Mapping[str, str]) -> ConfigError:
    """The first fault of settings in one line; `origin` says where each setting was set."""
    fault = error.errors(include_url=False)[0]
    name = str(fault["loc"][0]) if fault["loc"] else "the settings"
    where = origin.get(name, name)
    if name == "providers" and len(fault["loc"]) > 1:
        return profile_error(fault, where.removeprefix("providers in "), _FAULTS)
    if fault["type"] == "extra_forbidden":
        near = _nearest_setting(name)
        hint = f"did you mean {near}?" if near else "`ralph qa --help` shows settings: --max-cost is max_cost"
        return ConfigError(f"unknown setting: {where}", code="unknown-setting", hint=hint)
    hint = ""
    if fault["type"] in _FAULTS:
        value = "" if name in SECRETS else f", not {fault['input']!s:.80}"
        message = _FAULTS[fault["type"]].format(**fault.get("ctx", {})) + value
        if fault.get("ctx") == {"le": 1}:
            hint = "it is a share: 0.9 is 90 %"
    else:
        message = str(fault["msg"]).removeprefix("Value error, ")
    return ConfigError(f"{where}: {message}", code="bad-setting", hint=hint)
