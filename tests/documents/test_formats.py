"""The table of `docs/formats.md` is what the readers do with a sample of each format, and with those of other programs.

The samples say the same: a heading, a sentence, a table of two columns, and words that are hidden as the format hides.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import outlook_files
import pytest
import word
from binary_workbooks import xls, xlsb
from fake_tesseract import FakeTesseract
from hidden_pdfs import raw_pdf, stream
from hostile_files import PICTURE_WIDTH, picture, read_off
from office_files import epub, open_document, pptx, row, shape, sheet, slide, words, xlsx
from outlook_files import outlook_mail
from tables import names_at

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.quotes.visibility import VisibilityChecker

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
FORMATS = {row[0]: row[1:] for row in re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \| (.+) \|$", PAGE, re.M)}
"""By the ending of the files: place of a quote, whether columns are known, what becomes of hidden words, the rest."""

FACT, SECRET = "The storage fee was 39,500 in 2019.", "The annex waives it all."
TABLE = (("Year", "Rent"), ("2019", "48,000"), ("2020", "51,500"))
HTML_TABLE = "<table>{}</table>".format(
    "".join("<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in cells) + "</tr>"
            for tag, cells in zip(("th", "td", "td"), TABLE, strict=True))
)  # fmt: skip
WEB = f"<h1>Fees</h1><p>{FACT}</p>{HTML_TABLE}<p style='display:none'>{SECRET}</p>"
MARKDOWN = f"# Fees\n\n{FACT}\n\n| Year | Rent |\n|---|---|\n| 2019 | 48,000 |\n| 2020 | 51,500 |\n"


def open_table(name: str = "T", *, header: bool = False) -> str:
    rows = [
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in cells)
        + "</table:table-row>"
        for cells in TABLE
    ]
    first = f"<table:table-header-rows>{rows[0]}</table:table-header-rows>" if header else rows[0]
    return f"<table:table table:name='{name}'>{first}{''.join(rows[1:])}</table:table>"


def hidden_style(family: str, properties: str) -> str:
    return f"<style:style style:name='h' style:family='{family}'>{properties}</style:style>"


def make_docx() -> bytes:
    secret = f"<w:p>{word.run(SECRET, '<w:vanish/>')}</w:p>"
    body = word.paragraph("Fees", "Heading1") + word.paragraph(FACT) + word.table(*TABLE, header=True) + secret
    heading = "<w:style w:type='paragraph' w:styleId='Heading1'><w:name w:val='heading 1'/></w:style>"
    return word.docx(body, {"s": "styles styles.xml"}, styles=word.part("styles", heading))


def make_odt() -> bytes:
    heading = "<text:h text:outline-level='1'>Fees</text:h>"
    secret = f"<text:p>Seen.<text:span text:style-name='h'>{SECRET}</text:span></text:p>"
    style = hidden_style("text", "<style:text-properties text:display='none'/>")
    return open_document("odt", f"{heading}<text:p>{FACT}</text:p>{open_table(header=True)}{secret}", styles=style)


def make_ods() -> bytes:
    own = f"<table:table-row><table:table-cell><text:p>{FACT}</text:p></table:table-cell></table:table-row>"
    fees = open_table("Fees").replace("</table:table>", f"{own}</table:table>")
    aside = f"<table:table table:name='Aside' table:style-name='h'>{own.replace(FACT, SECRET)}</table:table>"
    style = hidden_style("table", "<style:table-properties table:display='false'/>")
    return open_document("ods", fees + aside, styles=style)


def make_xlsx() -> bytes:
    rows = [row(at, words(f"A{at}", a), words(f"B{at}", b)) for at, (a, b) in enumerate(TABLE, 1)]
    fees = sheet("".join(rows) + row(4, words("A4", FACT)))
    return xlsx({"Fees": fees, "Aside": sheet(row(1, words("A1", SECRET)))}, hidden=("Aside",))


def make_binary(write: Callable[..., bytes]) -> bytes:
    fees = {f"{'AB'[column]}{row}": text for row, line in enumerate(TABLE, 1) for column, text in enumerate(line)}
    return write({"Fees": {**fees, "A4": FACT}, "Aside": {"A1": SECRET}}, hidden_sheets=("Aside",))


def make_pptx() -> bytes:
    held = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    cells = "".join(f"<a:tr>{''.join(map(held.format, line))}</a:tr>" for line in TABLE)
    table = f"<a:graphic><a:graphicData><a:tbl><a:tblPr firstRow='1'/>{cells}</a:tbl></a:graphicData></a:graphic>"
    frame = f"<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id='3'/></p:nvGraphicFramePr>{table}</p:graphicFrame>"
    return pptx(slide(shape("Fees", kind="title"), shape(FACT), frame), slide(shape(SECRET), settings="show='0'"))


def make_odp() -> bytes:
    box = "<draw:frame presentation:class='{}'><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
    shown = box.format("title", "Fees") + box.format("", FACT) + f"<draw:frame>{open_table(header=True)}</draw:frame>"
    page = "<draw:page draw:style-name='{}'>{}</draw:page>"
    style = hidden_style("drawing-page", "<style:drawing-page-properties presentation:visibility='hidden'/>")
    return open_document("odp", page.format("", shown) + page.format("h", box.format("", SECRET)), styles=style)


def make_rtf() -> bytes:
    rows = "".join(
        "\\trowd\\trhdr" * (not at) + "\\trowd" * bool(at) + "\\cellx2000\\cellx4000\\intbl "
        + "\\cell ".join(line) + "\\cell\\row\n" for at, line in enumerate(TABLE)
    )  # fmt: skip
    styles = "{\\stylesheet{\\s1\\outlinelevel0 heading 1;}}"
    text = f"\\pard\\s1 Fees\\par\\pard\\plain {FACT}{{\\v {SECRET}}}\\par\n{rows}\\pard End.\\par"
    return f"{{\\rtf1\\ansi{styles}{text}}}".encode()


def make_pdf() -> bytes:
    lines = [(60, 720, "Fees", 16), (60, 690, FACT, 10)]
    lines += [
        (x, 660 - 14 * at, text, 10) for at, line in enumerate(TABLE) for x, text in zip((60, 200), line, strict=True)
    ]
    drawn = "".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text, size in lines)
    white = f"1 1 1 rg BT /F1 10 Tf 60 500 Td ({SECRET}) Tj ET\n"
    return raw_pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
            b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
            stream((drawn + white).encode()),
        ]
    )


def make_notebook() -> bytes:
    shown = {"output_type": "execute_result", "data": {"text/html": HTML_TABLE}, "metadata": {}, "execution_count": 1}
    cells = [
        {"cell_type": "markdown", "source": f"# Fees\n\n{FACT}\n\n<!-- {SECRET} -->", "metadata": {}},
        {"cell_type": "code", "source": "fees", "outputs": [shown], "metadata": {}, "execution_count": 1},
    ]
    return json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}).encode()


def make_saved_page() -> bytes:
    head = 'From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x"\r\n\r\n'
    return f"{head}--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{WEB}\r\n--x--\r\n".encode()


SAMPLES: dict[str, Callable[[], bytes]] = {
    "pdf": make_pdf,
    "docx": make_docx,
    "xlsx": make_xlsx,
    "xlsb": lambda: make_binary(xlsb),
    "xls": lambda: make_binary(xls),
    "pptx": make_pptx,
    "odt": make_odt,
    "ods": make_ods,
    "odp": make_odp,
    "rtf": make_rtf,
    "epub": lambda: epub({"a.xhtml": WEB}, contents="<ol><li><a href='a.xhtml'>Fees</a></li></ol>"),
    "html": lambda: f"<html><body>{WEB}</body></html>".encode(),
    "mhtml": make_saved_page,
    "eml": lambda: f"Subject: Fees\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{WEB}\r\n".encode(),
    "msg": lambda: outlook_mail({outlook_files.SUBJECT: "Fees", outlook_files.PAGE: WEB.encode()}),
    "ipynb": make_notebook,
    "md": lambda: f"{MARKDOWN}\n<!-- {SECRET} -->\n".encode(),
    "txt": lambda: f"Fees\n\n{FACT}\n\nYear  Rent\n2019  48,000\n2020  51,500\n".encode(),
    "csv": lambda: f'Year,Rent,Note\n2019,"48,000","{FACT}"\n2020,"51,500",\n'.encode(),
    "json": lambda: json.dumps({"fees": [{"Year": 2019, "Rent": "48,000", "note": FACT}]}).encode(),
    "png": lambda: picture("", "picture"),
}


def describe_columns(document: Document) -> str:
    """Whether it is known under which header a figure stands."""
    figure = re.search("48,?000", document.text)  # LibreOffice takes it for a number
    if figure is None:
        return "-"
    at = figure.start()
    return "known" if document.table_at(at) and names_at(document, at) == "Rent" else "as text"


def describe_hidden(document: Document, source: DocumentSource) -> str:
    """What becomes of words that the format hides."""
    if SECRET not in document.text:
        return "left out"
    span = span_of(document, SECRET)
    if VisibilityChecker(document, lambda *_: None, source)([span])[span]:
        return "no evidence"
    marked = [part.origin for part in document.additions if part.start <= span.start < part.end]
    return f"marked: {marked[0]}" if marked else "read"


def span_of(document: Document, text: str) -> Span:
    at = document.text.index(text)
    return Span(at, at + len(text))


def test_every_format_is_in_the_table() -> None:
    assert list(FORMATS) == list(SAMPLES)


@pytest.mark.parametrize("ending", SAMPLES)
def test_the_table_is_what_a_reader_makes_of_a_sample(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if ending == "png":
        FakeTesseract(tmp_path / "bin").shows(PICTURE_WIDTH, read_off(""))
        monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    path = tmp_path / f"fees.{ending}"
    path.write_bytes(SAMPLES[ending]())
    source = DocumentSource(str(path)).loaded()
    document = source.load()
    hidden = "-" if SECRET.encode() not in path.read_bytes() and ending in ("txt", "csv", "json", "png") else ""
    place = document.describe_span(span_of(document, FACT))
    assert FORMATS[ending][:3] == (place, describe_columns(document), hidden or describe_hidden(document, source))


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def place_kind(place: str) -> str:
    """A place without its numbers, and without the headings and names that a program may write in another way."""
    place = re.sub(r"^[\w ]+!\w+$", "a cell", re.sub(r", under .*| \(.*\)", "", place))
    return re.sub(r"\d+", "n", place)


def check_sample(path: Path) -> None:
    """The sentence has a place as the table tells it, and the columns are known as it says."""
    document = DocumentSource(str(path)).load()
    place, columns, _, _ = FORMATS[path.suffix[1:]]
    assert place_kind(document.describe_span(span_of(document, FACT))) == place_kind(place)
    if "Rent" in document.text:  # LibreOffice leaves the header out of a book
        assert describe_columns(document) == columns, document.text


def convert(path: Path, ending: str, folder: Path) -> Path:
    """What LibreOffice writes of a file."""
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", ending, "--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return folder / f"{path.stem}.{ending}"


@pytest.mark.full
@needs("pandoc")
@pytest.mark.parametrize("ending", ["docx", "odt", "rtf", "epub", "pptx", "html"])
def test_it_holds_of_what_pandoc_writes(ending: str, tmp_path: Path) -> None:
    (tmp_path / "fees.md").write_text(MARKDOWN)
    path = tmp_path / f"fees.{ending}"
    subprocess.run(["pandoc", "-s", str(tmp_path / "fees.md"), "-o", str(path)], check=True, capture_output=True)
    check_sample(path)


@pytest.mark.full
@needs("soffice")
@pytest.mark.parametrize(
    ("source", "endings"),
    [("docx", "odt rtf epub pdf"), ("odt", "docx"), ("csv", "xlsx xls ods"), ("pptx", "odp"), ("odp", "pptx")],
)
def test_it_holds_of_what_libreoffice_writes(source: str, endings: str, tmp_path: Path) -> None:
    """Of what it reads, too: sources that are only the parts that matter are no files to it, so pandoc writes some."""
    path = tmp_path / f"fees.{source}"
    path.write_bytes(SAMPLES["docx" if source == "odt" else source]())
    if source in ("pptx", "odp"):
        if shutil.which("pandoc") is None:
            pytest.skip("pandoc is not installed")
        path.with_suffix(".md").write_text(MARKDOWN)
        path = path.with_suffix(".pptx")
        subprocess.run(["pandoc", str(path.with_suffix(".md")), "-o", str(path)], check=True, capture_output=True)
    if source in ("odt", "odp"):
        given = tmp_path / f"given.{'docx' if source == 'odt' else 'pptx'}"
        given.write_bytes(path.read_bytes())
        path = convert(given, source, tmp_path)
    for ending in endings.split():
        (tmp_path / ending).mkdir()
        check_sample(convert(path, ending, tmp_path / ending))
