"""What came of each question of a set, and of all of them together."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from pathlib import Path
from typing import Literal

from ralph_cli.core.model import Usage
from ralph_cli.core.results.judge_test import Rate
from ralph_cli.core.run import Halt, StopType
from ralph_cli.evaluation.question_sets import Format

Rightness = Literal["yes", "partly", "no", "unjudged", ""]
"""Whether an answer says what the reference says; "unjudged" if that could not be told, "" without a reference."""

Answered = Literal["answer", "passages", "absent", "nothing"]
"""What there is: claims, passages that no model has read, that the document does not say it, or none of these."""

BY_FIGURES, BY_WORDS, BY_ABSENCE, BY_NOTHING = "figures", "words", "absence", "no answer"
"""Values of `Grade.by` where code has compared; else it is the name of a model."""


@dataclass(frozen=True, slots=True)
class Grade:
    """How an answer compares with the reference, `by` what or whom that was found, and why."""

    right: Rightness = ""
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """One question, and what came of it.

    `supported` says whether the answer was accepted, None if no model has read it. `on_gold` says whether one of its
    quotes stands where the set says that the answer stands, None if it names no place that can be compared. `usage`
    and `seconds` are those of the answer, `grading` what the comparison with the reference cost. `error` says why there
    is no result; with `cut_off` a bound or an interrupt of the whole evaluation has ended it.
    """

    id: str
    question: str
    document: str
    reference: str = ""
    expected_absent: bool = False
    answered: Answered = "nothing"
    answer: str = ""
    grade: Grade = field(default_factory=Grade)
    supported: bool | None = False
    on_gold: bool | None = None
    stop: str = ""
    error: str = ""
    cut_off: bool = False
    usage: Usage = field(default_factory=Usage)
    grading: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    run: str = ""

    @property
    def finished(self) -> bool:
        """Whether it needs not be asked, or compared, again."""
        failed_to_grade = self.grade.right == "unjudged" and self.grade.by != BY_WORDS
        return not (self.error or self.cut_off or failed_to_grade)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The results of a set of `total` questions, as far as they were asked, and why it ended.

    `grader` is the model that compared answers with references, "" if code alone did.
    """

    questions: str
    sha256: str
    format: Format
    total: int
    models: dict[str, str]
    grader: str
    results: tuple[QuestionResult, ...]
    halt: Halt
    folder: Path

    @property
    def complete(self) -> bool:
        """Whether every question has a result."""
        all_asked = self.halt.type is StopType.NONE and len(self.results) == self.total
        return all_asked and all(result.finished for result in self.results)

    @property
    def rates(self) -> dict[str, Rate]:
        """By measure how many of the results it holds for, of those that it can be told of."""
        results = [result for result in self.results if not result.error and not result.cut_off]
        graded = [result for result in results if result.grade.right in ("yes", "partly", "no")]
        placed = [result for result in results if result.on_gold is not None]
        read = [result for result in results if result.supported is not None]
        absent = [result for result in results if result.expected_absent]
        present = [result for result in results if not result.expected_absent]
        return {
            "answered": _rate(result.answered != "nothing" for result in self.results),
            "right": _rate(result.grade.right == "yes" for result in graded),
            "partly_right": _rate(result.grade.right == "partly" for result in graded),
            "supported": _rate(bool(result.supported) for result in read),
            "supported_and_right": _rate(bool(r.supported) and r.grade.right == "yes" for r in graded if r in read),
            "on_gold": _rate(bool(result.on_gold) for result in placed),
            "absent_rightly": _rate(result.answered == "absent" for result in absent),
            "absent_wrongly": _rate(result.answered == "absent" for result in present),
        }

    @property
    def usage(self) -> Usage:
        """What the answers cost."""
        return reduce(add, (result.usage for result in self.results), Usage())

    @property
    def grading(self) -> Usage:
        """What the comparisons with the references cost."""
        return reduce(add, (result.grading for result in self.results), Usage())

    @property
    def seconds(self) -> float:
        """How long the answers took."""
        return round(sum(result.seconds for result in self.results), 3)


def _rate(hits: Iterable[bool]) -> Rate:
    found = list(hits)
    return Rate(sum(found), len(found))
