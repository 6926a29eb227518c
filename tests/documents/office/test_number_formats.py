"""How spreadsheets show numbers: what a reader of the sheet sees is what can be quoted."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ralph_cli.documents.office.number_format import GENERAL, NumberFormat


@pytest.mark.parametrize(
    ("code", "stored", "shown"),
    [
        ("0%", 0.25, "25%"),
        ("0.0%", 0.12345, "12.3%"),
        ("#,##0", 1234567.5, "1,234,568"),
        ("#,##0_);(#,##0)", -1373, "(1,373)"),
        ('_(* #,##0_);_(* \\(#,##0\\);_(* "-"_);_(@_)', 0, "-"),
        ("[$€-407] #,##0.00", 12.5, "€ 12.50"),
        ("[Red]-0.0;[Blue]0", -2, "2"),
        ('#,##0.0,,"M"', 1_250_000, "1.3M"),
        ("0.00E+00", 123456, "1.23E+05"),
        ("##0.0E+0", 123456, "123.5E+3"),
        ("# ?/?", 1.25, "1 1/4"),
        ("000-00-0000", 123456789, "123-45-6789"),
        ('[<100]"few";[>=100]"many"', 250, "many"),
        ("0.00", -0.5, "-0.50"),
        ("0.##", 2, "2."),
        ("yyyy-mm-dd", 45000, "2023-03-15"),
        ("d-mmm-yy", 45000, "15-Mar-23"),
        ("dddd, d mmmm yyyy", 45000, "Wednesday, 15 March 2023"),
        ("yyyy-mm-dd", 60, "1900-02-29"),
        ("h:mm AM/PM", 0.75, "6:00 PM"),
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("mm:ss.0", 0.001, "01:26.4"),
        ("d/m/yyyy", -3, "-3"),
        ("", 1 / 3, "0.333333333"),
        ("General", 1.5, "1.5"),
        ('General" kg"', 3.5, "3.5 kg"),
    ],
)
def test_a_number_is_shown_as_its_format_says(code: str, stored: float, shown: str) -> None:
    assert NumberFormat(code).show_number(stored).text == shown


def test_days_are_counted_from_1904_where_the_workbook_says_so() -> None:
    assert NumberFormat("yyyy-mm-dd").show_number(0, is_1904=True).text == "1904-01-01"
    assert NumberFormat.built_in(14).show_number(45000 - 1462, is_1904=True).text == "2023-03-15"


def test_text_has_a_section_of_its_own() -> None:
    assert NumberFormat('0;0;0;"to "@').show_text("Ann") == "to Ann"
    assert NumberFormat("0.00").show_text("Ann") == "Ann"
    assert NumberFormat(";;;").show_text("Ann") == ""
    assert NumberFormat('0;-0;0;General" (name)"').show_text("Ann") == "Ann (name)"


@pytest.mark.parametrize(
    ("code", "stored", "is_exact"),
    [
        ("0%", 0.25, True),
        ("0%", 0.254, False),
        ("#,##0", 1577.4, False),
        ("0.0", 0.1 + 0.2, True),
        (";;;", 5, False),
        ('"yes"', 1, False),
        ("mmm-yy", 45000, False),
        ("yyyy-mm-dd", 45000.5, False),
        ("yyyy-mm-dd hh:mm", 45000.5, True),
        ("", 123456789012345, False),
    ],
)
def test_it_is_known_whether_a_format_leaves_something_out(code: str, stored: float, is_exact: bool) -> None:
    assert NumberFormat(code).show_number(stored).is_exact is is_exact


SIGNS = '0#?,.%E+-/;"[]$@_*\\ yYmdhsAMP/General<>=1'


@given(st.text(SIGNS, max_size=30), st.floats(allow_nan=False, allow_infinity=False))
@example("E+0", 1.0)
def test_no_format_and_no_number_ends_in_an_error(code: str, stored: float) -> None:
    NumberFormat(code).show_number(stored)
    NumberFormat(code).show_text("text")


def test_a_format_with_many_digits_takes_little_time() -> None:
    shown, started = NumberFormat("#" * 500), time.process_time()
    assert {shown.show_number(at + 0.25).text for at in range(300)} == {f"{at or ''}" for at in range(300)}
    assert time.process_time() - started < 1  # about 0.1 when nothing else runs


@given(st.integers(-(10**14), 10**14), st.integers(0, 4))
def test_the_digits_of_a_number_are_kept(units: int, places: int) -> None:
    stored = units / 10**places
    shown = NumberFormat("#,##0" + "." * bool(places) + "0" * places).show_number(stored)
    assert float(shown.text.replace(",", "")) == pytest.approx(stored, rel=1e-14) and shown.is_exact


@given(st.integers(-(10**10) + 1, 10**10 - 1), st.integers(0, 4))
def test_what_fits_into_a_cell_is_shown_to_its_last_digits(units: int, places: int) -> None:
    stored = units / 10**places
    assert float(GENERAL.show_number(stored).text) == pytest.approx(stored, rel=1e-9, abs=1e-9)
