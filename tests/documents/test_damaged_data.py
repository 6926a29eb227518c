"""Mails, saved pages, notebooks, tables and JSON that are damaged: refused in words, or read with a word about it."""

import io
import json
import random
import re
from email.message import EmailMessage

import pytest
from outlook_files import (
    ADDRESS,
    CONTENT,
    FILE_NAME,
    METHOD,
    NAME,
    ROLE,
    RTF,
    SUBJECT,
    TEXT,
    mail_tree,
    outlook_mail,
    packed_rtf,
    tnef_mail,
)

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.process.worker import run_request

_NOT_WORDS = re.compile(r"Error|Exception|Traceback|codec|NoneType|object at|0x|surrogate|recursion", re.IGNORECASE)


def mail() -> bytes:
    inner = EmailMessage()
    inner["From"], inner["Subject"] = "Bob <bob@example.org>", "The first offer"
    inner.set_content("We offer 400 €.\n", cte="base64")
    message = EmailMessage()
    message["From"], message["To"] = "Ada Löve <ada@example.org>", "bob@example.org"
    message["Date"], message["Subject"] = (
        "Mon, 02 Mar 2026 10:00:00 +0100",
        "Kündigung zum Ende des Monats – bitte lesen",
    )
    message.set_content("The fee is 50 €.\n" * 4, cte="quoted-printable")
    message.add_alternative("<h1>Fee</h1><table><tr><th>Item<th>2024<tr><td>Fee<td>50</table>", subtype="html")
    message.add_attachment(inner)
    message.add_attachment(b"%PDF-1" * 20, maintype="application", subtype="pdf", filename="Vertrag.pdf")
    return message.as_bytes()


def saved_page() -> bytes:
    head = b"From: <Saved by Blink>\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n"
    page = b"--x\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    page += b"<title>Deed</title><link rel=3Dstylesheet href=3Dcid:k><p>Rent is 1=C2=A0577.</p><p class=3Dk>No.</p>\n"
    return head + page + b"--x\nContent-Type: text/css\nContent-ID: <k>\n\n.k{display:none}\n--x--\n"


def notebook() -> bytes:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["a\r10%\n", "b\x1b[31mc\n"]},
        {"output_type": "display_data", "data": {"text/html": ["<table><tr><th>Fee<tr><td>5</table>"]}},
        {"output_type": "error", "ename": "E", "evalue": "x", "traceback": ["\x1b[31mwhat\x1b[0m"]},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Rents\n", "Café\n"], "attachments": {"a.png": {}}},
        {"cell_type": "code", "source": "f()", "outputs": outputs},
    ]
    return json.dumps({"cells": cells, "nbformat": 4}).encode()


def table() -> bytes:
    return 'Item,2023,2024\n"Rent, all",400,"1,577"\n"two\nlines",,12 €\nTax,7,8\nFees,1,2\n'.encode()


def objects() -> bytes:
    value = {"items": [{"name": "Café \n", "fee": [1, -2.5e3, None]}, {"": True}] * 4}
    return json.dumps(value).encode()


def sent() -> bytes:
    values = {SUBJECT: "Kündigung", TEXT: "The fee is 50 €.", RTF: packed_rtf(b"{\\rtf1 Fee \\par 5}")}
    files = [{FILE_NAME: "deed.txt", CONTENT: b"The deed. "}, ({METHOD: 5}, tnef_mail({TEXT: "We offer 400 €."}))]
    return tnef_mail(values, [{NAME: "Bob", ADDRESS: "bob@x.y", ROLE: 1}], files)


def outlook() -> bytes:
    inner = mail_tree({SUBJECT: "The first offer", TEXT: "We offer 400 €."}, inner=True)
    values = {SUBJECT: "Kündigung zum Ende", TEXT: "The fee is 50 €. " * 300, RTF: packed_rtf(b"{\\rtf1 Fee \\par 5}")}
    files = [{FILE_NAME: "deed.txt", CONTENT: b"The deed. " * 30}, ({METHOD: 5}, inner)]
    return outlook_mail(values, recipients=[{NAME: "Bob", ADDRESS: "bob@x.y", ROLE: 1}], attachments=files)


