"""Cells whose number format depends on a rule of the sheet, which only a spreadsheet program checks."""

import pytest
from office_files import X, cautions, cell, load, row, sheet, xlsx

from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.sheets.xlsx import parse_xlsx

STYLES = (
    f"<styleSheet xmlns='{X}'><cellXfs><xf numFmtId='0'/></cellXfs>"
    "<dxfs><dxf><font/></dxf><dxf><numFmt numFmtId='200' formatCode='0%'/></dxf></dxfs></styleSheet>"
)


def rule(cells: str, style: int | None) -> str:
    """A rule for some cells; `style` is the place of its format: 0 has a font, 1 a number format."""
    named = "" if style is None else f"dxfId='{style}'"
    told = f"<cfRule type='cellIs' operator='greaterThan' {named} priority='1'><formula>0</formula></cfRule>"
    return f"<conditionalFormatting sqref='{cells}'>{told}</conditionalFormatting>"


def workbook(*sheets: str) -> bytes:
    """A workbook with these rules in its sheets P1, P2 and so on, in each of which A1 is 7."""
    pages = {f"P{at}": sheet(row(1, cell("A1", "7")), behind=rules) for at, rules in enumerate(sheets, 1)}
    return xlsx(pages, styles=STYLES)


@pytest.mark.parametrize(
    ("sheets", "told"),
    [
        ([rule("A1:A9", 1)], "P1!A1:A9"),
        ([rule("A:A 3:3", 1)], "P1!A:A, P1!3:3"),
        ([rule("B1", 0) + rule("A1", 1) * 9 + rule("C1", 1)], "P1!A1, P1!C1"),
        ([rule("A1", 0), rule("A1 C1", 1), rule("A1", 1)], "P2!A1, P2!C1, P3!A1"),
        ([rule(" ".join(f"A{at}" for at in range(1, 9000)), 1)], "P1!A1, P1!A2, P1!A3, P1!A4, P1!A5 and other cells"),
    ],
)
def test_ranges_that_a_rule_may_show_in_another_number_format_are_named(sheets: list[str], told: str) -> None:
    document = load("xlsx", workbook(*sheets))
    assert document.text.startswith("7")
    what = f"a spreadsheet program may show {told} differently"
    assert cautions(document) == {
        "conditional-formats": f"number formats of conditional formats are not applied: {what}"
    }


def test_rules_without_a_number_format_are_nothing_to_tell() -> None:
    assert not cautions(load("xlsx", workbook(rule("A1", 0) + rule("A1", None) + rule("A1", 9))))


def test_a_sheet_is_unpacked_once_whatever_formats_the_workbook_has() -> None:
    rows = "".join(row(at, cell(f"A{at}", "7")) for at in range(1, 1000))
    page = sheet(rows)
    limits = LoadLimits(characters=len(page) * 3 // 2 // 6)
    parsed = parse_xlsx(xlsx({"P": page}, styles=STYLES), name="a.xlsx", limits=limits)
    assert parsed.text.count("7") == 999
