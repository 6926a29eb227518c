"""What stands above tables of text: their titles, and what states the scale and unit of all, some or no columns."""

from pathlib import Path

import pytest
from document_fixtures import load_document
from fakes import document

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Column
from ralph_cli.documents.structure.statements import complete_tables

TABLE = "Item  2031  2030\nRent  400  450\nDues  300  350\n"
RUNNING = "Report of the harbour\n"


def titles(about: Document) -> list[str]:
    return [" ".join(about.text[it.title : it.start].split()) if it.title >= 0 else "" for it in about.tables]


def stated(about: Document, number: int = 0) -> set[tuple[str, int, int]]:
    return {
        (" ".join(about.text[it.start : it.end].split()), it.row, it.column) for it in about.tables[number].statements
    }


@pytest.mark.parametrize(
    ("above", "title"),
    [
        ("Income\n", "Income"),
        ("Rents in thousands\n", "Rents in thousands"),
        ("At December 31\n", ""),
        ("INCOME OF BOATS\n(in thousands)\n\n", "INCOME OF BOATS (in thousands)"),
        ("It is cold. The dues of boats were\nas follows:\n", "The dues of boats were as follows:"),
        ("That is what the U.S. Coast Guard paid:\n", "That is what the U.S. Coast Guard paid:"),
        ("We keep the list of boats, and of what each of them pays for a berth,\nor for the crane\n", ""),
        ("The dues are in the list.*\n", ""),
        ("and the dues of boats\n", ""),
    ],
)
def test_a_title_is_a_line_by_itself_or_the_sentence_before_a_colon(above: str, title: str) -> None:
    assert titles(document(f"{above}{TABLE}")) == [title]


def test_what_is_on_every_page_is_no_title() -> None:
    tables = ["".join(f"Part {page * 7 + row}  {page * row + 3}00  5\n" for row in range(9)) for page in range(4)]
    pages = [f"{RUNNING}{'Costs' if page == 2 else ''}\n{table}" for page, table in enumerate(tables)]
    assert titles(document("\f".join(pages)))[1:] == ["", "Costs", ""]


def test_what_is_on_a_table_s_rows_is_no_heading() -> None:
    rows = "CLASS A BOATS  400  450\nLARGE BOATS\nTugs  300  350\n"
    about = document(
        f"DUES OF BOATS\n\nThey are paid in spring of each year.\n\n| | 2031 |\n|-|-|\n| RENT | 4 |\n\n{TABLE}{rows}"
    )
    assert [heading.text for heading in about.headings] == ["DUES OF BOATS"]


