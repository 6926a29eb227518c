"""Word documents: figures stay what they are, tables keep their columns, and clause numbers stand before their text."""

import pytest
from tables import column_names, names_of
from word import paragraph, part, run, table

from ralph_cli.retrieval.quotes.index import QuoteIndex

M = "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'"
SUPER, SUB = "<w:vertAlign w:val='superscript'/>", "<w:vertAlign w:val='subscript'/>"


def style(identity: str, inner: str, kind: str = "paragraph", base: str = "") -> str:
    based = f"<w:basedOn w:val='{base}'/>" if base else ""
    return f"<w:style w:type='{kind}' w:styleId='{identity}'><w:name w:val='{identity}'/>{based}{inner}</w:style>"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (run("10") + run("6", SUPER) + run(" units"), "10\u2076 units"),
        (run("$1,577") + run("2", SUPER), "$1,577\u00b2"),
        (run("CO") + run("2", SUB), "CO\u2082"),
        (run("1") + run("st", SUPER), "1st"),
        (run("10") + run("6", "<w:rStyle w:val='Mark'/>"), "10\u2076"),
        (run("10") + run("6", "<w:rStyle w:val='Mark'/><w:vertAlign w:val='baseline'/>"), "106"),
        (run("10") + run("6", "<w:position w:val='8'/>"), "10\u2076"),
        (run("10") + run("6", "<w:position w:val='2'/>"), "106"),
        (run("106", "<w:position w:val='8'/>"), "106"),
        (run("3") + run("1", SUPER) + run("/") + run("2", SUB), "3\u00bd"),
        (run("3") + run("5", SUPER) + run("\u2044") + run("16", SUB), "3 5/16"),
    ],
)
def test_raised_and_lowered_figures_are_no_digits_of_the_figure_before(read, inner: str, text: str) -> None:
    styles = part(
        "styles", style("Base", f"<w:rPr>{SUPER}</w:rPr>", "character") + style("Mark", "", "character", "Base")
    )
    assert read(f"<w:p>{inner}</w:p>", styles=styles).text == text


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("<m:sSup><m:e>{x}</m:e><m:sup>{2}</m:sup></m:sSup>", "x\u00b2"),
        ("<m:sSub><m:e>{a}</m:e><m:sub>{i}</m:sub></m:sSub>{b}", "a_i b"),
        ("{3}<m:f><m:num>{5}</m:num><m:den>{16}</m:den></m:f>", "3 5/16"),
        ("{3}<m:f><m:num>{1}</m:num><m:den>{2}</m:den></m:f>", "3\u00bd"),
        ("<m:f><m:num>{a+b}</m:num><m:den>{c}</m:den></m:f>", "(a+b)/c"),
        ("{a}<m:f><m:num>{b}</m:num><m:den>{c}</m:den></m:f>{x}", "a(b/c)x"),
        ("{a/}<m:f><m:num>{b}</m:num><m:den>{c}</m:den></m:f>", "a/(b/c)"),
        ("<m:f><m:num><m:f><m:num>{a}</m:num><m:den>{b}</m:den></m:f></m:num><m:den>{c}</m:den></m:f>", "(a/b)/c"),
        ("<m:f><m:num>{5}</m:num><m:den>{16}</m:den></m:f>{x}", "5/16 x"),
        (
            "<m:sSup><m:e><m:f><m:num>{a}</m:num><m:den>{b}</m:den></m:f></m:e><m:sup>{2}</m:sup></m:sSup>",
            "(a/b)\u00b2",
        ),
        (
            "<m:sSup><m:e><m:sSup><m:e>{x}</m:e><m:sup>{2}</m:sup></m:sSup></m:e><m:sup>{3}</m:sup></m:sSup>",
            "(x\u00b2)\u00b3",
        ),
        ("{3}{\u00d7}<m:sSup><m:e>{16}</m:e><m:sup>{-5}</m:sup></m:sSup>", "3\u00d716\u207b\u2075"),
        ("<m:sSup><m:e>{x}</m:e><m:sup>{2n}</m:sup></m:sSup>{i}", "x^(2n)i"),
        ("<m:rad><m:deg/><m:e>{x + 1}</m:e></m:rad>", "\u221a(x + 1)"),
        ("<m:d><m:e>{a}</m:e></m:d>", "(a)"),
    ],
)
def test_equations_are_written_on_one_line(read, inner: str, text: str) -> None:
    for sign in ("x", "2", "2n", "-5", "\u00d7", "a", "a/", "i", "b", "3", "5", "16", "1", "a+b", "c", "x + 1"):
        inner = inner.replace(f"{{{sign}}}", f"<m:r><m:t>{sign}</m:t></m:r>")
    assert read(f"<w:p>{run('is ')}<m:oMath {M}>{inner}</m:oMath></w:p>").text == f"is {text}"


