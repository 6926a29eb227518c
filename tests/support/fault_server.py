"""A model service on the loopback that fails in every way on a list, in three wire formats, and keeps what it gets."""

import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
CANARY = "sk-canary-7f3a9b21c4d8e6f0a5"


def message(**changed: Any) -> Json:
    """An Anthropic message that is right in every way, and then changed."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-served",
        "content": [{"type": "text", "text": "fine"}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7},
    } | changed


def completion(said: Json | None = None, finish: Any = "stop", **changed: Any) -> Json:
    """The same as a chat completion."""
    said = said if said is not None else {"role": "assistant", "content": "fine", "refusal": None}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m-served",
        "choices": [{"index": 0, "message": said, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    } | changed


def output_text(text: Any) -> Json:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def function_call(arguments: Any, id_: Any = "t1", name: str = "py", **changed: Any) -> Json:
    return {
        "type": "function_call",
        "id": "f1",
        "call_id": id_,
        "name": name,
        "arguments": arguments,
        "status": "completed",
    } | changed


def response(*output: Json, **changed: Any) -> Json:
    """The same as a response object."""
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m-served",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": list(output) or [output_text("fine")],
        "usage": {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18},
    } | changed


def tool_use(input_: Any, id_: Any = "t1", name: Any = "py") -> Json:
    return {"type": "tool_use", "id": id_, "name": name, "input": input_}


def chat_calls(*calls: tuple[Any, Any], content: Any = None) -> Json:
    """A chat message with calls of (id, arguments)."""
    made = [{"id": i, "type": "function", "function": {"name": "py", "arguments": a}} for i, a in calls]
    return {"role": "assistant", "content": content, "tool_calls": made}


class Handler(BaseHTTPRequestHandler):
    """Requests go to /<fault>/...; the rest of the path tells the wire format."""

    protocol_version = "HTTP/1.1"
    server: "FaultServer"
    sent: Json

    def log_message(self, *_: Any) -> None:
        """Be silent."""

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("content-length", 0) or 0))
        fault, self.sent = self.path.split("/")[1], json.loads(sent)
        with self.server.lock:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.seen.append((fault, self.path, headers, self.sent))
        try:
            self.server.faults[fault](self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    do_GET = do_POST

    @property
    def wire(self) -> str:
        return "chat" if "/chat/" in self.path else "responses" if "/responses" in self.path else "messages"

    def put(self, status: int, body: Any = None, *, raw: bytes | None = None, **headers: str) -> None:
        data = raw if raw is not None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"content-type": "application/json"} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def error(self, status: int, kind: str, code: str | None = None, said: str = "no", **headers: str) -> None:
        said = f"{said} (key {CANARY})"
        if self.wire == "messages":
            self.put(status, {"type": "error", "error": {"type": kind, "message": said}}, **headers)
        else:
            self.put(status, {"error": {"type": kind, "code": code, "message": said, "param": None}}, **headers)

    def good(self) -> Json:
        return {"messages": message, "chat": completion, "responses": response}[self.wire]()

    def one_of(self, messages: Any, responses: Any, chat: Any) -> None:
        self.put(200, {"messages": messages, "responses": responses, "chat": chat}[self.wire])

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def drip(self, header: bool) -> None:
        """One byte every 50 ms, for ever in effect: no gap is ever long enough for a read timeout."""
        data = json.dumps(self.good()).encode()
        start = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(data)
        if not header:
            self.wfile.write(start)
        for byte in start + data if header else data:
            if self.server.closing.wait(0.05):
                break
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
        self.close_connection = True


class FaultServer(ThreadingHTTPServer):
    """Serves on a free loopback port until closed."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, faults: dict[str, Callable[[Handler], None]]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults = faults
        self.lock = threading.Lock()
        self.seen: list[tuple[str, str, dict[str, str], Json]] = []
        self.closing = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def handle_error(self, *_: Any) -> None:
        """Cut connections are the point here."""

    def url(self, fault: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{fault}"

    def close(self) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()


def _partial(h: Handler) -> None:
    h.send_response(200)
    h.send_header("content-length", "5000")
    h.end_headers()
    h.wfile.write(b'{"id":"msg_1","con')
    h.wfile.flush()
    h.connection.shutdown(socket.SHUT_RDWR)
    h.close_connection = True


def _hang(h: Handler) -> None:
    h.server.closing.wait(30)
    h.close_connection = True


def _raw(change: Callable[[bytes], bytes], **headers: str) -> Callable[[Handler], None]:
    return lambda h: h.put(200, raw=change(json.dumps(h.good()).encode()), **headers)


def _status(status: int, kind: str, code: str | None = None, said: str = "no", **headers: str) -> Any:
    return lambda h: h.error(status, kind, code, said, **headers)


def _body(messages: Any, responses: Any, chat: Any) -> Any:
    return lambda h: h.one_of(messages, responses, chat)


def _redirect(status: int) -> Any:
    return lambda h: h.put(status, {}, location=h.server.url("redirect-target") + "/v1/" + h.wire)


def _usage(messages: Any, other: Any) -> Any:
    return _body(message(usage=messages), response(usage=other), completion(usage=other))


DEEP = b'{"id":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
NO_INPUT = {"output_tokens": 3, "completion_tokens": 3}
STRANGE = {"input_tokens": -5, "output_tokens": "many", "prompt_tokens": -5, "completion_tokens": None}

# fault -> (what the server does, the code expected, or "reply" / "length" / "malformed" / "tool" for a good Reply)
FAULTS: dict[str, tuple[Callable[[Handler], None], str]] = {
    "s400": (_status(400, "invalid_request_error"), "bad-request"),
    "s401": (_status(401, "authentication_error", "invalid_api_key"), "auth"),
    "s402": (_status(402, "billing_error"), "billing"),
    "s403": (_status(403, "permission_error"), "permission"),
    "s404": (_status(404, "not_found_error"), "not-found"),
    "s400-model": (_status(400, "invalid_request_error not_found_error", "model_not_found"), "not-found"),
    "s407": (lambda h: h.put(407, raw=b"proxy"), "permission"),
    "s408": (_status(408, "timeout"), "timeout"),
    "s409": (_status(409, "conflict"), "server"),
    "s413": (_status(413, "request_too_large"), "too-long"),
    "s422": (_status(422, "unprocessable"), "bad-request"),
    "s429": (_status(429, "rate_limit_error"), "rate-limit"),
    "s429-after": (_status(429, "rate_limit_error", retry_after="7"), "rate-limit"),
    "s429-after-ms": (_status(429, "rate_limit_error", retry_after_ms="1500"), "rate-limit"),
    "s429-after-date": (_status(429, "x", retry_after="Wed, 21 Oct 2099 07:28:00 GMT"), "rate-limit"),
    "s429-after-odd": (_status(429, "x", retry_after="soon"), "rate-limit"),
    "s429-no-retry": (_status(429, "rate_limit_error", x_should_retry="false"), "rate-limit"),
    "s429-quota": (_status(429, "insufficient_quota", "insufficient_quota"), "billing"),
    "s429-size": (_status(429, "tokens", "rate_limit_exceeded", "Request too large for m"), "too-long"),
    "s400-credit": (_status(400, "invalid_request_error", None, "Your credit balance is too low"), "billing"),
    "s400-retry": (_status(400, "invalid_request_error", x_should_retry="true"), "bad-request"),
    "s400-context": (
        _status(400, "invalid_request_error", "context_length_exceeded", "prompt is too long: 9 > 8"),
        "too-long",
    ),
    "s400-policy": (_status(400, "content_policy_violation", "content_policy_violation"), "refusal"),
    "s400-text": (lambda h: h.put(400, raw=b"no JSON", content_type="text/plain"), "bad-request"),
    "s400-string": (lambda h: h.put(404, {"error": "model 'm' not found"}), "not-found"),
    "s500": (_status(500, "api_error"), "server"),
    "s502-html": (lambda h: h.put(502, raw=b"<html>502</html>", content_type="text/html"), "server"),
    "s500-gzip": (lambda h: h.put(500, raw=b"not gzip", content_encoding="gzip"), "server"),
    "s503": (_status(503, "api_error"), "server"),
    "s503-overloaded": (_status(503, "overloaded_error"), "overloaded"),
    "s504": (_status(504, "timeout_error"), "timeout"),
    "s529": (_status(529, "overloaded_error"), "overloaded"),
    "r301": (_redirect(301), "not-found"),
    "r302": (_redirect(302), "not-found"),
    "r303": (_redirect(303), "not-found"),
    "r307": (_redirect(307), "not-found"),
    "r308": (_redirect(308), "not-found"),
    "reset": (lambda h: h.reset(), "connection"),
    "partial": (_partial, "connection"),
    "hang": (_hang, "timeout"),
    "drip": (lambda h: h.drip(header=False), "timeout"),
    "b-html": (lambda h: h.put(200, raw=b"<html>log in</html>", content_type="text/html"), "bad-reply"),
    "b-half": (lambda h: h.put(200, raw=b'{"id": "x", '), "bad-reply"),
    "b-empty": (lambda h: h.put(200, raw=b""), "bad-reply"),
    "b-null": (lambda h: h.put(200, None), "bad-reply"),
    "b-object": (lambda h: h.put(200, {}), "bad-reply"),
    "b-list": (lambda h: h.put(200, [1]), "bad-reply"),
    "b-string": (lambda h: h.put(200, "fine"), "bad-reply"),
    "b-error-object": (_status(200, "overloaded_error"), "overloaded"),
    "b-utf8": (_raw(lambda b: b.replace(b"fine", b"f\xff\xfee")), "bad-reply"),
    "b-deep": (lambda h: h.put(200, raw=DEEP), "bad-reply"),
    "b-number": (_raw(lambda b: b.replace(b"11", b"1" * 5000)), "bad-reply"),
    "b-surrogate": (_raw(lambda b: b.replace(b'"fine"', b'"f\\ud800e"')), "reply"),
    "b-controls": (_raw(lambda b: b.replace(b'"fine"', b'"f\\u0000\\u001b]52;c;e\\u0007"')), "reply"),
    "b-gzip": (_raw(gzip.compress, content_encoding="gzip"), "reply"),
    "b-gzip-cut": (_raw(lambda b: gzip.compress(b)[:-4], content_encoding="gzip"), "bad-reply"),
    "b-gzip-false": (lambda h: h.put(200, raw=b"not gzip", content_encoding="gzip"), "bad-reply"),
    "b-bomb": (
        _raw(lambda b: gzip.compress(b.replace(b"m-served", b"A" * 40_000_000), 1), content_encoding="gzip"),
        "bad-reply",
    ),
    "b-huge": (_raw(lambda b: b.replace(b"m-served", b"A" * 34_000_000)), "bad-reply"),
    "b-encoding": (_raw(lambda b: b, content_encoding="br"), "bad-reply"),
    "c-null": (
        _body(message(content=None), response(output=None), completion({"role": "assistant", "content": None})),
        "bad-reply",
    ),
    "c-none": (_body(message(content=[]), response(output=[]), completion(choices=[])), "bad-reply"),
    "c-blank": (
        _body(
            message(content=[{"type": "text", "text": " "}]),
            response(output_text(" ")),
            completion({"role": "assistant", "content": " "}),
        ),
        "bad-reply",
    ),
    "c-string": (_body(message(content="fine"), response(output="fine"), completion(choices="fine")), "bad-reply"),
    "c-odd-item": (
        _body(message(content=[7]), response(output=[7]), completion({"role": "assistant", "content": [7]})),
        "bad-reply",
    ),
    "c-odd-text": (
        _body(
            message(content=[{"type": "text", "text": 7}]),
            response(output_text(None)),
            completion({"role": "assistant", "content": 7}),
        ),
        "bad-reply",
    ),
    "c-new-kind": (
        _body(
            message(content=[{"type": "hologram"}, {"type": "text", "text": "fine"}]),
            response({"type": "hologram"}, output_text("fine")),
            completion({"role": "assistant", "content": "fine", "hologram": 1}),
        ),
        "reply",
    ),
    "c-refusal": (
        _body(
            message(content=[], stop_reason="refusal", stop_details={"type": "refusal", "category": "bio"}),
            response(
                {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I will not"}]}
            ),
            completion({"role": "assistant", "content": None, "refusal": "I will not"}),
        ),
        "refusal",
    ),
    "c-filter": (
        _body(
            message(stop_reason="refusal"),
            response(status="incomplete", incomplete_details={"reason": "content_filter"}),
            completion({"role": "assistant", "content": ""}, "content_filter"),
        ),
        "refusal",
    ),
    "c-length": (
        _body(
            message(stop_reason="max_tokens", content=[{"type": "text", "text": "fi"}, tool_use({"co": "pri"})]),
            response(
                output_text("fi"),
                function_call('{"co": "pri', status="incomplete"),
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            completion(chat_calls(("t1", '{"co": "pri'), content="fi"), "length"),
        ),
        "length",
    ),
    "c-length-thought": (
        _body(
            message(stop_reason="max_tokens", content=[{"type": "thinking", "thinking": "hm", "signature": "s"}]),
            response(
                {"type": "reasoning", "id": "rs", "summary": []},
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            completion({"role": "assistant", "content": None}, "length"),
        ),
        "length",
    ),
    "c-stop-unknown": (
        _body(message(stop_reason="brand_new"), response(status="brand_new"), completion(finish="brand_new")),
        "bad-reply",
    ),
    "c-stop-missing": (
        _body(message(stop_reason=None), response(status=None), completion(finish=None)),
        "bad-reply",
    ),
    "c-stop-odd": (_body(message(stop_reason=["x"]), response(status={}), completion(finish=[])), "bad-reply"),
    "c-paused": (
        _body(message(stop_reason="pause_turn"), response(status="in_progress"), completion(finish="function_call")),
        "bad-reply",
    ),
    "u-missing": (_usage(None, None), "reply"),
    "u-list": (_usage([], []), "reply"),
    "u-partial": (_usage(NO_INPUT, NO_INPUT), "reply"),
    "u-strange": (_usage(STRANGE, STRANGE), "reply"),
    "t-good": (
        _body(
            message(stop_reason="tool_use", content=[tool_use({"code": "1"})]),
            response(function_call('{"code": "1"}')),
            completion(chat_calls(("t1", '{"code": "1"}')), "tool_calls"),
        ),
        "tool",
    ),
    "t-string": (
        _body(
            message(stop_reason="tool_use", content=[tool_use("{not json")]),
            response(function_call("{not json")),
            completion(chat_calls(("t1", "{not json")), "tool_calls"),
        ),
        "malformed",
    ),
    "t-list": (
        _body(
            message(stop_reason="tool_use", content=[tool_use([1])]),
            response(function_call("[1]")),
            completion(chat_calls(("t1", "[1]")), "tool_calls"),
        ),
        "malformed",
    ),
    "t-none": (
        _body(
            message(stop_reason="tool_use", content=[tool_use(None)]),
            response(function_call(None)),
            completion(chat_calls(("t1", None)), "tool_calls"),
        ),
        "malformed",
    ),
    "t-not-meant": (
        _body(
            message(stop_reason="end_turn", content=[tool_use({"code": "1"})]),
            response(function_call('{"code": "1"}', status="in_progress")),
            completion(chat_calls(("t1", '{"code": ')), "stop"),
        ),
        "malformed",
    ),
    "t-no-id": (
        _body(
            message(stop_reason="tool_use", content=[tool_use({}, id_=None)]),
            response(function_call("{}", id_=None)),
            completion({"role": "assistant", "content": None, "tool_calls": [{"function": {}}]}, "tool_calls"),
        ),
        "bad-reply",
    ),
    "t-no-call": (
        _body(
            message(stop_reason="tool_use"),
            response({"type": "reasoning", "id": "rs", "summary": []}),
            completion(finish="tool_calls"),
        ),
        "bad-reply",
    ),
    "good": (lambda h: h.put(200, h.good()), "reply"),
    "redirect-target": (lambda h: h.put(200, h.good()), "reply"),
}
