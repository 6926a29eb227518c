"""A figure agrees with the quoted one in value, unit, scale and sign, or is refused."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.output.grounding import GroundingSources, UnsupportedItem
from ralph_cli.checks.output.shape import pieces
from ralph_cli.text.scales import read_scales


def misses(quote: str, output: str) -> tuple[UnsupportedItem, ...]:
    return GroundingSources((quote,)).find_unsupported(pieces(output, "md"))


@pytest.mark.parametrize(
    ("text", "scales"),
    [
        ("(Millions)", {6}), ("$ in millions, shares in thousands", {6, 3}), ("£m", {6}),
        ("amount_usd_millions", {6}), ("sales of $7 million", set()), ("seven million", set()), ("$000s", {3}),
        ("several million", set()), ("millions of people", set()), ("$2.5bn", set()), ("EUR '000", {3}),
        ("5 millions", set()), ("USD bn", {9}),
    ],
)  # fmt: skip
def test_scales_are_named_for_a_table_apart_from_any_figure(text: str, scales: set[int]) -> None:
    assert read_scales(text).powers == scales


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
    assert misses(quote, f"It came to {said}.") == ()
    at = data.draw(st.sampled_from([index for index, character in enumerate(said) if character.isdecimal()]))
    digit = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != said[at]]))
    changed = said[:at] + digit + said[at + 1 :]
    assert misses(quote, f"It came to {changed}.") != (), (quote, changed)


@given(st.integers(13, 10**6), st.data())
def test_a_number_in_words_passes_as_digits_and_no_other_number_does(number: int, data: st.DataObject) -> None:
    # "Sixteen thousand" is 15,600 rounded, as 16 thousand is.
    rounded = {number, (number + 500) // 1000 * 1000, 10**6 * (number >= 10**6 - 500_000)}
    other = data.draw(st.integers(13, 10**6).filter(lambda other: other not in rounded))
    assert misses(f"It has {_words(number)} members.", f"It has {number:,} members.") == ()
    assert misses(f"It has {number} members.", f"It has {_words(number)} members.") == ()
    assert misses(f"It has {number} members.", f"It has {_words(other)} members.") != ()


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
    assert misses(f"It is due on {quoted}.", f"It is due on {said}.") == ()
    at = data.draw(st.sampled_from([index for index, character in enumerate(said) if character.isdecimal()]))
    digit = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != said[at]]))
    assert misses(f"It is due on {quoted}.", f"It is due on {said[:at]}{digit}{said[at + 1 :]}.") != ()


def test_a_name_of_digit_and_letter_in_the_task_is_no_figure() -> None:
    named = GroundingSources(("Sales  5",), task="Summarize what 3M sold")
    assert named.find_unsupported(pieces("3M sold 5.", "md")) == ()
    assert len(named.find_unsupported(pieces("It sold $3M and 4M.", "md"))) == 2
    assert len(GroundingSources(("Sales  5",)).find_unsupported(pieces("It sold 3M.", "md"))) == 1
