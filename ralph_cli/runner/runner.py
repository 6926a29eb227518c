"""Runs any function in the outer loop: run, score, reflect, say what to fix, until every scorer has passed."""

import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from statistics import fmean
from typing import Any

from ralph_cli.checks.base import all_passed
from ralph_cli.checks.verifier import Verifier, VerifierCheck, verifier_fault
from ralph_cli.core import clock
from ralph_cli.core.awaiting import Awaiter, CallTimedOut
from ralph_cli.core.budget import Budget, Ledger
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.events import CallFinished, ClosingSink, EventSink, Fanout, NoticeIssued, RunStarted
from ralph_cli.core.model import Model, Usage
from ralph_cli.core.run import (
    MEAN_SCORE_CHECK,
    SKIPPED_VERIFIER_CHECK,
    VERIFIER_CHECK,
    Attempt,
    Evidence,
    Issue,
    Lesson,
    Outcome,
    StopType,
)
from ralph_cli.loop.config import RalphConfig
from ralph_cli.loop.detectors import (
    CompositeDetector,
    MaxIterationDetector,
    RegressingDetector,
    StalledDetector,
    StopDetector,
    UserInterruptDetector,
    standard_detectors,
)
from ralph_cli.loop.engine import run_loop
from ralph_cli.loop.state import LoopState, StateTracker
from ralph_cli.providers.metered import MeteredModel, call_numbers
from ralph_cli.runner.guarded import Deadline, GuardedDetectors, flatten_detectors, require_bound
from ralph_cli.runner.reflect import Reflector, rule_lesson
from ralph_cli.runner.scorers import AsksModel, ScorerLike
from ralph_cli.runner.scoring import RUN_TIME_OVER, run_scorers, scorer_name

MAX_ERROR_CHARS = 500


@dataclass(frozen=True, slots=True)
class Execution:
    """The return value of a function that tracks its own usage: its output, calls, tokens and cost.

    Raises TypeError if `usage` is not a Usage.
    """

    output: str
    usage: Usage = Usage()

    def __post_init__(self) -> None:
        if not isinstance(self.usage, Usage):
            raise TypeError(f"usage is a Usage, not {type(self.usage).__name__}")


Execute = Callable[[str], str | Execution | Awaitable[str | Execution]]


@dataclass(frozen=True, slots=True)
class RalphResult:
    """The best output of a run with its scores, the reason why the run stopped, and its state as plain values.

    `output` is empty if no attempt returned one. `reflections` has `iteration`, `summary` and `suggestions` for each
    lesson.
    """

    output: str
    stop_type: StopType
    reason: str
    iterations: int
    scores: dict[str, float]
    state: dict[str, Any]
    reflections: list[dict[str, Any]] = field(default_factory=list)


