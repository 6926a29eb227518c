"""Numbers of sections are those of headings and clauses; a count is one of the items that follow."""

from pathlib import Path

import pytest
from fakes import document

from ralph_cli.checks.output.grounding import GroundingSources
from ralph_cli.checks.output.numbering import section_numbers
from ralph_cli.checks.output.shape import Piece, pieces
from ralph_cli.documents.source import DocumentSource

SAMPLES = Path(__file__).parents[3] / "samples"


def test_a_clause_is_no_line_that_begins_with_a_number() -> None:
    staff = document("3. Town\n\nWe have\n45 employees.\n\n4. Staff\n\n4.1 The staff is paid.\n", kind="markdown")
    ground = GroundingSources(["The staff is paid."], sections=section_numbers(staff))
    assert [miss.message for miss in ground.find_unsupported(pieces("see clause 45", "md"))] != []
    assert ground.find_unsupported(pieces("see clause 4.1 and section 4", "md")) == ()


def test_a_column_of_clauses_names_those_that_the_document_or_a_quote_has() -> None:
    quotes = ["13.1 Either party may end it.", "The following is added as clause 9.6."]
    ground = GroundingSources(quotes, sections=frozenset({"13.1", "7"}))

    def misses(label: str, cell: str) -> int:
        return len(ground.find_unsupported([Piece(cell, label)]))

    for label in ("Clause", "clause_no", "Section", "\u00a7"):
        assert misses(label, "13.1(a)") == misses(label, "9.6 and 7(b)") == 0
        assert misses(label, "13.4") == misses(label, "7 boats are moored") == 1
    assert misses("Boats", "7") == misses("Items", "7") == 1


def test_all_clauses_of_the_samples_are_known() -> None:
    contract = section_numbers(DocumentSource.of(SAMPLES / "contract.md").load())
    assert {str(number) for number in range(1, 18)} <= contract
    assert {"4.2", "14.1", "17.3"} <= contract and not {"28", "31", "45", "2023"} & contract
    report = section_numbers(DocumentSource.of(SAMPLES / "report.md").load())
    assert {"1", "1.1", "10.2", "11", "4.6", "6.4"} <= report


THREE = "\n- a\n- b\n- c\n"


@pytest.mark.parametrize(
    "line",
    [
        "There are 3 deadlines:", "The contract sets 3 notice periods that matter:", "3 obligations of the Supplier:",
        "# 3 deadlines", "## The 3 deadlines", "**3 deadlines:**", "The following 3 points are open:",
    ],
)  # fmt: skip
def test_a_line_may_count_the_list_that_follows(line: str) -> None:
    assert GroundingSources(("x",)).find_unsupported(pieces(line + THREE, "md")) == ()


@pytest.mark.parametrize(
    "line",
    [
        "# Total breaches 3", "# Breaches: 3", "Total breaches 3:", "The Supplier has 3 days:", "It owes $3 fees:",
        "3% of fees:", "It has 3 million customers:", "# Revenue of 3", "Note 3 says:",
        "## 3", "There are 4 deadlines:", "It grew by 3 percentage points:", "3 production lines are idle.",
        "It lost 3 points.",
    ],
)  # fmt: skip
def test_a_figure_that_counts_something_else_is_looked_up(line: str) -> None:
    (miss,) = GroundingSources(("x",), item_count=3).find_unsupported(pieces(line + THREE, "md"))
    assert "the figure" in miss.message


def test_the_items_of_the_brief_may_be_counted() -> None:
    ground = GroundingSources(("x",), item_count=3)
    assert (
        ground.find_unsupported(
            pieces("3 items were found; 3 separate findings; the 3 quoted passages; 3 key points", "md")
        )
        == ()
    )
