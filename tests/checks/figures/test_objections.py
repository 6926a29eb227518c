"""What code objects to without reading: a value that is nowhere, another unit, scale, date or calculation.

Of each way to write a figure one claim is right, and one is wrong in nothing but this. What needs reading - a row, a
column, a direction, a bound, what is counted - is no objection.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import document
from figure_claims import check_figures, objections
from tables import make_table

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Draft, DraftClaim, Quote
from ralph_cli.documents.source import DocumentSource
from ralph_cli.documents.structure.clauses import clause_places, find_clauses
from ralph_cli.judge_testing.mutate_figures import mutate_numbers, mutate_times
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.text.sentences import sentence_ends

SEGMENTS = """
Segment results were as follows for the two periods that are compared here:
(in thousands of dollars, except per share data)
Three Months Ended June 30,  2023  2022
Packaging  $  210,450  $  198,300
Loss on disposals  (1,250)  (980)
Earnings per share  3.64  3.11
"""
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
ASSAYS = """
| Property | Unit | Lot 7 | Lot 8 |
|---|---|---|---|
| Free lead | ppm | 264 | 148 |
"""
HALF = "In the first half 1,060 tugs came."
VALVE = """
| Property | Symbol | Typ | Max | Unit |
|---|---|---|---|---|
| Gate charge | Q_g | 12 | 35 | nC |
| Time to open | t_on | 85 | 140 | ms |
"""
TANK = (
    "The tank holds 16 bar and 2.5 m3; a visit costs 7.25p. Of some 1,900 guests most live within 5 km. "
    "It ends on 31 May 2034 at six months' notice."
)
MOTOR = """
| Motor | Value |
|---|---|
| Winding capacitance | 2,200 pF maximum |
| Coil current | 350 mA |
"""
TRIAL = """
| Outcome | Sornatide 40 mg | Sornatide 20 mg | Placebo |
|---|---|---|---|
| Days without pain | 11.3 | 8.2 | 4.9 |
"""
PARTS = """
Pieces; worth in thousands of euros.
Part               Ordered      Worth    On time (%)
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
OPTIONS = """
Held  Price  Term  Worth
Shares  (per share)  (in years)  (in thousands)
Balance in 2031  22,845,417  $ 21.65  6.26  $ 1,723,505
"""
BIDS = """
Prices opened (CHF)

| Item | Unit | Quantity | Dock AG | Pier SA |
|---|---|---|---|---|
| Lamp of 58 W | piece | 650 | 268.00 | 275.00 |
"""
STAY = """
Kind            Calls    Calls    Mean stay (hours)
                 2032     2033        2032     2033
Tugs             2,184    2,071       31.4     29.8
"""
ISLES = "Isle  People (millions)  Area (km2)\nNorth isle  11.5  30,689"
CARDS = "(Millions, except where indicated)  2023  2022\nAverage spending (dollars)  $ 19,514  $ 16,498"
STOCK = "Site  Pallets  Let until  Loss\nHarbour  2019  2031-05-01  0.0938025"
BOXES = "North,120,450,54"
STAFF = "Staff costs came to $1,577 in the half-year, of which 24.6% fell to wages and 21.6% to the rest."
TERMS = (
    "The plan costs $11.99 a month. Payment is due within 30 days of 1 March 2023. The hall covers 5,000 square feet. "
    "They learnt for 5.8 million hours. The margin rose by 40 basis points."
)
LEASE = "It was signed on 1 January 2020 and closed on 1 July 2021 at 20 000 000 EUR. It runs from 3 to 15 April 2035."
INVOICE = "RUN 12/3/2014 of the vote on 11/20/2014\nNet  88,00  108,24"
SALES = "Sales were $105 million in the south and $86 million in the north; the toll is 39.6%, after 39.0% before."
GIFTS = "We gave back $4.9 billion, of which $3.3 billion for shares. The fee goes from 52 cents to 60 cents."
SURVEY = "We found 6 out of 9 bridges. They are checked for 1 year and 9 months, and are built 10x or more as fast."
FIRE = "The fire was out in 2 hours 25\n              minutes, with 1,380 m3 of water from a depth of 2.6 m."
SIZES = "The dose was 275 ng/mL; the hull weighs 64,300 t; the housing measures 41.0 x 28.5 x 9.7 mm."
BOND = "In March we redeemed a loan of \u20ac300 million (equivalent to $322 million)."
MIXED = "A share gained 70.5 US cents. The pipe has 12 acres. The notice is a 60-day notice, renewed for the 42nd time."
GRANT = "The grant is $2,000,000 for lamps, $5,000,000 for chains and $8,000,000 for moles."
CHINESE = "公司2024年营业收入为2,853万元，净利润为1.2亿元。"
JAPANESE = "売上高は3億4,500万円、営業利益は850万円でした。"


