"""The ledger of a run: every call reserves its cost before it starts and books its actual cost afterwards."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

from ralph_cli.core import clock
from ralph_cli.core.awaiting import CallTimedOut, call_with_timeout, cancellation
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.model import Usage

T = TypeVar("T")

WARNING_SHARE = 0.8  # share of a limit at which the user is warned

POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a whole run; None means no limit."""

    seconds: float | None = None
    usd: float | None = None
    calls: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The most that a call may cost in US dollars (None: unknown), and the most tokens that it may use."""

    usd: float | None = None
    tokens: int = 0


_FLAGS = {"cost": "--max-cost", "calls": "--max-calls", "tokens": "--max-tokens", "time": "--max-time"}


def unknown_cost_error(cap: float) -> LimitExceeded:
    """Return the error for a cost limit that cannot be enforced, because the price of a call is unknown."""
    message = f"the cost limit of ${cap:g} cannot be enforced: the price of a call is unknown"
    hint = "remove max_cost (--max-cost), give the price (--prices), or use models with known prices"
    return LimitExceeded("cost", cap=cap, spent=0.0, message=message, hint=hint)


def _amount(limit: str, value: float) -> str:
    return f"${value:.4g}" if limit == "cost" else f"{value:,.0f}"


def _limit_error(limit: str, cap: float, spent: float, worst: float) -> LimitExceeded:
    """Return the error for a limit that the next call could exceed, with the amount spent and the most the call may
    use.
    """
    told = {"spent": _amount(limit, spent), "cap": _amount(limit, cap), "worst": _amount(limit, worst)}
    if spent <= 0:
        noun = "cost" if limit == "cost" else "take"
        message = f"one call may {noun} up to {told['worst']}, the cap is {told['cap']}"
        hint = f"raise {_FLAGS[limit]}, or choose a smaller document or a cheaper model"
    else:
        further = "" if spent >= cap or limit == "calls" else f", and the next call may take up to {told['worst']}"
        message = f"{limit} limit reached: {told['spent']} of {told['cap']} spent{further}"
        hint = f"resume with a higher {_FLAGS[limit]}"
    return LimitExceeded(limit, cap=cap, spent=round(spent, 4), message=message, hint=hint)


class Ledger:
    """Tracks what was spent and what is reserved, against the limits. Safe to use from every thread.

    A call whose cost is unknown counts with its reserved maximum. Without a maximum, a cost limit can no longer be
    enforced. The reported cost is unknown in both cases. A cost above the reserved amount is booked as it is, and ends
    the run if it exceeds a limit.

    Everything reserved and booked here is also counted in `within`, a ledger that several runs may share. Create the
    ledger in the thread or the coroutine context of its run: cancelling that coroutine ends the run before its next
    call.
    """

    def __init__(
        self, budget: Budget, *, within: "Ledger | None" = None, monotonic: Callable[[], float] = clock.monotonic
    ) -> None:
        self.budget = budget
        self._within = within
        self._monotonic = monotonic
        self._cancelled = cancellation.get()
        self._is_closed = False
        self._started = monotonic()
        self._changed = threading.Condition()
        self._spent = Usage()
        self._counted_usd = 0.0
        self._unpriced = False
        self._promises: dict[object, tuple[int, Forecast]] = {}
        self._warned: set[str] = set()

    @property
    def spent(self) -> Usage:
        """The sum of all booked calls."""
        with self._changed:
            return self._spent

    @property
    def elapsed(self) -> float:
        """The seconds since the run began."""
        return self._monotonic() - self._started

    @property
    def seconds_left(self) -> float | None:
        """The seconds until the run's time limit; None without a limit."""
        own = None if self.budget.seconds is None else max(self.budget.seconds - self.elapsed, 0.0)
        left = [own, self._within.seconds_left if self._within else None]
        return min((seconds for seconds in left if seconds is not None), default=None)

    @property
    def left(self) -> dict[str, float]:
        """What is left of each limit that is set: cost, calls, tokens, time."""
        with self._changed:
            own = {limit: max(cap - spent, 0) for limit, cap, spent in self._bounds()}
        shared = self._within.left if self._within else {}
        return {**shared, **{limit: min(amount, shared.get(limit, amount)) for limit, amount in own.items()}}

    def close(self) -> None:
        """End the run. Waiting calls are not made."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def check_time(self) -> None:
        """Raise LimitExceeded if the run's time is over, the run has ended, or its coroutine was cancelled."""
        if self._is_closed:
            raise LimitExceeded("cancelled", cap=0, spent=0, message="the run is over")
        if self._cancelled is not None and self._cancelled.is_set():
            raise LimitExceeded("cancelled", cap=0, spent=0, message="cancelled by the caller")
        cap = self.budget.seconds
        if cap is not None and self.elapsed >= cap:
            hint = f"resume with a higher {_FLAGS['time']}"
            raise LimitExceeded("time", cap=cap, spent=round(self.elapsed, 1), hint=hint)
        if self._within is not None:
            self._within.check_time()

    def call_in_remaining_time(self, call: Callable[[], T]) -> T:
        """Return the result of `call`. If the run's time ends first, raise LimitExceeded and abandon the call, which
        keeps running.

        Use it for third-party code, which does not know the limits.
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
    def reserve(self, worst_usd: float | None, worst_tokens: int = 0) -> Iterator[Callable[[Usage], None]]:
        """Reserve one call that may cost up to `worst_usd` (None: unknown). The value yielded books the actual cost.

        If the reservation only fits after running calls use less than they reserved, it waits for them. Raises
        LimitExceeded before the call if the reservation cannot fit, or if there is a cost limit and the cost is
        unknown. A failed call that was not booked releases its reservation.
        """
        with (
            self._within.reserve(worst_usd, worst_tokens) if self._within else nullcontext() as book_shared,
            self._reserve_here(Forecast(worst_usd, worst_tokens)) as book_here,
        ):

            def book(usage: Usage) -> None:
                book_here(usage)
                if book_shared is not None:
                    book_shared(usage)

            yield book

    def book_earlier(self, usage: Usage) -> None:
        """Count what was spent before this ledger existed. Calls of unknown price count as 0."""
        with self._changed:
            self._spent += usage
            self._counted_usd += usage.usd or 0.0
        if self._within is not None:
            self._within.book_earlier(usage)

    def take_back(self, usage: Usage) -> None:
        """Subtract what was booked for a run that now resumes, because it books everything again from its record."""
        with self._changed:
            self._spent -= usage
            self._counted_usd = max(self._counted_usd - (usage.usd or 0.0), 0.0)
        if self._within is not None:
            self._within.take_back(usage)

    @contextmanager
    def _reserve_here(self, promise: Forecast) -> Iterator[Callable[[Usage], None]]:
        """Reserve a call within the limits of this ledger alone."""
        ticket = object()
        with self._changed:
            while not self._fits(promise):
                self._changed.wait(POLL_S)
            self._promises[ticket] = (threading.get_ident(), promise)

        def book(usage: Usage) -> None:
            with self._changed:
                self._spent += usage
                counted = promise.usd if usage.usd is None else usage.usd
                self._counted_usd += counted or 0.0
                self._unpriced = self._unpriced or counted is None

        try:
            yield book
        finally:
            with self._changed:
                del self._promises[ticket]
                self._changed.notify_all()

    def take_warnings(self) -> list[str]:
        """Return a sentence on each limit that has reached `WARNING_SHARE` since the last call of this method."""
        with self._changed:
            used = [bound for bound in self._bounds() if bound[2] >= WARNING_SHARE * bound[1] - 1e-9]
            fresh = [bound for bound in used if bound[0] not in self._warned]
            self._warned |= {limit for limit, _, _ in fresh}
        return [
            f"{spent / cap:.0%} of the {limit} limit is used: {_amount(limit, spent)} of {_amount(limit, cap)}"
            for limit, cap, spent in fresh
        ]

    def _bounds(self) -> Iterator[tuple[str, float, float]]:
        """Yield the name, cap and amount spent of each limit that is set."""
        budget, spent = self.budget, self._spent
        tokens = spent.input_tokens + spent.output_tokens
        counted = (
            ("cost", budget.usd, self._counted_usd),
            ("calls", budget.calls, spent.calls),
            ("tokens", budget.tokens, tokens),
            ("time", budget.seconds, self.elapsed),
        )
        return ((limit, cap, used) for limit, cap, used in counted if cap is not None)

    def _fits(self, promise: Forecast) -> bool:
        """Whether a reservation is possible now; False while that depends on running calls. Raises LimitExceeded."""
        self.check_time()
        if self.budget.usd is not None and self._unpriced:
            raise unknown_cost_error(self.budget.usd)
        given = [forecast for _, forecast in self._promises.values()]
        worst = {"cost": promise.usd or 0.0, "calls": 1, "tokens": promise.tokens, "time": 0.0}
        promised = {
            "cost": sum(forecast.usd or 0.0 for forecast in given),
            "calls": 0.0,
            "tokens": sum(forecast.tokens for forecast in given),
            "time": 0.0,
        }
        tight: LimitExceeded | None = None
        for limit, cap, spent in self._bounds():
            # Each running call counts as exactly one, so waiting would not help.
            spent += len(given) if limit == "calls" else 0
            if spent + worst[limit] > cap:
                raise _limit_error(limit, cap, spent, worst[limit])
            if spent + promised[limit] + worst[limit] > cap:
                tight = _limit_error(limit, cap, spent + promised[limit], worst[limit])
        if tight is not None and threading.get_ident() in {owner for owner, _ in self._promises.values()}:
            raise tight  # this thread would wait for its own reservation
        return tight is None
