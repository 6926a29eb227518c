"""No sequence of model replies can produce an accepted answer that was not checked."""

import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import FakeSandbox, document, script_models, second_reader
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from reached import reached, reaches

from ralph_cli.api import ask
from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.judge.claims import Judge
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.config import Settings
from ralph_cli.core.events import AnyEvent, StepFinished
from ralph_cli.core.model import Json, Reply, Request, StopReason
from ralph_cli.core.run import Claim, Step, Verdict
from ralph_cli.loop import decide
from ralph_cli.modes import qa, reader
from ralph_cli.providers.scripted import text_reply, tool_reply
from ralph_cli.rlm.loop import Review
from ralph_cli.runs.result import Result

TEXT = "Revenue was 5 M in 2023, and 4 M in 2022.\fCosts were 2 M in all of these years, except for 3 M in 2021.\n"
DOC = document(TEXT)
QUESTION = "What were revenue and costs?"
REVENUE, COSTS = "Revenue was 5 M in 2023, and 4 M in 2022.", "Costs were 2 M in all of these years"


def claim(text: str, *quotes: str, calculations: Sequence[str] = ()) -> Json:
    return {"text": text, "quotes": list(quotes), "calculations": list(calculations)}


GOOD = [
    claim("Revenue was 5 M in 2023.", REVENUE),
    claim("Costs were 2 M in all years.", COSTS),
    claim("Revenue was 1 M higher in 2023.", REVENUE, calculations=["5 M - 4 M = 1 M"]),
]
FALSE = [
    claim("Revenue was 6 M in 2023.", REVENUE),  # a figure is wrong
    claim("Costs were 3 M in all years.", COSTS),
    claim("Revenue was 2 M higher in 2023.", REVENUE, calculations=["5 M - 4 M = 2 M"]),
    claim("In 2023 revenue was 3 M higher.", REVENUE),  # nowhere, and computed from nothing
    claim("In 2023 revenue was 6 M.", "Revenue was 6 M in 2023, and 4 M"),  # a quote is not there
    claim("In 2023 revenue was 5 M.", REVENUE, "and 4 M in 2021."),
    claim("In all years costs were 2 M.", "osts were 2 M in all of these years"),
    claim("All costs were 2 M.", ""),
    claim("All the costs were 2 M."),
    claim("Costs", COSTS),
]
answers = st.lists(st.sampled_from(GOOD), min_size=1, max_size=3, unique_by=lambda said: said["text"])
drafts = st.one_of(
    answers,
    st.sampled_from(FALSE).map(lambda said: [said]),
    st.tuples(answers, st.sampled_from(FALSE)).map(lambda said: [*said[0][:2], said[1]]),
)
other_acts: st.SearchStrategy[Json] = st.one_of(
    st.just({"code": "print(context[:40])"}),
    drafts.map(lambda claims: {"claims": claims}),
    st.just({"not_found": {"searched": ["revenue"]}}),
    st.dictionaries(st.sampled_from(["code", "claims", "answer"]), st.integers(), max_size=2),
)
worker_replies = st.one_of(
    drafts.map(lambda claims: tool_reply({"claims": claims})),
    st.lists(other_acts, min_size=1, max_size=2).map(lambda calls: tool_reply(*calls)),
    st.sampled_from([text_reply("I am done."), text_reply("", stop=StopReason.LENGTH)]),
)
garbage = st.sampled_from(["", "supported", "[]", '{"ok": true}', '{"verdicts": "supported"}', '{"verdicts": []}'])
verdicts = st.sampled_from(["supported", "supported", "partly", "not", "contradicted", "verbatim", "yes", ""])
judge_replies = garbage | st.lists(verdicts, min_size=1, max_size=3)
effects = st.sampled_from(["", "supports", "limits", "contradicts", "perhaps"])


class ScriptedJudge:
    """Says what it is given, as garbage or as a verdict for each claim, and then that all is well.

    It looks first where `effects` has another one, and cites a passage so. It remembers its last well-formed verdict on
    each claim, by wording and quotes.
    """

    def __init__(self, replies: Iterable[str | list[str]], effects: Iterable[str]) -> None:
        self.replies, self.effects = iter(replies), iter(effects)
        self.said: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)

    def __call__(self, request: Request) -> Reply:
        if (found := second_reader(request)) is not None:
            return found
        effect = next(self.effects, "")
        if effect and len(request.turns) == 1:
            looks = [{"kind": "find", "what": "costs", "document": ""}]
            return text_reply(json.dumps({"verdicts": [], "looks": looks}))
        reply = next(self.replies, ["supported"])
        if isinstance(reply, str):
            return text_reply(reply)
        rulings = []
        for number, asked in enumerate(request.inputs["claims"]):
            verdict = reply[number % len(reply)]
            self.said[asked["text"], tuple(quote["text"] for quote in asked["quotes"])].append(verdict)
            rulings.append({"id": asked["id"], "verdict": verdict, "reason": "r"})
        first = request.inputs["claims"][0]["id"]
        cited = [{"claim": first, "words": COSTS, "effect": effect, "reason": "r"}] if effect else []
        return text_reply(json.dumps({"verdicts": rulings, "citations": cited}))


def played(
    worker: Iterable[Reply], answer: list[Json], judge: ScriptedJudge, **changes: object
) -> tuple[Result, list[AnyEvent]]:
    """A run whose worker looks, then replies so, and at last hands in the answer again and again."""
    replies, events = iter([tool_reply({"code": "print(context)"}), *worker]), list[AnyEvent]()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(out=Path(folder), strategy="rlm", max_steps=6).model_copy(update=changes)
        models = script_models(lambda request: next(replies, tool_reply({"claims": answer})), judge)
        asked = ask(DOC, QUESTION, settings=settings, models=models, engine=FakeSandbox, sink=events.append)
    return asked, events


