"""A worker's code hands parts of the document to workers of their own, which quote from the whole document."""

import json
import threading
from collections.abc import Callable
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from fakes import document, hand_in

from ralph_cli.api import ask, follow_up
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.errors import EngineError, ProviderError
from ralph_cli.core.events import AnyEvent, ChildEvent, ChildFinished, ChildStarted, ChildWorked, SnippetRan
from ralph_cli.core.model import Reply, Request, ToolTurn, UserTurn
from ralph_cli.core.run import StopType
from ralph_cli.journal.consistency import find_inconsistency
from ralph_cli.modes.children import Allowance, ChildRead, Children
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.json import as_object
from ralph_cli.reports.sections.children import describe_children
from ralph_cli.reports.story import story
from ralph_cli.reports.terminal import report_text
from ralph_cli.rlm.bridge import Subqueries
from ralph_cli.runs.history import read_run
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.runs.resuming.resume import resume
from sandbox import QueryFailure

SCHEDULES = 5
FILLER = "The parties have agreed on nothing else in this part of the lease. " * 40
LEASE = document(
    "\f".join(
        f"Schedule {n}\n\n{FILLER}\n\nThe tenant of unit {n} pays a rent of ${n},000 a year.\n\n{FILLER}"
        for n in range(1, SCHEDULES + 1)
    ),
    kind="pdf",
)
ASK_ALL = """
parts = [(n, s, e) for n, _, s, e in pages]
found = rlm_query_batched([(f"What is the rent of unit {n}?", (s, e)) for n, s, e in parts])
for one in found: print(one)
"""
FIND = {"code": "find('rent of')"}


def worker_says(*acts: dict[str, object], child: Callable[[Request], Reply | ProviderError]) -> ScriptedModel:
    """The worker does this, one after the other, the last again and again; each child answers by its function."""
    left = iter([tool_reply(act) for act in acts])
    lock = threading.Lock()

    def reply(request: Request) -> Reply | ProviderError:
        if request.branch:
            return child(request)
        with lock:
            return next(left, tool_reply(acts[-1]))

    return ScriptedModel(reply, vendor="a")


def find_rent(request: Request) -> Reply:
    """A child that looks for the rent, and hands in what was printed to it."""
    printed = said_last(request)
    if not isinstance(request.turns[-1], ToolTurn) or "pays a rent" not in printed:
        return tool_reply(FIND)
    line = next(line for line in printed.splitlines() if "pays a rent" in line)
    quote = line[line.index("The tenant") :].strip()
    return hand_in({"text": f"The rent is {quote.split()[-3]}.", "quotes": [quote]})


def said_last(request: Request) -> str:
    match request.turns[-1]:
        case ToolTurn(results):
            return results[-1][1]
        case UserTurn(text):
            return text
    return ""


def play(settings: Settings, *acts: dict[str, object], child=find_rent, lease: Document = LEASE, **changes: object):  # type: ignore[no-untyped-def]
    claims = len(acts[-1].get("claims", ()))  # type: ignore[arg-type]
    verdicts = [{"id": n, "verdict": "supported", "reason": "it says so"} for n in range(1, claims + 1)]
    judge = ScriptedModel(lambda request: text_reply(json.dumps({"verdicts": verdicts})), vendor="b")
    worker = worker_says(*acts, child=child)
    models = {"worker": worker, "judge": judge, "subquery": ScriptedModel([], vendor="a")}
    chosen = settings.model_copy(update={"strategy": "rlm", "sandbox": "native", "max_iterations": 1, **changes})
    events: list[AnyEvent] = []
    done: Result = ask(lease, "What are the rents?", settings=chosen, models=models, sink=events.append)
    return done, worker.requests, events


def claim(n: int) -> dict[str, object]:
    return {"text": f"Unit {n} pays ${n},000.", "quotes": [f"The tenant of unit {n} pays a rent of ${n},000 a year."]}


HAND_IN = {"claims": [claim(n) for n in range(1, SCHEDULES + 1)]}


