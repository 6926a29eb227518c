"""What arrives at Azure, Bedrock and Vertex, and what is said when they refuse: paths, signatures, tokens, faults."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cloud_services import CloudService, service_account, signature_of
from fault_server import CANARY, message, tool_use

from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.core.model import ModelTurn, Request, StopReason, Tool, ToolCall, ToolTurn, Usage, UserTurn
from ralph_cli.providers.endpoint import AwsAccess, AzureAccess, Endpoint, GoogleAccess
from ralph_cli.providers.prices import price
from ralph_cli.providers.registry import connect, model_family, wire_format

SECRET = "wJalr/" + CANARY
AWS = AwsAccess("eu-central-1", access_key="AKIDEXAMPLE", secret_key=SECRET, session_token="session-" + CANARY)
GOOGLE = GoogleAccess("my-project", "europe-west1", token="ya29." + CANARY)
ENDPOINTS = {
    "azure": Endpoint("azure", CANARY, access=AzureAccess("2025-04-01-preview")),
    "bedrock": Endpoint("bedrock", access=AWS),
    "vertex": Endpoint("vertex", access=GOOGLE),
}
CLAUDE, GPT, QWEN = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "openai.gpt-6.1-sol", "qwen.qwen3-32b-v1:0"
VERTEX = "/v1/projects/my-project/locations/europe-west1"
PATHS = {
    "azure:my-gpt": "/openai/responses?api-version=2025-04-01-preview",
    f"bedrock:{CLAUDE}": f"/model/{CLAUDE}/invoke",
    f"bedrock:{GPT}": "/openai/v1/responses",
    f"bedrock:{QWEN}": "/openai/v1/chat/completions",
    "bedrock:openai.gpt-oss-120b-1:0": "/openai/v1/chat/completions",
    "vertex:claude-sonnet-4-5@20250929": f"{VERTEX}/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
    "vertex:gpt-6.1-sol": f"{VERTEX}/publishers/openai/v1/responses",
    "vertex:google/gemini-3.8-flash": f"{VERTEX}/endpoints/openapi/chat/completions",
}
ONE_EACH = (
    "azure:my-gpt",
    f"bedrock:{CLAUDE}",
    f"bedrock:{QWEN}",
    "vertex:claude-sonnet-5-5",
    "vertex:google/gemini-3",
)
TOOL = Tool("py", "Run it.", {"type": "object", "properties": {"code": {"type": "string"}}})
ASK = Request("worker", "Be brief.", (UserTurn("hello there"),))


def at(name: str, cloud: CloudService, **changes: Any) -> Endpoint:
    """The endpoint of a model's cloud, served by that service."""
    vendor = name.split(":")[0]
    base_url = cloud.url + ("/v1" if vendor == "vertex" else "")
    return replace(ENDPOINTS[vendor], base_url=base_url, **changes)


@pytest.fixture
def ask(cloud: CloudService) -> Iterator[Any]:
    opened: list[Any] = []

    def put(name: str, request: Request = ASK, **changes: Any) -> Any:
        opened.append(connect(name, at(name, cloud, **changes), deadline_s=10))
        return opened[-1].complete(request)

    yield put
    for model in opened:
        model.close()


@pytest.mark.parametrize("name", PATHS)
def test_each_model_is_asked_where_its_cloud_serves_it(name: str, cloud: CloudService, ask: Any) -> None:
    reply = ask(name)
    assert reply.text == "fine" and (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)
    assert reply.usage.usd is None, "a server on the loopback is not the cloud's own"
    (seen,) = cloud.seen
    assert seen.path == PATHS[name] and seen.method == "POST"
    model = name.partition(":")[2]
    if "/invoke" in seen.path or "rawPredict" in seen.path:
        assert "model" not in seen.json and seen.json["anthropic_version"] and seen.json["system"] == "Be brief."
    else:
        assert seen.json["model"] == model
        assert "max_tokens" not in seen.json, "clouds know the newer name of the limit"


def test_an_older_version_of_azures_api_knows_chat_only(cloud: CloudService, ask: Any) -> None:
    for version in ("2024-10-21", "2025-02-01-preview"):
        ask("azure:my-gpt", access=AzureAccess(version))
        assert cloud.seen[-1].path == f"/openai/deployments/my-gpt/chat/completions?api-version={version}"
    assert wire_format("any", replace(ENDPOINTS["azure"], access=AzureAccess("2025-03-01-preview"))) == "responses"


