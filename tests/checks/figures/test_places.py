"""A figure belongs to its row, its column, its time and its clause: one that a claim puts elsewhere is told."""

from collections.abc import Sequence

import pytest
from fakes import document
from ralph_cli.text.quantities.nearness import weigh_words
from test_answers import check

HARBOURS = """
Harbours at the end of the year
Region  Leased  Owned  Total
North  61  207  268
South  45  118  163
"""
VOTES = """
The fee was put to the members.
In favour  Opposed  Abstentions  Not counted
5,172  1,324  170  684
"""
MARGIN = """
($ in millions)  2031  2030
Gross profit  $ 2,715  $ 2,910
Gross profit as a share of sales  17.5 %  18.4 %
"""
MONTHS = """
Period  Boats sold  Price of each
April 1-30, 2031  2,135  $ 213.63
May 1-31, 2031  3,283  $ 201.64
June 1-30, 2031  2,358  $ 200.31
"""
FLOWS = """
(Millions)  2031  2030
Net cash provided by (used in) building  222  (386)
"""
OPTIONS = """
Held  Price  Term  Worth
Shares  (per share)  (in years)  (in thousands)
Balance in 2031  22,845,417  $ 21.65  6.26  $ 1,723,505
"""
FEES = "In 2031, 2030 and 2029, we paid $723 million, $732 million and $741 million, respectively, in harbour fees."
DUES = "Dues were $5.44 a boat in 2031 and $4.70 a boat in 2030."
GRANTS = "Of the grant, $15 million is for dredging the channel, and $10 million for lights on the moles."
COURSE = "Every pilot has to complete a minimum of 25 hours of training each year."
BOND = "In March we redeemed a loan of \u20ac300 million (equivalent to $322 million)."
BERTHS = "Berths in the harbour range from 1,200 to 4,000 feet."
OWNERS = "Shares are held by the founders (55%) and by staff (15%)."
PRICE = 'They pay $4 million (the "Deposit") on signing and $36 million (the \u201cBalance\u201d) on closing.'
RATE = "The rate of 3.5% is superseded by 4.25%. The limit of $2 million is increased to $3 million."
WAGES = "In 2031 we paid $9 million in wages, compared to $5 million and $4 million in 2030 and 2029, respectively."
YARDS = """
Rope works
This part has 166 lofts, of which 114 are owned by us and 52 are rented.
Sail works
This part has 52 lofts, of which 12 are owned by us and 40 are rented.
"""
NOTES = "We owe $700 million of notes due 2034 and $800 million of notes due 2035."
TOLLS = """
(in thousands)
52 Weeks Ended
January 28,  January 29,
2033  2032
Tolls paid by boats  4,321  100.0%  3,987  100.0%
"""
STAFF = """
2031
Men and women at work  480
2030
Men and women at work  340
"""
PAYDAY = "A dividend of $0.25 was declared to be paid on May 21, 2031 to holders of record as of May 1, 2031."
WHOLE = "\n\n".join(
    (
        STAFF,
        PAYDAY,
        HARBOURS,
        VOTES,
        MONTHS,
        MARGIN,
        FLOWS,
        OPTIONS,
        FEES,
        DUES,
        GRANTS,
        COURSE,
        BOND,
        NOTES,
        BERTHS,
        OWNERS,
        PRICE,
        RATE,
        WAGES,
        YARDS,
    )
)


def answer(text: str, quote: str, calculations: Sequence[str] = ()) -> str:
    found = check(document(WHOLE, kind="pdf"), text, [quote.strip()], calculations)
    return "objected" if found.issues else "open" if found.doubts else ""


@pytest.mark.parametrize(
    ("right", "wrong", "quote"),
    [
        ("It owns 207 harbours and leases 61.", "It owns 61 harbours and leases 207.", HARBOURS),
        ("In the north it has 268 harbours.", "In the south it has 268 harbours.", HARBOURS),
        ("The share fell from 18.4% to 17.5%.", "The share grew from 17.5% to 18.4%.", MARGIN),
        ("In 2031 gross profit was $2,715 million.", "In 2030 gross profit was $2,715 million.", MARGIN),
        ("In May 2031, 3,283 boats went for $201.64.", "In June 2031, 3,283 boats went for $201.64.", MONTHS),
        ("Fees rose from $723 million in 2031", "Fees rose from $723 million in 2029 to $741 million in 2031.", FEES),
        (
            "For dredging there are $15 million and for lights $10 million.",
            "It grants $10 million to dredge the channel and $15 million to put up lights.",
            GRANTS,
        ),
        ("A pilot trains 25 hours a year.", "A pilot must put in 25 hours of training per quarter.", COURSE),
        ("In 2031 there were 480 at work.", "In 2030 there were 480 at work.", STAFF),
        ("Berths range from 1,200 to 4,000 feet.", "Berths range from 4,000 to 1,200 feet.", BERTHS),
        ("The founders hold 55% and staff 15%.", "Staff hold 55% and the founders 15%.", OWNERS),
        (
            "The Balance is $36 million, the Deposit $4 million.",
            "The Deposit is $36 million, the Balance $4 million.",
            PRICE,
        ),
        ("The $700 million are due in 2034.", "Some $800 million, of which $900 million is due in 2035.", NOTES),
    ],
)
def test_a_figure_belongs_to_the_words_beside_it(right: str, wrong: str, quote: str) -> None:
    assert answer(right, quote) == ""
    assert answer(wrong, quote)


