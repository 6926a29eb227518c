"""Quotes on paper: pictures of the page with the quoted lines marked, and a highlighted copy of the file."""

import ctypes
import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium_c
import pytest
from document_fixtures import load_document
from PIL import Image

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.pdf import page_images
from ralph_cli.documents.pdf.page_images import Annotation, annotate, draw_page, render_pictures
from ralph_cli.documents.process import child
from ralph_cli.documents.source import DocumentSource

PDF = Callable[..., Path]
LINES = [(72.0, 720.0 - 20 * n, f"Line {n} of the page says that the rent is ${n},000.") for n in range(30)]


def span(document: Document, words: str) -> Span:
    start = document.text.index(words)
    return Span(start, start + len(words))


def yellow(image: Image.Image) -> list[tuple[int, int]]:
    """The pixels under the marker."""
    rgb = image.convert("RGB")
    return [
        (x, y)
        for y in range(0, rgb.height, 2)
        for x in range(0, rgb.width, 2)
        if rgb.getpixel((x, y)) == (255, 224, 77)
    ]


def highlights(data: bytes, page: int, password: str | None = None) -> list[tuple[str, str, int]]:
    """Contents, author and number of quads of each highlight on a page."""
    document = pypdfium2.PdfDocument(data, password=password)
    found = []
    held_page = document[page - 1]
    raw = held_page.raw
    for index in range(pdfium_c.FPDFPage_GetAnnotCount(raw)):
        annotation = pdfium_c.FPDFPage_GetAnnot(raw, index)
        if pdfium_c.FPDFAnnot_GetSubtype(annotation) == pdfium_c.FPDF_ANNOT_HIGHLIGHT:
            words = []
            for key in (b"Contents", b"T"):
                held = (pdfium_c.FPDF_WCHAR * 4096)()
                pdfium_c.FPDFAnnot_GetStringValue(annotation, key, held, ctypes.sizeof(held))
                words.append(bytes(held).decode("utf-16-le").split("\0")[0])
            found.append((words[0], words[1], pdfium_c.FPDFAnnot_CountAttachmentPoints(annotation)))
        pdfium_c.FPDFPage_CloseAnnot(annotation)
    return found


def test_a_picture_shows_the_page_around_the_quote_and_marks_its_line_only(pdf: PDF) -> None:
    document = load_document(pdf(LINES))
    ((picture,),) = render_pictures(document, [span(document, "Line 9 of the page says that the rent is $9,000.")])
    image = Image.open(io.BytesIO(picture.png))
    assert (picture.page, image.width, image.height) == (1, picture.width, picture.height)
    assert image.height < image.width and image.width < page_images.WIDTH / 2  # the blank margins are left out
    marked = yellow(image)
    left, right = min(x for x, _ in marked), max(x for x, _ in marked)
    top, bottom = min(y for _, y in marked), max(y for _, y in marked)
    scale = page_images.WIDTH / 612
    assert abs(left - 12) < 6 and image.width - 40 < right < image.width - 5
    assert bottom - top < 16 * scale
    assert top > 20 * scale and bottom < image.height - 20 * scale  # there is page above and below


def test_no_line_of_print_is_cut_at_the_edges_of_a_picture(pdf: PDF) -> None:
    document = load_document(pdf(LINES))
    quotes = [span(document, f"Line {number} of the page") for number in range(1, 29)]
    for (picture,) in render_pictures(document, quotes):
        image = Image.open(io.BytesIO(picture.png)).convert("L")
        for y in (0, image.height - 1):
            assert min(image.getpixel((x, y)) for x in range(image.width)) > 240


