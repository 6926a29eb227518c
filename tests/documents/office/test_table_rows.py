"""Rows of tables in every format of an office: groups are read off how far labels are set in, charts are tables."""

import pytest
from office_files import (
    CHART,
    ODF_SPACES,
    X,
    chart,
    load,
    open_document,
    origins,
    pptx,
    row,
    sheet,
    slide,
    words,
    xlsx,
)
from word import docx, paragraph, part, table

from ralph_cli.core.document import Document
from ralph_cli.documents.source import DocumentSource

ODF_STYLES = (
    "<style:style style:name='in' style:family='paragraph'><style:paragraph-properties fo:margin-left='0.5cm'/>"
    "</style:style><style:style style:name='cell' style:family='table-cell'>"
    "<style:paragraph-properties fo:margin-left='0.5cm'/></style:style>"
)
XLSX_STYLES = (
    f"<styleSheet xmlns='{X}'><cellXfs><xf numFmtId='0'/><xf numFmtId='0'><alignment indent='1'/></xf></cellXfs>"
    "</styleSheet>"
)


def in_word(label: str) -> bytes:
    return docx(table(["", "2023"], ["Assets", ""], [label, "5"], ["Debt", "4"]))


def in_html(label: str) -> bytes:
    return f"<style>.i{{padding:0 0 0 1em}}</style><table><tr><th><th>2023{rows('', label)}</table>".encode()


def rows(opening: str, label: str) -> str:
    return f"<tr><td>{opening}Assets<td><tr><td{label}<td>5<tr><td>{opening}Debt<td>4"


def in_slides(settings: str) -> bytes:
    cells = (("", "2023"), ("Assets", ""), ("Cash", "5"), ("Debt", "4"))
    told = "".join(
        f"<a:tr><a:tc><a:txBody><a:p><a:pPr {settings if name == 'Cash' else ''}/><a:r><a:t>{name}</a:t></a:r></a:p>"
        f"</a:txBody></a:tc><a:tc><a:txBody><a:p><a:r><a:t>{value}</a:t></a:r></a:p></a:txBody></a:tc></a:tr>"
        for name, value in cells
    )
    frame = "<p:graphicFrame><a:graphic><a:graphicData><a:tbl>{}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>"
    return pptx(slide(frame.format(told)))


def in_rich_text(words: str) -> bytes:
    row = r"\trowd\cellx1000\cellx2000\pard\intbl{} {}\cell\pard\intbl {}\cell\row"
    told = (("", "", "2023"), ("", "Assets", ""), (words, "Cash", "5"), ("", "Debt", "4"))
    body = "".join(row.replace("{}", "%s") % values for values in told)
    return rf"{{\rtf1\ansi {body}\pard after\par}}".encode()


def in_open_document(kind: str, label: str, settings: str = "") -> bytes:
    cell = "<table:table-cell {}><text:p {}</text:p></table:table-cell>".format
    told = (("", ">", "2023"), ("", ">Assets", ""), (settings, label, "5"), ("", ">Debt", "4"))
    made = (
        f"<table:table-row>{cell(more, name)}{cell('', f'>{value}')}</table:table-row>" for more, name, value in told
    )
    return open_document(kind, f"<table:table table:name='T'>{''.join(made)}</table:table>", styles=ODF_STYLES)


