"""Fakes that several tests share: a document from a string, a sandbox without isolation for trusted test snippets."""

import hashlib
import io
import json
import os
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ralph_cli.core.document import Document
from ralph_cli.core.model import Model, Reply, Request, Usage
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import assemble
from ralph_cli.documents.structure.complete import complete
from ralph_cli.providers.scripted import Script, ScriptedModel, text_reply, tool_reply
from sandbox import HostQuery, Protections, Result, refuse_to_delegate

REAL_CACHE = Path(os.environ.get("RALPH_CACHE_DIR") or "~/.cache/ralph").expanduser()
"""Where the sandbox's runtime is; read once, before a test changes the environment."""


def document(text: str, *, kind: str = "text", path: str = "memo.txt") -> Document:
    """A document of that text; form feeds part its pages."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    parsed = complete(plain_document(text.split("\f")), "text" if kind in ("pdf", "xlsx") else kind)
    return assemble(parsed, path=path, kind=kind, sha256=digest, fingerprint=digest)


def second_reader(request: Request, usage: Usage = Usage()) -> Reply | None:
    """What a second reader says that finds nothing: all that is said to be absent is, and no list lacks an item.

    None for a request to any other agent, so that a judge can say `second_reader(request) or ...`.
    """
    if request.agent not in ("absence", "list"):
        return None
    if "looks" in (request.output_schema or {}).get("properties", {}):
        said: dict[str, object] = {"looks": [{"kind": "find", "what": "anything of it", "document": ""}]}
    elif request.agent == "list":
        said = {"missing": [], "reason": "I found no other."}
    else:
        ids = range(1, len(request.inputs["statements"]) + 1)
        said = {"verdicts": [{"id": n, "verdict": "absent", "reason": NOT_THERE, "passages": []} for n in ids]}
    return text_reply(json.dumps(said), usage=usage)


NOT_THERE = "Nothing of the kind is said."
ABSENT = text_reply(json.dumps({"verdicts": [{"id": 1, "verdict": "absent", "reason": NOT_THERE, "passages": []}]}))
"""The reply of a second reader that finds one statement to be true: for judges whose replies are a list."""


class FakeSandbox:
    """Runs snippets in this process: only for snippets that a test wrote. `before_start` may wait or fail."""

    def __init__(self, before_start: Callable[[], None] = lambda: None) -> None:
        self.started = False
        self.closed = False
        self._before_start = before_start
        self._names: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return "fake"

    @property
    def walls(self) -> Protections:
        return {}

    def start(self) -> None:
        self._before_start()
        self.started = True

    def load(self, context: str, pages: Sequence[tuple[int, str, int, int]]) -> None:
        self._names |= {"context": context, "pages": list(pages)}

    def define(self, code: str, offered: Sequence[str]) -> None:
        exec(code, self._names)

    def run(
        self,
        code: str,
        query: HostQuery,
        *,
        seconds: float | None = None,
        watched: Collection[int] = (),
        now: float | None = None,
        delegate: HostQuery = refuse_to_delegate,
    ) -> Result:
        self._names["_delegate"] = lambda items: list(delegate(items))
        self._names["moment"] = time.time() if now is None else now
        self._names["llm_query_batch"] = lambda items: list(query([tuple(item) for item in items]))
        self._names["llm_query"] = lambda prompt, text="": query([(prompt, text)])[0]
        out, error = io.StringIO(), None
        self._names["print"] = partial(print, file=out)  # several may run beside each other
        try:
            exec(code, self._names)
        except Exception as fault:  # noqa: BLE001 - whatever a snippet raises is its result
            error = f"{type(fault).__name__}: {fault}"
        return Result(out.getvalue(), len(out.getvalue()), None, error, False, 0.0, (), tuple(watched))

    def close(self) -> None:
        self.closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def hand_in(*claims: object) -> Reply:
    """A worker's reply that hands in these claims."""
    return tool_reply({"claims": list(claims)})


def script_models(worker: Script, judge: Script) -> dict[str, Model]:
    """A worker and a judge of two vendors that follow these scripts; no sub-query is asked."""
    return {
        "worker": ScriptedModel(worker, vendor="a"),
        "judge": ScriptedModel(judge, vendor="b"),
        "subquery": ScriptedModel([]),
    }
