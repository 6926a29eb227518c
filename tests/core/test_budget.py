"""A run spends what it may and no more, and lanes wait for each other rather than end it."""

import threading
import time

import pytest

from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.model import Usage


def test_a_cap_too_small_for_one_call_says_so_with_both_amounts() -> None:
    with pytest.raises(LimitExceeded) as caught, Ledger(Budget(usd=0.05)).reserve(0.135):
        pass
    assert caught.value.message == "one call may cost up to $0.135, the cap is $0.05"
    assert "--max-cost" in caught.value.hint
    told, small = "one call may take up to 5,000, the cap is 3,000", Ledger(Budget(tokens=3_000))
    with pytest.raises(LimitExceeded, match=told) as few, small.reserve(None, 5_000):
        pass
    assert few.value.limit == "tokens" and "--max-tokens" in few.value.hint


def test_lanes_wait_for_what_others_were_promised_instead_of_ending_the_run() -> None:
    ledger, ended = Ledger(Budget(usd=0.5)), []

    def lane() -> None:
        with ledger.reserve(0.2) as book:
            time.sleep(0.01)
            book(Usage(calls=1, usd=0.013))
        ended.append(1)

    threads = [threading.Thread(target=lane) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(ended) == 20 and ledger.spent.usd == pytest.approx(0.26)


def test_who_waits_ends_with_the_time_of_the_run_or_with_the_run() -> None:
    for budget, end in ((Budget(seconds=0.3, usd=1.0), lambda ledger: None), (Budget(usd=1.0), Ledger.close)):
        ledger, faults = Ledger(budget), []

        def wait_in_vain(ledger: Ledger = ledger, faults: list[str] = faults) -> None:
            try:
                with ledger.reserve(0.8):
                    faults.append("it was let through")
            except LimitExceeded as error:
                faults.append(error.limit)

        with ledger.reserve(0.8):
            waiting = threading.Thread(target=wait_in_vain)
            waiting.start()
            time.sleep(0.05)
            end(ledger)
            waiting.join(5)
        assert faults in (["time"], ["cancelled"])


def test_what_a_server_bills_above_the_promise_is_booked_and_ends_the_run() -> None:
    ledger = Ledger(Budget(usd=1.0))
    with ledger.reserve(0.1) as book:
        book(Usage(calls=1, usd=3.0))
    assert ledger.spent.usd == 3.0
    with pytest.raises(LimitExceeded, match=r"cost limit reached: \$3 of \$1 spent$"), ledger.reserve(0.0):
        pass


@pytest.mark.parametrize("budget", [Budget(calls=10), Budget(tokens=1_000), Budget(usd=1.0), Budget(seconds=10)])
def test_a_person_is_warned_once_of_each_bound_at_four_fifths(budget: Budget) -> None:
    now = [0.0]
    ledger, warnings = Ledger(budget, monotonic=lambda: now[0]), []
    for _ in range(9):
        with ledger.reserve(0.1, 100) as book:
            book(Usage(1, 80, 20, usd=0.1))
            now[0] += 1.0
        warnings.append(ledger.take_warnings())
    assert [bool(told) for told in warnings] == [False] * 7 + [True, False]
    assert "80% of the" in warnings[7][0]
    (left,) = ledger.left.values()
    assert left == pytest.approx({10: 1, 1_000: 100, 1.0: 0.1}[budget.calls or budget.tokens or budget.usd or 10])
