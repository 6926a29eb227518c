"""When a failed call is repeated, how long is waited, and that nothing outlasts the deadline."""

import threading
import time
from dataclasses import dataclass, field

import pytest
from fault_server import FaultServer
from provider_wires import adapter

from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import ModelTurn, Reply, Request, StopReason, UserTurn
from ralph_cli.providers.governor import Governor
from ralph_cli.providers.retrying import RetryingModel, RetryPolicy

ASK = Request("worker", "", (UserTurn("hi"),))
GOOD = Reply(ModelTurn("fine"), StopReason.END)


def fault(code: str = "server", retryable: bool = True, after: float | None = None) -> ProviderError:
    return ProviderError("no", code=code, hint="h", retryable=retryable, retry_after=after, usage_unknown=True)


@dataclass
class Script:
    """A model that says what it is told to, in order, and a clock that moves only by sleeping."""

    outcomes: list[Reply | BaseException]
    name: str = "scripted:x"
    vendor: str = "scripted"
    asked: int = 0
    waits: list[float] = field(default_factory=list)
    told: list[tuple[int, str, float]] = field(default_factory=list)
    now: float = 0.0
    held: float = 0.0

    def complete(self, request: Request) -> Reply:
        self.asked += 1
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def hold(self, _: object, seconds: float) -> None:
        self.held += seconds
        self.now += seconds

    def run(self, jitter: float = 0.5, policy: RetryPolicy | None = None) -> Reply:
        governor = Governor(monotonic=lambda: self.now, chance=lambda: jitter, wait=self.hold)
        model = RetryingModel(
            self,
            policy=policy or RetryPolicy(),
            on_retry=lambda n, error, wait: self.told.append((n, error.code, wait)),
            governor=governor,
            sleep=self.sleep,
            monotonic=lambda: self.now,
            jitter=lambda: jitter,
        )
        assert (model.name, model.vendor) == (self.name, self.vendor)
        return model.complete(ASK)


def test_a_request_waits_for_its_turn_among_other_programs() -> None:
    script, turns = Script([GOOD]), [0.5, 0.1, 0.0]
    model = RetryingModel(script, take_turn=lambda: turns.pop(0), sleep=script.sleep, monotonic=lambda: script.now)
    assert model.complete(ASK) is GOOD and script.waits == [0.2, 0.1] and not turns


def test_a_good_reply_comes_through_at_once() -> None:
    script = Script([GOOD])
    assert script.run() is GOOD and script.waits == []


@pytest.mark.parametrize("code", ["server", "timeout", "connection"])
def test_what_passes_is_repeated(code: str) -> None:
    script = Script([fault(code), fault(code), GOOD])
    assert script.run() is GOOD
    assert script.told == [(1, code, 0.5), (2, code, 1.5)] and script.waits == [0.5, 1.5]


@pytest.mark.parametrize("code", ["auth", "billing", "permission", "not-found", "too-long", "bad-request", "refusal"])
def test_what_stays_is_not(code: str) -> None:
    script, error = Script([fault(code, retryable=False), GOOD]), None
    with pytest.raises(ProviderError) as caught:
        script.run()
    error = caught.value
    assert script.asked == 1 and error.message == "no" and script.told == []


def test_full_jitter_up_to_a_minute_and_six_attempts() -> None:
    script = Script([fault() for _ in range(9)])
    with pytest.raises(ProviderError) as caught:
        script.run(jitter=1.0)
    assert script.waits == [1.0, 3.0, 9.0, 27.0, 60.0] and script.asked == 6
    error = caught.value
    assert error.message == "no (gave up after 6 attempts)"
    assert (error.code, error.hint, error.retryable, error.usage_unknown) == ("server", "h", True, True)


def test_a_bad_reply_is_repeated_once_whatever_failed_before() -> None:
    script = Script([fault("connection"), fault("server"), fault("bad-reply"), GOOD])
    assert script.run() is GOOD and [code for _, code, _ in script.told] == ["connection", "server", "bad-reply"]


def test_a_bad_reply_is_repeated_once() -> None:
    script = Script([fault("bad-reply") for _ in range(9)])
    with pytest.raises(ProviderError):
        script.run()
    assert script.asked == 2


@pytest.mark.parametrize("code", ["rate-limit", "overloaded"])
def test_a_service_that_is_asked_too_much_is_waited_for_more_than_six_times(code: str) -> None:
    script = Script([*[fault(code, after=3.0) for _ in range(20)], GOOD])
    assert script.run() is GOOD and script.waits == [] and script.told[0] == (1, code, 3.0)
    assert 60.0 <= script.held <= 20 * 5.0 + 1.0  # between two requests there is a gap, too


def test_but_not_when_it_answers_nobody_for_five_minutes() -> None:
    script = Script([fault("rate-limit", after=40.0) for _ in range(20)])
    with pytest.raises(ProviderError, match="gave up after 8 attempts"):
        script.run()


def test_a_faulty_service_says_how_long_to_wait() -> None:
    script = Script([fault("server", after=7.0), fault("server", after=0.0), GOOD])
    assert script.run() is GOOD and script.waits == [7.5, 0.5]


@pytest.mark.parametrize("code", ["server", "rate-limit"])
def test_but_not_longer_than_two_minutes(code: str) -> None:
    script = Script([fault(code, after=120.5), GOOD])
    with pytest.raises(ProviderError) as caught:
        script.run()
    assert script.asked == 1 and caught.value.retry_after == 120.5


def test_no_wait_beyond_the_deadline() -> None:
    script = Script([fault(after=100.0) for _ in range(9)])
    with pytest.raises(ProviderError):
        script.run(policy=RetryPolicy(deadline_s=350))
    assert len(script.waits) == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), ZeroDivisionError()])
def test_what_is_no_fault_of_the_service_comes_through(error: BaseException) -> None:
    with pytest.raises(type(error)):
        Script([error, GOOD]).run()


def test_ctrl_c_while_waiting_comes_through() -> None:
    def sleep(seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RetryingModel(Script([fault(), GOOD]), sleep=sleep).complete(ASK)


def test_ctrl_c_while_the_service_is_silent_comes_through_at_once() -> None:
    import _thread

    class Silent(Script):
        def complete(self, request: Request) -> Reply:
            threading.Timer(0.1, _thread.interrupt_main).start()
            time.sleep(5)
            return GOOD

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        RetryingModel(Silent([])).complete(ASK)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("how", ["header", "body"])
def test_a_dripping_server_is_left_at_the_deadline(how: str, server: FaultServer, wire: str) -> None:
    server.faults[f"drip-{how}"] = lambda h: h.drip(header=how == "header")
    model = RetryingModel(adapter(wire, server.url(f"drip-{how}"), 30), policy=RetryPolicy(deadline_s=0.6))
    started = time.monotonic()
    with pytest.raises(ProviderError) as caught:
        model.complete(ASK)
    assert caught.value.code == "timeout" and caught.value.usage_unknown and caught.value.retryable
    assert time.monotonic() - started < 3


def test_many_threads_share_one() -> None:
    class Slow(Script):
        def complete(self, request: Request) -> Reply:
            time.sleep(0.05)
            return GOOD

    model, done = RetryingModel(Slow([])), []
    threads = [threading.Thread(target=lambda: done.append(model.complete(ASK))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [GOOD] * 20
