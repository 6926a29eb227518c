"""Workbooks as text: what cells show, where they stand, what is behind them, and what is hidden."""

import pytest
from office_files import CHART, A, X, cautions, cell, chart, headers, load, origins, parse, row, sheet, words, xlsx

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Addition, Span
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.page_text import PageText
from ralph_cli.retrieval.quotes.additions import describe_additions
from ralph_cli.retrieval.quotes.visibility import VisibilityChecker

FORMATS = ("#,##0_);(#,##0)", "0%", "mmm-yy")
TABLE = sheet(
    row(1, words("A1", "EUR thousand"))
    + row(2, cell("B2", "2022"), cell("C2", "2023"))
    + row(3, words("A3", "Revenue"), cell("B3", "1000", style=1), cell("C3", "-1577.4", style=1))
    + row(4, words("A4", "Margin"), cell("C4", "0.254", style=2, formula="C3/B3"))
)


def place(document: Document, quote: str) -> str:
    at = document.text.index(quote)
    return document.describe_span(Span(at, at + len(quote)))


def test_a_row_is_a_line_of_what_its_cells_show() -> None:
    document = load("xlsx", xlsx({"Plan": TABLE, "Next": sheet(row(7, words("B7", "more")))}, formats=FORMATS))
    assert document.text.startswith("EUR thousand\n2022  2023\nRevenue  1,000  (1,577)\nMargin  25%\n")
    assert [page.label for page in document.pages] == ["Plan", "Next"]
    assert place(document, "(1,577)") == "Plan!C3" and place(document, "more") == "Next!B7"
    assert place(document, "Revenue  1,000") == "Plan!A3 to B3"


def test_a_figure_stands_under_its_header_beside_empty_cells() -> None:
    document = load("xlsx", xlsx({"Plan": TABLE}, formats=FORMATS))
    assert headers(document, "25%") == "2023" and headers(document, "1,000") == "2022"


def test_names_of_columns_reach_over_an_empty_row_only_where_they_name_all() -> None:
    below = row(6, words("A6", "Cost"), cell("B6", "3"), cell("C6", "4"))
    other = row(8, words("A8", "Staff"), cell("B8", "12"), cell("E8", "5"))
    document = load(
        "xlsx", xlsx({"Plan": TABLE.replace("</sheetData>", f"{below}{other}</sheetData>")}, formats=FORMATS)
    )
    assert headers(document, "4") == "2023"
    assert headers(document, "12") == ""
    behind = row(6, words("A6", "Cost"), cell("C6", "4")) + row(7, words("A7", "Staff"), cell("C7", "3"))
    sparse = load("xlsx", xlsx({"Plan": TABLE.replace("</sheetData>", f"{behind}</sheetData>")}, formats=FORMATS))
    assert headers(sparse, "4") == headers(sparse, "3") == "2023"


def test_a_title_above_the_names_of_columns_is_a_heading() -> None:
    rows = row(1, words("A1", "Staff Of The Harbour")) + row(
        2, words("A2", "Item"), words("B2", "Plan"), words("C2", "Actual")
    )
    rows += row(3, words("A3", "Crews"), cell("B3", "5"), cell("C3", "4")) + row(
        4, words("A4", "Guards"), cell("B4", "3"), cell("C4", "2")
    )
    document = load("xlsx", xlsx({"P": sheet(rows)}))
    assert [it.text for it in document.headings] == ["Staff Of The Harbour"] and headers(document, "5") == "Plan"


def test_names_above_an_empty_row_are_those_of_figures_that_they_all_stand_over() -> None:
    title = row(1, words("A1", "Flats")) + row(2, words("B2", "DEC 2013"))
    figures = row(5, words("A5", "Rent"), cell("B5", "57"), cell("C5", "58"))
    figures += row(6, words("A6", "Fees"), cell("B6", "4"), cell("C6", "5"))
    merged = "<mergeCells><mergeCell ref='A1:B1'/><mergeCell ref='B2:C2'/></mergeCells>"
    found = load("xlsx", xlsx({"P": sheet(title + figures, behind=merged)}))
    assert headers(found, "57") == headers(found, "58") == "DEC 2013"
    apart = load("xlsx", xlsx({"P": sheet(title + figures)}))
    assert headers(apart, "57") == ""
    named = row(4, words("A4", "Item"), words("B4", "Plan"), words("C4", "Actual"))
    assert headers(load("xlsx", xlsx({"P": sheet(title + named + figures, behind=merged)})), "57") == "Plan"


