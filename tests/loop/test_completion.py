"""The completion contract alone: whatever happened, DONE counts only with fresh evidence that passed."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reached import reached, reaches

from ralph_cli.core.events import (
    AnyEvent,
    GoalSet,
    IterationStarted,
    OutputChanged,
    RunHalted,
    RunStarted,
    VerifierFinished,
)
from ralph_cli.core.results.goal import GoalState, GoalStatus, rejection_notice, status_after
from ralph_cli.core.run import Attempt, Evidence, Halt, Issue, Step, StopType
from ralph_cli.loop.completion import (
    BLOCKED_CHECK,
    COMPLETION_CHECK,
    DONE_MARKER,
    Intent,
    completion_evidence,
    goal_detectors,
    has_done_marker,
    remove_marker,
)
from ralph_cli.loop.config import StopConditionConfig
from ralph_cli.loop.decide import decide
from ralph_cli.loop.state import LoopState

ROWS = {
    "D1": [
        "test_done_counts_only_with_fresh_evidence_that_passed",
        "test_the_marker_is_an_intent_and_is_removed",
        "test_accepted_means_that_every_verifier_passed_on_the_output_as_it_stands",
    ],
    "D4": ["test_the_refusal_names_its_reason"],
    "D5": ["test_every_stop_has_a_status"],
    "D7": ["test_the_notice_tells_retries_and_the_last_evidence"],
}

TWO = GoalSet((("a", "check a"), ("b", "check b")), True)

DONE = Intent(done=True)


def seen(name: str, passed: bool, revision: int, round_: int = 1, output: str = "") -> VerifierFinished:
    ended = "exit 0" if passed else "exit 1"
    return VerifierFinished(
        1, name, "call-1", f"check {name}", passed, ended, output, "2026-01-01T00:00:00Z", round_, revision
    )


def folded(*events: AnyEvent, terms: GoalSet = TWO) -> GoalState:
    state = GoalState()
    for event in (RunStarted("r", "goal", "objective", {"sha256": "s"}, {}, ""), terms, *events):
        state = state.apply(event)
    return state


def wrote(revision: int, text: str = "text") -> OutputChanged:
    return OutputChanged(1, "c", f"{text} {revision}", revision)


def issues(goal: GoalState, intent: Intent = DONE) -> list[str]:
    return [issue.line for item in completion_evidence(goal, intent) for issue in item.issues]


def after(*steps: Step) -> LoopState:
    return LoopState(steps=steps)


def judged(goal: GoalState, intent: Intent = DONE) -> Halt | None:
    """What the loop decides after one iteration that ended so."""
    step = Step(Attempt(finished=intent.done, output=goal.output), completion_evidence(goal, intent))
    return decide(after(step), StopConditionConfig(max_iterations=9), goal_detectors())


def test_the_marker_is_an_intent_and_is_removed() -> None:
    text = f"All rows are there. {DONE_MARKER}\n"
    assert has_done_marker(text) and not has_done_marker("<promise>done</promise>") and not has_done_marker("DONE")
    assert remove_marker("<promise><promise>DONE</promise>DONE</promise>") == ""
    assert remove_marker(text) == "All rows are there." and remove_marker(" kept as it is\n") == " kept as it is\n"


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([], "there is no output"),
        ([wrote(1)], "no verifier has looked"),
        ([wrote(1), seen("a", True, 1)], "no verifier has looked"),
        ([wrote(1), seen("a", True, 1), seen("b", False, 1)], "the verifier b failed (exit 1)"),
        ([wrote(1), seen("a", True, 1), seen("b", True, 1), wrote(2)], "changed after it was last verified"),
        ([wrote(1), seen("a", True, 1), seen("b", True, 1), wrote(2), seen("a", True, 2, 2)], "no verifier has looked"),
        (
            [wrote(1), seen("a", True, 1), seen("b", True, 1), seen("a", False, 1, 2), seen("b", True, 1, 2)],
            "the verifier a failed",
        ),
    ],
)
def test_done_counts_only_with_fresh_evidence_that_passed(events: Sequence[AnyEvent], told: str) -> None:
    goal = folded(*events)
    assert told in "; ".join(issues(goal)) and not goal.verified and judged(goal) is None


def test_fresh_evidence_of_all_verifiers_accepts_done_and_only_done() -> None:
    goal = folded(wrote(1), seen("a", False, 1), seen("b", True, 1), seen("a", True, 1, 2), seen("b", True, 1, 2))
    halt = judged(goal)
    assert goal.verified and halt is not None and halt.type is StopType.COMPLETION
    assert judged(goal, Intent()) is None and "used up" in issues(goal, Intent())[0]
    stopped = judged(goal, Intent(blocked="no"))
    assert stopped is not None and stopped.type is StopType.BLOCKED


def test_the_refusal_names_its_reason() -> None:
    goal = folded(wrote(1), seen("a", True, 1), seen("b", False, 1, output="row 3: 4 != 5\nrow 4"))
    (evidence,) = completion_evidence(goal, Intent(done=True))
    assert evidence.score == 0.5 and not evidence.passed
    # What the verifier printed may hold words of the document: it is material, not our word.
    assert evidence.issues == (
        Issue(COMPLETION_CHECK, "the verifier b failed (exit 1)", material="row 3: 4 != 5 row 4"),
    )
    assert len(issues(goal, Intent())) == 2


def test_without_any_verifier_done_is_taken_and_with_some_all_must_pass() -> None:
    none, free = GoalSet((), False), GoalSet(TWO.verifiers, False)
    unverified = folded(wrote(1), terms=none)
    assert completion_evidence(unverified, Intent(done=True)) == ()
    halt = judged(unverified)
    assert halt is not None and halt.type is StopType.COMPLETION and halt.detail.startswith("unverified")
    for seen_so_far in ([], [seen("a", False, 1)], [seen("a", True, 1)]):
        assert judged(folded(wrote(1), *seen_so_far, terms=free)) is None
    passed = judged(folded(wrote(1), seen("a", True, 1), seen("b", True, 1), terms=free))
    assert passed is not None and passed.detail == "every check passed"
    assert judged(folded(terms=none)) is None and judged(unverified, Intent()) is None
    assert judged(folded(wrote(1), terms=GoalSet((), True))) is None  # no verifier, but one is demanded


writes = st.integers(1, 3).map(lambda number: (f"version {number}", ()))
rounds = st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), min_size=1, max_size=3).map(lambda said: ("", said))
passes = st.permutations([("a", True), ("b", True)]).map(lambda said: ("", said))


@reaches(accepted=0.2, refused=0.05)
@given(
    st.lists(writes | rounds | passes, max_size=8),
    st.lists(passes, max_size=1),
    st.sampled_from([True, True, False]),
    st.sampled_from(["", "", "cannot"]),
    st.booleans(),
)
def test_accepted_means_that_every_verifier_passed_on_the_output_as_it_stands(
    made: list[tuple[str, list[tuple[str, bool]]]],
    last: list[tuple[str, list[tuple[str, bool]]]],
    done: bool,
    blocked: str,
    require: bool,
) -> None:
    """A step writes a version of the output, or is one round of verifiers over it."""
    goal, revision = folded(terms=GoalSet(TWO.verifiers, require)), 0
    output, latest = "", list[tuple[str, bool]]()
    for number, (text, verdicts) in enumerate([("version 0", []), *made, *last], 1):
        latest = verdicts
        if text:
            revision, output = revision + 1, text
            goal = goal.apply(OutputChanged(1, "c", text, revision))
        for name, passed in verdicts:
            goal = goal.apply(seen(name, passed, revision, number))
    halt = judged(goal, Intent(done, blocked))
    holds = done and {name for name, _ in latest} == {"a", "b"} and all(passed for _, passed in latest)
    reached("refused", done and not holds)
    assert (halt is not None and halt.type is StopType.COMPLETION) == holds
    if not reached("accepted", holds):
        return
    assert goal.verified and goal.output == output
    assert all(item.passed for item in completion_evidence(goal, Intent(done, blocked)))


def test_the_same_refusal_three_times_blocks_and_another_does_not() -> None:
    config = StopConditionConfig(max_iterations=99)

    def step(reason: str) -> Step:
        return Step(
            Attempt(finished=True, output="x"),
            (Evidence(COMPLETION_CHECK, (Issue(COMPLETION_CHECK, "failed", material=reason),)),),
        )

    stops = goal_detectors()
    assert not stops.check(after(step("a"), step("a")), config)
    assert not stops.check(after(step("a"), step("b"), step("a")), config)
    said = stops.check(after(step("b"), step("a"), step("a"), step("a")), config)
    assert said.stop_type is StopType.BLOCKED and "3 times" in said.reason and "failed: a" in said.reason
    blocked = Step(
        Attempt(output="x"),
        (Evidence(COMPLETION_CHECK, (Issue(BLOCKED_CHECK, "the worker cannot continue", material="why"),)),),
    )
    assert stops.check(after(blocked), config).reason == "the worker cannot continue: why"


@pytest.mark.parametrize("stop", list(StopType))
def test_every_stop_has_a_status(stop: StopType) -> None:
    ended = folded(RunHalted(Halt(stop, "why"), ""))
    assert ended.status is status_after(stop) and ended.reason == "why"
    assert (ended.status is GoalStatus.COMPLETED) == (stop is StopType.COMPLETION)
    terminal = {StopType.USER_INTERRUPTED, StopType.SYSTEM_ERROR, StopType.NONE}
    assert (ended.status is GoalStatus.ACTIVE) == (stop in terminal)


def test_the_notice_tells_retries_and_the_last_evidence() -> None:
    halt = Halt(StopType.MAX_ITERATIONS, "3 of 3 iterations used, none accepted")
    tried = [IterationStarted(3, ""), wrote(1), seen("a", True, 1), seen("b", False, 1, output="4 != 5")]
    told = rejection_notice(folded(*tried, RunHalted(halt, "")), halt)
    assert "2 retries" in told and "3 of 3" in told and "b FAILED (exit 1)" in told and "4 != 5" in told
    stale = rejection_notice(folded(*tried, wrote(2), RunHalted(halt, "")), halt)
    assert "(for an earlier version of the output)" in stale
    # What is handed over may be another version than the one that was verified last.
    assert "(for another version of the output)" in rejection_notice(
        folded(*tried, RunHalted(halt, "")), halt, "text 0"
    )
    assert "No verifier was run" in rejection_notice(folded(IterationStarted(2, ""), RunHalted(halt, "")), halt)
    assert rejection_notice(folded(RunHalted(Halt(StopType.BLOCKED, "x"), "")), halt) == ""
