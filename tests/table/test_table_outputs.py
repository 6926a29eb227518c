"""The files of a table on disk: evidence of each cell, made once; what is missing is told and costs nothing else."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeSandbox, hand_in
from runs.test_ask import verdicts

from ralph_cli.api import make_table
from ralph_cli.commands.app import run as run_command
from ralph_cli.commands.table import exit_code
from ralph_cli.config import Settings
from ralph_cli.core.errors import UserError
from ralph_cli.core.model import Model
from ralph_cli.core.results.table import Table, TableQuestion
from ralph_cli.core.run import StopType
from ralph_cli.providers.scripted import ScriptedModel
from ralph_cli.table.outputs import FILES, write_table

QUESTIONS = (
    TableQuestion(id="staff", question="How many employees were there at year end?"),
    TableQuestion(id="../../up", question="By how many did they rise?"),
)
CLAIM = {"text": "Employees rose by 157 to 4,812.", "quotes": ["The number of employees rose by 157 to 4,812"]}
HOSTILE = "=1+1<img src=x>.md"


@pytest.fixture
def deal(tmp_path: Path, pdf: Callable[..., Path]) -> Path:
    folder = tmp_path / "deal"
    folder.mkdir()
    pages = [[(72, 720, "Annual report")], [(72, 720, "The number of employees rose by 157 to 4,812.")]]
    pdf(*pages).rename(folder / "report.pdf")
    (folder / HOSTILE).write_text("# Staff\n\nThe number of employees rose by 157 to 4,812.\n")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    return folder


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(out=tmp_path / "out", cache=tmp_path / "cache", strategy="rlm")


def filled(deal: Path, settings: Settings, *, questions: tuple[TableQuestion, ...] = QUESTIONS, **more: Any) -> Table:
    worker = ScriptedModel(lambda _: hand_in(CLAIM), vendor="a")
    judge = ScriptedModel(lambda _: verdicts((1, "supported")), vendor="b")
    models: dict[str, Model] = {"worker": worker, "judge": judge, "subquery": ScriptedModel([])}
    return make_table(
        questions,
        deal,
        folder=deal.parent / "table",
        settings=settings,
        models=models,
        engine=FakeSandbox,
        jobs=1,
        **more,
    )


def test_each_cell_has_its_proof_and_what_failed_says_so(deal: Path, settings: Settings) -> None:
    filled(deal, settings)
    folder = deal.parent / "table"
    written = write_table(folder, settings)
    assert {path.name for path in written.files.values()} == {*FILES.values(), "evidence"} and not written.problems
    cells = {(cell.row, cell.question): cell for cell in written.table}
    staff = cells["report.pdf", "staff"]
    assert staff.state == "answered" and staff.evidence == "evidence/report.pdf/staff.html"
    assert "4,812" in (folder / staff.evidence).read_text("utf-8")
    link, _, page = staff.quotes[0].link.partition("#page=")
    assert int(page) == staff.quotes[0].page and (folder / link).read_bytes().startswith(b"%PDF-")
    up = cells["report.pdf", "../../up"]
    assert (folder / up.evidence).resolve().is_relative_to(folder / "evidence" / "report.pdf")
    other = cells[HOSTILE, "staff"]
    assert (folder / other.evidence).is_file() and not other.quotes[0].link
    assert [cells["broken.pdf", question.id].state for question in QUESTIONS] == ["failed"] * 2
    # Only what is new is made: a page that is gone is.
    assert write_table(folder, settings).made == 0
    (folder / staff.evidence).unlink()
    assert write_table(folder, settings).made == 1
    assert write_table(folder, settings, level="full").made == 4
    assert "data:image/png" in (folder / staff.evidence).read_text("utf-8")
    assert write_table(folder, settings).made == 0
    # A copy into which somebody has written is not lost.
    (folder / link).write_bytes(b"%PDF-1.7 with notes")
    (folder / "evidence" / "report.pdf" / "written.json").unlink()
    written = write_table(folder, settings)
    assert written.made == 2 and (folder / link).read_bytes() == b"%PDF-1.7 with notes"
    assert any("annotated.pdf was changed by somebody" in line for line in written.problems)


def test_what_a_question_to_all_quotes_is_highlighted_in_a_copy_of_each(
    tmp_path: Path, pdf: Callable[..., Path], settings: Settings
) -> None:
    deal = tmp_path / "deal"
    deal.mkdir()
    for name, words in {
        "a.pdf": "The fee is EUR 500.",
        "b.pdf": "The number of employees rose by 157 to 4,812.",
    }.items():
        pdf([(72, 720, "Report")], [(72, 720, words)]).rename(deal / name)
    asked = replace(QUESTIONS[0], each="set")
    filled(deal, settings, questions=(asked,))
    written = write_table(tmp_path / "table", settings)
    (cell,) = written.table
    link, _, page = cell.quotes[0].link.partition("#page=")
    assert (link, page) == ("evidence/all_documents/b.pdf", "2")
    assert (tmp_path / "table" / link).read_bytes().startswith(b"%PDF-")
    assert write_table(tmp_path / "table", settings).made == 0


def test_a_table_that_is_not_full_does_not_say_that_it_is(deal: Path, settings: Settings) -> None:
    filled(deal, settings.model_copy(update={"max_calls": 3}))
    table = write_table(deal.parent / "table", settings, level="none").table
    assert table.halt.type is StopType.NONE and "still to be asked: " in table.halt.detail
    assert exit_code(table) == 2


def test_without_the_documents_and_the_library_the_rest_is_written(
    deal: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(deal, settings)
    folder = deal.parent / "table"
    (deal / "report.pdf").rename(deal / "moved.pdf")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    written = write_table(folder, settings)
    assert "xlsx" not in written.files and len(written.files) == len(FILES)
    assert any("openpyxl is not installed" in line for line in written.problems)
    assert any("report.pdf" in line for line in written.problems)
    page = (folder / "evidence" / "report.pdf" / "staff.html").read_text("utf-8")
    assert "4,812" in page and "could not be read for this report" in page
    # When it is back, so is what it gives.
    (deal / "moved.pdf").rename(deal / "report.pdf")
    assert write_table(folder, settings).made == 3


def test_evidence_is_written_in_the_folder_of_the_table_only(deal: Path, settings: Settings, tmp_path: Path) -> None:
    filled(deal, settings)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "table" / "evidence").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="leads out of the table's folder"):
        write_table(tmp_path / "table", settings)
    assert not list((tmp_path / "elsewhere").rglob("*.html"))


def test_the_folder_of_a_table_is_all_that_its_files_need(
    deal: Path, settings: Settings, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(deal, settings)
    folder = deal.parent / "table"
    monkeypatch.setenv("RALPH_CACHE_DIR", str(deal.parent / "cache"))
    assert run_command(["table", str(folder), "--json", "--evidence", "none"]) == 2  # a document cannot be read
    told = json.loads(capsys.readouterr().out)
    assert told["counts"] == [{"state": "answered", "cells": 4}, {"state": "failed", "cells": 2}]
    assert len(told["cells"]) == 6
    assert {Path(path).name for path in told["files"].values()} == {*FILES.values()}
    # What a person has changed since is not replaced.
    (folder / "table.csv").write_text("mine")
    assert run_command(["table", str(folder)]) == 1
    assert "table.csv exists and was not written by ralph" in capsys.readouterr().err
    assert run_command(["table", str(folder), "--force", "--evidence", "none"]) == 2
    assert "4  answered" in capsys.readouterr().out
