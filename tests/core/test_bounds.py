"""Every run has a bound, which is said; prices of one's own count; what a resume needs is told."""

from dataclasses import replace
from math import inf

import pytest
from fakes import FakeSandbox, document

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.budget import Budget
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.model import Request, Usage, UserTurn
from ralph_cli.core.run import StopType
from ralph_cli.providers.metered import most_text_tokens
from ralph_cli.providers.prices import price
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.history import recorded_costs
from ralph_cli.wiring.estimating import PastRun, estimate_cost
from ralph_cli.wiring.models import ModelNames
from ralph_cli.wiring.spending import cost_estimator, most_usd, require_price, run_budget

MEMO = document("Memorandum on the lease.\nThe tenant pays a base rent of $48,000 a year.\n")
LOOK = {"code": "find('base rent')"}
RENT = {"text": "The base rent is $48,000 a year.", "quotes": ["a base rent of $48,000 a year"]}
YES = '{"verdicts": [{"id": 1, "verdict": "supported", "reason": "it says so"}]}'
CLAUDE = {
    "worker": "anthropic:claude-sonnet-5-5",
    "judge": "openai:gpt-6.1-sol",
    "subquery": "anthropic:claude-haiku-5-5",
}


def bounds(names: dict[str, str], **values: object) -> tuple[Budget, str]:
    budget, notices = run_budget(Settings(**values), names, {})
    return budget, " ".join(notice.message for notice in notices)


def test_a_run_without_a_bound_has_one_and_says_so() -> None:
    budget, told = bounds(CLAUDE)
    assert budget == Budget(usd=5.0) and "at most $5" in told and "--max-cost none" in told
    budget, told = bounds({**CLAUDE, "judge": "openai:my-own"})
    assert (budget.usd, budget.calls, budget.tokens) == (None, 500, 4_000_000)
    assert "the price of openai:my-own is unknown" in told
    assert bounds({**CLAUDE, "judge": "openai:my-own"}, max_calls=9)[0] == Budget(calls=9, tokens=4_000_000)


@pytest.mark.parametrize(
    ("values", "names", "budget"),
    [
        ({"max_cost": "none"}, CLAUDE, Budget()),
        ({"max_cost": 2}, CLAUDE, Budget(usd=2.0)),
        ({"max_time": "5m"}, {"worker": "offline:extractive"}, Budget(seconds=300.0)),
        ({"max_time": "1h30m", "max_cost": "none"}, CLAUDE, Budget(seconds=5_400.0)),
        ({"max_calls": 3, "max_tokens": 9, "max_cost": "none"}, CLAUDE, Budget(calls=3, tokens=9)),
    ],
)
def test_what_a_person_sets_holds_and_nothing_is_said(
    values: dict[str, object], names: dict[str, str], budget: Budget
) -> None:
    assert bounds(names, **values) == (budget, "")


@pytest.mark.parametrize("wrong", ["soon", "5 minutes", "m", ""])
def test_a_time_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(ConfigError):
        Settings(max_time=wrong)


def test_prices_of_ones_own_count_before_the_table() -> None:
    usage = Usage(1, 1_000_000, 100_000, cache_read_tokens=500_000)
    own = Settings(prices="openai:my-own=1/5,anthropic:claude-sonnet-5-5=2/10/0.2").price_list
    assert price("openai", "my-own", usage, "http://127.0.0.1:9/v1", own) == pytest.approx(1.5)
    assert price("anthropic", "claude-sonnet-5-5", usage, None, own) == pytest.approx(2.1)
    assert price("openai", "other", usage, "http://127.0.0.1:9/v1", own) is None
    with pytest.raises(ConfigError, match="the price of openai:my-own is unknown"):
        require_price(Settings(max_cost=1), "openai:my-own")
    require_price(Settings(max_cost=1, prices="openai:my-own=1/5"), "openai:my-own")
    for wrong in ("my-own=1/5", "openai:x", "openai:x=1", "openai:x=-1/2", "openai:x=a/b"):
        with pytest.raises(ConfigError, match="vendor:model=IN/OUT"):
            Settings(prices=wrong)


@pytest.mark.parametrize(
    ("text", "least"),
    [("plain words of a document ", 0.25), ("1,577  (1,373)", 0.9), ("über naïve", 0.5), ("договор аренды", 0.6)]
    + [(text, 1.5) for text in ("賃貸借契約書", "สัญญาเช่า", "किराया", "임대차계약서")],
)
def test_tokens_are_estimated_by_script(text: str, least: float) -> None:
    assert len(text) * 100 * least <= most_text_tokens(text * 100) <= len(text) * 100 * max(3 * least, 1.0)


