"""A service that is asked too much is sent fewer requests, none is given up, and few are sent twice."""

import heapq
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf

import pytest
from fault_server import FaultServer, Handler
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from provider_wires import adapter

from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.model import Request, UserTurn
from ralph_cli.providers.endpoint import Endpoint
from ralph_cli.providers.governor import FIRST_LANES, MAX_IN_FLIGHT, Governor, Pace, governor_of
from ralph_cli.providers.retrying import RetryingModel

ASK = Request("subquery", "", (UserTurn("hi"),))
MOST_SENT = 1.3
"""Requests that are sent for each that is answered, at most."""


@dataclass
class Service:
    """Takes so many requests a second, of which it saves up to `burst`, and so many at once; may say when to come."""

    per_second: float = inf
    at_once: float = inf
    says_when: bool = False
    burst: float = 1.0
    serving: int = 0
    _saved: float = field(init=False)
    _at: float = 0.0

    def __post_init__(self) -> None:
        self._saved = self.burst

    def take(self, now: float) -> tuple[bool, float | None]:
        self._saved = (
            min(self.burst, self._saved + (now - self._at) * self.per_second) if self._at < now else self._saved
        )
        self._at = now
        if self.serving >= self.at_once:
            return False, None
        if self.per_second < inf and self._saved < 1 - 1e-9:
            return False, (1 - self._saved) / self.per_second if self.says_when else None
        self._saved -= 1
        self.serving += 1
        return True, None


def simulate(
    service: Service, requests: int, seconds: float, chance: float, most: int = MAX_IN_FLIGHT
) -> tuple[float, float]:
    """Requests sent for each that was wanted, and the seconds until all were answered; no time passes here."""
    pace, now, waiting, answered, sent = Pace(), 0.0, requests, 0, 0
    flying: list[tuple[float, int, bool, float | None, object]] = []
    while answered < requests:
        delay = pace.delay(now, most) if waiting else inf
        if delay < inf and (not flying or now + delay <= flying[0][0]):
            now, waiting, sent = now + delay, waiting - 1, sent + 1
            start = pace.start(now)
            assert pace.in_flight <= most
            taken, when = service.take(now)
            heapq.heappush(flying, (now + (seconds if taken else 0.02), sent, taken, when, start))
        else:
            now, _, taken, when, start = heapq.heappop(flying)
            if taken:
                service.serving -= 1
                answered += 1
                pace.answered(start)  # type: ignore[arg-type]
            else:
                waiting += 1
                pace.refused(start, now, when, chance)  # type: ignore[arg-type]
        assert now < 86_400
    return sent / requests, now


@pytest.mark.parametrize("says_when", [False, True])
@pytest.mark.parametrize("seconds", [0.05, 0.5, 2.0])
def test_limits_of_a_rate_and_of_a_number_at_once(seconds: float, says_when: bool) -> None:
    services = [lambda rate=rate: Service(per_second=rate, says_when=says_when) for rate in (1, 2, 4)]
    services.append(lambda: Service(at_once=4))
    for make in services:
        sent, took = simulate(make(), 60, seconds, 0.5)
        fastest = max(60 / make().per_second, 60 * seconds / min(make().at_once, MAX_IN_FLIGHT))
        assert sent <= MOST_SENT, (make(), sent)
        assert took <= 3.2 * fastest + 5, (make(), took)


@examples(max_examples=25, deadline=None)
@given(st.floats(0.5, 50), st.integers(1, 64), st.booleans(), st.floats(1, 20), st.floats(0.02, 20), st.floats(0, 0.99))
def test_no_limit_keeps_a_request_from_being_answered(
    rate: float, at_once: int, says_when: bool, burst: float, seconds: float, chance: float
) -> None:
    sent, _ = simulate(Service(rate, at_once, says_when, burst), 120, seconds, chance)
    assert sent <= 1.5


def test_a_free_service_gets_all_that_may_be_in_flight_and_no_more() -> None:
    pace, starts, most = Pace(), [], 0
    for _ in range(6):
        while pace.delay(0.0) == 0:
            starts.append(pace.start(0.0))
        most = max(most, pace.in_flight)
        while starts:
            pace.answered(starts.pop())
    assert FIRST_LANES < most == MAX_IN_FLIGHT


