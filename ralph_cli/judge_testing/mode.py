"""Judge-test mode: puts claims whose truth is known to the judge of question mode, a batch at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from ralph_cli.checks.base import Check
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.events import AnyEvent, CallFinished, CasesGenerated, EventSink, RunStarted, TurnRejected
from ralph_cli.core.model import Reply, Request, StopReason
from ralph_cli.core.results.judge_test import Case, CaseResult, JudgeTest
from ralph_cli.core.run import Attempt, Draft, DraftClaim, Evidence, Halt, Issue, Lesson, Ruling, StopType
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.detectors import CONTINUE, StopDecision
from ralph_cli.loop.state import LoopState, fold
from ralph_cli.providers.metered import turn_text
from ralph_cli.providers.wrapper import ModelWrapper
from ralph_cli.retrieval.quotes.index import QuoteIndex

QUESTION = "What does the document say? Each claim is to be a true statement of what it says."


@dataclass(slots=True)
class ObservedModel(ModelWrapper):
    """A wrapper around a judge that reports each unusable reply and changes nothing."""

    sink: EventSink
    iteration: int = 0

    def complete(self, request: Request) -> Reply:
        """The judge's reply."""
        if len(request.turns) > 1:
            self.sink(TurnRejected(self.iteration, 1, turn_text(request.turns[-1])))
        reply = self.wrapped.complete(request)
        if reply.stop is StopReason.LENGTH:
            self.sink(TurnRejected(self.iteration, 1, f"the reply was cut off at {request.max_tokens} tokens"))
        return reply


@dataclass(slots=True)
class JudgeTestMode:
    """The mode of a judge test: see `loop.engine.Mode`. One iteration is one batch; no batch is ever accepted."""

    cases: Sequence[Case]
    batches: Sequence[Sequence[int]]
    document: Document
    index: QuoteIndex
    judge: Check
    observed: ObservedModel

    def plan(self, state: LoopState) -> str:
        place = len(state.steps)
        numbers = ", ".join(map(str, self.batches[place]))
        return f"batch {place + 1} of {len(self.batches)}: cases {numbers}"

    def run(self, message: str, iteration: int) -> Attempt:
        self.observed.iteration = iteration
        batch = [self.cases[number - 1] for number in self.batches[iteration - 1]]
        draft = Draft(tuple(DraftClaim(case.text, case.quotes) for case in batch))
        return resolve_quotes(draft, self.document, self.index)

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        found = self.judge(attempt)
        if not found.broken:
            return (found,)
        # The issue keeps the test going: other batches may have verdicts.
        issue = Issue("judge", f"the judge returned no verdicts: {found.broken}")
        return (Evidence("judge", (issue,), broken=found.broken),)

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Nothing: a test teaches the judge nothing."""
        return None


@dataclass(frozen=True, slots=True)
class JudgeTestDetector:
    """Stops when the judge had every batch, or failed on `max_failures` in a row (0 for no limit)."""

    batch_count: int
    max_failures: int

    def check(self, state: LoopState, config: StopConditionConfig) -> StopDecision:
        """The decision for this state; see `loop.detectors.StopDetector`."""
        newest_first = (
            next((item.broken for item in step.evidence if item.broken), "") for step in reversed(state.steps)
        )
        faults = list(takewhile(bool, newest_first))
        most = self.max_failures or self.batch_count
        if len(faults) >= most or len(faults) == len(state.steps) >= self.batch_count:
            why = f"the judge returned no verdicts on {len(faults)} batches in a row: {faults[0]}"
            return StopDecision(True, StopType.UNJUDGED, why)
        if len(state.steps) >= self.batch_count:
            return StopDecision(True, StopType.TESTED, f"all {self.batch_count} batches were put to the judge")
        return CONTINUE


def summarize_judge_test(events: Sequence[AnyEvent], folder: Path) -> JudgeTest:
    """The result of a test, from its events; of an interrupted test the part that was done."""
    started = next(event for event in events if isinstance(event, RunStarted))
    made = next(event for event in events if isinstance(event, CasesGenerated))
    state = fold(events)
    rulings: dict[int, Ruling] = {}
    broken: list[str] = []
    for batch, step in zip(made.batches, state.steps, strict=False):
        rulings |= {batch[ruling.claim - 1]: ruling for ruling in step.rulings}
        broken += [item.broken for item in step.evidence if item.broken]
    judge = str(started.settings.get("models", {}).get("judge", ""))
    return JudgeTest(
        judge,
        not judge.startswith("offline:"),
        str(started.document.get("path", "")),
        made.seed,
        tuple(CaseResult(case, rulings.get(case.number)) for case in made.cases),
        sum(isinstance(event, TurnRejected) for event in events),
        tuple(broken),
        state.halt or Halt(StopType.NONE, "the run has not ended: it is still running, or was killed"),
        state.usage,
        round(sum(event.seconds for event in events if isinstance(event, CallFinished)), 3),
        started.run,
        folder,
    )
