"""A date may be computed from a quoted one and a quoted number of days, and from nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.figures.calculation import Calculator
from ralph_cli.checks.figures.candidates import collect_from_texts
from ralph_cli.checks.figures.expression import CalculationError

KNOWN = (
    "The initial term of four years began on 1 June 2023. It ends on 31 May 2027, on 180 days' or six months' notice.",
)


def evaluate_dates(text: str) -> str:
    """The result of a calculation over the quoted dates and times, as it is written."""
    return Calculator(collect_from_texts(KNOWN, ()), "").compute(text)[-1].quantity.text


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("31 May 2027 - 180 days = 2 December 2026", "2 December 2026"),
        ("May 31, 2027 − 180 days = December 2, 2026", "December 2, 2026"),
        ("2027-05-31 - 180 calendar days = 2026-12-02", "2026-12-02"),
        ("2 December 2026 = 31 May 2027 - 180 days", "2 December 2026"),
        ("31 May 2027 minus 180 days = 2 December 2026", "2 December 2026"),
        ("1 June 2023 plus four years minus 1 day = 31 May 2027", "31 May 2027"),
        ("31 May 2027 - 6 months = 30 November 2026", "30 November 2026"),
        ("31 May 2027 - six (6) months = 30 November 2026", "30 November 2026"),
        ("1 June 2023 + 4 years - 1 day = 31 May 2027", "31 May 2027"),
        ("31 May 2027 - 1 June 2023 = 4 years", "4"),
        ("1 June 2023 to 31 May 2027 = 1460 days", "1460"),
    ],
)
def test_what_is_computed_again(text: str, result: str) -> None:
    assert evaluate_dates(text) == result


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("31 May 2027 - 180 days = 3 December 2026", "it gives 2 December 2026"),
        ("31 May 2028 - 180 days = 3 December 2027", "31 May 2028 is in no quote"),
        ("31 May 2027 - 90 days = 2 March 2027", "90 is in no quote"),
        ("31 May 2027 - 180 business days = 1 October 2026", "business days are not counted"),
        ("31 May 2027 - 1 June 2023 = 5 years", "not 5 years"),
        ("31 May 2027 - 1 June 2024 = 3 years", "1 June 2024 is in no quote"),
        ("31 May 2027", "write it as one"),
        ("31 May 2027 - 180 days", "write it as one"),
        ("31 May 2027 * 180 days = 2 December 2026", "write a date"),
        ("180 days before 31 May 2027 = 2 December 2026", "stands beside another"),
        ("31 May 2027 - = 2 December 2026", "a figure is missing"),
    ],
)
def test_what_does_not_hold(text: str, why: str) -> None:
    with pytest.raises(CalculationError, match=why):
        evaluate_dates(text)


@given(st.text("31 May2027+-=days()180/.", max_size=40))
def test_any_text_gives_a_result_or_says_why_not(text: str) -> None:
    try:
        evaluate_dates(f"31 May 2027 {text}")
    except CalculationError as wrong:
        assert str(wrong)
