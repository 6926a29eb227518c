"""An objection of code is told once; a worker may stand by its claim, a judge settles it, and the result says so."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import FakeSandbox, hand_in, script_models
from test_ask import LOOK, MEMO, RENT, verdicts
from test_resume import cut_off

from ralph_cli.api import ask
from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.config import Settings
from ralph_cli.core.events import AnyEvent, DraftSubmitted, StepFinished
from ralph_cli.core.model import Json, Model, Reply
from ralph_cli.core.results.verification import Verification
from ralph_cli.core.run import Doubt, Step, StopType
from ralph_cli.journal.consistency import EVENT
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.providers.metered import turn_text
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.html.page import render_page
from ralph_cli.reports.markdown import markdown_report
from ralph_cli.reports.notebook import render_table
from ralph_cli.reports.story import story
from ralph_cli.reports.terminal import report_text
from ralph_cli.reports.verified import as_object, verification_text
from ralph_cli.runs.export import export
from ralph_cli.runs.history import read_run
from ralph_cli.runs.report import RunDocument, build_report
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.resume import resume
from ralph_cli.runs.verifying.verify import verify

MONTHLY = {"text": "The base rent is $48,000 a year, or $4,000 a month.", "quotes": RENT["quotes"]}
WHY = "a twelfth of $48,000 is $4,000"
DEFENDED = {**MONTHLY, "because": WHY}
TOLD = f"(the worker: {WHY})"


def settled(verdict: str = "supported", *, good: bool = True) -> Reply:
    doubts = [{"id": 1, "proved": good, "reason": "48,000 / 12 is 4,000"}]
    return text_reply(json.dumps({"verdicts": [{"id": 1, "verdict": verdict, "reason": "it is", "doubts": doubts}]}))


def asked(
    folder: Path, drafts: Sequence[Json], judge: Sequence[Reply], **changes: Any
) -> tuple[Result, list[AnyEvent], ScriptedModel]:
    events: list[AnyEvent] = []
    (folder / "memo.txt").write_text(MEMO.text, encoding="utf-8")
    chosen = {"out": folder / "out", "cache": folder / "cache", "strategy": "rlm"}
    worker = [tool_reply(LOOK), *(hand_in(draft) for draft in drafts)]
    judging = ScriptedModel(judge, vendor=changes.pop("vendor", "b"))
    models: dict[str, Model] = {"worker": ScriptedModel(worker, vendor="a"), "judge": judging}
    models["subquery"] = ScriptedModel([])
    done = ask(
        folder / "memo.txt",
        "What is the rent?",
        settings=Settings(**{**chosen, **changes}),
        models=models,
        engine=FakeSandbox,
        sink=events.append,
    )
    return done, events, judging


def problems(events: Sequence[AnyEvent]) -> list[tuple[str, ...]]:
    return [event.problems for event in events if isinstance(event, DraftSubmitted)]


def test_a_claim_is_objected_to_once_and_stands_with_a_reason_that_the_judge_accepts(tmp_path: Path) -> None:
    done, events, judge = asked(tmp_path, [MONTHLY, DEFENDED], [settled()])
    (first, second) = problems(events)
    assert len(first) == 1 and "$4,000" in first[0] and "again with `because`" in first[0] and not second
    assert done.ok and done.outcome.iterations == 1
    prompt = turn_text(judge.requests[0].turns[-1])
    assert 'objection to "$4,000"' in prompt and f"\n{WHY}\n</data-" in prompt
    (doubt,) = done.unconfirmed
    assert (doubt.claim, doubt.words, doubt.kind, doubt.because) == (1, "$4,000", "objection", WHY)
    assert done.claims[0].unconfirmed == (doubt,) and "48,000 / 12 is 4,000" in done.claims[0].reason


def test_a_mended_claim_leaves_no_mark(tmp_path: Path) -> None:
    done, _, _ = asked(tmp_path, [MONTHLY, RENT], [verdicts((1, "supported"))])
    assert done.ok and done.unconfirmed == () and "unconfirmed" not in report_text(done.view)


def test_a_reason_that_nobody_asked_for_is_not_read(tmp_path: Path) -> None:
    done, events, judge = asked(tmp_path, [DEFENDED, DEFENDED], [settled()])
    first, second = problems(events)
    assert "$4,000" in first[0] and not second and done.ok
    done, _, judge = asked(tmp_path, [{**RENT, "because": "it is so"}], [verdicts((1, "supported"))])
    assert done.ok and done.unconfirmed == () and "it is so" not in turn_text(judge.requests[0].turns[-1])


def test_other_words_for_the_same_figures_are_the_same_claim_and_another_figure_is_not(tmp_path: Path) -> None:
    reworded = {**DEFENDED, "text": "A month costs $4,000, and the base rent of a year is $48,000."}
    other = {**DEFENDED, "text": "The base rent is $48,000 a year, or $5,000 a month."}
    done, events, _ = asked(tmp_path, [MONTHLY, other, reworded], [settled()])
    _, second, third = problems(events)
    assert "$5,000" in second[0] and not third and done.ok


def test_a_judge_that_is_not_convinced_sends_the_claim_back_with_its_reason(tmp_path: Path) -> None:
    no = settled("not", good=False)
    done, events, _ = asked(tmp_path, [MONTHLY, DEFENDED, RENT], [no, verdicts((1, "supported"))])
    assert done.ok and done.outcome.iterations == 2 and done.text == RENT["text"] and done.unconfirmed == ()
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    assert 'On "$4,000": 48,000 / 12 is 4,000' in steps[0].issues[0].material


@pytest.mark.parametrize("wrong", [verdicts((1, "supported")), settled(good=False)])
def test_a_judge_that_does_not_settle_the_objection_accepts_nothing(tmp_path: Path, wrong: Reply) -> None:
    done, _, _ = asked(tmp_path, [MONTHLY, DEFENDED], [wrong] * 4)
    assert done.stop.type is StopType.UNJUDGED and not done.ok


@pytest.mark.parametrize("how", [{"strict": True}, {"vendor": "offline"}])
def test_strictly_or_without_a_model_that_judges_an_objection_stands(tmp_path: Path, how: Json) -> None:
    done, events, judge = asked(tmp_path, [MONTHLY, DEFENDED, DEFENDED, DEFENDED], [], max_steps=4, **how)
    assert not done.ok and not judge.requests and done.unconfirmed == ()
    assert all("$4,000" in found[0] and "because" not in found[0] for found in problems(events))


def test_a_claim_that_was_defended_and_kept_is_marked_and_not_judged_again(tmp_path: Path) -> None:
    notice = "may end it on six months' notice after the fifth year"
    wrong, right = ({"text": f"It ends {when} the fifth year.", "quotes": [notice]} for when in ("in", "after"))
    doubts = [{"id": 1, "proved": True, "reason": "48,000 / 12 is 4,000"}]
    said = [
        {"id": 1, "verdict": "supported", "reason": "it is", "doubts": doubts},
        {"id": 2, "verdict": "not", "reason": "after, not in"},
    ]
    drafts = [{"claims": [MONTHLY, wrong]}, {"claims": [DEFENDED, wrong]}, {"claims": [right]}]
    models = script_models(
        [tool_reply(LOOK), *map(tool_reply, drafts)],
        [text_reply(json.dumps({"verdicts": said})), verdicts((2, "supported"))],
    )
    settings = Settings(out=tmp_path, strategy="rlm")
    done = ask(MEMO, "What is the rent?", settings=settings, models=models, engine=FakeSandbox)
    assert done.ok and done.outcome.iterations == 2
    assert [claim.verdict for claim in done.claims] == ["supported", "supported"]
    assert [(doubt.claim, doubt.because) for doubt in done.unconfirmed] == [(1, WHY)]


def test_a_doubt_lowers_no_score(tmp_path: Path) -> None:
    done, _, _ = asked(tmp_path, [MONTHLY, DEFENDED], [settled()])
    step = done.outcome.best
    assert step is not None and step.score == 1.0 and step.doubts and not step.issues


def test_a_claim_that_is_handed_in_again_with_a_reason_is_no_answer_that_failed_twice(tmp_path: Path) -> None:
    drafts = [MONTHLY, MONTHLY, DEFENDED]
    done, _, _ = asked(tmp_path, drafts, [settled()], max_steps=2)
    assert done.ok and done.outcome.iterations == 2 and len(done.unconfirmed) == 1
    done, _, _ = asked(tmp_path, [MONTHLY] * 5, [], max_steps=2)
    assert done.stop.type is StopType.STALLED


def with_open_question(patch: pytest.MonkeyPatch) -> None:
    """Let the check of figures leave a question on the first claim."""
    honest = NumbersCheck.__call__
    question = Doubt(1, "$48,000", "whose dollars these are is not said")
    patch.setattr(NumbersCheck, "__call__", lambda self, attempt: replace(honest(self, attempt), doubts=(question,)))


@pytest.mark.parametrize(("good", "stop"), [(True, StopType.COMPLETION), (False, StopType.UNJUDGED)])
def test_what_code_could_not_tell_is_for_the_judge_to_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: bool, stop: StopType
) -> None:
    with_open_question(monkeypatch)
    done, events, judge = asked(tmp_path, [RENT], [settled(good=good)] * 2)
    assert done.stop.type is stop and problems(events) == [()]
    prompt = turn_text(judge.requests[0].turns[-1])
    assert 'open question on "$48,000": whose dollars' in prompt and "stands by claim" not in prompt
    text = report_text(done.view)
    assert "    code could not tell: whose dollars these are is not said" in text
    assert "1 question left open by code." in text
    assert verify(done.folder, document=None, settings=Settings(out=tmp_path / "out")).holds


def test_without_a_model_that_judges_it_is_said_in_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_open_question(monkeypatch)
    verbatim = {"text": "The tenant pays a base rent of $48,000 a year in twelve equal instalments."}
    compared = {"id": 1, "verdict": "verbatim", "reason": "word for word"}
    judge = [text_reply(json.dumps({"verdicts": [compared]}))]
    done, _, _ = asked(tmp_path, [verbatim | {"quotes": [verbatim["text"]]}], judge, vendor="offline")
    assert done.ok and [doubt.kind for doubt in done.unconfirmed] == ["open"]
    assert "1 question left open by code." in report_text(done.view)


@pytest.fixture(scope="module")
def defended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """A run with a claim that was objected to and defended, and the folder that it is in."""
    folder = tmp_path_factory.mktemp("defended")
    return asked(folder, [MONTHLY, DEFENDED], [settled()])[0], folder


def test_every_form_of_the_result_says_what_code_could_not_confirm(defended: tuple[Result, Path]) -> None:
    done, _ = defended
    run = read_run(done.folder)
    report = build_report(run, RunDocument(MEMO))
    terminal, markdown, page = report_text(done.view), markdown_report(report), render_page(report)
    assert '    code could not confirm $4,000: "$4,000" is in no quote' in terminal and TOLD in terminal
    assert "found every claim supported. 1 figure unconfirmed by code.\n" in terminal
    assert "### Claim 1: supported, $4,000 unconfirmed" in markdown and "- Code could not confirm $4,000: " in markdown
    assert f"(the worker: {WHY})" in markdown and "1 figure unconfirmed by code." in markdown
    assert "✓ supported, $4,000 unconfirmed" in page and "Code could not confirm $4,000: " in page and TOLD in page
    assert "1 figure unconfirmed by code." in page and 'class="verdict warn"' in page
    assert "code could not confirm $4,000" in done._repr_html_() and TOLD in done._repr_html_()
    assert "-- claim 1: code could not confirm $4,000: " in story(run.events) and f"because: {WHY}" in story(run.events)
    (doubt,) = done.to_dict()["unconfirmed"]
    assert doubt.pop("message").startswith('"$4,000" is in no quote')
    assert doubt == {"claim": 1, "words": "$4,000", "kind": "objection", "because": WHY}


def test_a_recorded_run_keeps_what_it_could_not_confirm(defended: tuple[Result, Path]) -> None:
    done, _ = defended
    again = read_run(done.folder).view
    assert again.unconfirmed == done.unconfirmed and again.claims == done.claims
    trace = json.loads((done.folder / "iter-01.json").read_text("utf-8"))
    assert WHY in json.dumps(trace) and "objection" in json.dumps(trace)


@pytest.mark.parametrize("at", range(2, 30, 3))
def test_a_resumed_run_comes_to_the_same_doubts(defended: tuple[Result, Path], tmp_path: Path, at: int) -> None:
    done, _ = defended
    events = tuple(read_events(done.folder))
    if at >= len(events):
        return
    start = cut_off(events, at, tmp_path / "out" / "cut")
    replies = {"worker": [LOOK, {"claims": [MONTHLY]}, {"claims": [DEFENDED]}], "judge": [settled()]}
    paid = [event.agent for event in events[:at] if event.kind == "call_finished"]
    worker = [tool_reply(reply) for reply in replies["worker"]][paid.count("worker") :]
    models = script_models(worker, [settled()][paid.count("judge") :])
    again = resume(start, settings=Settings(out=tmp_path / "out"), models=models, engine=FakeSandbox)
    assert again.ok and again.unconfirmed == done.unconfirmed


def verified(folder: Path, run: Path | None = None) -> Verification:
    return verify(run, document=None, settings=Settings(out=folder / "out", cache=folder / "cache"))


def forged(done: Result, folder: Path, change: Callable[[Step], Step]) -> Path:
    """The run with another last step, as somebody hands it on who has written in its record."""
    *before, finished, halted = read_events(done.folder)
    assert isinstance(finished, StepFinished)
    journal = Journal(folder)
    for event in (*before, replace(finished, step=change(finished.step)), halted):
        journal(event)
    journal.close()
    return folder


def test_verify_finds_the_same_doubts_again_and_shows_them(defended: tuple[Result, Path], tmp_path: Path) -> None:
    done, folder = defended
    found = verified(folder, done.folder)
    text, shown = verification_text(found), as_object(found)
    assert found.holds and [(doubt.claim, doubt.words) for doubt in found.doubts] == [(1, "$4,000")]
    assert '    code could not confirm $4,000: "$4,000" is in no quote' in text and TOLD in text
    assert "and their calculations; 1 figure unconfirmed by code, as recorded\n" in text
    assert "passed. 1 figure unconfirmed by code.\n" in text
    assert shown["unconfirmed"] == done.to_dict()["unconfirmed"] and shown["claims"][0]["borne_out"]
    bundle = export(done.run, tmp_path / "run.zip", settings=Settings(out=folder / "out")).path
    assert verify(bundle, document=folder / "memo.txt", settings=Settings(cache=folder / "cache")).holds


def without_doubts(step: Step) -> Step:
    return replace(step, evidence=tuple(replace(item, doubts=()) for item in step.evidence))


def without_reason(step: Step) -> Step:
    claims = tuple(replace(claim, because="") for claim in step.attempt.claims)
    return without_doubts(replace(step, attempt=replace(step.attempt, claims=claims)))


def with_other_figure(step: Step) -> Step:
    claims = tuple(replace(claim, text=claim.text.replace("4,000 a", "9,000 a")) for claim in step.attempt.claims)
    return replace(step, attempt=replace(step.attempt, claims=claims))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (without_doubts, 'code objects to this, and the record does not say so: "$4,000"'),
        (without_reason, 'claim 1 says what its quotes do not bear out: "$4,000"'),
        (with_other_figure, 'code objects to this, and the record does not say so: "$9,000"'),
    ],
)
def test_an_objection_that_a_record_hides_is_found(
    defended: tuple[Result, Path], tmp_path: Path, change: Callable[[Step], Step], told: str
) -> None:
    done, folder = defended
    found = verified(folder, forged(done, tmp_path / "forged", change))
    assert not found.holds and told in verification_text(found)


def test_a_doubt_or_reason_that_somebody_wrote_into_a_record_is_text_and_no_more(
    defended: tuple[Result, Path], tmp_path: Path
) -> None:
    done, folder = defended
    evil = "\x1b[31m<script>alert(1)</script> ![x](http://e.example/x)"

    def write(step: Step) -> Step:
        doubts = tuple(Doubt(1, f"{kind} {evil}", evil, kind) for kind in ("open", "objection"))
        claims = tuple(replace(claim, because=evil) for claim in step.attempt.claims)
        numbers, *others = step.evidence
        more = replace(numbers, doubts=doubts)
        return replace(step, attempt=replace(step.attempt, claims=claims), evidence=(more, *others))

    path = forged(done, tmp_path / "forged", write)
    run = read_run(path)
    assert len(run.view.unconfirmed) == 3 and run.view.ok
    report = build_report(run, RunDocument(MEMO))
    plain = (report_text(run.view), story(run.events), verification_text(verified(folder, path)))
    assert all("\x1b" not in text and "<script>" in text for text in plain)
    page, markdown = render_page(report), markdown_report(report)
    assert "<script" not in page and "\x1b" not in page and "&lt;script&gt;" in page
    assert "<script" not in markdown.replace("\\<", "") and "![" not in markdown and "\x1b" not in markdown
    assert "<script" not in render_table(run.view)


def test_a_record_of_before_there_were_doubts_is_read(tmp_path: Path) -> None:
    done, _, _ = asked(tmp_path, [RENT], [verdicts((1, "supported"))])
    events = tuple(read_events(done.folder))

    def old(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: old(item) for name, item in value.items() if name not in ("doubts", "because", "strict")}
        return [old(item) for item in value] if isinstance(value, list) else value

    written = [old(EVENT.dump_python(event, mode="json")) for event in events]
    assert '"because": ' not in json.dumps(written) and '"doubts": ' not in json.dumps(written)
    assert tuple(map(EVENT.validate_python, written))[1:] == events[1:]