def said_of(quote: str, text: str, calculations: Sequence[str] = ()) -> list[str]:
    about = document(quote, kind="text" if quote in (BOXES, CHINESE, JAPANESE) else "pdf")
    if quote == BOXES:
        about = replace(about, tables=(make_table(BOXES, BOXES.split(",")),))
    return objections(about, text, [quote.strip()], calculations)


@pytest.mark.parametrize(
    ("quote", "right", "wrong"),
    [
        # Value, at its precision
        (SEGMENTS, "Packaging sold $210.5 million.", "Packaging sold $210.6 million."),
        (SEGMENTS, "Packaging sold about $210 million.", "Packaging sold about $180 million."),
        (STAFF, "Staff cost $1.577 million, a quarter of it wages.", "A fifth of $1,757 fell to wages, at 24.6%."),
        (TERMS, "The plan is $12 a month, roughly.", "The plan is $13 a month, roughly."),
        (TERMS, "The hall is just under 5,100 square feet.", "The hall is 5,100 square feet."),
        (BIDS, "A lamp of 58 W costs CHF 275.", "A lamp of 58 W costs CHF 257."),
        (TRIAL, "There were 11.3 days without pain on 40 mg.", "There were 11.3 days without pain on 60 mg."),
        (SURVEY, "They are checked for 21 months, and built at least tenfold as fast.", "They found 7.5 out of 9."),
        (BOXES, "The north has 120 boxes at a price of 450.", "The north has 120,450 boxes."),
        (INVOICE, "With tax it is 108.24.", "With tax it is 10,824."),
        (FIRE, "It was out in 2 hours 25 minutes.", "It was out in 2 hours 35 minutes."),
        (STAY, "Tugs called 2,184 times.", "Tugs called 2,148 times."),
        (SALES, "The south sold $19 million more than the north.", "The south sold $18 million more than the north."),
        (SALES, "Of $105 million and $86 million the one is 22% more.", "Of $105 million and $86 million it is 24%."),
        (MIXED, "It was renewed for the forty-second time.", "It was renewed for the forty-third time."),
        # Scale
        (SEGMENTS, "Packaging sold $210,450 thousand.", "Packaging sold $210.5 billion."),
        (SEGMENTS, "Packaging sold $198.3 million before.", "Packaging sold $198,300 before."),
        (SEGMENTS, "Earnings were $3.64 a share.", "Earnings were $3.64 million."),
        (TERMS, "They learnt for 5.8 million hours.", "They learnt for 5.8 thousand hours."),
        (PARTS, "Casings of DN 150 are worth \u20ac2.2 million.", "Casings of DN 150 are worth \u20ac2.2 billion."),
        (PARTS, "Of DN 150 casings 21,170 were ordered.", "Of DN 150 casings 21.2 billion were ordered."),
        (BUDGET, "The mole takes $46.1 million in all.", "The mole takes $46.1 thousand in all."),
        (BACK, "In 2033 it bought 11.8 million shares.", "In 2033 it bought 11.8 billion shares."),
        (OPTIONS, "22.8 million shares are worth $1.72 billion.", "They are worth $1.72 million."),
        (CHINESE, "Revenue was 28.53 million yuan in 2024.", "Revenue was 285.3 million yuan."),
        (CHINESE, "Net profit was RMB 120 million.", "Revenue was 2,853 yuan."),
        (JAPANESE, "Sales were \u00a5345 million.", "Operating profit was 85 million yen."),
        # Unit
        (SEGMENTS, "Packaging sold $210.5 million", "Packaging sold \u20ac210.5 million."),
        (STAFF, "24.6% fell to wages.", "24.6 percentage points fell to wages."),
        (TERMS, "It is due within 30 days.", "It is due within 30 weeks."),
        (TERMS, "The plan costs $11.99 monthly.", "The plan costs $11.99 a year."),
        (TERMS, "The hall covers 464.5 square metres.", "The hall covers 5,000 square metres."),
        (TERMS, "The margin rose 0.4 points.", "The margin rose by 40%."),
        (POWER, "It gave 0.5 TWh in the first half of 2031.", "It gave 512 MWh in the first half of 2031."),
        (MARGINS, "From a cover of 2.0 the margin is 2.25%.", "From a cover of 2.0 the margin is 225%."),
        (ASSAYS, "Lot 7 held 264 ppm of lead.", "Lot 7 held 264 mg/g of lead."),
        (STAY, "Tugs stayed 31.4 hours.", "Tugs stayed 31.4 days."),
        (ISLES, "Some 30,689 square kilometres are the north.", "Some 30,689 square miles are the north."),
        (MOTOR, "The winding capacitance is 2.2 nF.", "The winding capacitance is 2,200 nF."),
        (MOTOR, "The coil takes 350 milliamperes.", "The coil takes 350 inches."),
        (SIZES, "The dose was 275 ng/mL.", "The dose was 275 \u00b5g/mL."),
        (SIZES, "The dose was 0.275 \u00b5g/mL.", "The dose was 275 ng/dL."),
        (SIZES, "The hull weighs 64.3 kt.", "The hull weighs 64,300 kg."),
        (VALVE, "The gate takes 0.012 \u00b5C.", "The gate takes 12 mC."),  # a unit that a column of the row has
        (VALVE, "It opens within 0.14 s.", "It opens within 140 s."),
        (TANK, "The guests live within 5,000 m.", "The guests live less than 5 miles away."),
        (TANK, "It has 1,900 guests.", "It has 1.9 million guests."),
        (TANK, "The tank holds 1.6 MPa.", "The tank holds 1.6 kPa."),
        (TANK, "A visit costs 7.25 pence.", "A visit costs \u00a37.25."),
        (SIZES, "The housing is 41.0 mm long.", "The housing is 41.0 cm long."),
        (MIXED, "A share gained $0.705.", "A share gained $70.50."),
        (MIXED, "The pipe has 4.9 hectares.", "The pipe has 12 hectares."),
        (STOCK, "The harbour lost 9.38%, or 938 basis points.", "The harbour lost 93.8%."),
        (GIFTS, "The fee is 60 cents.", "The fee is 60%."),
        # Dates
        (SEGMENTS, "In the second quarter of 2023 it sold $210.5 million.", "In the full year it sold $210.5 million."),
        (TERMS, "It is due 30 days from 1 March 2023.", "It is due 30 days from 2 March 2023."),
        (STOCK, "The harbour is let until May 2031.", "The harbour is let until 3 May 2031."),
        (STOCK, "In 2031 it was let.", "In 2024 it was let."),
        (LEASE, "It closed a year and a half after it was signed, at \u20ac20 million.", "It closed on 1 June 2021."),
        (TANK, "Notice is due on 30 November 2033.", "It ends on 31 May 2035."),
        (HALF, "In the first half 1,060 came.", "In the second half 1,060 came."),
        (LEASE, "It runs to 15 April 2035.", "It runs from 3 to 25 April 2035."),
        (INVOICE, "It was run on 3 December 2014, thirteen days after 20 November.", "It was run on 12 March 2014."),
    ],
)
def test_a_figure_stands_in_any_form_and_is_objected_to_where_one_thing_differs(
    quote: str, right: str, wrong: str
) -> None:
    assert said_of(quote, right) == []
    assert said_of(quote, wrong)


