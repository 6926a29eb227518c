"""Detectors that anybody may have written, asked so that a loop ends well whatever they do."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ralph_cli.core.awaiting import Awaiter
from ralph_cli.core.events import AnyEvent
from ralph_cli.core.run import StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.detectors import (
    CompositeDetector,
    MaxIterationDetector,
    StopDecision,
    StopDetector,
    TimeoutDetector,
)
from ralph_cli.loop.state import LoopState


class Heard:
    """The fold of all events so far; those of models come from several threads."""

    def __init__(self) -> None:
        self.state = LoopState()
        self._lock = threading.Lock()

    def __call__(self, event: AnyEvent, /) -> None:
        with self._lock:
            self.state = self.state.apply(event)


class Watched:
    """Detectors that see what was spent. One that fails stops the loop, and none can say that the work is done."""

    def __init__(self, detectors: StopDetector, heard: Heard, awaiter: Awaiter) -> None:
        self._detectors, self._heard, self._awaiter = detectors, heard, awaiter

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        state = replace(state, usage=self._heard.state.usage)
        for detector in flat([self._detectors]):
            said, name = self._ask(detector, state, config), type(detector).__name__
            if isinstance(said, str):
                return StopDecision(True, StopType.SYSTEM_ERROR, f"{name} failed: {said}")
            if said and said.stop_type in (StopType.COMPLETION, StopType.ABSENT):
                told = f"{name} said {said.stop_type.value}, which only passed checks can say"
                return StopDecision(True, StopType.SYSTEM_ERROR, told)
            if said:
                return said
        return StopDecision(False)

    def _ask(self, detector: StopDetector, state: LoopState, config: StopConditionConfig) -> StopDecision | str:
        """The decision, or what went wrong."""
        try:
            said = self._awaiter(detector.check(state, config))
        except Exception as error:  # noqa: BLE001 - a bound that cannot be asked is no bound, so the loop ends
            return f"{type(error).__name__}: {error}"
        return said if isinstance(said, StopDecision) else f"it gave {type(said).__name__} and no StopDecision"


def flat(detectors: Iterable[StopDetector]) -> Iterator[StopDetector]:
    """The detectors in the order in which they are asked, without those that only hold others."""
    for detector in detectors:
        if type(detector) is CompositeDetector:  # a subclass may decide otherwise than its parts
            yield from flat(detector)
        else:
            yield detector


def require_bound(detectors: Sequence[StopDetector], config: StopConditionConfig) -> None:
    """Raise ValueError unless one of them is sure to stop the loop some time.

    A limit on the cost is not: the cost may be nothing, or unknown. A subclass is not: it may never stop.
    """
    kinds = {type(detector) for detector in flat(detectors)}
    if MaxIterationDetector in kinds or (TimeoutDetector in kinds and config.timeout):
        return
    told = "the detectors set no bound: add MaxIterationDetector(), or TimeoutDetector() with `timeout` in the "
    raise ValueError(told + "configuration (subclasses and a limit on the cost do not count)")
