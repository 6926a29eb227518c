"""Web pages saved in one file: the page as the browser showed it, with the styles and frames that came with it."""

from ralph_cli.core.document import Document
from ralph_cli.documents.source import DocumentSource

HEAD = b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/a/deed.html\r\nMIME-Version: 1.0\r\n"
HEAD += b'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="--x--"\r\n\r\n'


def part(kind: str, body: str, *headers: str, encoding: str = "quoted-printable") -> bytes:
    lines = [f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}", *headers]
    return ("----x--\r\n" + "\r\n".join(lines) + "\r\n\r\n" + body + "\r\n").encode()


def saved(*parts: bytes, name: str = "a.mhtml") -> Document:
    return DocumentSource(name).load_bytes(HEAD + b"".join(parts) + b"----x----\r\n")


PAGE = '<title>Deed</title><link rel=3D"stylesheet" href=3D"%s">'
PAGE += "<h1>Term</h1><p>Rent is 1,5=\r\n77 =E2=82=AC.<p class=3Dk>Hidden."


def test_a_page_is_read_with_its_style_sheet_and_frame() -> None:
    page = PAGE % "cid:css-1@mhtml.blink" + '</p><iframe src=3D"cid:frame-2@mhtml.blink"></iframe>'
    sheet = part("text/css", ".k{display:none}", "Content-ID: <css-1@mhtml.blink>")
    frame = part("text/html", "<p>In the frame.", "Content-ID: <frame-2@mhtml.blink>")
    picture = part("image/png", "iVBORw0KGgo=", encoding="base64")
    document = saved(
        part("text/html", page, "Content-Location: https://example.org/a/deed.html"), sheet, frame, picture
    )
    assert document.text == "Deed\n\nTerm\n\nRent is 1,577 €.\n\nIn the frame."
    assert document.kind == "mhtml" and [it.text for it in document.headings if not it.is_read_off] == ["Term"]
    told = [caution.message for caution in document.cautions]
    assert told == ["hidden text omitted: 7 characters (7 marked as hidden)", "pictures that were not read: 1"]


def test_a_sheet_is_found_by_its_address_from_the_page() -> None:
    where = "Content-Location: https://example.org/a/deed.html"
    sheet = part("text/css", ".k{display:none}", "Content-Location: https://example.org/a/deed_files/k.css")
    document = saved(part("text/html; charset=utf-8", PAGE % "deed_files/k.css", where), sheet, name="page")
    assert document.text.endswith("1,577 €.") and document.kind == "mhtml"


def test_a_sheet_that_did_not_come_along_is_told() -> None:
    document = saved(part("text/html", PAGE % "k.css"))
    assert "Hidden." in document.text
    assert [caution.code for caution in document.cautions] == ["styles-unread"]


def test_a_page_that_is_cut_off_says_so_and_one_without_a_page_is_a_mail() -> None:
    whole = HEAD + part("text/html", "<p>Rent is due")
    told = DocumentSource("a.mht").load_bytes(whole).cautions
    assert any("a part has no end" in caution.message for caution in told)
    assert DocumentSource("a.mht").load_bytes(b"From: a@b.c\r\n\r\nRent is due").text == "From: a@b.c\n\nRent is due"
