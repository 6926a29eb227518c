"""Clients in memory, and models that are scripted for what they ask."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fakes import second_reader
from mcp import Client
from mcp_types import CallToolResult

from ralph_cli.commands.mcp.server import Front
from ralph_cli.core.model import Model, Usage
from ralph_cli.providers.scripted import Script, ScriptedModel, text_reply, tool_reply

LEASE = "The tenant pays a base rent of $48,000 a year.\nEither party may end it on six months' notice.\n"
CLAIM = {"text": "The base rent is $48,000 a year.", "quotes": ["a base rent of $48,000 a year"]}
SECRET = "The vault behind the north hall opens with the number 7741."
QUESTION = {"documents": ["lease.txt"], "question": "What is the rent?"}

MakeFront = Callable[..., Front]

T = TypeVar("T")


def judged(verdict: str = "supported", usd: float = 0.0) -> Any:
    """The judge's reply."""
    verdicts = [{"id": 1, "verdict": verdict, "reason": "it says so"}]
    return text_reply(json.dumps({"verdicts": verdicts}), usage=Usage(1, 10, 10, usd=usd))


def models(worker: Script | None = None, judge: Script | None = None) -> dict[str, Model]:
    """A worker that hands in the claim, and a judge that supports it, however often they are asked.

    The judge is also the second reader of what is absent: without a script of its own it finds nothing.
    """
    working = ScriptedModel(worker or (lambda _: tool_reply({"claims": [CLAIM]})), vendor="a")
    return {
        "worker": working,
        "judge": ScriptedModel(judge or (lambda request: second_reader(request) or judged()), vendor="b"),
        "subquery": ScriptedModel([]),
    }


def talk(front: Front, use: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    """What comes of using a client that is connected to the server."""

    async def connected() -> T:
        async with Client(front.server(), mode=mode) as client:
            return await use(client)

    return asyncio.run(connected())


def call(front: Front, tool: str, arguments: dict[str, Any]) -> CallToolResult:
    """What one call of a tool gives."""
    return talk(front, lambda client: client.call_tool(tool, arguments))


def text_of(result: CallToolResult) -> str:
    """The first text of a result."""
    text: str = result.content[0].text  # type: ignore[union-attr]
    return text
