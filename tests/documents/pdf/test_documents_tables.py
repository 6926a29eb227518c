"""PDF tables as data: columns with what stands above them, cells, and marks where a cell is certainly empty."""

import pytest
from document_fixtures import load_document, one_page_pdf
from tables import cells_below, column_names

from ralph_cli.core.structure import EMPTY_CELL
from ralph_cli.retrieval.quotes.index import QuoteIndex

AT = (72, 350, 420, 490)
HEADER = ("In millions", "2023", "2022", "2021")
LINES = (
    ("Revenue", "1,577", "1,373", "1,420"),
    ("Dividend", "", "500", "(16)"),
    ("Other", "9", "6", ""),
    ("Cost of sales", "(12)", "", "(4)"),
    ("Total", "1,574", "1,879", "1,400"),
)


def placed(*rows, top=700, at=AT, step=16):
    return [(x, top - step * n, cell) for n, row in enumerate(rows) for x, cell in zip(at, row, strict=False) if cell]


def marked(document):
    return [line for line in document.text.split("\n") if EMPTY_CELL in line]


def test_an_empty_cell_is_marked_where_the_row_goes_on_behind_it(pdf):
    document = load_document(pdf(placed(HEADER, *LINES)))
    assert marked(document) == ["Dividend  ␣  500  (16)", "Cost of sales  (12)  ␣  (4)"]
    assert QuoteIndex(document).find("Dividend 500 (16)").tier == "folded"


def test_tables_say_under_which_header_each_figure_stands(pdf):
    document = load_document(pdf([(72, 700, "Front")], placed(("", "", "Year ended"), HEADER, *LINES)))
    (table,) = document.tables
    assert column_names(document) == ["In millions", "2023", "Year ended 2022", "2021"]
    assert [round(column.left) for column in table.columns[1:]] == [350, 420, 490]
    assert cells_below(document) == [(cell, n) for row in LINES for n, cell in enumerate(row) if cell]
    assert document.text[table.start : table.end].startswith("Year ended\nIn millions  2023")
    assert document.text[table.start : table.end].endswith("1,400")


def count_figures(table):
    return sum(not table.columns[cell.column].is_label for cell in table.cells if cell.row >= table.header_rows)


LABEL = "Changes in what is owed and owned, net of what was bought"
PARAGRAPH = "These are the sums of all that was sold in the years named above, and of what it cost to make it"


@pytest.mark.parametrize(
    ("between", "size"),
    [([LABEL], [18]), ([LABEL] * 3, [18]), ([LABEL] * 4, [9, 9]), ([PARAGRAPH], [9, 9])],
)
def test_a_label_of_many_words_ends_no_table_and_prose_does(pdf, between, size):
    rows = (LINES[0], LINES[4], LINES[0])
    document = load_document(pdf(placed(HEADER, *rows, *((words,) for words in between), *rows)))
    assert [count_figures(table) for table in document.tables] == size


def test_intervals_below_estimates_are_figures_of_their_columns(pdf):
    rows = [
        ("Rent", "0.186**", "0.193*", "5"),
        ("", "[0.124, 0.231]", "{<0.01}"),
        ("Dues", "375**", "486**", "[-1, 2]"),
    ]
    (table,) = load_document(pdf(placed(HEADER, *rows, at=(72, 250, 370, 490)))).tables
    assert count_figures(table) == 8


def test_prose_before_the_first_figure_is_in_no_table(pdf):
    document = load_document(pdf(placed((PARAGRAPH,), HEADER, *LINES, ("These are all.",))))
    assert [count_figures(table) for table in document.tables] == [12]


def paths(document):
    (table,) = document.tables
    return [" > ".join(document.row_path(table, at)) for at in range(table.header_rows, len(table.rows))]


def test_lines_of_one_label_stand_nearer_to_each_other_than_rows(pdf):
    rows = [
        *placed(HEADER, ("Assets",), LINES[0], LINES[4], top=748),
        *[(72, 684, "Notes of Bonds of the"), *placed(("Company", "1", "2", "3"), ("Sum", "9", "9", "9"), top=673)],
    ]
    joined = "Assets > Notes of Bonds of the"
    assert paths(load_document(pdf(rows)))[-3:] == [joined + " Company", joined + " Company", "Assets > Sum"]


