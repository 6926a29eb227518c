"""Counts the searches behind an answer of "not found", so that the counts are facts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ralph_cli.core.coverage import Spans
from ralph_cli.core.document import Document, Member
from ralph_cli.core.run import Search
from ralph_cli.documents.sets.joining import take_member
from ralph_cli.documents.sets.naming import match_names
from ralph_cli.retrieval.search.patterns import MAX_PLACES, count_patterns
from ralph_cli.text.boundary import is_inside_word
from ralph_cli.text.fold import FoldedText, fold

# The fewest letters of a term that may match the beginning of words, such as "terminat".
MIN_STEM = 5

_PLURAL = re.compile(r"e?s(?!\w)")
_SYNTAX = re.compile(r"[\\|*+?^$\[\](){}]|\.[*+]")


@dataclass(frozen=True, slots=True)
class SearchTerm:
    """A word or a regular expression to search for; in a set, only in the documents named `within`."""

    term: str
    pattern: bool = False
    within: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """One search with its first occurrences. `anywhere` also counts hits inside words."""

    search: Search
    places: Spans
    anywhere: int = 0


@dataclass(eq=False)
class SearchCounter:
    """Counts words and expressions in one document; keeps a folded copy of its text."""

    document: Document
    _of_members: dict[Member, "SearchCounter"] = field(default_factory=dict)

    @cached_property
    def _folded(self) -> tuple[FoldedText, str]:
        """The text with typography folded, and the same text with its case folded; both have the same length."""
        folded = fold(self.document.text)
        return folded, _lower(folded.text)

    def count(self, worker_terms: Iterable[str], code_terms: Sequence[SearchTerm]) -> tuple[Tally, ...]:
        """Count each search once: first those that the worker names, then the others in its code.

        Case, whitespace and typography are ignored. Whole words and their plurals count. If there are none, words
        that begin with a long term count. A term that is not found literally but has signs of a regular expression is
        counted as one. A search limited to some documents of a set is counted only there, unless it is also counted
        in all.
        """
        everywhere = [item for item in code_terms if not item.within]
        whole = self._count_whole(worker_terms, everywhere)
        counted = {tally.search.term.casefold() for tally in whole}
        confined: dict[str, list[SearchTerm]] = {}
        for item in code_terms:
            if item.within and item.term.casefold() not in counted:
                confined.setdefault(item.within, []).append(SearchTerm(item.term, item.pattern))
        return (*whole, *(tally for within, terms in confined.items() for tally in self._count_within(within, terms)))

    def _count_within(self, within: str, terms: Sequence[SearchTerm]) -> Iterator[Tally]:
        """Yield the searches in the documents with this name; none if no document has it."""
        members = self.document.members
        named = [members[at] for at in match_names(within, [member.name for member in members])]
        within = named[0].name if len(named) == 1 else within
        tallies = [self._counter_of(member).count((), terms) for member in named]
        for same in zip(*tallies, strict=True):
            hits = [tally.search.hits for tally in same]
            total = None if None in hits else sum(count or 0 for count in hits)
            parts = zip(named, same, strict=True)
            places = [(a + it.start, b + it.start) for it, tally in parts for a, b in tally.places][:MAX_PLACES]
            fault = next((tally.search.fault for tally in same if tally.search.fault), "")
            stem = any(tally.search.stem for tally in same)
            search = replace(same[0].search, hits=total, fault=fault, stem=stem, within=within)
            yield Tally(search, tuple(places), sum(tally.anywhere for tally in same))

    def _counter_of(self, member: Member) -> "SearchCounter":
        """Return the counter of one document of the set."""
        if member not in self._of_members:
            self._of_members[member] = SearchCounter(take_member(self.document, member))
        return self._of_members[member]

    def _count_whole(self, worker_terms: Iterable[str], code_terms: Sequence[SearchTerm]) -> tuple[Tally, ...]:
        found: dict[str, Tally] = {}
        for term in (" ".join(term.split()) for term in worker_terms):
            if _key(term):
                found.setdefault(term.casefold(), self._count_plain(Search(term, 0)))
        code = [item for item in code_terms if item.term.casefold() not in found]
        for item in code:
            plain = not (item.pattern and _SYNTAX.search(item.term))
            search = Search(item.term, 0, "code", not plain)
            found.setdefault(item.term.casefold(), self._count_plain(search) if plain else Tally(search, ()))
        expressions = [key for key, tally in found.items() if self._is_expression(tally.search)]
        counted = count_patterns([found[key].search.term for key in expressions], self.document.text)
        for key, result in zip(expressions, counted, strict=True):
            search = found[key].search
            if result.count is None and not search.pattern:
                continue  # not an expression: the count of its letters remains
            counted_search = Search(search.term, result.count, search.by, True, result.fault)
            found[key] = Tally(counted_search, result.places, result.anywhere)
        return tuple(found.values())

    def _is_expression(self, search: Search) -> bool:
        return search.pattern or (search.hits == 0 and bool(_SYNTAX.search(search.term)))

    def _count_plain(self, search: Search) -> Tally:
        folded, text = self._folded
        key = _key(search.term)
        words: list[int] = []
        stems: list[int] = []
        anywhere = 0
        at = text.find(key) if key else -1
        while at >= 0:
            anywhere += 1
            if not is_inside_word(text, at):
                (words if _ends_word(text, at + len(key)) else stems).append(at)
            at = text.find(key, at + len(key))
        found = words or (stems if len(key) >= MIN_STEM and key[-1].isalpha() else [])
        places = tuple(folded.original_span(start, start + len(key)) for start in found[:MAX_PLACES])
        stem = bool(found) and not words
        return Tally(replace(search, hits=len(found), stem=stem), places, anywhere)


def _ends_word(text: str, end: int) -> bool:
    """Whether a word, or its plural, ends at `end`."""
    return not is_inside_word(text, end) or _PLURAL.match(text, end) is not None


def _key(term: str) -> str:
    return _lower(fold(term).text.strip())


def _lower(text: str) -> str:
    """Return the text with its case folded; letters that would become two stay unchanged, to keep offsets valid."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(next(low for low in (char.casefold(), char.lower(), char) if len(low) == 1) for char in text)
