"""Figures that a claim words otherwise than its quotes: compound adjectives, shares of people, cents, years, bounds."""

from collections.abc import Sequence

import pytest
from fakes import document
from test_answers import check

NOTICE = """
The contract runs from 3 May 2021 to 14 April 2024 and was renewed for the 42nd time.
Of some 900 drivers, 310 work at night. More than 4,000 parcels pass through the depot.
The dividend is 21.5 cents per share, next year 18-20 cents per share; cover was 14 to 1 against a floor of2.0 to 1.
\fSix months ended June 30,  2023  2022
Toll income  148  120
Total depots  64
Yard space (in thousands)  3,200
"""


def answer(text: str, quotes: Sequence[str], calculations: Sequence[str] = ()) -> str:
    found = check(document(NOTICE.replace("  ", "    "), kind="pdf"), text, quotes, calculations)
    return "objected" if found.issues else "open" if found.doubts else ""


TERM, STAFF, PAY = NOTICE.strip().splitlines()[:3]
HALF = "Six months ended June 30,    2023    2022\nToll income    148    120"
YARD = "Total depots    64\nYard space (in thousands)    3,200"


@pytest.mark.parametrize(
    ("text", "quote", "calculations"),
    [
        ("It was renewed for the forty-second time.", TERM, ()),
        ("It ends three years after it began.", TERM, ("2024 - 2021 = 3",)),
        ("One driver in three is said to work at night.", STAFF, ("310 / 900 = 34.4%",)),
        ("In the half-year to June 30, 2023 tolls brought in 148.", HALF, ()),
        ("Six-month toll income was 148.", HALF, ()),
        ("Cover is 14 times the 2.0 times that are asked for, or sevenfold.", PAY, ("14 / 2.0 = 7",)),
        ("The dividend falls by 7% to 16%.", PAY, ("(21.5 - 20) / 21.5 = 7%", "(21.5 - 18) / 21.5 = 16%")),
        ("Toll income rose by 23.3%.", HALF, ("(148 - 120) / 120 = 23.3%",)),
        ("Two shares earn 43 cents.", PAY, ("21.5 * 2 = 43",)),
        ("A depot of the 64 has 50,000 square feet of yard.", YARD, ("3,200,000 / 64 = 50,000",)),
        ("More than 3,500 parcels pass through.", STAFF, ()),
    ],
)
def test_what_is_borne_out(text: str, quote: str, calculations: Sequence[str]) -> None:
    assert answer(text, [quote], calculations) == ""


@pytest.mark.parametrize(
    ("text", "quote", "calculations"),
    [
        ("It runs for over three years.", TERM, ()),
        ("It runs for almost four years.", TERM, ()),
        ("It was renewed for the forty-third time.", TERM, ()),
        ("It ends four years after it began.", TERM, ("2025 - 2021 = 4",)),
        ("In the half-year to June 30, 2023 tolls brought in 120.8.", HALF, ()),
        ("In the quarter to June 30, 2023 tolls brought in 148.", HALF, ()),
        ("The dividend falls by 7%.", PAY, ("(21.5 - 2) / 21.5 = 91%",)),
        ("Fewer than 4,000 parcels pass through.", STAFF, ()),
    ],
)
def test_what_is_not(text: str, quote: str, calculations: Sequence[str]) -> None:
    assert answer(text, [quote], calculations)


YARDS = "The group has 61 yards, of which 45 are owned by it and 16 are rented from the port."
DEBT = "Net debt as of June 30, 2023 and June 30, 2022 was $6.4 million and $5.9 million, respectively."
FEES = "Fees paid were $2.15 and $2.05 per share for each quarter in 2022 and 2021, respectively."
LOANS = "Net cash provided by (used in) financing    (61.5)    12.0"
SHOPS = "The list has 20 kiosks, 19 market stalls and 14 corner shops."
CREW = "We had about 2,600 workers in the north and about 5,130 workers in the south."
RENTERS = "Our 20 largest renters account for approximately 79% of rent, of which the first five for approximately 57%."
TOLLS = "The toll increased to 48 cents, and the margin fell to 23.6% from 23.9%."