def test_each_part_has_a_worker_whose_quotes_arrive_with_their_place_in_the_whole(settings: Settings) -> None:
    done, requests, events = play(settings, {"code": ASK_ALL}, HAND_IN)
    assert done.ok
    printed = said_last(next(r for r in requests if r.agent == "worker" and isinstance(r.turns[-1], ToolTurn)))
    for n in range(1, SCHEDULES + 1):
        at = LEASE.text.index(f"The tenant of unit {n}")
        assert f"p. {n}, offset {at}: The tenant of unit {n} pays a rent of ${n},000 a year." in printed
    started = [event for event in events if isinstance(event, ChildStarted)]
    assert sorted(event.branch for event in started) == ["1", "2", "3", "4", "5"]
    assert {(e.start, e.end) for e in started} == {(page.start, page.end) for page in LEASE.pages}
    assert len([event for event in events if isinstance(event, ChildFinished) and event.answer]) == SCHEDULES
    assert {event.branch for event in events if isinstance(event, ChildWorked)} == {"1", "2", "3", "4", "5"}
    assert len([event for event in events if isinstance(event, SnippetRan)]) == 1


def printed(requests: list[Request]) -> list[str]:
    """What the code of the run's own worker printed, step by step."""
    own = [r for r in requests if r.agent == "worker" and isinstance(r.turns[-1], ToolTurn)]
    return [said_last(request) for request in own]


def test_one_that_fails_fails_alone_and_one_that_finds_nothing_says_what_it_looked_for(settings: Settings) -> None:
    def child(request: Request) -> Reply | ProviderError:
        question = request.inputs["question"]
        if "unit 2" in question:
            return ProviderError("too many requests", code="rate-limit")
        if "unit 3" in question:
            seen = isinstance(request.turns[-1], ToolTurn)
            return tool_reply({"not_found": {"searched": ["rent"], "note": "only filler"}} if seen else FIND)
        if "unit 4" in question:
            return tool_reply({"code": "print(1)"})
        return find_rent(request)

    done, requests, events = play(settings, {"code": ASK_ALL}, {"claims": [claim(1), claim(5)]}, child=child)
    told = printed(requests)[0]
    assert "too many requests" in told and "nothing found: only filler (searched: rent)" in told
    assert "the child worker gave no answer: 3 times in a row" in told
    assert told.count("pays a rent of $") == 2 and done.ok
    errors = {event.branch: event.error for event in events if isinstance(event, ChildFinished)}
    assert [bool(errors[branch]) for branch in "12345"] == [False, True, False, True, False]


def test_quotes_that_are_not_in_the_part_are_refused_to_the_child_and_said_to_the_parent(settings: Settings) -> None:
    def child(request: Request) -> Reply:
        if not isinstance(request.turns[-1], ToolTurn):
            return tool_reply({"code": "print(context[:200])"})
        return tool_reply(
            {"claims": [{"text": "It pays a rent.", "quotes": ["The tenant of unit 4 pays a rent of $9 a day."]}]}
        )

    _, requests, _ = play(
        settings, {"code": "print(rlm_query('rent?', (pages[3][2], pages[3][3])))"}, HAND_IN, child=child
    )
    refused = [r for r in requests if r.agent == "child" and "Not taken" in said_last(r)]
    assert refused and "not in the document: The tenant of unit 4 pays a rent of $9 a day." in printed(requests)[0]


def test_the_same_question_about_the_same_part_is_asked_once(settings: Settings) -> None:
    code = """again = rlm_query_batched([('What is the rent?', context[:4000])] * 3)
print(len(again), again[0] == again[2])"""
    more = "print(rlm_query('What is the rent?', context[:4000]) == again[0])"
    _, requests, events = play(settings, {"code": code}, {"code": more}, HAND_IN)
    assert [text.split("\n")[1] for text in printed(requests)[:2]] == ["3 True", "True"]
    assert len([event for event in events if isinstance(event, ChildStarted)]) == 1


