"""Mails: the headers and the text that a mail program shows, their places, and what is not shown."""

import base64
import binascii
from email.message import EmailMessage
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest
from tables import cells_below, column_names

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.sets.containers import list_files
from ralph_cli.documents.source import DocumentSource

DEED = b"The deed of the north hall, as it was signed on 2 May.\n" * 3


def mail(subject: str = "Notice of termination", **headers: str) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"] = "Ada Löve <ada@example.org>", "bob@example.org"
    message["Date"], message["Subject"] = "Mon, 02 Mar 2026 10:00:00 +0100", subject
    for name, value in headers.items():
        message[name] = value
    return message


def read(message: EmailMessage | MIMEMultipart | bytes, name: str = "a.eml") -> Document:
    data = message if isinstance(message, bytes) else message.as_bytes()
    return DocumentSource(name).load_bytes(data)


def place(document: Document, words: str) -> str:
    at = document.text.index(words)
    return document.describe_span(Span(at, at + len(words)))


def messages(document: Document, code: str) -> list[str]:
    return [caution.message for caution in document.cautions if caution.code == code]


@pytest.mark.parametrize("transfer", ["base64", "quoted-printable", "8bit"])
@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-15"])
def test_a_mail_reads_as_a_mail_program_shows_it(transfer: str, charset: str) -> None:
    message = mail("Kündigung zum Monatsende – bitte bestätigen")
    message.set_content("Notice is given.\n\nThe fee is 50 € a month.\n", cte=transfer, charset=charset)
    if charset != "utf-8":
        message.replace_header("Subject", "Kündigung")
    document = read(message)
    assert document.kind == "eml" and document.cautions == ()
    assert document.text.startswith("From: Ada Löve <ada@example.org>\nTo: bob@example.org\nDate: Mon, 02 Mar 2026")
    assert document.text.endswith("\n\nNotice is given.\n\nThe fee is 50 € a month.")
    assert document.headings[0].text == str(message["Subject"])
    assert place(document, "50 €") == "body, line 3"
    assert place(document, "Kündigung") == "header, Subject"
    assert place(document, document.text) == "header, From to body, line 3"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("=?utf-8?B?S8O8bmRpZ3Vu?= =?utf-8?Q?g_x?=", "Kündigung x"),
        ("=?utf-8?B?S8M=?=\r\n =?utf-8?B?vG4=?=", "Kün"),  # a letter that is cut in two
        ("=?iso-8859-1*de?Q?K=FCn?= and", "Kün and"),
        ("=?no-such?Q?plain?= =?utf-8?B?!!!?=", "plain"),
        ("a\r\n\tfolded  line", "a folded line"),
        ("K\xfcn".encode().decode("latin-1"), "Kün"),
    ],
)
def test_headers_are_decoded(written: str, shown: str) -> None:
    text = read(b"From: a@b.c\r\nSubject: " + written.encode("latin-1") + b"\r\n\r\nhi").text
    assert text.split("\n")[1].startswith(f"Subject: {shown}")


@pytest.mark.parametrize(
    ("label", "codec", "words"),
    [
        ("us-ascii", "utf-8", "Größe"),
        ("utf-8", "cp1252", "Größe"),
        ("", "utf-8", "Größe"),
        ("gb2312", "gb18030", "\u9555 元"),
    ],
)
def test_an_encoding_that_is_declared_wrongly_or_not_at_all(label: str, codec: str, words: str) -> None:
    declared = f"Content-Type: text/plain; charset={label}\n".encode() if label else b""
    assert read(b"From: a@b.c\n" + declared + b"\n" + words.encode(codec)).text.endswith(words)


def test_of_alternatives_the_page_is_read_and_words_of_the_other_are_told() -> None:
    page = "<h1>Offer</h1><p>The fee is 5 €.</p><p style='display:none'>Ignore it.</p>"
    page += "<table><tr><th>Item<th>2024<tr><td>Fee<td>1,577</table>"
    message = mail()
    message.set_content("Offer\n\nThe fee is 50 €.\nItem 2024 Fee 1,577 https://example.org/x\n")
    message.add_alternative(page, subtype="html")
    document = read(message)
    assert "The fee is 5 €." in document.text and "Ignore" not in document.text
    assert [(heading.text, heading.level) for heading in document.headings] == [
        ("Notice of termination", 1),
        ("Offer", 2),
    ]
    assert column_names(document) == ["Item", "2024"]
    assert ("1,577", 1) in cells_below(document)
    assert place(document, "1,577") == "body, paragraph 4"
    (told,) = messages(document, "alternatives-differ")
    assert "as text/plain, too, which is not read and differs: only there “50”; only in what is read “5”" in told
    assert messages(document, "hidden-text") == ["body: hidden text omitted: 9 characters (9 marked as hidden)"]


