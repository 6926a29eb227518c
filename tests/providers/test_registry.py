"""Names, keys and addresses of models; defaults and prices against the installed SDKs and price table."""

import subprocess
import sys
from typing import get_args

import pytest
from fault_server import CANARY, FaultServer
from provider_wires import adapter

from ralph_cli.core.errors import ConfigError
from ralph_cli.core.model import Request, Usage, UserTurn
from ralph_cli.providers.endpoint import Endpoint, is_own_service
from ralph_cli.providers.prices import price
from ralph_cli.providers.registry import DEFAULT_MODELS, connect, parse_model_name
from ralph_cli.providers.vendors.anthropic import Anthropic
from ralph_cli.providers.vendors.openai import OpenAI


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("anthropic:claude-sonnet-5-5", ("anthropic", "claude-sonnet-5-5")),
        ("openai:anything at all"[:15], ("openai", "anything")),
        ("claude-next", ("anthropic", "claude-next")),
        ("gpt-7", ("openai", "gpt-7")),
        ("chatgpt-9", ("openai", "chatgpt-9")),
        ("o3", ("openai", "o3")),
        ("o4-mini", ("openai", "o4-mini")),
        ("gpt-oss:20b", ("openai", "gpt-oss:20b")),
        ("openai:claude-x", ("openai", "claude-x")),
        ("openai:llama3.2:3b", ("openai", "llama3.2:3b")),
        ("llama3.2:3b", ("default", "llama3.2:3b")),
        ("olmo-2", ("default", "olmo-2")),
        ("org/model@v1", ("default", "org/model@v1")),
        ("offline", ("offline", "extractive")),
        ("offline:", ("offline", "extractive")),
        ("offline:extractive", ("offline", "extractive")),
        (" gpt-7 ", ("openai", "gpt-7")),
    ],
)
def test_parse(name: str, expected: tuple[str, str]) -> None:
    assert parse_model_name(name, "default") == expected


