"""Starts a Deno process that runs worker.mjs, behind Deno's permissions and, on Linux, the kernel's walls."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sandbox.interface import KERNEL_WALLS, Protections
from sandbox.worker import LOAD_MODULES, Bounds, Worker, WorkerFault, kill_on_error, read_sources

PROGRAM = Path(__file__).parent / "worker.mjs"
LAUNCHER = Path(__file__).parent / "launcher.py"
START_SECONDS = 90.0  # a plain start takes 3 s of CPU, and the machine may be busy
V8_HEAP_MB = 1024
SCRATCH_PREFIX = "ralph-sandbox-"
WASM_PAGE = 1 << 16
MAX_WASM_PAGES = 1 << 16  # 4 GiB: addresses have 32 bits
# Bytes that a function executes before it is optimised, 16 times the default: short runs never reach what that would
# save, and long ones take no longer.
TIERING_BUDGET = 200_000_000


def remove_orphaned_folders() -> None:
    """Remove the folders of killed processes of this user, which could not do it themselves."""
    for folder in Path(tempfile.gettempdir()).glob(f"{SCRATCH_PREFIX}*-*"):
        owner = folder.name.removeprefix(SCRATCH_PREFIX).split("-")[0]
        try:
            mine = not folder.is_symlink() and folder.stat().st_uid == os.getuid()
        except OSError:
            continue
        if mine and owner.isdigit() and not _is_running(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@dataclass(frozen=True, slots=True)
class Deno:
    """The Deno binary, the folder of the Pyodide runtime, and the memory for WebAssembly in bytes.

    A worker compiles the code `ahead` before it is ready, or before its snapshot is made.
    """

    binary: Path
    runtime: Path
    memory: int
    ahead: str = ""

    def spawn(self, mode: str, snapshot: Path | None, bounds: Bounds) -> tuple[Worker, Protections]:
        """Start a process in `mode` "serve" or "snapshot"; return it with its kernel walls. Raises WorkerFault."""
        # A separate folder for Deno's cache, because web storage is written there even without write permission.
        remove_orphaned_folders()
        scratch = Path(os.path.realpath(tempfile.mkdtemp(prefix=f"{SCRATCH_PREFIX}{os.getpid()}-")))
        try:
            # Deno reads its main module without a permission, so it need not be in the readable folder.
            program = shutil.copyfile(PROGRAM, scratch / "worker.mjs")
        except OSError as error:
            shutil.rmtree(scratch, ignore_errors=True)
            raise WorkerFault("the worker did not start", str(error)) from None
        command = isolated_command(self.command(program, mode, snapshot), scratch, [self.binary, self.runtime])
        worker = Worker(command, env=deno_environment(scratch), cwd=self.runtime, bounds=bounds, scratch=scratch)
        if sys.platform != "linux":
            return worker, dict.fromkeys(KERNEL_WALLS, False)
        with kill_on_error(worker):
            walls = worker.receive(seconds=START_SECONDS).meta.get("walls")
        return worker, walls if isinstance(walls, dict) else {}

    def command(self, program: Path, mode: str, snapshot: Path | None) -> list[str]:
        """Return the command line for a program whose only permission is to read its working folder.

        That folder is the runtime's. It is not named, because Deno 2.9 cannot take a path with a comma.
        """
        pages = min(max(self.memory // WASM_PAGE, 1), MAX_WASM_PAGES)
        flags = [f"--wasm-max-mem-pages={pages}", f"--max-old-space-size={V8_HEAP_MB}"]
        flags.append(f"--wasm-tiering-budget={TIERING_BUDGET}")
        if mode == "serve":
            flags.append("--disallow-code-generation-from-strings")
        return [
            str(self.binary), "run", "--quiet", "--no-prompt", "--no-remote", "--no-npm", "--no-config", "--no-lock",
            "--cached-only", "--deny-import", "--allow-read=.", f"--v8-flags={','.join(flags)}",
            str(program), str(self.runtime), str(snapshot or ""), mode,
        ]  # fmt: skip

    def boot_message(self) -> dict[str, object]:
        """Return the first message to a worker, with the guest's modules. A snapshot has them already."""
        prepare = f"from sandbox.guest.ahead import prepare\nprepare({self.ahead!r})"
        return {"load": LOAD_MODULES, "modules": [*read_sources(), ("sandbox.prepare", prepare)]}


def isolated_command(command: Sequence[str], scratch: Path, readable: Sequence[Path]) -> list[str]:
    """Return the command behind the launcher, which raises the walls, or at least ends it with this process."""
    launcher = [sys.executable, "-I", "-S", "-B", str(LAUNCHER), str(os.getpid()), str(scratch)]
    return [*launcher, *map(str, readable), "--", *command]


def deno_environment(scratch: Path) -> dict[str, str]:
    """Return the whole environment of a Deno process."""
    # With one pool for all threads, glibc reuses the memory that compiling the runtime freed: 20 MB less.
    own = {"DENO_NO_UPDATE_CHECK": "1", "NO_COLOR": "1", "MALLOC_ARENA_MAX": "1"}
    return {"DENO_DIR": str(scratch), "HOME": str(scratch), **own}
