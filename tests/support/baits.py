"""Baits that nothing in the sandbox may reach, and sandboxes that are shared by many tests."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sandbox import Answer, QueryFailure, ResourceLimits, Sandbox, SandboxUnavailable, open_sandbox
from sandbox.deno.runtime import is_complete, runtime_folder
from sandbox.host import WorkerSandbox
from sandbox.native import NativeEngine

SECRET = "canary-file-51c0ffee"
DEFAULT = ResourceLimits()
ENVIRONMENT_SECRET = "canary-env-0ddba11"
ARMED_WITH = (
    "ctypes", "socket", "subprocess", "signal", "mmap", "multiprocessing", "resource", "select", "sqlite3",
    "_posixsubprocess", "urllib.request", "http.client", "glob", "fileinput", "tempfile", "zipimport",
)  # fmt: skip


@dataclass
class Bait:
    """Things of the host's; `connections` grows when one of its servers is reached."""

    folder: Path
    port: int
    socket_name: str
    connections: list[str] = field(default_factory=list)

    def fill(self, code: str) -> str:
        """The attack's code with real names in it."""
        words = {
            "SECRET": self.folder / "secret.txt",
            "DIR": self.folder,
            "OUT": self.folder / "made-by-the-guest",
            "PORT": self.port,
            "SOCKET": self.socket_name,
            "PPID": os.getpid(),
            "HOME": Path(__file__).parents[2],
            "EMOH": str(Path(__file__).parents[2])[::-1],  # for code that would find itself
        }
        for word, value in words.items():
            code = code.replace(f"@{word}@", str(value))
        return code

    def state(self) -> list[object]:
        """What an attack would change."""
        names = sorted((path.name, path.stat().st_mode, path.stat().st_size) for path in self.folder.iterdir())
        return [names, Path("/tmp/made-by-the-guest").exists(), len(self.connections)]


@pytest.fixture(scope="session")
def cache() -> Path:
    """The user's cache folder, with the runtime in it; the tests never fetch it."""
    folder = Path(os.environ.get("RALPH_CACHE_DIR") or Path.home() / ".cache" / "ralph")
    if not is_complete(runtime_folder(folder)):
        pytest.fail(f"no Pyodide runtime in {folder}: run `ralph doctor --fetch` first", pytrace=False)
    return folder


@pytest.fixture(scope="session")
def bait(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bait]:
    folder = tmp_path_factory.mktemp("bait")
    (folder / "secret.txt").write_text(SECRET)
    (folder / "hostmod.py").write_text(f"SECRET = {SECRET!r}\n")
    (folder / "x.mjs").write_text(f"export default {SECRET!r};\n")
    with zipfile.ZipFile(folder / "hostmod.zip", "w") as archive:
        archive.writestr("hostmod.py", f"SECRET = {SECRET!r}\n")
    connections: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            connections.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_args: object) -> None: ...

    class Server(HTTPServer):
        def verify_request(self, request: object, client: object) -> bool:
            connections.append("connected")
            return True

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    name = f"ralph-canary-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        stack.callback(server.server_close)
        stack.callback(server.shutdown)
        if os.uname().sysname == "Linux":
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(f"\0{name}")
            listener.listen()
            threading.Thread(target=_accept, args=(listener, connections), daemon=True).start()
            stack.callback(listener.shutdown, socket.SHUT_RDWR)
        os.environ["CANARY_API_KEY"] = ENVIRONMENT_SECRET
        stack.callback(os.environ.pop, "CANARY_API_KEY")
        yield Bait(folder, server.server_port, name, connections)


def _accept(listener: socket.socket, connections: list[str]) -> None:
    with contextlib.suppress(OSError):
        while True:
            listener.accept()[0].close()
            connections.append("abstract socket")


Opener = Callable[..., Sandbox]
both = pytest.mark.parametrize("engine", ["pyodide", "native"])
native_first = pytest.mark.parametrize("engine", [pytest.param("pyodide", marks=pytest.mark.full), "native"])
"""For what needs new workers, which pyodide takes seconds to start: `.ci/full` shows it of that engine."""
on_the_host = pytest.mark.parametrize("engine", [pytest.param("pyodide", marks=pytest.mark.full), "native"])
"""For what the host does, which is one program for both engines: a worker of native starts in a tenth of the time."""


@pytest.fixture(scope="session")
def opener(cache: Path) -> Opener:
    """Opens an engine by name; "armed" is native with the modules an attacker would wish for."""

    def open_engine(engine: str, limits: ResourceLimits = DEFAULT) -> Sandbox:
        if engine == "armed":
            return WorkerSandbox(NativeEngine(limits, extra_modules=ARMED_WITH), limits)
        return open_sandbox(engine, cache=cache, limits=limits)

    return open_engine


@pytest.fixture(scope="session")
def shared(opener: Opener) -> Iterator[Callable[..., Sandbox]]:
    """One sandbox for each engine and limits, for all tests: each starts once, and again where a test breaks it."""
    opened: dict[tuple[str, ResourceLimits], Sandbox] = {}

    def get(engine: str, limits: ResourceLimits = DEFAULT) -> Sandbox:
        if (engine, limits) not in opened:
            try:
                opened[engine, limits] = opener(engine, limits)
            except SandboxUnavailable as error:
                pytest.skip(str(error))  # native where it does not exist; pyodide exists wherever the tests run
        return opened[engine, limits]

    yield get
    for sandbox in opened.values():
        sandbox.close()


def answers(pairs: Sequence[tuple[str, str]]) -> list[Answer]:
    """A model that says back what it was asked, and fails if it is asked to."""
    return [QueryFailure("the model said no") if "fail" in prompt else f"A:{prompt}|{text}" for prompt, text in pairs]
