"""What all adapters share: a capped HTTP client, conversations without open tool calls, and checked replies.

It works on the decoded JSON of a reply and not on the SDKs' objects, because the SDKs accept a login page as a message.
"""

import json
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, StopReason, ToolCall, ToolTurn, Turn, Usage
from ralph_cli.providers import prices
from ralph_cli.providers.endpoint import Endpoint, Network
from ralph_cli.providers.vendors.faults import BadBody, Target, replace_surrogates, status_fault

if TYPE_CHECKING:
    import ssl

    import httpx2

# Most tokens requested for one reply: above this, services and proxies cut connections that do not stream.
MAX_TOKENS = 16_000
MAX_REPLY_BYTES = 32 * 1024 * 1024  # largest reply read, after decompression
CONNECT_TIMEOUT_S = 15.0

_GZIP_OR_ZLIB = 47


# --- asking -----------------------------------------------------------------------------------------------------------


class SdkModel(ABC):
    """A model that uses its vendor's SDK. The SDK neither retries nor chooses the address."""

    def __init__(self, model: str, endpoint: Endpoint, address: str, timeout_s: float) -> None:
        """Set up the model. `address` is required: otherwise an SDK would take one from the environment or a profile on
        disk.
        """
        self.vendor, self.name = endpoint.vendor, f"{endpoint.vendor}:{model}"
        self._endpoint, self._target = endpoint, Target(endpoint.vendor, model, address, endpoint.secrets)
        self._timeout_s, self._client = timeout_s, create_client(timeout_s, endpoint.network, address)

    @cached_property
    def _sdk(self) -> Any:
        """The SDK's client, created at the first request, because importing an SDK takes a second or two."""
        sdk = self._connect(max_retries=0, timeout=self._timeout_s, http_client=self._client)
        # It would send the contents of ANTHROPIC_CUSTOM_HEADERS or OPENAI_CUSTOM_HEADERS, possibly with others' keys.
        sdk._custom_headers = dict(self._endpoint.headers)
        return sdk

    @abstractmethod
    def _connect(self, **options: Any) -> Any:
        """Return the client of the vendor's SDK, created with these options."""

    def close(self) -> None:
        """Close the connections that are kept for the next call."""
        self._client.close()


def create_client(timeout_s: float, network: Network, address: str) -> "httpx2.Client":
    """Return an HTTP client for an SDK and this address: no redirects, and limits on the size and time of a reply.

    An HTTP timeout applies to each byte, so a server that sends single bytes would never exceed it. Here the whole body
    must arrive within `timeout_s`.
    """
    import ssl

    import httpx2

    class _CappedClient(httpx2.Client):
        def send(self, request: "httpx2.Request", **options: Any) -> "httpx2.Response":
            deadline = clock.monotonic() + timeout_s
            options.update(stream=True, follow_redirects=False)
            response = super().send(request, **options)
            try:
                body = b"".join(_read_body(response, deadline))
            except BadBody as error:
                if response.status_code < 400 or error.code == "timeout":
                    raise
                body = b""  # the status is sufficient
            finally:
                response.close()
            # The body is now complete and decompressed, so these headers would be wrong.
            untrue = ("content-encoding", "content-length", "transfer-encoding")
            headers = [(k, v) for k, v in response.headers.multi_items() if k.lower() not in untrue]
            return httpx2.Response(response.status_code, headers=headers, content=body, request=response.request)

    # Unencrypted addresses need no certificates, so none are read for them.
    is_encrypted = address.startswith("https:")
    return _CappedClient(
        verify=_ssl_context(network.ca_file) if is_encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        proxy=network.proxy_for(address),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(timeout_s, connect=min(CONNECT_TIMEOUT_S, timeout_s)),
        headers={"accept-encoding": "gzip"},  # the only encoding decoded here, within the size limit
    )


