"""Whether a reader of the page sees the words: every trick, and every innocent page that resembles one."""

import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from document_fixtures import load_document
from hidden_pdfs import BESIDE, FIRST, GEORGIAN, INNOCENT, MISSING_FONT, SAID, SCANS, TRICKS, Made, stream

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.pages import check_visibility
from ralph_cli.documents.process import child
from ralph_cli.documents.sight import COLOUR, Visibility, combine, visibilities_from_json, visibilities_to_json
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.quotes.visibility import SCAN_TEXT_LAYER, UNCHECKED_VISIBILITY, VisibilityChecker

Write = Callable[[str, bytes], Path]


def span_of(document: Document, words: str) -> Span:
    at = document.text.index(words)
    return Span(at, at + len(words))


def told(document: Document, words: str = SAID) -> str:
    """What is told of the words, with nothing else to be told."""
    cautions: list[str] = []
    span = span_of(document, words)
    why = VisibilityChecker(document, lambda code, message: cautions.append(message))([span])[span]
    assert cautions == []
    return why


@pytest.mark.parametrize("trick", TRICKS)
def test_hidden_text_is_told_with_the_reason(file: Write, trick: str) -> None:
    made, why = TRICKS[trick]
    document = load_document(file("made.pdf", made.pdf))
    assert told(document) == why
    assert told(document, FIRST) == ""


@pytest.mark.parametrize("kind", INNOCENT)
def test_what_can_be_seen_is_left_alone(file: Write, kind: str) -> None:
    assert told(load_document(file("made.pdf", INNOCENT[kind].pdf))) == ""


@pytest.mark.usefixtures("no_fonts")
@pytest.mark.parametrize(
    "kind",
    [
        *("plain", "outlined", "very light grey", "white", "invisible mode", "squeezed to a line", "right of the page"),
        *("below a box", "transparent", "clipped", "layer off", "one digit"),
    ],
)
def test_words_in_a_font_that_nobody_has_are_not_hidden_but_by_a_trick(file: Write, kind: str) -> None:
    made, why = TRICKS.get(kind) or (INNOCENT[kind], "")
    document = load_document(file("made.pdf", dataclasses.replace(made, font=MISSING_FONT).pdf))
    assert told(document, SAID.translate(GEORGIAN)) == why
    assert [caution.code for caution in document.cautions] == ["missing-fonts"]


@pytest.mark.usefixtures("no_fonts")
def test_glyphs_that_no_font_has_are_not_seen_whatever_letters_they_are_said_to_be(file: Write) -> None:
    says = "1 beginbfrange <00> <7f> <10d0> endbfrange"
    said = stream(f"begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 {says} endcmap".encode())
    for name in (".notdef", "space", "uniE010", "uni2003"):
        font = re.sub("/uni10D[0-9A-F]", f"/{name}", MISSING_FONT) + "/ToUnicode 6 0 R"
        made = Made("BT /F1 12 Tf 72 600 Td (abc) Tj ET", font=font, objects=(said,))
        document = load_document(file("made.pdf", made.pdf))
        words = "".join(chr(0x10D0 + ord(letter)) for letter in "abc")
        assert told(document, words) == "covered or clipped away"


@pytest.mark.parametrize("turned", [90, 180, 270])
@pytest.mark.parametrize("trick", ["white", "one digit", "below a box", "outside of the crop box"])
def test_pages_that_are_turned(file: Write, trick: str, turned: int) -> None:
    made, why = TRICKS[trick]
    page = f"{made.page}/Rotate {turned}"
    assert told(load_document(file("a.pdf", dataclasses.replace(made, page=page).pdf))) == why
    assert told(load_document(file("b.pdf", dataclasses.replace(INNOCENT["plain"], page=page).pdf))) == ""


def test_words_that_lie_on_each_other_are_looked_at_one_by_one(file: Write) -> None:
    made = Made("BT 1 g /F1 12 Tf 82 600 Td (not) Tj ET BT 0 g /F1 12 Tf 72 600 Td (MMMMMMMM) Tj ET")
    document = load_document(file("a.pdf", made.pdf))
    assert document.text.split("\n")[1] == "MMMMMMMMnot"
    assert told(document, "MMMMMMMMnot") == "in part covered or clipped away"
    assert told(document, "MMMMMMMM") == ""


