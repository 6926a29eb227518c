"""Scorers: what each measures, and that one which fails, hangs or talks nonsense never passes."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from fakes import document
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.base import all_passed
from ralph_cli.core.awaiting import Awaiter
from ralph_cli.core.errors import ConfigError, LimitExceeded, ProviderError
from ralph_cli.core.model import StopReason
from ralph_cli.core.run import Evidence, Issue, Lesson
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.runner.reflect import ModelReflector, RuleReflector
from ralph_cli.runner.scorers import (
    AsksModel,
    JudgeScorer,
    KeywordScorer,
    LengthScorer,
    QuoteScorer,
    Score,
    find_quotes,
)
from ralph_cli.runner.scoring import run_scorers

ROWS = {
    "C1": [
        "test_scorers_run_side_by_side",
        "test_no_more_run_at_once_than_are_allowed",
        "test_a_scorer_that_hangs_is_late_and_frees_its_place",
        "test_an_asynchronous_scorer_that_is_late_is_cancelled",
        "test_rules_turn_each_issue_into_a_suggestion",
        "test_a_model_reflects_in_one_call",
        "test_rules_speak_when_the_model_cannot",
    ],
    "C4": ["test_a_scorers_own_word_beats_the_threshold", "test_levels_of_reflection"],
    "C7": [
        "test_keywords",
        "test_lengths",
        "test_quotes_must_be_in_the_document",
        "test_a_judge_gives_one_strict_object",
        "test_a_judge_that_fails_is_a_scorer_that_fails",
        "test_what_is_no_score_ends_the_run_and_is_named",
        "test_passed_is_exactly_a_score_that_reaches_the_threshold",
    ],
}


def one(scorer: Any, output: str = "some text", **more: Any) -> Evidence:
    (evidence,) = run_scorers([scorer], "the request", output, **more)
    return evidence


def scorer(behave: Callable[[], Any], name: str = "mine") -> Any:
    def score(input: str, output: str) -> Any:
        return behave()

    score.__name__ = name
    return score


@pytest.mark.parametrize(
    ("made", "output", "value"),
    [
        (KeywordScorer(["Paris", "capital"]), "the CAPITAL is paris", 1.0),
        (KeywordScorer(["Paris", "capital"]), "the capital is Rome", 0.5),
        (KeywordScorer(["Paris"], case_sensitive=True), "paris", 0.0),
        (KeywordScorer(["Paris"]), "A comparison of parishes.", 0.0),
        (KeywordScorer(["Paris"]), "A comparison of (Paris) and Rome.", 1.0),
        (KeywordScorer(["10"]), "It costs 10.50 or 100.", 0.0),
        (KeywordScorer(["C++", "§ 4"]), "See C++, as § 4 says.", 1.0),
        (KeywordScorer(["巴黎"]), "法国的首都是巴黎。", 1.0),
    ],
)
def test_keywords(made: KeywordScorer, output: str, value: float) -> None:
    score = made("q", output)
    assert score.value == value and (value == 1.0) == (score.reason == "")
    assert value != 0.5 or "Paris" in score.reason


@pytest.mark.parametrize("wrong", [[], "Paris", ["Paris", " "]])
def test_keywords_that_are_none_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="keywords must be"):
        KeywordScorer(wrong)


@pytest.mark.parametrize(
    ("made", "size", "value", "passed"),
    [
        (LengthScorer(10), 10, 1.0, True),
        (LengthScorer(10), 5, 0.5, False),
        (LengthScorer(10, 20), 40, 0.5, False),
        (LengthScorer(0, 20), 20, 1.0, True),
    ],
)
def test_lengths(made: LengthScorer, size: int, value: float, passed: bool) -> None:
    score = made("q", "x" * size + " \n")
    assert (score.value, score.passed) == (value, passed)
    for wrong in ((-1, None), (10, 5), (0, 0)):
        with pytest.raises(ValueError, match="not a range"):
            LengthScorer(*wrong)


LEASE = "The tenant pays a base rent of $48,000 a year.\nEither party may end it after the fifth year."


@pytest.mark.parametrize(
    ("output", "value", "passed"),
    [
        ('It says "a base rent of $48,000 a year".', 1.0, True),
        ("It says \u201ca base rent of $48,000 a year\u201d.", 1.0, True),
        ("> Either party may end it\n> after the fifth year.\n> \u2014 the lease\n\nSo both may.", 1.0, True),
        ('It says "a base rent of $46,000 a year".', 0.0, False),
        ('It says "a base rent of $48,000 a year" and "Either party may leave".', 0.5, False),
        ("The rent is $48,000.", 0.0, False),
        ('The "tenant" pays.', 0.0, False),
    ],
)
@pytest.mark.parametrize("given_as", [LEASE, document(LEASE)], ids=["text", "document"])
def test_quotes_must_be_in_the_document(output: str, value: float, passed: bool, given_as: Any) -> None:
    score = QuoteScorer(given_as)("q", output)
    assert (score.value, score.passed) == (value, passed) and passed == (not score.reason)


def test_an_invented_quote_is_named_with_what_differs() -> None:
    assert "$46,000 -> $48,000" in QuoteScorer(LEASE)("q", '"a base rent of $46,000 a year"').reason


@given(st.text(alphabet='">\u201c\u201d\u00ab\u00bb\n- ab', max_size=60))
def test_quotes_of_any_text_are_found_without_failing(text: str) -> None:
    assert all(quote and all(words.strip() for words in quote) for quote in find_quotes(text))


@pytest.mark.parametrize(
    "marks",
    ["»{}«", "«{}»", "‹{}›", "「{}」", "”{}”", "‘{}’", "'{}'", "<blockquote>{}</blockquote>", "<q>{}</q>", '"{}"'],
)
def test_quotes_in_marks_of_every_kind_are_looked_up(marks: str) -> None:
    scorer = QuoteScorer(LEASE)
    assert scorer("q", f"It says {marks.format('a base rent of $48,000')}.").passed is True
    assert scorer("q", f"It says {marks.format('a base rent of $46,000')}.").passed is False
    over = "a base rent of $48,000 a year.\n\nEither party may end it"
    assert scorer("q", f"It says {marks.format(over)}.").passed is (marks not in ("‘{}’", "'{}'"))


def test_a_judge_gives_one_strict_object() -> None:
    model = ScriptedModel([text_reply('{"score": 1, "reason": "all there"}')])
    judge = JudgeScorer(model, "Is it polite?")
    assert isinstance(judge, AsksModel)
    assert judge("the request", "please") == Score(1.0, None, "all there")
    (request,) = model.requests
    assert request.agent == "scorer" and not request.tools and request.output_schema
    assert all(part in request.turns[0].text for part in ("Is it polite?", "the request", "please"))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "reply",
    [
        text_reply("0.9"),
        text_reply('{"score": 0.9}'),
        text_reply('{"score": 1.1, "reason": ""}'),
        text_reply('{"score": NaN, "reason": ""}'),
        text_reply('{"score": true, "reason": ""}'),
        text_reply('{"score": "0.9", "reason": ""}'),
        text_reply('I say {"score": 0.9, "reason": ""}'),
        text_reply('{"score": 0.1, "reason": ""}{"score": 0.9, "reason": ""}'),
        text_reply('{"score": 0.9, "reason": ""}', stop=StopReason.LENGTH),
        ProviderError("down", code="x"),
    ],
)
def test_a_judge_that_fails_is_a_scorer_that_fails(reply: Any) -> None:
    evidence = one(JudgeScorer(ScriptedModel([reply]), "Is it polite?"))
    assert evidence.check == "judge" and evidence.broken and evidence.issues and not evidence.passed


def raising(error: BaseException) -> Callable[[], Any]:
    def behave() -> Any:
        raise error

    return behave


async def later(value: Any, seconds: float = 0.0) -> Any:
    await asyncio.sleep(seconds)
    return value


NO_SCORES: list[Callable[[], Any]] = [
    lambda: float("nan"),
    lambda: 1.01,
    lambda: -0.01,
    lambda: float("inf"),
    lambda: None,
    lambda: "0.9",
    lambda: (0.9, True),
    lambda: later(None),
]


@pytest.mark.parametrize("behave", NO_SCORES)
def test_what_is_no_score_ends_the_run_and_is_named(behave: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError, match="the scorer mine: a score is a number between 0 and 1, not ") as caught:
        run_scorers([scorer(behave), scorer(lambda: 1.0, "fine")], "q", "o")
    assert caught.value.code == "bad-score"


FAILURES: list[Callable[[], Any]] = [
    lambda: Score(2),
    lambda: Score(0.9, passed="yes"),  # type: ignore[arg-type]
    raising(ValueError("no such thing")),
    raising(SystemExit(3)),
]


@pytest.mark.parametrize("behave", FAILURES)
def test_a_scorer_that_fails_has_not_passed(behave: Callable[[], Any]) -> None:
    broken, fine = run_scorers([scorer(behave), scorer(lambda: 1.0, "fine")], "q", "o")
    assert (broken.check, fine.check) == ("mine", "fine") and fine.passed
    assert broken.broken and broken.issues and broken.score == 0.0 and not all_passed((broken, fine))


@pytest.mark.parametrize("good", [0, 1, 0.5, True, Score(0.7)])
def test_numbers_between_0_and_1_are_scores(good: Any) -> None:
    assert not one(scorer(lambda: good)).broken


@given(st.floats(0, 1), st.one_of(st.none(), st.booleans()), st.floats(0, 1))
def test_passed_is_exactly_a_score_that_reaches_the_threshold(
    value: float, passed: bool | None, threshold: float
) -> None:
    evidence = one(scorer(lambda: Score(value, passed)), threshold=threshold)
    assert evidence.passed == (value >= threshold if passed is None else passed)
    assert evidence.score == value and evidence.passed == (not evidence.issues)


def test_a_scorers_own_word_beats_the_threshold() -> None:
    assert one(scorer(lambda: Score(0.1, passed=True)), threshold=0.9).passed
    refused = one(scorer(lambda: Score(0.95, passed=False, reason="rude")), threshold=0.9)
    assert refused.issues == (Issue("mine", "rude"),)
    assert "scored 0.20, at least 0.90" in one(scorer(lambda: 0.2), threshold=0.9).issues[0].message


def test_scorers_run_side_by_side() -> None:
    """Four scorers that wait for each other can only finish when all four run at once; asynchronous ones too."""
    meeting = threading.Barrier(4, timeout=20)

    async def afterwards() -> float:
        await asyncio.to_thread(meeting.wait)
        return 1.0

    both: list[Callable[[], Any]] = [lambda: meeting.wait() * 0 + 1.0, afterwards] * 2
    evidence = run_scorers([scorer(b, str(n)) for n, b in enumerate(both)], "q", "o", parallel=4)
    assert all_passed(evidence) and [item.check for item in evidence] == ["0", "1", "2", "3"]


def test_no_more_run_at_once_than_are_allowed() -> None:
    running, most, lock = 0, 0, threading.Lock()

    def behave() -> float:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return 1.0

    assert all_passed(run_scorers([scorer(behave, str(n)) for n in range(6)], "q", "o", parallel=2)) and most == 2


def test_a_scorer_that_hangs_is_late_and_frees_its_place() -> None:
    release = threading.Event()
    hanging: list[Callable[[], Any]] = [lambda: release.wait() * 1.0, lambda: later(1.0, 60)]
    scorers = [scorer(behave, f"hangs {n}") for n, behave in enumerate(hanging)]
    begun = time.monotonic()
    evidence = run_scorers([*scorers, scorer(lambda: 1.0, "fine")], "q", "o", parallel=1, timeout=0.5)
    assert time.monotonic() - begun < 10
    release.set()
    assert [item.passed for item in evidence] == [False, False, True]
    assert "more than 0.5 s" in evidence[0].broken and "more than 0.5 s" in evidence[1].broken


def test_an_asynchronous_scorer_that_is_late_is_cancelled() -> None:
    ended = threading.Event()

    async def hangs() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    assert one(scorer(hangs), timeout=0.05).broken and ended.wait(20)


def test_a_hanging_scorer_does_not_hang_the_end_of_the_program() -> None:
    code = (
        "import threading; from ralph_cli.runner.scoring import run_scorers\n"
        "def hangs(input, output): threading.Event().wait()\n"
        "async def too(input, output):\n    import time; time.sleep(1000)\n"
        "print(all(e.broken for e in run_scorers([hangs, too], 'q', 'o', timeout=0.2)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("True\n", "", 0)


@pytest.mark.parametrize("error", [LimitExceeded("cost", cap=1, spent=2), KeyboardInterrupt()])
def test_what_is_about_the_run_is_not_a_scorers_failure(error: BaseException) -> None:
    with pytest.raises(type(error)):
        one(scorer(raising(error)))


async def stopped() -> None:
    raise KeyboardInterrupt


def test_an_awaiter_gives_what_is_awaited_and_raises_what_it_raises() -> None:
    awaiter = Awaiter()
    assert awaiter("plain") == "plain" and awaiter(later(3)) == 3
    with pytest.raises(ProviderError):
        awaiter(failing())
    with pytest.raises(KeyboardInterrupt):
        awaiter(stopped())
    with pytest.raises(TimeoutError):
        awaiter(later(1, 60), timeout=0.05)
    assert awaiter(later(4)) == 4, "the loop lives on"


async def failing() -> None:
    raise ProviderError("down", code="x")


def test_an_awaiter_keeps_one_loop_also_below_a_running_one() -> None:
    awaiter = Awaiter()

    async def which() -> int:
        return id(asyncio.get_running_loop())

    async def outer() -> tuple[object, object, int]:
        return awaiter(which()), awaiter(which()), await which()

    first, second, own = asyncio.run(outer())
    assert first == second != own

    async def nested() -> object:
        return awaiter(later("inner"))  # from the awaiter's own thread

    assert awaiter(nested()) == "inner"


FOUND = (
    Evidence("keywords", (Issue("keywords", "does not mention Paris"), Issue("keywords", "does not mention Paris"))),
    Evidence("length", (Issue("length", "is too short"),), score=0.2),
    Evidence("judge", (Issue("judge", "could not be measured: down"),), broken="down", score=0.0),
    Evidence("fine"),
)


def test_rules_turn_each_issue_into_a_suggestion() -> None:
    lesson = RuleReflector().reflect("q", "o", FOUND, (), "medium")
    assert lesson == RuleReflector().reflect("q", "o", FOUND, (), "medium")
    assert lesson.suggestions == (
        "Mend what keywords found: does not mention Paris",
        "Mend what length found: is too short",
    )
    assert lesson.summary == "not passed: keywords, length"


def test_levels_of_reflection() -> None:
    rules = RuleReflector()
    assert len(rules.reflect("q", "o", FOUND, (), "shallow").suggestions) == 1
    history = (rules.reflect("q", "o", FOUND[:1], (), "medium"),)
    deep = rules.reflect("q", "o", FOUND, history, "deep").suggestions
    assert len(deep) == 3 and "another way" in deep[-1] and "Paris" in deep[-1]
    many = json.dumps({"summary": "s", "suggestions": [str(n) for n in range(20)]})
    for level, most in (("shallow", 1), ("medium", 3), ("deep", 6)):
        lesson = ModelReflector(ScriptedModel([text_reply(many)])).reflect("q", "o", FOUND, (), level)
        assert len(lesson.suggestions) == most


def test_a_model_reflects_in_one_call() -> None:
    model = ScriptedModel(
        [text_reply('{"summary": "too  vague", "suggestions": ["name the city", "name the city", " "]}')]
    )
    earlier = tuple(Lesson(f"lesson {n}", ("try",)) for n in range(9))
    assert ModelReflector(model).reflect("q", "o", FOUND, earlier, "deep") == Lesson("too vague", ("name the city",))
    (request,) = model.requests
    told = request.turns[0].text  # type: ignore[union-attr]
    assert "does not mention Paris" in told and "lesson 8" in told and "lesson 3" not in told


@pytest.mark.parametrize(
    "reply",
    [
        ProviderError("the service is down", code="x"),
        text_reply("do better"),
        text_reply('{"summary": "", "suggestions": []}'),
        text_reply('{"summary": "s", "suggestions": "one"}'),
    ],
)
def test_rules_speak_when_the_model_cannot(reply: Any) -> None:
    lesson = ModelReflector(ScriptedModel([reply])).reflect("q", "o", FOUND, (), "medium")
    assert "by rules" in lesson.summary and len(lesson.suggestions) == 2
    if isinstance(reply, ProviderError):
        assert "the service is down" in lesson.summary
