"""Mails of Outlook (msg): read as other mails are, with their forms of text and their attachments."""

from datetime import UTC, datetime

import outlook_files as outlook
import pytest
from outlook_files import compound_file, mail_tree, outlook_mail, packed_rtf, tnef_mail

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.mail.outlook.rich_text import unpack_rtf
from ralph_cli.documents.sets.containers import list_files
from ralph_cli.documents.source import DocumentSource

HEAD: dict[int, str | bytes | int | datetime] = {
    outlook.CLASS: "IPM.Note",
    outlook.SUBJECT: "Kündigung",
    outlook.FROM_NAME: "Ada Löve",
    outlook.FROM_ADDRESS: "ada@example.org",
    outlook.SENT: datetime(2026, 3, 2, 9, tzinfo=UTC),
}
PAGE_IN_RTF = (
    rb"{\rtf1\ansi\ansicpg1252\fromhtml1 {\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}{\*\htmltag64 <p>}"
    rb"\htmlrtf {\htmlrtf0 The fee is 50\~\'80 {\f1 \'ff} {\*\htmltag84 &lt;}\u8364?\htmlrtf 7\par\htmlrtf0"
    rb"{\*\htmltag72 </p>}{\*\mhtmltag64 <p>no</p>}}}"
)


def read(data: bytes, name: str = "a.msg") -> Document:
    return DocumentSource(name).load_bytes(data)


def place(document: Document, words: str) -> str:
    at = document.text.index(words)
    return document.describe_span(Span(at, at + len(words)))


def told(document: Document) -> dict[str, str]:
    return {caution.code: caution.message for caution in document.cautions}


@pytest.mark.parametrize("code_page", ["", "cp1252"])
def test_a_mail_of_outlook_reads_as_other_mails(code_page: str) -> None:
    people = [
        {outlook.NAME: f"{name} Müller", outlook.ADDRESS: f"{name}@x.y", outlook.ROLE: role}
        for name, role in (("bob", 1), ("cy", 2), ("dee", 1))
    ]
    values = HEAD | {outlook.CODE_PAGE: 1252, outlook.TEXT: "Notice is given.\r\n\r\nThe fee is 50 €.\r\n"}
    data = outlook_mail(values, recipients=people, code_page=code_page)
    document = read(data)
    assert document.kind == "msg" and document.cautions == ()
    assert document.text == (
        "From: Ada Löve <ada@example.org>\nTo: bob Müller <bob@x.y>, dee Müller <dee@x.y>\nCc: cy Müller <cy@x.y>\n"
        "Date: Mon, 02 Mar 2026 09:00:00 +0000\nSubject: Kündigung\n\nNotice is given.\n\nThe fee is 50 €."
    )
    assert place(document, "50 €") == "body, line 3" and place(document, "Kün") == "header, Subject"
    assert document.headings[0].text == "Kündigung"
    other = DocumentSource("a.msg", encoding="cp1251").load_bytes(data)
    assert other.text == document.text and [*told(other)] == ["unused-encoding"]


def test_attachments_and_mails_in_a_mail_are_those_of_other_mails() -> None:
    inner = mail_tree(
        {outlook.SUBJECT: "First offer", outlook.TEXT: "We offer 400."},
        attachments=[{outlook.FILE_NAME: "../Vertrag.pdf", outlook.CONTENT: b"%PDF-1" * 2_000}],
        inner=True,
    )
    files = [
        ({outlook.METHOD: 5}, inner),
        {outlook.FILE_NAME: "Vertrag.pdf", outlook.CONTENT: b"%PDF-2", outlook.MEDIA: "application/pdf"},
        {outlook.FILE_NAME: "old.eml", outlook.CONTENT: b"Subject: Older\n\n300.", outlook.MEDIA: "message/rfc822"},
        {outlook.FILE_NAME: "logo.png", outlook.CONTENT: b"PNG", outlook.MEDIA: "image/png", outlook.HIDDEN: 1},
        {outlook.FILE_NAME: "far.docx", outlook.METHOD: 4},
    ]
    data = outlook_mail(HEAD | {outlook.TEXT: "See below."}, attachments=files)
    document = read(data)
    assert place(document, "400") == "forwarded message 1, body, line 1"
    assert place(document, "300") == "forwarded message 2, body, line 1"
    assert told(document) == {
        "attachments": "attachments, which are no part of this text: Vertrag.pdf (application/octet-stream, 11 KiB, "
        "in forwarded message 1), Vertrag.pdf (application/pdf, 6 bytes)",
        "pictures-unread": "pictures in the text that were not read: 1",
        "attachment-unread": "far.docx is not a file, and was not read",
    }
    entries = list_files(data, "a.msg", DEFAULT_LIMITS)
    assert [(each.name, each.data[:6]) for each in entries] == [
        ("Vertrag.pdf", b"%PDF-1"),
        ("Vertrag (2).pdf", b"%PDF-2"),
    ]
    assert len(entries[0].data) == 12_000