def test_a_quote_over_two_pages_has_two_pictures_and_a_page_in_colour_keeps_it(pdf: PDF, make_raw: Any) -> None:
    document = load_document(pdf(LINES, LINES))
    both = Span(document.pages[0].end - 60, document.pages[1].start + 60)
    ((first, second),) = render_pictures(document, [both])
    assert (first.page, second.page) == (1, 2)
    red = make_raw["page"](b"1 0 0 rg 0 0 612 792 re f 0 g BT /F1 12 Tf 72 700 Td (A red page with words) Tj ET")
    path = pdf(LINES).with_name("red.pdf")
    path.write_bytes(red)
    document = load_document(path)
    ((picture,),) = render_pictures(document, [span(document, "red page")])
    rgb = Image.open(io.BytesIO(picture.png)).convert("RGB")
    assert rgb.getpixel((5, 5)) == (255, 0, 0) and rgb.width == page_images.WIDTH


def test_words_that_nobody_can_see_are_marked_where_they_stand(pdf: PDF, make_raw: Any) -> None:
    path = pdf(LINES).with_name("white.pdf")
    path.write_bytes(make_raw["page"](b"1 g BT /F1 12 Tf 72 700 Td (Words in white) Tj ET"))
    document = load_document(path)
    ((picture,),) = render_pictures(document, [span(document, "Words in white")])
    assert yellow(Image.open(io.BytesIO(picture.png)))


def test_a_rotated_page_is_shown_as_a_reader_sees_it(pdf: PDF) -> None:
    document = load_document(pdf(LINES, rotate=90))
    ((picture,),) = render_pictures(document, [span(document, "Line 9 of the page")])
    marked = yellow(Image.open(io.BytesIO(picture.png)))
    across = max(x for x, _ in marked) - min(x for x, _ in marked)
    down = max(y for _, y in marked) - min(y for _, y in marked)
    assert down > across  # the line runs downwards on paper that was turned


def test_pictures_end_where_their_room_ends(pdf: PDF) -> None:
    document = load_document(pdf(LINES))
    spans = [span(document, f"Line {n} of") for n in (3, 20)]
    first, second = render_pictures(document, spans, most=1_000_000)
    assert len(first) == 1 and second == ()


def test_the_copy_has_the_highlights_with_their_notes_and_the_original_has_not_changed(pdf: PDF) -> None:
    path = pdf(LINES, LINES)
    before = path.read_bytes()
    document = load_document(path)
    two_lines = Span(document.text.index("Line 4"), document.text.index("Line 6"))
    told = "Claim 1: the rent is €5,000 – “agreed”"
    copy = annotate(document, [Annotation(two_lines, told), Annotation(span(document, "Line 9 of"), "Claim 2")])
    assert path.read_bytes() == before
    assert highlights(copy, 1) == [(told, "ralph", 2), ("Claim 2", "ralph", 1)]
    assert highlights(copy, 2) == []
    again = path.with_name("copy.pdf")
    again.write_bytes(copy)
    assert load_document(again).text == document.text


