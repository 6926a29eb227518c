"""Finds the passages of a text with most of a question's words, where an answer would be expected."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ralph_cli.text.languages.words import UNSPACED, has_unspaced, little_words_of, split_unspaced
from ralph_cli.text.lexicon import STOP_WORDS

# The most characters in a passage before it is widened to lines.
WINDOW = 600

# Characters on each side of the words within which whole lines are included.
MARGIN = 150

# The smallest share of the question, by weight, in a near passage.
MIN_SHARE = 0.2

# The most words of a question that are searched for.
MOST_WORDS = 24

# The most letters that may follow a stem, always fewer than the stem has.
LONGEST_ENDING = 5

_WORD = re.compile(r"\d(?:[\d.,]*\d)?|[^\W\d_]+")
_ASKING = "describe document explain find give list mention mentioned name page pages please say show state summarise"
_PEOPLE = "another anybody anyone let lets others somebody someone whoever"
_COMMON = STOP_WORDS | frozenset(f"{_ASKING} {_PEOPLE} summarize summary tell text".split())


@dataclass(frozen=True, slots=True)
class NearPassage:
    """A passage [start, end) with its words of the question; `share` is their part of the total weight, from 0 to 1."""

    start: int
    end: int
    words: tuple[str, ...]
    share: float


def key_words(question: str) -> dict[str, str]:
    """Return the significant words of a question by their stem: no function words, and figures unchanged."""
    found: dict[str, str] = {}
    little = _COMMON | little_words_of(question)
    for match in _WORD.finditer(question):
        word = match[0]
        if has_unspaced(word):
            found |= {part: part for part in split_unspaced(word)}
        elif word[0].isdigit():
            if len(word) > 1:
                found.setdefault(word, word)
        elif word.casefold() not in little and (len(word) > 2 or (word.isupper() and len(word) > 1)):
            found.setdefault(_stem(word.casefold()), word)
    return dict(list(found.items())[:MOST_WORDS])


def find_words(words: Mapping[str, str], text: str) -> list[tuple[int, int, str]]:
    """Return the occurrences of words in a text with any ending: (start, end, stem), in order, case ignored."""
    if not words:
        return []
    stems = sorted(words, key=len, reverse=True)
    pattern = re.compile("|".join(map(_word_pattern, stems)), re.IGNORECASE)
    return [(match.start(), match.end(), stems[(match.lastindex or 1) - 1]) for match in pattern.finditer(text)]


def _word_pattern(stem: str) -> str:
    """Return a pattern for a word or figure, escaped. Its time is proportional to the text, whatever the question."""
    if has_unspaced(stem):
        return f"({stem})"
    ending = r"(?!\d)" if stem[0].isdigit() else rf"\w{{0,{min(len(stem) - 1, LONGEST_ENDING)}}}\b"
    return rf"(?<![^\W{UNSPACED}])({re.escape(stem)}){ending}"


def nearest_passages(question: str, text: str, limit: int = 3) -> tuple[NearPassage, ...]:
    """Return up to `limit` separate passages, best first; each has at least MIN_SHARE of the question by weight.

    Rare words in the text weigh more (inverse document frequency, Spärck Jones 1972). A word missing from the text
    weighs most, and no passage has it.
    """
    words = key_words(question)
    places = find_words(words, text)
    counts = Counter(stem for _, _, stem in places)
    windows = len(text) / WINDOW + 1
    weights = {stem: math.log(1 + windows / (counts[stem] or 0.5)) for stem in words}
    total = sum(weights.values())
    inside: Counter[str] = Counter()
    scored: list[tuple[float, int, int]] = []
    first = 0
    for last, (_, end, stem) in enumerate(places):
        inside[stem] += 1
        while end - places[first][0] > WINDOW:
            inside[places[first][2]] -= 1
            first += 1
        scored.append((sum(weights[stem] for stem in words if inside[stem]), first, last))
    chosen: list[NearPassage] = []
    # Among windows with the same words, take the shortest, so that a passage begins with a word of the question.
    for score, first, last in sorted(scored, key=lambda item: (-item[0], item[2] - item[1], item[1])):
        start, end = places[first][0], places[last][1]
        if score < MIN_SHARE * total:
            break
        if all(end + WINDOW // 2 < near.start or near.end + WINDOW // 2 < start for near in chosen):
            held_words = dict.fromkeys(words[stem] for _, _, stem in places[first : last + 1])
            chosen.append(NearPassage(*widen_to_lines(text, start, end), tuple(held_words), score / total))
        if len(chosen) == limit:
            break
    return tuple(chosen)


def widen_to_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the interval widened to whole lines within MARGIN characters around it, on the same page."""
    low = max(text.rfind("\f", 0, start) + 1, start - MARGIN)
    breaks = [at for at in (text.find("\n", low - 1, start), text.find("\f", low - 1, start)) if at >= 0]
    low = min(breaks) + 1 if breaks and low > 0 else low
    last = text.find("\f", end)
    high = min(len(text) if last < 0 else last, end + MARGIN)
    close = text.rfind("\n", end, high + 1)
    return low, close if close >= 0 and high < len(text) else high


def _stem(word: str) -> str:
    for ending, least in (("ies", 6), ("ing", 7), ("ed", 6), ("es", 6), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            return word.removesuffix(ending)
    return word
