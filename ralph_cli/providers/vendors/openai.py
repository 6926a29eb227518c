"""GPT models through the Responses API, and all servers and clouds that support Chat Completions."""

import json
from dataclasses import replace
from typing import Any

from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, StopReason, Tool, ToolCall, ToolTurn, UserTurn
from ralph_cli.providers.endpoint import Api, Endpoint, is_own_service
from ralph_cli.providers.vendors import clouds, faults, schemas, wire

RESPONSES = "openai.responses"
CHAT = "openai.chat"
_CHAT_STOPS = {"stop": StopReason.END, "tool_calls": StopReason.TOOL, "length": StopReason.LENGTH}
_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")


class OpenAI(wire.SdkModel):
    """A model with one of OpenAI's two wire formats. `timeout_s` limits one attempt, up to the reply's last byte."""

    def __init__(self, model: str, endpoint: Endpoint, timeout_s: float = 600.0, api: Api = "responses") -> None:
        super().__init__(model, endpoint, clouds.address_of(endpoint, api), timeout_s)
        self.api = api

    def _connect(self, **options: Any) -> Any:
        return clouds.connect_openai(self._endpoint, self._target, **options)

    def complete(self, request: Request) -> Reply:
        """Answer the request, or raise ProviderError."""
        target = self._target
        if self.api == "responses":
            path, parse = "/responses", parse_responses_reply
            body = responses_body(request, target.model)
        else:
            path, parse = "/chat/completions", parse_chat_reply
            own_service = self._endpoint.access is not None or is_own_service(self.vendor, target.base_url)
            body = chat_body(request, target.model, own_service=own_service)
        return parse(target, request, wire.call_service(target, lambda: self._sdk, path, body, fault))


def load_sdk() -> None:
    """Import the parts of the SDK that a request needs; the SDK may defer each import until the name is used."""
    from openai import OpenAI  # noqa: F401


def fault(target: faults.Target, error: Exception) -> ProviderError:
    """Return the ProviderError for any exception of the SDK or of a layer below."""
    import openai

    if isinstance(error, openai.ContentFilterFinishReasonError):
        return target.fault("refusal", usage_unknown=True)
    return faults.sdk_fault(target, error, openai)


# --- Responses --------------------------------------------------------------------------------------------------------


def responses_body(request: Request, model: str) -> Json:
    """Return the body for the Responses API. Nothing is stored there, so reasoning comes encrypted and is sent back."""
    out: Json = {
        "model": model,
        "max_output_tokens": _output_limit(request),
        "input": _input_items(request, model),
        "store": False,
        "include": ["reasoning.encrypted_content"],
    }
    if request.system.strip():
        out["instructions"] = request.system
    if request.tools:
        out["tools"] = [_function_tool(tool) for tool in request.tools]
        out["tool_choice"] = "auto"
    if request.output_schema is not None:
        out["text"] = {"format": {"type": "json_schema", **_output_format(request)}}
    return out


def _function_tool(tool: Tool) -> Json:
    strict = schemas.to_strict(tool.schema)
    form = {"parameters": tool.schema if strict is None else strict, "strict": strict is not None}
    return {"type": "function", "name": tool.name, "description": tool.description, **form}


def _output_format(request: Request) -> Json:
    schema = request.output_schema or {}
    strict = schemas.to_strict(schema)
    name = schemas.identifier(request.output_name)
    return {"name": name, "schema": strict or schema, "strict": strict is not None}


def _output_limit(request: Request) -> int:
    return min(request.max_tokens, wire.MAX_TOKENS)


def _input_items(request: Request, model: str) -> list[Json]:
    out: list[Json] = []
    for turn in wire.answer_open_calls(request.turns):
        match turn:
            case UserTurn(text):
                out += _as_messages("user", text)
            case ToolTurn(results, note):
                out += [
                    {"type": "function_call_output", "call_id": i, "output": _result_text(t, e)} for i, t, e in results
                ]
                out += _as_messages("user", note)
            case ModelTurn(text, calls, raw):
                if (output := wire.own_content(raw, RESPONSES, model, "output")) is not None:
                    out += [_repair_call(item) for item in output]
                    continue
                out += _as_messages("assistant", text)
                for call in calls:
                    named = {"type": "function_call", "call_id": call.id, "name": call.name}
                    out.append(named | {"arguments": _arguments_json(call)})
    return out


def _as_messages(role: str, text: str) -> list[Json]:
    return [{"role": role, "content": text}] if text.strip() else []