@pytest.mark.parametrize(
    ("quote", "right", "wrong", "result", "other"),
    [
        (POWER, "It gave 81 GWh more.", "It gave 81 MWh more.", "512 - 431 = 81", "512 - 431 = 81"),
        (MARGINS, "It rises by 37.5 bps.", "It rises by 37.5%.", "225.0 - 187.5 = 37.5", "225.0 - 187.5 = 37.5"),
        (BOND, "The euro cost $1.07.", "The euro cost $1.70.", "322 / 300 = 1.073", "322 / 300 = 1.073"),
        (STAFF, "Wages were 3 points more.", "Wages were 4% more.", "24.6% - 21.6% = 3%", "24.6% - 21.6% = 4%"),
        (CARDS, "It rose $3,016.", "It rose $3.016 million.", "19,514 - 16,498 = 3,016", "19,514 - 16,498 = 3,061"),
        (GRANT, "They are $15 million.", "They are $16 million.", "2 + 5 + 8 = 15 million", "2 + 6 + 8 = 16 million"),
        (STAFF, "75.4% fell to the rest.", "79.4% fell to the rest.", "100 - 24.6 = 75.4", "100 - 24.6 = 79.4"),
        (GIFTS, "Of each dollar 67 cents went.", "Of each 76 cents went.", "3.3 / 4.9 = 0.673", "3.3 / 4.9 = 0.76"),
        (SEGMENTS, "It is $210.45 million.", "It has 12,000.", "210,450 / 1,000 = 210.45", "12 * 1,000 = 12,000"),
    ],
)  # fmt: skip
def test_a_calculation_gives_its_result_its_unit_and_its_scale(
    quote: str, right: str, wrong: str, result: str, other: str
) -> None:
    assert said_of(quote, right, [result]) == []
    assert said_of(quote, wrong, [other])


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        (SEGMENTS, "Packaging sold $198.3 million in the second quarter of 2023."),  # the column before
        (SEGMENTS, "Disposals earned $1.25 million."),  # the sign
        (ASSAYS, "Lot 8 held 264 ppm."),  # the neighbour
        (SALES, "Sales shrank by $19 million, to $86 million."),  # the direction
        (SALES, "The toll is at most 39.6%."),  # a bound
        (TERMS, "The plant has 12 lines in three halls."),  # what may be counted
        (SURVEY, "Two thirds of the bridges were found."),  # a share in words
        (SIZES, "The dose was given to 275 patients."),  # what is counted
        (STAFF, "Wages were 14 percent more than the rest."),  # an unrecorded calculation that works
    ],
)
def test_what_needs_reading_is_no_objection_and_no_doubt(quote: str, text: str) -> None:
    found = check_figures(document(quote, kind="pdf"), text, [quote.strip()])
    assert (found.issues, found.doubts) == ((), ())


