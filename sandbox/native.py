"""The native engine: a CPython process that the Linux kernel only lets compute and use its two pipes."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandbox.interface import Protections, ResourceLimits, SandboxFailure, SandboxUnavailable
from sandbox.syscalls import ARCHITECTURES
from sandbox.worker import LOAD_MODULES, Bounds, Worker, WorkerFault, kill_on_error, read_sources

START_SECONDS = 30.0
# The worker gets its program over the pipe, so no path of this package is in its command line or its modules.
BOOT = """
import json, os, sys
def take(n):
    b = b""
    while len(b) < n:
        c = os.read(0, n - len(b))
        if not c: os._exit(0)
        b += c
    return b
m = json.loads(take(int.from_bytes(take(12)[:4], "big")))
# asyncio and hashlib would load OpenSSL, which takes time and memory. Python has its own hashes.
sys.modules["ssl"] = sys.modules["_hashlib"] = None
exec(m["load"])
load_modules(m["modules"])
sys.modules["sandbox.native_worker"].serve(m)
"""


class NativeEngine:
    """Starts native workers. The wall is the Linux kernel's, on x86_64 and aarch64 only."""

    name = "native"

    def __init__(self, limits: ResourceLimits, *, extra_modules: Sequence[str] = ()) -> None:
        """`extra_modules` are loaded before the lock-down; tests give an attacker ctypes with it."""
        if sys.platform != "linux" or platform.machine() not in ARCHITECTURES:
            here = f"{sys.platform} on {platform.machine()}"
            what = f"the native sandbox needs Linux on x86_64 or aarch64, this is {here}"
            raise SandboxUnavailable(what, "use --sandbox pyodide")
        self._limits = limits
        self._extra_modules = tuple(extra_modules)
        self.walls: Protections = {}
        # The kernel limits the address space; the watch over resident memory is a second limit.
        self.max_resident = limits.memory + (64 << 20)

    def spawn(self, bounds: Bounds, options: Mapping[str, int]) -> Worker:
        """Start a locked-down worker. Raises SandboxUnavailable if the kernel refuses the lock."""
        # As isolated as with -I, except one variable: a repeated snippet must find its sets in the same order.
        command = [sys.executable, "-P", "-s", "-S", "-B", "-X", "utf8", "-c", BOOT]
        try:
            worker = Worker(command, env={"PYTHONHASHSEED": "0"}, cwd=Path("/"), bounds=bounds)
            with kill_on_error(worker):
                self.walls = _send_program(worker, options, self._limits.memory, self._extra_modules)
        except WorkerFault as fault:
            raise SandboxFailure(f"the native sandbox did not start: {fault}") from None
        return worker


def _send_program(worker: Worker, options: Mapping[str, int], memory: int, extra_modules: Sequence[str]) -> Protections:
    program = {
        "load": LOAD_MODULES,
        "modules": read_sources("syscalls", "kernel", "native_worker"),
        "options": dict(options),
        "memory": memory,
        "extra_modules": extra_modules,
        "parent": os.getpid(),
    }
    worker.send(program, seconds=START_SECONDS)
    ready = worker.receive(seconds=START_SECONDS).meta
    walls = ready.get("walls")
    if ready.get("op") != "ready" or not isinstance(walls, dict):
        raise WorkerFault("protocol violation", "it did not say that it is ready")
    if not walls.get("seccomp"):
        raise SandboxUnavailable("this kernel refuses the native sandbox's lock (seccomp)", "use --sandbox pyodide")
    return walls
