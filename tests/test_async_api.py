"""The coroutines of the API: the same result, and a run that ends when its coroutine is cancelled."""

import asyncio
import inspect
import threading
from pathlib import Path

import pytest
from fakes import FakeSandbox, document

from ralph_cli.api import aask, arun_goal, arun_task, ask, run_goal, run_task
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import AnyEvent, CallStarted, RunHalted
from ralph_cli.core.model import Reply, Request
from ralph_cli.core.run import StopType
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply

LEASE = document("The tenant pays a base rent of $48,000 a year.\n")
CLAIM = {"text": "The base rent is $48,000 a year.", "quotes": ["a base rent of $48,000 a year"]}
VERDICT = '{"verdicts": [{"id": 1, "verdict": "supported", "reason": "it says so"}]}'


def judge() -> ScriptedModel:
    return ScriptedModel([text_reply(VERDICT)])


def test_a_coroutine_gives_what_the_function_gives(tmp_path: Path) -> None:
    async def both() -> list[str]:
        async def answer(place: str) -> str:
            worker = ScriptedModel([tool_reply({"claims": [CLAIM]})])
            settings = Settings(out=tmp_path / place, counter_evidence=False)
            models = {"worker": worker, "judge": judge(), "subquery": worker}
            result = await aask(LEASE, "What is the rent?", settings=settings, models=models, engine=FakeSandbox)
            return result.outcome.best.attempt.claims[0].text if result.outcome.best else ""

        return await asyncio.gather(answer("a"), answer("b"))

    assert asyncio.run(both()) == [CLAIM["text"]] * 2


def test_an_error_of_the_run_is_raised_by_the_coroutine(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the question is empty"):
        asyncio.run(aask(LEASE, " ", settings=Settings(out=tmp_path)))


def test_a_cancelled_coroutine_ends_at_once_and_its_run_before_the_next_call(tmp_path: Path) -> None:
    called, cancelled = threading.Event(), threading.Event()
    halted = threading.Event()
    events: list[AnyEvent] = []

    def hear(event: AnyEvent, /) -> None:
        events.append(event)
        if isinstance(event, RunHalted):
            halted.set()

    def reply(request: Request) -> Reply:
        called.set()
        assert cancelled.wait(10)
        return tool_reply({"claims": [CLAIM]})

    async def cancel() -> None:
        worker = ScriptedModel(reply)
        models = {"worker": worker, "judge": judge(), "subquery": worker}
        running = asyncio.create_task(
            aask(
                LEASE,
                "What is the rent?",
                settings=Settings(out=tmp_path),
                models=models,
                engine=FakeSandbox,
                sink=hear,
            )
        )
        await asyncio.to_thread(called.wait, 10)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not halted.is_set()  # the call in flight is still at work

    asyncio.run(cancel())
    cancelled.set()
    assert halted.wait(10)
    assert [event.halt.type for event in events if isinstance(event, RunHalted)] == [StopType.USER_INTERRUPTED]
    assert [event.agent for event in events if isinstance(event, CallStarted)] == ["worker"]


@pytest.mark.parametrize(("asynchronous", "plain"), [(aask, ask), (arun_task, run_task), (arun_goal, run_goal)])
def test_a_coroutine_has_the_signature_of_its_function(asynchronous: object, plain: object) -> None:
    assert inspect.iscoroutinefunction(asynchronous)
    assert inspect.signature(asynchronous).parameters == inspect.signature(plain).parameters  # type: ignore[arg-type]
    assert asynchronous.__name__ == f"a{plain.__name__}" and f"`{plain.__name__}`" in (asynchronous.__doc__ or "")  # type: ignore[attr-defined]
