"""Models behind a proxy and certificates of one's own: what is asked through it, what without, and what is said."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cloud_services import CloudService, Seen, Tunnel, private_authority, service_account
from fakes import FakeSandbox
from fault_server import CANARY, Json, completion, message, tool_use

import ralph_cli
from ralph_cli.api import ask
from ralph_cli.config import Settings, load_settings
from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.core.model import Request, UserTurn
from ralph_cli.providers.endpoint import AwsAccess, AzureAccess, Endpoint, GoogleAccess, Network
from ralph_cli.providers.registry import connect

ASK = Request("worker", "Be brief.", (UserTurn("hello there"),))
AWS = AwsAccess("eu-central-1", access_key="AKID", secret_key=CANARY)
GOOGLE = {place: GoogleAccess("p", place, token=CANARY) for place in ("europe-west1", "eu", "global")}
SERVED_AT = {
    "api.anthropic.com": Endpoint("anthropic", CANARY),
    "api.openai.com": Endpoint("openai", CANARY),
    "mine.openai.azure.com": Endpoint(
        "azure", CANARY, "https://mine.openai.azure.com/", access=AzureAccess("2025-04-01-preview")
    ),
    "bedrock-runtime.eu-central-1.amazonaws.com": Endpoint("bedrock", access=AWS),
    "europe-west1-aiplatform.googleapis.com": Endpoint("vertex", access=GOOGLE["europe-west1"]),
    "aiplatform.eu.rep.googleapis.com": Endpoint("vertex", access=GOOGLE["eu"]),
    "aiplatform.googleapis.com": Endpoint("vertex", access=GOOGLE["global"]),
    "lab.example": Endpoint("lab", None, "https://lab.example/v1"),
}
CLAUDE = "anthropic.claude-sonnet-5-5"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Path, Path]]:
    return private_authority(tmp_path_factory.mktemp("authority"), "localhost", *SERVED_AT)


@pytest.fixture
def service(authority: tuple[Path, tuple[Path, Path]]) -> Iterator[CloudService]:
    running = CloudService(authority[1])
    yield running
    running.close()


@pytest.fixture
def tunnel(service: CloudService) -> Iterator[Tunnel]:
    running = Tunnel(service.server_address[1])
    yield running
    running.close()


def put(endpoint: Endpoint, network: Network, model: str = CLAUDE) -> Any:
    """The reply to one request."""
    connected: Any = connect(f"{endpoint.vendor}:{model}", replace(endpoint, network=network), deadline_s=10)
    try:
        return connected.complete(ASK)
    finally:
        connected.close()


@pytest.mark.parametrize("host", SERVED_AT)
def test_each_service_is_asked_at_its_own_address_through_the_proxy(
    host: str, service: CloudService, tunnel: Tunnel, authority: tuple[Path, Any]
) -> None:
    models = (CLAUDE, "gpt-6.1-sol") if host.startswith(("bedrock", "europe")) else (CLAUDE,)
    for model in models:
        assert put(SERVED_AT[host], Network(tunnel.url, ca_file=str(authority[0])), model).text == "fine"
    assert tunnel.asked == [f"CONNECT {host}:443 HTTP/1.1"] * len(models)
    assert [seen.headers["host"] for seen in service.seen] == [host] * len(models)


def test_a_certificate_of_nobody_known_is_one_clear_line_and_not_asked_again(tunnel: Tunnel, service: Any) -> None:
    for endpoint in SERVED_AT.values():
        with pytest.raises(ProviderError) as caught:
            put(endpoint, Network(tunnel.url))
        assert caught.value.code == "certificate" and not caught.value.retryable and not caught.value.usage_unknown
        assert "SSL_CERT_FILE" in caught.value.hint and "local issuer" in caught.value.message
        assert CANARY not in caught.value.message
    assert service.seen == []


def test_certificates_are_read_from_a_file_that_holds_some(tmp_path: Path, authority: tuple[Path, Any]) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    for name, why in (("gone.pem", "there is no such file"), ("empty.pem", "it holds no certificates")):
        with pytest.raises(ConfigError, match=why) as caught:
            put(SERVED_AT["lab.example"], Network(ca_file=str(tmp_path / name)))
        assert "SSL_CERT_FILE" in caught.value.message and "PEM" in caught.value.hint
    local = connect("lab:m", Endpoint("lab", None, "http://127.0.0.1:9/v1", network=Network(ca_file="gone.pem")))
    assert local.name == "lab:m", "no certificate is needed there"
    local.close()  # type: ignore[attr-defined]


def test_a_proxy_that_refuses_is_named(service: CloudService) -> None:
    for refusal, code in (("407 Proxy Authentication Required", "proxy"), ("403 Forbidden", "proxy"),
                          ("502 Bad Gateway", "connection")):  # fmt: skip
        tunnel = Tunnel(service.server_address[1], refusal)
        with pytest.raises(ProviderError) as caught:
            put(SERVED_AT["lab.example"], Network(tunnel.url.replace("//", f"//me:{CANARY}@")))
        tunnel.close()
        assert caught.value.code == code and refusal in caught.value.message
        assert ("HTTPS_PROXY" in caught.value.hint) is (code == "proxy") and CANARY not in caught.value.message
    for odd in (f"socks5://me:{CANARY}@host:1", f"http://me:{CANARY}@host:port", "http://", f"https://[{CANARY}"):
        with pytest.raises(ConfigError, match="HTTPS_PROXY is not the address of an HTTP proxy") as refused:
            put(SERVED_AT["lab.example"], Network(odd))
        assert CANARY not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(
    ("url", "no_proxy", "proxied"),
    [
        ("https://api.openai.com/v1", "", True),
        ("https://api.openai.com/v1", "openai.com", False),
        ("https://api.openai.com/v1", "x.com, .openai.com", False),
        ("https://api.openai.com/v1", "ai.com", True),
        ("https://api.openai.com/v1", "*", False),
        ("https://lab.example:8443/v1", "lab.example:8443", False),
        ("https://10.1.2.3/v1", "10.0.0.0/8", False),
        ("https://11.1.2.3/v1", "10.0.0.0/8", True),
        ("https://[fd00::1]/v1", "fd00::/8", False),
        ("https://127.0.0.1:8443", "localhost", True),
        ("http://127.0.0.1:11434/v1", "", False),
        ("http://lab:8000/v1", "", False),
    ],
)
def test_what_is_asked_through_the_proxy(url: str, no_proxy: str, proxied: bool) -> None:
    assert Network("http://proxy:3128", no_proxy).proxy_for(url) == ("http://proxy:3128" if proxied else None)
    assert Network(None, no_proxy).proxy_for(url) is None


def test_no_proxy_leads_past_it(service: CloudService, tunnel: Tunnel, authority: tuple[Path, Any]) -> None:
    there = Endpoint("lab", None, f"https://localhost:{service.server_address[1]}/v1")
    for no_proxy, times in (("", 1), ("localhost", 1)):
        assert put(there, Network(tunnel.url, no_proxy, str(authority[0]))).text == "fine"
        assert len(tunnel.asked) == times
    assert len(service.seen) == 2


def test_only_the_settings_say_how_others_are_reached(
    service: CloudService, tunnel: Tunnel, authority: tuple[Path, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the environment says reaches the clients through the settings alone, in either spelling."""
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    environ = {"https_proxy": tunnel.url, "no_proxy": "other.example", "SSL_CERT_FILE": str(authority[0])}
    lab = 'lab = { base_url = "https://lab.example/v1" }'
    settings = load_settings({}, environ={**environ, "RALPH_PROVIDERS": lab}, folder=tmp_path)
    assert put(settings.endpoint("lab"), settings.network).text == "fine" and len(tunnel.asked) == 1
    assert tunnel.url not in str(settings.shown()) + repr(settings)


