"""Time and randomness enter the program here and nowhere else."""

import time
from datetime import UTC, datetime


def now() -> str:
    """The current time in UTC, ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def since_1970(time: str) -> float | None:
    """Seconds from 1970 to a time that is written as by `now`; None when it is not."""
    try:
        return datetime.fromisoformat(time).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def seconds_between(start: str, end: str) -> float:
    """Seconds from one time to a later one, both written as by `now`; 0 when they are not, or not in that order."""
    try:
        return max((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return 0.0


def nanoseconds() -> int:
    """Nanoseconds since 1970, as spans count."""
    return time.time_ns()


def monotonic() -> float:
    """Seconds on a clock that never goes back; only differences mean something."""
    return time.monotonic()


def uptime() -> float:
    """As `monotonic`, but this clock goes on while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


def token(bytes_: int = 6) -> str:
    """A fresh random hex string of `bytes_` bytes."""
    import secrets  # takes longer than a list of runs

    return secrets.token_hex(bytes_)


def jitter() -> float:
    """A random number in [0, 1)."""
    import secrets

    return secrets.randbelow(1_000_000) / 1_000_000
