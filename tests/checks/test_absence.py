"""That something is not there: searches are counted again, and places that nobody looked at speak against it."""

import pytest
from fakes import document

from ralph_cli.checks.absence import (
    FEW_PLACES,
    AbsenceReview,
    describe_searches,
    find_positive_part,
    rule_on_absence,
    says_absent,
)
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.coverage import Spans
from ralph_cli.core.document import Document
from ralph_cli.core.run import Absence, Attempt, Claim, Draft, DraftClaim, Search
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.search.occurrences import SearchCounter, SearchTerm

FILLER = "\n".join(f"Clause {n} says what is of no interest." for n in range(60))
LEASE = document(
    f"Lease of the north hall.\n{FILLER}\fThe tenant may park bicycles.\n{FILLER}\f"
    f"The deposit is $12,000.\nIt is kept for the term.\n{FILLER}\fCurrent notices go to the park office.\n{FILLER}",
    kind="pdf",
)


def at(words: str, about: Document = LEASE) -> tuple[int, int]:
    start = about.text.index(words)
    return start, start + len(words)


def page(number: int) -> tuple[int, int]:
    return LEASE.pages[number - 1].start, LEASE.pages[number - 1].end


def review(
    question: str, *shown: tuple[int, int], code: tuple[SearchTerm, ...] = (), about: Document = LEASE
) -> AbsenceReview:
    spans: Spans = tuple(sorted(shown))
    return AbsenceReview(about, question, lambda: code, lambda: spans)


def refused(found: AbsenceReview, *searched: str) -> str:
    issues = found.issues(Absence(searched))
    assert len(issues) <= 1 and all(issue.check == "absence" for issue in issues)
    return issues[0].line if issues else ""


def test_a_term_that_is_there_and_was_never_looked_at_is_pointed_out_with_page_and_line() -> None:
    told = refused(review("Is security provided?"), "deposit", "guarantee")
    start = at("The deposit is")[0]
    assert "(page 3)" in told and "at(offset)" in told
    assert f"page 3, offset {start}: The deposit is $12,000.\n(for: deposit)" in told


def test_what_was_looked_at_is_not_pointed_out() -> None:
    seen = at("The deposit is $12,000.\nIt is kept for the term.")
    assert refused(review("Is a deposit kept?", seen), "deposit", "guarantee") == ""
    assert refused(review("Is security provided?", (0, len(LEASE.text))), "deposit") == ""


def test_a_term_inside_another_word_is_not_it() -> None:
    assert "Current" not in refused(review("Is it charged?"), "charge", "rent")
    assert "tenant" not in refused(review("Is it charged?"), "charge", "ten")
    assert "bicycles" in refused(review("Is it charged?"), "charge", "bicycle")


def test_a_search_without_a_hit_is_not_enough_the_first_time() -> None:
    found = review("Is subletting allowed?")
    told = refused(found, "sublet", "assign")
    assert "sublet: 0, assign: 0" in told and "without the words subletting:" in told
    assert "without the words subletting:" in refused(
        review("What does the lease say that speaks of subletting?"), "sublet"
    )
    assert refused(found, "sublet", "assign") == ""
    assert refused(review("Is subletting allowed?", (0, len(LEASE.text))), "sublet") == ""  # all of it was read
    seen_by_code = review("May bicycles park?", page(2), page(4), code=(SearchTerm("park|assign", True),))
    assert refused(seen_by_code, "zzz") == ""


def test_a_word_of_the_question_that_stands_nowhere_is_not_passed_over_because_another_one_does() -> None:
    told = refused(review("Is subletting allowed?", at("The deposit is $12,000.")), "sublet", "deposit")
    assert "without the words subletting:" in told
    assert refused(review("What drove the park?", at("park bicycles"), at("the park office")), "park") == ""


def test_of_a_term_in_few_places_each_page_is_looked_at() -> None:
    told = refused(review("Who may park?", at("The tenant may park bicycles.")), "park")
    assert "(page 4)" in told and "notices go to the park office" in told
    # The same page was looked at elsewhere: it is not pressed.
    assert refused(review("Who may park?", at("The tenant may park bicycles."), page(4)), "park") == ""


def test_of_a_term_in_many_places_one_that_was_seen_is_enough() -> None:
    many = document(
        "\f".join(f"Page {n} has a levy of its own, and more.\n{FILLER}" for n in range(FEW_PLACES + 2)), kind="pdf"
    )
    assert "levy" in refused(review("What is the levy?", about=many), "levy")
    assert refused(review("What is the levy?", at("a levy of its own", many), about=many), "levy") == ""


