"""The files that the tests make, and for some formats one with lists, notes, spans, changes and hidden words."""

import io
import re
import zipfile
from email.message import EmailMessage
from itertools import count
from pathlib import Path

import word
from hidden_pdfs import INNOCENT, SCANS, TRICKS
from hostile_files import CARRIERS
from office_files import cell, open_document, pack, row, sheet, words, xlsx
from test_damaged_files import WHOLE
from test_formats import FACT, HTML_TABLE, SAMPLES, SECRET, TABLE, open_table

_ODD = "An odd remark of 1,234 words."
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DELETED = "<w:del w:id='3'><w:r><w:delText>Gone.</w:delText></w:r></w:del>"
_TABLE = "<a:graphic><a:graphicData{}><a:tbl>"
_ROOM = {
    "<p:spPr></p:spPr>": "<p:spPr><a:xfrm><a:off x='0' y='{}000000'/><a:ext cx='8000000' cy='9000'/></a:xfrm></p:spPr>",
    _TABLE.format(""): "<p:xfrm><a:off x='0' y='{}000000'/><a:ext cx='4000000' cy='900000'/></p:xfrm>"
    + _TABLE.format(" uri='http://schemas.openxmlformats.org/drawingml/2006/table'"),
    "<a:tblPr firstRow='1'/>": "<a:tblPr/><a:tblGrid><a:gridCol w='2000000'/><a:gridCol w='2000000'/></a:tblGrid>",
    "cx='1000' cy='500'": "cx='9144000' cy='9144000'",
    "<draw:frame": "<draw:frame svg:x='0cm' svg:y='{}cm' svg:width='20cm' svg:height='1cm'",
}
"""What slides must say before another program draws all that is on them, each piece below the one before."""


def write_files(folder: Path) -> list[Path]:
    """All of them, written into a folder."""
    files = {f"sample.{ending}": make() for ending, make in SAMPLES.items()}
    files |= {f"whole.{ending}": make() for ending, make in WHOLE.items()}
    files |= {f"{place}{ending}": make(_ODD, place) for ending, (make, places) in CARRIERS.items() for place in places}
    files |= {f"{name}.pdf": made.pdf for name, (made, _) in TRICKS.items()}
    files |= {f"{name}.pdf": made.pdf for name, made in (INNOCENT | SCANS).items()}
    files |= {"rich.docx": _word(), "rich.odt": _open_text(), "rich.xlsx": _workbook(), "rich.rtf": _rich_text()}
    files |= {"rich.html": _page().encode(), "rich.eml": _mail(), "rich.mbox": b"From a@example.org Mon\n" + _mail()}
    files["changed.docx"] = word.docx(f"<w:p>{word.run('Kept.')}{_DELETED}</w:p>")
    files["report.pdf"] = (Path(__file__).parents[2] / "samples" / "report.pdf").read_bytes()
    for name, data in files.items():
        (folder / name).write_bytes(_give_room(data) if name.endswith((".pptx", ".odp")) else data)
    return [folder / name for name in files]


def _give_room(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    lower, short = count(), re.compile("|".join(map(re.escape, _ROOM)))
    return pack({name: short.sub(lambda it: _ROOM[it[0]].format(next(lower)), part) for name, part in parts.items()})


def _word() -> bytes:
    level = "<w:lvl w:ilvl='{}'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='{}'/></w:lvl>"
    numbers = f"<w:abstractNum w:abstractNumId='0'>{level.format(0, '%1.')}{level.format(1, '%1.%2')}</w:abstractNum>"
    listed = "<w:p><w:pPr><w:numPr><w:ilvl w:val='{}'/><w:numId w:val='1'/></w:numPr></w:pPr>{}</w:p>"
    hidden = word.run(SECRET, "<w:vanish/>") + "<w:r><w:footnoteReference w:id='2'/></w:r>"
    spanned = f"<w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{word.paragraph('Both years')}</w:tc></w:tr>"
    raised = word.run("6", "<w:vertAlign w:val='superscript'/>") + "<w:r><w:commentReference w:id='7'/></w:r>"
    body = listed.format(0, word.run("Term")) + listed.format(1, word.run(FACT) + hidden)
    body += word.table(*TABLE).replace("</w:tbl>", f"{spanned}</w:tbl>") + f"<w:p>{word.run('10')}{raised}</w:p>"
    body += f"<w:sectPr><w:headerReference xmlns:r='{_OFFICE}' w:type='default' r:id='header'/></w:sectPr>"
    parts = {
        "footnotes": word.part(
            "footnotes", f"<w:footnote w:id='2'>{word.paragraph('As agreed in 2018.')}</w:footnote>"
        ),
        "comments": word.part("comments", f"<w:comment w:id='7' w:author='Ann'>{word.paragraph('Why?')}</w:comment>"),
        "header": word.part("hdr", word.paragraph("Draft 3")),
        "numbering": word.part("numbering", f"{numbers}<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"),
    }
    return word.docx(body, {name: f"{name} {name}.xml" for name in parts}, **parts)


def _open_text() -> bytes:
    style = "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1'/>"
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>As agreed.</text:p>"
    items = "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in ("First", "Second"))
    body = (
        f"<text:p>{FACT}{note}</text:note-body></text:note></text:p><text:list text:style-name='L'>{items}</text:list>"
    )
    return open_document("odt", body + open_table(), styles=f"{style}</text:list-style>")


def _workbook() -> bytes:
    rows = row(1, cell("A1", "39500", style=1), cell("B1", "0.25", style=2), cell("C1", "1234.5678", style=3))
    rows += row(2, words("A2", "Folded away"), cell("B2", "45000", style=4), settings="hidden='1'")
    rows += row(3, words("A3", "Merged"), words("B3", "covered")) + row(4, cell("A4", "79000", formula="A1*2"))
    shown = sheet(rows, behind="<mergeCells><mergeCell ref='A3:B3'/></mergeCells>")
    aside = sheet(row(1, words("A1", SECRET)))
    return xlsx({"Fees": shown, "Aside": aside}, hidden=("Aside",), formats=("#,##0", "0%", "0.0", "yyyy-mm-dd"))


def _rich_text() -> bytes:
    cells = r"\trowd\cellx2000\cellx4000\intbl 2019\cell 48,000\cell\row\pard "
    listed = r"{\listtext 1.\tab}First{\v, unseen}\par{\listtext 2.\tab}Second, 10{\super 6}\par"
    return rf"{{\rtf1\ansi {FACT}{{\footnote As agreed.}}\par {listed} {cells} End.\par}}".encode()


def _page() -> str:
    spans = "<tr><th rowspan=2>Item<th colspan=2>Year<tr><td>2019<td>2020<tr><td>Rent<td>48,000<td>51,500"
    rest = f"<p>Rose to 10<sup>6</sup><s>, at most</s>.<img alt='A map'><p style='display:none'>{SECRET}</p>"
    listed = f"<ol><li>First<li>Second</ol>{HTML_TABLE}<table>{spans}</table>{rest}"
    return f"<!doctype html><title>Fees</title><h1>Fees</h1><p>{FACT}</p>{listed}"


def _mail() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Ann <a@example.org>", "b@example.org", "Fees of 2019"
    message.set_content(f"{FACT}\n")
    message.add_alternative(_page(), subtype="html")
    message.add_attachment("Not here.", filename="other.txt")
    return bytes(message) + b"\n"
