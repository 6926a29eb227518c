"""Page references as memos write them."""

import pytest
from fakes import document

from ralph_cli.core.structure import Page
from ralph_cli.memo.reading.page_references import (
    find_references,
    is_in_document,
    page_match,
    parse_page_cell,
    reference_behind,
)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("(p. 12)", [("12", "12")]),
        ("[p 12]", [("12", "12")]),
        ("(p12)", [("12", "12")]),
        ("Page 12 says", [("12", "12")]),
        ("on PAGE 12.", [("12", "12")]),
        ("pg. 12", [("12", "12")]),
        ("pp. 12-13", [("12", "13")]),
        ("pp 12\u201313", [("12", "13")]),
        ("pages 12 to 14", [("12", "14")]),
        ("pages 12 and 14", [("12", "12"), ("14", "14")]),
        ("pp. 3, 12-13 & 20", [("3", "3"), ("12", "13"), ("20", "20")]),
        ("pp. 112-13", [("112", "113")]),
        ("page iv", [("iv", "iv")]),
        ("p. F-12", [("F-12", "F-12")]),
        ("pp. F-12 to F-14", [("F-12", "F-14")]),
        ("page F-12-F-14", [("F-12", "F-14")]),
        ("(at 12)", [("12", "12")]),
        ("[Ex. A at 12]", [("12", "12")]),
        ("(Agreement, at 12-13)", [("12", "13")]),
        ("Id. at 57.", [("57", "57")]),
        ("p. 44f.", [("44", "45")]),
        ("pp. 44ff.", [("44", "49")]),
        ("p. F-4 et seq.", [("F-4", "F-9")]),
        ("page 12, and 45 days later", [("12", "12")]),
    ],
)
def test_pages_that_are_named(text: str, ranges: list[tuple[str, str]]) -> None:
    (one,) = find_references(text)
    assert list(one.ranges) == ranges


@pytest.mark.parametrize(
    "text",
    [
        *("12 pages", "a page I read", "page civil", "arrived at 12", "(at 12 noon)"),
        *("p. 1.5", "page 10-K", "at 12%", "top 12", "page in"),
    ],
)
def test_what_names_no_page(text: str) -> None:
    assert list(find_references(text)) == []


def test_a_bare_at_counts_only_right_behind_a_quotation() -> None:
    text = '"quoted" at 12. More'
    found = reference_behind(text, 8)
    assert found is not None and found.ranges == (("12", "12"),) and found.text == "12"
    for other in ('"quoted" at 12 per cent', '"quoted" at 12.5 a share', '"quoted" is at 12.'):
        assert reference_behind(other, 8) is None
    cell = parse_page_cell(" 12-13 ")
    assert cell is not None and cell.ranges == (("12", "13"),)
    assert parse_page_cell("12 days") is None


def test_number_and_printed_label_both_count_and_are_told_apart() -> None:
    (twelve,) = find_references("p. 12")
    assert page_match(twelve, Page(12, "12", 0, 1)) == "both"
    assert page_match(twelve, Page(12, "8", 0, 1)) == "number"
    assert page_match(twelve, Page(16, "12", 0, 1)) == "label"
    assert page_match(twelve, Page(16, "F-12", 0, 1)) is None
    (several,) = find_references("pp. F-3 to F-5")
    assert page_match(several, Page(70, "F-4", 0, 1)) == "label" and page_match(several, Page(4, "4", 0, 1)) is None
    (roman,) = find_references("pp. ii-ix")
    assert page_match(roman, Page(4, "iv", 0, 1)) == "label" and page_match(roman, Page(4, "xi", 0, 1)) is None


def test_a_page_past_the_last_does_not_exist() -> None:
    three = document("one\ftwo\fthree")
    (inside, outside, over) = find_references("p. 3, p. 4, pp. 2-9")
    assert all(is_in_document(one, three) for one in find_references("p. 3f., pp. 2 ff."))
    assert is_in_document(inside, three) and not is_in_document(outside, three) and not is_in_document(over, three)