def test_merged_headers_and_declared_tables_name_their_columns() -> None:
    rows = row(1, words("A1", "Item"), words("B1", "First half"))
    rows += row(2, words("B2", "Plan"), words("C2", "Actual"))
    rows += row(3, words("A3", "Rent"), cell("B3", "12"), cell("C3", "13"))
    merged = "<mergeCells><mergeCell ref='B1:C1'/></mergeCells>"
    assert headers(load("xlsx", xlsx({"P": sheet(rows, behind=merged)})), "13") == "First half Actual"
    listed = sheet(row(1, words("A1", "Name"), words("B1", "Town")) + row(2, words("A2", "Ann"), words("B2", "Ely")))
    declared = xlsx(
        {"P": listed},
        relations={"sheets/sheet1.xml": {"t": "table ../table1.xml"}},
        **{"table1.xml": f"<table xmlns='{X}' ref='A1:B2'/>"},
    )
    assert headers(load("xlsx", declared), "Ely") == "Town"


def test_what_a_format_rounds_and_each_formula_can_be_found_once() -> None:
    shared = "<f t='shared' ref='D3:D4' si='0'>B3+C3</f>"
    more = TABLE.replace("</row></sheetData>", cell("D4", "2", formula="<f t='shared' si='0'/>") + "</row></sheetData>")
    more = more.replace("</row><row r='4'", cell("D3", "1", formula=shared) + "</row><row r='4'")
    document = load("xlsx", xlsx({"Plan": more}, formats=FORMATS))
    marked = {origin: text for text, origin in origins(document).items()}
    assert marked["stored value"].split("\n")[1:] == ["C3  -1577.4", "C4  0.254"]
    assert marked["formula"].split("\n")[1:] == ["D3:D4  =B3+C3", "C4  =C3/B3"]
    assert place(document, "-1577.4") == "Plan!C3" and place(document, "=B3+C3") == "Plan!D3"


def test_stored_values_do_not_outgrow_the_sheet_and_the_rest_is_counted() -> None:
    rows = "".join(row(at, cell(f"A{at}", f"{at}.123456789", style=1)) for at in range(1, 1001))
    document = load("xlsx", xlsx({"P": sheet(rows)}, formats=("0",)))
    assert "are not listed" in cautions(document)["not-listed"]
    assert document.text.count("\n") < 1500


def test_a_formula_without_a_result_is_shown_itself_and_said() -> None:
    filled = "<f t='shared' ref='A1:A2' si='3'>B1*2</f>"
    rows = row(1, cell("A1", formula=filled)) + row(2, cell("A2", formula="<f t='shared' si='3'/>"))
    document = load("xlsx", xlsx({"P": sheet(rows)}))
    assert document.text.startswith("=B1*2\n=B2*2")
    assert cautions(document)["no-result"].startswith("2 cells")


DRAWN = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
HIDING = "<cols><col min='2' max='2' hidden='1'/></cols>"


def test_what_is_folded_away_is_marked_and_what_nobody_sees_is_no_evidence() -> None:
    rows = row(1, words("A1", "seen"), words("B1", "in a column"))
    rows += row(2, words("A2", "in a row"), settings="hidden='1'")
    rows += row(3, words("A3", "on top"), words("C3", "covered"))
    merged = "<mergeCells><mergeCell ref='A3:C3'/></mergeCells>"
    sheets = {"Open": sheet(rows, before=HIDING, behind=merged), "Closed": sheet(row(1, words("A1", "secret")))}
    document = load("xlsx", xlsx(sheets, hidden=("Closed",)))
    assert document.text.startswith("seen\n[hidden] in a column\nin a row\non top")
    found = {"[hidden] in a column": "column", "in a row": "row", "covered": "cell", "secret": "sheet"}
    assert origins(document) == {text: f"hidden {part}" for text, part in found.items()}
    assert "the sheet Closed" in cautions(document)["hidden-parts"]
    at = document.text.index
    secret, covered, seen = (Span(at(word), at(word) + len(word)) for word in ("secret", "covered", "seen"))
    check = VisibilityChecker(document, lambda code, message: None)
    assert check([secret, covered, seen]) == {secret: "", covered: "in a hidden cell", seen: ""}
    assert describe_additions(document, secret) == ("from a hidden sheet",)


