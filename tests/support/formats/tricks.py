"""Fourteen tricks that hide words, each in eight formats: files that hold `BAIT` hidden and `SHOWN` beside it."""

from collections.abc import Mapping

from hidden_pdfs import Made, alpha, layer
from office_files import A, X, open_document, pptx, row, shape, sheet, slide, words, xlsx
from word import docx, paragraph, part, run

BAIT, SHOWN = "bait 4711", "Shown words."
DARK, NEARLY_DARK, NEARLY_WHITE = "1f3864", "203a66", "f5f5f5"

WORD_14 = "xmlns:w14='http://schemas.microsoft.com/office/word/2010/wordml'"


def _docx(properties: str = "", around: str = "{}", paragraph_properties: str = "", **parts: str) -> bytes:
    inner = f"<w:p><w:pPr>{paragraph_properties}</w:pPr>{around.format(run(BAIT, properties))}</w:p>"
    return docx(paragraph(SHOWN) + inner, **parts)


def _docx_cell(properties: str, cell: str) -> bytes:
    inner = f"<w:tc><w:tcPr>{cell}</w:tcPr><w:p>{run(BAIT, properties)}</w:p></w:tc>"
    return docx(f"{paragraph(SHOWN)}<w:tbl><w:tr>{inner}</w:tr></w:tbl>{paragraph('')}")


def _see_through(alpha: int) -> str:
    colour = f"<w14:srgbClr w14:val='000000'><w14:alpha w14:val='{alpha}'/></w14:srgbClr>"
    return f"<w14:textFill {WORD_14}><w14:solidFill>{colour}</w14:solidFill></w14:textFill>"


def _docx_colour(colour: str) -> str:
    return f"<w:color w:val='{colour}'/>"


def _docx_fill(colour: str) -> str:
    return f"<w:shd w:val='clear' w:color='auto' w:fill='{colour}'/>"


_THEMED = part(
    "styles",
    "<w:style w:type='paragraph' w:styleId='a'><w:name w:val='a'/><w:rPr><w:color w:themeColor='background1'/></w:rPr>"
    "</w:style><w:style w:type='paragraph' w:styleId='b'><w:name w:val='b'/><w:basedOn w:val='a'/></w:style>",
)

DOCX: Mapping[str, bytes | None] = {
    "white on white": _docx(_docx_colour("FFFFFF")),
    "nearly white on white": _docx(_docx_colour(NEARLY_WHITE)),
    "dark on a dark fill": _docx(_docx_colour(NEARLY_DARK) + _docx_fill(DARK)),
    "colour of the cell": _docx_cell(_docx_colour(DARK), _docx_fill(DARK)),
    "inherited colour": _docx(paragraph_properties="<w:pStyle w:val='b'/>", styles=_THEMED),
    "one point": _docx("<w:sz w:val='2'/>"),
    "half a point": _docx("<w:sz w:val='1'/>"),
    "marked as hidden": _docx("<w:vanish/>"),
    "transparent": _docx(_see_through(100_000)),
    "nearly transparent": _docx(_see_through(98_000)),
    "off the page": _docx(paragraph_properties="<w:ind w:left='-20000' w:right='15000'/>"),
    "covered": None,
    "box of no size": _docx(paragraph_properties="<w:spacing w:line='10' w:lineRule='exact'/>"),
    "deleted": _docx(around="<w:del w:id='1'>{}</w:del>"),
}


def _html(style: str = "", body: str = "<p style='{}'>{}</p>", head: str = "") -> bytes:
    inner = body.format(style, BAIT)
    return f"<!doctype html><style>{head}</style><p>{SHOWN}</p>{inner}".encode()


