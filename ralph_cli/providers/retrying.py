"""A model around a model that waits and asks again, within a deadline that nothing on the wire can stretch."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

from ralph_cli.core import clock
from ralph_cli.core.awaiting import CallTimedOut, call_with_timeout
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Reply, Request
from ralph_cli.providers.wrapper import ModelWrapper


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How patient to be with one logical call; all times in seconds.

    The wait before attempt n+1 is drawn evenly from 0 to `first_wait_s * growth ** (n - 1)`, at most `longest_wait_s`
    ("full jitter"; Brooker, "Exponential Backoff and Jitter", AWS 2015). With growth 3 the fifth wait reaches 60 s.
    """

    attempts: int = 6
    bad_reply_attempts: int = 2
    first_wait_s: float = 1.0
    growth: float = 3.0
    longest_wait_s: float = 60.0
    longest_retry_after_s: float = 120.0
    deadline_s: float = 900.0


@dataclass(slots=True)
class RetryingModel(ModelWrapper):
    """Asks again after faults that pass by themselves, and never again after any other.

    `on_retry(attempt, error, wait_s)` is called for every failed attempt that will be repeated, before the wait.
    """

    _: KW_ONLY
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    on_retry: Callable[[int, ProviderError, float], None] = lambda attempt, error, wait: None
    ledger: Ledger | None = None
    sleep: Callable[[float], None] = clock.sleep
    monotonic: Callable[[], float] = clock.monotonic
    jitter: Callable[[], float] = clock.jitter

    def complete(self, request: Request) -> Reply:
        """Answer the request, or raise the last ProviderError once waiting cannot help.

        A call that hangs or drips is left behind at the deadline, still running on a thread of its own. With a ledger,
        a call lasts no longer than the run may: LimitExceeded when its time is over.
        """
        seconds = self.policy.deadline_s
        if self.ledger is not None and (left := self.ledger.seconds_left) is not None:
            seconds = min(seconds, left)
        deadline = self.monotonic() + seconds
        attempt = 0
        while True:
            attempt += 1
            try:
                return call_with_timeout(lambda: self.wrapped.complete(request), deadline - self.monotonic())
            except CallTimedOut:
                failure = self._timeout_error()
            except ProviderError as error:
                failure = error
            if self.ledger:
                self.ledger.check_time()
            wait = self._retry_delay(failure, attempt, deadline)
            if wait is None:
                raise _final_error(failure, attempt)
            self.on_retry(attempt, failure, wait)
            self.sleep(wait)

    def _timeout_error(self) -> ProviderError:
        return ProviderError(
            f"no answer from {self.name} within {self.policy.deadline_s:g} s",
            code="timeout",
            hint="try again later, or choose a faster model",
            retryable=True,
            usage_unknown=True,
        )

    def _retry_delay(self, error: ProviderError, attempt: int, deadline: float) -> float | None:
        """Seconds until the next attempt, or None when there must be none."""
        policy = self.policy
        max_attempts = policy.bad_reply_attempts if error.code == "bad-reply" else policy.attempts
        if not error.retryable or attempt >= max_attempts:
            return None
        if error.retry_after is not None:
            if error.retry_after > policy.longest_retry_after_s:
                return None
            # Up to a second more, or everybody who was told the same time comes back at the same time.
            wait = error.retry_after + self.jitter()
        else:
            wait = self.jitter() * min(policy.longest_wait_s, policy.first_wait_s * policy.growth ** (attempt - 1))
        return wait if self.monotonic() + wait < deadline else None


def _final_error(error: ProviderError, attempt: int) -> ProviderError:
    if attempt == 1:
        return error
    return ProviderError(**vars(error) | {"message": f"{error.message} (gave up after {attempt} attempts)"})
