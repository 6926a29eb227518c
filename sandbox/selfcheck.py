"""Tries whether an engine works on this machine and whether its walls hold; for `ralph doctor` and the tests."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.engines import open_sandbox
from sandbox.interface import KERNEL_WALLS, Result, Sandbox, SandboxFailure, SandboxUnavailable, missing_walls

SECRET = "canary-7f3a9c"
# What Emscripten and CPython set in the guest's virtual environment. None of it comes from the host.
VIRTUAL_NAMES = frozenset((
    "USER", "LOGNAME", "PATH", "PWD", "HOME", "LANG", "_", "PYTHONHASHSEED", "PYTHONINSPECT", "LD_LIBRARY_PATH",
    "LC_CTYPE",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, whether it passed, and what was seen.

    `ok` is None for a missing wall that the engine can do without.
    """

    name: str
    ok: bool | None
    detail: str


def check(
    engine: str,
    *,
    cache: Path,
    fetch_env: Mapping[str, str] | None = None,
    on_wait: Callable[[str], None] = lambda _: None,
    ahead: str = "",
) -> list[Check]:
    """Open the engine and check it. An engine that does not start is a failed check, not an exception."""
    try:
        with open_sandbox(engine, cache=cache, fetch_env=fetch_env, on_wait=on_wait, ahead=ahead) as sandbox:
            return check_sandbox(sandbox)
    except (SandboxUnavailable, SandboxFailure) as error:
        return [Check("start", False, str(error))]


def check_sandbox(sandbox: Sandbox) -> list[Check]:
    """Check a sandbox: start it and replace its document. Raises what `Sandbox.start` raises."""
    sandbox.start()
    with tempfile.TemporaryDirectory(prefix="ralph-check-") as folder, socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        return [*_check_features(sandbox), *_check_walls(sandbox, Path(folder), server), *_check_protections(sandbox)]


def _check_features(sandbox: Sandbox) -> Iterator[Check]:
    """Check what a snippet must be able to do."""
    result = _run(sandbox, "print('out')\n1 + 1")
    computed = (result.stdout, result.value, result.error) == ("out\n", "2", None)
    yield Check("runs a snippet", computed, _describe_result(result))
    _run(sandbox, "kept = 41")
    result = _run(sandbox, "kept + 1")
    yield Check("keeps its variables", result.value == "42", _describe_result(result))
    sandbox.load("a\U0001f600b", [(1, "i", 0, 3)])
    result = _run(sandbox, "(context[2], len(context), pages)")
    yield Check("sees the document", result.value == "('b', 3, [(1, 'i', 0, 3)])", _describe_result(result))
    result = _run(sandbox, "[llm_query('p', 't'), *llm_query_batch(['q', ('r', 's')])]")
    yield Check("asks sub-queries", result.value == "['p/t', 'q/', 'r/s']", _describe_result(result))


def _check_walls(sandbox: Sandbox, folder: Path, listener: socket.socket) -> Iterator[Check]:
    """Check what a snippet must not reach: a file in `folder`, the environment, the `listener`, the disk, a program."""
    secret, written, spawned = (folder / name for name in ("secret.txt", "written", "spawned"))
    secret.write_text(SECRET, encoding="ascii")
    result = _run(sandbox, f"print(open({str(secret)!r}).read())")
    refused = result.error is not None and SECRET not in result.stdout
    yield Check("cannot read a file", refused, _describe_result(result))

    result = _run(sandbox, "import os\nprint(*sorted(os.environ))\nprint(os.environ.get('HOME', '/home/pyodide'))")
    lines = result.stdout.splitlines()
    clean = len(lines) == 2 and set(lines[0].split()) <= VIRTUAL_NAMES and lines[1] == "/home/pyodide"
    seen = "nothing of the host's" if clean else "; ".join(lines)[:200] or _describe_result(result)
    yield Check("cannot see the environment", clean, seen)

    address = listener.getsockname()
    result = _run(sandbox, f"import socket\nsocket.create_connection({address!r}, 2)")
    refused = result.error is not None and not _was_connected(listener)
    yield Check("cannot connect", refused, _describe_result(result))

    code = f"import os\nos.makedirs({str(folder)!r}, exist_ok=True)\nopen({str(written)!r}, 'w').write('x')"
    result = _run(sandbox, code)
    # Only the host's disk counts, not a file in the interpreter's memory.
    seen = "in memory only" if result.error is None else _describe_result(result)
    yield Check("cannot write", not written.exists(), seen)

    result = _run(sandbox, f"import subprocess\nsubprocess.run(['touch', {str(spawned)!r}], check=True)")
    refused = result.error is not None and not spawned.exists()
    yield Check("cannot start a program", refused, _describe_result(result))


def _check_protections(sandbox: Sandbox) -> Iterator[Check]:
    """Check the wall that the engine needs, and report each other one that is missing."""
    needed = "seccomp" if sandbox.name == "native" else "deno permissions"
    shown = {name: "yes" if state is True else state or "no" for name, state in sandbox.walls.items()}
    states = ", ".join(f"{name}: {state}" for name, state in shown.items())
    yield Check("its protections are active", bool(sandbox.walls.get(needed)), states or "none")
    for name in missing_walls(sandbox.walls):
        if name != needed:
            yield Check(f"without {name}", None, f"this machine lacks the wall by which {KERNEL_WALLS[name]}")


def _run(sandbox: Sandbox, code: str) -> Result:
    return sandbox.run(code, lambda pairs: [f"{prompt}/{text}" for prompt, text in pairs])


def _describe_result(result: Result) -> str:
    """Return the most informative line of a result."""
    text = result.error or result.value or result.stdout
    return text.strip().splitlines()[-1][:200] if text.strip() else "no output"


def _was_connected(listener: socket.socket) -> bool:
    """Whether anybody connected since the last call."""
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True