def test_a_text_that_is_not_in_the_document_is_read_and_its_quotes_are_sought_in_the_document(
    settings: Settings,
) -> None:
    code = """
rows = [line for line in context.splitlines() if "rent" in line]
rows.append("The tenant of unit 9 pays a rent of $9,000 a year.")
print(rlm_query("What are the rents?", "\\n".join(rows)))"""

    def child(request: Request) -> Reply:
        if not isinstance(request.turns[-1], ToolTurn):
            return tool_reply(FIND)
        quotes = [f"The tenant of unit {n} pays a rent of ${n},000 a year." for n in (2, 9)]
        return hand_in({"text": "They pay a rent.", "quotes": quotes})

    _, requests, events = play(settings, {"code": code}, HAND_IN, child=child)
    told = printed(requests)[0]
    assert f"p. 2, offset {LEASE.text.index('The tenant of unit 2')}: The tenant of unit 2" in told
    assert "not in the document: The tenant of unit 9 pays a rent of $9,000 a year." in told
    assert next(event.end for event in events if isinstance(event, ChildStarted)) == 0


def test_bounds_of_children_hold_and_the_worker_sees_what_is_left(settings: Settings) -> None:
    code = {"code": f"print(budget()['children']){ASK_ALL}"}
    left = {"code": "print(budget()['children'])"}
    _, requests, events = play(settings, code, left, HAND_IN, max_children=3)
    first, second = printed(requests)[:2]
    assert first.split("\n")[1] == "3" and second.split("\n")[1] == "0"
    assert first.count("all 3 child workers of the run were used") == 2 and first.count("pays a rent of") == 3
    assert len([event for event in events if isinstance(event, ChildStarted)]) == 3


def test_a_child_has_children_only_as_deep_as_is_allowed(settings: Settings) -> None:
    def child(request: Request) -> Reply:
        if request.branch == "1.1" or isinstance(request.turns[-1], ToolTurn):
            return find_rent(request)
        return tool_reply({"code": "print(rlm_query('What is the rent?', context[2600:]))"})

    def run(depth: int) -> tuple[str, set[str]]:
        code = "print(rlm_query('What is the rent of unit 1?', (pages[0][2], pages[0][3])))"
        _, requests, events = play(settings, {"code": code}, HAND_IN, child=child, max_depth=depth)
        return printed(requests)[0], {event.branch for event in events if isinstance(event, ChildStarted)}

    told, branches = run(2)
    assert branches == {"1", "1.1"} and f"offset {LEASE.text.index('The tenant of unit 1')}" in told
    told, branches = run(1)
    assert branches == {"1"}
    told, branches = run(0)
    assert not branches and "name 'rlm_query' is not defined" in told


def test_what_children_were_shown_is_read_and_their_calls_count_for_the_run(settings: Settings) -> None:
    done, requests, _ = play(settings, {"code": ASK_ALL}, HAND_IN)
    children = [request for request in requests if request.agent == "child"]
    assert len(children) == 2 * SCHEDULES and {request.branch for request in children} == set("12345")
    assert done.usage.calls == len(requests) + 1
    assert all(request.system == children[0].system for request in children)
    stopped, _, _ = play(settings, {"code": ASK_ALL}, HAND_IN, max_calls=5)
    assert stopped.stop.type is StopType.MAX_CALLS and stopped.usage.calls <= 5


def test_a_document_that_is_given_whole_and_a_short_look_up_know_of_no_children(settings: Settings) -> None:
    _, requests, _ = play(settings, {"code": "find('rent')"}, HAND_IN, strategy="direct")
    assert "rlm_query" not in requests[0].system
    _, requests, _ = play(settings, {"code": "find('rent')"}, HAND_IN)
    assert "rlm_query" in requests[0].system


