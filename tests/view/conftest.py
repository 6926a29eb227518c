"""A folder of runs that the local pages show, and what is asked of them without a browser."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from fakes import FakeSandbox
from sample_run import Words, sample_run
from starlette.testclient import TestClient
from test_ask import MEMO

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.events import AnyEvent, RunHalted, RunStarted
from ralph_cli.journal.consistency import find_inconsistency
from ralph_cli.journal.store import Journal, JournalRow, write_journal
from ralph_cli.view import following
from ralph_cli.view.server import make_app

TOKEN = "t0ken"


def _scope(path: str) -> dict[str, Any]:
    path = f"/{TOKEN}/{path}"
    return {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")], "http_version": "1.1", "scheme": "http", "root_path": "",
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of the folder `out`, without a server: `get` and `post` take what follows the token."""

    out: Path
    app: Any
    client: TestClient

    def get(self, path: str, **headers: str) -> Any:
        """The response to a request."""
        return self.client.get(f"/{TOKEN}/{path}", headers=headers)

    def post(self, path: str, value: object, **headers: str) -> Any:
        """The response to a request with that JSON, from a page of the server if nothing else is said."""
        usual = {"content-type": "application/json", "origin": "http://127.0.0.1"}
        sent = {**usual, **{name.replace("_", "-"): text for name, text in headers.items()}}
        return self.client.post(f"/{TOKEN}/{path}", content=json.dumps(value), headers=sent)

    def fetch(self, path: str) -> tuple[int, str]:
        """Status and text of the response to a request whose path no client has tidied up."""
        found: list[Any] = []

        async def receive() -> Any:
            await asyncio.sleep(20)  # nobody leaves

        async def send(message: Any) -> None:
            found.append(message)

        asyncio.run(self.app(_scope(unquote(path)), receive, send))
        return found[0]["status"], b"".join(message.get("body", b"") for message in found).decode()

    def follow(
        self, path: str, *, until: Callable[[list[Any]], bool] | None = None, then: Callable[[], None] | None = None
    ) -> list[Any]:
        """The events of a stream as (kind, value), until they are what is waited for: without a word the first "read".

        `then` is done when all is told that was there at first.
        """
        found: list[Any] = []
        done = asyncio.Event()
        todo = [then] if then else []

        async def receive() -> Any:
            await done.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            for block in message.get("body", b"").decode().split("\n\n"):
                if block:
                    kind, data = block.split("\n", 1)
                    found.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
            if todo and any(kind in ("read", "state") for kind, _ in found):
                todo.pop()()
            elif not todo and found and (until(found) if until else found[-1][0] == "read"):
                done.set()

        async def read() -> None:
            await asyncio.wait_for(self.app(_scope(path), receive, send), 20)

        asyncio.run(read())
        return found


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Site]:
    """Pages of a folder; `more` is given to `make_app`."""
    monkeypatch.setattr(following, "SECONDS_BETWEEN_LOOKS", 0.02)

    def start(out: Path, **more: Any) -> Site:
        out.mkdir(exist_ok=True)
        app = make_app(out, Settings(out=out, cache=out.parent / "cache"), TOKEN, "Ann", **more)
        return Site(out, app, TestClient(app, base_url="http://127.0.0.1"))

    return start


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., str]:
    """Asks the built-in engine, and gives the name of the run in `out`."""

    def start(document: Any = MEMO, question: str = "What is the rent?", out: str = "out") -> str:
        settings = Settings(out=tmp_path / out, cache=tmp_path / "cache")
        return ask(document, question, settings=settings, engine=FakeSandbox).folder.name

    return start


def rows_of(words: Words | None, name: str, **options: bool) -> list[JournalRow]:
    """What the journal of the sample run would hold, with those words in it."""
    events: tuple[AnyEvent, ...] = sample_run(words, **options)[0].events
    return [
        JournalRow("2026-01-02T03:04:06Z", replace(event, run=name) if isinstance(event, RunStarted) else event)
        for event in events
        if not find_inconsistency(event)  # its first step refers to a quote of the second
    ]


@pytest.fixture
def forge(tmp_path: Path) -> Callable[..., Path]:
    """Writes the sample run with other words under a name, in `out` or the folder that is given."""

    def write(name: str, words: Words | None = None, folder: Path | None = None, **options: bool) -> Path:
        target = (folder or tmp_path / "out") / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_journal(target, rows_of(words, name, **options))
        return target

    return write


@pytest.fixture
def running(tmp_path: Path) -> Callable[..., Any]:
    """Begins the sample run, and gives what goes on with it: each call writes an event, and the last one ends it."""

    def begin(name: str, folder: Path | None = None) -> Any:
        target = (folder or tmp_path / "out") / name
        target.parent.mkdir(parents=True, exist_ok=True)
        journal = Journal(target)
        rows = iter(rows_of(None, name))

        def step(*, whole: bool = False) -> None:
            for row in rows:
                journal(row.event)
                if isinstance(row.event, RunHalted):
                    journal.close()
                if not whole:
                    return

        step()
        step.journal = journal  # type: ignore[attr-defined]
        return step

    return begin
