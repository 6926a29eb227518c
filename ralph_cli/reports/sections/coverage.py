"""What was read of the document, in words and as values: by page, with what was never read named."""

from typing import Any

from ralph_cli.core.coverage import CoverageMap, asks_for_all, format_ranges, number_ranges
from ralph_cli.reports.view import RunView


def coverage_line(view: RunView) -> tuple[str, str] | None:
    """One sentence and its style: a warning where what was not read may be missed, else quiet; None if not recorded."""
    coverage = view.coverage
    if coverage is None:
        return None
    if coverage.shown >= 1 or not coverage.unread:
        return "Read: the whole text.", "dim"
    share = f"{percent(coverage.shown)} of the text"
    matters = unread_matters(view) and not any(proof.holds for proof in view.completeness)
    if len(coverage.pages) < 2:
        if matters:
            return f"Only {share} was read; what stands elsewhere may be missed.", "yellow"
        return f"Read: {share}.", "dim"
    read = f"{len(coverage.shown_pages)} of {len(coverage.pages)} pages, {share}"
    if matters and coverage.unread_pages:
        return f"Never read: {describe_pages(coverage.unread_pages)} (read, at least in part: {read}).", "yellow"
    never = f"; never read: {describe_pages(coverage.unread_pages, 4)}" if coverage.unread_pages else ""
    return f"Read, at least in part: {read}{never}.", "yellow" if matters else "dim"


def completeness_lines(view: RunView) -> list[tuple[str, str]]:
    """What shows that nothing is missing, where the task asks for all of something, each line with its style."""
    if not unread_matters(view) or view.mode != "task" or view.absence is not None:
        return []
    held = [proof for proof in view.completeness if proof.holds]
    if held:
        return [(f"Complete, as far as code can tell: {proof.message}.", "dim") for proof in held]
    told = "; ".join(proof.message for proof in view.completeness) or "nothing was handed in that shows it"
    return [(f"Whether something is missing was not shown: {told}.", "yellow")]


def unreadable_line(view: RunView) -> str:
    """What an absence says nothing about: pages of which no text, or not all of it, could be read; "" if none."""
    numbers = tuple(view.document.get("unreadable", ()))
    if not numbers:
        return ""
    return f"Not searched, or not all of it (damaged, a picture, or letters without a name): {describe_pages(numbers)}."


def unread_matters(view: RunView) -> bool:
    """Whether something may be missed in what was not read: an absence, and whatever asks for all of a kind."""
    return view.absence is not None or asks_for_all(view.question, question=view.mode == "qa")


def describe_pages(numbers: tuple[int, ...], most: int = 12) -> str:
    """Page numbers with their noun."""
    return f"page{'' if len(numbers) == 1 else 's'} {format_ranges(numbers, most)}"


def as_object(coverage: CoverageMap | None) -> dict[str, Any] | None:
    """The `coverage` of `--json`; None when it was not recorded.

    `shown` and `code` are the shares of the text that a model was shown, and that code says it went through.
    `pages` has runs [first, last] of page numbers: those of which something was `shown`, those that `code`
    went through, those `unread`, and each page's shares in `each` as [shown, code]; null in a text without pages.
    `unread` has the half-open character intervals that no model was shown.
    """
    if coverage is None:
        return None
    return {
        "shown": round(coverage.shown, 4),
        "code": round(coverage.code, 4),
        "pages": by_page(coverage),
        "unread": [list(span) for span in coverage.unread],
    }


def by_page(coverage: CoverageMap | None) -> dict[str, Any] | None:
    """The `pages` of that object; None without pages, too."""
    if coverage is None or len(coverage.pages) < 2:
        return None
    return {
        "shown": [list(run) for run in number_ranges(coverage.shown_pages)],
        "code": [list(run) for run in number_ranges(coverage.code_pages)],
        "unread": [list(run) for run in number_ranges(coverage.unread_pages)],
        "each": [[round(page.shown, 3), round(page.code, 3)] for page in coverage.pages],
    }


def percent(share: float) -> str:
    """A share in whole percent: what is not all is never 100 %, and what is not nothing never 0 %."""
    whole = min(max(round(share * 100), 1), 99) if 0 < share < 1 else round(share * 100)
    return f"{whole} %"
