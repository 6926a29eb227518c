"""Claude models through the Messages API, at the vendor's service or in a cloud.

Replies are not streamed, because the SDK takes an interrupted stream for a complete reply.
"""

import json
from typing import Any

from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, StopReason, ToolCall, ToolTurn, Turn, UserTurn
from ralph_cli.providers.endpoint import Endpoint
from ralph_cli.providers.vendors import clouds, faults, wire

WIRE = "anthropic.messages"
_STOPS = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.TOOL,
    "max_tokens": StopReason.LENGTH,
}


class Anthropic(wire.SdkModel):
    """A Claude model. `timeout_s` limits one attempt, from sending to the last byte of the reply."""

    def __init__(self, model: str, endpoint: Endpoint, timeout_s: float = 600.0) -> None:
        super().__init__(model, endpoint, clouds.address_of(endpoint, "messages"), timeout_s)

    def _connect(self, **options: Any) -> Any:
        return clouds.connect_claude(self._endpoint, self._target, **options)

    def complete(self, request: Request) -> Reply:
        """Answer the request, or raise ProviderError."""
        body = request_body(request, self._target.model, in_cloud=self._endpoint.access is not None)
        reply = wire.call_service(self._target, lambda: self._sdk, "/v1/messages", body, fault)
        return parse_reply(self._target, request, reply)


def load_sdk() -> None:
    """Import the parts of the SDK that a request needs; the SDK may defer each import until the name is used."""
    from anthropic import Anthropic, transform_schema  # noqa: F401


def fault(target: faults.Target, error: Exception) -> ProviderError:
    """Return the ProviderError for any exception of the SDK or of a layer below."""
    import anthropic

    if isinstance(error, anthropic.CredentialsError):
        return target.fault("auth")
    return faults.sdk_fault(target, error, anthropic)


# --- what is sent -----------------------------------------------------------------------------------------------------


def request_body(request: Request, model: str, *, in_cloud: bool = False) -> Json:
    """Return the body for the Messages API. It has no sampling parameters, because the service no longer accepts any.

    Clouds refuse the cache mark of the whole request, so there the mark is on the last block.
    """
    limit = min(request.max_tokens, wire.MAX_TOKENS)
    out: Json = {"model": model, "max_tokens": limit, "messages": messages(request.turns, model)}
    if request.cache and request.shared:
        _mark_shared(out["messages"][0], request.shared)
    if request.system.strip():
        out["system"] = request.system
    if request.tools:
        out["tools"] = [{"name": t.name, "description": t.description, "input_schema": t.schema} for t in request.tools]
        out["tool_choice"] = {"type": "auto"}
    if request.cache and in_cloud:
        _mark_end(out["messages"])
    elif request.cache:
        out["cache_control"] = {"type": "ephemeral"}  # automatic caching: the mark moves along to the last block
    if request.output_schema is not None:
        out["output_config"] = {"format": {"type": "json_schema", "schema": _simplify_schema(request.output_schema)}}
    return out


def messages(turns: tuple[Turn, ...], model: str) -> list[Json]:
    """Return the turns as messages of alternating roles, without empty ones."""
    out: list[Json] = []
    for turn in wire.answer_open_calls(turns):
        role = "assistant" if isinstance(turn, ModelTurn) else "user"
        blocks = _blocks(turn, model)
        if not blocks:
            continue
        if out and out[-1]["role"] == role:
            out[-1]["content"] += blocks
        else:
            out.append({"role": role, "content": blocks})
    return out


def _mark_shared(message: Json, characters: int) -> None:
    """Make the text that other runs share a separate block with a cache mark, because reading the cache requires such a
    mark.
    """
    first, *others = message["content"]
    text = first.get("text", "")
    if message["role"] == "user" and text[:characters].strip() and text[characters:].strip():
        marked = {"type": "text", "text": text[:characters], "cache_control": {"type": "ephemeral"}}
        message["content"] = [marked, {"type": "text", "text": text[characters:]}, *others]


