"""Rank passages of a long document for a question: the source of this module runs as guest code in the sandbox.

It stands behind those of `words`, `pages` and of the tables of texts; else it needs the standard library only.
Query terms are counted by literal-prefix regular expressions over one lower-cased copy; the document itself is never
tokenised, because Python in WebAssembly is several times slower than here.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ralph_cli.providers.offline.pages import HEAD_CHARS, Page, page_bodies, page_windows, split_windows
from ralph_cli.providers.offline.words import IRREGULAR, STOP, is_general, statements_for, stem
from ralph_cli.text.languages.words import UNSPACED, has_unspaced, little_words_of, split_unspaced

TOKEN = re.compile(r"[^\W\d_]+(?:&[^\W\d_]+)+|\d+(?:[.,]\d+)+(?![^\W_])|[^\W_]+")
YEAR = re.compile(r"\b(?:FY|CY|fiscal(?: year)?)?\s?'?((?:19|20)\d\d)\b|\b(?:FY|CY)\s?'?(\d\d)\b", re.IGNORECASE)
QUARTER = {"q1": "first quarter", "q2": "second quarter", "q3": "third quarter", "q4": "fourth quarter"}
# A passage's score: its own BM25, and shares of its page's, of its page's first lines', and of terms side by side.
PAGE_SCORE_SHARE, HEAD_SCORE_SHARE, PAIR_WEIGHT_SHARE = 1.0, 2.0, 0.3
# What a page gains that begins with the title of a part that the question is about ("in the balance sheet"), as a share
# of the best passage's score; informative words of the longest such title; and the weight of a line that a measure
# is computed from.
NAMED_PART_SHARE, MAX_TITLE_WORDS, MEASURE_WEIGHT = 2.5, 5, 0.8
PART = re.compile(
    r"(?i)((?:[\w&'\u2019-]+\s+){1,2}(?:statement|sheet|section|note|table|report|discussion|schedule)s?)\b"
)
# A name that opens the document and pervades it says little about where to look.
SUBJECT_WEIGHT_FACTOR, OPENING_CHARS = 0.3, 3000
# Characters in which the words of an acronym are looked for.
ACRONYM_CHARS = 8_000_000
# What counts as relevant at all: see `best_coverage`.
ENOUGH_COVERAGE, MIN_TERMS_HELD, ABSENT_WORD_FACTOR = 0.45, 2.0, 0.4
AMOUNT = re.compile(
    r"(?i)\bhow (?:much|many|large|big|long|high|low|far|old)\b|%|\b(?:amount|number|total|sum|rate|ratio"
    r"|percent(?:age)?|share|average|price|cost|value|size|level|growth|change|increase|decrease)s?\b"
)
FIGURE = re.compile(r"\d[\d,.]*")


def term_pattern(key: str) -> str:
    """A regular expression that finds `key` at word starts: the literal comes first, which is what makes it fast."""
    if has_unspaced(key):
        return re.escape(key)
    first, *others = key.split(" ")
    turning = len(first) >= 4 and first.endswith("y") and first.isalpha()  # "carry" is also in "carried"
    head = re.escape(first[:-1] if turning else first)
    tail = "" if not first.isalpha() else ("(?:e?s)?" if len(first) <= 3 else r"[^\W\d_]{0,7}")
    rest = "".join(r"[\W_]{1,3}" + re.escape(word) + r"[^\W\d_]{0,7}" for word in others)
    part_of_word = rf"[^\W_{UNSPACED}]"
    return rf"{head}(?<!{part_of_word}{head}){'(?:y|ie)' if turning else ''}{tail}{rest}(?!{part_of_word})"


def term_forms_pattern(forms: str) -> str:
    """A regular expression for any of the forms of one term, which stand between bars ("r&d|research and develop")."""
    return "|".join(term_pattern(form) for form in forms.split("|"))


class Term(NamedTuple):
    """A word of the question: the stem that is searched for, its weight, and the word as it was written."""

    key: str
    weight: float
    word: str


def query_terms(question: str) -> list[Term]:
    """Informative terms of the question in order with a weight: what is asked counts 1, remarks beside it less."""
    terms: dict[str, Term] = {}
    plain = YEAR.sub(lambda year: f" {year[1] or '20' + year[2]} ", question.replace("\u2019", "'"))
    remarks = " ".join(re.findall(r"\(([^()]*)\)", plain))
    sentences = [*re.split(r"(?<=[.?!])\s+", re.sub(r"\([^()]*\)", " ", plain)), remarks]
    asked = [sentence for sentence in sentences if sentence.rstrip().endswith("?")]
    little = STOP | little_words_of(question)
    for sentence in sentences:
        weight = 0.4 if sentence is remarks or (asked and sentence not in asked) else 1.0
        for token in _tokens(re.sub(r"'s\b", "", sentence)):
            if token.lower() in little or (len(token) == 1 and not token.isdigit()):
                continue
            key = token.lower() if token.isupper() else stem(token)
            if key not in terms or terms[key].weight < weight:
                terms[key] = Term(key, weight, token)
    return list(terms.values())


def _tokens(sentence: str) -> list[str]:
    """Its words; those that no spaces part are parted by their script."""
    return [
        word
        for token in TOKEN.findall(sentence)
        for word in (split_unspaced(token) if has_unspaced(token) else [token])
    ]


def lower_same_length(text: str) -> str:
    """A lower-cased copy of exactly the same length, so that offsets carry over."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def expand_acronym(key: str, low: str) -> str:
    """The phrase the document most often uses for the letters of `key` ("r&d": research and development), or ''."""
    letters = [c for c in key if c.isalpha()]
    if not 3 <= len(key) <= 6 or len(letters) < 2 or any(c.isdigit() for c in key):
        return ""
    parts = [r"and" if c == "&" else rf"{re.escape(c)}[a-z]{{2,}}" for c in key]
    glue = r"(?:,? (?:and|of|the|for|&) |[\s,-]{1,2})"
    first = rf"{re.escape(parts[0][0])}(?<![a-z]{re.escape(parts[0][0])})" + parts[0][1:]
    pattern = first + "".join((r"[\s,]{1,2}" if p == "and" else glue) + p for p in parts[1:])
    found = Counter(re.findall(pattern, low[:ACRONYM_CHARS]))
    if not found:
        return ""
    phrase, count = found.most_common(1)[0]
    defined = f"({key})" in low or f"({key.replace('&', ' & ')})" in low
    words = re.findall(r"[a-z]+", phrase)
    telling = sum(word not in STOP for word in words)
    return " ".join(stem(word) for word in words) if count >= (1 if defined else 3) and telling >= 2 else ""