def test_text_in_the_colour_of_its_cell_is_hidden() -> None:
    styles = (
        f"<styleSheet xmlns='{X}'><fonts><font/><font><color rgb='FFFFFFFF'/></font></fonts><fills><fill/><fill>"
        "<patternFill patternType='solid'><fgColor rgb='FF112233'/></patternFill></fill></fills><cellXfs><xf/>"
        "<xf fontId='1'/><xf fontId='1' fillId='1'/></cellXfs></styleSheet>"
    )
    rows = row(1, words("A1", "plain"), words("B1", "white", style=1), words("C1", "on dark", style=2))
    assert origins(load("xlsx", xlsx({"P": sheet(rows)}, styles=styles))) == {"[hidden] white": "hidden cell"}


@pytest.mark.parametrize(
    ("font", "fill", "became"),
    [
        ("theme='4'", "", "seen"),
        ("theme='2'", "", "hidden"),
        ("theme='4'", "theme='4'", "hidden"),
        ("theme='4'", "theme='4' tint='0.5'", "seen"),
        ("theme='0' tint='-0.04'", "", "hidden"),
        ("theme='0' tint='-0.5'", "", "seen"),
        ("indexed='9'", "", "hidden"),
        ("indexed='18'", "rgb='FF000080'", "hidden"),
        ("indexed='65'", "indexed='64'", "seen"),
        ("rgb='FFFFFFFF'", "auto='1'", "doubtful"),
        ("auto='1'", "rgb='FF000000'", "hidden"),
    ],
)
def test_colours_of_the_theme_and_the_palette_are_known(font: str, fill: str, became: str) -> None:
    pattern = f"<patternFill patternType='solid'><fgColor {fill}/></patternFill>" if fill else ""
    styles = (
        f"<styleSheet xmlns='{X}'><fonts><font/><font><color {font}/></font></fonts><fills><fill/><fill>{pattern}"
        "</fill></fills><cellXfs><xf/><xf fontId='1' fillId='1'/></cellXfs></styleSheet>"
    )
    colours = "<a:lt2><a:srgbClr val='FAFAFA'/></a:lt2><a:accent1><a:srgbClr val='1F3864'/></a:accent1>"
    theme = f"<a:theme xmlns:a='{A}'><a:themeElements><a:clrScheme>{colours}</a:clrScheme></a:themeElements></a:theme>"
    relations = {
        "workbook.xml": {"s": "styles styles.xml", "r1": "worksheet sheets/sheet1.xml", "h": "theme theme1.xml"}
    }
    made = sheet(row(1, words("A1", "bait", style=1)))
    document = load("xlsx", xlsx({"P": made}, styles=styles, relations=relations, **{"theme1.xml": theme}))
    told = {"hidden": "hidden-parts", "doubtful": "visibility-unknown"}.get(became)
    assert "bait" in document.text and set(cautions(document)) == ({told} if told else set())


def test_values_of_all_kinds_are_read() -> None:
    raised = "<r><t>10</t></r><r><rPr><vertAlign val='superscript'/></rPr><t>6</t></r><rPh><t>no</t></rPh>"
    cells = [cell("A1", "0", kind="s"), cell("B1", "1", kind="s"), cell("C1", "1", kind="b")]
    cells += [cell("D1", "#DIV/0!", kind="e"), cell("E1", "45000", style=1)]
    cells += [cell("F1", "2024-03-04", kind="d", style=1)]
    cells += [cell("G1", "a_x000D_b", kind="str")]
    strings = ("<t>one</t>", raised)
    document = load("xlsx", xlsx({"P": sheet(row(1, *cells))}, strings=strings, formats=("yyyy-mm-dd",)))
    assert document.text == "one  10⁶  TRUE  #DIV/0!  2023-03-15  2024-03-04  a b"


