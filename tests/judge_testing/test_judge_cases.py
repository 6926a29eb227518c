"""The cases of a test of the judge: built-in claims that hold, batches without siblings, rates with their intervals."""

import math
from collections import Counter

import pytest
from fakes import document
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.errors import DocumentError
from ralph_cli.core.results.judge_test import FALSEHOOD_KINDS, TRUE_KIND, Case, Rate
from ralph_cli.documents.source import DocumentSource
from ralph_cli.judge_testing.cases import (
    BATCH_SIZE,
    choose_claims,
    load_built_in,
    make_batches,
    make_cases,
    sample_claims,
)
from ralph_cli.judge_testing.mutations import DocumentFacts
from ralph_cli.retrieval.quotes.index import QuoteIndex


def test_every_quote_of_the_built_in_claims_is_in_its_document():
    memo, claims = load_built_in()
    index = QuoteIndex(memo)
    assert len(claims) >= 20 and len({claim.text for claim in claims}) == len(claims)
    assert [quote for claim in claims for quote in claim.quotes if index.find(quote) is None] == []


def test_the_built_in_claims_take_every_kind_of_falsehood():
    memo, claims = load_built_in()
    cases = make_cases(claims, DocumentFacts(memo.text), 0)
    counts = Counter(case.kind for case in cases)
    assert counts[TRUE_KIND] == len(claims) and all(counts[kind] >= 8 for kind in FALSEHOOD_KINDS), counts
    assert all((case.text == case.truth) == (case.kind == TRUE_KIND) for case in cases)


def test_the_same_seed_gives_the_same_cases_and_another_one_others(samples):
    memo = DocumentSource.of(samples / "contract.md").load()
    index, facts = QuoteIndex(memo), DocumentFacts(memo.text)
    one, two, three = (make_cases(choose_claims(memo, index, facts, 8, seed), facts, seed) for seed in (1, 1, 2))
    assert one == two and one != three and len({case.truth for case in one}) == 8


def test_each_kind_has_its_share_of_a_document(samples):
    memo = DocumentSource.of(samples / "report.pdf").load()
    facts = DocumentFacts(memo.text)
    counts = Counter(case.kind for case in make_cases(choose_claims(memo, QuoteIndex(memo), facts, 20, 0), facts, 0))
    assert counts[TRUE_KIND] == 20 and all(counts[kind] >= 5 for kind in FALSEHOOD_KINDS), counts


def test_a_document_without_sentences_is_refused():
    memo = document("a b c\n" * 30)
    with pytest.raises(DocumentError, match="cannot generate test claims"):
        choose_claims(memo, QuoteIndex(memo), DocumentFacts(memo.text), 20, 0)


def test_some_of_the_claims_are_chosen_by_seed():
    _, claims = load_built_in()
    assert (
        sample_claims(claims, 100, 0) == claims
        and len(sample_claims(claims, 5, 1)) == 5
        and sample_claims(claims, 5, 1) != sample_claims(claims, 5, 2)
    )


@given(st.lists(st.integers(1, 6), min_size=1, max_size=30), st.integers(0, 5))
def test_a_batch_never_holds_two_cases_of_one_claim(sizes, seed):
    cases = []
    for claim, size in enumerate(sizes):
        for _ in range(size):
            cases.append(Case(len(cases) + 1, TRUE_KIND, "t", f"claim {claim}", ("q",)))
    batches = make_batches(cases, seed)
    assert sorted(number for batch in batches for number in batch) == list(range(1, len(cases) + 1))
    for batch in batches:
        truths = [cases[number - 1].truth for number in batch]
        assert 1 <= len(batch) <= BATCH_SIZE and len(set(truths)) == len(truths)
    assert batches == make_batches(cases, seed)


def test_nothing_to_ask_is_no_batch():
    assert make_batches((), 0) == ()


@pytest.mark.parametrize(
    ("hits", "asked", "low", "high"),
    # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3; and no hit at all.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_wilsons(hits, asked, low, high):
    interval = Rate(hits, asked).interval
    assert interval is not None
    assert math.isclose(interval[0], low, abs_tol=5e-5) and math.isclose(interval[1], high, abs_tol=5e-5)


def test_of_nothing_there_is_no_rate():
    assert Rate(0, 0).share is None and Rate(0, 0).interval is None
    assert Rate(5, 5).interval is not None and Rate(5, 5).interval[1] == 1.0
