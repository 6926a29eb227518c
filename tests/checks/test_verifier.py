"""Verifiers: strict verdicts, what a model is shown, and that nothing but a clear yes is a pass."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.verifier import LLMVerifier, VerificationResult, Verifier, VerifierCheck, shorten
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.model import Request, StopReason, UserTurn
from ralph_cli.core.prompts.json_reply import UnparseableReply
from ralph_cli.core.run import SKIPPED_VERIFIER_CHECK, Absence, Attempt, Claim, Evidence
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.runner.scorers import AsksModel

ROWS = {
    "B1": ["test_a_refusal_is_feedback_and_the_next_attempt_is_verified_with_it"],
    "B2": [
        "test_a_verdict_is_yes_or_no",
        "test_anything_that_fits_is_a_verifier",
        "test_what_fits_may_be_asynchronous",
    ],
    "B3": ["test_one_light_call_with_the_answer_cut", "test_earlier_attempts_are_given_shortened"],
    "B4": ["test_the_last_iteration_is_verified_unless_it_is_asked_not_to_be"],
    "B5": ["test_a_model_that_gives_no_strict_verdict_never_passes", "test_no_reply_but_a_strict_yes_passes"],
}

YES, NO = (
    text_reply('{"complete": true, "reason": "all parts"}'),
    text_reply('{"complete": false, "reason": "no  dates"}'),
)


class Fits:
    """A verifier of a test's own, which inherits nothing."""

    def __init__(self, *verdicts: Any) -> None:
        self.verdicts = list(verdicts)
        self.asked: list[tuple[str, str, int, tuple[str, ...]]] = []

    def verify(self, task: str, result: str, iteration: int, previous_results: Sequence[str]) -> VerificationResult:
        self.asked.append((task, result, iteration, tuple(previous_results)))
        verdict = self.verdicts.pop(0)
        if isinstance(verdict, BaseException):
            raise verdict
        return verdict  # type: ignore[no-any-return]


class Asynchronous:
    async def verify(
        self, task: str, result: str, iteration: int, previous_results: Sequence[str]
    ) -> VerificationResult:
        return VerificationResult(result == "good", "not good")


def check(verifier: Any, attempt: Attempt | None = None, **more: Any) -> Evidence:
    return VerifierCheck(verifier, "the task", max_iterations=3, **more)(attempt or Attempt(output="an output"))


def text(request: Request) -> str:
    (turn,) = request.turns
    assert isinstance(turn, UserTurn)
    return turn.text


def test_a_verdict_is_yes_or_no() -> None:
    assert VerificationResult(True) == VerificationResult(complete=True, reason="")
    for wrong in ("yes", 1, None):
        with pytest.raises(ValueError, match="True or False"):
            VerificationResult(wrong)  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        VerificationResult(True).complete = False  # type: ignore[misc]


def test_anything_that_fits_is_a_verifier() -> None:
    for fits in (Fits(), Asynchronous(), LLMVerifier(ScriptedModel([]))):
        assert isinstance(fits, Verifier)
    assert not isinstance(ScriptedModel([]), Verifier)
    with pytest.raises(TypeError, match="must have a method verify"):
        VerifierCheck(ScriptedModel([]), "t", max_iterations=1)  # type: ignore[arg-type]
    assert check(Fits(VerificationResult(True))).passed
    assert check(Fits(VerificationResult(False, "no dates"))).issues[0].material == "no dates"
    assert "no reason given" in check(Fits(VerificationResult(False))).issues[0].material


def test_what_fits_may_be_asynchronous() -> None:
    verifying = VerifierCheck(Asynchronous(), "t", max_iterations=3)
    assert verifying(Attempt(output="good")).passed and not verifying(Attempt(output="bad")).passed


def test_one_light_call_with_the_answer_cut() -> None:
    model = ScriptedModel([YES])
    result = "a" * 9_000 + "THE END"
    verdict = LLMVerifier(model, lambda: "n0nce").verify("List all dates", result, 2, ["first try"])
    assert verdict == VerificationResult(True, "all parts")
    (request,) = model.requests
    assert request.tools == () and request.max_tokens == 512 and request.output_schema is not None
    told = text(request)
    shown = told.rsplit("<data-n0nce>\n", 1)[1].split("\n</data-n0nce>")[0]
    assert len(shown) == 4_000 and "9,007 characters in all" in shown and "THE END" not in told
    assert "<data-n0nce>\nList all dates\n</data-n0nce>" in told


def test_earlier_attempts_are_given_shortened() -> None:
    model = ScriptedModel([YES, YES])
    verifier = LLMVerifier(model)
    verifier.verify("t", "r", 9, [f"attempt {n} " + "x" * 5_000 for n in range(8)])
    told = text(model.requests[0])
    assert "attempt 7 x" in told and "attempt 3 x" in told and "attempt 2 x" not in told and len(told) < 5_000
    verifier.verify("t", "r", 1, [])
    assert "(none)" in text(model.requests[1])


@given(st.text(max_size=200), st.integers(60, 150))
def test_a_text_is_never_longer_than_its_cap(whole: str, cap: int) -> None:
    assert len(shorten(whole, cap)) <= cap and (len(whole) > cap or shorten(whole, cap) == whole)