def in_sheet(label: str, style: int = 0) -> bytes:
    told = [row(1, words("A1", "Item"), words("B1", "Sum")), row(2, words("A2", "Assets"))]
    told += [row(3, f"<c r='A3' s='{style}' t='s'><v>0</v></c>", "<c r='B3'><v>5</v></c>")]
    told += [row(4, words("A4", "Debt"), "<c r='B4'><v>4</v></c>")]
    string = f"<t xml:space='preserve'>{label}</t>"
    return xlsx({"S": sheet("".join(told))}, strings=(string,), styles=XLSX_STYLES)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("docx", in_word("<w:p><w:pPr><w:ind w:left='200'/></w:pPr><w:r><w:t>Cash</w:t></w:r></w:p>")),
        ("docx", in_word(paragraph("   Cash"))),
        ("html", in_html(">&nbsp;&nbsp;Cash")),
        ("html", in_html(">&nbsp; <b>Cash</b>")),
        ("html", in_html(" style='padding-left:10px'>Cash")),
        ("html", in_html(" class=i><div style='margin-left:12pt;text-indent:-12pt'>Cash</div>")),
        ("pptx", in_slides("marL='200000'")),
        ("pptx", in_slides("lvl='1'")),
        ("rtf", in_rich_text(r"\li200")),
        ("odt", in_open_document("odt", "text:style-name='in'>Cash")),
        ("odt", in_open_document("odt", "><text:s text:c='2'/>Cash")),
        ("ods", in_open_document("ods", ">Cash", "table:style-name='cell'")),
        ("ods", in_open_document("ods", "><text:s text:c='2'/>Cash")),
        ("xlsx", in_sheet("Cash", 1)),
        ("xlsx", in_sheet("  Cash")),
        ("csv", b"Item,2023\nAssets,\n  Cash,5\nDebt,4\n"),
        ("csv", b'Item,2023\nAssets,\n"  Cash",5\nDebt,4\n'),
    ],
)
def test_a_label_that_is_set_in_belongs_to_the_group_above_it(kind: str, data: bytes) -> None:
    document = DocumentSource(f"a.{kind}").load_bytes(data)
    (found,) = document.tables
    paths = {document.text[it.start : it.end].strip(): document.row_path(found, it.row) for it in found.cells}
    assert (paths["5"], paths["4"]) == (("Assets", "Cash"), ("Debt",))


def points(name: str, *values: str) -> str:
    kept = "".join(f"<c:pt idx='{at}'><c:v>{value}</c:v></c:pt>" for at, value in enumerate(values) if value)
    cache = f"<c:{'numCache' if name == 'val' else 'strCache'}>{kept}</c:{'numCache' if name == 'val' else 'strCache'}>"
    return f"<c:{name}>{cache}</c:{name}>"


SERIES = "".join(
    f"<c:ser><c:tx><c:v>{name}</c:v></c:tx>{points('cat', 'Q1', 'Q2')}{points('val', *values)}</c:ser>"
    for name, values in (("Rent", ("", "4")), ("Fees", ("5", "6")))
)
DRAWN = chart("Costs", f"<c:barChart>{SERIES}</c:barChart>")
ODF_ROWS = (("", "Rent", "Fees"), ("Q1", "", "5"), ("Q2", "4", "6"))
ODF_CHART = "".join(
    "<table:table-row>" + "".join(f"<table:table-cell><text:p>{it}</text:p></table:table-cell>" for it in cells)
    + "</table:table-row>" for cells in ODF_ROWS
)  # fmt: skip


def chart_of_sheet() -> bytes:
    drawing = f"<d:wsDr xmlns:d='http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing' xmlns:c='{CHART}' xmlns:r='x'><c:chart r:id='k'/></d:wsDr>"  # noqa: E501
    relations = {
        "sheets/sheet1.xml": {"d": "drawing ../drawings/drawing1.xml"},
        "drawings/drawing1.xml": {"k": "chart ../charts/chart1.xml"},
    }
    parts = {"drawings/drawing1.xml": drawing, "charts/chart1.xml": DRAWN}
    return xlsx({"S": sheet("", behind="<drawing r:id='d'/>")}, relations=relations, **parts)


