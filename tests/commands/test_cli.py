"""The command line: exit codes, one clear line for each error, results alone on standard output."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fakes import ABSENT, REAL_CACHE

from ralph_cli.commands.app import run
from ralph_cli.commands.qa import exit_code
from ralph_cli.core.events import RunHalted
from ralph_cli.core.run import StopType
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.journal.traces import read_index

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
    assert "ends on 31 March 2031" in out and "no model has read them" in out and "\x1b" not in out
    assert "supported" not in out and "no key is set" in err and "ANTHROPIC_API_KEY" in err


def test_json_is_one_object_of_the_promised_shape(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["qa", str(memo), QUESTION, "--sandbox", "native", "--json", "--quiet"]) == 0
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert err == ""
    assert {"ok", "stop", "output", "claims", "quotes", "usage", "document", "run"} <= set(told)
    assert set(told["output"]) == {"answer", "evidence"} and told["ok"] is None and told["judged"] is False
    assert {"id", "text", "quotes", "verdict"} <= set(told["claims"][0]) and told["claims"][0]["verdict"] == "verbatim"
    quote = told["quotes"][0]
    assert {"id", "text", "page", "start", "end", "match", "occurrences"} <= set(quote)
    assert MEMO[quote["start"] : quote["end"]] == quote["text"] and quote["occurrences"] == 3
    assert {"sha256", "pages"} <= set(told["document"])


def test_a_search_without_a_model_that_finds_nothing_is_exit_code_2_and_no_absence(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["qa", str(memo), "What is the helicopter's registration?", "--sandbox", "native"]) == 2
    assert "No passage was found." in capsys.readouterr().out


def test_a_damaged_index_or_run_blocks_no_other_run(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = memo.parent / "out" / "20990101-000000000-qa-x"
    damaged.mkdir(parents=True)
    (damaged / "journal.sqlite3").write_text("garbage")
    (memo.parent / "out" / "session-index.json").write_text("garbage")
    assert run(["qa", str(memo), QUESTION, "--sandbox", "native"]) == 0
    out, err = capsys.readouterr()
    told = [line for line in err.splitlines() if "session-index.json" in line]
    assert "31 March 2031" in out and len(told) == 1 and "move it away" in told[0]
    assert (memo.parent / "out" / "session-index.json").read_text() == "garbage"
    assert run(["trace", "list"]) == 0
    out, err = capsys.readouterr()
    assert "passages" in out and "20990101-000000000-qa-x  the journal in" in out and err == ""


def test_the_command_that_shows_a_run_names_its_folder(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["qa", str(memo), QUESTION, "--sandbox", "native", "--quiet"]
    for where, told in (([], ")"), (["--out", "other place"], " --out 'other place')")):
        assert run([*ask, *where]) == 0
        line = capsys.readouterr().out.splitlines()[-2]
        assert line.endswith(told)
        command = shlex.split(line.partition("(ralph ")[2][:-1])
        assert run(command) == 0 and "31 March 2031" in capsys.readouterr().out


def test_quotes_of_another_length_are_no_absence(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["qa", str(memo), QUESTION, "--sandbox", "native", "--quiet"]
    assert run([*ask, "--quote-chars", "160"]) == 0  # one number is the most
    assert "ends on 31 March 2031" in capsys.readouterr().out
    assert run([*ask, "--quote-chars", "12-14"]) == 1
    out, err = capsys.readouterr()
    assert (
        out == ""
        and "none has a quote of 12 to 14 characters (available lengths: 47 to 50)" in err
        and "--quote-chars" in err
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["qa", "missing.pdf", "What?"], "missing.pdf"),
        (["qa", "memo.txt", "  "], "question is empty"),
        (["qa", "memo.txt"], "the question is missing [usage] - ralph qa DOCUMENT... QUESTION"),
        (["qa", "memo.txt", "memo.txt"], "the question is missing [usage] - ralph qa memo.txt memo.txt"),
        (["qa", "What?"], "the document is missing [usage] - ralph qa DOCUMENT... QUESTION"),
        (["qa", "memo.txt", "no*.pdf", "What?"], "no file fits no*.pdf [missing]"),
        (
            ["qa", "When does it end?", "memo.txt"],
            "name the document first [swapped] - ralph qa memo.txt 'When does it end?'",
        ),
        (["goal", "Extract", "memo.txt"], "first [swapped] - ralph goal memo.txt Extract"),
        (["task", "memo.txt"], "the task is missing [usage] - ralph task DOCUMENT... TASK"),
        (["task", "a", "b", "--no-document"], "only a task, no document"),
        (["task", "memo.txt", "a", "--memory", "m", "--no-memory"], "exclude each other"),
        (["check", "memo.txt", "a", "b"], "missing [usage] - ralph check memo.txt --doc a --doc b"),
        (["check", "memo.txt", "a", "--document", "b"], "one memo at a time: what is a for?"),
        (["check"], "Missing argument 'memo' [usage] - `ralph check --help` shows the usage"),
        (["qa", "memo.txt", "What?", "--bullets", "many"], "bullets"),
        (["qa", "memo.txt", "What?", "--max-iterations", "0"], "--max-iterations: it must be at least 1, not 0"),
        (["qa", "memo.txt", "What?", "--max-cost", "-1"], "--max-cost: it must be more than 0, not -1 ["),
        (["qa", "memo.txt", "What?", "--max-cost", "abc"], "--max-cost: it must be a number, not abc"),
        (["qa", "memo.txt", "What?", "--max-cost"], "'--max-cost' requires an argument [usage]"),
        (["trace", "list", "-n", "x"], "'-n' / '--number': Input should be a valid integer"),
        (["trace", "list", "-n", "0"], "'-n' / '--number': Input should be greater than or equal to 1"),
        (["qa", "memo.txt", "What?", "--strategy", "clever"], "strategy"),
        (["qa", "memo.txt", "What?", "--model", "anthropic:claude-x"], "needs a key"),
        (["qa", "memo.txt", "What?", "--bulets", "3"], "No such option: --bulets (Possible options: --bullets, "),
        (
            ["qa", "memo.txt", "What", "is", "due?"],
            "there is no file What [missing] - put the question in quotation marks",
        ),
        (["qua"], "No such command 'qua'. Did you mean 'qa'? [usage] - `ralph --help` shows the usage"),
        (
            ["ask", "memo.txt", "What?"],
            "memo.txt is a file and no run [usage] - a first question is put with `ralph qa",
        ),
        (["ask", "and in 2021?"], 'the question is missing [usage] - ralph ask last "and in 2021?"'),
        (["ask", "last", "What?"], "no question was put in out [no-run]"),
        (["qa", "memo.txt", "What?", "--out", "memo.txt"], "runs cannot be kept in memo.txt: no file can be made in"),
        (["qa", "memo.txt", "What?", "--out", "memo.txt/x"], "[bad-out] - choose another folder with --out"),
        (["qa", "memo.txt", "What?", "--report", "/proc/x"], "/proc/x cannot be written: no file can be made in /proc"),
        (["task", "memo.txt", "What?", "--output", "/proc/x"], "/proc/x cannot be written"),
        (["goal", "memo.txt", "What?", "--verify", "true", "--output", "/proc/x"], "/proc/x cannot be written"),
        (["check", "memo.txt", "--doc", "b", "--html", "/proc/x"], "/proc/x cannot be written"),
        (["qa", "memo.txt", "What?", "--encoding", "nonsense"], "unknown encoding 'nonsense'"),
        (["qa", "blank.txt", "What?"], "blank.txt holds nothing but blanks [empty]"),
        (["doctor", "--runtime", "nofile"], "there is no file nofile [no-runtime] - get pyodide"),
        (["models", "extra"], "unexpected extra argument(s) (extra) [usage] - `ralph models --help`"),
        (["qa", "https://example.com/a.pdf", "What?"], "does not exist [missing] - download it first"),
        (["qa", "memo.txt", "What?", "--quote-chars", "1-9"], "--quote-chars: it must begin at 4 or more"),
        (["trace", "lits"], "Did you mean 'list'? [usage] - `ralph trace --help` shows the usage"),
        (["trace", "show", "nothing"], "no runs"),
    ],
)
def test_what_a_person_can_mend_is_one_line_and_exit_code_1(
    memo: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    (memo.parent / "blank.txt").write_text(" \n")
    assert run(arguments) == 1
    out, err = capsys.readouterr()
    assert out == "" and told in err and not Path("out").exists()
    assert len(err.strip().splitlines()) == 1 and err.startswith("ralph: ") and "Traceback" not in err


def test_a_run_can_be_listed_and_shown(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["qa", str(memo), QUESTION, "--sandbox", "native", "--quiet"])
    first = capsys.readouterr().out
    assert run(["trace", "list"]) == 0
    listed = capsys.readouterr().out
    assert "passages" in listed and QUESTION in listed and len(listed.splitlines()) == 1
    assert run(["trace", "show", listed.split()[0][-6:]]) == 0
    shown = capsys.readouterr().out
    assert first.splitlines()[0] in shown and "ran code" in shown and "submitted" in shown
    assert run(["trace", "show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is None
    (whole,) = Path("out").glob(f"*/{JOURNAL_FILE}")
    with closing(Journal(Path("out") / "99999999-killed")) as journal:
        for event in [*read_events(whole.parent)][:-1]:
            journal(event)
    assert run(["trace", "list"]) == 0
    assert " killed " in capsys.readouterr().out.splitlines()[0]
    assert run(["trace", "show"]) == 0 and "the run was killed before it ended" in capsys.readouterr().out


@pytest.mark.full
def test_programs_that_are_started_at_once_keep_each_its_own_run(
    memo: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count = 50
    command = [sys.executable, "-m", "ralph_cli", "qa", str(memo), QUESTION, "--sandbox", "native", "--quiet"]
    begun = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(count)]
    assert {(program.communicate()[1], program.returncode) for program in begun} == {(b"", 0)}
    assert run(["trace", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert len(listed["runs"]) + listed["older"] == count == len(read_index(Path("out"))["sessions"])
    for folder in Path("out").glob(f"*/{JOURNAL_FILE}"):
        assert isinstance([*read_events(folder.parent)][-1], RunHalted)


def test_every_way_to_stop_has_its_exit_code() -> None:
    codes = {stop.value: exit_code(stop) for stop in StopType}
    assert {name for name, code in codes.items() if code == 0} == {"completion", "passages"}
    assert {name for name, code in codes.items() if code == 4} == {"timeout", "max_cost", "max_calls", "max_tokens"}
    assert (codes["absent"], codes["user_interrupted"], codes["system_error"]) == (3, 130, 1)
    others = {"max_iterations", "stalled", "regressing", "unjudged", "score_threshold", "max_consecutive_failures"}
    assert {codes[name] for name in others} == {2}


LOOK = {"act": {"code": "find('ends')"}}
GOOD = {"act": {"claims": [{"text": "It ends on 31 March 2031.", "quotes": ["ends on 31 March 2031"]}]}}
WRONG = {"act": {"claims": [{"text": "It ends on 31 March 2032.", "quotes": ["ends on 31 March 2032"]}]}}


def verdict(word: str) -> dict[str, str]:
    return {"text": json.dumps({"verdicts": [{"id": 1, "verdict": word, "reason": "the year is another"}]})}


@pytest.mark.parametrize(
    ("worker", "judge", "code", "told"),
    [
        ([LOOK, WRONG, GOOD], [verdict("supported")], 0, "Accepted"),
        ([LOOK, GOOD, LOOK, GOOD], [verdict("not"), verdict("supported")], 0, "2 iterations"),
        ([LOOK, GOOD, GOOD], [verdict("not"), verdict("not")], 2, "Not accepted (stalled)"),
        ([LOOK, GOOD], [{"error": "overloaded"}], 2, "Unjudged"),
        ([LOOK, {"act": {"not_found": {"searched": ["garden"]}}}], [{"text": ABSENT.text}], 3, "garden: 0"),
        ([LOOK], [], 1, ""),
    ],
    ids=["repaired quote", "repaired claim", "never passes", "judge fails", "absent", "script ends"],
)
def test_scripted_runs_end_with_their_exit_codes(
    memo: Path, capsys: pytest.CaptureFixture[str], worker: list[object], judge: list[object], code: int, told: str
) -> None:
    (memo.parent / "worker.json").write_text(json.dumps(worker))
    (memo.parent / "judge.json").write_text(json.dumps(judge))
    models = ["--model", "scripted:worker.json", "--judge-model", "scripted:judge.json"]
    assert run(["qa", "memo.txt", QUESTION, *models, "--sandbox", "native", "--strategy", "rlm"]) == code
    out, err = capsys.readouterr()
    assert told in out and "Traceback" not in err
    assert run(["trace", "show"]) == 0


def test_a_script_that_is_none_is_refused(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (memo.parent / "bad.json").write_text('[{"act": {}}, {"say": "x"}]')
    assert run(["qa", "memo.txt", QUESTION, "--model", "scripted:bad.json"]) == 1
    assert "reply 2" in capsys.readouterr().err


@pytest.fixture
def silent_server() -> Iterator[int]:
    """A server that takes every request and never answers; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("sent", "code"), [(signal.SIGINT, 130), pytest.param(signal.SIGHUP, 129, marks=pytest.mark.full)]
)
def test_ctrl_c_leaves_a_usable_trace_and_says_where(
    memo: Path, silent_server: int, sent: signal.Signals, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"http://127.0.0.1:{silent_server}"
    environ = {**os.environ, "RALPH_CACHE_DIR": str(REAL_CACHE), "PYTHONPATH": str(Path(__file__).parents[2])}
    environ |= {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": address, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "ralph_cli", "qa", "memo.txt", QUESTION, "--strategy", "rlm"]
    command += ["--sandbox", "native"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    child = subprocess.Popen(command, env=environ, **pipes)  # type: ignore[call-overload]
    try:
        for line in child.stderr:
            if "explores the text" in line:
                break
        time.sleep(0.5)
        child.send_signal(sent)
        out, err = child.communicate(timeout=30)
    finally:
        child.kill()
    assert child.returncode == code, err
    assert "ralph trace show" in out and "ralph trace resume" in out and "Traceback" not in err
    assert run(["trace", "show"]) == 0
    assert "Stopped (user_interrupted)" in capsys.readouterr().out


AT_IMPORT = """
import os, signal, sys

class Lost:
    def __del__(self):
        raise KeyboardInterrupt

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            Lost() if {lost} else os.kill(os.getpid(), signal.SIGINT)
            for _ in range(500 if {lost} else 0):
                time.sleep(0.01)

import time
sys.meta_path.insert(0, Finder())
sys.argv = ["ralph", "qa", "memo.txt", "What is due?"]
from ralph_cli.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("module", "lost"),
    [("typer", False), ("ralph_cli.commands.app", False), ("ralph_cli.config", False), ("ralph_cli.api", True)],
)
def test_ctrl_c_while_it_is_loaded_is_one_line(memo: Path, module: str, lost: bool) -> None:
    """Also when the interrupt is raised where exceptions are swallowed: then it comes again."""
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    program = AT_IMPORT.format(module=module, lost=lost)
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 130 and done.stdout == "", done.stderr
    assert done.stderr.startswith("ralph: interrupted") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["--help"], ["trace", "list"]])
def test_a_reader_that_leaves_is_no_error(memo: Path, command: list[str]) -> None:
    assert run(["qa", str(memo), QUESTION, "--sandbox", "native", "--quiet"]) == 0
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    reading, writing = os.pipe()
    os.close(reading)
    program = [sys.executable, "-m", "ralph_cli", *command]
    done = subprocess.run(program, env=environ, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("ralph 0.")


KEEP_OR_GIVE_BACK = """
import sys
from ralph_cli.commands.parameters.options import source_of


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4_096


def take_and_free(megabytes):
    whole = bytearray(megabytes * 1_000_000)
    del whole


if sys.argv[1] == "document":
    source_of("report.pdf")
before = resident()
take_and_free(20)  # behind the first one glibc takes others of its size from what it keeps
take_and_free(10)
print((resident() - before) // 1_000_000)
"""


@pytest.mark.skipif("CS_GNU_LIBC_VERSION" not in os.confstr_names, reason="another library than glibc")
def test_memory_of_a_long_document_is_given_back_when_it_is_freed() -> None:
    def kept(what: str) -> int:
        command = [sys.executable, "-c", KEEP_OR_GIVE_BACK, what]
        return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    assert kept("nothing") > 5 and kept("document") < 3
