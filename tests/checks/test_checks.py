"""Each check, and a case in which it fails."""

import json

import pytest
from fakes import document

from ralph_cli.checks.base import all_passed, rate_step, run_in_order
from ralph_cli.checks.form import AnswerForm, FormCheck, Range, form_issues
from ralph_cli.checks.judge.claims import parse_verdicts
from ralph_cli.checks.judge.passages import render_passages
from ralph_cli.checks.quotes import QuoteCheck, resolve_quotes
from ralph_cli.core.run import Absence, Attempt, Claim, Draft, DraftClaim, Evidence, Issue, Quote, Ruling, Step, Verdict
from ralph_cli.retrieval.quotes.index import QuoteIndex

FORM = AnswerForm(Range(1, 2), Range(1, 2), Range(12, 40))
GOOD = DraftClaim("The rent is due monthly.", ("rent is due on the first",))
MEMO = document("The rent is due on the first day.\nThe rent is due on the first day.\n\fThe hall is cold in winter.")


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ((), "needs 1-2 claims (found 0)"),
        ((GOOD, DraftClaim("Another thing here.", GOOD.quotes), DraftClaim("A third thing.", GOOD.quotes)), "found 3"),
        ((DraftClaim(":", GOOD.quotes),), "too short to mean anything"),
        ((DraftClaim("Solution", GOOD.quotes),), "too short to mean anything"),
        ((DraftClaim("- one\n- two and more", GOOD.quotes),), "must be one line"),
        ((DraftClaim("The rent is due monthly.", ()),), "has no quote"),
        ((DraftClaim("The rent is due monthly.", (" ",)),), "is empty"),
        ((DraftClaim("The rent is due monthly.", ("rent",)),), "too short (4 characters, at least 12)"),
        ((DraftClaim("The rent is due monthly.", ("r" * 41,)),), "too long (41 characters, at most 40)"),
        ((DraftClaim("The rent is due monthly.", ("a" * 12, "b" * 12, "c" * 12)),), "different quotes (found 3)"),
        ((GOOD, DraftClaim("the rent  is due MONTHLY.", GOOD.quotes)), "says the same as claim 1"),
    ],
)
def test_each_rule_of_form_fails_where_it_must(claims: tuple[DraftClaim, ...], told: str) -> None:
    messages = [issue.message for issue in form_issues(Draft(claims), FORM)]
    assert any(told in message for message in messages), messages


OPENERS = (" ", ".", ",", ":", "Thought process:", "Solution", "\u89e3", "\u304b\u3044\u305b\u3064", "Respuesta")
"""Words that say nothing and that model judges let pass (arXiv 2507.08794)."""


@pytest.mark.parametrize("words", OPENERS)
def test_what_says_nothing_never_reaches_a_judge(words: str) -> None:
    forms = ("{}", " {}\t", "{}\u200b", "{0}{0}", "{} \u2026")
    for text in (form.format(case(words)) for case in (str, str.upper, str.lower) for form in forms):
        (issue,) = form_issues(Draft((DraftClaim(text, GOOD.quotes),)), FORM)
        assert "too short to mean anything" in issue.message or "announced: say what" in issue.message


def test_a_claim_that_is_a_quote_may_end_as_the_document_does() -> None:
    words = "The rent is due as follows:"
    assert form_issues(Draft((DraftClaim(words, (words,)),)), FORM) == ()


def test_good_form_has_no_issues() -> None:
    assert form_issues(Draft((GOOD,)), FORM) == ()
    assert form_issues(Draft(absence=Absence(("parking",))), FORM) == ()


def test_the_form_of_an_attempt_is_that_of_what_was_found_of_it() -> None:
    form, index = FormCheck(FORM), QuoteIndex(MEMO)
    assert form(resolve_quotes(Draft((GOOD,)), MEMO, index)).passed
    (short,) = form(resolve_quotes(Draft((DraftClaim("Solution", GOOD.quotes),)), MEMO, index)).issues
    (bare,) = form(resolve_quotes(Draft((DraftClaim(GOOD.text, ("rent is due on the last",)),)), MEMO, index)).issues
    assert "too short to mean anything" in short.message and "has no quote" in bare.message