def test_a_rare_word_of_the_question_that_was_never_searched_is_pointed_out() -> None:
    told = refused(review("How much is the deposit?"), "guarantee")
    assert "The deposit is $12,000." in told and "(for: deposit)" in told
    assert refused(review("How much is the deposit?", at("The deposit is"), page(1)), "guarantee", "hall") == ""
    assert "(page 3)" in refused(review("Is 12,000 owed?"), "fee")
    searched = review("How much is the deposit?", at("deposit is"), code=(SearchTerm("deposits?", True),))
    assert refused(searched, "guarantee") == ""


def test_a_common_word_of_the_question_is_not_pressed() -> None:
    assert refused(review("Which clause says it?", page(1)), "guarantee", "hall") == ""


def test_a_rare_word_is_pressed_where_another_one_stands_with_it_and_not_in_another_form() -> None:
    about = document(
        f"Stock is measured at cost by the hall.\n{FILLER}\nTrade payables of the hall.\n{FILLER}\n"
        f"The results of the hall are good.\n{FILLER}\nThe results of May.\n{FILLER}\nThe results of June.\n{FILLER}"
        + "The hall.\n"
        * 20
    )
    asked = "Which results payable by the hall measure it?"
    assert refused(review(asked, at("The hall.", about), about=about), "hall", "discount") == ""
    paid = document(f"{about.text}\nThe results are payable in May.")
    told = refused(review(asked, at("The hall.", about), about=paid), "hall", "discount")
    assert "The results are payable in May.\n(for: payable)" in told


def test_words_that_stand_together_unseen_are_pointed_out_when_nothing_of_what_was_searched_is_there() -> None:
    text = f"{FILLER}\nWarehouse staff wear helmets.\n{FILLER}\n" + "Warehouse one.\nStaff two.\n" * 20
    about = document(text)
    told = refused(
        review("Do warehouse staff wear helmets?", at("Warehouse staff wear helmets.", about), about=about), "uniform"
    )
    assert "wear helmets" not in told.split("it stands")[1]  # the place was looked at
    told = refused(review("Do warehouse staff?", about=about), "uniform")
    assert "page" not in told.split(":")[0] and "Warehouse" in told


def test_a_refusal_is_made_once_and_what_is_said_again_stands() -> None:
    found = review("How much is security?")
    assert "it stands" in refused(found, "deposit")
    assert refused(found, "deposit") == "" and refused(found, "deposit", "bicycles") == ""


def test_an_extracted_absence_is_asked_of_too() -> None:
    found = review("How much is security?")
    attempt = Attempt(absence=Absence(("deposit",)))
    assert not found(attempt).passed and found(attempt).passed
    assert found(Attempt()).passed


def test_the_record_has_the_searches_of_worker_and_code_and_the_nearest_passages() -> None:
    terms = ("deposit", True), ("park(?:ing)?", True), ("bicycles", False), ("(a+)+$", True)
    code = tuple(SearchTerm(term, pattern) for term, pattern in terms)
    found = review("Where may bicycles park?", code=code)
    attempt = found.add_search_record(Attempt(absence=Absence(("Deposit", "car park"))))
    assert attempt.searches[:4] == (
        Search("Deposit", 1),
        Search("car park", 0),
        Search("park(?:ing)?", 2, "code", True),
        Search("bicycles", 1, "code"),
    )
    assert attempt.nearest[0].text.startswith("The tenant may park bicycles.\nClause 0 says")
    assert attempt.nearest[0].page == 2
    assert attempt.nearest[0].words == ("park", "bicycles")
    assert found.add_search_record(Attempt(error="x")) == Attempt(error="x")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(?i)\bsub-?let(?:ting)?\b|assign(ment|ed)?", "sub-letting, assignment/ed"),
        (r"organi[sz]ation|green\s?house[ -]gas(?:es)?", "organisation, green house gases"),
        (r"net\s+sales.*20\d{2}|\$4\.5 million$", "net sales\u202620\u2026, $4.5 million"),
        (r"[A-Z]\w+ fee \(net\)", "\u2026\u2026 fee (net)"),
        (r"(?P<x>rent|lease) due", "rent/lease due"),
        ("\\b", "\\b"),
    ],
)
def test_an_expression_is_told_in_words(pattern: str, words: str) -> None:
    assert Search(pattern, 0, "code", True).words == words
    assert Search(pattern, 0).words == pattern


