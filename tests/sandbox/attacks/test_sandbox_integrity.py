"""The host believes no forged message, and none breaks it."""

from __future__ import annotations

import time
from collections.abc import Callable

import integrity
import pytest
from baits import Opener, answers
from integrity import Forgery

from sandbox import ResourceLimits, Sandbox
from sandbox.host import WorkerSandbox
from sandbox.native import NativeEngine
from sandbox.questions import Questions
from sandbox.worker import WorkerFault

LIMITS = ResourceLimits(seconds=1.5, memory=512 << 20)
ONE_OF_ITS_KIND = "sizes that do not fit"
"""The host ends the worker for each of the false sizes by one rule; pyodide starts slowly and needs to show it once."""
TARGETS = [
    pytest.param(
        engine,
        case,
        id=f"{engine}: {case.name}",
        marks=[pytest.mark.full] if engine == "pyodide" and case.lost and case.name != ONE_OF_ITS_KIND else [],
    )
    for engine in ("pyodide", "native")
    for case in integrity.CASES
    if engine == "native" or not case.raw
]


@pytest.mark.parametrize(("engine", "case"), TARGETS)
def test_forgery_is_not_believed(engine: str, case: Forgery, shared: Callable[..., Sandbox]) -> None:
    sandbox = shared(engine, LIMITS)
    sandbox.load("the document", [(1, "1", 0, 12)])
    sandbox.define("helper = lambda: context[4:]\ndef lookup(): return helper()", ["lookup"])
    began = time.monotonic()
    for step in case.steps:
        result = sandbox.run(step, answers)
    assert time.monotonic() - began < LIMITS.seconds + 10  # a machine may be crowded
    seen = f"{result.stdout} {result.value}"
    assert "FORGED" not in seen
    seen.encode("utf-8")  # nothing that breaks a UTF-8 sink
    assert "\0" not in f"{seen} {result.error}"
    if case.lost:
        assert result.state_lost
        assert result.error is not None
        assert any(words in result.error for words in ("protocol violation", "time limit")), result.error
    after = sandbox.run("print(context, pages)\nlookup() + llm_query('p', 't')", answers)
    assert (after.stdout, after.value) == ("the document [(1, '1', 0, 12)]\n", "'documentA:p|t'"), after


def test_the_right_nonce_is_believed(opener: Opener) -> None:
    """The forgeries fail for the reason that is tested: with everything right, such a message counts.

    It grants no more than the snippet could have printed anyway.
    """
    true = "os.write(1, frame({'op': 'done', 'nonce': nonce(), 'stdout': 'x', 'total': 1}))\nwhile True: pass"
    with opener("native", LIMITS) as sandbox:  # of its own: its worker goes on without end
        assert sandbox.run(integrity.FRAMES + true, answers).stdout == "x"
    with opener("native", LIMITS) as sandbox:
        surplus = true.replace("1}))", "1}) + b'more')")
        more = sandbox.run(integrity.FRAMES + surplus, answers)
        assert (more.error, more.stdout, more.state_lost) == ("protocol violation", "", True)


@pytest.mark.parametrize(
    ("meanwhile", "reason"), [("while True: pass", "time limit of 1.5 s"), ("x = b'x' * (600 << 20)", "memory limit")]
)
def test_a_worker_is_watched_while_the_host_has_a_question_of_its_own(
    meanwhile: str, reason: str, opener: Opener
) -> None:
    """It asks without waiting for the answer, and goes on; it is ended long before the answer is there."""
    ask = "os.write(1, frame({'op': 'call', 'nonce': nonce(), 'sizes': [1, 0]}, b'q'))\n"
    engine = NativeEngine(ResourceLimits(memory=1 << 30))  # the kernel's own limit is not what is tried here
    engine.max_resident = 512 << 20
    with WorkerSandbox(engine, LIMITS) as sandbox:
        waited = []

        def slow(pairs: object) -> list[str]:
            assert sandbox._worker is not None
            began = time.monotonic()
            while sandbox._worker._process.poll() is None and time.monotonic() < began + 15:
                time.sleep(0.02)
            waited.append(time.monotonic() - began)
            return ["late"]

        result = sandbox.run(f"{integrity.FRAMES}{ask}{meanwhile}", slow)
        assert result.error is not None and result.error.startswith(reason) and result.state_lost
        assert len(waited) == 1 and waited[0] < 10
        assert sandbox.run("1 + 1", answers).value == "2"


def test_a_question_is_decoded_when_it_is_taken() -> None:
    questions = Questions(b"ask\xff\xfemoretexts", [3, 0, 2, 0, 4, 5], max_chars=8)
    assert (len(questions), questions[0]) == (3, ("ask", ""))
    with pytest.raises(WorkerFault, match="not UTF-8"):
        questions[1]
    with pytest.raises(WorkerFault, match="above the limit"):
        questions[-1]
    with pytest.raises(IndexError):
        questions[3]
    assert questions[:1] == [("ask", "")]
