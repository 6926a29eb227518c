"""Tracks which parts of a document were read: the spans shown to a model or used by code, by page."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

Spans = tuple[tuple[int, int], ...]  # half-open intervals of a document's text, in order and not touching

_SUMMARY = r"summar(?:y|ies|i[sz]e[sd]?|i[sz]ing)|overview"
_ASKS_FOR_LIST = re.compile(rf"(?i)\b(?:every|each|lists?|enumerate|complete|(?P<summary>{_SUMMARY}))\b")
# In a question "each" and "every" seldom ask for a list: "What is the rent each year?".
_QUESTION_FOR_LIST = re.compile(rf"(?i)\b(?:lists?|enumerate|{_SUMMARY})\b")

_ASKS_FOR_WHOLE = re.compile(r"(?i)\b(?:all|whole|entire|everything)\b")


def merge_spans(*groups: Iterable[tuple[int, int]]) -> Spans:
    """Return these intervals as spans: sorted, without empty ones, and with touching or overlapping ones merged."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(span for group in groups for span in group):
        if start >= end:
            continue
        if found and start <= found[-1][1]:
            if end > found[-1][1]:
                found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return tuple(found)


def count_covered(spans: Spans, start: int, end: int) -> int:
    """Return how many characters of [start, end) are in the spans."""
    count = 0
    for low, high in spans[max(bisect_right(spans, (start, start)) - 1, 0) :]:
        if low >= end:
            break
        count += max(min(high, end) - max(low, start), 0)
    return count


def uncovered_spans(spans: Spans, characters: int) -> Spans:
    """Return the parts of a text with this number of characters that are in none of the spans."""
    edges = [0, *(edge for span in spans for edge in span), characters]
    return tuple((low, high) for low, high in zip(edges[::2], edges[1::2], strict=True) if low < high)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The fold of `CoverageAdded` events: the text shown to any model, and the text that code reports to have used."""

    shown: Spans = ()
    code: Spans = ()

    def with_spans(self, how: Literal["code", "shown"], spans: Spans) -> "Coverage":
        """Return the coverage with the spans of one event added."""
        if how == "shown":
            return Coverage(merge_spans(self.shown, spans), self.code)
        return Coverage(self.shown, merge_spans(self.code, spans))

    def __bool__(self) -> bool:
        return bool(self.shown or self.code)


@dataclass(frozen=True, slots=True)
class LostSubquery:
    """A sub-query without an answer: the reason, and the spans of the document that it should have read."""

    reason: str
    spans: Spans


@dataclass(frozen=True, slots=True)
class SubqueryTally:
    """The count of a run's sub-queries.

    `asked` counts the different ones, `lost` are those without an answer, and `refused` counts those beyond the limit.
    """

    asked: int = 0
    lost: tuple[LostSubquery, ...] = ()
    refused: int = 0

    def unread(self, shown: Spans) -> tuple[LostSubquery, ...]:
        """Return the lost sub-queries whose part of the document no model was completely shown later, or that have no
        part.
        """
        return tuple(item for item in self.lost if not _holds(shown, item.spans))

    def lost_share(self, shown: Spans) -> float:
        """Return the share of sub-queries that are lost and unread."""
        return len(self.unread(shown)) / self.asked if self.asked else 0.0


def _holds(shown: Spans, part: Spans) -> bool:
    return bool(part) and all(count_covered(shown, start, end) == end - start for start, end in part)


@dataclass(frozen=True, slots=True)
class PageCoverage:
    """The shares of one page's characters that a model was shown and that code used, from 0 to 1.

    Both are 1 for a page without text (`has_text` is false), which counts neither as read nor as unread.
    """

    number: int
    shown: float
    code: float
    has_text: bool = True


@dataclass(frozen=True, slots=True)
class CoverageMap:
    """Coverage by page. `shown` and `code` are shares of the whole text; `unread` are the spans that no model was
    shown.

    A document without pages counts as one page, so only `unread` says which parts of it are missing.
    """

    pages: tuple[PageCoverage, ...]
    shown: float
    code: float
    unread: Spans

    @property
    def unread_pages(self) -> tuple[int, ...]:
        """The pages of which no model was shown any text."""
        return tuple(page.number for page in self.pages if not page.shown)

    @property
    def shown_pages(self) -> tuple[int, ...]:
        """The pages of which a model was shown some text."""
        return tuple(page.number for page in self.pages if page.shown and page.has_text)

    @property
    def code_pages(self) -> tuple[int, ...]:
        """The pages of which code used some text."""
        return tuple(page.number for page in self.pages if page.code and page.has_text)


def coverage_map(coverage: Coverage, starts: Sequence[int], characters: int) -> CoverageMap:
    """Return the coverage of a text with this number of characters whose pages begin at `starts`.

    Page breaks are not counted. A page without characters has nothing to read.
    """
    bounds = [(start, end - 1) for start, end in pairwise(starts)]
    bounds.append((starts[-1], characters))
    pages, total, counts = [], 0, [0, 0]
    for number, (start, end) in enumerate(bounds, 1):
        size = end - start
        found = [count_covered(spans, start, end) for spans in (coverage.shown, coverage.code)]
        total, counts = total + size, [a + b for a, b in zip(counts, found, strict=True)]
        shown, code = [count / size for count in found] if size > 0 else [1.0, 1.0]
        pages.append(PageCoverage(number, shown, code, size > 0))
    whole = [count / total for count in counts] if total else [1.0, 1.0]
    return CoverageMap(tuple(pages), whole[0], whole[1], uncovered_spans(coverage.shown, characters))


def number_ranges(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return consecutive numbers as ranges (first, last). `numbers` are in ascending order."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return tuple(runs)


def format_ranges(numbers: Iterable[int], limit: int = 12) -> str:
    """Return numbers as readable ranges, such as "1-3, 7, 9-12". Beyond `limit` ranges, only the count is given."""
    runs = number_ranges(numbers)
    parts = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:limit]]
    left = sum(last - first + 1 for first, last in runs[limit:])
    return ", ".join(parts) + (f" and {left} more" if left else "")


def asks_for_all(text: str, *, question: bool = False) -> bool:
    """Whether a task asks for all items of a kind or for a summary, so that unread text may lead to omissions.

    In a question, a plain "all" seldom does: one sentence answers "Did it keep all its covenants?".
    """
    if question:
        return bool(_QUESTION_FOR_LIST.search(text))
    return bool(_ASKS_FOR_LIST.search(text) or _ASKS_FOR_WHOLE.search(text))


def asks_for_summary(text: str) -> bool:
    """Whether a task asks for a summary of the whole and not for a list, so that the worker must select what
    matters.
    """
    found = list(_ASKS_FOR_LIST.finditer(text))
    return bool(found) and all(match["summary"] for match in found) and not _ASKS_FOR_WHOLE.search(text)