def test_azures_api_without_dates_has_a_path_of_its_own(cloud: CloudService, ask: Any) -> None:
    for version in ("v1", "preview"):
        ask("azure:my-gpt", access=AzureAccess(version))
        assert cloud.seen[-1].path == f"/openai/v1/responses?api-version={version}"
        assert cloud.seen[-1].headers["api-key"] == CANARY and cloud.seen[-1].json["model"] == "my-gpt"
    for pasted in ("/", "/openai", "/openai/v1/"):
        model = connect("azure:my-gpt", replace(ENDPOINTS["azure"], base_url=cloud.url + pasted))
        model.complete(ASK)
        model.close()  # type: ignore[attr-defined]
        assert cloud.seen[-1].path == PATHS["azure:my-gpt"]


def test_a_region_is_a_name_and_no_address() -> None:
    for name in ("eu-west-1.evil.example/", "evil.example#", "EU-WEST-1", "eu west 1"):
        with pytest.raises(ConfigError, match="AWS_REGION is not a name"):
            connect(f"bedrock:{CLAUDE}", Endpoint("bedrock", CANARY, access=AwsAccess(name)))
    for project, location in (("p", "eu.evil/"), ("../p", "eu"), ("p", "eu west"), ("..", "eu")):
        with pytest.raises(ConfigError, match=r"GOOGLE_CLOUD_(PROJECT|LOCATION) is not a name"):
            connect("vertex:claude-x", Endpoint("vertex", access=GoogleAccess(project, location, CANARY)))


def test_azure_takes_a_key_or_a_token(cloud: CloudService, ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "from-the-environment")
    ask("azure:my-gpt")
    assert cloud.seen[-1].headers["api-key"] == CANARY and "authorization" not in cloud.seen[-1].headers
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "from-the-environment")
    ask("azure:my-gpt", api_key=None, access=AzureAccess("2025-04-01-preview", "entra-token"))
    assert cloud.seen[-1].headers["authorization"] == "Bearer entra-token" and "api-key" not in cloud.seen[-1].headers


