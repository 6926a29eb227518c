"""Tables of plain text and of rows of cells: labels, groups, names of columns, and what states scale and unit."""

from dataclasses import replace

import pytest
from fakes import document
from tables import cells_below, column_names, names_of

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Column
from ralph_cli.documents.structure.statements import complete_tables

INCOME = """
STATEMENT OF INCOME
(in millions, except per share data)

                               Year ended June 30,
                                 2031         2030
Fares                         $ 1,577      $ 1,466
Costs:
  Crews                           800          700
  Coal and
    other fuel                    100           90
Total costs                       900          790
Profit                        $   677      $   676
"""


def rows(about: Document, number: int = 0) -> dict[str, str]:
    """The path of each row with figures, with these."""
    table = about.tables[number]
    found = {}
    for at in range(table.header_rows, len(table.rows)):
        cells = [it for it in table.cells_of(at) if not table.columns[it.column].is_label]
        if cells:
            figures = " ".join(" ".join(about.text[it.start : it.end].split()) for it in cells)
            found[" > ".join(about.row_path(table, at))] = figures
    return found


def stated(about: Document, number: int = 0) -> list[tuple[str, int, int]]:
    return [(about.text[it.start : it.end].strip(), it.row, it.column) for it in about.tables[number].statements]


def test_a_typed_table_has_groups_header_paths_and_a_scale() -> None:
    about = document(INCOME)
    assert rows(about) == {
        "Fares": "$ 1,577 $ 1,466",
        "Costs: > Crews": "800 700",
        "Costs: > Coal and other fuel": "100 90",
        "Total costs": "900 790",
        "Profit": "$ 677 $ 676",
    }
    (table,) = about.tables
    cell = table.cell_at(about.text.index("1,466"))
    assert cell and about.column_path(table, cell.column) == ("Year ended June 30,", "2030")
    assert ("(in millions, except per share data)", -1, -1) in stated(about)
    above = [about.text[it.start : it.end].strip() for it in about.lines_above(about.text.index("other fuel"))]
    assert above[0] == "(in millions, except per share data)" and above[-1] == "Costs:" and len(above) == 4


@pytest.mark.parametrize(
    ("text", "names", "found"),
    [
        ("Item  2031  2030\nRent  400  450\nDues of boats  5,000  12\n", ["Item", "2031", "2030"], "Dues of boats"),
        ("2031  2030\nRent  400  450\nDues of boats  5,000  12\n", ["", "2031", "2030"], "Rent"),
        ("January\t2031\nRent\t400\nDues of boats\t5,000\n", ["January", "2031"], "Rent"),
        ("| Item | 2031 |\n|---|---:|\n| Rent | 400 |\n| Dues | 12 |\n", ["Item", "2031"], "Rent"),
        ("Boats  2031  2030\nTugs 2,184 2,071\nFerries 612 655\n", ["Boats", "2031", "2030"], "Tugs"),
        ("Held  31 Dec 2031  31 Dec 2030\nRent  400  450\n", ["Held", "31 Dec 2031", "31 Dec 2030"], "Rent"),
        ("Held  31.12.2031  31.12.2030\nRent  400  450\n", ["Held", "31.12.2031", "31.12.2030"], "Rent"),
        ("May  June\n2031  2030\nA  4  1.1%  5  1.2%\n", ["", "May 2031", "May 2031", "June 2030", "June 2030"], "A"),
    ],
)
def test_cells_that_are_as_many_in_each_row_stand_under_each_other(text: str, names: list[str], found: str) -> None:
    about = document(text)
    assert column_names(about) == names and found in rows(about)


@pytest.mark.parametrize(
    "text",
    [
        "The hall was let.  It is cold.\nIn 2031  nobody came, and in 2030 few did.\n",
        "Dear Ann,\n\nthe boat  leaves at 5.\n",
        "1. Rent is due on the 3rd.\n2. It is 400.\n",
    ],
)
def test_running_text_is_no_table(text: str) -> None:
    assert document(text).tables == ()


def test_a_cell_whose_column_is_not_certain_has_no_name() -> None:
    about = document("Item  2031  2030\nRent  400  450\nDues of boats  12\n")
    assert names_of(about, "450") == "2030" and names_of(about, "12") == ""


def test_names_of_columns_in_the_middle_begin_another_table() -> None:
    head = "|  | North | South |\n|---|---|---|\n| 2031 | | |\n| Fares | 5 | 4 |\n| Rent | 2 | 1 |\n"
    about = document(f"{head}|  | East | West |\n| Fares | 7 | 6 |\n| Rent | 3 | 2 |\n")
    assert len(about.tables) == 2
    assert names_of(about, "4") == "South" and names_of(about, "6") == "West"


def test_the_total_of_more_than_a_group_ends_it() -> None:
    flat = "| | 2031 |\n|---|---|\n| Income | 10 |\n| Less: | |\n| Rent | -3 |\n"
    flat += "| Dues | -2 |\n| Left over | 5 |\n| Tax | 1 |\n"
    assert list(rows(document(flat))) == ["Income", "Less: > Rent", "Less: > Dues", "Left over", "Tax"]


def bars(*rows: str) -> Document:
    """A document of one table in Markdown, the first of these rows its header."""
    return document(
        "\n".join([f"|{rows[0]}|", "|---" * (rows[0].count("|") + 1) + "|", *(f"|{row}|" for row in rows[1:])])
    )


