"""A model service on the loopback for measuring: scripted replies after a fixed wait, in three wire formats.

python tests/bench/service.py WAIT_MS

Prints its port. A conversation is answered by its last script (`PUT /script`, a JSON list of snippets, of which the
last is the answer), a question without tools by one sentence, and a judge by agreement. `GET /log` gives when each
request was there (seconds of the machine's monotonic clock) and the model that was asked, and forgets them.
"""

import asyncio
import json
import re
import sys
import time
from typing import Any

Json = dict[str, Any]
WAIT_S = float(sys.argv[1]) / 1000 if len(sys.argv) > 1 else 0.05
JUDGED = {"id": 1, "verdict": "supported", "reason": "The quote says it word for word."}

script: list[Any] = []
log: list[tuple[float, str]] = []


def answer(path: str, body: Json) -> Json:
    """The reply to a request in the wire format of its path."""
    turns = body.get("messages") or body.get("input") or []
    turns = [{"role": "user", "content": turns}] if isinstance(turns, str) else turns
    written = sum(turn.get("role") == "assistant" or turn.get("type") == "function_call" for turn in turns)
    text = json.dumps(turns)
    call = None
    if body.get("tools"):
        call = script[min(written, len(script) - 1)]
        said = ""
    elif "verdicts" in json.dumps(body.get("output_config") or body.get("text") or body.get("response_format") or ""):
        said = json.dumps({"verdicts": [JUDGED]} | ({"findings": _findings(text)} if "findings" in str(body) else {}))
    elif "```repl" in text:
        said = script[min(written, len(script) - 1)]
    else:
        said = "This part says nothing of it."
    model, count = body["model"], len(text) // 4
    match path.rsplit("/", 1)[-1]:
        case "messages":
            content = [{"type": "text", "text": said}] if call is None else []
            content += [] if call is None else [{"type": "tool_use", "id": f"t{written}", "name": "act", "input": call}]
            usage = {"input_tokens": count, "output_tokens": 50}
            stop = "end_turn" if call is None else "tool_use"
            reply = {"id": "m", "type": "message", "role": "assistant", "content": content, "stop_reason": stop}
        case "responses":
            text_part = {"type": "output_text", "text": said, "annotations": []}
            message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [text_part]}
            acted = {"id": f"f{written}", "call_id": f"t{written}", "name": "act", "arguments": json.dumps(call)}
            output = [message if call is None else acted | {"type": "function_call", "status": "completed"}]
            usage = {"input_tokens": count, "output_tokens": 50, "total_tokens": count + 50}
            reply = {"id": "r", "object": "response", "created_at": 1, "status": "completed", "output": output}
        case _:
            message = {"role": "assistant", "content": said}
            usage = {"prompt_tokens": count, "completion_tokens": 50, "total_tokens": count + 50}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            reply = {"id": "c", "object": "chat.completion", "created": 1, "choices": [choice]}
    return reply | {"model": model, "usage": usage}


def _findings(text: str) -> list[Json]:
    shown = max(map(int, re.findall(r"[Pp]assage (\d+)", text)), default=0)
    return [
        {"passage": number, "verdict": "none", "reason": "It is about something else."}
        for number in range(1, shown + 1)
    ]


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The requests of one connection."""
    while head := await _read_head(reader):
        path, size = head
        body = json.loads(await reader.readexactly(size) or b"null")
        if path == "/script":
            script[:] = body
            reply: Any = None
        elif path == "/log":
            reply = list(log)
            log.clear()
        else:
            log.append((time.monotonic(), body["model"]))
            await asyncio.sleep(WAIT_S)
            reply = answer(path, body)
        said = json.dumps(reply).encode()
        head_lines = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n"
        writer.write(head_lines.encode() + said)
        await writer.drain()
    writer.close()


async def _read_head(reader: asyncio.StreamReader) -> tuple[str, int] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    size = re.search(r"(?i)\r\ncontent-length: *(\d+)", head)
    return head.split(" ", 2)[1], int(size[1]) if size else 0


async def main() -> None:
    """Serve until killed."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
