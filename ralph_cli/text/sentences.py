"""Sentences and lines: their ends in a text, and the one around a position. Pure."""

import re
from collections.abc import Iterator
from functools import cache

from ralph_cli.text.languages.words import DAY_FOLLOWERS, FULL_STOPS, FUNCTION_WORDS
from ralph_cli.text.lexicon import ABBREVIATIONS, REFERENCES, any_of

# What ends the parts of a sentence, too, as it does in contracts.
CLAUSES = ".;:!?"

_CLOSING = r"[\"'\u201d\u2019\u00bb)\]*_\u00b2\u00b3\u00b9\u2070-\u2079]*"
_CITED = r"(?:\s*[(\[](?=[^()\[\]]*[\d\u00b2\u00b3\u00b9\u2070-\u2079])[^()\[\]]{1,80}[)\]][.;*_]*)*"
_OPENING = r"[\"'\u201c\u2018\u00ab(\[*_\u2022$\u20ac\u00a3]*"
_BLOCK = r"(?<=\n)(?:[ \t]*\n\s*|(?=[ \t]*(?:#{1,6} |\||[-*\u2022] )))|(?<=\f)"
# Characters before a full stop in which an abbreviation has room, and behind it what tells where a sentence begins.
_REACH = 12

_ABBREVIATED = re.compile(rf"(?:(?i:\b(?:{any_of(ABBREVIATIONS)}))|\b[A-Z])\.\Z")
_REFERRING = re.compile(rf"(?i:\b(?:{any_of(REFERENCES)}))\.\Z")
_SHORTENED = (*ABBREVIATIONS, *REFERENCES)
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\f")
_NUMBER = re.compile(r"\s+[A-Z]?[-.]?\d")
# Abbreviations behind which a sentence may end: it does where a little word begins the next one.
_MAY_END = re.compile(r"(?i)(?:\b(?:inc|ltd|co|corp|etc|jr|sr)|\b[a-z]\.[a-z])\.\Z")

_LITTLE_WORDS = (word for words in FUNCTION_WORDS.values() for word in words.split() if len(word) > 1)
_LITTLE = re.compile(rf"\s*(?=\w[^\W\d_A-Z])(?i:{any_of(_LITTLE_WORDS)})\b")
# The number of an item whose title is quoted: "Item 8. Financial Statements".
_TITLED = re.compile(r"[\"\u201c\u00ab]\w+ \d+[A-Z]?\.\Z")


@cache
def _ends(stops: str) -> re.Pattern[str]:
    begins = rf"{_OPENING}[A-Z0-9\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0400-\u042f]|\([a-z]{{1,4}}\)"
    latin = rf"(?<=[{stops}])(?P<whole>{_CLOSING}{_CITED})\s+(?={begins})(?!(?<=\d\.\s)(?:{DAY_FOLLOWERS}))"
    full = rf"(?<=[{FULL_STOPS}])(?P<full>[\u300d\u300f\uff09)]*)[ \u3000]*(?=\S)"
    # One class of characters comes first: what has none of them is passed over in a fifth of the time.
    return re.compile(rf"[{stops}{FULL_STOPS}\n\f](?:{latin}|{full}|{_BLOCK})")


def sentence_ends(text: str, low: int = 0, high: int | None = None, stops: str = ".!?") -> Iterator[tuple[int, int]]:
    """Where sentences of text[low:high] end, each as (behind its last sign, where the next one begins).

    A sentence ends with a stop, the marks that close behind it and a reference in brackets ("(p. 5)"), if a capital or
    a figure follows; at the end of a paragraph or page; and where a list item, heading or row begins. The full stop of
    an abbreviation ends none.
    """
    for match in _ends(stops).finditer(text, low, len(text) if high is None else high):
        start, found = match.start(), match[0]
        is_open = found[0] == "." and not _PARAGRAPH.search(found)
        if not is_open or not _is_abbreviated(text, max(low, start - _REACH), start + 1):
            yield max(match.end("whole"), match.end("full"), start), match.end()


def sentence_at(
    text: str, start: int, end: int, low: int = 0, high: int | None = None, stops: str = ".!?"
) -> tuple[int, int]:
    """Return the sentence, or sentences, that contain text[start:end], within text[low:high]."""
    high = len(text) if high is None else high
    begins = (begin for _, begin in sentence_ends(text, low, min(start + _REACH, high), stops) if begin <= start)
    # The last characters of the place may be the stop themselves.
    ends = (stop for stop, begin in sentence_ends(text, max(end - 2, start), high, stops) if begin > end)
    return max(begins, default=low), max(next(ends, high), end)


def line_at(text: str, start: int, end: int, low: int = 0, high: int | None = None) -> tuple[int, int]:
    """Return the line, or lines, that contain text[start:end], without the line end, within text[low:high]."""
    high = len(text) if high is None else high
    last = text.find("\n", end, high)
    return max(text.rfind("\n", low, start) + 1, low), last if last >= 0 else high


def shorten_line(text: str, max_chars: int) -> str:
    """Return a text on one line, cut after `max_chars` characters, with dots after the cut."""
    flat = " ".join(text.split())
    return flat if len(flat) <= max_chars else flat[:max_chars] + "..."


def _is_abbreviated(text: str, low: int, stop: int) -> bool:
    """Whether the full stop before `stop` belongs to an abbreviation."""
    before = text[low:stop]
    if not before[-2:-1].isupper() and not before[:-1].casefold().endswith(_SHORTENED):
        return before[-2:-1].isdigit() and bool(_TITLED.search(before))  # as most are none, which is told in less time
    if _MAY_END.search(before) and _LITTLE.match(text, stop):
        return False
    return bool(_ABBREVIATED.search(before)) or bool(_REFERRING.search(before) and _NUMBER.match(text, stop))