_CELL = "<table><tr><td bgcolor=#1f3864><font color=#1f3864>{1}</font></td></tr></table>"
HTML: Mapping[str, bytes | None] = {
    "white on white": _html("color:white"),
    "nearly white on white": _html(f"color:#{NEARLY_WHITE}"),
    "dark on a dark fill": _html(f"color:#{NEARLY_DARK};background:#{DARK}"),
    "colour of the cell": _html(body=_CELL),
    "inherited colour": _html(body="<div><p>{1}</p></div>", head=":root{--c:white}div{color:var(--c)}"),
    "one point": _html("font-size:1pt"),
    "half a point": _html("font-size:.5pt"),
    "marked as hidden": _html("display:none"),
    "transparent": _html("color:transparent"),
    "nearly transparent": _html("opacity:.02"),
    "off the page": _html("position:absolute;left:-9999px"),
    "covered": None,
    "box of no size": _html("height:0;overflow:hidden"),
    "deleted": _html(body="<p><del>{1}</del></p>"),
}


def _xlsx(font: str = "", fill: str = "", rows: str = "", behind: str = "", before: str = "") -> bytes:
    pattern = f"<patternFill patternType='solid'><fgColor {fill}/></patternFill>" if fill else ""
    styles = (
        f"<styleSheet xmlns='{X}'><fonts><font/><font>{font}</font></fonts><fills><fill/><fill>{pattern}</fill></fills>"
        "<cellXfs><xf/><xf fontId='1' fillId='1'/></cellXfs></styleSheet>"
    )
    bait = rows or row(2, words("A2", BAIT, style=1))
    return xlsx({"P": sheet(row(1, words("A1", SHOWN)) + bait, behind=behind, before=before)}, styles=styles)


def _font(colour: str) -> str:
    return f"<color rgb='FF{colour}'/>"


_MERGED = "<mergeCells><mergeCell ref='A1:A2'/></mergeCells>"
_NARROW = "<cols><col min='2' max='2' width='0'/></cols>"
XLSX: Mapping[str, bytes | None] = {
    "white on white": _xlsx(_font("FFFFFF")),
    "nearly white on white": _xlsx(_font(NEARLY_WHITE)),
    "dark on a dark fill": _xlsx(_font(NEARLY_DARK), f"rgb='FF{DARK}'"),
    "colour of the cell": _xlsx(_font(DARK), f"rgb='FF{DARK}'"),
    "inherited colour": _xlsx("<color theme='0'/>"),
    "one point": _xlsx("<sz val='1'/>"),
    "half a point": _xlsx("<sz val='0.5'/>"),
    "marked as hidden": _xlsx(rows=row(2, words("A2", BAIT), settings="hidden='1'")),
    "transparent": None,
    "nearly transparent": None,
    "off the page": None,
    "covered": _xlsx(behind=_MERGED),
    "box of no size": _xlsx(rows=row(2, words("B2", BAIT)), before=_NARROW),
    "deleted": _xlsx("<strike/>"),
}


def _text(properties: str = "", attributes: str = "", text: str = BAIT) -> str:
    return f"<a:p><a:r><a:rPr {attributes}>{properties}</a:rPr><a:t>{text}</a:t></a:r></a:p>"


def _shape(
    paragraphs: str, *, fill: str = "", styles: str = "", place: tuple[int, ...] = (100, 200, 300, 100), name: str = ""
) -> str:
    made = shape("x", place, name=name).replace(
        "<a:p><a:r><a:t>x</a:t></a:r></a:p>", f"<a:bodyPr/>{styles}{paragraphs}"
    )
    return made.replace("</a:xfrm>", f"</a:xfrm><a:prstGeom prst='rect'/>{fill}")


def _solid(colour: str, alpha: str = "") -> str:
    return f"<a:solidFill><a:srgbClr val='{colour}'>{alpha}</a:srgbClr></a:solidFill>"