def test_googles_token_is_fetched_through_the_same_proxy(
    service: CloudService, tunnel: Tunnel, authority: tuple[Path, Any], tmp_path: Path
) -> None:
    (tmp_path / "account.json").write_text(json.dumps(service_account("https://lab.example/token")))
    access = GoogleAccess("p", "europe-west1", credentials=tmp_path / "account.json")
    assert put(Endpoint("vertex", access=access), Network(tunnel.url, ca_file=str(authority[0]))).text == "fine"
    hosts = [line.split()[1].partition(":")[0] for line in tunnel.asked]
    assert hosts == ["lab.example", "europe-west1-aiplatform.googleapis.com"]
    assert service.seen[-1].headers["authorization"] == "Bearer ya29.from-the-account"
    with pytest.raises(ProviderError) as caught:
        put(Endpoint("vertex", access=access), Network(tunnel.url))
    assert caught.value.code == "certificate"


LINE = "The yearly fee is EUR 1,200,000 for all services."


def played(seen: Seen) -> Json:
    """A worker in Bedrock that hands in the line on the fee, and a judge of the lab that agrees."""
    if "/chat/completions" in seen.path:
        verdicts = [{"id": 1, "verdict": "supported", "reason": "it says so"}]
        return completion({"role": "assistant", "content": json.dumps({"verdicts": verdicts})})
    claims = {"claims": [{"text": LINE, "quotes": [LINE]}]}
    name = seen.json["tools"][0]["name"]
    return message(stop_reason="tool_use", content=[tool_use(claims, f"t{len(seen.json['messages'])}", name)])


