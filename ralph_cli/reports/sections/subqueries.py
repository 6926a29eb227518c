"""Describes the sub-queries that a run lost, in words and as values."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ralph_cli.core.coverage import Spans, SubqueryTally, format_ranges, merge_spans
from ralph_cli.reports.safe_text import one_line
from ralph_cli.text.lexicon import pluralize

MAX_REASON_CHARS = 160


def describe_losses(tally: SubqueryTally, shown: Spans, starts: Sequence[int]) -> Iterator[str]:
    """A sentence on sub-queries without an answer, and one on those that were not asked; `starts` are where pages
    begin.

    The first names the pages that no model was shown since.
    """
    if tally.lost:
        reason, _ = Counter(item.reason for item in tally.lost).most_common(1)[0]
        some = "" if len({item.reason for item in tally.lost}) == 1 else "for one: "
        asked = pluralize(tally.asked, "sub-query", "sub-queries")
        told = f"{len(tally.lost)} of {asked} gave no answer ({some}{one_line(reason, MAX_REASON_CHARS)})"
        unread = tally.unread(shown)
        pages = _pages(merge_spans(*(item.spans for item in unread)), starts) if len(starts) > 1 else []
        if pages:
            told += f"; they were to read pages {format_ranges(pages)}, which no model has read in full"
        elif not unread:
            told += "; what they were to read was shown to a model in another way"
        yield f"{told}."
    if tally.refused:
        more = pluralize(tally.refused, "further sub-query was", "further sub-queries were")
        yield f"{more} not asked: their number was used up (--max-subqueries)."


def _pages(spans: Spans, starts: Sequence[int]) -> list[int]:
    """The numbers of the pages that contain the spans."""
    runs = (range(bisect_right(starts, start), bisect_right(starts, end - 1) + 1) for start, end in spans)
    return sorted({number for run in runs for number in run})


def as_object(tally: SubqueryTally, shown: Spans) -> dict[str, Any]:
    """The `subqueries` of `--json`: how many were asked, lost and refused, the reasons of the lost ones with their
    counts, and the character intervals of theirs that no model was shown since.
    """
    reasons = Counter(item.reason for item in tally.lost)
    unread = merge_spans(*(item.spans for item in tally.unread(shown)))
    return {
        "asked": tally.asked,
        "lost": len(tally.lost),
        "refused": tally.refused,
        "reasons": dict(reasons),
        "unread": [list(span) for span in unread],
    }
