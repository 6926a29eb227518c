"""What arrives at the service: turns, calls and their answers, schemas, marks; and what is kept of its replies."""

import json
from typing import Any

import pytest
from fault_server import CANARY, FaultServer, completion, function_call, message, output_text, response, tool_use
from provider_wires import adapter

from ralph_cli.core.model import Json, ModelTurn, Request, StopReason, Tool, ToolCall, ToolTurn, Turn, UserTurn

SCHEMA: Json = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "why": {"type": "string", "default": ""}},
    "required": ["code"],
    "additionalProperties": False,
}
STRICT = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "why": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
    "required": ["code", "why"],
    "additionalProperties": False,
}
TOOL = Tool("py", "Run it.", SCHEMA)
CALLS = (ToolCall("a", "py", {"code": "1"}), ToolCall("b", "py", None, "{half"))
HISTORY: tuple[Turn, ...] = (
    UserTurn("one"),
    UserTurn("two"),
    ModelTurn("thinking aloud", CALLS),
    ToolTurn((("b", "no JSON", True), ("a", "", False)), "you have 3 left"),
    UserTurn("go on"),
)


def sent(server: FaultServer, wire: str, request: Request, fault: str = "good") -> Json:
    """The body that arrives for a request."""
    adapter(wire, server.url(fault)).complete(request)
    return server.seen[-1][3]


def ask(*turns: Turn, **fields: Any) -> Request:
    return Request("worker", fields.pop("system", "Be brief."), turns or (UserTurn("hi"),), **fields)


def test_what_other_runs_begin_with_too_is_a_block_with_a_mark(server: FaultServer) -> None:
    opening = UserTurn("The document: ...\nThe question:\nWho?")
    body = sent(server, "messages", ask(opening, cache=True, shared=18))
    first, rest = body["messages"][0]["content"]
    assert first["cache_control"] == {"type": "ephemeral"} and "cache_control" not in rest
    assert (first["text"], first["text"] + rest["text"]) == ("The document: ...\n", opening.text)


def test_messages_history(server: FaultServer) -> None:
    body = sent(server, "messages", ask(*HISTORY, tools=(TOOL,), cache=True, max_tokens=90_000))
    assert body == {
        "model": "m",
        "max_tokens": 16_000,
        "system": "Be brief.",
        "cache_control": {"type": "ephemeral"},
        "tools": [{"name": "py", "description": "Run it.", "input_schema": SCHEMA}],
        "tool_choice": {"type": "auto"},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "thinking aloud"},
                    {"type": "tool_use", "id": "a", "name": "py", "input": {"code": "1"}},
                    {"type": "tool_use", "id": "b", "name": "py", "input": {"malformed": "{half"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "(no output)"},
                    {"type": "tool_result", "tool_use_id": "b", "content": "no JSON", "is_error": True},
                    {"type": "text", "text": "you have 3 left"},
                    {"type": "text", "text": "go on"},
                ],
            },
        ],
    }


def test_responses_history(server: FaultServer) -> None:
    body = sent(server, "responses", ask(*HISTORY, tools=(TOOL,), cache=True, max_tokens=5))
    tool = {"type": "function", "name": "py", "description": "Run it.", "parameters": STRICT, "strict": True}
    assert body == {
        "model": "m",
        "max_output_tokens": 5,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "instructions": "Be brief.",
        "tools": [tool],
        "tool_choice": "auto",
        "input": [
            {"role": "user", "content": "one"},
            {"role": "user", "content": "two"},
            {"role": "assistant", "content": "thinking aloud"},
            {"type": "function_call", "call_id": "a", "name": "py", "arguments": '{"code": "1"}'},
            {"type": "function_call", "call_id": "b", "name": "py", "arguments": '{"malformed": "{half"}'},
            {"type": "function_call_output", "call_id": "a", "output": "(no output)"},
            {"type": "function_call_output", "call_id": "b", "output": "Error: no JSON"},
            {"role": "user", "content": "you have 3 left"},
            {"role": "user", "content": "go on"},
        ],
    }


