"""Where an answer would stand if there were one: the passages that hold most of a question's words."""

from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.retrieval.search.nearest import WINDOW, find_words, key_words, nearest_passages

FILLER = "Nothing of interest is told here, and nothing will be.\n" * 40
TEXT = (
    f"{FILLER}Tenant and hall are named.\n{FILLER}The tenant may park bicycles in the yard.\f{FILLER}"
    f"Cars of tenants:\nparking in the hall is not provided for.\n{FILLER}The tenant pays $48,000.\n{FILLER}"
)


def test_key_words_are_those_that_tell_something() -> None:
    assert key_words("What is the parking policy for tenants in FY2018 at 3M, and is 48,000 paid?") == {
        "park": "parking",
        "policy": "policy",
        "tenant": "tenants",
        "fy": "FY",
        "2018": "2018",
        "48,000": "48,000",
        "paid": "paid",
    }
    assert key_words("What is it?") == {}


def test_words_are_found_whatever_they_end_with_and_figures_as_they_are() -> None:
    found = find_words(key_words("parked tenants 48,000"), TEXT)
    assert {(stem, TEXT[a:b]) for a, b, stem in found} == {
        ("park", "park"),
        ("park", "parking"),
        ("tenant", "Tenant"),
        ("tenant", "tenant"),
        ("tenant", "tenants"),
        ("48,000", "48,000"),
    }
    assert find_words(key_words("48,00"), TEXT) == [] and find_words({}, TEXT) == []


def test_the_passage_that_holds_most_comes_first_whole_lines_of_one_page() -> None:
    first, second, third = nearest_passages("Is parking in the hall provided for tenants?", TEXT)
    line = "Nothing of interest is told here, and nothing will be."
    told = "Cars of tenants:\nparking in the hall is not provided for."
    assert TEXT[first.start : first.end] == f"{line}\n{line}\n{told}\n{line}\n{line}"
    assert first.words == ("tenants", "parking", "hall", "provided") and first.share == 1.0
    assert "Tenant and hall are named" in TEXT[second.start : second.end]
    assert TEXT[third.start : third.end].endswith("The tenant may park bicycles in the yard.")  # the page ends there
    assert first.share > second.share >= third.share > 0


def test_words_that_stand_nowhere_weigh_in_the_share() -> None:
    (only, *_) = nearest_passages("Is there a parrot for the tenants?", TEXT)
    assert only.words == ("tenants",) and only.share < 0.5
    assert nearest_passages("Who keeps a parrot in Borneo?", TEXT) == ()
    assert (
        nearest_passages("Does the tenant keep a parrot, a gecko, an iguana and an axolotl?", TEXT) == ()
    )  # next to nothing
    assert nearest_passages("Is it?", TEXT) == () and nearest_passages("parking", "") == ()


@given(st.text(max_size=80), st.text(alphabet="parking tenant\n\f", max_size=3_000))
def test_passages_are_apart_and_within_the_text(question: str, text: str) -> None:
    found = nearest_passages(question + " parking of a tenant", text)
    assert len(found) <= 3
    for near in found:
        assert (
            0 <= near.start < near.end <= len(text) and near.end - near.start <= 2 * WINDOW and 0 < near.share <= 1.001
        )
