"""What was read, as it is told: quietly where the quotes were found, as a warning where something may be missed."""

from dataclasses import replace
from typing import Any

from test_reports import shown

from ralph_cli.core.coverage import Coverage, coverage_map
from ralph_cli.core.run import StopType
from ralph_cli.reports.json import as_object
from ralph_cli.reports.sections.coverage import coverage_line
from ralph_cli.reports.terminal import report_text
from ralph_cli.reports.view import RunView

STARTS = tuple(range(0, 1_000, 100))


def seen(*spans: tuple[int, int], starts: tuple[int, ...] = STARTS, **changes: Any) -> RunView:
    told = coverage_map(Coverage(spans, ((0, 500),)), starts, 999)
    return replace(shown(StopType.COMPLETION), coverage=told, **changes)


def test_a_look_up_that_found_its_quotes_says_it_quietly() -> None:
    line = coverage_line(seen((0, 150)))
    assert line == ("Read, at least in part: 2 of 10 pages, 15 % of the text; never read: pages 3-10.", "dim")
    assert line[0] in report_text(seen((0, 150)))


def test_what_was_searched_is_no_lack_of_an_answer_that_was_found() -> None:
    line = coverage_line(seen((0, 150), is_searched=True))
    told = "Read, at least in part: 2 of 10 pages, 15 % of the text; all of it was searched by code."
    assert line == (told, "dim")
    line = coverage_line(seen((0, 150), is_searched=True, absence="nothing"))
    assert line is not None and line[0].startswith("Searched by code, but never read: pages 3-10 (read") and line[1]
    assert coverage_line(seen((0, 500), starts=(0,), is_searched=True, absence="x")) == (
        "Only 50 % of the text was read; all of it was searched by code; "
        "content elsewhere in other words may be missed.",
        "yellow",
    )


def test_a_page_without_text_is_neither_read_nor_unread() -> None:
    told = coverage_map(Coverage(((0, 99),), ()), (0, 100, 101, 102), 202)
    assert [page.has_text for page in told.pages] == [True, False, False, True]
    assert told.shown_pages == (1,) and told.unread_pages == (4,)
    line = coverage_line(replace(shown(StopType.COMPLETION), coverage=told))
    assert line is not None and "1 of 2 pages" in line[0] and "never read: page 4" in line[0]


def test_an_absence_warns() -> None:
    line = coverage_line(seen((0, 150), (600, 650), absence="nothing"))
    assert line == ("Never read: pages 3-6, 8-10 (read, at least in part: 3 of 10 pages, 20 % of the text).", "yellow")


def test_a_list_of_all_warns_as_a_task_and_as_a_question() -> None:
    for mode in ("qa", "task"):
        line = coverage_line(seen((0, 899), question="List every deadline", mode=mode))
        assert line is not None and line[0].startswith("Never read: page 10 (") and line[1] == "yellow"


def test_a_page_read_in_part_is_not_called_unread_but_the_share_is_told() -> None:
    line = coverage_line(seen(*((at, at + 50) for at in STARTS), absence="nothing"))
    assert line == ("Read, at least in part: 10 of 10 pages, 51 % of the text.", "yellow")


def test_nearly_all_is_not_all() -> None:
    assert coverage_line(seen((0, 998))) == ("Read, at least in part: 10 of 10 pages, 99 % of the text.", "dim")
    assert coverage_line(seen((0, 999), absence="x")) == ("Read: the whole text.", "dim")


def test_a_text_without_pages_has_a_share_only() -> None:
    assert coverage_line(seen((0, 500), starts=(0,))) == ("Read: 50 % of the text.", "dim")
    line = coverage_line(seen((0, 500), starts=(0,), absence="x"))
    assert line == ("Only 50 % of the text was read; content elsewhere may be missed.", "yellow")
    assert as_object(seen((0, 500), starts=(0,)))["coverage"]["pages"] is None


def test_the_object_has_shares_and_runs_of_pages() -> None:
    told = as_object(seen((0, 150), (900, 950)))["coverage"]
    assert told["shown"] == round(199 / 990, 4) and told["code"] == round(495 / 990, 4)
    assert told["pages"]["shown"] == [[1, 2], [10, 10]] and told["pages"]["unread"] == [[3, 9]]
    assert told["pages"]["code"] == [[1, 5]] and told["pages"]["each"][0] == [1.0, 1.0]
    assert told["unread"] == [[150, 900], [950, 999]]


def test_a_run_that_recorded_nothing_says_nothing() -> None:
    told = shown(StopType.COMPLETION)
    assert told.coverage is None and as_object(told)["coverage"] is None and "read" not in report_text(told).lower()
