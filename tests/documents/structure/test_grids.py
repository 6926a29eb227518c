"""Tables from rows of cells: which rows name the columns, which rows are one table, which row heads a group."""

import time

import pytest

from ralph_cli.core.structure import Table
from ralph_cli.documents.structure.grids import GridCell, GridRow, make_tables


def grid(*rows: str) -> list[GridRow]:
    """Rows of cells apart by "|"; "" is an empty cell, "+" goes on with the one before it, blanks set a label in."""
    made = []
    for at, row in enumerate(rows):
        cells: list[GridCell] = []
        for column, text in enumerate(row.split("|")):
            if text == "+":
                cells[-1] = cells[-1]._replace(last=column)
            elif text.strip():
                cells.append(GridCell(text.strip(), 100 * at + column, 100 * at + column + 1, column, column))
        made.append(GridRow(100 * at, 100 * at + 50, cells, float(len(row) - len(row.lstrip()))))
    return made


def tables(*rows: str) -> list[Table]:
    return make_tables(grid(*rows), rows[0].count("|") + 1)


@pytest.mark.parametrize(
    ("rows", "header_rows"),
    [
        (("Id|Req|Tolino", "a|must|pass", "b|must|n/a", "c|should|fail", "d|must|n/a"), 1),
        (("Name|Fame", "Ann|high", "Bob|low"), 1),
        (("Name|Fame", "Ann|5", "Bob|4"), 1),
        (("Ann|36 (75%)", "Bob|12"), 0),
        (("|2023|2022", "Other|-|-", "Rent|5|4"), 1),
        (("Item|Points|+", "Item|10|5", "Plan|7|good", "Sum|7|3"), 2),
        (("|Class 1|+|Class 2|+", "|A|B|A|B", "Rent|yes|no|no|yes"), 2),
        (("|Class 1|+|Class 2|+", "Rent|A|B|A|B", "Fees|yes|no|no|yes"), 1),
        # A row that asks for what stands beside it, or holds a paragraph, names nothing.
        (("Primary:|sCD14", "Secondary:|CXCL10"), 0),
        (("Primary|" + "word " * 30, "Secondary|CXCL10"), 0),
        # Nor does one with a cell that goes on over many rows, as in a form; one more may be of the header.
        (("Item|Year|+", "Item|first|last", "Rent|yes|no"), 2),
        (("Contact|Name", "Contact|Phone", "Contact|Mail"), 0),
        (("Device|Mnf:|X-Rite", "Colour|C/2|+", "Density|Status T|+"), 0),
    ],
)
def test_the_rows_that_name_columns_are_told_from_others(rows: tuple[str, ...], header_rows: int) -> None:
    assert [(table.header_rows, len(table.rows)) for table in tables(*rows)] == [(header_rows, len(rows))]


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        # Numbers that count the rows say what they are about, others do not.
        (("No|Square|Note", "1|1|odd", "2|4|even", "3|9|odd"), 1),
        (("7|49", "8|64", "9|81"), 1),
        (("No|Name|Sum", "1|Ann|5", "2|Bob|4", "3|Eve|4"), 2),
        (("Sold|Price", "1|1", "2|4", "4|9"), 0),
        (("Sold|Price", "1|1", "2|4"), 0),
        (("1", "2", "3"), 0),
        # Nor do numbers beside a word, unless only all of them together tell rows apart.
        (("In|Out|Kind|Score", "2|2|A|5", "2|2|B|4", "2|4|A|7", "2|4|B|6", "4|4|A|2", "4|4|B|1"), 3),
        (("In|Out|Kind|Score", "2|2|A|5", "2|2|B|4", "2|4|A|7", "2|4|A|6", "4|4|A|2", "4|4|B|1"), 0),
        (("Sold|Left|Kind|Score", "5|3|A|5", "2|9|B|4", "8|4|A|7", "6|1|B|6"), 0),
        (("In|Out|Score", "2|2|5", "2|4|4", "4|2|7", "4|4|6"), 0),
        (("In|Out|Kind", "2|2|A", "2|2|B", "4|4|A", "4|4|B"), 0),
        # Times are values if the words before them tell their rows apart.
        (("Loan|Due|Rate", "Bond|Jun 2027|5", "Note|2021 - 2022|4", "Bank||3"), 1),
        (("Loan|Due|Rate", "Bond|2021|5", "Bond|2022|4", "Bank|2022|3"), 2),
        # So are words behind those that do; and something is a value.
        (("No|Item|Per|Sum", "1|Nails|box|5", "2|Wood|m|4"), 2),
        (("Code|Error", "5|NotFound", "23|NoTitle"), 1),
        # Numbers that rise are no chance, if they are many.
        (("Age|N|Use", "12|9|3", "14|4|5", "22-23|8|1", "30|2|2", "65+|7|6"), 1),
        (("Sold|Left|Use", "5|3|5", "6|9|4", "9|4|7"), 0),
    ],
)
def test_numbers_at_the_left_are_labels_where_they_tell_rows_apart(rows: tuple[str, ...], labels: int) -> None:
    (table,) = tables(*rows)
    assert [column.is_label for column in table.columns] == [at < labels for at in range(len(table.columns))]


