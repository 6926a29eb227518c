"""Spaces in patterns: any white space, but for those with a quantifier or in a class."""

import re

import pytest

from ralph_cli.text.patterns import widen_spaces


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("base rent", "base\nrent", True),
        (r"Item 2\.? *Properties", "Item 2.Properties", True),
        ("e-? ?commerce", "ecommerce", True),
        ("e-? ?commerce", "e-\ncommerce", True),
        ("a {2}b", "a  b", True),
        ("a {2}b", "a b", False),
        ("[ -]x", "-x", True),
        ("[^ ]x", " x", False),
        (r"a\ b", "a b", True),
    ],
)
def test_spaces_keep_what_they_mean(pattern: str, text: str, matches: bool) -> None:
    assert (re.search(widen_spaces(pattern), text) is not None) is matches
