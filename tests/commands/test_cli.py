"""The command line: exit codes, one clear line for each error, results alone on standard output."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import REAL_CACHE

from ralph_cli.commands.app import run
from ralph_cli.commands.qa import exit_code
from ralph_cli.core.run import HaltReason

QUESTION = "When does the lease end?"
MEMO = "The lease of the north hall ends on 31 March 2031.\nThe rent is due on the first day of each month.\n" * 3


@pytest.fixture
def memo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memo in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "memo.txt"
    path.write_text(MEMO, encoding="utf-8")
    return path


def test_offline_answer_is_plain_text_with_place_and_says_that_nobody_judged(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["qa", str(memo), QUESTION, "--sandbox", "native"]) == 0
    out, err = capsys.readouterr()
    assert "ends on 31 March 2031" in out and "No model has judged" in out and "\x1b" not in out
    assert "supported" not in out and "no key is set" in err and "ANTHROPIC_API_KEY" in err


def test_json_is_one_object_of_the_promised_shape(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["qa", str(memo), QUESTION, "--sandbox", "native", "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert err == ""
    assert {"ok", "stop", "output", "claims", "quotes", "usage", "document", "run"} <= set(told)
    assert set(told["output"]) == {"answer", "evidence"} and told["ok"] is True and told["judged"] is False
    assert {"id", "text", "quotes", "verdict"} <= set(told["claims"][0]) and told["claims"][0]["verdict"] == "verbatim"
    quote = told["quotes"][0]
    assert {"id", "text", "page", "start", "end", "match", "occurrences"} <= set(quote)
    assert MEMO[quote["start"] : quote["end"]] == quote["text"] and quote["occurrences"] == 3
    assert {"sha256", "pages"} <= set(told["document"])


def test_absent_is_exit_code_3(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["qa", str(memo), "What is the helicopter's registration?", "--sandbox", "native"]) == 3
    assert "Not in the document." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["qa", "missing.pdf", "What?"], "missing.pdf"),
        (["qa", "memo.txt", "  "], "question is empty"),
        (["qa", "memo.txt"], "Missing argument"),
        (["qa", "memo.txt", "What?", "--bullets", "many"], "bullets"),
        (["qa", "memo.txt", "What?", "--max-iterations", "0"], "max-iterations"),
        (["qa", "memo.txt", "What?", "--strategy", "clever"], "strategy"),
        (["qa", "memo.txt", "What?", "--model", "anthropic:claude-x"], "needs a key"),
        (["qa", "memo.txt", "What?", "--no-such-option"], "No such option"),
        (["qua"], "qua"),
        (["trace", "show", "nothing"], "no runs"),
    ],
)
def test_what_a_person_can_mend_is_one_line_and_exit_code_1(
    memo: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "" and told in err
    assert len(err.strip().splitlines()) == 1 and err.startswith("ralph: ") and "Traceback" not in err


def test_a_run_can_be_listed_and_shown(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["qa", str(memo), QUESTION, "--sandbox", "native", "--quiet"])
    first = capsys.readouterr().out
    assert run(["trace", "list"]) == 0
    listed = capsys.readouterr().out
    assert "accepted" in listed and QUESTION in listed and len(listed.splitlines()) == 1
    assert run(["trace", "show", listed.split()[0][-6:]]) == 0
    shown = capsys.readouterr().out
    assert first.splitlines()[0] in shown and "ran code" in shown and "handed in" in shown
    assert run(["trace", "show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


def test_every_way_to_stop_has_its_exit_code() -> None:
    codes = {reason.value: exit_code(reason.value) for reason in HaltReason}
    assert codes == {
        "accepted": 0,
        "absent": 3,
        "iterations": 2,
        "stalled": 2,
        "unjudged": 2,
        "budget": 4,
        "interrupted": 130,
        "error": 1,
    }


def test_a_reader_that_leaves_early_is_no_error_message(memo: Path) -> None:
    command = f"{sys.executable} -m ralph_cli qa {memo} '{QUESTION}' --sandbox native --quiet | true"
    environ = {**os.environ, "RALPH_CACHE_DIR": str(REAL_CACHE), "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environ, check=False)
    assert done.stderr == ""


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("ralph 0.")
