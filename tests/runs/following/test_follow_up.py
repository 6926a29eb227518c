"""A further question on a run: conversation, variables and answers go on, and every claim is proved again."""

import asyncio
import os
import shutil
import signal
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fakes import FakeSandbox, document, hand_in, second_reader
from test_ask import LOOK, MEMO, RENT, TERM, verdicts
from test_resume import cut_off, priced

from ralph_cli.api import afollow_up, ask, follow_up
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, DocumentError, JournalError
from ralph_cli.core.events import AnyEvent, CallFinished, RunHalted, RunStarted, SnippetRan, StepFinished
from ralph_cli.core.model import Json, Model, ModelTurn, Reply, Request, StopReason
from ralph_cli.core.run import StopType
from ralph_cli.documents.source import DocumentSource
from ralph_cli.journal.rows import hold_run, read_chain
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.loop.state import fold
from ralph_cli.providers.metered import turn_text
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.json import as_object
from ralph_cli.runs.execute import Setup
from ralph_cli.runs.folders import delete_run
from ralph_cli.runs.history import read_run
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.following import open_followed
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.runs.resuming.resume import resume
from ralph_cli.runs.verifying.verify import verify

FIND = {"code": "find('base rent')\nkept = 41 + len(llm_query('Which party?', 'a'))"}
RECALL = {"code": "print(kept, context[:20])"}
FIRST, SECOND, THIRD = "What is the rent?", "and how long does it run?", "and when may it end?"
END = {
    "text": "Either party may end it on six months' notice.",
    "quotes": ["Either party may end it on six months' notice"],
}


@dataclass
class Desk:
    """A worker that does what is listed, a judge that finds everything proved; what each is asked is kept."""

    acts: list[Json]
    verdict: str = "supported"
    name: str = "a:worker"
    asked: list[Request] = field(default_factory=list)
    judged: list[str] = field(default_factory=list)
    subqueries: int = 0

    def worker(self, request: Request) -> Reply:
        self.asked.append(request)
        return priced(tool_reply(self.acts[len(self.asked) - 1]))

    def judge(self, request: Request) -> Reply:
        self.judged.append(turn_text(request.turns[-1]))
        return priced(second_reader(request) or verdicts((1, self.verdict)))

    def subquery(self, request: Request) -> Reply:
        self.subqueries += 1
        return priced(text_reply("y"))

    @property
    def models(self) -> dict[str, Model]:
        return {
            "worker": ScriptedModel(self.worker, vendor="a", name=self.name),
            "judge": ScriptedModel(self.judge, vendor="b", name="b:judge"),
            "subquery": ScriptedModel(self.subquery, vendor="a", name="a:sub"),
        }

    @property
    def first_request(self) -> list[str]:
        return [turn_text(turn) for turn in self.asked[0].turns]


def settings(out: Path) -> Settings:
    return Settings(out=out, strategy="rlm")


def begin(out: Path, desk: Desk | None = None, about: Document = MEMO) -> Result:
    desk = desk or Desk([LOOK, FIND, {"claims": [RENT]}])
    return ask(about, FIRST, settings=settings(out), models=desk.models, engine=FakeSandbox)


def further(before: Path, question: str, desk: Desk, out: Path, about: Document = MEMO) -> Result:
    return follow_up(
        before, question, document=about, settings=Settings(out=out), models=desk.models, engine=FakeSandbox
    )


def test_conversation_and_variables_go_on_and_only_what_is_new_is_paid(tmp_path: Path) -> None:
    asked, desk = Desk([LOOK, FIND, {"claims": [RENT]}]), Desk([RECALL, {"claims": [TERM]}])
    first = begin(tmp_path, asked)
    second = further(first.folder, SECOND, desk, tmp_path)
    assert first.ok and second.ok and second.folder != first.folder
    before = desk.first_request
    assert before[0].endswith(FIRST) and before[-1].endswith(SECOND)
    assert "(supported)" in before[-1] and RENT["quotes"][0] in before[-1]
    assert desk.asked[0].turns[1:2] == (ModelTurn("", tool_reply(LOOK).calls),)
    # The mark of the cache stands where it stood: a block that ends elsewhere is not found there again.
    assert desk.asked[0].cache and desk.asked[0].shared == asked.asked[0].shared > 100
    assert "42 Memorandum on the le" in turn_text(desk.asked[1].turns[-1])
    # Two calls of the worker and one of the judge: neither the conversation nor the sub-query is bought again.
    assert (second.usage.calls, second.cost, desk.subqueries) == (3, pytest.approx(0.03), 0)
    assert [claim.text for claim in second.claims] == [TERM["text"]]


