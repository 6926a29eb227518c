"""Files in which an attacker's words stand in a place of his choice: running text, cells, names, notes, what is hidden.

Each holds true words of its own, too, so that there is something to quote.
"""

import io
import json
import re
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from html import escape
from pathlib import Path

import outlook_files as outlook
from fake_tesseract import LETTER, Shown, as_tsv
from hidden_pdfs import raw_pdf, stream
from hostile_office import OWN, book, open_sheets, open_slides, open_text, slides, word_text, workbook
from office_files import pack
from PIL import Image, ImageDraw, ImageFont

PICTURE_WIDTH, _LETTER, _ROW = 1240, 28, 44
"""Pixels of a picture: its width, and those of its letters and rows."""


def web_page(payload: str, place: str) -> bytes:
    """A web page; what is no text of it is there as well."""
    shown = escape(payload)
    inner = {
        "text": f"<p>{shown}</p>",
        "heading": f"<h2>{shown}</h2>",
        "cell": f"<table><tr><th>Year</th><th>{shown}</th></tr><tr><td>2019</td><td>5</td></tr></table>",
        "alt text": f'<img alt="{shown}" src="http://evil.example/x.png">',
        "comment": f"<!-- {shown} -->",
        "hidden text": f'<p style="display:none">{shown}</p>',
    }[place]
    return f"<html><head><title>Fees</title></head><body><p>{OWN}</p>{inner}</body></html>".encode()


def mail(payload: str, place: str) -> bytes:
    """A mail with an attachment."""
    line = " ".join(payload.split())
    message = EmailMessage()
    message["Subject"] = line if place == "header" else "Fees"
    message["From"] = "a@example.com"
    message.set_content(f"{OWN}\n{payload if place == 'text' else ''}\n")
    name = f"{line[:60].replace('/', '_')}.txt" if place == "attachment name" else "side.txt"
    message.add_attachment(b"The annex says little.", maintype="text", subtype="plain", filename=name)
    return bytes(message)


def saved_page(payload: str, place: str) -> bytes:
    """A web page as a browser saves it in one file; in a frame of its own, too."""
    page = web_page(payload if place != "frame" else "No more.", place if place != "frame" else "text").decode()
    message = EmailMessage()
    message["From"], message["Subject"] = "<Saved by Blink>", "Fees"
    message.set_content(page + '<iframe src="cid:f@x"></iframe>', subtype="html", cte="base64")
    message.add_related(escape(payload) if place == "frame" else "Nothing.", subtype="html", cid="<f@x>", cte="base64")
    return bytes(message)


def stored_mail(payload: str, place: str) -> bytes:
    """A mail of Outlook."""
    text = f"{OWN}\n{payload if place == 'text' else ''}\n"
    values = {outlook.SUBJECT: payload if place == "header" else "Fees", outlook.TEXT: text}
    name = payload[:200] if place == "attachment name" else "deed.txt"
    return outlook.outlook_mail(
        _apart(values), attachments=[_apart({outlook.FILE_NAME: name, outlook.CONTENT: b"The deed."})]
    )


def _apart(values: Mapping[int, str | bytes]) -> dict[int, str | bytes]:
    """The same without halves of characters, which no such text can hold."""
    return {
        key: value.encode("utf-8", "ignore").decode() if isinstance(value, str) else value
        for key, value in values.items()
    }


def notebook(payload: str, place: str) -> bytes:
    """A notebook: what was written, and what its code has put out."""
    shown = {"text": "No more.", "heading": "Fees", "output": "5\n", place: payload}
    output = {"output_type": "stream", "name": "stdout", "text": shown["output"]}
    cells = [
        {"cell_type": "markdown", "source": f"# {shown['heading']}\n\n{shown['text']}\n\n{OWN}"},
        {"cell_type": "code", "source": "print(5)", "outputs": [output], "execution_count": 1},
    ]
    written = {
        "cells": [{"metadata": {}, **cell} for cell in cells],
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
    }
    return json.dumps(written).encode()


def table(payload: str, place: str) -> bytes:
    """A CSV file with the payload as the name of a column, or in a cell."""
    quoted = '"' + payload.replace('"', '""') + '"'
    head, cell = (quoted, "39,500") if place == "header" else ("Fee", quoted)
    return f'Year,{head},Note\n2019,"{cell.strip(chr(34))}","{OWN}"\n2020,5,none\n'.encode("utf-8", "surrogatepass")


def data(payload: str, place: str) -> bytes:
    """A JSON file with the payload as a key or a value."""
    fields = {payload: OWN} if place == "key" else {"fee": OWN, "note": payload}
    return json.dumps({"fees": [fields]}, ensure_ascii=False, indent=1).encode()


def rich_text(payload: str, place: str) -> bytes:
    """An RTF document, with the payload shown or hidden."""
    signs = "".join(c if c.isascii() and c not in "\\{}\n\r" else f"\\u{_signed(c)}?" for c in payload)
    inner = f"{{\\v {signs}}}" if place == "hidden text" else signs
    return f"{{\\rtf1\\ansi\\uc1 {OWN}\\par {inner}\\par}}".encode("ascii")


def _signed(char: str) -> int:
    code = ord(char) if ord(char) < 0x10000 else 0xFFFD
    return code - 0x10000 if code > 0x7FFF else code


