"""What of a document was read, as a fold of events and page by page."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.coverage import (
    Coverage,
    asks_for_all,
    count_covered,
    coverage_map,
    format_ranges,
    merge_spans,
    uncovered_spans,
)
from ralph_cli.core.events import CoverageAdded
from ralph_cli.loop.state import fold

spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=8)


@given(spans, spans)
def test_merged_spans_are_the_characters_of_both_in_order_and_apart(one: list, other: list) -> None:
    found = merge_spans(one, other)
    wanted = {n for start, end in (*one, *other) for n in range(start, end)}
    assert {n for start, end in found for n in range(start, end)} == wanted
    assert all(start < end for start, end in found)
    assert all(earlier[1] < later[0] for earlier, later in pairwise(found))


@given(spans, st.integers(0, 60), st.integers(0, 60))
def test_characters_are_counted_within_bounds(some: list, start: int, end: int) -> None:
    wanted = {n for a, b in some for n in range(a, b)} & set(range(start, end))
    assert count_covered(merge_spans(some), start, end) == len(wanted)


@given(spans)
def test_gaps_are_the_rest(some: list) -> None:
    inside = {n for a, b in some for n in range(a, b)}
    outside = {n for a, b in uncovered_spans(merge_spans(some), 60) for n in range(a, b)}
    assert inside | outside == set(range(60)) and not inside & outside


def test_the_fold_of_events_keeps_what_was_shown_apart_from_what_code_took() -> None:
    state = fold(
        [
            CoverageAdded(1, "shown", ((0, 10),)),
            CoverageAdded(1, "code", ((0, 100),)),
            CoverageAdded(2, "shown", ((5, 20),)),
        ]
    )
    assert state.coverage == Coverage(((0, 20),), ((0, 100),))
    assert not fold([]).coverage


def test_each_page_has_its_shares_and_the_break_between_two_counts_nothing() -> None:
    # Pages of 10, 10, 0 and 20 characters.
    told = coverage_map(Coverage(((0, 10), (11, 16)), ((0, 43),)), (0, 11, 22, 23), 43)
    assert [(page.number, page.shown, page.code) for page in told.pages] == [
        (1, 1.0, 1.0),
        (2, 0.5, 1.0),
        (3, 1.0, 1.0),
        (4, 0.0, 1.0),
    ]
    assert told.shown == 15 / 40 and told.code == 1.0
    assert told.unread_pages == (4,) and told.shown_pages == (1, 2) and told.code_pages == (1, 2, 4)
    assert told.unread == ((10, 11), (16, 43))


def test_what_was_never_read_is_never_nought_of_nothing() -> None:
    assert coverage_map(Coverage(), (0,), 0).shown == 1.0
    assert coverage_map(Coverage(), (0,), 5).unread_pages == (1,)


def test_pages_are_named_as_a_person_names_them() -> None:
    assert format_ranges((1, 2, 3, 7, 9, 10)) == "1-3, 7, 9-10"
    assert format_ranges(range(1, 60, 2), limit=2) == "1, 3 and 28 more"
    assert format_ranges(()) == ""


@pytest.mark.parametrize(
    ("text", "task", "question"),
    [
        ("List every deadline with the party that owes it", True, True),
        ("Summarize the termination rights", True, True),
        ("Give me all amounts", True, False),
        ("What was capital expenditure in FY2018?", False, False),
        ("Did Velmoor comply with all its loan covenants?", True, False),
        ("Is it a listed company?", False, False),
    ],
)
def test_a_task_that_asks_for_everything_is_told_from_a_look_up(text: str, task: bool, question: bool) -> None:
    assert asks_for_all(text) is task and asks_for_all(text, question=True) is question
