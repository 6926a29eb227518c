"""`ralph trace export` and `ralph verify` at the command line: exit codes, one line for each error, the JSON object."""

import json
import shutil
from pathlib import Path

import pytest

from ralph_cli.commands.app import run

MEMO = "The lease of the north hall ends on 31 March 2031.\n\nThe rent is due on the first day of each month.\n"


@pytest.fixture
def memo(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Path:
    """A memo in an empty working folder, and a run on it: a copy of the one that is made for the first test."""
    made = tmp_path_factory.getbasetemp() / "memo-and-run"
    if not made.exists():
        monkeypatch.chdir(tmp_path)
        Path("memo.txt").write_text(MEMO, encoding="utf-8")
        assert run(["qa", "memo.txt", "When does the lease end?", "--sandbox", "native", "--quiet"]) == 0
        shutil.copytree(tmp_path, made)
    else:
        shutil.copytree(made, tmp_path, dirs_exist_ok=True)
        monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    return tmp_path / "memo.txt"


def test_the_newest_run_is_verified_by_default(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify"]) == 0
    out, err = capsys.readouterr()
    assert "ok   quotes: 1 of 1 at their place" in out and "Every deterministic check that was run passed." in out
    assert "\x1b" not in out and err == ""


def test_a_bundle_is_written_and_verified_elsewhere(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "export", "-o", "run.zip"]) == 0
    out, err = capsys.readouterr()
    first, second = out.splitlines()
    assert first.startswith("run.zip: ") and "without the document" in first
    assert err.startswith("note: who verifies it needs the document") and err.count("\n") == 1
    assert run(["verify", "run.zip", "--document", "memo.txt", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] and second == f"seal {told['source']['seal']}" and told["source"]["kind"] == "bundle"
    assert run(["trace", "export", "--with-document", "--json"]) == 0
    told, err = json.loads((shown := capsys.readouterr()).out), shown.err
    assert err == "" and told["with_document"] and told["notices"] == [] and told["path"].endswith(".zip")
    assert told["path"].removesuffix(".zip") in [path.name for path in Path("out").iterdir()]
    memo.unlink()
    assert run(["verify", told["path"], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["source"]["seal"] == told["seal"]


def test_runs_are_listed_as_one_object(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (first,) = (path.name for path in Path("out").glob("*-qa-*"))
    shutil.copytree(f"out/{first}", "out/20990101-again")
    (memo.parent / "out" / "broken").mkdir()
    (memo.parent / "out" / "broken" / "journal.sqlite3").write_text("garbage")
    assert run(["verify", "20"]) == 1
    assert f"2 runs in out match '20' [no-run] - give more of the name: {first}, 2099" in capsys.readouterr().err
    assert run(["trace", "list", "--json", "-n", "2"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [record["id"] for record in told["runs"]] == ["broken", "20990101-again"] and told["older"] == 1
    assert "journal" in told["runs"][0]["error"] and told["runs"][1]["stop"] == "passages"
    assert told["runs"][1]["document"] == "memo.txt" and told["runs"][1]["ok"] is None
    assert run(["trace", "list", "--json", "--out", "nowhere"]) == 1


def test_a_quote_that_is_gone_is_exit_code_2(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (memo.parent / "new.txt").write_text(MEMO.replace("31 March 2031", "30 June 2033"), encoding="utf-8")
    assert run(["verify", "--document", "new.txt"]) == 2
    out = capsys.readouterr().out
    assert "then -> now: 31 March 2031. -> 30 June 2033." in out
    assert "The only quote is no longer in the document (1 changed)." in out
    assert run(["verify", "--document", "new.txt", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["quotes"][0]["standing"] == "changed"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["verify", "none"], "no run in out match"),
        (["verify", "memo.txt"], "memo.txt is no exported run [no-run] - ralph verify RUN --document memo.txt"),
        (["verify", "out"], "out is a folder, and not that of a run [no-run] - name one of its runs: out/2"),
        (["trace", "list", "--out", "nowhere"], "there is no folder nowhere"),
        (["verify", "."], "not that of a run"),
        (["verify", "--document", "none.txt"], "does not exist"),
        (["trace", "export", "-o", "memo.txt"], "exists already"),
        (["trace", "export", "none", "-o", "x.zip"], "no run in out match"),
    ],
)
def test_what_a_person_can_mend_is_one_line_and_exit_code_1(
    memo: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "" and told in err and len(err.strip().splitlines()) == 1 and "Traceback" not in err


def test_words_put_behind_a_quote_that_is_still_there_are_exit_code_2(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = memo.parent / "new.txt"
    new.write_text(MEMO.replace("2031.", "2031. It may be ended earlier."), encoding="utf-8")
    assert run(["verify", "--document", "new.txt"]) == 2
    out = capsys.readouterr().out
    assert "still there, but its context changed: the text behind its sentence" in out
    assert "(nothing) -> It may be ended earlier." in out and "holds." not in out
    new.write_text(f"A preface.\n\n{MEMO}", encoding="utf-8")
    assert run(["verify", "--document", "new.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["quotes"][0]["around"] == []
