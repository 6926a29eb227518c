"""Second opinions, what is said of each quote, and what a judge is shown."""

import json
from dataclasses import replace
from itertools import count

import pytest
from fakes import document
from tables import make_table

from ralph_cli.checks.judge.claims import Judge, majority_ruling, parse_verdicts
from ralph_cli.checks.judge.passages import TITLE_CHARS, describe_document, render_passages
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.run import Attempt, Claim, Draft, DraftClaim, QuoteRuling, Ruling, Search, Verdict
from ralph_cli.core.structure import NamedPlace, Page, Span
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.retrieval.context import context_span
from ralph_cli.retrieval.quotes.index import QuoteIndex

MEMO = document("The tenant pays the rent on the first day.\n\nThe hall is cold in winter and warm in summer.\n")
CLAIM = DraftClaim("The rent is due on the first.", ("pays the rent on the first day",))
OTHER = DraftClaim("The hall is cold and warm.", ("cold in winter", "warm in summer"))
NAMES = {"supported": "supports", "partly": "partly", "not": "unrelated", "contradicted": "against"}
SECOND = {2: [(2, "supports"), (3, "partly")]}


def reply(*said, quotes=None):
    """Verdicts as (claim, verdict); `quotes` is what is said of each quote of a claim."""
    items = [
        {
            "id": claim,
            "verdict": verdict,
            "reason": f"{verdict} it is",
            "quotes": [{"id": q, "verdict": v, "reason": "r"} for q, v in (quotes or {}).get(claim, [])],
        }
        for claim, verdict in said
    ]
    return text_reply(json.dumps({"verdicts": items}))


def judged(first, *more, panel=None, claims=(CLAIM,)):
    model = ScriptedModel([first, *more], vendor="b", name="first")
    members = tuple(
        ScriptedModel(list(script), vendor="c", name=f"member{n}") for n, script in enumerate(panel or (), 1)
    )
    numbers = count()
    judge = Judge(model, MEMO, "When is the rent due?", lambda: f"n{next(numbers)}", members)
    evidence = judge(resolve_quotes(Draft(claims), MEMO, QuoteIndex(MEMO)))
    return evidence, model, members


@pytest.mark.parametrize("verdict", ["supported", "not", "contradicted"])
def test_a_clear_verdict_is_asked_for_once(verdict):
    evidence, model, _ = judged(reply((1, verdict)))
    assert len(model.requests) == 1 and evidence.passed == (verdict == "supported")
    (ruling,) = evidence.rulings
    assert ruling.votes == () and not ruling.disputed
    assert ruling.quotes == (QuoteRuling(1, NAMES[verdict], f"{verdict} it is"),)


@pytest.mark.parametrize(
    ("later", "stands", "asked", "disputed"),
    [
        (["partly"], False, 2, False),
        (["not"], False, 2, False),
        (["supported", "supported"], True, 3, True),
        (["supported", "partly"], False, 3, True),
        (["supported", "not"], False, 3, True),
    ],
)
def test_half_proved_is_asked_again_and_once_more_if_the_answers_differ(later, stands, asked, disputed):
    evidence, model, _ = judged(reply((1, "partly")), *[reply((1, verdict)) for verdict in later])
    assert evidence.passed == stands and len(model.requests) == asked
    (ruling,) = evidence.rulings
    assert [vote.verdict.value for vote in ruling.votes] == ["partly", *later] and ruling.disputed == disputed
    assert len({request.turns[-1].text for request in model.requests}) == asked  # each with marks of its own


def test_a_refusal_that_a_worker_can_mend_is_read_again_by_a_panel_only_and_an_acceptance_always():
    quotes = {1: [(1, "supports"), (2, "against")]}
    scripts = [([reply((1, "partly"))], 1), ([reply((1, "supported"), quotes=quotes), reply((1, "not"))], 3)]
    for script, asked in scripts:
        model = ScriptedModel([*script, *script[1:]], name="first", vendor="b")
        judge = Judge(model, MEMO, "When is the rent due?", lambda: "n", can_mend=True)
        claim = OTHER if asked > 1 else CLAIM
        assert not judge(resolve_quotes(Draft((claim,)), MEMO, QuoteIndex(MEMO))).passed
        assert len(model.requests) == asked
    member = ScriptedModel([reply((1, "supported"))], name="member")
    model = ScriptedModel([reply((1, "partly"))], name="first", vendor="b")
    judge = Judge(model, MEMO, "When is the rent due?", lambda: "n", (member,), can_mend=True)
    judge(resolve_quotes(Draft((CLAIM,)), MEMO, QuoteIndex(MEMO)))
    assert len(member.requests) == 1


