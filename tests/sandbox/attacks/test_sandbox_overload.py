"""Whatever a snippet uses up, it ends in time, the host stays well, and the next snippet works."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing

import overload
import pytest
from baits import Opener, answers, both, on_the_host
from overload import Overload

from sandbox import ResourceLimits, Sandbox

LIMITS = ResourceLimits(seconds=1.5, memory=512 << 20)

ENDED_BY_THE_HOST = "memory, and never mind the error"


def is_full(engine: str, case: Overload) -> bool:
    """Whether only `.ci/full` runs it: a new worker of pyodide takes seconds, so the host ends one of them here."""
    return case.full or (engine == "pyodide" and "time limit" in case.says and case.name != ENDED_BY_THE_HOST)


@pytest.mark.parametrize(
    ("engine", "case"),
    [
        pytest.param(
            engine, case, id=f"{case.name}-{engine}", marks=[pytest.mark.full] if is_full(engine, case) else []
        )
        for engine in ("pyodide", "native")
        for case in overload.CASES
    ],
)
def test_overload_ends(engine: str, case: Overload, shared: Callable[..., Sandbox], opener: Opener) -> None:
    if not is_full(engine, case):
        overload_ends(shared(engine, LIMITS), case)
        return
    # WebAssembly never gives memory back, so what has used much of it is no place for the next of the many cases.
    with closing(opener(engine, LIMITS)) as sandbox:
        overload_ends(sandbox, case)


def overload_ends(sandbox: Sandbox, case: Overload) -> None:
    sandbox.load("the document", [])
    sandbox.start()
    began = time.monotonic()
    result = sandbox.run(case.code, answers)
    assert time.monotonic() - began < LIMITS.seconds + 3
    assert len(result.stdout) <= LIMITS.output
    assert len(result.value or "") <= LIMITS.output + 64
    assert not (case.kept and result.state_lost)
    if case.says:
        assert result.error is not None
        assert any(word in result.error for word in case.says), result.error
    after = sandbox.run("context", answers)
    assert after.value == "'the document'", after


@both
def test_a_flood_is_counted_and_cut(engine: str, shared: Callable[..., Sandbox]) -> None:
    result = shared(engine, LIMITS).run("for _ in range(100): print('x' * 10 ** 6)", answers)
    assert (len(result.stdout), result.stdout_total) == (LIMITS.output, 100 * (10**6 + 1))
    assert not result.state_lost


@on_the_host
def test_many_sub_queries_end_when_the_host_says_so(engine: str, shared: Callable[..., Sandbox]) -> None:
    class OverBudget(Exception):
        pass

    asked = 0

    def meter(pairs: object) -> list[str]:
        nonlocal asked
        asked += 1
        if asked > 100:
            raise OverBudget
        return ["ok"]

    # It is the host that ends it: the time that a busy machine takes for a hundred of them must not.
    sandbox = shared(engine, ResourceLimits(seconds=120))
    with pytest.raises(OverBudget):
        sandbox.run("while True:\n    try: llm_query('q')\n    except BaseException: pass", meter)
    assert asked == 101
    assert sandbox.run("1", answers).value == "1"
