"""Quotation marks: which words are between them, whatever marks are used and however carelessly."""

import pytest

from ralph_cli.checks.marks import marked_quotations


def found(text: str) -> list[list[str]]:
    """For each quotation its readings, the shortest first; [] for one that is not closed."""
    return [[text[one.start + 1 : end] for end in one.ends] for one in marked_quotations(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It says \u201cwithin thirty days\u201d here.", "within thirty days"),
        ('It says "within thirty days" here.', "within thirty days"),
        ('It says:"within thirty days".', "within thirty days"),
        ("It says \u2018within thirty days\u2019.", "within thirty days"),
        ("It says 'within thirty days'.", "within thirty days"),
        ("Es hei\u00dft \u201ebinnen drei\u00dfig Tagen\u201c.", "binnen drei\u00dfig Tagen"),
        ("Zapis \u201ew terminie\u201d obowi\u0105zuje.", "w terminie"),
        ("Es hei\u00dft \u201abinnen drei\u00dfig Tagen\u2018.", "binnen drei\u00dfig Tagen"),
        ("On lit \u00ab\u00a0sous trente jours\u00a0\u00bb.", "\u00a0sous trente jours\u00a0"),
        ("On lit \u00ab sous trente jours \u00bb ici.", " sous trente jours "),
        ("Es hei\u00dft \u00bbbinnen Frist\u00ab.", "binnen Frist"),
        ("Es hei\u00dft \u203abinnen Frist\u2039.", "binnen Frist"),
        ("Det st\u00e5r \u201dinom trettio dagar\u201d.", "inom trettio dagar"),
        ("It says \u201cwithin thirty days\" here.", "within thirty days"),
        ("It says \u201cwithin thirty days\u201c here.", "within thirty days"),
        ("It says \"within thirty days\u201d here.", "within thirty days"),
        ("\u5951\u7d04\u300c\u4e09\u5341\u65e5\u4ee5\u5185\u300d\u3068\u3042\u308b", "\u4e09\u5341\u65e5\u4ee5\u5185"),
        ("over \u201ca line's\nend\u201d here", "a line's\nend"),
        ('(the "Customer")', "Customer"),
        ('**"pay each invoice"** is', "pay each invoice"),
        ("It ends.\u201c[T]he Customer\u201d", "[T]he Customer"),
        ("the \u201cclause \u2018six days\u2019 is replaced\u201d", "clause \u2018six days\u2019 is replaced"),
        ('the words "clause "thirty days" is replaced" here', 'clause "thirty days" is replaced'),
        ("the \u201cclause \u201csix days\u201d is replaced\u201d", "clause \u201csix days\u201d is replaced"),
        ('the \u201cclause "six days" is replaced\u201d', 'clause "six days" is replaced'),
        ('the "clause \u201csix days\u201d is replaced"', "clause \u201csix days\u201d is replaced"),
        ('the ""six days" is replaced"', '"six days" is replaced'),
        ("the \u201c\u201csix days\u201d is replaced\u201d", "\u201csix days\u201d is replaced"),
        ("dit \u00ab mot \u00ab loyer \u00bb dit \u00bb", " mot \u00ab loyer \u00bb dit "),
        ("\u201che said \"pay now\u201d and left", 'he said "pay now'),
        ("\u2018the Customer\u2019s right to claim\u2019 stands", "the Customer\u2019s right to claim"),
        ("'the Customer's right to claim' stands", "the Customer's right to claim"),
        ("\u2018It doesn\u2019t apply\u2019, he says", "It doesn\u2019t apply"),
    ],
)  # fmt: skip
def test_what_is_between_the_marks(text: str, words: str) -> None:
    assert found(text) == [[words]]


def test_several_in_a_line() -> None:
    assert found("\u201cone\u201d and \"two\", 'three' or \u2018four\u2019") == [["one"], ["two"], ["three"], ["four"]]


@pytest.mark.parametrize(
    "text",
    [
        "the parties' rights and the customers' duties",
        "It doesn't and won't; rock 'n' roll of the \u201890s, \u2019tis said",
        'a 5" pipe and a 6" pipe',
        "O\u2019Brien\u2019s and Hawai\u2018i",
        "the Customer\u2019s parties\u2019 rights",
    ],
)
def test_apostrophes_and_inches_are_none(text: str) -> None:
    assert found(text) == []


def test_a_doubtful_end_gives_both_readings() -> None:
    text = "He says \u2018the parties\u2019 rights end\u2019 there."
    assert found(text) == [["the parties", "the parties\u2019 rights end"]]
    assert found("\u2018Services\u2019 and the \u2018Platform\u2019") == [["Services"], ["Platform"]]
    assert found('"a 5" pipe is laid" it says') == [["a 5", 'a 5" pipe is laid']]
    assert found('a "priority 1" case means \u201cthe Platform fails\u201d') == [["priority 1"], ["the Platform fails"]]
    assert found('"in 2018" and "in 2019"') == [["in 2018"], ["in 2019"]]


def test_what_never_closes_is_told_and_does_not_swallow_the_next() -> None:
    assert found("It says \u201cwithin thirty days and no more.") == [[]]
    assert found('It says "within thirty days and no more.') == [[]]
    assert found("It says \u201cwithin thirty \u201cand forty\u201d days.") == [[], ["and forty"]]
    assert found("It says 'within thirty days") == []
    assert found("\u201c" + "x" * 21_000 + "\u201d") == [[], []]


def test_a_mark_that_only_closes_is_told() -> None:
    assert found("within thirty days\u201d and no more") == [[]]
    assert found('It says within thirty days" and "no more"') == [[], ["no more"]]
