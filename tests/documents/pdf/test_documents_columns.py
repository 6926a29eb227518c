"""PDF pages: columns of text, raised figures, letters of other scripts; no letter or digit is lost."""

import random
from collections import Counter

import pypdfium2
import pytest
from document_fixtures import load_document

from ralph_cli.documents.pdf.geometry.words import page_characters
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, lay_out
from ralph_cli.text.raised import flatten_figures

WORDS = [
    *("the", "board", "may", "at", "its", "own", "choice", "pay", "over", "to", "a", "holder", "of", "such", "notes"),
    *("any", "sum", "then", "due", "and", "not", "yet", "paid"),
]


def typed(*pieces, x=72, y=700):
    """A line of (size, rise, text) pieces as content of a page."""
    drawn = " ".join(f"/F1 {size} Tf {rise} Ts ({text}) Tj" for size, rise, text in pieces)
    return f"BT {x} {y} Td {drawn} ET\n".encode("cp1252")


def column(x, top, lines, name, words=7):
    """Lines of prose below each other, each with a word of its own; every third begins a sentence."""
    made = []
    for line in range(lines):
        chosen = [WORDS[(line * words + at) % len(WORDS)] for at in range(words)]
        first = chosen[0].capitalize() if line % 3 == 0 else chosen[0]
        made.append((x, top - 14 * line, " ".join([first, *chosen[1:], f"{name}{line}"])))
    return made


def in_columns(*columns):
    """The places of one column after the other."""
    return [place for part in columns for place in part]


def in_rows(*columns):
    """The same places in the order of a typewriter, which is how some programs write columns."""
    return sorted(in_columns(*columns), key=lambda place: (-place[1], place[0]))


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([(10, 0, "was $1,577"), (6, 4, "2"), (10, 0, " million")], "was $1,577² million"),
        (
            [(10, 0, "of $1,577"), (6, 4, "2"), (10, 0, ", or 10"), (6, 4, "6"), (10, 0, "units")],
            "of $1,577², or 10⁶units",
        ),
        ([(10, 0, "(1,577)"), (6, 4, "(1)"), (10, 0, " and 10"), (6, 4, "-6"), (10, 0, ".")], "(1,577)⁽¹⁾ and 10⁻⁶."),
        ([(10, 0, "5 m"), (6, 4, "2"), (10, 0, "/day of CO"), (6, -2, "2"), (10, 0, " now")], "5 m²/day of CO₂ now"),
        ([(6, 4, "2"), (10, 0, "Without 5 units")], "²Without 5 units"),
        (
            [(10, 0, "Average debt outstanding"), (6, 4, " (1) (3)"), (10, 0, " 12")],
            "Average debt outstanding ⁽¹⁾ ⁽³⁾ 12",
        ),
        ([(10, 0, "the 2"), (6, 4, "nd"), (10, 0, " of May")], "the 2nd of May"),
        ([(10, 0, "a 3"), (6, 4, "1"), (10, 0, "/"), (6, 0, "2"), (10, 0, " inch pipe")], "a 3 1/2 inch pipe"),
        ([(10, 0, "a 3"), (6, 4, "5"), (6, 1, "/"), (6, -1, "16"), (10, 0, " pipe")], "a 3 5/16 pipe"),
        ([(10, 0, "12"), (6, 4, "1/2"), (10, 0, "% of "), (6, 4, "3"), (6, 0, "/4")], "12 1/2% of 3/4"),
        ([(10, 0, "F"), (8, 0, "ORM"), (10, 0, " 10-"), (8, 0, "K 2022")], "FORM 10-K 2022"),
    ],
)
def test_raised_and_lowered_figures_are_no_digits_of_what_they_stand_at(make_raw, file, pieces, text):
    assert load_document(file("a.pdf", make_raw["page"](typed(*pieces)))).text == text