def test_the_judge_sees_the_question_with_those_before_it(tmp_path: Path) -> None:
    desk = Desk([{"claims": [TERM]}])
    further(begin(tmp_path).folder, SECOND, desk, tmp_path)
    told = desk.judged[0].split("The claims answer this question:\n")[1]
    assert told.startswith(SECOND) and f"- {FIRST}\n</data-" in told


def test_a_claim_that_was_accepted_is_judged_again(tmp_path: Path) -> None:
    desk = Desk([{"claims": [RENT]}] * 9, verdict="not")
    second = further(begin(tmp_path).folder, "Say it again", desk, tmp_path)
    assert second.ok is False and desk.judged and RENT["text"] in desk.judged[0]


def test_a_follow_up_can_itself_be_followed_moved_and_read(tmp_path: Path) -> None:
    second = further(begin(tmp_path / "a").folder, SECOND, Desk([RECALL, {"claims": [TERM]}]), tmp_path / "a")
    moved = tmp_path / "b" / second.folder.name
    shutil.copytree(second.folder, moved)
    shutil.rmtree(tmp_path / "a")
    desk = Desk([{"code": "print(kept + 1)"}, {"claims": [END]}])
    third = further(moved, THIRD, desk, tmp_path / "c")
    assert third.ok and "43\n" in turn_text(desk.asked[1].turns[-1])
    assert [text for text in desk.first_request if text.endswith((FIRST, SECOND, THIRD))] == [
        desk.first_request[place] for place in (0, 6, -1)
    ]
    assert f"- {FIRST}\n- {SECOND}\n" in desk.judged[0]
    assert sorted(path.name for path in (third.folder / "earlier").iterdir()) == sorted(
        path.name for path in (moved, *(moved / "earlier").iterdir())
    )
    view = as_object(read_run(third.folder).view)
    assert view["follows"] == {"run": moved.name, "questions": [FIRST, SECOND]}
    assert verify(third.folder, document=MEMO, settings=settings(tmp_path)).holds
    assert replay(third.folder, document=MEMO, settings=settings(tmp_path)).difference == ""


def test_the_copies_in_a_long_row_of_questions_take_no_more_room_than_the_runs(tmp_path: Path) -> None:
    run = begin(tmp_path / "a")
    for number in range(4):
        run = further(run.folder, f"{SECOND} {number}", Desk([RECALL, {"claims": [TERM]}]), tmp_path / "a")
    journals = [path.stat() for path in tmp_path.rglob("journal.sqlite3")]
    assert len(journals) == 5 + 1 + 2 + 3 + 4
    # Each of the runs before the last one is there twice: as itself, to which a process may write, and as one copy.
    assert len({about.st_ino for about in journals}) == 5 + 4
    moved = tmp_path / "b" / run.folder.name
    shutil.copytree(run.folder, moved)
    shutil.rmtree(tmp_path / "a")
    assert further(moved, THIRD, Desk([{"code": "print(kept + 1)"}, {"claims": [END]}]), tmp_path / "c").ok


def test_a_copy_that_others_can_write_into_is_not_shared(tmp_path: Path) -> None:
    first = begin(tmp_path)
    second = further(first.folder, SECOND, Desk([RECALL, {"claims": [TERM]}]), tmp_path)
    (theirs,) = (second.folder / "earlier").glob("*/journal.sqlite3")
    theirs.chmod(0o666)
    third = further(second.folder, THIRD, Desk([{"code": "print(kept + 1)"}, {"claims": [END]}]), tmp_path)
    (ours,) = (third.folder / "earlier" / first.folder.name).glob("journal.sqlite3")
    assert not ours.samefile(theirs)


