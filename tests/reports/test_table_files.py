"""What a reader gets of a table: each state in words in every file, typed cells, and nothing lost."""

import csv
import datetime
import io
import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from openpyxl import load_workbook
from sample_table import WHY, sample_table

from ralph_cli.core.results.table import CellState, Comparison, DocumentGroup, Outlier, Table, TableQuestion, Value
from ralph_cli.core.version import __version__
from ralph_cli.reports.safe_text import plain_text
from ralph_cli.reports.table import xlsx
from ralph_cli.reports.table.csv import CELL_COLUMNS, cells_csv, matrix_csv
from ralph_cli.reports.table.html import table_html
from ralph_cli.reports.table.json import json_lines
from ralph_cli.reports.table.markdown import table_markdown
from ralph_cli.reports.table.terminal import table_lines
from ralph_cli.reports.table.words import STATES
from ralph_cli.reports.table.xlsx import table_xlsx

AT = "2026-01-02T03:04:05Z"


def workbook(table: Table) -> Any:
    return load_workbook(io.BytesIO(table_xlsx(table, AT, __version__)))


def texts(sheet: Any) -> list[str]:
    return [str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_every_state_has_its_words_in_every_file_and_says_why() -> None:
    table = sample_table()
    assert {cell.state for cell in table} == set(CellState) == set(STATES)
    book = workbook(table)
    shown = {
        "html": unescape(re.sub(r"<[^>]+>", "", table_html(table, AT, __version__))),
        "markdown": table_markdown(table, AT, __version__),
        "matrix": matrix_csv(table),
        "workbook": "\n".join(texts(book["Answers"]) + texts(book["Problems"])),
    }
    for name, text in shown.items():
        for state in set(CellState) - ({CellState.ANSWERED} if name in ("markdown", "workbook") else set()):
            assert STATES[state].words in text.lower(), (name, state)
        for state in set(WHY) - {CellState.PASSAGES, CellState.NO_PASSAGES}:
            assert WHY[state] in text, (name, state)
        assert "it is damaged" in text, name
    summary = plain_text(table_lines(table, {"html": "out/table/table.html"}, 0))
    assert all(words.words in summary for words in STATES.values())
    assert "Open first: out/table/table.html" in summary and "$0.4719" in summary
    assert "failed: lease.txt / failed: the service did not answer" in summary


def test_nothing_of_a_cell_is_lost() -> None:
    table = sample_table(rows=2)
    listed, lines = rows(cells_csv(table)), [json.loads(line) for line in json_lines(table).splitlines()]
    assert len(listed) == len(lines) == len(table) and tuple(listed[0]) == CELL_COLUMNS
    places = {(line["row"], line["question"]) for line in lines}
    assert places == {(line["document"], line["id"]) for line in listed} == {(c.row, c.question) for c in table}
    days = next(line for line in lines if line["question"] == "days")
    assert days["value"]["plain"] == days["value"]["number"] == 1045 and days["value"]["unit"] == "days"
    assert days["state"] == "qualified" and days["accepted"] and days["quotes"][1]["page"] == 2
    share = next(line for line in lines if line["question"] == "share")
    assert share["value"]["plain"] is None and "two numbers" in share["value"]["problem"] and share["answer"]
    matrix = rows(matrix_csv(table))
    assert [row["document"] for row in matrix] == [row.name for row in table.rows]
    assert matrix[0]["days"] == "1,045 days" and matrix[0]["failed"] == ""
    assert matrix[0]["failed: place or reason"] == WHY[CellState.FAILED]


def test_a_workbook_keeps_what_a_value_is_bound_by_and_stated_for() -> None:
    table = sample_table()
    place = table.rows[0].name, "fee"
    capped = Value(text="at most EUR 5.1 million per claim", number=5_100_000, unit="EUR per claim")
    sheet = workbook(replace(table, cells={**table.cells, place: replace(table.cells[place], value=capped)}))["Answers"]
    column = next(cell.column for cell in sheet[1] if str(cell.value).startswith("fee\n"))
    assert sheet.cell(2, column).number_format == '"at most EUR "#,##0" per claim"'


def test_a_workbook_has_values_that_compute_and_links_to_the_proof() -> None:
    book = workbook(sample_table())
    sheet = book["Answers"]
    at = {str(cell.value).split("\n")[0]: cell.column for cell in sheet[1]}
    days, fee, end, share = (sheet.cell(2, at[name]) for name in ("days", "fee", "end", "share"))
    assert days.value == 1045 and "days" in days.number_format and "qualified" in days.number_format
    assert (fee.value, fee.number_format) == (5_100_000, '"EUR "#,##0" per year"')
    assert end.value.date() == datetime.date(2027, 5, 31)
    assert "The rent is" in share.value and "The rent is" in fee.comment.text
    proof = sheet.cell(2, at["days: proof"])
    assert (proof.value, proof.hyperlink.target) == ("p. 2 (printed ii)", "evidence/lease.txt/days.html")
    assert sheet.freeze_panes == "B2" and sheet.auto_filter.ref
    quote = book["Quotes"].cell(2, 6).hyperlink
    assert (quote.target, quote.location) == ("evidence/lease.txt/annotated.pdf", "page=2")


def test_a_page_leads_to_the_proof_and_shows_quotes_and_limits() -> None:
    made = table_html(sample_table(), AT, __version__)
    assert '<a href="evidence/lease.txt/days.html">p. 2 (printed ii)</a>' in made
    assert '<a href="evidence/lease.txt/annotated.pdf#page=2">' in made
    assert "<script" not in made and "default-src &#x27;none&#x27;" in made
    assert "qualified elsewhere: the passage says so" in made and "searched, with the places found" in made


def test_page_and_workbook_say_what_differs() -> None:
    money = TableQuestion(id="fee", question="What is the fee?", type="money")
    found = Comparison(
        question=money,
        values=(DocumentGroup("EUR 5 million", ("a.pdf", "b.pdf")), DocumentGroup("EUR 9 million", ("c.pdf",))),
        outliers=(Outlier("c.pdf", "EUR 9 million", "EUR 5 million", 4.0),),
        silent=("<d>.pdf",),
        unusable=(DocumentGroup("the judge gave no verdict", ("e.pdf",)),),
    )
    table = sample_table()
    page = table_html(table, AT, __version__, [found])
    assert "What differs" in page and "2 different values in 3 documents" in page and "a.pdf, b.pdf" in page
    assert "&lt;d&gt;.pdf" in page and "far above the median, EUR 5 million" in page
    assert "What differs" not in table_html(table, AT, __version__)
    sheet = load_workbook(io.BytesIO(table_xlsx(table, AT, __version__, [found])))["Comparison"]
    shown = [tuple(cell.value for cell in row) for row in sheet.iter_rows(min_row=2)]
    assert shown[0] == ("fee", "value", "EUR 5 million", 2, "a.pdf, b.pdf")
    assert [line[1] for line in shown] == ["value", "value", "outlier", "do not say it", "no usable answer"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-x", "@SUM(A1)", "#N/A", "_x003D_1+1", "a\x07b\x0bc"])
def test_text_of_a_workbook_is_text(text: str) -> None:
    table = sample_table()
    cells = {place: replace(cell, answer=text, value=None) for place, cell in table.cells.items()}
    cell = workbook(replace(table, cells=cells))["Answers"].cell(2, 2)
    assert cell.data_type == "s" and cell.quotePrefix is (text[0] in "=+-@")
    assert cell.value == text.replace("_x0", "_x005F_x0").replace("\x07", "\\u{7}").replace("\x0b", "\\u{b}")


def test_a_text_that_is_longer_than_a_cell_says_that_it_was_cut() -> None:
    table = sample_table()
    place = ("lease.txt", "answered")
    long = replace(table.cells[place], answer="word " * 10_000)
    cell = workbook(replace(table, cells={**table.cells, place: long}))["Answers"].cell(2, 2)
    assert len(cell.value) == xlsx.MAX_TEXT and cell.value.endswith("table.jsonl has all]")