@pytest.mark.parametrize(
    ("borne_out", "not_so", "quote"),
    [
        ("45 yards are owned and 16 rented.", "16 yards are owned and 45 rented.", YARDS),
        ("It rents 16 and owns 45.", "Of 61 yards, 45 are rented and 16 owned.", YARDS),
        ("2,600 work in the north and 5,130 south.", "5,130 work in the north and 2,600 in the south.", CREW),
        (
            "The 20 largest renters pay approximately 79% and five of them together approximately 57%.",
            "The 20 largest renters pay approximately 79% and five of them together approximately 59%.",
            RENTERS,
        ),
        ("Financing consumed 61.5 million.", "Financing brought in 61.5 million.", f"(in millions)\n{LOANS}"),
        ("They raised the toll to 48 cents.", "They raised the toll in May by 48 cents.", TOLLS),
        ("The margin fell from 23.9% to 23.6%.", "The margin rose from 23.9% to 23.6%.", TOLLS),
        ("The margin did not rise: it went from 23.9% to 23.6%.", "It grew to 23.6% from 23.9%.", TOLLS),
    ],
)
def test_what_a_sentence_says_of_several_figures(borne_out: str, not_so: str, quote: str) -> None:
    about = document(
        f"{NOTICE}\n{YARDS}\n{DEBT}\n{FEES}\n(in millions)\n{LOANS}\n{TOLLS}\n{SHOPS}\n{CREW}\n{RENTERS}\n", kind="pdf"
    )
    right, wrong = check(about, borne_out, [quote]), check(about, not_so, [quote])
    assert not right.issues and not right.doubts
    assert wrong.issues or wrong.doubts


SALES = "Sales were $105 million in the south and $86 million in the north; the toll is 39.6%, after 39.0% before."
SURVEY = "We found 6 out of 9 bridges. They are checked for 1 year and 9 months, and are built 10x or more as fast."
PACT = "It was signed on 1 January 2020 and closed on 1 July 2021 at 20 000 000 EUR."
INVOICE = "RUN 12/3/2014 of the vote on 11/20/2014\nNet  88,00  108,24\nInterest (income) expense, net  (4,378)"
CARDS = "(Millions, except percentages and where indicated)  2023  2022\nAverage spending (dollars)  $ 19,514  $ 16,498"
TANK = "The tank takes 2.2 million square feet.\nWeight  1,800,000 lbs.\nof which sold  6,475"
ISLES = "Isle  People (millions)  Area (km2)\nNorth isle  11.5  30,689"
BOXES = "\u2612 Juice \u2610 Tea \u2612 Coffee \u2610 Milk \u2612 Water"
GIFTS = "We gave back $4.9 billion, of which $3.3 billion for shares. The fee goes from 52 cents to 60 cents."
UNIT = "(Millions)  2022  2021  Change\nSegment income  $  2,880  $  2,936  $  (56)  (2)%"
RATE = "Effective rate  17.3 %  19.0 %  (1.7)%"
ENDS = "Cash decreased by $178 million. Rates are those of 2023. We report for the year ended June 30."
MIX = "Sales rose by 3%, driven by a favorable price of 4% and unfavorable volumes of (1%)."
BUYING = "(in millions, except share data)\nTotal of the quarter  318,000  $ 398.76"
SHARE = "The share went from 24.6% to 21.1%, a fall of 3.5 in all."
CREWS = "Of 933 crews, 371 are at home and 562 abroad (section 201). They fell by $12, or 5%, and came 30 minutes late."
CLAUSE = "5. Under this agreement 12 days of notice are given."
LIST = "\u2022 a pump\n\u2022 a valve\n\u2022 a pipe of 12 acres"


