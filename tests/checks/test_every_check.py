"""Every check has a test in which it fails."""

import ast
from pathlib import Path

import pytest
from test_parity import fault

CHECKS = Path(__file__).parents[2] / "ralph_cli" / "checks"

FAILS = {
    "AbsenceReader": "test_absences.py::test_an_answer_in_other_words_goes_to_the_worker_with_its_place",
    "CitedPassages": "test_looks.py::test_a_passage_that_contradicts_a_claim_sends_it_back_with_its_words",
    "CoverageCheck": "test_check_coverage.py::test_too_little_names_the_pages_to_read_and_how",
    "FormCheck": "test_checks.py::test_the_form_of_an_attempt_is_that_of_what_was_found_of_it",
    "Judge": "test_judge.py::test_a_clear_verdict_is_asked_for_once",
    "ListReader": "test_lists.py::test_a_missing_item_sends_the_list_back_once_and_is_then_told_as_a_doubt",
    "NumbersCheck": "test_corpus.py::test_figures_stand_or_are_refused_as_the_corpus_says",
    "OutputCheck": "test_output.py::test_lengths_are_named_exactly",
    "QuoteCheck": "test_checks.py::test_a_quote_moved_from_its_place_or_page_does_not_hold",
    "SubqueryCheck": "test_lost_subqueries.py::test_an_answer_is_not_accepted_while_more_than_the_share_are_lost",
    "TaskJudge": "test_task.py::test_the_judges_issues_flow_back_to_the_reader_and_the_reasoner",
    "VerifierCheck": "test_verifier.py::test_anything_that_fits_is_a_verifier",
}


def checks_in(source: str) -> set[str]:
    """The classes of a module that play the part of a check: called with an attempt, they give evidence."""
    return {
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name == "__call__"
        if method.returns is not None and ast.unparse(method.returns) == "Evidence"
    }


def test_every_check_is_named_here() -> None:
    assert set().union(*(checks_in(path.read_text("utf-8")) for path in CHECKS.rglob("*.py"))) == set(FAILS)
    assert checks_in("class A:\n    def __call__(self, attempt: Attempt) -> Evidence: ...\nclass B: ...") == {"A"}


@pytest.mark.parametrize("check", FAILS)
def test_the_test_in_which_it_fails_is_there(check: str) -> None:
    assert fault(FAILS[check]) == ""
