"""Three answers to a figure of a claim: supported, contradicted in one field, or open; and an objection is no veto."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import document
from ralph_cli.checks.figures.tables.header import TableHeaders
from tables import make_table

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Claim, Draft, DraftClaim, Evidence, Quote
from ralph_cli.judge_testing.mutate_figures import mutate_numbers, mutate_times
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.text.sentences import sentence_ends

REPORT = """
The figures of this part are shown in the currency of the group.
\fSegment results were as follows for the two periods that are compared here:
(in thousands of dollars, except per share data)
Three Months Ended June 30,  2023  2022
Packaging  $  210,450  $  198,300
Labels  88,120  91,045
Loss on disposals  (1,250)  (980)
Earnings per share  3.64  3.11
\fStaff costs came to $1,577 in the half-year, of which 24.6% fell to wages and 21.6% to the rest.
The plan costs $11.99 a month. Payment is due within 30 days of 1 March 2023. The plant has 12 lines.
The hall covers 5,000 square feet. They learnt for 5.8 million hours. The margin rose by 40 basis points.
"""


def check(about: Document, text: str, quotes: Sequence[str], calculations: Sequence[str] = ()) -> Evidence:
    attempt = resolve_quotes(Draft((DraftClaim(text, tuple(quotes), tuple(calculations)),)), about, QuoteIndex(about))
    assert not attempt.refused, attempt.refused
    return NumbersCheck(about, "What does it say?")(attempt)


def answer(text: str, *quotes: str, calculations: Sequence[str] = ()) -> str:
    """What is said of a claim on the report: "", or the kind of answer and its words."""
    found = check(document(REPORT, kind="pdf"), text, quotes, calculations)
    said = [f"objection: {issue.material}" for issue in found.issues]
    return "\n".join(said + [f"open: {doubt.message}" for doubt in found.doubts])


PACKAGING = "Packaging  $  210,450  $  198,300"
STAFF = "Staff costs came to $1,577 in the half-year, of which 24.6% fell to wages and 21.6% to the rest."


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Packaging sold $210.5 million.", PACKAGING),
        ("Packaging sold $210,450 thousand in the three months ended June 30, 2023.", PACKAGING),
        ("Packaging sold about $210 million in the second quarter of 2023.", PACKAGING),
        ("Earnings were $3.64 a share.", "Earnings per share  3.64  3.11"),
        ("Staff cost $1.577 million, a quarter of it wages.", STAFF),
        ("The plan is $12 a month, roughly.", "The plan costs $11.99 a month."),
        ("The hall is just under 5,100 square feet.", "The hall covers 5,000 square feet."),
        ("The margin rose 0.4 points.", "The margin rose by 40 basis points."),
    ],
)
def test_what_the_quotes_and_their_headers_bear_out(text: str, quote: str) -> None:
    assert answer(text, quote) == ""


@pytest.mark.parametrize(
    ("text", "quote", "field"),
    [
        ("Packaging sold $210.5 billion.", PACKAGING, "scale differs"),
        ("Packaging sold $210,450.", PACKAGING, "scale differs"),
        ("Packaging sold \u20ac210.5 million.", PACKAGING, "names no such currency"),
        ("Packaging sold $210.5 million in the full year.", PACKAGING, "length of the period"),
        ("Earnings were $3.64 million.", "Earnings per share  3.64  3.11", "scale differs"),
        ("Loss on disposals was $980.", "Loss on disposals  (1,250)  (980)", "scale differs"),
        ("24.6 percentage points fell to wages.", STAFF, "unit differs"),
        ("The plan costs $11.99 a year.", "The plan costs $11.99 a month.", "time it is stated for"),
        ("It is due within 30 weeks.", "Payment is due within 30 days of 1 March 2023.", "unit differs"),
        ("It is due 30 days from 2 March 2023.", "Payment is due within 30 days of 1 March 2023.", "another day"),
        ("The plant has 13 lines.", "The plant has 12 lines.", 'the quotes say "12 line'),
        ("The hall covers 5,000 square metres.", "The hall covers 5,000 square feet.", "unit differs"),
        ("They learnt for 5.8 thousand hours.", "They learnt for 5.8 million hours.", "scale differs"),
        ("The margin rose by 41 basis points.", "The margin rose by 40 basis points.", "is in no quote"),
    ],
)
def test_what_the_quotes_state_otherwise_is_an_objection_that_names_the_field(
    text: str, quote: str, field: str
) -> None:
    assert answer(text, quote).startswith("objection: ") and field in answer(text, quote)


@pytest.mark.parametrize(
    ("text", "quote", "question"),
    [
        ("The plant runs three shifts.", "The plant has 12 lines.", "could not count"),
        ("It is due in 2019.", "The plant has 12 lines.", "names the year"),
        ("Wages were 14 percent more than the rest.", STAFF, "no calculation is recorded"),
        ("More than 20% fell to the rest, more than 15% to wages.", STAFF, "distance to the bound"),
    ],
)
def test_what_code_cannot_tell_is_open(text: str, quote: str, question: str) -> None:
    assert answer(text, quote).startswith("open: ") and question in answer(text, quote)


def test_a_cause_is_told_once_and_says_what_to_write() -> None:
    said = answer("Wages were 4% more.", STAFF, calculations=["24.6% - 21.6% = 4%"])
    assert said == "objection: 24.6% - 21.6% = 4%: it gives 3%, not 4%: write 3%"
    said = answer("Wages were 3% more.", STAFF, calculations=["24.6% - 21.6% = 3%"])
    assert "a number of percentage points" in said


def test_a_conversion_of_scales_makes_no_more_of_anything() -> None:
    quote = "The plant has 12 lines."
    assert "scale" in answer("The plant has 12,000 lines.", quote, calculations=["12 * 1,000 = 12,000"])
    assert answer("Packaging sold $210.45 million.", PACKAGING, calculations=["210,450 / 1,000 = 210.45"]) == ""


def test_a_column_that_the_reader_of_the_document_has_seen_gives_its_unit() -> None:
    text = "(in millions)\nName  2023  Change (%)\nSales  5,000  12\nOther sales  4,000  7\n"
    about, at = document(text, kind="pdf"), text.index("12")
    rows = ("Name", "2023", "Change (%)"), ("Sales", "5,000", "12"), ("Other sales", "4,000", "7")
    typed = replace(about, tables=(make_table(text, *rows),))
    assert check(typed, "Sales rose by 12%.", ["Sales  5,000  12"]).doubts == ()
    assert (TableHeaders(typed).column_at(at), TableHeaders(typed).column_at(0)) == ("Change (%)", "")


def test_a_figure_of_another_column_is_told_by_the_year_or_the_word_that_names_it() -> None:
    text = "Name  2023  2022  Licences sold  Permits renewed\nSales  5,000  4,000  731  842\n"
    names = ("Name", "2023", "2022", "Licences sold", "Permits renewed")
    rows = names, ("Sales", "5,000", "4,000", "731", "842")
    about = replace(document(text, kind="pdf"), tables=(make_table(text, *rows),))
    row = ["Sales  5,000  4,000  731  842"]
    for right in ("Sales were 5,000 in 2023.", "There were 731 licences sold."):
        assert (check(about, right, row).issues, check(about, right, row).doubts) == ((), ())
    assert 'say of "4,000"' in check(about, "Sales were 5,000 in 2022.", row).issues[0].material
    assert 'say of "731"' in check(about, "There were 842 licences sold.", row).doubts[0].message


def attempt_on(about: Document, text: str, because: str = "") -> Attempt:
    draft = Draft((DraftClaim(text, ("The plant has 12 lines.",), because=because),))
    found = resolve_quotes(draft, about, QuoteIndex(about))
    return replace(found, claims=(replace(found.claims[0], because=because),))


def test_a_reason_makes_a_doubt_of_an_objection() -> None:
    about = document(REPORT, kind="pdf")
    numbers = NumbersCheck(about, "", vetoes=False)
    refused = numbers(attempt_on(about, "The plant has 13 lines."))
    assert not refused.passed and refused.doubts == ()
    stood_by = numbers(attempt_on(about, "The plant has 13 lines.", "one was built since"))
    assert stood_by.passed and [doubt.kind for doubt in stood_by.doubts] == ["objection"]
    assert 'the quotes say "12 line' in stood_by.doubts[0].message


def test_with_vetoes_an_objection_stands() -> None:
    about = document(REPORT, kind="pdf")
    numbers = NumbersCheck(about, "", vetoes=True)
    for _ in range(2):
        assert not numbers(attempt_on(about, "The plant has 13 lines.", "one was built since")).passed


SAMPLES = Path(__file__).parents[3] / "samples"


def sentences_of(about: Document) -> Iterator[tuple[int, int]]:
    start = 0
    for stop, begin in sentence_ends(about.text):
        text = about.text[start:stop]
        if text.strip() and any(character.isdigit() for character in text) and "|" not in text and len(text) < 400:
            yield start + len(text) - len(text.lstrip()), stop
        start = begin


@pytest.mark.parametrize("name", ["contract.md", "report.md"])
def test_sentences_as_claims_of_themselves_pass_and_with_one_field_changed_nearly_never(name: str) -> None:
    about = document((SAMPLES / name).read_text("utf-8"), kind="markdown")
    numbers = NumbersCheck(about, "")
    chosen = random.Random(7)
    seen: Counter[tuple[str, str]] = Counter()

    def said_of(text: str, span: tuple[int, int]) -> str:
        quote = Quote(1, about.text[slice(*span)], *span, 1, "1", "exact", 1, text)
        found = numbers(Attempt((Claim(1, " ".join(text.split()), (1,)),), (quote,)))
        return "objection" if found.issues else "open" if found.doubts else "supported"

    for span in sentences_of(about):
        text = about.text[slice(*span)]
        seen["true", said_of(f"This is what it says: {text}", span)] += 1
        false = [*mutate_numbers(text), *mutate_times(text)]
        for changed in chosen.sample(false, min(2, len(false))):
            seen["false", said_of(changed, span)] += 1
    assert seen["true", "objection"] == 0 and seen["true", "supported"] >= 20
    reached = sum(count for (kind, _), count in seen.items() if kind == "false")
    assert reached >= 20 and seen["false", "supported"] <= 0.05 * reached, seen


def test_the_unit_of_a_quoted_table_is_not_that_of_a_sentence_quoted_beside_it() -> None:
    text = (
        "EUR thousand  31 Dec 2024  31 Dec 2023\nProvision for the site  1,150  900\n\n"
        "The seller bears the cost up to EUR 1,500,000 in all.\n"
    )
    claim = "A provision of EUR 1,150 thousand stands beside an indemnity of up to EUR 1,500,000."
    quotes = [
        "EUR thousand  31 Dec 2024  31 Dec 2023\nProvision for the site  1,150  900",
        "The seller bears the cost up to EUR 1,500,000",
    ]
    found = check(document(text), claim, quotes)
    assert found.issues == () and found.doubts == ()
    wrong = check(document(text), claim.replace("1,150 thousand", "1,150"), quotes)
    assert wrong.issues or wrong.doubts


def test_a_scale_of_another_page_may_be_that_of_a_table_without_one() -> None:
    about = document("Sales by place ($ in millions):\nNorth  12  11\fHats  4  5\fSouth  14  13", kind="pdf")
    assert TableHeaders(about).at(about.text.index("South")).scales.powers == {6}


def test_so_many_things_may_be_written_out_in_full_under_the_scale_of_a_column() -> None:
    table = "Tickets sold and money taken\n(in thousands)\nSpring  5,727,219  $ 645,485\nSummer  1,259,233  $ 603,108\n"
    rows, sums = table.strip().split("\n")[2:], ["5,727,219 + 1,259,233 = 6,986,452", "645,485 + 603,108 = 1,248,593"]
    about = document(table, kind="pdf")
    assert not check(about, "It sold 6.99 million tickets.", rows, sums[:1]).issues
    assert check(about, "It took $1.25 million.", rows, sums[1:]).issues


def test_words_behind_a_comma_are_a_unit_only_as_a_whole() -> None:
    table = "(in thousands)\nTotal spending  132,090  132,110\nFunds, end of year  12,460  10,475\nFuel, t  88  92\n"
    rows = table.strip().split("\n")[1:]
    about = document(table, kind="pdf")
    assert not check(about, "Funds are 7.9% of spending.", rows, ["10,475 / 132,110 = 7.9%"]).issues
    assert check(about, "It burns 92 kg.", rows).issues


POWER = "Table 2. Balance (GWh)\nYears  2022  2023\nImports  3,122  2,940\nExports  3,480  4,715\n"
PRICES = (
    "Prices opened (CHF)\n\n| Item | Unit | Quantity | Dock AG |\n|---|---|---|---|\n| Cable | metre | 9,500 | 8.40 |\n"
)
METERS = "By 2033 meters had been fitted in 2.14 million of 2.61 million homes. The target is 95 per cent."
GROWTH = "Tolls rose 5.0% to $2,400.5 million; without the new pier the increase was 3.4%."


@pytest.mark.parametrize(
    ("said", "text", "quote", "calculations"),
    [
        ("", "It sold 1,775 GWh more than it bought.", POWER, ("4,715 - 2,940 = 1,775",)),
        ("objected", "It sold 1,775 MWh more than it bought.", POWER, ("4,715 - 2,940 = 1,775",)),
        ("", "At 82%, 13 percentage points are missing.", METERS, ("2.14 / 2.61 = 82.0%", "95 - 82 = 13")),
        ("objected", "At 82%, 15 percentage points are missing.", METERS, ("2.14 / 2.61 = 82.0%", "95 - 80 = 15")),
        ("", "Tolls rose 5% to $2.40 billion, or 3.4% without the new pier.", GROWTH, ()),
        ("", "A metre of cable costs CHF 8.40.", PRICES, ()),
        ("objected", "A metre of cable costs CHF 8.90.", PRICES, ()),
        ("objected", "Homes are up 213.", METERS, ("2.14 million up to 2.61 million, so 20",)),
        ("", "The fine is $1,510 a day.", "Of $3,020,000 it costs 0.5‰ a day.", ("3,020,000 * 0.5‰ = 1,510",)),
        ("open", "At 2.61 million homes it ends.", METERS, ("2.14 million up to 2.61 million, so 20",)),
    ],
)
def test_units_of_tables_and_calculations_in_several_steps(
    said: str, text: str, quote: str, calculations: Sequence[str]
) -> None:
    found = check(document(quote, kind="pdf"), text, [quote.strip()], calculations)
    assert ("objected" if found.issues else "open" if found.doubts else "") == said, (found.issues, found.doubts)
