"""Where sentences end, and which one stands around a place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.text.sentences import CLAUSES, sentence_at, sentence_ends


def split(text: str, stops: str = ".!?") -> list[str]:
    begins = [0, *(begin for _, begin in sentence_ends(text, stops=stops))]
    stopped = [*(stop for stop, _ in sentence_ends(text, stops=stops)), len(text)]
    return [text[begin:stop] for begin, stop in zip(begins, stopped, strict=True)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Sales rose. Costs fell! Why? Nobody knows.", ["Sales rose.", "Costs fell!", "Why?", "Nobody knows."]),
        ("Sales rose to 5.3 million. 12 stores closed.", ["Sales rose to 5.3 million.", "12 stores closed."]),
        ("He said “it rose.” She left.", ["He said “it rose.”", "She left."]),
        ("Acme Inc. sold Beta Corp. Ltd. It failed.", ["Acme Inc. sold Beta Corp. Ltd.", "It failed."]),
        ("J. The of Roe v. The State Corp. Delta sold.", ["J. The of Roe v. The State Corp. Delta sold."]),
        ("It begins at 4:30 p.m. ET. We list it.", ["It begins at 4:30 p.m. ET.", "We list it."]),
        ("See “Item 8. Statements” of 2008. It rose.", ["See “Item 8. Statements” of 2008.", "It rose."]),
        ("It rose.² It fell.[⁷][⁸] So what.", ["It rose.²", "It fell.[⁷][⁸]", "So what."]),
        ("Масса велика. Радиус мал.", ["Масса велика.", "Радиус мал."]),
        ("It is in the U.S. Sales rose, e.g. Store 5 did.", ["It is in the U.S. Sales rose, e.g. Store 5 did."]),
        ("See no. 5 and p. 12 there. It rose.", ["See no. 5 and p. 12 there.", "It rose."]),
        ("The answer is no. The lease ends.", ["The answer is no.", "The lease ends."]),
        ("It rose. (p. 5) It fell.", ["It rose. (p. 5)", "It fell."]),
        ("It rose\n\nand fell\fand stayed", ["It rose", "and fell", "and stayed"]),
        ("The terms:\n- one\n- two", ["The terms:", "- one", "- two"]),
        ("what ended. and what did not", ["what ended. and what did not"]),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_the_parts_of_a_contract_end_at_other_stops_too() -> None:
    text = "The Tenant shall: (a) pay the rent; (b) keep the house. Nothing else."
    assert split(text, CLAUSES) == ["The Tenant shall:", "(a) pay the rent;", "(b) keep the house.", "Nothing else."]
    assert len(split(text)) == 2


def test_the_sentence_around_a_place_is_whole_whatever_part_of_it_is_asked_for() -> None:
    text = "Sales rose. Costs of Acme Inc. fell by 5%. Nobody knows why."
    begin, stop = text.index("Costs"), text.index(" Nobody")
    for start, end in ((begin, begin + 5), (begin, stop), (text.index("Inc"), stop - 1), (text.index("5%"), stop)):
        assert sentence_at(text, start, end) == (begin, stop)
    assert sentence_at(text, begin - 3, begin + 3) == (0, stop)
    assert sentence_at(text, begin + 8, begin + 9, begin + 6, begin + 12) == (begin + 6, begin + 12)


@given(st.text(alphabet='aB. \n?)"', max_size=40), st.integers(0, 40), st.integers(1, 10))
def test_a_sentence_holds_its_place(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    first, last = sentence_at(text, start, end)
    assert 0 <= first <= start <= end <= last <= len(text)
