"""Currencies: one table for the figures of a text and for the edges of quotes."""

import pytest

from ralph_cli.retrieval.quotes.search_text import widen_to_whole
from ralph_cli.text.quantities.currencies import CODES, DOLLARS, currencies_named, currency_after, currency_key
from ralph_cli.text.quantities.reader import read_quantities


@pytest.mark.parametrize("code", ["EUR", "CZK", "HUF", "TRY", "TWD", "THB", "RMB", "KZT"])
def test_the_figures_and_the_edges_know_the_same_codes(code: str) -> None:
    text = f"It has {code} 12 million in loans."
    start = text.index("12")
    first, last = widen_to_whole(text, start, text.index("."))
    assert text[first:last] == f"{code} 12 million in loans"
    assert read_quantities(text)[0].unit == currency_key(code) and currencies_named(text)
    text = f"It has 12 {code} in cash."
    first, last = widen_to_whole(text, 0, text.index("12") + 2)
    assert text[first:last] == f"It has 12 {code}"
    assert currency_after(text, text.index("12") + 2)[0] == currency_key(code)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("12 million Czech korunas", "czk"), ("5 Hungarian forints", "huf"), ("5 Thai baht", "thb"),
        ("5 New Taiwan dollars", "twd"), ("5 koruna", "czk"), ("5 Jamaican dollars", "jmd"), ("5 U.S. dollars", "$"),
        ("5 dollars", "$"),
        ("5 pounds sterling", "\u00a3"), ("5 euro cents", ""), ("\u0e3f5", "thb"), ("5 z\u0142oty", "pln"),
        ("5 South  Korean\nwon", "krw"), ("5 Swiss francs", "chf"), ("TRY 5", "try"), ("C$5", "cad"), ("5 usd", "$"),
    ],
)  # fmt: skip
def test_currencies_are_known_by_code_sign_and_name(text: str, named: str) -> None:
    assert currencies_named(text) == (frozenset({named}) if named else frozenset())


@pytest.mark.parametrize(
    "text",
    [
        "ALL 5 DIRECTORS", "we try 5 times", "they won 5 awards", "a real 5 per cent", "TOP 10 customers", "AMD 2022",
        "IRR 15%", "SDG 13", "5 sol", "5 crowns and marks", "5 som", "czk 5", "PRETRY 5",
    ],
)  # fmt: skip
def test_ordinary_words_are_no_currencies(text: str) -> None:
    assert not currencies_named(text) and not any(found.kind == "currency" for found in read_quantities(text))


def test_the_table_has_what_reports_are_written_in() -> None:
    assert {"CHF", "INR", "CNY", "BGN", "HRK", "SAR", "AED"} <= set(CODES) and len(CODES) > 100
    assert {"cad", "jmd", "nzd"} <= DOLLARS and "$" not in DOLLARS