def test_a_record_shows_the_tree_with_the_cost_of_each_branch(settings: Settings) -> None:
    def child(request: Request) -> Reply | ProviderError:
        if "unit 2" in request.inputs["question"]:
            return ProviderError("too many requests", code="rate-limit")
        if request.branch == "1" and not isinstance(request.turns[-1], ToolTurn):
            return tool_reply({"code": "print(rlm_query('What is the rent?', context[2600:]))"})
        return find_rent(request)

    done, _, _ = play(settings, {"code": ASK_ALL}, HAND_IN, child=child, max_depth=2)
    told = as_object(read_run(done.folder).view)["children"]
    assert [(one["branch"], one["calls"]) for one in told][:3] == [("1", 2), ("1.1", 2), ("2", 1)]
    assert [one["findings"] for one in told] == [1, 1, None, 1, 1, 1] and told[2]["error"]
    page = LEASE.pages[3]
    assert told[4]["part"] == [page.start, page.end] and told[4]["question"] == "What is the rent of unit 4?"
    lines = story(read_run(done.folder).events).splitlines()
    assert "[1.1] child worker" in "\n".join(lines) and "[1.1]     find('rent of')" not in lines
    assert any(line.startswith("[1.1] -- step 1: ran code") for line in lines)
    assert any(line.startswith("[2] ended") and "too many requests" in line for line in lines)
    counted = list(describe_children(read_run(done.folder).view.children))
    assert counted[0].startswith("6 child workers (1 failed), 11 calls")
    assert counted[2].startswith("    1.1. What is the rent?")
    assert counted[0] in report_text(done.view)


@pytest.mark.parametrize(
    "forged",
    [
        ChildStarted(1, "x", "?", 0, 9, 9),
        ChildStarted(1, "1", "?", -1, 9, 9),
        ChildFinished("1", "k", "{}"),
        ChildFinished("1", "k", "[]"),
        ChildFinished("1.", "k", ""),
        ChildFinished("1", "k", "", "failed", -1.0),
        ChildWorked("1", SnippetRan(1, 1, "", "", False, False, -1.0, 0)),
    ],
)
def test_a_record_of_children_that_cannot_have_been_is_refused(forged: ChildEvent) -> None:
    assert find_inconsistency(forged)
    assert not find_inconsistency(ChildFinished("1.2", "k", '{"findings": [], "note": ""}'))


def test_a_run_that_met_a_bound_within_a_child_goes_on_and_a_replay_asks_nobody(settings: Settings) -> None:
    stopped, before, _ = play(settings, {"code": ASK_ALL}, HAND_IN, max_calls=6)
    assert stopped.stop.type is StopType.MAX_CALLS
    worker = worker_says(HAND_IN, child=find_rent)
    verdicts = [{"id": n, "verdict": "supported", "reason": "so"} for n in range(1, SCHEDULES + 1)]
    judge = ScriptedModel(lambda request: text_reply(json.dumps({"verdicts": verdicts})), vendor="b")
    models = {"worker": worker, "judge": judge, "subquery": ScriptedModel([], vendor="a")}
    done = resume(stopped.folder.name, settings=settings, document=LEASE, models=models, changes={"max_calls": 100})
    assert done.ok and done.usage.calls == 2 + 2 * SCHEDULES + 1
    asked = [r.turns for r in worker.requests if r.branch]
    assert len(asked) == 2 * SCHEDULES - len([r for r in before if r.branch])
    assert replay(done.folder.name, settings=settings, document=LEASE).difference == ""


def test_a_part_that_is_nothing_is_an_error_of_that_part(settings: Settings) -> None:
    code = """
for one in rlm_query_batched([("rent?", ""), ("rent?", (9**9, 9**9 + 5)), ("rent?", pages[0])]): print(repr(one)[:60])
try: rlm_query("rent?", 5)
except TypeError as error: print(error)"""
    _, requests, events = play(settings, {"code": code}, HAND_IN)
    told = printed(requests)[0]
    assert told.count("QueryError('the part is empty, or not in the document')") == 2 and "- The rent is $1,000" in told
    assert "`part` is a piece of `context`, or an entry of sections(), `pages` or `docs`" in told
    assert [event.branch for event in events if isinstance(event, ChildStarted)] == ["1"]


def test_children_of_children_count_for_the_bound_of_the_run(settings: Settings) -> None:
    def child(request: Request) -> Reply:
        if request.branch == "1" and not isinstance(request.turns[-1], ToolTurn):
            return tool_reply({"code": "print(rlm_query('What is the rent?', context[2600:]))"})
        return find_rent(request)

    asks = [{"code": f"print(rlm_query('What is the rent of unit {n}?', pages[{n - 1}]))"} for n in (1, 2)]
    _, requests, events = play(settings, *asks, HAND_IN, child=child, max_depth=2, max_children=2)
    assert "all 2 child workers of the run were used" in printed(requests)[1]
    assert {event.branch for event in events if isinstance(event, ChildStarted)} == {"1", "1.1"}