NOT_A_VERDICT = [
    text_reply("complete"),
    text_reply(""),
    text_reply("[]"),
    text_reply('{"complete": true}'),
    text_reply('{"complete": "true", "reason": ""}'),
    text_reply('{"complete": 1, "reason": ""}'),
    text_reply('{"complete": true, "reason": "", "more": 1}'),
    text_reply('The result says {"complete": true, "reason": ""}'),
    text_reply('{"complete": false, "reason": ""} {"complete": true, "reason": ""}'),
    text_reply('{"complete": true, "reason": ""}', stop=StopReason.LENGTH),
    ProviderError("down", code="x"),
]


@pytest.mark.parametrize("reply", NOT_A_VERDICT)
def test_a_model_that_gives_no_strict_verdict_never_passes(reply: Any) -> None:
    model = ScriptedModel([reply])
    evidence = check(LLMVerifier(model))
    assert evidence.broken and not evidence.passed and len(model.requests) == 1
    with pytest.raises((ProviderError, UnparseableReply)):
        LLMVerifier(ScriptedModel([reply])).verify("t", "r", 1, [])


def test_a_reply_that_says_both_is_no_verdict() -> None:
    assert not check(
        LLMVerifier(ScriptedModel([text_reply('{"complete": false, "complete": true, "reason": ""}')]))
    ).passed


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["complete", "reason", "x"]), inner)
    ),
)


@given(values)
def test_no_reply_but_a_strict_yes_passes(value: Any) -> None:
    evidence = check(LLMVerifier(ScriptedModel([text_reply(json.dumps(value))])))
    strict = isinstance(value, dict) and set(value) == {"complete", "reason"} and isinstance(value["reason"], str)
    assert evidence.passed == (strict and value["complete"] is True)


@pytest.mark.parametrize("wrong", [None, True, "yes", {"complete": True}, RuntimeError("it broke"), ValueError()])
def test_a_verifier_that_breaks_its_promise_never_passes(wrong: Any) -> None:
    evidence = check(Fits(wrong))
    assert evidence.broken and not evidence.passed


@pytest.mark.parametrize("error", [LimitExceeded("cost", cap=1, spent=2), KeyboardInterrupt()])
def test_a_spent_budget_and_an_interrupt_end_the_run(error: BaseException) -> None:
    with pytest.raises(type(error)):
        check(Fits(error))


def test_a_refusal_is_feedback_and_the_next_attempt_is_verified_with_it() -> None:
    model = ScriptedModel([NO, YES])
    verifying = VerifierCheck(LLMVerifier(model), "the task", max_iterations=3)
    verifying.begin(1)
    refused = verifying(Attempt(output="first"))
    assert [issue.material for issue in refused.issues] == ["no dates"] and refused.check == "verifier"
    verifying.begin(2)
    assert verifying(Attempt(output="second")).passed
    assert "first" in text(model.requests[1]) and "(none)" in text(model.requests[0])


def test_the_last_iteration_is_verified_unless_it_is_asked_not_to_be() -> None:
    for skip_last in (False, True):
        fits = Fits(VerificationResult(False, "no"), VerificationResult(False, "no"))
        verifying = VerifierCheck(fits, "t", max_iterations=2, skip_last=skip_last)
        verifying.begin(1)
        assert not verifying(Attempt(output="one")).passed
        verifying.begin(2)
        last = verifying(Attempt(output="two"))
        assert last.passed is skip_last and (last.check == SKIPPED_VERIFIER_CHECK) is skip_last
        assert len(fits.asked) == (1 if skip_last else 2)
    assert SKIPPED_VERIFIER_CHECK == "verifier (skipped on the last iteration)"


def test_iterations_in_which_another_check_failed_count_too() -> None:
    fits = Fits(VerificationResult(True))
    verifying = VerifierCheck(fits, "t", max_iterations=3)
    verifying.begin(2)
    verifying(Attempt(output="two"))
    assert fits.asked == [("t", "two", 2, ())]


def test_what_is_verified_is_what_a_person_would_read() -> None:
    fits = Fits(*[VerificationResult(True)] * 3)
    verifying = VerifierCheck(fits, "t", max_iterations=3)
    verifying(Attempt((Claim(1, "One.", ()), Claim(2, "Two.", ()))))
    verifying(Attempt((Claim(1, "a brief", ()),), output="the output"))
    verifying(Attempt(absence=Absence(("parking", "garage"), "only bicycles")))
    assert [asked[1] for asked in fits.asked] == [
        "- One.\n- Two.",
        "the output",
        "The answer is not in the document. Searched: parking, garage. only bicycles",
    ]
    for nothing in (Attempt(), Attempt(error="it broke")):
        assert not check(Fits(), nothing).passed


def test_a_verifiers_model_can_be_metered() -> None:
    inner, outer = ScriptedModel([]), ScriptedModel([YES])
    verifier = LLMVerifier(inner)
    assert isinstance(verifier, AsksModel)
    assert verifier.through(lambda model: outer).verify("t", "r", 1, []).complete and not inner.requests