def test_a_fraction_of_a_field_and_one_that_is_not_understood(read) -> None:
    mark = "<w:r><w:fldChar w:fldCharType='{}'/></w:r>".format
    code = "<w:r><w:instrText>{}</w:instrText></w:r>".format
    fraction, other = code(r"EQ \f(5;16)"), code(r"EQ \o(x,y)")
    body = f"<w:p>{run('3')}{mark('begin')}{fraction}{mark('end')}{run(' in')}</w:p>"
    assert read(body).text == "3 5/16 in"
    unread = read(f"<w:p>{run('a ')}{mark('begin')}{other}{mark('end')}</w:p>")
    assert unread.text.startswith("a [equation: ") and unread.cautions[0].code == "unread-content"
    # The code of a field that never ends swallows nothing of what follows.
    assert read(f"<w:p>{mark('begin')}{code('IF x')}</w:p>{paragraph('After it.')}").text == "After it."


def test_an_empty_cell_keeps_its_place_and_each_figure_its_column(read) -> None:
    rows = (["Item", "2022", "2023"], ["Dividend", "", "500"], ["Other", "7", ""])
    document = read(table(*rows, header=True))
    assert document.text == "Item  2022  2023\nDividend  \u2423  500\nOther  7"
    assert names_of(document, "500") == "2023" and names_of(document, "7") == "2022"
    assert read(table(*rows)).text == document.text  # a first row that is full names the columns, too
    assert read(table(["", "2022", "2023"], *rows[1:])).text.splitlines()[1] == "Dividend  \u2423  500"
    assert read(table(["Item", "", "2023"], *rows[1:])).text.splitlines()[1] == "Dividend  500"


def test_spans_and_merged_cells(read) -> None:
    cell = "<w:tc><w:tcPr>{}</w:tcPr>{}</w:tc>".format
    wide = cell("<w:gridSpan w:val='2'/>", paragraph("Year"))
    rows = [
        cell("", "<w:p/>") + wide,
        cell("", paragraph("Item")) + cell("", paragraph("2022")) + cell("", paragraph("2023")),
        cell("<w:vMerge w:val='restart'/>", paragraph("Rent")) + cell("", paragraph("1")) + cell("", paragraph("2")),
        cell("<w:vMerge/>", paragraph("unseen")) + cell("", "<w:p/>") + cell("", paragraph("4")),
        cell("<w:gridSpan w:val='2'/>", paragraph("both")) + cell("", paragraph("6")),
    ]
    marked = "<w:trPr><w:tblHeader/></w:trPr>"
    written = "".join(f"<w:tr>{marked if at < 2 else ''}{row}</w:tr>" for at, row in enumerate(rows))
    document = read(f"<w:tbl>{written}</w:tbl>")
    assert document.text.splitlines() == ["Year", "Item  2022  2023", "Rent  1  2", "Rent  \u2423  4", "both  6"]
    assert column_names(document) == ["Item", "Year 2022", "Year 2023"]
    cells = [(document.text[cell.start : cell.end], cell.column) for cell in document.tables[0].cells]
    assert cells[-4:] == [("Rent", 0), ("4", 2), ("both", 0), ("6", 2)]
    assert document.cautions[0].code == "hidden-text"


def test_a_table_within_a_table_keeps_its_rows(read) -> None:
    inner = table(["Item", "2022", "2023"], ["Dividend", "", "500"])
    document = read(table([paragraph("Left") + inner, "Right"]))
    assert document.text == "Left\nItem  2022  2023\nDividend  \u2423  500\nRight"
    assert document.text[document.tables[0].start : document.tables[0].end].endswith("500")
    rows = (["Item", "2022", "2023"], ["Rent", "1", "2"], [paragraph("By kind") + inner, "", ""], ["Dues", "", "7"])
    document = read(table(*rows, header=True))
    assert names_of(document, "7") == "2023" and document.tables[-1].title == -1


def level(at: int, text: str, kind: str = "decimal", more: str = "") -> str:
    numbered = f"<w:start w:val='1'/><w:numFmt w:val='{kind}'/>{more}<w:lvlText w:val='{text}'/>"
    return f"<w:lvl w:ilvl='{at}'>{numbered}</w:lvl>"


