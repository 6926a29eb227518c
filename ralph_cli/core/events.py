"""What happened, in order: the journal holds these, the state of a run is their fold, displays listen to them."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field

from ralph_cli.core.model import Json, Usage
from ralph_cli.core.run import Draft, Halt, Step

SCHEMA = 1
"""Version of the event format; written with every run."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run begins. `document` and `settings` hold what a reader needs to understand it later; never a key.

    `seed` is where the run's nonces come from; with it a resumed run sends the very same requests.
    """

    run: str
    mode: str
    question: str
    document: dict[str, Any]
    settings: dict[str, Any]
    at: str
    seed: str = ""
    kind: Literal["run_started"] = "run_started"


@dataclass(frozen=True, slots=True)
class Noticed:
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
    """

    number: int
    agent: str
    model: str
    characters: int
    digest: str
    sent: str
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
    """A call came back, or failed for good (`error` is not empty). `reply` is all that a replay needs."""

    number: int
    agent: str
    model: str
    usage: Usage
    seconds: float
    reply: Json | None = None
    error: str = ""
    kind: Literal["call_finished"] = "call_finished"


@dataclass(frozen=True, slots=True)
class SnippetRan:
    """The worker ran code. `output` is what it was shown; `pages` the pages whose text stood in it."""

    iteration: int
    step: int
    code: str
    output: str
    error: bool
    state_lost: bool
    seconds: float
    queries: int
    pages: tuple[int, ...] = ()
    kind: Literal["snippet_ran"] = "snippet_ran"


@dataclass(frozen=True, slots=True)
class Submitted:
    """The worker handed in a draft; `problems` are what the local rules found, empty when it was taken."""

    iteration: int
    step: int
    draft: Draft
    problems: tuple[str, ...]
    kind: Literal["submitted"] = "submitted"


@dataclass(frozen=True, slots=True)
class Nudged:
    """The worker's turn could not be used as it was; `reason` is what it was told."""

    iteration: int
    step: int
    reason: str
    kind: Literal["nudged"] = "nudged"


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


AnyEvent = (
    RunStarted
    | Noticed
    | IterationStarted
    | CallStarted
    | CallRetried
    | CallFinished
    | SnippetRan
    | Submitted
    | Nudged
    | StepFinished
    | RunHalted
)
Event = Annotated[AnyEvent, Field(discriminator="kind")]


class Sink(Protocol):
    """Anything that listens: the journal, a progress display, a test's list."""

    def __call__(self, event: AnyEvent, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Fanout:
    """One sink that calls several, in order; the journal comes first so that nothing is shown that is not kept."""

    sinks: tuple[Sink, ...] = field(default=())

    def __call__(self, event: AnyEvent, /) -> None:
        for sink in self.sinks:
            sink(event)
