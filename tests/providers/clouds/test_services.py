"""What `ralph models` and `ralph doctor --live` say of each service."""

from pathlib import Path

import pytest
from cloud_services import CloudService
from fault_server import CANARY

from ralph_cli.commands.app import run
from ralph_cli.commands.machine.services import ask_services, check_services
from ralph_cli.config import Settings, load_settings

GATE = "http://me:word@proxy.example:3128"


@pytest.fixture
def environ(cloud: CloudService) -> dict[str, str]:
    """Everything is configured, but Vertex."""
    lab = f'lab = {{ base_url = "{cloud.url}/v1", key_variable = "LAB_API_KEY" }}'
    return {
        "ANTHROPIC_API_KEY": CANARY,
        "ANTHROPIC_BASE_URL": cloud.url,
        "AZURE_OPENAI_ENDPOINT": cloud.url,
        "AZURE_OPENAI_API_VERSION": "2024-10-21",
        "AZURE_OPENAI_API_KEY": CANARY,
        "AWS_REGION": "eu-central-1",
        "AWS_PROFILE": "work",
        "GOOGLE_CLOUD_PROJECT": "my-project",
        "RALPH_PROVIDERS": lab,
        "LAB_API_KEY": CANARY,
        "RALPH_MODEL": "lab:qwen3",
        "RALPH_PRICES": "lab:qwen3=100/1000",
        "HTTPS_PROXY": GATE,
        "NO_PROXY": "10.0.0.0/8",
    }


@pytest.fixture
def settings(environ: dict[str, str], tmp_path: Path) -> Settings:
    return load_settings({}, environ=environ, folder=tmp_path)


def test_models_lists_every_service_and_what_it_lacks(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GOOGLE_CLOUD_LOCATION", "CLOUD_ML_REGION"):
        monkeypatch.delenv(name, raising=False)
    assert run(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    said = {line.partition(":")[0]: line for line in lines if not line.startswith(" ")}
    assert said["openai"] == "openai: OPENAI_API_KEY is not set"
    assert said["azure"].startswith("azure: AZURE_OPENAI_API_KEY is set; served at http://127.0.0.1")
    assert said["azure"].endswith("api version 2024-10-21")
    assert said["bedrock"] == "bedrock: Amazon's credentials of the profile work; region eu-central-1"
    assert said["vertex"] == "vertex: not configured; missing: GOOGLE_CLOUD_LOCATION"
    assert said["lab"].startswith("lab: LAB_API_KEY is set; served at")
    (lab,) = [line for line in lines if line.startswith("  lab:qwen3 ")]
    assert "$100 in, $1000 out" in lab and "named in the settings" in lab
    assert CANARY not in "\n".join(lines)


def test_doctor_says_what_is_wrong_and_how_others_are_reached(settings: Settings, cloud: CloudService) -> None:
    found = {what: (good, seen) for good, what, seen in check_services(settings)}
    assert (found["lab"][0], found["vertex"][0], found["openai"][0]) == (True, None, None)
    assert (
        found["network"][1]
        == "https through the proxy proxy.example:3128, but for 10.0.0.0/8; certificates of this machine"
    )
    assert "worker lab:qwen3" in found["models"][1] and cloud.seen == []
    wrong = settings.model_copy(update={"azure_endpoint": "http://models.example", "ca_file": "/ca.pem", "proxy": None})
    found = {what: (good, seen) for good, what, seen in check_services(wrong)}
    assert found["azure"][0] is False and "unencrypted" in found["azure"][1]
    assert found["network"][1] == "no proxy; certificates of /ca.pem"
    assert CANARY not in str(found)


def test_doctor_live_asks_each_service_once_and_says_the_cost(settings: Settings, cloud: CloudService) -> None:
    found = {what: (good, seen) for good, what, seen in ask_services(settings, ("azure:ours",))}
    assert found.keys() == {"anthropic:claude-haiku-5-5", "azure:ours", "bedrock", "lab:qwen3"}
    assert [seen.path.partition("?")[0] for seen in cloud.seen] == [
        "/v1/messages",
        "/openai/deployments/ours/chat/completions",
        "/v1/chat/completions",
    ]
    assert found["bedrock"] == (
        None,
        "not asked: name a model with ralph doctor --live --model bedrock:NAME",
    )
    assert found["azure:ours"][0] is True and "18 tokens, price unknown" in found["azure:ours"][1]
    assert "answers as lab:m-served" in found["lab:qwen3"][1] and found["lab:qwen3"][1].endswith("18 tokens, $0.008100")
    cloud.refusal = 401, {"error": {"message": f"no: {CANARY}"}}, {}
    found = {what: (good, seen) for good, what, seen in ask_services(settings, ("azure:ours",))}
    assert found["lab:qwen3"][0] is False and "the API key was not accepted" in found["lab:qwen3"][1]
    assert CANARY not in str(found)


def test_a_model_is_named_to_doctor_with_live_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "--model", "azure:ours"]) == 1
    assert "--model needs --live" in capsys.readouterr().err