@pytest.mark.parametrize(
    "text",
    [
        "Of its 268 harbours in the north it owns 207, and of the 163 in the south 118.",
        "From $732 million in 2030 the fees went down to $723 million, against $741 million in 2029.",
        "At $723 million in 2031, the fees were lower than in 2030.",
        "May 2031 was the best month, with 3,283 boats; in June it was 2,358.",
        "The share was 17.5% in 2031 (18.4% the year before).",
    ],
)
def test_what_is_compared_is_no_other_place(text: str) -> None:
    quote = HARBOURS if "harbours" in text else FEES if "fees" in text else MONTHS if "May" in text else MARGIN
    assert answer(text, quote) == ""


@pytest.mark.parametrize(
    "text",
    [
        "A rate of 4.25% supersedes that of 3.5%.",
        "4.25% now holds, no longer 3.5%.",
        "The limit is $3 million, raised from $2 million.",
    ],
)
def test_what_takes_the_place_of_another_may_be_told_first(text: str) -> None:
    assert answer(text, RATE) == ""


def test_a_small_count_is_no_rounding_of_a_figure_with_decimals() -> None:
    table = "Growth by region\nNorth  1.0 %  (4.2) %\nSouth  (0.9)  (3.9)\n"
    about = document(table, kind="pdf")
    found = check(about, "Of four regions only the south shrank, by 0.9%.", [table.strip()])
    assert not any("4.2" in doubt.message or "3.9" in doubt.message for doubt in found.doubts)
    assert check(about, "The north fell by 5.2%.", [table.strip()]).issues


def test_what_was_replaced_may_be_quoted_where_it_was_said_first() -> None:
    first, later = "A toll is paid within ten days of landing.", 'In rule 4, "ten days" is replaced by "twenty days".'
    about = document(f"{first}\n\n{later}", kind="text")
    text = "A toll is paid within twenty days of landing, for the ten days of rule 4 are replaced by twenty days."
    assert not check(about, text, [first, later]).issues
    assert check(about, text.replace("twenty", "ninety"), [first, later]).issues


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("In fiscal 2032 tolls of 4.3 million were paid.", ""),
        ("In the year to January 28, 2033 tolls of 4.3 million were paid.", ""),
        ("In the year to January 28, 2032 tolls of 4.3 million were paid.", "open"),
        ("In fiscal 2030 tolls of 4.3 million were paid.", "open"),
    ],
)
def test_a_year_that_ends_early_in_the_next_has_two_names(text: str, said: str) -> None:
    about = document(f"The fiscal year ended January 28, 2033.\n\n{TOLLS}", kind="pdf")
    found = check(about, text, [TOLLS.strip().split("\n")[-1]])
    assert ("objected" if found.issues else "open" if found.doubts else "") == said


def test_a_word_belongs_to_the_figure_that_it_stands_near() -> None:
    text = "Of 30 in all, 20 fall due in three years and 10 in spring."
    early, late = (weigh_words(text, text.index(figure), is_claim=True) for figure in ("20", "10"))
    assert early["t:3year"] > late["t:3year"] and late["spr"] > 0.5 > early["spr"]
    assert "t:3year" not in weigh_words(text, text.index("three"))


@pytest.mark.parametrize(
    ("text", "calculation", "said"),
    [
        ("At 480, 140 more are at work than in 2030.", "480 - 340 = 140", ""),
        ("Dues were 15.7% higher than in 2030.", "(5.44 - 4.70) / 4.70 = 15.7%", ""),
        ("In 2030 dues were 13.6% lower than in 2031.", "(5.44 - 4.70) / 5.44 = 13.6%", ""),
    ],
)
def test_a_change_has_the_base_that_its_words_say(text: str, calculation: str, said: str) -> None:
    assert answer(text, STAFF if "at work" in text else DUES, [calculation]) == said


def test_a_scale_in_a_line_of_units_is_that_of_its_column() -> None:
    row = "Balance in 2031  22,845,417  $ 21.65  6.26  $ 1,723,505"
    assert answer("22.8 million shares are worth $1.72 billion.", row) == ""
    assert answer("They are worth $1.72 million.", row)


def test_a_count_of_millions_may_be_written_out_in_full_under_a_scale() -> None:
    table = "(in thousands)\nCargo moved  812  797\nTickets sold  6,442,723  5,913,004\n"
    found = check(document(table, kind="pdf"), "It sold 6.4 million tickets.", ["Tickets sold  6,442,723  5,913,004"])
    assert not found.issues and found.doubts


def test_one_currency_has_a_price_in_another() -> None:
    assert answer("The euro cost $1.07.", BOND, ["322 / 300 = 1.073"]) == ""
    assert answer("The euro cost $1.70.", BOND, ["322 / 300 = 1.073"])


def test_a_small_count_in_words_is_no_doubt_beside_a_figure_that_is_borne_out() -> None:
    assert answer("Two notes of $700 million and $800 million are owed.", NOTES) == ""
    assert answer("Two notes are owed.", NOTES) == "open"
    assert answer("For 12 notes $700 million and $800 million are owed.", NOTES) == "open"


def test_a_figure_among_many_of_one_sentence_has_the_words_beside_it() -> None:
    text = " and ".join(f"harbour{chr(97 + number % 26) * 3} has {number} boats" for number in range(3, 400))
    words = weigh_words(text, text.index(" 200 ") + 1)
    assert words["boat"] > 0.5 and len(words) < 80
