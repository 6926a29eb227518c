"""What is searched in vain is counted by code, as words or as an expression, and recorded with what is nearest."""

import pytest
from fakes import document

from ralph_cli.checks.absence import SearchRecord, describe_searches, is_absence, rule_by_counts
from ralph_cli.core.run import Absence, Attempt, Claim, Draft, DraftClaim, Search, Verdict
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.retrieval.search.occurrences import SearchCounter, SearchTerm

FILLER = "\n".join(f"Clause {n} says what is of no interest." for n in range(60))
LEASE = document(
    f"Lease of the north hall.\n{FILLER}\fThe tenant may park bicycles.\n{FILLER}\f"
    f"The deposit is $12,000.\nIt is kept for the term.\n{FILLER}\fCurrent notices go to the park office.\n{FILLER}",
    kind="pdf",
)


def record(question: str, *code: SearchTerm) -> SearchRecord:
    return SearchRecord(LEASE, question, lambda: code)


def test_the_record_has_the_searches_of_worker_and_code_and_the_nearest_passages() -> None:
    terms = ("deposit", True), ("park(?:ing)?", True), ("bicycles", False), ("(a+)+$", True)
    code = tuple(SearchTerm(term, pattern) for term, pattern in terms)
    found = record("Where may bicycles park?", *code)
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
    attempt = record("Is security given?", *code).add_search_record(Attempt(absence=Absence(("Deposit",))))
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


def test_what_one_document_of_a_set_does_not_say_is_counted_in_that_one() -> None:
    texts = {"deed.txt": f"The hall is let.\n{FILLER}", "mail.txt": "A deposit is due."}
    about = join_documents("deal", [NamedDocument(name, document(text), name) for name, text in texts.items()])
    for said, within, hits in (("The document deed.txt", "deed.txt", 0), ("No document", "", 1)):
        claim = DraftClaim(f"{said} mentions no deposit.", (), searched=("deposit",))
        attempt = Attempt((Claim(1, claim.text, ()),))
        (counted,) = SearchRecord(about, "What is let?", tuple).add_claim_searches(attempt, Draft((claim,))).claims
        assert counted.searches == (Search("deposit", hits, within=within),)


def test_without_a_model_the_counts_are_the_ruling_and_a_quote_makes_a_claim_no_absence() -> None:
    claim = Claim(1, "No garage is named.", (), searches=(Search("garage", 0),))
    assert is_absence(claim) and not is_absence(Claim(1, "No garage is named.", (1,), searches=claim.searches))
    ruling = rule_by_counts(claim)
    assert (ruling.verdict, ruling.reason, ruling.judge) == (Verdict.ABSENT, "counted by code: garage: 0", "code")