def test_every_start_of_a_follow_up_and_then_its_resumption_are_the_whole(tmp_path: Path) -> None:
    first = begin(tmp_path / "out")
    acts = [RECALL, {"claims": [TERM]}]
    second = further(first.folder, SECOND, Desk(acts), tmp_path / "out")
    events = tuple(read_events(second.folder))
    for at in range(2, len(events)):
        folder = cut_off(events, at, tmp_path / str(at) / "cut")
        shutil.copytree(second.folder / "earlier", folder / "earlier")
        paid = [event for event in events[:at] if isinstance(event, CallFinished) and event.agent == "worker"]
        desk = Desk(acts[len(paid) :])
        again = resume(
            folder, settings=Settings(out=tmp_path / str(at)), document=MEMO, models=desk.models, engine=FakeSandbox
        )
        assert (again.outcome, again.usage) == (second.outcome, second.usage)
        assert desk.subqueries == 0 and [started_of(again).follows] == [started_of(second).follows]
        assert fold(read_events(again.folder)).steps == fold(events).steps
        third = Desk([{"claims": [END]}])
        assert further(again.folder, THIRD, third, tmp_path / str(at)).ok and len(third.first_request) == 11


def started_of(run: Result) -> RunStarted:
    started = next(read_events(run.folder))
    assert isinstance(started, RunStarted)
    return started


def test_a_short_document_that_was_given_whole_is_not_given_again(tmp_path: Path) -> None:
    whole = Settings(out=tmp_path)
    first = ask(MEMO, FIRST, settings=whole, models=Desk([{"claims": [RENT]}]).models, engine=FakeSandbox)
    desk = Desk([{"claims": [TERM]}])
    second = further(first.folder, SECOND, desk, tmp_path)
    assert first.ok and second.ok and second.coverage.shown == first.coverage.shown == ((0, len(MEMO.text)),)
    assert "\n".join(desk.first_request).count(TERM["quotes"][0]) == 1


def test_a_quote_of_a_record_is_told_only_if_it_stands_in_the_document(tmp_path: Path) -> None:
    first = begin(tmp_path)
    events = []
    for event in read_events(first.folder):
        if isinstance(event, StepFinished):
            quotes = tuple(replace(quote, text="a base rent of $84,000 a year") for quote in event.step.attempt.quotes)
            event = replace(event, step=replace(event.step, attempt=replace(event.step.attempt, quotes=quotes)))
        events.append(event)
    forged(tmp_path / "forged", events)
    desk = Desk([LOOK, {"claims": [TERM]}], name="c:other")
    assert further(tmp_path / "forged", SECOND, desk, tmp_path).ok
    assert RENT["text"] in desk.first_request[0] and "$84,000" not in desk.first_request[0]


def test_the_built_in_engine_looks_for_the_words_of_the_question_before(tmp_path: Path) -> None:
    first = ask(MEMO, "What about notice?", settings=Settings(out=tmp_path), engine=FakeSandbox)
    second = asyncio.run(
        afollow_up(first.folder, "And then?", document=MEMO, settings=Settings(out=tmp_path), engine=FakeSandbox)
    )
    assert second.stop.type is StopType.PASSAGES and "six months' notice" in second.quotes[0].text
    assert any("understands none of them" in notice.message for notice in second.notices)
    alone = ask(MEMO, "And then?", settings=Settings(out=tmp_path), engine=FakeSandbox)
    assert alone.stop.type is StopType.NO_PASSAGES


def test_where_the_built_in_engine_stood_for_want_of_a_key_a_model_of_now_answers(tmp_path: Path) -> None:
    first = ask(MEMO, FIRST, settings=Settings(out=tmp_path), engine=FakeSandbox)
    assert first.ok is None
    keys = Settings(out=tmp_path, anthropic_key="a", openai_key="b", anthropic_base_url="http://127.0.0.1:9")
    _, setup = open_followed(first.folder, Setup(settings=keys), DocumentSource.of(MEMO))
    names = setup.choose_models()
    assert names.worker.startswith("anthropic:") and names.judge.startswith("openai:")
    # One that was named is asked again.
    named = ask(MEMO, FIRST, settings=Settings(out=tmp_path, model="offline"), engine=FakeSandbox)
    _, setup = open_followed(named.folder, Setup(settings=keys), DocumentSource.of(MEMO))
    assert setup.choose_models().worker.startswith("offline:")