def test_an_absence_needs_terms_and_no_claims() -> None:
    assert "searched" in form_issues(Draft(absence=Absence((" ", "x"))), FORM)[0].message
    assert "never both" in form_issues(Draft((GOOD,), Absence(("parking",))), FORM)[0].message


@pytest.mark.parametrize("bad", [(0, 3), (4, 3)])
def test_a_range_that_is_none_is_refused(bad: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="invalid range"):
        Range(*bad)


def test_quotes_are_the_documents_words_with_all_their_places() -> None:
    said = DraftClaim("It is due on the first.", ("The rent  is due\non the first day.", "The hall is cold"))
    attempt = resolve_quotes(Draft((said, GOOD)), MEMO, QuoteIndex(MEMO))
    assert [quote.text for quote in attempt.quotes] == [
        "The rent is due on the first day.",
        "The hall is cold",
        "rent is due on the first",
    ]
    assert [quote.page for quote in attempt.quotes] == [1, 2, 1]
    assert [quote.occurrences for quote in attempt.quotes] == [2, 1, 2]
    assert [quote.match for quote in attempt.quotes] == ["folded", "exact", "exact"]
    assert attempt.claims[0].quotes == (1, 2) and attempt.claims[1].quotes == (3,)
    assert QuoteCheck(MEMO)(attempt).passed


def test_words_that_stand_in_several_places_are_pinned_to_the_one_that_was_seen() -> None:
    row, head = "Net sales  5  4", "Segments  2018  2017"
    text = f"{row}\n{head}\fother words\f{row}\nmore\f{row}\n{head}"
    about = document(text)
    index, places = QuoteIndex(about), [at for at in range(len(text)) if text.startswith(row, at)]

    def page(seen: tuple[tuple[int, int], ...], *quotes: str) -> list[int]:
        return [
            quote.page for quote in resolve_quotes(Draft((DraftClaim("It was 5.", quotes),)), about, index, seen).quotes
        ]

    assert page((), row) == [1]
    assert page(((places[1], places[1] + len(row)),), row) == [3]
    assert page(((0, 3), (places[2], places[2] + len(row))), row) == [4]  # seen whole rather than in part
    assert page(((places[1] + 2, places[1] + 5),), row) == [3]
    assert page(((places[1], len(text)),), row, head) == [4, 4]  # of those seen, the page that both quotes share
    assert page(((0, len(text)),), row) == [1] and page(((30, 40),), row) == [1]
    (quote,) = resolve_quotes(
        Draft((DraftClaim("It was 5.", (row,)),)), about, index, ((places[1], places[1] + 20),)
    ).quotes
    assert quote.occurrences == 3 and len(quote.places) == 3


def test_a_quote_that_leaves_words_out_is_the_quotes_that_its_parts_are() -> None:
    about = document("The tenant shall on the first day of each month pay the rent that is agreed.\nMore... or less.")
    index = QuoteIndex(about)

    def quoted(words: str) -> list[str]:
        attempt = resolve_quotes(Draft((DraftClaim("The tenant pays rent.", (words,)),)), about, index)
        assert bool(attempt.refused) == (not attempt.quotes)
        return [quote.text for quote in attempt.quotes]

    parts = ["The tenant shall", "pay the rent that is agreed."]
    assert quoted("The tenant shall ... pay the rent that is agreed.") == parts
    assert quoted("The tenant shall [\u2026] pay the rent that is agreed.") == parts
    assert quoted("More... or less.") == ["More... or less."]
    assert quoted("The tenant shall ... pay no rent that is agreed.") == []
    assert quoted("The tenant shall ... the") == []


