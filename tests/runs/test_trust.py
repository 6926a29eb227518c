"""No sequence of model replies can produce an accepted answer that was not checked."""

import json
import tempfile
from pathlib import Path

from fakes import FakeSandbox, document
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.events import AnyEvent, StepFinished
from ralph_cli.core.model import Json, Model, Reply, Request, StopReason
from ralph_cli.core.run import Verdict
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply

TEXT = "Revenue was 5 M in 2023, and 4 M in 2022.\fCosts were 2 M in all of these years, notwithstanding inflation.\n"
DOC = document(TEXT)

quotes = st.one_of(
    st.sampled_from(
        [
            "Revenue was 5 M in 2023",
            "Revenue was 6 M in 2023",
            "Costs were 2 M in all",
            "osts were 2 M in al",
            "Revenue was 5 M",
            "",
            "Revenue",
        ]
    ),
    st.text(max_size=20),
)
claims = st.fixed_dictionaries({"text": st.text(min_size=0, max_size=30), "quotes": st.lists(quotes, max_size=3)})
good = st.just({"text": "Revenue was five million in 2023.", "quotes": ["Revenue was 5 M in 2023"]})
arguments: st.SearchStrategy[Json] = st.one_of(
    st.just({"code": "print(context[:40])"}),
    st.fixed_dictionaries({"claims": st.lists(st.one_of(claims, good), max_size=3)}),
    st.fixed_dictionaries(
        {"not_found": st.fixed_dictionaries({"searched": st.lists(st.text(max_size=5), max_size=2)})}
    ),
    st.dictionaries(st.sampled_from(["code", "claims", "answer"]), st.integers(), max_size=2),
)
worker_replies = st.one_of(
    st.lists(arguments, min_size=1, max_size=3).map(lambda calls: tool_reply(*calls)),
    st.text(max_size=10).map(text_reply),
    st.just(text_reply("", stop=StopReason.LENGTH)),
)
words = st.sampled_from([*(verdict.value for verdict in Verdict), "yes", ""])
judge_replies = st.one_of(
    st.lists(
        st.fixed_dictionaries({"id": st.integers(0, 3), "verdict": words, "reason": st.text(max_size=5)}), max_size=3
    )
    .map(lambda said: json.dumps({"verdicts": said}))
    .map(text_reply),
    st.sampled_from(['{"ok": true}', "supported", "", '{"verdicts": "supported"}', "[]"]).map(text_reply),
    st.just(text_reply(json.dumps({"verdicts": [{"id": 1, "verdict": "supported", "reason": "r"}]}))),
)


@examples(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(worker_replies, max_size=12), st.lists(judge_replies, max_size=6))
def test_accepted_means_quoted_and_judged(worker: list[Reply], judge: list[Reply]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(out=Path(folder), strategy="rlm", max_steps=6)
        models: dict[str, Model] = {
            "worker": ScriptedModel(lambda request: worker.pop(0) if worker else tool_reply({"code": "1"}), vendor="a"),
            "judge": ScriptedModel(lambda request: judge.pop(0) if judge else text_reply("no more"), vendor="b"),
            "subquery": ScriptedModel([]),
        }
        asked = ask(DOC, "What was revenue?", settings=settings, models=models, engine=FakeSandbox)
    step = asked.outcome.best
    if not asked.outcome.ok:
        return
    assert step is not None and step.attempt.claims and step.attempt.finished
    for claim in step.attempt.claims:
        assert claim.quotes and all(
            quote.text == TEXT[quote.start : quote.end] for quote in step.attempt.quotes_of(claim)
        )
    assert {ruling.claim for ruling in step.rulings} == {claim.id for claim in step.attempt.claims}
    assert all(ruling.verdict is Verdict.SUPPORTED for ruling in step.rulings)
    assert {evidence.check for evidence in step.evidence} == {"form", "quotes", "judge"}
    assert all(evidence.passed for evidence in step.evidence)


@examples(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(worker_replies, max_size=12), st.lists(st.integers(0, 7), max_size=6))
def test_a_run_never_ends_with_fewer_claims_standing_than_it_once_had(worker: list[Reply], good: list[int]) -> None:
    def judge(request: Request) -> Reply:
        ids = [claim["id"] for claim in request.inputs["claims"]]
        bits = good.pop() if good else 0
        said = [{"id": n, "verdict": "supported" if bits >> i & 1 else "not", "reason": "r"} for i, n in enumerate(ids)]
        return text_reply(json.dumps({"verdicts": said}))

    events: list[AnyEvent] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(out=Path(folder), strategy="rlm", max_steps=6)
        models: dict[str, Model] = {
            "worker": ScriptedModel(lambda request: worker.pop(0) if worker else tool_reply({"code": "1"}), vendor="a"),
            "judge": ScriptedModel(judge, vendor="b"),
            "subquery": ScriptedModel([]),
        }
        asked = ask(DOC, "What was revenue?", settings=settings, models=models, engine=FakeSandbox, sink=events.append)
    counts = [
        sum(ruling.verdict is Verdict.SUPPORTED for ruling in event.step.rulings)
        for event in events
        if isinstance(event, StepFinished)
    ]
    best = asked.outcome.best
    if best is not None:
        assert sum(ruling.verdict is Verdict.SUPPORTED for ruling in best.rulings) == max(counts)
    judged = [count for count in counts if count]
    assert judged == sorted(judged)
