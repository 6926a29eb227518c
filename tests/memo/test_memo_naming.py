"""Which document a memo names: it is the one that is searched, and words of another one do not hold."""

from dataclasses import replace

import pytest
from fakes import document

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import MemoCheck
from ralph_cli.memo.checking.check import check_quotations
from ralph_cli.memo.reading.read import read_memo
from ralph_cli.reports.memo.terminal import memo_text

BOTH = "The fee is due on the first day of a month."
FERRY = document(f"Harbour Ferry Company\nAnnual report for 2021\n{BOTH} The crew has 84 sailors in all.", kind="pdf")
FERRY = replace(FERRY, path="HARBOURFERRY_2021_10K.pdf")
LEASE = replace(
    document(f"Lease of the pier\n{BOTH} The pier is let until March, if the lease holds."), path="lease.txt"
)


def checked(memo: str, *documents: Document) -> MemoCheck:
    return check_quotations(read_memo(document(memo, kind="markdown")), "memo.md", documents or (FERRY, LEASE))


@pytest.mark.parametrize(
    "memo",
    [
        'It has a crew: "The crew has 84 sailors in all" (lease.txt).',
        'It has a crew: "The crew has 84 sailors in all" (Lease, p. 1).',
        'According to the lease, "The crew has 84 sailors in all".',
        'As Harbour Ferry says, "The pier is let until March".',
        '"The pier is let until March" (Harbour Ferry 10-K 2021, p. 1).',
        "> The pier is let until March.\n> \u2014 Harbour Ferry, p. 1",
    ],
)
def test_words_of_another_document_than_the_memo_names_do_not_hold(memo: str) -> None:
    found = checked(memo)
    assert [one.outcome for one in found.findings] == ["wrong-document"] and not found.ok
    assert "Wrong document" in memo_text(found) and "the memo names" in memo_text(found)


@pytest.mark.parametrize(
    ("memo", "number"),
    [
        (f'It says "{BOTH[:-1]}" (Lease, p. 1).', 1),
        (f'It says "{BOTH[:-1]}" (Harbour Ferry 10-K, p. 1).', 0),
        (f'According to the lease, "{BOTH[:-1]}".', 1),
        ('The ferry has a lease, and "The crew has 84 sailors in all".', 0),
        ('It has a crew: "The crew has 84 sailors in all" (Annual report 2021, p. 1).', 0),
        ('On Lease of the pier it has this: "The crew has 84 sailors in all".', 0),
        ('"The pier is let until March" and "The crew has 84 sailors in all" are in both.', 1),
    ],
)
def test_the_document_that_is_named_is_searched_and_a_word_that_may_mean_anything_names_none(
    memo: str, number: int
) -> None:
    found = checked(memo)
    assert found.ok and found.findings[0].document == number


@pytest.mark.parametrize(
    "cited",
    [
        "Island Bank 10-K 2021, p. 1",
        "A&T 10-K 2021, p. 1",
        "Harbour Ferry 10-K 2019, p. 1",
        "other.pdf, p. 1",
        "Pier Agreement, p. 1",
    ],
)
def test_a_document_that_was_not_given_is_named(cited: str) -> None:
    found = checked(f'"The crew has 84 sailors in all" ({cited}).', FERRY)
    assert [one.outcome for one in found.findings] == ["wrong-document"]
    assert "which is none of the documents that were given" in found.findings[0].notes[-1]


@pytest.mark.parametrize(
    "cited",
    [
        "p. 1",
        "Harbour Ferry 10-K 2021, p. 1",
        "2021 Annual Report, p. 1",
        "see Section 4 of the Report, p. 1",
        "Crew Report 2021, p. 1",
    ],
)
def test_the_only_document_may_be_called_by_its_own_names(cited: str) -> None:
    assert checked(f'"The crew has 84 sailors in all" ({cited}).', FERRY).ok


def test_of_places_like_a_false_quotation_the_one_on_the_page_that_is_named_is_shown() -> None:
    report = document("The crew has 84 sailors in all.\fSo it was.\fThe crew has 83 sailors in all.", kind="pdf")
    for page, words in ((1, "85 -> 84"), (3, "85 -> 83")):
        found = checked(f'"The crew has 85 sailors in all" (p. {page}).', report)
        assert found.findings[0].nearest is not None and found.findings[0].nearest.differing == (words,)
