"""Raises the kernel's walls around itself and becomes Deno; on other systems, ends Deno with the host.

Runs as a script by its path, isolated from installed packages: `python -I -S launcher.py ...`.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import sys
import time
import types
from collections.abc import Sequence
from pathlib import Path

SYSTEM_PATHS = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/etc/ld.so.cache", "/dev/null", "/dev/urandom",
    "/proc/self", "/proc/meminfo", "/proc/stat", "/proc/cpuinfo", "/sys/fs/cgroup", "/sys/devices/system/cpu",
)  # fmt: skip
LIMITS = {"core": 0, "nofile": 256, "fsize": 1 << 20}  # standard error is the only file that it may write
WATCH_SECONDS = 0.2  # between two checks whether the host still runs


def main(argv: Sequence[str]) -> None:
    """Start Deno; argv: the host's process id, the scratch folder, what Deno may read, "--", Deno's command line."""
    parent, scratch, cut = int(argv[0]), argv[1], argv.index("--")
    command = list(argv[cut + 1 :])
    if sys.platform == "linux":
        enclose(parent, scratch, argv[2:cut])
        os.execv(command[0], command)
    sys.exit(run_beside(parent, command))


def enclose(parent: int, scratch: str, readable: Sequence[str]) -> None:
    """Raise the walls around this process, and report them to the host in a message of the worker."""
    # The real package would import the host's side of the sandbox, which takes longer than everything here.
    package = types.ModuleType("sandbox")
    package.__path__ = [__file__.rsplit("/", 2)[0]]
    sys.modules.setdefault("sandbox", package)
    from sandbox import kernel, syscalls

    root = Path(scratch, "root")
    root.mkdir()
    paths = (*SYSTEM_PATHS, *readable, scratch)
    walls = kernel.isolate_process(parent, syscalls.deno_program, LIMITS, read=paths, root=str(root))
    text = json.dumps({"op": "walls", "walls": walls}).encode()
    os.write(1, struct.pack("!IQ", len(text), 0) + text)


def run_beside(parent: int, command: Sequence[str]) -> int:
    """Run the command until it or the process `parent` ends; return its exit code. Only Linux reports the latter."""
    child = os.fork()
    if child == 0:
        os.execv(command[0], list(command))
    for pipe in (0, 1):
        os.close(pipe)  # else they would stay open for the host when the child ends
    while os.getppid() == parent:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) & 0xFF
        time.sleep(WATCH_SECONDS)
    os.kill(child, signal.SIGKILL)
    return 1


if __name__ == "__main__":
    main(sys.argv[1:])
