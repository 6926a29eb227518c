"""`ralph ask` and `ralph chat`: a person at a terminal, and a script with questions on standard input."""

import contextlib
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import ABSENT

from ralph_cli.commands.app import run

ROOT = Path(__file__).parents[3]
QUESTION, FURTHER = "When does the lease end?", "And when is the rent due?"
MEMO = "The lease of the north hall ends on 31 March 2031.\nThe rent is due on the first day of each month.\n" * 3
END = {"text": "The lease ends on 31 March 2031.", "quotes": ["The lease of the north hall ends on 31 March 2031."]}
RENT = {
    "text": "The rent is due on the first of a month.",
    "quotes": ["The rent is due on the first day of each month."],
}
NATIVE = ["--sandbox", "native"]
PLAYED = ["--model", "scripted:worker.json", "--judge-model", "scripted:judge.json", "--strategy", "rlm", *NATIVE]


@pytest.fixture
def memo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memo in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "memo.txt"
    path.write_text(MEMO, encoding="utf-8")
    return path


def script(*acts: object, verdict: str = "supported") -> None:
    """What worker and judge say in the next run."""
    ruling = {"id": 1, "verdict": verdict, "reason": "because"}
    Path("worker.json").write_text(json.dumps([{"act": act} for act in acts]))
    Path("judge.json").write_text(json.dumps([{"text": json.dumps({"verdicts": [ruling]})}] * 9))


