"""The hard rules of an output: lengths, shape, and that every figure, date and quotation is in the quoted words."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from fakes import document
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.output.check import OutputCheck, OutputForm, word_limits
from ralph_cli.checks.output.grounding import GroundingSources
from ralph_cli.checks.output.numbering import section_numbers
from ralph_cli.checks.output.shape import Format, Piece, key_text, pieces
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.run import Attempt, Draft, DraftClaim, Evidence
from ralph_cli.retrieval.quotes.index import QuoteIndex

ROWS = {
    "A2": ["test_lengths_are_named_exactly"],
    "A6": ["test_what_is_not_in_the_quoted_words_is_named_with_its_place"],
}

QUOTES = (
    "4.2 The Supplier shall complete the migration within forty-five days of 28 April 2023.",
    "Net loss of the year (1,577) in fiscal 2018, margin 12.5% lower",
    "is limited separately, to £4,000,000 in each Contract Year; the fees are 21,500 and 6,400",
    "in millions: revenue 5.3, costs -2.1, dated March 1, 2021, see section 12.3.1",
)
TASK = "Explain the Supplier's net loss and what 99 means"


def ground() -> GroundingSources:
    return GroundingSources(QUOTES, frozenset({"2", "5", "iv"}), item_count=3, task=TASK)


def misses(text: str, kind: Format = "md") -> list[str]:
    return [f"{miss.place}: {miss.message}" for miss in ground().find_unsupported(pieces(text, kind))]


@pytest.mark.parametrize(
    "text",
    [
        "Within 45 days (clause 4.2, p. 2), by 2023-04-28 or April 28th, 2023.",
        "a 1577 loss, a -1,577 loss, a loss of (1,577) or 1'577",
        "£4m, £4 million, GBP 4,000,000, 4.0 million",
        "revenue of 5.3 million and costs of -2.1 million",
        "12.5 per cent, 12.50%, FY2018, section 12.3.1",
        "27,900 = 21,500 + 6,400, and 21,500 + 6,400 = 27,900; 6,400 / 21,500 = 29.8%",
        "From April 2023; on 28 April; on 2021-03-01; on 1 March 2021; in 2021.",
        "1. one\n2. two\n3. three\n\n1) again\n2) and on",
        "### 1. Fees\n### 2. Dates",
        "pp. 2-5 and page iv, as [1] and [2, 3] say",
        "3 items were found, in two parts, by both parties",
        "There are 2 deadlines:\n\n- the first\n  with more of it\n- the second\n\nThat is all.",
        "“complete the migration within forty-five days”",
        "“The Supplier shall … within forty-five days of 28 April 2023.”",
        '"the Supplier shall complete the migration" and “net loss”',
        "> The Supplier shall complete the migration\n> within forty-five days (p. 2)",
        "> see below",
        "| # | Page | Term |\n|---|---|---|\n| 1 | 2 | 45 days |\n| 2 | 5 | 1,577 |",
        "| Amount (£ million) | p. |\n| --- | --- |\n| 4 | 2 |",
    ],
)
def test_what_is_in_the_quoted_words_passes(text: str) -> None:
    assert misses(text) == []


@pytest.mark.parametrize(
    ("text", "place", "named"),
    [
        ("one\ntwo\nthe fee of 21,501 is due", "line 3", "the figure 21,501"),
        ("$4,000,000", "line 1", 'the quotes say "£4,000,000" (another unit)'),
        ("£4 is the limit", "line 1", "the figure £4"),
        ("a rate of 21,500%", "line 1", "the figure 21,500%"),
        ("1,5770", "line 1", "the figure"),
        ("15.77", "line 1", "the figure 15.77"),
        ("within fifty days", "line 1", "the figure fifty"),
        ("within six months", "line 1", "the figure six"),
        ("twenty-one parties", "line 1", "the figure twenty-one"),
        ("on 28 April 2024", "line 1", "the date 28 April 2024"),
        ("on 2023-04-29", "line 1", "the date 2023-04-29"),
        ("in May 2023", "line 1", "the date May 2023"),
        ("in 2022", "line 1", "the date 2022"),
        ("27,901 = 21,500 + 6,400", "line 1", "the figure 27,901"),
        ("27,900 = 21,400 + 6,500", "line 1", "the figure 27,900"),
        ("7. a list that begins at seven", "line 1", "the figure 7"),
        ("1. one\n3. three", "line 2", "the figure 3"),
        ("4 items were found", "line 1", "the figure 4"),
        ("There are 5 deadlines:\n- a\n- b", "line 1", "the figure 5"),
        ("(p. 3)", "line 1", "page 3 is not a page that was quoted"),
        ("as [4] says", "line 1", "the figure 4"),
        ("what 99 means", "line 1", "the figure 99"),
        ("section 12.3.2", "line 1", "the figure 12.3.2"),
        ("a\n“complete migration”", "line 2", 'the quotation "complete migration"'),
        ('it "may complete the migration"', "line 1", "the quotation"),
        ("> The Supplier may complete the migration", "line 1", "the quotation"),
        ("| # | Page |\n|---|---|\n| 1 | 9 |", "line 3", "page 9"),
    ],
)
def test_what_is_not_in_the_quoted_words_is_named_with_its_place(text: str, place: str, named: str) -> None:
    found = misses(text)
    assert found and found[0].startswith(f"{place}: ") and named in found[0], found


def test_data_is_looked_up_value_by_value() -> None:
    rows = [
        {"id": 1, "days": 45, "page": 2, "quote": "complete the migration within forty-five days"},
        {"id": 2, "days": 46},
    ]
    assert misses(json.dumps(rows), "json") == ['at $[1].days: the figure 46 ("...46...") is in no quote of the brief']
    wrong = [{"quote": "complete the migration in 45 days", "page": 3, "sum": 27900.0}]
    told = misses(json.dumps(wrong), "json")
    assert [line.split(":")[0] for line in told] == ["at $[0].quote", "at $[0].page", "at $[0].sum"]
    assert misses("no,days,page\n1,45,2\n2,45,7\n", "csv")[0].startswith("row 2, column 'page': page 7")


def check(
    output: str,
    memory: str = "Nothing more was found.",
    kind: Format = "md",
    paged: bool = True,
    schema: dict[str, Any] | None = None,
) -> Evidence:
    about = document("One.\f" + "\n".join(QUOTES))
    draft = Draft((DraftClaim("What it says.", QUOTES),))
    attempt = resolve_quotes(draft, about, QuoteIndex(about))
    assert len(attempt.quotes) == len(QUOTES)
    form = OutputForm(kind, schema)
    return OutputCheck(form, TASK, paged)(replace(attempt, output=output, memory=memory, finished=True))


def test_lengths_are_named_exactly() -> None:
    assert [i.message for i in check("x" * 49).issues] == ["the output is too short (49 characters, at least 50)"]
    assert [i.message for i in check("x" * 50, "y" * 19).issues] == [
        "the memory update is too short (19 characters, at least 20)"
    ]
    assert [i.message for i in check("", "").issues] == ["the output is empty", "the memory update is empty"]
    assert check("x" * 50).passed


@pytest.mark.parametrize(
    ("task", "bounds"),
    [
        ("Summarize it in at most 200 words.", (None, 200)),
        ("Explain in 60 to 75 words when it ends", (60, 75)),
        ("Explain it in 60-75 words", (60, 75)),
        ("Write no more than 50 words, please", (None, 50)),
        ("Write at least 100 words", (100, None)),
        ("Write about 100 words", (None, None)),
        ("List every word that is defined", (None, None)),
    ],
)
def test_the_length_that_a_task_sets_is_read(task: str, bounds: tuple[int | None, int | None]) -> None:
    assert word_limits(task) == bounds


def test_the_words_of_an_output_are_counted_by_code() -> None:
    attempt = Attempt(output="word " * 21, memory="nothing more was found", finished=True)
    (issue,) = OutputCheck(OutputForm(), "Say it in at most 20 words")(attempt).issues
    assert (
        issue.message == "the output has 21 words, 1 more than the 20 that the task allows" and issue.check == "output"
    )
    (issue,) = OutputCheck(OutputForm(), "Say it in 30 to 40 words")(attempt).issues
    assert "9 fewer than the 30" in issue.message
    assert OutputCheck(OutputForm(), "Say it in at most 21 words")(attempt).passed


def test_the_score_is_the_share_of_what_was_found() -> None:
    assert check("45 days and 46 days after this was agreed by the parties").score == 0.5
    assert check("nothing to look up in this output, which has no figures").score is None


def test_page_numbers_of_a_document_without_pages_are_refused() -> None:
    found = check("The Supplier must finish within 45 days, see p. 2 of it.", paged=False)
    assert "has no pages" in found.issues[0].line


def test_the_header_quoted_for_the_same_item_names_the_scale_of_a_row() -> None:
    rows = ("Dollars in millions  2023  2022", "Capital expenditure  1,577  1,373", "Number of plants at year end  12")
    about = document("One.\f" + "\f".join(rows))

    def issues(*items: tuple[str, ...]) -> int:
        attempt = resolve_quotes(
            Draft(tuple(DraftClaim("What it says.", quotes) for quotes in items)), about, QuoteIndex(about)
        )
        output = "Capital expenditure was $1,577 million in 2023 (p. 3), it says."
        return len(OutputCheck(OutputForm(has_memory=False), TASK)(replace(attempt, output=output)).issues)

    assert issues(rows[:2], rows[2:]) == 0
    assert issues(rows[:1], rows[1:2]) == 1


def test_the_header_that_stands_above_a_row_counts_as_quoted() -> None:
    about = document(
        "One.\fCash flows\nDollars in millions  2023  2022\nSales  5  4\nCapital expenditure  1,577  1,373"
    )
    draft = Draft((DraftClaim("What it says.", ("Capital expenditure  1,577  1,373",)),))
    attempt = replace(
        resolve_quotes(draft, about, QuoteIndex(about)), output="Capital expenditure was $1,577 million in 2023 (p. 2)."
    )
    form = OutputForm(has_memory=False)
    assert OutputCheck(form, TASK, document=about)(attempt).passed
    assert len(OutputCheck(form, TASK)(attempt).issues) == 2


@pytest.mark.parametrize(
    ("caption", "faults"), [("(amounts in millions):", 0), ("(amounts in thousands):", 1), ("", 1)]
)
def test_the_line_above_a_table_of_the_work_names_the_scale_of_its_cells(caption: str, faults: int) -> None:
    about = document("Notes (in millions)\n2.3 % Senior Notes due 2022  $  800\n3.0 % Senior Notes due 2027  1,000")
    draft = Draft((DraftClaim("The notes.", ("2.3 % Senior Notes due 2022  $  800",)),))
    rows = "| Note | Due | Amount |\n|---|---|---|\n| 2.3 % Senior Notes | 2022 | $800 |"
    work = f"These are the notes {caption}\n\n{rows}\n"
    attempt = replace(resolve_quotes(draft, about, QuoteIndex(about)), output=work)
    assert len(OutputCheck(OutputForm(has_memory=False), TASK, document=about)(attempt).issues) == faults


SPENT, MARGIN = "We spent $3,588 on new halls.", "Margin of the hall  39  41"


@pytest.mark.parametrize(
    ("quote", "said", "issues", "doubts"),
    [(SPENT, "$3,588 million", 0, 1), (SPENT, "$3,599 million", 1, 0), (MARGIN, "39 %", 0, 0), (MARGIN, "38 %", 1, 0)],
)
def test_what_code_cannot_tell_of_a_figure_in_the_quotes_is_a_doubt(
    quote: str, said: str, issues: int, doubts: int
) -> None:
    about = document(f"Review (amounts in millions)\n{SPENT}\f{MARGIN}\nSales grew.")
    attempt = resolve_quotes(Draft((DraftClaim("It.", (quote,)),)), about, QuoteIndex(about))
    work = f"As the review of the year says, it was {said} in the year."
    found = OutputCheck(OutputForm(has_memory=False), TASK, document=about)(replace(attempt, output=work))
    assert (len(found.issues), len(found.doubts)) == (issues, doubts)
    assert [doubt.kind for doubt in found.doubts] == ["open"] * doubts


def test_glued_list_items_are_refused() -> None:
    found = check("- It keeps track of the resources- The loop then starts again.\n- A second item")
    assert ["two items of a list" in issue.message for issue in found.issues] == [True]


@pytest.mark.parametrize("text", ["1  million", "$  5", "5 \n %", "million1.0.0"])
def test_spaces_and_neighbours_do_not_change_a_figure(text: str) -> None:
    assert not GroundingSources((text,), frozenset(), item_count=9).find_unsupported(pieces(text, "text"))


@given(
    st.lists(
        st.sampled_from([*'0123456789.,-()%£$ \n"“”>|[]=+/*', "p. ", "million", "forty", "1.", "28 April "]),
        max_size=40,
    )
)
def test_a_text_is_always_borne_out_by_itself(parts: list[str]) -> None:
    # A scale in brackets or behind a currency's sign, as of a table, is that of the figures beside it.
    text = re.sub(r"([($\u00a3] ?)million", r"\1,million", "".join(parts))
    pages = frozenset(str(number) for number in range(10_000))
    found = GroundingSources((text,), pages, item_count=9).find_unsupported(pieces(text, "text"))
    assert not [miss for miss in found if "is in no quote" in miss.message and "figure" in miss.message]


@given(st.integers(0, 10**9), st.integers(1, 10**6).filter(lambda off: off % 10 != 0))
def test_another_number_is_never_found(number: int, off: int) -> None:
    number -= number % 10  # what is added shows in the last digit, so that no rounding does
    quoted = GroundingSources((f"The fee is {number:,} pounds.",))
    assert quoted.find_unsupported(pieces(f"a fee of {number} pounds", "md")) == ()
    assert len(quoted.find_unsupported(pieces(f"a fee of {number + off:,} pounds", "md"))) == 1


def test_a_section_may_be_named_if_the_document_has_it() -> None:
    text = "1.1 The district\n\n## 1.2 The Supplier\n\n## Schedule 3\ntext 9 in a line\n"
    known = section_numbers(document(text, kind="markdown"))
    assert known == {"1.1", "1.2", "3"}
    ground = GroundingSources(["The provision is $6.5 million."], sections=known)
    fine = "See section 1.1, clause 1.2(b) and Schedule 3; the provision is $6.5 million."
    assert ground.find_unsupported([Piece(fine)]) == ()
    assert [miss.message for miss in ground.find_unsupported([Piece("See section 8.")])] != []


GERMAN = """Vertrag über die Lieferung von Pumpen
4.4 Der Käufer zahlt den Preis von 1.284,60 EUR.
4.5 Die Gewährleistung endet achtzehn Monate nach der Abnahme. Die Pumpen sind in der Halle zu lagern.
9.6 Der Lieferant behebt Mängel innerhalb von zwei Wochen. Das ist die Regel und wird nicht geändert.
"""


def faults_of(output: str, task: str = "Fasse zusammen") -> list[str]:
    about = document(GERMAN)
    quotes = ("den Preis von 1.284,60 EUR", "endet achtzehn Monate nach der Abnahme", "innerhalb von zwei Wochen")
    brief = resolve_quotes(Draft((DraftClaim("Pumpen", quotes),)), about, QuoteIndex(about))
    form = OutputForm("md", has_memory=False)
    check = OutputCheck(form, task, sections=section_numbers(about), document=about)
    return [
        issue.material
        for issue in check(replace(brief, output=f"{output} Und das ist in dem Vertrag so gesagt.")).issues
    ]


def test_figures_of_another_language_are_read_as_those_of_claims() -> None:
    assert faults_of("Die Pumpen sind 18 Monate in der Gewährleistung; der Preis ist 1.284,60 EUR.") == []
    assert faults_of("The warranty ends after 18 months, and the price is EUR 1,284.60.", "Sum up the contract") == []
    faults = faults_of("Die Gewährleistung endet nach 17 Monaten, Mängel behebt der Lieferant in 3 Wochen.")
    assert [re.findall("the figure ([^(]+) \\(", fault) for fault in faults] == [["17"], ["3"]]
    assert "17 Monate" in faults[0] and "month" not in faults[0]


@pytest.mark.parametrize(
    ("named", "is_refused"),
    [
        ("- **4.5:** Die Gewährleistung endet.", False),
        ("### 4.5 \u2013 Die Gewährleistung\nSie endet.", False),
        ("Der Lieferant behebt Mängel (9.6).", False),
        ("Der Lieferant behebt Mängel (9.6, Mängel).", False),
        ("Das steht unter \u201e9.6\u201c in dem Vertrag.", False),
        ("- **4.7:** Die Gewährleistung endet.", True),
        ("Die Pumpen kosten 4.5 Millionen.", True),
        ("| Wert |\n| --- |\n| 9.6 |\n\nDas ist der Wert.", True),
    ],
)
def test_the_number_of_a_part_may_stand_alone_where_it_is_no_figure(named: str, is_refused: bool) -> None:
    assert bool(faults_of(named)) is is_refused


def test_what_keys_and_headers_say_is_looked_up_unless_the_task_or_the_schema_says_it() -> None:
    told = '{"In 2031 the fee of 9,999 dollars": "yes", "2032": "no", "item_7": "x", "the rent": "due"}'
    assert [miss.split(":")[0] for miss in misses(told, "json")] == [
        "in the key 'In 2031 the fee of 9,999 dollars' at $",
        "in the key 'In 2031 the fee of 9,999 dollars' at $",
        "in the key '2032' at $",
    ]
    assert misses("name,a fee of 9999\nrent,yes\n", "csv")[0].startswith("in the header line, column 'a fee of 9999'")
    schema = {"type": "object", "properties": {"In 2031": {"type": "string"}}}
    assert not any("2031" in issue.line for issue in check('{"In 2031": "nothing"}', kind="json", schema=schema).issues)


def test_a_figure_in_the_name_of_a_key_is_looked_up_as_any_other() -> None:
    false = json.dumps({"rent_9999_usd": "yes", "rows": [{"deposit_77777": "no"}], "rent9999": "x"})
    assert [miss.removesuffix(" is in no quote of the brief") for miss in misses(false, "json")] == [
        "in the key 'rent_9999_usd' at $: the figure 9999 usd (\"...rent 9999 usd...\")",
        "in the key 'deposit_77777' at $.rows[0]: the figure 77777 (\"...deposit 77777...\")",
        "in the key 'rent9999' at $: the figure rent9999 (\"...rent9999...\")",
    ]
    fine = {"due_in_45_days": "x", "party_1": "a", "party_2": "b", "item_7": "c", "q4": "d", "co2_t": "e", "rent": "f"}
    assert misses(json.dumps(fine), "json") == []
    asked = {"type": "object", "properties": {"rent_9999_usd": {"type": "string"}}}
    evidence = check('{"rent_9999_usd": "nothing"}', kind="json", schema=asked)
    assert not any("9999" in issue.line for issue in evidence.issues)


def test_what_keys_say() -> None:
    said = {
        key: key_text(key) for key in ("party_1", "day10", "clause_6_3", "from_2023_2024", "2024-03-31", "a b", "x")
    }
    assert said == {
        "party_1": "", "day10": "", "a b": "a b", "x": "",
        "clause_6_3": "clause 6.3", "from_2023_2024": "from 2023 2024", "2024-03-31": "2024-03-31",
    }  # fmt: skip


def test_a_quotation_over_two_lines_is_looked_up() -> None:
    assert any("the quotation" in miss for miss in misses('It says "the rent shall\nnever be paid" there.'))
    assert not misses('A pipe of a foot" is laid\nbeside another foot".')


@pytest.mark.own_process
def test_a_schema_that_could_not_be_applied_is_a_broken_check_and_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"properties": {"a": {"pattern": "x"}}}
    monkeypatch.setattr("ralph_cli.checks.output.schema.sys.executable", "/nowhere/python")
    evidence = check('{"a": "x"}', kind="json", schema=schema)
    assert "could not be applied" in evidence.broken and not evidence.issues and not evidence.passed


def test_an_amount_in_a_currency_that_the_document_lacks_is_refused_and_counts_in_the_score() -> None:
    about = document("The rent of 4,800 is due on the first day of each month, and nothing else is.")
    attempt = resolve_quotes(
        Draft((DraftClaim("Rent", ("The rent of 4,800 is due on the first day",)),)), about, QuoteIndex(about)
    )

    def checked(output: str, task: str = TASK) -> Evidence:
        form = OutputForm(has_memory=False)
        return OutputCheck(form, task, document=about)(replace(attempt, output=output, finished=True))

    plain = "The rent of 4,800 is due on the first day of each month, as is said."
    assert checked(plain).passed
    strange = checked(plain.replace("4,800", "\u20ac4,800"))
    (issue,) = strange.issues
    assert "names no such currency" in issue.line and strange.score is not None and strange.score < 1
    assert checked(plain.replace("4,800", "\u20ac4,800"), "Say the rent in euros").passed


def test_what_an_item_of_the_brief_has_computed_may_be_named_if_it_holds() -> None:
    texts, output = QUOTES[:1], "The migration must be complete by 12 June 2023."

    def missed(*calculations: str) -> int:
        return len(GroundingSources(texts, calculations=calculations).find_unsupported(pieces(output, "md")))

    assert missed("28 April 2023 + 45 days = 12 June 2023") == 0
    assert missed() == missed("28 April 2023 + 44 days = 12 June 2023") == 1


def test_a_scale_that_an_output_announces_holds_for_what_follows_its_table() -> None:
    quotes = ("(Dollars in millions)", "Tolls $25,867", "All fees $66,608")
    table = (
        "Fees (dollars in millions):\n\n| Fee | Amount |\n|---|---|\n| Tolls | $25,867 |\n\nAll fees come to $66,608."
    )
    sources = GroundingSources(quotes[1:], contexts=(quotes[0], quotes[0]))
    assert not sources.find_unsupported(pieces(table, "md"))


def test_a_part_may_be_named_by_the_number_with_which_its_quote_begins() -> None:
    sources = GroundingSources(("4.1  Lease of the mole", "Exhibit 101: list of boats"))
    assert not sources.find_unsupported(pieces("The parties are those of Exhibit 4.1.", "md"))
    assert sources.find_unsupported(pieces("The parties are those of Exhibit 4.7.", "md"))


TOLLS = "Tolls (in thousands of euros)\n\n| Quay | 2031 | 2032 |\n|---|---|---|\n| North | 4,120 | 4,385 |\n"


@pytest.mark.parametrize(
    ("kind", "output"),
    [
        ("md", "Tolls in thousands, as the table has them:\n\n| Quay | 2032 |\n|---|---|\n| North | 4,385 |\n"),
        ("text", "The north quay took 4,385 thousand euros in 2032, and there is no other quay."),
        ("csv", 'quay,year,eur_thousand\nNorth,2032,4385\n"North, the longer one",2032,4385\n'),
        ("json", '{"note": "caf\\u00e9", "rows": [{"quay": "North", "fy2032_thousand_eur": 4385}]}'),
    ],
)
def test_each_figure_of_an_output_leads_to_its_cell(kind: Format, output: str) -> None:
    about = document(TOLLS, kind="markdown")
    draft = Draft((DraftClaim("The tolls.", ("North | 4,120 | 4,385",)),))
    attempt = replace(resolve_quotes(draft, about, QuoteIndex(about)), output=output)
    found = OutputCheck(OutputForm(kind), "List the tolls", document=about)(attempt).figures
    toll = [figure for figure in found if figure.words.startswith(("4,385", "4385"))][-1]
    assert (toll.claim, toll.token and toll.token.text, toll.origin) == (0, "4,385", "quote")
    assert [label.text for label in (*toll.row, *toll.column)] == ["North", "2032"]
    assert output[toll.at :].startswith(toll.words) and toll.at == output.rindex(toll.words)
    year = next(figure for figure in found if "2032" in figure.words)
    # The name of a key is read in words of its own, so that the place of its figure in it is not known.
    assert year.origin == "header" and (output[year.at :].startswith(year.words) or (kind, year.at) == ("json", -1))
