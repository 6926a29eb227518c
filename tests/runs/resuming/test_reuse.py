"""Answers that are known: asked again in the same way they cost nothing, and nobody else's word is taken for one."""

import json
import shutil
from pathlib import Path

import pytest
import test_task
from journal.forging import rechain, rewritten
from test_ask import LOOK, MEMO, RENT, verdicts

from ralph_cli.commands.app import run
from ralph_cli.config import Settings
from ralph_cli.runs import reuse
from ralph_cli.runs.history import read_run
from ralph_cli.runs.verifying.verify import verify

QUESTION = "What is the rent?"
FLAGS = [
    "--model", "scripted:worker.json", "--judge-model", "scripted:judge.json", "--subquery-model", "offline",
    "--sandbox", "native", "--strategy", "rlm",
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a memo and scripts, which stand for models here whose replies are the same each time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RALPH_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(reuse, "_NEVER_REUSED", ("offline",))
    (tmp_path / "memo.txt").write_text(MEMO.text)
    (tmp_path / "worker.json").write_text(json.dumps([{"act": LOOK}, {"act": {"claims": [RENT]}}]))
    (tmp_path / "judge.json").write_text(json.dumps([{"text": verdicts((1, "supported")).text}]))
    return tmp_path


def ask(*more: str, question: str = QUESTION) -> int:
    """Ask at the command line; returns how many calls were made."""
    before = set(Path("out").glob("*-qa-*"))
    assert run(["qa", "memo.txt", question, *FLAGS, *more]) in (0, 2)
    (made,) = set(Path("out").glob("*-qa-*")) - before
    return read_run(made).view.usage.calls


def test_what_was_answered_costs_nothing_and_says_when(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask() == 3
    first = capsys.readouterr().out
    for name in ("worker.json", "judge.json"):
        (folder / name).rename(folder / f"{name}.away")
    for _ in range(2):  # what was taken over is not taken over in its turn: the same run is named
        assert ask("--max-time", "300") == 0
        out, err = capsys.readouterr()
        assert "answered on 20" in out + err and "--refresh asks again" in out + err
        assert RENT["text"] in out and RENT["quotes"][0] in out and "$" in first
    again = max(Path("out").glob("*-qa-*"))
    assert verify(again, settings=Settings(out=folder / "out", cache=folder / "cache")).holds
    assert run(["qa", "memo.txt", QUESTION, "--json", "-q", *FLAGS]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is True and told["usage"]["calls"] == 0 and any("answered on" in said for said in told["notices"])
    for name in ("worker.json", "judge.json"):
        (folder / f"{name}.away").rename(folder / name)
    assert ask("--refresh") == 3


def test_any_other_way_of_asking_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask() == 3
    assert ask(question="What is the yearly rent?") == 3
    assert ask("--bullets", "1-3") == 3
    assert ask() == 0
    monkeypatch.setattr("ralph_cli.runs.execute.prompt_digests", lambda: {"worker_system": "another"})
    assert ask() == 3
    monkeypatch.setattr("ralph_cli.runs.execute.__version__", "9.9.9")
    assert ask() == 3
    (folder / "memo.txt").write_text(MEMO.text + "It is amended.\n")
    assert ask() == 3
    (folder / "judge.json").write_text(json.dumps([{"text": verdicts((1, "not")).text}] * 4))
    (folder / "worker.json").write_text(json.dumps([{"act": LOOK}, {"act": {"claims": [RENT]}}] * 4))
    assert ask("--bullets", "1-2", "--max-iterations", "1") > 0
    assert ask("--bullets", "1-2", "--max-iterations", "1") > 0  # what was refused is no answer


def test_a_further_question_is_known_only_as_one_on_the_same_run(folder: Path) -> None:
    assert ask() == 3
    (first,) = Path("out").glob("*-qa-*")
    (folder / "worker.json").write_text(json.dumps([{"act": {"claims": [RENT]}}]))

    def further(run_name: str) -> int:
        before = set(Path("out").glob("*-qa-*"))
        assert run(["ask", run_name, "And a year?", *FLAGS]) == 0
        (made,) = set(Path("out").glob("*-qa-*")) - before
        return read_run(made).view.usage.calls

    assert further(first.name) == 2
    second = max(Path("out").glob("*-qa-*"))
    assert further(first.name) == 0
    again = max(Path("out").glob("*-qa-*"))
    assert read_run(again).view.follows == read_run(second).view.follows
    # On another run, or by itself, it is another question.
    assert further(second.name) == 2
    (folder / "worker.json").write_text(json.dumps([{"act": LOOK}, {"act": {"claims": [RENT]}}]))
    assert ask(question="And a year?") == 3
    # What was taken over has no conversation, and is followed by what is told of it.
    assert further(again.name) == 3


@pytest.mark.parametrize("whose", ["another machine's", "changed", "without a seal", "a link", "no quote of it"])
def test_only_a_run_of_this_machine_is_an_answer(folder: Path, whose: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask() == 3
    (found,) = Path("out").glob("*-qa-*")
    if whose == "another machine's":
        (folder / "cache" / "runs.key").write_text("ab" * 32)
    elif whose == "changed":
        rechain(rewritten(found, "UPDATE event SET body = replace(body, '$48,000', '$84,000')"))
    elif whose == "without a seal":
        rewritten(found, "UPDATE event SET seal = ''")
    elif whose == "a link":
        found.rename("moved")
        found.symlink_to(folder / "moved")
    else:
        monkeypatch.setattr(reuse, "_terms", lambda started: {})  # as if another document had the same hash
        (folder / "memo.txt").write_text("." + MEMO.text)
    assert ask() == 3


def test_a_task_is_answered_from_its_record_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "memo.txt").write_text(test_task.LEASE.text)
    acts = [{"act": test_task.LOOK}, {"act": {"claims": [test_task.RENT]}}, {"text": test_task.result().text}]
    (folder / "worker.json").write_text(json.dumps(acts))
    (folder / "judge.json").write_text(json.dumps([{"text": test_task.OK.text}]))
    words = ["task", "memo.txt", "Say what the tenant pays.", *FLAGS]
    assert run(words) == 0
    first = capsys.readouterr().out
    shutil.rmtree(folder / "out" / "memory")
    (folder / "worker.json").write_text("[]")
    assert run(words) == 0
    out, err = capsys.readouterr()
    assert test_task.GOOD in first and test_task.GOOD in out and "answered on" in out + err
