"""A quote that cuts a figure or a compound at its edge is widened to all of it, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.quotes.search_text import widen_to_whole


def widened(text: str, quote: str) -> str:
    start = text.index(quote)
    first, last = widen_to_whole(text, start, start + len(quote))
    return text[first:last]


@pytest.mark.parametrize(
    ("text", "quote", "wider"),
    [
        ("a loss of -$5 million in", "$5 million in", "-$5 million in"),
        ("a loss of −5 %", "5 %", "−5 %"),
        ("a loss of − 5 points", "5 points", "− 5 points"),
        ("a loss ($5 million) in", "$5 million", "($5 million)"),
        ("a loss ($5 million) in", "5 million", "($5 million)"),
        ("a loss of ($5) in", "$5", "($5)"),
        ("a loss of $(5) in", "5", "$(5)"),
        ("about 1/2 of it", "2 of it", "1/2 of it"),
        ("about 1/2 of it", "about 1", "about 1/2"),
        ("some 4 1/2 shares", "1/2 shares", "4 1/2 shares"),
        ("a ratio of 2:16 then", "16 then", "2:16 then"),
        ("the non-GAAP margin", "GAAP margin", "non-GAAP margin"),
        ("the non-GAAP margin", "the non", "the non-GAAP"),
        ("the non-GAAP margin", "-GAAP margin", "non-GAAP margin"),
        ("twenty-five persons", "five persons", "twenty-five persons"),
        ("un-audited", "audited", "un-audited"),
        ("a day-to-day matter", "day matter", "day-to-day matter"),
        ("for 23-25 days", "25 days", "23-25 days"),
        ("for 1,000\u20132,000 units", "2,000 units", "1,000\u20132,000 units"),
        ("for 1,000-2,000 units", "for 1,000", "for 1,000-2,000"),
        ("made 1 500 units of it", "500 units", "1 500 units"),
        ("paid US$11 million", "$11 million", "US$11 million"),
        ("paid EUR 12 million", "12 million", "EUR 12 million"),
        ("paid 13 EUR for it", "paid 13", "paid 13 EUR"),
        ("paid 13 € for it", "paid 13", "paid 13 €"),
        ("up +26% on it", "26% on", "+26% on"),
        ("about ~27 of them", "27 of", "~27 of"),
        ("if ≥31 days", "31 days", "≥31 days"),
    ],
)
def test_what_belongs_to_an_edge_comes_with_it(text: str, quote: str, wider: str, make_document) -> None:
    assert widened(text, quote) == wider
    match = QuoteIndex(make_document(text)).find(quote)
    assert match is not None and match.tier == "recut"
    assert text[match.span.start : match.span.end] == wider


@pytest.mark.parametrize(
    ("text", "quote", "wider"),
    [
        (
            "to non-controlling interests  (3)  (4)\n",
            "controlling interests 3 4",
            "non-controlling interests  (3)  (4)",
        ),
        ("sold 23-25  (days)  of (work)\n", "25 days of work", "23-25  (days)  of (work"),
        ("a -5%  (change)  of income\n", "5% change of income", "-5%  (change)  of income"),
    ],
)
def test_letters_and_digits_alone_are_found_and_widened(text: str, quote: str, wider: str, make_document) -> None:
    match = QuoteIndex(make_document(text)).find(quote)
    assert match is not None and text[match.span.start : match.span.end] == wider


def test_another_sign_is_not_widened_to(make_document) -> None:
    assert QuoteIndex(make_document("a -5%  (change)  of income\n")).find("+5% change of income") is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("see note (5) there", "there"),
        ("see p. 5) there", "5"),
        ("(see note 5) there", "5"),
        ("(a $5 million loan)", "$5 million"),
        ("- 6 points of it", "6 points"),
        ("Class A-1 notes", "notes"),
        ("Class A-1 notes", "A-1 notes"),
        ("sales 320 310", "sales 320"),
        ("and/or so", "or so"),
        ("it is\u2014by far\u2014best", "by far"),
        ("best\u2013ever day", "ever day"),
        ("one - two", "two"),
        ("a -- b", "b"),
        ("in 5 Euro notes", "in 5"),
        ("$5 $6", "$5"),
        ("a < 5 b", "5 b"),
        ("x>y", "y"),
        ("5.", "5"),
        ("ends-", "ends"),
    ],
)
def test_what_stands_for_itself_is_left_alone(text: str, quote: str) -> None:
    assert widened(text, quote) == quote


@given(st.text("ab1 5-$(),.%/:>\u2212\n", max_size=60), st.data())
def test_widening_only_widens(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = widen_to_whole(text, start, end)
    assert 0 <= first <= start <= end <= last <= len(text)


def test_a_chain_without_end_is_not_followed() -> None:
    text = "a-" * 10_000 + "b"
    assert widen_to_whole(text, len(text) - 1, len(text)) == (len(text) - 1, len(text))
