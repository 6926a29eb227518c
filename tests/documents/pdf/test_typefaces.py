"""Headings of PDFs and titles of their tables, told by the type that sets them apart from running text."""

from pathlib import Path

import pytest
from document_fixtures import load_document

from ralph_cli.core.document import Document

RUNNING = ("Helvetica", 10)
BOLD = ("Helvetica-Bold", 10)
ITALIC = ("Helvetica-Oblique", 10)
LARGE = ("Helvetica", 14)
PROSE = "The harbour office keeps the list of all boats, and of what each of them pays for its berth, up to date."
Line = tuple[tuple[str, float], str]


@pytest.fixture
def typed(tmp_path: Path):
    """Loads a PDF of these pages: lines from top to bottom, each in its type, cells two spaces apart."""

    def load(*pages: list[Line]) -> Document:
        from reportlab.pdfgen.canvas import Canvas

        canvas = Canvas(str(tmp_path / "made.pdf"), pagesize=(612, 792), invariant=1)
        for lines in pages:
            for at, (face, words) in enumerate(lines):
                canvas.setFont(*face)
                for x, cell in zip((50, 350, 450), words.split("  "), strict=False):
                    canvas.drawString(x, 740 - 14 * at, cell)
            canvas.showPage()
        canvas.save()
        return load_document(tmp_path / "made.pdf")

    return load


def prose(lines: int = 3) -> list[Line]:
    return [(RUNNING, PROSE)] * lines


def headings(about: Document) -> list[str]:
    return [heading.text for heading in about.headings]


def titles(about: Document) -> list[str]:
    return [about.text[it.title : it.start].strip() if it.title >= 0 else "" for it in about.tables]


def rows(*names: str) -> list[Line]:
    return [(RUNNING, f"{name}  {at + 5}00  {at + 3}00") for at, name in enumerate(names)]


def test_lines_in_type_of_their_own_are_headings_and_others_are_none(typed) -> None:
    page = [(BOLD, "Boats that are let"), *prose(), (RUNNING, "Port Ellery, Lowe"), *prose(), (LARGE, "What is owed")]
    page += [*prose(), (ITALIC, "Dues of members"), *prose()]
    assert headings(typed(page)) == ["Boats that are let", "What is owed", "Dues of members"]


def test_lines_of_narrow_columns_are_running_text(typed) -> None:
    narrow = [(RUNNING, "Of what each boat pays for its berth, and when")] * 4
    assert headings(typed([(BOLD, "What is owed"), *narrow])) == ["What is owed"]


def test_headings_may_be_smaller_than_text_larger_than_their_own_font_or_return_within_pages(typed) -> None:
    letter = [(("Times-Roman", 14), PROSE[:70])] * 20
    part = [(("Helvetica-Bold", 8.7), "DUES OF MEMBERS"), *prose(4), (LARGE, "What is owed"), *prose(4)]
    about = typed([*letter, *prose(4)], *[[(BOLD, "Harbour report"), *prose(), *part]] * 5)
    assert headings(about) == ["DUES OF MEMBERS", "What is owed"] * 5


def test_labels_and_names_of_columns_in_a_table_are_no_headings(typed) -> None:
    table = [(BOLD, "  North Quay  South Quay"), *rows("Rent", "Fees"), (BOLD, "Large Boats"), *rows("Tugs", "Ferries")]
    about = typed([(BOLD, "Income"), *prose(), *table, *prose()])
    assert len(about.tables) == 1 and headings(about) == ["Income"]


def test_a_heading_over_several_lines_is_one(typed) -> None:
    long = "Changes in what the members of the harbour office and their guests owe for berths and for"
    page = [
        (BOLD, long),
        (BOLD, "the use of its two cranes"),
        *prose(),
        (BOLD, "NOTE 3"),
        (BOLD, "OTHER ASSETS"),
        *prose(),
    ]
    page += [(BOLD, "Tolls"), (BOLD, "Tolls of the north quay"), *prose()]
    one, note, *both = headings(typed(page))
    assert one == f"{long} the use of its two cranes" and note == "NOTE 3 OTHER ASSETS"
    assert both == ["Tolls", "Tolls of the north quay"]


def test_emphasis_within_a_sentence_is_no_heading(typed) -> None:
    begun = (
        RUNNING,
        "What is said of that, and of the boats that come from abroad, stands below in the part with the name",
    )
    page = [
        (BOLD, "Tolls"),
        *prose(),
        begun,
        (ITALIC, "Tolls of the North Quay.”"),
        *prose(),
        (ITALIC, "We keep boats. We let them."),
        *prose(),
    ]
    assert headings(typed(page)) == ["Tolls"]


def test_the_title_of_a_table_is_what_is_set_apart_above_it_or_introduces_it(typed) -> None:
    table = [(RUNNING, "  2031  2030"), *rows("Rent", "Fees", "Tolls")]
    head = [(RUNNING, "Report of the harbour")]
    pages = [[*head, (BOLD, "Income of boats"), (RUNNING, "(in thousands)"), *table, *prose(2)]]
    pages += [[*head, *table, *prose(2)]]
    pages += [[*head, *prose(2), (RUNNING, "They pay for what they use,"), (RUNNING, "be it little or much"), *table]]
    pages += [
        [
            *head,
            *prose(2),
            (RUNNING, "They pay. What the boats of the north quay paid for the cranes was"),
            (RUNNING, "as follows:"),
            *table,
        ]
    ]
    about = typed(*pages, [(BOLD, "Members"), *prose(), (BOLD, "Guests"), *prose()])
    assert titles(about) == [
        "Income of boats\n(in thousands)",
        "",
        "",
        "What the boats of the north quay paid for the cranes was\nas follows:",
    ]
    assert [[about.text[it.start : it.end] for it in table.statements] for table in about.tables[:2]] == [
        ["(in thousands)"],
        [],
    ]
