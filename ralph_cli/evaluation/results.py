"""The result of each question of a set, and of all of them together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from pathlib import Path
from typing import Literal

from ralph_cli.core.model import Usage
from ralph_cli.core.results.judge_test import Rate
from ralph_cli.core.run import Halt, StopType
from ralph_cli.evaluation.question_sets import Format

# Whether an answer agrees with the reference; "unjudged" if that is unknown, "" without a reference.
Rightness = Literal["yes", "partly", "no", "unjudged", ""]

# The kind of an answer: claims, passages that no model has read, not found in the document, or none of these.
Answered = Literal["answer", "passages", "absent", "nothing"]

BY_FIGURES = "figures"
BY_WORDS = "words"
BY_ABSENCE = "absence"
# The values of `Grade.by` if code has compared; else it is the name of a model.
BY_NOTHING = "no answer"


@dataclass(frozen=True, slots=True)
class Grade:
    """How an answer compares with the reference, by what or whom it was compared, and the reason."""

    right: Rightness = ""
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionResult:
    """One question and its result.

    `supported` says whether the answer was accepted; None if no model has read it. `on_gold` says whether one of its
    quotes is on a page or in a passage that the set names; None if the set names none that can be compared. `usage` and
    `seconds` are those of the answer, `grading` is the cost of comparing it with the reference. `error` says why there
    is no result; `cut_off` means that a limit or an interrupt of the whole evaluation ended it.
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
        """Whether the question need not be asked, or its answer compared, again."""
        failed_to_grade = self.grade.right == "unjudged" and self.grade.by != BY_WORDS
        return not (self.error or self.cut_off or failed_to_grade)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The results of those of a set's `total` questions that were asked, and why the evaluation ended.

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
        """For each measure, the results that meet it, of those for which it can be known."""
        results = [result for result in self.results if not result.error and not result.cut_off]
        graded = [result for result in results if result.grade.right in ("yes", "partly", "no")]
        right = {result.id for result in graded if result.grade.right == "yes"}
        absent = {result.id for result in results if result.answered == "absent"}
        return {
            "answered": _rate(self.results, lambda it: it.answered != "nothing"),
            "right": _rate(graded, lambda it: it.id in right),
            "partly_right": _rate(graded, lambda it: it.grade.right == "partly"),
            "supported": _rate(results, lambda it: it.supported),
            "supported_and_right": _rate(graded, lambda it: it.supported and it.id in right),
            "on_gold": _rate(results, lambda it: it.on_gold),
            "absent_rightly": _rate([it for it in results if it.expected_absent], lambda it: it.id in absent),
            "absent_wrongly": _rate([it for it in results if not it.expected_absent], lambda it: it.id in absent),
        }

    @property
    def usage(self) -> Usage:
        """The cost of the answers."""
        return reduce(add, (result.usage for result in self.results), Usage())

    @property
    def grading(self) -> Usage:
        """The cost of comparing answers with references."""
        return reduce(add, (result.grading for result in self.results), Usage())

    @property
    def seconds(self) -> float:
        """The seconds that the answers took."""
        return round(sum(result.seconds for result in self.results), 3)


def _rate(results: Iterable[QuestionResult], measure: Callable[[QuestionResult], bool | None]) -> Rate:
    """How many of the results meet a measure, of those for which it is not None."""
    known = [met for result in results if (met := measure(result)) is not None]
    return Rate(sum(known), len(known))
