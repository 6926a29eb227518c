"""What holds off each threat of `docs/security.md` is needed: without it, a test that the page names fails."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from removals import ROOT, Removal, assert_needed, copied_project

PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
TESTS = {
    int(row[1]): re.findall(r"`(tests/[\w/]+\.py::test_\w+)`", row[0])
    for row in re.finditer(r"^\| (\d+) \| .+ \|$", PAGE, re.M)
}
"""By the number of the threat the tests that the page names."""

ONLY_SAID = {16}
"""Threats of which the page says that a person must know of them."""

QUOTES = "tests/retrieval/quotes/test_documents_quotes.py"
HOSTILE = "tests/hostile"

REMOVALS = {
    1: Removal("a quote that is nowhere is refused", "ralph_cli/checks/quotes.py",
               "            refused.append(_not_found_issue(item, document, index))\n", "",
               "tests/checks/test_checks.py::test_a_quote_that_is_not_there_is_named_with_the_closest_true_text"),
    2: Removal("the sandbox has no network", "sandbox/kernel.py", "_NEW_USER | _NEW_NETWORK |", "_NEW_USER |",
               "tests/sandbox/attacks/test_sandbox_walls.py::test_each_wall_of_the_kernel_keeps_its_doors_shut_alone"),
    3: Removal("no redirect is followed", "ralph_cli/providers/vendors/wire.py", "follow_redirects=False",
               "follow_redirects=True", "tests/providers/test_faults.py::test_redirects_are_never_followed", 2),
    4: Removal("a reply is one object and nothing else", "ralph_cli/core/prompts/json_reply.py",
               "body = text.strip()\n", "body = text[max(text.rfind('{\"verdicts\"'), 0) :]\n",
               f"{HOSTILE}/test_obedient_judges.py::test_no_document_can_write_a_verdict_or_mark_a_quote"),
    5: Removal("a claim says something", "ralph_cli/checks/form.py",
               "if len(text) < MIN_CLAIM_CHARS or len(_WORD.findall(text)) < 2:", "if False:",
               "tests/checks/test_checks.py::test_what_says_nothing_never_reaches_a_judge"),
    6: Removal("hidden text is no evidence", "ralph_cli/checks/quotes.py",
               "if quote.hidden and visibility and not visibility.hidden_allowed:", "if False:",
               "tests/documents/test_hidden_text.py::test_an_answer_that_rests_on_hidden_text_is_never_accepted_and_shown_with_its_mark"),
    7: Removal("letters are compared as they are", "ralph_cli/retrieval/quotes/index.py",
               "        quote = quote.strip()\n        if not quote:",
               "        quote = __import__('unicodedata').normalize('NFKC', quote).strip()\n        if not quote:",
               f"{QUOTES}::test_letters_and_figures_that_look_alike_are_others"),
    8: Removal("what may be spent is promised before it is", "ralph_cli/core/budget.py",
               "self._promises[ticket] = (threading.get_ident(), promise)",
               "self._promises[ticket] = (threading.get_ident(), Forecast(0.0, 0))",
               "tests/providers/test_burning.py::test_no_cap_is_broken"),
    9: Removal("what a terminal obeys is written out", "ralph_cli/reports/safe_text.py",
               "if text.isascii() and text.isprintable():", "if True:",
               f"{HOSTILE}/test_outputs.py::test_no_output_holds_what_a_program_obeys"),
    10: Removal("a page escapes what is not its own", "ralph_cli/reports/html/markup.py",
                "html.escape(make_visible(value), quote=True)", "make_visible(value)",
                "tests/reports/test_report_html.py::test_no_foreign_word_changes_what_the_page_is_made_of"),
    11: Removal("no cell is a formula", "ralph_cli/reports/csv.py", "escape_cell(make_visible(str(value)))",
                "make_visible(str(value))", "tests/reports/test_report_tables.py::test_no_cell_is_a_formula"),
    12: Removal("a file is not named by a document", "ralph_cli/runs/report.py",
                'name = safe_file_name(name.replace("/", "_"))', "name = name.strip()",
                f"{HOSTILE}/test_names.py::test_copies_of_files_that_are_named_alike_do_not_overwrite_each_other"),
    13: Removal("a key is cut out of what a service says", "ralph_cli/providers/vendors/faults.py",
                "for key in self.secrets:", "for key in ():",
                "tests/providers/test_exceptions.py::test_what_a_service_says_is_made_safe"),
    14: Removal("a note is shown as data", "ralph_cli/modes/task.py",
                "memory = frame_data(self.memory, nonce) if", "memory = self.memory if",
                "tests/modes/test_task.py::test_what_a_model_notes_reaches_a_later_run_as_data_only"),
    15: Removal("data cannot end its frame", "ralph_cli/core/prompts/framing.py",
                "text.replace(mark, 'data-(crossed out)')", "text",
                f"{HOSTILE}/test_obedient_models.py::test_an_obedient_worker_hands_in_nothing_that_is_not_there"),
    17: Removal("each event is chained to those before it", "ralph_cli/journal/rows.py",
                "if chained[0] != chain:", "if False:",
                "tests/journal/test_sound.py::test_a_journal_that_was_written_to_is_refused"),
    18: Removal("a reply has a size", "ralph_cli/providers/vendors/wire.py",
                "MAX_REPLY_BYTES = 32 * 1024 * 1024", "MAX_REPLY_BYTES = 1 << 40",
                "tests/providers/test_faults.py::test_fault"),
    19: Removal("an agent stays in the allowed folders", "ralph_cli/commands/mcp/fence.py",
                "path = (root / named).resolve()", "path = root / named",
                "tests/commands/mcp_server/test_mcp_fence.py::test_a_path_outside_the_allowed_folders_is_refused"),
}  # fmt: skip
"""By the number of the threat what is taken out, and the test that must fail then."""


def test_each_threat_names_tests_that_are_there_and_one_that_fails_without_its_defence() -> None:
    assert list(TESTS) == list(range(1, 20)) and TESTS.keys() - REMOVALS.keys() == ONLY_SAID
    for number, named in TESTS.items():
        assert number in ONLY_SAID or REMOVALS[number].test in named, number
        for test in named:
            file, _, name = test.partition("::")
            assert re.search(rf"^def {name}\(", (ROOT / file).read_text("utf-8"), re.M), test


@pytest.fixture(scope="module")
def copy() -> Iterator[Path]:
    with copied_project("threats") as folder:
        yield folder


@pytest.mark.full
@pytest.mark.parametrize("number", REMOVALS)
def test_a_test_fails_without_it(number: int, copy: Path) -> None:
    assert_needed(REMOVALS[number], copy)
