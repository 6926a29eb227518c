"""Runs scorers in parallel, each with a time limit. A scorer that fails is reported and has not passed."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from math import inf

from ralph_cli.core import clock
from ralph_cli.core.awaiting import POLL_SECONDS, Awaiter
from ralph_cli.core.errors import ConfigError, LimitExceeded
from ralph_cli.core.run import Evidence, Issue
from ralph_cli.runner.scorers import Score, ScorerLike

RUN_TIME_OVER = "the run's time limit was reached"


def scorer_name(scorer: ScorerLike) -> str:
    """Return the name of a scorer: its own name, or that of its function or type."""
    name = getattr(scorer, "name", None) or getattr(scorer, "__name__", None) or type(scorer).__name__
    return str(name)


def run_scorers(
    scorers: Sequence[ScorerLike],
    input: str,
    output: str,
    *,
    threshold: float = 0.5,
    parallel: int = 4,
    timeout: float = 0.0,
    awaiters: Sequence[Awaiter] | None = None,
    deadline: float | None = None,
) -> tuple[Evidence, ...]:
    """Return the evidence of each scorer, in order. A score passes if it says so, or else with a value of at least
    `threshold`.

    At most `parallel` scorers run at once, each for at most `timeout` seconds (0: no limit). None runs beyond
    `deadline` on the monotonic clock; waiting ones are then not started. A scorer that raises or is late gives broken
    evidence with an issue and a score of 0.

    ConfigError for a value that is no score between 0 and 1, LimitExceeded and KeyboardInterrupt are raised, because
    they concern the run and not the output. `awaiters` has one for each scorer, so that a scorer that blocks its event
    loop blocks no other.
    """
    limit, over = timeout or inf, inf if deadline is None else deadline

    def patience() -> float | None:
        # `_run_parallel` times out first and says why; the awaited call is cancelled soon after.
        left = min(limit, over - clock.monotonic())
        return None if left == inf else max(left, 0) + POLL_SECONDS

    def job(scorer: ScorerLike, awaiter: Awaiter) -> Callable[[], Score]:
        return lambda: _as_score(awaiter(scorer(input, output), patience()), scorer_name(scorer))

    waits = awaiters or [Awaiter() for _ in scorers]
    results = _run_parallel([job(*pair) for pair in zip(scorers, waits, strict=True)], parallel, limit, over)
    return tuple(
        _evidence(scorer_name(scorer), found, threshold) for scorer, found in zip(scorers, results, strict=True)
    )


def _as_score(given: object, name: str) -> Score:
    """Return the score. Raises ConfigError for an invalid one, because otherwise every attempt would fail without a
    reason.
    """
    try:
        return given if isinstance(given, Score) else Score(given)  # type: ignore[arg-type]  # Score rejects other values
    except ValueError as error:
        hint = "divide by its largest value, or give Score(value, passed=...)"
        raise ConfigError(f"the scorer {name}: {error}", code="bad-score", hint=hint) from None


def _evidence(name: str, result: Score | BaseException, threshold: float) -> Evidence:
    if isinstance(result, BaseException):
        why = str(result) or type(result).__name__
        return Evidence(name, (Issue(name, f"could not be measured: {why}"),), broken=why, score=0.0)
    value = float(result.value)
    passed = value >= threshold if result.passed is None else result.passed
    reason = result.reason or f"scored {value:.2f}, at least {threshold:.2f} is required"
    return Evidence(name, () if passed else (Issue(name, reason),), score=value)


def _run_parallel(
    jobs: Sequence[Callable[[], Score]], parallel: int, seconds_each: float, run_deadline: float
) -> list[Score | BaseException]:
    """Return the results of the jobs, in order. A late job gives TimeoutError, and its thread is abandoned.

    The threads are daemons. A pool joins its threads when the program ends, so a job that hangs would hang the program.
    """
    results: dict[int, Score | BaseException] = {}
    done: queue.SimpleQueue[tuple[int, Score | BaseException]] = queue.SimpleQueue()
    waiting = deque(range(len(jobs)))
    running: dict[int, float] = {}

    def work(number: int) -> None:
        try:
            done.put((number, jobs[number]()))
        except BaseException as error:  # noqa: BLE001 - whatever a scorer raises is its result
            done.put((number, error))

    while waiting or running:
        if clock.monotonic() >= run_deadline:
            results |= {number: TimeoutError(RUN_TIME_OVER) for number in waiting}
            waiting.clear()
        while waiting and len(running) < parallel:
            number = waiting.popleft()
            running[number] = min(clock.monotonic() + seconds_each, run_deadline)
            threading.Thread(target=work, args=(number,), name=f"ralph-scorer-{number}", daemon=True).start()
        if not running:
            break
        try:
            number, result = done.get(timeout=max(min(POLL_SECONDS, min(running.values()) - clock.monotonic()), 0))
            finished = {number: result} if number in running else {}
        except queue.Empty:
            late = [number for number, deadline in running.items() if clock.monotonic() >= deadline]
            why = RUN_TIME_OVER if clock.monotonic() >= run_deadline else f"it took more than {seconds_each:g} s"
            finished = dict.fromkeys(late, TimeoutError(why))
        for number, result in finished.items():
            if isinstance(result, ConfigError | LimitExceeded | KeyboardInterrupt):
                raise result
            results[number] = result
            del running[number]
    return [results[number] for number in range(len(jobs))]
