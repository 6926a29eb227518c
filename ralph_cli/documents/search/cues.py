"""Passages that may limit a statement: sentences with words such as "except" or "restated" that share its terms. Pure.

A local search can only propose: whether a passage limits a statement is for a reader to say.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ralph_cli.core.document import Document, Span
from ralph_cli.text.lexicon import STOP_WORDS
from ralph_cli.text.scan import strip_interval
from ralph_cli.text.sentences import sentence_at
from ralph_cli.text.tables import is_row

STRONG_CUES = re.compile(
    r"(?i)\b(?:except(?:ions?|ed)?|unless|notwithstanding|subject\s+to|provided\s+(?:that|however)|other\s+than"
    r"|however|does\s+not\s+apply|do\s+not\s+apply|shall\s+not\s+apply|limited\s+to|excluding|excludes|not\s+include"
    r"|waive[rds]*|amend(?:ed|ment|s)|restate(?:d|ment)|supersede[sd]?|terminat(?:ed|es)|revis(?:ed|ion)"
    r"|correct(?:ed|ion)|reclassif\w+|no\s+longer|instead\s+of|replaced|only\s+(?:if|when|where|to)|in\s+no\s+event)\b"
)
"""Words with which documents limit, change or take back what they say elsewhere."""

WEAK_CUES = re.compile(
    r"(?i)\b(?:(?:may|shall|must|will|can|does|do|is|are)\s+not|cannot|no\s+(?=\w+\s+(?:is|are|shall|will|may)\b)|if|before|until"
    r"|suspend\w*|abate\w*|delet(?:ed|ion)|in\s+lieu\s+of|with\s+effect\s+from|applies\s+only|increase[sd]?\s+to|reduced\s+to"
    r"|decrease[sd]?\s+to|raised\s+to|lowered\s+to|chang(?:ed|es)\s+to|early|postpone[sd]?|extend(?:ed|s)|expire[sd]?)\b"
)
"""Words that do so at times; a passage with one of them alone counts for less."""

WEAK_CUE_WEIGHT = 0.6

MAX_PASSAGE = 700
"""Characters of a passage."""

MIN_SHARED_TERMS, FEW_PASSAGES = 2, 60
"""Terms that a passage must share with a statement; in a document with few such passages, one is enough."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_SECTION = re.compile(r"(?i)(?:\u00a7+|\b(?:sections?|clauses?|paragraphs?|articles?|notes?|items?))\s*(\d+(?:\.\d+)*)")
_NUMBERED = re.compile(r"(?m)^[ \t]*(?:\u00a7\s*)?(\d{1,3}(?:\.\d{1,3})*)[.)]?[ \t]+(?=[^\W\d_])")
_LABEL = re.compile(r"\s*(?P<label>[^\d$\u20ac\u00a3\u00a5(\u2014]*[^\W\d_]{3}[^\d$\u20ac\u00a3\u00a5(\u2014]*)")
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_REPORTS = "amount based billion company ended however include included includes including made make million one per"
_REPORTS += " except provided respect subject total two unless used using year years"
_COMMON = STOP_WORDS | frozenset(_REPORTS.split())


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A passage that may limit a statement, and why it was proposed."""

    span: Span
    reason: str
    score: float


class QualifierIndex:
    """Proposes passages of one document that may limit a statement; keeps what it has worked out of the text."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text

    @cached_property
    def _sentences(self) -> tuple[tuple[Span, frozenset[str], float], ...]:
        """Sentences with a limiting word, each with its terms and what that word counts for."""
        found: dict[tuple[int, int], float] = {}
        for words, weight in ((STRONG_CUES, 1.0), (WEAK_CUES, WEAK_CUE_WEIGHT)):
            for match in words.finditer(self._text):
                found.setdefault(self._sentence(match.start(), match.end()), weight)
        texts = ((span, self._text[slice(*span)], weight) for span, weight in found.items())
        return tuple((Span(*span), terms(text) | named_sections(text), weight) for span, text, weight in texts)

    @cached_property
    def _frequency(self) -> Counter[str]:
        return Counter(term for _, words, _ in self._sentences for term in words)

    @cached_property
    def _rows(self) -> dict[str, list[Span]]:
        """Rows of tables by their label."""
        rows: dict[str, list[Span]] = {}
        for match in re.finditer(r"[^\n\f]+", self._text):
            if is_row(match[0]) and (label := row_label(match[0])):
                rows.setdefault(label, []).append(Span(match.start(), match.end()))
        return rows

    def candidates(
        self, statement: str, quotes: Sequence[str], excluded: Iterable[Span], limit: int
    ) -> list[Qualifier]:
        """Up to `limit` passages for a statement that rests on `quotes`, best first; none lies in one of `excluded`."""
        seen = list(excluded)
        own = frozenset(
            f"\u00a7{match[1]}" for span in seen for match in _NUMBERED.finditer(self._text, span.start, span.end)
        )
        wanted = terms(" ".join((statement, *quotes))) | own
        found = [*self._other_values(statement, quotes), *self._by_terms(wanted)]
        chosen: list[Qualifier] = []
        for item in sorted(found, key=lambda item: (-item.score, item.span.start)):
            if len(chosen) == limit:
                break
            taken = [*seen, *(other.span for other in chosen)]
            if not any(item.span.start < span.end and span.start < item.span.end for span in taken):
                chosen.append(item)
        return chosen

    def _by_terms(self, wanted: frozenset[str]) -> list[Qualifier]:
        found = []
        least = 1 if len(self._sentences) <= FEW_PASSAGES else MIN_SHARED_TERMS
        for span, words, weight in self._sentences:
            shared = wanted & words
            # A passage that names the section limits it, in whatever words.
            if len(shared) < least and not any(term.startswith("\u00a7") for term in shared):
                continue
            score = weight * sum(math.log(1 + len(self._sentences) / self._frequency[term]) for term in shared)
            # Long sentences share terms by chance.
            score *= len(shared) / (len(shared) + 0.05 * len(words))
            found.append(Qualifier(span, f"shares {', '.join(sorted(shared)[:6])}", score))
        return found

    def _other_values(self, statement: str, quotes: Sequence[str]) -> list[Qualifier]:
        """Rows with the label of a quoted row in which none of the statement's figures stands."""
        stated = set(_FIGURE.findall(statement))
        found = []
        for quote in quotes:
            for line in quote.splitlines():
                label = row_label(line)
                if not label or stated.isdisjoint(_FIGURE.findall(line)):
                    continue
                for span in self._rows.get(label, ()):
                    if stated.isdisjoint(_FIGURE.findall(self._text, span.start, span.end)):
                        # Worth more than one shared word, less than a sentence about the very thing.
                        found.append(Qualifier(span, "the same label with another figure", 4.0))
        return found

    def _sentence(self, start: int, end: int) -> tuple[int, int]:
        """The sentence around a place, at most `MAX_PASSAGE` characters, without white space at its ends."""
        least, most = max(start - MAX_PASSAGE // 2, 0), min(end + MAX_PASSAGE // 2, len(self._text))
        low, high = sentence_at(self._text, start, end, least, most, ".;!?")
        if low == least > 0:
            low = self._text.rfind(" ", 0, low) + 1
        while high == most < len(self._text) and not self._text[high].isspace():
            high = most = high + 1  # not through a word or figure
        return strip_interval(self._text, low, high)


def terms(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, without their endings."""
    words = {match[0].casefold() for match in _WORD.finditer(text)} - _COMMON
    return frozenset(re.sub(r"(?:ies|es|s|ed|ing|ly)$", "", word) for word in words)


def named_sections(text: str) -> frozenset[str]:
    """The sections that a text names, as terms: "\u00a72.1"."""
    return frozenset(f"\u00a7{match[1]}" for match in _SECTION.finditer(text))


def row_label(row: str) -> str:
    """The label of a table's row, folded for comparing; empty if it has none."""
    match = _LABEL.match(row)
    return " ".join(match["label"].split()).casefold().strip(" :-") if match else ""
