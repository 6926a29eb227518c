"""True claims as analysts and lawyers write them: the check of figures lets every one of them stand."""

import pytest
from figure_cases import (
    CAPEX,
    CHARGES,
    COSTS,
    DIVIDENDS,
    EARNINGS,
    EMPLOYEES,
    INCOME_ROW,
    INTEREST,
    LABELS,
    OPERATING,
    PACKAGING,
    REVENUE,
    SHARES,
    TAX,
    told,
)

TABLES = [
    ("Net revenue was $4,812.6 million in 2022.", (REVENUE,), ()),
    ("Net revenue came to about $4.8 billion in 2022, against $4.4 billion in 2021.", (REVENUE,), ()),
    ("Net revenue grew 9.9% in 2022.", (REVENUE,), ("(4,812.6 - 4,377.1) / 4,377.1 = 9.9%",)),
    ("Operating margin improved by 30 basis points, to 12.7%.", (OPERATING, REVENUE),
     ("612.4 / 4,812.6 = 12.7%", "540.8 / 4,377.1 = 12.4%", "12.7% - 12.4% = 0.3%")),
    ("The effective tax rate fell by 0.7 percentage points to 22.4% in 2022.", (TAX,), ("23.1% - 22.4% = 0.7%",)),
    ("Net income over the three-year period totalled $1,150.4 million.", (INCOME_ROW,),
     ("437.1 + 376.5 + 336.8 = 1,150.4",)),
    ("The two-year average of capital expenditures was $174.1 million.", (CAPEX,), ("(182.3 + 165.9) / 2 = 174.1",)),
    ("Diluted EPS rose from $3.11 to $3.64.", (EARNINGS,), ()),
    ("The dividend was 74 cents a share in 2022, up from 70 cents.", (DIVIDENDS,), ()),
    ("The dividend rose by four cents per share.", (DIVIDENDS,), ("0.74 - 0.70 = $0.04",)),
    ("There were 120.1 million weighted average diluted shares in 2022.", (SHARES,), ()),
    ("The company had 18,450 employees at the end of 2022.", (EMPLOYEES,), ()),
    ("It employs about 18,500 people.", (EMPLOYEES,), ()),
    ("Revenue per employee was about $260,800.", (REVENUE, EMPLOYEES), ("4,812.6 million / 18,450 = 260,846",)),
    ("Interest expense declined for a second year, to $48.9 million.", (INTEREST,), ()),
    ("No restructuring charges were recorded in 2021, after $12.5 million in 2022 and $0 before.", (CHARGES,), ()),
    ("Gross profit was $1,901.2 million, or 39.5% of revenue.", (REVENUE, COSTS),
     ("4,812.6 - 2,911.4 = 1,901.2", "1,901.2 / 4,812.6 = 39.5%")),
    ("Operating income covers interest 12.5 times.", (OPERATING, INTEREST), ("612.4 / 48.9 = 12.5",)),
    ("Packaging sales were $210.5 million in the second quarter of 2023 (three months ended June 30, 2023).",
     (PACKAGING,), ()),
    ("In Q2 2023, sales of Labels fell 3.2%.", (LABELS,), ("(91,045 - 88,120) / 91,045 = 3.2%",)),
]  # fmt: skip
FILINGS = [
    ("Revenue more than doubled, from $41 million to $88 million.",
     ("Revenue went from $41 million in 2021 to $88 million in 2022.",), ()),
    ("Debt was halved to $150 million.", ("We cut our debt from $300 million to $150 million.",), ()),
    ("Two-thirds of sales are made abroad.", ("About two thirds of our sales are made outside our home market.",), ()),
    ("Half of the plants are leased.", ("Of the buildings, 50% are leased and the rest are owned.",), ()),
    ("A third of revenue comes from one customer.", ("One customer made up 33% of our revenue.",), ()),
    ("Three-quarters of the workforce is unionized.", ("Some 75 per cent of the workforce belongs to a union.",), ()),
    ("In the second half of 2022, prices rose 6%.", ("Prices were raised by 6% in the second half of 2022.",), ()),
    ("The third party administrator receives a half-yearly fee of €40,000.",
     ("An outside administrator is paid a fee of €40,000 each half-year.",), ()),
    ("Its fiscal year ends in May.", ("Our fiscal year is the twelve months to May 31 of each year.",), ()),
    ("The notes mature at the end of June 2029.", ("The notes fall due on 06/30/2029.",), ()),
    ("The company may, in May, redeem the bonds.", ("The bonds can be redeemed by us each May.",), ()),
    ("Q3 2022 revenue rose to C$5.2 million.", ("Revenue was C$5.2 million in the third quarter of 2022.",), ()),
    ("Net debt stood at CAD 310 million.", ("We had net debt of 310 million Canadian dollars.",), ()),
    ("The order is worth SEK 1.2 billion.", ("An order of 1.2 billion Swedish kronor was booked.",), ()),
    ("The plant cost Rs 450 million.", ("The new plant took INR 450 million.",), ()),
    ("Bonuses of 12 million Swiss francs were paid.", ("Bonuses of CHF 12 million were paid out.",), ()),
    ("The facility is for US$75 million.", ("A facility of $75 million was agreed.",), ()),
    ("The margin is 50 basis points above SOFR.", ("Loans bear interest at SOFR plus 0.50%.",), ()),
    ("Margins widened by 0.5 percentage points.", ("Margins were 50 basis points wider.",), ()),
    ("The notes bear interest at 4.5%.", ("Interest on the notes runs at 4½% a year.",), ()),
    ("The lease runs another 2½ years.", ("There are two and a half years left on the lease.",), ()),
    ("The pipeline is 420 km long.", ("It is a pipeline of 420 kilometres.",), ()),
    ("Sales fell 8%, the first decline in a decade.", ("Sales were 8% lower; it was the first decline in a decade.",),
     ()),
    ("The loss was $12.4 million.", ("Net loss of $(12.4) million for the year.",), ()),
    ("Between 1.5 and 1.7 million units were shipped.", ("Shipments were between 1.5 million and 1.7 million units.",),
     ()),
]  # fmt: skip
CONTRACTS = [
    ("Payment is due within 30 days of the invoice.", ("Each invoice is payable within thirty (30) days.",), ()),
    ("Notice must be given ten Business Days ahead.", ("Notice of 10 Business Days is required.",), ()),
    ("The tenant has 15 working days to object.", ("The tenant may object within fifteen working days.",), ()),
    ("The supplier has 45 days to cure.", ("A breach may be cured within forty-five calendar days.",), ()),
    ("The liability cap is £2 million.", ("Liability in any year is capped at GBP 2,000,000.",), ()),
    ("Late payments bear interest at 3% a year.", ("Interest of three per cent a year runs on late payments.",), ()),
    ("The term is five years from 1 March 2024.", ("The term begins on March 1, 2024 and lasts 5 years.",), ()),
    ("Royalties are €0.15 per unit up to 100,000 units.", ("A royalty of 15 euro cents a unit is due on the first "
     "100,000 units.",), ()),
    ("Rent is $12,000 a month, that is $144,000 a year.", ("The rent is $12,000 for each month.",),
     ("12,000 * 12 = 144,000",)),
    ("An audit may be asked for twice a year on 14 days' notice.", ("Audits: two in a year, with 14 days' notice.",),
     ()),
    ("Either party may leave after the first quarter with 3 weeks' notice.", ("After the first quarter each party may "
     "leave on three weeks' notice.",), ()),
    ("One-third of the fee is due on signing.", ("On signing, one third of the fee shall be paid.",), ()),
    ("The guarantee covers 48 hours of downtime.", ("Downtime of forty-eight hours is covered.",), ()),
    ("The fee doubles after 90 days.", ("After 90 days the fee shall be doubled.",), ()),
    ("The first option ends in March and the second in September.",
     ("The options end on 31 March and 30 September of each year.",), ()),
]  # fmt: skip


def test_there_are_sixty() -> None:
    assert len([*TABLES, *FILINGS, *CONTRACTS]) == 60


@pytest.mark.parametrize(("claim", "quotes", "calculations"), [*TABLES, *FILINGS, *CONTRACTS])
def test_a_true_claim_stands(claim: str, quotes: tuple[str, ...], calculations: tuple[str, ...]) -> None:
    assert told(claim, quotes, calculations) == []
