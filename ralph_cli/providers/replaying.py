"""Replays replies of earlier runs at the same place, so that no request is paid for twice."""

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
    """The place of a request in a run: its agent, model, iteration, and the request's digest."""

    agent: str
    model: str
    iteration: int
    digest: str


class Recording:
    """The replies of earlier runs. Each is returned once, for the same request. Safe to use from every thread.

    It listens to the events of the replaying run to know the iteration. If several runs resumed one another, each
    contains the replies that it took over. So for each place, the run with the most replies counts. If the recording
    `is_closed`, failed calls fail again and nothing new is asked.
    """

    def __init__(self, *runs: Iterable[AnyEvent], is_closed: bool = False) -> None:
        self.is_closed = is_closed
        self._replies: dict[_Place, list[tuple[int, Reply | ProviderError]]] = {}
        self._iteration = 0
        self._lock = threading.Lock()
        for run in runs:
            self.add(run)

    def add(self, run: Iterable[AnyEvent]) -> bool:
        """Add the replies of another run; return False if it has none that the others lack."""
        found = _replies_by_place(run, with_failures=self.is_closed)
        more = {place: new for place, new in found.items() if len(new) > len(self._replies.get(place, ()))}
        self._replies |= more
        return bool(more)

    def __call__(self, event: AnyEvent, /) -> None:
        """Follow the events of the run."""
        if isinstance(event, IterationStarted):
            self._iteration = event.number

    def take_reply(self, model: str, request: Request) -> Reply | None:
        """Return the recorded reply to exactly this request of `model`, or None.

        Equal parallel requests each receive their own reply if that was recorded. Raises ProviderError for a call that
        failed, if the recording is closed.
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
                if not waiting:  # otherwise the call was retried
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
    """A placeholder for a model when nothing new is asked: each call raises ProviderError."""

    name: str

    @property
    def vendor(self) -> str:
        """The vendor in its name."""
        return self.name.split(":")[0]

    def complete(self, request: Request) -> Reply:
        """Raise ProviderError; there is never a reply."""
        what = f"there is no reply of {self.name} to what the {request.agent} asks next in the record"
        raise ProviderError(what, code="not-recorded")


@dataclass(slots=True)
class ReplayingModel(ModelWrapper):
    """Answers from a recording if it has exactly this request; otherwise asks the wrapped model.

    `on_replay` is called for each reply from the recording, so that a script can keep pace with it.
    """

    recording: Recording
    on_replay: Callable[[], None] = lambda: None

    def complete(self, request: Request) -> Reply:
        """Return the recorded reply with its original cost, or a new reply."""
        recorded = self.recording.take_reply(self.name, request)
        if recorded is None:
            return self.wrapped.complete(request)
        self.on_replay()
        return recorded


@dataclass(slots=True)
class CallRepeater:
    """Repeats the calls of an earlier run as events: numbered, booked and recorded again, but never sent.

    `on_replay` is called for each of their replies.
    """

    ledger: Ledger
    sink: EventSink
    numbers: Iterator[int]
    on_replay: Callable[[], None] = field(default=lambda: None)

    def __call__(self, events: Iterable[CallEvent], *, are_used: bool = True) -> None:
        """Repeat these calls, in order. Raises LimitExceeded if their cost exceeds the remaining budget.

        Calls whose replies are not used (`are_used` is false) reduce the remaining budget, and never raise.
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
    """Return the reply that a journal contains."""
    calls = tuple(ToolCall(**call) for call in recorded["calls"])
    turn = ModelTurn(recorded["text"], calls, recorded["raw"])
    return Reply(turn, StopReason(recorded["stop"]), usage, recorded["model"])
