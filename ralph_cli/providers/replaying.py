"""A model around a model: what was answered once is never bought again."""

import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ralph_cli.core.events import AnyEvent, CallFinished, CallStarted
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, StopReason, ToolCall, Usage
from ralph_cli.providers.metered import request_digest
from ralph_cli.providers.wrapper import ModelWrapper


class Recording:
    """The replies of earlier runs, by the digest of the request; each is given out once. Safe from every thread.

    Of several runs that went on with one another each has the replies that it took over once more, as far as it came:
    for each request the run that has most of them counts.
    """

    def __init__(self, *runs: Iterable[AnyEvent]) -> None:
        self._replies: dict[str, deque[Reply]] = {}
        self._lock = threading.Lock()
        for run in runs:
            for key, replies in _replies_by_request(run).items():
                if len(replies) > len(self._replies.get(key, ())):
                    self._replies[key] = replies

    def take_reply(self, request: Request) -> Reply | None:
        """The next recorded reply to this very request, or None."""
        key = request_digest(request)
        with self._lock:
            waiting = self._replies.get(key)
            return waiting.popleft() if waiting else None


def _replies_by_request(events: Iterable[AnyEvent]) -> dict[str, deque[Reply]]:
    found: dict[str, deque[Reply]] = defaultdict(deque)
    digests: dict[int, str] = {}
    for event in events:
        if isinstance(event, CallStarted):
            digests[event.number] = event.digest
        elif isinstance(event, CallFinished) and event.reply is not None and event.number in digests:
            found[digests[event.number]].append(_parse_reply(event.reply, event.usage))
    return found


@dataclass(slots=True)
class ReplayingModel(ModelWrapper):
    """Answers from a recording as long as it has the very request, and asks the wrapped model otherwise.

    `on_replay` is called for each reply of the recording, so that a script can keep pace with it.
    """

    recording: Recording
    on_replay: Callable[[], None] = lambda: None

    def complete(self, request: Request) -> Reply:
        """The recorded reply with what it cost then, or a new one."""
        recorded = self.recording.take_reply(request)
        if recorded is None:
            return self.wrapped.complete(request)
        self.on_replay()
        return recorded


def _parse_reply(recorded: Json, usage: Usage) -> Reply:
    calls = tuple(ToolCall(**call) for call in recorded["calls"])
    turn = ModelTurn(recorded["text"], calls, recorded["raw"])
    return Reply(turn, StopReason(recorded["stop"]), usage, recorded["model"])
