"""`ralph eval`: the table, JSON, files, exit codes, and a comparison with an earlier one."""

import json
from pathlib import Path

import pytest

from ralph_cli.commands.app import run

QUESTIONS = [
    {"id": "rent", "question": "What is the rent?", "document": "memo.txt", "answer": "$48,000"},
    {"id": "end", "question": "When does the lease end?", "document": "memo.txt", "answer": "on 28 February 2031"},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a memo and questions about it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RALPH_SANDBOX", "native")
    (tmp_path / "memo.txt").write_text("The base rent is $48,000 a year.\n\nThe lease ends on 28 February 2031.\n")
    write(tmp_path, *QUESTIONS)
    return tmp_path


def write(folder: Path, *records: dict) -> None:
    (folder / "set.jsonl").write_text("\n".join(map(json.dumps, records)))


def test_a_set_is_asked_shown_written_and_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "set.jsonl", "-o", "before.json"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].startswith("set.jsonl: 2 of 2 questions (JSON Lines); worker offline:")
    assert any(line.split() == ["answered", "2", "of", "2", "100%"] for line in lines)
    assert any(line.startswith("rent ") and "What is the rent?" in line for line in lines)
    assert "question 2 of 2, memo.txt: When does" in err and err.count("no key is set") == 1
    written = json.loads((folder / "before.json").read_text())
    assert written["complete"] and [item["id"] for item in written["results"]] == ["rent", "end"]

    assert run(["eval", "set.jsonl", "--compare", "before.json", "--json", "-q"]) == 0
    told = json.loads(capsys.readouterr().out)["comparison"]
    assert told["paired"] == 2 and told["measures"]["right"] == {"better": 0, "worse": 0, "same": 2}
    assert run(["eval", "set.jsonl", "--resume", written["folder"], "--compare", "before.json"]) == 0
    out, err = capsys.readouterr()
    assert "Against before.json: 2 questions in both" in out and "question 1" not in err


def test_a_question_without_a_result_ends_with_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(folder, QUESTIONS[0], QUESTIONS[1] | {"document": "gone.pdf"})
    assert run(["eval", "set.jsonl", "-q"]) == 2
    out = capsys.readouterr().out
    assert "failed: gone.pdf is not in ." in out and "--resume out/" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.jsonl"], "does not exist"),
        (["set.jsonl", "--limit", "0"], "greater than or equal to 1"),
        (["set.jsonl", "--first-page", "3"], "pages count from 0 or 1"),
        (["set.jsonl", "--resume", "out/none"], "no evaluation that can go on"),
        (["set.jsonl", "--compare", "none.json"], "does not exist"),
        (["set.jsonl", "--cost-each", "-1"], "cost_each must be a number above 0"),
        (["set.jsonl", "-o", "nowhere/out.json"], "cannot be written"),
        (["set.jsonl", "-o", "memo.txt"], "was not written by ralph"),
        (["set.jsonl", "--model", "anthropic:claude-x"], "needs a key"),
    ],
)
def test_what_a_person_can_mend_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(["eval", *arguments, "-q"]) == 1
    out, err = capsys.readouterr()
    assert told in err and "Traceback" not in err and out == "" and not list(folder.glob("out/*/*/journal.sqlite3"))