def test_another_model_is_told_what_was_asked_answered_and_quoted(tmp_path: Path) -> None:
    first, desk = begin(tmp_path), Desk([LOOK, {"claims": [TERM]}], name="c:other")
    second = further(first.folder, SECOND, desk, tmp_path)
    (opening,) = desk.first_request
    assert second.ok and opening.endswith(f"The question:\n{SECOND}")
    for told in (f"Question: {FIRST}", f"- {RENT['text']} (supported)", f'page 1: "{RENT["quotes"][0]}"'):
        assert told in opening
    assert any(notice.code == "follow-up" for notice in second.notices)
    assert desk.asked[0].shared == opening.index("The question below follows on others")


def test_a_conversation_of_every_kind_of_turn_is_made_again_to_the_letter(tmp_path: Path) -> None:
    """Several calls in a turn, words without a call, replies that were cut, refused drafts, a refused attempt."""
    desk = Desk([LOOK, FIND, {"claims": [TERM]}])
    nothing = tool_reply({"code": "1"}, {"code": "print('a line\\n[and another]')"}, {"claims": [TERM]})
    cut = Reply(ModelTurn("I think that", ()), StopReason.LENGTH)
    odd = [
        tool_reply(LOOK, {"code": "1 / 0"}, FIND),
        text_reply("Let me see."),
        text_reply(" "),
        cut,
        cut,
        nothing,
        tool_reply({"claims": "?"}),
        hand_in({**RENT, "quotes": ["no such words in the document"]}),
        hand_in(RENT),
        hand_in(TERM),
    ]
    judged = [verdicts((1, "not")), verdicts((1, "supported"))]
    models = desk.models | {
        "worker": ScriptedModel(odd, vendor="a", name=desk.name),
        "judge": ScriptedModel(judged, vendor="b", name="b:judge"),
    }
    first = ask(MEMO, FIRST, settings=settings(tmp_path), models=models, engine=FakeSandbox)
    assert first.ok and first.outcome.iterations == 2
    worker = models["worker"]
    assert isinstance(worker, ScriptedModel)
    desk = Desk([RECALL, {"claims": [END]}])
    second = further(first.folder, SECOND, desk, tmp_path)
    assert second.ok and not any(notice.code == "follow-up" for notice in second.notices)
    before = worker.requests[-1].turns
    assert desk.asked[0].turns[: len(before)] == before and len(desk.asked[0].turns) == len(before) + 2
    assert "42 Memorandum" in turn_text(desk.asked[1].turns[-1])


def test_a_conversation_that_has_grown_too_long_begins_anew(tmp_path: Path) -> None:
    many = [{"code": f"print('line {n} of what was looked at\\n' * 200)"} for n in range(20)]
    long = ask(
        MEMO,
        FIRST,
        settings=Settings(out=tmp_path, strategy="rlm", max_steps=30),
        models=Desk([LOOK, *many, {"claims": [RENT]}]).models,
        engine=FakeSandbox,
    )
    desk = Desk([LOOK, {"claims": [TERM]}])
    second = further(long.folder, SECOND, desk, tmp_path)
    assert long.ok and second.ok and len(desk.first_request) == 1
    assert "too long" in next(notice.message for notice in second.notices if notice.code == "follow-up")


def test_variables_that_cannot_be_made_again_are_told_to_be_gone(tmp_path: Path) -> None:
    class Losing(FakeSandbox):
        def run(self, code, query, **more):  # type: ignore[no-untyped-def]
            ran = super().run("pass" if "kept = " in code else code, query, **more)
            return replace(ran, state_lost="kept = " in code)

    first, desk = begin(tmp_path), Desk([RECALL, LOOK, {"claims": [TERM]}])
    second = follow_up(
        first.folder, SECOND, document=MEMO, settings=Settings(out=tmp_path), models=desk.models, engine=Losing
    )
    assert second.ok and "your variables are gone" in turn_text(desk.asked[1].turns[-1])


def test_what_is_not_there_is_absent_and_what_is_not_proved_is_not_accepted(tmp_path: Path) -> None:
    first = begin(tmp_path)
    nothing = {"not_found": {"searched": ["parking"], "note": "Parking is not named."}}
    desk = Desk([{"code": "find('parking|rent|lease|run')"}, nothing])
    assert further(first.folder, "and the parking?", desk, tmp_path).stop.type is StopType.ABSENT
    wrong = Desk([{"claims": [TERM]}] * 9, verdict="not")
    refused = further(first.folder, SECOND, wrong, tmp_path)
    assert refused.ok is False
    # What was not accepted is told so, and the conversation goes on all the same.
    desk = Desk([{"claims": [END]}])
    assert further(refused.folder, THIRD, desk, tmp_path).ok
    assert "Not accepted:" in desk.first_request[-1] and "(not: because)" in desk.first_request[-1]


