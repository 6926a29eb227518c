"""A run that is interrupted at any moment: it is recorded, names itself, and goes on where it was."""

import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from test_vanishing_disk import Shop, put, require_resumable

from ralph_cli.core.errors import RalphError
from ralph_cli.core.events import CallStarted, RunHalted
from ralph_cli.core.run import StopType
from ralph_cli.journal.store import read_events
from ralph_cli.runs.result import Result


def interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def put_and_interrupt(shop: Shop, out: Path, after: float) -> Result | RalphError | KeyboardInterrupt:
    """A run that is interrupted after so many seconds: what it gives, or what ended it."""
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        found = put(shop, out)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return found
    except KeyboardInterrupt as error:
        return error
    except Exception as error:
        # A library that calls us back may make another error of it.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return error.__cause__
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def check_interrupted(after: float, out: Path) -> str:
    """How such a run ended, in a word, once all that must hold of it was found to hold."""
    shop = Shop(lanes=2)
    found = put_and_interrupt(shop, out, after)
    assert not isinstance(found, RalphError), f"interrupted after {after} s it failed: {found!r}"
    folders = [path for path in out.iterdir() if path.is_dir()] if out.is_dir() else []
    events = tuple(read_events(folders[0])) if folders and (folders[0] / "journal.sqlite3").exists() else ()
    if not events:
        assert isinstance(found, KeyboardInterrupt) and shop.bought == 0
        return "before it began"
    assert shop.bought <= sum(isinstance(event, CallStarted) for event in events)
    if isinstance(found, Result) and found.ok:
        return "not any more"
    if isinstance(found, KeyboardInterrupt):
        if not getattr(found, "__notes__", []):
            return "without a name"
        assert folders[0].name in found.__notes__[0]
    else:
        assert found.stop.type is StopType.USER_INTERRUPTED
    if isinstance(events[-1], RunHalted) and events[-1].halt.type is StopType.COMPLETION:
        return "after its end"
    require_resumable(folders[0].name, out, shop)
    return "recorded" if isinstance(found, Result) else "named"


@pytest.fixture(autouse=True)
def alarm(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, interrupt)
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: None)
    yield
    signal.signal(signal.SIGALRM, before)


def seconds_of_a_run(out: Path) -> float:
    put(Shop(), out / "warm")
    begun = time.monotonic()
    put(Shop(), out / "timed")
    return time.monotonic() - begun


def test_a_run_is_interrupted(tmp_path: Path) -> None:
    whole = seconds_of_a_run(tmp_path)
    ends = Counter(check_interrupted(whole * share, tmp_path / str(share) / "out") for share in (0.2, 0.4, 0.6, 0.8))
    assert ends["recorded"] + ends["named"] > 0


@pytest.mark.full
def test_a_run_is_interrupted_at_any_moment(tmp_path: Path) -> None:
    whole, runs = seconds_of_a_run(tmp_path), 400
    ends = Counter(check_interrupted(whole * 1.2 * n / runs + 1e-6, tmp_path / str(n) / "out") for n in range(runs))
    print(f"{runs} interrupts: {dict(ends)}")
    assert ends["recorded"] + ends["named"] > runs / 4
