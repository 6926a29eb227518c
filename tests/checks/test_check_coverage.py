"""Whether enough was read: which tasks must, how much, and what a reader is told that has not."""

import pytest
from fakes import document

from ralph_cli.checks.coverage import BROAD_TASK_SHARE, CoverageCheck, share_to_read
from ralph_cli.core.coverage import Spans
from ralph_cli.core.run import Attempt

PAGES = document("\f".join("x" * 99 for _ in range(10)))  # page n is [100 n - 100, 100 n - 1)
PLAIN = document("x" * 1_000)


def told(share: float, *shown: tuple[int, int], about: object = PAGES) -> str:
    spans: Spans = shown
    evidence = CoverageCheck(about, share, lambda: spans)(Attempt())  # type: ignore[arg-type]
    assert evidence.check == "coverage" and evidence.passed is not bool(evidence.issues)
    return evidence.issues[0].message if evidence.issues else ""


def test_enough_is_enough() -> None:
    assert told(0.5, (0, 500)) == told(1.0, (0, 999)) == told(0.0) == ""
    assert told(1.0, *((page.start, page.end) for page in PAGES.pages)) == ""  # the breaks need not be read


def test_too_little_names_the_pages_to_read_and_how() -> None:
    message = told(0.8, (0, 200), (400, 430), (500, 599))
    assert "only 33% of the document was read, and at least 80% must be" in message
    assert "pages 3-5, 7-10 were read by no model" in message and "llm_query_batch" in message


def test_pages_read_in_part_are_named_when_no_others_are_left() -> None:
    assert "pages 2, 4" in told(1.0, (0, 160), (200, 360), (400, 999))


def test_of_a_text_without_pages_the_characters_are_named() -> None:
    assert "context[100:400], [900:1000]" in told(0.8, (0, 100), (400, 900), about=PLAIN)


@pytest.mark.parametrize(
    ("asked", "task", "characters", "share"),
    [
        (None, "List every deadline", 1_200_000, BROAD_TASK_SHARE),
        (None, "Summarize it", 30_000_000, 0.1),  # half of 60 sub-queries read 3 million characters
        (None, "Draft a reminder of the rent", 1_200_000, 0.0),
        (0.0, "List every deadline", 1_200_000, 0.0),
        (0.95, "Draft a reminder of the rent", 30_000_000, 0.95),
        (None, "List every deadline", 0, BROAD_TASK_SHARE),
    ],
)
def test_how_much_must_be_read(asked: float | None, task: str, characters: int, share: float) -> None:
    assert share_to_read(asked, task, characters, subqueries=60) == share


def test_without_subqueries_nothing_is_demanded_unasked() -> None:
    assert share_to_read(None, "List every deadline", 1_200_000, subqueries=0) == 0
