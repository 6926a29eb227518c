"""How people tell what tables and sentences say: of each way one claim that stands, and one that does not."""

from collections.abc import Sequence

import pytest
from fakes import document
from test_answers import check

RESULTS = """
($ in millions)
Year ended May 31,
2031 2032 2033
Cost of moving the boats of all the members (2,140) (2,310) (2,655)
Net result from lending boats to other harbours (20) 35 41
"""
SHIFTS = """
Change in tolls by quay (%)
| Quay | 2031 | 2032 |
|---|---|---|
| North | \u22124.5 | 6.5 |
| South | \u22121.5 | 2.5 |
"""
TRIAL = """
| Illness, members (%) | Tonic 30 drops (n=140) | Tonic 60 drops (n=139) | Water (n=141) |
|---|---|---|---|
| Cough | 14 (10.0) | 21 (15.1) | 9 (6.4) |
| Fever | 7 (5.0) | 35 (25.2) | 11 (7.8) |
"""
BULLETIN = """
HARBOUR OFFICE OF LOWE
                      BOATS OF LOWE 2034

Table 1.  Price of mooring (cents per kWh)
--------------------------------------------
Kind of boat            2032    2033    2034
--------------------------------------------
Large boats
 (over 2,000 kWh a year)  28.5    31.5    27.5
"""
STAY = """
Kind            Calls    Calls    Mean stay (hours)
                 2032     2033        2032     2033
Tugs             2,184    2,071       31.4     29.8
Ferries            612      655       58.5     61.5
"""
BIDS = """
Prices opened (CHF)

| Item | Unit | Quantity | Dock AG | Pier SA | Quay GmbH |
|---|---|---|---|---|---|
| Lamp of 58 W | piece | 650 | 268.00 | 275.00 | 259.00 |
| Chain (CHF/tonne) | lot | 30 | 1,196.00 | 1,215.00 | 1,187.00 |
"""
BUDGET = """
(thousands of dollars unless stated otherwise)
                              2034       2035
Total spending              84,520     86,750
Enrollment (pupils)          6,148      6,035
Revenues less expenditures     320     (1,250)
"""
BOTTLES = """
| Channel | 2033, thousand EUR | 2033, thousand bottles |
|---|---|---|
| Abroad | 2,906 | 806 |
"""
UPDATES = """
Cash flows
(In thousands)
2033  2032
Cash at the end  737,877  431,560
Boat Update
Boats at first  Boats bought  Boats sold  Boats at last
1,325  18  0  1,343
"""
PENSION = """
(in millions)  June 30, 2033  June 30, 2032
Funded status at the end  $ (163)  $ (119)
Orders at the end  $ 540  $ 598
"""
FUNDS = """
                                2033      2032
Net (losses)/gains on boats  (22,140)    9,870
"""
CREW = "Of the 312 boats that were seen 11 had cracks. The yard won fourteen of the fifteen suits that were tried."
UNIONS = "It has agreements with 11 unions at home and with 12 unions abroad."
TERMS = "The fee is at a rate of not less than $1.3 million a year. New boats: $40 million to $47 million in 2034."
LIABLE = (
    "Sellers are not liable for a claim of less than 5,000 crowns. Notice is given no later than six months before."
)
FIRE = "The fire was out in 2 hours 25\n              minutes, with 1,380 m3 of water from a depth of 2.6 m."
LEAVE = "He leaves between 1 and 15 April 2035."
GRANT = "The grant is $2,000,000 for lamps, $5,000,000 for chains and $8,000,000 for moles."
COMPLAINTS = (
    "There were 47.2 complaints per 1,000 boats; of 6,214 cases closed in the year, 5,779 (93.0%) were closed in time."
)
POWER = (
    "Power cost $38.6 million in 2034, $9.1 million more than in the year before. Tolls took 34.5 cents of each dollar."
)
PAY = "The dues are 12.25 cents a boat (compared with 12.0 cents in the year before)."
LEASE = "The lease begins on 1 April 2035 and runs for thirty-six months."
STOCK = "On January 28, 2034, $1.1 million was left of the plan announced in March 2033. In 2033 all was well."
RESULT = "The result is put at 412 thousand crowns, after a loss of 68 thousand crowns in 2033."
COAL = "Coal gave 1,598 tonnes in 2034 and 3,615 tonnes in 2033."
OPEN = "The dock is open at least 99.7% of the days; what is lower than that is paid back."
MARGIN = "At target the margin is 8.5%, of the crews 41.5% work at home and 58.5% abroad."


def said(text: str, quote: str, calculations: Sequence[str] = (), rows: Sequence[str] = ()) -> str:
    found = check(document(quote, kind="pdf"), text, list(rows) or [quote.strip()], calculations)
    return "objected" if found.issues else "open" if found.doubts else ""