def test_a_copy_of_an_encrypted_pdf_needs_the_same_password(pdf: PDF) -> None:
    path = pdf(LINES, user="open sesame")
    document = load_document(path, password="open sesame")
    copy = annotate(
        document, [Annotation(span(document, "Line 4"), "Claim 1")], source=DocumentSource("", "open sesame")
    )
    with pytest.raises(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument(copy)
    assert highlights(copy, 1, "open sesame") == [("Claim 1", "ralph", 1)]


@pytest.mark.parametrize(
    "draw", [lambda d: render_pictures(d, [Span(0, 4)]), lambda d: annotate(d, [Annotation(Span(0, 4), "n")])]
)
def test_what_is_no_pdf_or_has_changed_or_is_gone_is_refused(pdf: PDF, draw: Callable[[Document], object]) -> None:
    path = pdf(LINES)
    document = load_document(path)
    path.write_bytes(path.read_bytes() + b"%")
    with pytest.raises(DocumentError) as caught:
        draw(document)
    assert caught.value.code == "changed"
    path.unlink()
    with pytest.raises(DocumentError) as caught:
        draw(document)
    assert caught.value.code == "missing"
    note = path.with_name("note.txt")
    note.write_text("words of a note")
    with pytest.raises(DocumentError) as caught:
        draw(load_document(note))
    assert caught.value.code == "unsupported"


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"[]\nxx",
        b"[[1,0,1100,1,1,[]]]\n" + b"\0" * 1099,
        b"[[1,0,1100,1,2,[]]]\n" + b"\0" * 2200,
        b"[[1,0,0,1,1,[]]]\n",
        b"[[1,0,1101,1,1,[]]]\n" + b"\0" * 1101,
        b"[[1,7,1100,1,1,[]]]\n" + b"\0" * 1100,
        b"[[9,0,1100,1,1,[]]]\n" + b"\0" * 1100,
        b"[[1,-1,1100,1,1,[]]]\n" + b"\0" * 1100,
        b"[[1,0,1100,1,1,[[0,0,1101,1]]]]\n" + b"\0" * 1100,
        b"[[1,0,1100,true,1,[]]]\n" + b"\0" * 1100,
        b"{}\n" * 3,
        b"[" * 100_000,
    ],
)
def test_nonsense_from_the_parser_is_not_believed(pdf: PDF, monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    document = load_document(pdf(LINES))
    monkeypatch.setattr(child, "exchange", lambda *_: answer)
    with pytest.raises(DocumentError) as caught:
        render_pictures(document, [Span(0, 4)])
    assert caught.value.code == "crashed"
    with pytest.raises(DocumentError):
        annotate(document, [Annotation(Span(0, 4), "n")])


def test_the_pixels_of_a_picture_are_what_was_sent() -> None:
    pixels = bytes([0, 128, 255, 255])
    gray = Image.open(io.BytesIO(page_images._encode_png(pixels, 2, 2, 1, [[0, 1, 1, 2]]))).convert("RGB")
    assert [gray.getpixel((x, y)) for y in (0, 1) for x in (0, 1)] == [
        (0, 0, 0),
        (132, 132, 132),
        (255, 224, 77),
        (255, 255, 255),
    ]
    colour = page_images._encode_png(bytes([10, 20, 30, 200, 200, 200]), 2, 1, 3, [[1, 0, 2, 1], [1, 0, 2, 1]])
    image = Image.open(io.BytesIO(colour))
    assert [image.getpixel((x, 0)) for x in (0, 1)] == [(10, 20, 30), (200, 200 * 224 // 255, 200 * 77 // 255)]
    assert struct.unpack(">II", colour[16:24]) == (2, 1)


def test_drawing_is_done_in_another_process(pdf: PDF, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    run = child.exchange

    def heard(request: dict[str, Any], *args: Any) -> bytes:
        asked.append(request["op"])
        return run(request, *args)

    document = load_document(pdf(LINES))
    monkeypatch.setattr(child, "exchange", heard)
    render_pictures(document, [Span(0, 4)])
    annotate(document, [Annotation(Span(0, 4), "n")])
    assert asked == ["cut", "annotate"]


def test_a_whole_page_is_drawn_with_the_places_of_quotes_on_it_alone(pdf: PDF) -> None:
    document = load_document(pdf(LINES, [(72.0, 700.0, "Another page names another thing.")]))
    first, other = span(document, "Line 9 of the page"), span(document, "Another page")
    drawn = draw_page(document, 1, [other, first])
    assert (drawn.page, drawn.width) == (1, page_images.WIDTH) and drawn.height > drawn.width
    none, ((left, top, right, bottom),) = drawn.lines
    assert none == ()
    image = Image.open(io.BytesIO(drawn.png)).convert("L")
    assert image.size == (drawn.width, drawn.height)
    # What is printed within the quoted line is dark, and the words of a line begin where its place does.
    assert image.crop((left, top, right, bottom)).getextrema()[0] < 128
    assert abs(left - 72 / 612 * drawn.width) < 3 and right < drawn.width / 2
    assert draw_page(document, 2).lines == () and draw_page(document, 2).page == 2
