"""What was read of a document in one conversation: kept here, and told as `CoverageAdded` events as it happens."""

from dataclasses import dataclass, field

from ralph_cli.core.coverage import Coverage, Spans, merge_spans
from ralph_cli.core.events import CoverageAdded, EventSink
from ralph_cli.rlm.shown import MIN_PIECE_CHARS, ShownTextFinder


@dataclass(slots=True)
class CoverageTracker:
    """The coverage of one text so far; what adds nothing to it is no event."""

    text: str
    sink: EventSink
    coverage: Coverage = field(default_factory=Coverage)
    _finder: ShownTextFinder = field(init=False)

    def __post_init__(self) -> None:
        self._finder = ShownTextFinder(self.text)

    def add_shown(self, iteration: int, *shown: str) -> None:
        """A model was shown these texts: whatever of the document stands in them counts as read."""
        found: Spans = ()
        for text in shown:
            if len(text) >= MIN_PIECE_CHARS:
                found = merge_spans(found, self._finder.find_spans(text, merge_spans(self.coverage.shown, found)))
        self.record(CoverageAdded(iteration, "shown", found))

    def add_all_shown(self, iteration: int) -> None:
        """A model was given the whole text."""
        self.record(CoverageAdded(iteration, "shown", merge_spans([(0, len(self.text))])))

    def add_touched(self, iteration: int, spans: Spans) -> None:
        """Code took these slices, as the guest says."""
        self.record(CoverageAdded(iteration, "code", merge_spans(spans)))

    def record(self, event: CoverageAdded) -> None:
        """Add what was read, as its event tells it."""
        after = self.coverage.with_spans(event.how, event.spans)
        if after != self.coverage:
            self.coverage = after
            self.sink(event)
