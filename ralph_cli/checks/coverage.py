"""Checks that enough of the document was read (`min_coverage`), and that enough sub-queries gave an answer.

Only text that a model was shown counts: a search does not read what it searches. Text that was sent to a model was not
necessarily read with care; `checks.completeness` has the proofs that nothing is missing.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ralph_cli.core.coverage import Coverage, Spans, SubqueryTally, coverage_map, format_ranges
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Evidence, Issue

NAME = "coverage"
LOST = "subqueries"
# The most characters that one sub-query reads.
SLICE_CHARS = 100_000

# The most runs of pages, or of characters, that an issue names.
MAX_RUNS_NAMED = 30


@dataclass(frozen=True, slots=True)
class CoverageCheck:
    """The check that a model was shown at least `share` of the document; `shown_spans` gives what it was shown."""

    document: Document
    share: float
    shown_spans: Callable[[], Spans]

    def __call__(self, attempt: Attempt) -> Evidence:
        starts = [page.start for page in self.document.pages]
        read_map = coverage_map(Coverage(self.shown_spans()), starts, len(self.document.text))
        if read_map.shown >= self.share:
            return Evidence(NAME)
        if self.document.paged:
            least = [page.number for page in read_map.pages if page.shown < 0.5]
            pages = least or [page.number for page in read_map.pages if page.shown < 1]
            where = f"pages {format_ranges(pages, MAX_RUNS_NAMED)} were read by no model, or hardly"
        else:
            runs = sorted(sorted(read_map.unread, key=lambda span: span[0] - span[1])[:MAX_RUNS_NAMED])
            where = "no model has read context" + ", ".join(f"[{start}:{end}]" for start, end in runs)
        message = (
            f"only {read_map.shown:.0%} of the document was read, and at least {self.share:.0%} must be: {where}; read "
            f"them, e.g. with llm_query_batch over slices of up to {SLICE_CHARS:,} characters, "
            "and hand in what they add"
        )
        return Evidence(NAME, (Issue(NAME, message),))


@dataclass(frozen=True, slots=True)
class SubqueryCheck:
    """The check that at most `most_lost` (a share) of the sub-queries gave no answer.

    A sub-query no longer counts if a model was shown its part of the document later, by asking again or by printing it.
    """

    most_lost: float
    tally: Callable[[], SubqueryTally]
    shown_spans: Callable[[], Spans]

    def __call__(self, attempt: Attempt) -> Evidence:
        """The evidence. It says nothing about the attempt itself, which may not know what it has missed."""
        tally, shown = self.tally(), self.shown_spans()
        if tally.lost_share(shown) <= self.most_lost:
            return Evidence(LOST)
        lost = tally.unread(shown)
        message = (
            f"{len(lost)} of {tally.asked} sub-queries gave no answer, so what they were to read was not read; ask "
            "them again, word for word, or print those parts and read them yourself, and hand in what they add"
        )
        return Evidence(LOST, (Issue(LOST, message, material=lost[0].reason),))
