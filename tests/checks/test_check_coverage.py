"""Whether as much was read as a person demands, and what a reader is told that has not."""

from fakes import document

from ralph_cli.checks.coverage import CoverageCheck
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
