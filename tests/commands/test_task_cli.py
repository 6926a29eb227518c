"""`ralph task` on the command line: offline and scripted, output and exit codes, memory, formats, errors."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from ralph_cli.commands.app import run

ROWS = {"A2": ["test_offline_the_output_consists_of_quotes_and_says_that_nobody_judged"], "A9": ["test_memory_options"]}

MEMO = (
    "The lease of the north hall ends on 31 March 2031.\nThe rent of 4,800 is due on the first day of each month.\n" * 3
)
SUMMARY = "The lease ends on 31 March 2031; the rent of 4,800 is due on the first of each month."
NOTE = "End of the lease and rent are established."
ITEMS = [
    {"text": "When the lease ends.", "quotes": ["ends on 31 March 2031"]},
    {"text": "When the rent is due.", "quotes": ["The rent of 4,800 is due on the first day of each month."]},
]


@pytest.fixture
def memo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memo in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "memo.txt"
    path.write_text(MEMO, encoding="utf-8")
    return path


def script(folder: Path, name: str, *replies: object) -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(replies), "utf-8")
    return f"scripted:{path}"


def result(output: str) -> dict[str, str]:
    return {"text": json.dumps({"output": output, "memory_update": NOTE})}


def test_offline_the_output_consists_of_quotes_and_says_that_nobody_judged(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["task", "memo.txt", "Summarize the document", "--sandbox", "native"]) == 0
    out, err = capsys.readouterr()
    assert "ends on 31 March 2031" in out and "(no model has read them):\n- The" in out and "\n[1] “" in out
    assert "accepted" not in (out + err).lower() and "Traceback" not in err and "[1]" not in err
    phases = [line.strip() for line in err.splitlines() if line.strip() in ("reading", "writing", "judging")]
    assert phases == ["reading", "writing", "judging"]


def test_scripted_models_and_the_json_object(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worker = script(memo.parent, "worker", {"act": {"claims": ITEMS}}, result(SUMMARY))
    judge = script(memo.parent, "judge", {"text": '{"ok": true, "issues": []}'})
    assert run(["task", "memo.txt", "Summarize", "--model", worker, "--judge-model", judge, "--json", "-q"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] and told["judged"] and told["output"]["text"] == SUMMARY
    assert set(told["output"]) == {"text", "answer", "evidence", "verdict", "reason", "judge", "figures"}
    date, rent = told["output"]["figures"]
    assert (SUMMARY[rent["at"] :][:5], rent["quote"], rent["token"]["text"]) == ("4,800", 2, "4,800")
    assert date["before"].endswith("ends on") and "claim" not in rent
    assert len(told["quotes"]) == 2 and told["output"]["verdict"] == "supported" and told["output"]["judge"]
    assert {claim["verdict"] for claim in told["claims"]} == {"in-output"}  # judged, though not one by one
    assert run(["verify", "--json", "-q"]) == 0
    assert {claim["verdict"] for claim in json.loads(capsys.readouterr().out)["claims"]} == {"in-output"}
    assert run(["trace", "show"]) == 0
    shown = capsys.readouterr().out
    assert SUMMARY in shown and NOTE in shown and "Accepted: every figure" in shown and "the output supported" in shown
    assert '-- the output: "4,800": "The rent of [4,800] is due on' in shown
    assert run(["trace", "report", "--html", "report.html", "--csv", "report.csv"]) == 0
    assert 'aria-describedby="figure-0-1"' in Path("report.html").read_text("utf-8")
    assert "The rent of [4,800] is due" in Path("report.csv").read_text("utf-8")


def test_a_task_played_from_a_file_is_resumed_where_it_was_cut_off(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script begins where the recording ends: its replies of then are left out."""
    again = {"act": {"not_found": {"searched": ["more"]}}}
    worker = script(memo.parent, "worker", {"act": {"claims": ITEMS}}, result(SUMMARY), again, result(SUMMARY + " So."))
    refused = {"text": '{"ok": false, "issues": ["the end is missing"]}'}
    judge = script(memo.parent, "judge", refused, {"text": '{"ok": true, "issues": []}'})
    (memo.parent / "any.json").write_text("true", "utf-8")
    models = ["--model", worker, "--judge-model", judge]
    assert run(["task", "memo.txt", "Summarize", *models, "--max-iterations", "1", "-q"]) == 2
    (first,) = Path("out").glob("*-task-*")
    assert SUMMARY + "\n" in capsys.readouterr().out
    assert run(["trace", "resume", "--max-iterations", "2", "--json", "-q"]) == 1
    assert "--accept-settings" in capsys.readouterr().err  # the record names files
    assert run(["trace", "resume", "--max-iterations", "2", "--json", "-q", "--accept-settings"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] and told["output"]["text"] == SUMMARY + " So." and told["usage"]["calls"] == 6
    (memory,) = Path("out/memory").glob("*.md")
    assert memory.read_text("utf-8").count(NOTE) == 2  # one of each iteration, though the first was played twice
    assert run(["trace", "resume", first.name, "--max-time", "-1", "--accept-settings"]) == 1
    assert "--max-time: it must be more than 0" in capsys.readouterr().err


def test_what_is_refused_is_exit_code_2_and_named(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    worker = script(memo.parent, "worker", {"act": {"claims": ITEMS}}, result(SUMMARY.replace("4,800", "4,900")))
    assert run(["task", "memo.txt", "Summarize", "--model", worker, "--max-iterations", "1"]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("Not accepted (max_iterations). The best attempt:\n" + SUMMARY.replace("4,800", "4,900"))
    faults = "  - the quoted words do not bear it out: line 1 of the output: the figure 4,900"
    assert f"What the checks found:\n{faults}" in out
    assert "refused: the quoted words do not bear it out: line 1" in err


@pytest.mark.parametrize(("kind", "begins"), [("csv", "quote\n"), ("json", "[\n"), ("text", "- "), ("md", "- ")])
def test_formats(memo: Path, capsys: pytest.CaptureFixture[str], kind: str, begins: str) -> None:
    assert run(["task", "memo.txt", "When is the rent due?", "--format", kind, "--sandbox", "native", "-q"]) == 0
    out, err = capsys.readouterr()
    result, evidence = (out, err) if kind in ("csv", "json") else (out.partition(":\n")[2], out)
    assert result.startswith(begins) and "\n[1] “" in evidence and "Trace: out" in evidence
    assert (err == "") is (evidence == out)


def test_a_schema_is_kept_or_the_path_is_named(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = memo.parent / "schema.json"
    schema.write_text('{"type": "array", "items": {"required": ["quote"]}}')
    words = ["task", "memo.txt", "When is the rent due?", "--schema", "schema.json", "--sandbox", "native", "-q"]
    assert run(words) == 0
    schema.write_text("true")
    assert run(words) == 0 and run(["verify", "-q"]) == 0
    schema.write_text('{"type": "array", "items": {"required": ["amount"]}}')
    assert run(words) == 2
    assert "at $[0]: 'amount' is a required property" in capsys.readouterr().err


def test_standard_input_and_absence(
    memo: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stdin:
        buffer = io.BytesIO(MEMO.encode())

        def isatty(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert run(["task", "-", "When is the rent due?", "--sandbox", "native", "-q"]) == 0
    assert run(["task", "memo.txt", "Helicopter registrations", "--sandbox", "native", "-q"]) == 2
    assert "No passage was found." in capsys.readouterr().out


@pytest.mark.full
def test_memory_options(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    offline = ["--sandbox", "native", "-q"]
    assert run(["task", "memo.txt", "When is the rent due?", "--no-memory", *offline]) == 0
    assert not Path("out/memory").exists()
    assert run(["task", "memo.txt", "When is the rent due?", *offline]) == 0
    (kept,) = Path("out/memory").glob("*.md")
    for _ in range(6):
        assert run(["task", "memo.txt", "When is the rent due?", "--memory-budget", "500", *offline]) == 0
    text = kept.read_text("utf-8")
    assert len(text) <= 500 and "[trimmed " in text
    capsys.readouterr()
    assert run(["task", "When is the rent due?", "--no-document", "--memory", str(kept), *offline]) == 0
    assert "due on the first day" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["memo.txt"], "the task is missing"),
        (["memo.txt", " "], "task is empty"),
        (["memo.txt", "x", "--no-document"], "only a task"),
        (["What?", "--no-document"], "needs a memory"),
        (["What?", "--no-document", "--memory", "none.md"], "there is no memory none.md"),
        (["memo.txt", "What?", "--memory", "."], "not a regular file"),
        (["memo.txt", "What?", "--memory", "a", "--no-memory"], "exclude each other"),
        (["memo.txt", "What?", "--memory", "memo.txt"], "not a ralph memory file"),
        (["memo.txt", "What?", "--format", "docx"], "format"),
        (["memo.txt", "What?", "--schema", "none.json"], "the schema none.json does not exist [bad-schema] - "),
        (
            ["memo.txt", "What?", "--schema", "memo.txt"],
            "the schema memo.txt is not JSON: Expecting value (line 1, column 1)",
        ),
        (["memo.txt", "What?", "--schema", "bad.json"], "is not a JSON Schema"),
        (["memo.txt", "What?", "--schema", "bad.json", "--format", "md"], "needs --format json or csv"),
        (["memo.txt", "What?", "--memory-budget", "10"], "memory-budget"),
    ],
)
def test_what_a_person_can_mend_is_one_line_and_exit_code_1(
    memo: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    (memo.parent / "bad.json").write_text('{"type": "wrong"}')
    assert run(["task", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == "" and told in err and len(err.strip().splitlines()) == 1 and not Path("out").exists()


def test_data_stand_alone_on_standard_output(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["task", "memo.txt", "When is the rent due?", "--sandbox", "native", "-q"]
    assert run([*words, "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert all(set(row) == {"quote"} for row in json.loads(out)) and "(no model has read them):\n[1] “" in err
    assert run([*words, "--format", "csv"]) == 0
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out, newline=""), strict=True))
    assert rows[0] == ["quote"] and len(rows) > 1 and all(len(row) == 1 and row[0] for row in rows)
    assert run(["task", "memo.txt", "Helicopter registrations", *words[3:], "--format", "json"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "No passage was found." in err


def test_the_payload_goes_to_a_file_only_when_it_is_accepted(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["task", "memo.txt", "When is the rent due?", "--sandbox", "native", "-q", "--output", "due.json"]
    assert run([*words, "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert out == "" and "Written to due.json" in err and json.loads(Path("due.json").read_text("utf-8"))
    worker = script(memo.parent, "worker", {"act": {"claims": ITEMS}}, result(SUMMARY.replace("4,800", "4,900")))
    refused = ["task", "memo.txt", "Summarize", "--model", worker, "--max-iterations", "1", "--output", "no.md", "-q"]
    assert run(refused) == 2 and not Path("no.md").exists()
    assert "no.md was not written: nothing was accepted" in capsys.readouterr().err
    assert run([*words[:-1], "memo.txt"]) == 1 and "is the document itself" in capsys.readouterr().err


def test_no_cell_of_a_payload_is_a_formula_and_numbers_stay_numbers(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = "says,value\n=1+1,-4800\n+SUM(A1),+3.1%\n@x,plain\n"
    worker = script(memo.parent, "worker", {"act": {"claims": ITEMS}}, result(table))
    words = ["task", "memo.txt", "Make a table", "--model", worker, "--format", "csv", "--max-iterations", "1", "-q"]
    assert run(words) == 2  # refused, but the best attempt is handed over
    out = capsys.readouterr().out
    assert list(csv.reader(io.StringIO(out, newline=""))) == [
        ["says", "value"],
        ["'=1+1", "-4800"],
        ["'+SUM(A1)", "+3.1%"],
        ["'@x", "plain"],
    ]
