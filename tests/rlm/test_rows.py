"""What `find` makes of tables: what is a row, which rows come first, and what is said beside a row."""

from dataclasses import replace

from fakes import FakeSandbox, document
from tables import make_table

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Heading, NamedPlace
from ralph_cli.rlm.bridge import DocumentSandbox

STATEMENT = "Balance Sheets\n(in millions)\nDecember 31,  2022  2021\nCash  420  398\nInventories, net\n"
STATEMENT += "Raw materials  120  118\nFinished tools  310  277\nOther assets  10  12\nTotal assets  850  793\n"
TAXES = (
    "Note 2 - Taxes\nDecember 31,  2022  2021  2020\nReserves  6  7  8\nInventories  20  15  11\nLeases  70  62  5\n"
)
TAXES += "Pensions  1  2  3\nTotal  97  86  27"
POLICIES = "Note 1 - Policies\nInventories were 430 in 2022 and 395 in 2021, as counted in December.\nThey are counted."
REPORT = "\f".join(("Item 1. Statements\nHere they are.", STATEMENT, POLICIES, TAXES))


def ask(code: str, about: Document | str = REPORT) -> str:
    box = DocumentSandbox(FakeSandbox, document(about) if isinstance(about, str) else about)
    return box.run(code, lambda items: []).stdout


def test_a_label_above_its_rows_is_a_row_and_running_text_is_none() -> None:
    shown = ask("find('inventories', rows=True)")
    assert "2 of 3 are rows of tables" in shown and "the others are on page 3" in shown
    first = shown.partition("--- place 1")[0]
    assert "(above: December 31,  2022  2021)" in first and "Inventories, net\nRaw materials  120  118" in first


def test_a_statement_comes_before_a_wider_table_in_a_note() -> None:
    pages = [line.split(",")[1] for line in ask("find('inventories', rows=True)").splitlines() if line[:3] == "---"]
    assert pages == [" page 2", " page 4"]
    one_part = REPORT.replace("Note 2 - Taxes", "Taxes").replace("Note 1 - Policies", "Policies")
    assert "--- place 0, page 4" in ask("find('inventories', rows=True)", one_part), "else the widest is first"


def test_a_list_and_a_line_that_introduces_a_table_are_no_rows() -> None:
    text = "\u2022  Cash of 1,200\nThe cash of the group that was held on the last day was as follows:\nCash  7  8"
    assert "1 of 3 are rows of tables" in ask("find('cash', rows=True)", text)


def test_the_columns_of_a_row_are_told_behind_it_and_once_for_those_that_follow() -> None:
    text = "Item  North Sea Oil Rent  North Sea Oil Gas\nLet  400\nSold  500\nBoth  400  450\nIdle  500"
    rows = [("Item", "North Sea Oil Rent", "North Sea Oil Gas"), ("Let", "", "400"), ("Sold", "", "500")]
    about = replace(document(text), tables=(make_table(text, *rows, ("Both", "400", "450"), ("Idle", "", "500")),))
    assert ask("find('let', after=4)", about).count("in this row") == 1  # of rows that nobody asked for it is not told
    lines = ask("find('let|both|sold|idle')", about).splitlines()
    assert "Let  400  (in this row 400 stands under \u201cNorth Sea Oil Gas\u201d)" in lines
    assert lines[lines.index("Both  400  450") - 1] == "Sold  500  (in this row under the same columns)"
    assert lines[-1] == "Idle  500  (in this row under the same columns)"


def test_names_of_columns_that_begin_alike_are_said_once() -> None:
    names = ("Item", "Other", "Year to 30 June 2024 Rent", "Year to 30 June 2024 Gas")
    text = f"{'  '.join(names)}\nLet  400  450"
    about = replace(document(text), tables=(make_table(text, names, ("Let", "", "400", "450")),))
    told = "400 stands under \u201cYear to 30 June 2024 Rent\u201d; 450 under \u201c\u2026 Gas\u201d"
    assert told in ask("find('let')", about)


def test_a_row_that_has_the_names_of_columns_by_chance_is_no_header() -> None:
    text = "Cash (restricted: 2022, $5; 2021, $11)  510  292\nLoans  7  8"
    rows = (line.split("  ") for line in text.split("\n"))
    about = replace(document(text), tables=(make_table(text, *rows, header_rows=0),))
    assert "(above:" not in ask("find('loans', before=0)", about)


def test_a_place_is_told_with_its_part_where_that_is_certain() -> None:
    shown = ask("find('counted')")
    assert shown.count("[in: Note 1 - Policies]") == 1 or "[page begins: Note 1 - Policies]" in shown
    lease = document("# Lease\n\n7.1 The rent is due.\n\n7.2 It is paid in May.\n", kind="markdown")
    starts = [lease.text.index("7.1"), lease.text.index("7.2")]
    places = tuple(NamedPlace(at, f"clause {name}") for at, name in zip(starts, ("7.1", "7.2"), strict=True))
    lease = replace(lease, places=places, headings=(Heading("Lease", 0, 1),))
    assert "--- place 0, page 1, clause 7.2, offset" in ask("find('paid in may')", lease)
    assert "place 1, page 1, clause 7.2, offset" in ask("find('is due|is paid', show=1)", lease)
    assert ask("at(40, before=5)", lease).startswith("page 1, clause 7.2, offset")


def test_a_row_is_told_with_the_heading_right_above_its_table() -> None:
    table = "              2022   2021\nSales        2,812  2,713\nProfit         353    352\n"
    text = f"FLEXIBLES SEGMENT\n{table}\nIt rose as planned.\nThere was more.\n\n{table}\n\nRIGID SEGMENT\n{table}"
    lines = [line for line in ask("find('profit', rows=True)", text).splitlines() if line[:3] == "---"]
    assert [line.partition(" [in: ")[2] for line in lines] == ["FLEXIBLES SEGMENT]", "", "RIGID SEGMENT]"]
