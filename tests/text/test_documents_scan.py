"""Search in a text that repeats itself without end takes a bounded effort and tells places apart."""

from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.structure import Span
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.quotes.suggest import alignments
from ralph_cli.text.scan import find_places


def test_no_more_places_are_looked_at_than_the_effort_allows():
    looked: list[int] = []

    def look(at: int) -> None:
        looked.append(at)

    assert list(find_places("a" * 10_000, "a" * 100, look, max_characters=1_000)) == [] and looked == list(range(11))


@given(st.text("ab", max_size=40), st.text("ab", min_size=1, max_size=3))
def test_places_do_not_overlap_and_none_is_left_out_between_them(text, wanted):
    found = list(find_places(text, wanted, lambda at: Span(at, at + len(wanted))))
    assert len(found) == text.count(wanted)
    assert all(text[span.start : span.end] == wanted for span in found)


def test_no_place_is_left_out_behind_one_that_is_not_taken():
    assert [span.start for span in find_places("aaa", "aa", lambda at: Span(at, at + 2) if at else None)] == [1]


def test_a_text_that_repeats_itself_has_places_that_lie_apart(make_document):
    match = QuoteIndex(make_document("la " * 30_000)).find("la " * 100)
    assert match is not None and match.tier == "exact" and match.count == 300
    assert all(one.end <= two.start for one, two in zip(match.occurrences, match.occurrences[1:], strict=False))


def test_a_long_quote_is_found_by_its_beginning_or_its_end():
    words = [f"word{number * 7919 % 10_000}" for number in range(4_000)]
    text = " ".join(words)
    said = words[1_000:1_200]
    for at in (range(150, 200, 2), range(0, 60, 2)):
        quote = " ".join("changed" if number in at else word for number, word in enumerate(said))
        assert len(quote) > 1_500
        (best,) = alignments(quote, text, 1)
        assert best[0] >= 75 and abs(best[1] - text.index(said[0])) < 400