def test_a_bound_is_that_of_now_and_not_that_of_the_run(tmp_path: Path) -> None:
    bounded = settings(tmp_path).model_copy(update={"max_calls": 5})
    first = ask(MEMO, FIRST, settings=bounded, models=Desk([LOOK, FIND, {"claims": [RENT]}]).models, engine=FakeSandbox)
    assert first.ok and first.usage.calls == 5
    many = Desk([LOOK, RECALL, {"code": "1"}, {"code": "2"}, {"code": "3"}, {"code": "4"}, {"claims": [TERM]}])
    assert further(first.folder, SECOND, many, tmp_path).ok
    desk = Desk([LOOK, {"claims": [TERM]}])
    one = Settings(out=tmp_path, max_calls=1)
    stopped = follow_up(first.folder, SECOND, document=MEMO, settings=one, models=desk.models, engine=FakeSandbox)
    assert stopped.stop.type is StopType.MAX_CALLS and len(desk.asked) == 1


def test_another_document_or_none_is_told_in_one_line(tmp_path: Path) -> None:
    first = begin(tmp_path)
    with pytest.raises(DocumentError, match="is not the document of that run"):
        further(first.folder, SECOND, Desk([]), tmp_path, about=document("Something else."))
    with pytest.raises(DocumentError):
        follow_up(first.folder, SECOND, settings=Settings(out=tmp_path), models=Desk([]).models)
    assert len(list(tmp_path.glob("*/journal.sqlite3"))) == 1


def test_a_changed_run_is_refused_and_a_lost_one_told(tmp_path: Path) -> None:
    first = begin(tmp_path)
    second = further(first.folder, SECOND, Desk([{"claims": [TERM]}]), tmp_path)
    (copy,) = (second.folder / "earlier").iterdir()
    kept = (copy / "journal.sqlite3").read_bytes()
    forged(copy, list(read_events(copy))[:-1])
    with pytest.raises(JournalError, match="follows on, is not in its folder as it was") as caught:
        further(second.folder, THIRD, Desk([]), tmp_path)
    assert caught.value.code == "followed-gone"
    (copy / "journal.sqlite3").write_bytes(kept.replace(b"What is the rent?", b"What is the renT?"))
    with pytest.raises(JournalError):
        further(second.folder, THIRD, Desk([]), tmp_path)
    assert read_chain(first.folder) == started_of(second).follows["chain"]


