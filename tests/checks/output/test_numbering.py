"""Numbers of sections are those of headings and clauses; a count is one of the items that follow."""

from pathlib import Path

import pytest

from ralph_cli.checks.output.grounding import GroundingSources
from ralph_cli.checks.output.numbering import section_numbers
from ralph_cli.checks.output.shape import Piece, pieces

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("# 7 Fees", "7"),
        ("**7.2** the Supplier pays", "7.2"),
        ("7. Fees", "7"),
        ("7) Fees", "7"),
        ("Clause 7 Fees and charges, and what is said of them in the schedules to this agreement.", "7"),
        ("NOTE 12.  Long-Term Debt and Short-Term Borrowings", "12"),
        ("Item 7A.  Quantitative and Qualitative Disclosures  51", "7"),
        ("7.1 The Supplier shall pay", "7.1"),
        ("7.1", ""),
        ("1. The Supplier shall pay what it owes, at once and without delay.\n2. The Customer shall pay, too.", "1 2"),
        ("6 Debt\ntext\n7 Legal proceedings\n", "6 7"),
        ("6 Debt ........ 31\n7 Legal proceedings  35\n", "6 7"),
        ("7 Legal proceedings\n7.1 The district", "7 7.1"),
        ("4.1 if it is late\n4.2 if it is not", "4.1 4.2"),
        ("45 employees work there", ""),
        ("45 Employees", ""),
        ("the staff of\n45. They work in the town, and will do so for as long as it is thought that they should.", ""),
        ("45 Employees  44 Employees  12", ""),
        ("12.5 Margin  12.1  11.9", ""),
        ("21.2 percent, up 1.6 percentage points", ""),
        ("21.1 percent of it\n21.2 percent of it", ""),
        ("2018  2017\n12  14\n", ""),
        ("21\fTable of Contents\n22\fTable of Contents\n23", ""),
        ("737 Program The accounting quantity for the 737 program increased by 400 units during 2022", ""),
        ("10 cents for full year 2018.\n11 cents for 2019.", ""),
        ("45", ""),
        ("2.0x\n2.1x", ""),
        ("Notes  385  412", ""),
        ("10.1 Basis of preparation", "10.1"),
    ],
)
def test_a_section_has_the_look_of_a_heading_or_clause(text: str, numbers: str) -> None:
    assert section_numbers(text) == frozenset(numbers.split())


def test_a_clause_is_no_line_that_begins_with_a_number() -> None:
    document = "We have\n45 employees in the town.\n\n4. Staff\n\n4.5 The staff is paid.\n"
    ground = GroundingSources(["The staff is paid."], sections=section_numbers(document))
    assert [miss.message for miss in ground.find_unsupported(pieces("see clause 45", "md"))] != []
    assert ground.find_unsupported(pieces("see clause 4.5 and section 4", "md")) == ()


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
    contract = section_numbers((SAMPLES / "contract.md").read_text("utf-8"))
    assert {str(number) for number in range(1, 18)} <= contract
    assert {"4.2", "14.1", "17.3"} <= contract and not {"28", "31", "45", "2023"} & contract
    report = section_numbers((SAMPLES / "report.md").read_text("utf-8"))
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
        "3% of fees:", "It has 3 million customers:", "# Revenue of 3", "# Fiscal 3 results", "Note 3 says:",
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