def clause(text: str, at: int = 0, number: int = 1) -> str:
    settings = f"<w:numPr><w:ilvl w:val='{at}'/><w:numId w:val='{number}'/></w:numPr>"
    return f"<w:p><w:pPr>{settings}</w:pPr>{run(text)}</w:p>"


def numbering(*levels: str, nums: str = "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>") -> str:
    return part("numbering", f"<w:abstractNum w:abstractNumId='0'>{''.join(levels)}</w:abstractNum>{nums}")


def test_clause_numbers_stand_before_their_text(read) -> None:
    levels = (level(0, "%1."), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter"), level(3, "%4", "upperRoman"))
    body = clause("Term") + clause("one", 1) + clause("two", 1) + clause("a", 2) + clause("b", 2) + clause("r", 3)
    body += clause("Fees") + clause("Rent is due", 1) + clause("c", 2)
    document = read(body, numbering=numbering(*levels))
    numbers = [line.split()[0] for line in document.text.split("\n\n")]
    assert numbers == ["1.", "1.1", "1.2", "(a)", "(b)", "I", "2.", "2.1", "(a)"]
    index = QuoteIndex(document)
    for quote in ("Rent is due", "2.1 Rent is due"):
        match = index.find(quote)
        assert match is not None and match.tier == "exact"
    assert index.find("1 Rent is due") is None


def test_a_list_without_an_id_numbers_nothing(read) -> None:
    nameless = numbering(level(0, "%1."), nums="<w:num w:numId='2'/>").replace("w:abstractNumId='0'", "")
    assert "abstractNumId" not in nameless
    assert read(clause("a", number=7) + clause("b", number=2), numbering=nameless).text == "a\n\nb"


def test_lists_restart_as_they_are_told(read) -> None:
    nums = (
        "<w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num><w:num w:numId='2'><w:abstractNumId w:val='0'/>"
        "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='5'/></w:lvlOverride></w:num>"
        "<w:num w:numId='3'><w:abstractNumId w:val='0'/></w:num>"
    )
    never = level(1, "%2", more="<w:lvlRestart w:val='0'/>")
    body = clause("a") + clause("b", 1) + clause("c", number=3) + clause("d", 1) + clause("e", number=2)
    document = read(
        body + clause("f", number=2) + clause("none", number=0), numbering=numbering(level(0, "%1"), never, nums=nums)
    )
    assert document.text.split("\n\n") == ["1 a", "1 b", "2 c", "2 d", "5 e", "6 f", "none"]


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("decimalZero", "03"), ("lowerRoman", "iii"), ("upperLetter", "C"), ("ordinal", "3rd"),
        ("cardinalText", "Three"), ("ordinalText", "Third"), ("none", ""), ("bullet", "\u2022"), ("thaiLetters", "3"),
    ],
)  # fmt: skip
def test_forms_of_numbers(read, kind: str, shown: str) -> None:
    document = read(clause("a") + clause("b") + clause("last"), numbering=numbering(level(0, "%1", kind)))
    assert document.text.split("\n\n")[-1] == f"{shown} last".strip()
    assert [caution.code for caution in document.cautions] == (["numbering"] if kind == "thaiLetters" else [])


def test_numbers_by_style_and_headings_with_their_numbers(read) -> None:
    styles = part(
        "styles",
        style("H1", "<w:pPr><w:numPr><w:numId w:val='1'/></w:numPr><w:outlineLvl w:val='0'/></w:pPr>")
        + style("H2", "<w:pPr><w:numPr><w:ilvl w:val='1'/></w:numPr><w:outlineLvl w:val='1'/></w:pPr>", base="H1"),
    )
    body = paragraph("Term", "H1") + paragraph("Start", "H2") + paragraph("End", "H2")
    document = read(body, styles=styles, numbering=numbering(level(0, "Article %1"), level(1, "%1.%2")))
    found = [(heading.text, heading.level) for heading in document.headings]
    assert found == [("Article 1 Term", 1), ("1.1 Start", 2), ("1.2 End", 2)]


def test_a_number_of_a_paragraph_that_is_deleted_is_not_counted(read) -> None:
    settings = "<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr><w:rPr><w:del w:id='1'/></w:rPr>"
    gone = f"<w:p><w:pPr>{settings}</w:pPr><w:del w:id='2'><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    document = read(clause("one") + gone + clause("two"), numbering=numbering(level(0, "%1.")))
    assert document.text == "1. one\n\n2. two"
