"""A figure agrees with the quoted one in value, unit, scale and sign, or is refused."""

import pytest

from ralph_cli.checks.figures import scales_named
from ralph_cli.checks.grounding import Ground
from ralph_cli.checks.shape import Format, pieces


def misses(quote: str, output: str, kind: Format = "md", beside: str = "") -> list[str]:
    ground = Ground((quote,), beside=(beside,) if beside else ())
    return [miss.message for miss in ground.misses(pieces(output, kind))]


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
        ("Settlements  (4)", "Settlements were up to 4.", "md"),
        ("Operating margin  (5.3)%", "The operating margin was (5.3)%, down from a profit.", "md"),
        ("Items (3) and (4)", "An increase under items (3) and 4.", "md"),
    ],
)
def test_a_minus_that_is_said_in_words_passes(quote: str, output: str, kind: Format) -> None:
    assert misses(quote, output, kind) == []
