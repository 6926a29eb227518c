"""A worker that does the same over and over is stopped, and one whose conversation no longer fits goes on anew."""

import pytest
from fakes import FakeSandbox, document

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import ModelTurn, Reply, Request, StopReason, ToolCall
from ralph_cli.core.run import StopType
from ralph_cli.providers.metered import turn_text
from ralph_cli.providers.scripted import Script, ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.result import Result

MEMO = document("The tenant pays a base rent of $48,000 a year.\n" + "Nothing else is said here.\n" * 40)
RENT = {"claims": [{"text": "The base rent is $48,000 a year.", "quotes": ["a base rent of $48,000 a year"]}]}
CUT = Reply(ModelTurn("half a"), StopReason.LENGTH)
WRONG_TOOL = Reply(ModelTurn("", (ToolCall("1", "bash", {"code": "ls"}),)), StopReason.TOOL)
TOO_LONG = ProviderError("the request is too long for this model", code="too-long")
YES = text_reply('{"verdicts": [{"id": 1, "verdict": "supported", "reason": "it says so"}]}')


def play(settings: Settings, worker: Script, **changes: object) -> tuple[Result, list[Request]]:
    model = ScriptedModel(worker, vendor="a")
    models = {"worker": model, "judge": ScriptedModel([YES], vendor="b"), "subquery": ScriptedModel([])}
    chosen = settings.model_copy(update={"strategy": "rlm", **changes})
    return ask(MEMO, "What is the rent?", settings=chosen, models=models, engine=FakeSandbox), model.requests


@pytest.mark.parametrize(
    ("reply", "calls", "what"),
    [
        (CUT, 14, "cut at 16000 tokens"),
        (WRONG_TOOL, 8, "There is no tool 'bash'"),
        (tool_reply({"answer": "x"}), 8, "`act` was not understood"),
        (text_reply("I will look into it."), 8, "Use the tool `act`"),
        (tool_reply({"code": "find('rent')"}), 8, "ran the same code and saw the same"),
    ],
)
def test_the_same_three_times_in_a_row_ends_the_iteration(
    settings: Settings, reply: Reply, calls: int, what: str
) -> None:
    done, requests = play(settings, lambda request: reply)
    assert len(requests) == calls and done.ok is False  # three steps and one call over what was printed, twice
    told = [notice.message for notice in done.notices if notice.code == "repetition"]
    assert len(told) == 2 and told[0].startswith("iteration 1 was ended: 3 times in a row") and what in told[0]
    assert done.stop.type is StopType.STALLED and what in done.stop.detail


def test_what_changes_is_no_repetition(settings: Settings) -> None:
    lines = [tool_reply({"code": f"print(context[{n}:{n + 40}])"}) for n in range(6)]
    refused = [tool_reply({"code": "1", "claims": []}), tool_reply({}), WRONG_TOOL, CUT, CUT, tool_reply({})]
    done, requests = play(settings, [*lines, *refused, tool_reply(RENT)])
    assert done.ok and len(requests) == len(lines) + len(refused) + 1


@pytest.mark.parametrize("strategy", ["rlm", "direct"])
def test_a_conversation_that_no_longer_fits_begins_anew_once_and_says_so(settings: Settings, strategy: str) -> None:
    look = tool_reply({"code": "find('base rent')"})
    done, requests = play(settings, [look, TOO_LONG, tool_reply(RENT)], strategy=strategy)
    assert done.ok and [notice.code for notice in done.notices].count("compacted") == 1
    (turn,) = requests[2].turns
    text = turn_text(turn)
    assert "What is the rent?" in text and "find('base rent')" in text and "a base rent of $48,000 a year" in text
    assert (MEMO.text in turn_text(requests[0].turns[0])) is (strategy == "direct") and MEMO.text not in text
    # Whoever has not the whole text, or has it no more, is told of all that finds a place in it.
    told = ["`section(words)`" in request.system and "`help()`" in request.system for request in requests]
    assert told == ([False, False, True] if strategy == "direct" else [True] * 3)


def test_one_that_does_not_fit_even_then_is_an_error_that_can_be_resumed(settings: Settings) -> None:
    with pytest.raises(ProviderError, match="too long"):
        play(settings, [tool_reply({"code": "find('base rent')"}), TOO_LONG, TOO_LONG])
