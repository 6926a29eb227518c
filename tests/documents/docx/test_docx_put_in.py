"""What a Word document puts in from other files: read in its place, or named where it is not read."""

import time

import pytest
from office_files import cautions, headers, load, origins, parse
from word import docx, paragraph, part, run, table

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.findings import Findings

CHUNK = "<w:altChunk r:id='{}' xmlns:r='r'/>"
PAGE = (
    "<html><head><title>untitled</title></head><body><h2>Rent</h2><p style='display:none'>unseen</p>"
    "<table><tr><th>Item</th><th>2023</th></tr><tr><td>Flat</td><td>1,577</td></tr></table></body></html>"
)
SAVED = (
    "From: <Saved by X>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n"
    "Content-Type: text/html\r\n\r\n<p>of a saved page</p>\r\n--b--\r\n"
)
OUTSIDE = (
    "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
    "<Relationship Id='x' Type='x/subDocument' TargetMode='External' Target='file:///s/part2.docx'/></Relationships>"
)


def put_in(name: str, content: str | bytes, before: str = "", behind: str = "", kind: str = "") -> Document:
    """A document with a file of this name put in, declared to be of a kind."""
    body, types = before + CHUNK.format("x") + behind, {f"put/{name}": kind} if kind else {}
    return load("docx", docx(body, {"x": f"aFChunk put/{name}"}, types, **{f"put/{name}": content}))


def test_a_page_is_read_in_its_place_with_its_headings_and_tables() -> None:
    document = put_in("a.html", PAGE, paragraph("Before."), paragraph("Behind."))
    assert document.text == "Before.\n\nRent\n\nItem  2023\nFlat  1,577\n\nBehind."
    assert [(one.text, document.text[one.start :][:4]) for one in document.headings] == [("Rent", "Rent")]
    assert headers(document, "1,577") == "2023"
    (said,) = cautions(document).items()
    assert said[0] == "hidden-text" and said[1].startswith("word/put/a.html: hidden text omitted: ")


@pytest.mark.parametrize(
    ("name", "content", "kind", "text"),
    [
        ("a.rtf", r"{\rtf1 of\v unseen\v0  RTF\par}", "", "of RTF"),
        ("a.txt", "of\na text\f12", "", "of\na text\n\n12"),
        ("a.mht", SAVED, "", "of a saved page"),
        ("a.dat", "<p>of a page</p>", "text/html; charset=utf-8", "of a page"),
        ("a.dat", "<html><head><title/></head><p/><p>closed</p></html>", "application/xhtml+xml", "closed"),
        ("a.dat", "<p>", "text/plain", "<p>"),
    ],
)
def test_texts_of_other_formats_are_read_by_what_they_are(name: str, content: str, kind: str, text: str) -> None:
    document = put_in(name, content, paragraph("Before."), kind=kind)
    assert document.text == f"Before.\n\n{text}"


def test_a_word_document_keeps_its_notes_and_comments_and_leaves_out_what_is_hidden() -> None:
    note = "<w:r><w:footnoteReference w:id='4'/></w:r>"
    comment = "<w:r><w:commentReference w:id='7'/></w:r>"
    inner = docx(
        f"<w:p>{run('Inner')}{note}{comment}{run(' unseen', '<w:vanish/>')}</w:p>",
        footnotes=part("footnotes", f"<w:footnote w:id='4'>{paragraph('See B.')}</w:footnote>"),
        comments=part("comments", f"<w:comment w:id='7' w:author='Ann'>{paragraph('why?')}</w:comment>"),
    )
    document = put_in("a.docx", inner, paragraph("Outer."), paragraph("Behind."))
    assert document.text == "Outer.\n\nInner¹\n\n¹ See B.\n\n[comment by Ann, on paragraph 1] why?\n\nBehind."
    assert list(origins(document)) == ["[comment by Ann, on paragraph 1] why?"]
    (found,) = document.notes
    assert document.text[found.start : found.end] == "See B." and document.text[: found.cited].endswith("Inner")
    assert "6 marked as hidden" in cautions(document)["hidden-text"]


def test_what_is_put_in_a_cell_stays_in_its_row() -> None:
    rows = table(("Item", "Rent"), ("Flat", CHUNK.format("x") + "<w:p/>"))
    document = load("docx", docx(rows, {"x": "aFChunk put/a.html"}, **{"put/a.html": "<p>1,577<p>a year"}))
    assert document.text == "Item  Rent\nFlat  1,577 a year"


def test_what_is_put_in_a_cell_keeps_the_marks_of_what_is_not_its_running_text() -> None:
    comment = f"<w:p>{run('1,577')}<w:r><w:commentReference w:id='7'/></w:r></w:p>"
    said = part("comments", f"<w:comment w:id='7' w:author='Ann'>{paragraph('why?')}</w:comment>")
    inner = {"put/a.docx": docx(comment, comments=said)}
    chunk, told = CHUNK.format("x") + "<w:p/>", "[comment by Ann, on paragraph 1] why?"
    rows = table(("Item", "Rent"), ("Flat", chunk))
    document = load("docx", docx(rows + paragraph("End."), {"x": "aFChunk put/a.docx"}, **inner))
    assert document.text == f"Item  Rent\nFlat  1,577\n\n{told}\n\nEnd."
    assert origins(document) == {told: "comment"} and headers(document, "1,577") == "Rent"
    notes = part("footnotes", f"<w:footnote w:id='4'>{chunk}</w:footnote>")
    cited, relations = "<w:p><w:r><w:footnoteReference w:id='4'/></w:r></w:p>", "_rels/footnotes.xml.rels"
    put = OUTSIDE.replace("TargetMode='External' Target='file:///s/part2.docx'", "Target='put/a.docx'")
    document = load("docx", docx(cited, **{"footnotes": notes, relations: put}, **inner))
    assert document.text == f"¹\n\n¹ 1,577\n\n{told}" and origins(document) == {told: "comment"}
    layout = table(("Top", chunk + rows + "<w:p/>"))
    document = load("docx", docx(layout, {"x": "aFChunk put/a.docx"}, **inner))
    assert document.text == f"Top\n1,577\n{told}\nItem  Rent\nFlat  1,577\n\n{told}"
    assert [document.text[one.start : one.end] for one in document.additions] == [told, told]