def test_labels_that_begin_hardly_further_right_are_not_set_in(pdf):
    lines = [(82 + 0.7 * (n > 1), 700 - 16 * n, row[0]) for n, row in enumerate(LINES) if n]
    cells = placed(HEADER, ("Sales",), *(("", *row[1:]) for row in LINES[1:]), top=716)
    document = load_document(pdf([*cells, *lines]))
    assert paths(document) == ["Sales", *(f"Sales > {row[0]}" for row in LINES[1:])]


def test_a_row_above_the_figures_that_names_none_of_them_is_no_header(pdf):
    names = [("", "", "Years"), ("", "Kind of"), ("", "", *HEADER[1:])]
    lines = [(row[0], "", *row[1:]) for row in LINES]
    (table,) = load_document(pdf(placed(*names, *lines, at=(72, 240, *AT[1:])))).tables
    assert (table.header_rows, len(table.rows)) == (2, 7)


COLUMNS = (72, 300, 360, 420, 480)
FOUR = [(f"Item {n}", f"{n},577", f"{n},373", f"{n},420", f"{n},016") for n in range(1, 5)]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        # As many names as columns, each beside its own; and names in the middle of as many columns each.
        ([(270, 716, "2023"), (330, 716, "2022"), (390, 716, "2021"), (450, 716, "2020")], "2023|2022|2021|2020"),
        ([(332, 716, "Us"), (450, 716, "Them")], "Us|Us|Them|Them"),
        # A name over the last column of two does not stand over both, nor one that goes on in the line below.
        ([(363, 716, "Part"), (483, 716, "Part")], "|Part||Part"),
        ([(360, 716, "Of all"), *placed(("", "Sums", "Shares", "Costs", "Rents"), top=704, at=COLUMNS)], None),
        ([(347, 716, "Gross sums"), (347, 704, "Losses")], "|Gross sums Losses||"),
        # All lines of a name, though one begins like a sentence that goes on, or is in the middle of all columns.
        (
            placed(("", *["Net"] * 4), ("", "in it on us", *["of"] * 3), ("", *"ABCD"), top=726, step=11, at=COLUMNS),
            "Net in it on us A|Net of B|Net of C|Net of D",
        ),
        # What stands above a title names nothing.
        (
            [(480, 740, "Annex"), (272, 728, "Of Us"), *placed(("", *"ABCD"), top=704, at=COLUMNS)],
            "A|B|C|D",
        ),
    ],
)
def test_a_name_stands_over_the_columns_that_it_is_in_the_middle_of(pdf, names, found):
    document = load_document(pdf([*names, *placed(*FOUR, top=692, at=COLUMNS)]))
    assert column_names(document)[1:] == (found.split("|") if found else ["Sums", "Of all Shares", "Costs", "Rents"])


def ruled(file, places, lines, turns=0):
    """A page of words and of rulings (left, foot, right), which is turned counter-clockwise."""
    words = "".join(f"BT /F1 10 Tf 1 0 0 1 {x} {y} Tm ({cell}) Tj ET " for x, y, cell in places)
    drawn = "".join(f"{left} {foot} {right - left} 0.7 re f " for left, foot, right in lines)
    turn = ("", "0 1 -1 0 612 0 cm ", "-1 0 0 -1 612 792 cm ", "0 -1 1 0 0 792 cm ")[turns]
    return load_document(file("a.pdf", one_page_pdf((turn + words + drawn).encode())))


YEARS = placed(("", *"ABCD"), top=704, at=COLUMNS)


