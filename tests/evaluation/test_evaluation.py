"""A set put to scripted models: what is counted, what goes on after a break, and what is not bought twice."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fakes import second_reader

from ralph_cli import Settings
from ralph_cli.api import evaluate
from ralph_cli.core.budget import Budget
from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.core.events import AnyEvent, NoticeIssued, RunStarted
from ralph_cli.core.model import Model, Reply, Request, Usage
from ralph_cli.core.run import StopType
from ralph_cli.evaluation.bounds import EvaluationBounds
from ralph_cli.evaluation.report import as_object, render_text
from ralph_cli.evaluation.results import Evaluation
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.wiring.models import ModelNames

MEMO = "The base rent is $48,000 a year.\n\nThe lease runs for ten years and ends on 28 February 2031.\n"
RENT = {
    "question": "What is the rent?",
    "document": "memo.txt",
    "answer": "$48,000",
    "passages": ["base rent is $48,000"],
}
TERM = {"question": "How long is the lease?", "document": "memo.txt", "answer": "Ten years, until February 2031"}
DOG = {"question": "May tenants keep a dog?", "document": "memo.txt", "absent": True}

CLAIMS = {
    RENT["question"]: {"text": "The rent is $48,000 a year.", "quotes": ["base rent is $48,000 a year"]},
    TERM["question"]: {"text": "The lease runs for ten years.", "quotes": ["The lease runs for ten years"]},
}
ABSENT = {"not_found": {"searched": ["dog", "pet"], "note": "no word of animals"}}


@dataclass
class Cast:
    """Scripted models, and the fault that each question meets with the worker or the grader, if any."""

    worker_faults: dict[str, Reply | BaseException] = field(default_factory=dict)
    grades: dict[str, str] = field(default_factory=dict)
    usd: float = 0.01
    judge: Callable[[Request], Reply] | None = None
    asked: list[str] = field(default_factory=list)
    graded: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    @property
    def models(self) -> dict[str, Model]:
        judge = ScriptedModel(self.judge or self._judge, name="scripted:judge", vendor="b")
        return {"worker": ScriptedModel(self._work, vendor="a"), "judge": judge, "subquery": ScriptedModel([])}

    def _work(self, request: Request) -> Reply | ProviderError:
        question = request.inputs["question"]
        self.asked.append(question)
        fault = self.worker_faults.get(question)
        if isinstance(fault, ProviderError):
            return fault
        if isinstance(fault, BaseException):
            raise fault
        submitted = {"claims": [CLAIMS[question]]} if question in CLAIMS else ABSENT
        return fault or tool_reply(submitted, usage=Usage(1, 10, 10, characters=100, usd=self.usd))

    def _judge(self, request: Request) -> Reply:
        if request.agent == "grader":
            question = request.inputs["question"]
            self.graded.append(question)
            self.requests.append(request)
            said = self.grades.get(question, "yes")
            return text_reply(
                json.dumps({"verdict": said, "reason": "both say ten years"}), usage=Usage(1, usd=self.usd)
            )
        if (found := second_reader(request, Usage(1, usd=self.usd))) is not None:
            return found
        ids = [claim["id"] for claim in request.inputs["claims"]]
        said = [{"id": number, "verdict": "supported", "reason": "it says so"} for number in ids]
        return text_reply(json.dumps({"verdicts": said}), usage=Usage(1, usd=self.usd))


@pytest.fixture
def bounded(settings: Settings) -> Settings:
    """A document that is given whole."""
    return settings.model_copy(update={"strategy": "direct"})


Run = Callable[..., Evaluation]


@pytest.fixture
def run(tmp_path: Path, bounded: Settings) -> Run:
    (tmp_path / "memo.txt").write_text(MEMO, "utf-8")

    def start(cast: Cast, *records: dict, changes: dict | None = None, **more: object) -> Evaluation:
        path = tmp_path / "set.jsonl"
        path.write_text("\n".join(map(json.dumps, records or (RENT, TERM, DOG))), "utf-8")
        settings = bounded.model_copy(update=changes or {})
        return evaluate(path, settings=settings, models=cast.models, **more)  # type: ignore[arg-type]

    return start


def rates(evaluation: Evaluation) -> dict[str, tuple[int, int]]:
    return {name: (rate.hits, rate.asked) for name, rate in evaluation.rates.items()}


def test_each_measure_is_counted_over_what_it_can_be_told_of(run: Run) -> None:
    cast = Cast(grades={TERM["question"]: "partly"})
    evaluation = run(cast)
    assert evaluation.complete and evaluation.halt.type is StopType.NONE
    assert rates(evaluation) == {
        "answered": (3, 3),
        "right": (2, 3),
        "partly_right": (1, 3),
        "supported": (3, 3),
        "supported_and_right": (2, 3),
        "on_gold": (1, 1),
        "absent_rightly": (1, 1),
        "absent_wrongly": (0, 2),
    }
    by = [result.grade.by for result in evaluation.results]
    assert by == ["figures", "scripted:judge", "absence"]
    assert cast.graded == [TERM["question"]]  # code has told of the others
    # Two calls for an answer, and for an absence with its second reader; the comparison is counted apart.
    assert (evaluation.usage.calls, evaluation.grading.calls) == (6, 1)
    assert evaluation.usage.usd == pytest.approx(0.06) and evaluation.grading.usd == pytest.approx(0.01)


def test_an_answer_that_is_wrong_or_off_the_page_is_counted_as_such(run: Run) -> None:
    elsewhere = RENT | {"answer": "$49,000", "passages": ["ends on 28 February 2031"]}
    evaluation = run(
        Cast(grades={RENT["question"]: "no", TERM["question"]: "no"}), elsewhere, DOG | {"question": TERM["question"]}
    )
    text = render_text(evaluation)
    assert "    reference: $49,000" in text and "    answer: The rent is $48,000 a year." in text
    assert "    scripted:judge: both say ten years" in text and "    reference: not in the document" in text
    told = rates(evaluation)
    assert told["right"] == (0, 2) and told["on_gold"] == (0, 1) and told["absent_rightly"] == (0, 1)
    assert told["supported"] == (2, 2) and told["supported_and_right"] == (0, 2)


def test_the_published_formats_go_the_whole_way(run: Run) -> None:
    words = "The lease runs for ten years"
    start = MEMO.index(words)
    snippet = {"file_path": "memo.txt", "span": [start, start + len(words)]}
    (legal,) = run(Cast(), {"tests": [{"query": TERM["question"], "snippets": [snippet]}]}).results
    assert (legal.reference, legal.on_gold, legal.grade.right) == (words, True, "yes")
    bench = {"financebench_id": "f", "question": RENT["question"], "doc_name": "memo", "answer": "$48,000.00"}
    (financial,) = run(Cast(), bench | {"evidence": [{"evidence_page_num": 0}]}).results
    assert (financial.id, financial.grade.right) == ("f", "yes") and financial.on_gold is None  # a text has no pages


def test_an_answer_that_is_not_accepted_is_not_supported(run: Run) -> None:
    cast = Cast(
        worker_faults={RENT["question"]: tool_reply({"claims": [CLAIMS[RENT["question"]] | {"quotes": ["no"]}]})}
    )
    evaluation = run(cast, RENT, changes={"max_iterations": 1, "max_steps": 2})
    told = rates(evaluation)
    assert told["supported"] == (0, 1) and told["right"] == (1, 1) and told["supported_and_right"] == (0, 1)


def test_the_grader_sees_question_reference_and_answer_as_data_and_no_more(run: Run) -> None:
    cast = Cast()
    evaluation = run(cast, TERM)
    (request,) = cast.requests
    text = request.turns[0].text  # type: ignore[union-attr]
    assert all(words in text for words in (TERM["question"], TERM["answer"], "The lease runs for ten years."))
    assert text.count("<data-") == 3 and "base rent" not in text and evaluation.grader == "scripted:judge"


def test_a_question_that_fails_is_told_and_the_next_one_is_asked(run: Run) -> None:
    missing = RENT | {"document": "gone.pdf"}
    down = ProviderError("the service is down", code="server-error")
    evaluation = run(Cast(worker_faults={TERM["question"]: down}), missing, TERM, DOG)
    gone, failed, last = evaluation.results
    assert "gone.pdf is not in" in gone.error and "the service is down" in failed.error and not last.error
    assert not evaluation.complete and evaluation.halt.type is StopType.NONE
    assert rates(evaluation)["answered"] == (1, 3) and rates(evaluation)["right"] == (1, 1)
    assert "2 failed" in render_text(evaluation)


def full(request: Request) -> Reply:
    if (found := second_reader(request)) is not None:
        return found
    raise MemoryError("full")


def test_what_a_question_cost_that_failed_is_counted(run: Run) -> None:
    failed, last = run(Cast(judge=full), RENT, DOG).results
    assert "MemoryError" in failed.error and failed.run and last.finished
    assert failed.usage.calls == 2 and failed.usage.usd is None  # of a call that failed nobody knows the price


def test_a_price_that_is_unknown_counts_as_all_that_the_question_may_cost(run: Run) -> None:
    evaluation = run(Cast(judge=full), RENT, DOG, changes={"max_cost": 1.0})
    assert len(evaluation.results) == 1 and evaluation.halt.type is StopType.MAX_COST
    assert "a price is unknown" in evaluation.halt.detail
    evaluation = run(Cast(judge=full), RENT, DOG, changes={"max_cost": 1.0}, cost_each=0.4)
    assert len(evaluation.results) == 2 and evaluation.halt.type is StopType.NONE


def test_so_many_failures_in_a_row_end_it(run: Run) -> None:
    faults = {record["question"]: ProviderError("no such model", code="no-model") for record in (RENT, TERM, DOG)}
    evaluation = run(Cast(worker_faults=faults), changes={"max_failures": 2})
    assert len(evaluation.results) == 2 and evaluation.halt.type is StopType.SYSTEM_ERROR
    assert "no such model" in evaluation.halt.detail


def test_what_has_a_result_is_not_asked_again(run: Run) -> None:
    down = ProviderError("the service is down", code="server-error")
    first = run(Cast(worker_faults={TERM["question"]: down}))
    again = Cast()
    second = run(again, resume=first.folder)
    assert second.complete and second.folder == first.folder
    assert again.asked == [TERM["question"]] and [result.id for result in second.results] == ["1", "2", "3"]
    third = Cast()
    assert run(third, resume=first.folder).rates == second.rates
    assert third.asked == third.graded == []


def test_an_interrupt_leaves_what_there_is_and_replies_are_not_bought_again(run: Run) -> None:
    first = run(Cast(worker_faults={TERM["question"]: KeyboardInterrupt()}))
    assert first.halt.type is StopType.USER_INTERRUPTED and not first.complete
    assert [result.cut_off for result in first.results] == [False, True]
    assert rates(first)["right"] == (1, 1) and "--resume" in render_text(first)
    again = Cast()
    second = run(again, resume=first.folder)
    assert second.complete and again.asked == [TERM["question"], DOG["question"]]


def test_a_run_whose_result_was_not_kept_is_compared_and_not_asked_again(run: Run) -> None:
    first = run(Cast(), TERM)
    kept = first.folder / "results.jsonl"
    kept.write_text(kept.read_text()[:-20])  # as a killed process leaves it
    again = Cast()
    second = run(again, TERM, resume=first.folder)
    assert again.asked == [] and again.graded == [TERM["question"]]
    assert second.results[0].usage == first.results[0].usage and second.complete
    assert run(again, TERM, resume=first.folder).results == second.results  # nothing of the cut line is left


def test_a_comparison_that_failed_is_made_again(run: Run) -> None:
    first = run(Cast(grades={TERM["question"]: "perhaps"}), TERM)
    assert first.results[0].grade.right == "unjudged" and not first.complete
    assert "not compared (verdict: Input should be" in render_text(first)
    assert rates(first)["right"] == (0, 0)
    again = Cast()
    assert run(again, TERM, resume=first.folder).complete and again.asked == []


def test_an_evaluation_goes_on_with_the_same_terms_only(run: Run, tmp_path: Path) -> None:
    first = run(Cast())
    with pytest.raises(ConfigError, match="other questions"):
        run(Cast(), RENT, resume=first.folder)
    with pytest.raises(ConfigError, match="strict was False and is True"):
        run(Cast(), resume=first.folder, changes={"strict": True})
    with pytest.raises(ConfigError, match="is no evaluation that can go on"):
        run(Cast(), resume=tmp_path)


@pytest.mark.parametrize(
    ("bound", "low", "high", "stop"),
    [("max_cost", 0.025, 1.0, StopType.MAX_COST), ("max_calls", 3, 100, StopType.MAX_CALLS)],
)
def test_a_bound_of_all_ends_it_and_a_higher_one_goes_on(
    run: Run, bound: str, low: float, high: float, stop: StopType
) -> None:
    told: list[AnyEvent] = []
    first = run(Cast(), changes={bound: low}, sink=told.append)
    assert first.halt.type is stop and not first.complete
    assert [result.cut_off for result in first.results] == [False, True]
    notice = told[0]
    assert isinstance(notice, NoticeIssued) and "all questions (3) together may take at most" in notice.message
    again = Cast()
    second = run(again, resume=first.folder, changes={bound: high})
    assert second.complete and RENT["question"] not in again.asked
    assert second.usage.usd == pytest.approx(0.06) and second.usage.calls == 6


def test_an_evaluation_has_a_bound_as_a_run_has_unless_each_question_has_one(tmp_path: Path) -> None:
    names = ModelNames("anthropic:claude-sonnet-5-5", "openai:gpt-6.1-sol", "anthropic:claude-haiku-5-5")

    def bounds(each: Budget, **values: object) -> str:
        return EvaluationBounds.of(Settings(**values), names, {}, each, tmp_path).describe()

    assert bounds(Budget()) == "$5 (the default of --max-cost)"
    assert bounds(Budget(usd=0.5)) == "" == bounds(Budget(), max_cost="none")
    assert bounds(Budget(usd=0.5), max_cost=20, max_tokens=9_000) == "$20 (--max-cost), 9,000 tokens (--max-tokens)"


def test_a_question_that_reaches_its_own_budget_has_a_result(run: Run) -> None:
    dear = tool_reply({"claims": [CLAIMS[RENT["question"]]]}, usage=Usage(1, usd=0.02))
    evaluation = run(Cast(worker_faults={RENT["question"]: dear}), RENT, DOG, cost_each=0.015)
    first, second = evaluation.results
    assert (first.stop, first.cut_off, first.supported) == ("max_cost", False, False)
    assert second.supported and evaluation.halt.type is StopType.NONE


def test_each_question_is_a_run_of_its_own_in_the_folder(run: Run) -> None:
    events: list[AnyEvent] = []
    evaluation = run(Cast(), limit=2, sink=events.append)
    started = [event for event in events if isinstance(event, RunStarted)]
    assert [event.mode for event in started] == ["qa", "qa"] and evaluation.total == 2
    assert all((evaluation.folder / result.run / "journal.sqlite3").is_file() for result in evaluation.results)


def test_without_a_key_code_compares_and_the_report_says_so(settings: Settings, samples: Path) -> None:
    evaluation = evaluate(samples / "questions.jsonl", settings=settings, limit=2)
    text = render_text(evaluation)
    assert evaluation.grader == "" and "No model has compared the answers" in text
    assert {result.answered for result in evaluation.results} == {"passages"}
    assert {result.supported for result in evaluation.results} == {None} and "supported" not in text
    assert all(result.on_gold is not None for result in evaluation.results)
    assert evaluation.usage.calls == 0
    assert json.loads(json.dumps(as_object(evaluation)))["grader"] is None


def test_without_a_model_nothing_is_absent(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "memo.txt").write_text(MEMO, "utf-8")
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"question": "Zyzzyva?", "document": "memo.txt", "absent": True}))
    (result,) = evaluate(path, settings=settings).results
    assert (result.answered, result.grade.right, result.supported) == ("nothing", "no", None)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"first_page": 2}, "pages count from 0 or 1, not 2"),
        ({"cost_each": 0.0}, "cost_each must be a number above 0, not 0"),
        ({"time_each": float("nan")}, "time_each must be a number above 0"),
    ],
)
def test_an_impossible_option_is_refused(run: Run, option: dict, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        run(Cast(), **option)