@pytest.mark.parametrize(
    ("quote", "text", "calculations", "said"),
    [
        (SEGMENTS, "It sold $210,450.", (), '"$210,450": the quotes say "$ 210,450", in a table "(in '
         'thousands of dollars, except per share data)" (another scale)'),
        (SIZES, "The dose was 275 ng/dL.", (), '"275 ng/dL": the quotes say "275 ng/mL" (another unit)'),
        (TERMS, "It is $11.99 a year.", (), '"$11.99": the quotes say "$11.99 per month" (another unit)'),
        (TERMS, "It is due on 2 March 2023.", (), '"2 March 2023": the quotes say "1 March 2023" (another day)'),
        (TERMS, "In 2019 it was due.", (), '"2019": the quotes say "1 March 2023" (another year)'),
        (TERMS, "It rose 41 basis points.", (), '"41 basis points" is in no quote of the claim, nor the result of a '
         'calculation that holds; nearest is "40 basis points"'),
        (STAFF, "Wages were 4% more.", ("24.6% - 21.6% = 4%",), "24.6% - 21.6% = 4%: it gives 3%, not 4%: write 3%"),
        (CHINESE, "It made \u20ac28.53 million.", (), '"\u20ac28.53 million": the document names no such currency'),
    ],
)  # fmt: skip
def test_an_objection_is_told_once_and_names_what_is_written(
    quote: str, text: str, calculations: Sequence[str], said: str
) -> None:
    (told,) = said_of(quote, text, calculations)
    assert said in told