@pytest.mark.parametrize(
    ("names", "lines", "found"),
    [
        # In the middle of three columns, flush with one of two; in two pieces, and beside one that is over none.
        ([(363, 718, "Us")], [(290, 714, 445)], "Us A|Us B|Us C|D"),
        ([(360, 718, "Us"), (480, 718, "All")], [(350, 714, 400), (400.5, 714, 450)], "A|Us B|Us C|All D"),
        # Of two lines, also of a date; what stands above a line is no part of the name below it.
        (
            [(363, 729, "May 31,"), (363, 718, "2031")],
            [(290, 714, 445)],
            "May 31, 2031 A|May 31, 2031 B|May 31, 2031 C|D",
        ),
        ([(360, 718, "Us")], [(290, 714, 445), (355, 702, 385)], "Us A|Us B|Us C|D"),
        # A line of the whole table says that the only name above it is that of all columns, and of others nothing.
        ([(363, 718, "Us")], [(60, 714, 520)], "Us A|Us B|Us C|Us D"),
        ([(360, 718, "Us"), (480, 718, "All")], [(290, 714, 520)], "A|Us B|C|All D"),
        # Nor do lines that are far below or of other columns, nor one of several that reach over one column each.
        ([(360, 718, "Us")], [(290, 702, 445)], "A|Us B|C|D"),
        ([(360, 718, "Us")], [(480, 714, 520)], "A|Us B|C|D"),
        (
            [(377, 718, "Of us all")],
            [(at - 5, 714, at + 50) for at in COLUMNS[1:]],
            "|".join(f"Of us all {it}" for it in "ABCD"),
        ),
    ],
)
def test_a_name_stands_over_the_columns_that_the_line_below_it_reaches_over(file, names, lines, found):
    document = ruled(file, [*names, *YEARS, *placed(*FOUR, top=692, at=COLUMNS)], lines)
    assert column_names(document)[1:] == found.split("|")


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_lines_are_turned_as_the_text_of_their_page_is(file, turns):
    document = ruled(
        file,
        [(363, 418, "Us"), *((x, y - 300, it) for x, y, it in [*YEARS, *placed(*FOUR, top=692, at=COLUMNS)])],
        [(290, 414, 445)],
        turns,
    )
    assert column_names(document)[1:] == ["Us A", "Us B", "Us C", "D"]


def test_a_name_stands_over_the_columns_between_the_lines_beside_it(file):
    names = [(280, 730, "Us"), (470, 730, "Them"), *placed(("", *"ABAB"), top=712, at=COLUMNS)]
    walls = "".join(
        f"{left} 600 0.7 {height} re f " for left, height in ((270, 140), (410, 140), (530, 140), (350, 110))
    )
    cells = [*names, *placed(*FOUR, at=COLUMNS)]
    drawing = "".join(f"BT /F1 9 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET " for x, y, text in cells)
    for lines, found in ((walls, "Us A|Us B|Them A|Them B"), ("", "A|B|A|Them B")):
        document = load_document(file("a.pdf", one_page_pdf((drawing + lines).encode())))
        assert "|".join(column_names(document)[1:]) == found


def test_the_mark_of_a_note_is_a_part_of_its_name(tmp_path):
    places = [*((10, *it) for it in [(285, 718, "Of us"), (420, 718, "Them"), *YEARS]), (6, 312.5, 722, "\\(1\\)")]
    places += [(10, *it) for it in placed(*FOUR, top=692, at=COLUMNS)]
    path = tmp_path / "made.pdf"
    path.write_bytes(
        one_page_pdf("".join(f"BT /F1 {size} Tf {x} {y} Td ({cell}) Tj ET " for size, x, y, cell in places).encode())
    )
    assert [name.split()[0] for name in column_names(load_document(path))[1:]] == ["Of", "B", "Them", "D"]


def test_what_stands_over_a_column_that_is_none_names_no_other(pdf):
    lines = [(label, one, two, "(a)(b)" * (n == 1), four) for n, (label, one, two, _, four) in enumerate(FOUR)]
    names = placed(("", *["Part"] * 3), ("", "one", "two", "ref", "Rest"), top=714, step=11, at=COLUMNS)
    document = load_document(pdf([*names, *placed(*lines, top=692, at=COLUMNS)]))
    assert column_names(document)[1:] == ["Part one", "Part two", "Rest"]


