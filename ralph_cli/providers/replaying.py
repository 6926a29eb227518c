"""Replies of earlier runs, each at its place: what was answered once is never bought again."""

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.events import AnyEvent, CallEvent, CallFinished, CallStarted, EventSink, IterationStarted
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, StopReason, ToolCall, Usage
from ralph_cli.providers.metered import request_digest
from ralph_cli.providers.wrapper import ModelWrapper


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a run a request is made: by whom, of which model, in which iteration; `digest` checks that it is it."""

    agent: str
    model: str
    iteration: int
    digest: str


class Recording:
    """The replies of earlier runs; each is given out once, at its place. Safe from every thread.

    It is a sink of the run that is answered from it, so that it knows the iteration. Of several runs that went on with
    one another each has the replies that it took over once more, as far as it came: for each place the run that has
    most of them counts. One that `is_closed` is all there is: calls that failed then fail again, and nothing is asked.
    """

    def __init__(self, *runs: Iterable[AnyEvent], is_closed: bool = False) -> None:
        self.is_closed = is_closed
        self._replies: dict[_Place, list[tuple[int, Reply | ProviderError]]] = {}
        self._iteration = 0
        self._lock = threading.Lock()
        for run in runs:
            self.add(run)

    def add(self, run: Iterable[AnyEvent]) -> bool:
        """Add the replies of one more run; False when it has none that the others have not."""
        found = _replies_by_place(run, with_failures=self.is_closed)
        more = {place: new for place, new in found.items() if len(new) > len(self._replies.get(place, ()))}
        self._replies |= more
        return bool(more)

    def __call__(self, event: AnyEvent, /) -> None:
        """Follow the run."""
        if isinstance(event, IterationStarted):
            self._iteration = event.number

    def take_reply(self, model: str, request: Request) -> Reply | None:
        """The recorded reply to this very request of `model`, or None.

        Of equal requests that are asked side by side each has the reply that it had, if that was recorded. Raises
        ProviderError for a call that failed, if the recording is closed.
        """
        if not self._replies:
            return None
        place = _Place(request.agent, model, self._iteration, request_digest(request))
        with self._lock:
            waiting = self._replies.get(place, [])
            attempts = 0
            while waiting:
                attempts += 1
                same = (number for number, (ordinal, _) in enumerate(waiting) if ordinal == request.ordinal)
                _, reply = waiting.pop(next(same, 0))
                if isinstance(reply, Reply):
                    return reply
                if not waiting:  # else it was tried again
                    raise reply.again(attempts)
        return None


def _replies_by_place(
    events: Iterable[AnyEvent], *, with_failures: bool
) -> dict[_Place, list[tuple[int, Reply | ProviderError]]]:
    found: dict[_Place, list[tuple[int, Reply | ProviderError]]] = {}
    places: dict[int, tuple[_Place, int]] = {}
    iteration = 0
    for event in events:
        match event:
            case IterationStarted(number=number):
                iteration = number
            case CallStarted():
                place = _Place(event.agent, event.model, iteration, event.digest)
                places[event.number] = place, event.ordinal
            case CallFinished(reply=reply) if event.number in places and (reply is not None or with_failures):
                place, ordinal = places[event.number]
                failure = ProviderError(event.error, code=event.code or "recorded-failure", hint=event.hint)
                outcome = failure if reply is None else parse_reply(reply, event.usage)
                found.setdefault(place, []).append((ordinal, outcome))
    return found


@dataclass(frozen=True, slots=True)
class AbsentModel:
    """Stands for the model of that name where nothing is asked any more: each call of it is a ProviderError."""

    name: str

    @property
    def vendor(self) -> str:
        """The vendor in its name."""
        return self.name.split(":")[0]

    def complete(self, request: Request) -> Reply:
        """Never gives a reply."""
        what = f"there is no reply of {self.name} to what the {request.agent} asks next in the record"
        raise ProviderError(what, code="not-recorded")


@dataclass(slots=True)
class ReplayingModel(ModelWrapper):
    """Answers from a recording as long as it has the very request, and asks the wrapped model otherwise.

    `on_replay` is called for each reply of the recording, so that a script can keep pace with it.
    """

    recording: Recording
    on_replay: Callable[[], None] = lambda: None

    def complete(self, request: Request) -> Reply:
        """The recorded reply with what it cost then, or a new one."""
        recorded = self.recording.take_reply(self.name, request)
        if recorded is None:
            return self.wrapped.complete(request)
        self.on_replay()
        return recorded


@dataclass(slots=True)
class CallRepeater:
    """Tells of calls of an earlier run as if they were made now: numbered, booked and recorded anew, never sent.

    `on_replay` is called for each of their replies.
    """

    ledger: Ledger
    sink: EventSink
    numbers: Iterator[int]
    on_replay: Callable[[], None] = field(default=lambda: None)

    def __call__(self, events: Iterable[CallEvent], *, are_used: bool = True) -> None:
        """Tell of these calls, in order. Raises LimitExceeded when what they cost is more than may be spent.

        Calls whose replies are of no use (not `are_used`) leave the run that much less to spend, and never raise.
        """
        new_numbers: dict[int, int] = {}
        for event in events:
            match event:
                case CallStarted():
                    new_numbers[event.number] = next(self.numbers)
                    self.sink(replace(event, number=new_numbers[event.number]))
                case CallFinished() if are_used:
                    with self.ledger.reserve(0.0) as book:
                        book(event.usage)
                        self.sink(replace(event, number=new_numbers[event.number]))
                    if event.reply is not None:
                        self.on_replay()
                case CallFinished():
                    self.ledger.book_earlier(event.usage)
                    self.sink(replace(event, number=new_numbers[event.number]))
                case _:
                    self.sink(event)


def parse_reply(recorded: Json, usage: Usage) -> Reply:
    """The reply that a journal keeps."""
    calls = tuple(ToolCall(**call) for call in recorded["calls"])
    turn = ModelTurn(recorded["text"], calls, recorded["raw"])
    return Reply(turn, StopReason(recorded["stop"]), usage, recorded["model"])
