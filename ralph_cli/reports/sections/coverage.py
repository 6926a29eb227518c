"""What was read of the document, in words and as values: by page, with what was never read named."""

from typing import Any

from ralph_cli.core.coverage import CoverageMap, asks_for_all, in_words, ranges
from ralph_cli.reports.view import RunView


def coverage_line(view: RunView) -> tuple[str, str] | None:
    """One sentence and its style: a warning where what was not read may be missed, else quiet; None if not recorded."""
    told = view.coverage
    if told is None:
        return None
    if told.shown >= 1 or not told.unread:
        return "Read: the whole text.", "dim"
    share = f"{percent(told.shown)} of the text"
    matters = unread_matters(view)
    if len(told.pages) < 2:
        return (f"Only {share} was read; what stands elsewhere may be missed.", "yellow") if matters else (
            f"Read: {share}.", "dim",
        )  # fmt: skip
    read = f"{len(told.read)} of {len(told.pages)} pages, {share}"
    if matters and told.never:
        return f"Never read: {pages(told.never)} (read, at least in part: {read}).", "yellow"
    never = f"; never read: {pages(told.never, 4)}" if told.never else ""
    return f"Read, at least in part: {read}{never}.", "yellow" if matters else "dim"


def unreadable_line(view: RunView) -> str:
    """What an absence says nothing about: pages of which no text, or not all of it, could be read; "" if none."""
    numbers = tuple(view.document.get("unreadable", ()))
    return f"Not searched, or not all of it (damaged, a picture, or blank): {pages(numbers)}." if numbers else ""


def unread_matters(view: RunView) -> bool:
    """Whether something may be missed in what was not read: an absence, and whatever asks for all of a kind."""
    return view.absence is not None or asks_for_all(view.question, question=view.mode == "qa")


def pages(numbers: tuple[int, ...], most: int = 12) -> str:
    """Page numbers with their noun."""
    return f"page{'' if len(numbers) == 1 else 's'} {in_words(numbers, most)}"


def as_object(told: CoverageMap | None) -> dict[str, Any] | None:
    """The `coverage` of `--json`; None when it was not recorded.

    `shown` and `code` are the shares of the text that a model was shown, and that code says it went through. `pages`
    has runs [first, last] of page numbers: those of which something was `shown`, those that `code` went through, those
    `unread`, and each page's shares in `each` as [shown, code]; null in a text without pages. `unread` has the
    half-open character intervals that no model was shown.
    """
    if told is None:
        return None
    by_page = {
        "shown": [list(run) for run in ranges(told.read)],
        "code": [list(run) for run in ranges(told.by_code)],
        "unread": [list(run) for run in ranges(told.never)],
        "each": [[round(page.shown, 3), round(page.code, 3)] for page in told.pages],
    }
    return {
        "shown": round(told.shown, 4),
        "code": round(told.code, 4),
        "pages": by_page if len(told.pages) > 1 else None,
        "unread": [list(span) for span in told.unread],
    }


def percent(share: float) -> str:
    """A share in whole percent: what is not all is never 100 %, and what is not nothing never 0 %."""
    whole = min(max(round(share * 100), 1), 99) if 0 < share < 1 else round(share * 100)
    return f"{whole} %"
