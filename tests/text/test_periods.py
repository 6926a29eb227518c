"""The month in which a fiscal year ends, read from what is said of it."""

from ralph_cli.text.quantities.periods import fiscal_year_end_month


def test_the_end_of_the_fiscal_year_is_read() -> None:
    assert fiscal_year_end_month("the year ended June 30, 2022 and the fiscal year ended June 30, 2021") == 6
    assert fiscal_year_end_month("for the fiscal year ended February 3, 2024") == 1
    assert fiscal_year_end_month("nothing of that kind") == 12