def printed(payload: str, place: str) -> bytes:
    """A PDF of one page, with the payload in black or in white, or as the label of the page; or its picture."""
    if place == "scan":
        return picture(payload, place, "PDF")
    lines = [payload.encode("latin-1", "replace")[at : at + 80] for at in range(0, min(len(payload), 800), 80)]

    def draw(line: bytes, height: int) -> bytes:
        clean = line.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)").replace(b"\n", b" ")
        return b"BT /F1 9 Tf 40 %d Td (%s) Tj ET\n" % (height, clean)

    colour = b"1 1 1 rg\n" if place == "hidden text" else b""
    shown = b"".join(draw(line, 680 - 14 * number) for number, line in enumerate(lines)) if place != "label" else b""
    label = f"<< /Nums [0 << /P <feff{payload[:200].encode('utf-16-be', 'surrogatepass').hex()}> >>] >>"
    labels = f"/PageLabels {label}".encode() if place == "label" else b""
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R %s >>" % labels,
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
            b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
            stream(draw(OWN.encode(), 720) + colour + shown),
        ]
    )


def picture(payload: str, place: str, form: str = "PNG") -> bytes:
    """A picture of a page; see `read_off` for what a program reads there."""
    assert place in PICTURES
    lines, font = _picture_lines(payload), ImageFont.load_default(_LETTER)
    page = Image.new("L", (PICTURE_WIDTH, _ROW * (len(lines) + 2)), 255)
    for number, line in enumerate(lines):
        ImageDraw.Draw(page).text((60, 20 + _ROW * number), line, font=font, fill=0)
    buffer = io.BytesIO()
    page.save(buffer, form, **{"resolution": 200} if form == "PDF" else {"dpi": (200, 200)})
    return buffer.getvalue()


def read_off(payload: str) -> str:
    """What tesseract prints of that picture, if it mistakes nothing."""
    return as_tsv(
        *(
            [Shown(part[0], 60 + LETTER * part.start(), 48 + _ROW * number) for part in re.finditer(r"\S+", line)]
            for number, line in enumerate(_picture_lines(payload))
        )
    )


def _picture_lines(payload: str) -> list[str]:
    clean = "".join(char if char.isprintable() or char == "\n" else " " for char in payload)
    return [OWN, *(line[at : at + 70] for line in clean.split("\n") for at in range(0, min(len(line), 700), 70))]


def plain(payload: str, place: str) -> bytes:
    """A text or Markdown file."""
    inner = {
        "text": payload,
        "heading": f"# {payload}",
        "cell": f"| Year | Fee |\n|---|---|\n| 2019 | {payload} |",
        "comment": f"<!-- {payload} -->",
    }[place]
    return f"{OWN}\n\n{inner}\n".encode("utf-8", "surrogatepass")


Build = Callable[[str, str], bytes]

CARRIERS: dict[str, tuple[Build, tuple[str, ...]]] = {
    ".txt": (plain, ("text", "heading")),
    ".md": (plain, ("text", "heading", "cell", "comment")),
    ".html": (web_page, ("text", "heading", "cell", "alt text", "comment", "hidden text")),
    ".docx": (word_text, ("text", "heading", "cell", "hidden text")),
    ".eml": (mail, ("text", "header", "attachment name")),
    ".msg": (stored_mail, ("text", "header", "attachment name")),
    ".csv": (table, ("header", "cell")),
    ".json": (data, ("key", "value")),
    ".xlsx": (workbook, ("cell", "sheet name", "hidden sheet")),
    ".pptx": (slides, ("text", "title", "notes")),
    ".odt": (open_text, ("text", "heading", "comment")),
    ".ods": (open_sheets, ("cell", "sheet name", "hidden sheet")),
    ".odp": (open_slides, ("text", "title", "notes")),
    ".epub": (book, ("text", "heading", "contents")),
    ".ipynb": (notebook, ("text", "heading", "output")),
    ".mhtml": (saved_page, ("text", "alt text", "hidden text", "frame")),
    ".rtf": (rich_text, ("text", "hidden text")),
    ".pdf": (printed, ("text", "label", "hidden text", "scan")),
    ".png": (picture, ("picture",)),
}
"""How a file of each format is written, and the places in it that an attacker may choose."""

PICTURES = ("scan", "picture")
"""Places that only OCR reads."""

NAMES = ("file name", "name in an archive")
"""Places that are in no file."""

PLACES: tuple[tuple[str, str], ...] = (
    *((ending, place) for ending, (_, places) in CARRIERS.items() for place in places),
    *((".txt", place) for place in NAMES),
)


def write_attack(folder: Path, ending: str, place: str, payload: str) -> Path:
    """The attacker's file, in a folder; what cannot stand in a name is left out of it."""
    if place not in NAMES:
        build, _ = CARRIERS[ending]
        path = folder / f"fees{ending}"
        path.write_bytes(build(_clean(payload, ending), place))
        return path
    if place == "file name":
        name = payload.replace("/", "_").replace("\0", "").encode("utf-8", "surrogateescape")[:200]
        path = folder / (name.decode("utf-8", "ignore") + ending)
        path.write_text(OWN)
        return path
    path = folder / "all.zip"
    path.write_bytes(pack({f"../{payload[:300]}{ending}": OWN}))
    return path


def _clean(payload: str, ending: str) -> str:
    """The payload without what no XML may hold."""
    if ending not in (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub"):
        return payload
    return "".join(c for c in payload if c in "\t\n" or (c >= " " and not 0xD800 <= ord(c) < 0xE000))