def _result_text(text: str, failed: bool) -> str:
    """Return the text of a call's result. OpenAI's formats cannot mark a failed call, so the text says it."""
    return f"Error: {text}" if failed else text or "(no output)"


def _arguments_json(call: ToolCall) -> str:
    return json.dumps(wire.call_arguments(call), ensure_ascii=False)


def _repair_call(item: Json) -> Json:
    """Return the item unchanged, unless it is a call whose arguments are not an object, which some servers refuse."""
    if item.get("type") != "function_call":
        return item
    call = wire.parse_tool_call("-", "-", item.get("arguments"))
    return item if call is None or call.arguments is not None else {**item, "arguments": _arguments_json(call)}


def parse_responses_reply(target: faults.Target, request: Request, reply: Json) -> Reply:
    """Return the Reply in a response object. Raises ProviderError if there is none."""
    output, status = reply.get("output"), reply.get("status")
    reason = wire.as_object(reply.get("incomplete_details")).get("reason")
    if reason == "content_filter":
        raise target.fault("refusal", "content filter", usage_unknown=True)
    tokens = _token_counts(reply.get("usage"), "input_tokens", "output_tokens")
    # llama.cpp reports "completed" for every reply; a reply of the maximum length was cut off.
    is_full = isinstance(tokens[1], int) and tokens[1] >= _output_limit(request)
    cut = is_full if status == "completed" else status == "incomplete" and reason == "max_output_tokens"
    if not isinstance(output, list) or not (cut or status == "completed"):
        raise target.fault("bad-reply", f"status {status!r}, {reason!r}", usage_unknown=True)
    texts: list[str] = []
    calls: list[ToolCall | None] = []
    for item in output:
        match item:
            case {"type": "message", "content": list(parts)}:
                texts.append(_join_parts(target, parts))
            case {"type": "function_call"}:
                done = item.get("status") in (None, "completed")
                calls.append(wire.parse_tool_call(item.get("call_id"), item.get("name"), item.get("arguments"), done))
            case {"type": str(kind)} if kind != "message":
                pass  # reasoning, and future kinds: sent back, not read
            case _:
                raise target.fault("bad-reply", "an unexpected output item", usage_unknown=True)
    raw = {"wire": RESPONSES, "model": target.model, "output": output}
    # If there are several messages, the last one is the answer, and the earlier ones are commentary.
    text = texts[-1] if texts and request.output_schema is not None else "\n".join(t for t in texts if t)
    stop = StopReason.LENGTH if cut else StopReason.TOOL if calls else StopReason.END
    turn = _build_turn(target, request, text, calls, raw, stop)
    return wire.build_reply(target, request, turn, stop, tokens, reply)


def _join_parts(target: faults.Target, parts: list[Any]) -> str:
    """Return the text of a message in parts. Raises ProviderError for a refusal among them."""
    texts: list[str] = []
    for part in parts:
        match part:
            case {"type": "output_text" | "text", "text": str(text)}:
                texts.append(text)
            case {"type": "refusal"}:
                raise target.fault("refusal", str(part.get("refusal") or ""), usage_unknown=True)
            case _:
                raise target.fault("bad-reply", "an unexpected message part", usage_unknown=True)
    return "".join(texts)


def _build_turn(
    target: faults.Target, request: Request, text: str, calls: list[ToolCall | None], raw: Json | None, stop: StopReason
) -> ModelTurn:
    """Return the turn, without the nulls that the strict form of a schema requires."""
    tools = {tool.name: tool.schema for tool in request.tools}
    good = tuple(
        ToolCall(c.id, c.name, schemas.without_nulls(c.arguments, tools[c.name]))
        if c.arguments is not None and c.name in tools
        else c
        for c in wire.require_calls(target, calls, stop)
    )
    if request.output_schema is not None and stop is StopReason.END:
        text = schemas.text_without_nulls(text, request.output_schema)
    return ModelTurn(text, good, raw)


def _token_counts(usage: Any, input_name: str, output_name: str) -> tuple[Any, ...]:
    """Return the token counts; OpenAI includes cached tokens in the input."""
    usage = wire.as_object(usage)
    details = wire.as_object(usage.get(f"{input_name}_details"))
    cached, written = details.get("cached_tokens"), details.get("cache_write_tokens")
    return usage.get(input_name), usage.get(output_name), cached, written


# --- Chat Completions -------------------------------------------------------------------------------------------------


