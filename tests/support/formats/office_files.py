"""Writes small office documents and books for tests: the parts that matter, nothing else."""

import io
import zipfile
from collections.abc import Mapping
from functools import partial

from tables import names_at

from ralph_cli.core.document import Document
from ralph_cli.documents.limits import DEFAULT_LIMITS, LoadLimits
from ralph_cli.documents.parsed import ParsedDocument, assemble
from ralph_cli.documents.process.worker import run_request

_OFFICE = "http://schemas.openxmlformats.org"
CHART = f"{_OFFICE}/drawingml/2006/chart"
X, P, A = f"{_OFFICE}/spreadsheetml/2006/main", f"{_OFFICE}/presentationml/2006/main", f"{_OFFICE}/drawingml/2006/main"
_RELATION = f"{_OFFICE}/officeDocument/2006/relationships"
_SPACES = f"xmlns:p='{P}' xmlns:a='{A}' xmlns:r='{_RELATION}' xmlns:c='{CHART}'"
_ODF_NAMES = {"draw": "drawing", "fo": "xsl-fo-compatible", "svg": "svg-compatible", "number": "datastyle"}
_ODF = " ".join(
    f"xmlns:{name}='urn:oasis:names:tc:opendocument:xmlns:{_ODF_NAMES.get(name, name)}:1.0'"
    for name in ("office", "table", "text", "draw", "presentation", "style", "fo", "svg", "chart", "form")
)
ODF_SPACES = f"{_ODF} xmlns:xlink='http://www.w3.org/1999/xlink' xmlns:dc='http://purl.org/dc/elements/1.1/'"
_MAIN_TYPES = {
    kind: f"application/vnd.openxmlformats-officedocument.{name}"
    for kind, name in (("xl", "spreadsheetml.sheet"), ("ppt", "presentationml.presentation"))
}
_KINDS = {"odt": "text", "ods": "spreadsheet", "odp": "presentation"}


