"""Cells whose number format depends on their value, by a rule of the sheet."""

import pytest
from office_files import X, cautions, cell, load, origins, row, sheet, words, xlsx

FORMATS = ('0.0" EUR"', "0%", ";;;", '0;-0;0;"to "@')


def rule(kind: str, *formulas: str, style: int | None = None, stops: bool = False, cells: str = "A1:A9") -> str:
    """A rule that compares by the operator `kind`, or is of that type; `style` is the place of its format."""
    how = f"type='{kind}'" if kind in ("expression", "top10") else f"type='cellIs' operator='{kind}'"
    bounds = "".join(f"<formula>{one}</formula>" for one in formulas)
    named = "" if style is None else f"dxfId='{style}'"
    told = f"<cfRule {how} {named} priority='{{}}' stopIfTrue='{int(stops)}'>{bounds}</cfRule>"
    return f"<conditionalFormatting sqref='{cells}'>{told}</conditionalFormatting>"


def workbook(*rules: str, values: tuple[str, ...]) -> bytes:
    """A sheet with these values in column A, and these rules, the first of which comes first."""
    rows = "".join(
        row(at, cell(f"A{at}", value) if value[-1].isdigit() else words(f"A{at}", value))
        for at, value in enumerate(values, 1)
    )
    codes = (code.replace('"', "&quot;") for code in FORMATS)
    kept = "".join(f"<dxf><numFmt numFmtId='{at}' formatCode='{code}'/></dxf>" for at, code in enumerate(codes, 200))
    styles = f"<styleSheet xmlns='{X}'><cellXfs><xf numFmtId='0'/></cellXfs><dxfs>{kept}</dxfs></styleSheet>"
    # The file's order of rules does not count.
    behind = "".join(one.format(at) for at, one in reversed(list(enumerate(rules, 1))))
    return xlsx({"P": sheet(rows, behind=behind)}, styles=styles)


@pytest.mark.parametrize(
    ("rules", "value", "shown"),
    [
        ([rule("greaterThan", "2.5", style=0)], "3", "3.0 EUR"),
        ([rule("greaterThan", "2.5", style=0)], "2.5", "2.5"),
        ([rule("greaterThan", "2.5", style=0, cells="B1:B9 A3")], "3", "3"),
        ([rule("greaterThan", "2.5", style=0, cells="B1:B9 A1")], "3", "3.0 EUR"),
        ([rule("equal", "0.3", style=1)], "0.30000000000000004", "30%"),
        ([rule("between", "-1", "1", style=1)], "-1", "-100%"),
        ([rule("notBetween", "-1", "1", style=1)], "-1", "-1"),
        ([rule("notEqual", "0", style=3)], "Ann", "to Ann"),
        ([rule("lessThan", "1e3", style=3)], "Ann", "Ann"),
        ([rule("expression", "TRUE", style=1)], "2", "200%"),
        ([rule("lessThan", "5", style=0), rule("lessThan", "9", style=1)], "2", "2.0 EUR"),
        ([rule("lessThan", "5", stops=True), rule("lessThan", "9", style=1)], "2", "2"),
        ([rule("lessThan", "5"), rule("lessThan", "9", style=1)], "2", "200%"),
        ([rule("lessThan", "1", stops=True), rule("lessThan", "9", style=1)], "2", "200%"),
    ],
)
def test_the_first_rule_that_holds_gives_a_cell_its_number_format(rules: list[str], value: str, shown: str) -> None:
    document = load("xlsx", workbook(*rules, values=(value,)))
    assert document.text.split("\n")[0] == shown and not cautions(document)


def test_what_a_rule_hides_is_a_stored_value() -> None:
    document = load("xlsx", workbook(rule("equal", "5", style=2), values=("Sum", "5")))
    assert document.text.startswith("Sum\n\n")
    assert next(words for words, origin in origins(document).items() if origin == "stored value").endswith("A2  5")


@pytest.mark.parametrize(
    "unknown",
    [
        rule("expression", "B1&gt;3", style=1),
        rule("equal", "$B$1", style=1),
        rule("between", "9", "1", style=1),
        rule("top10", style=1),
        rule("expression", "B1&gt;3", stops=True),
        rule("equal", "5", style=1, cells=" ".join(f"A{at} C{at}" for at in range(1, 150))),
    ],
)
def test_a_condition_that_only_a_program_can_check_is_said(unknown: str) -> None:
    rules = (rule("equal", "7", style=0, cells="A1"), unknown, rule("equal", "8", style=0))
    document = load("xlsx", workbook(*rules, values=("7", "8", "sum")))
    shown = document.text.split("\n")
    if "C149" in unknown:
        assert shown == ["7", "8", "sum"] and cautions(document)["conditional-formats"].startswith("3 cells ")
    else:
        assert shown == ["7.0 EUR", "8", "sum"] and cautions(document)["conditional-formats"].startswith("1 cell ")


def test_rules_without_a_number_format_are_nothing_to_tell() -> None:
    rules = (rule("expression", "B1&gt;3", stops=True), rule("expression", "B1&gt;4", style=9))
    assert not cautions(load("xlsx", workbook(*rules, values=("7",))))
