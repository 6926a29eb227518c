"""The pyodide engine: CPython in WebAssembly, run by Deno, started from a memory snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.deno.runtime import ensure_runtime, find_deno
from sandbox.deno.snapshot import ensure_snapshot, forget_snapshot
from sandbox.deno.worker import START_SECONDS, Deno
from sandbox.interface import Protections, ResourceLimits, SandboxFailure
from sandbox.worker import Bounds, Worker, WorkerFault, kill_on_error

V8_OVERHEAD_BYTES = 400 << 20  # for V8, the runtime and messages in transit, beside the guest's memory


@dataclass
class PyodideEngine:
    """Starts Pyodide workers. Before the first one it fetches the runtime, if it is missing and may be fetched."""

    limits: ResourceLimits
    cache: Path
    fetch_env: Mapping[str, str] | None
    on_wait: Callable[[str], None]
    ahead: str = ""
    walls: Protections = field(default_factory=dict)
    name = "pyodide"

    def __post_init__(self) -> None:
        self.max_resident = self.limits.memory + self.limits.memory // 4 + V8_OVERHEAD_BYTES

    def spawn(self, bounds: Bounds, options: Mapping[str, int]) -> Worker:
        """Start a worker, without the snapshot if that fails. Raises SandboxUnavailable or SandboxFailure."""
        binary = find_deno()
        runtime = ensure_runtime(self.cache, deno=binary, env=self.fetch_env, on_wait=self.on_wait)
        deno = Deno(binary, runtime, self.limits.memory, self.ahead)
        snapshot = ensure_snapshot(deno, on_wait=self.on_wait)
        while True:
            try:
                return self._start(deno, snapshot, bounds, options)
            except WorkerFault as fault:
                if snapshot is None:
                    raise SandboxFailure(f"the pyodide sandbox did not start: {fault}") from None
            forget_snapshot(snapshot)
            snapshot = None

    def _start(self, deno: Deno, snapshot: Path | None, bounds: Bounds, options: Mapping[str, int]) -> Worker:
        worker, walls = deno.spawn("serve", snapshot, bounds)
        with kill_on_error(worker):
            worker.send({**deno.boot_message(), "options": dict(options)}, seconds=START_SECONDS)
            ready = worker.receive(seconds=START_SECONDS).meta
            if ready.get("op") != "ready":
                raise WorkerFault("protocol violation", "it did not say that it is ready")
        # Reading one folder is granted by path, so no whole permission may be granted.
        self.walls = {"deno permissions": ready.get("granted") == [], **walls}
        return worker
