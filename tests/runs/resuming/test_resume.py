"""Resuming: the start of a run and then its replay are the whole run, and nothing is paid for twice."""

import json
import shutil
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fakes import FakeSandbox, hand_in, script_models
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from test_ask import LOOK, MEMO, RENT, TERM, WRONG, verdicts

from ralph_cli.api import ask
from ralph_cli.commands.app import run
from ralph_cli.config import Settings
from ralph_cli.core.errors import ConfigError, DocumentError, JournalError
from ralph_cli.core.events import (
    AnyEvent,
    CallFinished,
    CallStarted,
    IterationStarted,
    RunStarted,
    SnippetRan,
    SnippetStarted,
)
from ralph_cli.core.model import Model, ModelTurn, Reply, Request, Usage, UserTurn
from ralph_cli.core.run import StopType
from ralph_cli.journal.rows import JOURNAL_FILE
from ralph_cli.journal.store import Journal, read_events
from ralph_cli.loop.state import fold
from ralph_cli.providers.metered import request_digest
from ralph_cli.providers.replaying import Recording
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.history import find_run, read_run
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.resume import find_unfinished, resume

COST = Usage(calls=1, input_tokens=10, output_tokens=5, usd=0.01)


def priced(reply: Reply) -> Reply:
    return Reply(reply.turn, reply.stop, COST, reply.model)


MENDED = {**TERM, "text": "It begins on 1 March 2021."}
WORKER = [tool_reply(LOOK), hand_in(WRONG), hand_in(RENT, TERM), hand_in(MENDED)]
JUDGE = [verdicts((1, "supported"), (2, "not")), verdicts((2, "supported"))]


def models(asked: dict[str, int]) -> dict[str, Model]:
    """The scripted models, from the first reply that the earlier run had not yet paid for."""
    worker, judge = ([priced(reply) for reply in replies] for replies in (WORKER, JUDGE))
    return script_models(worker[asked["worker"] :], judge[asked["judge"] :])


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


def test_every_start_of_a_run_and_then_its_replay_are_the_whole(
    recorded_run: tuple[Result, tuple[AnyEvent, ...]], tmp_path: Path
) -> None:
    finished, events = recorded_run
    assert finished.outcome.ok and finished.usage.calls == 6
    for at in range(2, len(events)):
        folder = cut_off(events, at, tmp_path / str(at) / "cut")
        paid = [event for event in events[:at] if isinstance(event, CallFinished)]
        asked = {agent: sum(event.agent == agent for event in paid) for agent in ("worker", "judge")}
        settings = Settings(out=tmp_path / str(at) / "out")
        again = resume(folder, settings=settings, document=MEMO, models=models(asked), engine=FakeSandbox)
        assert again.outcome == finished.outcome and again.usage == finished.usage
        state = fold(read_events(again.folder))
        assert (state.steps, state.usage, state.halt) == (fold(events).steps, fold(events).usage, fold(events).halt)


VARYING = """\
import time, uuid
mark = uuid.uuid4().hex
find("base rent")
print(mark, time.time_ns(), object())
answers = llm_query_batch([("Which party?", "a"), ("Which party?", "a"), (mark, "b")])
print(answers)"""


@dataclass
class Paying:
    """A worker and a sub-query model that say by what they were asked whether it was bought before."""

    bought: list[str] = field(default_factory=list)

    def worker(self, request: Request) -> Reply:
        steps = sum(isinstance(turn, ModelTurn) for turn in request.turns)
        self.bought.append(f"worker {steps}")
        acts = [{"code": VARYING}, {"code": "print(mark, len(answers))"}, {"claims": [RENT]}]
        return priced(tool_reply(acts[steps]))

    def subquery(self, request: Request) -> Reply:
        self.bought.append(f"subquery {request.ordinal}")
        return priced(text_reply(f"answer {request.ordinal}"))

    def judge(self, request: Request) -> Reply:
        self.bought.append("judge")
        return priced(verdicts((1, "supported")))

    def models(self) -> dict[str, Model]:
        return {
            role: ScriptedModel(getattr(self, role), vendor=role, name=f"scripted:{role}")
            for role in ("worker", "judge", "subquery")
        }


def test_what_code_printed_stands_though_it_would_print_something_else_now(tmp_path: Path) -> None:
    """Times, addresses and chance: whatever is recorded is not bought again, wherever the run was cut off."""
    first = Paying()
    settings = Settings(out=tmp_path / "out", strategy="rlm")
    finished = ask(MEMO, "What is the rent?", settings=settings, models=first.models(), engine=FakeSandbox)
    events = tuple(read_events(finished.folder))
    assert finished.ok and len(first.bought) == 7
    (ends,) = [n for n, event in enumerate(events) if isinstance(event, SnippetRan) and "uuid" in event.code]
    rebuilt = 0
    for at in range(2, len(events)):
        again = Paying()
        folder = cut_off(events, at, tmp_path / str(at) / "cut")
        now = Settings(out=tmp_path / str(at) / "out")
        done = resume(folder, settings=now, document=MEMO, models=again.models(), engine=FakeSandbox)
        paid = sum(isinstance(event, CallFinished) for event in events[:at])
        assert done.ok and done.usage == finished.usage
        if at > ends:
            assert len(again.bought) == 7 - paid
            ran = [event.output for event in read_events(done.folder) if isinstance(event, SnippetRan)]
            assert ran[0] == events[ends].output  # type: ignore[union-attr]
            told = [notice for notice in done.notices if notice.code == "snippet-differs"]
            assert len(told) <= 1 and all("recorded one stands" in notice.message for notice in told)
            rebuilt += len(told)
        else:
            # Only what is asked in other words by the code that was broken off is asked anew.
            assert len(again.bought) <= 7 - paid + 1
    assert rebuilt >= 3