_THEME = (
    f"<a:theme xmlns:a='{A}'><a:themeElements><a:clrScheme><a:dk1><a:srgbClr val='000000'/></a:dk1>"
    "<a:lt1><a:sysClr val='window' lastClr='FFFFFF'/></a:lt1></a:clrScheme></a:themeElements></a:theme>"
)
_TARGETS = {"l": "slideLayout ../layouts/layout1.xml"}
_RELATIONS = {
    "slides/slide1.xml": _TARGETS,
    "layouts/layout1.xml": {"m": "slideMaster ../masters/master1.xml"},
    "masters/master1.xml": {"t": "theme ../theme1.xml"},
}
_MASTER = slide(root="sldMaster").replace(
    "</p:cSld>",
    "</p:cSld><p:clrMap bg1='lt1' tx1='dk1' bg2='lt2' tx2='dk2'/>",
)


def _pptx(*shapes: str, settings: str = "") -> bytes:
    parts = {"layouts/layout1.xml": slide(root="sldLayout"), "masters/master1.xml": _MASTER, "theme1.xml": _THEME}
    first = shape(SHOWN, (100, 20, 300, 100))
    return pptx(slide(first, *shapes, settings=settings), relations=_RELATIONS, **parts)


_PPTX_CELL = (
    f"<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr/><a:tr><a:tc><a:txBody>{_text(_solid(DARK))}</a:txBody>"
    f"<a:tcPr>{_solid(DARK)}</a:tcPr></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
)
_THEMED_TEXT = "<a:solidFill><a:schemeClr val='bg1'/></a:solidFill>"
_INHERITED = f"<a:lstStyle><a:lvl1pPr><a:defRPr>{_THEMED_TEXT}</a:defRPr></a:lvl1pPr></a:lstStyle>"
PPTX: Mapping[str, bytes | None] = {
    "white on white": _pptx(_shape(_text(_solid("FFFFFF")))),
    "nearly white on white": _pptx(_shape(_text(_solid(NEARLY_WHITE)))),
    "dark on a dark fill": _pptx(_shape(_text(_solid(NEARLY_DARK)), fill=_solid(DARK))),
    "colour of the cell": _pptx(_PPTX_CELL),
    "inherited colour": _pptx(_shape(_text(), styles=_INHERITED)),
    "one point": _pptx(_shape(_text(attributes="sz='100'"))),
    "half a point": _pptx(_shape(_text(attributes="sz='50'"))),
    "marked as hidden": _pptx(_shape(_text(), name="hidden='1'")),
    "transparent": _pptx(_shape(_text(_solid("000000", "<a:alpha val='0'/>")))),
    "nearly transparent": _pptx(_shape(_text(_solid("000000", "<a:alpha val='2000'/>")))),
    "off the page": _pptx(_shape(_text(), place=(2000, 0, 300, 100))),
    "covered": _pptx(_shape(_text()), _shape("<a:p/>", fill=_solid("FFFFFF"), place=(50, 150, 500, 200))),
    "box of no size": None,
    "deleted": _pptx(_shape(_text(attributes="strike='sngStrike'"))),
}


def _style(name: str, family: str, inner: str, settings: str = "") -> str:
    return f"<style:style style:name='{name}' style:family='{family}' {settings}>{inner}</style:style>"


def _odf_text(settings: str) -> str:
    return f"<style:text-properties {settings}/>"


def _odt(span: str = "", styles: str = "", body: str = "", paragraph: str = "") -> bytes:
    written = _style("s", "text", span) + _style("p", "paragraph", paragraph) + styles
    inner = body or f"<text:p text:style-name='p'><text:span text:style-name='s'>{BAIT}</text:span></text:p>"
    return open_document("odt", f"<text:p>{SHOWN}</text:p>{inner}", styles=written)


