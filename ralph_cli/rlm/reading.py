"""What was read of a document in one conversation: kept here, and told as `Covered` events as it happens."""

from dataclasses import dataclass, field

from ralph_cli.core.coverage import Coverage, Spans, merged
from ralph_cli.core.events import Covered, Sink
from ralph_cli.rlm.shown import LEAST, Shown


@dataclass(slots=True)
class Reading:
    """The coverage of one text so far; `show` what a model was given, `touch` what code says it took.

    What adds nothing to it is no event.
    """

    text: str
    sink: Sink
    coverage: Coverage = field(default_factory=Coverage)
    _finder: Shown = field(init=False)

    def __post_init__(self) -> None:
        self._finder = Shown(self.text)

    def show(self, iteration: int, *shown: str) -> None:
        """A model was shown these texts: whatever of the document stands in them counts as read."""
        found: Spans = ()
        for text in shown:
            if len(text) >= LEAST:
                found = merged(found, self._finder.spans(text, merged(self.coverage.shown, found)))
        self._cover(Covered(iteration, "shown", found))

    def show_all(self, iteration: int) -> None:
        """A model was given the whole text."""
        self._cover(Covered(iteration, "shown", merged([(0, len(self.text))])))

    def touch(self, iteration: int, spans: Spans) -> None:
        """Code took these slices, as the guest says."""
        self._cover(Covered(iteration, "code", merged(spans)))

    def _cover(self, event: Covered) -> None:
        after = self.coverage.after(event.how, event.spans)
        if after != self.coverage:
            self.coverage = after
            self.sink(event)
