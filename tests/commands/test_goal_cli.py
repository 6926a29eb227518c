"""`ralph goal` at the command line: what is on standard output, what is written where, the exit codes, the story."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes import REAL_CACHE

from ralph_cli.commands.app import run
from ralph_cli.core.model import Json

ROWS = {
    "D1": ["test_an_accepted_output_is_all_of_standard_output"],
    "D5": ["test_continue_goes_on_with_what_was_cut_off"],
    "D6": ["test_what_a_person_can_mend_is_said_before_anything_is_spent", "test_options_become_settings"],
    "D7": ["test_the_notice_is_appended_when_the_iterations_are_used"],
    "D8": [
        "test_the_output_file_is_written_once_it_is_accepted",
        "test_offline_extracts_a_table_that_a_real_verifier_accepts",
        "test_a_goal_on_the_sample_report_with_totals_compared",
    ],
}

MEMO = "Rents in thousands\nHall  North  South  Total\nFirst year  48  12  60\nLater years  (50)  —  (50)\n" * 2
TOTALS = """
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))[1:]
wrong = [row for row in rows if round(sum(map(float, row[1:-1])) - float(row[-1]), 6)]
print(f"{len(rows)} rows, {len(wrong)} with a wrong total")
sys.exit(1 if wrong or not rows else 0)
"""
DONE = {"say": "Ready. <promise>DONE</promise>"}


@pytest.fixture
def memo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memo and a verifier in a working folder of their own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "totals.py").write_text(TOTALS, encoding="utf-8")
    (tmp_path / "good.py").write_text(
        "import sys\ntext = open(sys.argv[1]).read()\nprint('saw', text)\nsys.exit(not text.startswith('good'))",
        encoding="utf-8",
    )
    path = tmp_path / "memo.txt"
    path.write_text(MEMO, encoding="utf-8")
    return path


def python(script: str) -> str:
    return f"{shlex.quote(sys.executable)} {script} {{output}}"


def scripted(folder: Path, *replies: Json) -> list[str]:
    (folder / "script.json").write_text(json.dumps([{"act": reply} for reply in replies]), encoding="utf-8")
    return ["--model", "scripted:script.json", "--subquery-model", "offline", "--sandbox", "native"]


def goal(memo: Path, *more: str, replies: tuple[Json, ...] = (), verify: str | None = None) -> int:
    script = scripted(memo.parent, *replies)
    verifier = ["--verify", verify or python("good.py")]
    return run(["goal", memo.name, "Copy the table", *verifier, *script, *more])


GOOD: tuple[Json, ...] = ({"output": "good\nrow"}, {"verify": True}, DONE)


def test_an_accepted_output_is_all_of_standard_output(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert goal(memo, replies=GOOD) == 0
    out, err = capsys.readouterr()
    assert out == "good\nrow\n"
    assert "output, version 1: 8 characters" in err and "verified by verify-1: passed (exit 0)" in err
    assert "Completed (every check passed). Verified: passed verify-1 (exit 0)." in err and "<promise>" not in out + err
    assert "judge" not in err


def test_an_estimate_is_printed_and_nothing_is_run(
    memo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ["--model", "openai:gpt-6.1-sol", "--subquery-model", "offline", "--estimate"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert run(["goal", memo.name, "Copy the table", *model]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Likely $") and "low $" in out and "high $" in out and "bound is $5" in out
    assert "no recorded runs" in out and "Nothing was sent" in out and not (memo.parent / "out").exists()


def test_json_is_one_object(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert goal(memo, "--json", "--quiet", replies=GOOD) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert err == "" and told["ok"] is True and told["status"] == "completed" and told["verified"] is True
    assert told["output"] == "good\nrow" and told["verification"] == "verified: passed verify-1 (exit 0)"
    (evidence,) = told["evidence"]
    assert evidence["status"] == "pass" and evidence["name"] == "verify-1" and evidence["current"] is True
    assert evidence["output"] == "saw good\nrow" and evidence["at"] and "good.py" in evidence["command"]


def test_the_output_file_is_written_once_it_is_accepted(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert goal(memo, "--output", "t a b.csv", replies=GOOD) == 0
    out, err = capsys.readouterr()
    assert out == "" and "Written to t a b.csv" in err
    assert (memo.parent / "t a b.csv").read_text(encoding="utf-8") == "good\nrow"
    (folder,) = [path for path in (memo.parent / "out").iterdir() if path.is_dir()]
    assert (folder / "output.csv").read_text(encoding="utf-8") == "good\nrow"
    assert goal(memo, "--output", "bad.txt", replies=({"output": "bad"}, {"blocked": "no"})) == 2
    out, err = capsys.readouterr()
    assert not (memo.parent / "bad.txt").exists() and "bad.txt was not written" in err and "Blocked" in err


def test_the_notice_is_appended_when_the_iterations_are_used(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replies = ({"output": "bad 1"}, {"verify": True}, DONE, {"output": "bad 2"}, {"verify": True}, DONE)
    assert goal(memo, "--max-iterations", "2", replies=replies) == 2
    out, err = capsys.readouterr()
    assert out.startswith("bad 2\n\nStopped after 1 retry (2 of 2 iterations used, none accepted")
    assert "verify-1 FAILED (exit 1)" in out and "saw bad 2" in out
    assert "Budget exhausted" in err and "Not verified: failed verify-1 (exit 1)." in err


def test_a_score_threshold_ends_a_goal_unaccepted_and_names_what_failed(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--verify", "never: false", "--score-threshold", "0.5", "--output", "kept.txt")
    assert goal(memo, *more[:-2], replies=GOOD) == 2
    out, err = capsys.readouterr()
    assert out.startswith(
        "good\nrow\n\nStopped after 0 retries (the score 0.50 reached 0.5); the output above was not "
    )
    assert "verify-1 passed (exit 0)" in out and "never FAILED (exit 1)" in out
    assert "Stopped at the score threshold, NOT accepted (the score 0.50 reached 0.5)." in err
    assert "Not verified: failed never (exit 1)." in err
    assert goal(memo, *more, replies=GOOD) == 2
    assert not Path("kept.txt").exists() and "kept.txt was not written" in capsys.readouterr().err
    assert goal(memo, *more[:-2], "--json", "-q", replies=GOOD) == 2
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False and told["stop"]["type"] == "score_threshold" and "never FAILED" in told["notice"]


@pytest.mark.parametrize(
    ("replies", "more", "code", "told"),
    [
        (({"blocked": "no such table"},), (), 2, "Blocked (the worker cannot continue: no such table)"),
        (({"output": "x"}, DONE, DONE, DONE), (), 2, "refused 3 times for the same reason"),
        (GOOD, ("--max-time", "0.000001"), 4, "Budget exhausted"),
        (GOOD[:1], (), 1, "script"),
    ],
)
def test_exit_codes(
    memo: Path,
    capsys: pytest.CaptureFixture[str],
    replies: tuple[Json, ...],
    more: tuple[str, ...],
    code: int,
    told: str,
) -> None:
    assert goal(memo, *more, replies=replies) == code
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "a goal needs a verifier"),
        (["--verify", "python 'check"], "cannot parse"),
        (["--verify", ""], "a verifier command is empty"),
        (["--verify", "true", "--output", "no/such/folder.csv"], "cannot be written"),
        (["--verify", "true", "--verify-timeout", "0"], "verify-timeout"),
        (["--verify", "true", "--summary-chars", "3"], "summary-chars"),
    ],
)
def test_what_a_person_can_mend_is_said_before_anything_is_spent(
    memo: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(["goal", "memo.txt", "Copy it", "--model", "offline", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == "" and told in err and "Traceback" not in err and not (memo.parent / "out").exists()


def test_options_become_settings(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replies: tuple[Json, ...] = ({"output": "x"}, {"verify": True}, {"blocked": "slow"})
    slow = f"{shlex.quote(sys.executable)} -c 'import time; time.sleep(30)'"
    assert goal(memo, "--verify-timeout", "0.5", "--instructions", "Be quick.", replies=replies, verify=slow) == 2
    assert "did not finish within 0.5 s, killed" in capsys.readouterr().err
    assert run(["trace", "show"]) == 0
    assert "Instructions: Be quick." in capsys.readouterr().out
    assert goal(memo, "--shell", replies=GOOD, verify="grep -c good {output} | grep 1") == 0


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("no-such-program {output}", "check its name"),
        ("./none.py {output}", "check its name"),
        ("good.py {output}", "such as python good.py; or make it executable and write ./good.py"),
        ("./good.py {output}", "make it executable"),
    ],
)
def test_a_program_that_cannot_be_run_is_refused_before_a_model_is_asked(
    memo: Path, capsys: pytest.CaptureFixture[str], command: str, hint: str
) -> None:
    assert goal(memo, replies=(), verify=command) == 1
    _, err = capsys.readouterr()
    assert f"the program '{command.split()[0]}' of the verifier verify-1 cannot be run" in err and hint in err
    assert not Path("out").exists()


def test_programs_are_looked_for_where_they_are_run(memo: Path) -> None:
    (memo.parent / "good.py").write_text("#!/bin/sh\n")
    (memo.parent / "good.py").chmod(0o755)
    for command in ("./good.py {output}", f"{memo.parent}/good.py", "sh good.py"):
        assert goal(memo, replies=GOOD, verify=command) == 0
    assert goal(memo, "--shell", replies=GOOD, verify="type cd") == 0  # what only a shell knows


def test_without_a_model_no_model_calls_are_counted(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["goal", "memo.txt", "Extract the table of rents", "--verify", "true", "--sandbox", "native", "-q"]
    assert run(words) == 0
    assert "no model calls" in capsys.readouterr().err
    assert goal(memo, replies=GOOD) == 0
    assert "model calls" in capsys.readouterr().err.replace("no model calls", "")


def test_without_a_verifier_the_result_is_called_unverified(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = scripted(memo.parent, {"output": "good"}, DONE)
    assert run(["goal", "memo.txt", "Copy it", "--no-require-verifier", *script]) == 0
    out, err = capsys.readouterr()
    assert out == "good\n" and "Completed, NOT verified" in err and "note: this goal has no verifier" in err
    assert run(["goal", "memo.txt", "Copy it", "--no-require-verifier", "--json", "-q", *script]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["ok"] is True and told["verified"] is False and "not verified" in told["verification"]
    assert "unverified" in told["stop"]["reason"]
    # The flag is for a goal without any verifier: one that is given must have passed.
    script = scripted(memo.parent, *({"output": "good"}, DONE) * 3)
    assert run(["goal", "memo.txt", "Copy it", "--verify", "false", "--no-require-verifier", "-q", *script]) == 2
    assert "no verifier has looked at the output" in capsys.readouterr().err


def test_continue_goes_on_with_what_was_cut_off(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert goal(memo, "--continue", replies=({"output": "good, kept"}, DONE)) == 1  # the script ends too early
    err = capsys.readouterr().err
    assert "starts afresh" in err and "--continue resumes it" in err
    assert goal(memo, "--continue", replies=({"output": "good, kept"}, DONE, {"verify": True}, DONE)) == 0
    assert capsys.readouterr().out == "good, kept\n"
    run(["trace", "show"])
    assert "Continues: " in capsys.readouterr().out


def test_what_was_made_before_a_model_failed_is_handed_over(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the first iteration as in a later one: output or JSON object, how it stands, the hint, the trace; code 1."""
    later = ({"output": "bad"}, {"verify": True}, DONE)
    for before in ((), later):
        assert goal(memo, replies=(*before, *GOOD[:2])) == 1  # the script ends where DONE would be said
        out, err = capsys.readouterr()
        assert out == "good\nrow\n" and "Traceback" not in err
        assert "Not finished (" in err and "more calls than replies" in err and "Verified: passed verify-1" in err
        assert "--continue resumes it" in err and "Trace: " in err
        assert goal(memo, "--json", "-q", replies=(*before, *GOOD[:2])) == 1
        told = json.loads(capsys.readouterr().out)
        assert (told["ok"], told["status"], told["verified"], told["output"]) == (False, "active", True, "good\nrow")
        assert told["stop"]["type"] == "system_error"