@pytest.mark.parametrize(
    ("quote", "right", "wrong"),
    [
        (RESULTS, "In 2033 moving boats cost $2,655 million.", "In 2033 moving boats cost $2,655 thousand."),
        (RESULTS, "In 2031 lending boats lost $20 million.", "In 2031 lending boats brought in $20 million."),
        (SHIFTS, "In 2031 tolls at the north quay fell by 4.5%.", "In 2031 tolls at the south quay fell by 4.5%."),
        (TRIAL, "Cough befell 21 members (15.1%) on 60 drops.", "Fever befell 21 members (15.1%) on 60 drops."),
        (
            TRIAL,
            "Fever struck 5.0% on 30 drops and 25.2% on 60.",
            "Fever struck 25.2% on 30 drops and 5.0% on 60 drops.",
        ),
        (BULLETIN, "In 2034 it was 27.5 cents per kilowatt-hour.", "In 2034 it was 27.5 cents per cubic metre."),
        (STAY, "Ferries stayed 61.5 hours in 2033.", "Ferries stayed 61.5 days in 2033."),
        (
            STAY,
            "Tugs called 2,184 times in 2032 and 2,071 in 2033.",
            "There were 2,071 calls of tugs in 2032 and 2,184 in 2033.",
        ),
        (BIDS, "Pier asks CHF 275.00 for a lamp of 58 W.", "Pier offers the lamp of 58 W at CHF 259.00."),
        (BIDS, "Pier asks CHF 1,215 a tonne for chain.", "Pier asks CHF 1,215 per kilogram for chain."),
        (BUDGET, "In 2035 there are 6,035 pupils.", "In 2035 spending is $86.75 billion."),
        (BOTTLES, "Sales abroad were \u20ac2.9 million.", "Abroad 806 bottles were sold."),
        (FUNDS, "A loss on boats of 22,140 was made in 2033.", "A gain on boats of 22,140 was made in 2033."),
        (TERMS, "The fee is $1.3 million a year at the least.", "The fee is capped at $1.3 million a year."),
        (LIABLE, "Claims under 5,000 crowns are not paid.", "Claims over 5,000 crowns are not paid."),
        (LIABLE, "Notice of six months or more is given before.", "Notice is given no more than six months before."),
        (FIRE, "It was out in 2 hours 25 minutes.", "It was out in 2 hours 35 minutes."),
        (FIRE, "It took 1,380 cubic metres from 2.6 metres.", "It took 1,380 tonnes."),
        (LEAVE, "He leaves at some time from 1 to 15 April 2035.", "He leaves between 1 and 25 April 2035."),
        (
            COMPLAINTS,
            "There were 47.2 complaints for every thousand boats.",
            "There were 47.2 complaints for every hundred boats.",
        ),
        (COMPLAINTS, "In time 93.0% of the cases were closed.", "In time 39.0% of the cases were closed."),
        (POWER, "Tolls took 34.5% of each dollar.", "Tolls took 35.4 cents of each dollar."),
        (STOCK, "On 28 January 2034 $1.1 million was left.", "On 28 January 2033 $1.1 million was left."),
        (
            COAL,
            "1,598 tonnes are not even half of the 3,615 tonnes.",
            "1,598 tonnes are over half of the 3,615 tonnes.",
        ),
        (MARGIN, "At home 41.5% of the crews work.", "Of the crews 58.5% work at home and 41.5% abroad."),
    ],
)
def test_what_is_told_in_other_words_stands_only_where_it_is_so(quote: str, right: str, wrong: str) -> None:
    assert said(right, quote) == ""
    assert said(wrong, quote)


def test_a_scale_is_that_of_its_own_table() -> None:
    assert said("It bought eighteen boats and has 1,343.", UPDATES, rows=["1,325  18  0  1,343"]) == ""
    row = "Cash at the end  737,877  431,560"
    assert said("It had 737.9 million in cash.", UPDATES, rows=[row]) == ""
    assert said("It had 737.9 billion in cash.", UPDATES, rows=[row])


@pytest.mark.parametrize(
    ("quote", "text", "calculations", "expected"),
    [
        (GRANT, "The grants add up to $15 million.", ("2 + 5 + 8 = 15 million",), ""),
        (GRANT, "The grants add up to $16 million.", ("2 + 6 + 8 = 16 million",), "objected"),
        (BUDGET, "Spending comes to $14,374 for each of the 6,035 pupils.", ("86,750,000 / 6,035 = 14,374",), ""),
        (LEASE, "It ends at the end of March 2038.", (), "open"),
        (LEASE, "It ends in March 2039.", (), "objected"),
        (LEASE, "It runs from 1 April 2035.", ("1 April 2035 to 31 March 2038, so 36 months",), "open"),
        (POWER, "In 2033 power cost $29.5 million.", ("38.6 - 9.1 = 29.5",), "open"),
        (POWER, "At 3 times $9.1 million it would be $27.3 million.", ("9.1 * 3 = 27.3",), "open"),
        (POWER, "Power cost $27.3 million more.", ("9.1 * 3 = 27.3",), "objected"),
        (CREW, "In two of the boats there were cracks.", (), "open"),
        (OPEN, "Days below 99.7% are paid back.", (), "open"),
        (OPEN, "It is open at most 99.7% of the days.", (), "objected"),
    ],
)  # fmt: skip
def test_what_is_computed_or_counted_in_telling(
    quote: str, text: str, calculations: Sequence[str], expected: str
) -> None:
    assert said(text, quote, calculations) == expected
