"""One reader: figures, dates and names of a text as typed quantities with their places."""

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.structure import EMPTY_CELL
from ralph_cli.text.quantities.quantity import Date, Quantity
from ralph_cli.text.quantities.reader import Style, read_quantities
from ralph_cli.text.raised import raise_figures


def only(text: str, style: Style = "document") -> Quantity:
    (found,) = read_quantities(text, style)
    return found


@pytest.mark.parametrize(
    ("text", "value", "power"),
    [
        ("1,577", "1577", None), ("1\u00a0577", "1577", None), ("1'577.5", "1577.5", None), (".5", "0.5", None),
        ("1.234,5 Mio. EUR", "1234.5", 6), ("1.577,50 Euro", "1577.5", None), ("2,5 %", "2.5", None),
        ("1.577 F\u00e4lle", "1.577", None), ("$4.2bn", "4.2", 9), ("half a billion dollars", "0.5", 9),
        ("a quarter of a million", "0.25", 6), ("three quarters of a million euros", "0.75", 6),
        ("one and a half", "1.5", None), ("2\u00bd%", "2.5", None), ("4 1/2%", "4.5", None), ("1/3 of it", None, None),
        ("two hundred and six", "206", None), ("one million two hundred thousand", "1200000", None),
        ("twenty-two", "22", None), ("a dozen", "12", None), ("two million", "2", 6), ("$5 M", "5", 6),
        ("20 000 000 EUR", "20000000", None),
        ("1,577" + raise_figures("2"), "1577", None),
        ("10" + raise_figures("6"), "1000000", None), ("a year and a half", "1.5", None), ("half a year", "0.5", None),
        ("four and three quarters", "4.75", None),
    ],
)  # fmt: skip
def test_numbers_are_read_in_digits_and_words(text: str, value: str | None, power: int | None) -> None:
    found = only(text)
    assert found.power == power and (value is None or found.value == Decimal(value))


@pytest.mark.parametrize(
    ("text", "kind", "unit"),
    [
        ("5", "none", ""), ("$5", "currency", "$"), ("5 Swiss francs", "currency", "chf"), ("C$ 5", "currency", "cad"),
        ("17 cents", "currency", "cent"), ("5%", "percent", ""), ("five per cent", "percent", ""),
        ("17 cents on the dollar", "percent", ""), ("6 percentage points", "points", ""),
        ("40 bps", "points", "basis point"), ("seven basis points", "points", "basis point"),
        ("2.7-fold", "ratio", ""), ("two-thirds", "ratio", ""), ("a third of it", "ratio", ""), ("1.5x", "ratio", ""),
        ("one in five", "ratio", ""), ("seven-for-one", "ratio", "split"),
        ("15 working days", "duration", "business day"), ("a 60-day notice", "duration", "day"),
        ("118.9 million sq. ft.", "physical", "square foot"), ("420 km", "physical", "kilometre"),
        ("1.2 GWh", "physical", "watt hour"), ("twice a year", "none", ""), ("815 warehouses", "count", "warehouse"),
        ("the 9th floor", "ordinal", ""), ("FY2018", "date", ""), ("F-35s", "identifier", ""),
        ("10-K", "identifier", ""), ("3M", "identifier", ""), ("401(k)", "identifier", ""),
        ("Note 5", "identifier", ""),
        ("section 3.2", "identifier", ""), ("draft 4", "identifier", ""),
        ("12.3.1", "identifier", ""), ("777X-9", "identifier", ""),
        ("\u2463", "identifier", ""), ("9" * 5000, "identifier", ""),
    ],
)  # fmt: skip
def test_what_a_number_measures(text: str, kind: str, unit: str) -> None:
    found = only(text)
    assert found.kind == kind and (not unit or found.unit == unit)


@pytest.mark.parametrize(
    "text",
    [
        "a third party", "double net leases", "no one of them", "The Holder May Sell it",
        f"Sales  {EMPTY_CELL}", "several million", "troops march on", "the other half",
    ],
)  # fmt: skip
def test_words_that_are_no_figures(text: str) -> None:
    assert read_quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("28th of April 2023", Date(2023, 4, 28)), ("April 28, 2023", Date(2023, 4, 28)),
        ("2023-04-28", Date(2023, 4, 28)), ("04/28/2023", Date(2023, 4, 28)), ("28.4.2023", Date(2023, 4, 28)),
        ("05/06/2022", Date(2022)), ("in May", Date(month=5)), ("FY'22", Date(2022)), ("2021-22", Date(2021)),
        ("Q3 2022", Date(2022, part="Q3")), ("3Q22", Date(2022, part="Q3")), ("H2", Date(part="H2")),
        ("the second half of fiscal 2022", Date(2022, part="H2")), ("the full year", Date(months=12)),
        ("three months ended June 30, 2023", Date(2023, 6, 30, months=3)),
        ("the three months ended April 1, 2023", Date(2023, 4, 1, months=3)),
    ],
)  # fmt: skip
def test_dates_and_periods(text: str, date: Date) -> None:
    assert only(text).date == date


def test_neighbours_share_what_is_said_once() -> None:
    low, high = read_quantities("$28-32 billion")
    assert (low.power, low.unit, low.last, high.unit) == (9, "$", Decimal(32), "$")
    assert [one.kind for one in read_quantities("between 5 and 7%")] == ["percent", "percent"]
    assert [one.kind for one in read_quantities("5,000 and 7%")] == ["none", "percent"]


@pytest.mark.parametrize(
    ("text", "style", "value"),
    [
        ("(1,577)", "document", -1577), ("(54)%", "document", -54), ("(54%)", "document", -54), ("(54%)", "prose", 54),
        ("$(0.86)", "document", "-0.86"), ("-$5", "document", -5), ("minus 17%", "prose", -17), ("5-7", "document", 5),
        ("(5)", "arithmetic", 5), ("fifteen (15) days", "document", 15), ("COVID -19", "document", -19),
    ],
)  # fmt: skip
def test_signs(text: str, style: Style, value: int | str) -> None:
    assert read_quantities(text, style)[0].value == Decimal(value)


def test_what_is_said_around_a_figure() -> None:
    assert (only("$11.99 a month").per_time, only("an annual fee of $5").per_time) == ("month", "year")
    assert (only("$65.00 per rentable square foot").per_thing, only("$10 a share").per_thing) == ("rentable", "share")
    assert [only(f"{words} 5%").bound for words in ("more than", "no less than", "no more than", "nearly")] == [
        "over", "over", "under", "under",
    ]  # fmt: skip
    assert only("about $5").approximate and not only("of $5").approximate
    assert [one.value for one in read_quantities("fourteen (17) days")] == [14, 17]


def test_a_cell_or_a_row_ends_what_is_said_of_a_figure() -> None:
    assert [one.kind for one in read_quantities("Sales  5  days  7 days")] == ["none", "duration"]
    assert read_quantities("Sales  1,577  1,373\nMonths to run  5")[1].kind == "none"


@given(
    st.one_of(st.text(max_size=60), st.text("0123456789$\u20ac%(),.-/ \n'abdfhmnorst\u00bd\u00b2\u2079", max_size=60))
)
def test_reading_never_fails_and_places_are_exact_and_apart(text: str) -> None:
    for style in ("document", "prose", "arithmetic"):
        found = read_quantities(text, style)
        assert all(one.text == text[one.start : one.end] and one.text for one in found)
        assert all(one.end <= other.start for one, other in pairwise(found))