def test_documents_in_documents_are_read_to_a_depth() -> None:
    data = docx(paragraph("level 5"))
    for level in range(4, 0, -1):
        body = paragraph(f"level {level}") + CHUNK.format("x")
        data = docx(body, {"x": "aFChunk put/a.docx"}, **{"put/a.docx": data})
    document = load("docx", data)
    assert document.text == "\n\n".join(f"level {level}" for level in range(1, 5))
    assert "documents put in from other files: 1" in cautions(document)["unread-content"]


def test_a_file_that_is_put_in_often_is_read_once() -> None:
    data: str | bytes = "<p>12" + "<!--->" * 10_000
    for _ in range(2):
        name = "put/a.html" if isinstance(data, str) else "put/a.docx"
        data = docx(CHUNK.format("x") * 50, {"x": f"aFChunk {name}"}, **{name: data})
    began = time.process_time()
    assert load("docx", data).text.split() == ["12"] * 2_500
    assert time.process_time() - began < 3  # half a minute if each is read


def test_documents_in_documents_share_the_room_of_the_first() -> None:
    inner = docx("", document=part("document", f"<w:body>{paragraph('Inner.')}{' ' * 400_000}</w:body>"))
    limits, parts = LoadLimits(characters=100_000), {"put/a.docx": inner}
    once = docx(CHUNK.format("x"), {"x": "aFChunk put/a.docx"}, **parts)
    assert parse("docx", once, limits).text == "Inner."
    again = docx(CHUNK.format("x") * 2, {"x": "aFChunk put/a.docx"}, **parts)
    assert parse("docx", again, limits).text == "Inner.\n\nInner."
    two, parts["put/b.docx"] = {"x": "aFChunk put/a.docx", "y": "aFChunk put/b.docx"}, inner
    with pytest.raises(DocumentError, match=r"a\.docx, word/put/b\.docx unpacks to more than") as caught:
        parse("docx", docx(CHUNK.format("x") + CHUNK.format("y"), two, **parts), limits)
    assert caught.value.code == "too-big"
    long = docx(CHUNK.format("x") * 2, {"x": "aFChunk put/a.txt"}, **{"put/a.txt": "word " * 15_000})
    with pytest.raises(DocumentError, match="has more than") as caught:
        parse("docx", long, limits)
    assert caught.value.code == "too-big"


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (CHUNK.format("x"), "documents put in from other files (file:///s/part2.docx): 1"),
        ("<w:p><w:subDoc r:id='x' xmlns:r='r'/></w:p>", "documents kept in other files (file:///s/part2.docx): 1"),
        (
            "<w:p><w:r><w:object><OLEObject xmlns='urn:schemas-microsoft-com:office:office' Type='Link' r:id='x' "
            "xmlns:r='r'/></w:object></w:r></w:p>",
            "linked objects (file:///s/part2.docx): 1",
        ),
    ],
)
def test_what_is_outside_of_the_file_is_named_also_where_there_is_no_other_text(element: str, said: str) -> None:
    outside = {"_rels/document.xml.rels": OUTSIDE}
    document = load("docx", docx(paragraph("Text.") + element, **outside))
    assert cautions(document) == {"unread-content": f"not read: {said}"}
    with pytest.raises(DocumentError, match="has no text") as caught:
        load("docx", docx(element, **outside))
    assert said in caught.value.hint and "OCR" not in caught.value.hint


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.html", "<div>" * 2_001, "word/put/a.html nests elements more than 2000 levels deep"),
        ("a.rtf", b"{\\rtf1" + b"{" * 20_000, "word/put/a.rtf nests groups more than"),
        ("a.pdf", b"%PDF-1.7", "word/put/a.pdf has a format (pdf) that ralph does not read inside another document"),
        ("a.xml", "<x/>", "word/put/a.xml has a format (text) that ralph does not read inside another document"),
        ("a.docx", b"PK\3\4word/document", "missing or broken: the file may be cut off): 1"),
    ],
)
def test_what_cannot_be_read_is_named(name: str, content: str | bytes, said: str) -> None:
    document = put_in(name, content, paragraph("Text."))
    assert document.text == "Text." and said in cautions(document)["unread-content"]


def test_what_is_said_of_a_file_is_cut_behind_a_word() -> None:
    findings = Findings()
    findings.leave("files", "words " * 40)
    findings.leave("files", "a" * 250)
    (caution,) = findings.cautions()
    assert caution.message == f"not read: files ({'a' * 200}...): 1, files ({' '.join(['words'] * 33)}...): 1"
