"""Documents in other languages: which it is, where sentences end, what is searched for, and quotes to the letter."""

import random
import re

import pytest
from fakes import FakeSandbox
from foreign_reports import REPORTS, ForeignReport

from ralph_cli.api import ask
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.documents.quotes.index import QuoteIndex
from ralph_cli.documents.search.nearest import nearest_passages
from ralph_cli.documents.source import DocumentSource
from ralph_cli.text.languages.words import has_unspaced, language_of, split_unspaced
from ralph_cli.text.sentences import sentence_ends

by_language = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.language)

QUOTES = 200


def load(report: ForeignReport) -> Document:
    return DocumentSource("report.txt").load_bytes(report.text.encode(), None)


@by_language
def test_the_language_is_told_of_a_report_and_of_a_question(report: ForeignReport) -> None:
    assert language_of(report.text) == report.language
    assert {language_of(question) for question in report.answers} == {report.language}


def test_english_and_what_has_no_words_are_english() -> None:
    for text in ("What was revenue in fiscal 2024, and why did it fall?", "Revenue 2024", "12,5 %", ""):
        assert language_of(text) == "en"


def test_words_without_spaces_are_parted_by_their_script() -> None:
    assert split_unspaced("有価証券報告書の提出はいつですか") == ["有価", "証券", "報告書", "提出"]
    assert split_unspaced("コミットメントラインの期限") == ["コミットメントライン", "期限"]
    assert split_unspaced("2024年的营业收入是多少") == ["2024", "营业收入"]


@by_language
def test_sentences_end_where_the_language_ends_them(report: ForeignReport) -> None:
    begins = [0, *(begin for _, begin in sentence_ends(report.text))]
    parts = [report.text[a:b].strip() for a, b in zip(begins, [*begins[1:], len(report.text)], strict=True)]
    # The heading, three sentences of the first paragraph, and the five or six of the second.
    assert 9 <= len([part for part in parts if part]) <= 11, parts
    for words in report.answers.values():
        assert any(words in part for part in parts), words


@by_language
def test_the_passage_nearest_to_a_question_holds_its_answer(report: ForeignReport) -> None:
    for question, words in report.answers.items():
        first = nearest_passages(question, report.text)[0]
        assert words in report.text[first.start : first.end]


@by_language
def test_the_built_in_engine_finds_the_sentence_that_answers(report: ForeignReport) -> None:
    for question, words in report.answers.items():
        found = ask(load(report), question, settings=Settings(), engine=FakeSandbox)
        assert found.quotes and words in found.quotes[0].text, (question, [quote.text for quote in found.quotes])


@by_language
def test_quotes_are_found_to_the_letter_and_changed_ones_are_not(report: ForeignReport) -> None:
    document, chance = load(report), random.Random(report.language)
    index, text = QuoteIndex(document), document.text
    words = [match.span() for match in re.finditer(r"\S+", text)]
    if has_unspaced(text):
        # Between characters that are written without spaces, and never within a figure.
        words = [match.span() for match in re.finditer(r"[0-9][0-9.,万億亿兆]*%?|[十八]+|[A-Z]+|[^\sA-Z0-9]", text)]
    kept = []
    for _ in range(QUOTES):
        length = chance.randint(6, 20) * (2 if has_unspaced(text) else 1)
        first = chance.randrange(len(words) - length)
        inside = words[first : first + length]
        quote = text[inside[0][0] : inside[-1][1]]
        found = index.find(quote)
        assert found is not None and any(quote.strip("., ") in text[a.start : a.end] for a in found.occurrences), quote
        changed = _change(text, inside, chance)
        kept += [changed] if is_taken_for_whole(changed, index, text) else []
    assert kept == []


def is_taken_for_whole(quote: str, index: QuoteIndex, text: str) -> bool:
    """Whether a quote is found as it is; where only its signs differ, the document's own words are shown instead."""
    found = index.find(quote)
    if found is None:
        return False
    shown = text[found.span.start : found.span.end]
    return found.tier != "recut" or letters(shown) != letters(quote)


def letters(words: str) -> str:
    return "".join(char for char in words if char.isalnum())


def _change(text: str, inside: list[tuple[int, int]], chance: random.Random) -> str:
    """The quote with a digit, a word or a character that says something changed, left out or put in."""
    start, end = inside[0][0], inside[-1][1]
    quote = text[start:end]
    telling = [(a - start, b - start) for a, b in inside[1:-1] if any(char.isalnum() for char in text[a:b])]
    digits = [at for at, char in enumerate(quote) if char in "0123456789"]
    a, b = chance.choice(telling)
    ways = ["drop", "double", "swap"] + ["digit"] * bool(digits)
    match chance.choice(ways):
        case "digit":
            at = chance.choice(digits)
            return quote[:at] + str((int(quote[at]) + chance.randint(1, 9)) % 10) + quote[at + 1 :]
        case "drop":
            return quote[:a] + quote[b:].lstrip(" ")
        case "double":
            return quote[:b] + ("" if has_unspaced(quote) else " ") + "nicht不" + quote[b:]
        case _:
            return quote[:a] + "anders他" + quote[b:]
