"""What a reader of a PDF page sees is in its text: form fields, notes, stamps; and files that say nothing are named."""

import struct
import zlib
from pathlib import Path

import pypdfium2
import pytest
from document_fixtures import load_document
from hidden_pdfs import Made, form, image, stream
from PIL import Image, ImageDraw, ImageFont

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.pages import check_visibility
from ralph_cli.documents.pdf.content.box_font import box_font
from ralph_cli.documents.pdf.content.findings import Findings, PageFindings
from ralph_cli.documents.pdf.page import differs, has_nameless_letters
from ralph_cli.documents.pdf.page_images import Annotation, annotate, render_pictures
from ralph_cli.documents.pdf.reader import open_pdf

APPEARANCE = "/Subtype/Form/BBox[0 0 {} 20]/Resources<</Font<</F1 5 0 R>>>>"


def widget(entries: str, rect: str = "200 595 400 615") -> bytes:
    return f"<</Type/Annot/Subtype/Widget/F 4/Rect[{rect}]{entries}>>".encode()


def appearance(words: str, width: int = 200) -> bytes:
    return stream(f"/Tx BMC BT /F1 12 Tf 2 5 Td ({words}) Tj ET EMC".encode(), APPEARANCE.format(width))


def fields(
    *objects: bytes, draws: str = "BT /F1 12 Tf 72 600 Td (Name of tenant) Tj ET", more: str = "", fonts: str = ""
) -> bytes:
    """A form of which the first object is a field; the fields are those with a name."""
    named = [f"{number} 0 R" for number, item in enumerate(objects, 6) if b"/Rect" in item]
    catalog = f"/AcroForm<</Fields[{' '.join(named)}]/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 5 0 R>>>>{more}>>"
    return Made(draws, page=f"/Annots[{' '.join(named)}]", catalog=catalog, objects=objects, fonts=fonts).pdf


def overlaid(*objects: bytes, draws: str = "") -> bytes:
    """A page with annotations that are no fields."""
    named = [f"{number} 0 R" for number, item in enumerate(objects, 6) if b"/Rect" in item]
    return Made(draws, page=f"/Annots[{' '.join(named)}]", objects=objects).pdf


FILLED = fields(widget("/FT/Tx/T(name)/V(Jane Doe)/AP<</N 7 0 R>>"), appearance("Jane Doe"))
TICK = stream(b"0 0 m 10 10 l S", APPEARANCE.format(10))
NOTE = "/Type/Annot/Subtype/FreeText/F 4/Rect[72 500 300 520]/DA(/F1 12 Tf)/Contents(Not agreed)"


@pytest.fixture
def load(tmp_path: Path):
    def read(data: bytes, **options: object) -> Document:
        path = tmp_path / "made.pdf"
        path.write_bytes(data)
        return load_document(path, **options)

    return read


def span(document: Document, words: str) -> Span:
    start = document.text.index(words)
    return Span(start, start + len(words))


def additions(document: Document) -> list[tuple[str, str]]:
    return [(document.text[it.start : it.end], it.origin) for it in document.additions]


def codes(document: Document) -> dict[str, tuple[int, ...]]:
    return {caution.code: caution.pages for caution in document.cautions}


def test_a_filled_field_is_read_beside_its_label_and_its_words_are_seen_shown_and_marked(load):
    document = load(FILLED)
    assert document.text.endswith("Name of tenant  Jane Doe")
    assert codes(document) == {"form-fields": ()} and document.unreadable_pages == ()
    assert "1 of 1 pages (1)" in document.cautions[0].message
    assert additions(document) == [("Jane Doe", "form field")]
    value = span(document, "Jane Doe")
    assert check_visibility(document, [value])[0].reason == ""
    ((picture,),) = render_pictures(document, [value])
    assert picture.page == 1
    copy = annotate(document, [Annotation(value, "who?")])
    assert b"/FT/Tx" in copy.replace(b"/FT /Tx", b"/FT/Tx") and b"/V(Jane Doe)" in copy.replace(b"/V (", b"/V(")


