"""Servers with a name each, and which models are chosen where clouds and servers serve them."""

import re
from pathlib import Path
from typing import Any

import pytest
from cloud_services import CloudService
from fault_server import CANARY

from ralph_cli.config import PLACES, Settings, complete_settings, load_settings
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import RunStarted
from ralph_cli.core.model import Request, UserTurn
from ralph_cli.journal.redact import PRIVATE_SETTINGS
from ralph_cli.providers.registry import connect, wire_format
from ralph_cli.providers.vendors.faults import Target
from ralph_cli.runs.resuming.record_fields import resumed_settings
from ralph_cli.wiring.models import choose_models
from ralph_cli.wiring.probing import models_to_probe, probe

LAB = """
model = "lab:qwen3:32b"
[providers.lab]
base_url = "{url}/v1"
key_variable = "LAB_API_KEY"
headers = {{ "X-Team" = "research", "X-Gate" = "$GATE_TOKEN" }}
[providers.claude-gate]
base_url = "{url}"
api = "messages"
[providers.openai]
headers = {{ "X-Gate" = "$GATE_TOKEN" }}
"""
HELD = {"LAB_API_KEY": CANARY, "GATE_TOKEN": f"gate-{CANARY}"}
AZURE = {
    "AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com",
    "AZURE_OPENAI_API_VERSION": "2025-04-01-preview",
    "AZURE_OPENAI_API_KEY": CANARY,
}
BOTH = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}


def load(folder: Path, toml: str = "", environ: dict[str, str] | None = None, **flags: Any) -> Settings:
    (folder / "ralph.toml").write_text(toml)
    return load_settings(flags, environ=environ or {}, folder=folder)


def test_servers_are_asked_beside_openai_each_with_its_own_key_and_headers(tmp_path: Path, cloud: CloudService) -> None:
    settings = load(
        tmp_path, LAB.format(url=cloud.url), HELD | {"OPENAI_API_KEY": "sk-o", "OPENAI_BASE_URL": cloud.url}
    )
    for name in ("lab:qwen3:32b", "claude-gate:claude-x", "openai:gpt-x"):
        model: Any = connect(name, settings.endpoint(name.partition(":")[0]))
        assert model.name == name and model.complete(Request("worker", "", (UserTurn("hi"),))).text == "fine"
        model.close()
    lab, gate, openai = cloud.seen
    assert (lab.path, lab.json["model"]) == ("/v1/chat/completions", "qwen3:32b") and "max_tokens" in lab.json
    assert lab.headers["authorization"] == f"Bearer {CANARY}"
    assert (lab.headers["x-team"], lab.headers["x-gate"]) == ("research", HELD["GATE_TOKEN"])
    assert gate.path == "/v1/messages" and CANARY not in str(gate.headers)
    assert (openai.headers["authorization"], openai.headers["x-gate"]) == ("Bearer sk-o", HELD["GATE_TOKEN"])
    assert "x-team" not in openai.headers


def test_a_cloud_is_told_how_models_are_spoken_to_whose_names_do_not_tell(tmp_path: Path) -> None:
    """A profile of inference may be of any model, and not every deployment of Azure knows the newest API."""
    sections = '[providers.bedrock]\napi = "messages"\n[providers.azure]\napi = "chat"\n'
    for toml, profile, deployment in ((sections, "messages", "chat"), ("", "chat", "responses")):
        settings = load(tmp_path, toml, AZURE | {"AWS_REGION": "eu-west-1"})
        arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2"
        assert wire_format(arn, settings.endpoint("bedrock")) == profile
        assert wire_format("ours", settings.endpoint("azure")) == deployment


def test_what_variables_hold_is_in_nothing_that_is_shown(tmp_path: Path) -> None:
    settings = load(tmp_path, LAB.format(url="https://lab.example"), HELD)
    shown = (repr(settings), str(settings.shown()), settings.model_dump_json(), repr(settings.endpoint("lab")))
    assert not [text for text in shown if CANARY in text]
    assert settings.shown()["providers"] == {"lab": "https://lab.example/v1", "claude-gate": "https://lab.example"}
    assert set(settings.endpoint("lab").secrets) >= set(HELD.values())


def test_settings_made_in_python_look_their_variables_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAB_API_KEY", CANARY)
    lab = {"base_url": "http://lab:8000/v1", "key_variable": "LAB_API_KEY"}
    assert complete_settings(Settings(providers={"lab": lab})).endpoint("lab").api_key == CANARY