def test_chat_history(server: FaultServer) -> None:
    body = sent(server, "chat", ask(*HISTORY, tools=(TOOL,), max_tokens=5))
    function = {"name": "py", "description": "Run it.", "parameters": SCHEMA}
    calls = [
        {"id": "a", "type": "function", "function": {"name": "py", "arguments": '{"code": "1"}'}},
        {"id": "b", "type": "function", "function": {"name": "py", "arguments": '{"malformed": "{half"}'}},
    ]
    assert body == {
        "model": "m",
        "max_tokens": 5,
        "tools": [{"type": "function", "function": function}],
        "tool_choice": "auto",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "one\n\ntwo"},
            {"role": "assistant", "content": "thinking aloud", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "a", "content": "(no output)"},
            {"role": "tool", "tool_call_id": "b", "content": "Error: no JSON"},
            {"role": "user", "content": "you have 3 left\n\ngo on"},
        ],
    }


def test_output_schema(server: FaultServer) -> None:
    request = ask(output_schema=SCHEMA, output_name="my answer")
    plain = sent(server, "messages", request)["output_config"]["format"]
    assert plain["type"] == "json_schema" and plain["schema"]["required"] == ["code"]
    assert plain["schema"]["additionalProperties"] is False
    form = {"type": "json_schema", "name": "my_answer", "schema": STRICT, "strict": True}
    assert sent(server, "responses", request)["text"] == {"format": form}
    inner = {"name": "my_answer", "schema": STRICT, "strict": True}
    assert sent(server, "chat", request)["response_format"] == {"type": "json_schema", "json_schema": inner}


def test_nothing_empty_and_nothing_extra_is_sent(server: FaultServer, wire: str) -> None:
    turns = (UserTurn("hi"), ModelTurn(""), UserTurn(" "), ModelTurn("\n"), UserTurn("again"))
    body = sent(server, wire, ask(*turns, system=""))
    assert not {"system", "instructions", "tools", "tool_choice", "temperature", "top_p", "cache_control"} & set(body)
    said = json.dumps(body.get("messages") or body["input"])
    assert said.count('"role"') == (2 if wire == "responses" else 1) and "hi" in said and "again" in said


@pytest.mark.parametrize("last", [(), (ToolTurn((("a", "1", False),)),), (UserTurn("never mind"),)])
def test_every_call_is_answered(last: tuple[Turn, ...], server: FaultServer, wire: str) -> None:
    body = sent(server, wire, ask(UserTurn("hi"), ModelTurn("", CALLS), *last, tools=(TOOL,)))
    text = json.dumps(body.get("messages") or body["input"])
    name = {"messages": "tool_use_id", "responses": "function_call_output", "chat": "tool_call_id"}[wire]
    assert text.count(f'"{name}"') == 2


def test_key_and_headers(server: FaultServer, wire: str) -> None:
    sent(server, wire, ask())
    headers = server.seen[-1][2]
    assert headers["authorization"] == f"Bearer {CANARY}"
    assert headers["accept-encoding"] == "gzip"


THINKING = [
    {"type": "thinking", "thinking": "hm", "signature": "c2ln", "later": {"x": [1]}},
    {"type": "text", "text": ""},
    {"type": "text", "text": "let me see"},
    tool_use({"code": "1"}, "a"),
]
ITEMS = [
    {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "c2ln", "status": None, "later": 1},
    output_text("let me see") | {"phase": "commentary"},
    function_call('{"code": "1", "why": null}', "a"),
]
SAID = {
    "role": "assistant",
    "content": "let me see",
    "refusal": None,
    "annotations": [],
    "reasoning_content": "hm",
    "tool_calls": [
        {
            "id": "a",
            "type": "function",
            "function": {"name": "py", "arguments": '{"code":"1"}'},
            "extra_content": {"g": 1},
        }
    ],
}


