"""Two evaluations side by side: only what both have is counted, and each change is named."""

import json
from pathlib import Path

import pytest

from ralph_cli.core.errors import UserError
from ralph_cli.core.model import Usage
from ralph_cli.evaluation.comparing import Comparison, Earlier, Paired, compare, read_earlier
from ralph_cli.evaluation.results import Grade, QuestionResult, Rightness


def result(id: str, right: Rightness, supported: bool | None = True, **more: object) -> QuestionResult:
    values = {"question": f"Question {id}?", "document": "d", "grade": Grade(right, "judge"), "supported": supported}
    return QuestionResult(id=id, **(values | more))  # type: ignore[arg-type]


def compared(before: list[QuestionResult], now: list[QuestionResult]) -> Comparison:
    return compare(Earlier("before.json", "0.1.0", {"worker": "a:b"}, tuple(before)), now)


def test_what_became_better_and_worse_is_counted_in_pairs() -> None:
    before = [result("a", "no"), result("b", "yes"), result("c", "yes"), result("d", "partly"), result("x", "yes")]
    now = [
        result("a", "yes"),
        result("b", "partly"),
        result("c", "yes", False),
        result("d", "unjudged"),
        result("y", "no"),
    ]
    found = compared(before, now)
    assert (found.paired, found.alone) == (4, 2)
    assert found.measures["right"] == Paired(better=1, worse=1, same=1)  # of d nobody knows
    assert found.measures["supported"] == Paired(better=0, worse=1, same=3)
    assert found.measures["on_gold"] == Paired(0, 0, 0)
    changes = [(change.id, change.measure, change.was, change.now, change.better) for change in found.changes]
    assert changes == [
        ("a", "right", "not right", "right", True),
        ("b", "right", "right", "partly right", False),
        ("c", "supported", "supported", "not supported", False),
    ]


def test_totals_are_of_the_questions_that_both_have() -> None:
    before = [
        result("a", "yes", usage=Usage(2, characters=50, usd=0.5), seconds=1.5),
        result("b", "yes", usage=Usage(9)),
    ]
    now = [result("a", "yes", usage=Usage(3, characters=40, usd=None), seconds=0.5)]
    assert compared(before, now).totals == {
        "calls": (2, 3),
        "characters": (50, 40),
        "usd": (0.5, None),
        "seconds": (1.5, 0.5),
    }


def test_a_question_of_another_wording_or_without_a_result_is_no_pair() -> None:
    before = [result("a", "yes"), result("b", "yes"), result("c", "yes")]
    now = [result("a", "yes", question="Another?"), result("b", "yes", error="down"), result("c", "yes", cut_off=True)]
    assert compared(before, now).paired == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "is not JSON"),
        ("[]", "is no evaluation"),
        ("{}", "is no evaluation"),
        (json.dumps({"version": "1", "models": {}, "results": [{"id": 1}]}), r"is no evaluation: results\.0\.id"),
        (None, "does not exist"),
    ],
)
def test_a_file_that_is_no_evaluation_is_one_line(tmp_path: Path, text: str | None, told: str) -> None:
    path = tmp_path / "before.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(UserError, match=told) as raised:
        read_earlier(path)
    assert "\n" not in raised.value.line
