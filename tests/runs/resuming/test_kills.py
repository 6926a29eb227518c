"""kill -9, at every commit and at random, over each mode: nothing that was committed is lost or bought again.

A run is a process of its own that is forked off; what it buys is written down by the models themselves, as vendors do.
"""

import json
import os
import random
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import test_ask
import test_task
from fakes import FakeSandbox
from test_ask import verdicts
from test_resume import priced

from ralph_cli.api import ask, run_goal, run_task
from ralph_cli.config import Settings
from ralph_cli.core.errors import RalphError
from ralph_cli.core.events import JUDGES, AnyEvent, CallFinished, OutputChanged, RunHalted, SnippetRan
from ralph_cli.core.model import Json, Model, ModelTurn, Reply, Request
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.goals import VerifierCommands
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.runs.resuming.resume import resume

LANES = 3
VARYING = """\
import time, uuid, random
mark = uuid.uuid4().hex
find("rent")
print(mark, time.time_ns(), object(), {str(n) for n in range(9)}, random.random())
answers = llm_query_batch([("Which party?", part) for part in ("a", "a", "b")])
print(answers)"""
MENDED = {**test_ask.TERM, "text": "It begins on 1 March 2021."}
QA_ACTS: list[Json] = [
    {"code": VARYING},
    {"code": "print(mark, len(answers))"},
    {"claims": [test_ask.RENT, test_ask.TERM]},
    {"claims": [MENDED]},
]
TASK_ACTS: list[Json] = [{"code": VARYING}, {"claims": [test_task.RENT]}, {"claims": [test_task.TERM, test_task.END]}]
GOAL_ACTS: list[Json] = [
    {"code": VARYING},
    {"output": "bad"},
    {"verify": True},
    {"say": "<promise>DONE</promise>"},
    {"code": "table = 'good ' + mark"},
    {"output_from": "table"},
    {"verify": True},
    {"say": "<promise>DONE</promise>"},
]


HANDING_ON = """\
rent, half = ("What is the rent?", context), context[len(context) // 2 :]
found = rlm_query_batched([rent, ("Which party?", half), rent])
print(found)"""
CHILDREN_ACTS: list[Json] = [
    {"code": HANDING_ON},
    {"code": "print(len(found), found[0][0]['quotes'][0]['page'])"},
    {"claims": [test_ask.RENT, test_ask.TERM]},
    {"claims": [MENDED]},
]
CHILD_ACTS: dict[str, list[Json]] = {
    "What is the rent?": [{"code": VARYING}, {"code": "print(mark)"}, {"claims": [test_ask.RENT]}],
    "Which party?": [{"code": VARYING}, {"not_found": {"searched": ["party"]}}],
}

LOOKING_ACTS: list[Json] = [
    {"code": VARYING},
    {"not_found": {"searched": ["parking"], "note": "Nothing is said."}},
    {"claims": [test_ask.RENT, test_ask.NO_GARDEN]},
]
"""What is said to be absent is found by a second reader; then it and the judge look for themselves."""


