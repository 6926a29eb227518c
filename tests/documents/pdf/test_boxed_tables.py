"""Tables of a PDF whose cells are drawn as boxes: which words are one cell, and what names it."""

from pathlib import Path

import pytest
from document_fixtures import load_document, one_page_pdf
from hidden_pdfs import raw_pdf

from ralph_cli.core.document import Document

SIDES = (60, 160, 220, 300, 380)
"""Where four columns begin and end."""


def drawn(
    path: Path, words: list[tuple[int, int, str]], across: list[tuple[int, int, int]], down: list[tuple[int, int, int]]
) -> Document:
    """A page of words (left, foot, text), and of rulings: across (left, foot, right) and down (left, foot, top)."""
    path.write_bytes(one_page_pdf(content(words, across, down)))
    return load_document(path)


def content(
    words: list[tuple[int, int, str]], across: list[tuple[int, int, int]], down: list[tuple[int, int, int]]
) -> bytes:
    """The content stream of such a page."""
    drawing = "".join(f"BT /F1 10 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET " for x, y, text in words)
    drawing += "".join(f"{left} {foot} {right - left} 0.7 re f " for left, foot, right in across)
    drawing += "".join(f"{left} {foot} 0.7 {top - foot} re f " for left, foot, top in down)
    return drawing.encode()


def lattice(top: int, *heights: int, sides: tuple[int, ...] = SIDES) -> tuple[list, list]:
    """The rulings of rows that are so high, all boxes closed."""
    feet = [top - sum(heights[:count]) for count in range(len(heights) + 1)]
    return [(sides[0], foot, sides[-1]) for foot in feet], [(side, feet[-1], top) for side in sides]


def paths(about: Document) -> list[str]:
    """Each value: what its row is, what its column is, and what it says."""
    return [
        f"{' > '.join(about.row_path(table, it.row))} | {' > '.join(about.column_path(table, it.column, it.last))}: "
        + about.text[it.start : it.end]
        for table in about.tables
        for it in table.cells
        if it.row >= table.header_rows and not table.columns[it.column].is_label
    ]


def test_lines_of_a_box_are_one_cell_and_empty_boxes_are_marked(tmp_path: Path) -> None:
    names = [
        (64, 690, "Model"),
        (164, 690, "Least"),
        (224, 690, "Most that"),
        (224, 678, "it draws"),
        (304, 690, "Kind"),
    ]
    row = [(64, 660, "Raspberry Pi Model"), (64, 648, "Zero"), (224, 654, "5"), (304, 654, "small")]
    last = [(64, 630, "Other"), (164, 630, "1"), (224, 630, "2"), (304, 630, "large")]
    about = drawn(tmp_path / "a.pdf", [*names, *row, *last], *lattice(702, 30, 30, 24))
    assert about.text.split("\n") == [
        "Model  Least  Most that it draws  Kind",
        "Raspberry Pi Model Zero  ␣  5  small",
        "Other  1  2  large",
    ]
    assert paths(about)[:2] == [
        "Raspberry Pi Model Zero | Most that it draws: 5",
        "Raspberry Pi Model Zero | Kind: small",
    ]


def test_boxes_over_others_are_names_of_several_columns_or_rows(tmp_path: Path) -> None:
    across, down = lattice(702, 20, 20, 20, 20)
    across = [(60, 702, 380), (220, 682, 380), (60, 662, 380), (160, 642, 380), (60, 622, 380)]
    down = [*down[:3], (300, 622, 682), down[4]]
    words = [(64, 676, "Use"), (230, 688, "Draws \\(A\\)"), (224, 668, "Old"), (304, 668, "New")]
    words += [(64, 638, "Boot"), (164, 648, "Max"), (224, 648, "0.3"), (304, 648, "0.5")]
    words += [(164, 628, "Avg"), (224, 628, "0.2"), (304, 628, "0.4")]
    about = drawn(tmp_path / "a.pdf", words, across, down)
    assert paths(about) == [
        "Boot > Max | Draws (A) > Old: 0.3",
        "Boot > Max | Draws (A) > New: 0.5",
        "Boot > Avg | Draws (A) > Old: 0.2",
        "Boot > Avg | Draws (A) > New: 0.4",
    ]


