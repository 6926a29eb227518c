"""What the title, the column or the row of a table says of its cells, and how clauses bound what they say."""

from collections.abc import Sequence

import pytest
from fakes import document
from test_answers import check

POWER = """
Yield of the mills (GWh)
              H1 2031    H1 2030    Q2 2031
Tide mill         512        431        241
"""
MARGINS = """
| Step | Cover | Margin (bps) | Fee (bps) |
|---|---|---|---|
| II | below 2.0 | 187.5 | 30.0 |
| III | 2.0 or more | 225.0 | 37.5 |
"""
BATHS = """
Time (min)    Bath (C)    Yield (%)
120               70.0         95.7
180               70.1         98.6
"""
ASSAYS = """
| Property | Unit | Lot 7 | Lot 8 |
|---|---|---|---|
| Free lead | ppm | 264 | 148 |
"""
LEGS = """
Distances are in nautical miles.
Leg              Distance    Time (h)    Fuel used (t)
Whole trip          8,793       626.6            807.6
"""
PARTS = """
Pieces; worth in thousands of euros.
Part               Ordered      Worth    On time (%)
Casing DN 100        4,850      740.1           98.4
Casing DN 150       21,170    2,227.0           91.7
"""
BUDGET = """
*(in millions of dollars)*

| Project | Before | FY 2035 | FY 2036 | FY 2037 | Total |
|---|---:|---:|---:|---:|---:|
| New mole | 6.4 | 18.2 | 21.5 | \u2014 | 46.1 |
"""
BACK = """
Shares bought back were as follows ($ and shares in millions, except per share amounts):
2033  2032
Cost of shares bought  $ 1,001  $ 3,504
Price per share  $ 84.78  $ 108.97
Number of shares bought  11.8  32.2
"""
COVER = "The Borrower shall not permit the cover at the end of any quarter to be less than 3.00 to 1.00."
LATE = "For late delivery 0.5% of the price is due for each full week, up to 5% of it."
REPAIRS = "Worn parts were replaced within an average of 8.5 working days."
LOSS = "The harbour's loss from operations was $2,370 million."
PRICES = "Prices averaged EUR 50.6/MWh in the first quarter and EUR 41.8/MWh in the second."
TERM = "The lease runs for thirty-six months from 1 September 2032."
SHARES = "During 2031 and 2030, we bought 1,358,000 and 643,000 shares."
RECORD = "On March 21, 2031, the record date, 96 boats were listed."
TESTS = "Week 52 was the last. In week 12 there were 98 of them."
END = ("1 September 2032 + 36 months = 1 September 2035",)
TWICE = ("1,358,000 / 643,000 = 2.11",)
WHOLE = "\n\n".join(
    (POWER, MARGINS, BATHS, ASSAYS, LEGS, PARTS, BUDGET, BACK, COVER, LATE, REPAIRS, LOSS, PRICES, TERM, SHARES, RECORD)
)


def answer(text: str, quote: str, calculations: Sequence[str] = ()) -> str:
    found = check(document(f"{WHOLE}\n\n{TESTS}", kind="pdf"), text, [quote.strip()], calculations)
    return "objected" if found.issues else "open" if found.doubts else ""


@pytest.mark.parametrize(
    ("right", "wrong", "quote", "calculations"),
    [
        ("It gave 512 GWh in the first half of 2031.", "It gave 512 MWh in the first half of 2031.", POWER, ()),
        ("It gave 81 GWh more in H1 2031.", "It gave 81 MWh more in H1 2031.", POWER, ("512 - 431 = 81",)),
        ("It gave 0.5 TWh in the first half of 2031.", "It gave 241 GWh in the first half of 2031.", POWER, ()),
        ("From a cover of 2.0 the margin is 2.25%.", "From a cover of 2.0 the margin is 225%.", MARGINS, ()),
        ("It rises by 37.5 bps.", "It rises by 37.5%.", MARGINS, ("225.0 - 187.5 = 37.5",)),
        ("After two hours 95.7% were done.", "After two days 95.7% were done.", BATHS, ()),
        ("Lot 7 held 264 ppm of lead.", "Lot 7 held 264 mg/g of lead.", ASSAYS, ()),
        ("Lot 8 held 148 ppm.", "Lot 7 held 148 ppm.", ASSAYS, ()),
        ("It went 8,793 nautical miles.", "It went 8,793 kilometres.", LEGS, ()),
        ("It burned 1.29 t an hour.", "It burned 1.29 t a day.", LEGS, ("807.6 / 626.6 = 1.29",)),
        ("Of DN 150 casings 21,170 were ordered.", "Of DN 150 casings 21.2 billion were ordered.", PARTS, ()),
        ("The DN 150 ones are worth \u20ac2.2 million.", "The DN 150 ones are worth \u20ac2.2 billion.", PARTS, ()),
        ("The mole takes $46.1 million in all.", "The mole takes $46.1 thousand in all.", BUDGET, ()),
        ("It takes $21.5 million in 2036.", "It takes $21.5 million in 2035.", BUDGET, ()),
        ("In 2033 it bought 11.8 million shares.", "In 2033 it bought 11.8 billion shares.", BACK, ()),
    ],
)
def test_a_cell_has_the_unit_scale_and_name_of_its_column_row_or_title(
    right: str, wrong: str, quote: str, calculations: Sequence[str]
) -> None:
    assert answer(right, quote, calculations) == ""
    assert answer(wrong, quote, calculations)


