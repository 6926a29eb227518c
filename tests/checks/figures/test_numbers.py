"""Figures and dates of claims: in the quotes, in a calculation that holds, or refused by name."""

import pytest
from fakes import document
from hypothesis import given
from hypothesis import strategies as st
from reached import reached, reaches
from test_calculations import numbers, verify_calculation

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.text.quantities.reader import read_quantities


def test_results_may_be_in_the_scale_of_the_table():
    assert verify_calculation("1,577 + 1,373 = $2,950 million", numbers(1577, 1373, power=6))
    with pytest.raises(CalculationError):
        verify_calculation("1,577 + 1,373 = $2,950 million", numbers(1577, 1373))


amounts = st.integers(1_000, 999_999)


@given(amounts, amounts, st.sampled_from("+-*"), st.data())
def test_any_true_calculation_holds_and_no_changed_digit_of_its_result_does(a, b, operator, data):
    true = {"+": a + b, "-": a - b, "*": a * b}[operator]
    assert abs(verify_calculation(f"{a:,} {operator} {b:,} = {true:,}", numbers(a, b)).value) == abs(true)
    shown = f"{abs(true):,}"
    at = data.draw(st.sampled_from([i for i, c in enumerate(shown) if c.isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "123456789" if d != shown[at]]))
    changed = shown[:at] + digit + shown[at + 1 :]
    with pytest.raises(CalculationError):
        verify_calculation(f"{a:,} {operator} {b:,} = {'-' if true < 0 else ''}{changed}", numbers(a, b))


@given(st.text("0123456789+-*/()=%., $x", max_size=60))
def test_no_text_makes_a_calculation_fail_otherwise(text):
    try:
        verify_calculation(text, numbers(*range(10)))
    except CalculationError:
        pass


@reaches(another=0.8)
@given(st.lists(amounts, min_size=2, max_size=4, unique=True), st.data())
def test_a_changed_digit_in_a_claim_is_named(values, data):
    row = "Total of the row  " + "  ".join(f"{value:,}" for value in values)
    loaded = document(f"Some heading of it\n{row}\nAnd so on.", kind="pdf")
    value = data.draw(st.sampled_from(values))
    shown = f"{value:,}"
    at = data.draw(st.sampled_from([i for i, c in enumerate(shown) if c.isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != shown[at]]))
    changed = shown[:at] + digit + shown[at + 1 :]

    def check(figure):
        draft = Draft((DraftClaim(f"The total of it was {figure} in all.", (row,)),))
        found = NumbersCheck(loaded, "")(resolve_quotes(draft, loaded, QuoteIndex(loaded)))
        return (*found.issues, *found.doubts)

    assert check(shown) == ()
    # What is still right: a stated value, or one of them rounded to two digits or more.
    right = {
        (value + unit // 2) // unit * unit
        for value in values
        for unit in (1, 10, 100, 1_000, 10_000)
        if unit * 10 <= value
    }
    small = int(read_quantities(changed)[0].value) < 25  # which may be counted
    right |= {abs(one - sign * other) for one in values for other in values for sign in (1, -1)}
    if reached("another", not small and int(read_quantities(changed)[0].value) not in right):
        assert check(changed)


@pytest.mark.parametrize(
    ("said", "objected"), [("($ in millions) Staff Rent Balance at June 30 $ 97 $ 3", False), ("It was $ 79", True)]
)
def test_a_quotation_of_a_row_with_its_header_is_never_objected_to(said, objected):
    row = "($ in millions)  Staff  Rent\nBalance at June 30  $ 97 $ 3"
    whole = document(f"An analysis of the liability is as follows:\n{row}\n")
    attempt = resolve_quotes(Draft((DraftClaim(said, (row,)),)), whole, QuoteIndex(whole))
    assert bool(NumbersCheck(whole, "")(attempt).issues) is objected
