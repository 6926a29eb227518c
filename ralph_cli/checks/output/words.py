"""How many words an output has, and how many its task allows."""

import re

_NOT_COUNTED = re.compile(
    r"(?m)\(pp?\.\s*[\divxlc][\divxlc,\s\u2013-]*\)|\[\d{1,3}(?:\s*,\s*\d{1,3})*\]"
    r"|^[ \t>]*(?:[-*+\u2022]|\(?\d{1,3}[.)])[ \t]+"
)
"""The page of a statement, its [n], and what begins an item of a list: marks for the reader, and no words."""

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
    """How many words a text has: what white space parts, and has a letter or digit; marks for the reader are none."""
    return len(_WORD.findall(_NOT_COUNTED.sub(" ", text)))


def word_limits(task: str) -> tuple[int | None, int | None]:
    """The least and most words that a task sets in so many words; None where it sets none ("about 200" sets none)."""
    if match := _WORDS_FROM_TO.search(task):
        return int(match[1]), int(match[2])
    least, most = _LEAST_WORDS.search(task), _MOST_WORDS.search(task)
    return int(least[1]) if least else None, int(most[1]) if most else None