def test_a_value_without_a_drawn_form_is_drawn_as_a_browser_draws_it(load):
    data = fields(widget("/FT/Tx/T(name)/V(Jane Doe)"), more="/NeedAppearances true")
    document = load(data)
    assert document.text.endswith("Name of tenant  Jane Doe")
    assert check_visibility(document, [span(document, "Jane Doe")])[0].reason == ""


@pytest.mark.parametrize("flags", [2, 32])
def test_a_field_that_is_not_shown_is_not_read(load, flags):
    document = load(FILLED.replace(b"/F 4", b"/F %d" % flags))
    assert "Jane" not in document.text and codes(document) == {} and document.additions == ()


def test_words_of_a_field_that_lie_outside_of_it_are_no_evidence(load):
    data = fields(widget("/FT/Tx/T(name)/V(x)/AP<</N 7 0 R>>", "200 595 230 615"), appearance("Jane Doe of Delft", 30))
    document = load(data)
    assert "Jane Doe of Delft" in document.text
    assert check_visibility(document, [span(document, "Doe of Delft")])[0].reason


def test_the_origin_of_words_is_that_of_what_draws_them(load):
    typed = widget("/FT/Tx/T(name)/V(Jane Doe)/AP<</N 8 0 R>>", "72 595 272 615")
    signed = widget("/FT/Sig/T(sign)/AP<</N 9 0 R>>", "72 555 272 575")
    name, signature = appearance("Jane Doe"), appearance("Signed by J. Doe")
    printed = "BT /F1 12 Tf 74 580 Td (Jane Doe) Tj ET BT /F1 12 Tf 150 600 Td (of Delft) Tj ET"
    document = load(fields(typed, signed, name, signature, draws=printed))
    assert document.text.split("\n")[1:] == ["Jane Doe  of Delft", "Jane Doe", "Signed by J. Doe"]
    assert additions(document) == [("Jane Doe", "form field"), ("Signed by J. Doe", "signature")]
    assert document.additions[0].end < document.text.index("of Delft")


def test_a_mark_on_the_words_of_a_stamp_is_not_where_they_are_from(load):
    marked = b"<</Type/Annot/Subtype/Highlight/F 4/Rect[72 400 272 420]/QuadPoints[72 420 272 420 72 400 272 400]>>"
    stamp = b"<</Type/Annot/Subtype/Stamp/F 4/Rect[72 400 272 420]/AP<</N 8 0 R>>>>"
    assert additions(load(overlaid(marked, stamp, appearance("DRAFT")))) == [("DRAFT", "stamp")]


def test_the_state_of_a_box_stands_in_the_text_once(load):
    draws = "".join(
        f"BT /F1 12 Tf 90 {y} Td ({word}) Tj ET\n" for y, word in ((600, "Dogs"), (580, "Cats"), (560, "Fish"))
    )
    glyph = stream(b"BT /F1 10 Tf 1 1 Td (x) Tj ET", APPEARANCE.format(10).replace("/F1 5", "/F1 11"))
    zapf = b"<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>"
    box = "/FT/Btn/T({})/V/{}/AS/{}/AP<</N<</On {} 0 R/Off 12 0 R>>>>"
    data = fields(
        widget(box.format("a", "On", "On", 10), "72 598 82 608"),
        widget(box.format("b", "Off", "Off", 10), "72 578 82 588"),
        widget(box.format("c", "On", "On", 9), "72 558 82 568"),
        glyph.replace(b"(x)", b"(8)"),
        TICK,
        zapf,
        stream(b"", APPEARANCE.format(10)),
        draws=draws,
    )
    document = load(data)
    assert document.additions == ()
    assert document.text.split("\n", 1)[1].split() == ["\u2714", "Dogs", "\u274f", "Cats", "\u2718", "Fish"]
    assert "\u2714 is a ticked box" in document.cautions[0].message
    assert check_visibility(document, [span(document, "Dogs")])[0].reason == ""


