"""Ranks passages of a long document for a question. The source of this module runs as guest code in the sandbox.

It runs after that of `words`, and otherwise needs only the standard library. Query terms are counted by literal-prefix
regular expressions over one lower-cased copy. The document itself is never tokenised, because Python in WebAssembly is
several times slower than native Python.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from ralph_cli.providers.offline.words import STOP, statements_for, stem
from ralph_cli.text.languages.words import UNSPACED, has_unspaced, little_words_of, split_unspaced

# Number, label, start and end of a page, as the sandbox has it.
Page = tuple[int, str, int, int]

TOKEN = re.compile(r"[^\W\d_]+(?:&[^\W\d_]+)+|\d+(?:[.,]\d+)+(?![^\W_])|[^\W_]+")
YEAR = re.compile(r"\b(?:FY|CY|fiscal(?: year)?)?\s?'?((?:19|20)\d\d)\b|\b(?:FY|CY)\s?'?(\d\d)\b", re.IGNORECASE)
QUARTER = {"q1": "first quarter", "q2": "second quarter", "q3": "third quarter", "q4": "fourth quarter"}
# The approximate size of a passage, and the first characters of a page, which name its subject.
PASSAGE_CHARS, HEAD_CHARS = 900, 200

# A passage's score: its own BM25 and its page's, and shares of that of the page's first lines, and of terms in pairs.
HEAD_SCORE_SHARE, PAIR_WEIGHT_SHARE = 2.0, 0.3
# What a page gains that begins with the title of a statement that the question is about, as a share of the best
# passage's score; most telling words of such a title; and the weight of a line that a measure is computed from.
NAMED_PART_SHARE, MAX_TITLE_WORDS, MEASURE_WEIGHT = 2.5, 5, 0.8
# A name that opens the document and pervades it says little about where to look.
SUBJECT_WEIGHT_FACTOR, OPENING_CHARS = 0.3, 3000
# The thresholds of relevance; see `best_coverage`.
ENOUGH_COVERAGE, MIN_TERMS_HELD, ABSENT_WORD_FACTOR = 0.42, 2.0, 0.3


def term_pattern(key: str) -> str:
    """Return a regular expression that finds `key` at word starts. The literal comes first, which makes it fast."""
    if has_unspaced(key):
        return re.escape(key)
    first, *others = key.split(" ")
    turning = len(first) >= 4 and first.endswith("y") and first.isalpha()  # "carry" is also in "carried"
    head = re.escape(first[:-1] if turning else first)
    tail = "" if not first.isalpha() else ("(?:e?s)?" if len(first) <= 3 else r"[^\W\d_]{0,7}")
    rest = "".join(r"[\W_]{1,3}" + re.escape(word) + r"[^\W\d_]{0,7}" for word in others)
    part_of_word = rf"[^\W_{UNSPACED}]"
    return rf"{head}(?<!{part_of_word}{head}){'(?:y|ie)' if turning else ''}{tail}{rest}(?!{part_of_word})"


def query_terms(question: str) -> dict[str, str]:
    """Return the informative words of the question, in order, by their stems.

    The word after "how" names the kind of answer and need not be in it: "how long ...?", "thirty days".
    """
    plain = YEAR.sub(lambda year: f" {year[1] or '20' + year[2]} ", question.replace("\u2019", "'"))
    tokens = TOKEN.findall(re.sub(r"'s\b|\b[Hh]ow [a-z]+", " ", plain))
    words = [word for token in tokens for word in (split_unspaced(token) if has_unspaced(token) else [token])]
    little = STOP | little_words_of(question)
    telling = [word for word in words if word.lower() not in little and (len(word) > 1 or word.isdigit())]
    return {word.lower() if word.isupper() else stem(word): word for word in telling}


def lower_same_length(text: str) -> str:
    """Return a lower-cased copy of exactly the same length, so that offsets stay valid."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


class TermIndex:
    """The positions of every term in the document, with BM25 scores for any division of it into units.

    `pages` are its pages, or windows of 3,000 characters if it has none. Rarity is counted over them, because a term on
    every page (the name of the company) does not distinguish pages.
    """

    def __init__(self, text: str, pages: Sequence[Page]) -> None:
        self.low = lower_same_length(text)
        spans = [(start, end) for _, _, start, end in pages if end > start]
        windows = [(start, min(start + 3000, len(text))) for start in range(0, len(text), 3000)]
        self.pages = spans if len(spans) > 1 else windows
        self.weights: dict[str, float] = {}
        self.places: dict[str, list[int]] = {}

    def add_term(self, key: str, weight: float, pattern: str) -> None:
        """Find a term; its weight is multiplied by its rarity."""
        self._store(key, weight, [match.start() for match in re.finditer(pattern, self.low)])

    def add_pair(self, first: str, second: str, weight: float) -> None:
        """Add two adjacent terms, in either order, as a separate term."""
        reach, others = 16 + max(len(first), len(second)), self.places[second]
        near = [at for at in self.places[first] if bisect_left(others, at - reach) < bisect_right(others, at + reach)]
        if near:
            self._store(f"{first}+{second}", weight, near)

    def _store(self, key: str, weight: float, places: list[int]) -> None:
        size, found = len(self.pages), len(_count_by_unit(places, self.pages))
        self.places[key], self.weights[key] = places, weight * math.log(1 + (size - found + 0.5) / (found + 0.5))

    def is_subject(self, key: str) -> bool:
        """Whether `key` is a subject of the whole document: it occurs at the beginning and on at least a fifth of the
        pages.
        """
        found = len(_count_by_unit(self.places[key], self.pages))
        return len(self.pages) > 3 and found * 5 >= len(self.pages) and self.places[key][0] < OPENING_CHARS

    def held(self, start: int, end: int) -> dict[str, float]:
        """Return the terms in a part of the text, without pairs, and their weights."""
        places = ((key, found, bisect_left(found, start)) for key, found in self.places.items() if "+" not in key)
        return {key: self.weights[key] for key, found, at in places if at < len(found) and found[at] < end}

    def bm25(self, units: Sequence[tuple[int, int]], k1: float = 1.2, b: float = 0.75) -> list[float]:
        """Return the score of each unit for all terms (Robertson and Zaragoza 2009)."""
        mean = sum(end - start for start, end in units) / max(len(units), 1)
        scores = [0.0] * len(units)
        for key, places in self.places.items():
            for index, count in _count_by_unit(places, units).items():
                length = 1 - b + b * (units[index][1] - units[index][0]) / mean
                scores[index] += self.weights[key] * count * (k1 + 1) / (count + k1 * length)
        return scores

    def page_at(self, place: int) -> tuple[int, int]:
        """Return the page that contains an offset, or the last one before it."""
        return self.pages[unit_at(self.pages, place)]


