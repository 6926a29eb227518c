"""Tracks which parts of a document a run has read, and which sub-queries failed, and reports changes as events."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ralph_cli.core.coverage import Coverage, LostSubquery, Spans, SubqueryTally, merge_spans
from ralph_cli.core.document import Document
from ralph_cli.core.events import CoverageAdded, EventSink, SubqueriesAsked
from ralph_cli.rlm.shown import MIN_PIECE_CHARS, ShownTextFinder, find_in


@dataclass(slots=True)
class CoverageTracker:
    """The coverage of one document so far. Reading that adds nothing to it makes no event."""

    document: Document
    sink: EventSink
    coverage: Coverage = field(default_factory=Coverage)
    subqueries: SubqueryTally = field(default_factory=SubqueryTally)
    _earlier: SubqueryTally = field(default_factory=SubqueryTally)
    _answered: dict[tuple[str, str], LostSubquery | None] = field(default_factory=dict)
    _finder: ShownTextFinder = field(init=False)

    def __post_init__(self) -> None:
        self._finder = self.document.derive(find_in)

    def add_shown(self, iteration: int, *shown: str) -> None:
        """Count the parts of the document in these texts as read, because a model was shown the texts."""
        found: Spans = ()
        for text in shown:
            if len(text) >= MIN_PIECE_CHARS:
                found = merge_spans(found, self._finder.find_spans(text, merge_spans(self.coverage.shown, found)))
        self.record(CoverageAdded(iteration, "shown", found))

    def add_all_shown(self, iteration: int) -> None:
        """Count the whole document as read, because a model was given its text."""
        self.record(CoverageAdded(iteration, "shown", merge_spans([(0, len(self.document.text))])))

    def add_touched(self, iteration: int, spans: Spans) -> None:
        """Count these spans as used by code, as the sandbox reports."""
        self.record(CoverageAdded(iteration, "code", merge_spans(spans)))

    def add_subqueries(self, iteration: int, asked: Sequence[tuple[tuple[str, str], str | None]], refused: int) -> None:
        """Record sub-queries: each (prompt, text) with its fault (None if it was answered). `refused` counts the
        refused ones.

        Texts of answered sub-queries count as read. A sub-query that is asked again counts once, and is not lost once
        it is answered.
        """
        self.add_shown(iteration, *(part for item, fault in asked if fault is None for part in item))
        for item, fault in asked:
            if fault is None:
                self._answered[item] = None
            elif self._answered.get(item, item):
                spans = merge_spans(*(self._finder.find_spans(part) for part in item if len(part) >= MIN_PIECE_CHARS))
                self._answered[item] = LostSubquery(fault, spans)
        lost = (*self._earlier.lost, *(item for item in self._answered.values() if item is not None))
        before = self.subqueries
        self.subqueries = SubqueryTally(self._earlier.asked + len(self._answered), lost, before.refused + refused)
        self.sink(SubqueriesAsked(iteration, self.subqueries))

    def record(self, event: CoverageAdded | SubqueriesAsked) -> None:
        """Add the coverage or the sub-queries that an event reports, from this run or an earlier one."""
        if isinstance(event, SubqueriesAsked):
            self.subqueries = self._earlier = event.tally
            self.sink(event)
            return
        after = self.coverage.with_spans(event.how, event.spans)
        if after != self.coverage:
            self.coverage = after
            self.sink(event)
