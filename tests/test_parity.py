"""Every row of docs/designs.md has tests that prove it, and no test claims a row that is not there.

Modules that prove rows say so in a dict `ROWS` of row to test names; the table below names the others.
"""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
DESIGNS = TESTS.parent / "docs" / "designs.md"


def designed(text: str) -> list[str]:
    """The ids of the rows of a table of designs."""
    return re.findall(r"(?m)^\| *([A-Z]+\d+) *\| *[^\s|]", text)


WANTED = designed(DESIGNS.read_text("utf-8"))

TABLE = {
    "A1": [
        "test_ask.py::test_an_answer_that_holds_is_accepted_with_page_and_place",
        "test_checks.py::test_each_rule_of_form_fails_where_it_must",
        "test_config.py::test_ranges_and_counts",
    ],
    "A3": [
        "test_sandbox_session.py::test_variables_are_kept",
        "test_rlm.py::test_an_observation_shows_output_value_and_error_within_the_cap",
    ],
    "A4": [
        "test_rlm.py::test_the_budget_of_subqueries_is_the_hosts",
        "test_rlm.py::test_a_failed_item_fails_alone_and_is_never_a_string",
        "test_rlm.py::test_at_least_16_are_in_flight",
        "test_rlm.py::test_the_worker_is_warned_at_four_fifths_of_its_subqueries",
    ],
    "A5": ["test_ask.py::test_when_the_steps_are_used_up_one_call_over_the_trajectory_answers"],
    "A6": [
        "test_ask.py::test_a_wrong_quote_costs_one_turn_and_not_an_iteration",
        "test_checks.py::test_a_dear_check_is_not_made_after_a_cheap_one_failed",
    ],
    "A7": [
        "test_ask.py::test_the_judge_sees_the_question_last_and_220_characters_around_each_quote",
        "test_config.py::test_models_follow_the_keys",
    ],
    "A8": [
        "test_ask.py::test_a_judges_refusal_leads_to_a_repaired_second_iteration",
        "test_ask.py::test_a_run_that_never_passes_returns_its_best_attempt",
    ],
    "A12": [
        "test_ask.py::test_the_journal_tells_the_same_as_the_result_and_the_traces_are_there",
        "test_journal.py::test_traces_follow_the_events_and_a_foreign_index_is_left_alone",
        "test_progress.py::test_the_heartbeat_beats_by_itself",
        "test_cli.py::test_what_a_person_can_mend_is_one_line_and_exit_code_1",
    ],
    "A13": [
        "test_config.py::test_flags_win_over_the_environment_over_the_file_over_the_defaults",
        "test_config.py::test_both_spellings_of_a_key_are_read",
        "test_docs.py::test_the_table_of_settings_is_made_from_the_settings",
    ],
    "A14": [
        "providers/test_requests.py",
        "providers/test_faults.py",
        "test_architecture.py::test_importing_loads_no_vendor_sdk_and_says_nothing",
    ],
    "A15": [
        "test_architecture.py::test_the_layers_hold",
        "test_architecture.py::test_no_import_cycle_not_even_a_deferred_one",
    ],
}


@cache
def declared() -> dict[str, list[str]]:
    """The table, and what the test modules say of themselves."""
    rows = {row: list(tests) for row, tests in TABLE.items()}
    texts = {path: path.read_text("utf-8") for path in sorted(TESTS.rglob("test_*.py"))}
    for path in (path for path, text in texts.items() if "ROWS" in text):
        for node in ast.parse(texts[path]).body:
            target = node.target if isinstance(node, ast.AnnAssign) else None
            names = node.targets if isinstance(node, ast.Assign) else [target]
            if any(isinstance(name, ast.Name) and name.id == "ROWS" for name in names):
                said = ast.literal_eval(node.value)  # type: ignore[attr-defined]
                for row, tests in said.items():
                    rows.setdefault(row, []).extend(f"{path.name}::{test}" for test in tests)
    return rows


