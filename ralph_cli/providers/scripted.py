"""A model whose replies are given beforehand, as a list or as a function: for tests, demonstrations and replays."""

from collections.abc import Callable, Iterable, Iterator

from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, Stop, ToolCall, Usage

Script = Iterable[Reply | ProviderError] | Callable[[Request], Reply | ProviderError]


class Scripted:
    """Plays replies in order, or asks a function for each; a ProviderError in the script is raised.

    Running out of replies is a ProviderError with code "script-ended", never a default answer. `requests` holds what
    was asked. A list is for one thread; a function may be called from several.
    """

    def __init__(self, script: Script, *, name: str = "scripted:script", vendor: str = "scripted") -> None:
        self.name, self.vendor = name, vendor
        self.requests: list[Request] = []
        self._function = script if callable(script) else None
        self._replies: Iterator[Reply | ProviderError] = iter(()) if callable(script) else iter(script)

    def complete(self, request: Request) -> Reply:
        """The next reply of the script."""
        self.requests.append(request)
        reply = self._function(request) if self._function else next(self._replies, None)
        if reply is None:
            raise ProviderError(f"{self.name}: more calls than replies in the script", code="script-ended")
        if isinstance(reply, ProviderError):
            raise reply
        return reply


def says(text: str, *, stop: Stop = Stop.END, usage: Usage = Usage()) -> Reply:
    """A reply of plain text."""
    return Reply(ModelTurn(text), stop, usage, "scripted")


def acts(*calls: Json, text: str = "", usage: Usage = Usage(), name: str = "act") -> Reply:
    """A reply that calls the worker's tool, once for each dict of arguments."""
    made = tuple(ToolCall(f"call-{number}", name, arguments) for number, arguments in enumerate(calls, 1))
    return Reply(ModelTurn(text, made), Stop.TOOL, usage, "scripted")