def test_what_is_wrong_with_a_section_is_one_line_and_never_shows_a_key(tmp_path: Path) -> None:
    server = '[providers.lab]\nbase_url = "http://lab:1/v1"\n'
    for toml, code, told in (
        (f'{server}api_key = "{CANARY}"', "key-in-file", r"must not hold a key \(\[providers.lab\] api_key\)"),
        (f'{server}key_variable = "{CANARY}"', "bad-setting", "key_variable of .* the name of a variable in capitals"),
        (f'{server}base_ulr = "{CANARY}"', "unknown-setting", "unknown setting: base_ulr of"),
        (f'{server}api = "{CANARY}"', "bad-setting", "api of .* it must be 'messages', 'responses' or 'chat'"),
        (f'{server}headers = {{ Authorization = "{CANARY}" }}', "bad-setting", "the header Authorization is not set"),
        (f'{server}headers = {{ "x\\ny" = "{CANARY}" }}', "bad-setting", "characters that cannot be sent"),
        (f'{server}key_variable = "AWS_SECRET_ACCESS_KEY"', "key-of-another", "holds the key of another service"),
        ("[providers.lab]\nheaders = {}", "bad-setting", "has no base_url"),
        ('[providers.azure]\nbase_url = "http://x"', "bad-setting", "a vendor's name; only api and headers can be set"),
        ('[providers.azure]\napi = "messages"', "bad-setting", "api is responses or chat"),
        ('[providers.openai]\napi = "chat"', "bad-setting", "only headers can be set there"),
        ("[providers.offline]\nheaders = {}", "bad-setting", "is a vendor's name"),
        ('[providers."a b"]\nbase_url = "http://x"', "bad-setting", "a name has small letters"),
        ('[providers]\nlab = "http://x"', "bad-setting", "it must be a table"),
        ("[server.lab]\nx = 1", "bad-settings-file", "has a section"),
    ):
        with pytest.raises(ConfigError, match=told) as caught:
            load(tmp_path, toml)
        line = caught.value.message + caught.value.hint
        assert caught.value.code == code and CANARY not in line and "\n" not in line


def test_what_a_server_lacks_is_said_before_anything_is_sent(tmp_path: Path) -> None:
    toml = LAB.format(url="https://lab.example")
    for environ, told in (
        ({}, "LAB_API_KEY and GATE_TOKEN are missing"),
        ({"LAB_API_KEY": "k"}, "GATE_TOKEN is missing"),
    ):
        with pytest.raises(ConfigError, match=f"lab:qwen3:32b cannot be asked: {told}"):
            choose_models(load(tmp_path, toml, environ))
    with pytest.raises(ConfigError, match="'lob:qwen3' is no model") as caught:
        choose_models(load(tmp_path, toml, HELD, model="lob:qwen3"))
    assert "lab" in caught.value.hint and "[providers.NAME]" in caught.value.hint
    plain = '[providers.lab]\nbase_url = "http://lab.example/v1"'
    with pytest.raises(ConfigError, match=r"key of lab would be sent to lab.example unencrypted") as caught:
        choose_models(load(tmp_path, plain, model="lab:qwen3"))
    assert "[providers.lab]" in caught.value.hint
    odd = HELD | {"GATE_TOKEN": "a\nb"}
    with pytest.raises(ConfigError, match="the header X-Gate of lab has invalid characters"):
        choose_models(load(tmp_path, toml, odd))


def test_a_cloud_or_server_does_the_work_of_all_roles_that_nobody_named(tmp_path: Path) -> None:
    lab = LAB.format(url="https://lab.example")
    alone = choose_models(load(tmp_path, lab, HELD))
    assert {alone.worker, alone.judge, alone.subquery} == {"lab:qwen3:32b"}
    assert [notice.code for notice in alone.notices] == ["one-family"]
    assert choose_models(load(tmp_path, lab, HELD | BOTH)).judge.startswith("openai:gpt")
    beside = choose_models(load(tmp_path, lab, HELD, judge_model="claude-gate:claude-x", verify_with_model="true"))
    assert beside.verifier == "claude-gate:claude-x" and not beside.notices

    azure = choose_models(load(tmp_path, "", AZURE | BOTH, model="azure:ours"))
    assert azure.judge.startswith("anthropic:claude") and azure.subquery == "azure:ours" and not azure.notices
    bedrock = {"AWS_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s"}
    named = choose_models(load(tmp_path, "", bedrock | BOTH, model="bedrock:eu.anthropic.claude-x"))
    assert named.judge.startswith("openai:gpt") and not named.notices