@pytest.mark.parametrize("is_packed", [True, False])
@pytest.mark.parametrize(
    ("rtf", "shown", "where"),
    [
        (PAGE_IN_RTF, "The fee is 50\u00a0€ я <€", "body, paragraph 1"),
        (rb"{\rtf1\ansi\fromtext The fee is\par 5.}", "The fee is\n50.", "body, line 2"),
        (rb"{\rtf1\ansi The fee is\par {\b 50}.}", "The fee is\n\n50.", "body, paragraph 2"),
    ],
)
def test_text_in_rtf_is_read_as_outlook_shows_it(rtf: bytes, shown: str, where: str, is_packed: bool) -> None:
    """And where the plain text says something else, a notice does so."""
    plain = "The fee is\n50." if b"fromtext" in rtf else "The fee is 5."
    packed = packed_rtf(rtf, is_packed=is_packed)
    document = read(outlook_mail(HEAD | {outlook.TEXT: plain, outlook.RTF: packed}))
    assert document.text.endswith(f"\n\n{shown}") and place(document, "50") == where
    differs = told(document)["alternatives-differ"]
    assert ("RTF, too" in differs) == (b"fromtext" in rtf) and "only there “5”" in differs


def test_a_large_file_is_read_whole() -> None:
    """Its table of sectors does not fit into the header; and no sector is read with all that is behind it."""
    content = bytes(range(256)) * 36_000
    data = outlook_mail(
        HEAD | {outlook.TEXT: "See it."}, attachments=[{outlook.FILE_NAME: "a.bin", outlook.CONTENT: content}]
    )
    (entry,) = list_files(data, "a.msg", DEFAULT_LIMITS)
    assert entry.data == content and "incomplete" not in told(read(data))


def test_packed_rtf_is_unpacked_and_damage_is_seen() -> None:
    rtf = b"{\\rtf1 " + b"The rent of 1,577 is due. " * 400 + b"}"
    packed = packed_rtf(rtf)
    assert unpack_rtf(packed) == (rtf, True) and len(packed) < len(rtf) // 3
    changed = packed[:400] + bytes([packed[400] ^ 1]) + packed[401:]
    assert not unpack_rtf(changed)[1] and not unpack_rtf(packed[:-9])[1] and unpack_rtf(b"LZFu") == (b"", False)
    document = read(outlook_mail(HEAD | {outlook.RTF: packed[:-9]}))
    assert "1,577" in document.text and "damaged" in told(document)["incomplete"]


def test_drafts_items_that_are_no_mails_and_signed_mails_say_so() -> None:
    appointment = HEAD | {outlook.CLASS: "IPM.Appointment", outlook.FLAGS: 8, outlook.TEXT: "In room 5."}
    assert [*told(read(outlook_mail(appointment)))] == ["fields-unread", "draft"]
    whole = b"Content-Type: multipart/signed; boundary=x\r\n\r\n--x\r\n\r\nThe rent is 400.\r\n"
    whole += b"--x\r\nContent-Type: application/pgp-signature\r\n\r\nabc\r\n--x--\r\n"
    values = HEAD | {outlook.CLASS: "IPM.Note.SMIME.MultipartSigned", outlook.TEXT: "The rent is 40."}
    signed = read(outlook_mail(values, attachments=[{outlook.CONTENT: whole, outlook.MEDIA: "multipart/signed"}]))
    assert signed.text.endswith("\n\nThe rent is 400.")
    assert [*told(signed)] == ["signature-unchecked", "alternatives-differ"]
    values = HEAD | {outlook.CLASS: "IPM.Note.SMIME"}
    sealed = read(outlook_mail(values, attachments=[{outlook.FILE_NAME: "smime.p7m", outlook.CONTENT: b"MII"}]))
    assert "encrypted (S/MIME)" in told(sealed)["encrypted-part"]


