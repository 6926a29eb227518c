"""Was enough of the document read: an answer that claims to be complete may not rest on a part of it."""

from collections.abc import Callable
from dataclasses import dataclass

from ralph_cli.core.coverage import Coverage, Spans, asks_for_all, coverage_map, format_ranges
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Evidence, Issue

NAME = "coverage"
BROAD_TASK_SHARE = 0.8
SLICE_CHARS = 100_000
"""Characters that one sub-query reads at most."""

MAX_RUNS_NAMED = 30
"""Runs of pages, or of characters, that the worker is told of."""


def share_to_read(requested: float | None, task: str, characters: int, subqueries: int) -> float:
    """The least share of a document that a model must have been shown; 0 demands nothing.

    What a person `requested` for holds for every task and question. Otherwise only a task that asks for everything of a
    kind, or for the whole in short (`asks_for_all`), has to read: four fifths. A look-up need not, and a fifth of many
    a long document is exhibits, indexes and signatures. Read in slices of 100,000 characters by the model of
    sub-queries, which is a cheap one, the 1.2 million characters of a 300-page filing are 10 calls and a quarter of a
    million tokens. Of a document so long that four fifths would take more than half of the `subqueries` of one attempt,
    that half is the measure; what is left unread is named in the report.

    Only what a model was shown counts. A search has not read what it went through: of "list every date" by a regular
    expression the lines that were printed count, and the pages around them do not, because a date in words is missed by
    every expression for figures, and only somebody who reads can tell.
    """
    if requested is not None:
        return requested
    if not asks_for_all(task):
        return 0.0
    return min(BROAD_TASK_SHARE, subqueries * SLICE_CHARS / 2 / max(characters, 1))


@dataclass(frozen=True, slots=True)
class CoverageCheck:
    """The check that a model was shown at least `share` of the document; `shown_spans` gives what was."""

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