def test_what_was_named_as_a_word_and_searched_as_an_expression_has_one_count() -> None:
    code = tuple(SearchTerm(term, True) for term in (r"(?i)\bdeposit\b", "deposits?", "guarantee|surety"))
    attempt = review("Is security given?", code=code).add_search_record(Attempt(absence=Absence(("Deposit",))))
    assert [search.term for search in attempt.searches] == ["Deposit", "deposits?", "guarantee|surety"]
    assert describe_searches(attempt.searches[::2]) == "counted by code: Deposit: 1, \u201cguarantee, surety\u201d: 0"


@pytest.mark.parametrize(
    ("term", "search"),
    [
        ("the  DEPOSIT", Search("the DEPOSIT", 1)),
        ("$12,000", Search("$12,000", 1)),
        ("deposit|guarantee", Search("deposit|guarantee", 1, pattern=True)),
        (r"\bclause \d+", Search(r"\bclause \d+", 240, pattern=True)),
        ("rent (net)", Search("rent (net)", 0, pattern=True)),
        ("rent (", Search("rent (", 0)),
        ("Straße", Search("Straße", 0)),
        ("it’s", Search("it’s", 0)),
        ("ark", Search("ark", 0)),
        ("bicyc", Search("bicyc", 1, stem=True)),
        ("bicycle", Search("bicycle", 1)),
        ("uild|ark", Search("uild|ark", 0, pattern=True)),
    ],
)
def test_what_the_worker_says_it_searched_is_counted_as_words_or_as_an_expression(term: str, search: Search) -> None:
    assert [tally.search for tally in SearchCounter(LEASE).count([term], ())] == [search]


def test_what_code_searched_in_some_documents_is_counted_in_these() -> None:
    texts = {
        "mail 1.txt": "The rent is 12.",
        "mail 2.txt": "Rent and rent.",
        "deed.txt": "Rent is due, the fee is not.",
    }
    about = join_documents("deal", [NamedDocument(name, document(text), name) for name, text in texts.items()])
    terms = [SearchTerm("rent", True, "mail"), SearchTerm("r[a-e]nt", True, "2"), SearchTerm("fee", True, "plan")]
    both, second = SearchCounter(about).count(["due"], [*terms, SearchTerm("due", True, "mail")])[1:]
    assert both.search == Search("rent", 3, "code", within="mail") and both.search.label == "rent (in mail only)"
    assert [about.text[a:b] for a, b in both.places] == ["rent", "Rent", "rent"]
    assert second.search == Search("r[a-e]nt", 2, "code", True, within="mail 2.txt")
    assert [about.text[a:b] for a, b in second.places] == ["Rent", "rent"]


def test_words_are_counted_with_case_typography_and_white_space_folded_and_placed_in_the_text() -> None:
    about = document("It’s  the\nSTRAẞE of İzmir. “It’s the straße”, ﬁrst and last.")
    for term, count in (("it's the", 2), ("straße", 2), ("izmir", 0), ("first", 1), ("LAST", 1)):
        (tally,) = SearchCounter(about).count([term], ())
        assert tally.search.hits == count == len(tally.places), term
    (tally,) = SearchCounter(about).count(["it's the stra"], ())
    assert [about.text[a:b] for a, b in tally.places] == ["It’s  the\nSTRA", "It’s the stra"]


@pytest.mark.parametrize(
    ("text", "is_absence"),
    [
        ("The filing does not disclose a segment margin.", True),
        ("There is no mention of a garden in the lease.", True),
        ("I found none of the covenants.", True),
        ("A segment margin is not disclosed.", True),
        ("The filing says nothing about shoplifting.", True),
        ("There were no share repurchases in 2023.", False),
        ("The company does not own its headquarters.", False),
        ("No dividend was paid.", False),
    ],
)
def test_a_claim_that_speaks_of_what_the_document_says_is_known(text: str, is_absence: bool) -> None:
    assert says_absent(text) is is_absence


def test_a_claim_that_something_is_not_there_is_sent_back_while_its_places_are_unread() -> None:
    found = review("What is paid?")
    claim = DraftClaim("The document does not mention a deposit.", (), searched=("deposit", "guarantee"))
    (issue,) = found.claim_issues((DraftClaim("The hall is let.", ("Lease of the north hall",)), claim))
    assert issue.claim == 2 and "The deposit is $12,000." in issue.line
    assert found.claim_issues((claim,)) == ()