def test_a_drawn_tick_is_told_from_the_box_that_is_printed_beneath_it(load):
    lines = ((600, "Dogs"), (580, "Cats"))
    draws = "".join(f"BT /F9 10 Tf 72 {y} Td (o) Tj /F1 12 Tf 18 0 Td ({word}) Tj ET\n" for y, word in lines)
    box = "/FT/Btn/T({})/V/{}/AS/{}/AP<</N<</On 8 0 R/Off 9 0 R>>>>"
    on = widget(box.format("a", "On", "On"), "70 598 82 610")
    off = widget(box.format("b", "Off", "Off"), "70 578 82 590")
    empty, zapf = stream(b"", APPEARANCE.format(10)), "/F9<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>"
    first, second = load(fields(on, off, TICK, empty, draws=draws, fonts=zapf)).text.split("\n")[1:]
    assert "\u2714" in first and "\u2714" not in second and second.count("\u274f") == 1


def lined_box(x: int, y: int, inside: str = "", how: str = "S") -> str:
    """A box of lines, 10 points wide, and what is drawn in it."""
    drawings = {
        "": "",
        "cross": f"{x + 1} {y + 1} m {x + 9} {y + 9} l S {x + 1} {y + 9} m {x + 9} {y + 1} l S",
        "tick": f"{x + 2} {y + 5} m {x + 4} {y + 2} l {x + 12} {y + 13} l S",
        "level": f"{x + 2} {y + 5} m {x + 8} {y + 5} l S",
    }
    return f"{x} {y} 10 10 re {how} {drawings[inside]}\n"


def words_at(x: int, y: int, words: str) -> str:
    return f"BT /F1 12 Tf {x} {y + 1} Td ({words}) Tj ET\n"


def test_boxes_that_are_drawn_as_lines_are_read_with_their_words(load):
    draws = lined_box(72, 600, "cross") + words_at(100, 600, "Yes") + words_at(150, 600, "No") + lined_box(168, 600)
    draws += (
        lined_box(72, 580) + words_at(100, 580, "Male") + lined_box(150, 580, "tick") + words_at(163, 580, "Female")
    )
    draws += lined_box(72, 560) + words_at(74, 560, "X") + words_at(100, 560, "Other")
    document = load(Made(draws).pdf)
    lines = [" ".join(line.split()) for line in document.text.split("\n")[1:]]
    assert lines == ["\u2714 Yes No \u274f", "\u274f Male \u2714 Female", "X Other"]
    assert codes(document) == {"drawn-boxes": ()} and document.additions == ()
    assert check_visibility(document, [span(document, "Male"), span(document, "Other")])[0].reason == ""


def test_a_box_that_was_ticked_by_hand_is_ticked(load):
    draws = lined_box(72, 600) + words_at(100, 600, "Yes") + lined_box(72, 580) + words_at(100, 580, "No")
    ink = b"<</Type/Annot/Subtype/Ink/F 4/Rect[71 579 83 591]/InkList[[73 582 81 589]]/AP<</N 7 0 R>>>>"
    stamp = b"<</Type/Annot/Subtype/Stamp/F 4/Rect[0 0 612 792]/AP<</N 7 0 R>>>>"
    document = load(overlaid(ink, TICK, stamp, draws=draws))
    assert document.text.split("\n")[1:] == ["\u274f Yes", "\u2714 No"]


@pytest.mark.parametrize(
    "draws",
    [
        lined_box(72, 600, "cross") + lined_box(72, 580, "tick"),
        lined_box(72, 600) + lined_box(72, 580),
        lined_box(72, 600, "cross") + lined_box(72, 580, how="f"),
        lined_box(72, 600, "cross") + "72 580 16 16 re S\n",
        lined_box(72, 600, "level") + lined_box(72, 580),
    ],
)
def test_squares_that_are_no_boxes_of_a_form_are_left_alone(load, draws):
    document = load(Made(draws + words_at(100, 600, "Sales") + words_at(100, 580, "Costs")).pdf)
    assert document.text.split("\n")[1:] == ["Sales", "Costs"] and codes(document) == {}


