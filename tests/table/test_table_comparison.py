"""What differs between the documents of a table: values, outliers, who is silent, and what is not compared."""

import json
from pathlib import Path
from typing import Any

import pytest
from test_table import DOG, RENT, Cast, fill

from ralph_cli.commands.app import run
from ralph_cli.core.results.table import (
    ALL_DOCUMENTS,
    Cell,
    CellState,
    Comparison,
    DocumentGroup,
    Table,
    TableQuestion,
    TableRow,
)
from ralph_cli.core.run import Halt, StopType
from ralph_cli.reports.safe_text import plain_text
from ralph_cli.reports.table.comparison import MAX_GROUPS, MAX_NAMES, comparison_lines, comparison_objects
from ralph_cli.table.comparing import compare_table, score_values
from ralph_cli.table.values.reading import read_value

ABSENT, REFUSED = CellState.ABSENT, CellState.REFUSED


def compare(answers: list[Any], **question: Any) -> Comparison:
    """The comparison of the answers of documents 1, 2, 3...: words, several of them, or the state of no answer."""
    asked = TableQuestion(id="q", question=question.pop("question", "What is it?"), **question)
    rows = tuple(TableRow(name=str(number), path="x") for number in range(1, len(answers) + 1))
    cells = {}
    for row, answer in zip(rows, answers, strict=True):
        claims = [answer] if isinstance(answer, str) else answer
        if isinstance(answer, CellState):
            cell = Cell(row=row.name, question="q", state=answer, reason=f"why {answer.value}")
        else:
            value = read_value(asked, claims)
            cell = Cell(row=row.name, question="q", state=CellState.ANSWERED, answer="\n".join(claims), value=value)
        cells[row.name, "q"] = cell
    all_rows = (*rows, TableRow(name=ALL_DOCUMENTS, path="x"))
    halt = Halt(StopType.COMPLETION, "")
    (found,) = compare_table(Table(folder=Path("t"), questions=(asked,), rows=all_rows, cells=cells, halt=halt))
    return found


def shown(comparison: Comparison) -> str:
    return plain_text(comparison_lines([comparison]))


def test_values_are_grouped_and_who_has_none_is_named() -> None:
    found = compare(
        ["45 days.", "30 days", "The period is thirty (30) days.", ABSENT, REFUSED, CellState.PENDING, "2 or 3 days"],
        type="number",
        unit="days",
    )
    assert found.values == (DocumentGroup("30 days", ("2", "3")), DocumentGroup("45 days", ("1",)))
    assert (found.differs, found.compared, found.silent) == (True, 3, ("4",))
    assert [group.rows for group in found.unusable] == [("5",), ("6",), ("7",)]
    text = shown(found)
    assert "2 different values in 3 documents" in text
    assert "do not say it: 4" in text
    assert "5: why refused" in text
    assert "7: no value: 3 days is a part of a range, of several numbers or of a sum" in text


def test_what_is_the_same_everywhere_is_said() -> None:
    assert "the same in all 2 documents" in shown(compare(["Yes.", "Yes, it may."], type="yes/no"))
    assert "no document has a value" in shown(compare([REFUSED, ABSENT], type="yes/no"))


def test_a_value_far_from_the_others_is_an_outlier() -> None:
    rents = [f"EUR {rent} a month" for rent in ("1,000", "1,100", "1,050", "980", "1,020", "9,000")]
    (outlier,) = compare(rents, type="money").outliers
    assert (outlier.row, outlier.text, outlier.median) == ("6", "EUR 9,000 per month", "EUR 1,035 per month")
    assert "6: EUR 9,000 per month, far above the median, EUR 1,035 per month" in shown(compare(rents, type="money"))
    ends = ["31 May 2027", "30 June 2027", "31 July 2027", "30 June 2027", "1 May 1997", "Q2 2027"]
    assert [outlier.row for outlier in compare(ends, type="date").outliers] == ["5"]


def test_scores_are_those_of_the_rule() -> None:
    # Median 3 and median deviation 1: 0.6745 (x - 3) / 1.
    assert [round(score, 4) for score in score_values([1, 2, 3, 4, 100])] == [-1.349, -0.6745, 0, 0.6745, 65.4265]
    # More than half are the same: the mean deviation 2 takes the place of the median one, (40 - 30) / (1.253314 x 2).
    assert [round(score, 3) for score in score_values([30, 30, 30, 30, 40])] == [0, 0, 0, 0, 3.989]
    assert score_values([1, 1, 1, 100]) == [0, 0, 0, 0]  # too few to say
    assert score_values([7] * 9) == [0] * 9


def test_amounts_in_other_currencies_are_not_compared_with_each_other() -> None:
    answers = ["EUR 10", "EUR 11", "EUR 12", "EUR 10", "USD 900,000", "EUR 11 a month"]
    found = compare(answers, type="money")
    assert [(group.text, group.rows) for group in found.units] == [
        ("EUR", ("1", "2", "3", "4")),
        ("USD", ("5",)),
        ("EUR per month", ("6",)),
    ]
    assert found.outliers == ()
    assert "not compared with other units: USD: 5" in shown(found)
    assert compare(["EUR 10", "EUR 11"], type="money").units == ()


def test_items_of_lists_are_compared_one_by_one() -> None:
    found = compare([["An audit", "Insurance"], ["insurance."], ABSENT], type="list")
    assert found.values == (DocumentGroup("Insurance", ("1", "2")), DocumentGroup("An audit", ("1",), ("2",)))
    assert found.differs
    assert "An audit  1; not in 2" in shown(found)
    assert not compare([["An audit"], ["an audit"]], type="list").differs


def test_texts_are_the_same_or_other_words() -> None:
    found = compare(["English law.", "english  law", "Swiss law"])
    assert [group.rows for group in found.values] == [("1", "2"), ("3",)]


def test_what_is_left_out_on_a_screen_is_counted_and_stands_in_json() -> None:
    answers = [f"Words of document {number}" for number in range(MAX_GROUPS + 3)]
    found = compare([*answers, *[ABSENT] * (MAX_NAMES + 2)])
    assert "and 3 more" in shown(found)
    assert "and 2 more" in shown(found)
    (held,) = comparison_objects([found])
    assert (held["question"], held["compared"], held["differs"]) == ("q", MAX_GROUPS + 3, True)
    assert len(held["values"]) == MAX_GROUPS + 3 and len(held["silent"]) == MAX_NAMES + 2


def test_a_question_to_the_set_has_nothing_to_compare() -> None:
    asked = TableQuestion(id="q", question="Which?", each="set")
    table = Table(folder=Path("t"), questions=(asked,), rows=(), halt=Halt(StopType.COMPLETION, ""))
    assert compare_table(table) == ()


def test_the_command_compares_what_a_folder_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(fill(Cast(), tmp_path, RENT, DOG).folder)
    assert run(["table", folder, "--compare", "--evidence", "none"]) == 0
    told = capsys.readouterr().out
    assert "rent: What is the rent?\n  2 different values in 2 documents\n" in told
    assert "      1  $48,000 per year  a.html\n" in told and "  do not say it: a.html, b.html\n" in told
    assert run(["table", folder, "--compare", "--evidence", "none", "--json"]) == 0
    rent, dog = json.loads(capsys.readouterr().out)["comparison"]
    assert [group["rows"] for group in rent["values"]] == [["a.html"], ["b.html"]]
    assert dog["silent"] == ["a.html", "b.html"]