def test_a_sign_that_follows_a_figure_leaves_it_one(pdf):
    rows = [(label, *(f"{amount} $" for amount in amounts[:3]), amounts[3]) for label, *amounts in FOUR]
    names = placed(("", "Life", "All", "Net"), ("", *"ABCD"), top=724, at=COLUMNS)
    document = load_document(pdf([*names, *placed(*rows, top=692, at=COLUMNS)]))
    assert column_names(document)[1:] == ["Life A", "All B", "Net C", "D"]


def test_raised_marks_of_notes_are_no_figures_and_make_no_column(tmp_path):
    rows = [(700, ("", "2023", "2022"))] + [(684 - 16 * n, row[:3]) for n, row in enumerate(LINES[::4] * 2)]
    content = "".join(
        f"BT /F1 10 Tf {x} {y} Td ({cell}) Tj ET "
        for y, row in rows
        for x, cell in zip((72, 350, 420), row, strict=True)
    )
    marks = "".join(
        f"BT /F1 6 Tf {x} {y} Td (\\(1\\)) Tj ET " for x, y in [(372.5, 704), (442.5, 704), (115, 688), (97, 656)]
    )
    path = tmp_path / "made.pdf"
    path.write_bytes(one_page_pdf((content + marks).encode()))
    document = load_document(path)
    assert len(document.tables[0].columns) == 3 and [name[:4] for name in column_names(document)] == [
        "",
        "2023",
        "2022",
    ]


def test_years_name_rows_and_words_under_a_name_are_a_column(pdf):
    years = [(str(year), f"{year - 2000},377", "9") for year in range(2031, 2035)]
    (table,) = load_document(pdf(placed(("Year", "Sums", "Shares"), *years, at=AT))).tables
    assert [column.is_label for column in table.columns] == [True, False, False]
    lines = [(f"Loan {row[0]}", f"{n}-{n + 5} years", *row[1:]) for n, row in enumerate(FOUR)]
    document = load_document(pdf(placed(("", "Runs for", *"ABCD"), *lines, at=(72, 210, *COLUMNS[1:]))))
    assert column_names(document) == ["", "Runs for", "A", "B", "C", "D"]
    assert paths(document)[0] == "Loan Item 1" and cells_below(document)[1] == ("0-5 years", 1)


def test_times_under_a_name_are_a_column_though_few_rows_have_one(pdf):
    rows = (("Bond A", "Jun 2027", "1", "2"), ("Bond B", "May 2031", "3", "4"), ("Bond C", "Sep 2033", "5", "6"))
    others = (("Bonds", "", "9", "12"), ("Bank", "", "2", "1"), ("Lease", "", "3", "5"), ("All", "", "14", "18"))
    document = load_document(pdf(placed(("In millions", "Due", "2023", "2022"), *rows, *others)))
    assert column_names(document) == ["In millions", "Due", "2023", "2022"]
    assert paths(document)[:3] == ["Bond A", "Bond B", "Bond C"]


def test_a_label_of_several_lines_below_the_names_hides_none_of_them(pdf):
    label = [(72, 684, "Income of all the ships that were sold"), (72, 674, "in the year and of others")]
    document = load_document(pdf([*placed(HEADER), *label, *placed(*LINES, top=664)]))
    assert column_names(document)[1:] == ["2023", "2022", "2021"]


def test_a_currency_sign_belongs_to_its_figure(pdf):
    rows = [(f"Item {n}", "$", f"{n},577", "$", f"{n},373") for n in range(1, 5)]
    document = load_document(pdf(placed(("", "", "2023", "", "2022"), *rows, at=(72, 340, 352, 420, 432))))
    (table,) = document.tables
    assert table.header_rows == 1 and cells_below(document)[1:3] == [("$ 1,577", 1), ("$ 1,373", 2)]


def test_a_header_in_the_middle_of_signs_and_figures_is_that_of_the_column(pdf):
    rows = [(f"Item {n}", "$", f"{n},577", "$", f"{n},373") for n in range(1, 5)]
    headers = [(335, 716, "2023"), (425, 716, "2022")]
    document = load_document(pdf([*headers, *placed(*rows, at=(72, 320, 365, 410, 455))]))
    assert column_names(document) == ["", "2023", "2022"]