class Vendor:
    """The models of a mode; each call is written to a file when it is made, which is when it is paid for."""

    def __init__(self, mode: str, bought: Path, delay: float = 0.0) -> None:
        self.acts = {
            "qa": QA_ACTS,
            "task": TASK_ACTS,
            "goal": GOAL_ACTS,
            "looking": LOOKING_ACTS,
            "children": CHILDREN_ACTS,
        }[mode]
        self.looks, self.bought, self.delay = mode == "looking", bought, delay

    def models(self) -> dict[str, Model]:
        answering: dict[str, Callable[[Request], Reply]] = {
            "worker": self.worker, "judge": self.judge, "subquery": self.subquery
        }  # fmt: skip
        return {role: ScriptedModel(answer, vendor=role, name=f"m:{role}") for role, answer in answering.items()}

    def buy(self, what: str) -> None:
        with self.bought.open("a") as file:
            file.write(f"{what}\n")
        if self.delay:
            time.sleep(self.delay)

    def worker(self, request: Request) -> Reply:
        if request.agent == "reasoner":
            second = "the term of the lease" in str(request.turns)
            self.buy(f"reasoner {second}")
            later = " It runs for ten years from 1 March 2021 (p. 1)." if second else ""
            return priced(test_task.result(test_task.GOOD + later))
        steps = sum(isinstance(turn, ModelTurn) for turn in request.turns)
        if request.agent == "child":
            question = request.inputs["question"]
            self.buy(f"child {question} {steps}")
            return priced(tool_reply(CHILD_ACTS[question][steps]))
        self.buy(f"worker {steps}")
        return priced(tool_reply(self.acts[steps]))

    def judge(self, request: Request) -> Reply:
        if request.agent == "task_judge":
            good = "ten years from" in str(request.turns)
            self.buy(f"judge {good}")
            return priced(test_task.OK if good else test_task.refuses("the term of the lease is missing"))
        if self.looks:
            return self.look(request)
        good = MENDED["text"] in str(request.turns)
        self.buy(f"judge {good}")
        return priced(verdicts((2, "supported")) if good else verdicts((1, "supported"), (2, "not")))

    def look(self, request: Request) -> Reply:
        self.buy(f"{request.agent} {len(request.turns)} {request.inputs.get('statements')}")
        if request.agent == "absence":
            answered = "does not answer" in request.inputs["statements"][0]
            what = ("answered", test_ask.RENT["quotes"]) if answered else ("absent", [])
            said = {"id": 1, "verdict": what[0], "reason": "so", "passages": what[1]}
            return priced(text_reply(json.dumps({"verdicts": [said]})))
        if len(request.turns) == 1:
            looks = [{"kind": "find", "what": "notice", "document": ""}]
            return priced(text_reply(json.dumps({"verdicts": [], "looks": looks})))
        words = "Either party may end it on six months' notice"
        cited = {"claim": 1, "words": words, "effect": "limits", "reason": "it may end"}
        ruling = {"id": 1, "verdict": "supported", "reason": "so"}
        return priced(text_reply(json.dumps({"verdicts": [ruling], "citations": [cited]})))

    def subquery(self, request: Request) -> Reply:
        self.buy(f"subquery {request.branch} {request.ordinal}")
        return priced(text_reply(f"answer {request.ordinal}"))


def play(mode: str, folder: Path, *, again: bool, delay: float = 0.0) -> Result:
    """Make the run, or go on with it."""
    settings = Settings(out=folder / "out", strategy="rlm", retry="continue")
    models = Vendor(mode, folder / "bought", delay).models()
    if mode == "goal":
        verify = VerifierCommands(["date +%N; grep -q good {output}"], shell=True)
        return run_goal(
            test_ask.MEMO, "Copy it", verify=verify, settings=settings, models=models, engine=FakeSandbox, resume=again
        )
    about = test_task.LEASE if mode == "task" else test_ask.MEMO
    if again:
        return resume(settings=settings, document=about, models=models, engine=FakeSandbox)
    if mode == "task":
        return run_task(about, "Say what the tenant pays.", settings=settings, models=models, engine=FakeSandbox)
    return ask(about, "What is the rent?", settings=settings, models=models, engine=FakeSandbox)


