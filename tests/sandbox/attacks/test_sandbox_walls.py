"""Deno's permissions and the kernel's walls hold each without the other, against a program that has all of Deno."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from baits import Bait

from sandbox import kernel
from sandbox.deno.runtime import find_deno, runtime_folder
from sandbox.deno.worker import Deno, deno_environment, isolated_command

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


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel wall is Linux's")
@pytest.mark.parametrize("missing", ["landlock", "seccomp", "namespaces"])
def test_a_wall_that_is_not_there_is_told(missing: str, tmp_path: Path) -> None:
    """The launcher goes on without a wall that this kernel lacks, and says so."""
    step = {"seccomp": "install_seccomp", "namespaces": "enter_namespaces"}.get(missing)
    refuse = f"kernel.{step} = lambda *a: False" if step else "kernel.LIBC = None"
    code = (
        f"import os, json\nfrom sandbox import kernel\nparent = os.getppid()\n{refuse}\n"
        f"walls = kernel.isolate_process(parent, kernel.deny_list, kernel.DENO_LIMITS, [], [{str(tmp_path)!r}])\n"
        "print(json.dumps(walls))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    walls = json.loads(done.stdout)
    names = {"landlock": "landlock", "seccomp": "seccomp", "namespaces": "network namespace"}
    assert not walls[names[missing]]


@pytest.mark.parametrize("architecture", [kernel.X86_64, kernel.AARCH64])
def test_the_filters_are_well_formed(architecture: int) -> None:
    """Every jump lands inside the program, and every path ends in a verdict."""
    for program in (kernel.allow_list(architecture), kernel.deny_list(architecture)):
        assert len(program) % 8 == 0
        operations = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
        for at, (code, if_true, if_false, _value) in enumerate(operations):
            if code & 7 == 5:
                assert at + 1 + max(if_true, if_false) < len(operations)
        assert operations[-1][0] == 6
        assert len(operations) < 4096
