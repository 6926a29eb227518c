"""The coroutines of the API: the same result, and a run that ends when its coroutine is cancelled."""

import asyncio
import inspect
import threading
from pathlib import Path

import pytest
from fakes import FakeSandbox, document

from ralph_cli.api import aask, arun_goal, arun_task, ask, atable, make_table, run_goal, run_task, watch
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import AnyEvent, CallStarted, RunHalted, RunStarted
from ralph_cli.core.model import Reply, Request
from ralph_cli.core.results.table import TableQuestion
from ralph_cli.core.run import StopType
from ralph_cli.journal.store import read_events
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
            settings = Settings(out=tmp_path / place)
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


def test_the_events_of_a_run_come_in_order_while_it_is_at_work(tmp_path: Path) -> None:
    go, heard = threading.Event(), []

    def reply(request: Request) -> Reply:
        assert go.wait(10)  # until the first event has been seen
        return tool_reply({"claims": [CLAIM]})

    async def listen() -> None:
        models = {"worker": ScriptedModel(reply), "judge": judge(), "subquery": ScriptedModel([])}
        settings = Settings(out=tmp_path)
        given = {"settings": settings, "models": models, "engine": FakeSandbox, "sink": heard.append}
        run = watch(aask, LEASE, "What is the rent?", **given)
        seen = []
        async for event in run:
            go.set()
            seen.append(event)
        result = await run
        assert result.ok and (await run) is result and [event async for event in run] == []
        assert seen == heard == list(read_events(result.folder))
        assert isinstance(seen[0], RunStarted) and isinstance(seen[-1], RunHalted)

    asyncio.run(listen())


def test_an_error_ends_the_iteration_and_is_raised_when_the_result_is_awaited(tmp_path: Path) -> None:
    async def listen() -> None:
        run = watch(aask, LEASE, " ", settings=Settings(out=tmp_path))
        assert [event async for event in run] == []
        with pytest.raises(ConfigError, match="the question is empty"):
            await run

    asyncio.run(listen())


@pytest.mark.parametrize("by", ["cancel", "iterating"])
def test_cancelling_whoever_listens_ends_the_run(tmp_path: Path, by: str) -> None:
    go, halted = threading.Event(), threading.Event()

    def reply(request: Request) -> Reply:
        assert go.wait(10)
        return tool_reply({"code": "print(1)"})

    async def listen() -> None:
        models = {"worker": ScriptedModel(reply), "judge": judge(), "subquery": ScriptedModel([])}

        def hear(event: AnyEvent, /) -> None:
            if isinstance(event, RunHalted):
                halted.set()

        run = watch(aask, LEASE, "What?", settings=Settings(out=tmp_path), models=models, engine=FakeSandbox, sink=hear)

        async def iterate() -> None:
            async for event in run:
                if isinstance(event, CallStarted):
                    run.cancel() if by == "cancel" else task.cancel()

        task = asyncio.create_task(iterate())
        if by == "cancel":
            await task
        with pytest.raises(asyncio.CancelledError):
            await (run if by == "cancel" else task)
        go.set()
        await asyncio.to_thread(halted.wait, 10)

    asyncio.run(listen())
    assert halted.is_set()
    (folder,) = tmp_path.glob("*-qa-*")
    assert sum(isinstance(event, CallStarted) for event in read_events(folder)) == 1


def test_a_table_is_made_while_the_loop_is_free(tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text(LEASE.text)

    async def make() -> list[str]:
        models = {"worker": ScriptedModel(lambda _: tool_reply({"claims": [CLAIM]})), "judge": judge()}
        run = watch(
            atable,
            [TableQuestion(id="rent", question="What is the rent?")],
            tmp_path / "lease.txt",
            folder=tmp_path / "table",
            settings=Settings(out=tmp_path / "out"),
            models={**models, "subquery": ScriptedModel([])},
            engine=FakeSandbox,
        )
        kinds = [event.kind async for event in run]
        assert kinds[-1] == "run_halted"
        return [cell.answer for cell in await run]

    assert asyncio.run(make()) == [CLAIM["text"]]


PAIRS = [(aask, ask), (arun_task, run_task), (arun_goal, run_goal), (atable, make_table)]


@pytest.mark.parametrize(("asynchronous", "plain"), PAIRS)
def test_a_coroutine_has_the_signature_of_its_function(asynchronous: object, plain: object) -> None:
    assert inspect.iscoroutinefunction(asynchronous)
    assert inspect.signature(asynchronous).parameters == inspect.signature(plain).parameters  # type: ignore[arg-type]
    name = "atable" if plain is make_table else f"a{plain.__name__}"  # type: ignore[attr-defined]
    assert asynchronous.__name__ == name and f"`{plain.__name__}`" in (asynchronous.__doc__ or "")  # type: ignore[attr-defined]