def test_a_claim_without_a_quote_is_judged_by_its_searches():
    model = ScriptedModel([reply((1, "not"))], name="first", vendor="b")
    claim = Claim(1, "The hall is heated.", (), searches=(Search("heat", 0),))
    assert not Judge(model, MEMO, "Is it heated?", lambda: "n")(Attempt((claim,))).passed
    assert "(searched, counted by code: heat: 0)" in model.requests[0].turns[-1].text


def test_the_shape_of_a_reply_has_the_numbers_that_are_shown():
    attempt = resolve_quotes(Draft((CLAIM, OTHER)), MEMO, QuoteIndex(MEMO))
    alone = replace(attempt, claims=attempt.claims[1:], quotes=attempt.quotes[1:])
    model = ScriptedModel([], name="first", vendor="b")
    request = Judge(model, MEMO, "?", lambda: "n")._request(alone, (), (), "n", None, may_look=False)
    shape = next(line for line in request.turns[-1].text.splitlines() if line.startswith('{"'))
    (entry,) = json.loads(shape)["verdicts"]
    assert (entry["id"], entry["quotes"][0]["id"]) == (2, alone.claims[0].quotes[0])


def test_only_the_claims_near_the_margin_are_asked_again():
    first, again = reply((1, "supported"), (2, "partly"), quotes=SECOND), reply((2, "partly"), quotes=SECOND)
    evidence, model, _ = judged(first, again, claims=(CLAIM, OTHER))
    assert not evidence.passed and "[[1: pays the rent" in model.requests[0].turns[-1].text
    told = model.requests[1].turns[-1].text
    assert "Claim 2" in told and "Claim 1" not in told and "[[1:" not in told
    assert [item.bearing for item in evidence.rulings[1].quotes] == ["supports", "partly"]


@pytest.mark.parametrize(
    ("said", "stands"), [(["supported", "supported"], True), (["supported", "not"], False), (["not", "not"], False)]
)
def test_a_panel_of_others_is_asked_instead(said, stands):
    evidence, model, members = judged(reply((1, "partly")), panel=[[reply((1, verdict))] for verdict in said])
    assert len(model.requests) == 1 and all(len(member.requests) == 1 for member in members)
    assert evidence.passed == stands
    assert [vote.judge for vote in evidence.rulings[0].votes] == ["first", "member1", "member2"]


class Once(ScriptedModel):
    """A model for which the budget is used up after its first call."""

    def complete(self, request):
        if self.requests:
            raise LimitExceeded("calls", cap=4, spent=4)
        return super().complete(request)


@pytest.mark.parametrize("model", [ScriptedModel, Once])
def test_a_judge_that_is_not_heard_again_has_said_what_it_said_first(model):
    script = [reply((1, "supported"), (2, "partly"), quotes=SECOND), *[text_reply("I think so")] * 4]
    judge = Judge(model(script, vendor="b"), MEMO, "When is the rent due?", lambda: "n")
    evidence = judge(resolve_quotes(Draft((CLAIM, OTHER)), MEMO, QuoteIndex(MEMO)))
    assert [ruling.verdict for ruling in evidence.rulings] == [Verdict.SUPPORTED, Verdict.PARTLY]
    assert not evidence.broken and [issue.claim for issue in evidence.issues] == [2]


def test_a_member_that_fails_or_speaks_out_of_shape_does_not_count():
    broken = [[ProviderError("down", code="down")], [text_reply("I think so")] * 4]
    evidence, _, _ = judged(reply((1, "partly")), panel=broken)
    assert not evidence.passed and not evidence.broken and evidence.rulings[0].votes == ()
    evidence, _, _ = judged(reply((1, "partly")), panel=[*broken, [reply((1, "supported"))]])
    assert not evidence.passed  # one of two is not more than half


def test_supported_beside_a_quote_that_speaks_against_it_is_near_the_margin():
    quotes = {1: [(1, "supports"), (2, "against")]}
    agreed = {1: [(1, "supports"), (2, "supports")]}
    first, again = reply((1, "supported"), quotes=quotes), reply((1, "supported"), quotes=agreed)
    evidence, model, _ = judged(first, again, claims=(OTHER,))
    assert evidence.passed and len(model.requests) == 2
    assert Ruling(1, Verdict.SUPPORTED, "", "j", (QuoteRuling(1, "against", ""),)).is_near_margin
    assert Ruling(1, Verdict.SUPPORTED, "", "j", (QuoteRuling(1, "unrelated", ""),)).is_near_margin
    assert not Ruling(1, Verdict.SUPPORTED, "", "j", (QuoteRuling(1, "supports", ""),)).is_near_margin