def test_what_a_mail_hides_as_a_page_is_left_out() -> None:
    page = b"<p>The fee is 5.</p><p style='display:none'>Ignore it.</p>"
    document = read(outlook_mail(HEAD | {outlook.PAGE: page}))
    assert document.text.endswith("\n\nThe fee is 5.") and "hidden-text" in told(document)


def test_what_is_missing_of_a_mail_is_told() -> None:
    tree = mail_tree(HEAD | {outlook.TEXT: "The rent is 400."}, attachments=[{outlook.CONTENT: b"deed"}] * 2)
    del tree["__substg1.0_1000001F"], tree["__attach_version1.0_#00000001"]
    messages = [caution.message for caution in read(compound_file(tree)).cautions if caution.code == "incomplete"]
    assert {message.partition(":")[0] for message in messages} == {
        "some of what it lists is missing",
        "it says that it has 2 attachments, and has 1",
    }


def test_a_mail_within_a_mail_as_exchange_sends_it_reads_alike() -> None:
    """As "winmail.dat", which is a document of its own."""
    people = [{outlook.NAME: "bob Müller", outlook.ADDRESS: "bob@x.y", outlook.ROLE: 1}]
    inner = {outlook.SUBJECT: "First offer", outlook.TEXT: "We offer 400."}
    values = HEAD | {outlook.TEXT: "The fee is 50 €.", outlook.RTF: packed_rtf(PAGE_IN_RTF)}
    files = [
        {outlook.FILE_NAME: "Vertrag.pdf", outlook.CONTENT: b"%PDF-2", outlook.METHOD: 1},
        ({outlook.METHOD: 5}, tnef_mail(inner)),
    ]
    data = tnef_mail(values, people, files)
    saved = outlook_mail(values, recipients=people, attachments=[files[0], (files[1][0], mail_tree(inner, inner=True))])
    sent = read(data, "winmail.dat")
    assert sent.text == read(saved).text and sent.cautions == read(saved).cautions
    assert list_files(data, "winmail.dat", DEFAULT_LIMITS) == list_files(saved, "a.msg", DEFAULT_LIMITS)
    assert "incomplete" not in told(sent) and place(sent, "400") == "forwarded message 1, body, line 1"
    for broken in (
        data[:-30],
        data.replace(b"%PDF", b"%PDE"),
        data.replace(b"\x03\x90\x06\0", b"\x03\x90\x06\1", 1)[:-1],
    ):
        assert "damaged" in told(read(broken, "winmail.dat"))["incomplete"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (compound_file({"WordDocument": b"x" * 5_000}), "an old Word document"),
        (compound_file({"Other": b"x"}), "holds no mail of Outlook"),
        (compound_file({"__substg1.0_": {"x": b"y"}}), "holds no mail of Outlook"),
        (outlook_mail(HEAD)[:600], "it has no directory"),
        (b"From: a@b.c\n\nThe deed", "is named .msg but is not a mail of Outlook"),
        (b"\x78\x9f\x3e\x22\x01\x00\x01", "has no text"),
    ],
)
def test_what_is_no_mail_is_refused_in_words(data: bytes, words: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(data)
    assert words in caught.value.message


def test_old_documents_and_mails_that_hold_each_other_are_told_apart() -> None:
    word = compound_file({"WordDocument": b"x" * 5_000, "ObjectPool": mail_tree(HEAD, inner=True)})
    with pytest.raises(DocumentError, match="old Word document"):
        read(word, "a.doc")
    values = {outlook.FILE_NAME: "a.doc", outlook.CONTENT: word}
    assert read(outlook_mail(HEAD | {outlook.TEXT: "See it."}, attachments=[values])).text.endswith("See it.")