def test_a_scale_that_is_not_written_beside_a_figure_is_no_other_one() -> None:
    assert said_of(CARDS, "Spending rose to $19,514.") == []  # "(dollars)" beside the row is nearer than "(Millions)"
    table = "(in thousands)\nCargo moved  812  797\nTickets sold  6,442,723  5,913,004\nTaken  $ 645,485  $ 603,108\n"
    about = document(table, kind="pdf")
    assert objections(about, "It sold 6.4 million tickets.", ["Tickets sold  6,442,723  5,913,004"]) == []
    assert objections(about, "It took $645 million.", ["Taken  $ 645,485  $ 603,108"]) == []
    assert objections(about, "It took $645,485.", ["Taken  $ 645,485  $ 603,108"])


def test_the_scale_of_a_quoted_table_is_not_that_of_a_sentence_quoted_beside_it() -> None:
    quotes = [
        "EUR thousand  31 Dec 2024  31 Dec 2023\nProvision for the site  1,150  900",
        "The seller bears the cost up to EUR 1,500,000",
    ]
    about = document("\n\n".join(quotes) + " in all.\n")
    claim = "A provision of EUR 1,150 thousand stands beside an indemnity of up to EUR 1,500,000."
    assert objections(about, claim, quotes) == []
    assert objections(about, claim.replace("1,150 thousand", "1,150"), quotes)


def test_a_year_that_ends_early_in_the_next_has_two_names() -> None:
    row = "Tolls paid by boats  4,321  3,987"
    year = "The fiscal year ended January 28, 2033."
    about = document(
        f"{year}\n\n(in thousands)\n52 Weeks Ended\nJanuary 28,  January 29,\n2033  2032\n{row}", kind="pdf"
    )
    assert objections(about, "In fiscal 2032 tolls of 4.3 million were paid.", [row]) == []
    assert objections(about, "In the year to January 28, 2033 they were 4.3 million.", [row]) == []
    assert objections(about, "In fiscal 2030 tolls of 4.3 million were paid.", [row])


def test_the_date_of_a_mail_and_the_numbers_of_clauses_are_known() -> None:
    mail = document("From: Ann\nDate: Tue, 4 Mar 2025 09:12:33 +0100\n\nIt starts on 17 March.\n", kind="eml")
    assert (
        objections(mail, "On 4 March 2025 she wrote that it starts on 17 March 2025.", ["It starts on 17 March."]) == []
    )
    assert objections(mail, "On 5 March 2025 she wrote.", ["It starts on 17 March."])
    text = "3. Rent\n3.1 The rent is EUR 4,800 a month.\n3.2 It falls due within 10 days.\n"
    lease = replace(document(text), places=tuple(clause_places(text, find_clauses(text))))
    assert objections(lease, "Under clause 3.2 rent is due within 10 days.", ["3.2 It falls due within 10 days."]) == []


