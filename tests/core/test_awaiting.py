"""Waiting for a call, on a machine that sleeps and in a process that is stopped."""

import threading
from collections.abc import Callable, Iterator

import pytest

from ralph_cli.core import awaiting
from ralph_cli.core.awaiting import CallTimedOut, call_with_timeout


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], bool]]:
    """A call that hangs until the test is over."""
    monkeypatch.setattr(awaiting, "POLL_SECONDS", 0.001)
    over = threading.Event()
    yield lambda: over.wait(30)
    over.set()


SLEPT = [(0, 0), (1, 7201), *((1 + 9 * n, 7201 + 9 * n) for n in range(1, 8))]
SLEPT_A_LITTLE = [(0, 0), (1, 21), *((1 + 9 * n, 21 + 9 * n) for n in range(1, 12))]


@pytest.mark.parametrize(
    ("seconds", "looks"),
    [
        pytest.param(20, [(0, 0), (9, 9), (15, 15), (20, 20)], id="its time is over"),
        pytest.param(20, [(0, 0), (900, 900), (905, 905), (911, 911)], id="what it was stopped for counts little"),
        pytest.param(900, SLEPT, id="a minute after the machine slept"),
        pytest.param(100, SLEPT_A_LITTLE, id="a short sleep kills no connection"),
    ],
)
def test_a_call_is_left_behind_at_the_right_time(
    hanging: Callable[[], bool], seconds: float, looks: list[tuple[float, float]]
) -> None:
    """`looks` are what the clocks say each time they are looked at; the last one is to end it."""
    awake, total = iter([look[0] for look in looks]), iter([look[1] for look in looks])
    with pytest.raises(CallTimedOut):
        call_with_timeout(hanging, seconds, monotonic=lambda: next(awake), uptime=lambda: next(total))
    assert next(awake, None) is None, "it was left too early"


def test_a_reply_that_came_while_nobody_could_look_is_taken() -> None:
    looks = iter([0, 9_999, 9_999])
    assert call_with_timeout(lambda: "here", 5, monotonic=lambda: next(looks), uptime=lambda: 0.0) == "here"
