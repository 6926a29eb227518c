"""Executors and an event loop that run everything in turn, because a sandbox has no threads and no sockets."""

from __future__ import annotations

import asyncio
import asyncio.base_events
import asyncio.events
import time
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def serial_executors() -> dict[str, types.ModuleType]:
    """Return modules `concurrent` and `concurrent.futures` whose executors run each call immediately."""

    class Future:
        def __init__(self, call: Callable[[], Any]) -> None:
            self._value: Any = None
            self._error: BaseException | None = None
            try:
                self._value = call()
            except Exception as error:  # noqa: BLE001 - as the real one does
                self._error = error

        def result(self, timeout: float | None = None) -> Any:
            if self._error is not None:
                raise self._error
            return self._value

        def exception(self, timeout: float | None = None) -> BaseException | None:
            return self._error

        def done(self) -> bool:
            return True

        def cancel(self) -> bool:
            return False

        def add_done_callback(self, callback: Callable[[Any], object]) -> None:
            callback(self)

    class Executor:
        def __init__(self, max_workers: int | None = None, *_args: Any, **_options: Any) -> None: ...

        def submit(self, call: Callable[..., Any], /, *args: Any, **options: Any) -> Future:
            return Future(lambda: call(*args, **options))

        def map(self, call: Callable[..., Any], *lists: Iterable[Any], **_options: Any) -> Iterator[Any]:
            return iter([call(*items) for items in zip(*lists, strict=False)])

        def shutdown(self, *_args: Any, **_options: Any) -> None: ...

        def __enter__(self) -> Executor:
            return self

        def __exit__(self, *_error: object) -> None: ...

    package, module = types.ModuleType("concurrent"), types.ModuleType("concurrent.futures")
    vars(package).update(futures=module, __path__=[])
    vars(module).update(
        Executor=Executor,
        ThreadPoolExecutor=Executor,
        ProcessPoolExecutor=Executor,
        Future=Future,
        TimeoutError=TimeoutError,
        as_completed=lambda futures, timeout=None: iter(list(futures)),
        wait=lambda futures, timeout=None, return_when=None: (set(futures), set()),
    )
    return {"concurrent": package, "concurrent.futures": module}


class _NoDescriptors:
    """The selector of an event loop that can wait only for time."""

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("the program waits for something that never happens: nothing else runs beside it")
        time.sleep(max(timeout, 0))
        return []


class EventLoop(asyncio.base_events.BaseEventLoop):
    """An event loop without descriptors, processes and threads. Calls for an executor run immediately."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _NoDescriptors()

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - the future has it
            future.set_exception(error)
        return future

    def _process_events(self, events: Any) -> None: ...

    def _write_to_self(self) -> None: ...


def use_event_loop() -> None:
    """Let `asyncio.run` and everything else that needs an event loop use ours."""

    def get_event_loop() -> asyncio.AbstractEventLoop:
        return asyncio._get_running_loop() or EventLoop()

    asyncio._set_running_loop(None)
    asyncio.run = asyncio.runners.run
    asyncio.events.new_event_loop = asyncio.new_event_loop = EventLoop
    asyncio.events.get_event_loop = asyncio.get_event_loop = get_event_loop
