"""A model around a model that waits and asks again, within a deadline that nothing on the wire can stretch."""

import contextvars
import threading
from collections.abc import Callable
from dataclasses import dataclass

from ralph_cli.core import clock
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Model, Reply, Request

AttemptOutcome = Reply | BaseException


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


DEFAULT_RETRY_POLICY = RetryPolicy()


class RetryingModel:
    """Asks again after faults that pass by themselves, and never again after any other.

    `on_retry(attempt, error, wait_s)` is told of every failed attempt that will be repeated, before the wait.
    """

    def __init__(
        self,
        model: Model,
        *,
        policy: RetryPolicy = DEFAULT_RETRY_POLICY,
        on_retry: Callable[[int, ProviderError, float], None] | None = None,
        ledger: Ledger | None = None,
        sleep: Callable[[float], None] = clock.sleep,
        monotonic: Callable[[], float] = clock.monotonic,
        jitter: Callable[[], float] = clock.jitter,
    ) -> None:
        self._model, self._policy, self._on_retry, self._ledger = model, policy, on_retry, ledger
        self._sleep, self._monotonic, self._jitter = sleep, monotonic, jitter

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self._model.name

    @property
    def vendor(self) -> str:
        """The vendor of the model inside."""
        return self._model.vendor

    def complete(self, request: Request) -> Reply:
        """Answer the request, or raise the last ProviderError once waiting cannot help.

        With a ledger, a call lasts no longer than the run may: LimitExceeded when its time is over.
        """
        left = self._ledger.seconds_left if self._ledger else None
        ends = self._monotonic() + min(self._policy.deadline_s, self._policy.deadline_s if left is None else left)
        attempt = 1
        while True:
            outcome = self._attempt(request, ends)
            if isinstance(outcome, Reply):
                return outcome
            if not isinstance(outcome, ProviderError):
                raise outcome
            if self._ledger:
                self._ledger.check_time()
            wait = self._retry_delay(outcome, attempt, ends)
            if wait is None:
                raise _final_error(outcome, attempt)
            if self._on_retry is not None:
                self._on_retry(attempt, outcome, wait)
            self._sleep(wait)
            attempt += 1

    def _attempt(self, request: Request, deadline: float) -> AttemptOutcome:
        """One attempt on its own thread. A call that hangs or drips is left behind, still running, at the deadline."""
        box: list[AttemptOutcome] = []
        done = threading.Event()

        def run() -> None:
            try:
                box.append(self._model.complete(request))
            except BaseException as error:  # noqa: BLE001 - carried over to the caller's thread, where it is raised
                box.append(error)
            finally:
                done.set()

        # The caller's context goes along, so that whoever records inside still knows for which run.
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(run,), name="ralph-model-call", daemon=True).start()
        # Short waits, because Windows delivers Ctrl-C only between them.
        while not done.wait(timeout=min(0.5, max(deadline - self._monotonic(), 0.01))):
            if self._monotonic() >= deadline:
                return self._timeout_error()
        return box[0]

    def _timeout_error(self) -> ProviderError:
        return ProviderError(
            f"no answer from {self.name} within {self._policy.deadline_s:g} s",
            code="timeout",
            hint="try again later, or choose a faster model",
            retryable=True,
            usage_unknown=True,
        )

    def _retry_delay(self, error: ProviderError, attempt: int, deadline: float) -> float | None:
        """Seconds until the next attempt, or None when there must be none."""
        policy = self._policy
        most = policy.bad_reply_attempts if error.code == "bad-reply" else policy.attempts
        if not error.retryable or attempt >= most:
            return None
        if error.retry_after is not None:
            if error.retry_after > policy.longest_retry_after_s:
                return None
            # Up to a second more, or everybody who was told the same time comes back at the same time.
            wait = error.retry_after + self._jitter()
        else:
            wait = self._jitter() * min(policy.longest_wait_s, policy.first_wait_s * policy.growth ** (attempt - 1))
        return wait if self._monotonic() + wait < deadline else None


def _final_error(error: ProviderError, attempt: int) -> ProviderError:
    if attempt == 1:
        return error
    return ProviderError(
        f"{error.message} (gave up after {attempt} attempts)",
        code=error.code,
        hint=error.hint,
        retryable=error.retryable,
        retry_after=error.retry_after,
        usage_unknown=error.usage_unknown,
    )
