"""What shows that a list is complete: words that close it, places that were read, pages that were read; or nothing."""

import pytest
from fakes import document

from ralph_cli.checks.completeness import MAX_REFUSALS, CompletenessReview
from ralph_cli.core.run import Attempt, Claim, Completeness, Quote
from ralph_cli.retrieval.quotes.index import QuoteIndex

FILLER = "\n".join(f"{n}. Nothing that matters is said in this line." for n in range(30))
OFFICERS = "The following two are all officers:\nOfficer Ann Lee\nOfficer Bo Ray"
BOARD = document(f"Report.\n{FILLER}\f{OFFICERS}\n{FILLER}\fIce and price.\n{FILLER}")
ANN = BOARD.text.index("Officer Ann")
BO = BOARD.text.index("Officer Bo")


def brief(*starts: int) -> Attempt:
    quotes = tuple(
        Quote(n, BOARD.text[at : at + 11], at, at + 11, 2, "2", "exact", 1, "") for n, at in enumerate(starts, 1)
    )
    return Attempt(claims=tuple(Claim(quote.id, "x", (quote.id,)) for quote in quotes), quotes=quotes)


def review(*shown: tuple[int, int], task: str = "List every officer") -> CompletenessReview:
    return CompletenessReview(BOARD, task, QuoteIndex(BOARD), lambda: tuple(sorted(shown)))


def proved(said: Completeness, *shown: tuple[int, int], attempt: Attempt | None = None) -> tuple[bool, str]:
    (proof,) = review(*shown).prove(said, attempt or brief(ANN, BO))
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
        (Completeness(terms=("ice",)), (page(3),), False, "none of the terms stands near the quotes of items 1-2"),
        (Completeness(terms=("zebra",)), ((ANN, BO + 20),), False, "cannot be counted, or are too common: zebra: 0"),
        (Completeness(pages="2"), (page(2),), True, "the task is about pages 2; all of them were given"),
        (
            Completeness(pages="1-3"),
            (page(2),),
            False,
            "1, 3; what is left begins at show(1, start=0), show(",
        ),
        (Completeness(pages="2-9"), (page(2),), False, "by their numbers"),
        (Completeness(pages="all"), ((0, len(BOARD.text)),), True, "the whole text was read"),
    ],
)
def test_what_is_said_is_looked_at(
    said: Completeness, shown: tuple[tuple[int, int], ...], holds: bool, told: str
) -> None:
    result = proved(said, *shown)
    assert result[0] is holds and told in result[1]


def test_places_that_were_not_read_and_items_elsewhere_are_told_at_once() -> None:
    said = Completeness(terms=("ice",))
    holds, told = proved(said)
    assert not holds and "1 of 1 places" in told and "near the quotes of items 1-2" in told
    (issue,) = review().issues(said, brief(ANN))
    assert "page 3, offset " in issue.material and "ice" in issue.material.split("offset ")[1]
    # An item without a quote says what is not there: no place would have led to it.
    assert proved(said, page(3), attempt=Attempt(claims=(Claim(1, "x", ()),)))[0]


def test_a_text_that_was_read_whole_needs_no_words() -> None:
    (proof,) = review((0, len(BOARD.text))).prove(None, brief(ANN))
    assert proof.holds and proof.message == "the whole text was read"
    said = Completeness(closed_by="The following two are all officers:")
    whole, closing = review((0, len(BOARD.text))).prove(said, brief(ANN))  # said all the same, it is shown to a judge
    assert whole == proof and closing.by == "words" and closing.place is not None
    assert review((0, len(BOARD.text))).prove(Completeness(closed_by="no such"), brief(ANN)) == (proof,)


def test_what_asks_for_no_list_is_left_alone() -> None:
    found = review(task="Say who Ann Lee is")
    assert found.issues(None, brief(ANN)) == () and found.prove(None, brief(ANN)) == ()


def test_what_is_not_shown_is_asked_for_a_few_times_and_then_taken() -> None:
    found = review((0, 10))
    said = [found.issues(None, brief(ANN)) for _ in range(MAX_REFUSALS + 1)]
    assert [len(issues) for issues in said] == [1] * MAX_REFUSALS + [0]
    assert "`complete` was not handed in" in said[0][0].line


