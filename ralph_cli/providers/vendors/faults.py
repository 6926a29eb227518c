"""Names the faults of model services: every status and exception becomes one line that says what to do."""

import base64
import json
import math
import re
import ssl
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from ralph_cli.core import clock
from ralph_cli.core.errors import ProviderError

if TYPE_CHECKING:
    import httpx2

MAX_DETAIL_CHARS = 240

_RETRYABLE = {"rate-limit", "overloaded", "server", "timeout", "connection", "bad-reply"}
_FAULTS = {
    "auth": ("the API key was not accepted", "check the API key of {vendor}"),
    "billing": ("no credit or quota left", "check billing and limits of the {vendor} account"),
    "permission": ("not allowed with this key", "check which models the {vendor} API key may use"),
    "not-found": ("no such model or address", "check the model setting ({model}) and the base URL ({host})"),
    "too-long": ("the request is too long for this model", "use smaller pieces or a model with a larger context"),
    "rate-limit": ("too many requests", "wait, then resume; or lower the number of parallel calls"),
    "overloaded": ("the service is overloaded", "wait, then resume"),
    "server": ("the service failed", "wait, then resume"),
    "timeout": ("no answer in time", "wait, then resume; or choose a faster model"),
    "connection": ("the service could not be reached or cut the connection", "check the network, a proxy, and {host}"),
    "certificate": (
        "its certificate was not accepted",
        "behind a proxy with certificates of its own, set SSL_CERT_FILE to the file that holds them",
    ),
    "proxy": ("the proxy refused the connection", "check HTTPS_PROXY, or name {host} in NO_PROXY"),
    "credentials": ("the cloud gives no credentials", "{credentials}"),
    "bad-request": ("the service rejected the request format", "check that {host} serves {model} with this API"),
    "refusal": ("the model declined to answer", "rephrase the question or choose another model"),
    "bad-reply": ("the reply is unusable", "try again; check that {host} is the right service"),
}
_CREDENTIALS = {
    "bedrock": "set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    "vertex": "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`",
}
_TOO_LONG = re.compile(
    r"(?i)(prompt|input) is too long|context[ _](length|window|size)|maximum context|request too large"
    r"|string_above_max_length"
)
_CREDENTIAL_LIBRARIES = ("boto3", "botocore", "google")
# Exceptions of these libraries that are not about the credentials.
_PASSING_FAULTS = ("TransportError", "ConnectionError", "ConnectTimeoutError", "ReadTimeoutError")

_AUTH_MARKS = (
    "authentication", "invalid_api_key", "unrecognizedclient", "invalidsignature", "incompletesignature",
    "expiredtoken",
)  # fmt: skip
_REFUSAL_MARKS = ("content_policy", "content_filter", "invalid_prompt", "bio_policy", "policy_violation")


@dataclass(frozen=True, slots=True)
class Target:
    """The service that is called. The secrets are here only to be removed from the service's messages."""

    vendor: str
    model: str
    base_url: str
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def host(self) -> str:
        """The host and port, for messages."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    def fault(
        self, code: str, detail: str = "", *, retry_after: float | None = None, usage_unknown: bool = False
    ) -> ProviderError:
        """Return a ProviderError with this code. `detail` may be a service's own words and is made safe here."""
        what, hint = _FAULTS[code]
        detail = self._sanitize(detail)
        return ProviderError(
            f"{self.vendor} model {self.model} at {self.host}: {what}" + (f" ({detail})" if detail else ""),
            code=code,
            hint=hint.format(
                vendor=self.vendor, model=self.model, host=self.host, credentials=_CREDENTIALS.get(self.vendor, "")
            ),
            retryable=code in _RETRYABLE,
            retry_after=retry_after,
            usage_unknown=usage_unknown,
        )

    def _sanitize(self, text: str) -> str:
        for key in self.secrets:
            for secret in (key, quote(key, safe=""), base64.b64encode(key.encode()).decode()):
                text = text.replace(secret, "[key]")
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        return line if len(line) <= MAX_DETAIL_CHARS else line[: MAX_DETAIL_CHARS - 3] + "..."


class BadBody(Exception):
    """The body of a reply is too large, damaged, or takes too long. This error never leaves this package."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def replace_surrogates(value: Any) -> Any:
    """Return the value with every lone surrogate replaced, because these can be neither stored nor sent."""
    if isinstance(value, str):
        return value if value.isascii() else re.sub(r"[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [replace_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {replace_surrogates(key): replace_surrogates(item) for key, item in value.items()}
    return value


def status_fault(target: Target, status: int, body: Any, headers: Mapping[str, str]) -> ProviderError:
    """Return the fault for a refusal by a service: by the type in its error object first, then by the HTTP status."""
    kind, message = _error_object(body)
    kind += " " + headers.get("x-amzn-errortype", "").lower()  # Amazon's header for the error type
    code = _fault_code(status, kind, message)
    detail = "" if code == "auth" else message  # the message may repeat the key, even if shortened
    fault = target.fault(
        code,
        f"HTTP {status}" + (f": {detail}" if detail else ""),
        retry_after=retry_after(headers),
        usage_unknown=status in (200, 408, 504) or code == "bad-reply",
    )
    if headers.get("x-should-retry", "").lower() == "false":
        fault.retryable = False
    return fault


def response_fault(target: Target, response: "httpx2.Response") -> ProviderError:
    """Return the fault for an error response; its body may be JSON or anything else."""
    try:
        body = replace_surrogates(json.loads(response.content))
    except (ValueError, RecursionError):
        body = None
    return status_fault(target, response.status_code, body, response.headers)


def _error_object(body: Any) -> tuple[str, str]:
    """Return type and message of {"error": {type, code, message}}, {"error": "..."}, {"message": ...} or {"detail":
    ...}.
    """
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if not isinstance(body, dict):
        return "", ""
    inner = body.get("error")
    if not isinstance(inner, dict):
        inner = {"message": inner} if isinstance(inner, str) else body
    kind = " ".join(str(inner.get(name) or "") for name in ("type", "code", "status"))
    return kind.lower(), str(inner.get("message") or inner.get("detail") or "")


# The fault for an HTTP status or a word in the error type; the first rule that fits applies.
_RULES: tuple[tuple[str, Collection[int], tuple[str, ...]], ...] = (
    ("auth", (401,), _AUTH_MARKS),
    ("billing", (402,), ("insufficient_quota", "billing")),
    ("too-long", (413,), ("too-long",)),
    ("not-found", (404, *range(300, 400)), ("not_found",)),
    ("permission", (403, 407), ("permission",)),
    ("refusal", (), _REFUSAL_MARKS),
    ("overloaded", (529,), ("overloaded",)),
    ("rate-limit", (429,), ("rate_limit", "throttling")),
    ("timeout", (408, 504), ("timeout",)),
    ("server", (409, 425, *range(500, 1000)), ("server_error", "api_error")),
    ("bad-request", range(400, 500), ("invalid_request",)),
)


def _fault_code(status: int, kind: str, message: str) -> str:
    if "credit balance" in message.lower():
        kind += " billing"
    if status not in (403, 404) and _TOO_LONG.search(f"{kind} {message}"):
        kind += " too-long"
    fitting = (code for code, statuses, marks in _RULES if status in statuses or any(mark in kind for mark in marks))
    return next(fitting, "bad-reply")


def transport_fault(target: Target, error: BaseException, *, default_code: str = "bad-reply") -> ProviderError:
    """Return the ProviderError for a failure below the SDK: of the HTTP client, of a cloud's credentials, or others."""
    import httpx2

    causes = tuple(_cause_chain(error))
    for inner in (part for cause in causes for part in (cause, *cause.args)):
        if isinstance(inner, ssl.SSLCertVerificationError):  # nested inside an error that reports a lost connection
            return target.fault("certificate", inner.verify_message)
    for cause in causes:
        match cause:
            case ProviderError():
                return cause
            case BadBody():
                return target.fault(cause.code, str(cause), usage_unknown=True)
            case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
                return target.fault("timeout", "connecting")
            case httpx2.TimeoutException():
                return target.fault("timeout", usage_unknown=True)
            case httpx2.ProxyError():
                return target.fault("connection" if str(cause).startswith("5") else "proxy", str(cause))
            case httpx2.ConnectError() | httpx2.UnsupportedProtocol():
                return target.fault("connection", type(cause).__name__)
            case httpx2.LocalProtocolError() | httpx2.InvalidURL() | UnicodeEncodeError():
                return target.fault("bad-request", type(cause).__name__)
            case httpx2.TransportError() | ConnectionError():
                return target.fault("connection", type(cause).__name__, usage_unknown=True)
        if type(cause).__module__.partition(".")[0] in _CREDENTIAL_LIBRARIES:
            is_passing = type(cause).__name__.endswith(_PASSING_FAULTS)
            return target.fault("connection" if is_passing else "credentials", type(cause).__name__)
    return target.fault(default_code, type(error).__name__, usage_unknown=True)


def sdk_fault(target: Target, error: Exception, sdk: Any) -> ProviderError:
    """Return the ProviderError for an exception of the module `sdk` or of a layer below; all vendors' SDKs have these
    classes.
    """
    match error:
        case sdk.APIStatusError():
            return response_fault(target, error.response)
        case sdk.APITimeoutError():
            return transport_fault(target, error, default_code="timeout")
        case sdk.APIConnectionError():
            return transport_fault(target, error, default_code="connection")
    return transport_fault(target, error)


def _cause_chain(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    for _ in range(8):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the wait that the service requests, in seconds; None if there is no valid request.

    The headers are `retry-after-ms`, or `retry-after` in seconds or as an HTTP date.
    """
    seconds = _parse_seconds(headers.get("retry-after-ms"), 1000) or _parse_seconds(headers.get("retry-after"), 1)
    if seconds is None and headers.get("retry-after"):
        try:
            when = parsedate_to_datetime(headers["retry-after"])
            when = when if when.tzinfo else when.replace(tzinfo=UTC)
            seconds = (when - datetime.fromisoformat(clock.now())).total_seconds()
        except (ValueError, OverflowError):
            return None
    return seconds if seconds is not None and seconds >= 0 else None


def _parse_seconds(text: str | None, divisor: int) -> float | None:
    try:
        value = float(text or "") / divisor
    except ValueError:
        return None
    return value if math.isfinite(value) else None