def test_names_among_figures_begin_a_table_and_words_among_words_do_not() -> None:
    again = tables("Item|2023|2022", "Rent|5|4", "Item|2021|2020", "Rent|3|2")
    assert [table.header_rows for table in again] == [1, 1]
    (one,) = tables("Item|Who|Sum", "Rent|Ann|5", "Fees|Bob|open", "Tax|Eve|4", "Debt|Ann|3")
    assert one.header_rows == 1 and len(one.rows) == 5


@pytest.mark.parametrize(
    ("rows", "parents"),
    [
        (("|2023|2022", "Assets||", "Cash|5|4", "Debt|1|1"), [-1, -1, 1, 1]),
        (("|2023|2022", "Assets|+|+", "Cash|5|4"), [-1, -1, 1]),
        # A label beside one value for several columns heads nothing.
        (("|2023|2022", "Ann|both|+", "Bob|5|4"), [-1, -1, -1]),
        # What adds up its rows ends a group.
        (("|2023", "Assets|", "Cash|5", "Debt|1", "Sum|6", "Rent|2"), [-1, -1, 1, 1, 1, -1]),
    ],
)
def test_the_rows_of_a_group_are_known(rows: tuple[str, ...], parents: list[int]) -> None:
    (table,) = tables(*rows)
    assert [row.parent for row in table.rows] == parents


BALANCE = (
    *("|2023", "Assets|", "Now|", " Cash|5", " Due|2", "Sum now|7", "Land|9", "Worn off|3", "Land, net|6", "Sum|13"),
    *("Debt and stock|", "Now|", " Bills|3", " Loans|1", "Sum now|4", "Bonds|2", "Leases|—"),
    *("Pledges|", "Stock|", " Shares|4", " Gains|3", "Sum owned|7", "All|13"),
)


@pytest.mark.parametrize(
    ("rows", "goes_on"),
    [
        (("|2023", "Return|5", "Cost of", "service|3", "Sum|8"), [False, False, False, True, False]),
        (("|2023", "Return", "Cost of", "service|3", "Sum|8"), [False, False, True, True, False]),
        (("|2023", "Return|5", "of cost", "service|3", "Sum|8"), [False, False, True, False, False]),
    ],
)
def test_a_label_between_two_rows_with_figures_is_of_the_one_that_goes_on_in_lower_case(
    rows: tuple[str, ...], goes_on: list[bool]
) -> None:
    placed = [row._replace(goes_on=(at == 2) or None) for at, row in enumerate(grid(*rows))]
    (table,) = make_tables(placed, 2, 1, 1)
    assert [row.goes_on for row in table.rows] == goes_on


def test_a_label_holds_one_below_it_as_far_as_it_is_added_up() -> None:
    (table,) = tables(*BALANCE)
    parents = [-1, -1, 1, 2, 2, 1, 1, 1, 1, 1, -1, 10, 11, 11, 10, 10, 10, 10, 10, 18, 18, 10, 10]
    assert [row.parent for row in table.rows] == parents
    (table,) = tables("|2023", "Staff|", "Fees|4", "Pledges|", "Stock|", " Shares|4", " Gains|3", "Rent|5")
    assert [row.parent for row in table.rows] == [-1, -1, 1, -1, -1, 4, 4, -1]


@pytest.mark.parametrize(
    ("rows", "parents"),
    [
        # Labels with figures hold what is set in below them: more than one, for one may be a total or what is left.
        (("|2023", "Profit|9", " Tax|-2", " Fees|-1", "Net|6"), [-1, -1, 1, 1, -1]),
        (("|2023", "Total|9", " Here|5", " Abroad|4", "Staff|6"), [-1, -1, 1, 1, -1]),
        (("|2023", "Cash|5", "Due|2", "  Sum|7", "  Rank|3"), [-1, -1, -1, -1, -1]),
        (("|2023", "Sales|9", " Costs|4"), [-1, -1, -1]),
        (("|2023", "Before tax|9", " Tax|2", " Net|7", " Lost|1"), [-1, -1, -1, -1, -1]),
        # A total that is set in may be that of one row, and is no row of a group that is a part of it.
        (("|2023|2022", "Debt|4|3", "Due|", "Bills|5|6", "  Sum due|5|6", " Sum|9|9"), [-1, -1, -1, 2, 2, -1]),
        (("|2023", "Cash|5", "Due|", " Now|2", " Then|1", "  Sum|8"), [-1, -1, -1, 2, 2, -1]),
        # A label heads two rows, though the first adds up what is above.
        (("|2023", "Cash|5", "Due|2", "Left|", " Sum|7", " Old|3"), [-1, -1, -1, -1, 3, 3]),
        # A row without a label is of the group that a label alone heads.
        (("|2023", "Stocks|", " Raw|5", " Done|2", "  |7"), [-1, -1, 1, 1, 1]),
        (("|2023", "Cash|5", " Raw|5", " Done|2", "  |7"), [-1, -1, 1, 1, -1]),
        # Nor is what is set in behind the total of a group whose rows are not.
        (
            ("|2023", "Plan|", "Fees|5", "Rent|2", "  Sum plan|7", "   |7", "  Others|3", "   All|10"),
            [-1, -1, 1, 1, 1, 1, -1, -1],
        ),
        # What is set in below a label and adds up more than its group is not of it.
        (("|2023", "Cash|5", "Due|2", "Pledges|", " Sum|7"), [-1, -1, -1, -1, -1]),
    ],
)
def test_rows_that_are_set_in_have_the_label_above(rows: tuple[str, ...], parents: list[int]) -> None:
    (table,) = tables(*rows)
    assert [row.parent for row in table.rows] == parents


