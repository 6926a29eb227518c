"""A test of the judge, with judges that are scripted: what they let stand is what is told of them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes import document

from ralph_cli import Settings
from ralph_cli.api import ask, judge_test
from ralph_cli.core.errors import ConfigError, DocumentError, ProviderError
from ralph_cli.core.events import AnyEvent, CasesGenerated, RunStarted, StepFinished
from ralph_cli.core.model import Model, Reply, Request, Usage
from ralph_cli.core.results.judge_test import FALSEHOOD_KINDS, JudgeTest
from ralph_cli.core.run import StopType, Verdict
from ralph_cli.judge_testing.mode import QUESTION
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.resuming.resume import resume

Ruler = Callable[[dict], str]


def judge_that(rule: Ruler, *, usage: Usage = Usage()) -> ScriptedModel:
    """A judge that gives each claim the verdict of `rule`, by its wording and its quotes."""

    def reply(request: Request) -> Reply:
        claims = request.inputs["claims"]
        shown = request.turns[0].text
        said = [
            {
                "id": claim["id"],
                "verdict": rule(claim),
                "reason": f"I read {len(claim['quotes'])} quotes",
                "quotes": [
                    {"id": number, "verdict": "supports", "reason": "r"} for number in quotes_of(shown, claim["id"])
                ],
            }
            for claim in claims
        ]
        return text_reply(json.dumps({"verdicts": said}), usage=usage)

    return ScriptedModel(reply, name="scripted:judge", vendor="b")


def quotes_of(shown: str, claim: int) -> list[int]:
    match = re.search(rf"Claim {claim} \(quotes ([\d, ]+)\)", shown)
    assert match
    return [int(number) for number in match[1].split(", ")]


def by_figures(claim: dict) -> str:
    """A careful but narrow reader: every figure of the claim must stand in its quotes."""
    words = " ".join(quote["text"] for quote in claim["quotes"])
    return (
        "supported"
        if set(re.findall(r"\d[\d.,]*\d|\d", claim["text"])) <= set(re.findall(r"\d[\d.,]*\d|\d", words))
        else "not"
    )


def made(judge: Model, settings: Settings, **more: object) -> JudgeTest:
    return judge_test(settings=settings, models={"judge": judge}, **more)


def test_a_judge_that_says_yes_to_all_catches_nothing(settings: Settings) -> None:
    test = made(judge_that(lambda claim: "supported"), settings)
    assert test.halt.type is StopType.TESTED and test.usable
    assert test.caught.hits == 0 and test.caught.asked == len(test.missed) > 50 and test.false_alarms.hits == 0
    assert all(rate.hits == 0 < rate.asked for rate in test.kinds.values()) and tuple(test.kinds) == FALSEHOOD_KINDS
    interval = test.caught.interval
    assert interval is not None and interval[0] == 0.0 and interval[1] < 0.07


def test_a_judge_that_says_no_to_all_catches_all_with_false_alarms_only(settings: Settings) -> None:
    test = made(judge_that(lambda claim: "not"), settings)
    assert test.caught.share == 1.0 and test.false_alarms.share == 1.0
    assert test.missed == () and len(test.alarms) == test.false_alarms.asked >= 20


def test_a_judge_that_compares_figures_catches_figures(settings: Settings) -> None:
    test = made(judge_that(by_figures), settings)
    share = {kind: rate.share or 0.0 for kind, rate in test.kinds.items()}
    assert share["number"] > share["entity"] and share["number"] > share["negation"] and share["negation"] < 0.5
    spelled = [result.case.text for result in test.missed if result.case.kind == "number"]
    assert all("days" in text or "months" in text or "billion" in text for text in spelled)


def test_the_judge_is_asked_just_as_in_question_mode(settings: Settings) -> None:
    memo = document("The lease of the hall ends on 31 March 2031.\n\nThe rent is due on the first day.\n")
    asked = judge_that(lambda claim: "supported")
    worker = ScriptedModel(
        [tool_reply({"claims": [{"text": "It ends in 2031.", "quotes": ["ends on 31 March 2031"]}]})]
    )
    models: dict[str, Model] = {"worker": worker, "judge": asked, "subquery": ScriptedModel([])}
    ask(memo, "When?", settings=settings.model_copy(update={"strategy": "direct"}), models=models)
    tested = judge_that(lambda claim: "supported")
    made(tested, settings)
    one, many = asked.requests[0], tested.requests
    assert all(request.system == one.system and request.output_schema == one.output_schema for request in many)
    assert all((request.agent, request.max_tokens) == (one.agent, one.max_tokens) for request in many)
    assert all("[[1: " in request.turns[0].text and QUESTION in request.turns[0].text for request in many)
    assert all(1 <= len(request.inputs["claims"]) <= 7 for request in many)


def test_half_proved_is_asked_again_and_the_panel_too(settings: Settings) -> None:
    judge = judge_that(lambda claim: "partly")
    test = made(judge, settings, claims=2)
    assert len(judge.requests) == test.usage.calls and test.usage.calls % 2 == 0
    assert all(result.ruling and len(result.ruling.votes) == 2 for result in test.results)
    assert test.caught.share == 1.0


def test_a_claim_never_meets_its_own_falsehood(settings: Settings) -> None:
    events: list[AnyEvent] = []
    test = made(judge_that(lambda claim: "not"), settings, sink=events.append)
    (cases,) = [event for event in events if isinstance(event, CasesGenerated)]
    truths = {result.case.number: result.case.truth for result in test.results}
    assert all(len({truths[number] for number in batch}) == len(batch) for batch in cases.batches)
    assert len([event for event in events if isinstance(event, StepFinished)]) == len(cases.batches)


def test_the_verdict_of_a_case_is_that_on_its_own_words(settings: Settings) -> None:
    said: dict[str, str] = {}

    def rule(claim: dict) -> str:
        said[claim["text"]] = ["supported", "not", "contradicted"][len(said) % 3]
        return said[claim["text"]]

    test = made(judge_that(rule), settings)
    assert {result.case.text: result.ruling.verdict.value for result in test.judged if result.ruling} == said


def test_the_same_seed_asks_the_same(settings: Settings) -> None:
    one, two = (made(judge_that(lambda claim: "not"), settings, seed=3, claims=6) for _ in "ab")
    other = made(judge_that(lambda claim: "not"), settings, seed=4, claims=6)
    assert [r.case for r in one.results] == [r.case for r in two.results] != [r.case for r in other.results]


@pytest.mark.parametrize("name", ["contract.md", "report.pdf"])
def test_claims_are_made_of_a_document(settings: Settings, samples: Path, name: str) -> None:
    test = made(judge_that(by_figures), settings, document=samples / name, claims=8)
    assert test.false_alarms.asked == 8 and test.caught.asked > 20
    # The year of a row stands in the table's header, which this reader does not look at.
    assert all(result.case.text.startswith("The table shows") for result in test.alarms)
    text = " ".join(result.case.truth for result in test.results)
    assert test.document.endswith(name) and "Halvern" not in text


# What goes wrong


def test_a_judge_that_talks_nonsense_gives_no_rates(settings: Settings) -> None:
    test = made(ScriptedModel(lambda request: text_reply("I think so"), name="scripted:judge", vendor="b"), settings)
    assert test.halt.type is StopType.UNJUDGED and not test.usable and test.judged == ()
    assert len(test.broken) == 3 and test.refused == 3 and "not one JSON object" in test.broken[0]
    assert test.caught.share is None and test.false_alarms.interval is None and test.missed == ()


def test_a_judge_that_cannot_be_reached_is_given_up(settings: Settings) -> None:
    down = ProviderError("no such model", code="no-model")
    test = made(ScriptedModel(lambda request: down, name="scripted:judge", vendor="b"), settings)
    assert test.halt.type is StopType.UNJUDGED and "no such model" in test.halt.detail and len(test.broken) == 3


def test_one_broken_batch_is_left_out_of_the_rates(settings: Settings) -> None:
    good = judge_that(lambda claim: "supported")
    calls: list[int] = []

    def reply(request: Request) -> Reply:
        calls.append(1)
        return text_reply("{}") if len(calls) in (1, 2, 4) else good.complete(request)

    test = made(ScriptedModel(reply, name="scripted:judge", vendor="b"), settings)
    assert test.halt.type is StopType.TESTED and len(test.broken) == 1 and test.refused == 2
    assert len(test.judged) == len(test.results) - 7


def test_every_batch_broken_is_unjudged_even_without_a_limit(settings: Settings) -> None:
    free = settings.model_copy(update={"max_failures": 0})
    test = made(ScriptedModel(lambda request: text_reply("no"), name="scripted:judge", vendor="b"), free, claims=1)
    assert test.halt.type is StopType.UNJUDGED and len(test.broken) == len({r.case.number for r in test.results})


def test_a_budget_ends_the_test_with_what_there_is(settings: Settings) -> None:
    capped = settings.model_copy(update={"max_cost": 0.025})
    test = made(judge_that(lambda claim: "supported", usage=Usage(usd=0.01)), capped)
    assert test.halt.type is StopType.MAX_COST and 0 < len(test.judged) < len(test.results)


def test_without_a_key_there_is_no_judge_to_test(settings: Settings, samples: Path) -> None:
    with pytest.raises(ConfigError, match="there is no judge to test"):
        judge_test(samples / "contract.md", claims=5, settings=settings)
    assert not settings.out.exists()


def test_the_rates_of_word_comparison_are_said_to_be_of_no_model(settings: Settings, samples: Path) -> None:
    offline = settings.model_copy(update={"judge_model": "offline"})
    test = judge_test(samples / "contract.md", claims=5, settings=offline)
    assert not test.modelled and not test.usable and test.judge.startswith("offline:")
    verdicts = {result.ruling.verdict for result in test.results if result.ruling and result.case.kind == "true"}
    assert verdicts == {Verdict.VERBATIM} and test.caught.share == 1.0


@pytest.mark.parametrize("claims", [0, -1, 201])
def test_an_impossible_number_of_claims_is_refused(settings: Settings, claims: int) -> None:
    with pytest.raises(ConfigError, match="claims must be from 1"):
        judge_test(claims=claims, settings=settings)


def test_a_document_without_claims_is_refused_before_anything_is_spent(settings: Settings) -> None:
    with pytest.raises(DocumentError, match="cannot generate test claims"):
        judge_test(document("a b c\n" * 30), settings=settings)
    assert not settings.out.exists()


def test_only_the_judge_needs_a_key(settings: Settings, tmp_path: Path) -> None:
    script = tmp_path / "judge.json"
    script.write_text(json.dumps([{"text": "nothing"}] * 6))
    keyed = settings.model_copy(update={"judge_model": f"scripted:{script}", "max_cost": None})
    events: list[AnyEvent] = []
    test = judge_test(settings=keyed, sink=events.append)
    assert len(test.broken) == 3 and test.modelled
    (started,) = [event for event in events if isinstance(event, RunStarted)]
    assert started.mode == "judge-test" and started.settings["models"]["judge"].startswith("scripted:")


def test_a_test_is_not_resumed_but_made_again(settings: Settings) -> None:
    test = made(judge_that(lambda claim: "not"), settings, claims=1)
    with pytest.raises(ConfigError, match="judge-test run cannot be resumed"):
        resume(test.folder, settings=settings)