def test_boxes_of_a_symbol_font_are_no_letters_and_what_has_no_name_is_no_space(load):
    words = "".join(f"/F1 12 Tf ({word} ) Tj /F7 12 Tf ({sign} ) Tj " for word, sign in (("Yes", "x"), ("No", "o")))
    draws = f"BT 72 600 Td {words} ET BT /F1 12 Tf 72 580 Td (x o \\000) Tj ET"
    wingdings = "/F7<</Type/Font/Subtype/TrueType/BaseFont/{}/Encoding/WinAnsiEncoding>>"
    draws = f"BT 72 600 Td {words} ET BT /F1 12 Tf 72 580 Td (x o \\000) Tj ET"
    wingdings = "/F7<</Type/Font/Subtype/TrueType/BaseFont/{}/Encoding/WinAnsiEncoding>>"

    def made(font: str) -> Document:
        return load(Made(draws, fonts=wingdings.format(font)).pdf)

    document = made("ABCDEF+Wingdings-Regular")
    assert document.text.split("\n")[1:] == ["Yes \u2612 No \u2610", "x o \ufffd"]
    assert codes(document) == {"nameless-letters": (1,)}
    assert "Yes x No o" in made("Arial").text


def test_typed_notes_and_stamps_are_read_and_comments_are_only_counted(load):
    stamp = b"<</Type/Annot/Subtype/Stamp/F 4/Rect[72 400 272 420]/AP<</N 7 0 R>>>>"
    sticky = b"<</Type/Annot/Subtype/Text/F 4/Rect[72 300 92 320]/Contents(I doubt it)>>"
    struck = b"<</Type/Annot/Subtype/StrikeOut/F 4/Rect[72 715 200 735]/QuadPoints[72 735 200 735 72 715 200 715]>>"
    document = load(
        overlaid(
            stamp, appearance("DRAFT"), f"<<{NOTE}/AP<</N 9 0 R>>>>".encode(), appearance("Not agreed"), sticky, struck
        )
    )
    assert "DRAFT" in document.text and "Not agreed" in document.text and "doubt" not in document.text
    assert set(codes(document)) == {"typed-notes", "comments", "struck-out"} and document.unreadable_pages == ()
    assert additions(document) == [("Not agreed", "typed note"), ("DRAFT", "stamp")]
    assert "1 comment of reviewers" in next(c.message for c in document.cautions if c.code == "comments")


@pytest.mark.parametrize("entries", ["", "/AP<</N 7 0 R>>/OC<</Type/OCG/Name(layer)>>"])
def test_a_note_that_is_not_drawn_or_may_be_switched_off_names_its_page(load, entries):
    document = load(overlaid(f"<<{NOTE}{entries}>>".encode(), appearance("Not agreed")))
    assert "agreed" not in document.text and codes(document) == {"undrawn-notes": (1,)}


@pytest.mark.parametrize(
    ("draws", "objects", "resources", "what"),
    [
        ("", (), "", "blank"),
        ("1 g 10 10 500 500 re f", (), "", "blank"),
        ("10 10 500 5 re f 72 72 m 100 100 l S", (), "", "lines and shapes"),
        ("q 500 0 0 700 50 50 cm /I0 Do Q", (image(b"\x80" * 4000),), "/XObject<</I0 6 0 R>>", "probably a scan"),
        ("q 50 0 0 50 50 50 cm /I0 Do Q", (image(b"\x80" * 4000),), "/XObject<</I0 6 0 R>>", "small pictures"),
        ("/I0 Do", (form("10 10 500 5 re f"),), "/XObject<</I0 6 0 R>>", "lines and shapes"),
    ],
)
def test_a_file_without_text_is_said_to_be_what_it_is(load, draws, objects, resources, what):
    made = Made(draws, resources, objects=objects).pdf.replace(b"(Visible revenue was 10 million) Tj", b"%" + b" " * 33)
    with pytest.raises(DocumentError, match=what) as caught:
        load(made)
    assert caught.value.code == "no-text"