def unit_at(units: Sequence[tuple[int, int]], place: int) -> int:
    """Return the number of the unit that contains an offset, or of the last one before it."""
    return max(bisect_right(units, place, key=itemgetter(0)) - 1, 0)


def _count_by_unit(places: Sequence[int], units: Sequence[tuple[int, int]]) -> Counter[int]:
    """Return how many of the offsets each unit contains."""
    held = ((unit_at(units, place), place) for place in places)
    return Counter(unit for unit, place in held if units[unit][0] <= place < units[unit][1])


def best_coverage(index: TermIndex, units: Sequence[tuple[int, int]], names: set[str]) -> tuple[float, float]:
    """Return the largest share of the terms' weight that any one unit contains, and the share that is required.

    A year that occurs anywhere counts for every unit, because a page rarely repeats the year in its heading. If none of
    the years occurs, the share is 0. A word that occurs nowhere counts fully if it is a name or a figure; the document
    may express any other word differently. For a short question, a passage should contain two fifths; for a long one,
    the weight of two terms.
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
    """Passages (score, start, end), best first, and the share of the terms that the best one contains and should
    contain.
    """

    passages: list[tuple[float, int, int]]
    coverage: float
    needed: float
    field: TermIndex


def rank(question: str, text: str, pages: Sequence[Page]) -> Ranking:
    """Rank the passages of `text` for the question."""
    terms, index = query_terms(question), TermIndex(text, pages)
    units = list(split_passages(text))
    capitals = [token.lower() for token in TOKEN.findall(question) if not token.islower()]
    names = {key for key in terms if any(token.startswith(key) for token in capitals)}
    for key in terms:
        forms = (key, QUARTER[key]) if key in QUARTER else (key,)
        index.add_term(key, 1.0, "|".join(map(term_pattern, forms)))
    coverage, needed = best_coverage(index, units, names)
    weights = {key: SUBJECT_WEIGHT_FACTOR if index.places[key] and index.is_subject(key) else 1.0 for key in names}
    for key, weight in weights.items():
        index.weights[key] *= weight
    for first, second in pairwise(terms):
        least = min(weights.get(first, 1.0), weights.get(second, 1.0))
        index.add_pair(first, second, PAIR_WEIGHT_SHARE * least)
    titles, lines = statements_for(question)
    for line in lines:
        if line not in index.places:
            index.add_term(line, MEASURE_WEIGHT, term_pattern(line))
    return Ranking(_score_passages(index, units, titles), coverage, needed, index)


def split_passages(text: str) -> list[tuple[int, int]]:
    """Return passages of about `PASSAGE_CHARS` characters that end at line ends and do not cross pages."""
    found = re.finditer(rf"[^\f]{{1,{PASSAGE_CHARS}}}(?:[^\f\n]{{0,{PASSAGE_CHARS}}}(?:\n|(?=\f)|\Z))?", text)
    return [match.span() for match in found if not match[0].isspace()]


def _score_passages(
    index: TermIndex, units: Sequence[tuple[int, int]], titles: Sequence[re.Pattern[str]]
) -> list[tuple[float, int, int]]:
    """Return each passage with its score plus a share of its page's score, because the page has the headings of its
    tables.
    """

    def is_title(line: str) -> bool:
        size = sum(word not in STOP for word in TOKEN.findall(line))
        return size <= MAX_TITLE_WORDS and any(title.search(line) for title in titles)

    heads = [(start, min(start + HEAD_CHARS, end)) for start, end in index.pages]
    named = [any(map(is_title, index.low[start:end].split("\n"))) for start, end in heads]
    own = index.bm25(units)
    best = max(own, default=0.0)
    pages = zip(index.bm25(index.pages), index.bm25(heads), named, strict=True)
    around = [page + HEAD_SCORE_SHARE * head + NAMED_PART_SHARE * best * is_named for page, head, is_named in pages]
    scored = [(score, unit_at(index.pages, start), start, end) for (start, end), score in zip(units, own, strict=True)]
    found = [(score + around[page], start, end) for score, page, start, end in scored if score or named[page]]
    return sorted((item for item in found if item[0]), key=lambda item: (-item[0], item[1]))