def test_a_sign_in_a_cell_of_its_own_or_behind_another_is_of_its_figure_and_of_no_name() -> None:
    about = bars(" |Up/|%|Share|%", "Rent|5|4|3|%", "Dues|$ 7 $|(2) $|6|")
    assert column_names(about) == ["", "Up/", "%", "Share", "%"]
    below = [words.replace("|", "") for words, column in cells_below(about) if column]
    assert below == ["5", "4", "3%", "$ 7", "$(2)", "$6"]
    assert [words for words, _ in cells_below(bars("|2031|2030", "Rent|5 €|6 %"))] == ["Rent", "5 €", "6 %"]


def test_a_unit_in_brackets_below_the_names_is_none_of_them_and_heads_no_group() -> None:
    about = bars(" |2031|2030", "(in tons)||", "Rent|5|4")
    assert list(rows(about)) == ["Rent"] and column_names(about) == ["", "2031", "2030"]


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        (("At May 31,|2031|2030|Change", "Rent|5|4|1"), ["", "At May 31, 2031", "At May 31, 2030", "Change"]),
        (("Years to 31 May (in tons)|2031", "Rent|5"), ["", "Years to 31 May (in tons) 2031"]),
        (("May 31, 2031|2031|2030", "Rent|5|4"), ["May 31, 2031", "2031", "2030"]),
        (("Item|2031|2030", "Rent|5|4"), ["Item", "2031", "2030"]),
        (("At May 31,|Sum|Share", "Rent|5|4"), ["At May 31,", "Sum", "Share"]),
    ],
)
def test_a_day_without_a_year_is_of_the_years_beside_it(rows: tuple[str, ...], names: list[str]) -> None:
    assert column_names(bars(*rows)) == names


def test_a_column_of_ranges_is_one_of_values_but_for_the_first() -> None:
    about = bars("Item|Years|Sum", "Ships|9 to 36|5", "Docks|5 - 40 years|7", "Cars|2–9|8")
    assert [column.is_label for column in about.tables[0].columns] == [True, False, False]
    about = bars("Due in|Sum|Share", "1-5 years|4|3", "5-9 years|4|2")
    assert [column.is_label for column in about.tables[0].columns] == [True, False, False]


def test_units_of_columns_rows_and_first_cells_are_stated() -> None:
    about = document("Ship  Load (t)  Share\nAnn  400  12 %\nBo (in thousands)  12  9\n")
    assert set(stated(about)) == {("Load (t)", -1, 1), ("12 %", -1, 2), ("Bo (in thousands)", 2, -1)}
    assert [cell for cell in cells_below(about) if cell[1] == 2] == [("12 %", 2), ("9", 2)]


def test_a_note_below_a_table_is_no_row_of_it() -> None:
    about = document(f"{INCOME}(1)  This is told of the crews that were hired in the year.\n")
    assert "Profit" in rows(about) and len(rows(about)) == 5


def test_bars_without_names_are_no_header_and_blanks_that_hold_set_a_label_in() -> None:
    about = document(
        "| | |\n|---|---|\n| Revenue | |\n| \u00a0\u00a0Fares | 100 |\n| \u00a0\u00a0Freight | 30 |\n| Costs | 90 |\n"
    )
    (table,) = about.tables
    assert table.header_rows == 0 and about.column_path(table, 1) == ()
    assert rows(about) == {"Revenue > Fares": "100", "Revenue > Freight": "30", "Costs": "90"}


def test_the_names_of_a_table_over_many_pages_are_those_on_its_first() -> None:
    head, row = "Item        2031   2030\n", "Fares      1,000    900\nCrews      2,000    800"
    about = document("\f".join([head + row, *[row] * 1_500]))
    places = tuple(Column(at * 10.0, at * 10.0 + 9, not at) for at in range(3))
    tables = complete_tables(about.text, about.pages, [it._replace(columns=places) for it in about.tables])
    assert len(tables) == 1_501 and {it.continues for it in tables[1:]} == {tables[0].start}
    assert replace(about, tables=tuple(tables)).column_path(tables[-1], 1) == ("2031",)


RULED = """
========  =====  ====
Case      State  Runs
========  =====  ====
open all  PASS   4
close     FAIL   12
========  =====  ====
"""


@pytest.mark.parametrize(
    "ruled",
    [
        RULED,
        "Case      State  Runs\n--------  -----  ----\nopen all  PASS   4\nclose     FAIL   12",
        "Case     | State | Runs\n---------+-------+-----\nopen all | PASS  | 4\nclose    | FAIL  | 12",
    ],
)
def test_rulers_show_the_columns_of_a_table_of_words(ruled: str) -> None:
    found = document(f"Results of the night.\n\n{ruled}\n\nNothing else ran.\n", kind="text")
    (table,) = found.tables
    cell = table.cell_at(found.text.index("12"))
    assert cell is not None and found.row_path(table, cell.row)[0] == "close"
    assert [found.column_path(table, column) for column in range(3)] == [("Case",), ("State",), ("Runs",)]


def test_a_line_of_rulers_that_words_cross_shows_no_columns() -> None:
    found = document("A title of some length\n=====  =====\nThe words of a line go on over them.\n", kind="text")
    assert not found.tables


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (
            ["| Name | Lines |", "+------+-------+", "| Jobs |     2 |", "+------+-------+", "| All  |     5 |"],
            ["2", "5"],
        ),
        (
            ["| Name | Said  |", "+------+-------+", "| Jobs | of us |", "|      | all   |"],
            [],
        ),  # cells of several lines
    ],
)
def test_rules_of_a_database_part_names_from_rows(rows: list[str], found: list[str]) -> None:
    rule = "+------+-------+"
    about = document("\n".join(["What it holds:", "", rule, *rows, rule, ""]))
    assert [
        about.text[it.start : it.end] for table in about.tables for it in table.cells if it.row and it.column
    ] == found
    assert all(table.header_rows == 1 for table in about.tables)
