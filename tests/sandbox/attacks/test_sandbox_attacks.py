"""No attempt reads, sees, connects, writes or starts anything of the host's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import attacks
import pytest
from attacks import Attack
from baits import ENVIRONMENT_SECRET, SECRET, Bait, answers

from sandbox import ResourceLimits, Result, Sandbox

LIMITS = ResourceLimits(seconds=5, memory=512 << 20)
TARGETS = [
    pytest.param("pyodide", attacks.JAVASCRIPT, id="pyodide-javascript"),
    # Its Python meets the same walls, and starts the worker anew so often that it takes seconds.
    pytest.param("pyodide", [*attacks.PYTHON, *attacks.SYSCALLS], id="pyodide", marks=pytest.mark.full),
    pytest.param("native", attacks.PYTHON, id="native"),
    pytest.param("armed", [*attacks.PYTHON, *attacks.SYSCALLS], id="armed"),
]


@pytest.mark.parametrize(("engine", "tried"), TARGETS)
def test_nothing_gets_out(engine: str, tried: list[Attack], shared: Callable[..., Sandbox], bait: Bait) -> None:
    """Every attack, one after the other in one session: the sandbox starts a new worker where one breaks it."""
    sandbox = shared(engine, LIMITS)
    assert {attack.name: got for attack in tried if (got := gained(attack, sandbox, bait))} == {}


def gained(attack: Attack, sandbox: Sandbox, bait: Bait) -> str:
    """What an attack got, saw or changed, or how it left the sandbox; empty if nothing."""
    before = bait.state()
    result = sandbox.run(attacks.PRELUDE + bait.fill(attack.code), answers)
    seen = f"{result.stdout} {result.value} {result.error}"
    if SECRET in seen or ENVIRONMENT_SECRET in seen or ("LEAK:" in result.stdout and not attack.virtual):
        return seen
    if bait.state() != before:
        return f"changed {before} into {bait.state()}"
    after = sandbox.run("6 * 7", answers)
    return "" if after.value == "42" else f"afterwards the sandbox says {after}"


def test_an_attack_that_succeeds_is_seen(bait: Bait) -> None:
    """Against a sandbox that lets everything through, each kind of gain is told."""

    class Open:
        def run(self, code: str, query: object) -> Result:
            bait.connections.append("reached") if "reach" in code else None
            said = {"read": SECRET, "environment": ENVIRONMENT_SECRET, "act": "LEAK: done"}
            return Result(
                next((text for word, text in said.items() if f"# {word}" in code), ""), 0, "43", None, False, 0
            )

    for code, told in (
        ("# read", SECRET),
        ("# environment", ENVIRONMENT_SECRET),
        ("# act", "LEAK"),
        ("# reach", "changed"),
    ):
        assert told in gained(Attack("", code), Open(), bait)  # type: ignore[arg-type]
    assert "afterwards" in gained(Attack("", "# act", virtual=True), Open(), bait)  # type: ignore[arg-type]


def test_the_baits_work(bait: Bait) -> None:
    """The attacks do reach the baits when nothing is between: else the table above would prove nothing."""
    connected = len(bait.connections)
    chosen = [*attacks.FILES[:3], attacks.PROCESSES[0], attacks.NETWORK[0], attacks.NETWORK[4]]
    code = attacks.PRELUDE + "\n".join(bait.fill(attack.code) for attack in chosen)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("LEAK:") == len(chosen)
    assert len(bait.connections) > connected


def test_there_are_enough() -> None:
    assert len(attacks.PYTHON) + len(attacks.JAVASCRIPT) + len(attacks.SYSCALLS) >= 160
    assert len(attacks.MORE) >= 40