@pytest.mark.parametrize("words", ["Please wait...", "requires Adobe Reader 8 or higher"])
def test_a_form_that_only_adobe_lays_out_is_refused_with_what_to_do(load, words):
    catalog = "/NeedsRendering true/AcroForm<</Fields[]/XFA 6 0 R>>"
    page = f"BT /F1 12 Tf 72 600 Td ({words}) Tj ET"
    with pytest.raises(DocumentError, match="XFA form") as caught:
        load(Made(page, catalog=catalog, objects=(stream(b"<xdp/>"),)).pdf)
    assert caught.value.code == "unsupported" and "print it to PDF" in caught.value.hint
    document = load(Made("", catalog=catalog, objects=(stream(b"<xdp/>"),)).pdf)
    assert codes(document) == {"xfa-form": (1,)}


def test_attached_files_are_named_and_a_portfolio_is_its_cover(load, pdf):
    names = pypdfium2.PdfDocument(pdf([(72, 700, "Open this portfolio in a newer viewer")]))
    for name in ("accounts.xlsx", "lease.pdf"):
        names.new_attachment(name).set_data(b"bytes")
    path = pdf([(72, 700, "x")], name="portfolio.pdf")
    names.save(str(path))
    caution = load(path.read_bytes()).cautions[0]
    assert caution.code == "attached-files" and "accounts.xlsx, lease.pdf" in caution.message
    assert "only their cover" in caution.message


CIPHER = "7KH DQQXDO UHSRUW RI WKH FRPSDQB ZDV VLJQHG EB WKH GLUHFWRUV LQ PDUFK DQG SULQWHG LQ MXQH "
SOUND = "The annual report of the company was signed by the directors in March and printed in June. "


LINES = ("第二行の文字列である", "第一行の文字列はここ")


def japanese(
    encoding: str,
    font_file: bytes = b"",
    order: str = "Japan1",
    lines: tuple[str, str] = LINES,
    codec: str = "utf-16-be",
) -> bytes:
    """Two lines, side by side or one below the other, in a font that is in the file or not."""
    places = zip((280, 320), lines, strict=True)
    draws = "".join(f"BT /F9 12 Tf {x} {x} Td <{words.encode(codec).hex()}> Tj ET\n" for x, words in places)
    held = "/FontFile2 6 0 R" if font_file else ""
    described = f"/FontDescriptor<</Type/FontDescriptor/FontName/Mincho-J/Flags 4/FontBBox[0 0 1000 1000]{held}>>"
    ordering = f"/CIDSystemInfo<</Registry(Adobe)/Ordering({order})/Supplement 2>>"
    kind = f"/Subtype/CIDFontType2/BaseFont/Mincho-J{ordering}{described}{'/CIDToGIDMap 7 0 R' if font_file else ''}"
    font = (
        f"/F9<</Type/Font/Subtype/Type0/BaseFont/Mincho-J/Encoding/{encoding}/DescendantFonts[<</Type/Font{kind}>>]>>"
    )
    # All characters have the second glyph, a box.
    return Made(draws, fonts=font, objects=(stream(font_file), stream(b"\0\1" * 25_000))).pdf


@pytest.mark.parametrize(("encoding", "vertical"), [("UniJIS-UCS2-V", {"vertical-lines"}), ("UniJIS-UCS2-H", set())])
@pytest.mark.parametrize("font_file", [box_font(), b""])
def test_vertical_lines_are_read_from_right_to_left_and_their_page_is_named(
    load, no_fonts, encoding, vertical, font_file
):
    document = load(japanese(encoding, font_file))
    found = [line for line in document.text.split("\n") if "行" in line]
    assert found == ["第一行の文字列はここ", "第二行の文字列である"]
    assert codes(document) == dict.fromkeys(vertical | (set() if font_file else {"missing-fonts"}), (1,))
    quoted = span(document, "文字列はここ")
    assert check_visibility(document, [quoted])[0].reason == "" and render_pictures(document, [quoted])[0]