def chart_of_open_document(kind: str) -> bytes:
    title = "<chart:title><text:p>Costs</text:p></chart:title>"
    inner = f"<chart:chart>{title}<table:table>{ODF_CHART}</table:table></chart:chart>"
    content = f"<office:document-content {ODF_SPACES}><office:body>{inner}</office:body></office:document-content>"
    frame = "<draw:frame><draw:object xlink:href='./Object 1'/></draw:frame>"
    bodies = {"odt": f"<text:p>{frame}</text:p>", "odp": f"<draw:page>{frame}</draw:page>"}
    bodies["ods"] = f"<table:table table:name='T'><table:shapes>{frame}</table:shapes></table:table>"
    return open_document(kind, bodies[kind], **{"Object 1/content.xml": content})


def chart_of_slide() -> bytes:
    frame = "<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id='k'/></a:graphicData></a:graphic></p:graphicFrame>"
    relations = {"slides/slide1.xml": {"k": "chart ../chart1.xml"}}
    return pptx(slide(frame), relations=relations, **{"chart1.xml": DRAWN})


def chart_of_word() -> bytes:
    drawing = f"<w:p><w:r><w:drawing><c:chart xmlns:c='{CHART}' r:id='c1' xmlns:r='r'/></w:drawing></w:r></w:p>"
    return docx(drawing, {"c1": "chart charts/chart1.xml"}, **{"charts/chart1.xml": DRAWN})


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("docx", chart_of_word()),
        ("pptx", chart_of_slide()),
        ("xlsx", chart_of_sheet()),
        *((kind, chart_of_open_document(kind)) for kind in ("odt", "ods", "odp")),
    ],
)
def test_a_chart_is_a_table_whose_figures_have_rows_and_columns(kind: str, data: bytes) -> None:
    document: Document = load(kind, data)
    told = "[chart] Costs\nRent  Fees\nQ1  \u2423  5\nQ2  4  6"
    assert document.text.endswith(told) and origins(document)[told] == "chart"
    (found,) = document.tables
    asked = {document.text[it.start : it.end]: it for it in found.cells}
    paths = [(*document.row_path(found, asked[it].row), *document.column_path(found, asked[it].column)) for it in "546"]
    assert paths == [("Q1", "Fees"), ("Q2", "Rent"), ("Q2", "Fees")]


def noted_in_word() -> bytes:
    run = "<w:r><w:t xml:space='preserve'>{}</w:t></w:r>".format
    cell = f"<w:p>{run('Rent')}<w:r><w:footnoteReference w:id='2'/></w:r>{run(' of all')}</w:p>"
    note = part("footnotes", f"<w:footnote w:id='2'>{paragraph('See B.')}</w:footnote>")
    return docx(paragraph("Before.") + table(["Item", "2023"], [paragraph("As in") + cell, "5"]), footnotes=note)


def noted_in_open_document() -> bytes:
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>See B.</text:p></text:note-body></text:note>"  # noqa: E501
    cell = "<table:table-cell><text:p>{}</text:p></table:table-cell>".format
    told = (("Item", "2023"), (f"As in</text:p><text:p>Rent{note} of all", "5"))
    made = (f"<table:table-row>{cell(name)}{cell(value)}</table:table-row>" for name, value in told)
    return open_document("odt", f"<text:p>Before.</text:p><table:table>{''.join(made)}</table:table>")


NOTED_IN_RICH_TEXT = (
    r"{\rtf1\ansi Before.\par\trowd\cellx1000\cellx2000\pard\intbl Item\cell 2023\cell\row"
    r"\pard\intbl As in\par Rent{\super\chftn}{\footnote {\super\chftn} See B.} of all\cell 5\cell\row\pard after\par}"
)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("docx", noted_in_word()),
        ("odt", noted_in_open_document()),
        ("rtf", NOTED_IN_RICH_TEXT.encode()),
    ],
)
def test_a_note_in_a_table_is_cited_at_its_word(kind: str, data: bytes) -> None:
    document = load(kind, data)
    assert "Before.\n\nItem  2023\nAs in Rent\u00b9 of all  5" in document.text
    (note,) = document.notes
    cited = document.text[: note.cited].removesuffix("\u00b9")
    assert (document.text[note.start : note.end], cited.endswith("As in Rent")) == ("See B.", True)