@pytest.mark.parametrize("model", [CLAUDE, GPT, QWEN])
def test_bedrock_requests_are_signed(
    model: str, cloud: CloudService, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION"):
        monkeypatch.setenv(name, "from-the-environment")
    ask(f"bedrock:{model}", headers=(("X-Team", "research"),))
    (seen,) = cloud.seen
    scope = r"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\d{8}/eu-central-1/bedrock/aws4_request, "
    said = re.match(scope + r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$", seen.headers["authorization"])
    assert said is not None and {"host", "x-amz-date", "x-team"} <= set(said[1].split(";"))
    assert said[2] == signature_of(seen, SECRET) != signature_of(replace(seen, body=seen.body + b" "), SECRET)
    assert seen.headers["x-amz-security-token"] == AWS.session_token and seen.headers["x-team"] == "research"
    assert "from-the-environment" not in str(seen) and SECRET not in str(seen)


@pytest.mark.parametrize("model", [CLAUDE, QWEN])
def test_a_key_of_bedrock_stands_in_for_a_signature(model: str, cloud: CloudService, ask: Any) -> None:
    ask(f"bedrock:{model}", api_key=CANARY, access=AwsAccess("eu-central-1"))
    assert cloud.seen[-1].headers["authorization"] == f"Bearer {CANARY}"
    assert "x-amz-date" not in cloud.seen[-1].headers


def test_a_profile_of_amazons_files_says_who_asks_and_where(
    cloud: CloudService, ask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text("[profile work]\nregion = ap-south-1\n[profile bare]\noutput = json\n")
    (tmp_path / "keys").write_text(f"[work]\naws_access_key_id = AKIDWORK\naws_secret_access_key = {SECRET}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "keys"))
    for model in (CLAUDE, QWEN):
        ask(f"bedrock:{model}", access=AwsAccess(profile="work"))
        assert "Credential=AKIDWORK/" in cloud.seen[-1].headers["authorization"]
        assert "/ap-south-1/bedrock/" in cloud.seen[-1].headers["authorization"]
    with pytest.raises(ConfigError, match="profile bare names no region") as caught:
        connect(f"bedrock:{CLAUDE}", Endpoint("bedrock", access=AwsAccess(profile="bare")))
    assert "AWS_REGION" in caught.value.hint
    with pytest.raises(ConfigError, match="none-such") as caught:
        connect(f"bedrock:{CLAUDE}", Endpoint("bedrock", access=AwsAccess(profile="none-such")))
    assert "AWS_PROFILE" in caught.value.hint


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "gpt-6.1-sol", "google/gemini-3.8-flash"])
def test_vertex_is_shown_a_token(
    model: str, cloud: CloudService, ask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "from-the-environment")
    ask(f"vertex:{model}")
    assert cloud.seen[-1].headers["authorization"] == f"Bearer {GOOGLE.token}"
    assert "from-the-environment" not in str(cloud.seen)

    file = tmp_path / "account.json"
    file.write_text(json.dumps(service_account(f"{cloud.url}/token")))
    access = GoogleAccess("my-project", "europe-west1", credentials=file)
    model_there = connect(f"vertex:{model}", at("vertex:", cloud, access=access))
    for _ in range(2):
        assert model_there.complete(ASK).text == "fine"
    model_there.close()  # type: ignore[attr-defined]
    token_request, *requests = cloud.seen[1:]
    assert token_request.path == "/token" and b"grant_type=urn%3Aietf%3Aparams%3Aoauth" in token_request.body
    assert [seen.headers["authorization"] for seen in requests] == ["Bearer ya29.from-the-account"] * 2


@pytest.mark.parametrize(
    ("name", "access", "told"),
    [
        (f"bedrock:{CLAUDE}", AwsAccess("eu-central-1"), "AWS_ACCESS_KEY_ID"),
        (f"bedrock:{QWEN}", AwsAccess("eu-central-1"), "AWS_ACCESS_KEY_ID"),
        ("vertex:claude-sonnet-5-5", GoogleAccess("p", "eu"), "gcloud auth application-default login"),
        ("vertex:google/gemini-3", GoogleAccess("p", "eu"), "gcloud auth application-default login"),
    ],
)
def test_without_credentials_one_line_says_how_to_get_some(
    name: str, access: Any, told: str, cloud: CloudService, ask: Any
) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(name, access=access)
    assert caught.value.code == "credentials" and not caught.value.retryable and told in caught.value.hint
    assert "\n" not in caught.value.message + caught.value.hint and cloud.seen == []
    assert caught.value.__cause__ is None and caught.value.__context__ is None


@pytest.mark.parametrize(
    ("endpoint", "told"),
    [
        (Endpoint("azure", access=AzureAccess()), "ENDPOINT, AZURE_OPENAI_API_VERSION and AZURE_OPENAI_API_KEY are"),
        (replace(ENDPOINTS["azure"], base_url="https://x.openai.azure.com", api_key=None), "AZURE_OPENAI_API_KEY is"),
        (Endpoint("azure", CANARY, "https://x.openai.azure.com", access=AzureAccess()), "AZURE_OPENAI_API_VERSION is"),
        (Endpoint("bedrock", access=AwsAccess()), "AWS_REGION is"),
        (Endpoint("bedrock", access=AwsAccess("eu-west-1", access_key="A")), "AWS_SECRET_ACCESS_KEY is"),
        (Endpoint("vertex", access=GoogleAccess()), "GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION are"),
        (Endpoint("vertex", access=GoogleAccess("p")), "GOOGLE_CLOUD_LOCATION is"),
    ],
)
def test_what_is_missing_is_named_before_anything_is_sent(endpoint: Endpoint, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connect(f"{endpoint.vendor}:m", endpoint)
    assert f"{told} missing" in caught.value.message and caught.value.hint.startswith("set ")
    assert CANARY not in str(caught.value) + repr(endpoint)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ralph_cli.providers.endpoint.find_spec", lambda name: None)
    for vendor in ("bedrock", "vertex"):
        access = AwsAccess("eu-west-1") if vendor == "bedrock" else GoogleAccess("p", "eu")
        with pytest.raises(ConfigError, match=rf"the extra ralph-cli\[{vendor}\] is missing") as caught:
            connect(f"{vendor}:claude-x", Endpoint(vendor, access=access))
        assert caught.value.hint.startswith("install it")
    assert Endpoint("bedrock", "key", access=AwsAccess("eu-west-1")).missing == (), "a key signs nothing"


def test_a_file_of_credentials_that_is_not_there_is_named(cloud: CloudService, ask: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no file .*gone\.json"):
        ask("vertex:claude-x", access=GoogleAccess("p", "eu", credentials=tmp_path / "gone.json"))
    (tmp_path / "odd.json").write_text('{"type": "nothing known"}')
    with pytest.raises(ProviderError) as caught:
        ask("vertex:claude-x", access=GoogleAccess("p", "eu", credentials=tmp_path / "odd.json"))
    assert caught.value.code == "credentials"


AMAZON = {"x-amzn-errortype": "ThrottlingException:http://internal.amazon.com/"}
REFUSALS = [
    (401, {"error": {"code": "401", "message": f"Access denied: {CANARY}"}}, {}, "auth"),
    (404, {"error": {"code": "DeploymentNotFound", "message": "The deployment does not exist."}}, {}, "not-found"),
    (400, {"error": {"code": "content_filter", "message": "filtered"}}, {}, "refusal"),
    (429, {"message": "Too many requests"}, AMAZON, "rate-limit"),
    (400, {"message": "Too many requests"}, AMAZON, "rate-limit"),
    (400, {"message": "Input is too long for requested model."}, {}, "too-long"),
    (403, {"message": "The security token is invalid"}, {"x-amzn-errortype": "UnrecognizedClientException"}, "auth"),
    (403, {"message": "no access to the model"}, {"x-amzn-errortype": "AccessDeniedException"}, "permission"),
    (403, [{"error": {"code": 403, "message": "denied", "status": "PERMISSION_DENIED"}}], {}, "permission"),
    (429, [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}], {"retry-after": "7"}, "rate-limit"),
    (503, {"message": "busy"}, {"x-amzn-errortype": "ServiceUnavailableException"}, "server"),
    (307, {}, {"location": "http://127.0.0.1:9/elsewhere"}, "not-found"),
]  # fmt: skip


@pytest.mark.parametrize("name", ONE_EACH)
def test_what_a_cloud_refuses_is_said_in_one_line_and_asked_once(name: str, cloud: CloudService, ask: Any) -> None:
    for number, (status, body, headers, code) in enumerate(REFUSALS, 1):
        cloud.refusal = status, body, headers
        with pytest.raises(ProviderError) as caught:
            ask(name)
        assert caught.value.code == code, (status, body, caught.value.message)
        assert CANARY not in caught.value.message and "\n" not in caught.value.message
        assert caught.value.retry_after == (7 if "retry-after" in headers else None)
        assert len(cloud.seen) == number, "nothing is sent twice, and no redirect is followed"


@pytest.mark.parametrize("name", [f"bedrock:{CLAUDE}", "vertex:claude-sonnet-5-5"])
def test_a_cloud_has_the_marks_of_the_cache_on_blocks(name: str, cloud: CloudService, ask: Any) -> None:
    said = ModelTurn("", (ToolCall("a", "py", {"code": "1"}),))
    turns = (UserTurn("The document.\nThe question?"), said, ToolTurn((("a", "1", False),)))
    ask(name, Request("worker", "Be brief.", turns, (TOOL,), cache=True, shared=14))
    body = cloud.seen[-1].json
    assert "cache_control" not in body, "clouds refuse it there"
    blocks = [block for sent in body["messages"] for block in sent["content"]]
    marked = [block.get("text") or block["type"] for block in blocks if "cache_control" in block]
    assert marked == ["The document.\n", "tool_result"]


@pytest.mark.parametrize("name", ONE_EACH)
def test_a_structured_reply_and_calls_come_back_from_a_cloud(name: str, cloud: CloudService, ask: Any) -> None:
    schema = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    ask(name, replace(ASK, output_schema=schema))
    assert '"answer"' in json.dumps(cloud.seen[-1].json) and "json_schema" in json.dumps(cloud.seen[-1].json)
    if "claude" not in name:
        return
    cloud.said = lambda seen: message(stop_reason="tool_use", content=[tool_use({"code": "1"}, "a")])
    reply = ask(name, replace(ASK, tools=(TOOL,)))
    assert reply.stop is StopReason.TOOL and reply.calls == (ToolCall("a", "py", {"code": "1"}),)
    ask(name, replace(ASK, turns=(UserTurn("hi"), reply.turn, ToolTurn((("a", "2", False),))), tools=(TOOL,)))
    assert cloud.seen[-1].json["messages"][1]["content"] == [tool_use({"code": "1"}, "a")]


@pytest.mark.parametrize(
    ("vendor", "model", "dearer"),
    [
        ("bedrock", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "global.anthropic.claude-sonnet-4-5-20250929-v1:0"),
        ("bedrock", "anthropic.claude-sonnet-5-5", "global.anthropic.claude-sonnet-5-5"),
        ("bedrock", "us.openai.gpt-6.1-sol", "global.openai.gpt-6.1-sol"),
        ("vertex", "claude-sonnet-4-5@20250929", "claude-haiku-5-5"),
        ("vertex", "google/gemini-3.8-flash", "google/gemini-3.5-flash-lite"),
        ("azure", "gpt-6.1-sol", "gpt-6-luna"),
    ],
)
def test_prices_are_known_by_the_names_of_the_clouds(vendor: str, model: str, dearer: str) -> None:
    usage = Usage(1, 1_000, 1_000)
    ours, other = price(vendor, model, usage), price(vendor, dearer, usage)
    assert ours is not None and other is not None and ours > other > 0


def test_a_price_is_unknown_where_the_name_or_the_address_is_ones_own() -> None:
    assert price("azure", "our-deployment", Usage(1, 9, 9)) is None
    assert price("bedrock", CLAUDE, Usage(1, 9, 9), "https://bedrock.proxy.example") is None
    assert price("bedrock", CLAUDE, Usage(1, 9, 9), "https://bedrock-runtime.eu-west-1.amazonaws.com") is not None
    assert price("lab", "claude-sonnet-5-5", Usage(1, 9, 9), "https://lab.example/v1") is None


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("anthropic:claude-x", "anthropic"),
        (f"bedrock:{CLAUDE}", "anthropic"),
        ("vertex:claude-sonnet-4-5@20250929", "anthropic"),
        ("bedrock:us.openai.gpt-oss-120b-1:0", "openai"),
        ("azure:gpt-6.1-sol", "openai"),
        ("azure:our-deployment", "openai"),
        ("azure:mistral-large", "mistral"),
        ("lab:qwen3:32b", "alibaba"),
        ("bedrock:qwen.qwen3-32b-v1:0", "alibaba"),
        ("lab:meta-llama/Llama-4", "meta"),
        ("vertex:meta/llama-4-maas", "meta"),
        ("vertex:google/gemini-3", "google"),
        ("openai:o4-mini", "openai"),
        ("lab:our-own", "lab"),
        ("offline:extractive", "offline"),
        ("scripted:claude.json", "scripted"),
    ],
)
def test_the_family_of_a_model_is_who_made_it(name: str, family: str) -> None:
    assert model_family(name) == family


def test_who_asks_has_a_turn_of_its_own() -> None:
    """What a service counts together is one account: the governor of a program and the turns of a table's workers."""
    endpoints = [
        *ENDPOINTS.values(),
        replace(ENDPOINTS["bedrock"], access=replace(AWS, region="us-east-1")),
        replace(ENDPOINTS["vertex"], access=replace(GOOGLE, project="another")),
        replace(ENDPOINTS["azure"], api_key="another"),
        Endpoint("lab", None, "http://lab:8000/v1"),
        Endpoint("lab", None, "http://lab:9000/v1"),
    ]
    assert len({endpoint.account for endpoint in endpoints}) == len(endpoints)
    renewed = replace(ENDPOINTS["bedrock"], access=replace(AWS, session_token="renewed"))
    assert renewed.account == ENDPOINTS["bedrock"].account


def test_nothing_of_a_cloud_is_imported_before_it_is_used() -> None:
    code = (
        "import sys; from ralph_cli.config import load_settings; from ralph_cli.providers import registry\n"
        "from ralph_cli.wiring.models import choose_models\n"
        "settings = load_settings({'model': 'bedrock:anthropic.claude-x'}, environ={'AWS_REGION': 'eu-west-1'})\n"
        "print(choose_models(settings).worker)\n"
        "registry.connect('anthropic:claude-x', registry.Endpoint('anthropic', 'k')).close()\n"
        "clouds = ('boto3', 'botocore', 'google.auth', 'requests', 'openai', 'anthropic')\n"
        "print([module for module in clouds if module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n")[:2] == ["bedrock:anthropic.claude-x", "[]"] and done.stderr == ""
