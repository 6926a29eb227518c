"""Raised figures are no digits of the figure before them, and can be written plainly again."""

import pytest

from ralph_cli.text.raised import LOWERED, RAISED, flatten_figures, lower_figures, raise_figures, write_fraction


def test_raised_and_lowered_figures_are_no_decimal_digits() -> None:
    assert raise_figures("10-6 (a)") == "¹⁰⁻⁶ ⁽a⁾"
    assert lower_figures("H2+O") == "H₂₊O"
    assert not any(mark.isdecimal() for mark in RAISED + LOWERED)


def test_figures_are_flattened_to_what_they_were() -> None:
    assert flatten_figures(raise_figures("0123456789+-=()")) == "0123456789+-=()"
    assert flatten_figures(lower_figures("0123456789+-=()")) == "0123456789+-=()"


@pytest.mark.parametrize(
    ("parts", "written"), [(("1", "2"), "½"), (("⁷", "₈"), "⅞"), (("5", "16"), "5/16"), (("11", "0"), "11/0")]
)
def test_a_fraction_is_one_character_or_has_a_slash(parts: tuple[str, str], written: str) -> None:
    assert write_fraction(*parts) == written
