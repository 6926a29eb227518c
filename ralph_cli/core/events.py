"""What happened, in order: the journal holds these, the state of a run is their fold, displays listen to them."""

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
    """A run begins. `document` and `settings` hold what a reader needs to understand it later; never a key.

    `seed` is where the run's nonces come from; with it a resumed run sends the very same requests. `follows`, of a
    question that follows on others, has the name of the run before, the last hash of its journal, and what was asked
    before, in order.
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
    """Something a person should know: a warning, a choice that was made for them."""

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
    `ordinal` counts the requests that the code of an iteration asks side by side, from 1; 0 is one that is asked alone.
    `branch` is the child worker that asks, if one does.
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
    """A call failed in a way that may pass, and is tried again after `wait` seconds."""

    agent: str
    model: str
    attempt: int
    reason: str
    wait: float
    kind: Literal["call_retried"] = "call_retried"


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A call came back, or failed finally: then `error` is not empty, and `code` and `hint` are those of the failure.

    `reply` is all that a replay needs.
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
    """The worker's code is about to be run, which finds the time `at`; empty in older records."""

    iteration: int
    step: int
    at: str = ""
    kind: Literal["snippet_started"] = "snippet_started"


@dataclass(frozen=True, slots=True)
class SnippetRan:
    """The worker ran code. `output` is what it was shown; `pages` the pages whose text stood in it.

    `reached` are the numbers of the expressions that search the document and were evaluated; None in older records.
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
    """Parts of the document that the worker's code went through ("code"), or that a model was shown ("shown").

    `spans` are half-open intervals of the document's text, in order and apart. What code went through is what the guest
    reports, so it is only used for warnings to the reader.
    """

    iteration: int
    how: Literal["code", "shown"]
    spans: tuple[tuple[int, int], ...]
    kind: Literal["covered"] = "covered"


@dataclass(frozen=True, slots=True)
class SubqueriesAsked:
    """The worker's code asked sub-queries. `tally` is that of the whole run up to here; the latest one counts."""

    iteration: int
    tally: SubqueryTally
    kind: Literal["subqueries_asked"] = "subqueries_asked"


@dataclass(frozen=True, slots=True)
class DraftSubmitted:
    """The worker handed in a draft; `problems` are what the local rules found, empty when it was taken."""

    iteration: int
    step: int
    draft: Draft
    problems: tuple[str, ...]
    kind: Literal["submitted"] = "submitted"


@dataclass(frozen=True, slots=True)
class TurnRejected:
    """The worker's turn could not be used; `reason` is the answer it got."""

    iteration: int
    step: int
    reason: str
    kind: Literal["nudged"] = "nudged"


# Events of a child worker.
ChildWork = SnippetStarted | SnippetRan | CoverageAdded | SubqueriesAsked | DraftSubmitted | TurnRejected | NoticeIssued


@dataclass(frozen=True, slots=True)
class ChildStarted:
    """The worker's code hands a part of the document to a worker of its own, the child `branch`: "2", or "2.1" for a
    child of that.

    The part is text[start:end] of the document, or a text that is not in it: then `end` is 0. `characters` is its size.
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
    """What a child worker did; offsets and pages in `event` are those of its part."""

    branch: str
    event: Annotated[ChildWork, Field(discriminator="kind")]
    kind: Literal["child_worked"] = "child_worked"


@dataclass(frozen=True, slots=True)
class ChildFinished:
    """A child worker ended: `answer` is what its parent's code is given, as JSON; `error` says why there is none.

    `key` is the SHA-256 of what was asked: the same question about the same part is answered once.
    """

    branch: str
    key: str
    answer: str
    error: str = ""
    seconds: float = 0.0
    kind: Literal["child_finished"] = "child_finished"


@dataclass(frozen=True, slots=True)
class VerifierStarted:
    """A verifier of the user's is about to be run on the output of a goal."""

    iteration: int
    name: str
    kind: Literal["verifier_started"] = "verifier_started"


@dataclass(frozen=True, slots=True)
class VerifierFinished:
    """One verifier's word on one version of a goal's output: evidence. Only a command that ended with 0 passed.

    `call` is the id of the worker's call that asked for it, `round` counts those calls in the run; `revision` is the
    version of the output that was looked at. `ended` says how the command ended, `output` what it printed, cleaned.
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
    """The terms of a goal: its verifiers as (name, command), and the run that it continues, if there is one.

    With `shell` the commands are run by /bin/sh; the file that they are given ends in `suffix`.
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
    """A variable of the sandbox was read to become the output of a goal: its `text`, or why it was `refused`."""

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
    """What the worker of a goal says: a note, its intent to finish, or why it cannot go on. Never a proof."""

    iteration: int
    call: str
    text: str
    intent: Literal["note", "done", "blocked"]
    kind: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class CasesGenerated:
    """What a judge is tested with: the claims, and which of them (by number) are put to it together, in order."""

    cases: tuple[Case, ...]
    batches: tuple[tuple[int, ...], ...]
    seed: int
    kind: Literal["cases_made"] = "cases_made"


@dataclass(frozen=True, slots=True)
class StepFinished:
    """An attempt and the evidence on it."""

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
# Events of a run and its iterations, of requests to models, of a worker that reads, of its children, and of a goal.
AnyEvent = RunEvent | CallEvent | WorkerEvent | ChildEvent | GoalEvent

Event = Annotated[AnyEvent, Field(discriminator="kind")]


class EventSink(Protocol):
    """Anything that listens: the journal, a progress display, a test's list."""

    def __call__(self, event: AnyEvent, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Fanout:
    """One sink that calls several, in order; the journal comes first so that nothing is shown that is not kept."""

    sinks: tuple[EventSink, ...] = field(default=())

    def __call__(self, event: AnyEvent, /) -> None:
        for sink in self.sinks:
            sink(event)


class ClosingSink:
    """A sink that lets nothing through after the end of a run: calls left behind may still come back later.

    Events of several threads pass side by side; the end waits until those that are passing are through. A call that
    was to begin later is refused with JournalError, for it would be bought and nowhere recorded.
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
                # An interrupted thread may have left its own mark here.
                self._changed.wait_for(lambda: not self._passing - {thread})
            self._passing.add(thread)
        try:
            self._sink(event)
        finally:
            with self._changed:
                self._passing.discard(thread)
                self._changed.notify_all()
