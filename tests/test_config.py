"""Settings: who wins, what is refused, and that a key is never shown."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ralph_cli.checks.form import Range
from ralph_cli.checks.verifier import LLMVerifier
from ralph_cli.config import OPTIONS, SECRETS, Settings, complete_settings, load_settings
from ralph_cli.core.errors import ConfigError, describe_fault
from ralph_cli.providers.scripted import ScriptedModel
from ralph_cli.wiring.goal import drop_judge_notices
from ralph_cli.wiring.models import choose_models

ROWS = {
    "B4": [
        "test_a_setting_of_a_verifier_that_is_not_asked_is_said_to_do_nothing",
        "test_a_verifiers_model_without_the_setting_is_said_to_do_nothing",
    ]
}

KEYS = {"ANTHROPIC_API_KEY": "sk-a", "OPENAI_API_KEY": "sk-o"}


def test_flags_win_over_the_environment_over_the_file_over_the_defaults(tmp_path: Path) -> None:
    assert load_settings({}, environ={}, folder=tmp_path).max_iterations == 4
    (tmp_path / "ralph.toml").write_text("max_iterations = 5\nmax_steps = 9\n")
    assert load_settings({}, environ={}, folder=tmp_path).max_iterations == 5
    (tmp_path / ".env").write_text("RALPH_MAX_ITERS=6\nRALPH_OUT=there\n")
    assert load_settings({}, environ={}, folder=tmp_path).max_iterations == 6
    settings = load_settings({}, environ={"RALPH_MAX_ITERATIONS": "7", "RALPH_OUT": " "}, folder=tmp_path)
    assert settings.max_iterations == 7 and settings.out == Path("there") and settings.max_steps == 9
    assert (
        load_settings({"max_iterations": 8}, environ={"RALPH_MAX_ITERATIONS": "7"}, folder=tmp_path).max_iterations == 8
    )


@pytest.mark.parametrize(
    ("old", "new"), [("MAX_ITERS", "RALPH_MAX_ITERATIONS"), ("OUT_DIR", "RALPH_OUT"), ("GENERATE_MODEL", "RALPH_MODEL")]
)
def test_an_old_name_of_a_variable_is_read_and_the_new_one_named(tmp_path: Path, old: str, new: str) -> None:
    with pytest.warns(FutureWarning, match=f"{old} is an old name; set {new} instead"):
        settings = load_settings({}, environ={old: "7"}, folder=tmp_path)
    assert "7" in (str(settings.max_iterations), str(settings.out), settings.model)
    assert load_settings({}, environ={old: "7", new: "8", f"RALPH_{old}": "9"}, folder=tmp_path) == load_settings(
        {}, environ={f"RALPH_{old}": "8"}, folder=tmp_path
    )


def test_every_setting_has_a_variable(tmp_path: Path) -> None:
    settings = load_settings({}, environ={"RALPH_MAX_COST": "0.5", "RALPH_STRATEGY": "rlm"}, folder=tmp_path)
    assert settings.max_cost == 0.5 and settings.strategy == "rlm"
    assert all(option.environment for option in OPTIONS.values())
    assert not [name for name in SECRETS if any("RALPH" in variable for variable in OPTIONS[name].environment)]


def test_a_setting_that_is_misspelt_is_answered_with_the_nearest(tmp_path: Path) -> None:
    for wrong in ("max_iteration", "max-cost"):
        (tmp_path / "ralph.toml").write_text(f"{wrong} = 4")
        with pytest.raises(ConfigError) as caught:
            load_settings({}, environ={}, folder=tmp_path)
        assert caught.value.hint.startswith("did you mean max_")
    (tmp_path / "ralph.toml").write_text("colour = 4")
    with pytest.raises(ConfigError) as caught:
        load_settings({}, environ={}, folder=tmp_path)
    assert "--help" in caught.value.hint


def test_a_variable_that_sets_nothing_is_said_with_the_nearest(tmp_path: Path) -> None:
    for name, told in (("RALPH_MAX_COTS", "; did you mean RALPH_MAX_COST?"), ("RALPH_COLOUR", "")):
        (tmp_path / ".env").write_text(f"{name}=1\n")
        with pytest.warns(FutureWarning, match=re.escape(f"{name} is no setting and has no effect{told}")):
            load_settings({}, environ={"OTHER_MAX_COTS": "1"}, folder=tmp_path)


def test_a_line_that_sets_nothing_is_said_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("export RALPH_MAX_STEPS=9\nno such line!\nRALPH_OUT='a b'\n")
    with pytest.warns(FutureWarning, match=r"line 2 of \.env is left out: write NAME=VALUE"):
        settings = load_settings({}, environ={}, folder=tmp_path)
    assert settings.max_steps == 9 and settings.out == Path("a b")


def test_settings_that_are_completed_are_not_warned_of_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAX_ITERS", "7")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert complete_settings(Settings()).can_reach("openai")  # a warning would be an error here
    with pytest.warns(FutureWarning, match="old name"):
        complete_settings(None)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("ralph.toml", None, "ralph.toml is a folder"),
        ("ralph.toml", b'out = "a"\nmodel = "caf\xe9"', "ralph.toml is not UTF-8 (line 2): save it as UTF-8"),
        (".env", b"A=1\nB=caf\xe9", ".env is not UTF-8 (line 2)"),
        ("ralph.toml", b"out = there", "ralph.toml is not TOML: Invalid value (at line 1, column 7)"),
        ("ralph.toml", b"[ralph]\nmax_cost = 1", "ralph.toml has a section [ralph]"),
    ],
)
def test_a_settings_file_that_cannot_be_read_is_named_with_what_is_wrong(
    tmp_path: Path, name: str, content: bytes | None, told: str
) -> None:
    (tmp_path / name).mkdir() if content is None else (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        load_settings({}, environ={}, folder=tmp_path)
    assert told in caught.value.message and caught.value.hint
    assert "may not be read" in describe_fault(PermissionError(13, "Permission denied"))


def test_a_virtual_environment_may_be_called_env(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    assert load_settings({}, environ={}, folder=tmp_path) == load_settings({}, environ={}, folder=tmp_path / "none")


@pytest.mark.parametrize("name", ["anthropic_key", "anthropic_api_key", "OPENAI_API_KEY", "openai-apikey", "api_key"])
def test_a_key_in_the_file_is_refused_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    (tmp_path / "ralph.toml").write_text(f'{name} = "sk-x"')
    with pytest.raises(ConfigError, match=rf"must not hold a key \({name}\)") as caught:
        load_settings({}, environ={}, folder=tmp_path)
    assert "_API_KEY in the environment or in .env" in caught.value.hint


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_APIKEY"])
def test_both_spellings_of_a_key_are_read(tmp_path: Path, name: str) -> None:
    assert load_settings({}, environ={name: " sk-1 "}, folder=tmp_path).endpoint("anthropic").api_key == "sk-1"


@pytest.mark.parametrize(
    ("environ", "toml", "told"),
    [
        ({"RALPH_MAX_ITERS": "many"}, "", "RALPH_MAX_ITERS"),
        ({"RALPH_MAX_ITERATIONS": "0"}, "", "RALPH_MAX_ITERATIONS: it must be at least 1, not 0"),
        ({}, "max_iteration = 4", "unknown setting: max_iteration in ralph.toml"),
        ({"OPENAI_API_KEY": "sk 1"}, "", "spaces or control characters"),
        ({}, 'bullets = "7-3"', "the smaller number comes first: 3-7, not 7-3"),
        ({}, 'bullets = "0-3"', "such as 3-7, not '0-3'"),
        ({}, 'quote_chars = "1-9"', "quote_chars in ralph.toml: it must begin at 4 or more"),
        ({}, "out = 5", "out in ralph.toml: it must be a path, in quotes, not 5"),
        ({}, "model = 5", "model in ralph.toml: it must be a text, in quotes, not 5"),
        ({"RALPH_SANDBOX": "none"}, "", "RALPH_SANDBOX: it must be"),
    ],
)
def test_what_is_wrong_is_named_with_its_source(tmp_path: Path, environ: dict[str, str], toml: str, told: str) -> None:
    (tmp_path / "ralph.toml").write_text(toml)
    with pytest.raises(ConfigError) as caught:
        load_settings({}, environ=environ, folder=tmp_path)
    assert told in caught.value.message
    assert "sk-x" not in caught.value.message + caught.value.hint and "sk 1" not in caught.value.message


def test_ranges_and_counts() -> None:
    settings = load_settings({"bullets": "3-7", "quotes": "2"}, environ={})
    assert settings.bullets == Range(3, 7) and settings.quotes == Range(2, 2)


def test_one_number_for_the_length_of_a_quote_is_the_most(tmp_path: Path) -> None:
    def length(value: str) -> Range:
        return load_settings({"quote_chars": value}, environ={}, folder=tmp_path).quote_chars

    assert length("160") == Range(12, 160) and length(" 40-160 ") == Range(40, 160) and length("30-30") == Range(30, 30)
    shown = load_settings({"quote_chars": "30-30"}, environ={}, folder=tmp_path).shown()["quote_chars"]
    assert length(str(shown)) == Range(30, 30)
    with pytest.raises(ConfigError, match="at most 9 is below the least, 12; write both"):
        length("9")


def test_a_key_is_in_nothing_that_is_shown(tmp_path: Path) -> None:
    settings = load_settings({}, environ=KEYS, folder=tmp_path)
    for text in (repr(settings), str(settings.shown()), repr(settings.endpoint("openai")), settings.model_dump_json()):
        assert "sk-a" not in text and "sk-o" not in text


def test_models_follow_the_keys(tmp_path: Path) -> None:
    def chosen(environ: dict[str, str], **flags: str):  # type: ignore[no-untyped-def]
        return choose_models(load_settings(flags, environ=environ, folder=tmp_path))

    both = chosen(KEYS)
    assert both.worker.startswith("anthropic:claude") and both.judge.startswith("openai:gpt") and not both.notices
    assert both.subquery.startswith("anthropic:claude") and both.subquery != both.worker
    none = chosen({})
    assert {none.worker, none.judge, none.subquery} == {"offline:extractive"}
    assert "ANTHROPIC_API_KEY" in none.notices[0].message
    one = chosen({"OPENAI_API_KEY": "k"})
    assert (
        one.worker.startswith("openai:") and one.judge.startswith("openai:") and "one family" in one.notices[0].message
    )
    asked = chosen(KEYS, model="gpt-x", judge_model="claude-y", subquery_model="openai:z")
    assert (asked.worker, asked.judge, asked.subquery) == ("openai:gpt-x", "anthropic:claude-y", "openai:z")
    assert chosen(KEYS, model="offline").judge == "offline:extractive"
    local = chosen({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, model="llama3.2:3b")
    assert local.worker == "openai:llama3.2:3b"
    with pytest.raises(ConfigError, match="needs a key"):
        chosen({"OPENAI_API_KEY": "k"}, model="claude-x")
    own = chosen({**KEYS, "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}, model="llama3", panel="claude-x, o3, olmo")
    assert own.worker == "openai:llama3" and own.panel == ("anthropic:claude-x", "openai:o3", "openai:olmo")
    for flags in ({"model": "llama3"}, {"panel": "claude-x,llama3"}, {"judge_model": "foo:bar"}):
        with pytest.raises(ConfigError, match="is no model of a known vendor") as caught:
            chosen(KEYS, **flags)
        assert "write vendor:model" in caught.value.hint


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"verifier_model": "openai:z"}, "--verifier-model"),
        ({"skip_last_verification": True}, "--skip-last-verification"),
        ({"verifier_model": "openai:z", "skip_last_verification": True}, "--verifier-model and --skip-last"),
    ],
)
def test_a_setting_of_a_verifier_that_is_not_asked_is_said_to_do_nothing(
    tmp_path: Path, changes: dict[str, Any], named: str
) -> None:
    """B4: whoever names a verifier believes that it is asked; in ralph.toml it may stand for other runs."""
    (tmp_path / "ralph.toml").write_text("\n".join(f"{name} = {json.dumps(v)}" for name, v in changes.items()))
    settings = load_settings({}, environ=KEYS, folder=tmp_path)
    (notice,) = choose_models(settings).notices
    assert (
        notice.code == "unused-verifier"
        and notice.message.startswith("no verifier is asked")
        and named in notice.message
    )
    assert "--verify-with-model" in notice.message
    assert choose_models(settings.model_copy(update={"verify_with_model": True})).notices == ()
    assert drop_judge_notices(choose_models(settings)).notices == ()


def test_a_verifiers_model_without_the_setting_is_said_to_do_nothing(tmp_path: Path) -> None:
    settings = load_settings({}, environ=KEYS, folder=tmp_path)
    model = ScriptedModel([], vendor="c")
    (notice,) = choose_models(settings, {"verifier": model}).notices
    assert 'models["verifier"]' in notice.message
    own = choose_models(settings.model_copy(update={"verifier_model": "openai:z"}), {}, LLMVerifier(model))
    assert [notice.code for notice in own.notices] == ["unused-verifier"] and own.custom_verifier == "LLMVerifier"
    assert (
        choose_models(settings.model_copy(update={"skip_last_verification": True}), {}, LLMVerifier(model)).notices
        == ()
    )


def test_given_models_need_no_keys_and_families_are_compared(tmp_path: Path) -> None:
    settings = load_settings({}, environ={}, folder=tmp_path)
    same = {"worker": ScriptedModel([], vendor="a"), "judge": ScriptedModel([], vendor="a")}
    assert [notice.code for notice in choose_models(settings, same).notices] == ["one-family"]  # type: ignore[arg-type]
    other = {"worker": ScriptedModel([], vendor="a"), "judge": ScriptedModel([], vendor="b")}
    assert choose_models(settings, other).notices == ()  # type: ignore[arg-type]


def test_a_list_may_have_as_many_claims_as_items_unless_a_number_is_set() -> None:
    assert Settings().form.bullets == Range(1, 7)
    assert (
        Settings(answer_as="a list").form.bullets.high == Settings(answer_as="a list of dates").form.bullets.high == 60
    )
    assert Settings(answer_as="a list", bullets=Range(5, 5), quotes=Range(1, 9)).form.quotes == Range(1, 9)
    assert Settings(answer_as="a list", bullets=Range(5, 5)).form.bullets == Range(5, 5)


def test_what_is_shown_of_an_address_holds_no_credentials() -> None:
    lab = {"lab": {"base_url": "https://me:pa55word@lab.example/v1"}}
    whole = Settings(openai_base_url="https://pa55word@host/v1", otel="https://host/a?key=pa55word", providers=lab)  # type: ignore[arg-type]
    shown = whole.shown()
    assert "pa55word" not in str(shown)
    assert shown["openai_base_url"] == "https://host/v1" and shown["providers"] == {"lab": "https://lab.example/v1"}
