"""Waiting for what others do: awaitables in synchronous code, calls for a time, runs as coroutines."""

import asyncio
import contextlib
import contextvars
import functools
import inspect
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Generator
from concurrent.futures import Future, wait
from typing import Any, Generic, ParamSpec, TypeVar, cast

from ralph_cli.core import clock

POLL_SECONDS = 0.5  # seconds between two looks of a wait, so that a person can interrupt it on every system

# If a look comes later, the process was stopped (Ctrl-Z): the further time does not count.
LATE_SECONDS = 10.0

# After such a sleep of the machine a connection is likely dead, without notice.
SLEPT_SECONDS = 30.0

AFTER_SLEEP_SECONDS = 60.0  # remaining time of a call that began before such a sleep

E = TypeVar("E")
T = TypeVar("T")
P = ParamSpec("P")


class CallTimedOut(Exception):
    """A call did not come back in its time, and was left behind."""


def call_with_timeout(
    call: Callable[[], T],
    seconds: float,
    *,
    monotonic: Callable[[], float] = clock.monotonic,
    uptime: Callable[[], float] = clock.uptime,
) -> T:
    """What `call` gives or raises, if it does so within `seconds`; else CallTimedOut.

    Time in which this process was stopped does not count. After the machine slept, less time remains, because
    the connection is likely dead.

    It runs on a daemon thread with the caller's context. A thread cannot be killed: a call that is left behind
    runs until it returns or the program ends.
    """
    done: Future[T] = Future()

    def work() -> None:
        try:
            done.set_result(call())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            done.set_exception(error)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="ralph-call", daemon=True).start()
    left, looked, looked_up = seconds, monotonic(), uptime()
    while not wait([done], max(min(POLL_SECONDS, left), 0)).done:
        now, now_up = monotonic(), uptime()
        left -= min(now - looked, LATE_SECONDS)
        if (now_up - looked_up) - (now - looked) > SLEPT_SECONDS:
            left = min(left, AFTER_SLEEP_SECONDS)
        if left <= 0:
            raise CallTimedOut
        looked, looked_up = now, now_up
    return done.result()


class Awaiter:
    """Gives what an awaitable gives, run on an event loop in a thread of its own; any other value as it is.

    One loop serves all calls, because what an asynchronous client keeps open belongs to the loop it was opened on. It
    starts with the first awaitable and ends with this object. Safe from every thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __call__(self, value: object, timeout: float | None = None) -> object:
        """`value`, or what awaiting it gives or raises. TimeoutError after `timeout` seconds; it is then cancelled."""
        if not inspect.isawaitable(value):
            return value
        if threading.current_thread() is self._thread:
            return Awaiter()(value, timeout)  # to wait here would stop the loop that is waited for
        # A longer wait is refused by the system, and is as good as none.
        timeout = None if timeout is None or timeout > threading.TIMEOUT_MAX / 2 else timeout
        future = asyncio.run_coroutine_threadsafe(_capture_result(value), self._ensure_loop())
        try:
            result, error = future.result(timeout)
        except BaseException:
            future.cancel()
            raise
        if error is not None:
            raise error
        return result

    def _ensure_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                ready: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
                self._thread = threading.Thread(target=_serve, args=(ready,), name="ralph-awaiter", daemon=True)
                self._thread.start()
                self._loop, stop = ready.result()
                weakref.finalize(self, _stop, self._loop, stop)
            return self._loop


async def _capture_result(value: Awaitable[object]) -> tuple[object, BaseException | None]:
    """What `value` gives, or the error it raises: an event loop dies of KeyboardInterrupt and SystemExit."""
    try:
        return await value, None
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
        return None, error


def _serve(ready: "Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]") -> None:
    async def until_stopped() -> None:
        stop = asyncio.Event()
        ready.set_result((asyncio.get_running_loop(), stop))
        await stop.wait()

    asyncio.run(until_stopped())


def _stop(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed already
        loop.call_soon_threadsafe(stop.set)


# Set when the coroutine is cancelled for which this code runs; None where it runs for none.
cancellation: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar("cancellation", default=None)


def as_coroutine(call: Callable[P, T], doc: str = "", name: str = "") -> Callable[P, Coroutine[Any, Any, T]]:
    """`call` as a coroutine function: it runs in a thread of its own, so that the event loop is free meanwhile.

    A cancelled coroutine ends at once; `call` finds `cancellation` set, ends where it next looks, and what it gives or
    raises is dropped.
    """

    @functools.wraps(call)
    async def start(*args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        cancelled = threading.Event()

        def hand_over(result: T | None, error: BaseException | None) -> None:
            if done.cancelled():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(cast(T, result))

        def work() -> None:
            cancellation.set(cancelled)
            result, error = None, None
            try:
                result = call(*args, **kwargs)
            except BaseException as raised:  # noqa: BLE001 - raised again in the coroutine
                error = raised
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(hand_over, result, error)

        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(work,), name="ralph-run", daemon=True).start()
        try:
            return await done
        except asyncio.CancelledError:
            cancelled.set()
            raise

    start.__name__ = start.__qualname__ = name or f"a{call.__name__}"
    start.__doc__ = doc
    return start


class WatchedRun(Generic[E, T]):
    """A run at work in the event loop: iterate over its events as they come, and await its result.

    Events are kept until they are read. Cancelling the task that iterates or awaits cancels the run, as
    `cancel` does; breaking out of the iteration does not.
    """

    def __init__(self, start: Callable[[Callable[[E], None]], Coroutine[Any, Any, T]]) -> None:
        self._loop = asyncio.get_running_loop()
        self._events: asyncio.Queue[E | None] = asyncio.Queue()
        self._result = self._loop.create_task(start(self._hear))
        self._result.add_done_callback(lambda _: self._events.put_nowait(None))

    def _hear(self, event: E, /) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(self._events.put_nowait, event)

    def cancel(self) -> None:
        """End the run before its next call."""
        self._result.cancel()

    def __aiter__(self) -> "WatchedRun[E, T]":
        return self

    async def __anext__(self) -> E:
        try:
            event = await self._events.get()
        except asyncio.CancelledError:
            self.cancel()
            raise
        if event is None:
            self._events.put_nowait(None)
            raise StopAsyncIteration
        return event

    def __await__(self) -> Generator[Any, None, T]:
        return self._result.__await__()
