"""Files that a command writes: what ralph wrote is replaced, anything else only with --force."""

import re
from pathlib import Path

import pytest

from ralph_cli.commands.app import run
from ralph_cli.commands.parameters.files import replacing
from ralph_cli.core.errors import UserError

MEMO = 'The lease says that it "ends on 31 March 2031".\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RALPH_CACHE_DIR", str(tmp_path / "cache"))
    Path("lease.txt").write_text("The lease of the north hall ends on 31 March 2031.\n")
    Path("memo.md").write_text(MEMO)
    return tmp_path


def check(*more: str) -> int:
    return run(["check", "memo.md", "--doc", "lease.txt", "--html", "out.html", "-q", *more])


def without_time(path: Path) -> str:
    return re.sub(r"\d\d:\d\d:\d\d", "", path.read_text())


def test_a_report_is_written_over_until_somebody_else_has_written_there(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check() == 0 and check() == 0
    first = without_time(Path("out.html"))
    Path("out.html").write_text("mine")
    assert check() == 1 and Path("out.html").read_text() == "mine"
    _, err = capsys.readouterr()
    assert "was not written by ralph [file-exists]" in err and "--force" in err
    assert check("--force") == 0 and without_time(Path("out.html")) == first
    assert check() == 0


def test_what_was_not_written_does_not_become_ralphs(folder: Path) -> None:
    theirs = folder / "notes.txt"
    theirs.write_text("theirs")
    with replacing((theirs, None), folder / "cache", force=True):
        pass  # nothing was accepted, so nothing was written
    with (
        pytest.raises(UserError, match="exists and was not written by ralph"),
        replacing((theirs,), folder / "cache", force=False),
    ):
        pass


def test_a_file_that_is_empty_or_none_is_in_nobodys_way(folder: Path) -> None:
    (folder / "empty").touch()
    with replacing((folder / "empty", folder / "none"), folder / "cache", force=False):
        (folder / "none").write_text("new")
    with replacing((folder / "none",), folder / "cache", force=False):
        (folder / "none").write_text("newer")
