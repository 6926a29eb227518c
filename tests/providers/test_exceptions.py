"""Every exception class of both SDKs, of their HTTP client, and some of Python's own has a ProviderError."""

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import httpx2
import pytest
from fault_server import CANARY

from ralph_cli.core.errors import ProviderError
from ralph_cli.providers.vendors import anthropic as anthropic_adapter
from ralph_cli.providers.vendors import openai as openai_adapter
from ralph_cli.providers.vendors.faults import Target

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1", headers={"x-api-key": CANARY})
CODES = {
    "RateLimitError": "rate-limit",
    "AuthenticationError": "auth",
    "OAuthError": "auth",
    "PaymentRequiredError": "billing",
    "PermissionDeniedError": "permission",
    "NotFoundError": "not-found",
    "ContentTooLargeError": "too-long",
    "BadRequestError": "bad-request",
    "UnprocessableEntityError": "bad-request",
    "InternalServerError": "server",
    "OverloadedError": "overloaded",
    "GatewayTimeoutError": "timeout",
    "RequestTimeoutError": "timeout",
    "APITimeoutError": "timeout",
    "APIConnectionError": "connection",
    "ContentFilterFinishReasonError": "refusal",
    "ConnectError": "connection",
    "ConnectTimeout": "timeout",
    "ReadTimeout": "timeout",
    "PoolTimeout": "timeout",
    "ReadError": "connection",
    "RemoteProtocolError": "connection",
    "LocalProtocolError": "bad-request",
    "DecodingError": "bad-reply",
    "RecursionError": "bad-reply",
    "AssertionError": "bad-reply",
    "JSONDecodeError": "bad-reply",
    "UnicodeDecodeError": "bad-reply",
    "TypeError": "bad-reply",
    "ConnectionResetError": "connection",
}


def classes(module: str, root: type[BaseException] = Exception) -> Iterator[type[BaseException]]:
    """All exception classes defined in a package, from its modules loaded so far."""
    for cls in root.__subclasses__():
        if cls.__module__.split(".")[0] == module:
            yield cls
        yield from classes(module, cls)


def instances(cls: type[Any]) -> Any:
    """One object of the class, whatever its constructor wants."""
    status = getattr(cls, "status_code", 500)
    response = httpx2.Response(status if isinstance(status, int) else 500, request=REQUEST, json={"error": {}})
    attempts: list[Callable[[], Any]] = [
        lambda: cls(f"text {CANARY}", response=response, body=None),
        lambda: cls(response=response, body=None),
        lambda: cls(f"text {CANARY}", REQUEST, body=None),
        lambda: cls(request=REQUEST),
        lambda: cls(REQUEST),
        lambda: cls(f"text {CANARY}"),
        lambda: cls(),
    ]
    for attempt in attempts:
        try:
            return attempt()
        except TypeError:
            continue
    return cls.__new__(cls)


def own() -> list[BaseException]:
    return [
        RecursionError(CANARY),
        AssertionError(CANARY),
        TypeError(CANARY),
        json.JSONDecodeError("x", CANARY, 0),
        UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, "x"),
        ConnectionResetError(CANARY),
        KeyError(CANARY),
    ]


FAULTS = {"anthropic": anthropic_adapter.fault, "openai": openai_adapter.fault}


def errors(vendor: str) -> list[BaseException]:
    """An error of every class that the vendor's adapter may meet."""
    import_module(vendor)  # here, so that to collect these tests takes none of its time
    return [*(instances(cls) for cls in {*classes(vendor), *classes("httpx2")}), *own()]


@pytest.mark.parametrize("vendor", FAULTS)
def test_every_class_has_a_code(vendor: str) -> None:
    for error in errors(vendor):
        name = type(error).__name__
        fault = FAULTS[vendor](Target(vendor, "m", "https://host/v1", (CANARY,)), error)
        assert isinstance(fault, ProviderError) and fault.code, name
        assert CANARY not in str(fault) and CANARY not in fault.hint, name
        assert fault.code == CODES.get(name, fault.code), name


def test_the_list_is_complete() -> None:
    """The enumeration finds what the SDKs export, so a class of a later version is not forgotten."""
    found = {type(error) for vendor in FAULTS for error in errors(vendor)}
    for sdk in (*map(import_module, FAULTS), httpx2):
        exported = {v for v in list(vars(sdk).values()) if isinstance(v, type) and issubclass(v, Exception)}
        assert exported <= found, exported - found
    assert len(found) > 60


def test_a_cause_is_looked_through() -> None:
    error = import_module("anthropic").APIConnectionError(request=REQUEST)
    error.__cause__ = httpx2.LocalProtocolError("Illegal header value")
    assert anthropic_adapter.fault(Target("anthropic", "m", "https://host", ("k",)), error).code == "bad-request"


@pytest.mark.parametrize("echo", [CANARY, f"{CANARY[:8]}%2F", "a\nb\x1b[31m", "x" * 5000])
def test_what_a_service_says_is_made_safe(echo: str) -> None:
    key = CANARY if echo == CANARY else f"{CANARY[:8]}/"
    message = Target("openai", "m", "https://user:pass@host:1/v1", (key,)).fault("bad-request", f"said {echo}!").message
    assert echo not in message and "pass" not in message and "host:1" in message
    assert message.isprintable() and len(message) < 400