def test_amounts_above_each_other_in_a_box_are_of_several_rows(tmp_path: Path) -> None:
    sides = (60, 160, 220, 300)
    words = [(64, 690, "Table"), (164, 690, "Kept"), (224, 690, "Lost")]
    words += [(64, 670, "Consistent"), (164, 670, "36 \\(75%\\)"), (224, 670, "1")]
    words += [(64, 658, "Other"), (164, 658, "12"), (224, 658, "2")]
    about = drawn(tmp_path / "a.pdf", words, *lattice(702, 20, 32, sides=sides))
    assert paths(about) == [
        "Consistent | Kept: 36 (75%)",
        "Consistent | Lost: 1",
        "Other | Kept: 12",
        "Other | Lost: 2",
    ]


def test_tables_right_above_each_other_have_their_own_names(tmp_path: Path) -> None:
    across, _ = lattice(702, 20, 20, 20, 20, 20, 20)
    down = [(60, 582, 702), (380, 582, 702), (160, 642, 682), (260, 642, 682), (220, 582, 622)]
    words = [(200, 688, "Holders"), (64, 668, "Name"), (164, 668, "Sum"), (264, 668, "Share")]
    words += [(64, 648, "Ann"), (164, 648, "5"), (264, 648, "7"), (200, 628, "Lenders")]
    words += [(64, 608, "Bank"), (224, 608, "Loan"), (64, 588, "First"), (224, 588, "9")]
    assert paths(drawn(tmp_path / "a.pdf", words, across, down)) == [
        "Ann | Sum: 5",
        "Ann | Share: 7",
        "First | Loan: 9",
    ]


def test_labels_with_what_they_say_have_no_names_above_them(tmp_path: Path) -> None:
    words = [(x, 690 - 20 * at, cell) for at in range(3) for x, cell in ((64, f"Label{'abc'[at]}"), (224, "says"))]
    about = drawn(tmp_path / "a.pdf", words, *lattice(702, 20, 20, 20, sides=(60, 220, 380)))
    assert paths(about) == ["Labela | : says", "Labelb | : says", "Labelc | : says"]


WORDS = [
    (x, 690 - 20 * row, f"{name}{'abc'[row]}")
    for row in range(3)
    for x, name in zip((64, 164, 224, 304), ("one", "two", "three", "four"), strict=True)
]


@pytest.mark.parametrize(
    ("more", "tables"),
    [
        ([], 1),
        ([(200, 674, "across a side")], 0),
        ([(64, 710, "above"), (100, 674, "apart")], 0),
        # The boxes are some columns of a larger table.
        ([(20, 690 - 20 * row, "left") for row in range(3)], 0),
    ],
)
def test_only_boxes_of_one_cell_each_are_a_table(tmp_path: Path, more: list[tuple[int, int, str]], tables: int) -> None:
    about = drawn(tmp_path / "a.pdf", [*WORDS, *more], *lattice(702, 20, 20, 20))
    assert len(about.tables) == tables and "onea  twoa  threea  foura" in about.text


def test_what_has_the_colour_of_paper_is_no_side_of_a_box(tmp_path: Path) -> None:
    across, down = lattice(702, 20, 40)
    across[1] = (70, *across[1][1:])  # else the rulings across alone are enough
    assert len(drawn(tmp_path / "a.pdf", WORDS[:8], across, down).tables) == 1
    assert not drawn(tmp_path / "b.pdf", [*WORDS[:8], (500, 500, "white) Tj 1 1 1 rg (")], across, down).tables


def test_rulings_between_rows_part_them_and_gaps_their_columns(tmp_path: Path) -> None:
    lines = [(60, foot, 380) for foot in (682, 650, 618, 598)]  # none above the names
    words = [(60, 688, "Expense"), (164, 688, "Cost"), (224, 688, "What it is")]
    words += [
        (60, 668, "Staff"),
        (164, 668, "30.00"),
        (224, 668, "Direct compensation of those"),
        (224, 656, "who work here"),
    ]
    words += [(60, 636, "Taxes"), (164, 636, "8.94"), (224, 636, "They are paid, too, to those"), (224, 624, "who ask")]
    words += [(60, 604, "Total"), (164, 604, "38.94")]
    assert paths(drawn(tmp_path / "a.pdf", words, lines, [])) == [
        "Staff | Cost: 30.00",
        "Staff | What it is: Direct compensation of those who work here",
        "Taxes | Cost: 8.94",
        "Taxes | What it is: They are paid, too, to those who ask",
        "Total | Cost: 38.94",
    ]
    # Lines beside each other that end where more would fit may be rows of their own.
    words[-3:] = [(60, 624, "Dues"), (224, 624, "who"), *words[-2:]]
    assert "Taxes Dues" not in drawn(tmp_path / "b.pdf", words, lines, []).text