@pytest.mark.parametrize("quotes", [[], [(1, "supports")], [(1, "supports")] * 2, [(1, "supports"), (9, "supports")]])
def test_a_supported_claim_with_several_quotes_needs_a_word_on_each_and_no_other_names_a_foreign_one(quotes):
    for verdict in ("supported", "partly", "not", "contradicted"):
        said, claims = reply((1, verdict), quotes={1: quotes}).turn.text, (Claim(1, "c", (1, 2)),)
        if verdict == "supported" or len(quotes) > 1:
            with pytest.raises(ValueError, match="once each"):
                parse_verdicts(said, claims, "j", deterministic=False)
        else:
            (ruling,) = parse_verdicts(said, claims, "j", deterministic=False).rulings
            assert ruling.verdict == verdict and len(ruling.quotes) == len(quotes)


@pytest.mark.parametrize(
    ("verdict", "bearings", "reason"),
    [
        ("supported", ("against", "unrelated"), "because"),
        ("supported", ("unrelated", "unrelated"), "because"),
        ("supported", ("supports", "supports"), " "),
        ("not", ("unrelated", "unrelated"), ""),
    ],
)
def test_a_verdict_that_denies_itself_or_has_no_reason_is_none(verdict, bearings, reason):
    quotes = [{"id": n, "verdict": bearing, "reason": "so"} for n, bearing in enumerate(bearings, 1)]
    said = {"verdicts": [{"id": 1, "verdict": verdict, "reason": reason, "quotes": quotes}]}
    with pytest.raises(ValueError, match="claim 1"):
        parse_verdicts(json.dumps(said), (Claim(1, "It is so.", (1, 2)),), "judge", deterministic=False)


def test_a_decision_needs_more_than_half():
    yes, no = Ruling(1, Verdict.SUPPORTED, "y", "a"), Ruling(1, Verdict.NOT, "n", "b")
    assert majority_ruling([yes]) is yes
    assert majority_ruling([no, yes]).verdict is Verdict.NOT and majority_ruling([yes, no]).verdict is Verdict.NOT
    assert majority_ruling([no, yes, yes]).verdict is Verdict.SUPPORTED and majority_ruling([no, yes, yes]).disputed


# What is shown

REPORT = document(
    "The year\n"
    "Sales grew in every region and in every month of the year, which the group had not expected at all.\n"
    "The growth was due to prices.\n"
    "Net sales by region\n"
    "(in millions)  2018  2017\n"
    "North  5  4\n"
    "South  6  5\n"
    "Total net sales  11  9\n"
    "The group expects that prices will fall in the next year, and that the volume of its sales will not grow.\n"
    "No forecast is given.\n",
    kind="pdf",
)


def around(words):
    start = REPORT.text.index(words)
    span = context_span(REPORT, Span(start, start + len(words)), max_characters=160)
    return REPORT.text[span.start : span.end]


def test_marks_that_begin_together_are_nested_and_those_that_cross_have_named_ends():
    def shown(*quotes):
        attempt = resolve_quotes(Draft((DraftClaim("It is so.", quotes),)), MEMO, QuoteIndex(MEMO))
        return render_passages(MEMO, attempt.quotes, "n")

    within = shown("The hall is cold", "The hall is cold in winter and warm in summer.")
    assert "[[2: [[1: The hall is cold]] in winter and warm in summer.]]" in within
    across = shown("hall is cold in winter", "winter and warm")
    assert "[[1: hall is cold in [[2: winter]](end of 1) and warm]](end of 2)" in across


def test_a_paragraph_is_shown_whole_and_a_table_with_its_header():
    text = around("South  6  5")
    assert "(in millions)  2018  2017" in text and "Total net sales  11  9" in text
    assert "which the group had not expected" in around("due to prices")


def test_a_paragraph_without_end_is_cut_at_words():
    long = document("word " * 1_000 + "The words. " + "more " * 1_000)
    at = long.text.index("The words.")
    span = context_span(long, Span(at, at + 10), max_characters=300)
    assert 440 <= span.end - span.start <= 1_000
    assert long.text[span.start : span.end].split()[0] == "word"