def test_ask_has_the_exit_codes_and_the_object_of_a_question(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script({"code": "rent = find('rent')"}, {"claims": [END]})
    assert run(["qa", "memo.txt", QUESTION, *PLAYED, "--quiet"]) == 0
    capsys.readouterr()
    script({"claims": [RENT]})
    assert run(["ask", "last", FURTHER, *PLAYED, "--json", "--quiet"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["follows"]["questions"] == [QUESTION] and first["claims"][0]["text"] == RENT["text"]
    script({"code": "find('parking|lease|rent|hall|month')"}, {"not_found": {"searched": ["parking"], "note": "None."}})
    Path("judge.json").write_text(json.dumps([{"text": ABSENT.text}]))
    # By the end of its name, and by its folder.
    assert run(["ask", first["run"]["id"][-6:], "And the parking?", *PLAYED, "--quiet"]) == 3
    script(*[{"claims": [RENT]}] * 9, verdict="not")
    report = ["--report", "report.html", "--max-iterations", "1"]
    assert run(["ask", first["run"]["folder"], "Say it again", *PLAYED, *report]) == 2
    assert f"Follows on “{QUESTION}”, “{FURTHER}”" in Path("report.html").read_text()
    script()
    assert run(["ask", "last", "And then?", *PLAYED, "--max-calls", "1", "--max-time", "0.000001"]) == 4


def test_what_is_wrong_is_one_line(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script({"code": "find('rent')"}, {"claims": [END]})
    assert run(["qa", "memo.txt", QUESTION, *PLAYED, "--quiet"]) == 0
    capsys.readouterr()
    for text, words, told in (
        (MEMO, ["last", FURTHER], "[script-in-record] - if you know the file: name it again (--model, --judge-model)"),
        (MEMO, ["last", FURTHER, *PLAYED, "--document", "no.txt"], "no.txt"),
        (MEMO, ["nobody", FURTHER], "no run in out matches 'nobody'"),
        (MEMO, ["last", " ", *PLAYED], "the question is empty"),
        ("Another text.", ["last", FURTHER, *PLAYED], "memo.txt is not the document of that run any more"),
    ):
        memo.write_text(text)
        assert run(["ask", *words, "--quiet"]) == 1
        out, err = capsys.readouterr()
        assert out == "" and len(err.splitlines()) == 1 and told in err, err


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_piped_questions_follow_on_one_another_and_results_alone_are_printed(
    memo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script({"code": "find('rent')"}, {"claims": [END]})
    type_in(monkeypatch, QUESTION, "", "/1", FURTHER, "/7", "/what", "/cost", "/new", "/e", QUESTION)
    assert run(["chat", "memo.txt", *PLAYED]) == 0
    out, err = capsys.readouterr()
    assert out.count(END["text"]) == 3 and out.count("Follows on") == 1 and f"> {FURTHER}\n" in out
    assert "[1] line 1\n    The lease of the north hall ends on 31 March 2031.\n    The rent is due" in out
    assert "all of 2 questions: 6 model calls, " in out
    for told in ("the last answer has no quote 7", "there is no /what", "nothing was asked yet"):
        assert told in err and told not in out


def test_each_question_is_an_object_on_a_line_and_a_failed_one_ends_nothing(
    memo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script({"code": "find('rent')"}, {"claims": [END]})
    type_in(monkeypatch, "x" * 20_001, QUESTION, FURTHER, "/quit", "never asked")
    assert run(["chat", "memo.txt", *PLAYED, "--json", "--quiet"]) == 2
    out, err = capsys.readouterr()
    told = [json.loads(line) for line in out.splitlines()]
    assert [(item["question"], item["ok"]) for item in told] == [(QUESTION, True), (FURTHER, True)]
    assert told[1]["follows"] == {"run": told[0]["run"]["id"], "questions": [QUESTION]}
    assert "20,001 characters" in err


def test_chat_refuses_what_cannot_be_asked_before_anybody_types(
    memo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, told in (
        ([], "the document is missing"),
        (["-"], "standard input has the questions"),
        (["no.txt"], "no.txt"),
        (["memo.txt", "--model", "anthropic:claude-x"], "needs a key"),
    ):
        type_in(monkeypatch, QUESTION)
        assert run(["chat", *words]) == 1
        assert told in capsys.readouterr().err


def test_bytes_that_are_no_text_are_one_line(memo: Path) -> None:
    script({"code": "find('rent')"}, {"claims": [END]})
    command = [sys.executable, "-m", "ralph_cli", "chat", "memo.txt", *PLAYED, "--quiet"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8:strict"}
    for given, code, told in (
        (b"What\xff?\n", 1, "standard input is not UTF-8 [bad-input]"),
        (b"What \x00 \x1b[31m is it?\r\n", 0, ""),
    ):
        done = subprocess.run(command, input=given, env=environ, capture_output=True, check=False)
        assert done.returncode == code and told in done.stderr.decode(), done.stderr
        assert b"Traceback" not in done.stderr and b"\x1b" not in done.stdout


class Terminal:
    """`ralph chat` as a person has it, on a pseudo-terminal."""

    def __init__(self, *words: str) -> None:
        self._master, slave = pty.openpty()
        command = [sys.executable, "-m", "ralph_cli", "chat", *words]
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb", "COLUMNS": "100"}
        self.child = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environ, start_new_session=True, preexec_fn=self._own
        )
        os.close(slave)
        self.seen = ""

    @staticmethod
    def _own() -> None:
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def wait_for(self, is_there: Callable[[str], bool]) -> str:
        """What was printed since the last time, once it is so."""
        found = self._look_for(is_there, 90)
        return pytest.fail(f"not seen: {self.seen}") if found is None else found

    def interrupt(self, keys: str, is_there: Callable[[str], bool]) -> str:
        """The same, of what Ctrl-C behind some keys brings about: one that comes just before it waits is not seen."""
        for pressed in (f"{keys}\x03", *["\x03"] * 3):
            self.press(pressed)
            if (found := self._look_for(is_there, 25)) is not None:
                return found
        return pytest.fail(f"not seen: {self.seen}")

    def _look_for(self, is_there: Callable[[str], bool], seconds: float) -> str | None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_there(self.seen):
                found, self.seen = self.seen, ""
                return found
            if select.select([self._master], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self._master, 65_536).decode("utf-8", "replace")
                except OSError:  # the other side is closed
                    return self.seen if is_there(self.seen) else None
        return None

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def end(self, number: int) -> int:
        """The exit code once signals of that number have ended it: one that comes just before it waits is not seen."""
        for _ in range(60):
            os.kill(self.child.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.child.wait(timeout=1)
        pytest.fail("it goes on")

    def close(self) -> None:
        if self.child.poll() is None:
            os.kill(self.child.pid, signal.SIGKILL)
        self.child.wait()
        os.close(self._master)


@pytest.mark.parametrize("is_at_work", [False, True])
def test_sigterm_ends_a_prompt(memo: Path, is_at_work: bool) -> None:
    script({"code": "import time\ntime.sleep(25)"}, {"claims": [END]})
    terminal = Terminal("memo.txt", *PLAYED)
    try:
        terminal.wait_for(lambda seen: seen.endswith("> "))
        if is_at_work:
            terminal.press(f"{QUESTION}\n")
            terminal.wait_for(lambda seen: "running code" in seen)
        assert terminal.end(signal.SIGTERM) == 128 + signal.SIGTERM
    finally:
        terminal.close()


def test_ctrl_c_stops_an_answer_and_keeps_the_prompt(memo: Path) -> None:
    script({"code": "import time\ntime.sleep(25)"}, {"claims": [END]})
    terminal = Terminal("memo.txt", *PLAYED, "--history", "typed.txt")
    try:
        terminal.wait_for(lambda seen: seen.endswith("> "))
        terminal.press(f"{QUESTION}\n")
        terminal.wait_for(lambda seen: "running code" in seen)
        terminal.press("\x03")
        assert "user_interrupted" in terminal.wait_for(lambda seen: seen.endswith("\n> "))
        script({"code": "find('rent')"}, {"claims": [END]})
        told = terminal.interrupt("half a line", lambda seen: seen.endswith("\n> "))
        assert "Ctrl-D or /quit ends" in told
        terminal.press("\x1b[A\n")  # the key for the line before
        shown = terminal.wait_for(lambda seen: seen.endswith("\n> "))
        assert QUESTION in shown and f"- {END['text']} [1] ✓" in shown and "“" not in shown.split("✓")[0]
        terminal.press("/e\n")
        assert f"“{END['quotes'][0]}”" in terminal.wait_for(lambda seen: seen.endswith("\n> "))
        terminal.press("\x04")
        assert terminal.child.wait(timeout=30) == 2
        assert Path("typed.txt").read_text().splitlines()[:1] == [QUESTION]
    finally:
        terminal.close()