def test_a_page_that_a_claim_names_decides_where_its_words_are_meant() -> None:
    about = document("Total assets  5  6\fOther words\fTotal assets  5  6\nand more of them")
    index = QuoteIndex(about)
    for page in (1, 3):
        (quote,) = resolve_quotes(
            Draft((DraftClaim("It was 5.", ("Total assets  5  6",), page=page),)), about, index
        ).quotes
        assert quote.page == page


def test_of_several_pages_the_one_is_meant_whose_title_the_claim_names() -> None:
    about = document("Statement of cash flows\nNet income  5  6\fStatement of operations\nNet income  5  6")
    for title, page in (("cash flows", 1), ("operations", 2)):
        said = DraftClaim(f"The statement of {title} has net income of 5.", ("Net income  5  6",))
        (quote,) = resolve_quotes(Draft((said,)), about, QuoteIndex(about)).quotes
        assert quote.page == page


def test_a_short_quote_must_be_of_the_header_of_a_row() -> None:
    about = document(
        "Footing 2021\nItem  2022  2021\nNet income of all  5  6\nThe year 2021 was good, and 2020 was bad."
    )
    index = QuoteIndex(about)

    def pinned(short: str) -> object:
        said = DraftClaim("It was 5.", ("Net income of all  5  6", short))
        attempt = resolve_quotes(Draft((said,)), about, index, shortest=12)
        return [quote.start for quote in attempt.quotes if quote.said == short] or attempt.refused[0].message

    assert pinned("2022  2021") == [about.text.index("2022  2021")] and pinned("2021") == [
        about.text.index("2022  2021") + 6
    ]
    assert "too short (fewer than 12 characters)" in str(pinned("2020"))


def test_a_quote_that_is_not_there_is_named_with_the_closest_true_text() -> None:
    said = DraftClaim("It is due on the last.", ("The rent is due on the last day.",))
    attempt = resolve_quotes(Draft((said,)), MEMO, QuoteIndex(MEMO))
    (issue,) = attempt.refused
    assert "on the last day" in issue.material and "on the first day" in issue.material and "page 1" in issue.message
    assert "first day" not in issue.message  # words of the document are data, apart from what we say
    assert attempt.claims[0].quotes == () and not QuoteCheck(MEMO)(attempt).passed


def test_a_header_is_pinned_to_the_page_of_the_row_and_not_to_where_it_was_seen_by_itself() -> None:
    head = "Years ended December 31,  2022  2021"
    about = document(f"{head}\nNet income  5  4\f{head}\nTotal revenue  66  62\f{head}\nCash  1  2\n", kind="pdf")
    seen = about.text.rindex(head)
    claim = DraftClaim("Revenue was 66.", (head, "Total revenue  66  62"))
    attempt = resolve_quotes(Draft((claim,)), about, QuoteIndex(about), ((seen, seen + len(head)),))
    assert [quote.page for quote in attempt.quotes] == [2, 2]


def test_a_quote_moved_from_its_place_or_page_does_not_hold() -> None:
    quote = Quote(1, "The hall is cold", 0, 16, 2, "2", "exact", 1, "The hall is cold")
    claim = Claim(1, "It is cold in there.", (1,))
    assert "not the document's text" in QuoteCheck(MEMO)(Attempt((claim,), (quote,))).issues[0].message
    start = MEMO.text.index("The hall")
    moved = Quote(1, "The hall is cold", start, start + 16, 1, "1", "exact", 1, "The hall is cold")
    assert "not on page 1" in QuoteCheck(MEMO)(Attempt((claim,), (moved,))).issues[0].message


def test_a_claim_without_quotes_does_not_hold() -> None:
    assert not QuoteCheck(MEMO)(Attempt((Claim(1, "It is cold in there.", ()),))).passed


def test_no_evidence_is_no() -> None:
    assert all_passed(()) is False
    assert all_passed((Evidence("form"),)) is True
    assert all_passed((Evidence("form"), Evidence("judge", broken="down"))) is False


