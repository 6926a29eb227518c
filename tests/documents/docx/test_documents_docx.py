"""Word documents: what a reader sees is read, in order; what a hostile file does is refused in words."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from document_fixtures import load_document
from word import W, docx, paragraph, part

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits


@pytest.fixture
def word(tmp_path: Path) -> Callable[..., Path]:
    """Writes a Word document with this body and these further parts."""

    def write(body: str, name: str = "a.docx", **parts: str) -> Path:
        path = tmp_path / name
        path.write_bytes(docx(body, **parts))
        return path

    return write


def failure(path: Path, **options: object) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        load_document(path, **options)  # type: ignore[arg-type]
    return caught.value


def test_paragraphs_tables_and_breaks_in_order(word) -> None:
    cells = "<w:tc>{}</w:tc>".format
    row = f"<w:tr>{cells(paragraph('Rent'))}{cells(paragraph('4,800') + paragraph('monthly'))}</w:tr>"
    line = (
        "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c&amp;d</w:t><w:noBreakHyphen/><w:t>e</w:t></w:r></w:p>"
    )
    tabs = "<w:p><w:pPr><w:tabs><w:tab w:val='left' w:pos='720'/></w:tabs></w:pPr><w:r><w:t>x</w:t></w:r></w:p>"
    document = load_document(
        word(paragraph("First (PP&amp;E) &lt;tag&gt;") + line + f"<w:tbl>{row}{row}</w:tbl>" + tabs)
    )
    assert document.kind == "docx" and not document.paged
    assert document.text == "First (PP&E) <tag>\n\na\tb\nc&d\u2011e\n\nRent  4,800 monthly\nRent  4,800 monthly\n\nx"


def test_deletions_are_skipped_insertions_kept_and_it_is_said(word) -> None:
    deleted = "<w:del w:id='1'><w:r><w:delText>sixty</w:delText></w:r></w:del>"
    moved = "<w:moveFrom w:id='3'><w:r><w:t>gone</w:t></w:r></w:moveFrom>"
    inserted = "<w:ins w:id='2'><w:r><w:t>thirty</w:t></w:r></w:ins>"
    body = f"<w:p><w:r><w:t xml:space='preserve'>within </w:t></w:r>{deleted}{moved}{inserted}</w:p>"
    document = load_document(word(body))
    assert document.text == "within thirty"
    assert [caution.code for caution in document.cautions] == ["tracked-changes"]
    assert load_document(word(paragraph("plain"))).cautions == ()


def test_a_deleted_paragraph_mark_joins_two_paragraphs_and_none_is_lost(word) -> None:
    marked = "<w:p><w:pPr><w:rPr><w:del w:id='1'/></w:rPr></w:pPr><w:r><w:t xml:space='preserve'>one </w:t></w:r></w:p>"
    assert load_document(word(marked + paragraph("two") + paragraph("three"))).text == "one two\n\nthree"
    assert load_document(word(paragraph("zero") + marked)).text == "zero\n\none"


def test_hidden_text_field_codes_and_twins_are_left_out(word) -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
    shown = "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>seen</w:t></w:r>"
    code = "<w:r><w:instrText>PAGEREF _1</w:instrText></w:r>"
    box = "<w:txbxContent>{}</w:txbxContent>".format(paragraph("in a box"))
    mc = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    twice = (
        f"<w:r><mc:AlternateContent xmlns:mc='{mc}'><mc:Choice><w:drawing>{box}</w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    document = load_document(word(f"<w:p>{hidden}{shown}{code}{twice}</w:p>"))
    assert document.text == "seen\n\nin a box"
    assert [caution.message for caution in document.cautions] == [
        "hidden text omitted: 6 characters (6 marked as hidden)"
    ]


def test_headings_and_block_quotations_by_style_and_by_indent(word) -> None:
    styles = part(
        "styles",
        "<w:style w:styleId='Zitat'><w:name w:val='Quote'/></w:style>"
        "<w:style w:styleId='Firm'><w:name w:val='Firm extract'/><w:basedOn w:val='Zitat'/></w:style>"
        "<w:style w:styleId='berschrift2'><w:name w:val='heading 2'/></w:style>",
    )
    indented = "<w:p><w:pPr><w:ind w:left='720' w:right='720'/></w:pPr><w:r><w:t>Set in.</w:t></w:r></w:p>"
    body = (
        paragraph("Title of part", "berschrift2")
        + paragraph("By style.", "Zitat")
        + paragraph("By a style based on it.", "Firm")
        + paragraph("Named without a style part.", "Quote")
        + indented
        + paragraph("Said beside it.")
    )
    document = load_document(word(body, styles=styles))
    assert [(heading.text, heading.level) for heading in document.headings] == [("Title of part", 2)]
    quoted = [document.text[span.start : span.end] for span in document.quoted]
    assert quoted == ["By style.", "By a style based on it.", "Named without a style part.", "Set in."]


def test_notes_come_at_the_end_with_the_place_that_cites_them(word) -> None:
    body = (
        "<w:p><w:r><w:t>One</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r><w:r><w:t>, two</w:t></w:r>"
        "<w:r><w:endnoteReference w:id='2'/></w:r></w:p>"
    )
    note = "<w:{0} w:id='{1}'{2}>{3}</w:{0}>".format
    footnotes = note("footnote", "-1", " w:type='separator'", paragraph("____")) + note(
        "footnote", 2, "", paragraph(" p. 12 ")
    )
    endnotes = note("endnote", 2, "", paragraph("Page 13."))
    document = load_document(word(body, footnotes=part("footnotes", footnotes), endnotes=part("endnotes", endnotes)))
    assert document.text == "One\u00b9, two\n\n\u00b9 p. 12\n\nPage 13."
    found = [(document.text[note.start : note.end], document.text[: note.cited]) for note in document.notes]
    assert found == [("p. 12", "One"), ("Page 13.", "One\u00b9, two")]
    alone = paragraph("One.") + "<w:p><w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
    assert load_document(word(alone, footnotes=part("footnotes", footnotes))).notes[0].cited == len("One.\n\n")


def test_a_quotation_ends_before_the_mark_of_its_note_and_begins_behind_its_number(word) -> None:
    level = "<w:lvl w:ilvl='0'><w:start w:val='1'/><w:lvlText w:val='(%1)'/></w:lvl>"
    lists = f"<w:abstractNum w:abstractNumId='0'>{level}</w:abstractNum>"
    lists += "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
    settings = "<w:pStyle w:val='Quote'/><w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>"
    body = (
        f"<w:p><w:pPr>{settings}</w:pPr><w:r><w:t>Set in.</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r></w:p>"
    )
    note = f"<w:footnote w:id='2'>{paragraph('p. 3')}</w:footnote>"
    document = load_document(word(body, footnotes=part("footnotes", note), numbering=part("numbering", lists)))
    assert document.text == "(1) Set in.\u00b9\n\n\u00b9 p. 3"
    assert [document.text[span.start : span.end] for span in document.quoted] == ["Set in."]


def test_notes_and_quotations_come_back_from_the_cache(word, tmp_path) -> None:
    path = word(paragraph("Kept.", "Quote"))
    first, second = load_document(path, cache=tmp_path / "cache"), load_document(path, cache=tmp_path / "cache")
    assert first == second and second.quoted and list((tmp_path / "cache" / "texts").iterdir())


def test_html_tells_its_quotations(tmp_path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>They say <q>in line</q>.</p><blockquote><p>One.</p><p>Two.</p></blockquote><p>After.</p>")
    document = load_document(page)
    assert [document.text[span.start : span.end] for span in document.quoted] == ["in line", "One.\n\nTwo."]


def test_a_spreadsheet_inside_does_not_make_it_one(word) -> None:
    assert load_document(word(paragraph("Text"), **{"embeddings/xl/workbook": "<x/>"})).text == "Text"


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("<w:p><w:r><w:t>cut", "damaged", "damaged"),
        ("<w:p/>", "no-text", "no text"),
        ("<w:sdt>" * 2_500 + "</w:sdt>" * 2_500, "too-big", "deep"),
    ],
)
def test_what_cannot_be_read_is_said(word, body: str, code: str, said: str) -> None:
    error = failure(word(body))
    assert error.code == code and said in error.message


def test_a_document_type_is_refused_before_its_entities_are_read(tmp_path) -> None:
    for declared in ('<!DOCTYPE a [<!ENTITY b "boo">]>', '<!DOCTYPE a SYSTEM "file:///etc/passwd" []>'):
        path = tmp_path / "a.docx"
        xml = f"{declared}<w:document xmlns:w='{W}'><w:body>{paragraph('x')}</w:body></w:document>"
        path.write_bytes(docx("", document=xml))
        assert failure(path).code == "unsupported"


def test_bombs_are_refused(tmp_path, word) -> None:
    assert failure(word(paragraph("x" * 2_000_000)), limits=LoadLimits(characters=1_000_000)).code == "too-big"
    long = word(paragraph("word " * 300))
    assert failure(long, limits=LoadLimits(characters=1_000)).code == "too-big"
    # An archive may lie about the size of a part: what is read is counted, too.
    lying = bytearray(long.read_bytes())
    at = lying.rfind(b"word/document.xml") - 46
    lying[at + 24 : at + 28] = (10).to_bytes(4, "little")
    path = tmp_path / "lying.docx"
    path.write_bytes(lying)
    assert failure(path).code in ("damaged", "too-big")
    path.write_bytes(docx(paragraph("x"), **{f"media/{number}": "" for number in range(10_001)}))
    assert failure(path).code == "too-big"


def test_archives_that_are_none(tmp_path) -> None:
    whole = docx(paragraph("Hello"))
    path = tmp_path / "a.docx"
    path.write_bytes(whole[: len(whole) // 2])
    assert failure(path).code == "damaged"
    encrypted = bytearray(whole)
    for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = encrypted.find(mark)
        while at >= 0:
            encrypted[at + offset] |= 1
            at = encrypted.find(mark, at + 4)
    path.write_bytes(encrypted)
    assert (failure(path).code, failure(path).message) == ("encrypted", f"{path} is protected by a password")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/documents.txt", "x")
    path.write_bytes(buffer.getvalue())
    assert failure(path).code == "damaged"
