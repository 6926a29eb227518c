"""A model with predefined replies from a list, a function or a file; for tests, demonstrations and replays."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ralph_cli.core.errors import ConfigError, ProviderError, describe_fault
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, StopReason, ToolCall, Usage

Script = Iterable[Reply | ProviderError] | Callable[[Request], Reply | ProviderError]


class ScriptedModel:
    """Returns replies in order, or asks a function for each. A ProviderError in the script is raised.

    If there are no replies left, it raises a ProviderError with code "script-ended". `requests` has all requests. A
    list is for one thread; a function may be called from several.
    """

    def __init__(self, script: Script, *, name: str = "scripted:script", vendor: str = "scripted") -> None:
        self.name, self.vendor = name, vendor
        self.requests: list[Request] = []
        self._function = script if callable(script) else None
        self._replies: Iterator[Reply | ProviderError] = iter(()) if callable(script) else iter(script)

    def complete(self, request: Request) -> Reply:
        """Return the next reply of the script."""
        self.requests.append(request)
        reply = self._function(request) if self._function else next(self._replies, None)
        if reply is None:
            raise ProviderError(f"{self.name}: more calls than replies in the script", code="script-ended")
        if isinstance(reply, ProviderError):
            raise reply
        return reply

    def skip_reply(self) -> None:
        """Skip the next reply of a list, because an earlier run that this one continues has used it."""
        next(self._replies, None)


def text_reply(text: str, *, stop: StopReason = StopReason.END, usage: Usage = Usage()) -> Reply:
    """Return a reply of plain text."""
    return Reply(ModelTurn(text), stop, usage, "scripted")


def tool_reply(*calls: Json, text: str = "", usage: Usage = Usage(), name: str = "act") -> Reply:
    """Return a reply that calls the worker's tool, once for each dict of arguments."""
    made = tuple(ToolCall(f"call-{number}", name, arguments) for number, arguments in enumerate(calls, 1))
    return Reply(ModelTurn(text, made), StopReason.TOOL, usage, "scripted")


def load_script(path: Path) -> ScriptedModel:
    """Return the model `scripted:PATH`: a JSON list of replies, returned in order.

    A reply is {"act": {arguments of the worker's tool}}, {"acts": [several calls of one turn]}, {"text": "..."} or
    {"error": "..."}. Raises ConfigError that names the first invalid reply.
    """
    name = f"scripted:{path.name}"
    try:
        listed = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        hint = "scripted:FILE plays a JSON list of replies"
        raise ConfigError(f"the script {path} {describe_fault(error)}", code="bad-script", hint=hint) from error
    if not isinstance(listed, list):
        raise ConfigError(f"the script {path} is not a JSON list of replies", code="bad-script")
    return ScriptedModel([_parse_reply(item, number, path) for number, item in enumerate(listed, 1)], name=name)


def _parse_reply(item: object, number: int, path: Path) -> Reply | ProviderError:
    match item:
        case {"act": dict(arguments), **rest} if not rest:
            return tool_reply(arguments)
        case {"acts": [*calls], **rest} if calls and not rest and all(isinstance(call, dict) for call in calls):
            return tool_reply(*calls)
        case {"text": str(text), **rest} if not rest:
            return text_reply(text)
        case {"error": str(message), **rest} if not rest:
            return ProviderError(message, code="scripted")
    hint = 'a reply is {"act": {...}}, {"acts": [...]}, {"text": "..."} or {"error": "..."}'
    raise ConfigError(f"reply {number} of {path} is not a valid reply", code="bad-script", hint=hint)