def test_a_dear_check_is_not_made_after_a_cheap_one_failed() -> None:
    made: list[str] = []

    def check(name: str, *issues: Issue):  # type: ignore[no-untyped-def]
        def run(attempt: Attempt) -> Evidence:
            made.append(name)
            return Evidence(name, issues)

        return run

    run_in_order((check("cheap", Issue("cheap", "wrong")), check("dear")), Attempt())
    assert made == ["cheap"]


def test_standing_prefers_what_a_judge_let_stand() -> None:
    claim = Claim(1, "It is cold in there.", (1,))
    quote = Quote(1, "The hall is cold", 0, 16, 2, "2", "exact", 1, "x")
    attempt = Attempt((claim,), (quote,))
    refused = Step(attempt, (Evidence("judge", (Issue("judge", "no", 1),), (Ruling(1, Verdict.NOT, "no", "j"),)),))
    supported = Step(attempt, (Evidence("judge", (), (Ruling(1, Verdict.SUPPORTED, "yes", "j"),)),))
    assert (
        rate_step(supported) > rate_step(refused) > rate_step(Step(Attempt(), (Evidence("form", (Issue("f", "x"),)),)))
    )


CLAIMS = (Claim(1, "It is so.", (1,)), Claim(2, "It is so, too.", (2,)))