@pytest.mark.parametrize("name", ["", " ", "openai:", "anthropic: ", "two words", "a\nb", "a\x1b[0m"])
def test_impossible_names(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_model_name(name, "openai")
    assert caught.value.code == "bad-model" and caught.value.message.isprintable()


def test_defaults_are_models_the_sdks_know() -> None:
    from anthropic.resources.messages import messages
    from anthropic.types import ModelParam
    from openai.types.shared import ChatModel

    known = {"anthropic": get_args(get_args(ModelParam)[0]), "openai": get_args(ChatModel)}
    for vendor, names in known.items():
        assert set(DEFAULT_MODELS[vendor]) <= set(names) and len(names) > 10
    assert not set(DEFAULT_MODELS["anthropic"]) & set(messages.DEPRECATED_MODELS)
    assert all(parse_model_name(DEFAULT_MODELS[vendor][0], "x")[0] == vendor for vendor in known)


def test_defaults_have_prices_and_the_cheap_one_is_cheaper() -> None:
    usage = Usage(1, 1000, 1000)
    for vendor in ("anthropic", "openai"):
        main, cheap = (price(vendor, model, usage) for model in DEFAULT_MODELS[vendor])
        assert main is not None and cheap is not None and 0 < cheap < main


def test_cached_tokens_are_cheaper_to_read_and_dearer_to_write() -> None:
    for vendor in ("anthropic", "openai"):
        plain = price(vendor, DEFAULT_MODELS[vendor][0], Usage(1, 1000, 0)) or 0
        read = price(vendor, DEFAULT_MODELS[vendor][0], Usage(1, 1000, 0, 1000)) or 0
        written = price(vendor, DEFAULT_MODELS[vendor][0], Usage(1, 1000, 0, 0, 1000)) or 0
        assert 0 < read < plain < written


@pytest.mark.parametrize(
    ("vendor", "model", "usage", "url"),
    [
        ("anthropic", "no-such-model", Usage(1, 9, 9), None),
        ("offline", "extractive", Usage(1, 9, 9), None),
        ("openai", "gpt-6-luna", Usage(1, 9, 9), "http://localhost:1/v1"),
        ("openai", "gpt-6-luna", Usage(1, 9, 9), "https://api.openai.com.evil.example/v1"),
        ("openai", "gpt-6-luna", Usage(1, 9, 9, 100), None),
    ],
)
def test_unknown_prices(vendor: str, model: str, usage: Usage, url: str | None) -> None:
    assert price(vendor, model, usage, url) is None


def test_own_address() -> None:
    assert (
        is_own_service("openai", None)
        and is_own_service("openai", "https://api.openai.com/v1")
        and is_own_service("openai", "https://eu.api.openai.com")
    )
    assert not is_own_service("anthropic", "https://api.openai.com") and not is_own_service(
        "openai", "https://notapi.openai.com.x"
    )


@pytest.mark.parametrize(
    ("url", "api", "expected"),
    [
        (None, None, "responses"),
        ("https://api.openai.com/v1", None, "responses"),
        ("https://api.openai.com/v1", "chat", "chat"),
        ("http://localhost:11434/v1", None, "chat"),
        ("http://192.168.1.7:8000/v1", None, "chat"),
        ("https://gateway.example/v1", "responses", "responses"),
    ],
)
def test_wire_format(url: str | None, api: str | None, expected: str) -> None:
    model = connect("openai:m", Endpoint("openai", "k", url, api))  # type: ignore[arg-type]
    assert isinstance(model, OpenAI) and model.api == expected and (model.name, model.vendor) == ("openai:m", "openai")
    model.close()


def test_connect_builds_what_the_name_says() -> None:
    claude = connect("claude-sonnet-5-5", Endpoint("anthropic", "k"))
    assert isinstance(claude, Anthropic) and claude.name == "anthropic:claude-sonnet-5-5"
    claude.close()
    assert connect("offline", Endpoint("offline")).name == "offline:extractive"


@pytest.mark.parametrize(
    ("name", "endpoint", "code"),
    [
        ("claude-x", Endpoint("anthropic"), "no-key"),
        ("gpt-x", Endpoint("openai", " "), "bad-key"),
        ("gpt-x", Endpoint("openai", f"{CANARY}\n{CANARY}"), "bad-key"),
        ("gpt-x", Endpoint("openai", f"{CANARY}ä"), "bad-key"),
        ("gpt-x", Endpoint("anthropic", CANARY), "bad-endpoint"),
        ("scripted:none.json", Endpoint("scripted"), "bad-script"),
        ("x", Endpoint("nobody", CANARY), "unknown-vendor"),
        ("offline:bert", Endpoint("offline"), "bad-model"),
        ("gpt-x", Endpoint("openai", CANARY, "localhost:11434"), "bad-url"),
        ("gpt-x", Endpoint("openai", CANARY, "ftp://host"), "bad-url"),
        ("gpt-x", Endpoint("openai", CANARY, "http://host:port"), "bad-url"),
        ("gpt-x", Endpoint("openai", CANARY, "http://[::1"), "bad-url"),
        ("gpt-x", Endpoint("openai", CANARY, "https://me:word@host/"), "bad-url"),
        ("gpt-x", Endpoint("openai", CANARY, "http://models.example/v1"), "insecure-url"),
        ("gpt-x", Endpoint("openai", CANARY, "http://8.8.8.8/v1"), "insecure-url"),
    ],
)
def test_what_cannot_work_is_said_before_anything_is_sent(name: str, endpoint: Endpoint, code: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connect(name, endpoint)
    assert caught.value.code == code
    assert ("OPENAI_BASE_URL" in caught.value.message + caught.value.hint) is code.endswith("-url")
    assert CANARY not in str(caught.value) + caught.value.hint and CANARY not in repr(endpoint)


def test_a_local_server_needs_no_key(server: FaultServer) -> None:
    model = connect("openai:m", Endpoint("openai", None, f"{server.url('good')}/v1"))
    assert model.complete(Request("worker", "", (UserTurn("hi"),))).text == "fine"
    assert server.seen[-1][2]["authorization"] == "Bearer none"
    assert isinstance(model, OpenAI)
    model.close()


def test_the_environment_moves_no_traffic(server: FaultServer, wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, server.url("redirect-target"))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "sk-from-the-environment")
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "Authorization: Bearer sk-from-the-environment\nX-Gateway: sk-from-the-environment")
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "sk-from-the-environment")
    adapter(wire, server.url("good")).complete(Request("worker", "", (UserTurn("hi"),)))
    fault, _, headers, _ = server.seen[-1]
    assert fault == "good" and "sk-from-the-environment" not in str(headers)
    vendor = "anthropic" if wire == "messages" else "openai"
    model = connect(f"{vendor}:m", Endpoint(vendor, CANARY))
    assert isinstance(model, Anthropic | OpenAI) and "127.0.0.1" not in str(model._sdk.base_url)
    model.close()


def test_no_sdk_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys; import ralph_cli.providers.registry, ralph_cli.providers.retrying, ralph_cli.providers.prices\n"
        "import ralph_cli.providers.vendors.anthropic, ralph_cli.providers.vendors.openai\n"
        "assert ralph_cli.providers.registry.connect('offline', ralph_cli.providers.registry.Endpoint('offline'))\n"
        "print([m for m in ('anthropic', 'openai', 'httpx2', 'pydantic', 'genai_prices') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]" and done.stderr == ""