@pytest.mark.parametrize(
    ("text", "quote", "calculations", "said"),
    [
        ("The south sold $19 million more than the north, $105 million against $86 million.", SALES, (), ""),
        ("At $105 million the south sold 22% more than the north with $86 million.", SALES, (), ""),
        ("At $105 million the south sold 24% more than the north with $86 million.", SALES, (), "objected"),
        ("The three parts together sold $191 million.", SALES, (), "open"),
        ("The north sold 18% less than the south.", SALES, (), "open"),
        ("Sales shrank by $19 million.", SALES, (), "open"),
        ("The north sold $19 million less, or 18.1%.", SALES, ("(105 - 86) / 105 = 18.1%",), ""),
        ("Two thirds of the bridges were found.", SURVEY, (), ""),
        ("Nearly seven bridges in ten were found.", SURVEY, ("6 / 9 = 66.7%",), ""),
        ("They are checked for 21 months, and built at least tenfold as fast.", SURVEY, (), ""),
        ("They are checked for 20 months.", SURVEY, (), "open"),
        ("They are checked for a month.", SURVEY, (), "open"),
        ("It was run on 3 December 2014, thirteen days after 20 November.", INVOICE, (), ""),
        ("It was run on 12 March 2014.", INVOICE, (), "objected"),
        ("With tax it is 108.24.", INVOICE, (), ""),
        ("With tax it is 10,824.", INVOICE, (), "objected"),
        ("Net interest income was 4,378.", INVOICE, (), ""),
        ("It closed a year and a half after it was signed, at \u20ac20 million.", PACT, (), ""),
        ("It closed two years after it was signed.", PACT, (), "open"),
        ("Four parts are listed.", LIST, (), "open"),
        ("Four of six are ticked.", BOXES, (), "open"),
        ("Spending rose by $3,016, to $19,514.", CARDS, ("19,514 - 16,498 = 3,016",), ""),
        ("Spending rose to $19,514 million.", CARDS, (), "objected"),
        ("Those at home are 40% of the crews.", CREWS, ("371 / 933 = 39.8%",), ""),
        ("They were half an hour late, after a fall by 5%.", CREWS, (), ""),
        ("By section 203 they work at home.", CREWS, (), "open"),
        ("Of volumes there was a 1% rise.", MIX, (), "open"),
        ("Of volumes there was a 1% fall.", MIX, (), ""),
        ("Some 318,000 at $398.76 are $126.8 million.", BUYING, ("318,000 * $398.76 = $126,805,680",), ""),
        ("By clause 5 of draft 4 it takes 12 days in three of the cases.", CLAUSE, (), "open"),
        ("By clause 5 it takes 12 days in three of the cases.", CLAUSE, (), ""),
        ("By section 6 it takes 12 days.", CLAUSE, (), "open"),
        ("Nach Ziffer 5 it takes 12 days.", CLAUSE, (), ""),
        ("Nach Ziffer 6 it takes 12 days.", CLAUSE, (), "open"),
        ("Some 30,689 square kilometres are the north.", ISLES, (), ""),
        ("Some 30,689 square miles are the north.", ISLES, (), "objected"),
        ("Two dollars in every three ($3.3 billion) went to shares.", GIFTS, ("3.3 / 4.9 = 67%",), ""),
        ("What went to shares was ($3.3 billion).", GIFTS, (), "objected"),
        ("They gave $(3.3) billion to shares.", GIFTS, (), "objected"),
        ("A half went to shares, and a third on May 1.", GIFTS, (), "open"),
        ("Eight cents a quarter.", GIFTS, ("60 - 52 = ~8",), ""),
        ("Of each dollar 67 cents went to shares.", GIFTS, ("$3.3 billion \u00f7 $4.9 billion = about 0.673",), ""),
        ("Of each dollar 76 cents went to shares.", GIFTS, ("3.3 / 4.9 = 0.673",), "objected"),
        ("Segment income eased by $56 million, or 2%, to $2.88 billion.", UNIT, (), ""),
        ("The rate was 1.6 percentage points lower.", RATE, (), "objected"),
        ("It holds for the year ended June 30, 2023.", "Rates are those of 2023.", (), ""),
        ("It holds for the year ended May 31, 2023.", "Rates are those of 2023.", (), "open"),
        ("They fell in the twelve months before.", "Cash decreased by $178 million.", (), ""),
        ("By the 30th it ends.", "We report for the year ended June 30.", (), ""),
        ("By the 20th it ends.", "We report for the year ended June 30.", (), "open"),
        ("The pipe has 4.9 hectares.", LIST, (), ""),
        ("The pipe has 4.1 hectares.", LIST, (), "objected"),
        ("The pipe has 12 hectares.", LIST, (), "objected"),
    ],
)  # fmt: skip
def test_what_lies_between_figures_and_how_others_write_them(
    text: str, quote: str, calculations: Sequence[str], said: str
) -> None:
    about = document(
        "\n\n".join(
            (
                SALES,
                SURVEY,
                INVOICE,
                LIST,
                PACT,
                CARDS,
                TANK,
                ISLES,
                BOXES,
                GIFTS,
                UNIT,
                RATE,
                ENDS,
                MIX,
                BUYING,
                CLAUSE,
                CREWS,
                SHARE,
            )
        ),
        kind="pdf",
    )
    found = check(about, text, [quote], calculations)
    assert ("objected" if found.issues else "open" if found.doubts else "") == said, (found.issues, found.doubts)