def limited(service: Service, seconds: float = 0.03) -> Callable[[Handler], None]:
    """What the fault server does as that service."""
    lock, begun = threading.Lock(), time.monotonic()

    def answer(h: Handler) -> None:
        with lock:
            taken, when = service.take(time.monotonic() - begun)
        if not taken:
            return h.error(429, "rate_limit_error", **({"retry_after_ms": f"{when * 1000:.0f}"} if when else {}))
        time.sleep(seconds)
        with lock:
            service.serving -= 1
        return h.put(200, h.good())

    return answer


@pytest.mark.full
def test_sub_queries_that_are_asked_at_once_are_all_answered(server: FaultServer) -> None:
    """Of four services side by side, since most of their time is waiting."""
    services = {f"{rate}-a-second": Service(per_second=rate, says_when=True) for rate in (1, 2, 4)}
    services["4-at-once"] = Service(at_once=4)
    answered: dict[str, list[str]] = {name: [] for name in services}
    threads: list[threading.Thread] = []
    for name, service in services.items():
        server.faults[name] = limited(service)
        model = RetryingModel(adapter("messages", server.url(name)), governor=Governor())

        def ask(model: RetryingModel = model, said: list[str] = answered[name]) -> None:
            said.append(model.complete(ASK).text)

        threads += [threading.Thread(target=ask) for _ in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sent = Counter(name for name, *_ in server.seen)
    print(*(f"{name}: {sent[name]} requests for {len(answered[name])} answers" for name in services), sep=", ")
    for name in services:
        assert answered[name] == ["fine"] * 60 and sent[name] <= 60 * MOST_SENT


def refuse(governor: Governor, after: float) -> None:
    with pytest.raises(ProviderError), governor.turn():
        raise ProviderError("too many", code="rate-limit", retryable=True, retry_after=after)


def test_what_one_is_told_holds_for_all_behind_the_key() -> None:
    endpoint = Endpoint("anthropic", "sk-1", "http://127.0.0.1:9")
    governor = governor_of(endpoint)
    assert governor_of(Endpoint("anthropic", "sk-1", "http://127.0.0.1:9")) is governor
    assert governor_of(Endpoint("anthropic", "sk-2", "http://127.0.0.1:9")) is not governor
    refuse(governor, 0.4)
    begun = time.monotonic()
    with governor.turn():
        assert time.monotonic() - begun >= 0.35


def test_a_refusal_halves_what_may_be_in_flight_once_for_all_that_were_and_one_is_always_left() -> None:
    pace, most = Pace(lanes=8), []
    for now in range(0, 1_000, 100):
        starts = []
        while pace.delay(now + 99) < inf:
            starts.append(pace.start(now))
        most.append(len(starts))
        for start in starts:
            pace.refused(start, now + 1, 0.0, 0.0)
    assert most[:5] == [8, 4, 2, 1, 1]


def test_nobody_waits_longer_than_two_minutes_nor_than_the_run_has_time() -> None:
    governor = Governor()
    refuse(governor, 130.0)
    with pytest.raises(ProviderError, match="too many"), governor.turn():
        pass
    busy, ledger = Governor(), Ledger(Budget(seconds=0.3))
    refuse(busy, 60.0)
    begun = time.monotonic()
    with pytest.raises(LimitExceeded), busy.turn(ledger.check_time):
        pass
    assert time.monotonic() - begun < 5


def test_turns_are_given_in_the_order_of_asking() -> None:
    governor, order = Governor(pace=Pace(lanes=1)), []

    def ask(number: int) -> None:
        with governor.turn():
            order.append(number)
            time.sleep(0.02)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    with governor.turn():
        for thread in threads:
            thread.start()
            time.sleep(0.02)
    for thread in threads:
        thread.join()
    assert order == sorted(order)


def test_two_workers_with_half_a_limit_each_keep_it_together() -> None:
    limit, seconds = 60, 1.5
    begun, sent = time.monotonic(), []

    def ask_all(governor: Governor) -> None:
        while time.monotonic() < begun + seconds:
            with governor.turn(least_gap=2 / limit):
                sent.append(time.monotonic())

    lanes = [threading.Thread(target=ask_all, args=(governor,)) for governor in (Governor(), Governor()) for _ in "ab"]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    in_a_second = [sum(at <= other < at + 1 for other in sent) for at in sent]
    assert limit / 2 < max(in_a_second) <= limit * 1.05
