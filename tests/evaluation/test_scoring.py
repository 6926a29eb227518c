"""What code tells of an answer: figures that agree and those that do not, shared words, places."""

import pytest
from fakes import document

from ralph_cli.core.run import Quote
from ralph_cli.evaluation.question_sets import Question
from ralph_cli.evaluation.results import Grade
from ralph_cli.evaluation.scoring import grade_by_code, grade_by_words, is_on_gold


def asked(reference: str = "", **more: object) -> Question:
    return Question(id="1", question="What was it?", document="d", where="line 1", reference=reference, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("$1577.00", "Capital expenditure was $1,577 million in fiscal 2018."),
        ("$1577.00", "It spent $1.577 billion."),
        ("$95.0 million", "Debt of $95.0 million falls due in fiscal 2027."),
        ("$95.0 million", "95,000,000 dollars fall due."),
        ("36%", "The share was 36.2%."),
        ("75%", "It holds 75% of the shares."),
        ("0.69", "The ratio was 0.69 at year end."),
        ("March 31, 2031", "The lease of 5 rooms ends on 31 March 2031."),
    ],
)
def test_one_figure_that_agrees_is_right_by_code(reference: str, answer: str) -> None:
    grade = grade_by_code(asked(reference), "answer", answer)
    assert grade is not None and (grade.right, grade.by) == ("yes", "figures")


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("$1577.00", "It spent $1,573 million."),
        ("$95.0 million", "It is $95.0 billion."),
        ("36%", "It was 37%, after 36% a year ago."),  # which of the two is the answer?
        ("36%", "It was 36 million."),
        ("$0.6 million", "It was $1 million."),  # a rounding to one digit says too little
        ("-14.76%", "It was 14.76%."),
        ("36% of all", "It was 36%."),  # the reference is more than a figure
        ("Yes", "Yes, it was."),
        ("31 March 2031", "It ends on 30 March 2031."),
        ("$5 in 2022 and $6 in 2023", "It was $5."),
    ],
)
def test_what_is_in_doubt_is_not_decided_by_code(reference: str, answer: str) -> None:
    assert grade_by_code(asked(reference), "answer", answer) is None


def test_a_passage_is_not_an_answer_by_its_figures() -> None:
    assert grade_by_code(asked("36%"), "passages", "36%") is None


def test_absence_and_no_answer_are_told_by_code() -> None:
    absent = asked(absent=True)
    assert grade_by_code(absent, "absent", "") == Grade("yes", "absence")
    assert grade_by_code(absent, "answer", "It was $5.") == Grade("no", "absence")
    assert grade_by_code(asked("$5"), "nothing", "") == Grade("no", "no answer")
    assert grade_by_code(asked("There are none"), "absent", "The document does not say this.") is None
    assert grade_by_code(asked(), "answer", "It was $5.") == Grade()


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("The leases of warehouses rose by 12% because of inflation.", "yes"),
        ("Leases of the warehouses cost more.", "partly"),
        ("The board met in May.", "no"),
    ],
)
def test_without_a_model_the_share_of_words_and_figures_is_told(answer: str, right: str) -> None:
    question = asked("Warehouse leases rose 12%, through inflation.")
    grade = grade_by_words(question, answer)
    assert (grade.right, grade.by) == (right, "words") and "of 5" in grade.reason


@pytest.mark.parametrize("reference", ["Yes, it was", "There are none", "Customer deposits"])
def test_a_reference_of_few_words_cannot_be_compared_by_words(reference: str) -> None:
    question = asked(reference)
    assert grade_by_words(question, reference).right == ("yes" if "deposits" in reference else "unjudged")


PAGED = document("The rent is $5.\fThe term is two years.\fIt ends in May.\n")


def quote(page: int, last_page: int = 0, start: int = 0, end: int = 5) -> Quote:
    return Quote(1, "words", start, end, page, str(page), "exact", 1, "words", last_page=last_page)


def test_a_quote_on_a_page_that_the_set_names_is_on_gold() -> None:
    gold = asked(pages=(2,))
    assert is_on_gold(gold, [quote(3), quote(2)], PAGED) is True
    assert is_on_gold(gold, [quote(1, 2)], PAGED) is True
    assert is_on_gold(gold, [quote(1), quote(3)], PAGED) is False
    assert is_on_gold(gold, [], PAGED) is False


def test_without_pages_or_gold_there_is_nothing_to_tell() -> None:
    assert is_on_gold(asked(), [quote(1)], PAGED) is None
    assert is_on_gold(asked(pages=(1,)), [quote(1)], document("one page only")) is None
    assert is_on_gold(asked(pages=(4, 5)), [quote(1)], PAGED) is None  # it has three


def test_a_quote_in_a_passage_that_the_set_names_is_on_gold() -> None:
    memo = document("The rent is $5. The term is two years. It ends in May.")
    gold = asked(passages=("nowhere in it", "The  term is two\nyears."))
    assert is_on_gold(gold, [quote(1, start=20, end=24)], memo) is True
    assert is_on_gold(gold, [quote(1, start=0, end=15)], memo) is False
    assert is_on_gold(asked(passages=("nowhere in it",)), [quote(1)], memo) is None