def _mark_end(messages: list[Json]) -> None:
    """Mark everything up to the last block for caching. A model's own message is sent back unchanged, without a
    mark.
    """
    if messages and messages[-1]["role"] == "user":
        *others, last = messages[-1]["content"]
        messages[-1]["content"] = [*others, {**last, "cache_control": {"type": "ephemeral"}}]


def _blocks(turn: Turn, model: str) -> list[Json]:
    match turn:
        case UserTurn(text):
            return _text_blocks(text)
        case ToolTurn(results, note):
            return [_result_block(*result) for result in results] + _text_blocks(note)
        case ModelTurn(text, calls, raw):
            if (content := wire.own_content(raw, WIRE, model, "content")) is not None:
                return [_repair_call(b) for b in content if b.get("type") != "text" or b.get("text", "").strip()]
            # From another model, or from a trace: its text and calls, without its reasoning.
            uses = [{"type": "tool_use", "id": c.id, "name": c.name, "input": wire.call_arguments(c)} for c in calls]
            return _text_blocks(text) + uses


def _text_blocks(text: str) -> list[Json]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _result_block(id_: str, text: str, failed: bool) -> Json:
    block = {"type": "tool_result", "tool_use_id": id_, "content": text or "(no output)"}
    return block | {"is_error": True} if failed else block


def _repair_call(block: Json) -> Json:
    """Return the block unchanged, unless it is a call whose input is not an object, which every later request would
    fail on.
    """
    if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
        return {**block, "input": {"malformed": json.dumps(block.get("input"))}}
    return block


def _simplify_schema(schema: Json) -> Json:
    """Return the schema, reduced by the SDK to what the service supports."""
    import anthropic

    try:
        return anthropic.transform_schema(schema)
    except (ValueError, AssertionError):
        return schema


# --- what comes back --------------------------------------------------------------------------------------------------


def parse_reply(target: faults.Target, request: Request, reply: Json) -> Reply:
    """Return the Reply in a message. Raises ProviderError if there is none."""
    content, reason = reply.get("content"), reply.get("stop_reason")
    if reason == "refusal":
        category = wire.as_object(reply.get("stop_details")).get("category")
        raise target.fault("refusal", str(category or ""), usage_unknown=True)
    if reason == "model_context_window_exceeded":
        raise target.fault("too-long", "the context window is full", usage_unknown=True)
    stop = _STOPS.get(reason) if isinstance(reason, str) else None
    if stop is None or reply.get("type") != "message" or not isinstance(content, list):
        raise target.fault("bad-reply", f"stop reason {reason!r}", usage_unknown=True)
    texts: list[str] = []
    calls: list[ToolCall | None] = []
    for block in content:
        match block:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "tool_use"}:
                may_call = stop is StopReason.TOOL
                calls.append(wire.parse_tool_call(block.get("id"), block.get("name"), block.get("input"), may_call))
            case {"type": str(kind)} if kind != "text":
                pass  # reasoning, and future kinds: sent back, not read
            case _:
                raise target.fault("bad-reply", "an unexpected content block", usage_unknown=True)
    good = wire.require_calls(target, calls, stop)
    if good and stop is StopReason.END:
        stop = StopReason.TOOL  # malformed calls, which also need an answer
    turn = ModelTurn("\n".join(t for t in texts if t), good, {"wire": WIRE, "model": target.model, "content": content})
    return wire.build_reply(target, request, turn, stop, _token_counts(reply.get("usage")), reply)


def _token_counts(usage: Any) -> tuple[Any, ...]:
    """Return the token counts. Claude reports cached tokens separately, so they are added to the input."""
    usage = wire.as_object(usage)
    read, written = usage.get("cache_read_input_tokens"), usage.get("cache_creation_input_tokens")
    return (wire.sum_tokens(usage.get("input_tokens"), read, written), usage.get("output_tokens"), read, written)