@pytest.mark.parametrize(
    ("text", "positive"),
    [
        ("The document does not disclose a deposit; sales rose strongly.", "sales rose strongly."),
        ("The filing names no auditor, although it names three suppliers.", "it names three suppliers."),
        ("While the lease states the rent, it mentions no deposit.", "While the lease states the rent"),
        ("No deposit is disclosed. Net income was strong.", "Net income was strong."),
        ("It does not state the effect on sales of $45 million.", "$45"),
        ("The effect is not stated and came to 12 % of sales.", "12 %"),
        ("The tenant may park bicycles.", "The tenant may park bicycles."),
        ("The 10-K for fiscal 2022 gives no target of 40 % or $9 million, nor does Item 7.", ""),
        ("The lease of the U.S. Region is silent on subletting, and a deposit is not mentioned.", ""),
        ("The lease does not mention a deposit, or a guarantee; a bond is missing, too.", ""),
    ],
)
def test_what_a_claim_says_beside_that_something_is_not_there_is_no_absence(text: str, positive: str) -> None:
    claim = DraftClaim(text, (), searched=("garage", "carport", "$9 million"))
    question = "Is there a target of 40 %?"
    assert find_positive_part(claim, question) == positive
    found = review(question, (0, len(LEASE.text)))
    is_mixed = bool(positive) and positive != text
    for _ in range(2):  # however often it is handed in
        assert [issue.material for issue in found.claim_issues((claim,))] == [positive] * is_mixed
    ruling = rule_on_absence(Claim(1, text, (), searches=(Search("garage", 0), Search("$9 million", 0))), question)
    assert (ruling is None) == bool(positive)


def test_a_line_that_is_quoted_beside_such_a_claim_was_looked_at() -> None:
    claims = (
        DraftClaim("The deposit is $12,000.", ("deposit is $12,000.",)),
        DraftClaim("The document does not mention a garage.", (), searched=("The deposit is", "garage", "shed")),
    )
    attempt = resolve_quotes(Draft(claims[:1]), LEASE, QuoteIndex(LEASE))
    assert review("What is paid?").claim_issues(claims) and attempt.quotes
    assert review("What is paid?").claim_issues(claims, attempt.quotes) == ()


def test_of_such_a_claim_only_what_is_not_there_is_asked_about() -> None:
    claim = DraftClaim("The lease says nothing about subletting.", (), searched=("sublet", "deposit"))
    (issue,) = review("What is let?", at("The deposit is $12,000.")).claim_issues((claim,))
    assert "without the words subletting:" in issue.message and "hand in the same claims again" in issue.message


def test_what_one_document_of_a_set_does_not_say_is_looked_for_in_that_one() -> None:
    texts = {"deed.txt": f"The hall is let.\n{FILLER}\nKeys are with the porter.", "mail.txt": "A deposit is due."}
    about = join_documents("deal", [NamedDocument(name, document(text), name) for name, text in texts.items()])
    found = review("What is let?", at("The hall is let.", about), about=about)
    claim = DraftClaim("The document deed.txt does not mention a deposit.", (), searched=("deposit", "bond", "surety"))
    anywhere = DraftClaim("No document mentions a deposit.", (), searched=claim.searched)
    assert found.claim_issues((claim,)) == () and "A deposit is due." in found.claim_issues((anywhere,))[0].material
    counted = found.add_claim_searches(Attempt((Claim(1, claim.text, ()),)), Draft((claim,)))
    assert counted.claims[0].searches[0] == Search("deposit", 0, within="deed.txt")


def test_whoever_searched_enough_other_words_in_vain_is_not_asked_for_others() -> None:
    found = review("Is there a target for greenhouse gas?")
    forms = Absence(("greenhouse", "gas", "greenhouses", "gases", "targets", "targeted", "targeting"))
    assert "greenhouse, gas" in found.issues(forms)[0].message
    others = Absence(("greenhouse", "carbon", "emission"))
    assert review("Is there a target for greenhouse gas?").issues(others) == ()


def test_a_claim_that_a_word_is_mentioned_nowhere_is_asked_for_no_other_word() -> None:
    named, meant = "The lease nowhere mentions subletting.", "The lease says nothing about subletting."
    found = review("What is let?", at("The deposit is $12,000."))
    claims = [DraftClaim(text, (), searched=("sublet", "subletting")) for text in (named, meant)]
    assert [issue.claim for issue in found.claim_issues(claims)] == [2]
    there = DraftClaim("The lease nowhere mentions parking.", (), searched=("bicycles", "parking"))
    assert "you have not looked at" in review("Who has parking?").claim_issues((there,))[0].message