FILLED = "The tenant keeps the hall in repair.\n" * 12
NUMBERED = f"""1. Term
{FILLED}2. Rent of the Hall
{FILLED}2.1 When it is Due
{FILLED}2.2 Amount
{FILLED}Rent of the hall is 4,100.
{FILLED}2.3 How it is paid
{FILLED}3. Deposit
{FILLED}The deposit is twelve thousand.
{FILLED}4. Last Words
{FILLED}\f{FILLED}A levy is owed.
{FILLED}Yours,
Tobias Wehrle
Hall Partners
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Rent of the hall is 4,100", "(section: 2. Rent of the Hall > 2.2 Amount)"),
        ("The deposit is twelve", "(section: 3. Deposit)"),
        ("2. Rent of the Hall", ""),  # shown with it
        ("A levy is owed", ""),  # how far the last of them reaches is not known
        ("Hall Partners", ""),  # below a name
    ],
)
def test_a_passage_stands_under_the_headings_that_are_certain_and_not_shown_with_it(words, told):
    about = document(NUMBERED, kind="pdf")
    attempt = resolve_quotes(Draft((DraftClaim("It is.", (words,)),)), about, QuoteIndex(about))
    shown = render_passages(about, attempt.quotes, "n")
    assert (told in shown) if told else "(section:" not in shown


def test_a_second_reading_says_that_it_is_one_and_shows_the_first_and_the_other_claims():
    first, again = reply((1, "supported"), (2, "partly"), quotes=SECOND), reply((2, "partly"), quotes=SECOND)
    _, model, _ = judged(first, again, claims=(CLAIM, OTHER))
    asked, told = (request.turns[-1].text for request in model.requests)
    assert "second reading" in told and "claim 2: partly: partly it is" in told and CLAIM.text in told
    assert "second reading" not in asked


def test_rows_far_from_a_mark_are_left_out_and_notes_and_headers_are_not():
    rows = [f"Item {number} of the table  {number},000  {number},100" for number in range(1, 60)]
    about = document("Statement\n(Millions)  2018  2017\n" + "\n".join(rows) + "\n(1) All items are net of tax.\n")
    said = DraftClaim("Item 20 was 20,000.", (rows[19],))
    shown = render_passages(about, resolve_quotes(Draft((said,)), about, QuoteIndex(about)).quotes, "n")
    assert "(Millions)  2018  2017" in shown and "Item 19 " in shown and "Item 23 " in shown
    assert "Item 9 " not in shown and "Item 30 " not in shown and "\n[...]\n" in shown
    assert f"[[1: {rows[19]}]]" in shown and len(shown) < 1_000


def test_a_document_is_told_by_what_it_names_most_beside_its_title_and_dates():
    form = ["FORM FOR EVERY YEARLY REPORT", *(f"To be Kept by the Office of {town}" for town in "ABCDEFGH")]
    form += ["ACME TOOLS", "For the Year that Ended in 2018", "Small Firms Tick Here"]
    page = "\n\n".join(f"{line}\n{'It is so in every case. ' * 4}" for line in form)
    begins = describe_document(document(page + "\fAcme Tools made tools. Acme Tools sold some." * 9))
    assert begins.startswith(form[0]) and "ACME TOOLS / For the Year that Ended in 2018" in begins
    assert "Office of G" not in begins and len(begins) <= TITLE_CHARS
    assert describe_document(document("Lease\n\n1. Term\nIt is long.\n\n2. Rent\nIt is due.")).startswith("Lease")


def test_a_document_is_told_with_who_it_is_of_although_that_looks_like_no_heading():
    form = "Contents\nFORM FOR EVERY YEARLY REPORT\n(Mark one) for the year that ended in 2018 in every office\n"
    form += "Acme Tools Inc.\n(name as in the register)\nOne Mill Street\n"
    pages = [f"Contents\nAcme Tools Inc.\nIn the year {n} Acme Tools Inc. made tools, and sold them." for n in range(9)]
    begins = describe_document(document("\f".join((form, *pages))))
    assert "Acme Tools Inc." in begins and begins.startswith("FORM FOR EVERY YEARLY REPORT")
    assert "Acme Tools Inc." not in describe_document(document("\f".join((form, *(page[:8] for page in pages)))))


def test_a_row_is_shown_with_the_first_lines_of_its_page_that_are_not_shown_with_it():
    said = "\n".join(f"Tools of kind {number} were made and sold in this year." for number in range(1, 30))
    said += "\nSales of Tools\n" + said
    table = "(Millions)  2018  2017\nLathes  5,000  6,000\nSaws  7,000  8,000"
    about = document(f"ACME TOOLS\nReport\f\nACME TOOLS\nStatement of Cash Flows\n{said}\n\n{table}\n\n{said}\f{said}")

    def shown(words):
        quotes = resolve_quotes(Draft((DraftClaim("So.", (words,)),)), about, QuoteIndex(about)).quotes
        return render_passages(about, quotes, "n")

    row = shown("Saws  7,000  8,000")
    assert "<data-n>\n(page begins: Statement of Cash Flows)\n" in row and "TOOLS" not in row
    assert "page begins" not in shown("Tools of kind 20 were made")  # running text names what it is about
    assert "page begins" not in shown(f"ACME TOOLS\nStatement of Cash Flows\n{said}\n\n{table}")


SHEET = "Plan\n\nItem  Spent\n" + "\n".join(f"Cost {n} of the hall and its yard  {n}00" for n in range(1, 60))
"""A title, the names of two columns, and rows."""


def sheet(kind: str) -> Document:
    """A text of two sheets whose second is a table, as its format tells it."""
    other = "Land 1 and its towns  2017\n" * 20
    text = f"{other}\f{SHEET}"
    start = text.index("Item")
    at = text.index("Cost 40")
    rows = (line.split("  ") for line in SHEET.split("\n")[2:])
    table = make_table(text, *rows, begin=start)
    places = (NamedPlace(at, "Plan!A42"), NamedPlace(at + 8, "Plan!B42"))
    return replace(document(text, kind=kind), tables=(table,), places=places)


def shown_of(about: Document, *quotes: str) -> str:
    attempt = resolve_quotes(Draft((DraftClaim("It is so.", quotes),)), about, QuoteIndex(about))
    return render_passages(about, attempt.quotes, "n")


def test_a_row_of_a_sheet_has_the_names_of_its_columns_and_cells_and_nothing_of_another_sheet():
    shown = shown_of(sheet("xlsx"), "Cost 40 of the hall and its yard  4000")
    assert shown.startswith("Sheet 2:\n<data-n>\n(above: Item  Spent)\n(quote 1 at Plan!A42 to B42)\nCost")
    records = sheet("csv")
    records = replace(records, pages=(Page(1, "1", 0, len(records.text)),), places=())
    assert "(above: Item  Spent)\n" in shown_of(records, "Cost 40 of the hall and its yard  4000")
    for about in (sheet("xlsx"), records):
        at = about.text.index("Cost 59")
        assert [about.text[head.start : head.end] for head in about.lines_above(at)] == ["Item  Spent"]
        assert about.lines_above(10) == ()
    first = shown_of(sheet("xlsx"), "Plan")
    assert "Land" not in first
    # A count of people that looks like a year says nothing of what the document is.
    counts = replace(records, text=records.text.replace("4000", "2017"))
    assert "Cost" not in describe_document(counts)


def test_a_page_that_begins_among_rows_that_are_left_out_is_told():
    rows = [f"Item {number} of the table  {number},000  {number},100" for number in range(1, 60)]
    about = document("(Millions)  2018  2017\n" + "\n".join(rows[:20]) + "\f" + "\n".join(rows[20:]), kind="pdf")
    shown = shown_of(about, rows[2], rows[40])
    first, second = shown.split("\n\nPage 2:\n")
    assert first.startswith("Page 1:") and rows[2] in first and rows[40] in second and rows[30] not in shown


def test_what_is_true_of_several_quotes_is_said_once():
    rows = "\n".join(f"Item {number} of the table  {number},000  {number},100" for number in range(1, 200))
    foot = "(1) Sales of the hall are left out."
    about = document(f"(Millions)  2018  2017\nNet sales(1)  5  4\n{rows}\nGross sales(1)  7  6\n{rows}\n\n{foot}\n")
    quotes = resolve_quotes(
        Draft((DraftClaim("x", ("Net sales(1)  5  4", "Gross sales(1)  7  6")),)), about, QuoteIndex(about)
    ).quotes
    shown = render_passages(about, [replace(quote, ocr=80) for quote in quotes], "n")
    assert shown.count(foot) == 1 and shown.count("OCR") == 1 and "quotes 1, 2" in shown


def test_a_passage_over_two_pages_says_where_the_second_begins():
    about = document("The rent is due\f on the first day of each month.\n", kind="pdf")
    attempt = resolve_quotes(Draft((DraftClaim("It is due.", ("is due on the first",)),)), about, QuoteIndex(about))
    assert "[[1: is due\n[page 2]\n on the first]]" in render_passages(about, attempt.quotes, "n")


def test_a_passage_has_the_number_of_the_page_on_which_its_quote_stands():
    about = document("The rent is due each month.\n7\fThe deposit is twelve thousand dollars.", kind="pdf")
    said = DraftClaim("It is $12,000.", ("The deposit is twelve thousand dollars.",))
    shown = render_passages(about, resolve_quotes(Draft((said,)), about, QuoteIndex(about)).quotes, "n")
    assert shown.startswith("Page 2:\n") and "[page 1]\nThe rent" in shown and "[page 2]\n[[1: The deposit" in shown


@pytest.mark.parametrize(
    ("text", "begins"), [("The rent is due.\fIt is let.", "Page 1:\n"), ("The rent is due.", "<data")]
)
def test_a_passage_of_a_text_without_pages_has_no_page(text: str, begins: str) -> None:
    assert shown_of(document(text), "The rent is due.").startswith(begins)


def test_a_refusal_names_claim_and_quotes_by_how_they_begin():
    long = DraftClaim("The rent is due, as " + "was agreed, and " * 9, CLAIM.quotes)
    (issue,) = judged(reply((1, "not")), claims=(long,))[0].issues
    assert '(claim: "The rent is due, as was agreed, and was agreed' in issue.material and len(issue.material) < 180


def test_a_document_is_told_by_its_headings_and_years_and_not_by_its_form_text():
    form = "(Mark one) whether the registrant is a shell company as defined in the rule\n" * 9
    about = document(f"FORM 10-K\n{form}For the fiscal year ended December 31, 2022\nACME TOOLS COMPANY\nmore\f" + form)
    assert describe_document(about) == "FORM 10-K / For the fiscal year ended December 31, 2022 / ACME TOOLS COMPANY"
    assert describe_document(document("a few words only")) == "a few words only"


@pytest.mark.parametrize("row", ["Net sales\u207d\u00b9\u207e  5  4", "Net sales(1)  5  4", "Net sales (1)  5  4"])
@pytest.mark.parametrize("sign", ["(1)", "\u207d\u00b9\u207e"])
def test_the_note_of_a_quoted_row_is_shown(row, sign):
    rows = "\n".join(f"Item {number} of the table  {number},000  {number},100" for number in range(1, 90))
    foot = f"{sign} Sales of the hall are\nleft out.\n(2) Costs are net.\n"
    about = document(f"(Millions)  2018  2017\n{row}\n{rows}\n\n{foot}\f(1) Another page.")
    said = DraftClaim("Net sales were 5.", (row,))
    shown = render_passages(about, resolve_quotes(Draft((said,)), about, QuoteIndex(about)).quotes, "n")
    assert "(note: (1) Sales of the hall are left out.)" in shown and "Costs are net" not in shown


def test_rows_that_are_left_out_take_their_labels_and_headers_with_them():
    def part(name):
        rows = "\n".join(f"{name} {number}  {number},000  {number},100" for number in range(1, 20))
        return f"{name} account:\nThree Months Ended March 31, 2018  2017\n{rows}"

    about = document("Report\n(Millions)\n" + "\n".join(map(part, ("Coal", "Wood", "Salt", "Iron"))))
    said = DraftClaim("Salt of kind 9 sold for 9,000.", ("Salt 9  9,000  9,100",))
    shown = render_passages(about, resolve_quotes(Draft((said,)), about, QuoteIndex(about)).quotes, "n", 10)
    assert "Salt account:\nThree Months Ended March 31, 2018  2017\n" in shown and "Salt 6  6,000" in shown
    apart = document(about.text.replace("Iron account", "\n\nIron account"))  # and empty lines are lines
    quotes = resolve_quotes(Draft((said,)), apart, QuoteIndex(apart)).quotes
    assert "Iron account" in render_passages(apart, quotes, "n", 2_000)
    assert "Wood 18" not in shown and "Iron account" not in shown and shown.count("Three Months") == 1


def test_a_judge_is_told_nothing_of_claims_on_which_code_is_silent():
    model = ScriptedModel([reply((1, "supported"))], vendor="b")
    judge = Judge(model, MEMO, "When is the rent due?", lambda: "n")
    judge(resolve_quotes(Draft((CLAIM,)), MEMO, QuoteIndex(MEMO)))
    asked = model.requests[0].turns[-1].text.lower()
    assert not [word for word in ("doubt", "compared", "checked", "figure") if word in asked]
