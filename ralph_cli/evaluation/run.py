"""Puts a set of questions to `ralph qa`, one after the other, and keeps each result."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli.core import clock
from ralph_cli.core.budget import Budget
from ralph_cli.core.errors import ConfigError, DocumentError, JournalError, RalphError
from ralph_cli.core.events import AnyEvent, NoticeIssued, RunStarted
from ralph_cli.core.model import Usage
from ralph_cli.core.run import Halt, StopType
from ralph_cli.documents.source import DocumentSource
from ralph_cli.evaluation.bounds import EvaluationBounds, halt_of
from ralph_cli.evaluation.question_sets import Question, QuestionSet
from ralph_cli.evaluation.record import EvaluationRecord, begin_record, reopen_record, terms_of
from ralph_cli.evaluation.results import Evaluation, Grade, QuestionResult
from ralph_cli.evaluation.scoring import (
    answer_kind,
    answer_text,
    grade_by_code,
    grade_by_words,
    grade_with_model,
    grader_name,
    is_on_gold,
    is_supported,
)
from ralph_cli.reports.view import RunView
from ralph_cli.runs.execute import Setup
from ralph_cli.runs.history import read_run
from ralph_cli.runs.questions import answer_question
from ralph_cli.runs.resuming.resume import resume
from ralph_cli.wiring.models import ModelNames, choose_models

UNBOUNDED = Budget()

# A function called with a question, its number and the count: with None before it is asked, then with its result.
OnQuestion = Callable[[int, int, Question, QuestionResult | None], None]


def run_evaluation(
    questions: QuestionSet,
    setup: Setup,
    *,
    limit: int | None = None,
    each: Budget = UNBOUNDED,
    folder: Path | None = None,
    on_question: OnQuestion = lambda number, total, question, result: None,
) -> Evaluation:
    """Ask the first `limit` questions, each within the budget `each`, all together within that of the settings.

    `folder` is that of an earlier evaluation to continue: questions with a result are not asked again, and replies of
    an interrupted run are not bought again. A question that fails is reported, and the next one is asked;
    `max_failures` service failures in a row end the evaluation. Raises errors that hold for every question:
    ConfigError, JournalError.
    """
    names = choose_models(setup.settings, setup.models, setup.verifier)
    models = {"worker": names.worker, "judge": names.judge, "subquery": names.subquery}
    terms = terms_of(questions, setup.settings, models)
    record = reopen_record(folder, terms) if folder else begin_record(setup.settings.out, terms)
    asked = questions.questions[:limit]
    bounds = EvaluationBounds.of(setup.settings, names, setup.models, each, record.folder)
    if setup.sink is not None and (told := bounds.describe()):
        setup.sink(NoticeIssued("bounds", f"all questions ({len(asked)}) together may take at most {told}"))
    setup = replace(setup, settings=setup.settings.model_copy(update={"out": record.folder, "refresh": True}))
    halt = _Questioning(questions, names, setup, bounds, record, on_question).ask_all(asked)
    return Evaluation(
        questions=str(questions.path),
        sha256=questions.sha256,
        format=questions.format,
        total=len(asked),
        models=models,
        grader=grader_name(names, setup),
        results=tuple(record.results[item.id] for item in asked if item.id in record.results),
        halt=halt,
        folder=record.folder,
    )


@dataclass(slots=True)
class _Questioning:
    """One sitting: asks the questions without a result, until all are done or a limit is reached."""

    questions: QuestionSet
    names: ModelNames
    setup: Setup
    bounds: EvaluationBounds
    record: EvaluationRecord
    on_question: OnQuestion
    began: float = 0.0
    run: str = ""

    def ask_all(self, asked: tuple[Question, ...]) -> Halt:
        self.began, failures = clock.monotonic(), 0
        for number, question in enumerate(asked, 1):
            earlier = self.record.results.get(question.id)
            if earlier is not None and earlier.finished:
                continue
            others = [result for result in self.record.results.values() if result.id != question.id]
            left = self.bounds.left_by(others, clock.monotonic() - self.began)
            if (spent := halt_of(left)) is not None:
                return spent
            self.on_question(number, len(asked), question, None)
            result, failed = self._result(question, left)
            self.record.add(result)
            self.on_question(number, len(asked), question, result)
            if result.cut_off:
                return Halt(StopType(result.stop), f"{question.where} was cut off ({result.stop})")
            failures = failures + 1 if failed else 0
            if failures and failures == self.setup.settings.max_failures:
                return Halt(StopType.SYSTEM_ERROR, f"{failures} questions in a row failed: {result.error}")
        return Halt(StopType.NONE, "")

    def _result(self, question: Question, left: Budget) -> tuple[QuestionResult, bool]:
        """The result of a question, and whether it failed for a reason that the next one may meet, too."""
        blank = QuestionResult(
            id=question.id,
            question=question.question,
            document=question.document,
            reference=question.reference,
            expected_absent=question.absent,
        )
        self.run = ""
        try:
            source = DocumentSource(str(self.questions.path_of(question)))
            settings = self.setup.settings
            source = source.with_ocr(settings.ocr_options).loaded(settings.cache_folder)
            view = self._view(question, source, left)
            return self._scored(question, blank, view, source, left), view.halt.type is StopType.SYSTEM_ERROR
        except KeyboardInterrupt:
            return replace(self._with_spending(blank), cut_off=True, stop=StopType.USER_INTERRUPTED.value), False
        except (ConfigError, JournalError) as error:
            if error.code not in ("no-question", "long-question"):
                raise  # it holds for every question
            return replace(blank, error=error.line), False
        except Exception as error:  # noqa: BLE001 - whatever breaks one question must not end the others
            line = error.line if isinstance(error, RalphError) else f"{type(error).__name__}: {error}"
            return replace(self._with_spending(blank), error=line), not isinstance(error, DocumentError)

    def _with_spending(self, result: QuestionResult) -> QuestionResult:
        """A result with the cost of the run that was begun for it, if there was one."""
        if not self.run:
            return result
        view = read_run(self.record.folder / self.run).view
        return replace(result, usage=_usage_of(view), seconds=view.seconds, run=view.run)

    def _listen(self, event: AnyEvent, /) -> None:
        if isinstance(event, RunStarted):
            self.run = event.run
        if self.setup.sink is not None:
            self.setup.sink(event)

    def _view(self, question: Question, source: DocumentSource, left: Budget) -> RunView:
        """The run of a question: the recorded one, resumed if it was interrupted, or a new one."""
        budget = self.bounds.of_question(left)
        setup = replace(self.setup, settings=self.setup.settings.model_copy(update=budget), sink=self._listen)
        earlier = self.record.runs.get((question.question.strip(), source.load().sha256))
        if earlier is None:
            return answer_question(source, question.question, setup).view
        if not earlier.halt.type.is_cut_off():
            return earlier
        return resume(
            Path(earlier.folder),
            settings=setup.settings,
            changes=budget,
            document=source,
            models=setup.models,
            verifier=setup.verifier,
            engine=setup.engine,
            sink=setup.sink,
        ).view

    def _scored(
        self, question: Question, blank: QuestionResult, view: RunView, source: DocumentSource, left: Budget
    ) -> QuestionResult:
        stop = view.halt.type
        answered, answer = answer_kind(view), answer_text(view)
        result = replace(
            blank,
            answered=answered,
            answer=answer,
            supported=is_supported(view),
            stop=stop.value,
            error=view.halt.detail if stop is StopType.SYSTEM_ERROR else "",
            cut_off=self.bounds.has_ended_all(stop, left) or stop is StopType.USER_INTERRUPTED,
            usage=_usage_of(view),
            seconds=view.seconds,
            run=view.run,
        )
        if result.error or result.cut_off:
            return result
        grade, usage = self._grade(question, result, left)
        on_gold = is_on_gold(question, view.quotes, source.load())
        return replace(result, grade=grade, grading=usage, on_gold=on_gold)

    def _grade(self, question: Question, result: QuestionResult, left: Budget) -> tuple[Grade, Usage]:
        grade = grade_by_code(question, result.answered, result.answer)
        if grade is not None:
            return grade, Usage()
        if not grader_name(self.names, self.setup):
            return grade_by_words(question, result.answer), Usage()
        rest = self.bounds.of_rest(self.bounds.subtract(left, result))
        setup = replace(self.setup, settings=self.setup.settings.model_copy(update=rest))
        return grade_with_model(question, result.answer, self.names, setup)


def _usage_of(view: RunView) -> Usage:
    """The cost of a run. The built-in engine counts words and calls no model."""
    return view.usage if view.asks_models else Usage()
