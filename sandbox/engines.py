"""Opens a sandbox by the name of its engine."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from sandbox.interface import ResourceLimits, Sandbox, SandboxUnavailable

ENGINES = ("pyodide", "native")
DEFAULT_LIMITS = ResourceLimits()


def open_sandbox(
    engine: str,
    *,
    cache: Path,
    limits: ResourceLimits = DEFAULT_LIMITS,
    fetch_env: Mapping[str, str] | None = None,
    on_wait: Callable[[str], None] = lambda _: None,
    ahead: str = "",
    require_walls: bool = False,
    on_missing: Callable[[str], None] = lambda _: None,
) -> Sandbox:
    """Return a sandbox that is not started yet; `engine` is "auto" (pyodide), "pyodide" or "native" (Linux).

    `cache`: the folder of the Pyodide runtime, created if needed. `fetch_env`: the environment of the one command that
    may fetch this runtime (npm registry, proxies, certificates); with None nothing is ever fetched. `on_wait` gets a
    line that explains a wait of more than a second. If a wall is missing, the sandbox does not start with
    `require_walls`; otherwise `on_missing` gets a line. `ahead` is the beginning of all code that `Sandbox.define`
    will get, so that it can be compiled before: it may only define functions. Never falls back to another engine.

    Raises ValueError for an unknown name, SandboxUnavailable if the engine cannot run on this platform.
    """
    if engine not in ("auto", *ENGINES):
        raise ValueError(f"unknown sandbox engine {engine!r}: choose auto, {' or '.join(ENGINES)}")
    if sys.platform == "win32":
        raise SandboxUnavailable("the sandbox does not run on Windows itself", "run ralph in WSL 2")
    # Imported here so that `import sandbox` stays cheap.
    from sandbox.host import WorkerSandbox

    if engine == "native":
        from sandbox.native import NativeEngine

        return WorkerSandbox(NativeEngine(limits), limits, require_walls, on_missing)
    from sandbox.deno.engine import PyodideEngine

    pyodide = PyodideEngine(limits, cache=cache, fetch_env=fetch_env, on_wait=on_wait, ahead=ahead)
    return WorkerSandbox(pyodide, limits, require_walls, on_missing)
