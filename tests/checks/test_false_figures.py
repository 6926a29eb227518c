"""Claims that are false by one subtle change of a figure or date: the check of figures refuses every one of them."""

import pytest
from figure_cases import (
    CAPEX,
    COSTS,
    DIVIDENDS,
    EARNINGS,
    EMPLOYEES,
    INCOME_ROW,
    LABELS,
    OPERATING,
    PACKAGING,
    REVENUE,
    SHARES,
    TAX,
    told,
)

TABLES = [
    ("Net revenue was $4,812.6 billion in 2022.", (REVENUE,), ()),
    ("Net revenue was $4,816.2 million in 2022.", (REVENUE,), ()),
    ("Net revenue was €4,812.6 million in 2022.", (REVENUE,), ()),
    ("Net revenue was C$4,812.6 million in 2022.", (REVENUE,), ()),
    ("Net revenue came to $4.9 billion in 2022.", (REVENUE,), ()),  # rounded up wrong
    ("Net revenue was $4,812.6 million in 2023.", (REVENUE,), ()),
    ("Net revenue grew 10.9% in 2022.", (REVENUE,), ("(4,812.6 - 4,377.1) / 4,377.1 = 9.9%",)),
    ("Net revenue was $4,812.6 thousand.", (REVENUE,), ()),
    ("The tax rate was 22.4 basis points.", (TAX,), ()),
    ("The tax rate fell by 700 basis points.", (TAX,), ("23.1% - 22.4% = 0.7%",)),
    ("The tax rate was $22.4 million.", (TAX,), ()),
    ("There were 18,450 million employees.", (EMPLOYEES,), ()),
    ("It employs 18.5 billion people.", (EMPLOYEES,), ()),
    ("Diluted earnings were $3.64 million per share.", (EARNINGS,), ()),
    ("The dividend was 74 cents in 2022, up from 71 cents.", (DIVIDENDS,), ()),
    ("The dividend was $74 per share.", (DIVIDENDS,), ()),
    ("The dividend was $0.74 million.", (DIVIDENDS,), ()),
    ("There were 120.1 billion diluted shares.", (SHARES,), ()),
    ("Net income was 12% of revenue.", (INCOME_ROW, REVENUE), ("(437.1 / 437.1) * 12 / 100 = 12%",)),
    ("Net income was $438.1 million.", (INCOME_ROW,), ("437.1 + 1 = 438.1",)),
    ("Capital expenditures were $1,276.1 million.", (CAPEX,), ("182.3 * 7 = 1,276.1",)),
    ("Operating income doubled.", (OPERATING,), ()),
    ("Half of revenue went into costs.", (REVENUE, COSTS), ()),
    ("Packaging sales were $210.5 billion.", (PACKAGING,), ()),
    ("Labels sold $88,120 million.", (LABELS,), ()),
    ("Packaging sales were $210,450 thousand in Q4 2023.", (PACKAGING,), ()),
    ("Packaging sales were $210,450 thousand in the first quarter of 2023.", (PACKAGING,), ()),
    ("Net revenue was $4,812.6 million in Q42031.", (REVENUE,), ()),
    ("The three months ended in July.", (LABELS,), ()),
    ("Labels sold 88.1 million euros.", (PACKAGING, LABELS), ()),
]  # fmt: skip
PROSE = [
    ("Revenue tripled to $88 million.", ("Revenue went from $41 million in 2021 to $88 million in 2022.",), ()),
    ("Sales grew ninefold.", ("Sales were $10 million, after $5 million.",), ()),
    ("Three quarters of sales are made abroad.", ("Two thirds of our sales are made outside our home market.",), ()),
    ("A quarter of revenue comes from one customer.", ("One customer made up 33% of our revenue.",), ()),
    ("Its fiscal year ends in June.", ("Our fiscal year is the twelve months to May 31 of each year.",), ()),
    ("The notes mature at the end of May 2029.", ("The notes fall due on 06/30/2029.",), ()),
    ("Q2 2022 revenue was C$5.2 million.", ("Revenue was C$5.2 million in the third quarter of 2022.",), ()),
    ("Q3 2022 revenue was $5.2 million.", ("Revenue was C$5.2 million in the third quarter of 2022.",), ()),
    ("Net debt stood at AUD 310 million.", ("We had net debt of 310 million Canadian dollars.",), ()),
    ("Net debt stood at A$310 million.", ("We had net debt of HK$310 million.",), ()),
    ("The order is worth NOK 1.2 billion.", ("An order of 1.2 billion Swedish kronor was booked.",), ()),
    ("The plant cost $450 million.", ("The new plant took INR 450 million.",), ()),
    ("Bonuses of 12 million Swiss francs were paid.", ("Bonuses of EUR 12 million were paid out.",), ()),
    ("The margin is 50 basis points.", ("The rate is 50% a year.",), ()),
    ("The margin is 50%.", ("The margin is 50 bps.",), ()),
    ("Margins widened by 5 percentage points.", ("Margins were 50 basis points wider.",), ()),
    ("The notes bear interest at 4%.", ("Interest on the notes runs at 4½% a year.",), ()),
    ("The notes bear interest at 4¼%.", ("Interest on the notes runs at 4½% a year.",), ()),
    ("The pipeline is 420 miles long.", ("It is a pipeline of 420 km.",), ()),
    ("The brand is four decades old.", ("The brand is four years old.",), ()),
    ("The profit rose to $12.4 million.", ("Net income (loss)  $  (12.4) million",), ()),
    ("The result was -$12.4 million.", ("The result was $12.4 million.",), ()),
    ("Payment is due within 30 days.", ("Each invoice is payable within thirty (30) Business Days.",), ()),
    ("Payment is due within 30 Business Days.", ("Each invoice is payable within thirty (30) days.",), ()),
    ("The tenant has 15 calendar days.", ("The tenant may object within fifteen working days.",), ()),
    ("The cap is £2 billion.", ("Liability in any year is capped at GBP 2,000,000.",), ()),
    ("The term begins on 3 January 2024.", ("The term begins on March 1, 2024 and lasts 5 years.",), ()),
    ("The guarantee covers 48 days of downtime.", ("Downtime of forty-eight hours is covered.",), ()),
    ("The hotel sold 900 days.", ("The hotel sold 900 nights.",), ()),
    ("The fee triples after 90 days.", ("After 90 days the fee shall be doubled.",), ()),
]  # fmt: skip


def test_there_are_sixty() -> None:
    assert len([*TABLES, *PROSE]) == 60


@pytest.mark.parametrize(("claim", "quotes", "calculations"), [*TABLES, *PROSE])
def test_a_false_claim_is_refused(claim: str, quotes: tuple[str, ...], calculations: tuple[str, ...]) -> None:
    assert told(claim, quotes, calculations)