def run_settings(folder: Path, lab: str, **environ: str) -> Settings:
    flags = {"out": folder / "out", "cache": folder / "cache", "max_time": 60}
    named = {"model": f"bedrock:{CLAUDE}", "judge_model": "lab:qwen3"}
    keys = {"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": CANARY}
    providers = f'lab = {{ base_url = "{lab}/v1", key_variable = "LAB_API_KEY" }}'
    more = {"RALPH_PROVIDERS": providers, "LAB_API_KEY": CANARY}
    return load_settings({**flags, **named}, environ={**keys, **more, **environ}, folder=folder)


def test_a_run_through_a_proxy_with_a_private_authority(
    service: CloudService, tunnel: Tunnel, authority: tuple[Path, Any], tmp_path: Path
) -> None:
    (tmp_path / "contract.txt").write_text(f"A contract.\n\n{LINE}\n\nIt ends in 2031.\n" * 3)
    lab = CloudService()
    service.said = lab.said = played
    question = "What is the yearly fee?"
    try:
        settings = run_settings(tmp_path, lab.url, HTTPS_PROXY=tunnel.url)
        with pytest.raises(ProviderError, match="its certificate was not accepted") as caught:
            ask(tmp_path / "contract.txt", question, settings=settings, engine=FakeSandbox)
        assert caught.value.code == "certificate" and service.seen == []
        settings = run_settings(tmp_path, lab.url, HTTPS_PROXY=tunnel.url, SSL_CERT_FILE=str(authority[0]))
        result = ask(tmp_path / "contract.txt", question, settings=settings, engine=FakeSandbox)
    finally:
        lab.close()
    assert result.ok and result.claims[0].text == LINE
    assert {line.split()[1] for line in tunnel.asked} == {"bedrock-runtime.eu-central-1.amazonaws.com:443"}
    assert lab.seen and lab.seen[0].headers["authorization"] == f"Bearer {CANARY}"
    recorded = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert CANARY.encode() not in recorded and b"bedrock:anthropic.claude" in recorded


def test_the_command_says_in_one_line_what_is_wrong_with_the_certificate(
    service: CloudService, tunnel: Tunnel, tmp_path: Path
) -> None:
    (tmp_path / "contract.txt").write_text(LINE)
    keys = {"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": CANARY}
    environ = {"PATH": "", "HOME": str(tmp_path), "HTTPS_PROXY": tunnel.url, "RALPH_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "ralph_cli", "qa", "contract.txt", "What is the fee?"]
    done = subprocess.run(
        [*command, "--model", f"bedrock:{CLAUDE}", "--strategy", "direct"],
        env={**environ, **keys, "PYTHONPATH": str(Path(ralph_cli.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 1 and done.stdout == "" and "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if "certificate" in line]
    assert "SSL_CERT_FILE" in done.stderr and len(said) <= 2 and CANARY not in done.stderr
