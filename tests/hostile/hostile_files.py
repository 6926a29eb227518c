"""Files in which an attacker's words stand in a place of his choice: running text, cells, names, notes, what is hidden.

Each holds true words of its own, too, so that there is something to quote.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from html import escape
from pathlib import Path
from xml.sax.saxutils import escape as xml

import word
from hidden_pdfs import raw_pdf, stream

OWN = "The storage fee was 39,500 in 2019."
"""What the attacker's document truly says."""

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of these files; a name may be anything."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return buffer.getvalue()


def _relations(targets: Mapping[str, tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{listed}</Relationships>'


def _types(main: str, kind: str) -> str:
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/>'
        "</Types>"
    )


def workbook(payload: str, place: str) -> bytes:
    """A workbook of two sheets, the second hidden where the payload is to be."""
    name = xml(payload[:31].replace("/", "_"), {'"': "&quot;"}) if place == "sheet name" else "Fees"
    hidden = place == "hidden sheet"

    def sheet(*cells: str) -> str:
        rows = "".join(
            f'<row r="{number}"><c r="A{number}" t="inlineStr"><is><t>{xml(cell)}</t></is></c></row>'
            for number, cell in enumerate(cells, 1)
        )
        return f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData></worksheet>'

    first = sheet(OWN, payload) if place in ("cell", "sheet name") else sheet(OWN)
    state = ' state="hidden"' if hidden else ""
    return archive(
        {
            "[Content_Types].xml": _types("xl/workbook.xml", "spreadsheetml.sheet"),
            "_rels/.rels": _relations({"r1": ("officeDocument", "xl/workbook.xml")}),
            "xl/workbook.xml": (
                f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets><sheet name="{name}" sheetId="1" r:id="r1"/>'
                f'<sheet name="Aside" sheetId="2" r:id="r2"{state}/></sheets></workbook>'
            ),
            "xl/_rels/workbook.xml.rels": _relations(
                {"r1": ("worksheet", "worksheets/sheet1.xml"), "r2": ("worksheet", "worksheets/sheet2.xml")}
            ),
            "xl/worksheets/sheet1.xml": first,
            "xl/worksheets/sheet2.xml": sheet(payload if hidden else "Nothing more."),
        }
    )


def slides(payload: str, place: str) -> bytes:
    """A presentation of one slide with its notes."""

    def shape(text: str, kind: str = "") -> str:
        holder = f'<p:ph type="{kind}"/>' if kind else ""
        return (
            f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr/>'
            f"<p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>{xml(text)}</a:t></a:r>"
            "</a:p></p:txBody></p:sp>"
        )

    def page(root: str, *shapes: str) -> str:
        spaces = f'xmlns:p="{_SLIDE}" xmlns:a="{_DRAWING}" xmlns:r="{_OFFICE}"'
        return f"<p:{root} {spaces}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:{root}>"

    shown = [shape(payload if place == "title" else "Fees", kind="title")]
    shown += [shape(OWN), shape(payload if place == "text" else "No more.")]
    notes = shape(payload if place == "notes" else "Say it slowly.", kind="body")
    return archive(
        {
            "[Content_Types].xml": _types("ppt/presentation.xml", "presentationml.presentation"),
            "_rels/.rels": _relations({"r1": ("officeDocument", "ppt/presentation.xml")}),
            "ppt/presentation.xml": (
                f'<p:presentation xmlns:p="{_SLIDE}" xmlns:r="{_OFFICE}"><p:sldIdLst><p:sldId id="256" r:id="r1"/>'
                "</p:sldIdLst></p:presentation>"
            ),
            "ppt/_rels/presentation.xml.rels": _relations({"r1": ("slide", "slides/slide1.xml")}),
            "ppt/slides/slide1.xml": page("sld", *shown),
            "ppt/slides/_rels/slide1.xml.rels": _relations({"r1": ("notesSlide", "../notesSlides/n1.xml")}),
            "ppt/notesSlides/n1.xml": page("notes", notes),
        }
    )


def open_text(payload: str, place: str) -> bytes:
    """An OpenDocument text."""
    head = f'<text:h text:outline-level="1">{xml(payload)}</text:h>' if place == "heading" else ""
    body = f"<text:p>{xml(payload)}</text:p>" if place == "text" else ""
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": (
                f'<office:document-content xmlns:office="{urn}:office:1.0" xmlns:text="{urn}:text:1.0" '
                f'office:version="1.2"><office:body><office:text>{head}<text:p>{OWN}</text:p>{body}'
                "</office:text></office:body></office:document-content>"
            ),
        }
    )


def word_text(payload: str, place: str) -> bytes:
    """A Word document: text, heading, cell, or hidden text."""
    shown = xml(payload)
    inner = {
        "text": word.paragraph(shown),
        "heading": word.paragraph(shown, "Heading1"),
        "cell": f"<w:tbl><w:tr><w:tc>{word.paragraph(shown)}</w:tc><w:tc>{word.paragraph('5')}</w:tc></w:tr></w:tbl>",
        "hidden text": f"<w:p>{word.run(shown, '<w:vanish/>')}</w:p>",
    }[place]
    return word.docx(word.paragraph(OWN) + inner)


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
    """A PDF of one page, with the payload in black or in white, or as the label of the page."""
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
    ".csv": (table, ("header", "cell")),
    ".json": (data, ("key", "value")),
    ".xlsx": (workbook, ("cell", "sheet name", "hidden sheet")),
    ".pptx": (slides, ("text", "title", "notes")),
    ".odt": (open_text, ("text", "heading")),
    ".rtf": (rich_text, ("text", "hidden text")),
    ".pdf": (printed, ("text", "label", "hidden text")),
}
"""How a file of each format is written, and the places in it that an attacker may choose."""

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
    path.write_bytes(archive({f"../{payload[:300]}{ending}": OWN}))
    return path


def _clean(payload: str, ending: str) -> str:
    """The payload without what no XML may hold."""
    if ending not in (".docx", ".xlsx", ".pptx", ".odt"):
        return payload
    return "".join(c for c in payload if c in "\t\n" or (c >= " " and not 0xD800 <= ord(c) < 0xE000))