def test_missing_fonts_are_named_and_the_text_is_read_again_when_they_may_be_there(load, no_fonts, tmp_path):
    data = japanese("UniJIS-UCS2-V").replace(b"Mincho-J", b"Minc#01J")
    document = load(data, cache=tmp_path)
    assert "install MincJ, or any font for that script" in document.cautions[-1].message
    assert load(data.replace(b"Tf 280", b"Tf 290"), cache=tmp_path).cautions == document.cautions
    assert not list(tmp_path.rglob("*.json.gz"))


def test_a_file_of_which_no_word_can_be_read_without_its_fonts_says_what_to_install(load, no_fonts):
    data = japanese("Identity-V", order="Identity").replace(b"(Visible revenue was 10 million) Tj", b"%" + b" " * 33)
    with pytest.raises(DocumentError, match="neither in the file nor on this machine") as caught:
        load(data)
    assert caught.value.hint == "install Mincho-J, or any font for that script, and load the file again"


def font_of(letters: str, form: int = 4, held: int = 1_000) -> bytes:
    """A TrueType font that has these letters, in a map from Unicode of that form, cut after so many bytes.

    In form 4 every second letter has its glyph, a box, in a list.
    """
    codes = [*sorted(set(map(ord, letters))), 0xFFFF]
    count = len(codes)
    if form == 12:
        table = struct.pack(">2H3I", 12, 0, 0, 0, count) + b"".join(struct.pack(">3I", code, code, 1) for code in codes)
    else:
        steps = [0 if place % 2 else (1 - code) % 65536 for place, code in enumerate(codes)]
        lists = [2 * (count - place) if place % 2 else 0 for place in range(count)]
        ends, *rows = (struct.pack(f">{count}H", *row) for row in (codes, codes, steps, lists))
        table = struct.pack(">7H", 4, 0, 0, 2 * count, 0, 0, 0) + b"".join([ends, b"\0\0", *rows, b"\0\1"])
    table = struct.pack(">4HI", 0, 1, 3, 10 if form == 12 else 1, 12) + table
    font = box_font()
    place = font.index(b"cmap") + 8
    return font[:place] + struct.pack(">2I", len(font), len(table)) + font[place + 8 :] + table[:held]


RUSSIAN = ("среднийдоход", "перваястрока")
JAPANESE_LETTERS, RUSSIAN_LETTERS = "".join(LINES), "ABC" + "".join(RUSSIAN)


@pytest.mark.parametrize(
    ("font", "codec", "lines", "read"),
    [
        (font_of(JAPANESE_LETTERS), "utf-16-be", LINES, LINES),
        (font_of(RUSSIAN_LETTERS), "utf-16-be", LINES, ("\ufffd" * 10, "\ufffd" * 10)),
        (font_of(RUSSIAN_LETTERS, form=12), "utf-16-be", LINES, ("\ufffd" * 10, "\ufffd" * 10)),
        (font_of(RUSSIAN_LETTERS), "utf-8", RUSSIAN, RUSSIAN),
        (font_of(RUSSIAN_LETTERS.replace("в", "")), "utf-8", RUSSIAN, (RUSSIAN[0], RUSSIAN[1].replace("в", "\ufffd"))),
        (font_of("12"), "utf-16-be", LINES, LINES),
        (font_of(JAPANESE_LETTERS, held=100), "utf-16-be", LINES, LINES),
    ],
)
def test_letters_without_a_name_are_what_their_font_has_for_their_code(load, font, codec, lines, read):
    document = load(japanese("Identity-H", font, "Identity", lines, codec))
    assert document.text.split("\n")[1:] == [*reversed(read)]
    assert codes(document) == ({"nameless-letters": (1,)} if "\ufffd" in document.text else {})
    assert all("--ocr force" in caution.message for caution in document.cautions)


def page(*lines: str) -> str:
    return "".join(f"BT /F1 10 Tf 72 {700 - 14 * n} Td ({line}) Tj ET\n" for n, line in enumerate(lines))


@pytest.mark.parametrize(
    ("draws", "expected"),
    [
        (page(*[SOUND] * 6), {}),
        (page(*[CIPHER] * 6), {"garbled-letters": (1,)}),
        (page(*["<td><tr><td>"] * 40), {}),
        (page("A \\001\\003 B"), {"nameless-letters": (1,)}),
    ],
)
def test_a_page_whose_fonts_name_no_letters_or_wrong_ones_is_named(load, draws, expected):
    assert codes(load(Made(draws).pdf)) == expected