def test_what_is_written_to_a_cache_and_thoughts_that_are_sent_back_are_reserved() -> None:
    forecast = cost_estimator(Settings(), "anthropic:claude-sonnet-5-5")
    plain = Request("worker", "x" * 10_000, (UserTurn("y" * 90_000),))
    cached = Request("worker", "x" * 10_000, (UserTurn("y" * 90_000),), cache=True)
    one, other = forecast(plain).usd, forecast(cached).usd
    assert one is not None and other is not None and one < other < 1.3 * one


def test_a_bill_that_is_unknown_counts_as_the_most_that_it_may_be() -> None:
    lost = Usage(1, characters=10_000, usd=None)
    most = most_usd(Settings(), CLAUDE["worker"], lost)
    assert most > cost_estimator(Settings(), CLAUDE["worker"])(Request("worker", "x" * 10_000, ())).usd
    assert most < 1 and most_usd(Settings(), "openai:my-own", lost) == inf
    assert most_usd(Settings(), "openai:my-own", replace(lost, usd=0.25)) == 0.25


def test_a_bound_that_is_reached_ends_the_run_with_what_a_resume_needs(settings: Settings) -> None:
    worker = ScriptedModel([tool_reply(LOOK), tool_reply({"claims": [RENT]})], vendor="a")
    models = {"worker": worker, "judge": ScriptedModel([text_reply(YES)], vendor="b")}
    chosen = settings.model_copy(update={"strategy": "rlm", "max_calls": 2})
    done = ask(MEMO, "What is the rent?", settings=chosen, models=models, engine=FakeSandbox)
    assert done.stop.type is StopType.MAX_CALLS and "calls limit reached: 2 of 2 spent" in done.stop.detail
    assert "--max-calls" in done.stop.detail
    warned = [notice.message for notice in done.notices if notice.code == "budget"]
    assert warned == ["100% of the calls limit is used: 2 of 2"]


def test_an_estimate_says_how_it_is_known_and_grows_with_what_is_sent() -> None:
    names = ModelNames(CLAUDE["worker"], CLAUDE["judge"], CLAUDE["subquery"])
    short, long = (estimate_cost(Settings(strategy="direct"), names, size, []) for size in (4_000, 400_000))
    goals = [estimate_cost(Settings(), names, size, [], is_goal=True) for size in (4_000, 400_000)]
    assert not any("judge" in found.how for found in goals)
    for found in (short, long, estimate_cost(Settings(), names, 400_000, []), *goals):
        assert found.low and found.likely and found.high and found.low < found.likely < found.high
        assert "no recorded runs" in found.how and found.bound == 5.0
    assert long.likely and short.likely and long.likely > 2 * short.likely
    past = [PastRun(usd, 400_000) for usd in (0.1, 0.2, 0.3, 0.4)]
    known = estimate_cost(Settings(), names, 400_000, past)
    assert known.likely == pytest.approx(0.25) and "from 4 recorded runs" in known.how
    whole = estimate_cost(Settings(strategy="direct"), names, 200_000, past)
    assert whole.likely == pytest.approx(0.125)
    unknown = ModelNames("openai:my-own", CLAUDE["judge"], CLAUDE["subquery"])
    assert estimate_cost(Settings(), unknown, 4_000, []).likely is None


def test_an_estimate_is_made_from_the_runs_of_the_folder(settings: Settings) -> None:
    usage = Usage(1, 100, 10, usd=0.05)
    for _ in range(2):
        worker = ScriptedModel([tool_reply(LOOK), replace(tool_reply({"claims": [RENT]}), usage=usage)], vendor="a")
        models = {"worker": worker, "judge": ScriptedModel([replace(text_reply(YES), usage=usage)], vendor="b")}
        chosen = settings.model_copy(update={"strategy": "rlm"})
        assert ask(MEMO, "What is the rent?", settings=chosen, models=models, engine=FakeSandbox).ok
    names = (worker.name, models["judge"].name)
    assert [run.usd for run in recorded_costs(settings.out, "qa", *names)] == [pytest.approx(0.1)] * 2
    assert recorded_costs(settings.out, "qa", worker.name, "") == recorded_costs(settings.out, "qa", *names)
    assert recorded_costs(settings.out, "task", *names) == recorded_costs(settings.out, "qa", "other", "one") == []