def killed(mode: str, folder: Path, *, again: bool, at: float) -> None:
    """The run in a process that is killed right before or after a commit (x.5 or x.0), or after -`at` seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no thread of these tests is at work
        child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            if at < 0:
                threading.Thread(
                    target=lambda: (time.sleep(-at), os.kill(os.getpid(), signal.SIGKILL)), daemon=True
                ).start()
            commits, commit = iter(range(1, 1_000)), Journal.__call__

            def counted(journal: Journal, event: AnyEvent) -> None:
                number = next(commits)
                if number == at + 0.5:
                    os.kill(os.getpid(), signal.SIGKILL)
                commit(journal, event)
                if number == at:
                    os.kill(os.getpid(), signal.SIGKILL)

            Journal.__call__ = counted  # type: ignore[method-assign]
            play(mode, folder, again=again, delay=0.004 if at < 0 else 0)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def assert_paid_once(folder: Path, kills: int) -> None:
    """Of what is asked one after the other a kill loses one call at most; of what is asked side by side, one a lane."""
    bought = Counter((folder / "bought").read_text().split("\n")[:-1])
    beside = 2 if any(name.startswith("child") for name in bought) else 1
    assert sum(bought.values()) - len(bought) <= kills * LANES * beside
    assert sum(times - 1 for name, times in bought.items() if not name.startswith(("subquery", "child"))) <= kills


def recorded_events(folder: Path) -> list[tuple[AnyEvent, ...]]:
    return [tuple(read_events(path.parent)) for path in sorted(folder.glob(f"out/*/{JOURNAL_FILE}"))]


def has_ended(folder: Path) -> bool:
    return any(isinstance(events[-1], RunHalted) for events in recorded_events(folder) if events)


def goes_on(mode: str, folder: Path, kills: int) -> bool:
    """Go on with what was killed, and compare with a run that was not; False if it had not begun."""
    recorded = recorded_events(folder)
    answers = [event.reply for events in recorded for event in events if isinstance(event, CallFinished)]
    if has_ended(folder):
        assert_paid_once(folder, kills)  # it had ended before it was to be killed
        return False
    try:
        done = play(mode, folder, again=True)
    except RalphError:
        assert not answers and mode != "goal"
        done = play(mode, folder, again=False)
    assert_paid_once(folder, kills)
    assert done.ok, done
    events = tuple(read_events(done.folder))
    assert done.usage.calls == sum(isinstance(event, CallFinished) for event in events) == CALLS[mode]
    if mode != "goal":
        assert (done.text, [claim.text for claim in done.claims]) == WHOLE[mode]
    for run in recorded:
        for kind in (SnippetRan, OutputChanged):
            was = [event.output for event in run if isinstance(event, kind)]
            assert [event.output for event in events if isinstance(event, kind)][: len(was)] == was
    return bool(answers)


CALLS: dict[str, int] = {}
WHOLE: dict[str, object] = {}
COMMITS: dict[str, int] = {}


@pytest.fixture(scope="module", params=["qa", "looking", "task", "goal", "children"])
def mode(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A mode, with what a run of it gives that is not killed."""
    name: str = request.param
    play_whole(name, tmp_path_factory.mktemp(name))
    return name


def play_whole(name: str, folder: Path) -> tuple[AnyEvent, ...]:
    """The events of a run that is not killed, after what it gives was noted."""
    done = play(name, folder, again=False)
    assert done.ok and done.outcome.iterations == 2, done
    CALLS[name], WHOLE[name] = done.usage.calls, (done.text, [claim.text for claim in done.claims])
    events = tuple(read_events(done.folder))
    COMMITS[name] = len(events)
    return events


@pytest.mark.parametrize("every", [23, pytest.param(1, marks=pytest.mark.full)])
def test_a_run_that_is_killed_at_a_commit_goes_on(mode: str, tmp_path: Path, every: int) -> None:
    went_on = 0
    for number in range(1, 2 * COMMITS[mode], every):
        folder = tmp_path / str(number)
        folder.mkdir()
        killed(mode, folder, again=False, at=number / 2)
        went_on += goes_on(mode, folder, 1)
    print(f"{mode}: {COMMITS[mode]} commits, {went_on} runs went on")
    assert went_on * every > COMMITS[mode]


def test_a_run_that_is_killed_between_a_look_and_the_verdicts_buys_neither_again(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    events = play_whole("looking", whole)
    calls = [number for number, it in enumerate(events, 1) if isinstance(it, CallFinished) and it.agent in JUDGES]
    assert [events[number - 1].agent for number in calls] == ["absence", "absence", "judge", "judge"]
    asked, verdicts_given = calls[2:]
    moments = [calls[0], calls[1], *(at / 2 for at in range(2 * asked - 1, 2 * verdicts_given + 1))]
    for at in moments:
        folder = tmp_path / str(at)
        folder.mkdir()
        killed("looking", folder, again=False, at=at)
        assert goes_on("looking", folder, 1)
        if at in calls:  # what was asked and recorded is not bought again
            assert_paid_once(folder, 0)
    (folder,) = (path.parent for path in whole.glob(f"out/*/{JOURNAL_FILE}"))
    assert not replay(folder, settings=Settings(out=whole / "out"), document=test_ask.MEMO).difference


@pytest.mark.full
def test_a_run_that_is_killed_at_random_again_and_again_goes_on(mode: str, tmp_path: Path) -> None:
    chance = random.Random(5)
    kills = went_on = 0
    while kills < 170:
        number = kills
        folder = tmp_path / str(number)
        folder.mkdir()
        for again in (False, True)[: 1 + chance.randrange(2)]:
            if has_ended(folder):  # sooner than it was to be killed: there is nothing to go on with
                break
            killed(mode, folder, again=again, at=-chance.uniform(0.02, 0.3))
            kills += 1
        went_on += goes_on(mode, folder, 2)
    print(f"{mode}: killed {kills} times at random, {went_on} runs went on")