@pytest.mark.parametrize(("colour", "why"), [(0, ""), (1, COLOUR)])
def test_text_that_is_drawn_sideways(file: Write, colour: int, why: str) -> None:
    made = Made(f"BT {colour} g /F1 12 Tf 0 1 -1 0 300 300 Tm ({SAID}) Tj ET")
    document = load_document(file("a.pdf", made.pdf))
    assert [told(document, word) for word in SAID.split()] == [why] * 5


@pytest.mark.parametrize("kind", SCANS)
def test_the_text_layer_of_a_scan_is_not_hidden_and_told_of_once(file: Write, kind: str) -> None:
    document = load_document(file("made.pdf", SCANS[kind].pdf))
    cautions: list[tuple[str, str]] = []
    sight = VisibilityChecker(document, lambda code, message: cautions.append((code, message)))
    said = document.text[document.text.index(SAID) :].split("\n")[0]
    span, part = span_of(document, said), span_of(document, "4,711")
    assert sight([span]) == {span: ""} and sight([part]) == {part: ""}
    ((code, message),) = cautions
    assert code == SCAN_TEXT_LAYER and message.startswith("page 1 is a scan with a text layer")


def test_words_of_a_text_layer_beside_the_picture_are_hidden(file: Write) -> None:
    document = load_document(file("made.pdf", BESIDE.pdf))
    sight, whole, part = (
        VisibilityChecker(document, lambda code, message: None),
        span_of(document, SAID),
        span_of(document, "4,711"),
    )
    assert sight([whole, part]) == {whole: "in part set in invisible mode", part: ""}


def test_a_table_header_in_white_on_a_fill_is_seen(tmp_path: Path) -> None:
    from reportlab.lib import colors
    from reportlab.platypus import SimpleDocTemplate, Table, TableStyle

    style = [("BACKGROUND", (0, 0), (-1, 0), colors.navy), ("TEXTCOLOR", (0, 0), (-1, 0), colors.white)]
    style += [("GRID", (0, 0), (-1, -1), 0.2, colors.lightgrey), ("TEXTCOLOR", (0, 1), (0, 1), colors.lightgrey)]
    table = Table([["Segment", "2018", "2019"], ["Tools", "1,577", "(1,373)"]], style=TableStyle(style))
    path = tmp_path / "table.pdf"
    SimpleDocTemplate(str(path)).build([table])
    document = load_document(path)
    assert told(document, "Segment  2018  2019") == told(document, "Tools  1,577  (1,373)") == ""


def test_every_line_of_the_sample_report_is_seen(samples: Path, tmp_path: Path) -> None:
    document = load_document(samples / "report.pdf", cache=tmp_path)
    spans, at = [], 0
    for line in document.text.replace("\f", "\n").split("\n"):
        if line.strip() and document.page_at(at).number % 4 == 0:
            spans.append(Span(at, at + len(line)))
        at += len(line) + 1
    assert len(spans) > 100
    assert set(check_visibility(document, spans)) == {Visibility()}


