"""The events of a run, in order. The journal stores them, the state of a run is their fold, and displays show them."""

import threading
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from ralph_cli.core.coverage import SubqueryTally
from ralph_cli.core.errors import JournalError
from ralph_cli.core.model import Json, Usage
from ralph_cli.core.results.judge_test import Case
from ralph_cli.core.run import Draft, Halt, Step

JUDGES = ("judge", "task_judge", "absence", "list", "counter", "verifier")  # the agents that judge


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins. `document` and `settings` have what a reader needs to understand the run later; never a key.

    `seed` is the source of the run's nonces; with it a resumed run sends identical requests. For a follow-up question,
    `follows` has the previous run's name, the last hash of its journal, and the earlier questions in order.
    """

    run: str
    mode: str
    question: str
    document: dict[str, Any]
    settings: dict[str, Any]
    at: str
    seed: str = ""
    follows: dict[str, Any] = field(default_factory=dict)
    kind: Literal["run_started"] = "run_started"


@dataclass(frozen=True, slots=True)
class NoticeIssued:
    """A notice for people: a warning, or a choice that was made for them."""

    code: str
    message: str
    kind: Literal["noticed"] = "noticed"


@dataclass(frozen=True, slots=True)
class IterationStarted:
    """The outer loop begins another attempt (`number` counts from 1)."""

    number: int
    feedback: str
    kind: Literal["iteration_started"] = "iteration_started"


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A request is about to be sent. `number` counts the calls of the run from 1.

    `digest` is the SHA-256 of the canonical request; `sent` is its newest turn (the whole prompt of a first turn).
    `ordinal` counts the parallel requests of an iteration's code, from 1; it is 0 for a single request. `branch` is the
    child worker that asks, if any.
    """

    number: int
    agent: str
    model: str
    characters: int
    digest: str
    sent: str
    ordinal: int = 0
    branch: str = ""
    kind: Literal["call_started"] = "call_started"


@dataclass(frozen=True, slots=True)
class CallRetried:
    """A call failed with an error that may be temporary, and is retried after `wait` seconds."""

    agent: str
    model: str
    attempt: int
    reason: str
    wait: float
    kind: Literal["call_retried"] = "call_retried"


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A call returned or finally failed. After a failure, `error`, `code` and `hint` describe it.

    `reply` has everything that a replay needs.
    """

    number: int
    agent: str
    model: str
    usage: Usage
    seconds: float
    reply: Json | None = None
    error: str = ""
    code: str = ""
    hint: str = ""
    kind: Literal["call_finished"] = "call_finished"


@dataclass(frozen=True, slots=True)
class SnippetStarted:
    """The worker's code is about to run. `at` is the time that the code sees; it is empty in older records."""

    iteration: int
    step: int
    at: str = ""
    kind: Literal["snippet_started"] = "snippet_started"


@dataclass(frozen=True, slots=True)
class SnippetRan:
    """The worker's code ran. `output` is the text that the worker was shown; `pages` are the pages whose text is in it.

    `reached` are the numbers of the document-searching expressions that were evaluated; None in older records.
    """

    iteration: int
    step: int
    code: str
    output: str
    error: bool
    state_lost: bool
    seconds: float
    queries: int
    pages: tuple[int, ...] = ()
    reached: tuple[int, ...] | None = None
    kind: Literal["snippet_ran"] = "snippet_ran"


@dataclass(frozen=True, slots=True)
class CoverageAdded:
    """Parts of the document that the worker's code used ("code") or that a model was shown ("shown").

    `spans` are half-open intervals of the document's text, in order and not touching. The sandbox reports what code
    used, so that is only used for warnings to the reader.
    """

    iteration: int
    how: Literal["code", "shown"]
    spans: tuple[tuple[int, int], ...]
    kind: Literal["covered"] = "covered"


@dataclass(frozen=True, slots=True)
class SubqueriesAsked:
    """The worker's code asked sub-queries. `tally` covers the whole run up to here; the latest one counts."""

    iteration: int
    tally: SubqueryTally
    kind: Literal["subqueries_asked"] = "subqueries_asked"


@dataclass(frozen=True, slots=True)
class DraftSubmitted:
    """The worker submitted a draft. `problems` are the findings of the local rules; empty if the draft was accepted."""

    iteration: int
    step: int
    draft: Draft
    problems: tuple[str, ...]
    kind: Literal["submitted"] = "submitted"


@dataclass(frozen=True, slots=True)
class TurnRejected:
    """The worker's turn could not be used; `reason` is the answer that the worker received."""

    iteration: int
    step: int
    reason: str
    kind: Literal["nudged"] = "nudged"


# Events of a child worker.
ChildWork = SnippetStarted | SnippetRan | CoverageAdded | SubqueriesAsked | DraftSubmitted | TurnRejected | NoticeIssued


@dataclass(frozen=True, slots=True)
class ChildStarted:
    """The worker's code gives a part of the document to a child worker, `branch`: "2", or "2.1" for a child of worker
    2.

    The part is text[start:end] of the document. If `end` is 0, the part is a text that is not in the document.
    `characters` is its size.
    """

    iteration: int
    branch: str
    question: str
    start: int
    end: int
    characters: int
    kind: Literal["child_started"] = "child_started"


