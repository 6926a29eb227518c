"""What a caller of the Python API gets: flat, short to look at, and safe to show."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import FakeSandbox, document, second_reader

import ralph_cli
from ralph_cli.api import ask, run_task
from ralph_cli.config import Settings, complete_settings
from ralph_cli.core.model import Model
from ralph_cli.core.run import StopType
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import Journal
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.history import find_run, run_names

RENT = "The base rent is <b>$48,000</b> a year, paid in twelve equal instalments; the tenant bears the cost of repairs."
LEASE = document(f"{RENT}\n")
CLAIM = {"text": "The base rent is $48,000 a year.", "quotes": ["base rent is <b>$48,000</b> a year"]}


def answer(out: Path, verdict: str = "supported", **act: object) -> ralph_cli.Result:
    reply = f'{{"verdicts": [{{"id": 1, "verdict": "{verdict}", "reason": "it says so"}}]}}'
    worker = ScriptedModel([tool_reply(act or {"claims": [CLAIM]})] * 3)
    judge = ScriptedModel(lambda request: second_reader(request) or text_reply(reply))
    models: dict[str, Model] = {"worker": worker, "judge": judge, "subquery": worker}
    settings = Settings(out=out, max_iterations=1)
    return ask(LEASE, "What is the rent?", settings=settings, models=models, engine=FakeSandbox)


def test_an_answer_is_flat(tmp_path: Path) -> None:
    result = answer(tmp_path)
    assert (result.ok, result.absent, result.text) == (True, False, CLAIM["text"])
    (claim,), (quote,) = result.claims, result.quotes
    assert (claim.text, claim.verdict, claim.reason, claim.quotes) == (
        CLAIM["text"],
        "supported",
        "it says so",
        (quote,),
    )
    assert quote.text == LEASE.text[quote.start : quote.end] and quote.page == 1
    assert result.stop.type is StopType.COMPLETION and result.folder == tmp_path / result.run
    assert result.cost == 0.0 and result.usage.calls == 2
    told = result.to_dict()
    assert (quote.place, result.seconds) == ("line 1", told["usage"]["seconds"])
    assert told["ok"] is True and told["claims"][0]["text"] == claim.text and told["run"]["id"] == result.run


def test_what_a_judge_refuses_is_not_ok(tmp_path: Path) -> None:
    result = answer(tmp_path, "not")
    assert result.ok is False and result.claims[0].verdict == "not" and not result.absent


def test_an_absence_is_said(tmp_path: Path) -> None:
    result = answer(tmp_path, not_found={"searched": ["garden"]})
    assert result.absent and result.ok is False and result.text == ""


def test_what_no_model_has_read_is_neither_accepted_nor_refused(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path)
    found = ask(LEASE, "What is the base rent?", settings=settings, engine=FakeSandbox)
    assert found.ok is None and found.claims and found.stop.type is StopType.PASSAGES and not found.outcome.ok
    none = ask(LEASE, "Who sings in Zanzibar?", settings=settings, engine=FakeSandbox)
    assert none.ok is False and not none.absent and none.stop.type is StopType.NO_PASSAGES
    task = run_task(LEASE, "List the rents", settings=settings, engine=FakeSandbox)
    assert task.ok is None and "48,000" in task.text and task.to_dict()["ok"] is None


def test_it_is_short_to_look_at_and_safe_to_show(tmp_path: Path) -> None:
    result = answer(tmp_path)
    assert len(repr(result)) < 300 and result.run in repr(result) and "ok=True" in repr(result)
    table = result._repr_html_()
    assert "&lt;b&gt;$48,000&lt;/b&gt;" in table and "<b>$48,000" not in table and "supported" in table
    unread = ask(LEASE, "What is the base rent?", settings=Settings(out=tmp_path), engine=FakeSandbox)._repr_html_()
    assert "no model has read them" in unread and "Judged" not in unread and "48,000" in unread


def test_settings_made_in_python_take_keys_from_the_environment_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("RALPH_MAX_STEPS", "7")
    made = complete_settings(Settings(max_cost=2))
    assert (made.endpoint("openai").api_key, made.max_cost, made.max_steps) == ("sk-1", 2, 80)
    assert complete_settings(Settings(openai_key=None)).endpoint("openai").api_key is None
    assert complete_settings(None).max_steps == 7


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ask(5, "What?"), "a document is given by its path, as a str or Path, not as int"),  # type: ignore[arg-type]
        (lambda: ask(None, "What?"), "not as NoneType"),  # type: ignore[arg-type]
        (lambda: ask(LEASE, None), "the question must be text, not None"),  # type: ignore[arg-type]
        (lambda: ask(LEASE, "What?", settings={"max_cost": 1}), "settings are dict, not Settings"),  # type: ignore[arg-type]
        (lambda: Settings(bulets="3"), "unknown setting: bulets"),  # type: ignore[call-arg]
        (lambda: Settings(min_coverage=90), "min_coverage: it must be at most 1, not 90"),
    ],
)
def test_what_is_passed_by_mistake_is_named(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ralph_cli.UserError) as raised:
        call()
    assert said in raised.value.message and raised.value.hint


def test_a_model_that_cannot_be_opened_leaves_no_run_behind(tmp_path: Path) -> None:
    with pytest.raises(ralph_cli.RalphError):
        ask(LEASE, "What?", settings=Settings(out=tmp_path, model="scripted:nowhere.jsonl"), engine=FakeSandbox)
    assert run_names(tmp_path) == []


def test_the_newest_run_is_one_that_has_begun(tmp_path: Path) -> None:
    begun = answer(tmp_path)
    Journal(tmp_path / "99999999-killed-before-it-began").close()
    assert find_run(tmp_path, None) == begun.folder
    (tmp_path / "99999999-killed-before-it-began" / JOURNAL_FILE).write_bytes(b"no journal")
    assert find_run(tmp_path, None) != begun.folder  # what is damaged is not passed over in silence