def said(*items: tuple[int, str]) -> str:
    return json.dumps({"verdicts": [{"id": number, "verdict": verdict, "reason": "r"} for number, verdict in items]})


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "supported",
        said((1, "supported")),
        said((1, "supported"), (2, "supported"), (3, "supported")),
        said((1, "supported"), (1, "supported")),
        said((1, "supported"), (2, "fine")),
        said((1, "supported"), (2, "verbatim")),
        said((1, "supported"), (2, "supported")) + said((1, "not"), (2, "not")),
        "The verdict is " + said((1, "supported"), (2, "supported")),
        '{"verdicts": [{"id": 1, "verdict": "supported", "reason": "r", "note": "x"}]}',
        '{"verdicts": [{"id": "1", "verdict": "supported", "reason": "r"}]}',
        "[" * 100_000,
    ],
)
def test_a_judges_reply_out_of_shape_is_refused(reply: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_verdicts(reply, CLAIMS, "judge", deterministic=False)


def test_a_judges_reply_in_shape_is_read_even_in_a_fence() -> None:
    reply = f"```json\n{said((2, 'not'), (1, 'supported'))}\n```"
    rulings = parse_verdicts(reply, CLAIMS, "judge", deterministic=False).rulings
    assert [(ruling.claim, ruling.verdict) for ruling in rulings] == [(1, Verdict.SUPPORTED), (2, Verdict.NOT)]


def test_the_deterministic_judge_can_never_say_supported() -> None:
    with pytest.raises(ValueError, match="supported"):
        parse_verdicts(said((1, "supported")), CLAIMS[:1], "offline", deterministic=True)
    (ruling,) = parse_verdicts(said((1, "verbatim")), CLAIMS[:1], "offline", deterministic=True).rulings
    assert ruling.verdict is Verdict.VERBATIM


def test_passages_show_each_occurrence_once_with_its_marks_and_page() -> None:
    attempt = resolve_quotes(
        Draft((GOOD, DraftClaim("The hall is cold.", ("hall is cold in",)))), MEMO, QuoteIndex(MEMO)
    )
    shown = render_passages(MEMO, attempt.quotes, "n0")
    assert shown.count("[[1: rent is due on the first]]") == shown.count("[[2: hall is cold in]]") == 1
    assert "the same words stand again, of quotes (times): 1 (1)." in shown
    assert shown.count("<data-n0>") == shown.count("</data-n0>") == 1
    assert shown.startswith("Page 1:")


def test_a_repeated_row_is_pinned_to_the_page_of_its_header() -> None:
    about = document("Review\nNet sales  5  4\n\fStatement of income\nYears 2018 and 2017\nNet sales  5  4\n")
    said = DraftClaim("Net sales were 5 in 2018.", ("Net sales  5  4", "Years 2018 and 2017"))
    attempt = resolve_quotes(Draft((said,)), about, QuoteIndex(about))
    assert [quote.page for quote in attempt.quotes] == [2, 2] and QuoteCheck(about)(attempt).passed
    alone = resolve_quotes(Draft((DraftClaim("Net sales were 5.", ("Net sales  5  4",)),)), about, QuoteIndex(about))
    assert [quote.page for quote in alone.quotes] == [1]


def test_a_header_that_stands_again_below_a_row_is_the_one_above_it() -> None:
    head = "| in thousands | 31.12.2031 | 31.12.2032 |\n|---|---|---|\n"
    rows = "".join(f"| Asset {number} | 1{number} | 2{number} |\n" for number in range(1, 8))
    text = f"# Balance\n\n{head}{rows}\n**Liabilities**\n\n{head}| Loans | 31 | 32 |\n"
    about, header = document(text), head.partition("\n")[0]
    claim = DraftClaim("Asset 7 was 27 thousand.", ("| Asset 7 | 17 | 27 |", header))
    quotes = resolve_quotes(Draft((claim,)), about, QuoteIndex(about)).quotes
    assert [quote.start for quote in quotes] == [text.index("| Asset 7"), text.index(header)]


def test_a_table_row_comes_to_the_judge_with_its_columns() -> None:
    rows = "\n".join(f"Item {n} of the statement of income  {n},000  {n},100" for n in range(1, 200))
    about = document(f"Statement of income\n(Millions)  2018  2017\n{rows}\n")
    said = DraftClaim("Item 144 was 144,000.", ("Item 144 of the statement of income  144,000  144,100",))
    shown = render_passages(about, resolve_quotes(Draft((said,)), about, QuoteIndex(about)).quotes, "n0")
    assert "(above: (Millions)  2018  2017)" in shown and "Item 9 " not in shown
    assert "Item 143 " in shown and "Item 145 " in shown


def test_a_quote_cut_inside_a_word_is_told_apart_from_one_that_is_not_there() -> None:
    said = DraftClaim("It is due on the first.", ("ent is due on the first day.",))
    (issue,) = resolve_quotes(Draft((said,)), MEMO, QuoteIndex(MEMO)).refused
    assert "begins or ends inside a word" in issue.message and "rent is due" in issue.material


def test_quotes_that_are_all_repeated_are_pinned_together_and_near_each_other() -> None:
    page = "(Millions)  2018  2017\nNet sales  5  4\n(Millions)  2018  2017\nCosts  3  2\n"
    about = document(f"(Millions)  2018  2017\nHeadcount  9  8\n\f{page}\fprose\n\f{page}")
    said = DraftClaim("Costs were 3 in 2018.", ("(Millions)  2018  2017", "Costs  3  2", "Net sales  5  4"))
    attempt = resolve_quotes(Draft((said,)), about, QuoteIndex(about))
    assert {quote.page for quote in attempt.quotes} == {2}
    header, costs, _ = attempt.quotes
    assert header.occurrences == 5 and QuoteCheck(about)(attempt).passed
    assert costs.start - header.end == 1  # the nearer of the two headers


def test_who_has_more_items_than_claims_is_told_what_to_do() -> None:
    draft = Draft(tuple(DraftClaim(f"The officer {n} is named.", (f"Officer number {n} is here",)) for n in range(9)))
    claims, quotes = (issue.message for issue in form_issues(draft, AnswerForm()))
    assert claims.endswith("(found 9); of many items one claim names several")
    assert quotes.endswith("(found 9); a quote may have several rows")


def test_items_of_the_same_words_are_told_together() -> None:
    draft = Draft(tuple(DraftClaim("The rent is due monthly.", GOOD.quotes) for _ in range(5)))
    told = [issue.message for issue in form_issues(draft, AnswerForm(bullets=Range(1, 9)))]
    assert told == ["claims 2-5 say the same as claim 1: say in each what it is about"]
