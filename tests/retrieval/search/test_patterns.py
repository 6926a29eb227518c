"""Expressions of a model are counted within bounds, whatever they are."""

import time

import pytest

from ralph_cli.retrieval.search.patterns import MAX_PLACES, count_patterns

pytestmark = pytest.mark.own_process

TEXT = "The base\nrent is $48,000. The annual rent rises.\n" + "a" * 3_000 + "!"


def test_expressions_are_counted_as_find_counts_them() -> None:
    base, either, none = count_patterns(["base rent", "(annual|monthly) RENT", "deposit"], TEXT)
    assert (base.count, either.count, none.count) == (1, 1, 0)
    assert TEXT[slice(*base.places[0])] == "base\nrent" and none.places == () and not base.fault


def test_one_that_takes_for_ever_is_not_counted_and_the_others_are() -> None:
    begun = time.monotonic()
    before, endless, after = count_patterns(["rent", "(a+)+$x|(a|aa)+$", "annual"], TEXT)
    assert (before.count, after.count) == (2, 1)
    assert endless.count is None and "longer than" in endless.fault
    assert time.monotonic() - begun < 15


def test_what_is_no_expression_says_why() -> None:
    broken, huge, fine = count_patterns(["rent(", "(?:a{60000}){60000}", "rent"], TEXT)
    assert broken.count is None and "not counted" in broken.fault
    assert huge.count is None or huge.count == 0
    assert fine.count == 2


def test_empty_matches_are_none_and_places_are_bounded() -> None:
    nothing, inside = count_patterns(["x*", "a"], TEXT)
    assert nothing.count == 0 and nothing.places == ()
    assert inside.count == 2 and inside.anywhere == TEXT.count("a")
    (many,) = count_patterns(["a"], "a " * (MAX_PLACES + 1))
    assert many.count == MAX_PLACES + 1 and len(many.places) == MAX_PLACES
    assert count_patterns([], TEXT) == ()
    assert count_patterns(["\ud800", "é"], "é\ud800")[1].count == 1