def test_words_over_a_page_end_are_looked_at_on_both_pages(
    make_raw: dict[str, Callable[..., bytes]], file: Write
) -> None:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
    draws = [b"BT /F1 12 Tf 72 100 Td (The rent is ) Tj ET", b"BT 1 g /F1 12 Tf 72 700 Td (not due.) Tj ET"]
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>", page % 6, page % 7]
    objects.append(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    objects += [b"<</Length %d>>stream\n%s\nendstream" % (len(drawn), drawn) for drawn in draws]
    document = load_document(file("a.pdf", make_raw["objects"](objects)))
    assert told(document, "The rent is\fnot due.") == "in part in the colour of its background"
    assert told(document, "The rent is") == ""


def test_every_place_is_looked_at_once(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    document = load_document(file("a.pdf", TRICKS["white"][0].pdf))
    asked: list[Sequence[Span]] = []

    def counted(about: Document, spans: Sequence[Span], **given: object) -> list[Visibility]:
        asked.append([*spans])
        return check_visibility(about, spans)

    monkeypatch.setattr("ralph_cli.retrieval.quotes.visibility.check_visibility", counted)
    sight = VisibilityChecker(document, lambda code, message: None)
    hidden, first = span_of(document, SAID), span_of(document, FIRST)
    assert sight([hidden, first, hidden]) == {hidden: COLOUR, first: ""}
    assert sight([first, hidden])[hidden] == COLOUR and sight([]) == {}
    assert asked == [[hidden, first]]


# What cannot be looked at


def blind(document: Document, source: DocumentSource | None = None) -> tuple[str, list[tuple[str, str]]]:
    cautions: list[tuple[str, str]] = []
    sight = VisibilityChecker(document, lambda code, message: cautions.append((code, message)), source)
    why = ""
    for words in (SAID, FIRST):
        span = span_of(document, words)
        why += sight([span])[span]
    return why, cautions


def test_a_file_that_is_gone_or_has_changed_is_cautioned_of_once(file: Write) -> None:
    path = file("a.pdf", TRICKS["white"][0].pdf)
    document = load_document(path)
    path.write_bytes(INNOCENT["plain"].pdf)
    why, ((code, message),) = blind(document)
    assert (why, code) == ("", UNCHECKED_VISIBILITY) and "has changed since it was loaded" in message
    path.unlink()
    assert "does not exist" in blind(document)[1][0][1]


def test_a_parser_that_dies_or_lies_is_cautioned_of(file: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    document = load_document(file("a.pdf", TRICKS["white"][0].pdf))
    monkeypatch.setattr(child, "_BOOTSTRAP", "import os,signal; os.kill(os.getpid(), signal.SIGSEGV)")
    assert "crashed (SIGSEGV)" in blind(document)[1][0][1]
    answer = "import os,struct\nos.write(1, struct.pack('>cQ',b'R',2)+b'[]')"
    monkeypatch.setattr(child, "_BOOTSTRAP", answer)
    assert "returned an invalid result" in blind(document)[1][0][1]


def test_standard_input_and_passwords_are_asked_for_again(pdf: Callable[..., Path], file: Write) -> None:
    data = TRICKS["white"][0].pdf
    document = load_document("-", standard_input=lambda: data)
    assert blind(document, DocumentSource("-", standard_input=lambda: data)) == (COLOUR, [])
    locked = load_document(pdf([(72, 700, SAID), (72, 600, FIRST)], user="secret"), password="secret")
    assert blind(locked, DocumentSource("", "secret")) == ("", [])
    assert "is encrypted" in blind(locked)[1][0][1]


def test_other_formats_are_not_rendered(file: Write) -> None:
    document = load_document(file("a.txt", f"{SAID}\n{FIRST}".encode()))
    assert blind(document) == ("", [])
    with pytest.raises(DocumentError, match="not a PDF"):
        check_visibility(document, [Span(0, 4)])


@pytest.mark.parametrize(
    "answer",
    [[], [["", False, False]], [["", False]] * 2, [["because", False, False]] * 2, [["", 0, 0]] * 2, {}, "["],
)
def test_answers_of_no_meaning_are_refused(answer: object) -> None:
    data = answer if isinstance(answer, str) else json.dumps(answer)
    with pytest.raises(ValueError, match=r"\w"):
        visibilities_from_json(data.encode(), 2)
    with pytest.raises(ValueError, match="recursion"):
        visibilities_from_json(b"[" * 100_000, 2)


def test_answers_go_there_and_back_and_join() -> None:
    answers = [Visibility(), Visibility(COLOUR, True, False), Visibility(on_picture=True)]
    assert visibilities_from_json(visibilities_to_json(answers), 3) == answers
    assert combine([Visibility(), Visibility(COLOUR)]) == Visibility(COLOUR, True)
    assert combine([Visibility(COLOUR), Visibility(COLOUR)]) == Visibility(COLOUR)
    assert combine(answers) == Visibility(COLOUR, True, True)


def test_a_page_without_room_to_render_is_no_crash(file: Write) -> None:
    made = Made("", page="/CropBox[0 0 0.1 0.1]")
    document = load_document(file("a.pdf", made.pdf))
    assert told(document, FIRST) == "off the page"