_LOEXT = "xmlns:loext='urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0'"
_PALE = _style("p0", "paragraph", _odf_text("fo:color='#ffffff'")) + _style(
    "p1", "paragraph", "", "style:parent-style-name='p0'"
)
_ODT_CELL = (
    "<table:table><table:table-row><table:table-cell table:style-name='c'><text:p><text:span text:style-name='s'>"
    f"{BAIT}</text:span></text:p></table:table-cell></table:table-row></table:table>"
)
_FLAT_ROW = _style("r", "table-row", "<style:table-row-properties style:row-height='0.01cm'/>")
_DELETION = (
    "<text:tracked-changes><text:changed-region><text:deletion><text:p>{}</text:p></text:deletion>"
    "</text:changed-region></text:tracked-changes><text:p>kept</text:p>"
)
ODT: Mapping[str, bytes | None] = {
    "white on white": _odt(_odf_text("fo:color='#ffffff'")),
    "nearly white on white": _odt(_odf_text(f"fo:color='#{NEARLY_WHITE}'")),
    "dark on a dark fill": _odt(_odf_text(f"fo:color='#{NEARLY_DARK}' fo:background-color='#{DARK}'")),
    "colour of the cell": _odt(
        _odf_text(f"fo:color='#{DARK}'"),
        _style("c", "table-cell", f"<style:table-cell-properties fo:background-color='#{DARK}'/>"),
        body=_ODT_CELL,
    ),
    "inherited colour": _odt(styles=_PALE, body=f"<text:p text:style-name='p1'>{BAIT}</text:p>"),
    "one point": _odt(_odf_text("fo:font-size='1pt'")),
    "half a point": _odt(_odf_text("fo:font-size='0.5pt'")),
    "marked as hidden": _odt(_odf_text("text:display='none'")),
    "transparent": _odt(_odf_text(f"{_LOEXT} fo:color='#000000' loext:opacity='0%'")),
    "nearly transparent": _odt(_odf_text(f"{_LOEXT} fo:color='#000000' loext:opacity='2%'")),
    "off the page": _odt(paragraph="<style:paragraph-properties fo:margin-left='-30cm' fo:margin-right='25cm'/>"),
    "covered": None,
    "box of no size": _odt(
        styles=_FLAT_ROW, body=_ODT_CELL.replace("<table:table-row", "<table:table-row table:style-name='r'")
    ),
    "deleted": _odt(body=_DELETION.format(BAIT)),
}


def _ods(text: str = "", ground: str = "", rows: str = "", parent: str = "") -> bytes:
    inner = f"<style:table-cell-properties {ground}/><style:text-properties {text}/>"
    styles = _style("c", "table-cell", "" if parent else inner, parent) + _style("d", "table-cell", inner)
    bait = rows or _ods_row(f"<table:table-cell table:style-name='c'><text:p>{BAIT}</text:p></table:table-cell>")
    shown = _ods_row(f"<table:table-cell><text:p>{SHOWN}</text:p></table:table-cell>")
    return open_document("ods", f"<table:table table:name='P'>{shown}{bait}</table:table>", styles=styles)


def _ods_row(inner: str, settings: str = "") -> str:
    return f"<table:table-row {settings}>{inner}</table:table-row>"


_PLAIN_CELL = f"<table:table-cell><text:p>{BAIT}</text:p></table:table-cell>"
ODS: Mapping[str, bytes | None] = {
    "white on white": _ods("fo:color='#ffffff'"),
    "nearly white on white": _ods(f"fo:color='#{NEARLY_WHITE}'"),
    "dark on a dark fill": _ods(f"fo:color='#{NEARLY_DARK}'", f"fo:background-color='#{DARK}'"),
    "colour of the cell": _ods(f"fo:color='#{DARK}'", f"fo:background-color='#{DARK}'"),
    "inherited colour": _ods("fo:color='#ffffff'", parent="style:parent-style-name='d'"),
    "one point": _ods("fo:font-size='1pt'"),
    "half a point": _ods("fo:font-size='0.5pt'"),
    "marked as hidden": _ods(rows=_ods_row(_PLAIN_CELL, "table:visibility='collapse'")),
    "transparent": None,
    "nearly transparent": None,
    "off the page": None,
    "covered": _ods(
        rows=_ods_row(
            "<table:table-cell table:number-columns-spanned='2'><text:p>x</text:p></table:table-cell>"
            f"<table:covered-table-cell><text:p>{BAIT}</text:p></table:covered-table-cell>"
        )
    ),
    "box of no size": None,
    "deleted": _ods("style:text-line-through-style='solid'"),
}