def test_a_figure_of_a_heading_or_of_the_name_of_a_column_is_known() -> None:
    row = "| Idle | 4.3 | 6.0 |"
    text = f"# Currents\n\n### 16k parts\n\n| Mode (mA) | typ | 125C |\n|---|---|---|\n{row}\n"
    about = DocumentSource("parts.md").load_bytes(text.encode(), None)
    assert objections(about, "Idle, the 16k parts take 4.3 mA, and 6 mA at 125 \u00b0C.", [row]) == []
    assert objections(about, "Idle, the 32k parts take 4.3 mA.", [row])
    assert objections(about, "Idle, they take 6 mA at 105 \u00b0C.", [row])


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("30 \u00b5mol/min", "30 \u00b5mol per minute"), ("8 L/h", "8 litres per hour"), ("12 VDC", "12 volts"),
        ("33 k\u03a9", "33 kilohms"), ("20 N\u00b7m", "20 newton metres"), ("120 mmHg", "120 millimetres of mercury"),
        ("12 TV stations", "12 television stations"), ("120 T cells", "120 lymphocytes"),
        ("37 C", "37 degrees Celsius"), ("6 x 50 mm screws", "6 screws"), ("1,380 m3", "1,380 cubic metres"),
        ("2,200 pF maximum", "2,200 picofarads"), ("12 mm of rain", "12 million"),
    ],
)  # fmt: skip
def test_a_unit_in_other_words_is_no_other_unit(written: str, told: str) -> None:
    quote = f"The test found {written} in all"
    assert objections(document(f"{quote} of them."), f"The test found {told} in all.", [quote]) == []


def test_a_reason_makes_a_doubt_of_an_objection_unless_the_check_vetoes() -> None:
    about = document("The plant has 312 lines, as it had before.")
    draft = Draft((DraftClaim("The plant has 313 lines.", ("The plant has 312 lines",), because="one was built"),))
    attempt = resolve_quotes(draft, about, QuoteIndex(about))
    assert NumbersCheck(about, "")(attempt).issues
    stood_by = NumbersCheck(about, "", vetoes=False)(attempt)
    assert stood_by.passed and [doubt.kind for doubt in stood_by.doubts] == ["objection"]
    silent = replace(attempt, claims=(replace(attempt.claims[0], because=""),))
    assert not NumbersCheck(about, "", vetoes=False)(silent).passed


SAMPLES = Path(__file__).parents[3] / "samples"


def sentences_of(about: Document) -> Iterator[tuple[int, int]]:
    start = 0
    for stop, begin in sentence_ends(about.text):
        text = about.text[start:stop]
        if text.strip() and any(character.isdigit() for character in text) and "|" not in text and 20 < len(text) < 400:
            yield start + len(text) - len(text.lstrip()), stop
        start = begin


@pytest.mark.parametrize("name", ["contract.md", "report.md"])
def test_sentences_as_claims_of_themselves_stand_and_with_another_figure_nearly_never(name: str) -> None:
    about = document((SAMPLES / name).read_text("utf-8"), kind="markdown")
    numbers, chosen = NumbersCheck(about, ""), random.Random(7)
    seen: Counter[tuple[str, bool]] = Counter()

    def stands(text: str, span: tuple[int, int]) -> bool:
        quote = Quote(1, about.text[slice(*span)], *span, 1, "1", "exact", 1, text)
        return not numbers(Attempt((Claim(1, " ".join(text.split()), (1,)),), (quote,))).issues

    for span in sentences_of(about):
        text = about.text[slice(*span)]
        seen["true", stands(f"This is what it says: {text}", span)] += 1
        # Code cannot count small things, which are often written as words.
        variants = (*mutate_numbers(text), *mutate_times(text))
        false = [made for made in variants if re.findall(r"\d+", made) != re.findall(r"\d+", text)]
        for changed in chosen.sample(false, min(2, len(false))):
            seen["false", stands(changed, span)] += 1
    assert seen["true", False] == 0 and seen["true", True] >= 20
    assert seen["false", False] >= 20 and seen["false", True] <= 0.15 * seen["false", False], seen