@cache
def _ssl_context(ca_file: str | None) -> "ssl.SSLContext":
    """Return the trusted certificates of a file or folder, or those of the machine. Raises ConfigError for an unusable
    file.

    Reading them takes 20 ms, so all clients of a process share them.
    """
    import ssl

    import httpx2

    if ca_file is None:
        return httpx2.create_ssl_context(trust_env=False)
    try:
        if Path(ca_file).is_dir():
            return ssl.create_default_context(capath=ca_file)
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # ssl.SSLError is one
        why = "there is no such file" if isinstance(error, FileNotFoundError) else "it holds no certificates"
        hint = "name a file of certificates in PEM form"
        raise ConfigError(f"SSL_CERT_FILE is {ca_file}: {why}", code="bad-ca-file", hint=hint) from None


def _read_body(response: "httpx2.Response", deadline: float) -> Iterator[bytes]:
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise BadBody("bad-reply", f"unknown encoding {encoding}")
    inflate = None if encoding in ("identity", "") else zlib.decompressobj(_GZIP_OR_ZLIB)
    size = 0
    for chunk in response.iter_raw():
        if clock.monotonic() >= deadline:
            raise BadBody("timeout", "the reply did not end in time")
        try:
            data = inflate.decompress(chunk, MAX_REPLY_BYTES + 1 - size) if inflate else chunk
        except zlib.error as error:
            raise BadBody("bad-reply", "damaged compression") from error
        size += len(data)
        if size > MAX_REPLY_BYTES:
            raise BadBody("bad-reply", f"more than {MAX_REPLY_BYTES} bytes")
        yield data
    if inflate and size and not inflate.eof:
        raise BadBody("bad-reply", "the compressed reply is cut off")


def call_service(
    target: Target,
    sdk: Callable[[], Any],
    path: str,
    arguments: Json,
    fault: Callable[[Target, Exception], ProviderError],
) -> Json:
    """Return the JSON object that a service answers at a path. `fault` turns an exception of the SDK into a
    ProviderError.

    The request uses the SDK's generic method for paths. Its specific methods check every value of the arguments, which
    takes longer the more there are, and build an object from the reply.

    Errors are raised outside the handlers, without cause or context, because an SDK's exception holds the request with
    its key, and a decoding error holds the text.
    """
    import httpx2

    failure: ProviderError | None = None
    body: Any = None
    sendable = replace_surrogates(arguments)
    try:
        body = sdk().post(path, body=sendable, cast_to=httpx2.Response).content
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001 - SDKs let foreign errors through; `fault` knows or reports them all
        failure = fault(target, error)
    if failure is None:
        try:
            body = replace_surrogates(json.loads(body))
        except (ValueError, RecursionError) as error:
            failure = target.fault("bad-reply", f"not JSON: {type(error).__name__}", usage_unknown=True)
    if failure is not None:
        raise failure
    if not isinstance(body, dict):
        raise target.fault("bad-reply", "not a JSON object", usage_unknown=True)
    if isinstance(body.get("error"), dict | str):  # some gateways report errors with status 200
        raise status_fault(target, 200, body, {})
    return body


# --- turns and replies ------------------------------------------------------------------------------------------------


def answer_open_calls(turns: tuple[Turn, ...]) -> list[Turn]:
    """Return the turns with every call answered exactly once, right after it.

    A service refuses every later request of a conversation with an open call.
    """
    out: list[Turn] = []
    calls: tuple[ToolCall, ...] = ()
    for turn in (*turns, None):
        if calls or isinstance(turn, ToolTurn):
            given = turn if isinstance(turn, ToolTurn) else ToolTurn(())
            found = {id_: (text, failed) for id_, text, failed in given.results}
            out.append(ToolTurn(tuple((c.id, *found.get(c.id, ("not run", True))) for c in calls), given.note))
        if turn is not None and not isinstance(turn, ToolTurn):
            out.append(turn)
        calls = turn.calls if isinstance(turn, ModelTurn) else ()
    return out


