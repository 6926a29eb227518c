"""Tries on this machine whether an engine works and whether its walls hold; for `ralph doctor` and the tests."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.engines import DEFAULT_LIMITS, open_sandbox
from sandbox.interface import Answer, ResourceLimits, Result, Sandbox, SandboxFailure, SandboxUnavailable

SECRET = "canary-7f3a9c"
# What Emscripten and CPython set in the guest's own, virtual environment; nothing of it comes from the host.
VIRTUAL_NAMES = frozenset((
    "USER", "LOGNAME", "PATH", "PWD", "HOME", "LANG", "_", "PYTHONHASHSEED", "PYTHONINSPECT", "LD_LIBRARY_PATH",
    "LC_CTYPE",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried: its name, whether it went as it must, and what was seen."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ForbiddenTargets:
    """What the guest must not reach: a folder with a secret file, and a listening socket on the loopback."""

    folder: Path
    listener: socket.socket

    @property
    def port(self) -> int:
        """Port of the listener on 127.0.0.1."""
        return int(self.listener.getsockname()[1])

    def was_connected(self) -> bool:
        """Whether anybody has connected since the last time."""
        try:
            self.listener.accept()[0].close()
        except BlockingIOError:
            return False
        return True


def check(
    engine: str,
    *,
    cache: Path,
    limits: ResourceLimits = DEFAULT_LIMITS,
    fetch_env: Mapping[str, str] | None = None,
    on_wait: Callable[[str], None] | None = None,
) -> list[Check]:
    """Open the engine and try it; an engine that does not run is one failed check, not an exception."""
    try:
        with open_sandbox(engine, cache=cache, limits=limits, fetch_env=fetch_env, on_wait=on_wait) as sandbox:
            return check_sandbox(sandbox)
    except (SandboxUnavailable, SandboxFailure) as error:
        return [Check("start", False, str(error))]


def check_sandbox(sandbox: Sandbox) -> list[Check]:
    """Try a sandbox; starts it, replaces its document, and raises what `Sandbox.start` raises."""
    sandbox.start()
    with tempfile.TemporaryDirectory(prefix="ralph-check-") as folder, socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        bait = ForbiddenTargets(Path(folder), server)
        (bait.folder / "secret.txt").write_text(SECRET, encoding="ascii")
        probes: list[tuple[str, Callable[[Sandbox, ForbiddenTargets], tuple[bool, str]]]] = [
            ("runs a snippet", _computes),
            ("keeps its variables", _keeps_state),
            ("sees the document", _sees_document),
            ("asks sub-queries", _asks),
            ("cannot read a file", _cannot_read),
            ("cannot see the environment", _cannot_see_environment),
            ("cannot connect", _cannot_connect),
            ("cannot write", _cannot_write),
            ("cannot start a program", _cannot_spawn),
            ("its protections are active", _protections_hold),
        ]
        return [Check(name, *probe(sandbox, bait)) for name, probe in probes]


def _echo_queries(pairs: Sequence[tuple[str, str]]) -> list[Answer]:
    return [f"{prompt}/{text}" for prompt, text in pairs]


def _run(sandbox: Sandbox, code: str) -> Result:
    return sandbox.run(code, _echo_queries)


def _describe_result(result: Result) -> str:
    """The one line that tells most about a result."""
    text = result.error or result.value or result.stdout
    return text.strip().splitlines()[-1][:200] if text.strip() else "no output"


def _computes(sandbox: Sandbox, _bait: ForbiddenTargets) -> tuple[bool, str]:
    result = _run(sandbox, "print('out')\n1 + 1")
    return (result.stdout, result.value, result.error) == ("out\n", "2", None), _describe_result(result)


def _keeps_state(sandbox: Sandbox, _bait: ForbiddenTargets) -> tuple[bool, str]:
    _run(sandbox, "kept = 41")
    result = _run(sandbox, "kept + 1")
    return result.value == "42", _describe_result(result)


def _sees_document(sandbox: Sandbox, _bait: ForbiddenTargets) -> tuple[bool, str]:
    sandbox.load("a\U0001f600b", [(1, "i", 0, 3)])
    result = _run(sandbox, "(context[2], len(context), pages)")
    return result.value == "('b', 3, [(1, 'i', 0, 3)])", _describe_result(result)


def _asks(sandbox: Sandbox, _bait: ForbiddenTargets) -> tuple[bool, str]:
    result = _run(sandbox, "[llm_query('p', 't'), *llm_query_batch(['q', ('r', 's')])]")
    return result.value == "['p/t', 'q/', 'r/s']", _describe_result(result)


def _cannot_read(sandbox: Sandbox, bait: ForbiddenTargets) -> tuple[bool, str]:
    path = str(bait.folder / "secret.txt")
    result = _run(sandbox, f"print(open({path!r}).read())")
    return result.error is not None and SECRET not in result.stdout, _describe_result(result)


def _cannot_see_environment(sandbox: Sandbox, _bait: ForbiddenTargets) -> tuple[bool, str]:
    result = _run(sandbox, "import os\nprint(*sorted(os.environ))\nprint(os.environ.get('HOME', '/home/pyodide'))")
    lines = result.stdout.splitlines()
    clean = len(lines) == 2 and set(lines[0].split()) <= VIRTUAL_NAMES and lines[1] == "/home/pyodide"
    return clean, "nothing of the host's" if clean else "; ".join(lines)[:200] or _describe_result(result)


def _cannot_connect(sandbox: Sandbox, bait: ForbiddenTargets) -> tuple[bool, str]:
    result = _run(sandbox, f"import socket\nsocket.create_connection(('127.0.0.1', {bait.port}), 2)")
    return result.error is not None and not bait.was_connected(), _describe_result(result)


def _cannot_write(sandbox: Sandbox, bait: ForbiddenTargets) -> tuple[bool, str]:
    """A file in the interpreter's own memory is no matter: what counts is the host's disk."""
    path = bait.folder / "written"
    code = f"import os\nos.makedirs({str(bait.folder)!r}, exist_ok=True)\nopen({str(path)!r}, 'w').write('x')"
    result = _run(sandbox, code)
    return not path.exists(), "in memory only" if result.error is None else _describe_result(result)


def _cannot_spawn(sandbox: Sandbox, bait: ForbiddenTargets) -> tuple[bool, str]:
    path = bait.folder / "spawned"
    result = _run(sandbox, f"import subprocess\nsubprocess.run(['touch', {str(path)!r}], check=True)")
    return result.error is not None and not path.exists(), _describe_result(result)


def _protections_hold(sandbox: Sandbox, _bait: ForbiddenTargets) -> tuple[bool, str]:
    """The wall an engine cannot do without must hold; the others are reported."""
    walls = sandbox.walls
    needed = "seccomp" if sandbox.name == "native" else "deno permissions"
    told = ", ".join(
        f"{name}: {'no' if not state else state if state is not True else 'yes'}" for name, state in walls.items()
    )
    return bool(walls.get(needed)), told or "none"