@pytest.mark.parametrize(
    ("worker", "judge", "is_one"),
    [
        ("azure:gpt-6.1-sol", "openai:gpt-x", True),
        ("bedrock:eu.anthropic.claude-x-v1:0", "anthropic:claude-y", True),
        ("bedrock:qwen.qwen3-32b-v1:0", "lab:Qwen/Qwen3-4B", True),
        ("bedrock:anthropic.claude-x", "bedrock:qwen.qwen3-32b-v1:0", False),
        ("azure:gpt-6.1-sol", "bedrock:anthropic.claude-x", False),
        ("lab:llama4", "lab:qwen3", False),
    ],
)
def test_one_family_is_known_across_services(worker: str, judge: str, is_one: bool, tmp_path: Path) -> None:
    environ = AZURE | BOTH | HELD | {"AWS_REGION": "eu-west-1"}
    names = choose_models(load(tmp_path, LAB.format(url="https://x"), environ, model=worker, judge_model=judge))
    assert ("one-family" in [notice.code for notice in names.notices]) is is_one


def test_clouds_are_never_chosen_by_themselves_but_named(tmp_path: Path) -> None:
    names = choose_models(load(tmp_path, "", AZURE))
    assert names.worker == "offline:extractive"
    assert "name a model of azure, such as --model azure:NAME" in names.notices[0].message


def test_a_record_never_chooses_where_a_model_is_asked(tmp_path: Path) -> None:
    """Every setting that says where is that of now; a name that only the record knows is no server."""
    current = load(tmp_path, LAB.format(url="https://lab.example"), HELD | AZURE)
    places = {name: f"https://evil.example/{name}" for name in PLACES} | {"providers": {"lab": "https://evil.example"}}
    started = RunStarted("r", "qa", "q", {}, {**places, "models": {"worker": "lab:qwen3", "judge": "azure:g"}}, "now")
    chosen, _ = resumed_settings(started, current, {}, accept=True)
    for vendor in ("lab", "azure", "anthropic", "openai", "bedrock", "vertex"):
        assert chosen.endpoint(vendor) == current.endpoint(vendor)
    assert choose_models(chosen).worker == "lab:qwen3"
    with pytest.raises(ConfigError, match="'lab:qwen3' is no model of a known vendor"):
        choose_models(resumed_settings(started, load(tmp_path), {})[0])


def test_a_bundle_names_no_place(tmp_path: Path) -> None:
    open_ones = {"openai_api", "azure_api_version", "aws_region", "google_location"}
    assert set(PRIVATE_SETTINGS) >= PLACES - open_ones


def test_each_service_that_is_configured_is_asked_once_and_says_what_it_cost(
    tmp_path: Path, cloud: CloudService
) -> None:
    toml = 'prices = ["lab:qwen3:32b=100/1000"]\n' + LAB.format(url=cloud.url)
    settings = load(tmp_path, toml, HELD | {"ANTHROPIC_API_KEY": "a"} | AZURE)
    asked = models_to_probe(settings, ("azure:ours",))
    assert asked["lab"] == ("lab:qwen3:32b",) and asked["azure"] == ("azure:ours",) and asked["claude-gate"] == ()
    assert re.match("anthropic:claude-haiku", asked["anthropic"][0]) and not asked.keys() & {
        "openai",
        "vertex",
        "bedrock",
    }
    found = probe(settings, "lab:qwen3:32b")
    assert found.served_as == "lab:m-served" and len(cloud.seen) == 1
    assert found.usage.usd == pytest.approx((11 * 100 + 7 * 1000) / 1e6)


def test_a_header_that_is_written_out_is_cut_out_of_what_a_server_says_and_is_shown_nowhere(tmp_path: Path) -> None:
    lab = '[providers.lab]\nbase_url = "https://lab.example/v1"\n'
    settings = load(tmp_path, f'{lab}headers = {{ "X-Gate" = "pa55word-of-the-gate", "X-Version" = "2" }}')
    endpoint = settings.endpoint("lab")
    assert "pa55word" not in f"{settings!r} {endpoint!r} {settings.shown()}"
    told = Target("lab", "m", "https://lab.example/v1", endpoint.secrets).fault(
        "server", "HTTP 502 pa55word-of-the-gate"
    )
    assert "(HTTP 502 [key])" in told.message