@dataclass(frozen=True, slots=True)
class ChildWorked:
    """An event of a child worker; offsets and pages in `event` refer to its part."""

    branch: str
    event: Annotated[ChildWork, Field(discriminator="kind")]
    kind: Literal["child_worked"] = "child_worked"


@dataclass(frozen=True, slots=True)
class ChildFinished:
    """A child worker ended. `answer` is the JSON for its parent's code; `error` says why there is no answer.

    `key` is the SHA-256 of the question and the part, so that the same question about the same part is answered once.
    """

    branch: str
    key: str
    answer: str
    error: str = ""
    seconds: float = 0.0
    kind: Literal["child_finished"] = "child_finished"


@dataclass(frozen=True, slots=True)
class VerifierStarted:
    """One of the user's verifiers is about to run on the output of a goal."""

    iteration: int
    name: str
    kind: Literal["verifier_started"] = "verifier_started"


@dataclass(frozen=True, slots=True)
class VerifierFinished:
    """The result of one verifier for one version of a goal's output. Only a command that ended with 0 passed.

    `call` is the id of the worker's call that requested it, and `round` counts those calls in the run. `revision` is
    the version of the output that was checked. `ended` says how the command ended; `output` is its cleaned output.
    """

    iteration: int
    name: str
    call: str
    command: str
    passed: bool
    ended: str
    output: str
    at: str
    round: int
    revision: int
    seconds: float = 0.0
    kind: Literal["verified"] = "verified"


@dataclass(frozen=True, slots=True)
class GoalSet:
    """The terms of a goal: its verifiers as (name, command), and the run that it continues, if any.

    With `shell`, /bin/sh runs the commands. The file that they receive ends in `suffix`.
    """

    verifiers: tuple[tuple[str, str], ...]
    require_verifier: bool
    instructions: str = ""
    continues: str = ""
    shell: bool = False
    suffix: str = ".txt"
    kind: Literal["goal_set"] = "goal_set"


@dataclass(frozen=True, slots=True)
class VariableRead:
    """A sandbox variable was read to become the output of a goal: its `text`, or the reason why it was `refused`."""

    iteration: int
    call: str
    name: str
    text: str
    refused: str = ""
    kind: Literal["variable_read"] = "variable_read"


@dataclass(frozen=True, slots=True)
class OutputChanged:
    """The worker changed the output of its goal to `output`; `revision` counts the versions of a run from 1."""

    iteration: int
    call: str
    output: str
    revision: int
    kind: Literal["wrote"] = "wrote"


@dataclass(frozen=True, slots=True)
class WorkerReported:
    """A statement of a goal's worker: a note, its intent to finish, or why it cannot continue. Never a proof."""

    iteration: int
    call: str
    text: str
    intent: Literal["note", "done", "blocked"]
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class CasesGenerated:
    """The test cases for a judge: the claims, and the batches (case numbers, in order) in which they are asked."""

    cases: tuple[Case, ...]
    batches: tuple[tuple[int, ...], ...]
    seed: int
    kind: Literal["cases_made"] = "cases_made"


@dataclass(frozen=True, slots=True)
class StepFinished:
    """An attempt and its evidence."""

    step: Step
    kind: Literal["step_finished"] = "step_finished"


@dataclass(frozen=True, slots=True)
class RunHalted:
    """The last event of a run."""

    halt: Halt
    at: str
    kind: Literal["run_halted"] = "run_halted"


RunEvent = RunStarted | NoticeIssued | IterationStarted | StepFinished | RunHalted | CasesGenerated
CallEvent = CallStarted | CallRetried | CallFinished
WorkerEvent = SnippetStarted | SnippetRan | CoverageAdded | SubqueriesAsked | DraftSubmitted | TurnRejected
GoalEvent = GoalSet | VariableRead | OutputChanged | VerifierStarted | VerifierFinished | WorkerReported
ChildEvent = ChildStarted | ChildWorked | ChildFinished
# Events of a run and its iterations, of requests to models, of a worker, of its children, and of a goal.
AnyEvent = RunEvent | CallEvent | WorkerEvent | ChildEvent | GoalEvent

Event = Annotated[AnyEvent, Field(discriminator="kind")]


class EventSink(Protocol):
    """Any listener for events: the journal, a progress display, a test's list."""

    def __call__(self, event: AnyEvent, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Fanout:
    """A sink that passes each event to several sinks in order. The journal is first, so that nothing is shown before it
    is recorded.
    """

    sinks: tuple[EventSink, ...] = field(default=())

    def __call__(self, event: AnyEvent, /) -> None:
        for sink in self.sinks:
            sink(event)


class ClosingSink:
    """A sink that stops passing events after the end of a run, because abandoned calls may still return later.

    Events of several threads pass in parallel; the end event waits until they have passed. A call that starts later is
    refused with JournalError, because it would cost money without being recorded.
    """

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._over = False
        self._passing: set[int] = set()
        self._changed = threading.Condition()

    def __call__(self, event: AnyEvent, /) -> None:
        thread = threading.get_ident()
        with self._changed:
            if self._over:
                if isinstance(event, CallStarted):
                    raise JournalError("the run has ended", code="journal-closed")
                return
            if isinstance(event, RunHalted):
                self._over = True
                # An interrupted thread may have left its own entry here.
                self._changed.wait_for(lambda: not self._passing - {thread})
            self._passing.add(thread)
        try:
            self._sink(event)
        finally:
            with self._changed:
                self._passing.discard(thread)
                self._changed.notify_all()