SAMPLES = {
    "eml": mail(),
    "msg": outlook(),
    "msg, sent": sent(),
    "mbox": b"From a@b.c Mon Mar  2 10:00:00 2026\n" + mail() + b"\nFrom a@b.c Mon Mar  2 10:00:00 2026\n" + mail(),
    "mhtml": saved_page(),
    "ipynb": notebook(),
    "csv": table(),
    "json": objects(),
}

CUT = sorted(SAMPLES.keys() - {"mbox", "msg, sent"})
"""Of a mailbox nobody can tell whether mails are missing at its end, nor attachments of a mail that Exchange sends."""


def read(kind: str, data: bytes) -> ParsedDocument | None:
    """What the parser process gives, as it is checked on the other side; None if it refuses the file in words."""
    kind = kind.partition(",")[0]
    request = {"op": kind, "name": f"a.{kind}", "encoding": None}
    try:
        answer = run_request(request, data, DEFAULT_LIMITS, io.BytesIO())
    except DocumentError as error:
        assert error.code != "crashed" and not _NOT_WORDS.search(error.message + error.hint), error.message
        return None
    parsed = ParsedDocument.from_json(answer, DEFAULT_LIMITS)
    assert not any(_NOT_WORDS.search(caution.message) for caution in parsed.cautions if caution.code == "incomplete")
    return parsed


def damaged(kind: str, chance: random.Random) -> bytes:
    """The sample with bits turned, pieces lost, doubled or put elsewhere, or other bytes in it; or cut off."""
    data = bytearray(SAMPLES[kind])
    for _ in range(chance.choice((1, 1, 3, 20))):
        at, length = chance.randrange(len(data) or 1), chance.choice((1, 4, 60))
        piece = data[at : at + length]
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes(byte ^ 1 << chance.randrange(8) for byte in data[at : at + 1])
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = piece * chance.choice((1, 50))
            case 3:
                data[at : at + length] = bytes(chance.randrange(256) for _ in piece)
            case 4:
                data[at:at] = chance.choice(
                    (b"\0", b"\n\n", b'"', b"=?utf-8?b?", b"--x", b"\xff\xfe", b"{[", b"\\ud800")
                )
            case _:
                del data[at:]
    return bytes(data) or b"?"


def damage_many(kind: str, count: int, seed: int) -> None:
    chance = random.Random(seed)
    outcomes = [read(kind, damaged(kind, chance)) is not None for _ in range(count)]
    assert any(outcomes)


@pytest.mark.parametrize("kind", SAMPLES)
def test_damage_is_refused_in_words_or_read(kind: str) -> None:
    damage_many(kind, 12, 7)


@pytest.mark.full
@pytest.mark.parametrize("kind", SAMPLES)
def test_much_damage_is_refused_in_words_or_read(kind: str) -> None:
    damage_many(kind, 1_000, 8)


def check_cuts(kind: str, step: int) -> None:
    """Cut the sample at many places: what is lost is told, or the file is refused, or nothing is lost."""
    whole, data = read(kind, SAMPLES[kind]), SAMPLES[kind].rstrip()
    assert whole is not None and not any(caution.code == "incomplete" for caution in whole.cautions)
    for end in range(1, len(data), step):
        parsed = read(kind, data[:end])
        if parsed is None or {caution.code for caution in parsed.cautions} & {"incomplete", "encoding-guessed"}:
            continue
        text = parsed.text
        assert text == (data[:end].decode(errors="replace") if kind == "csv" else whole.text), end


@pytest.mark.parametrize("kind", CUT)
def test_what_is_cut_off_is_told(kind: str) -> None:
    check_cuts(kind, len(SAMPLES[kind]) // 12)


@pytest.mark.full
@pytest.mark.parametrize("kind", CUT)
def test_what_is_cut_off_anywhere_is_told(kind: str) -> None:
    check_cuts(kind, 1)