def test_code_that_was_broken_off_finds_the_time_at_which_it_was_begun_and_asks_the_same(tmp_path: Path) -> None:
    class Asking(Paying):
        code = "find('base rent')\nfor n in range(3): print(llm_query(f'{moment} {n}', 'a'))"

        def worker(self, request: Request) -> Reply:
            reply = super().worker(request)
            return priced(tool_reply({"code": self.code})) if self.bought[-1] == "worker 0" else reply

    first = Asking()
    settings = Settings(out=tmp_path / "out", strategy="rlm")
    finished = ask(MEMO, "What is the rent?", settings=settings, models=first.models(), engine=FakeSandbox)
    events = tuple(read_events(finished.folder))
    begun = [n for n, event in enumerate(events) if isinstance(event, SnippetStarted)]
    for at in range(2, begun[1]):
        again, paid = Asking(), sum(isinstance(event, CallFinished) for event in events[:at])
        folder = cut_off(events, at, tmp_path / str(at) / "cut")
        now = Settings(out=tmp_path / str(at) / "out")
        done = resume(folder, settings=now, document=MEMO, models=again.models(), engine=FakeSandbox)
        assert done.ok and len(again.bought) == len(first.bought) - paid


def test_equal_questions_side_by_side_have_each_their_own_answer() -> None:
    digest = request_digest(Request("subquery", "s", (UserTurn("same"),)))
    events: list[AnyEvent] = [IterationStarted(1, "")]
    for number in (1, 2, 3):
        events.append(CallStarted(number, "subquery", "m", 1, digest, "same", number))
    for number in (3, 1):
        raw = {"text": f"answer {number}", "calls": [], "stop": "end", "model": "m", "raw": None}
        events.append(CallFinished(number, "subquery", "m", Usage(), 0.1, raw))
    recording = Recording(events)
    recording(IterationStarted(1, ""))

    def take(ordinal: int, model: str = "m") -> str | None:
        reply = recording.take_reply(model, Request("subquery", "s", (UserTurn("same"),), ordinal=ordinal))
        return None if reply is None else reply.text

    assert take(1, "another") is None
    recording(IterationStarted(2, ""))
    assert take(1) is None
    recording(IterationStarted(1, ""))
    assert [take(number) for number in (1, 3, 2)] == ["answer 1", "answer 3", None]


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


def test_a_run_that_is_moved_away_from_those_before_it_buys_nothing_twice_either(tmp_path: Path) -> None:
    finished, events = whole(tmp_path)
    late = len(events) - 3
    first = cut_off(events, late, tmp_path / "runs" / "first")
    paid = [event for event in events[:late] if isinstance(event, CallFinished)]
    asked = {agent: sum(event.agent == agent for event in paid) for agent in ("worker", "judge")}

    def interrupt(event: AnyEvent, /) -> None:
        if isinstance(event, IterationStarted):
            raise KeyboardInterrupt

    settings = Settings(out=tmp_path / "out")
    second = resume(first, settings=settings, document=MEMO, models=models(asked), engine=FakeSandbox, sink=interrupt)
    assert second.stop.type is StopType.USER_INTERRUPTED and second.usage.calls == 0
    shutil.rmtree(first)
    moved = second.folder.rename(tmp_path / "elsewhere")
    third = resume(moved, settings=settings, document=MEMO, models=models(asked), engine=FakeSandbox)
    assert third.outcome == finished.outcome and third.usage == finished.usage
    # Of those before it a run keeps only what it needs.
    assert len(list(third.folder.glob("earlier/*"))) == 1


def test_a_finished_run_is_not_resumed(tmp_path: Path) -> None:
    finished, _ = whole(tmp_path)
    with pytest.raises(ConfigError, match="has ended"):
        resume(finished.folder, settings=Settings(out=tmp_path / "out"), document=MEMO)


def test_a_changed_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "memo.txt"
    path.write_text(MEMO.text)
    settings = Settings(out=tmp_path / "out", cache=tmp_path / "cache", strategy="rlm", max_iterations=1)
    judge = ScriptedModel([verdicts((1, "not"))], vendor="b")
    worker = ScriptedModel([tool_reply(LOOK), hand_in(RENT)], vendor="a")
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
    given_ = script_models([tool_reply(LOOK), hand_in(RENT)], [verdicts((1, "not"))])
    finished = ask(
        path, "What is the rent?", encoding="mac_roman", settings=settings, models=given_, engine=FakeSandbox
    )
    assert not finished.outcome.ok
    return finished, settings


