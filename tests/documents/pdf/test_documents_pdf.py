"""PDF pages: rows, columns, rotation, hyphens, labels, outline, boxes."""

from pathlib import Path

import pypdfium2
import pytest
from document_fixtures import load_document

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.pdf.content.findings import format_page_list
from ralph_cli.documents.pdf.geometry.words import page_characters
from ralph_cli.documents.pdf.layout import NOT_A_CHARACTER, lay_out
from ralph_cli.documents.pdf.reader import LaidOutPage, open_pdf
from ralph_cli.retrieval.quotes.index import QuoteIndex

TABLE = [
    ("Purchases of property, plant and equipment (PP&E)", "(1,577)", "(1,373)", "(1,420)"),
    ("Acquisitions, net of cash acquired", "13", "(2,023)", "(16)"),
    ("Other", "9", "(6)", "(4)"),
]
ENGLISH = ["the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "and", "runs", "on"]


def table(columns_first=False):
    cells = [(x, 700 - 14 * r, c) for r, row in enumerate(TABLE) for x, c in zip((72, 350, 420, 490), row, strict=True)]
    return sorted(cells) if columns_first else cells


def prose(x, y0, lines, word):
    return [(x, y0 - 14 * i, " ".join([f"{word}{i}", *ENGLISH[:6]])) for i in range(lines)]


def test_table_rows_stay_on_one_line(pdf):
    expected = "\n".join("  ".join(row) for row in TABLE)
    assert load_document(pdf(table())).text == expected
    assert load_document(pdf(table(columns_first=True))).text == expected


def test_numbers_set_a_little_lower_than_their_label(pdf):
    cells = [(72, 700, "Proceeds from sale of businesses"), (350, 694, "846"), (420, 694, "1,065"), (72, 680, "Other")]
    assert load_document(pdf(cells)).text == "Proceeds from sale of businesses  846  1,065\nOther"


def test_two_columns_of_prose_keep_stream_order(pdf):
    path = pdf(prose(72, 700, 10, "left") + prose(330, 700, 10, "right"))
    text = load_document(path).text
    assert text.index("left9") < text.index("right0")
    assert load_document(path, layout="stream").text == text
    assert load_document(path, layout="visual").text.split("\n")[0].startswith("left0")
    assert "right0" in load_document(path, layout="visual").text.split("\n")[0]


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_rotated_pages_read_the_same(pdf, rotate):
    assert load_document(pdf(table(), rotate=rotate)).text == "\n".join("  ".join(row) for row in TABLE)


@pytest.mark.parametrize(
    ("matrix", "step"),
    [("0 1 -1 0", (14, 0)), ("-1 0 0 -1", (0, 14)), ("0 -1 1 0", (-14, 0))],
)
def test_text_drawn_sideways(make_raw, file, matrix, step):
    lines = b"".join(
        f"BT /F1 10 Tf {matrix} {300 + step[0] * i} {400 + step[1] * i} Tm (line {i} has many words) Tj ET\n".encode()
        for i in range(5)
    )
    text = load_document(file("a.pdf", make_raw["page"](lines))).text
    assert text == "\n".join(f"line {i} has many words" for i in range(5))


def test_hyphen_at_a_line_end_stays_in_the_text_and_is_found(pdf):
    document = load_document(pdf([(72, 700, "This is an exam-"), (72, 686, "ple of a divided word")]))
    assert document.text == "This is an exam-\nple of a divided word"
    assert QuoteIndex(document).find("an example of a divided word").tier == "folded"


def test_raised_footnote_mark_stays_in_its_line(make_raw, file):
    content = b"BT /F1 10 Tf 72 700 Td (Revenue) Tj 40 4 Td /F1 6 Tf (1) Tj "
    content += b"5 -4 Td /F1 10 Tf ( grew) Tj 0 -14 Td (next) Tj ET"
    text = load_document(file("a.pdf", make_raw["page"](content))).text
    assert text.split("\n")[0].replace(" ", "") == "Revenue\u00b9grew"


def test_labels_and_outline(pdf, file, make_raw):
    path = pdf(
        [(72, 700, "Item 1. Business"), (72, 650, "text")],
        [(72, 700, "x"), (72, 650, "ITEM 2.  Risks")],
        outline=[("Item 1. Business", 0, 0), ("Item 2. Risks", 1, 1), ("Not on the page", 1, 0)],
    )
    document = load_document(path)
    assert [(h.text, h.level) for h in document.headings] == [
        ("Item 1. Business", 1),
        ("Not on the page", 1),
        ("Item 2. Risks", 2),
    ]
    assert document.headings[1].start == document.pages[1].start
    assert document.text[document.headings[2].start :].startswith("ITEM 2.")
    assert [p.label for p in document.pages] == ["1", "2"]
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R/Resources<</Font<</F1 6 0 R>>>>>>"
    objects = [b"<</Type/Catalog/Pages 2 0 R/PageLabels<</Nums[0<</S/r>>1<</S/D/P(A-)/St 5>>]>>>>"]
    objects += [b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>", page, page]
    objects += [b"<</Length 36>>stream\nBT /F1 12 Tf 72 700 Td (hello) Tj ET \nendstream"]
    objects += [b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    assert [p.label for p in load_document(file("l.pdf", make_raw["objects"](objects))).pages] == ["i", "A-5"]


def boxes(document, number, start, end, layout="auto"):
    page = document.pages[number - 1]
    with open_pdf(Path(document.path).read_bytes(), document.path, None) as opened:
        laid_out = LaidOutPage(opened, document.path, layout, number, document.text[page.start : page.end])
        return laid_out.boxes(start - page.start, end - page.start)


def test_boxes(pdf):
    document = load_document(pdf([(72, 700, "Front")], table()))
    quote = QuoteIndex(document).find("equipment (PP&E) (1,577) (1,373) (1,420) Acquisitions").span
    first, *cells, last = boxes(document, 2, quote.start, quote.end)
    assert 72 < first.left < first.right < 350
    assert [round(cell.left) for cell in cells] == [350, 420, 490]
    assert round(last.left) == 72
    assert all(box.bottom < 702 < box.top for box in (first, *cells))


def test_boxes_are_refused_when_they_would_be_wrong(pdf):
    document = load_document(pdf(prose(72, 700, 10, "left") + prose(330, 700, 10, "right")))
    with pytest.raises(DocumentError, match="has changed since it was loaded") as caught:
        boxes(document, 1, 0, 20, layout="visual")
    assert caught.value.code == "changed"


def test_every_character_maps_to_the_one_pdfium_drew(pdf):
    path = pdf(table(), prose(72, 700, 10, "left") + prose(330, 700, 10, "right"))
    opened = pypdfium2.PdfDocument(path)
    for index in range(2):
        text_page = opened[index].get_textpage()
        source = page_characters(text_page.raw)
        for mode in ("auto", "visual", "stream"):
            page = lay_out(text_page, mode)
            assert len(page.text) == len(page.characters)
            drawn = [i for i in page.characters if i != NOT_A_CHARACTER]
            assert sorted(drawn) == [i for i, c in enumerate(source) if not c.isspace()]
            assert all(source[i] == c for c, i in zip(page.text, page.characters, strict=True) if i != NOT_A_CHARACTER)
            assert all(c in " \n" for c, i in zip(page.text, page.characters, strict=True) if i == NOT_A_CHARACTER)
    opened.close()


def test_page_lists():
    assert format_page_list([1, 2, 3, 5, 7, 8]) == "1-3, 5, 7-8"
    assert format_page_list([4]) == "4"
    assert format_page_list(list(range(1, 60, 2))).endswith(", 23, ...")