@pytest.mark.parametrize(
    ("last", "found"),
    [
        ([(60, 656, "Bob"), (224, 656, "Bonn")], ["Ann | Town: Rome", "Bob | Town: Bonn"]),  # rows of words
        ([(60, 656, "who lives here")], ["Ann who lives here | Town: Rome"]),
        ([(60, 656, "Bob"), (224, 656, "5")], []),  # figures tell their columns themselves
    ],
)
def test_few_rulings_part_the_names_of_columns_from_rows_of_words(
    tmp_path: Path, last: list[tuple[int, int, str]], found: list[str]
) -> None:
    words = [(60, 690, "Name"), (224, 690, "Town"), (60, 670, "Ann"), (224, 670, "Rome"), *last]
    assert paths(drawn(tmp_path / "a.pdf", words, [(60, foot, 380) for foot in (702, 682, 642)], [])) == found


def test_words_of_a_drawn_column_with_the_same_gap_are_two_columns(tmp_path: Path) -> None:
    across, down = lattice(702, 20, 20, 20)
    about = drawn(tmp_path / "a.pdf", WORDS, across, [*down[:2], *down[3:]])
    assert paths(about)[:3] == ["oneb | twoa: twob", "oneb | threea: threeb", "oneb | foura: fourb"]


def test_many_boxes_of_as_many_lines_at_the_same_heights_hold_rows(tmp_path: Path) -> None:
    across, down = lattice(702, 20, 32, 32)
    words = [
        *WORDS[:4],
        *((x, 670 - 12 * at - 8 * (at > 1), f"w{x}{at}") for at in range(4) for x in (64, 164, 224, 304)),
    ]
    assert paths(drawn(tmp_path / "a.pdf", words, across, down))[::3] == [
        f"w64{at} | twoa: w164{at}" for at in range(4)
    ]


@pytest.mark.parametrize(("first", "title", "found"), [("Dan", "", 5), ("Name", "", 4), ("Dan", "Crew", 4)])
def test_words_in_boxes_go_on_on_the_next_page_under_the_same_names(
    tmp_path: Path, first: str, title: str, found: int
) -> None:
    lines = lattice(702, 20, 20, 20, sides=(60, 160, 260, 380))
    pages = [
        content(
            [
                (x, 688 - 20 * at, cell)
                for at, row in enumerate(rows)
                for x, cell in zip((64, 164, 264), row, strict=True)
            ],
            *lines,
        )
        + f"BT /F1 10 Tf 64 740 Td ({above}) Tj ET ".encode()
        for rows, above in (
            ((("Name", "Town", "Job"), ("Ann", "Rome", "cook"), ("Bob", "Bonn", "smith")), ""),
            (
                (
                    (first, "Town" if first == "Name" else "Oslo", "Job"),
                    ("Eve", "Nice", "cook"),
                    ("Fay", "Bath", "cook"),
                ),
                title,
            ),
        )
    ]
    kids = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
    path = tmp_path / "a.pdf"
    path.write_bytes(
        raw_pdf(
            [
                b"<</Type/Catalog/Pages 2 0 R>>",
                b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>",
                kids % 6,
                kids % 7,
                b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
                *(b"<</Length %d>>stream\n%s\nendstream" % (len(page), page) for page in pages),
            ]
        )
    )
    values = [it for it in paths(load_document(path)) if "Job" not in it.split(":")[0]]
    assert len(values) == found and values[:2] == ["Ann | Town: Rome", "Bob | Town: Bonn"]
    assert values[-2:] == [f"Eve | {'Oslo' if title else 'Town'}: Nice", f"Fay | {'Oslo' if title else 'Town'}: Bath"]