def test_a_document_is_read_with_the_encoding_of_then(tmp_path: Path) -> None:
    finished, settings = in_mac_roman(tmp_path)
    for which in (finished.run, None):  # the resumed run can be resumed in its turn
        given_ = script_models([hand_in(TERM)], [verdicts((1, "supported"))] if which is None else [])
        again = resume(which, settings=settings, changes={"max_iterations": 2}, models=given_, engine=FakeSandbox)
        assert again.document["encoding"] == "mac_roman" and again.document["sha256"] == finished.document["sha256"]
    assert again.outcome.ok and again.usage.calls == 5


def test_a_password_is_given_again_and_never_recorded(tmp_path: Path) -> None:
    path = tmp_path / "memo.pdf"
    canvas = Canvas(str(path), encrypt=StandardEncryption("open sesame", "owner", strength=128))
    canvas.drawString(72, 700, "The tenant pays a base rent of $48,000 a year in twelve equal instalments.")
    canvas.save()
    settings = Settings(out=tmp_path / "out", cache=tmp_path / "cache", strategy="rlm", max_iterations=1)
    given_ = script_models([tool_reply(LOOK), hand_in(RENT)], [verdicts((1, "not"))])
    ask(path, "What is the rent?", password="open sesame", settings=settings, models=given_, engine=FakeSandbox)
    assert all(b"open sesame" not in file.read_bytes() for file in settings.out.rglob("*") if file.is_file())
    with pytest.raises(DocumentError) as caught:
        resume(settings=settings, models={}, engine=FakeSandbox)
    assert caught.value.code == "encrypted"
    more = script_models([hand_in({**RENT, "text": "$48,000 a year."})], [verdicts((1, "supported"))])
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


def test_of_two_that_go_on_with_one_run_at_once_the_second_is_refused(tmp_path: Path) -> None:
    _, events = whole(tmp_path)
    folder = cut_off(events, 8, tmp_path / "cut" / "first")
    sibling = cut_off(events, 5, tmp_path / "cut" / "second")
    refused = []
    settings = Settings(out=tmp_path / "out")

    def meanwhile(request: Request) -> Reply:
        for held in (folder, sibling, *(tmp_path / "out").glob("*-qa-*")):
            with pytest.raises(JournalError, match="still working") as caught:
                resume(held, settings=settings, document=MEMO)
            refused.append(caught.value.code)
        return priced(JUDGE[0])

    models_ = {**models({"worker": 2, "judge": 0}), "judge": ScriptedModel(meanwhile, vendor="b")}
    resume(folder, settings=settings, document=MEMO, models=models_, engine=FakeSandbox)
    assert len(refused) >= 4 and set(refused) == {"run-busy"}


def test_the_newest_unfinished_run_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, (finished, events), third = (whole(tmp_path / name) for name in "abc")
    out = tmp_path / "runs"
    cut_off(first[1], 6, out / "20260101-1")
    other = cut_off(events, 9, out / "20260102-2")
    cut_off(third[1], len(third[1]), out / "20260103-3")
    (out / "20260104-4").mkdir()
    (out / "20260104-4" / JOURNAL_FILE).touch()  # killed as soon as the file was made
    Journal(out / "20260105-5").close()  # and before the first event
    settings = Settings(out=out)
    paid = [event for event in events[:9] if isinstance(event, CallFinished)]
    asked = {agent: sum(event.agent == agent for event in paid) for agent in ("worker", "judge")}
    assert find_run(out, None).name == "20260103-3"
    with closing(Journal(other)):
        assert run(["trace", "list", "--out", str(out)]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert (
            "  still running  " in lines[3]
            and "  killed  " in lines[4]
            and "interrupted before its first step" in lines[0]
        )
    again = resume(settings=settings, document=MEMO, models=models(asked), engine=FakeSandbox)
    assert again.outcome == finished.outcome
    # What it went on with is answered now, so the one before it is meant.
    assert find_unfinished(out).name == "20260101-1"
    shutil.rmtree(out / "20260101-1")
    with pytest.raises(ConfigError, match=r"no run in .* waits"):
        resume(settings=settings, document=MEMO)


def test_a_bound_can_be_raised_and_the_run_goes_on(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path / "out", strategy="rlm", max_iterations=1)
    first = ask(
        MEMO, "What is the rent?", settings=settings, models=models({"worker": 0, "judge": 0}), engine=FakeSandbox
    )
    assert not first.outcome.ok and first.usage.calls == 4
    left = models({"worker": 3, "judge": 1})
    again = resume(
        first.run, settings=settings, changes={"max_iterations": 4}, document=MEMO, models=left, engine=FakeSandbox
    )
    assert again.outcome.ok and again.usage.calls == 6
    started = read_run(again.folder).events[0]
    assert isinstance(started, RunStarted) and json.dumps(started.settings["max_iterations"]) == "4"