def pack(parts: Mapping[str, str | bytes]) -> bytes:
    """An archive of these parts, in their order."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else None
            archive.writestr(name, content, stored)
    return buffer.getvalue()


def parse(kind: str, data: bytes, limits: LoadLimits = DEFAULT_LIMITS) -> ParsedDocument:
    """What the parser of a kind makes of a file; checked as in the program."""
    request = {"op": kind, "name": f"a.{kind}", "password": None, "layout": "auto", "encoding": None}
    return ParsedDocument.from_json(run_request(request, data, limits, io.BytesIO()), limits)


def load(kind: str, data: bytes) -> Document:
    """The document in a file of a kind."""
    return assemble(parse(kind, data), path=f"a.{kind}", kind=kind, sha256="0" * 64, fingerprint="")


def origins(document: Document) -> dict[str, str]:
    """The words of a document that are marked, each with what is said of them."""
    return {document.text[one.start : one.end]: one.origin for one in document.additions}


def cautions(document: Document) -> dict[str, str]:
    """What is said of a document, by code."""
    return {caution.code: caution.message for caution in document.cautions}


def headers(document: Document, words: str) -> str:
    """The header of the column in whose cell these words are."""
    return names_at(document, document.text.index(words))


def _relations(targets: Mapping[str, str]) -> str:
    """Relations by id: "worksheet sheet1.xml"."""
    inner = "".join(
        f"<Relationship Id='{identity}' Type='{_RELATION}/{what.split()[0]}' Target='{what.split()[1]}'/>"
        for identity, what in targets.items()
    )
    return f"<Relationships xmlns='{_OFFICE}/package/2006/relationships'>{inner}</Relationships>"


def _package(main: str, kind: str, parts: Mapping[str, str], relations: Mapping[str, Mapping[str, str]]) -> bytes:
    folder = main.rpartition("/")[0]
    types = (
        f"<Types xmlns='{_OFFICE}/package/2006/content-types'>"
        f"<Override PartName='/{main}' ContentType='{_MAIN_TYPES[kind]}.main+xml'/></Types>"
    )
    written: dict[str, str] = {"[Content_Types].xml": types, "_rels/.rels": _relations({"r": f"officeDocument {main}"})}
    written |= {f"{folder}/{name}" if not name.startswith("/") else name[1:]: xml for name, xml in parts.items()}
    for part, targets in relations.items():
        where, _, name = f"{folder}/{part}".rpartition("/")
        written[f"{where}/_rels/{name}.rels"] = _relations(targets)
    return pack(written)


def cell(reference: str, value: str = "", *, style: int = 0, kind: str = "n", formula: str = "") -> str:
    """A cell of a sheet; a formula may be XML."""
    told = formula if formula.startswith("<") else f"<f>{formula}</f>" if formula else ""
    shown = f"<is><t>{value}</t></is>" if kind == "inlineStr" else f"<v>{value}</v>" if value else ""
    return f"<c r='{reference}' s='{style}' t='{kind}'>{told}{shown}</c>"


words = partial(cell, kind="inlineStr")


def chart(title: str, inner: str = "", *, settings: str = "") -> str:
    """A chart with a title, and with whatever is `inner`."""
    named = f"<c:title><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:title>"
    return f"<c:chartSpace xmlns:c='{CHART}' xmlns:a='{A}'>{settings}{named}{inner}</c:chartSpace>"


def row(number: int, *cells: str, settings: str = "") -> str:
    """A row of a sheet."""
    return f"<row r='{number}' {settings}>{''.join(cells)}</row>"


def sheet(rows: str, *, before: str = "", behind: str = "") -> str:
    """A sheet, with what stands before and behind its rows."""
    return (
        f"<worksheet xmlns='{X}' xmlns:r='{_RELATION}'>{before}<sheetData>{rows}</sheetData>{behind}</worksheet>"
    )  # fmt: skip


def xlsx(
    sheets: Mapping[str, str],
    *,
    formats: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
    strings: tuple[str, ...] = (),
    relations: Mapping[str, Mapping[str, str]] | None = None,
    settings: str = "",
    styles: str = "",
    **parts: str,
) -> bytes:
    """A workbook of these sheets by name; cells of style n show their value in the n-th of the `formats`, from 1."""
    listed, targets, written = "", {"s": "styles styles.xml", "t": "sharedStrings strings.xml"}, dict(parts)
    for at, (name, xml) in enumerate(sheets.items(), 1):
        state = "state='hidden'" if name in hidden else ""
        listed += f"<sheet name='{name}' sheetId='{at}' {state} r:id='r{at}'/>"
        targets[f"r{at}"] = f"worksheet sheets/sheet{at}.xml"
        written[f"sheets/sheet{at}.xml"] = xml
    codes = [code.replace('"', "&quot;") for code in formats]
    numbers = "".join(f"<numFmt numFmtId='{200 + at}' formatCode='{code}'/>" for at, code in enumerate(codes))
    used = "<xf numFmtId='0'/>" + "".join(f"<xf numFmtId='{200 + at}'/>" for at in range(len(formats)))
    written["styles.xml"] = styles or (
        f"<styleSheet xmlns='{X}'><numFmts>{numbers}</numFmts><cellXfs>{used}</cellXfs></styleSheet>"
    )
    written["strings.xml"] = f"<sst xmlns='{X}'>{''.join(f'<si>{one}</si>' for one in strings)}</sst>"
    written["workbook.xml"] = (
        f"<workbook xmlns='{X}' xmlns:r='{_RELATION}'>{settings}<sheets>{listed}</sheets></workbook>"
    )
    return _package("xl/workbook.xml", "xl", written, {"workbook.xml": targets, **(relations or {})})


def shape(text: str, place: tuple[int, int, int, int] | None = None, *, kind: str = "", name: str = "") -> str:
    """A shape of a slide at left, top, width and height; `kind` is that of a placeholder, `name` more attributes."""
    held = f"<p:ph type='{kind}'/>" if kind else ""
    where = "<a:xfrm><a:off x='{}' y='{}'/><a:ext cx='{}' cy='{}'/></a:xfrm>".format(*place) if place else ""
    paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr id='1' {name}/><p:nvPr>{held}</p:nvPr></p:nvSpPr><p:spPr>{where}</p:spPr>"
        f"<p:txBody>{paragraphs}</p:txBody></p:sp>"
    )


def slide(*shapes: str, root: str = "sld", settings: str = "") -> str:
    """A slide, or a part like one, of these shapes."""
    return f"<p:{root} {_SPACES} {settings}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:{root}>"


def pptx(*slides: str, relations: Mapping[str, Mapping[str, str]] | None = None, **parts: str) -> bytes:
    """A presentation of these slides, 1000 wide and 500 high."""
    targets = {f"r{at}": f"slide slides/slide{at}.xml" for at in range(1, len(slides) + 1)}
    listed = "".join(f"<p:sldId id='{255 + at}' r:id='r{at}'/>" for at in range(1, len(slides) + 1))
    written = {f"slides/slide{at}.xml": xml for at, xml in enumerate(slides, 1)} | parts
    written["presentation.xml"] = (
        f"<p:presentation {_SPACES}><p:sldIdLst>{listed}</p:sldIdLst><p:sldSz cx='1000' cy='500'/></p:presentation>"
    )
    return _package("ppt/presentation.xml", "ppt", written, {"presentation.xml": targets, **(relations or {})})


def open_document(kind: str, body: str, *, styles: str = "", masters: str = "", **parts: str) -> bytes:
    """An OpenDocument file with this body and these automatic styles."""
    content = (
        f"<office:document-content {ODF_SPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{_KINDS[kind]}>{body}</office:{_KINDS[kind]}></office:body></office:document-content>"
    )
    styled = f"<office:document-styles {ODF_SPACES}>{masters}</office:document-styles>"
    mimetype = f"application/vnd.oasis.opendocument.{_KINDS[kind]}"
    listed = {"/": mimetype, "content.xml": "text/xml", "styles.xml": "text/xml"}
    entries = "".join(f"<m:file-entry m:full-path='{at}' m:media-type='{what}'/>" for at, what in listed.items())
    manifest = f"<m:manifest xmlns:m='urn:oasis:names:tc:opendocument:xmlns:manifest:1.0'>{entries}</m:manifest>"
    own = {"mimetype": mimetype, "content.xml": content, "styles.xml": styled, "META-INF/manifest.xml": manifest}
    return pack({**own, **parts})


def epub(chapters: Mapping[str, str], *, contents: str = "", spine: str = "", **parts: str) -> bytes:
    """A book of these chapters, bodies of XHTML by the names of their files; `contents` is its table of contents."""
    items = "".join(
        f"<item id='i{at}' href='{name}' media-type='application/xhtml+xml'/>" for at, name in enumerate(chapters)
    )
    order = spine or "".join(f"<itemref idref='i{at}'/>" for at in range(len(chapters)))
    package = (
        "<package xmlns='http://www.idpf.org/2007/opf'><manifest>"
        f"{items}<item id='n' href='nav.xhtml' properties='nav' media-type='application/xhtml+xml'/></manifest>"
        f"<spine>{order}</spine></package>"
    )
    container = (
        "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
        "<rootfile full-path='OEBPS/book.opf'/></rootfiles></container>"
    )
    written = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OEBPS/book.opf": package}
    page = "<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'>{}</html>"
    written |= {
        f"OEBPS/{name}": page.format(f"<head><title/></head><body>{body}</body>") for name, body in chapters.items()
    }
    return pack({**written, "OEBPS/nav.xhtml": page.format(f"<body><nav>{contents}</nav></body>"), **parts})
