"""Options of settings: declared once, built when a command is used, shown under headings."""

import re
from typing import Any

import pytest

from ralph_cli.commands.app import run
from ralph_cli.commands.parameters.takes import Given, takes
from ralph_cli.config import OPTIONS, PLACES, SECRETS, Settings, describe_settings

COMMANDS = ("qa", "task", "goal", "check", "verify", "judge-test", "eval")
COMMANDS += ("trace list", "trace show", "trace resume", "trace export", "trace report")


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run([*command.split(), "--help"]) == 0
    return capsys.readouterr().out


def test_help_shows_the_options_under_headings(capsys: pytest.CaptureFixture[str]) -> None:
    shown = help_of("qa", capsys)
    headings = re.findall(r"^(\w+):\n", shown, re.MULTILINE)
    groups = ["Models", "Answer", "Checks", "Work", "Limits", "Output", "Machine"]
    assert headings == ["Arguments", "Options", *groups]
    section = shown.split("\nLimits:\n")[1].split("\nOutput:\n")[0]
    assert "--max-cost" in section and "--model" not in section
    assert "of the outer loop. For" not in section and "(default 4)." in section
    assert "(default 20" in help_of("goal", capsys)  # a command's own words


def test_flags_that_are_not_the_name_of_the_setting(capsys: pytest.CaptureFixture[str]) -> None:
    task, qa = help_of("task", capsys), help_of("qa", capsys)
    assert "--schema <path>" in task and "--output-schema" not in task and "--memory <path>" in task
    assert "--limits" in qa and "--no-limits" not in qa and "--no-allow-hidden-text" not in qa


def test_every_setting_has_a_text_and_its_flag_is_taken_by_some_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(OPTIONS) == list(Settings.model_fields)
    assert [name for name in OPTIONS if not describe_settings().get(name, "").endswith(".")] == []
    shown = "".join(help_of(command, capsys) for command in COMMANDS)
    flags = {name: option.flag or f"--{name.replace('_', '-')}" for name, option in OPTIONS.items()}
    without = {name for name, flag in flags.items() if not re.search(rf"^  {flag}\b(?!-)", shown, re.MULTILINE)}
    others = {"direct_chars", "heartbeat_ms", "snippet_seconds", "snippet_memory_mb", "cache"}
    assert without == PLACES | SECRETS | others


def test_a_command_gets_what_was_given_and_nothing_else() -> None:
    seen: list[Any] = []

    @takes("max_steps", "out", "output_schema", "limits", "memory", retry="Its own help.")
    def command(given: Given, word: str, often: bool = False) -> int:
        """A command."""
        seen.append((given, word, often))
        return 7

    arguments = ["w", "--max-steps", "5", "--schema", "s.json", "--limits"]
    assert command().main(arguments, standalone_mode=False) == 7
    ((given, word, often),) = seen
    assert (word, often) == ("w", False)
    assert {name: str(value) for name, value in given.items()} == {
        "max_steps": "5",
        "output_schema": "s.json",
        "limits": "True",
    }


def test_a_setting_that_does_not_exist_cannot_be_taken() -> None:
    @takes("max_steps", "max_stops")
    def command(given: Given) -> int:
        """A command."""
        return 0

    with pytest.raises(ValueError, match=r"no such settings: \['max_stops'\]"):
        command()
