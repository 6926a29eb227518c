"""The time at which a snippet runs. It also seeds randomness, so a repeated snippet gets the same values."""

from __future__ import annotations

import datetime
import hashlib
import os
import random
import sys
import time
import types
import uuid
from collections.abc import Callable
from typing import Any

# Seconds that pass between two looks at the clock, so that a loop until some time ends.
TICK = 1e-6

_time, _sleep, _urandom = time.time, time.sleep, os.urandom
_seed = random.Random.seed


class Moment:
    """The guest's clock and source of randomness. Until a time is set they are the real ones.

    Clocks that only measure durations (such as `monotonic`) stay real.
    """

    def __init__(self) -> None:
        self._now: float | None = None
        self._history = b""
        self._bytes = random.Random(0)
        self._put_in_place()

    def set(self, now: float | None) -> None:
        """Begin a snippet at this time, in seconds since 1970; None is the real time."""
        self._now = now
        if now is not None:
            # Two snippets at the same time get different values.
            self._history = hashlib.sha256(self._history + repr(now).encode()).digest()
            self._bytes = random.Random(self._history)

    def time(self) -> float:
        if self._now is None:
            return _time()
        self._now += TICK
        return self._now

    def sleep(self, seconds: float, /) -> None:
        _sleep(seconds)
        if self._now is not None:
            self._now += seconds

    def urandom(self, size: int, /) -> bytes:
        return _urandom(size) if self._now is None else self._bytes.randbytes(size)

    def _put_in_place(self) -> None:
        """Replace the functions of the standard library in all modules."""
        clock = self.time
        replaced: dict[Any, Any] = {
            _time: clock,
            time.time_ns: lambda: round(clock() * 1e9),
            _sleep: self.sleep,
            time.localtime: _at_the_time(time.localtime, clock),
            time.gmtime: _at_the_time(time.gmtime, clock),
            time.ctime: _at_the_time(time.ctime, clock),
            time.asctime: _of_the_time(time.asctime, clock),
            time.strftime: _of_the_time(time.strftime, clock),
            _urandom: self.urandom,
            datetime.datetime: _datetime_at(clock),
        }

        def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
            _seed(self, os.urandom(32) if a is None else a, version)

        random.Random.seed = seed  # type: ignore[method-assign]
        random.seed = random._inst.seed
        if "sqlite3" in sys.modules:  # it has adapted the class by its identity
            sys.modules["sqlite3"].register_adapter(replaced[datetime.datetime], lambda value: value.isoformat(" "))
        vars(uuid).update(_generate_time_safe=None, _UuidCreate=None)  # both ask the machine
        for module in [module for module in sys.modules.values() if isinstance(module, types.ModuleType)]:
            if module.__name__ != __name__:
                table = vars(module)
                table.update({name: replaced[value] for name, value in table.items() if _is_in(replaced, value)})


def _is_in(replaced: dict[Any, Any], value: object) -> bool:
    kinds = (types.BuiltinFunctionType, types.FunctionType, type)
    return isinstance(value, kinds) and value in replaced


def _at_the_time(function: Callable[..., Any], clock: Callable[[], float]) -> Callable[..., Any]:
    """Wrap a function of `time` that takes seconds, by default the current time."""
    return lambda seconds=None, /: function(clock() if seconds is None else seconds)


def _of_the_time(function: Callable[..., Any], clock: Callable[[], float]) -> Callable[..., Any]:
    """Wrap a function of `time` whose last argument is a struct_time, by default the current time."""
    needed = 1 if function is time.strftime else 0
    parts = time.localtime
    return lambda *given: function(*given) if len(given) > needed else function(*given, parts(clock()))


def _datetime_at(clock: Callable[[], float]) -> type[datetime.datetime]:
    """Return a `datetime.datetime` whose current time is that of the clock."""

    class Now(datetime.datetime):
        __slots__ = ()

        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return cls.fromtimestamp(clock(), tz)

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(clock())

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(clock(), datetime.UTC).replace(tzinfo=None)

        def __repr__(self) -> str:
            return f"datetime.{super().__repr__()}"

    Now.__name__ = Now.__qualname__ = "datetime"
    Now.__module__ = "datetime"
    Now.min, Now.max = Now(1, 1, 1), Now(9999, 12, 31, 23, 59, 59, 999999)
    return Now
