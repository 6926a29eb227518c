"""Resuming: the start of a run and then its replay are the whole run, and nothing is paid for twice."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import FakeSandbox
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from test_ask import LOOK, MEMO, RENT, TERM, WRONG, verdicts

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError, DocumentError, JournalError
from ralph_cli.core.events import AnyEvent, CallFinished, RunStarted
from ralph_cli.core.model import Model, Reply, Usage
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.loop.state import fold
from ralph_cli.providers.scripted import ScriptedModel, tool_reply
from ralph_cli.runs.history import read_run
from ralph_cli.runs.result import Result
from ralph_cli.runs.resume import resume

COST = Usage(calls=1, input_tokens=10, output_tokens=5, usd=0.01)


def priced(reply: Reply) -> Reply:
    return Reply(reply.turn, reply.stop, COST, reply.model)


MENDED = {**TERM, "text": "It begins on 1 March 2021."}
WORKER = [
    tool_reply(LOOK),
    tool_reply({"claims": [WRONG]}),
    tool_reply({"claims": [RENT, TERM]}),
    tool_reply({"claims": [MENDED]}),
]
JUDGE = [verdicts((1, "supported"), (2, "not")), verdicts((2, "supported"))]


def models(asked: dict[str, int]) -> dict[str, Model]:
    """The scripted models, from the first reply that the earlier run had not yet paid for."""
    worker, judge = ([priced(reply) for reply in replies] for replies in (WORKER, JUDGE))
    return {
        "worker": ScriptedModel(worker[asked["worker"] :], vendor="a"),
        "judge": ScriptedModel(judge[asked["judge"] :], vendor="b"),
        "subquery": ScriptedModel([]),
    }


def whole(folder: Path) -> tuple[Result, tuple[AnyEvent, ...]]:
    settings = Settings(out=folder / "out", strategy="rlm")
    finished = ask(
        MEMO, "What is the rent?", settings=settings, models=models({"worker": 0, "judge": 0}), engine=FakeSandbox
    )
    return finished, tuple(read_events(finished.folder))


def cut_off(events: tuple[AnyEvent, ...], at: int, folder: Path) -> Path:
    """A run folder that holds the first events only, as a killed process leaves it."""
    journal = Journal(folder)
    for event in events[:at]:
        journal(event)
    journal.close()
    return folder


@pytest.fixture(scope="module")
def recorded_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, tuple[AnyEvent, ...]]:
    return whole(tmp_path_factory.mktemp("whole"))


@examples(max_examples=25, deadline=None)
@given(at=st.integers(2, 30))
def test_any_start_of_a_run_and_then_its_replay_are_the_whole(
    recorded_run: tuple[Result, tuple[AnyEvent, ...]], tmp_path_factory: pytest.TempPathFactory, at: int
) -> None:
    finished, events = recorded_run
    assert finished.outcome.ok and finished.usage.calls == 6
    at = min(at, len(events) - 1)
    tmp_path = tmp_path_factory.mktemp("resume")
    folder = cut_off(events, at, tmp_path / "cut")
    paid = [event for event in events[:at] if isinstance(event, CallFinished)]
    asked = {agent: sum(event.agent == agent for event in paid) for agent in ("worker", "judge")}
    settings = Settings(out=tmp_path / "out")
    again = resume(folder, settings=settings, document=MEMO, models=models(asked), engine=FakeSandbox)
    assert again.outcome == finished.outcome and again.usage == finished.usage
    state = fold(read_events(again.folder))
    assert (state.steps, state.usage, state.halt) == (fold(events).steps, fold(events).usage, fold(events).halt)


def test_a_resumed_run_that_is_cut_off_buys_nothing_twice_either(tmp_path: Path) -> None:
    finished, events = whole(tmp_path)
    late = len(events) - 3
    paid = [event for event in events[:late] if isinstance(event, CallFinished)]
    cut_off(events, late, tmp_path / "runs" / "first")
    second = cut_off(events, 4, tmp_path / "runs" / "second")
    asked = {agent: sum(event.agent == agent for event in paid) for agent in ("worker", "judge")}
    assert sum(asked.values()) >= 5
    settings = Settings(out=tmp_path / "out")
    again = resume(second, settings=settings, document=MEMO, models=models(asked), engine=FakeSandbox)
    assert again.outcome == finished.outcome and again.usage == finished.usage


def test_a_finished_run_is_not_resumed(tmp_path: Path) -> None:
    finished, _ = whole(tmp_path)
    with pytest.raises(ConfigError, match="has ended"):
        resume(finished.folder, settings=Settings(out=tmp_path / "out"), document=MEMO)


def test_a_changed_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memo.txt"
    path.write_text(MEMO.text)
    settings = Settings(out=tmp_path / "out", cache=tmp_path / "cache", strategy="rlm", max_iterations=1)
    judge = ScriptedModel([verdicts((1, "not"))], vendor="b")
    worker = ScriptedModel([tool_reply(LOOK), tool_reply({"claims": [RENT]})], vendor="a")
    given_: dict[str, Model] = {"worker": worker, "judge": judge, "subquery": ScriptedModel([])}
    finished = ask(path, "What is the rent?", settings=settings, models=given_, engine=FakeSandbox)
    assert not finished.outcome.ok
    path.write_text(MEMO.text + "Amended.")
    with pytest.raises(DocumentError, match="not the document"):
        resume(finished.run, settings=settings)


def in_mac_roman(tmp_path: Path, *replies: Reply) -> tuple[Result, Settings]:
    """A run that was not accepted, on a text that only --encoding reads well."""
    path = tmp_path / "memo.txt"
    path.write_bytes(("Zürich. " + MEMO.text).encode("mac_roman"))
    settings = Settings(out=tmp_path / "out", cache=tmp_path / "cache", strategy="rlm", max_iterations=1)
    given_: dict[str, Model] = {
        "worker": ScriptedModel([tool_reply(LOOK), tool_reply({"claims": [RENT]})], vendor="a"),
        "judge": ScriptedModel([verdicts((1, "not"))], vendor="b"),
        "subquery": ScriptedModel([]),
    }
    finished = ask(
        path, "What is the rent?", encoding="mac_roman", settings=settings, models=given_, engine=FakeSandbox
    )
    assert not finished.outcome.ok
    return finished, settings


def test_a_document_is_read_with_the_encoding_of_then(tmp_path: Path) -> None:
    finished, settings = in_mac_roman(tmp_path)
    for run in (finished.run, None):  # the resumed run can be resumed in its turn
        given_: dict[str, Model] = {
            "worker": ScriptedModel([tool_reply({"claims": [TERM]})], vendor="a"),
            "judge": ScriptedModel([verdicts((1, "supported"))] if run is None else [], vendor="b"),
            "subquery": ScriptedModel([]),
        }
        again = resume(run, settings=settings, changes={"max_iterations": 2}, models=given_, engine=FakeSandbox)
        assert again.document["encoding"] == "mac_roman" and again.document["sha256"] == finished.document["sha256"]
    assert again.outcome.ok and again.usage.calls == 5


def test_a_password_is_given_again_and_never_recorded(tmp_path: Path) -> None:
    path = tmp_path / "memo.pdf"
    canvas = Canvas(str(path), encrypt=StandardEncryption("open sesame", "owner", strength=128))
    canvas.drawString(72, 700, "The tenant pays a base rent of $48,000 a year in twelve equal instalments.")
    canvas.save()
    settings = Settings(out=tmp_path / "out", cache=tmp_path / "cache", strategy="rlm", max_iterations=1)
    given_: dict[str, Model] = {
        "worker": ScriptedModel([tool_reply(LOOK), tool_reply({"claims": [RENT]})], vendor="a"),
        "judge": ScriptedModel([verdicts((1, "not"))], vendor="b"),
        "subquery": ScriptedModel([]),
    }
    ask(path, "What is the rent?", password="open sesame", settings=settings, models=given_, engine=FakeSandbox)
    assert all(b"open sesame" not in file.read_bytes() for file in settings.out.rglob("*") if file.is_file())
    with pytest.raises(DocumentError) as caught:
        resume(settings=settings, models={}, engine=FakeSandbox)
    assert caught.value.code == "encrypted"
    more: dict[str, Model] = {
        "worker": ScriptedModel([tool_reply({"claims": [{**RENT, "text": "$48,000 a year."}]})], vendor="a"),
        "judge": ScriptedModel([verdicts((1, "supported"))], vendor="b"),
        "subquery": ScriptedModel([]),
    }
    again = resume(
        settings=settings, changes={"max_iterations": 2}, models=more, engine=FakeSandbox, password="open sesame"
    )
    assert again.outcome.ok


def test_a_document_that_is_read_otherwise_is_refused(tmp_path: Path) -> None:
    finished, settings = in_mac_roman(tmp_path)
    first, *rest = read_events(finished.folder)
    assert isinstance(first, RunStarted)
    # A record that does not name the encoding, as a run on the caller's own document leaves it.
    bare = replace(first, document={name: value for name, value in first.document.items() if name != "encoding"})
    folder = cut_off((bare, *rest), len(rest), tmp_path / "bare")
    with pytest.raises(DocumentError, match="not read as in that run"):
        resume(folder, settings=settings)


def test_a_run_whose_process_lives_is_not_resumed(tmp_path: Path) -> None:
    _, events = whole(tmp_path)
    folder = cut_off(events, len(events) // 2, tmp_path)
    with closing(Journal(folder)), pytest.raises(JournalError, match="still working on this run"):
        resume(folder, settings=Settings(out=tmp_path / "out"), document=MEMO)


def test_a_bound_can_be_raised_and_the_run_goes_on(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path / "out", strategy="rlm", max_iterations=1)
    first = ask(
        MEMO,
        "What is the rent?",
        settings=settings,
        models=models({"worker": 0, "judge": 0}),
        engine=FakeSandbox,
    )
    assert not first.outcome.ok and first.usage.calls == 4
    left = models({"worker": 3, "judge": 1})
    again = resume(
        first.run, settings=settings, changes={"max_iterations": 4}, document=MEMO, models=left, engine=FakeSandbox
    )
    assert again.outcome.ok and again.usage.calls == 6
    started = read_run(again.folder).events[0]
    assert isinstance(started, RunStarted) and json.dumps(started.settings["max_iterations"]) == "4"
