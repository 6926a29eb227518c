"""How many requests a service is sent at once, and how far apart: fewer when it says that they are too many.

All models behind one key share a governor, in all runs of a program, so a refusal of one request slows all of them.
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

MAX_IN_FLIGHT = 32  # requests in flight at once, where no setting says otherwise

MAX_LANES = 256
FIRST_LANES = 8  # requests in flight at once before the service has shown that it takes more

# Seconds between two requests after the first refusal; a gap below the least is none, and none is longer.
FIRST_GAP_S, LEAST_GAP_S, LONGEST_GAP_S = 0.1, 0.01, 5.0

# Seconds of the waits that the service did not ask for: three times as long with each refusal in a row.
FIRST_WAIT_S, LONGEST_WAIT_S = 1.0, 60.0

LONGEST_HOLD_S = 120.0  # seconds that the service may ask to wait; for longer nobody waits

POLL_S = 0.2
# Faults by which a service says that it was asked too much: HTTP 429, 529 and the like.
BUSY_CODES = ("rate-limit", "overloaded")


@dataclass(frozen=True, slots=True)
class Start:
    """When a request was sent, and whether the lanes were in use then, at least half of them."""

    at: float
    full: bool


@dataclass(slots=True)
class Pace:
    """How fast a service is asked: a state that changes with its answers, without clock, threads or chance.

    Lanes and gap go down by half and up slowly, as in the congestion control of TCP (additive increase, multiplicative
    decrease; Chiu and Jain 1989; RFC 5681, with its slow start). Refusals of requests that were sent before the last
    slowdown say nothing new. The gap is for services that count requests in a time, which fewer lanes alone do not
    mend: a short request in one lane may be too many.
    """

    lanes: float = FIRST_LANES
    gap: float = 0.0
    hold_until: float = -inf
    in_flight: int = 0
    refusals: int = 0
    _last_start: float = -inf
    _slowed_at: float = -inf

    def delay(self, now: float, most: int = MAX_IN_FLIGHT, least_gap: float = 0.0) -> float:
        """Seconds until the next request may be sent; infinite while no lane is free."""
        if self.in_flight >= min(int(self.lanes), most):
            return inf
        return max(self.hold_until - now, self._last_start + max(self.gap, least_gap) - now, 0.0)

    def start(self, now: float) -> Start:
        """A request is sent."""
        self.in_flight += 1
        self._last_start = now
        return Start(now, 2 * self.in_flight >= int(self.lanes))

    def answered(self, start: Start) -> None:
        """It was answered: a lane more for each answer at first, later for each round of answers."""
        self.in_flight -= 1
        self.refusals = 0
        if start.full:
            self.lanes = min(self.lanes + (1.0 if self._slowed_at == -inf else min(2 / self.lanes, 1 / 3)), MAX_LANES)
        self.gap = 0.0 if self.gap < LEAST_GAP_S else self.gap * 0.95

    def failed(self) -> None:
        """It failed for another reason, which says nothing of the pace."""
        self.in_flight -= 1

    def refused(self, start: Start, now: float, asked: float | None, chance: float) -> float:
        """It was refused as too much. Returns the seconds until anybody may ask again: those that the service `asked`
        for, or, without, a share between a half and all of a growing wait, by `chance` in [0, 1).
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
    """Lets requests through at the pace of their service, in the order in which they came. Safe from every thread."""

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
        """Wait for a turn; what is done in it is one request, whose end or fault sets the pace for all.

        At most so many requests are in flight, and `least_gap` seconds lie between two of them. `check` is asked while
        waiting, and may raise. Raises the service's refusal where it asked for a longer wait
        than anybody should have.
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
        """Seconds until anybody may ask again."""
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
    """The one governor of that address and key."""
    return _governor(endpoint.account)


@cache
def _governor(account: str) -> Governor:
    return Governor()