def test_what_the_model_thought_goes_back_unchanged(server: FaultServer, wire: str) -> None:
    replies = {
        "messages": message(stop_reason="tool_use", content=THINKING),
        "responses": response(*ITEMS),
        "chat": completion(SAID, "tool_calls"),
    }
    server.faults["thought"] = lambda h: h.put(200, replies[h.wire])
    reply = adapter(wire, server.url("thought")).complete(ask(tools=(TOOL,)))
    assert reply.text == "let me see" and reply.calls == (ToolCall("a", "py", {"code": "1"}),)
    assert reply.stop is StopReason.TOOL and json.loads(json.dumps(reply.turn.raw)) == reply.turn.raw

    turns = (UserTurn("hi"), reply.turn, ToolTurn((("a", "1", False),)))
    body = sent(server, wire, ask(*turns, tools=(TOOL,)))
    if wire == "messages":
        assert body["messages"][1] == {"role": "assistant", "content": [THINKING[0], *THINKING[2:]]}
    elif wire == "responses":
        assert body["input"][1:4] == ITEMS
    else:
        kept = ("role", "content", "reasoning_content", "tool_calls")
        assert body["messages"][2] == {name: SAID[name] for name in kept}


def test_thoughts_of_another_wire_are_left_out(server: FaultServer, wire: str) -> None:
    for raw in ({"wire": "other", "content": 7}, {"wire": "anthropic.messages", "model": "n"}, "text", [1]):
        turns = (UserTurn("hi"), ModelTurn("said", raw=raw), UserTurn("and?"))
        body = sent(server, wire, ask(*turns))
        assert "said" in json.dumps(body)


def test_nulls_of_the_strict_form_are_dropped(server: FaultServer) -> None:
    text = '{"code": "1", "why": null}'
    server.faults["nulls"] = lambda h: h.one_of(
        None, response(output_text(text)), completion({"role": "assistant", "content": text})
    )
    for wire in ("responses", "chat"):
        reply = adapter(wire, server.url("nulls")).complete(ask(output_schema=SCHEMA))
        assert json.loads(reply.text) == {"code": "1"}


def test_of_several_messages_the_last_is_the_structured_answer(server: FaultServer) -> None:
    server.faults["two"] = lambda h: h.put(200, response(output_text("Looking."), output_text('{"code": "1"}')))
    model = adapter("responses", server.url("two"))
    assert model.complete(ask(output_schema=SCHEMA)).text == '{"code": "1"}'
    assert model.complete(ask()).text == 'Looking.\n{"code": "1"}'


def test_calls_numbered_alike_get_their_own_ids(server: FaultServer) -> None:
    made = [{"type": "function", "function": {"name": "py", "arguments": "{}"}} for _ in range(2)]
    said = {"role": "assistant", "content": None, "tool_calls": made}
    server.faults["alike"] = lambda h: h.put(200, completion(said, "stop"))
    reply = adapter("chat", server.url("alike")).complete(ask(tools=(TOOL,)))
    assert reply.stop is StopReason.TOOL and len({c.id for c in reply.calls}) == 2
    ids = [c.id for c in reply.calls]
    body = sent(server, "chat", ask(UserTurn("hi"), reply.turn, ToolTurn(tuple((i, "1", False) for i in ids))))
    assert [c["id"] for c in body["messages"][2]["tool_calls"]] == ids
    assert [m["tool_call_id"] for m in body["messages"][3:]] == ids


def test_cached_tokens_are_within_the_input(server: FaultServer) -> None:
    counted = {"cached_tokens": 60, "cache_write_tokens": 30}
    claude = {"cache_read_input_tokens": 60, "cache_creation_input_tokens": 30}
    server.faults["cached"] = lambda h: h.one_of(
        message(usage={"input_tokens": 10, "output_tokens": 5} | claude),
        response(usage={"input_tokens": 100, "output_tokens": 5, "input_tokens_details": counted}),
        completion(usage={"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": counted}),
    )
    for wire in ("messages", "responses", "chat"):
        reply = adapter(wire, server.url("cached")).complete(ask())
        usage = reply.usage
        assert (usage.input_tokens, usage.output_tokens) == (100, 5)
        assert (usage.cache_read_tokens, usage.cache_write_tokens) == (60, 30)
        assert usage.usd is None, "the price at an address that is not the vendor's is unknown"
        assert reply.model.endswith(":m-served")