@pytest.mark.parametrize(
    ("right", "wrong", "quote", "calculations"),
    [
        ("Cover must be at least three times.", "Cover may be at most 3.00 to 1.00.", COVER, ()),
        ("Half a percent is due a week, never more than 5%.", "Half a percent is due, at least 5%.", LATE, ()),
        ("In the second quarter EUR 41.8 per MWh was paid.", "The second quarter brought EUR 50.6/MWh.", PRICES, ()),
        ("It runs to the end of August 2035.", "It runs to the end of October 2035.", TERM, END),
        ("1.36 million shares in 2031 are over twice the 643,000 before.", "It bought 643 million.", SHARES, TWICE),
        ("By week 52 there were 98.", "By week 51 there were 98.", TESTS[22:], ()),
    ],
)  # fmt: skip
def test_a_clause_bounds_numbers_and_dates_what_it_says(
    right: str, wrong: str, quote: str, calculations: Sequence[str]
) -> None:
    assert answer(right, quote, calculations) == ""
    assert answer(wrong, quote, calculations)


def test_a_month_is_not_contradicted_by_a_day_of_another() -> None:
    assert answer("In May 2031 the 96 boats met.", RECORD) == "open"
    assert answer("The record date was March 22, 2031.", RECORD) == "objected"


def test_a_line_of_a_wrapped_sentence_is_no_row() -> None:
    wrapped = "The rate went down in the twelve months to\nJune 30, 2030 from 21.0% to 6.7%."
    found = check(document(wrapped), "In the twelve months to June 30, 2030 it went from 21.0% to 6.7%.", [wrapped])
    assert found.issues == () and found.doubts == ()


EARNINGS = "Gain of each share (diluted US cents)  52.9  70.5"
DATES = "The record date will be September 7, 2031, and the payment date will be September 27, 2031."
GROWTH = "Rents came to 4.3% more than before, with 30 days late at most and 0.25 cents off."


@pytest.mark.parametrize(
    ("text", "quote", "said"),
    [
        ("A share gained $0.705, up from 52.9 cents.", EARNINGS, ""),
        ("A share gained $70.50.", EARNINGS, "objected"),
        ("It is paid on September 27, 2031.", DATES, ""),
        ("Rents rose 4%, less a quarter of a cent.", GROWTH, ""),
        ("Rents rose 5%, less a quarter of a dollar.", GROWTH, "objected"),
    ],
)
def test_parts_of_units_and_dates_of_something_else(text: str, quote: str, said: str) -> None:
    found = check(document(f"{EARNINGS}\n\nAll is told in dollars.\n\n{DATES}\n\n{GROWTH}"), text, [quote])
    assert ("objected" if found.issues else "open" if found.doubts else "") == said


YEAR = "Fares increased 18.2% to $3.2 million compared to an increase of 9.1% in fiscal 2030. They last 13 weeks."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Fares rose 18.2%, to $3.2 million.", ""),
        ("The growth of fares, 9.1% in fiscal 2030, became 18.2%.", ""),
        ("Growth slowed from 18.2% to 9.1% then.", ""),
        ("Slips range from 9.1% to 18.2%.", ""),
    ],
)
def test_nouns_say_no_direction_and_what_is_compared_has_the_same_subject(text: str, said: str) -> None:
    found = check(document(YEAR), text, [YEAR])
    assert ("objected" if found.issues else "open" if found.doubts else "") == said


COMMITMENTS = "They lend $325 million, of which $40 million may be letters of credit and $25 million swingline loans."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Letters of credit may be $40 million, $15 million more than swingline loans with $25 million.", ""),
        ("Letters of credit and swingline loans come to $65 million, $40 million and $25 million.", ""),
    ],
)
def test_a_sum_that_nobody_states_does_not_take_the_place_of_a_quoted_figure(text: str, said: str) -> None:
    found = check(document(COMMITMENTS), text, [COMMITMENTS])
    assert ("objected" if found.issues else "open" if found.doubts else "") == said