@pytest.mark.parametrize(("low", "high", "holds"), [(5, 0, True), (0, 0, False), (5, 9, False)])
def test_a_part_that_begins_and_ends_amid_a_page_at_headings_was_read_whole(low: int, high: int, holds: bool) -> None:
    other = "\n".join(f"{n}. what is said in this line is of another part of it." for n in range(9))
    about = document(
        f"{other}\nItem 3. Legal Proceedings\nOfficer Ann Lee is sued.\f{FILLER}\fOfficer Bo Ray is not.\n"
        f"Item 4. Mine Safety\n{other}"
    )
    begin, end = about.text.index("Item 3") + (0 if low else 40), about.text.index("Item 4") - 2 * high
    (proof,) = CompletenessReview(about, "List every officer", QuoteIndex(about), lambda: ((begin, end),)).prove(
        Completeness(pages="1-3"), Attempt()
    )
    assert proof.holds == holds and ("page 1 from the heading" in proof.message) == holds


@pytest.mark.parametrize("heading", ["Item 4. Mine Safety", "Other Matters of the Court"])
def test_a_last_page_that_was_read_up_to_a_heading_is_told_with_it(heading: str) -> None:
    about = document(
        f"Item 3. Legal Proceedings\nOfficer Ann Lee is sued.\n{FILLER}\fA last word of it.\n{heading}\n{FILLER}"
    )
    end = about.text.index(heading)
    (proof,) = CompletenessReview(about, "List every officer", QuoteIndex(about), lambda: ((0, end),)).prove(
        Completeness(pages="1-2"), Attempt()
    )
    assert proof.holds and f"page 2 up to the heading \u201c{heading}\u201d" in proof.message


def test_a_heading_closes_no_list() -> None:
    about = document(f"Item 3. Legal Proceedings\nOfficer Ann Lee is sued.\nItem 4. Mine Safety\n{FILLER}")
    found = CompletenessReview(about, "List every officer", QuoteIndex(about), lambda: ())
    for words, holds in (("Item 4. Mine Safety", False), ("Officer Ann Lee is sued.", True)):
        (proof,) = found.prove(Completeness(closed_by=words), Attempt())
        assert proof.holds is holds


def test_a_last_page_of_which_nothing_was_read_is_not_read() -> None:
    about = document(f"Item 3. Legal Proceedings\n{FILLER}\f\nItem 4. Mine Safety\n{FILLER}")
    end = about.pages[0].end
    (proof,) = CompletenessReview(about, "List every officer", QuoteIndex(about), lambda: ((0, end),)).prove(
        Completeness(pages="1-2"), Attempt()
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
    (proof,) = found.prove(Completeness(sections=(name,)), Attempt())
    assert proof.holds == told.startswith("the task") and told in proof.message
    assert not left or f"at({end})" in proof.message


def test_an_item_stands_near_a_place_of_the_same_section() -> None:
    parts = [f"Item {n}. {name}\n{FILLER}\n{name} of Ann Lee.\n" for n, name in ((3, "Lawsuits"), (4, "Mines"))]
    about = document("".join(parts), kind="docx")
    for quoted, holds in (("Lawsuits of Ann Lee.", True), ("Mines of Ann Lee.", False)):
        at = about.text.index(quoted)
        attempt = brief(at)
        found = CompletenessReview(about, "List every suit", QuoteIndex(about), lambda: ((0, len(parts[0])),))
        (proof,) = found.prove(Completeness(terms=("Item 3",)), attempt)
        assert proof.holds is holds


@pytest.mark.parametrize(
    ("task", "term", "is_asked", "holds"),
    [
        ("Summarize the report in at most 120 words", "officer", False, False),
        ("Summarize what is said of officers", "officer", False, True),
        ("Summarize what is said of directors", "officer", True, False),
        ("Summarize every role, in at most 120 words", "officer", False, True),
    ],
)
def test_a_summary_is_no_list_and_any_term_proves_nothing_of_it(
    task: str, term: str, is_asked: bool, holds: bool
) -> None:
    found, said = review((ANN - 40, BO + 20), task=task), Completeness(terms=(term,))
    assert bool(found.issues(said, brief(ANN, BO))) is is_asked
    (proof,) = found.prove(said, brief(ANN, BO))
    assert proof.holds is holds and ("by terms that name it" in proof.message) is not holds
