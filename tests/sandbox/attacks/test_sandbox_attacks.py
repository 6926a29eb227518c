"""No attempt reads, sees, connects, writes or starts anything of the host's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import attacks
import pytest
from attacks import Attack
from baits import ENVIRONMENT_SECRET, SECRET, Bait, answers

from sandbox import ResourceLimits, Sandbox

LIMITS = ResourceLimits(seconds=5, memory=512 << 20)
TARGETS = [
    *[("pyodide", attack) for attack in [*attacks.PYTHON, *attacks.JAVASCRIPT, *attacks.SYSCALLS]],
    *[("native", attack) for attack in attacks.PYTHON],
    *[("armed", attack) for attack in [*attacks.PYTHON, *attacks.SYSCALLS]],
]


@pytest.mark.parametrize(("engine", "attack"), [pytest.param(e, a, id=f"{e}: {a.name}") for e, a in TARGETS])
def test_nothing_gets_out(engine: str, attack: Attack, shared: Callable[..., Sandbox], bait: Bait) -> None:
    sandbox = shared(engine, LIMITS)
    before = bait.state()
    result = sandbox.run(attacks.PRELUDE + bait.fill(attack.code), answers)
    seen = f"{result.stdout} {result.value} {result.error}"
    assert SECRET not in seen
    assert ENVIRONMENT_SECRET not in seen
    if not attack.virtual:
        assert "LEAK:" not in result.stdout, seen
    assert bait.state() == before
    assert sandbox.run("6 * 7", answers).value == "42"


def test_the_baits_work(bait: Bait) -> None:
    """The attacks do reach the baits when nothing is between: else the table above would prove nothing."""
    connected = len(bait.connections)
    chosen = [*attacks.FILES[:3], attacks.PROCESSES[0], attacks.NETWORK[0], attacks.NETWORK[4]]
    code = attacks.PRELUDE + "\n".join(bait.fill(attack.code) for attack in chosen)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("LEAK:") == len(chosen)
    assert len(bait.connections) > connected


def test_there_are_enough() -> None:
    assert len(attacks.PYTHON) + len(attacks.JAVASCRIPT) + len(attacks.SYSCALLS) >= 115
