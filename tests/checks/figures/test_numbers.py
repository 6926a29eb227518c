"""Figures and dates of claims: in the quotes, in a calculation that holds, or refused by name."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.figures.calculation import verify_calculation
from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document, Page
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.text.quantities.figures import figures

FILING = """3M Company
Consolidated Statement of Cash Flows
(Millions)  2018  2017
Purchases of property, plant and equipment (PP&E)  (1,577)  (1,373)
Net sales  $  32,765 $  31,657
Business acquisitions  (121)  —
\fPercent of net sales  2018  2017
Operating income margin  22.2  20.8
3M files a Form 10-K. The lease ends on March 31, 2026. 3M has one loan of $4 million at 5.25%.
3M, 3M, 3M, 3M, 3M, 3M, 3M and 3M.
"""
CAPEX = "Purchases of property, plant and equipment (PP&E) (1,577) (1,373)"
SALES = "Net sales $ 32,765 $ 31,657"
LOAN = "3M has one loan of $4 million at 5.25%"


def document(text=FILING):
    pages, at = [], 0
    for number, page in enumerate(text.split("\f"), 1):
        pages.append(Page(number, str(number), at, at + len(page)))
        at += len(page) + 1
    return Document("d", "d.pdf", "pdf", "", "", text, tuple(pages))


def issues(claim, *quotes, calculations=(), question="What was capital expenditure in FY2018?"):
    loaded = document()
    attempt = resolve_quotes(Draft((DraftClaim(claim, quotes, calculations),)), loaded, QuoteIndex(loaded))
    assert not attempt.refused
    return [issue.line for issue in NumbersCheck(loaded, question)(attempt).issues]


@pytest.mark.parametrize(
    ("claim", "quotes"),
    [
        ("Capital expenditure was $1,577 million in 2018.", [CAPEX]),  # unit and year stand above the row
        ("Capital expenditure was $1.6 billion in FY2018.", [CAPEX]),
        ("Capital expenditure was $1.577 billion in FY2018.", [CAPEX]),
        ("3M's Form 10-K says that capital expenditure was 1,577 million.", [CAPEX]),
        ("Capital expenditure was 4.8% of net sales (1,577 / 32,765).", [CAPEX, SALES]),
        ("Capital expenditure grew by 14.9%: (1,577 - 1,373) / 1,373 = 14.9%.", [CAPEX]),
        ("Capital expenditure plus sales is 34,342 = 1,577 + 32,765.", [CAPEX, SALES]),
        ("The lease ends on 31 March 2026.", ["The lease ends on March 31, 2026."]),
        ("The lease ends in March 2026.", ["The lease ends on March 31, 2026."]),
        (
            "The margin fell from 22.2% to 20.8%.",
            ["Percent of net sales 2018 2017", "Operating income margin 22.2 20.8"],
        ),
        ("3M owes 4,000,000 dollars.", [LOAN]),
        ("The loan bears 5.25% (page 2).", [LOAN]),
        ("Acquisitions cost $121 million in 2018 and 0 in those two years before.", ["Business acquisitions (121) —"]),
    ],
)
def test_what_stands_in_the_quotes_or_is_computed_from_them_passes(claim, quotes):
    assert issues(claim, *quotes) == []


@pytest.mark.parametrize(
    ("claim", "quotes", "named"),
    [
        ("Capital expenditure was $1,578 million in 2018.", [CAPEX], "1,578"),
        ("Capital expenditure was $1.5 billion in FY2018.", [CAPEX], "1.5 billion"),
        ("Capital expenditure was $2 billion in FY2018.", [CAPEX], "2 billion"),  # one digit is no rounding
        ("Capital expenditure was 1,577 billion.", [CAPEX], "1,577 billion"),
        ("Capital expenditure was 1,577 million in 2016.", [CAPEX], "2016"),
        ("Capital expenditure was 4.9% of net sales (1,577 / 32,765).", [CAPEX, SALES], "4.9%"),
        ("Capital expenditure was 4.8% of net sales.", [CAPEX, SALES], "4.8%"),
        ("Capital expenditure was 4.8% of net sales (1,577 / 32,765).", [CAPEX], "4.8%"),
        ("The lease ends on April 1, 2026.", ["The lease ends on March 31, 2026."], "April 1, 2026"),
        ("The loan is of €4 million.", [LOAN], "€4 million"),
        ("The loan is of $4 million, at 6.25%.", [LOAN], "6.25%"),
        ("The loan, on page 1, is of $4 million.", [LOAN], "page 1"),
        ("The loan is of 4,000,001 dollars.", [LOAN], "4,000,001"),
        ("There are 0 loans at 5.25%.", [LOAN], "0"),
    ],
)
def test_a_figure_or_date_without_a_source_is_refused_by_name(claim, quotes, named):
    found = issues(claim, *quotes)
    assert found and any(named in message for message in found), found


def test_a_handed_in_calculation_bears_out_its_result():
    claim = "Capital expenditure was about 4.8% of net sales."
    assert issues(claim, CAPEX, SALES)
    assert issues(claim, CAPEX, SALES, calculations=("1,577 / 32,765 = 4.8%",)) == []
    [wrong] = issues("Capital expenditure was small.", CAPEX, SALES, calculations=("1,577 / 32,765 = 4.9%",))
    assert "does not hold" in wrong and "4.8131%" in wrong
    [missing] = issues("Capital expenditure was small.", CAPEX, calculations=("1,577 / 32,765 = 4.8%",))
    assert "32,765 is in no quote" in missing
    many = issues("Capital expenditure was small.", CAPEX, calculations=("1,577 + 1,373 = 2,950",) * 13)
    assert many == ["claim 1 has more than 12 calculations"]


SHARES = """Consolidated results
(in millions)  2023  2022
Net sales  $  14,694  100.0 % $  14,544  100.0 %
Cost of sales  (11,969)  (81.5)  (11,724)  (80.6)
Gross profit  2,725  18.5  2,820  19.4
"""


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("The gross margin was 18.5% in 2023 and 19.4% in 2022.", True),
        ("The gross margin was 18.6% in 2023.", False),
        ("The gross profit was 2,725% in 2023.", False),
    ],
)
def test_a_column_of_percentages_has_its_sign_in_the_first_row_alone(claim, holds):
    loaded = document(SHARES)
    draft = Draft((DraftClaim(claim, ("Gross profit  2,725  18.5  2,820  19.4",)),))
    assert NumbersCheck(loaded, "")(resolve_quotes(draft, loaded, QuoteIndex(loaded))).passed == holds


def test_a_difference_of_percentages_is_in_points():
    loaded = document("The tax rate was 21.6 percent in 2022 and 24.6 percent in 2021. The fee was 21.6 and then 24.6.")
    quotes = ("The tax rate was 21.6 percent in 2022 and 24.6 percent in 2021.",)
    drafts = {
        "The tax rate fell by 3.0 percentage points.": ("24.6 - 21.6 = 3.0",),
        "The tax rate fell by 3.0%.": ("24.6% - 21.6% = 3.0%",),
    }
    for claim, calculations in drafts.items():
        attempt = resolve_quotes(Draft((DraftClaim(claim, quotes, calculations),)), loaded, QuoteIndex(loaded))
        assert NumbersCheck(loaded, "")(attempt).passed
    fee = DraftClaim("The fee fell by 3.0%.", ("The fee was 21.6 and then 24.6.",), ("24.6 - 21.6 = 3.0",))
    assert not NumbersCheck(loaded, "")(resolve_quotes(Draft((fee,)), loaded, QuoteIndex(loaded))).passed


def test_a_miss_shows_the_claim_as_it_was_written():
    (told,) = issues("In FY2018, 3M spent 1,578 by its 10-K.", CAPEX)
    assert "In FY2018, 3M spent 1,578 by its 10-K" in told


def test_years_and_thresholds_of_the_question_need_no_source_and_its_other_figures_do():
    assert issues("In 1999 it was 1,577.", CAPEX, question="And in 1999?") == []
    assert issues("It was 1,577, above 1,200.", CAPEX, question="Was it above 1,200?") == []
    assert issues("It was 1,577, more than 20%.", CAPEX, question="Did it make more than 20 %?") == []
    assert issues("It was 1,577, above 900.", CAPEX, question="Was it above 1,200?")
    assert issues("It was 1,200 in all.", CAPEX, question="Was it 1,200?")


def numbers(*given):
    known = {Decimal(str(value)) for value in given}
    return lambda figure: figure.value in known


@pytest.mark.parametrize(
    "text",
    [
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
def test_calculations_that_hold(text):
    assert verify_calculation(text, numbers(1577, 1373)).text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1,577 - 1,373 = 205", "it gives 204"),
        ("1,577 + 7 = 1,584", "7 is in no quote"),
        ("1,577 / 0 = 1", "0 is in no quote"),
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
        ("(1,577 / 1,373) ^ = 4", "a power is"),
        ("(1,577 / 1,373) & 2 = 4", "not understood"),
        ("1,577 * = 4", "one side must be"),
        ("1,577 * 1,373 / = 4", "a figure is missing"),
        ("1 = 2 = 3", "write it as one"),
        ("(" * 40 + "1,577 + 1,373" + ")" * 40 + " = 2,950", "too many brackets"),
        ("1,577 + 1,373 = " + "9" * 500, "characters"),
    ],
)
def test_calculations_that_do_not_hold_say_why(text, why):
    with pytest.raises(CalculationError, match=why.replace("(", r"\(")):
        verify_calculation(text, numbers(1577, 1373))


def test_results_may_be_in_the_scale_of_the_table():
    assert verify_calculation("1,577 + 1,373 = $2,950 million", numbers(1577, 1373), 10**6)
    with pytest.raises(CalculationError):
        verify_calculation("1,577 + 1,373 = $2,950 million", numbers(1577, 1373))


amounts = st.integers(1_000, 999_999)


@given(amounts, amounts, st.sampled_from("+-*"), st.data())
def test_any_true_calculation_holds_and_no_changed_digit_of_its_result_does(a, b, operator, data):
    true = {"+": a + b, "-": a - b, "*": a * b}[operator]
    assert verify_calculation(f"{a:,} {operator} {b:,} = {true:,}", numbers(a, b)).value == abs(true)
    shown = f"{abs(true):,}"
    at = data.draw(st.sampled_from([i for i, c in enumerate(shown) if c.isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "123456789" if d != shown[at]]))
    changed = shown[:at] + digit + shown[at + 1 :]
    with pytest.raises(CalculationError):
        verify_calculation(f"{a:,} {operator} {b:,} = {'-' if true < 0 else ''}{changed}", numbers(a, b))


@given(st.text("0123456789+-*/()=%., $x", max_size=60))
def test_no_text_makes_a_calculation_fail_otherwise(text):
    try:
        verify_calculation(text, lambda figure: True)
    except CalculationError:
        pass


@given(st.lists(amounts, min_size=2, max_size=4, unique=True), st.data())
def test_a_changed_digit_in_a_claim_is_named(values, data):
    row = "Total of the row  " + "  ".join(f"{value:,}" for value in values)
    loaded = document(f"Some heading of it\n{row}\nAnd so on.")
    value = data.draw(st.sampled_from(values))
    shown = f"{value:,}"
    at = data.draw(st.sampled_from([i for i, c in enumerate(shown) if c.isdigit()]))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != shown[at]]))
    changed = shown[:at] + digit + shown[at + 1 :]

    def check(figure):
        draft = Draft((DraftClaim(f"The total of it was {figure} in all.", (row,)),))
        return NumbersCheck(loaded, "")(resolve_quotes(draft, loaded, QuoteIndex(loaded))).issues

    assert check(shown) == ()
    stated = {figure.value for figure in figures(row)}
    new = figures(changed)[0].value
    if new not in stated and not any(abs(new - value) <= 500 for value in stated):
        assert check(changed)


RULES = """Consolidated results
(Millions)  2018  2017
Net sales  $  32,765  $  31,657
Cost of sales  (16,682)  (16,055)
Effective tax rate  20.7 %  19.0 %
Dividends per share  5.44  4.70
\fFOR THE YEAR ENDED DECEMBER 31, 2022 the Company — a Delaware corporation — owes $4 million. The term is 5 years.
The guidance is $1.5 to $1.7 billion. The notice is a 60-day notice. The Company has 12 plants and 93,516 employees.
Employees  93,516  91,584
"""
NET = "Net sales  $  32,765  $  31,657"
COST = "Cost of sales  (16,682)  (16,055)"
TAX = "Effective tax rate  20.7 %  19.0 %"
OWES = "the Company — a Delaware corporation — owes $4 million"
GUIDE = "The guidance is $1.5 to $1.7 billion."
STAFF = "The Company has 12 plants and 93,516 employees."


def rules(claim, quotes, calculations=(), question="?"):
    loaded = document(RULES)
    attempt = resolve_quotes(Draft((DraftClaim(claim, quotes, calculations),)), loaded, QuoteIndex(loaded))
    assert not attempt.refused
    return [issue.line for issue in NumbersCheck(loaded, question)(attempt).issues]


@pytest.mark.parametrize(
    ("claim", "quotes", "calculations"),
    [
        ("Net sales were -$32.8 billion.", (NET,), ()),  # a rounded figure keeps its sign
        ("Net sales were 32.8 billion euros.", (NET,), ()),
        ("Net sales were 2018 million.", (NET,), ()),  # a header's year is no amount
        ("Net sales were $2,018 million.", (NET,), ()),
        ("Net sales in 4Q2031 were 32,765.", (NET,), ()),
        ("Cost was 0.509% of sales (16,682 / 32,765).", (NET, COST), ()),  # a share, not in per cent
        ("Cost was 0.51% of sales.", (NET, COST), ("16,682 / 32,765 = 0.51%",)),
        ("Sales rose 12 percent.", (NET,), ("12 * 1 = 12%",)),  # made of nothing that is quoted
        ("Sales were 4,380 million (365 x 12).", (NET,), ()),
        ("The Company owes $0.", (OWES,), ()),  # a dash in a sentence is no nil
        ("The term is 5.4 years.", ("Dividends per share  5.44  4.70",), ()),
        ("The guidance is $1.5 to $1.7 million.", (GUIDE,), ()),
        ("The notice is a 90-day notice.", ("The notice is a 60-day notice.",), ()),
        ("It employs about 93,600 people.", (STAFF,), ()),
    ],
)
def test_what_is_near_a_source_but_not_borne_out_by_it_is_refused(claim, quotes, calculations):
    assert rules(claim, quotes, calculations)


@pytest.mark.parametrize(
    ("claim", "quotes", "calculations"),
    [
        ("Net sales grew by $1.1 billion.", (NET,), ("32,765 - 31,657 = 1,108",)),  # in the table's scale, rounded
        ("Gross margin was 49.1%.", (NET, COST), ("32,765 - 16,682 = 16,083", "16,083 / 32,765 = 49.1%")),  # chained
        ("The tax rate rose by 170 basis points.", (TAX,), ("20.7% - 19.0% = 1.7%",)),
        ("The tax rate rose by 1.7 percentage points.", (TAX,), ("20.7% - 19.0% = 1.7%",)),
        ("The year ended on 31 December 2022.", ("FOR THE YEAR ENDED DECEMBER 31, 2022",), ()),
        ("The guidance is $1.5 billion to $1.7 billion (cl. 2.3 aside).", (GUIDE + " The notice",), ()),
        ("It employs about 93,500 people.", (STAFF,), ()),
        ("The notice is of 60 days.", ("The notice is a 60-day notice.",), ()),
    ],
)
def test_what_a_reader_would_accept_is_not_refused(claim, quotes, calculations):
    found = rules(claim, quotes, calculations)
    assert all("2.3" in issue for issue in found), found


def test_a_threshold_of_the_question_is_one_in_its_unit_only():
    question = "Did net sales exceed 40 percent?"
    assert rules("Net sales did not exceed 40 percent.", (NET,), question=question) == []
    assert rules("Net sales did not exceed 40 dollars.", (NET,), question=question)
