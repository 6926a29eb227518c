"""A figure agrees with the quoted one in value, unit, scale and sign, or is refused."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.figures.grounding import GroundingSources
from ralph_cli.checks.output.shape import Format, pieces
from ralph_cli.text.quantities.figures import scales_named


def misses(quote: str, output: str, kind: Format = "md", beside: str = "") -> list[str]:
    ground = GroundingSources((quote,), contexts=(beside,) if beside else ())
    return [miss.message for miss in ground.find_unsupported(pieces(output, kind))]


@pytest.mark.parametrize(
    ("quote", "output"),
    [
        ("a fee of $5 is due", "a fee of 5%"),
        ("a rate of 5% is due", "a fee of $5"),
        ("a rate of 5% is due", "a fee of 5 dollars"),
        ("a fee of 5 euros is due", "a fee of $5"),
        ("a rate of 5% is due", "within 5 days"),
        ("within 5 days", "within 5 months"),
        ("within five days", "a fee of $5"),
        ("with 45 employees", "a rate of 45%"),
        ("with 45 employees", "a fee of €45"),
        ("5 stores with sales of $7 million", "sales of 5 million"),
        ("sales of 5,000 and 7%", "a rate of 5,000%"),
        ("5 stores, one million visits", "5 million visits"),
        ("5 stores and millions of visits", "5 million visits"),
        ("a fee of 5, and a margin of 12.5%", "a margin of 5%"),
        ("fees of 21 and a margin (12.5)% lower", "a margin of 21%"),
        ("in millions: revenue 5.3", "revenue of 5.3 billion"),
        ("in millions: revenue 5.3 at a margin of 12%", "12 million"),
        ("in millions: revenue 5.3", "| Revenue in billions |\n|---|\n| 5.3 |"),
        ("a fee of $5 is due", "| Rate (%) |\n|---|\n| 5 |"),
        ("a rate of 5% is due", "| Fee ($) |\n|---|\n| 5 |"),
    ],
)
def test_a_unit_that_belongs_to_another_figure_is_refused(quote: str, output: str) -> None:
    assert len(misses(quote, output)) == 1


@pytest.mark.parametrize(
    ("quote", "output"),
    [
        ("a fee of $5 is due", "a fee of $5, of 5 dollars, of USD 5, of US$5, or of 5 USD"),
        ("a fee of 5 euros is due", "a fee of €5, EUR 5 or 5 €"),
        ("a rate of 5% is due", "5 percent, 5 per cent, 5.0%"),
        ("between 5 and 7%, or 8-9 percent", "5%, 7%, 8% and 9%"),
        ("Percent of sales  12.5  13.0", "12.5% and 13.0%"),
        ("Margin (%)  12.5  13.0", "12.5% and 13.0%"),
        ("forty-five (45) days", "45 days, forty-five days, a 45-day term, 45 calendar days"),
        ("within 5 Business Days", "within five business days"),
        ("the fees are 21,500", "fees of £21,500"),
        ("(in millions) Revenue  5.3", "5.3 million, $5.3 million, 5,300,000, 5,300 thousand"),
        ("($ in millions, except per share) Revenue  5.3", "5.3 million"),
        ("Dollars in thousands\nRevenue  5,300", "5.3 million, $5,300 thousand, $5,300,000"),
        ("2023 $ Million\nRevenue  5.3", "5.3 million"),
        ("millions of U.S. dollars\nRevenue  5.3", "$5.3 million"),
        ("(Billions)  5.3", "5,300 million, 5.3bn"),
        ("£000  5,300", "£5.3 million"),
        ("in millions: revenue 5.3", "| Revenue in millions |\n|---|\n| 5.3 |"),
        ("Rate  5%", "| Rate (%) |\n|---|\n| 5 |"),
        ("Fee  $5", "| Fee ($) |\n|---|\n| 5 |"),
        ("Margin  12.5", "| Margin (%) |\n|---|\n| 12.5 |"),
        ("a rate of 5% is due", "| Rate |\n|---|\n| 5 |"),
    ],
)
def test_a_unit_of_the_figure_itself_or_of_its_table_passes(quote: str, output: str) -> None:
    assert misses(quote, output) == []


def test_the_header_of_a_table_may_be_quoted_beside_its_row() -> None:
    assert len(misses("Revenue  5.3", "$5.3 million")) == 1
    assert misses("Revenue  5.3", "$5.3 million", beside="(Dollars in millions)  2023  2022") == []
    assert len(misses("Revenue  5.3", "$5.3 million", beside="sales of $7 million")) == 1
    assert misses("Margin  12.5", "12.5%", beside="as % of sales") == []


@pytest.mark.parametrize(
    ("text", "scales"),
    [
        ("(Millions)", {10**6}), ("$ in millions, shares in thousands", {10**6, 10**3}), ("£m", {10**6}),
        ("amount_usd_millions", {10**6}), ("sales of $7 million", set()), ("seven million", set()), ("$000s", {1000}),
        ("several million", set()), ("millions of people", set()), ("$2.5bn", set()), ("EUR '000", {1000}),
        ("5 millions", set()), ("USD bn", {10**9}),
    ],
)  # fmt: skip
def test_scales_are_named_for_a_table_apart_from_any_figure(text: str, scales: set[int]) -> None:
    assert scales_named(text) == scales


@pytest.mark.parametrize(
    ("quote", "output", "kind"),
    [
        ("The return on plan assets in 2018 was -0.5%.", "The return on plan assets was 0.5% in 2018.", "md"),
        ("Organic growth  \u22122.1%", "Organic growth was 2.1%.", "md"),
        ("Organic growth  -2.1%", "Sales grew 2.1%, less than in the year before.", "md"),
        ("Result  -21,500", "The result was $21,500.", "md"),
        ("Organic growth  2018  -2.1%", "| | Organic growth |\n|---|---|\n| 2018 | 2.1% |", "md"),
        ("Organic growth  -2.1%", "name,value\nOrganic growth,2.1%\n", "csv"),
        ("Organic growth  -2.1%", '{"growth": {"value": "2.1%"}}', "json"),
        ("Operating income (loss)  $  (3,519)  (2,870)", "Boeing made an operating profit of $3,519.", "md"),
        ("Operating margin  (5.3)%  (4.7)%", "The operating margin rose by 5.3%.", "md"),
        ("Net increase (decrease) in cash  (120)  45", "Cash increased by 120.", "md"),
        ("Profit before tax  (120)  45", "Profit before tax was 120.", "md"),
        ("Sales  (3.0)%", "Sales were up 3.0%.", "md"),
    ],
)
def test_a_dropped_minus_is_refused(quote: str, output: str, kind: Format) -> None:
    (message,) = misses(quote, output, kind)
    assert "negative in the quoted words" in message


@pytest.mark.parametrize(
    ("quote", "output", "kind"),
    [
        ("The return on plan assets in 2018 was -0.5%.", "The return on plan assets was -0.5% in 2018.", "md"),
        ("The return on plan assets in 2018 was -0.5%.", "The plan assets lost 0.5% in 2018, a negative return.", "md"),
        ("Organic growth  -2.1%", "Organic sales declined 2.1%. Sales changed by 2.1%, or (2.1)%.", "md"),
        ("Organic growth  -2.1%  2.1%", "Sales grew 2.1%.", "md"),
        ("in 2017 -2018 and 2019, from 5-7", "2018 and 7", "md"),
        ("-2-class of employees", "there are 2", "md"),
        ("Purchases of plant  -1,577", "Capital spending was $1,577. The company bought plant for 1,577.", "md"),
        ("in millions: revenue 5.3, costs -2.1", "Costs rose to 2.1 million.", "md"),
        ("Organic growth  -2.1%", "| | Decline |\n|---|---|\n| Organic | 2.1% |", "md"),
        ("Organic growth  -2.1%", "name,value\nDecline of sales,2.1%\n", "csv"),
        ("Organic growth  -2.1%", '{"decline": {"value": "2.1%"}}', "json"),
        ("Less accumulated depreciation  (21,442)  (20,538)", "Accumulated depreciation was 21,442.", "md"),
        ("Increase in inventories  (120)  45", "Inventories increased by 120.", "md"),
        ("(Increase) decrease in inventories  (120)  45", "Inventories increased by 120.", "md"),
        ("Gain on sale of businesses  (547)", "The gain on the sale of businesses was 547.", "md"),
        ("Income tax expense  (120)", "Income tax expense increased to 120.", "md"),
        ("Net loss for the year  (1,577)", "The net loss for the year increased to 1,577.", "md"),
        ("Treasury stock  (1,577)", "Revenue rose to its highest; treasury stock was 1,577.", "md"),
        ("Purchases of plant  (1,577)  (1,373)", "Plant took 1,577, up from 1,373.", "md"),
        ("Payments for plant  (1,222)  (980)", "It was an increase over 980.", "md"),
        ("Settlements  (4)", "Settlements were up to 4.", "md"),
        ("Operating margin  (5.3)%", "The operating margin was (5.3)%, down from a profit.", "md"),
        ("Items (3) and (4)", "An increase under items (3) and 4.", "md"),
    ],
)
def test_a_minus_that_is_said_in_words_passes(quote: str, output: str, kind: Format) -> None:
    assert misses(quote, output, kind) == []


@pytest.mark.parametrize(
    ("quote", "output"),
    [
        ("forty-five days", "45 days"),
        ("45 days", "forty-five days"),
        ("4 million", "4,000 thousand, 4,000,000, 4m, 4.0 million"),
        ("4,000,000", "4 million, 4,000 thousand, four million, 0.004 billion"),
        ("EUR 4m", "€4 million, EUR 4,000,000, EUR 4.0m, 4 million euros, 4 mio"),
        ("4bn", "4 billion, 4,000 million, 4.0bn, 4,000,000,000"),
        ("$4.0 million", "$4,000,000"),
        ("$(5.3) million", "$(5.3) million, a loss of $5.3 million, -$5,300,000"),
        ("margin (3.0)%", "a margin of (3.0)%, of -3%"),
        ("10² cases", "10² cases, 100 cases"),
        ("10⁶ cases", "1 million cases"),
        ("1,577² cases", "1,577 cases"),
        ("1.577 Fälle", "1.577 Fälle"),
        ("1.577,50 Euro", "1,577.50 Euro, 1577.5"),
        ("1\u00a0577 and 2\u202f300", "1,577, 1 577, 1\u00a0577, 2\u2009300 and 2 300"),
        ("twenty\u2011five percent", "25%, twenty-five per cent"),
        ("2018-2019", "2018–2019, 2018 and 2019"),
        ("one hundred and eighty days", "180 days"),
        ("1.50", "1.5, 1.500"),
    ],
)
def test_forms_of_one_value_are_the_same(quote: str, output: str) -> None:
    assert misses(quote, output) == []


@pytest.mark.parametrize(
    ("quote", "output"),
    [
        ("forty-five days", "forty-six days"),
        ("4 million", "4"),
        ("4 million", "4 thousand"),
        ("4,000,000", "4.01 million"),
        ("EUR 4m", "EUR 4bn"),
        ("$4.04 million", "$4.0 million"),
        ("10² cases", "102 cases"),
        ("10² cases", "10 cases"),
        ("102 cases", "10² cases"),
        ("10 cases", "10² cases"),
        ("10³ cases", "10² cases"),
        ("1.577 Fälle", "1,577 cases"),
        ("1,577 cases", "1.577 Fälle"),
        ("1,577.5", "1,577"),
        ("1\u00a0577", "577"),
        ("1\u00a0577", "2 577"),
        ("12 577", "12,577"),
    ],
)
def test_a_value_is_the_same_only_if_it_is_exact(quote: str, output: str) -> None:
    assert misses(quote, output) != []


def _grouped(value: Decimal, separator: str) -> str:
    return f"{value:,f}".replace(",", separator)


FORMS: dict[str, Callable[[Decimal], str]] = {
    "plain": lambda value: f"{value:f}",
    "grouped": lambda value: _grouped(value, ","),
    "apostrophe": lambda value: _grouped(value, "'"),
    "space": lambda value: _grouped(value, "\u00a0"),
    "thousand": lambda value: f"{value / 10**3:,f} thousand",
    "million": lambda value: f"{value / 10**6:,f} million",
    "m": lambda value: f"{value / 10**6:,f}m",
    "bn": lambda value: f"{value / 10**9:f}bn",
}
UNITS = ("{}", "${}", "€{}", "£ {}", "EUR {}", "{} dollars", "-{}", "a loss of {}", "({})")
VALUES = st.decimals(min_value=1, max_value=10**10, places=2, allow_nan=False).map(abs)


@given(VALUES, st.sampled_from(sorted(FORMS)), st.sampled_from(sorted(FORMS)), st.sampled_from(UNITS), st.data())
def test_a_true_figure_passes_in_any_form_and_no_other_digit_does(
    value: Decimal, one: str, two: str, unit: str, data: st.DataObject
) -> None:
    quote = f"In the year it came to {unit.format(FORMS[one](value))} in all."
    said = unit.format(FORMS[two](value))
    assert misses(quote, f"It came to {said}.") == []
    at = data.draw(st.sampled_from([index for index, character in enumerate(said) if character.isdecimal()]))
    digit = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != said[at]]))
    changed = said[:at] + digit + said[at + 1 :]
    assert misses(quote, f"It came to {changed}.") != [], (quote, changed)


@given(st.integers(13, 10**6), st.data())
def test_a_number_in_words_passes_as_digits_and_no_other_number_does(number: int, data: st.DataObject) -> None:
    other = data.draw(st.integers(13, 10**6).filter(lambda other: other != number))
    assert misses(f"It has {_words(number)} members.", f"It has {number:,} members.") == []
    assert misses(f"It has {number} members.", f"It has {_words(number)} members.") == []
    assert misses(f"It has {number} members.", f"It has {_words(other)} members.") != []


SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
)
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety"


def _words(number: int) -> str:
    small, tens = f"{SMALL} eighteen nineteen".split(), TENS.split()
    if number < 20:
        return small[number]
    if number < 100:
        return tens[number // 10] + (f"-{small[number % 10]}" if number % 10 else "")
    for scale, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            rest = number % scale
            joint = " and " if rest < 100 else " "
            return f"{_words(number // scale)} {name}" + (joint + _words(rest) if rest else "")
    raise AssertionError(number)


@given(
    st.sampled_from(["28 April 2023", "April 28, 2023", "2023-04-28", "28th of April 2023"]),
    st.sampled_from(["28 April 2023", "April 28, 2023", "2023-04-28", "28 Apr. 2023", "the 28th day of April 2023"]),
    st.data(),
)
def test_a_true_date_passes_in_any_form_and_no_other_digit_does(quoted: str, said: str, data: st.DataObject) -> None:
    assert misses(f"It is due on {quoted}.", f"It is due on {said}.") == []
    at = data.draw(st.sampled_from([index for index, character in enumerate(said) if character.isdecimal()]))
    digit = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != said[at]]))
    assert misses(f"It is due on {quoted}.", f"It is due on {said[:at]}{digit}{said[at + 1 :]}.") != []


def test_a_name_of_digit_and_letter_in_the_task_is_no_figure() -> None:
    named = GroundingSources(("Sales  5",), task="Summarize what 3M sold")
    assert named.find_unsupported(pieces("3M sold 5.", "md")) == ()
    assert len(named.find_unsupported(pieces("It sold $3M and 4M.", "md"))) == 2
    assert len(GroundingSources(("Sales  5",)).find_unsupported(pieces("It sold 3M.", "md"))) == 1
