"""Describes the evidence of an absence: searches, pages read, and the passages nearest to the question."""

import re

from ralph_cli.core.run import Search
from ralph_cli.reports.sections.coverage import percent
from ralph_cli.reports.sections.documents import describe_pages
from ralph_cli.reports.view import RunView

SEARCHED = "Searched, with the number of places counted in the text"
NEAREST = "The passages that hold most of the question's words (nothing says that they answer it)"

_WORDS = re.compile(r"[\w ,'\u2019%-]+")


def describe_term(search: Search) -> str:
    """A search in words: its term, whether that begins words or is a pattern, and whether only code named it."""
    is_words = _WORDS.fullmatch(search.words) is not None and not search.fault
    kind = " (as a pattern)" if search.pattern and not is_words else ""
    where = f", in {search.within} only" if search.within else ""
    return f"{search.words}{'…' if search.stem else ''}{kind}{'' if search.by == 'worker' else ', in its code'}{where}"


def describe_hits(search: Search) -> str:
    """The number of places found, or why they were not counted."""
    return (search.fault or "not counted") if search.hits is None else str(search.hits)


def describe_pages_read(view: RunView) -> str:
    """The pages of which a model was shown something, in words; for a text without pages the share."""
    coverage = view.coverage
    if coverage is None:
        return "What of the document was read was not recorded."
    if coverage.shown >= 1 or not coverage.unread:
        return "Read: the whole text."
    share = f"{percent(coverage.shown)} of the text"
    if len(coverage.pages) < 2:
        return f"Read: {share}."
    if not coverage.shown_pages:
        return "Pages read: none."
    pages = describe_pages(coverage.shown_pages, len(coverage.pages), view.document)
    return f"Pages read, at least in part: {pages.removeprefix('pages ').removeprefix('page ')} ({share})."
