"""Deleting runs: what is named or old goes, with all that it holds; nothing else does."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from fakes import FakeSandbox
from test_ask import MEMO
from test_resume import Paying, cut_off

from ralph_cli.api import ask
from ralph_cli.commands.app import run
from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.journal.copies import COPIES, copied_runs
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.journal.traces import read_index
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.runs.resuming.resume import resume


def test_a_run_and_old_runs_are_deleted_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    settings = Settings(out=out)
    old = []
    monkeypatch.setattr(clock, "now", lambda: "2026-01-01T00:00:00.000Z")
    for _ in range(3):
        old.append(ask(MEMO, "What is the rent?", settings=settings, engine=FakeSandbox).folder)
    monkeypatch.undo()
    new = [ask(MEMO, "What is the rent?", settings=settings, engine=FakeSandbox).folder for _ in range(2)]
    elsewhere = old[0].rename(tmp_path / "elsewhere")
    old[0].symlink_to(elsewhere)
    (out / "memory").mkdir()
    where = ["--out", str(out)]

    def delete(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = run(["trace", "delete", *words, *where])
        return code, " ".join(capsys.readouterr())

    for words, why in (((), "name one run"), (("x", "--older-than", "1d"), "name one run"), (("2026",), "match")):
        code, said = delete(*words)
        assert code == 1 and why in said
    for age in ("90", "d", "-1d", "1y", ""):
        assert delete("--older-than", age)[0] == 1
    with closing(Journal(old[1])):
        assert "still working" in delete(old[1].name)[1]
        assert delete("--older-than", "30d") == (0, f"{old[2].name}\n1 run deleted\n ")
    assert "symbolic link" in delete(old[0].name)[1] and elsewhere.is_dir()
    assert delete(new[0].name) == (0, f"{new[0].name}\n1 run deleted\n ")
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == sorted(
        (old[0].name, old[1].name, new[1].name, "memory")
    )
    assert sorted(read_index(out)["sessions"]) == sorted((old[0].name, old[1].name, new[1].name))


def test_its_copies_go_with_a_run_and_who_went_on_with_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    settings = Settings(out=out, strategy="rlm")
    whole = ask(MEMO, "What is the rent?", settings=settings, models=Paying().models(), engine=FakeSandbox)
    events = tuple(read_events(whole.folder))
    cut = cut_off(events, len(events) - 2, out / "20260101-cut[1]")
    whole.folder.rename(elsewhere)
    after = resume(cut, settings=settings, document=MEMO, models=Paying().models(), engine=FakeSandbox)
    shutil.copytree(after.folder, elsewhere / "run")
    shutil.copytree(after.folder, out / "foreign", ignore=shutil.ignore_patterns(COPIES))
    (out / "foreign" / COPIES).symlink_to(elsewhere / "run" / COPIES)
    (out / "link").symlink_to(elsewhere / "run")
    kept = sorted(elsewhere.rglob("*"))

    def delete(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return run(["trace", "delete", *words, "--out", str(out)]), *capsys.readouterr()

    assert [copy.name for copy in copied_runs(after.folder)] == [cut.name]
    with closing(Journal(after.folder)):
        assert "still working" in delete(cut.name)[2]
        assert delete("--older-than", "0h")[:2] == (0, "foreign\n1 run deleted\n")
    assert (cut / JOURNAL_FILE).is_file() and len(copied_runs(after.folder)) == 1
    code, said, note = delete(cut.name)
    assert (code, said) == (0, f"{cut.name}\n1 run deleted\n") and f"its copy in {after.run}, which" in note
    assert not cut.exists() and not copied_runs(after.folder) and sorted(elsewhere.rglob("*")) == kept
    assert not replay(after.folder, settings=settings, document=MEMO).difference