def parse_tool_call(id_: Any, name: Any, raw_arguments: Any, may_call: bool = True) -> ToolCall | None:
    """Return one tool call; None without id or name.

    The call is malformed if its arguments are not a JSON object, or if `may_call` is False because the service did not
    finish it.
    """
    if not (isinstance(id_, str) and id_ and isinstance(name, str) and name):
        return None
    arguments = raw_arguments
    if isinstance(raw_arguments, str):
        try:
            arguments = replace_surrogates(json.loads(raw_arguments))
        except (ValueError, RecursionError):
            arguments = None
    if may_call and isinstance(arguments, dict):
        return ToolCall(id_, name, arguments)
    return ToolCall(id_, name, None, raw_arguments if isinstance(raw_arguments, str) else json.dumps(raw_arguments))


def as_object(value: Any) -> Json:
    """Return a part of a reply if it is an object; otherwise an empty object."""
    return value if isinstance(value, dict) else {}


def call_arguments(call: ToolCall) -> Json:
    """Return the arguments of a call for sending back; malformed arguments are sent as they were written."""
    return {"malformed": call.malformed} if call.arguments is None else call.arguments


def require_calls(target: Target, calls: list[ToolCall | None], stop: StopReason) -> tuple[ToolCall, ...]:
    """Return the calls of a reply. Raises ProviderError if one is unusable or missing, unless the reply was cut off."""
    usable = tuple(call for call in calls if call is not None)
    if stop is StopReason.TOOL and not calls:
        raise target.fault("bad-reply", "it is empty: a tool call is announced, and there is none", usage_unknown=True)
    if stop is not StopReason.LENGTH and len(usable) < len(calls):
        raise target.fault("bad-reply", "a tool call without id or name", usage_unknown=True)
    return usable


def own_content(raw: Any, wire: str, model: str, field: str) -> Any:
    """Return the unchanged output of this model in this wire format; None if it is from another model or a trace."""
    return raw[field] if isinstance(raw, dict) and (raw.get("wire"), raw.get("model")) == (wire, model) else None


def build_reply(
    target: Target, request: Request, turn: ModelTurn, stop: StopReason, tokens: tuple[Any, ...], body: Json
) -> Reply:
    """Return a checked Reply. `tokens` are the service's counts: input with caches, output, cache reads, cache writes.

    A truncated reply keeps only its text, because half a call must not run and half a reasoning block cannot be sent
    back.
    """
    characters = len(turn.text) + sum(len(str(c.arguments or c.malformed)) for c in turn.calls)
    if stop is StopReason.LENGTH:
        turn = ModelTurn(turn.text)
    elif not turn.text.strip() and not turn.calls:
        raise target.fault("bad-reply", "it is empty", usage_unknown=True)
    elif len({c.id for c in turn.calls}) < len(turn.calls):
        raise target.fault("bad-reply", "two tool calls with the same id", usage_unknown=True)
    usage = _usage(request, characters, tokens)
    usage = replace(usage, usd=prices.price(target.vendor, target.model, usage, target.base_url))
    served = body.get("model")
    return Reply(turn, stop, usage, f"{target.vendor}:{served if isinstance(served, str) and served else target.model}")


def _usage(request: Request, characters: int, tokens: tuple[Any, ...]) -> Usage:
    """Return the service's counts, or an estimate of four characters per token if they are not usable."""
    # A service may leave out the counts of its caches, never those of input and output.
    numbers = tuple(0 if n is None and place > 1 else n for place, n in enumerate(tokens))
    if not all(map(_is_count, numbers)) or (numbers[0] == 0 and request.characters):
        numbers = (math.ceil(request.characters / 4), math.ceil(characters / 4), 0, 0)
    read, written = numbers[2:] if numbers[2] + numbers[3] <= numbers[0] else (0, 0)
    return Usage(1, numbers[0], numbers[1], read, written, request.characters)


def sum_tokens(*counts: Any) -> Any:
    """Return the sum of token counts, of which only the first is required; None if one is not a number."""
    known = [0 if count is None and place else count for place, count in enumerate(counts)]
    return sum(known) if all(map(_is_count, known)) else None


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0
