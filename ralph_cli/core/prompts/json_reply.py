"""The small loop of agents without a sandbox: ask, parse strictly, say what was wrong, ask again."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ralph_cli.core.model import Json, Model, Request, StopReason, UserTurn
from ralph_cli.core.prompts.templates import prompt_text

T = TypeVar("T")


class UnparseableReply(Exception):
    """The model did not give one object of the right shape within its tries."""


def ask_model(model: Model, request: Request, parse: Callable[[str], T], *, attempts: int = 2) -> T:
    """The parsed reply of `model`. `parse` raises ValueError to say what is wrong; that is sent back, `attempts` in
    all.

    Raises UnparseableReply when no try was right, and ProviderError when the service failed.
    """
    return converse(model, request, parse, attempts=attempts)[0]


def converse(model: Model, request: Request, parse: Callable[[str], T], *, attempts: int = 2) -> tuple[T, Request]:
    """As `ask_model`, with the conversation up to that reply, to which a further turn can be added."""
    reason = ""
    for _ in range(attempts):
        reply = model.complete(request)
        if reply.stop is StopReason.LENGTH:
            reason = f"the reply was cut off at {request.max_tokens} tokens"
            request = replace(request, max_tokens=min(request.max_tokens * 2, 16_000))
            continue
        try:
            return parse(reply.text), replace(request, turns=(*request.turns, reply.turn))
        except ValueError as error:
            reason = str(error)
        correction = UserTurn(
            f"That could not be used: {reason}. Reply again with one JSON object of the asked shape only."
        )
        request = replace(request, turns=(*request.turns, reply.turn, correction))
    raise UnparseableReply(reason)


class StrictObject(BaseModel):
    """An object in a reply: its own fields and no others, each of its own type."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)


M = TypeVar("M", bound=BaseModel)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object with unique keys, for `object_pairs_hook`. Raises ValueError for a repeated key."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name!r} stands twice in an object")
        found[name] = value
    return found


def parse_object(text: str, shape: type[M]) -> M:
    """The single JSON object that `text` is, of the given shape. Anything before, after or beside it is refused.

    Neither the first nor the last object of a mixed reply is taken: both rules were shown to be forgeable by text
    that the reply repeats (garak issue 1868, promptfoo pull request 10655).
    """
    body = text.strip()
    if body.startswith("```") and body.endswith("```") and body.count("```") == 2:
        body = body.removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        value = json.loads(body, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the reply is not one JSON object ({error})") from None
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        raise ValueError(describe_validation_error(error)) from None


def agent_request(agent: str, prompt: str, schema: Json, name: str, inputs: dict[str, Any], max_tokens: int) -> Request:
    """The request to an agent, whose system prompt is `<agent>_system`, for an object called `name`."""
    return Request(
        agent,
        prompt_text(f"{agent}_system"),
        (UserTurn(prompt),),
        output_schema=schema,
        output_name=name,
        max_tokens=max_tokens,
        inputs=inputs,
    )


def ask_once(model: Model, request: Request, shape: type[M]) -> M:
    """The reply to one light call as an object of that shape. Raises as `ask_model` does."""
    return ask_model(model, request, lambda text: parse_object(text, shape), attempts=1)


def describe_validation_error(error: ValidationError) -> str:
    """The first faults of a validation, with the path of each, on one line."""
    faults: list[dict[str, Any]] = [dict(item) for item in error.errors(include_url=False, include_context=False)]
    lines = [f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}" for fault in faults[:4]]
    return "; ".join(lines) + ("; ..." if len(faults) > 4 else "")
