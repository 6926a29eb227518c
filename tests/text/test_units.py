"""A figure of a claim has the currency, unit and table scale of the quoted one, in whatever words either is stated."""

import pytest
from figure_cases import DIVIDENDS, EARNINGS, EMPLOYEES, LABELS, REVENUE, SHARES, TAX, told

from ralph_cli.checks.output.rows import is_scaled
from ralph_cli.text.quantities.currencies import currencies_named, currency_after
from ralph_cli.text.quantities.figures import figures


@pytest.mark.parametrize(
    ("quote", "claim", "holds"),
    [
        ("a price of $5 million", "a price of C$5 million", False),
        ("a price of C$5 million", "a price of $5 million", False),
        ("a price of A$5 million", "a price of HK$5 million", False),
        ("a price of 5 million", "a price of C$5 million", True),  # no currency is named: as it is for $ and EUR
        ("a price of C$5 million", "a price of 5 million", True),
        ("a price of C$5 million", "a price of CAD 5 million, of CAD $5 million or $5 million CAD", True),
        ("a price of $5 million", "a price of US$5 million, USD 5 million or U.S. $5 million", True),
        ("A $5 fee", "a fee of $5", True),  # no Australian one
        ("a price of 5 million Canadian dollars", "a price of C$5 million", True),
        ("a price of 5 million Canadian dollars", "a price of 5 million Australian dollars", False),
        ("a price of Rs. 5 million", "a price of ₹5 million, INR 5 million or 5 million rupees", True),
        ("a price of RMB 5 million", "a price of CNY 5 million or 5 million yuan", True),
        ("a price of SEK 5 million", "a price of DKK 5 million", False),
        ("a price of SEK 5 million", "a price of 5 million", True),
        ("a price of CHF 5 million", "a price of 5 million Swiss francs", True),
        ("a price of 5 pence", "a price of 5 cents", False),
        ("a rate of 50%", "a rate of 50 bps", False),
        ("a rate of 50 bps", "a rate of 50%", False),
        ("a rate of 50 basis points", "0.5 percentage points, or 0.50%, or 50bps", True),
        ("a rate of 0.5%", "a rate of 50 basis points", True),
        ("a rate of 0.653%", "a rate of 25 basis points", False),
        ("with 50 of them", "with 50 basis points of them", False),
        ("a dividend of $0.74", "a dividend of 74 cents, of 74¢", True),
        ("a dividend of 74 cents", "a dividend of $0.74", True),
        ("a dividend of 74 cents", "a dividend of $74", False),
        ("a dividend of C$0.74", "a dividend of 74 cents", True),
        ("a dividend of £0.74", "a dividend of 74 pence", True),
        ("a ratio of 0.74%", "a dividend of 74 cents", False),
        ("within 30 Business Days", "within 30 days", False),
        ("within 30 days", "within 30 Business Days", False),
        ("within 30 days", "within thirty calendar days", True),
        ("within 30 (thirty) Business Days", "within thirty working days", True),
        ("within 30 trading days", "within 30 business days", False),
        ("for two decades", "for two years", False),
        ("for 48 hours", "for 48 minutes", False),
        ("for six weeks", "for six months", False),
        ("for three nights", "for three days", False),
        ("over 420 km", "over 420 miles", False),
        ("over 420 km", "over 420 kilometers", True),
        ("5,000 square feet", "5,000 square metres", False),
        ("12 tonnes", "12 tons", False),
        ("300 MW", "300 GW", False),
        ("at 4½%", "at 4.5%, 4 1/2%, or 4 ½ per cent", True),
        ("at 4 1/4%", "at 4¼%", True),
        ("at 4½%", "at 4%", False),
        ("at 4½%", "at 4¾%", False),
        ("for two and a half years", "for 2.5 years", True),
        ("for two and a half years", "for two years", False),
        ("between 1.5 million and 1.7 million units", "between 1.5 and 1.7 million units", True),
        ("between 1.5 million and 1.7 million units", "between 1.5 and 1.7 billion units", False),
    ],
)
def test_units_and_currencies_are_told_apart(quote: str, claim: str, holds: bool) -> None:
    assert (told(f"It is {claim}.", (f"There it was {quote} in all.",)) == []) is holds


@pytest.mark.parametrize(
    ("row", "claim", "holds"),
    [
        (EMPLOYEES, "It had 18,450 employees.", True),
        (EMPLOYEES, "It had about 18,500 employees.", True),
        (EMPLOYEES, "It had 18.5 billion employees.", False),
        (EMPLOYEES, "It had 18,450 million employees.", False),
        (EARNINGS, "It earned $3.64 per share.", True),
        (EARNINGS, "It earned $3.64 million per share.", False),
        (DIVIDENDS, "It paid 0.74 million.", False),
        (TAX, "Taxes were 22.4 million.", False),
        (SHARES, "It had 120.1 million shares.", True),
        (REVENUE, "It sold for $4.81 billion.", True),
        (LABELS, "It sold for $88.1 million.", True),
        (LABELS, "It sold for €88.1 million.", False),  # the header counts dollars
        (LABELS, "It sold for €88,120 thousand.", False),
    ],
)
def test_a_tables_scale_and_currency_are_for_its_amounts_only(row: str, claim: str, holds: bool) -> None:
    assert (told(claim, (row,)) == []) is holds


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


def test_the_dollars_of_a_table_are_those_that_its_header_names() -> None:
    quotes = ("Amounts in millions of Canadian dollars", "Ore sales  $  512.3  $  498.1")
    assert told("Ore sales were C$512.3 million, or $512.3 million.", quotes) == []
    assert told("Ore sales were A$512.3 million.", quotes)
    assert told("Ore sales were €512.3 million.", quotes)


def test_a_note_behind_a_percentage_leaves_its_row_an_amount() -> None:
    quotes = ("(in millions)", "5.25% Senior Notes due 2029  450.0")
    assert told("The notes are of $450 million.", quotes) == []


def test_currencies_are_named_by_sign_code_or_name() -> None:
    assert currencies_named("in millions of Swiss francs; CAD; NT$ and US$; 5 cents") == {"chf", "cad", "twd", "$"}
    assert currency_after("5 SEK", 1) == "sek"
    assert currency_after("8,000 EUR 7,500", 5) == ""  # it belongs to the next amount


def test_numbers_in_words_that_stand_side_by_side_are_several() -> None:
    text = "two five-year terms, five and ten years, three hundred and two days"
    assert [figure.value for figure in figures(text)] == [2, 5, 5, 10, 302]
    assert figures("one million two hundred thousand and forty-five")[0].value == 1_200_045
    assert told("It has two five-year terms.", ("It has two terms, of five years each.",)) == []
