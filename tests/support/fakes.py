"""Fakes that several tests share: a document from a string, a sandbox without isolation for trusted test snippets."""

import contextlib
import hashlib
import io
import os
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ralph_cli.core.document import Document
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import assemble
from ralph_cli.documents.structure.complete import complete
from sandbox import HostQuery, Protections, Result

REAL_CACHE = Path(os.environ.get("RALPH_CACHE_DIR") or "~/.cache/ralph").expanduser()
"""Where the sandbox's runtime is; read once, before a test changes the environment."""


def document(text: str, *, kind: str = "text", path: str = "memo.txt") -> Document:
    """A document of that text; form feeds part its pages."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    parsed = complete(plain_document(text.split("\f")), "text" if kind in ("pdf", "xlsx") else kind)
    return assemble(parsed, path=path, kind=kind, sha256=digest, fingerprint=digest)


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
    ) -> Result:
        self._names["moment"] = time.time() if now is None else now
        self._names["llm_query_batch"] = lambda items: list(query([tuple(item) for item in items]))
        self._names["llm_query"] = lambda prompt, text="": query([(prompt, text)])[0]
        out, error = io.StringIO(), None
        with contextlib.redirect_stdout(out):
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