def test_sub_queries_of_children_count_for_their_parent(settings: Settings) -> None:
    def child(request: Request) -> Reply:
        if not isinstance(request.turns[-1], ToolTurn):
            return tool_reply({"code": "print([llm_query(w) for w in 'ab'])"})
        return tool_reply({"not_found": {"searched": ["rent"], "note": "none"}})

    code = {"code": "print(rlm_query('What is the rent?', pages[0]))"}
    left = {"code": "print(budget()['subqueries'])"}
    _, requests, _ = play(settings, code, left, HAND_IN, child=child, max_subqueries=5)
    assert printed(requests)[1].split("\n")[1] == "3"


def test_a_child_whose_sandbox_breaks_is_a_failure_of_its_own() -> None:
    class Broken:
        assignment = SimpleNamespace(form=None)

        def read(self, *_: object, **__: object) -> None:
            raise EngineError("the engine is gone", code="sandbox-failed")

        def shown_spans(self) -> tuple[()]:
            return ()

    @contextmanager
    def open_child(*_: object):  # type: ignore[no-untyped-def]
        yield ChildRead(Broken(), lambda: Allowance(0, 0))  # type: ignore[arg-type]

    told: list[AnyEvent] = []
    children = Children(
        document=LEASE,
        open_child=open_child,
        subqueries=Subqueries(ScriptedModel([]), "", "", 9),
        sink=told.append,
        most=2,
        most_at_once=1,
    )
    (answer,), _ = children.ask([("rent?", json.dumps({"span": [0, 50]}))], 1)
    assert isinstance(answer, QueryFailure) and answer.message == "the engine is gone"
    assert isinstance(told[-1], ChildFinished) and told[-1].error == "the engine is gone"


def test_what_a_child_of_a_child_answered_is_no_answer_about_the_same_place_of_the_whole(settings: Settings) -> None:
    def child(request: Request) -> Reply:
        if request.branch.count(".") or isinstance(request.turns[-1], ToolTurn):
            return find_rent(request)
        return tool_reply({"code": "print(rlm_query('What is the rent?', (2000, 3500)))"})

    first = {"code": "print(rlm_query('What is the rent of unit 2?', pages[1]))"}
    again = {"code": "print(rlm_query('What is the rent?', (2000, 3500)))"}
    stopped, _, _ = play(settings, first, HAND_IN, child=child, max_depth=2, max_calls=6)
    assert stopped.stop.type is StopType.MAX_CALLS
    worker = worker_says(again, HAND_IN, child=child)
    models = {"worker": worker, "judge": ScriptedModel([]), "subquery": ScriptedModel([], vendor="a")}
    resume(stopped.folder.name, settings=settings, document=LEASE, models=models, changes={"max_calls": 100})
    assert "The tenant of unit 1 pays" in printed(worker.requests)[-1]


def test_a_follow_up_has_the_variables_that_children_made_and_asks_none_again(settings: Settings) -> None:
    done, _, _ = play(settings, {"code": ASK_ALL}, HAND_IN)
    worker = worker_says({"code": "print(found[3][0]['quotes'][0]['page'])"}, {"claims": [claim(4)]}, child=find_rent)
    verdict = {"verdicts": [{"id": 1, "verdict": "supported", "reason": "so"}]}
    judge = ScriptedModel(lambda request: text_reply(json.dumps(verdict)), vendor="b")
    models = {"worker": worker, "judge": judge, "subquery": ScriptedModel([], vendor="a")}
    chosen = settings.model_copy(update={"strategy": "rlm", "sandbox": "native"})
    follow_up(done.folder, "And unit 4?", settings=chosen, models=models, document=LEASE)
    assert not [request for request in worker.requests if request.branch]
    assert printed(worker.requests)[-1].split("\n")[1] == "4"