def test_the_story_tells_outputs_verifications_and_words(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    replies = ({"say": "I look"}, {"output": "bad \u202e\x1b[2J"}, {"verify": True}, DONE, *GOOD)
    assert goal(memo, replies=replies) == 0
    capsys.readouterr()
    assert run(["trace", "show"]) == 0
    out = capsys.readouterr().out
    for part in (
        "Verifier verify-1: ",
        "-- the worker says (a note): I look",
        "-- output, version 1: 9 characters",
        "-- verified version 1 by verify-1: FAILED (exit 1) at ",
        "== Iteration 2",
        "-- verified version 2 by verify-1: passed (exit 0)",
        "-- the worker says (it is done): Ready.",
        "Completed (every check passed)",
    ):
        assert part in out, part
    assert "\x1b" not in out and "\u202e" not in out
    assert run(["trace", "show", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["output"] == "good\nrow" and told["verified"] is True
    assert run(["trace", "list"]) == 0 and "accepted" in capsys.readouterr().out


def test_offline_extracts_a_table_that_a_real_verifier_accepts(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["goal", "memo.txt", "Extract the table of rents as CSV", "--verify", python("totals.py")]
    assert run([*arguments, "--model", "offline", "--sandbox", "native"]) == 0
    out, err = capsys.readouterr()
    assert out == "Hall,North,South,Total\nFirst year,48,12,60\nLater years,-50,0,-50\n"
    assert "no language model has read it" in err


def test_offline_tries_its_texts_in_turn_and_then_is_blocked(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["goal", "memo.txt", "Extract the table of rents as CSV", "--model", "offline", "--sandbox", "native"]
    assert run([*arguments, "--verify", "grep -q (50) {output}"]) == 0  # the second text: figures as they are printed
    out, err = capsys.readouterr()
    assert "Later years,(50),—,(50)" in out and "version 2" in err
    assert run([*arguments, "--verify", "false"]) == 2
    assert "texts that word statistics found were tried" in capsys.readouterr().err
    assert run([*arguments[:2], "Zebra quagga?", *arguments[3:], "--verify", "true"]) == 2
    assert "no passage or table" in capsys.readouterr().err
    assert run([*arguments[:2], "When is the first year?", *arguments[3:], "--no-require-verifier"]) == 0
    assert "First year" in capsys.readouterr().out


def test_a_goal_on_the_sample_report_with_totals_compared(
    memo: Path, samples: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RALPH_CACHE_DIR", str(REAL_CACHE))
    objective = "Extract the table of changes in goodwill by segment as CSV"
    arguments = ["goal", str(samples / "report.pdf"), objective, "--verify", f"totals: {python('totals.py')}"]
    assert run([*arguments, "--model", "offline", "--sandbox", "native"]) == 0
    out, err = capsys.readouterr()
    assert "Item,Metering,Controls,Field Services,Total\n" in out and "verified by totals: passed" in err
    assert "Impairment,0,-21.5,0,-21.5\n" in out and '"Balance at September 30, 2024",165.9,81.3,91.0,338.2' in out
