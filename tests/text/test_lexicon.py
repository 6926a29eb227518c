"""The word lists that several rooms share."""

import re

import pytest

from ralph_cli.checks.output.quotations import quotation_fault
from ralph_cli.retrieval.search.nearest import key_words
from ralph_cli.text.lexicon import MONTHS, ORDINALS, TENS, UNITS, any_of, find_qualifier
from ralph_cli.text.signature import has_same_meaning


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("it did not rise", "not"), ("it doesn\u2019t", "doesn\u2019t"), ("Nobody knows", "Nobody"), ("no cash", "no"),
        ("subject\n to tax", "subject to"), ("at least 5", "at least"), ("excluding tax", "excluding"),
        ("until May", "until"), ("as in No. 5", ""), ("a note on knots", ""), ("all of it", ""),
    ],
)  # fmt: skip
def test_a_negation_or_a_limit_is_found(text: str, word: str) -> None:
    assert find_qualifier(text) == word


def test_what_an_ellipsis_may_not_leave_out_is_the_same_in_outputs_and_memos() -> None:
    source = ["The rent is due until May and at least monthly in all years."]
    assert quotation_fault("The rent is due [...] in all years", source) == "until"
    assert quotation_fault("The rent is due until May [...] in all years", source) == "at least"
    assert quotation_fault("The rent is [...] due until May", source) is None


def test_texts_with_another_number_of_negations_do_not_agree() -> None:
    assert not has_same_meaning("a notable profit", "a not able profit")
    assert has_same_meaning("Exhibit No. 5 is here", "Exhibit No 5 is here")


def test_a_pattern_of_words_takes_the_longest_and_any_white_space() -> None:
    pattern = re.compile(rf"\b(?:{any_of(['cent', 'cents', 'euro cent', 'a.b'])})\b")
    assert [match[0] for match in pattern.finditer("euro\ncent cents a.b axb cent")] == [
        "euro\ncent",
        "cents",
        "a.b",
        "cent",
    ]


def test_the_lists_are_whole() -> None:
    assert (len(MONTHS), UNITS["nineteen"], TENS["ninety"], ORDINALS["twentieth"]) == (12, 19, 90, 20)


def test_little_words_are_no_key_words() -> None:
    assert list(key_words("Please list what they would describe as such over most of the lease")) == ["lease"]
