"""`ralph judge-test`: the table, the examples, JSON, exit codes, and its run in `ralph trace`."""

import json
from pathlib import Path

import pytest

from ralph_cli.commands.app import run
from ralph_cli.commands.judge_test import exit_code
from ralph_cli.core.model import Usage
from ralph_cli.core.results.judge_test import JudgeTest
from ralph_cli.core.run import Halt, StopType

MEMO = "The lease of the north hall has been let to the guild and ends on 31 March 2031.\n"


@pytest.fixture
def memo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memo of one sentence in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "memo.txt"
    path.write_text(f"Lease\n\n{MEMO}", encoding="utf-8")
    return path


def script(folder: Path, *verdicts: str) -> str:
    """A judge that rules on one claim a batch."""
    replies = [
        {"text": json.dumps({"verdicts": [{"id": 1, "verdict": verdict, "reason": "so it is", "quotes": []}]})}
        for verdict in verdicts
    ]
    (folder / "judge.json").write_text(json.dumps(replies))
    return "scripted:judge.json"


def test_the_table_names_what_was_missed_with_the_truth_and_the_judges_word(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = script(memo.parent, *["supported"] * 9)
    assert run(["judge-test", "--document", "memo.txt", "--judge-model", judge]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith("scripted:judge.json on memo.txt: 1 true claims, ") and "seed 0" in lines[0]
    assert any(line.split()[:4] == ["negation", "0", "of", "1"] for line in lines)
    assert any(line.split()[:5] == ["true", "claims", "0", "of", "1"] for line in lines)
    assert f"    true version: {MEMO.strip()}" in lines and "    the judge: supported - so it is" in lines
    assert "Missed" in out and "False alarms, true" not in out and "Trace: out" in out
    assert "batch 1 of" in err and "claims refused" in err and "\x1b" not in out


def test_a_true_claim_that_is_refused_is_shown(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = script(memo.parent, *["not"] * 9)
    assert run(["judge-test", "--document", "memo.txt", "--judge-model", judge, "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert "False alarms (true claims that the judge rejected):" in out and f"- {MEMO.strip()}" in out
    assert "Missed" not in out and "100%" in out and err == ""


def test_json_holds_each_case_and_the_rates(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = script(memo.parent, *["not"] * 9)
    assert run(["judge-test", "--document", "memo.txt", "--judge-model", judge, "--json", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["tested"] is True and told["basis"] == "model" and told["stop"]["type"] == "tested"
    assert told["caught"]["negation"]["hits"] == 1 and told["false_alarms"]["share"] == 1.0
    assert len(told["caught"]["all"]["interval"]) == 2 and told["caught"]["entity"]["share"] is None
    assert {"kind", "text", "truth", "verdict", "reason", "quotes"} <= set(told["cases"][0])


def test_without_a_model_it_says_so_and_ends_with_2(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge-test", "--document", "memo.txt"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "there is no judge to test" in err
    assert run(["judge-test", "--document", "memo.txt", "--judge-model", "offline"]) == 2
    out, _ = capsys.readouterr()
    assert "No model was tested" in out and "(no model: word comparison)" in out
    assert run(["judge-test", "--quiet", "--json", "--judge-model", "offline"]) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["tested"] is False and told["basis"] == "no model: word comparison"


def test_a_broken_judge_has_no_rates(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (memo.parent / "judge.json").write_text(json.dumps([{"text": "yes"}] * 20))
    assert run(["judge-test", "--judge-model", "scripted:judge.json"]) == 2
    out, err = capsys.readouterr()
    assert "No verdicts." in out and "Stopped (unjudged)" in out and "%" not in out.split("Stopped")[0]
    assert "Unusable replies: 3 requested again, 3 batches without verdicts" in out
    assert "no verdicts: the reply is not one JSON object" in err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--document", "missing.pdf"], "missing.pdf"),
        (["--claims", "0"], "claims must be from 1 to 200"),
        (["--claims", "many"], "--claims"),
        (["--judge-model", "anthropic:claude-x"], "needs a key"),
        (["--judge-model", "scripted:nothing.json"], "nothing.json"),
        (["--max-cost", "-1"], "max-cost"),
    ],
)
def test_what_a_person_can_mend_is_one_line(
    memo: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(["judge-test", *arguments]) == 1
    out, err = capsys.readouterr()
    assert told in err and "Traceback" not in err and out == ""


def test_the_run_is_listed_and_shown_again(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = script(memo.parent, *["supported"] * 9)
    run(["judge-test", "--document", "memo.txt", "--judge-model", judge, "--quiet"])
    first = capsys.readouterr().out
    assert run(["trace", "list"]) == 0
    listed = capsys.readouterr().out
    assert "-judge-test-" in listed and "  tested  " in listed and "test of the judge: 1 true claims" in listed
    assert run(["trace", "show", "--no-steps"]) == 0
    assert capsys.readouterr().out == first
    assert run(["trace", "show"]) == 0
    shown = capsys.readouterr().out
    assert shown.endswith(first) and "1 true: The lease of the north hall" in shown
    assert run(["trace", "show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stop"]["type"] == "tested"


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        (StopType.UNJUDGED, 2),
        (StopType.MAX_COST, 4),
        (StopType.TIMEOUT, 4),
        (StopType.USER_INTERRUPTED, 130),
        (StopType.SYSTEM_ERROR, 1),
        (StopType.TESTED, 2),  # nothing was judged
    ],
)
def test_exit_codes(stop: StopType, code: int) -> None:
    test = JudgeTest("j", True, "d", 0, (), 0, (), Halt(stop, ""), Usage(), 0.0, "r", Path("out"))
    assert exit_code(test) == code