@pytest.mark.parametrize(
    ("what", "places"),
    [
        ("no header", placed(*LINES)),
        ("a column without a header", placed(("In millions", "2023", "", "2021"), *LINES)),
        ("a header over two columns alone", [*placed(*LINES), (350, 716, "Years ended December 31, 2023")]),
        ("a header over no column", [*placed(HEADER, *LINES), (545, 700, "2020")]),
        ("a column of text", [*placed(HEADER, *LINES), (200, 684, "Euro"), (200, 668, "Yen")]),
        ("a figure in no column", [*placed(HEADER, *LINES), (300, 684, "7")]),
        ("a heading inside", placed(HEADER, *LINES[:2], ("", "Sales", "Profit"), *LINES[2:])),
        (
            "prose above",
            [*placed(HEADER, *LINES, top=680), (72, 672, "and so it was with all the other sums of the year")],
        ),
        ("another table's header", placed(HEADER, *[LINES[0]] * 3) + placed(*LINES, top=500)),
        ("figures without labels", placed(HEADER, *[("", *row[1:]) for row in LINES])),
    ],
)
def test_where_it_is_not_certain_nothing_is_marked(pdf, what, places):
    assert marked(load_document(pdf(places))) == []


@pytest.mark.parametrize(("spacing", "line"), [(30, "Guam  1  3  0"), (9, "Guam  130")])
def test_cells_are_not_one_number_because_the_file_has_nothing_between_them(tmp_path, spacing, line):
    # The second row is a number whose digits stand in boxes.
    content = b"BT /F1 10 Tf 72 700 Td (Guam) Tj %d Tc 200 0 Td (130) Tj ET" % spacing
    path = tmp_path / "made.pdf"
    path.write_bytes(one_page_pdf(content))
    assert load_document(path).text == line


def test_labels_that_almost_touch_are_not_one_figure(pdf):
    # Above the bars of a chart: "71.6" is 19.46 points wide.
    document = load_document(pdf([(100, 694, "71.6"), (120.2, 700, "73.3"), (140.4, 697, "72.6")]))
    assert document.text.split() == ["71.6", "73.3", "72.6"]


def test_a_slanted_figure_is_one(tmp_path):
    path = tmp_path / "made.pdf"
    path.write_bytes(one_page_pdf(b"BT /F1 10 Tf 0.94 0.342 -0.342 0.94 72 700 Tm (2019) Tj ET"))
    assert load_document(path).text == "2019"


def test_labels_with_what_they_say_in_a_row_above_a_table_name_no_columns(pdf):
    about = [(72, 750, "Patient:"), (350, 750, "Sample: blood"), (490, 750, "State: good")]
    document = load_document(pdf([*about, *placed(HEADER, *LINES, top=734)]))
    assert column_names(document) == list(HEADER)


@pytest.mark.parametrize(
    ("colon", "second", "found"),
    [
        (":", 300, ["Use > Berth | B4", "Use > Keeper of the pier | Ann", "Use > Dues | paid"]),
        ("", 300, []),  # words beside each other
        (":", 320, []),  # what they say begins elsewhere
    ],
)
def test_labels_with_colons_and_what_they_say_from_one_edge_on_are_a_table(pdf, colon, second, found):
    words = [
        (60, 716, "Use"),
        (72, 700, "Berth" + colon),
        (300, 700, "B4"),
        (72, 684, "Keeper of the"),
        (300, 684, "Ann"),
    ]
    words += [(72, 668, "pier" + colon), (72, 652, "Dues" + colon), (second, 652, "paid"), (72, 636, "Boat" + colon)]
    document = load_document(pdf([*words, (second, 636, "Elle")]))
    said = [
        f"{' > '.join(document.row_path(table, it.row))} | {document.text[it.start : it.end]}".replace(":", "")
        for table in document.tables
        for it in table.cells
        if it.column
    ]
    assert said[:3] == found
