"""Numbered parts: in which of them a passage stands, and which of them a text names."""

import pytest
from fakes import document
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.documents.structure.clauses import above, find_clauses, named_clauses

CONTRACT = """\
LEASE

1. Term ........ 2
2. Rent ........ 3

1. Term

The lease begins in
2031, and ends ten years later.

2. Rent

2.1 The rent is due monthly. It covers:

1. the hall;
2. the yard.

2.2 The tenant may pay

(a) in cash;

(b) by cheque, if it is

(i) drawn on a bank,

(ii) dated.

c) in kind.

A late payment bears interest.

4. Notices

12 months 2019 2018
5.1 per cent is the rate

Schedule 1 \u2013 The Hall

The hall has a red door.
"""


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("LEASE", None),
        ("2031", "clause 1"),
        ("due monthly", "clause 2.1"),
        ("the yard", "clause 2.1"),
        ("in cash", "clause 2.2(a)"),
        ("by cheque", "clause 2.2(b)"),
        ("dated", "clause 2.2(b)(ii)"),
        ("in kind", "clause 2.2(c)"),
        ("A late payment", "clause 2.2"),
        ("5.1 per cent", "clause 4"),
        ("red door", "Schedule 1"),
    ],
)
def test_a_passage_stands_in_the_part_whose_number_goes_on_with_those_before(words: str, name: str | None) -> None:
    found = document(CONTRACT).clause_at(CONTRACT.index(words))
    assert (found.name if found else None) == name


def test_a_part_that_is_named_by_a_word_keeps_it() -> None:
    text = "ARTICLE IV\nCovenants\n\nSection 4.01 Debt. None.\n\nSection 4.02 Liens. None.\n\n\u00a7 5 Cure"
    assert [clause.name for clause in find_clauses(text)] == ["ARTICLE IV", "Section 4.01", "Section 4.02", "\u00a7 5"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("clause 7.1 and Article XII", ["7.1", "12"]),
        ("Clauses 15 to 18 apply", ["15", "16", "17", "18"]),
        ("sections 4(a), 5 and 6", ["4(", "4(a)", "5", "6"]),
        ("as \u00a7 12 says of Schedule 4", ["12", "schedule 4"]),
        ("in Section 6.09, at 5.1 per cent", ["6.9"]),
        ("a price of 12, of 18 U.S.C. 552, or of the tenant's 4 cars", []),
        (
            "Art. 6 Abs. 1 lit. f and Article 28, paragraphs 3 and 4",
            ["6(", "6(1)(", "6(1)(f)", "28(", "28(3)", "28(4)"],
        ),
        ("clause 5, point (b), cl. 7, Ziff. 8 und 9", ["5(", "5(b)", "7", "8", "9"]),
        ("Part II, Item 7", ["part 2", "7"]),
    ],
)
def test_a_text_names_parts_by_word_and_number(text: str, keys: list[str]) -> None:
    assert named_clauses(text) == frozenset(keys)


def test_a_part_stands_in_those_that_its_number_begins_with() -> None:
    assert list(above("7.1(a)(ii)")) == ["7.1(a)", "7.1", "7"]


@given(st.text(alphabet="17.()aivx\u00a7 \nTermSection\f", max_size=200))
def test_any_text_has_its_parts_in_order(text: str) -> None:
    starts = [clause.start for clause in find_clauses(text)]
    assert starts == sorted(starts) and all(0 <= start < len(text) for start in starts)
    named_clauses(text)
