"""Every row of the four source designs has tests that prove it: A1-A15, B1-B5, C1-C7, D1-D8.

Modules that prove rows say so in a dict `ROWS` of row to test names; the table below names the others.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

WANTED = [
    *(f"A{number}" for number in range(1, 16)),
    *(f"B{number}" for number in range(1, 6)),
    *(f"C{number}" for number in range(1, 8)),
    *(f"D{number}" for number in range(1, 9)),
]

TABLE = {
    "A1": [
        "test_ask.py::test_an_answer_that_holds_is_accepted_with_page_and_place",
        "checks/test_checks.py::test_each_rule_of_form_fails_where_it_must",
        "test_config.py::test_ranges_and_counts",
    ],
    "A3": [
        "sandbox/test_sandbox_session.py::test_variables_are_kept",
        "rlm/test_rlm.py::test_an_observation_shows_output_value_and_error_within_the_cap",
    ],
    "A4": [
        "rlm/test_rlm.py::test_the_budget_of_subqueries_is_the_hosts",
        "rlm/test_rlm.py::test_a_failed_item_fails_alone_and_is_never_a_string",
        "rlm/test_rlm.py::test_at_least_16_are_in_flight",
        "rlm/test_rlm.py::test_the_worker_is_warned_at_four_fifths_of_its_subqueries",
    ],
    "A5": ["test_ask.py::test_when_the_steps_are_used_up_one_call_over_the_trajectory_answers"],
    "A6": [
        "test_ask.py::test_a_wrong_quote_costs_one_turn_and_not_an_iteration",
        "checks/test_checks.py::test_a_dear_check_is_not_made_after_a_cheap_one_failed",
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
        "journal/test_journal.py::test_traces_follow_the_events_and_a_foreign_index_is_left_alone",
        "commands/test_progress.py::test_the_heartbeat_beats_by_itself",
        "commands/test_cli.py::test_what_a_person_can_mend_is_one_line_and_exit_code_1",
    ],
    "A13": [
        "test_config.py::test_flags_win_over_the_environment_over_the_file_over_the_defaults",
        "test_config.py::test_both_spellings_of_a_key_are_read",
        "test_docs.py::test_the_table_of_settings_is_the_settings",
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


def declared() -> dict[str, list[str]]:
    """The table, and what the test modules say of themselves."""
    rows = {row: list(tests) for row, tests in TABLE.items()}
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            target = node.target if isinstance(node, ast.AnnAssign) else None
            names = node.targets if isinstance(node, ast.Assign) else [target]
            if any(isinstance(name, ast.Name) and name.id == "ROWS" for name in names):
                said = ast.literal_eval(node.value)  # type: ignore[attr-defined]
                for row, tests in said.items():
                    place = path.relative_to(TESTS).as_posix()
                    rows.setdefault(row, []).extend(f"{place}::{test}" for test in tests)
    return rows


def exists(test: str) -> bool:
    """Whether there is such a test, or such a module with tests in it."""
    name, _, function = test.partition("::")
    path = TESTS / name
    if not path.is_file():
        return False
    functions = {
        node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.FunctionDef)
    }
    return function in functions if function else any(item.startswith("test_") for item in functions)


@pytest.mark.parametrize("row", WANTED)
def test_the_row_is_proved(row: str) -> None:
    tests = declared().get(row, [])
    assert tests, f"no test proves {row}"
    assert [test for test in tests if not exists(test)] == []


def test_no_row_is_made_up() -> None:
    assert set(declared()) <= set(WANTED)
