"""Rank passages of a long document for a question. The source of this module runs as guest code, after `words`.

Regular expressions with a literal prefix count the question's terms in one lower-cased copy of the document. The
document is never tokenised, because Python in WebAssembly is several times slower than here.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from ralph_cli.providers.offline.words import STOP, stem
from ralph_cli.text.languages.words import UNSPACED, has_unspaced, little_words_of, split_unspaced

Page = tuple[int, str, int, int]  # number, label, start and end of a page, as the sandbox gives it

TOKEN = re.compile(r"[^\W\d_]+(?:&[^\W\d_]+)+|\d+(?:[.,]\d+)+(?![^\W_])|[^\W_]+")
YEAR = re.compile(r"\b(?:FY|CY|fiscal(?: year)?)?\s?'?((?:19|20)\d\d)\b|\b(?:FY|CY)\s?'?(\d\d)\b", re.IGNORECASE)

PASSAGE_CHARS = 900  # about the size of a passage

HEAD_CHARS = 200  # characters of a page's head, which names the page's subject

HEAD_SCORE_SHARE = 2.0  # weight of the head's score in the score of each passage of the page

PAIR_WEIGHT_SHARE = 0.3  # weight of two terms side by side

SUBJECT_WEIGHT_FACTOR = 0.3  # weight of a name that occurs throughout the document

OPENING_CHARS = 3000  # characters in which such a name occurs first

ENOUGH_COVERAGE = 0.42  # share of the question's terms that the best passage must hold

MIN_TERMS_HELD = 2.0  # the same of a long question, in terms of mean weight

ABSENT_WORD_FACTOR = 0.3  # weight of a term that occurs nowhere: the document may use other words


def term_pattern(key: str) -> str:
    """A regular expression that finds `key` at the start of words. It begins with a literal, which makes it fast."""
    if has_unspaced(key):
        return re.escape(key)
    turning = len(key) >= 4 and key.endswith("y") and key.isalpha()  # "carry" is also in "carried"
    head = re.escape(key[:-1] if turning else key)
    tail = "" if not key.isalpha() else ("(?:e?s)?" if len(key) <= 3 else r"[^\W\d_]{0,7}")
    part_of_word = rf"[^\W_{UNSPACED}]"
    return rf"{head}(?<!{part_of_word}{head}){'(?:y|ie)' if turning else ''}{tail}(?!{part_of_word})"


def query_terms(question: str) -> dict[str, str]:
    """The informative words of the question, in order, by their stems.

    The word after "how" is left out, because an answer need not repeat it: "how long ...?", "thirty days".
    """
    plain = YEAR.sub(lambda year: f" {year[1] or '20' + year[2]} ", question.replace("\u2019", "'"))
    tokens = TOKEN.findall(re.sub(r"'s\b|\b[Hh]ow [a-z]+", " ", plain))
    words = [word for token in tokens for word in (split_unspaced(token) if has_unspaced(token) else [token])]
    little = STOP | little_words_of(question)
    telling = [word for word in words if word.lower() not in little and (len(word) > 1 or word.isdigit())]
    return {word.lower() if word.isupper() else stem(word): word for word in telling}


def lower_same_length(text: str) -> str:
    """A lower-cased copy of the same length, so that offsets stay valid."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


class TermIndex:
    """The places of every term in the document, and BM25 scores of any units of it.

    `pages` are its pages, or windows of a page's size if it has none. A term is the rarer, the fewer of them hold it.
    """

    def __init__(self, text: str, pages: Sequence[Page]) -> None:
        self.low = lower_same_length(text)
        spans = [(start, end) for _, _, start, end in pages if end > start]
        windows = [(start, min(start + 3000, len(text))) for start in range(0, len(text), 3000)]
        self.pages = spans if len(spans) > 1 else windows
        self.weights: dict[str, float] = {}
        self.places: dict[str, list[int]] = {}

    def add_term(self, key: str, weight: float, pattern: str) -> None:
        """Find a term. Its weight is multiplied by its rarity."""
        self._store(key, weight, [match.start() for match in re.finditer(pattern, self.low)])

    def add_pair(self, first: str, second: str, weight: float) -> None:
        """Add two terms side by side, in either order, as a term of their own."""
        reach, others = 16 + max(len(first), len(second)), self.places[second]
        near = [at for at in self.places[first] if bisect_left(others, at - reach) < bisect_right(others, at + reach)]
        if near:
            self._store(f"{first}+{second}", weight, near)

    def _store(self, key: str, weight: float, places: list[int]) -> None:
        size, found = len(self.pages), len(_count_by_unit(places, self.pages))
        self.places[key], self.weights[key] = places, weight * math.log(1 + (size - found + 0.5) / (found + 0.5))

    def is_subject(self, key: str) -> bool:
        """Whether `key` names the document's subject: it occurs in the opening and on a fifth of the pages."""
        found = len(_count_by_unit(self.places[key], self.pages))
        return len(self.pages) > 3 and found * 5 >= len(self.pages) and self.places[key][0] < OPENING_CHARS

    def held(self, start: int, end: int) -> dict[str, float]:
        """The terms in text[start:end], without pairs, with their weights."""
        places = ((key, found, bisect_left(found, start)) for key, found in self.places.items() if "+" not in key)
        return {key: self.weights[key] for key, found, at in places if at < len(found) and found[at] < end}

    def bm25(self, units: Sequence[tuple[int, int]]) -> list[float]:
        """The score of each unit for all terms, with k1 = 1.2 and b = 0.75 (Robertson and Zaragoza 2009)."""
        mean = sum(end - start for start, end in units) / max(len(units), 1)
        scores = [0.0] * len(units)
        for key, places in self.places.items():
            for index, count in _count_by_unit(places, units).items():
                length = 0.25 + 0.75 * (units[index][1] - units[index][0]) / mean
                scores[index] += self.weights[key] * count * 2.2 / (count + 1.2 * length)
        return scores

    def page_at(self, place: int) -> tuple[int, int]:
        """The page that holds a place, or the last one before it."""
        return self.pages[unit_at(self.pages, place)]


