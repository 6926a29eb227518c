"""A model service on the loopback that answers what the contracts say, keeps when it was asked, and caches prompts.

It speaks the Messages API of Anthropic, with its cache of prompts as documented: a prefix is tools, system and messages
up to a block with a mark, or, for a mark of the whole request, up to its last block. A prefix that an earlier request
has marked, at most so many blocks before a mark of this one, is read; what follows up to the last mark is written. A
model whose name begins with "judge" is a judge.
"""

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from ralph_cli.config import Settings

Json = dict[str, Any]

LEAST_TOKENS, MOST_BLOCKS_BACK = 1_024, 20
"""A shorter prefix is not kept; so many blocks before a mark are looked at."""

READ_PRICE, WRITE_PRICE = 0.1, 1.25
"""What a token costs that is read from the cache, or written to it, where one of plain input costs 1."""

ANSWER_TOKENS = 60


@dataclass(frozen=True, slots=True)
class Call:
    """A request: when it came, for which model, and how many tokens of it were plain, read and written."""

    at: float
    model: str
    plain: int
    read: int = 0
    written: int = 0

    @property
    def full_price_tokens(self) -> float:
        """The tokens of plain input that cost as much."""
        return self.plain + READ_PRICE * self.read + WRITE_PRICE * self.written


class PromptCache:
    """The prefixes that were written, by model."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def count(self, request: Json) -> tuple[int, int, int]:
        """Tokens of the request that are plain, read and written."""
        blocks, digest = list(_blocks(request)), hashlib.sha256(str(request["model"]).encode())
        prefixes, total = [], 0
        for text, _ in blocks:
            digest.update(text.encode())
            total += _tokens(text)
            prefixes.append((digest.hexdigest(), total))
        marks = [place for place, (_, marked) in enumerate(blocks) if marked]
        with self._lock:
            read = 0
            for mark in marks:
                for name, size in prefixes[max(mark - MOST_BLOCKS_BACK, 0) : mark + 1]:
                    read = max(read, size if name in self._known else 0)
            written = 0
            for name, size in (prefixes[mark] for mark in marks):
                if size >= LEAST_TOKENS:
                    self._known.add(name)
                    written = max(written, size - read)
        return total - read - written, read, written


def _blocks(request: Json) -> Iterator[tuple[str, bool]]:
    """The blocks of a prompt in the order of the cache, and whether each has a mark."""
    blocks: list[Json] = [*request.get("tools", ()), {"text": request.get("system", "")}]
    for message in request["messages"]:
        content = message["content"]
        blocks += [{"text": content}] if isinstance(content, str) else content
    last = len(blocks) - 1
    for place, block in enumerate(blocks):
        words = {name: value for name, value in block.items() if name != "cache_control"}
        yield (
            json.dumps(words, sort_keys=True),
            "cache_control" in block or (place == last and "cache_control" in request),
        )


def _tokens(text: str) -> int:
    return len(text) // 4


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "ModelService"

    def log_message(self, *_: Any) -> None:
        """Be silent."""

    def do_POST(self) -> None:
        at = time.monotonic()
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        given = self.headers.get("x-api-key") or self.headers.get("authorization", "").removeprefix("Bearer ")
        if self.server.key and given != self.server.key:
            self._put(401, {"type": "error", "error": {"type": "authentication_error", "message": "no"}})
            return
        plain, read, written = self.server.cache.count(request)
        with self.server.lock:
            self.server.calls.append(Call(at, request["model"], plain, read, written))
        time.sleep(self.server.seconds)
        usage = {
            "input_tokens": plain,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "output_tokens": ANSWER_TOKENS,
        }
        self._put(200, {"id": "m", "type": "message", "role": "assistant", "usage": usage, **_answer(request)})

    def _put(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _answer(request: Json) -> Json:
    """The line on the fee that is asked for, or code that looks for it; a judge agrees."""
    text = "\n".join(words for words, _ in _blocks(request)).replace("\\n", "\n")
    if str(request["model"]).startswith("judge"):
        ids = sorted(set(re.findall(r'\\"id\\": (\d+)', text))) or ["1"]
        verdicts = [{"id": int(number), "verdict": "supported", "reason": "it says so"} for number in ids]
        said = [{"type": "text", "text": json.dumps({"verdicts": verdicts})}]
        return {"model": request["model"], "content": said, "stop_reason": "end_turn"}
    fee = next(iter(re.findall(r"What is the (\w+) fee", text)), "")
    line = next(iter(re.findall(rf"The {fee} fee of it is EUR [\d,]+ for all\.", text)), "")
    claims = {"claims": [{"text": line, "quotes": [line]}]}
    search = {"code": f"print([line for line in context.split(chr(10)) if ' {fee} fee' in line][0])"}
    is_whole = "Its beginning:" not in text
    said = claims if line and (is_whole or "tool_result" in text) else search
    call = {
        "type": "tool_use",
        "id": f"t{len(request['messages'])}",
        "name": request["tools"][0]["name"],
        "input": said,
    }
    return {"model": request["model"], "content": [call], "stop_reason": "tool_use"}


def service_settings(service: "ModelService", folder: Path, **more: Any) -> Settings:
    """Settings of runs that ask the service and nobody else; what they leave is in the folder."""
    models = {"model": "anthropic:reader", "subquery_model": "anthropic:reader", "judge_model": "anthropic:judge"}
    service_at = {"anthropic_key": service.key or "key", "anthropic_base_url": service.url}
    folders = {"out": folder / "out", "cache": folder / "cache"}
    return Settings(**{"max_cost": "none", "refresh": True, **models, **service_at, **folders, **more})


class ModelService(ThreadingHTTPServer):
    """Serves on a free port of the loopback until it is closed; an answer takes `seconds`."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, seconds: float = 0.0, key: str = "") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seconds, self.key = seconds, key
        self.lock = threading.Lock()
        self.calls: list[Call] = []
        self.cache = PromptCache()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def full_price_tokens(self) -> float:
        """The tokens of plain input that cost as much as all that was sent."""
        return sum(call.full_price_tokens for call in self.calls)

    def most_within(self, seconds: float) -> int:
        """The most requests that came in any time of so many seconds."""
        times = sorted(call.at for call in self.calls)
        return max((sum(begin <= at < begin + seconds for at in times) for begin in times), default=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.shutdown()
        self.server_close()