STATEMENT = (
    "|2023",
    "Work|",
    "Profit|9",
    "Added|",
    " Fees|2",
    " Moved|",
    "  Due|4",
    "  Owed|3",
    "Sum|18",
    "Trade|",
    "Cash|5",
)


def test_a_label_holds_one_whose_rows_are_added_up_with_its_own() -> None:
    (table,) = tables(*STATEMENT)
    assert [row.parent for row in table.rows] == [-1, -1, 1, 1, 3, 3, 5, 5, 1, -1, 9]
    (table,) = tables(*(row.strip() for row in STATEMENT))
    assert [row.parent for row in table.rows] == [-1, -1, 1, -1, 3, -1, 5, 5, -1, -1, 9]
    (table,) = tables("|2023", "Staff|", *STATEMENT[1:])
    assert [row.parent for row in table.rows][4:5] == [-1]  # the total may be that of the first label
    (table,) = tables(
        "|2023", "Debt|", "Old|", " Bills|4", " Loans|2", "Sum old|6", "Bonds|3", "Sum|9", "New|", "Tax|1", "All|10"
    )
    assert [row.parent for row in table.rows] == [-1, -1, 1, 2, 2, 1, 1, 1, -1, 8, -1]


@pytest.mark.parametrize("rows", [("Section|",), ("Section|", "Part|"), ()])
def test_a_table_of_very_many_rows_is_read_in_a_moment(rows: tuple[str, ...]) -> None:
    figures = (f"Row {at}|{at * 7 % 1000 + 1}" for at in range(3_000))
    many = [*rows, *figures, *(f"Label {at}|" for at in range(3_000))]
    began = time.process_time()
    (table,) = tables("Item|2023", *many)
    assert len(table.rows) == len(many) + 1
    assert time.process_time() - began < 2  # hours if each row is held against all before it


def marked(*rows: str) -> list[GridRow]:
    """Rows of which those that begin with "!" are header rows of their format."""
    return [
        row._replace(is_header=text[0] == "!")
        for row, text in zip(grid(*(it.lstrip("!") for it in rows)), rows, strict=True)
    ]


def test_a_label_alone_below_marked_names_heads_a_group() -> None:
    for label in ("!Assets||", "!Assets|+|+"):
        (table,) = make_tables(marked("!Item|2023|2022", label, "Cash|5|4", "Land|2|1", "Debts|1|1"), 3)
        assert table.header_rows == 1 and [row.parent for row in table.rows[:4]] == [-1, -1, 1, 1]


def test_rows_that_are_about_something_in_words_name_no_columns() -> None:
    (table,) = tables("Key facts|Value", "Auditor|Example LLP", "Currency|EUR", "Revenue|100", "Staff|9")
    assert table.header_rows == 1
    (table,) = tables("|Year|+", "Item|2023|2022", "in euros||", "Rent|5|4", "Fees|2|1")
    assert table.header_rows == 2


def test_a_label_in_lower_case_goes_on_only_where_a_row_may_be_a_line() -> None:
    rows = grid("Item|2023", "Operating costs|", " research|5", " sales|7")
    (table,) = make_tables(rows, 2)
    assert not any(row.goes_on for row in table.rows) and [row.parent for row in table.rows[2:]] == [1, 1]
    (table,) = make_tables([row._replace(goes_on=None) for row in rows], 2)
    assert table.rows[2].goes_on


def test_hidden_cells_that_stand_behind_the_others_head_no_group() -> None:
    rows = [
        row._replace(cells=[*row.cells[:1], *row.cells[2:], row.cells[1]])
        for row in grid("Item|Note|2023|2022", "Sales|x|9|8", "Costs|y|5|4")
    ]
    (table,) = make_tables(rows, 4)
    assert [row.parent for row in table.rows] == [-1, -1, -1]


def test_words_among_the_names_are_no_labels() -> None:
    (table,) = tables("Sales of|Q1 alone|Q2 alone", "region|all|all", "North|1|2", "South|3|4")
    assert [column.is_label for column in table.columns] == [True, False, False]