def numbers_in(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def is_founded(said: Claim, quotes: str) -> bool:
    """Whether each figure of a claim is quoted, or the result of one of its calculations, computed here once more."""
    known = set(numbers_in(quotes))
    for calculation in said.calculations:
        one, other, result = map(int, numbers_in(calculation))
        assert one - other == result and {str(one), str(other)} <= known
        known.add(str(result))
    return set(numbers_in(said.text)) <= known


def check_accepted(step: Step | None, judge: ScriptedJudge, *, coverage: float | None = None) -> None:
    """Everything that is promised of an accepted answer, looked up here without the checks' code."""
    assert step is not None
    due = ["form", "quotes", "numbers", "subqueries", *(["coverage"] if coverage else []), "judge"]
    made = [evidence.check for evidence in step.evidence]
    assert made[: len(due)] == due and made[len(due) :] == ["counter"]
    assert all(evidence.passed for evidence in step.evidence)
    attempt = step.attempt
    assert {ruling.claim for ruling in step.rulings} == {said.id for said in attempt.claims}
    assert all(ruling.verdict is Verdict.SUPPORTED for ruling in step.rulings)
    assert not any(said.contradicts for said in step.qualifications)
    assert attempt.claims and attempt.finished and not attempt.refused
    for said in attempt.claims:
        quotes = attempt.quotes_of(said)
        assert quotes and said.text in {good["text"] for good in GOOD}
        for quote in quotes:
            assert quote.text == TEXT[quote.start : quote.end]
            assert quote.page == TEXT.count("\f", 0, quote.start) + 1
            assert quote.said in TEXT and re.search(rf"(?<!\w){re.escape(quote.said)}(?!\w)", TEXT)
        assert is_founded(said, " ".join(quote.text for quote in quotes))
        # A second opinion may be asked where the first is doubtful: it stands if more than half let it stand.
        given_ = judge.said[said.text, tuple(quote.text for quote in quotes)]
        assert given_ and given_[-1] == "supported"


@reaches(accepted=0.25, mended=0.1)
@examples(max_examples=45, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(worker_replies, max_size=6),
    answers,
    st.lists(judge_replies, max_size=3),
    st.lists(effects, max_size=4),
    st.sampled_from([None, 0.1]),
)
def test_accepted_means_quoted_and_judged(
    worker: list[Reply], answer: list[Json], replies: list[str | list[str]], effects: list[str], coverage: float | None
) -> None:
    judge = ScriptedJudge(replies, effects)
    asked, events = played(worker, answer, judge, min_coverage=coverage)
    if not reached("accepted", asked.outcome.ok):
        return
    check_accepted(asked.outcome.best, judge, coverage=coverage)
    reached("mended", any(getattr(event, "problems", ()) for event in events) or asked.outcome.iterations > 1)


@reaches(judged_again=0.4)
@examples(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(worker_replies, max_size=4), answers, st.lists(st.integers(0, 6), min_size=1, max_size=6))
def test_a_run_never_ends_with_fewer_claims_standing_than_it_once_had(
    worker: list[Reply], answer: list[Json], bits: list[int]
) -> None:
    replies = [["supported" if good >> place & 1 else "not" for place in range(3)] for good in bits]
    asked, events = played(worker, answer, ScriptedJudge(replies, ()))
    counts = [
        sum(ruling.verdict is Verdict.SUPPORTED for ruling in event.step.rulings)
        for event in events
        if isinstance(event, StepFinished) and event.step.rulings
    ]
    if not reached("judged_again", len(counts) > 1):
        return
    assert asked.outcome.best is not None
    assert sum(ruling.verdict is Verdict.SUPPORTED for ruling in asked.outcome.best.rulings) == max(counts)
    assert counts == sorted(counts)


def let_pass(check: type, patch: pytest.MonkeyPatch) -> None:
    """Break a check so that it finds no fault any more."""
    honest = check.__call__
    patch.setattr(check, "__call__", lambda self, *given: replace(honest(self, *given), issues=()))


def run_none(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(qa, "run_in_order", lambda checks, attempt: ())
    patch.setattr(decide, "all_passed", lambda evidence: True)
    patch.setattr(qa.QaMode, "review", lambda self, draft: Review((), self.reader.resolve(draft)))


@pytest.mark.parametrize(
    ("answer", "verdict", "broken"),
    [
        (GOOD[0], "not", lambda patch: let_pass(Judge, patch)),
        (
            FALSE[5],
            "supported",
            lambda patch: patch.setattr(
                reader, "resolve_quotes", lambda *args: replace(resolve_quotes(*args), refused=())
            ),
        ),
        (FALSE[0], "supported", run_none),
        (FALSE[0], "supported", lambda patch: let_pass(NumbersCheck, patch)),
    ],
    ids=["the judge says no", "a quote is not there", "no check ran", "a figure is wrong"],
)
def test_the_promise_is_not_held_when_a_guard_is_broken(
    monkeypatch: pytest.MonkeyPatch, answer: Json, verdict: str, broken: Callable[[pytest.MonkeyPatch], None]
) -> None:
    assert not played([], [answer], ScriptedJudge([[verdict]] * 20, ()))[0].outcome.ok
    broken(monkeypatch)
    judge = ScriptedJudge([[verdict]] * 20, ())
    asked, _ = played([], [answer], judge)
    assert asked.outcome.ok
    with pytest.raises(AssertionError):
        check_accepted(asked.outcome.best, judge)