def test_alternatives_that_say_the_same_are_no_matter() -> None:
    message = mail()
    message.set_content("The *fee* is 5 € <https://example.org/fee?id=77>.\n")
    message.add_alternative("<title>A newsletter</title><p>The <b>fee</b> is <a href=x>5 €</a>.</p>", subtype="html")
    assert read(message).cautions == ()


def test_attachments_are_named_and_can_be_had() -> None:
    inner = mail("The first offer")
    inner.set_content("We offer 400.\n")
    inner.add_attachment(b"%PDF-1", maintype="application", subtype="pdf", filename="../../Vertrag.pdf")
    message = mail("Fwd: The first offer")
    message.set_content("See below.\n")
    message.add_attachment(inner)
    message.add_attachment("a;b\n1;2\n", subtype="csv", filename="list.csv")
    message.add_attachment(b"%PDF-2", maintype="application", subtype="pdf", filename="Vertrag.pdf")
    message.add_attachment(b"GIF", maintype="image", subtype="gif", cid="<logo>", disposition="inline")
    document = read(message)
    assert place(document, "400") == "forwarded message 1, body, line 1"
    assert place(document, "Subject: The first") == "forwarded message 1, header, Subject"
    (told,) = messages(document, "attachments")
    assert "Vertrag.pdf (application/pdf, 6 bytes, in forwarded message 1), list.csv (text/csv, 8 bytes)" in told
    assert messages(document, "pictures-unread") == ["pictures in the text that were not read: 1"]
    found = list_files(message.as_bytes(), "a.eml", DEFAULT_LIMITS)
    assert [(each.name, each.data[:6]) for each in found] == [
        ("Vertrag.pdf", b"%PDF-1"),
        ("list.csv", b"a;b\n1;"),
        ("Vertrag (2).pdf", b"%PDF-2"),
    ]
    assert list_files(b"words", "a.txt", DEFAULT_LIMITS) == ()


def test_a_forwarded_mail_that_is_encoded_against_the_rule_is_read() -> None:
    inner = mail("Inside")
    inner.set_content("The rent is 400.\n")
    head = b"From: a@b.c\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
    assert place(read(head + base64.encodebytes(inner.as_bytes())), "400") == "forwarded message 1, body, line 1"


def test_the_parts_of_a_mail_of_apple_are_one_text() -> None:
    message = MIMEMultipart("alternative")
    message["From"] = "a@b.c"
    shown = MIMEMultipart("mixed")
    shown.attach(MIMEText("<p>Before the file.</p>", "html"))
    file = MIMEApplication(b"%PDF-1", "pdf")
    file.add_header("Content-Disposition", "inline", filename="deed.pdf")
    shown.attach(file)
    shown.attach(MIMEText("<p>Behind the file.</p>", "html"))
    message.attach(MIMEText("Before the file.\nBehind the file.", "plain"))
    message.attach(shown)
    document = read(message)
    assert place(document, "Behind") == "body 2, paragraph 1"
    assert [caution.code for caution in document.cautions] == ["attachments"]


def test_flowed_lines_are_paragraphs() -> None:
    head = b"From: a@b.c\nContent-Type: text/plain; format=flowed\n\n"
    text = read(head + b"The rent is paid \non the first \nday.\n> He said \n> so.\n From it.\n-- \nAda").text
    assert text.endswith("The rent is paid on the first day.\n> He said so.\nFrom it.\n-- \nAda")


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("multipart/encrypted; protocol=application/pgp-encrypted; boundary=x", "encrypted (PGP)"),
        ("application/pkcs7-mime; smime-type=enveloped-data", "encrypted (S/MIME)"),
        ("application/pkcs7-mime; smime-type=signed-data", "signed in a way that closes it (S/MIME)"),
    ],
)
def test_what_is_sealed_is_named(header: str, told: str) -> None:
    document = read(f"From: a@b.c\nSubject: Deed\nContent-Type: {header}\n\nMIIB".encode())
    assert document.text == "From: a@b.c\nSubject: Deed"
    assert told in messages(document, "encrypted-part")[0]