def forged(folder: Path, events: list[AnyEvent]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    journal = Journal(folder)
    for event in events:
        journal(event)
    journal.close()


def test_a_run_that_is_deleted_is_gone_from_those_that_follow_it(tmp_path: Path) -> None:
    first = begin(tmp_path)
    second = further(first.folder, SECOND, Desk([{"claims": [TERM]}]), tmp_path)
    assert delete_run(tmp_path, first.folder.name).copied_to == (second.folder.name,)
    assert not list((second.folder / "earlier").iterdir())
    assert verify(second.folder, document=MEMO, settings=settings(tmp_path)).holds
    with pytest.raises(JournalError, match=first.folder.name):
        further(second.folder, THIRD, Desk([]), tmp_path)


def test_a_run_that_is_made_is_not_followed_and_one_that_was_killed_is(tmp_path: Path) -> None:
    events = list(read_events(begin(tmp_path / "out").folder))
    for at in (2, 5, 9, 14, len(events) - 1):
        killed, desk = cut_off(tuple(events), at, tmp_path / str(at) / "cut"), Desk([LOOK, {"claims": [TERM]}])
        with hold_run(killed), pytest.raises(JournalError, match="another process"):
            further(killed, SECOND, desk, tmp_path / "held")
        assert further(killed, SECOND, desk, tmp_path / str(at)).ok
        assert f"- {FIRST}\n</data-" in desk.judged[0]


def test_a_worker_is_told_what_is_left_of_a_run_that_was_cut_off(tmp_path: Path) -> None:
    events = tuple(read_events(begin(tmp_path / "out").folder))
    told = {}
    for at, event in enumerate(events, 1):
        if isinstance(event, CallFinished | SnippetRan) and len(told) < 4:
            killed, desk = cut_off(events, at, tmp_path / str(at) / "cut"), Desk([LOOK, {"claims": [TERM]}])
            assert further(killed, SECOND, desk, tmp_path / str(at)).ok
            told[at] = desk.first_request[-1]
    # The reply with code, the code that was run, the reply behind it, which is code again, and its sub-query.
    assert ["variables are still there" in text for text in told.values()] == [False, True, True, True]
    assert ["your last call was cut off" in text for text in told.values()] == [True, True, True, True]
    whole = Desk([LOOK, {"claims": [TERM]}])
    further(begin(tmp_path / "whole").folder, SECOND, whole, tmp_path / "then")
    assert "cut off" not in whole.first_request[-1] and "variables are still there" in whole.first_request[-1]


def test_the_form_of_an_answer_is_said_once_in_a_conversation(tmp_path: Path) -> None:
    first, desk = begin(tmp_path), Desk([{"claims": [TERM]}])
    further(first.folder, SECOND, desk, tmp_path)
    assert sum("Hand in 1-7 claims" in text for text in desk.first_request) == 1
    other, changed = Desk([{"claims": [TERM]}]), Settings(out=tmp_path, bullets="1-3")
    follow_up(first.folder, SECOND, document=MEMO, settings=changed, models=other.models, engine=FakeSandbox)
    assert "Hand in 1-3 claims" in other.first_request[-1]


def kill_at_commit(number: int, out: Path, before: Path) -> None:
    """Put a further question in a process of its own, which is killed as soon as that many events are recorded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no thread of these tests is at work
        child = os.fork()
    if child == 0:
        try:
            commits, commit = iter(range(1, 1_000)), Journal.__call__

            def counted(journal: Journal, event: AnyEvent) -> None:
                commit(journal, event)
                if next(commits) == number:
                    os.kill(os.getpid(), signal.SIGKILL)

            Journal.__call__ = counted  # type: ignore[method-assign]
            further(before, SECOND, Desk([RECALL, {"claims": [TERM]}]), out)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def test_a_follow_up_that_is_killed_is_resumed_and_buys_nothing_again(tmp_path: Path) -> None:
    first = begin(tmp_path / "first")
    whole = further(first.folder, SECOND, Desk([RECALL, {"claims": [TERM]}]), tmp_path / "whole")
    for number in range(3, len(list(read_events(whole.folder))), 4):
        out = tmp_path / str(number)
        kill_at_commit(number, out, first.folder)
        (killed,) = (path.parent for path in out.glob("*/journal.sqlite3"))
        events = list(read_events(killed))
        assert not isinstance(events[-1], RunHalted)
        paid = [event for event in events if isinstance(event, CallFinished)]
        left = [RECALL, {"claims": [TERM]}][sum(event.agent == "worker" for event in paid) :]
        desk = Desk(left)
        again = resume(settings=Settings(out=out), document=MEMO, models=desk.models, engine=FakeSandbox)
        assert (again.outcome, again.usage, desk.subqueries) == (whole.outcome, whole.usage, 0)
        assert len(desk.asked) + len(desk.judged) + len(paid) == whole.usage.calls
        assert replay(again.folder, document=MEMO, settings=settings(tmp_path)).difference == ""


def test_a_record_names_no_file_and_its_quotes_are_looked_up(tmp_path: Path) -> None:
    """What a forged record says was quoted is told only if it stands there; the run that it follows is no path."""
    first = begin(tmp_path)
    lost = replace(started_of(first), follows={"run": "../../secret", "chain": "0", "questions": ["?"]})
    forged(tmp_path / "forged", [lost, *list(read_events(first.folder))[1:]])
    with pytest.raises(JournalError, match=r"\.\./\.\./secret"):
        further(tmp_path / "forged", SECOND, Desk([]), tmp_path)


def test_only_a_question_is_followed(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no question was put"):
        follow_up("last", SECOND, settings=Settings(out=tmp_path), models=Desk([]).models)
    first = begin(tmp_path)
    events = list(read_events(first.folder))
    forged(tmp_path / "task", [replace(started_of(first), mode="task"), *events[1:]])
    with pytest.raises(ConfigError, match="only a question can be followed"):
        further(tmp_path / "task", SECOND, Desk([]), tmp_path)
