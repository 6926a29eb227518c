"""What reviewers say of a run is kept beside it, never in it, and stands in every form of the result."""

import csv
import io
import json
import os
from pathlib import Path

import pytest
from fakes import FakeSandbox
from test_ask import MEMO

from ralph_cli.api import ask, make_table
from ralph_cli.commands.app import run
from ralph_cli.config import Settings
from ralph_cli.core.errors import JournalError, UserError
from ralph_cli.core.results.review import Mark, standing_reviews
from ralph_cli.core.results.table import TableQuestion
from ralph_cli.journal.reviews import MOST_CHARACTERS, add_review, read_reviews, reviews_file
from ralph_cli.runs.history import read_run
from ralph_cli.table.outputs import write_table

WORDS = "rent is <b>$4,100</b>, see clause 9"


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return ask(MEMO, "What is the rent?", settings=Settings(out=tmp_path / "out"), engine=FakeSandbox).folder


def test_each_reviewers_last_word_counts_and_the_run_stays_as_it_was(asked: Path) -> None:
    before = {path.name: path.read_bytes() for path in asked.iterdir()}
    for by, mark, claim in (("Ann", "wrong", 0), ("Bo", "confirmed", 1), ("Ann", "confirmed", 0), ("Bo", "wrong", 2)):
        add_review(asked, by=by, mark=Mark(mark), claim=claim)
    add_review(asked, by=" Bo\n", mark=Mark.WITHDRAWN, claim=1)
    assert {path.name: path.read_bytes() for path in asked.iterdir()} == before
    assert len(read_reviews(asked)) == 5
    assert [(r.by, r.mark, r.claim) for r in standing_reviews(read_reviews(asked))] == [
        ("Ann", "confirmed", 0),
        ("Bo", "wrong", 2),
    ]
    assert reviews_file(asked).stat().st_mode & 0o077 == 0


def test_what_is_no_review_is_refused_and_a_damaged_file_costs_no_report(asked: Path) -> None:
    for words in (
        {"by": "Ann", "mark": Mark.CORRECTED, "correction": " "},
        {"by": " ", "mark": Mark.WRONG},
        {"by": "Ann", "mark": Mark.WRONG, "note": "x" * (MOST_CHARACTERS + 1)},
        {"by": "Ann", "mark": Mark.WRONG, "claim": -1},
    ):
        with pytest.raises(UserError):
            add_review(asked, **words)
    assert not reviews_file(asked).exists()
    add_review(asked, by="Ann", mark=Mark.WRONG)
    with reviews_file(asked).open("a") as file:
        file.write('{"by": "Eve"}\n')
    with pytest.raises(JournalError, match=r"line 2 of .* is not a review"):
        read_reviews(asked)
    view = read_run(asked).view
    assert view.reviews == () and any("reviews could not be read" in notice for notice in view.notices)


def test_reviews_are_read_of_a_file_that_is_there_and_no_other(asked: Path, tmp_path: Path) -> None:
    path = reviews_file(asked)
    os.mkfifo(path)
    assert read_reviews(asked) == ()  # without waiting for somebody to write into it
    with pytest.raises(JournalError, match="cannot be written"):
        add_review(asked, by="Ann", mark=Mark.WRONG)
    path.unlink()
    add_review(asked, by="Ann", mark=Mark.WRONG)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalError, match="cannot be read"):
        read_reviews(asked)


def test_a_review_stands_in_every_form_of_a_run(
    asked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    add_review(asked, by="Ann", mark=Mark.CORRECTED, correction=WORDS)
    where = ["--out", str(asked.parent)]
    capsys.readouterr()
    for command in (["trace", "show"], ["trace", "show", "--json"]):
        run([*command, *where])
        assert "corrected" in (told := capsys.readouterr().out) and "see clause 9" in told
    for option in ("html", "md", "csv"):
        target = tmp_path / f"report.{option}"
        assert run(["trace", "report", *where, f"--{option}", str(target)]) == 0
        assert "corrected by Ann" in (told := target.read_text()) and "see clause 9" in told
        assert option != "html" or "<b>$4,100" not in told
    assert reviews_file(asked).is_file()
    assert run(["trace", "delete", asked.name, *where]) == 0
    assert not list(asked.parent.glob(f"*{asked.name}*"))


def test_a_review_of_a_cell_stands_in_every_form_of_the_table(tmp_path: Path) -> None:
    asked = [
        TableQuestion(id="rent", question="What is the rent?"),
        TableQuestion(id="due", question="When is it due?"),
    ]
    folder, memo = tmp_path / "table", tmp_path / "memo.txt"
    memo.write_text(MEMO.text)
    make_table(asked, memo, folder=folder, settings=Settings(out=tmp_path / "out"), engine=FakeSandbox)
    first = write_table(folder, Settings())
    cell = next(cell for cell in first.table if cell.question == "rent")
    run = next(folder.glob(f"runs/*/{cell.run}"))
    add_review(run, by="Ann", mark=Mark.WRONG, note="see clause 9")
    add_review(run, by="Bo", mark=Mark.CORRECTED, claim=1, correction="=4,800*10")

    written = write_table(folder, Settings())
    told = {name: path.read_bytes() for name, path in written.files.items() if path.is_file()}
    for name in ("html", "cells", "jsonl", "md"):
        assert b"see clause 9" in told[name], name
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(told["xlsx"]))
    head, *reviews = (dict(zip(next(book["Reviews"].values), row, strict=True)) for row in book["Reviews"].values)
    told_of = ("State", "Claim", "Mark", "What is right", "Note", "By")
    assert [tuple(review[name] for name in told_of) for review in reviews] == [
        ("passages only", None, "wrong", None, "see clause 9", "Ann"),
        ("passages only", "1", "corrected", "=4,800*10", None, "Bo"),
    ]
    right = book["Reviews"].cell(3, list(head).index("What is right") + 1)
    assert right.data_type == "s" and right.quotePrefix
    rows = {row["id"]: row["reviews"] for row in csv.DictReader(io.StringIO(told["cells"].decode("utf-8-sig")))}
    assert "wrong by Ann" in rows["rent"] and rows["due"] == ""
    lines = [json.loads(line) for line in told["jsonl"].splitlines()]
    assert [[r["mark"] for r in line["reviews"]] for line in lines] == [["wrong", "corrected"], []]
    # The page of the cell's evidence is made anew, and only that one.
    assert written.made >= 1 and "see clause 9" in (folder / cell.evidence if cell.evidence else next(
        folder.glob("evidence/*/rent.html"))).read_text()  # fmt: skip