ABOVE = """
                              (in millions)
Item               2031            2030
Rent                400             450
Dues                300             350
"""
BELOW = """
Item              Boats            Rent
                              (in millions)
Tugs                400             450
Ferries             300             350
"""
BROKEN = """
                      (dollars in millions,
                              except dues)
Item               2031            2030
Rent                400             450
Dues                300             350
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (ABOVE, {("(in millions)", -1, -1)}),
        (BELOW, {("(in millions)", -1, 2)}),
        (BROKEN, {("(dollars in millions, except dues)", -1, -1)}),
        (
            "It has (in millions):\n2031  2030\nCost of boats:\nRent  5  7\nDues  4  6\n",
            {("It has (in millions):", -1, -1)},
        ),
        ("(in millions)\nWeeks to\nMay 2  May 1\n2031  2030\nRent  5  7\nDues  4  6\n", {("(in millions)", -1, -1)}),
        # A label with an amount, or a footnote's mark, states no currency, but one with a sign of per cent that.
        ("Loans  2031\n€5, due in May (1)  4\nBoats ($ 4 each)  5\n% of sales  7\n", {("% of sales", 3, -1)}),
        ("Loans  2031\nFee (euros)(a)  4\nBoats \u2014 %  5\n5\u215c% notes  7\n", {("Fee (euros)(a)", 1, -1)}),
        # A sign is of all cells of a column where the others go without one, and there is no other sign.
        ("Item  Share\nRent  12 %\nDues  9\nFees  7 %\n", {("12 %", -1, 1)}),
        ("Item  Share\nRent  12 %\nDues  9\nFees  $ 7\n", set()),
        ("Item  Share\nRent  12 %\nDues  9 %\nFees  7\n", set()),
        ("Item  2031\nRent  $ 12\nBoats  9\nFees  7\n", set()),
        # Nor where a share stands in brackets behind an amount.
        ("Item  Ships\nOld  36 (75%)\nNew  12\nAll  48\n", set()),
        # A label and a unit above a table are its unit, whatever the language; another word is none.
        ("\u5355\u4f4d\uff1a\u5143\nItem  2031\nRent  12\nDues  9\n", {("\u5355\u4f4d\uff1a\u5143", -1, -1)}),
        ("Einheit: kg\nItem  2031\nRent  12\nDues  9\n", {("Einheit: kg", -1, -1)}),
        ("Owner: Ann\nItem  2031\nRent  12\nDues  9\n", set()),
        # Symbols in brackets are units of columns, most capitals are not; those of East Asia are brackets, too.
        (
            "Well  EC (\u00b5S/cm)  Vol. (L)  Part (PA)\nOne  12  9  7\nTwo  9  8  6\n",
            {("EC (\u00b5S/cm)", -1, 1), ("Vol. (L)", -1, 2)},
        ),
        ("Item  2031\n\u8425\u4e1a\uff08\u5143\uff09  12\nDues  9\n", {("\u8425\u4e1a\uff08\u5143\uff09", 1, -1)}),
    ],
)
def test_what_states_a_scale_or_sign_governs_no_more_than_is_certain(
    text: str, found: set[tuple[str, int, int]]
) -> None:
    assert stated(document(text)) == found


def test_the_scale_of_all_amounts_governs_the_tables_of_its_part_that_state_none(tmp_path: Path) -> None:
    said = "All amounts are in thousands of euros unless stated otherwise"
    text = f"# Harbour\n\nIt was let. {said}.\n\n## Income\n\n{TABLE}\n## Costs\n\n(in millions)\n{TABLE}\n"
    (tmp_path / "a.md").write_text(f"{text}# Boats\n\nSome amounts are in thousands of euros.\n\n{TABLE}")
    about = load_document(tmp_path / "a.md")
    assert [stated(about, number) for number in range(3)] == [{(said, -1, -1)}, {("(in millions)", -1, -1)}, set()]


def test_a_line_in_brackets_above_numbered_parts_governs_them_all() -> None:
    said = "(Dollars in millions, except boats)"
    parts = "\n".join(f"Note {number}. Dues of Boats\n\nThey are paid in spring.\n\n{TABLE}" for number in (1, 2))
    about = document(f"NOTES TO THE ACCOUNTS\n{said}\n\n{parts}\nREPORT OF THE HARBOUR\n\nIt is cold.\n\n{TABLE}")
    assert [stated(about, number) for number in range(3)] == [{(said, -1, -1)}, {(said, -1, -1)}, set()]


@pytest.mark.parametrize(
    ("between", "second", "is_shared"),
    [
        ("\n", TABLE, True),
        ("\n", TABLE.replace("Item", "Cost"), True),
        ("\nIt is cold in the harbour.\n\n", TABLE, False),
        ("\n(1) It is cold.\n\f", "Item  Dues 2029  Rent\nTugs  400  450\nBoats  300  350\n", True),
        ("\n(1) It is cold.\n\f", "Item  Tugs 2029  Rent\nTugs  400  450\nBoats  300  350\n", False),
    ],
)
def test_what_stands_above_a_table_is_of_those_too_that_go_on_with_it(
    between: str, second: str, is_shared: bool
) -> None:
    first = TABLE.replace("2031", "Dues 2031").replace("2030", "Rent") if "\f" in between else TABLE
    about = document(f"It has (in thousands):\n\n{first}{between}{second}")
    places = tuple(Column(100.0 * at, 100.0 * at + 50, is_label=not at) for at in range(3))
    tables = [table._replace(columns=places, statements=(), continues=-1) for table in about.tables]
    found = complete_tables(about.text, about.pages, tables)
    assert [bool(table.statements) for table in found] == [True, is_shared]


GOVERNED = """
(in millions)

| | 2031 | 2030 | Price (cents) | (in thousands) |
|-|-|-|-|-|
| Rent | 400 | 450 | 7 | 6 |
| Boats (in thousands) | 300 | 350 | 8 | |
| Share | 17.5% | (0.5) pp | 3/1/2031 | May 2030 |
| % of rent | 5 | 3 | 2 | |
"""


def test_what_states_a_unit_of_a_cell_its_row_or_column_comes_before_the_scale_of_the_table() -> None:
    about = document(GOVERNED)
    table = about.tables[0]

    def governing(words: str) -> list[str]:
        cell = next(it for it in table.cells if about.text[it.start : it.end] == words)
        return [" ".join(about.text[it.start : it.end].split()) for it in about.statements_of(table, cell.row, cell)]

    assert governing("400") == governing("450") == ["(in millions)"]
    assert governing("7") == ["Price (cents)"] and governing("300") == ["Boats (in thousands)"]
    assert governing("8") == ["Boats (in thousands)", "Price (cents)"] and governing("5") == ["% of rent"]
    assert not any(map(governing, ("17.5%", "(0.5) pp", "3/1/2031", "May 2030")))
    assert [*map(about.column_path, [table] * 2, (3, 4))] == [("Price (cents)",), ()]
