"""One ledger for a run: every spender reserves here before a call and books here after it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from ralph_cli.core import clock
from ralph_cli.core.awaiting import CallTimedOut, call_with_timeout, cancellation
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.model import Usage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Budget:
    """What a whole run may spend; None means no cap."""

    seconds: float | None = None
    usd: float | None = None
    calls: int | None = None


def unknown_cost_error(cap: float) -> LimitExceeded:
    """The end of a run whose cap cannot be kept: something was paid for that nobody knows the price of."""
    message = f"the cost limit of ${cap:g} cannot be enforced: the price of a call is unknown"
    hint = "remove max_cost (--max-cost), or use models with known prices"
    return LimitExceeded("cost", cap=cap, spent=0.0, message=message, hint=hint)


class Ledger:
    """What was spent and what is promised, against what may be spent. Safe from every thread.

    A call whose bill is unknown counts as the most that was promised for it; when nothing was, a cap on the cost cannot
    be kept any more. What is reported as spent is unknown either way. It is made in the thread, or the coroutine's
    context, that the run belongs to: cancelling that coroutine ends the run before its next call.
    """

    def __init__(self, budget: Budget, *, monotonic: Callable[[], float] = clock.monotonic) -> None:
        self.budget = budget
        self._monotonic = monotonic
        self._cancelled = cancellation.get()
        self._started = monotonic()
        self._lock = threading.Lock()
        self._spent = Usage()
        self._counted_usd = 0.0
        self._unpriced = False
        self._promised_usd = 0.0
        self._promised_calls = 0

    @property
    def spent(self) -> Usage:
        """Sum of all booked calls."""
        with self._lock:
            return self._spent

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._monotonic() - self._started

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the run's time is over; None when it has no limit."""
        return None if self.budget.seconds is None else max(self.budget.seconds - self.elapsed, 0.0)

    def check_time(self) -> None:
        """Raise LimitExceeded when the run's time is over, or when the coroutine that it runs for was cancelled."""
        if self._cancelled is not None and self._cancelled.is_set():
            raise LimitExceeded("cancelled", cap=0, spent=0, message="cancelled by the caller")
        cap = self.budget.seconds
        if cap is not None and self.elapsed >= cap:
            raise LimitExceeded("time", cap=cap, spent=round(self.elapsed, 1))

    def call_in_remaining_time(self, call: Callable[[], T]) -> T:
        """What `call` gives, if it does so while the run has time; else LimitExceeded, and it is left behind at work.

        It is for calls of what anybody may have written, which know of no limit.
        """
        if self.seconds_left is None:
            return call()
        self.check_time()
        try:
            return call_with_timeout(call, self.seconds_left)
        except CallTimedOut:
            self.check_time()
            raise

    @contextmanager
    def reserve(self, worst_usd: float | None) -> Iterator[Callable[[Usage], None]]:
        """Promise one call that may cost up to `worst_usd` (None: unknown); the value yielded books what it did cost.

        Raises LimitExceeded before the call if the promise does not fit, or if there is a cap on a cost that is
        unknown. A call that fails without being booked gives its promise back.
        """
        self.check_time()
        worst = worst_usd or 0.0
        with self._lock:
            calls, usd = self._spent.calls + self._promised_calls, self._counted_usd + self._promised_usd
            if self.budget.calls is not None and calls >= self.budget.calls:
                raise LimitExceeded("calls", cap=self.budget.calls, spent=calls)
            if self.budget.usd is not None and self._unpriced:
                raise unknown_cost_error(self.budget.usd)
            if self.budget.usd is not None and usd + worst > self.budget.usd:
                raise LimitExceeded("cost", cap=self.budget.usd, spent=round(usd + worst, 4))
            self._promised_usd += worst
            self._promised_calls += 1

        def book(usage: Usage) -> None:
            with self._lock:
                self._spent += usage
                counted = worst_usd if usage.usd is None else usage.usd
                self._counted_usd += counted or 0.0
                self._unpriced = self._unpriced or counted is None

        try:
            yield book
        finally:
            with self._lock:
                self._promised_usd -= worst
                self._promised_calls -= 1