def test_a_file_of_nameless_letters_only_is_refused_with_what_to_do(load):
    made = Made(page("\\001\\003\\004\\005 \\006\\001")).pdf
    with pytest.raises(DocumentError, match="fonts do not say") as caught:
        load(made.replace(b"(Visible revenue was 10 million) Tj", b"%" + b" " * 33))
    assert "--ocr" in caught.value.hint


def test_private_characters_at_the_edge_of_words_are_bullets_and_others_are_nameless():
    assert not has_nameless_letters("\uf0b7 First\n\uf0b7Second \uf0fc\n\x7f third, caf\u00e9 \u4e16\u754c")
    assert (
        has_nameless_letters("of\uf001ce") and has_nameless_letters("12\ufffd4") and has_nameless_letters("of \x13 it")
    )


def test_letters_and_digits_are_compared_with_those_of_pdfium(pdf):
    with open_pdf(pdf([(72, 700, "Revenue of 1,577 in 2018")]).read_bytes(), "made.pdf", None) as document:
        text_page = document[0].get_textpage()
        for text, expected in (("of Revenue\n1,577 in\u2009\u00b2018", False), ("Revenue of 1,57 in 2018", True)):
            assert differs(text, text_page) is expected


def printed(words: str, times: int) -> Image.Image:
    picture = Image.new("L", (600, 22 * times + 20), 255)
    for number in range(times):
        ImageDraw.Draw(picture).text((20, 10 + 22 * number), words, fill=0, font=ImageFont.load_default(15))
    return picture


def drawn(picture: Image.Image, draws: str = "") -> bytes:
    width, height = picture.size
    held = image(picture.tobytes(), width, height)
    return Made(
        f"q 400 0 0 {400 * height / width:.0f} 72 100 cm /I0 Do Q\n{draws}", "/XObject<</I0 6 0 R>>", objects=(held,)
    ).pdf


def test_a_page_with_words_in_a_picture_is_named_and_one_with_other_pictures_is_not(load):
    words = "Deposits of customers were 1,577 million in 2018"
    assert codes(load(drawn(printed(words, 6)))) == {"unread-print": (1,)}
    assert "Deposits" not in load(drawn(printed(words, 6))).text
    lined = Image.new("L", (600, 150), 255)
    for x in range(0, 600, 20):
        ImageDraw.Draw(lined).line((x, 0, x, 150), fill=0)
    for y in range(0, 150, 15):
        ImageDraw.Draw(lined).line((0, y, 600, y), fill=0)
    photo = Image.effect_noise((600, 150), 60).resize((60, 15)).resize((600, 150), Image.Resampling.BICUBIC)
    assert codes(load(drawn(lined))) == {} and codes(load(drawn(photo))) == {}


def test_words_that_a_text_layer_gives_are_read(load):
    words = "Deposits of customers were 1,577 million in 2018"
    layer = "".join(f"BT 3 Tr /F1 11 Tf 85 {182 - 14.6 * n} Td ({words}) Tj ET\n" for n in range(6))
    assert codes(load(drawn(printed(words, 6), layer))) == {}


def test_words_drawn_as_shapes_are_unread_print_and_a_curve_is_not(load):
    letter = "{0} {1} m {0} {2} l {3} {2} l {3} {4} l {5} {4} l {5} {1} l {6} {1} l {6} {2} l {7} {2} l {7} {1} l f\n"
    shapes = "".join(
        letter.format(x, y, y + 5 + x % 3, x + 2, y + 3 + x % 2, x + 0.7, x + 2.5, x + 3.5)
        for y in range(100, 180, 14)
        for x in range(72, 500, 6)
    )
    assert codes(load(Made(shapes).pdf)) == {"unread-print": (1,)}
    curve = "72 300 m " + " ".join(f"{72 + x} {300 + x * x % 97} l" for x in range(400)) + " S"
    assert codes(load(Made(curve).pdf)) == {}


