"""What shows that a list is complete: words that close it, places that were read, pages that were read; or nothing."""

import pytest
from fakes import document

from ralph_cli.checks.completeness import MAX_REFUSALS, CompletenessReview
from ralph_cli.core.run import Completeness
from ralph_cli.retrieval.quotes.index import QuoteIndex

FILLER = "\n".join(f"{n}. Nothing that matters is said in this line." for n in range(30))
OFFICERS = "The following two are all officers:\nOfficer Ann Lee\nOfficer Bo Ray"
BOARD = document(f"Report.\n{FILLER}\f{OFFICERS}\n{FILLER}\fIce and price.\n{FILLER}")
ANN = BOARD.text.index("Officer Ann")
BO = BOARD.text.index("Officer Bo")


def review(*shown: tuple[int, int], task: str = "List every officer") -> CompletenessReview:
    return CompletenessReview(BOARD, task, QuoteIndex(BOARD), lambda: tuple(sorted(shown)))


def proved(said: Completeness, *shown: tuple[int, int]) -> tuple[bool, str]:
    (proof,) = review(*shown).prove(said)
    return proof.holds, proof.message


def page(number: int) -> tuple[int, int]:
    return BOARD.pages[number - 1].start, BOARD.pages[number - 1].end


@pytest.mark.parametrize(
    ("said", "shown", "holds", "told"),
    [
        (Completeness(closed_by="The following two are all officers"), (), True, "that close the list (p. 2)"),
        (Completeness(closed_by="These are all directors"), (), False, "are not in the document"),
        (Completeness(terms=("officer",)), ((ANN - 40, BO + 20),), True, "officer: 3 places"),
        (Completeness(terms=("officer",)), ((ANN, ANN + 20),), False, "2 of 3 places of these terms were not read"),
        (Completeness(terms=("zebra",)), ((ANN, BO + 20),), False, "cannot be counted, or are too common: zebra: 0"),
        (Completeness(pages="2"), (page(2),), True, "the task is about pages 2; all of them were given"),
        (Completeness(pages="1-3"), (page(2),), False, "1, 3; what is left begins at show(1, start=0), show("),
        (Completeness(pages="2-9"), (page(2),), False, "by their numbers"),
        (Completeness(pages="all"), ((0, len(BOARD.text)),), True, "the whole text was read"),
    ],
)
def test_what_is_said_is_looked_at(
    said: Completeness, shown: tuple[tuple[int, int], ...], holds: bool, told: str
) -> None:
    result = proved(said, *shown)
    assert result[0] is holds and told in result[1]


def test_places_that_were_not_read_are_told_with_their_lines() -> None:
    (issue,) = review().issues(Completeness(terms=("ice",)))
    assert "1 of 1 places of these terms were not read: pages 3" in issue.material
    assert "page 3, offset " in issue.material and "Ice and price." in issue.material.split("offset ")[1]


def test_a_text_that_was_read_whole_needs_no_words() -> None:
    (proof,) = review((0, len(BOARD.text))).prove(None)
    assert proof.holds and proof.message == "the whole text was read"
    said = Completeness(closed_by="The following two are all officers:")
    whole, closing = review((0, len(BOARD.text))).prove(said)  # said all the same, it is shown to a judge
    assert whole == proof and closing.by == "words" and closing.place is not None
    assert review((0, len(BOARD.text))).prove(Completeness(closed_by="no such")) == (proof,)


def test_what_asks_for_no_list_is_left_alone() -> None:
    found = review(task="Say who Ann Lee is")
    assert found.issues(None) == () and found.prove(None) == ()


def test_what_is_not_shown_is_asked_for_a_few_times_and_then_taken() -> None:
    found = review((0, 10))
    said = [found.issues(None) for _ in range(MAX_REFUSALS + 1)]
    assert [len(issues) for issues in said] == [1] * MAX_REFUSALS + [0]
    assert "`complete` was not handed in" in said[0][0].line


def test_a_last_page_of_which_nothing_was_read_is_not_read() -> None:
    about = document(f"Item 3. Legal Proceedings\n{FILLER}\f\nItem 4. Mine Safety\n{FILLER}")
    end = about.pages[0].end
    (proof,) = CompletenessReview(about, "List every officer", QuoteIndex(about), lambda: ((0, end),)).prove(
        Completeness(pages="1-2")
    )
    assert not proof.holds


@pytest.mark.parametrize(
    ("left", "name", "told"),
    [
        (0, "legal proceedings", "the task is about the parts under \u201cItem 3. Legal Proceedings\u201d"),
        (40, "Item 3", "not all was read of the parts under \u201cItem 3. Legal Proceedings\u201d from at("),
        (0, "Item 9", "no heading has these words: \u201cItem 9\u201d"),
    ],
)
def test_a_part_that_is_named_by_its_heading_was_read_whole(left: int, name: str, told: str) -> None:
    about = document(
        f"Item 3. Legal Proceedings\n{FILLER}\nOfficer Ann Lee is sued.\nItem 4. Mine Safety\n{FILLER}", kind="docx"
    )
    end = about.text.index("Item 4") - left
    found = CompletenessReview(about, "List every officer", QuoteIndex(about), lambda: ((0, end),))
    (proof,) = found.prove(Completeness(sections=(name,)))
    assert proof.holds == told.startswith("the task") and told in proof.message
    assert not left or f"at({end})" in proof.message