def find_parted(key: str, low: str) -> str:
    """How the document writes a word that it only has with a hyphen or in two ("pass-through"), or ''."""
    if len(key) < 6 or not key.isalpha():
        return ""
    found = re.search(rf"{key[0]}(?<![^\W_]{key[0]})" + "".join(f"[-\u2010 ]?{letter}" for letter in key[1:]), low)
    return found[0] if found and sum(not letter.isalpha() for letter in found[0]) == 1 else ""


class TermIndex:
    """Positions of every term in the document, and BM25 over any cutting of it into units."""

    def __init__(self, text: str, pages: Sequence[Page]) -> None:
        self.low = lower_same_length(text)
        self.wide = page_windows(text, pages)
        self.weights: dict[str, float] = {}
        self.forms: dict[str, str] = {}
        self.places: dict[str, list[int]] = {}
        self.idf: dict[str, float] = {}

    def add_term(self, key: str, weight: float, *other_forms: str) -> None:
        """Count a term and its other forms, "" for none."""
        self.forms[key] = "|".join(form for form in (key, *other_forms) if form)
        found = re.finditer(term_forms_pattern(self.forms[key]), self.low)
        self._store_term(key, weight, [match.start() for match in found])

    def add_pair(self, first: str, second: str, weight: float) -> None:
        """Two terms side by side, in either order, are a term of their own."""
        reach = 16 + max(len(first), len(second))
        near = [place for place in self.places[first] if _has_neighbour(self.places[second], place, reach)]
        if near:
            self._store_term(f"{first}+{second}", weight, near)

    def _store_term(self, key: str, weight: float, places: list[int]) -> None:
        """Rarity is counted over pages: what is on every page (the name of the company) tells no page from another."""
        self.weights[key], self.places[key] = weight, places
        size, found = len(self.wide), len(_count_by_unit(places, self.wide))
        self.idf[key] = math.log(1 + (size - found + 0.5) / (found + 0.5))

    def is_subject(self, key: str) -> bool:
        """Whether the whole document is about `key`: named where it opens, and again and again (its own company)."""
        pages = len(_count_by_unit(self.places[key], self.wide))
        return len(self.wide) > 3 and pages * 5 >= len(self.wide) and self.places[key][0] < OPENING_CHARS

    def bm25(self, units: Sequence[tuple[int, int]], k1: float = 1.2, b: float = 0.75) -> list[float]:
        """The score of each unit for all terms (Robertson and Zaragoza 2009)."""
        mean = sum(end - start for start, end in units) / max(len(units), 1)
        scores = [0.0] * len(units)
        for key, places in self.places.items():
            gain = self.idf[key] * self.weights[key]
            for index, count in _count_by_unit(places, units).items():
                length = 1 - b + b * (units[index][1] - units[index][0]) / mean
                scores[index] += gain * count * (k1 + 1) / (count + k1 * length)
        return scores


