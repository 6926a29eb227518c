"""A calculation rests on quoted figures: constants convert units and count terms, but cannot make a result."""

import re
from decimal import Decimal

import pytest

from ralph_cli.checks.figures.calculation import Calculator
from ralph_cli.checks.figures.candidates import Candidate
from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.text.quantities.quantity import Quantity

REASONS = "a month, a quarter and a day, twice"


def numbers(*given: float, power: int = 0) -> list[Candidate]:
    """Quoted figures of a table in this scale."""
    values = [Decimal(str(value)) for value in given]
    return [Candidate(Quantity(str(value), 0, 0, value), frozenset((power,))) for value in values]


def verify_calculation(text: str, candidates: list[Candidate], words: str = REASONS) -> Quantity:
    """The last result of a calculation over quoted figures."""
    return Calculator(candidates, words).compute(text)[-1].quantity


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1,577 + 1 = 1,578", "1 may be added to a rate"),
        ("1,577 * 7 = 11,039", "7 is in no quote"),
        ("1,577 / 3 = 525.7", "an average divides the sum itself"),
        ("(1,577 + 1,373) / 3 = 983.3", "3 is in no quote"),
        ("12 * 100 = 1,200", "none of its figures"),
        ("1,577 * 52 = 82,004", "nor do its words say what it stands for"),
        ("sqrt(1,577 / 1,373) - 1 = 7.2%", "'sqrt' is not understood"),
        ("1,577 - 1,373 = 205", "it gives 204"),
        ("1,577 + 7 = 1,584", "7 is in no quote"),
        ("1,577 / 0 = 1", "divides by zero"),
        ("1,577 / (1,373 - 1,373) = 1", "divides by zero"),
        ("1,577", "write it as one computation"),
        ("1,577 = 1,577", "one side must be the computation"),
        ("1,577 1,373 + 1,373 = 2", "beside another"),
        ("(1,577 - 1,373 = 204", "not closed"),
        ("1,577 - 1,373) = 204", "not opened"),
        ("1,577 * 1,373 ^ 2 = 4", "only a ratio"),
        ("(1,577 / 1,373) ^ 2.5 = 4", "whole number"),
        ("(1,577 / 1,373) ^ (2/3) = 4", "one over it"),
        ("(1,577 / 1,373) ^ 31 = 4", "from 1 to 30"),
        ("(1,577 / 1,373) ^ = 4", "a figure is missing"),
        ("(1,577 / 1,373) & 2 = 4", "not understood"),
        ("1,577 * = 4", "a figure is missing"),
        ("1,577 * 1,373 / = 4", "a figure is missing"),
        ("1 = 2 = 3", "one side must be"),
        ("(" * 40 + "1,577 + 1,373" + ")" * 40 + " = 2,950", "too many brackets"),
        ("1,577 + 1,373 = " + "9" * 500, "characters"),
    ],
)
def test_calculations_that_do_not_hold_say_why(text: str, why: str) -> None:
    with pytest.raises(CalculationError, match=re.escape(why)):
        verify_calculation(text, numbers(1577, 1373))


@pytest.mark.parametrize(
    "text",
    [
        "1,577 - 1,577 = 0",
        "(1,577 + 1,373 + 1,577) / 3 = 1,509",
        "(1,577 + -1,373 + (1,577)) / 3 = 593.7",
        "1,577 * 12 = 18,924",
        "365 * 1,373 / 1,577 = 317.8",
        "365 * ((1,577 + 1,373) / 2) / 1,577 = 341.4",
        "1,577 / 1,373 * 100 = 114.9%",
        "100 * (1,577 - 1,373) / 1,373 = 14.9%",
        "1,577 / 1,373 - 1 = 14.9%",
        "1 - 1,373 / 1,577 = 12.9%",
        "(1 + 0.05) * 1,577 = 1,655.85",
        "1,577 / 1,000 = 1.577",
        "(1,577 - 1,373) / 1,373 = 14.9%",
        "14.9% = (1,577 - 1,373) / 1,373",
        "1,577 / 1,373 - 1 = 14.86%",
        "(1,577 + 1,373) / 2 = 1,475",
        "1577 × 12 = 18,924",
        "[1,577 + (1,373)] / 2 ≈ 1,475",
        "1,373 - 1,577 = -204",
        "capital expenditure 1,577 / prior-year 1,373 = 1.149",
        "-1,577 + 1,373 = −204",
        "(1,577 / 1,373)^2 = 1.32",
        "(1,577 / 1,373) ** (1/2) - 1 = 7.2%",
        "(1,577 / 1,373)^(1/3) - 1 = 4.7%",
    ],
)
def test_calculations_that_hold(text: str) -> None:
    assert verify_calculation(text, numbers(1577, 1373, 0.05)).text


def test_a_quoted_percentage_may_be_added_or_taken_off_by_a_factor() -> None:
    tax = Candidate(Quantity("10%", 0, 0, Decimal(10), kind="percent"))
    quoted = [*numbers(1577), tax]
    assert verify_calculation("1,577 * 1.10 = 1,734.7", quoted).value == Decimal("1734.7")
    assert verify_calculation("1,577 * 0.9 = 1,419.3", quoted).value == Decimal("1419.3")
    with pytest.raises(CalculationError, match=r"1.2 is in no quote"):
        verify_calculation("1,577 * 1.20 = 1,892.4", quoted)
    whole = Candidate(Quantity("100%", 0, 0, Decimal(100), kind="percent"))
    with pytest.raises(CalculationError, match=r"2 is in no quote"):
        verify_calculation("1,577 * 2 = 3,154", [*numbers(1577), whole], "")


def test_a_percentage_is_no_hundredfold_of_itself() -> None:
    with pytest.raises(CalculationError, match=r"114\.8"):
        verify_calculation("1,577 / 1,373 * 100 = 11486%", numbers(1577, 1373))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("23.9% - 23.5% = 40 bps", "40 bps"),
        ("23.9% - 23.5% = 0.4 points", "0.4 points"),
        ("23.9% - 23.5% = 0.4 pp", "0.4 pp"),
        ("23.9 - 23.5 = 0.4 percentage points", "0.4 percentage points"),
        ("23.9 - 23.5 = 40 basis points", "40 basis points"),
        ("23.9 plus 23.5 = 47.4", "47.4"),
        ("23.9 divided by 23.5 = 1.02", "1.02"),
        ("23.9% - (0.6)% = 24.5%", "24.5%"),
        ("23.9 / 23.5 = 1.02x", "1.02x"),
        ("23.9 x (23.5 - 0.6) = 547.3", "547.3"),
        ("23.9\u00d7(23.5 - 0.6) = 547.3", "547.3"),
        ("1.02 times = 23.9 / 23.5", "1.02 times"),
        ("(23.9 / 23.5)^0.5 - 1 = 0.8%", "0.8%"),
        ("(23.9 / 23.5)^0.3333 - 1 = 0.6%", "0.6%"),
    ],
)
def test_points_multiples_and_brackets_are_read_as_they_are_written(text: str, shown: str) -> None:
    assert verify_calculation(text, numbers(23.9, 23.5, 0.6)).text == shown