def chat_body(request: Request, model: str, *, own_service: bool) -> Json:
    """Return the body for a Chat Completions API. Other servers use the older name of the token limit."""
    out: Json = {
        "model": model,
        "max_completion_tokens" if own_service else "max_tokens": _output_limit(request),
        "messages": _as_messages("system", request.system) + _messages(request, model),
    }
    if request.tools:
        forms = [{"name": t.name, "description": t.description, "parameters": t.schema} for t in request.tools]
        out["tools"] = [{"type": "function", "function": form} for form in forms]
        out["tool_choice"] = "auto"
    if request.output_schema is not None:
        out["response_format"] = {"type": "json_schema", "json_schema": _output_format(request)}
    return out


def _messages(request: Request, model: str) -> list[Json]:
    out: list[Json] = []
    for turn in wire.answer_open_calls(request.turns):
        match turn:
            case UserTurn(text):
                _append_alternating(out, _as_messages("user", text))
            case ToolTurn(results, note):
                out += [{"role": "tool", "tool_call_id": i, "content": _result_text(t, e)} for i, t, e in results]
                _append_alternating(out, _as_messages("user", note))
            case ModelTurn(text, calls, raw):
                message = wire.own_content(raw, CHAT, model, "message") or {}
                _append_alternating(out, _assistant_message(text, calls, message))
    return out


def _append_alternating(out: list[Json], messages: list[Json]) -> None:
    """Append messages, and join consecutive user messages, because the templates of local models require alternating
    turns.
    """
    for message in messages:
        if out and out[-1]["role"] == message["role"] == "user":
            out[-1]["content"] += "\n\n" + message["content"]
        else:
            out.append(message)


def _assistant_message(text: str, calls: tuple[ToolCall, ...], raw: Json) -> list[Json]:
    """Return a turn of the model with its own calls unchanged (they may carry signatures), without reply-only
    fields.
    """
    if not calls:
        return _as_messages("assistant", text)
    written: Any = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": _arguments_json(c)}} for c in calls
    ]
    recorded_calls: Any = raw.get("tool_calls")
    sent_ids = [c.get("id") for c in recorded_calls] if isinstance(recorded_calls, list) else []
    if sent_ids == [c.id for c in calls] and all(c.arguments is not None for c in calls):
        written = recorded_calls
    thoughts = {name: raw[name] for name in _REASONING_FIELDS if raw.get(name)}
    return [{"role": "assistant", "content": text or None, "tool_calls": written} | thoughts]


def parse_chat_reply(target: faults.Target, request: Request, reply: Json) -> Reply:
    """Return the Reply in a chat completion. Raises ProviderError if there is none."""
    match reply.get("choices"):
        case [{"message": dict(message), **choice}, *_]:
            pass
        case _:
            raise target.fault("bad-reply", "no choices", usage_unknown=True)
    reason = choice.get("finish_reason")
    if reason == "content_filter" or message.get("refusal"):
        raise target.fault("refusal", str(message.get("refusal") or "content filter"), usage_unknown=True)
    stop = _CHAT_STOPS.get(reason) if isinstance(reason, str) else None
    content, written = message.get("content"), message.get("tool_calls") or []
    if stop is None or not isinstance(content, str | list | None) or not isinstance(written, list):
        raise target.fault("bad-reply", f"finish reason {reason!r}", usage_unknown=True)
    text = _join_parts(target, content) if isinstance(content, list) else content or ""
    calls = _with_different_ids([_parse_chat_call(item) for item in written])
    raw: Json = {"wire": CHAT, "model": target.model, "message": message}
    if stop is not StopReason.LENGTH:
        # Other servers also report "stop" after complete calls; the JSON shows whether the calls are complete.
        stop = StopReason.TOOL if calls else stop
        if stop is StopReason.TOOL and not calls:
            raise target.fault("bad-reply", "it stopped for a tool call but made none", usage_unknown=True)
    turn = _build_turn(target, request, text, calls, raw, stop)
    tokens = _token_counts(reply.get("usage"), "prompt_tokens", "completion_tokens")
    return wire.build_reply(target, request, turn, stop, tokens, reply)


def _with_different_ids(calls: list[ToolCall | None]) -> list[ToolCall | None]:
    """Return the calls, numbered if two have the same id, because some local servers give all calls the same id, or
    none.
    """
    ids = [call.id for call in calls if call is not None]
    if len(set(ids)) == len(ids):
        return calls
    return [call and replace(call, id=f"{call.id}-{number}") for number, call in enumerate(calls)]


def _parse_chat_call(item: Any) -> ToolCall | None:
    match item:
        case {"function": {"name": str(name), **function}}:
            id_ = item.get("id")
            id_ = id_ if isinstance(id_, str) and id_ else "call"
            return wire.parse_tool_call(id_, name, function.get("arguments"))
    return None