def fault(test: str) -> str:
    """Why a test proves nothing: it is not there, is skipped or looks at nothing; of a module, why none of it does."""
    name, _, function = test.partition("::")
    path = next(TESTS.rglob(name), None)
    return fault_in(path.read_text("utf-8"), function) if path else "no such file"


def fault_in(source: str, function: str) -> str:
    """The same of a test in a module's source; without a `function` of all its tests."""
    module = ast.parse(source)
    settings = [node for node in module.body if isinstance(node, ast.Assign)]
    if any(SKIPS & words(node.value) for node in settings if "pytestmark" in words(node.targets[0])):
        return "the module is skipped"
    tests = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    wanted = [node for node in tests if (node.name == function if function else node.name.startswith("test_"))]
    faults = [fault_of(node) for node in wanted]
    return "no such test" if not faults else "" if "" in faults else faults[0]


def fault_of(test: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Why a test function proves nothing; one that is skipped on some machines only still proves it on others."""
    for decorator in test.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        always = isinstance(decorator, ast.Call) and decorator.args and isinstance(decorator.args[0], ast.Constant)
        if words(called) & {"skip", "xfail"} or (always and "skipif" in words(called)):
            return "skipped"
    for node in test.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and words(node.value.func) & SKIPS:
            return "skipped"
    return "" if any(looks(node) for node in ast.walk(test)) else "it looks at nothing"


SKIPS = {"skip", "xfail", "importorskip"}


def looks(node: ast.AST) -> bool:
    """Whether a statement can fail on a wrong result: it asserts something, or calls what does."""
    if isinstance(node, ast.Assert):
        return not isinstance(node.test, ast.Constant)
    called = words(node.func) if isinstance(node, ast.Call) else set()
    return bool(called & {"raises", "fail"}) or any(name.startswith(("assert", "check", "expect")) for name in called)


def words(node: ast.AST) -> set[str]:
    """The names in an expression, without what strings say."""
    return {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)} | {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name)
    }


@pytest.mark.parametrize("row", WANTED)
def test_the_row_is_proved(row: str) -> None:
    tests = declared().get(row, [])
    assert tests, f"no test proves {row}"
    assert {test: why for test in tests if (why := fault(test))} == {}


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def test_a():\n    assert made() == 1", ""),
        ("async def test_a():\n    assert made()", ""),
        ("def test_a():\n    with pytest.raises(ValueError):\n        made()", ""),
        ("@pytest.mark.skipif(not LINUX, reason='x')\ndef test_a():\n    assert made()", ""),
        ("def test_b():\n    assert made()", "no such test"),
        ("def test_a():\n    pass", "it looks at nothing"),
        ('def test_a():\n    """What it would show."""', "it looks at nothing"),
        ("def test_a():\n    assert True", "it looks at nothing"),
        ("def test_a():\n    made()", "it looks at nothing"),
        ("@pytest.mark.skip\ndef test_a():\n    assert made()", "skipped"),
        ("@pytest.mark.skip(reason='x')\ndef test_a():\n    assert made()", "skipped"),
        ("@pytest.mark.skipif(True, reason='x')\ndef test_a():\n    assert made()", "skipped"),
        ("@pytest.mark.xfail(strict=True)\ndef test_a():\n    assert made()", "skipped"),
        ("def test_a():\n    pytest.skip('later')\n    assert made()", "skipped"),
        ("pytestmark = pytest.mark.skip('later')\ndef test_a():\n    assert made()", "the module is skipped"),
    ],
)
def test_a_test_that_is_skipped_or_empty_proves_nothing(source: str, why: str) -> None:
    assert fault_in(source, "test_a") == why


def test_the_tests_prove_the_rows_of_the_table_and_no_others() -> None:
    assert set(declared()) == set(WANTED)
    assert Counter(row[0] for row in WANTED) == {"A": 15, "B": 5, "C": 7, "D": 8} and len(set(WANTED)) == len(WANTED)


def test_a_row_is_a_line_that_says_something() -> None:
    assert designed("| row | what |\n| --- | --- |\n| A1 | x. |\n| A2 |  |\nA3 | x |\n| B1 | y. |\n") == ["A1", "B1"]
