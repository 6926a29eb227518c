"""Metering: the start is recorded before the request leaves, and every call is booked, also one that fails."""

import pytest

from ralph_cli.core.budget import Budget, Forecast, Ledger
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.events import AnyEvent, CallFinished, CallStarted
from ralph_cli.core.model import ModelTurn, Reply, Request, ToolTurn, Usage, UserTurn
from ralph_cli.providers.metered import MeteredModel, call_numbers, request_digest
from ralph_cli.providers.retrying import RetryingModel
from ralph_cli.providers.scripted import Script, ScriptedModel, text_reply

ASKED = Request("worker", "system", (UserTurn("hello"),))


def metered(script: Script, limits: Budget | None = None) -> tuple[MeteredModel, Ledger, list[AnyEvent]]:
    events: list[AnyEvent] = []
    ledger = Ledger(limits or Budget())
    return MeteredModel(ScriptedModel(script), ledger, events.append, call_numbers()), ledger, events


def test_the_start_is_recorded_before_the_request_is_sent() -> None:
    seen: list[int] = []

    def answer(request: Request) -> Reply:
        seen.append(len(events))
        return text_reply("hi", usage=Usage(1, 10, 2, usd=0.5))

    model, ledger, events = metered(answer)
    model.complete(ASKED)
    assert seen == [1]
    started, finished = events
    assert isinstance(started, CallStarted) and started.sent == "hello" and started.digest == request_digest(ASKED)
    assert isinstance(finished, CallFinished) and finished.reply is not None and finished.reply["text"] == "hi"
    assert ledger.spent == Usage(1, 10, 2, characters=ASKED.characters, usd=0.5) == finished.usage


def test_a_call_that_fails_is_booked_and_its_unknown_price_stays_unknown() -> None:
    model, ledger, events = metered([ProviderError("late", code="timeout", usage_unknown=True)])
    with pytest.raises(ProviderError):
        model.complete(ASKED)
    assert ledger.spent.calls == 1 and ledger.spent.usd is None
    last = events[-1]
    assert isinstance(last, CallFinished) and last.error == "late" and last.reply is None


def test_a_retry_after_a_timeout_goes_on_under_a_cap_when_the_price_is_known() -> None:
    late = ProviderError("late", code="timeout", usage_unknown=True, retryable=True)
    for estimate, ends in ((0.4, None), (None, "the price of a call is unknown"), (0.6, "cost limit reached")):
        script = ScriptedModel([late, text_reply("hi", usage=Usage(1, 10, 2, usd=0.01))])
        ledger = Ledger(Budget(usd=1.0))
        model = MeteredModel(script, ledger, [].append, call_numbers(), lambda request, worst=estimate: Forecast(worst))
        patient = RetryingModel(model, ledger=ledger, sleep=lambda seconds: None)
        if ends:
            with pytest.raises(LimitExceeded, match=ends):
                patient.complete(ASKED)
        else:
            assert patient.complete(ASKED).text == "hi"
        assert ledger.spent.usd is None


def test_a_call_over_the_budget_is_never_made() -> None:
    model, _, events = metered([text_reply("one"), text_reply("two")], Budget(calls=1))
    model.complete(ASKED)
    with pytest.raises(LimitExceeded):
        model.complete(ASKED)
    assert [event.kind for event in events] == ["call_started", "call_finished", "noticed"]


def test_a_digest_changes_with_whatever_decides_the_answer() -> None:
    others = [
        Request("judge", "system", ASKED.turns),
        Request("worker", "other", ASKED.turns),
        Request("worker", "system", (UserTurn("hullo"),)),
        Request("worker", "system", (ModelTurn("hello"),)),
        Request("worker", "system", (ToolTurn((("1", "hello", False),)),)),
        Request("worker", "system", ASKED.turns, max_tokens=9),
    ]
    assert len({request_digest(request) for request in (ASKED, *others)}) == 7
    assert request_digest(ASKED) == request_digest(
        Request("worker", "system", (UserTurn("hello"),), inputs={"question": "x"})
    )