def test_only_so_many_pages_are_looked_at_as_pictures_and_the_others_are_said(load, monkeypatch):
    findings = Findings(3)
    monkeypatch.setattr("ralph_cli.documents.pdf.content.findings._MOST_LOOKS", 1)
    for number in (1, 2, 3):
        findings.add_page(number, PageFindings(may_have_print=True))
    assert findings.pages_to_look_at() == [1]
    assert [(c.code, c.pages) for c in findings.cautions()] == [("unchecked-pictures", ())]


ADVANCE = 333


def letter_by_letter(words: str, twice: bool = False) -> bytes:
    """A page in which each letter is an object of its own, in a type whose f hangs over; `twice` makes it bold."""
    draws, x = "", 72.0
    for letter in words:
        for offset in (0, 0.3) if twice else (0,):
            if letter != " ":
                draws += f"BT /F2 24 Tf .5 0 0 .5 {x + offset:.2f} 600 Tm ({letter}) Tj ET\n"
        x += 12 * ADVANCE / 1000
    letters = sorted(set(words) - {" "})
    objects = []
    for letter in letters:
        left, right = (-200, 600) if letter == "f" else (20, 300)
        glyph = f"{ADVANCE} 0 {left} -200 {right} 700 d1 {20 + ord(letter)} 0 100 {5 * (ord(letter) - 90)} re f"
        objects.append(stream(glyph.encode()))
    glyphs = "".join(f"/{letter} {number} 0 R" for number, letter in enumerate(letters, 7))
    names = "".join(f" {ord(letter)}/{letter}" for letter in letters)
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[-200 -200 600 700]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 97/LastChar 122"
        f"/Widths[{' '.join([str(ADVANCE)] * 26)}]/CharProcs<<{glyphs}>>/Encoding<</Differences[{names}]>>>>"
    )
    return Made(draws, fonts="/F2 6 0 R", objects=(font.encode(), *objects)).pdf


@pytest.mark.parametrize("words", ["effect of staff", "of staff effects of tax", "off set of cost"])
def test_a_letter_that_was_taken_for_a_repetition_of_its_neighbour_is_restored(load, words):
    data = letter_by_letter(words)
    document = load(data)
    with open_pdf(data, "made.pdf", None) as opened:
        assert "ff" not in opened[0].get_textpage().get_text_range()
    assert document.text.split("\n")[-1].split() == words.split() and document.cautions == ()
    found = span(document, words.split()[0])
    assert check_visibility(document, [found])[0].reason == "" and render_pictures(document, [found])[0]


def test_a_letter_that_is_drawn_twice_for_bold_type_stays_one(load):
    assert load(letter_by_letter("of stoat cost", twice=True)).text.endswith("of stoat cost")


def test_a_page_that_needs_a_damaged_font_or_form_is_named_and_the_others_are_not(load):
    packed = zlib.compress(b"BT /F1 12 Tf 72 500 Td (drawn in a form) Tj ET")
    reused = stream(packed, "/Subtype/Form/BBox[0 0 612 792]/Resources<</Font<</F1 5 0 R>>>>/Filter/FlateDecode")
    whole = Made("/X Do", "/XObject<</X 6 0 R>>", catalog="/Other 7 0 R", objects=(reused, reused)).pdf
    assert "drawn in a form" in load(whole).text and codes(load(whole)) == {}
    first, between, last = whole.split(packed)
    damaged = packed[:-1] + b"?"
    assert codes(load(first + damaged + between + packed + last)) == {"damaged-pages": (1,)}
    assert codes(load(first + packed + between + damaged + last)) == {}


def test_a_file_of_which_bytes_are_missing_says_so_and_one_that_begins_late_does_not(load):
    whole = Made(page("First words", "Second words")).pdf
    assert codes(load(b"junk\n" + whole)) == {}
    document = load(whole.replace(b" words) Tj", b") Tj", 1))
    assert "Second words" in document.text and codes(document) == {"damaged-file": ()}
