"""Counts the words of an output, and finds the numbers of words that a task allows."""

import re

# Marks for the reader that are no words: the page of a statement, its [n], and the mark of a list item.
_NOT_COUNTED = re.compile(
    r"(?m)\(pp?\.\s*[\divxlc][\divxlc,\s\u2013-]*\)|\[\d{1,3}(?:\s*,\s*\d{1,3})*\]"
    r"|^[ \t>]*(?:[-*+\u2022]|\(?\d{1,3}[.)])[ \t]+"
)

_WORD = re.compile(r"\S*\w\S*")
_MOST_WORDS = re.compile(
    r"(?i)\b(?:at\s+most|no(?:t)?\s+more\s+than|up\s+to|a\s+maximum\s+of|maximum|max\.?|under|below|within|fewer\s+than"
    r"|less\s+than|not\s+exceeding)\s+(\d{1,5})\s+words\b"
)
_LEAST_WORDS = re.compile(
    r"(?i)\b(?:at\s+least|no\s+fewer\s+than|no\s+less\s+than|a\s+minimum\s+of)\s+(\d{1,5})\s+words\b"
)
_WORDS_FROM_TO = re.compile(r"(?i)\b(\d{1,5})\s*(?:-|\u2013|to|and)\s*(\d{1,5})\s+words\b")


def count_words(text: str) -> int:
    """The number of words: parts between white space with a letter or digit, without marks for the reader."""
    return len(_WORD.findall(_NOT_COUNTED.sub(" ", text)))


def word_limits(task: str) -> tuple[int | None, int | None]:
    """The least and most words that a task sets with a number; None if it sets none ("about 200" sets none)."""
    if match := _WORDS_FROM_TO.search(task):
        return int(match[1]), int(match[2])
    least, most = _LEAST_WORDS.search(task), _MOST_WORDS.search(task)
    return int(least[1]) if least else None, int(most[1]) if most else None