_COLOURS = "".join(
    rf"\red{colour >> 16}\green{colour >> 8 & 255}\blue{colour & 255};"
    for colour in (0xFFFFFF, int(NEARLY_WHITE, 16), int(DARK, 16), int(NEARLY_DARK, 16))
)


def _rtf(look: str = "", body: str = r"\pard{{{} {}}}\par") -> bytes:
    return rf"{{\rtf1\ansi{{\colortbl;{_COLOURS}}}\pard {SHOWN}\par {body.format(look, BAIT)}}}".encode("ascii")


RTF: Mapping[str, bytes | None] = {
    "white on white": _rtf(r"\cf1"),
    "nearly white on white": _rtf(r"\cf2"),
    "dark on a dark fill": _rtf(r"\cf4\chshdng0\chcbpat3"),
    "colour of the cell": _rtf(r"\cf3", r"\trowd\clcbpat3\cellx3000\pard\intbl{{{} {}}}\cell\row\pard\par"),
    "inherited colour": None,
    "one point": _rtf(r"\fs2"),
    "half a point": _rtf(r"\fs1"),
    "marked as hidden": _rtf(r"\v"),
    "transparent": None,
    "nearly transparent": None,
    "off the page": _rtf(body=r"\pard\li-20000\ri15000{{{} {}}}\par"),
    "covered": None,
    "box of no size": _rtf(body=r"\pard\sl-10\slmult0{{{} {}}}\par"),
    "deleted": _rtf(r"\deleted"),
}


def _pdf(draws: str, resources: str = "", **more: object) -> bytes:
    return Made(draws.replace("BAIT", f"({BAIT}) Tj"), resources, **more).pdf.replace(  # type: ignore[arg-type]
        b"Visible revenue was 10 million", f"{SHOWN:30}".encode()
    )


_AT = "/F1 12 Tf 72 600 Td BAIT"
_BOX = "60 590 400 30 re f\n"
PDF: Mapping[str, bytes | None] = {
    "white on white": _pdf(f"BT 1 g {_AT} ET"),
    "nearly white on white": _pdf(f"BT 0.96 g {_AT} ET"),
    "dark on a dark fill": _pdf(f"0.12 0.22 0.39 rg {_BOX}BT 0.13 0.23 0.4 rg {_AT} ET"),
    "colour of the cell": _pdf(f"0.12 0.22 0.39 rg {_BOX}BT {_AT} ET"),
    "inherited colour": _pdf(f"1 g q q BT {_AT} ET Q Q"),
    "one point": _pdf("BT /F1 1 Tf 72 600 Td BAIT ET"),
    "half a point": _pdf("BT /F1 0.5 Tf 72 600 Td BAIT ET"),
    "marked as hidden": _pdf(f"/OC/M1 BDC BT {_AT} ET EMC", **layer("OFF")),
    "transparent": _pdf(f"q /G0 gs BT {_AT} ET Q", alpha(0)),
    "nearly transparent": _pdf(f"q /G0 gs BT {_AT} ET Q", alpha(0.02)),
    "off the page": _pdf("BT /F1 12 Tf 72 -900 Td BAIT ET"),
    "covered": _pdf(f"BT {_AT} ET 1 g {_BOX}"),
    "box of no size": _pdf(f"q 0 0 1 1 re W n BT {_AT} ET Q"),
    "deleted": None,
}

FORMATS: Mapping[str, Mapping[str, bytes | None]] = {
    "docx": DOCX, "html": HTML, "xlsx": XLSX, "pptx": PPTX, "odt": ODT, "ods": ODS, "rtf": RTF, "pdf": PDF,
}  # fmt: skip
"""By format and trick the file; None where the format has no such thing, or only a layout could tell."""