class RalphRunner:
    """Runs a function in ralph's outer loop until every scorer has passed its output, or a detector stops the loop.

    `execute`, the scorers, the reflector, the verifier and the detectors may be asynchronous. `run` itself is not, so
    call it from a coroutine with `asyncio.to_thread`. An exception in `execute` is a failed attempt. `sink` receives
    every event; several runs can share a `ledger`.

    With a `timeout` in the configuration, the run ends in time, even if something hangs, and returns its best result.
    `execute`, reflector, verifier and detectors then each run on a separate thread. A thread cannot be killed:
    abandoned work runs on until it returns or the program ends, and what it awaits is cancelled. Without a `timeout`,
    they run on the thread of `run`, which waits for them.

    With a `max_cost`, the run also ends if something without a price was spent, because the limit could not be
    enforced.

    `verifier` is asked about an output that every scorer has passed; the output is accepted only if it passes. If the
    verifier fails, the run ends as UNJUDGED, because another attempt would not help. Without scorers and verifier, no
    output is ever accepted.

    `detectors` replaces the standard ones. Those do not include StalledDetector and RegressingDetector, because a
    function may fail twice in the same way and pass at the third attempt. Add them if yours does not.

    Raises TypeError for a verifier without a suitable method `verify`, or among the scorers. Raises ValueError for two
    scorers with the same name, an unknown name in `scorer_names`, and detectors that are not sure to stop the loop.
    MaxIterationDetector is sure, and TimeoutDetector with a `timeout`. Their subclasses are not, as they may never
    stop, and neither is a cost limit, as the cost may be 0 or unknown.
    """

    def __init__(
        self,
        execute: Execute,
        scorers: Sequence[ScorerLike] = (),
        config: RalphConfig | None = None,
        reflector: Reflector | None = None,
        *,
        verifier: Verifier | None = None,
        detectors: Iterable[StopDetector] | None = None,
        sink: EventSink | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        self.config = config or RalphConfig()
        self._execute, self._reflector, self._sink, self._ledger = execute, reflector, sink, ledger
        self._scorers = _select_scorers(scorers, self.config.validation.scorer_names)
        if verifier is not None and (why := verifier_fault(verifier)):
            raise TypeError(why)
        self._verifier, self._verifier_awaiter = verifier, Awaiter()
        self._interrupted = threading.Event()
        self._awaiter, self._scorer_awaiters = Awaiter(), [Awaiter() for _ in self._scorers]
        is_interrupted = self._interrupted.is_set
        if detectors is None:
            standard = standard_detectors(is_interrupted)
            given = [each for each in standard if not isinstance(each, StalledDetector | RegressingDetector)]
        else:
            given = [UserInterruptDetector(is_interrupted), *detectors]
            require_bound(given, self.config.stop_condition)
        self._detectors = CompositeDetector(given)

    def __repr__(self) -> str:
        return f"RalphRunner(scorers={len(self._scorers)}, config={self.config!r})"

    def interrupt(self) -> None:
        """Stop after the current attempt, if `config.enable_user_interrupt` allows it. Safe to call from every
        thread.
        """
        self._interrupted.set()

    def run(self, input: str) -> RalphResult:
        """Run, analyze, learn and plan until the loop halts. The result has the best output, even if a later one was
        worse.
        """
        ledger = self._ledger or Ledger(Budget())
        tracker = StateTracker()
        sink = ClosingSink(Fanout((tracker, self._sink) if self._sink else (tracker,)))
        seed = clock.token(16)
        shown = {name: asdict(getattr(self.config, name)) for name in ("validation", "reflection", "stop_condition")}
        sink(RunStarted(f"wrapped-{seed[:12]}", "wrapped", input, {}, shown, clock.now(), seed))
        stops = self.config.stop_condition
        deadline = Deadline(stops.timeout, tracker.state.started)
        mode = self._build_mode(input, ledger, sink, deadline)
        if not mode.scorers and mode.verifier is None:
            sink(NoticeIssued("no-scorers", "nothing is scored, so no output can be accepted"))
        detectors = GuardedDetectors(self._detectors, tracker, self._awaiter, deadline)
        try:
            outcome = run_loop(mode, tracker.state, ledger=ledger, config=stops, sink=sink, detectors=detectors)
        finally:
            self._interrupted.clear()
        return _build_result(outcome, tracker.state, self.config)

    def _build_mode(self, input: str, ledger: Ledger, sink: EventSink, deadline: Deadline) -> "WrappedMode":
        """Return the mode for one run, with a meter around the models of scorers and reflector."""
        numbers = call_numbers()

        def metered(model: Model) -> Model:
            return MeteredModel(model, ledger, sink, numbers)

        scorers = tuple(s.through(metered) if isinstance(s, AsksModel) else s for s in self._scorers)
        reflector = self._reflector.through(metered) if isinstance(self._reflector, AsksModel) else self._reflector
        enabled = self.config.validation.enabled
        return WrappedMode(
            input,
            self._execute,
            scorers if enabled else (),
            self._build_verifier_check(input, metered, deadline) if enabled else None,
            self.config,
            reflector if self.config.reflection.enabled else None,
            ledger,
            sink,
            numbers,
            self._awaiter,
            self._scorer_awaiters,
            deadline,
        )

    def _build_verifier_check(
        self, input: str, metered: Callable[[Model], Model], deadline: Deadline
    ) -> VerifierCheck | None:
        verifier, stops = self._verifier, self.config.stop_condition
        if verifier is None:
            return None
        # The last iteration is known only if the number of iterations limits the run.
        counted = any(type(detector) is MaxIterationDetector for detector in flatten_detectors(self._detectors))
        return VerifierCheck(
            verifier.through(metered) if isinstance(verifier, AsksModel) else verifier,
            input,
            max_iterations=stops.max_iterations,
            skip_last=counted and self.config.validation.skip_last_verification,
            awaiter=partial(deadline.await_value, self._verifier_awaiter),
        )


@dataclass(slots=True)
class WrappedMode:
    """A user's function as a mode of the outer loop; see `loop.engine.Mode`."""

    input: str
    execute: Execute
    scorers: tuple[ScorerLike, ...]
    verifier: VerifierCheck | None
    config: RalphConfig
    reflector: Reflector | None
    ledger: Ledger
    sink: EventSink
    numbers: Iterator[int]
    awaiter: Awaiter
    scorer_awaiters: Sequence[Awaiter]
    deadline: Deadline

    def plan(self, state: LoopState) -> str:
        """Return the input; after the first attempt, with what the last one lacked and the latest reflection's
        suggestions.
        """
        if not state.steps:
            return self.input
        last = state.steps[-1]
        parts = [self.input]
        lacked = [f"{issue.check}: {issue.line}" for item in last.evidence if not item.broken for issue in item.issues]
        lacked += [f"it failed with {last.attempt.error}"] if last.attempt.error else []
        if lacked:
            parts.append("## What the last attempt lacked\n" + _bullets(lacked))
        if state.reflection_history and (suggestions := state.reflection_history[-1].suggestions):
            parts.append("## What to do otherwise this time\n" + _bullets(suggestions))
        return "\n\n".join(parts)

    def run(self, message: str, iteration: int) -> Attempt:
        """Call the function once; book and record the usage that it reports."""
        with self.ledger.reserve(None) as book:
            pass  # only checks that budget is left: a reservation held here would block the function's own
        if self.deadline.has_passed:
            raise self.deadline.timeout_error()
        if self.verifier is not None:
            self.verifier.begin(iteration)
        begun = clock.monotonic()
        try:
            given = self.deadline(self.awaiter, lambda: self.execute(message))
        except CallTimedOut:
            raise self.deadline.timeout_error("the function") from None
        except LimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a user's function raises is a failed attempt
            return Attempt(error=f"{type(error).__name__}: {error}"[:MAX_ERROR_CHARS])
        if isinstance(given, Execution):
            book(given.usage)
            seconds = round(clock.monotonic() - begun, 3)
            name = getattr(self.execute, "__name__", type(self.execute).__name__)
            self.sink(CallFinished(next(self.numbers), "execute", name, given.usage, seconds))
            given = given.output
        if not isinstance(given, str):
            return Attempt(error=f"it returned {type(given).__name__} instead of text")
        if not given.strip():
            return Attempt(error="it returned nothing")
        return Attempt(output=given, finished=True, source="worker")

    def analyze(self, attempt: Attempt) -> tuple[Evidence, ...]:
        """Return the evidence of every scorer, then of the verifier if all scorers passed. A mean below the threshold
        fails, too.

        A failed attempt is not scored.
        """
        if not attempt.has_result:
            return ()
        wanted = self.config.validation
        found = run_scorers(
            self.scorers,
            self.input,
            attempt.output,
            threshold=wanted.min_score_threshold,
            parallel=wanted.parallel,
            timeout=wanted.timeout,
            awaiters=self.scorer_awaiters[: len(self.scorers)],
            deadline=self.deadline.end,
        )
        mean = fmean(item.score or 0.0 for item in found) if found else 0.0
        if all_passed(found) and mean < wanted.min_score_threshold:
            fault = f"the mean of the scores is {mean:.2f}, at least {wanted.min_score_threshold:.2f} is required"
            found = (*found, Evidence(MEAN_SCORE_CHECK, (Issue(MEAN_SCORE_CHECK, fault),)))
        if self.verifier is None or not all(item.passed for item in found):
            return found
        verified = self._verify(self.verifier, attempt)
        # Without its only check, the output would be accepted unchecked.
        return (*found, verified) if found or verified.check != SKIPPED_VERIFIER_CHECK else ()

    def _verify(self, verifier: VerifierCheck, attempt: Attempt) -> Evidence:
        """Return the verifier's evidence. If the verifier is late, the attempt is kept, and a detector ends the run."""
        try:
            found = self.deadline(self.awaiter, partial(verifier, attempt))
        except CallTimedOut:
            issue = Issue(VERIFIER_CHECK, f"it could not be asked: {RUN_TIME_OVER}")
            return Evidence(VERIFIER_CHECK, (issue,), broken=RUN_TIME_OVER)
        assert isinstance(found, Evidence)
        return found

    def learn(self, state: LoopState, attempt: Attempt, evidence: tuple[Evidence, ...]) -> Lesson | None:
        """Return the reflector's lesson on a failed attempt; None if the attempt passed or nothing was checked."""
        found = (Evidence("execute", (Issue("execute", attempt.error),)),) if attempt.error else evidence
        if self.reflector is None or not found or all_passed(found):
            return None
        history = state.reflection_history[-self.config.reflection.max_history :]
        material = (self.input, attempt.output, found, history, self.config.reflection.level)
        try:
            lesson = self.deadline(self.awaiter, partial(self.reflector.reflect, *material))
        except CallTimedOut:
            return rule_lesson(RUN_TIME_OVER, *material)
        except LimitExceeded:
            raise
        except Exception as error:  # noqa: BLE001 - a reflection that fails must not lose the attempt
            return rule_lesson(f"{type(error).__name__}: {error}", *material)
        if not isinstance(lesson, Lesson):
            return rule_lesson(f"it gave {type(lesson).__name__} and no Lesson", *material)
        return lesson


def _select_scorers(scorers: Sequence[ScorerLike], wanted: Sequence[str]) -> tuple[ScorerLike, ...]:
    for scorer in scorers:
        if not callable(scorer) and isinstance(scorer, Verifier):
            raise TypeError(f"{type(scorer).__name__} is a verifier: pass it as verifier=, and not among the scorers")
    names = [scorer_name(scorer) for scorer in scorers]
    if twice := sorted({name for name in names if names.count(name) > 1} | ({MEAN_SCORE_CHECK} & set(names))):
        raise ValueError(f"each scorer needs a name of its own: {', '.join(twice)}")
    if missing := sorted(set(wanted) - set(names)):
        known = ", ".join(names) or "none"
        raise ValueError(f"scorer_names has unknown names ({', '.join(missing)}); the scorers are {known}")
    return tuple(s for s, name in zip(scorers, names, strict=True) if not wanted or name in wanted)


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in dict.fromkeys(lines))


def _build_result(outcome: Outcome, state: LoopState, config: RalphConfig) -> RalphResult:
    best, most = outcome.best, config.reflection.max_history
    plain = state.to_dict()
    plain |= {"reflection_history": plain["reflection_history"][-most:], "metadata": dict(config.metadata)}
    learnt = [
        {"iteration": number, "summary": step.lesson.summary, "suggestions": list(step.lesson.suggestions)}
        for number, step in enumerate(state.steps, 1)
        if step.lesson is not None
    ]
    output, scores = (best.attempt.output, best.scores) if best else ("", {})
    halt = outcome.halt
    return RalphResult(output, halt.type, halt.detail, outcome.iterations, scores, plain, learnt[-most:])
