"""Months, quarters and halves of years in claims need the same in the quotes, or dates and periods that are them."""

import pytest
from figure_cases import INCOME_ROW, LABELS, REVENUE, told

from ralph_cli.text.quantities.periods import fiscal_year_end_month


@pytest.mark.parametrize(
    ("quote", "claim", "holds"),
    [
        ("The year ends on May 31.", "It ends in May.", True),
        ("The year ends on 2022-05-31.", "It ends in May.", True),
        ("The year ends on 05/31/2022.", "It ends at the end of May.", True),
        ("The year ends on May 31.", "It ends in June.", False),
        ("The year ends on MAY 31, 2022.", "It ends at the end of June.", False),
        ("Rents are due in April and October.", "Rents are due each April and October.", True),
        ("Rents are due in April and October.", "Rents are due each April and November.", False),
        ("The holder can sell its shares.", "May the holder sell its shares? The holder may.", True),
        ("The holder can sell its shares.", "The Holder May Sell its shares.", True),
        ("The holder can sell its shares.", "The holder can sell its shares in May.", False),
        ("Troops can march on.", "Troops march on.", True),
        ("Sales rose in the third quarter of 2022.", "Sales rose in Q3 2022, in 3Q22 and in Q32022.", True),
        ("Sales rose in the third quarter of 2022.", "Sales rose in Q2 2022.", False),
        ("Sales rose in the third quarter of 2022.", "Sales rose in the fourth quarter of 2022.", False),
        ("Sales rose in the third quarter of 2022.", "Sales rose in 3Q23.", False),
        ("Sales rose in the third quarter of 2022.", "Sales rose in Q42031.", False),
        ("Sales rose in the third quarter of 2022.", "Sales rose in Q4 of 2022.", False),
        ("Sales rose in the 2nd and 3rd quarters.", "Sales rose in the second and third fiscal quarters.", True),
        ("Sales rose in the 2nd and 3rd quarters.", "Sales rose in the first and third quarters.", False),
        ("Sales rose in the second half of 2022.", "Sales rose in H2 2022.", True),
        ("Sales rose in the second half of 2022.", "Sales rose in the first half of 2022.", False),
        ("Sales rose in the three months ended March 31, 2023.", "Sales rose in Q1 2023.", True),
        ("Sales rose in the three months ended March 31, 2023.", "Sales rose in the second quarter of 2023.", False),
        ("Sales rose in the 13 weeks ended April 1, 2023.", "Sales rose in the first quarter of 2023.", True),
        ("Sales rose in the six months ended June 30, 2023.", "Sales rose in the first half of 2023.", True),
        ("Sales rose in the year ended December 31, 2023.", "Sales rose in the fourth quarter of 2023.", False),
        ("Sales fell, and fell again.", "Sales fell for the third quarter in a row.", True),
        ("A third party holds it.", "It is held by a third party.", True),
    ],
)
def test_months_and_parts_of_years(quote: str, claim: str, holds: bool) -> None:
    assert (told(claim, (quote,)) == []) is holds


def test_a_quarter_is_counted_from_the_end_of_the_fiscal_year() -> None:
    year = "Our fiscal year ended June 30, 2022; the one before, the fiscal year ended June 30, 2021, was like it."
    quotes = (year, "Sales rose in the three months ended December 31, 2022.")
    assert told("Sales rose in the second quarter of the fiscal year.", quotes) == []
    assert told("Sales rose in the fourth quarter of the fiscal year.", quotes)
    assert fiscal_year_end_month("the year ended June 30, 2022 and the fiscal year ended June 30, 2021") == 6
    assert fiscal_year_end_month("for the fiscal year ended February 3, 2024") == 1
    assert fiscal_year_end_month("nothing of that kind") == 12


def test_the_question_and_the_header_of_a_table_may_name_the_period() -> None:
    assert told("It was 437.1 in Q3.", (INCOME_ROW,), question="What was it in Q3?") == []
    assert told("It was 437.1 in Q3.", (INCOME_ROW,))
    assert told("It was 88,120 in the three months ended in June, the second quarter.", (LABELS,)) == []
    assert told("It was 88,120 in the six months ended in June.", (LABELS,))
    assert told("It was 3 in June.", (LABELS,))  # the period of a header is no amount


@pytest.mark.parametrize(
    ("claim", "calculations", "holds"),
    [
        ("The three-year average was $4,430.5 million.", ("(4,812.6 + 4,377.1 + 4,101.9) / 3 = 4,430.5",), True),
        ("Over the last three years it never fell.", (), True),
        ("The two-year growth was 17.3%.", ("4,812.6 / 4,101.9 - 1 = 17.3%",), True),
        ("The two-year average was $4,594.85 million.", ("(4,812.6 + 4,377.1) / 2 = 4,594.85",), True),
        (
            "The average of the three years was 4,430.5.",
            ("(4,812.6 + 4,377.1 + 4,101.9) / 3 = 4,430.5",),
            True,
        ),
        ("The five-year average was $4,430.5 million.", ("(4,812.6 + 4,377.1 + 4,101.9) / 3 = 4,430.5",), False),
        ("The lease has three years to run.", (), False),
    ],
)
def test_a_number_of_years_is_that_of_the_columns_or_of_the_calculation(
    claim: str, calculations: tuple[str, ...], holds: bool
) -> None:
    assert (told(claim, (REVENUE,), calculations) == []) is holds
