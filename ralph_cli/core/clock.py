"""Provides time and randomness; no other module reads them."""

import time
from datetime import UTC, datetime


def now() -> str:
    """Return the current time in UTC, in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def since_1970(time: str) -> float | None:
    """Return the seconds from 1970 to a time in the format of `now`; None if the format is wrong."""
    try:
        return datetime.fromisoformat(time).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def seconds_between(start: str, end: str) -> float:
    """Return the seconds between two times in the format of `now`; 0 if the format or the order is wrong."""
    try:
        return max((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return 0.0


def nanoseconds() -> int:
    """Return the nanoseconds since 1970, the unit of trace spans."""
    return time.time_ns()


def monotonic() -> float:
    """Return the seconds on a clock that never goes back; only differences have a meaning."""
    return time.monotonic()


def uptime() -> float:
    """Return the seconds as `monotonic` does, on a clock that continues while the machine sleeps."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def sleep(seconds: float) -> None:
    """Wait for this number of seconds."""
    time.sleep(seconds)


def token(bytes_: int = 6) -> str:
    """Return a new random hex string of `bytes_` bytes."""
    import secrets  # takes longer than a list of runs

    return secrets.token_hex(bytes_)


def jitter() -> float:
    """Return a random number in [0, 1)."""
    import secrets

    return secrets.randbelow(1_000_000) / 1_000_000
