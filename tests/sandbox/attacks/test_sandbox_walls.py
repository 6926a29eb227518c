"""Deno's permissions and the kernel's walls hold each without the other, against a program that has all of Deno."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import doors
import pytest
from baits import Bait

from sandbox import ResourceLimits, SandboxUnavailable, kernel, syscalls
from sandbox.deno.runtime import find_deno, runtime_folder
from sandbox.deno.worker import Deno, deno_environment, isolated_command
from sandbox.host import WorkerSandbox
from sandbox.worker import Bounds, Worker

HOSTILE = Path(__file__).parent / "hostile.mjs"
EVERYTHING = {
    "read", "list", "write", "environment of the parent", "run", "connect", "fetch", "listen", "signal", "node fs",
    "node child", "import",
}  # fmt: skip


def attempts(command: Sequence[str], scratch: Path, bait: Bait, cwd: Path | None = None) -> dict[str, str]:
    """What the hostile program got when it was started with this command."""
    out = str(bait.folder / "made-by-the-guest")
    arguments = [str(bait.folder / "secret.txt"), str(bait.folder), out, str(bait.port), str(os.getpid())]
    done = subprocess.run(
        [*command, *arguments],
        env=deno_environment(scratch),
        cwd=cwd or scratch,
        capture_output=True,
        timeout=60,
        check=True,
    )
    got: dict[str, str] = json.loads(done.stdout.decode("utf-8", "replace").strip().splitlines()[-1])
    return got


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "hostile.mjs"
    path.write_bytes(HOSTILE.read_bytes())
    return path


def test_without_walls_everything_is_reached(program: Path, bait: Bait) -> None:
    got = attempts([str(find_deno()), "run", "--quiet", "-A", str(program)], program.parent, bait)
    (bait.folder / "made-by-the-guest").unlink()
    assert got.keys() >= EVERYTHING


def test_the_permissions_alone(program: Path, bait: Bait, cache: Path) -> None:
    before = bait.state()
    command = Deno(find_deno(), runtime_folder(cache), 1 << 30).command(program, "", None)[:-3]
    assert attempts(command, program.parent, bait, runtime_folder(cache)) == {}
    assert bait.state() == before


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel wall is Linux's")
def test_the_kernel_alone(program: Path, bait: Bait, cache: Path) -> None:
    before = bait.state()
    deno = find_deno()
    command = isolated_command([str(deno), "run", "--quiet", "-A", str(program)], program.parent, [deno])
    assert attempts(command, program.parent, bait) == {}
    assert bait.state() == before


WALLS = {"seccomp": "s", "landlock": "l", "root": "r", "namespaces": "n", "capabilities": "c"}
NOBODY = 65534


@contextlib.contextmanager
def victim(user: int) -> Iterator[int]:
    """A process of this user, for others to meddle with."""
    command = [sys.executable, "-c", f"import os, time; os.setuid({user}); print(flush=True); time.sleep(60)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.kill()


def open_doors(wall: str, user: int, bait: Bait) -> set[str]:
    """The doors that were open to a process of this user behind this one wall."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name, victim(user) as process:
        scratch, folder = Path(name, "scratch"), Path(name, "home")
        for path in (Path(name), scratch, folder):
            path.mkdir(exist_ok=True)
            os.chown(path, user, user)
        (folder / "secret").write_text("secret")
        os.chown(folder / "secret", user, user)
        order = {"wall": wall, "user": user, "secret": str(folder / "secret"), "scratch": str(scratch)}
        order |= {"victim": process, "port": bait.port, "socket": bait.socket_name}
        command = [sys.executable, str(Path(__file__).parent / "doors.py"), json.dumps(order)]
        env = {**os.environ, "PYTHONPATH": str(Path(kernel.__file__).parents[1])}
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout.splitlines()[-1])
        assert answer["held"], f"this machine has no {wall}"
        return set(answer["open"])


@pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="numbers of one kernel")
@pytest.mark.parametrize("user", sorted({os.getuid(), *([NOBODY] if os.getuid() == 0 else [])}))
def test_each_wall_of_the_kernel_keeps_its_doors_shut_alone(user: int, bait: Bait) -> None:
    control = open_doors("none", user, bait)
    # Some doors are root's, and some not in every kernel.
    assert len(control) >= 60, sorted(doors.DOORS.keys() - control)
    left = {wall: open_doors(wall, user, bait) for wall in WALLS}
    shut = {
        wall: {name for name, (walls, _) in doors.DOORS.items() if letter in walls} for wall, letter in WALLS.items()
    }
    assert {wall: sorted(names & left[wall]) for wall, names in shut.items() if names & left[wall]} == {}
    tried = {wall: len(names & control) for wall, names in shut.items()}
    print(f"user {user}: {len(control)} doors open without walls; shut by each alone: {tried}")


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel wall is Linux's")
@pytest.mark.parametrize(
    ("step", "wall"),
    [
        ("install_seccomp", "seccomp"),
        ("restrict_paths", "landlock"),
        ("enter_namespaces", "namespaces"),
        ("enter_private_root", "private root"),
    ],
)
def test_a_wall_that_is_not_there_is_told(step: str, wall: str, tmp_path: Path) -> None:
    """The process goes on without a wall that this kernel lacks, and says so; the others hold."""
    code = (
        f"import os, json\nfrom sandbox import kernel, syscalls\nkernel.{step} = lambda *a: False\n"
        f"walls = kernel.isolate_process(os.getppid(), syscalls.deno_program, {{}}, root={str(tmp_path)!r})\n"
        "print(json.dumps(walls))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    missing = {name for name, held in json.loads(done.stdout).items() if not held}
    assert missing == {wall} | ({"private root"} if wall == "namespaces" else set())


class Walled:
    """An engine with these walls, whose workers do nothing."""

    name, max_resident = "pyodide", 1 << 30

    def __init__(self, **walls: bool | int) -> None:
        self.walls: dict[str, bool | int] = {"deno permissions": True, **walls}
        self.workers: list[Worker] = []

    def spawn(self, bounds: Bounds, options: object) -> Worker:
        self.workers.append(Worker(["/bin/cat"], env={}, cwd=Path("/"), bounds=bounds))
        return self.workers[-1]


def test_a_run_is_told_once_which_walls_are_missing() -> None:
    told: list[str] = []
    for engine in (Walled(landlock=0, seccomp=False), Walled(landlock=7, seccomp=True)):
        with WorkerSandbox(engine, ResourceLimits(), on_missing=told.append) as sandbox:
            for _ in range(2):
                sandbox.start()
                sandbox._kill_worker()
    says = "on this machine the pyodide sandbox lacks landlock, seccomp; it has deno permissions"
    assert told == [says]


def test_required_walls_that_are_missing_are_an_error_and_leave_no_worker() -> None:
    engine = Walled(landlock=7, seccomp=False)
    with (
        WorkerSandbox(engine, ResourceLimits(), require_walls=True, on_missing=pytest.fail) as sandbox,
        pytest.raises(SandboxUnavailable, match=r"lacks seccomp .*without --require-walls"),
    ):
        sandbox.start()
    (worker,) = engine.workers
    assert worker._process.returncode is not None
    with WorkerSandbox(Walled(landlock=7), ResourceLimits(), require_walls=True) as sandbox:
        sandbox.start()


@pytest.mark.parametrize("architecture", [syscalls.X86_64, syscalls.AARCH64])
def test_the_filters_are_well_formed(architecture: int) -> None:
    """Every jump lands inside the program, and every path ends in a verdict."""
    for program in (syscalls.native_program(architecture), syscalls.deno_program(architecture)):
        assert len(program) % 8 == 0
        operations = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
        for at, (code, if_true, if_false, _value) in enumerate(operations):
            if code & 7 == 5:
                assert at + 1 + max(if_true, if_false) < len(operations)
        assert operations[-1][0] == 6
        assert len(operations) < 4096
