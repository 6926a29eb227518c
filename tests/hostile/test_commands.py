"""Files whose names hold what a terminal, a browser or a spreadsheet obeys, through every command that tells them."""

import re
from pathlib import Path

import pytest

from ralph_cli.commands.app import run

NAMES = (
    "\x1b[2J\x1b]8;;http:evil.example\x07.txt",
    "=1+1\u202e\n<script>alert(1)<b>.md",
    "![x](http:evil.example).txt",
)
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]")


def test_no_command_tells_a_name_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RALPH_CACHE_DIR", str(tmp_path / "cache"))
    deal = tmp_path / "deal"
    deal.mkdir()
    for number, name in enumerate(NAMES, 4):
        (deal / name).write_text(f"The storage fee of hall {number} was {number}9,500 in 2019.\n")
    (deal / f"{NAMES[0]}.pdf").write_text("broken")
    (tmp_path / "memo.md").write_text('The annex says "The storage fee of hall 4 was 49,500 in 2019".\n')
    shown = ""
    for arguments in (
        ["ls", "deal"],
        ["ls", "deal", "--json"],
        ["qa", "deal", "What was the storage fee of hall 5 in 2019?"],
        ["trace", "list"],
        ["trace", "show"],
        ["trace", "show", "--json"],
        ["verify"],
        ["verify", "--json"],
        ["trace", "report", "--html", "r.html", "--md", "r.md", "--csv", "r.csv"],
        ["check", "memo.md", "--doc", "deal"],
        ["qa", f"deal/{NAMES[0]}.pdf", "What?"],
    ):
        code = run(arguments)
        out = capsys.readouterr()
        assert code in (0, 1, 2) and "Traceback" not in out.err, (arguments, out.err)
        assert out.out or out.err
        shown += out.out + out.err
    shown += "".join((tmp_path / name).read_text("utf-8-sig") for name in ("r.html", "r.md", "r.csv"))
    assert ("evil.example" in shown and "\\u{1b}" in shown) or "\\x1b" in shown
    assert not (found := OBEYED.search(shown)), shown[max(found.start() - 60, 0) :][:120]
    assert "<script>alert" not in (tmp_path / "r.html").read_text()
