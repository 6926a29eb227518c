"""Describes what was read of the document, by page, and names what was never read."""

from typing import Any

from ralph_cli.core.coverage import CoverageMap, asks_for_all, number_ranges
from ralph_cli.reports.sections.documents import Record, describe_pages, shares_read
from ralph_cli.reports.view import RunView

# Runs of pages, or documents, that a line names at most.
MOST_RUNS = 12


def coverage_line(view: RunView) -> tuple[str, str] | None:
    """One sentence and its style: a warning if something may be missed in unread text; None if nothing was recorded."""
    coverage = view.coverage
    if coverage is None:
        return None
    if coverage.shown >= 1 or not coverage.unread:
        return "Read: the whole text.", "dim"
    share = f"{percent(coverage.shown)} of the text"
    matters = unread_matters(view) and not any(proof.holds for proof in view.completeness)
    if shares := list(shares_read(view.document, coverage)):
        return _set_line(shares, share, matters=matters)
    searched = "; all of it was searched by code" * view.is_searched
    if len(coverage.pages) < 2:
        if matters:
            elsewhere = "elsewhere in other words" if view.is_searched else "elsewhere"
            return f"Only {share} was read{searched}; content {elsewhere} may be missed.", "yellow"
        return f"Read: {share}{searched}.", "dim"
    read = f"{len(coverage.shown_pages)} of {sum(page.has_text for page in coverage.pages)} pages, {share}"
    if matters and coverage.unread_pages:
        pages = describe_pages(coverage.unread_pages, MOST_RUNS, view.document)
        never = "Searched by code, but never read" if view.is_searched else "Never read"
        return f"{never}: {pages} (read, at least in part: {read}).", "yellow"
    # If code searched all of the text, an answer that was found lacks nothing.
    if coverage.unread_pages and not view.is_searched:
        searched = f"; never read: {describe_pages(coverage.unread_pages, 4, view.document)}"
    return f"Read, at least in part: {read}{searched}.", "yellow" if matters else "dim"


def _set_line(shares: list[tuple[Record, float]], share: str, *, matters: bool) -> tuple[str, str]:
    """The sentence for a set: how many of its documents were read, at least in part, and which were not."""
    unread = [str(entry.get("name")) for entry, shown in shares if not shown]
    read = f"{len(shares) - len(unread)} of {len(shares)} documents, {share}"
    most = MOST_RUNS if matters else 4
    names = ", ".join(unread[:most]) + (f" and {len(unread) - most} more" if len(unread) > most else "")
    if matters and unread:
        return f"Never read: {names} (read, at least in part: {read}).", "yellow"
    never = f"; never read: {names}" if unread else ""
    return f"Read, at least in part: {read}{never}.", "yellow" if matters else "dim"


def completeness_lines(view: RunView) -> list[tuple[str, str]]:
    """The proof that a list is complete, or that there is none, if the task asks for all of something; with styles."""
    if not unread_matters(view) or view.mode != "task" or view.absence is not None:
        return []
    held = [proof for proof in view.completeness if proof.holds]
    if held:
        return [(f"Complete, as far as code can tell: {proof.message}.", "dim") for proof in held]
    told = "; ".join(proof.message for proof in view.completeness) or "nothing was handed in that shows it"
    return [(f"Whether something is missing was not shown: {told}.", "yellow")]


def unreadable_line(view: RunView) -> str:
    """The pages that an absence does not cover, because they could not be read in full; "" if there are none."""
    numbers, skipped = tuple(view.document.get("unreadable", ())), view.document.get("skipped", [])
    files = f"Not searched: {'; '.join(map(str, skipped[:MOST_RUNS]))}." if skipped else ""
    files += f" And {len(skipped) - MOST_RUNS} more." if len(skipped) > MOST_RUNS else ""
    if not numbers:
        return files
    pages = describe_pages(numbers, MOST_RUNS, view.document)
    return f"Not searched, or not all of it (damaged, a picture, or letters without a name): {pages}. {files}".rstrip()


def unread_matters(view: RunView) -> bool:
    """Whether unread text may hide something: after an absence, or if the task asks for all of a kind."""
    return view.absence is not None or asks_for_all(view.question, question=view.mode == "qa")


def as_object(coverage: CoverageMap | None, record: Record) -> dict[str, Any] | None:
    """The `coverage` of `--json`; None if it was not recorded.

    `shown` and `code` are the shares of the text that a model was shown and that code processed. `pages` has runs
    [first, last] of page numbers: of pages partly `shown`, of those that `code` processed, of those `unread`, and in
    `each` the shares of each page as [shown, code]; null in a text without pages. `unread` has the half-open character
    intervals that no model was shown. In a set `documents` has the share of each that was shown.
    """
    if coverage is None:
        return None
    shares = [{"name": entry.get("name"), "shown": round(share, 4)} for entry, share in shares_read(record, coverage)]
    return ({"documents": shares} if shares else {}) | {
        "shown": round(coverage.shown, 4),
        "code": round(coverage.code, 4),
        "pages": by_page(coverage),
        "unread": [list(span) for span in coverage.unread],
    }


def by_page(coverage: CoverageMap | None) -> dict[str, Any] | None:
    """The `pages` of that object; None without pages."""
    if coverage is None or len(coverage.pages) < 2:
        return None
    return {
        "shown": [list(run) for run in number_ranges(coverage.shown_pages)],
        "code": [list(run) for run in number_ranges(coverage.code_pages)],
        "unread": [list(run) for run in number_ranges(coverage.unread_pages)],
        "each": [[round(page.shown, 3), round(page.code, 3)] for page in coverage.pages],
    }


def percent(share: float) -> str:
    """A share in whole percent, rounded so that only all is 100 % and only nothing is 0 %."""
    whole = min(max(round(share * 100), 1), 99) if 0 < share < 1 else round(share * 100)
    return f"{whole} %"
