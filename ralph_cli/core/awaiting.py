"""Waits for work elsewhere: awaitables in synchronous code, calls with a time limit, runs as coroutines."""

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

POLL_SECONDS = 0.5  # seconds between two polls, so that a person can interrupt the wait on every system

# A longer time between two polls means that the process was stopped (Ctrl-Z); the excess does not count.
LATE_SECONDS = 10.0

# If the machine slept for longer, the connection is likely dead without notice.
SLEPT_SECONDS = 30.0

AFTER_SLEEP_SECONDS = 60.0  # time left after such a sleep for a call that began before it

E = TypeVar("E")
T = TypeVar("T")
P = ParamSpec("P")


class CallTimedOut(Exception):
    """A call did not return in time. It was abandoned."""


def call_with_timeout(
    call: Callable[[], T],
    seconds: float,
    *,
    monotonic: Callable[[], float] = clock.monotonic,
    uptime: Callable[[], float] = clock.uptime,
) -> T:
    """Return the result of `call` or raise its error, if it finishes within `seconds`; otherwise raise CallTimedOut.

    Time in which this process was stopped does not count. After the machine slept, less time remains, because the
    connection is likely dead.

    The call runs on a daemon thread with the caller's context. A thread cannot be killed: an abandoned call runs until
    it returns or the program ends.
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
    """Awaits an awaitable on an event loop in a separate thread and returns its result; returns any other value
    unchanged.

    One loop serves all calls, because the open connections of an asynchronous client belong to their loop. The loop
    starts with the first awaitable and ends with this object. Safe to use from every thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __call__(self, value: object, timeout: float | None = None) -> object:
        """Return `value`, or the result of awaiting it. Raises TimeoutError after `timeout` seconds and cancels the
        awaitable.
        """
        if not inspect.isawaitable(value):
            return value
        if threading.current_thread() is self._thread:
            return Awaiter()(value, timeout)  # waiting here would block the loop that does the work
        # The system refuses a longer timeout, which is equivalent to none.
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
    """Return the result of `value`, or its error, because KeyboardInterrupt and SystemExit would stop the event
    loop.
    """
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


# Set if the coroutine that this code runs for is cancelled; None if there is no coroutine.
cancellation: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar("cancellation", default=None)


def as_coroutine(call: Callable[P, T], doc: str = "", name: str = "") -> Callable[P, Coroutine[Any, Any, T]]:
    """Return `call` as a coroutine function that runs in a separate thread, so that the event loop stays free.

    A cancelled coroutine ends at once. `call` finds `cancellation` set and ends at its next check; its result or error
    is dropped.
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
    """A running run in the event loop. Iterate over it to get its events, and await it to get its result.

    Events are kept until they are read. Cancelling the task that iterates or awaits cancels the run, as `cancel` does.
    Breaking out of the iteration does not.
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