@pytest.mark.parametrize("order", [in_columns, in_rows])
@pytest.mark.parametrize("count", [2, 3])
def test_columns_are_read_one_after_the_other(pdf, order, count):
    names = ["left", "middle", "right"][:count]
    columns = [column(60 + at * 510 // count, 700, 12, name, words=4) for at, name in enumerate(names)]
    places = order(*columns)
    text = load_document(pdf([(60, 730, "A title over all of the columns of this page"), *places], size=8)).text
    assert text.split("\n") == [
        "A title over all of the columns of this page",
        *(words for part in columns for _, _, words in part),
    ]


def test_a_table_below_columns_keeps_its_rows(pdf):
    columns = column(60, 700, 8, "left", 4), column(330, 700, 8, "right", 4)
    rows = [[f"Revenue of division {row}", f"{row},577", f"{row},373", f"({row},420)"] for row in range(1, 7)]
    cells = [
        (x, 560 - 14 * at, c) for at, row in enumerate(rows) for x, c in zip((60, 330, 400, 470), row, strict=True)
    ]
    lines = load_document(pdf(in_rows(*columns, cells))).text.split("\n")
    assert lines == [words for part in columns for _, _, words in part] + ["  ".join(row) for row in rows]


def test_a_row_takes_the_nearest_of_two_lines(pdf):
    cells = [(72, 700, "Cost of sales"), (350, 696, "846"), (420, 700, "1,065")]
    cells += [(72, 690, "Other"), (350, 689, "12"), (420, 690, "(6)")]
    assert load_document(pdf(cells)).text == "Cost of sales  846  1,065\nOther  12  (6)"


def test_letters_and_digits_are_the_same_before_and_after(pdf, make_raw, file):
    chance = random.Random(7)
    cells = [(chance.uniform(40, 500), chance.uniform(40, 750), f"{chance.choice(WORDS)} {at}") for at in range(200)]
    mixed = in_rows(column(60, 700, 20, "left", 4), column(330, 700, 20, "right", 4))
    fraction = typed((10, 0, "3"), (6, 4, "1"), (10, 0, "/"), (6, 0, "2"), (10, 0, " H"), (6, -2, "2"), (10, 0, "O"))
    for path in (pdf(cells, mixed), file("a.pdf", make_raw["page"](fraction))):
        opened = pypdfium2.PdfDocument(path)
        for index in range(len(opened)):
            text_page = opened[index].get_textpage()
            source = page_characters(text_page.raw)
            for mode in ("auto", "visual", "stream"):
                page = lay_out(text_page, mode)
                assert len(page.text) == len(page.characters)
                drawn = [at for at in page.characters if at != NOT_A_CHARACTER]
                assert Counter(source[at] for at in drawn) == Counter(c for c in source if not c.isspace())
                for character, at in zip(page.text, page.characters, strict=True):
                    assert at == NOT_A_CHARACTER or flatten_figures(character) == source[at]
        opened.close()


def test_figures_below_each_other_are_no_number(pdf):
    rows = [("Goods", "7"), ("Rent", "8"), ("Tax", "4")]
    cells = [(72, 700 - 16 * n, label) for n, (label, _) in enumerate(rows)]
    cells += [(350, 700 - 16 * n, figure) for n, (_, figure) in enumerate(rows)]
    assert load_document(pdf(cells)).text == "Goods  7\nRent  8\nTax  4"


LETTERS = {letter: chr(0x5D0 + at) for at, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}


def hebrew(words):
    return "".join(LETTERS.get(letter, letter) for letter in words)


@pytest.fixture
def typeset(make_raw, file):
    """Writes a page with the fonts F1 and H1, whose small letters are those given as the second argument in UTF-16."""

    def write(content, letters=b"<61> <7A> <05D0>"):
        cmap = (
            b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange %s endbfrange endcmap"
            % letters
        )
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>"]
        objects += [page + b"/Resources<</Font<</F1 5 0 R/H1 6 0 R>>>>>>"]
        objects += [b"<</Length %d>>stream\n%s\nendstream" % (len(content), content)]
        objects += [b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
        objects += [b"<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode 7 0 R>>"]
        objects += [b"<</Length %d>>stream\n%s\nendstream" % (len(cmap), cmap)]
        return file("a.pdf", make_raw["objects"](objects))

    return write


def test_a_line_that_runs_to_the_left_is_in_reading_order(typeset):
    """Drawn from left to right as it is seen; words and figures of other scripts keep their own direction."""
    content = b"BT /H1 10 Tf 100 700 Td (ihg ) Tj /F1 10 Tf (SEC Act ) Tj (1,577 ) Tj /H1 10 Tf (fed cba) Tj ET"
    assert load_document(typeset(content)).text == f"{hebrew('abc def')} 1,577 SEC Act {hebrew('ghi')}"


def test_rows_that_run_to_the_left_begin_with_their_label(typeset):
    cells = [(100, 700, "F1", "1,577"), (180, 700, "F1", "2,023"), (300, 700, "H1", "fed cba")]
    cells += [(100, 680, "F1", "11"), (180, 680, "F1", "22"), (300, 680, "H1", "ihg cba")]
    content = " ".join(f"BT /{font} 10 Tf {x} {y} Td ({text}) Tj ET" for x, y, font, text in cells).encode()
    assert load_document(typeset(content)).text == hebrew("abc def  2,023  1,577\nabc ghi  22  11")


def test_letters_beyond_the_basic_plane_are_one_character(typeset):
    mathematical = b"<61> <62> <D835DC4E>"
    document = load_document(
        typeset(b"BT /H1 10 Tf 72 700 Td (a) Tj /F1 10 Tf ( = 5 ) Tj /H1 10 Tf (b) Tj ET", mathematical)
    )
    assert document.text == "\U0001d44e = 5 \U0001d44f"
    lone = load_document(typeset(b"BT /H1 10 Tf 72 700 Td (a) Tj /F1 10 Tf ( = 5) Tj ET", b"<61> <61> <D835>"))
    assert lone.text == "\ufffd = 5"


def test_places_that_are_no_numbers_do_no_harm(make_raw, file):
    content = typed((10, 0, "Plain words")) + b"BT /F1 1e30 Tf 1e38 0 0 1e38 1e38 0 Tm (far 12 out) Tj ET"
    content += b" BT /F1 10 Tf 0 0 0 0 0 0 Tm (nowhere 1,5) Tj ET"
    assert "Plain words" in load_document(file("a.pdf", make_raw["page"](content))).text


def test_a_mark_that_the_file_has_elsewhere_is_no_digit(make_raw, file):
    content = typed((10, 0, "Revenue 1,577")) + typed((10, 0, "Costs"), y=680) + typed((6, 0, "2"), x=140, y=704)
    lines = load_document(file("a.pdf", make_raw["page"](content))).text.split("\n")
    assert lines == ["Revenue 1,577²", "Costs"]