def _count_by_unit(places: Sequence[int], units: Sequence[tuple[int, int]]) -> Counter[int]:
    """How many of the places each unit holds, both in order; units may overlap, and none begins or ends before another
    that comes first.
    """
    if len(places) > len(units):
        held = (bisect_left(places, end) - bisect_left(places, start) for start, end in units)
        return Counter({index: count for index, count in enumerate(held) if count})
    starts = [start for start, _ in units]
    counter: Counter[int] = Counter()
    for place in places:
        index = bisect_right(starts, place) - 1
        while index >= 0 and units[index][1] > place:
            counter[index] += 1
            index -= 1
    return counter


def _has_neighbour(places: Sequence[int], place: int, reach: int) -> bool:
    near = places[bisect_left(places, place - reach) : bisect_right(places, place + reach)]
    return any(other != place for other in near)


def best_coverage(
    field: TermIndex, units: Sequence[tuple[int, int]], names: Set[str], general: Set[str] = frozenset()
) -> tuple[float, float]:
    """The best share of the weight of the terms that any one unit holds, and the share it ought to hold.

    A year that occurs anywhere counts as held everywhere: a page rarely repeats the year that its heading states. A
    word that occurs nowhere counts in full when it is a name or a figure; any other may be put in other words. Of a
    short question a passage should hold three fifths; of a long one the worth of two terms, whatever else it asks.
    The `general` terms do not count, unless there are no others.
    """
    asked = field.places.keys() - general or field.places.keys()
    worth = {
        key: field.idf[key] * field.weights[key] * (1.0 if places or key in names else ABSENT_WORD_FACTOR)
        for key, places in field.places.items()
        if key in asked and "+" not in key
    }
    total, squares = sum(worth.values()), sum(value * value for value in worth.values())
    if not squares:
        return 0.0, ENOUGH_COVERAGE
    everywhere = sum(value for key, value in worth.items() if YEAR.fullmatch(key) and field.places[key])
    held: dict[int, float] = {}
    for key, value in worth.items():
        if not YEAR.fullmatch(key):
            for index in _count_by_unit(field.places[key], units):
                held[index] = held.get(index, 0.0) + value
    best = max(held.values()) + everywhere if held else 0.0
    return best / total, min(ENOUGH_COVERAGE, MIN_TERMS_HELD * squares / total**2)


