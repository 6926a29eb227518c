"""A judge that looks for itself, in a run: what is shown, kept and sent back, within the run's bounds."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from fakes import NOT_THERE, FakeSandbox, second_reader
from test_ask import LOOK, MEMO, NO_GARDEN, RENT, TERM

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.model import Json, Reply, Request, UserTurn
from ralph_cli.core.run import StopType
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.reports.json import as_object
from ralph_cli.reports.markdown import markdown_report
from ralph_cli.reports.terminal import report_text
from ralph_cli.runs.history import read_run
from ralph_cli.runs.report import RunDocument, build_report
from ralph_cli.runs.result import Result
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.runs.verifying.verify import verify

NOTICE = "Either party may end it on six months' notice after the fifth year."
FIND = {"kind": "find", "what": "notice|end it", "document": ""}
NO_EXIT = {"text": "The lease cannot be ended early.", "quotes": TERM["quotes"]}


def says(*verdicts: tuple[int, str], looks: Sequence[Json] = (), cites: Sequence[tuple[int, str]] = ()) -> Reply:
    rulings = [{"id": number, "verdict": verdict, "reason": f"{verdict} it is"} for number, verdict in verdicts]
    cited = [{"claim": n, "words": NOTICE, "effect": effect, "reason": "it may end"} for n, effect in cites]
    more = ({"looks": list(looks)} if looks else {}) | ({"citations": cited} if cited else {})
    return text_reply(json.dumps({"verdicts": rulings, **more}))


def run(
    settings: Settings, acts: Sequence[Json], *judge: Reply, **changes: Any
) -> tuple[Result, ScriptedModel, ScriptedModel]:
    replies = iter(judge)
    models = {
        "worker": ScriptedModel([tool_reply(act) for act in acts], vendor="a"),
        "judge": ScriptedModel(lambda asked: second_reader(asked) or next(replies), name="b:judge", vendor="b"),
        "subquery": ScriptedModel([]),
    }
    chosen = settings.model_copy(update={"strategy": "rlm", **changes})
    done = ask(MEMO, "How long does it run?", settings=chosen, models=models, engine=FakeSandbox)
    return done, models["worker"], models["judge"]


def told(request: Request) -> str:
    turn = request.turns[-1]
    return turn.text if isinstance(turn, UserTurn) else "\n".join(text for _, text, _ in getattr(turn, "results", ()))


def test_what_the_judge_found_is_shown_with_its_page_and_the_run_is_replayed_and_verified(settings: Settings) -> None:
    acts = [LOOK, {"claims": [TERM, NO_GARDEN]}]
    done, _, judge = run(settings, acts, says(looks=[FIND]), says((1, "supported"), cites=[(1, "limits")]))
    assert done.ok and [it.agent for it in judge.requests] == ["absence", "judge", "judge"]
    assert NOTICE in told(judge.requests[2])
    recorded = read_run(done.folder)
    for view in (done.view, recorded.view):
        found = as_object(view)
        (look,) = found["looks"]
        assert look.items() > FIND.items() and look["result"].startswith("2 hits in 1 place")
        (claim, garden) = found["claims"]
        assert garden["verdict"] == "absent" and garden["reason"].startswith(NOT_THERE)
        (said,), (passage,) = claim["qualified"], found["counter_evidence"]["passages"]
        assert (said["quote"], said["verdict"], said["judge"]) == (passage["id"], "qualifies", "b:judge")
        assert passage["text"] == NOTICE and passage["page"] == 2
        assert "qualified by [2]: it may end" in report_text(view)
    text = markdown_report(build_report(recorded, RunDocument(MEMO)))
    assert "Found by the judge, qualifies it: it may end" in text and "> Either party may end it" in text
    assert "- The judge searched “notice\\|end it”: 2 hits" in text
    assert not replay(done.folder, settings=settings, document=MEMO).difference
    assert verify(done.folder, settings=settings, document=MEMO).holds


def test_a_passage_that_contradicts_a_claim_goes_to_the_worker(settings: Settings) -> None:
    acts = [LOOK, {"claims": [NO_EXIT]}, {"claims": [{"text": "It may be ended.", "quotes": [NOTICE]}]}]
    first = says(looks=[FIND]), says((1, "supported"), cites=[(1, "contradicts")])
    done, worker, _ = run(settings, acts, *first, says((1, "supported")))
    assert done.ok and done.outcome.iterations == 2 and [it.text for it in done.claims] == ["It may be ended."]
    assert NOTICE in told(worker.requests[2]) and "is contradicted by a passage" in told(worker.requests[2])


def test_a_claim_that_is_kept_keeps_what_was_cited_of_it(settings: Settings) -> None:
    wrong = {"text": "The rent is high.", "quotes": RENT["quotes"]}
    acts = [LOOK, {"claims": [TERM, wrong]}, {"claims": [RENT]}]
    replies = says((2, "not"), looks=[FIND]), says((1, "supported"), cites=[(1, "limits")]), says((2, "supported"))
    done, _, judge = run(settings, acts, *replies)
    assert done.ok and done.outcome.iterations == 2 and TERM["text"] not in told(judge.requests[2])
    assert [it["quote"] for it in as_object(done.view)["claims"][0]["qualified"]] == [3]
    assert done.view.found_passages[0].text == NOTICE
    assert not replay(done.folder, settings=settings, document=MEMO).difference


@pytest.mark.parametrize(
    ("bound", "limits", "stop"),
    [(3, False, StopType.MAX_CALLS), (3, True, StopType.COMPLETION), (4, False, StopType.COMPLETION)],
)
def test_a_bound_that_falls_between_a_look_and_the_verdicts_holds(
    settings: Settings, bound: int, limits: bool, stop: StopType
) -> None:
    given = [(1, "supported")] if limits else []
    acts = [LOOK, {"claims": [TERM]}]
    done, _, judge = run(
        settings, acts, says(*given, looks=[FIND]), says((1, "supported")), max_calls=bound, limits=limits
    )
    assert done.stop.type is stop and done.usage.calls == bound and len(judge.requests) == bound - 2
    if bound == 3 and limits:  # the verdicts were there; that nobody looked for limits is said
        assert "What limits the claims elsewhere was not looked for" in report_text(done.view)
    else:
        assert not replay(done.folder, settings=settings, document=MEMO).difference


def test_a_run_whose_bound_fell_after_the_verdicts_is_replayed(settings: Settings) -> None:
    script = says((1, "supported"), looks=[FIND]), says((1, "supported"))
    done, *_ = run(settings, [LOOK, {"claims": [TERM]}], *script, max_calls=3, limits=True)
    assert not replay(done.folder, settings=settings, document=MEMO).difference


def test_a_judge_that_asks_twice_for_looks_is_no_verdict_and_breaks_nothing(settings: Settings) -> None:
    again = says(looks=[FIND])
    done, *_ = run(settings, [LOOK, {"claims": [TERM]}], again, again, again)
    assert done.stop.type is StopType.UNJUDGED and "verdicts must be for the claims [1]" in done.stop.detail
