"""Resuming a task: its start and then its replay are the whole run, with memory and schema as they were found."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes import FakeSandbox, hand_in, script_models
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from test_resume import cut_off, priced
from test_task import END, GOOD, LEASE, LOOK, NOTE, OK, RENT, TERM, refuses, result

from ralph_cli.api import run_goal, run_task
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, DocumentError
from ralph_cli.core.events import AnyEvent, CallFinished, StepFinished
from ralph_cli.core.model import Model, Reply
from ralph_cli.journal.memory import MemoryFile
from ralph_cli.journal.store import read_events
from ralph_cli.loop.memory import parse_memory
from ralph_cli.loop.state import fold
from ralph_cli.providers.scripted import ScriptedModel, tool_reply
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.resume import resume

LATER = "The term is ten years (p. 1)."
RENTS = [{"rent": "$48,000", "says": GOOD}, {"rent": "$48,000", "says": GOOD, "term": "ten years from 1 March 2021"}]
WORKER = [
    tool_reply(LOOK),
    hand_in(RENT),
    result(json.dumps(RENTS[0])),
    hand_in(TERM, END),
    result(json.dumps(RENTS[1]), LATER),
]
JUDGE = [refuses("the term of the lease is missing"), OK]
TASK = "Say what the tenant pays."


def models(paid: tuple[CallFinished, ...] = ()) -> dict[str, Model]:
    """The scripted models, from the first reply that was not yet paid for: to be asked more is an error."""

    def left(replies: list[Reply], *agents: str) -> list[Reply]:
        return [priced(reply) for reply in replies[sum(event.agent in agents for event in paid) :]]

    return script_models(left(WORKER, "reader", "reasoner"), left(JUDGE, "task_judge"))


def chosen(folder: Path, **changes: object) -> Settings:
    schema = folder / "rent.json"
    schema.write_text(json.dumps({"type": "object", "required": ["rent"]}), "utf-8")
    given_ = Settings(out=folder / "out", strategy="rlm", format="json", output_schema=schema, retry="continue")
    return given_.model_copy(update=changes)


def noted(folder: Path) -> Path:
    """The memory, with a note of an earlier run in it."""
    path = folder / "out" / "memory" / f"{LEASE.id}.md"
    block = f"## Iter 1 - 2026-01-01T00:00:00.000Z\n\n{NOTE}\r\nAnd more."
    MemoryFile(path, LEASE.id).update(lambda text: block)
    return path


def whole(folder: Path, settings: Settings, about: Document | None = LEASE) -> tuple[Result, tuple[AnyEvent, ...]]:
    finished = run_task(about, TASK, settings=settings, models=models(), engine=FakeSandbox)
    return finished, tuple(read_events(finished.folder))


def killed(finished: Result, events: tuple[AnyEvent, ...], at: int, folder: Path) -> tuple[Path, dict[str, Model]]:
    """The folder that a kill after `at` events leaves, and the models from there."""
    cut_off(events, at, folder)
    for kept in ("memory-before.md", "schema.json"):
        if (finished.folder / kept).exists():
            (folder / kept).write_bytes((finished.folder / kept).read_bytes())
    paid = tuple(event for event in events[:at] if isinstance(event, CallFinished))
    return folder, models(paid)


@dataclass(frozen=True)
class Recorded:
    """A whole run, what its memory held before and after, and where all of it is."""

    folder: Path
    finished: Result
    events: tuple[AnyEvent, ...]
    memory: Path
    before: bytes
    after: bytes


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("whole")
    path = noted(folder)
    before = path.read_bytes()
    finished, events = whole(folder, chosen(folder))
    (folder / "rent.json").write_text('{"type": "array"}', "utf-8")  # what is checked is the schema of then
    return Recorded(folder, finished, events, path, before, path.read_bytes())


def test_the_whole_run_has_all_that_a_resumed_one_may_lose(recorded: Recorded) -> None:
    finished = recorded.finished
    assert finished.outcome.ok and finished.outcome.iterations == 2 and finished.usage.calls == 7
    blocks = parse_memory(recorded.after.decode()).blocks[-2:]
    assert [block.count(word) for block in blocks for word in (NOTE, LATER)] == [1, 0, 0, 1]


@examples(max_examples=15, deadline=None)
@given(at=st.integers(2, 40), written=st.booleans())
def test_any_start_of_a_task_and_then_its_replay_are_the_whole(
    recorded: Recorded, tmp_path_factory: pytest.TempPathFactory, at: int, written: bool
) -> None:
    finished, events, path = recorded.finished, recorded.events, recorded.memory
    at = min(at, len(events) - 1)
    # In a folder of its own: what other examples paid for would help out.
    folder, rest = killed(finished, events, at, tmp_path_factory.mktemp("cut") / "run")
    lost = not written and not any(isinstance(event, StepFinished) for event in events[:at])
    path.write_bytes(recorded.before if lost else recorded.after)
    settings = Settings(out=recorded.folder / "out")
    again = resume(folder, settings=settings, document=LEASE, models=rest, engine=FakeSandbox)
    assert again.outcome == finished.outcome and again.usage == finished.usage and again.mode == "task"
    state = fold(read_events(again.folder))
    assert (state.steps, state.usage, state.halt) == (fold(events).steps, fold(events).usage, fold(events).halt)
    # Each note is in the memory once, whether it was written before the run was killed or not.
    words = [block.split("\n\n", 1)[1] for block in parse_memory(MemoryFile(path, LEASE.id).read()).blocks]
    assert words == [f"{NOTE}\r\nAnd more.", NOTE, LATER]


def test_a_resumed_task_that_is_cut_off_early_finds_the_memory_of_the_first(tmp_path: Path) -> None:
    path = noted(tmp_path)
    finished, events = whole(tmp_path, chosen(tmp_path))
    first, rest = killed(finished, events, len(events) - 3, tmp_path / "runs" / "first")
    second = cut_off(events, 2, tmp_path / "runs" / "second")  # killed before it had kept anything
    again = resume(second, settings=Settings(out=tmp_path / "out"), document=LEASE, models=rest, engine=FakeSandbox)
    assert again.outcome == finished.outcome and again.usage == finished.usage and first.exists()
    assert len(parse_memory(path.read_text("utf-8")).blocks) == 3 + 1  # the head line counts as one


def test_a_task_without_a_document_is_resumed(tmp_path: Path) -> None:
    path = noted(tmp_path)
    settings = Settings(out=tmp_path / "out", memory=str(path), max_iterations=1)
    wrong = result("The rent is $50,000 a year, as was established before.", NOTE)
    good = result(GOOD.replace(" (p. 1)", ""))

    def given_(worker: list[Reply], judge: list[Reply]) -> dict[str, Model]:
        return script_models(worker, judge)

    first = run_task(None, TASK, settings=settings, models=given_([wrong], []))
    assert not first.outcome.ok and first.document == {}
    path.unlink()  # the run found it, and keeps it
    again = resume(first.run, settings=settings, changes={"max_iterations": 2}, models=given_([good], [OK]))
    assert again.outcome.ok and again.outcome.iterations == 2 and again.usage.calls == 3


def test_a_task_whose_document_has_changed_is_refused_and_a_goal_goes_on_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "lease.txt"
    path.write_text(LEASE.text)
    settings = Settings(out=tmp_path / "out", cache=tmp_path / "cache", strategy="rlm", max_iterations=1)
    first = run_task(path, TASK, settings=settings, models=models(), engine=FakeSandbox)
    assert not first.outcome.ok
    path.write_text(LEASE.text + "Amended.")
    with pytest.raises(DocumentError, match="not the document"):
        resume(first.run, settings=settings)
    blocked: dict[str, Model] = {
        "worker": ScriptedModel([tool_reply({"blocked": "no"})]),
        "subquery": ScriptedModel([]),
    }
    goal = run_goal(LEASE, "Copy it", verify=["true"], settings=settings, models=blocked, engine=FakeSandbox)
    with pytest.raises(ConfigError, match="not of this machine") as caught:
        resume(goal.run, settings=settings.model_copy(update={"cache": tmp_path / "another"}), document=LEASE)
    assert "--continue" in caught.value.hint