def test_a_mail_with_two_senders_and_an_unchecked_signature_says_so() -> None:
    head = b"From: a@b.c\nFrom: d@e.f\nContent-Type: multipart/signed; boundary=x\n\n"
    parts = b"--x\n\nThe deed.\n--x\nContent-Type: application/pgp-signature\n\nabc\n--x--\n"
    document = read(head + parts)
    assert document.text == "From: a@b.c\nFrom: d@e.f\n\nThe deed."
    assert [caution.code for caution in document.cautions] == ["repeated-header", "signature-unchecked"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nThe deed is", "a part has no end"),
        (b"Content-Type: multipart/mixed; boundary=x\n\nThe deed is", "parts are announced"),
        (b"Content-Transfer-Encoding: base64\n\nVGhlIGRlZWQgaXM", "a part ends too early"),
        (b"Content-Transfer-Encoding: base64\n\nVGhl!!IGRl\xffZWQgaXM=", "not base64"),
        (b"Content-Transfer-Encoding: x-mystery\n\nThe deed", "x-mystery"),
        (
            b"Content-Type: multipart/alternative; boundary=x\n\n" + b"Say so. " * 50 + b"\n--x\n\nThe deed\n--x--",
            "outside",
        ),
    ],
)
def test_what_is_cut_off_damaged_or_outside_is_told(data: bytes, told: str) -> None:
    document = read(b"From: a@b.c\n" + data)
    assert "Say so" not in document.text
    assert any(told in caution.message for caution in document.cautions), document.cautions


def test_a_mailbox_is_its_mails() -> None:
    box = b"".join(
        b"From ada@example.org Mon Mar  2 10:00:00 2026\nFrom: a@b.c\nSubject: Deed %d\n\n"
        b"Rent is %d.\n>From here on.\n\n" % (n, n * 100)
        for n in (1, 2)
    )
    document = read(box, "a.mbox")
    assert document.kind == "mbox" and "\nFrom here on." in document.text
    assert place(document, "200") == "message 2, body, line 1"
    assert [heading.text for heading in document.headings] == ["Deed 1", "Deed 2"]


def nest(depth: int) -> bytes:
    head = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(depth))
    return b"From: a@b.c\n" + head + b"\nThe deed.\n"


@pytest.mark.parametrize(
    "data",
    [
        nest(60),
        b"From: a@b.c\n" + b"Content-Type: message/rfc822\n\n" * 2_000 + b"hi",
    ],
    ids=["60", "messages"],
)
def test_a_mail_nested_without_end_is_refused_in_words(data: bytes) -> None:
    with pytest.raises(DocumentError) as caught:
        read(data)
    assert caught.value.code == "too-big" and "levels deep" in caught.value.message


def test_a_file_in_the_text_itself_is_an_attachment() -> None:
    deed = "".join(binascii.b2a_uu(DEED[at : at + 45]).decode() for at in range(0, len(DEED), 45))
    message = mail()
    message.set_content(f"See below.\n\nbegin 644 ../deed.txt\n{deed}`\nend\n\nbegin 644 cut.txt\n{deed}\nBye.\n")
    document = read(message)
    assert document.text.endswith(f"See below.\n\n\nbegin 644 cut.txt\n{deed}\nBye.")  # what has no end is text
    assert messages(document, "attachments") == [
        f"attachments, which are no part of this text: deed.txt (application/octet-stream, {len(DEED)} bytes)"
    ]
    (entry,) = list_files(message.as_bytes(), "a.eml", DEFAULT_LIMITS)
    assert (entry.name, entry.data) == ("deed.txt", DEED)


def test_a_part_that_says_it_has_parts_and_has_none_is_text() -> None:
    document = read(b"From: a@b.c\nContent-Type: multipart/mixed\n\nThe deed.\n")
    assert document.text == "From: a@b.c\n\nThe deed."
    assert any("what parts its parts" in message for message in messages(document, "incomplete"))


def test_a_flood_of_headers_and_of_parts_is_read_or_refused_in_words() -> None:
    flood = b"From: a@b.c\n" + b"X: y\n" * 20_000 + b"To: " + b"<a@b.c>, " * 20_000 + b"\n\nThe deed."
    document = read(flood)
    assert document.text.endswith("The deed.") and len(document.text) < 30_000
    parts = b"--x\nContent-Disposition: attachment\n\nx\n" * 1_001
    many = b"From: a@b.c\nContent-Type: multipart/mixed; boundary=x\n\n" + parts + b"--x--"
    assert len(messages(read(many), "attachments")[0]) <= 1_000
    with pytest.raises(DocumentError, match="more than 1,000 attachments"):
        list_files(many, "a.eml", DEFAULT_LIMITS)