def unit_at(units: Sequence[tuple[int, int]], place: int) -> int:
    """The number of the unit that holds a place, or of the last one before it."""
    return max(bisect_right(units, place, key=itemgetter(0)) - 1, 0)


def _count_by_unit(places: Sequence[int], units: Sequence[tuple[int, int]]) -> Counter[int]:
    """How many of the places each unit holds."""
    held = ((unit_at(units, place), place) for place in places)
    return Counter(unit for unit, place in held if units[unit][0] <= place < units[unit][1])


def best_coverage(index: TermIndex, units: Sequence[tuple[int, int]], names: set[str]) -> tuple[float, float]:
    """The best share of the terms' weight that a unit holds, and the share that it must hold.

    A year that occurs anywhere counts as held everywhere, because a page rarely repeats the year of its heading. If no
    year of the question occurs, nothing is held. A word that occurs nowhere counts in full if it is a name or a figure;
    the document may have other words for any other one. A passage must hold 42 % of a short question, and the weight of
    two terms of a long one.
    """
    worth = {
        key: index.weights[key] * (1.0 if places or key in names else ABSENT_WORD_FACTOR)
        for key, places in index.places.items()
    }
    total, squares = sum(worth.values()), sum(value * value for value in worth.values())
    years = {key: worth[key] * bool(index.places[key]) for key in worth if YEAR.fullmatch(key)}
    if not squares or (years and not any(years.values())):
        return 0.0, ENOUGH_COVERAGE
    held: dict[int, float] = {}
    for key in worth.keys() - years:
        for unit in _count_by_unit(index.places[key], units):
            held[unit] = held.get(unit, sum(years.values())) + worth[key]
    return max(held.values(), default=0.0) / total, min(ENOUGH_COVERAGE, MIN_TERMS_HELD * squares / total**2)


class Ranking(NamedTuple):
    """Passages (score, start, end), best first, and the share of the terms that the best one holds, and must hold."""

    passages: list[tuple[float, int, int]]
    coverage: float
    needed: float
    field: TermIndex


def rank(question: str, text: str, pages: Sequence[Page]) -> Ranking:
    """Rank the passages of `text` for the question."""
    terms, index = query_terms(question), TermIndex(text, pages)
    units = split_passages(text)
    capitals = [token.lower() for token in TOKEN.findall(question) if not token.islower()]
    names = {key for key in terms if any(token.startswith(key) for token in capitals)}
    for key in terms:
        index.add_term(key, 1.0, term_pattern(key))
    coverage, needed = best_coverage(index, units, names)
    weights = {key: SUBJECT_WEIGHT_FACTOR if index.places[key] and index.is_subject(key) else 1.0 for key in names}
    for key, weight in weights.items():
        index.weights[key] *= weight
    for first, second in pairwise(terms):
        least = min(weights.get(first, 1.0), weights.get(second, 1.0))
        index.add_pair(first, second, PAIR_WEIGHT_SHARE * least)
    return Ranking(_score_passages(index, units), coverage, needed, index)


def split_passages(text: str) -> list[tuple[int, int]]:
    """Passages of about `PASSAGE_CHARS` characters. Each ends at the end of a line, or of a page."""
    found = re.finditer(rf"[^\f]{{1,{PASSAGE_CHARS}}}(?:[^\f\n]{{0,{PASSAGE_CHARS}}}(?:\n|(?=\f)|\Z))?", text)
    return [match.span() for match in found if not match[0].isspace()]


def _score_passages(index: TermIndex, units: Sequence[tuple[int, int]]) -> list[tuple[float, int, int]]:
    """The score of each passage plus that of its page and the page's head, which have the headings of tables."""
    heads = [(start, min(start + HEAD_CHARS, end)) for start, end in index.pages]
    pages = zip(index.bm25(index.pages), index.bm25(heads), strict=True)
    around = [page + HEAD_SCORE_SHARE * head for page, head in pages]
    own = zip(index.bm25(units), units, strict=True)
    found = [(score + around[unit_at(index.pages, start)], start, end) for score, (start, end) in own if score]
    return sorted(found, key=lambda item: (-item[0], item[1]))
