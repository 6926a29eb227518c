"""Which rows of a table are amounts, which currencies a text names, and numbers in words."""

import pytest

from ralph_cli.checks.output.rows import is_scaled
from ralph_cli.text.quantities.currencies import currencies_named, currency_after
from ralph_cli.text.quantities.figures import figures


@pytest.mark.parametrize(
    ("label", "header", "scaled"),
    [
        ("Weighted average shares", "(in millions, except per share data)", True),
        ("Weighted average shares", "(in millions, except per common share amounts)", True),
        ("Weighted average shares", "(in millions, except share and per share data)", False),
        ("Diluted  $  ", "(in millions, except per share data)", False),
        ("Diluted  ", "(in millions, except per share data)", True),
        ("Repurchases of shares", "(in millions, except share and per share data)", True),
        ("Net income attributable to common shareholders", "(in millions)", True),
        ("Employees at year end", "(in millions)", False),
        ("Employee benefits", "(in millions)", True),
        ("Advances to employees", "(in millions)", True),
        ("Number of stores", "(in thousands)", False),
        ("Stores", "(in thousands)", True),
        ("Property, plants and equipment", "(in millions)", True),
        ("Senior Notes due", "(in millions)", True),
        ("Net debt to capital ratio", "(in millions)", False),
    ],
)
def test_rows_that_are_no_amounts_are_not_in_millions(label: str, header: str, scaled: bool) -> None:
    assert is_scaled(label, header) is scaled


def test_currencies_are_named_by_sign_code_or_name() -> None:
    assert currencies_named("in millions of Swiss francs; CAD; NT$ and US$; 5 cents") == {"chf", "cad", "twd", "$"}
    assert currency_after("5 SEK", 1) == "sek"
    assert currency_after("8,000 EUR 7,500", 5) == ""  # it belongs to the next amount


def test_numbers_in_words_that_stand_side_by_side_are_several() -> None:
    text = "two five-year terms, five and ten years, three hundred and two days"
    assert [figure.value for figure in figures(text)] == [2, 5, 5, 10, 302]
    assert figures("one million two hundred thousand and forty-five")[0].value == 1_200_045