@dataclass
class Ranking:
    """Passages (score, start, end), best first; what share of the terms the best one holds, and should hold.

    `weights` has the forms of each term that occurs, `missing` the words that do not; `bodies` are the pages without
    their running lines.
    """

    passages: list[tuple[float, int, int]]
    coverage: float
    needed: float
    weights: dict[str, float]
    missing: list[str]
    bodies: list[tuple[int, int]]


def rank(question: str, text: str, pages: Sequence[Page]) -> Ranking:
    """Rank the passages of `text` for the question."""
    terms = query_terms(question)
    bodies = page_bodies(text, pages)
    field, units = TermIndex(text, pages), split_windows(text, bodies)
    tokens = [token.lower() for token in TOKEN.findall(question) if not token.islower()]
    names = {key for key, _, _ in terms if any(token.startswith(key) for token in tokens)}
    for key, weight, word in terms:
        verb = stem(IRREGULAR.get(word.lower(), ""))
        other = (QUARTER.get(key, ""), expand_acronym(key, field.low), verb)
        field.add_term(key, weight, *other)
        if not field.places[key] and (parted := find_parted(key, field.low)):
            field.add_term(key, weight, *other, parted)
    general = {key for key, _, word in terms if key not in names and is_general(word)}
    coverage, needed = best_coverage(field, units, names, general)
    subjects = {key for key in names if field.is_subject(key)}
    for key in subjects:
        field.weights[key] *= SUBJECT_WEIGHT_FACTOR
    for (first, *_), (second, *_) in pairwise(terms):
        if not {first, second} <= subjects:
            field.add_pair(first, second, PAIR_WEIGHT_SHARE * min(field.weights[first], field.weights[second]))
    titles, lines = statements_for(question)
    for line in lines:
        if line not in field.places:
            field.add_term(line, MEASURE_WEIGHT)
    ranked = _score_passages(field, units, _named_parts(question, titles, field))
    weights = {forms: field.idf[key] * field.weights[key] for key, forms in field.forms.items() if field.places[key]}
    missing = [word for key, _, word in terms if not field.places[key]]
    return Ranking(ranked, coverage, needed, weights, missing, bodies)


def _named_parts(question: str, titles: Sequence[re.Pattern[str]], field: TermIndex) -> list[bool]:
    """Which pages have among their first lines the title of a part of the document that the question is about."""
    parts = [[word for word in TOKEN.findall(part.lower()) if word not in STOP] for part in PART.findall(question)]
    patterns = [[re.compile(term_pattern(stem(word))) for word in part] for part in parts if len(part) > 1]

    def is_title(line: str) -> bool:
        size = sum(word not in STOP for word in TOKEN.findall(line))
        if size <= MAX_TITLE_WORDS and any(title.search(line) for title in titles):
            return True
        return any(size <= 2 * len(part) and all(word.search(line) for word in part) for part in patterns)

    if not titles and not patterns:
        return [False] * len(field.wide)
    heads = (field.low[start : min(start + HEAD_CHARS, end)] for start, end in field.wide)
    return [any(map(is_title, head.split("\n"))) for head in heads]


def _score_passages(
    field: TermIndex, units: Sequence[tuple[int, int]], named: Sequence[bool]
) -> list[tuple[float, int, int]]:
    """Passage score plus a share of the score of the page around it, which holds the headings of its tables."""
    heads = [(start, min(start + HEAD_CHARS, end)) for start, end in field.wide]
    scores = zip(field.bm25(field.wide), field.bm25(heads), strict=True)
    own = field.bm25(units)
    best = max(own, default=0.0)
    around = [PAGE_SCORE_SHARE * page + HEAD_SCORE_SHARE * head for page, head in scores]
    out = []
    for (start, end), score in zip(units, own, strict=True):
        page = max(bisect_right(field.wide, start, key=lambda span: span[0]) - 1, 0)
        total = score + around[page] + NAMED_PART_SHARE * named[page] * best if score or named[page] else 0.0
        if total:
            out.append((total, start, end))
    return sorted(out, key=lambda item: (-item[0], item[1]))
