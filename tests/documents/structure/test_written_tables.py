"""Tables as text: empty cells keep their places, and what stands in a cell is found where the cell is written."""

import pytest

from ralph_cli.core.structure import EMPTY_CELL, Span
from ralph_cli.documents.page_text import PARAGRAPH, PageText, join_lines
from ralph_cli.documents.tables import TableCell, TableRow, measure_blanks, write_table

LONG = "long" * 30


def row(cells: str, *, is_header: bool = False) -> TableRow:
    """A row of cells apart by "|"; "" is an empty one, "+" widens the one before it, "^" goes on with the one above."""
    made: list[TableCell] = []
    for column, text in enumerate(cells.split("|")):
        if text == "+":
            made[-1] = made[-1]._replace(end=column + 1)
        else:
            made.append(TableCell(column, column + 1, text.replace("^", ""), text == "^"))
    return TableRow(made, is_header=is_header)


@pytest.mark.parametrize(
    ("rows", "shown", "loose"),
    [
        ("Item|2023|2022/Rent||5", "Item  2023  2022/Rent  _  5", None),
        ("Item|2023|2022/Rent|5|", "Item  2023  2022/Rent  5", None),
        ("Item|2023|2022/North|1|2/^|3|4", "Item  2023  2022/North  1  2/North  3  4", None),
        ("Item|2023|2022/North|1|2/^||", "Item  2023  2022/North  1  2", None),
        (f"Item|2023|2022/{LONG}|1|2/^|3|4", f"Item  2023  2022/{LONG}  1  2/_  3  4", None),
        # Figures in columns without names say that the names stand elsewhere.
        ("Item|2023|2022|/Rent|||5", "Item  2023  2022/Rent  5", None),
        ("Name|Fame|Blame/||much", "Name  Fame  Blame/_  _  much", "Name  Fame  Blame/much"),
        # Where the grid is finer than its columns, a wide name has one cell.
        ("Item|2023|+|2022|+/Rent||5||4", "Item  2023  2022/Rent  _  5  _  4", "Item  2023  2022/Rent  5  4"),
        # Without header and figures a table may only place things.
        ("Who|When|How/North|a|b/^||d", "Who  When  How/North  a  b/North  _  d", "Who  When  How/North  a  b/d"),
    ],
)
def test_an_empty_cell_keeps_its_place_and_one_over_several_rows_is_said_again(
    rows: str, shown: str, loose: str | None
) -> None:
    grid = [row(cells) for cells in rows.split("/")]
    for is_loose, told in ((False, shown), (True, loose or shown)):
        assert write_table(grid, is_loose=is_loose).text().replace(EMPTY_CELL, "_") == told.replace("/", "\n")


def test_what_stands_in_a_cell_is_found_where_it_is_written_and_once() -> None:
    cell = PageText.of("Rent of all")
    cell.name_part("Rent", 0, 2)
    cell.quoted.append(Span(5, 7))
    cell.mark("form field", 8, 11)
    cell.marks.append(("a note", 4))
    head = row("Item|Year|Sum", is_header=True)
    page = PageText.of("Before.")
    page.add_block(write_table([head, TableRow([TableCell(0, 1, cell), TableCell(2, 3, "5")]), row("^|2023|4")]))
    text = page.text()
    assert text.endswith(f"Rent of all  {EMPTY_CELL}  5\nRent of all  2023  4")
    (heading,), (quoted,), (typed,), ((what, at),) = page.headings, page.quoted, page.additions, page.marks
    assert text[heading.start :].startswith("Rent of all  \u2423") and text[quoted.start : quoted.end] == "of"
    assert text[typed.start : typed.end] == "all" and what == "a note" and text[:at].endswith("Rent")
    (table,) = page.tables
    cells = [(text[it.start : it.end], it.row, it.column) for it in table.cells[3:]]
    assert cells == [("Rent of all", 1, 0), ("5", 1, 2), ("Rent of all", 2, 0), ("2023", 2, 1), ("4", 2, 2)]


def test_cells_with_lines_of_their_own_stand_apart_and_their_blanks_are_not_of_them() -> None:
    first = TableCell(0, 1, "\u2022 a\n\u2022 b", behind=PARAGRAPH)
    page = write_table([TableRow([first, TableCell(1, 2, "\u00a0\u00a0x ")]), row("c|d")])
    assert page.text() == "\u2022 a\n\u2022 b\n\n\u00a0\u00a0x \nc  d"
    assert [page.text()[it.start : it.end] for it in page.tables[0].cells] == ["\u2022 a\n\u2022 b", "x", "c", "d"]
    assert measure_blanks("\u00a0\u00a0x") == 2 * measure_blanks(" x") < measure_blanks("\tx")


def test_marks_and_additions_keep_their_places_where_lines_become_one() -> None:
    text = PageText.of(" a\n\n b\tc ")
    text.marks += [("start", 1), ("end", 2), ("b", 6), ("last", len(text.text()))]
    text.mark("form field", 4, 8)
    found = join_lines([text])
    assert found.text() == "a b c" and found.marks == [("start", 0), ("end", 1), ("b", 3), ("last", 5)]
    assert [found.text()[it.start : it.end] for it in found.additions] == ["b c"]