def test_comments_charts_and_page_headers_stand_behind_the_rows() -> None:
    comment = "<comment ref='A1' authorId='0'><text><t>why?</t></text></comment>"
    comments = (
        f"<comments xmlns='{X}'><authors><author>Ann</author></authors><commentList>{comment}</commentList></comments>"
    )
    drawing = f"<d:wsDr xmlns:d='{DRAWN}' xmlns:c='{CHART}' xmlns:r='x'><c:chart r:id='k'/></d:wsDr>"
    head = '&amp;L&amp;"Arial,Bold"Draft 3&amp;RPage &amp;P'
    behind = f"<headerFooter><oddHeader>{head}</oddHeader></headerFooter><drawing r:id='d'/>"
    relations = {
        "sheets/sheet1.xml": {"n": "comments ../comments1.xml", "d": "drawing ../drawings/drawing1.xml"},
        "drawings/drawing1.xml": {"k": "chart ../charts/chart1.xml"},
    }
    parts = {"comments1.xml": comments, "drawings/drawing1.xml": drawing, "charts/chart1.xml": chart("Growth")}
    data = xlsx({"P": sheet(row(1, words("A1", "text")), behind=behind)}, relations=relations, **parts)
    document = load("xlsx", data)
    assert origins(document) == {
        "[page header] Draft 3 Page": "page header", "[comment by Ann on A1] why?": "comment", "[chart] Growth": "chart"
    }  # fmt: skip
    assert place(document, "why?") == "P!A1"


def test_a_sheet_that_is_broken_is_said_and_the_others_are_read() -> None:
    data = xlsx({"Good": sheet(row(1, words("A1", "kept"))), "Bad": sheet(row(1, words("A1", "cut")))[:-30]})
    document = load("xlsx", data)
    (caution,) = (caution for caution in document.cautions if caution.code == "damaged")
    assert document.text.startswith("kept") and caution.pages == (2,) and "Bad" in caution.message


def test_more_text_than_a_document_may_have_is_refused_while_it_is_read() -> None:
    rows = "".join(row(at, cell(f"A{at}", "0", kind="s")) for at in range(1, 2001))
    data = xlsx({"P": sheet(rows)}, strings=(f"<t>{'word ' * 200}</t>",))
    with pytest.raises(DocumentError, match="more than 100,000 characters") as caught:
        parse("xlsx", data, LoadLimits(characters=100_000))
    assert caught.value.code == "too-big"


@pytest.mark.full
def test_a_million_cells_are_read() -> None:
    rows = "".join(row(at, *(cell(f"{c}{at}", str(at)) for c in "ABCDEFGHIJ")) for at in range(1, 100_001))
    document = load("xlsx", xlsx({"P": sheet(rows)}))
    assert place(document, "99999  99999").startswith("P!A99999")
    assert document.text.count("\n") == 99_999


def test_more_hidden_rows_than_can_be_marked_are_hidden_with_what_stands_between() -> None:
    page = PageText()
    for _ in range(5):
        at = page.add_line("unseen")
        page.mark("hidden row", at, page.length)
        page.add_line("seen")
    assert len(page.settle_additions(5)) == 5
    assert page.settle_additions(4) == [Addition(0, page.length - len("\nseen"), "hidden row")]


def test_letters_of_one_point_are_hidden_unless_all_runs_are_larger() -> None:
    fonts = "<fonts><font/><font><sz val='1'/></font><font><sz val='1.5'/></font></fonts>"
    used = "".join(f"<xf numFmtId='0' fontId='{at}'/>" for at in range(3))
    styles = f"<styleSheet xmlns='{X}'>{fonts}<cellXfs>{used}</cellXfs></styleSheet>"
    run, bare = "<r><rPr><sz val='{}'/></rPr><t>{}</t></r>", "<r><t>{}</t></r>"
    strings = (
        "<t>bait</t>",
        run.format("9", "large") + bare.format(" "),
        bare.format("Shown") + run.format("1", "unseen"),
        "<t>bare</t>" + run.format("12", " sized"),
        bare.format("unsized ") + run.format("12", "sized"),
    )
    numbers = (("A1", "0", 1), ("B1", "1", 1), ("C1", "2", 0), ("F1", "3", 1), ("G1", "4", 1), ("H1", "4", 0))
    cells = [cell(name, at, kind="s", style=style) for name, at, style in numbers]
    rows = row(1, *cells[:3], cell("D1", "1577", style=1), cell("E1", "3", style=2), *cells[3:])
    document = load("xlsx", xlsx({"P": sheet(rows)}, styles=styles, strings=strings))
    assert origins(document) == {"[hidden] bait  1577  bare sized  unsized sized": "hidden cell"}
    assert document.text.startswith("large  Shown  3  unsized sized\n")
    assert "6 too small to read" in cautions(document)["hidden-text"]
