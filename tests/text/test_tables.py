"""Rows of tables and the lines above them that say what their cells are, in plain text."""

import pytest

from ralph_cli.text.languages.figures import in_english
from ralph_cli.text.tables import NIL_CELL, first_line_above, has_columns, header_lines, is_row, is_row_under

SEVENTEEN = " ".join(["word"] * 17)


@pytest.mark.parametrize(
    ("line", "row", "columns"),
    [
        ("Net income  5,363  4,869", True, True),
        ("Net income  5,363", True, False),
        ("Net income  -", True, False),
        ("| Net income | none |", True, False),
        ("1,577 1,400 income", True, True),
        ("Sales to all other customers 1,577 1,400", False, True),
        ("Net income", False, False),
        ("The company sold 5 stores", False, False),
        (f"{SEVENTEEN}  5,363  4,869", False, True),
        ("The rate was 21.6 percent in 2022 and 24.6 percent in 2021", False, False),
        ("as of December 31, 2022 and 2021, was $ 10 million", False, False),
        ("December 31, 2022", True, False),
        ("Note 16: Leases of 2024", False, False),
        ("(a)  Net sales of 2024 against those of 2023", True, False),
    ],
)
def test_what_is_a_row_and_what_may_have_columns(line: str, row: bool, columns: bool) -> None:
    assert (is_row(line), has_columns(line)) == (row, columns)


def test_below_a_header_a_line_without_figures_is_a_row_unless_a_sentence_ends_in_it() -> None:
    assert is_row_under(("2018  2017",), "Cash flows of the group")
    assert not is_row_under((), "Cash flows of the group")
    assert not is_row_under(("2018  2017",), "Cash flows fell. They rose later")
    assert is_row_under((), "Net income  5,363  4,869")


@pytest.mark.parametrize(
    "row",
    [
        "Ann Lee  Vice President, effective January 2016. From January 2014 to  2016  51",
        "Dividend yield  \u2014%  \u2014%  \u2014%",
        "Halls let in 2019 and 2020  12",
    ],
)
def test_a_row_of_the_table_is_no_header_of_the_next(row: str) -> None:
    assert header_lines(f"Name  Position Held Since  Age\n{row}\n", "Bo Ray  2018  46") == [
        "Name  Position Held Since  Age"
    ]


def test_the_header_is_the_nearest_line_of_each_kind() -> None:
    above = "In thousands\n2016  2015\nYears ended December 31\n(in millions)\n2018  2017\nSales  7  8\n"
    assert header_lines(above, "Net income  5,363  4,869") == ["Years ended December 31", "(in millions)", "2018  2017"]
    assert header_lines(above, "Net income was 5,363") == []
    barred = "| Priority | Meaning | Response | Resolution |\n|---|---|---:|---|\n"
    assert header_lines(barred, "| 1 | The port is closed | 30 minutes | 6 hours |") == [barred.split("\n")[0]]
    assert header_lines("x" * 200 + " 2018 2017", "Net income  5,363  4,869") == []


@pytest.mark.parametrize(
    "header",
    [
        "Employees  31 Dec 2024  31 Dec 2023",
        "31. Dezember 2024  31. Dezember 2023",
        "31 de dezembro de 2024  31 de dezembro de 2023",
        "December 31, 2024  December 31, 2023",
        "2024-12-31  2023-12-31",
        "31-Dec-24  31-Dec-23",
        "31/12/24  31/12/23",
        "EUR thousand  1 Jan 2024  Used  Added  31 Dec 2024",
        "in TEUR  31.12.2024  31.12.2023",
        in_english("31. Dezember 2024  31. Dezember 2023", "de").text,
        in_english("31 de dezembro de 2024  31 de dezembro de 2023", "pt").text,
    ],
)
def test_days_name_columns_and_a_row_with_a_day_in_it_does_not(header: str) -> None:
    assert header_lines(f"{header}\nLoan of 4 June 2022  1,000  31 Dec 2024\n", "Group  742  725") == [header]


def test_of_a_long_text_above_a_row_only_the_lines_of_its_table_are_taken() -> None:
    """They tell the same of its columns as all of it does."""
    row = "Net income  5,363  4,869"
    for lines in (0, 1, 150, 195, 200, 250):
        above = "Running text.\n" * 300 + "2018  2017\n" + "\n".join(["Sales  7  8"] * lines + [""])
        text = f"A page before.\f{above}{row}"
        low, at = text.index("\f") + 1, text.index(row)
        start = first_line_above(text, low, at)
        assert low < start and text[start - 1] == "\n" and text[start:at].count("\n") == 200
        assert header_lines(text[start:at], row) == header_lines(text[low:at], row)
    assert first_line_above(text, at, at) == at and first_line_above(text, at - 3, at) == at - 3


def test_the_days_of_columns_may_stand_over_their_years() -> None:
    header = ["EUR thousand", "December 31,  December 31,", "2024  2023"]
    assert header_lines("\n".join((*header, "Sales  7  8\n")), "Net income  5,363  4,869") == header


def test_a_dash_is_a_nil_only_in_a_cell() -> None:
    assert NIL_CELL.search("Impairment  -  5") and NIL_CELL.search("Impairment $ - $ 5")
    assert not NIL_CELL.search("the stores - all of them - were sold")


PAY = """## Pay

| Who | Basic pay | Share | Bonus | Other | Sum (millions) |
|---|---|---|---|---|---|
| A | 1 | 2 | 3 | 4 | 5 |

## Balance
"""
BALANCE = """
(in thousands)

| Assets | 2031年3月 | 2032年3月 |
|---|---:|---:|
| Cash | 70 | 80 |
"""


def test_the_names_of_a_markdown_table_are_above_its_rule_and_behind_the_heading_of_its_part() -> None:
    row = "| Boats | 1,204 | 1,310 |"
    assert header_lines(PAY + BALANCE, row) == ["(in thousands)", "| Assets | 2031年3月 | 2032年3月 |"]
    assert header_lines(PAY, row) == []
