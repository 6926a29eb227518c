"""A worker that burns, in many lanes, with any tokenizer: never over a bound by more than what nobody could foresee."""

import random
import threading
from collections.abc import Callable
from functools import cache

import pytest

from ralph_cli.config import Settings
from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.model import Reply, Request, Usage, UserTurn
from ralph_cli.providers.metered import MeteredModel, call_numbers
from ralph_cli.providers.prices import price
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.wiring.spending import cost_estimator

MODEL = "claude-haiku-5-5"
TOKENIZERS: dict[str, Callable[[str], int]] = {
    "four characters": lambda text: len(text) // 4 + 1,
    "half of the bytes": lambda text: len(text.encode()) // 2 + 1,
    "dense scripts at one and a half": lambda text: int(sum(1.5 if ord(c) > 0x2E7F else 0.5 for c in text)) + 1,
}
TEXTS = ("plain words of a document ", "1,577  (1,373)  204\n", "賃貸借契約書による賃料", "договор аренды нежилого ")


def burn(seed: int, lanes: int, tokenizer: str, caps: tuple[float, ...]) -> tuple[float, float, int]:
    """Lanes that ask for ever, with prompts of any size: the cap, what was billed, and how many calls there were."""
    chance, count = random.Random(seed), cache(TOKENIZERS[tokenizer])
    cap = chance.choice(caps)
    ledger = Ledger(Budget(usd=cap, calls=2_000))
    lock = threading.Lock()

    def answer(request: Request) -> Reply:
        with lock:
            out = chance.choice((1, 200, request.max_tokens))
        (turn,) = request.turns
        prompt = count(turn.text) + 500  # type: ignore[union-attr]
        usage = Usage(1, prompt, out, cache_write_tokens=prompt)
        return text_reply("x", usage=Usage(1, prompt, out, 0, prompt, usd=price("anthropic", MODEL, usage)))

    estimate = cost_estimator(Settings(), f"anthropic:{MODEL}")
    model = MeteredModel(ScriptedModel(answer), ledger, lambda event: None, call_numbers(), estimate)

    def lane(number: int) -> None:
        mine = random.Random(seed * 1_000 + number)
        try:
            while True:
                text = mine.choice(TEXTS) * mine.choice((1, 50, 2_000))
                model.complete(
                    Request("subquery", "", (UserTurn(text),), max_tokens=mine.choice((9, 2_000)), cache=True)
                )
        except LimitExceeded:
            pass

    threads = [threading.Thread(target=lane, args=(number,)) for number in range(lanes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return cap, ledger.spent.usd or 0.0, ledger.spent.calls


def check(runs: range, *caps: float) -> None:
    most, least, calls = 0.0, 1.0, 0
    for seed in runs:
        for place, tokenizer in enumerate(TOKENIZERS):
            cap, spent, made = burn(seed, (1, 2, 8, 32, 64)[(seed + place) % 5], tokenizer, caps)
            most, calls = max(most, spent / cap), calls + made
            if made:
                least = min(least, spent / cap)
            assert spent <= cap, (seed, tokenizer, spent, cap)
    print(f"{len(runs) * 3} runs, {calls} calls: at most {most:.3f} of the cap spent")


def test_no_cap_is_broken() -> None:
    check(range(6), 0.01)


@pytest.mark.full
def test_no_cap_is_broken_in_a_thousand_runs() -> None:
    check(range(1_000, 1_334), 0.01, 0.05, 0.5)


def test_a_bill_above_all_that_could_be_foreseen_costs_that_one_call() -> None:
    ledger = Ledger(Budget(usd=1.0))
    script = [text_reply("x", usage=Usage(1, 10, 10, usd=0.9)), text_reply("x", usage=Usage(1, 10, 10, usd=4.0))]
    estimate = cost_estimator(Settings(), f"anthropic:{MODEL}")
    model = MeteredModel(
        ScriptedModel([*script, text_reply("never")]), ledger, lambda e: None, call_numbers(), estimate
    )
    ask = Request("subquery", "", (UserTurn("x"),))
    model.complete(ask)
    model.complete(ask)
    with pytest.raises(LimitExceeded, match=r"cost limit reached: \$4\.9 of \$1 spent"):
        model.complete(ask)
