"""Replaying: the same run once more from its record alone, event for event, whatever decided in it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import FakeSandbox, hand_in
from modes.test_goal import BAD, DONE, VERIFY, check
from test_ask import LOOK, RENT, TERM, WRONG, verdicts
from test_resume import MEMO, Paying, cut_off
from test_task import LEASE
from test_task_resume import chosen, killed, noted, whole

from ralph_cli.api import ask, run_goal
from ralph_cli.commands.app import run
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.core.events import SnippetRan, StepFinished, SubqueriesAsked
from ralph_cli.core.model import Model
from ralph_cli.journal.store import read_events
from ralph_cli.providers.scripted import ScriptedModel, tool_reply
from ralph_cli.runs.resuming.replay import replay


def refused_and_mended() -> dict[str, Model]:
    """A worker that is refused by code, then by the judge, and mends it."""
    worker = [tool_reply(LOOK), hand_in(WRONG), hand_in(RENT, TERM)]
    return {
        "worker": ScriptedModel([*worker, hand_in({**TERM, "text": "It begins in 2021."})], vendor="a"),
        "judge": ScriptedModel([verdicts((1, "supported"), (2, "not")), verdicts((2, "supported"))], vendor="b"),
        "subquery": ScriptedModel([]),
    }


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.full)])
def test_a_run_of_each_mode_is_replayed_event_for_event_wherever_it_was_cut_off(tmp_path: Path, every: int) -> None:
    out = Settings(out=tmp_path / "out", strategy="rlm")
    noted(tmp_path)
    task, _ = whole(tmp_path, chosen(tmp_path))
    verifier = check(tmp_path, "import time\nprint(time.time_ns())\nsys.exit(not text.startswith('good'))")
    goal_script = [
        tool_reply({"code": "import uuid\nmark = 'good ' + uuid.uuid4().hex"}),
        *(tool_reply(act) for act in (BAD, VERIFY, DONE, {"output_from": "mark"}, VERIFY, DONE)),
    ]
    models: dict[str, Model] = {**refused_and_mended(), "worker": ScriptedModel(goal_script, vendor="a")}
    runs = [
        ask(MEMO, "What is the rent?", settings=out, models=Paying().models(), engine=FakeSandbox),
        ask(MEMO, "What is the rent?", settings=out, models=refused_and_mended(), engine=FakeSandbox),
        run_goal(MEMO, "Copy it", verify=[verifier], settings=out, models=models, engine=FakeSandbox),
    ]
    replayed = 0
    for finished in (*runs, task):
        assert finished.ok
        events = tuple(read_events(finished.folder))
        found = LEASE if finished is task else MEMO
        # Within a snippet there is something to be lost: that cut is always among them.
        within = (at for at, event in enumerate(events, 1) if isinstance(event, SubqueriesAsked))
        for at in {*range(len(events), 2, -every), *within}:
            folder, _ = killed(finished, events, at, tmp_path / finished.run / str(at))
            again = replay(folder, settings=out, document=found)
            assert not again.difference and again.run.events == events[:at]
            replayed += 1
    assert replayed * every >= 100
    print(f"{replayed} recorded runs were replayed")


def test_what_is_not_as_recorded_is_named(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path / "out", strategy="rlm")
    finished = ask(MEMO, "What is the rent?", settings=settings, models=Paying().models(), engine=FakeSandbox)
    events = tuple(read_events(finished.folder))
    for kind, change in (
        (SnippetRan, lambda event: replace(event, code="print('other')")),
        (StepFinished, lambda event: replace(event, step=replace(event.step, evidence=()))),
    ):
        (at,) = [at for at, event in enumerate(events) if isinstance(event, kind)][:1]
        forged = cut_off((*events[:at], change(events[at]), *events[at + 1 :]), len(events), tmp_path / kind.__name__)
        again = replay(forged, settings=settings, document=MEMO)
        assert again.difference.startswith(("event", "it ends after")) and again.events < len(events)
    own = events[0]
    custom = replace(own, settings={**own.settings, "verifier": "Mine"})  # type: ignore[union-attr,type-var]
    with pytest.raises(ConfigError, match="verifier of the caller's"):
        replay(cut_off((custom, *events[1:]), len(events), tmp_path / "custom"), settings=settings, document=MEMO)


@pytest.mark.parametrize("bound", ["max_cost", "max_calls", "max_tokens", "max_time"])
def test_a_replay_spends_nothing_so_no_bound_ends_it(tmp_path: Path, bound: str) -> None:
    settings = Settings(out=tmp_path / "out", strategy="rlm")
    finished = ask(MEMO, "What is the rent?", settings=settings, models=Paying().models(), engine=FakeSandbox)
    assert finished.ok and finished.view.usage.usd
    tight = settings.model_copy(update={bound: 1e-6 if bound in ("max_cost", "max_time") else 1})
    assert not replay(settings=tight, document=MEMO).difference


def test_a_run_that_broke_down_is_replayed_as_far_as_it_came(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path / "out", strategy="rlm")
    given = {**refused_and_mended(), "judge": ScriptedModel([ProviderError("no credit", code="billing")], vendor="b")}
    assert not ask(MEMO, "What is the rent?", settings=settings, models=given, engine=FakeSandbox).ok
    assert not replay(settings=settings, document=MEMO).difference


def test_the_command_prints_byte_for_byte_what_was_shown_and_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memo.txt").write_text(MEMO.text)
    script = [{"act": LOOK}, {"act": {"claims": [RENT]}}]
    (tmp_path / "worker.json").write_text(json.dumps(script))
    (tmp_path / "judge.json").write_text(json.dumps([{"text": verdicts((1, "supported")).text}]))
    models = ["--model", "scripted:worker.json", "--judge-model", "scripted:judge.json", "--subquery-model", "offline"]
    assert run(["qa", "memo.txt", "What is the rent?", "--sandbox", "native", "--strategy", "rlm", "-q", *models]) == 0
    for name in ("worker.json", "judge.json"):
        (tmp_path / name).unlink()
    before = sorted((tmp_path / "out").rglob("*"))
    for form in ([], ["--json"]):
        capsys.readouterr()
        assert run(["trace", "show", "--no-steps", *form]) == 0
        shown = capsys.readouterr().out
        assert run(["trace", "replay", *form]) == 0
        out, err = capsys.readouterr()
        assert out == shown and "are as recorded; nothing was sent" in err
    assert sorted((tmp_path / "out").rglob("*")) == before
    (tmp_path / "memo.txt").write_text("Another text.")
    assert run(["trace", "replay"]) == 1 and "not the document" in capsys.readouterr().err
