"""A model wrapper that waits and asks again, within a deadline that no behaviour of the server can extend."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field

from ralph_cli.core import clock
from ralph_cli.core.awaiting import CallTimedOut, call_with_timeout
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Reply, Request
from ralph_cli.providers.governor import BUSY_CODES, LONGEST_HOLD_S, MAX_IN_FLIGHT, POLL_S, Governor
from ralph_cli.providers.wrapper import ModelWrapper


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The limits for the retries of one logical call; all times in seconds.

    The wait before attempt n+1 is drawn uniformly from 0 to `first_wait_s * growth ** (n - 1)`, at most
    `longest_wait_s` ("full jitter"; Brooker, "Exponential Backoff and Jitter", AWS 2015). With growth 3 the fifth wait
    reaches 60 s. All attempts and these waits end at `deadline_s`. Waiting for a turn at a busy service does not count
    towards this deadline. It ends after `patience_s` without any answer from the service.
    """

    attempts: int = 6
    bad_reply_attempts: int = 2
    first_wait_s: float = 1.0
    growth: float = 3.0
    longest_wait_s: float = 60.0
    deadline_s: float = 600.0
    patience_s: float = 300.0


@dataclass(slots=True)
class RetryingModel(ModelWrapper):
    """Asks again after temporary faults, and never after any other fault.

    `on_retry(attempt, error, wait_s)` is called before the wait, for each failed attempt that will be repeated.
    `take_turn` takes a turn among other programs that use the same service, or returns the seconds until the next turn.
    """

    _: KW_ONLY
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    on_retry: Callable[[int, ProviderError, float], None] = lambda attempt, error, wait: None
    ledger: Ledger | None = None
    governor: Governor = field(default_factory=Governor)
    most: int = MAX_IN_FLIGHT
    least_gap: float = 0.0
    take_turn: Callable[[], float] = lambda: 0.0
    sleep: Callable[[float], None] = clock.sleep
    monotonic: Callable[[], float] = clock.monotonic
    jitter: Callable[[], float] = clock.jitter

    def complete(self, request: Request) -> Reply:
        """Answer the request, or raise the last ProviderError once waiting cannot help.

        A call that hangs is abandoned at the deadline and keeps running on a separate thread. With a ledger, a call
        lasts no longer than the run's time; then LimitExceeded is raised.
        """
        seconds = self.policy.deadline_s
        if self.ledger is not None and (left := self.ledger.seconds_left) is not None:
            seconds = min(seconds, left)
        begun = self.monotonic()
        deadline = begun + seconds
        attempt = 0
        failures: list[str] = []
        while True:
            attempt += 1
            queued = self.monotonic()
            try:
                with self.governor.turn(self._check_time, self.most, self.least_gap):
                    self._take_turn_elsewhere()
                    deadline += self.monotonic() - queued
                    return self._ask_within(request, deadline - self.monotonic())
            except ProviderError as error:
                failure = error
            self._check_time()
            if failure.code in BUSY_CODES:
                wait = self._turn_delay(failure, begun)
            else:
                failures.append(failure.code)
                wait = self._retry_delay(failure, failures, deadline)
            if wait is None:
                raise failure.again(attempt)
            self.on_retry(attempt, failure, wait)
            if failure.code not in BUSY_CODES:
                self.sleep(wait)

    def _ask_within(self, request: Request, seconds: float) -> Reply:
        try:
            return call_with_timeout(lambda: self.wrapped.complete(request), seconds)
        except CallTimedOut:
            what = f"no answer from {self.name} within {self.policy.deadline_s:g} s"
            hint = "try again later, or choose a faster model"
            raise ProviderError(what, code="timeout", hint=hint, retryable=True, usage_unknown=True) from None

    def _take_turn_elsewhere(self) -> None:
        while (wait := self.take_turn()) > 0:
            self._check_time()
            self.sleep(min(wait, POLL_S))

    def _check_time(self) -> None:
        if self.ledger is not None:
            self.ledger.check_time()

    def _turn_delay(self, error: ProviderError, begun: float) -> float | None:
        """Return the seconds until the service may be asked again, or None if the wait would be too long."""
        wait = self.governor.seconds_held
        answered = max(begun, self.governor.last_answer)
        is_patient = self.monotonic() + wait - answered <= self.policy.patience_s
        return wait if error.retryable and wait <= LONGEST_HOLD_S and is_patient else None

    def _retry_delay(self, error: ProviderError, failures: Sequence[str], deadline: float) -> float | None:
        """Return the seconds until the next attempt, or None if there must be none. `failures` are codes, this error's
        last.
        """
        policy, attempt = self.policy, len(failures)
        is_last = attempt >= policy.attempts or failures.count("bad-reply") >= policy.bad_reply_attempts
        if not error.retryable or is_last:
            return None
        if error.retry_after is not None:
            if error.retry_after > LONGEST_HOLD_S:
                return None
            # Up to a second more, so that callers with the same wait do not return at the same time.
            wait = error.retry_after + self.jitter()
        else:
            wait = self.jitter() * min(policy.longest_wait_s, policy.first_wait_s * policy.growth ** (attempt - 1))
        return wait if self.monotonic() + wait < deadline else None
