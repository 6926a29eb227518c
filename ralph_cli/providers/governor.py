"""Limits how many requests a service receives at once and how close together, and slows down when it is busy.

All models with the same key share a governor, in all runs of a program, so a refusal of one request slows all of them.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import inf

from ralph_cli.core import clock
from ralph_cli.core.errors import ProviderError
from ralph_cli.providers.endpoint import Endpoint

MAX_IN_FLIGHT = 32  # most requests in flight at once, unless a setting changes it

MAX_LANES = 256
FIRST_LANES = 8  # requests in flight at once until the service has shown that it accepts more

# Seconds between two requests: after the first refusal; the least gap (a shorter one becomes 0); the longest gap.
FIRST_GAP_S, LEAST_GAP_S, LONGEST_GAP_S = 0.1, 0.01, 5.0

# Seconds of waits that the service did not request; they triple with each consecutive refusal.
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0

LONGEST_HOLD_S = 120.0  # longest wait that the service may request, in seconds

POLL_S = 0.2
# Faults that say that the service receives too many requests: HTTP 429, 529 and similar.
BUSY_CODES = ("rate-limit", "overloaded")


@dataclass(frozen=True, slots=True)
class Start:
    """When a request was sent, and whether at least half of the lanes were then in use."""

    at: float
    full: bool


@dataclass(slots=True)
class Pace:
    """The request rate for a service: a state that changes with its answers, without clock, threads or randomness.

    As in TCP's congestion control, the rate is halved at once and recovers slowly (additive increase, multiplicative
    decrease; Chiu and Jain 1989; RFC 5681, with its slow start). Refusals of requests that were sent before the last
    slowdown are ignored. The gap is for services that limit requests per time. Fewer lanes alone do not help there,
    because even one lane of short requests may be too fast.
    """

    lanes: float = FIRST_LANES
    gap: float = 0.0
    hold_until: float = -inf
    in_flight: int = 0
    refusals: int = 0
    _last_start: float = -inf
    _slowed_at: float = -inf

    def delay(self, now: float, most: int = MAX_IN_FLIGHT, least_gap: float = 0.0) -> float:
        """Return the seconds until the next request may be sent; infinite while no lane is free."""
        if self.in_flight >= min(int(self.lanes), most):
            return inf
        return max(self.hold_until - now, self._last_start + max(self.gap, least_gap) - now, 0.0)

    def start(self, now: float) -> Start:
        """Record that a request is sent."""
        self.in_flight += 1
        self._last_start = now
        return Start(now, 2 * self.in_flight >= int(self.lanes))

    def answered(self, start: Start) -> None:
        """Record an answer: at first each answer adds a lane, later each round of answers."""
        self.in_flight -= 1
        self.refusals = 0
        if start.full:
            self.lanes = min(self.lanes + (1.0 if self._slowed_at == -inf else min(2 / self.lanes, 1 / 3)), MAX_LANES)
        self.gap = 0.0 if self.gap < LEAST_GAP_S else self.gap * 0.95

    def failed(self) -> None:
        """Record a failure for another reason, which does not affect the pace."""
        self.in_flight -= 1

    def refused(self, start: Start, now: float, asked: float | None, chance: float) -> float:
        """Record a refusal because of too many requests, and return the seconds until the next request is allowed.

        The wait is what the service `asked` for. Otherwise it is between half and all of a growing wait, by `chance` in
        [0, 1).
        """
        self.in_flight -= 1
        if start.at >= self._slowed_at:
            self.refusals += 1
            self.lanes, self._slowed_at = max(self.lanes / 2, 1.0), now
            self.gap = min(max(self.gap * 2, FIRST_GAP_S), LONGEST_GAP_S)
            if asked is None:
                longest = min(FIRST_WAIT_S * 3.0 ** (self.refusals - 1), LONGEST_WAIT_S)
                self.hold_until = max(self.hold_until, now + longest * (1 + chance) / 2)
        if asked is not None:
            self.hold_until = max(self.hold_until, now + asked)
        return max(self.hold_until - now, 0.0)


@dataclass(slots=True)
class Governor:
    """Lets requests through at the pace of their service, in order of arrival. Safe to use from every thread."""

    monotonic: Callable[[], float] = clock.monotonic
    chance: Callable[[], float] = clock.jitter
    wait: Callable[[threading.Condition, float], object] = threading.Condition.wait
    pace: Pace = field(default_factory=Pace)
    last_answer: float = -inf
    _queue: deque[object] = field(default_factory=deque)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _refusal: ProviderError | None = None

    @contextmanager
    def turn(
        self, check: Callable[[], None] = lambda: None, most: int = MAX_IN_FLIGHT, least_gap: float = 0.0
    ) -> Iterator[None]:
        """Wait for a turn. The body makes one request, whose result sets the pace for all.

        At most `most` requests are in flight, at least `least_gap` seconds apart. `check` is called while waiting, and
        may raise. Raises the service's refusal if it requested a wait longer than `LONGEST_HOLD_S`.
        """
        start = self._await_turn(check, most, least_gap)
        try:
            yield
        except BaseException as error:
            with self._changed:
                if isinstance(error, ProviderError) and error.code in BUSY_CODES:
                    self.pace.refused(start, self.monotonic(), error.retry_after, self.chance())
                    self._refusal = error
                else:
                    self.pace.failed()
                self._changed.notify_all()
            raise
        with self._changed:
            self.pace.answered(start)
            self.last_answer = self.monotonic()
            self._changed.notify_all()

    @property
    def seconds_held(self) -> float:
        """The seconds until the next request is allowed."""
        with self._changed:
            return max(self.pace.hold_until - self.monotonic(), 0.0)

    def _await_turn(self, check: Callable[[], None], most: int, least_gap: float) -> Start:
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
            try:
                while True:
                    check()
                    now = self.monotonic()
                    if self._refusal is not None and self.pace.hold_until - now > LONGEST_HOLD_S:
                        raise self._refusal.again()
                    delay = self.pace.delay(now, most, least_gap) if self._queue[0] is ticket else inf
                    if delay <= 0:
                        return self.pace.start(now)
                    self.wait(self._changed, min(delay, POLL_S))
            finally:
                self._queue.remove(ticket)
                self._changed.notify_all()


def governor_of(endpoint: Endpoint) -> Governor:
    """Return the shared governor of that account."""
    return _governor(endpoint.account)


@cache
def _governor(account: str) -> Governor:
    return Governor()
