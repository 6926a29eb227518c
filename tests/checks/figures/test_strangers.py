"""A currency that the document has no trace of, and a place in time that is not quoted, are refused."""

import pytest
from fakes import document

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.documents.quotes.index import QuoteIndex

RENT = "The rent of 4,800 is due on the first day of each month."


def told(claim: str, text: str = RENT, question: str = "What is the rent?") -> list[str]:
    about = document(text)
    attempt = resolve_quotes(Draft((DraftClaim(claim, (RENT,)),)), about, QuoteIndex(about))
    assert not attempt.refused
    return [issue.line for issue in NumbersCheck(about, question)(attempt).issues]


@pytest.mark.parametrize("amount", ["€4,800", "4,800 dollars", "£4,800", "$4,800", "4,800 yen", "EUR 4,800"])
def test_a_currency_that_is_nowhere_is_refused(amount: str) -> None:
    (line,) = told(f"The rent is {amount}.")
    assert "names no such currency" in line


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("€4,800", f"{RENT}\nAll amounts are in euro.\n"),
        ("$4,800", f"{RENT}\nAmounts in US dollars.\n"),
        ("£4,800", f"{RENT}\nPounds sterling\n"),
        ("4,800", RENT),
        ("SEK 4,800", f"{RENT}\nKronor\n"),
    ],
)
def test_one_that_the_document_names_anywhere_is_not(amount: str, text: str) -> None:
    assert told(f"The rent is {amount}.", text) == []


def test_one_that_the_question_names_is_not() -> None:
    assert told("The rent is $4,800.", question="What is the rent in dollars?") == []


@pytest.mark.parametrize("figure", ["④⑧⓪⓪", "Ⅳ", "⒋"])
def test_a_number_in_other_signs_than_digits_is_refused(figure: str) -> None:
    assert told(f"The rent is {figure}.")


def test_exponents_and_fractions_are_no_odd_digits() -> None:
    assert told("The rent of 4,800 is for a hall¹ of some m² in size.") == []


@pytest.mark.parametrize(("nth", "refused"), [("first", False), ("second", True), ("third business", True)])
def test_the_place_of_a_day_is_looked_up(nth: str, refused: bool) -> None:
    assert bool(told(f"It is due on the {nth} day of each month.")) is refused
