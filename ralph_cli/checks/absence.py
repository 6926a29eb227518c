"""The record of an absence: the searches for it, counted by code, and the nearest passages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from ralph_cli.core.document import Document, Member
from ralph_cli.core.run import Absence, Attempt, Claim, Draft, Passage, Ruling, Search, Verdict
from ralph_cli.core.structure import Span
from ralph_cli.retrieval.search.nearest import nearest_passages
from ralph_cli.retrieval.search.occurrences import SearchCounter, SearchTerm, Tally

# The share of the question, by weight, that a passage must contain to be shown as near to it.
MIN_NEAR_SHARE = 0.4


def describe_searches(searches: Sequence[Search]) -> str:
    """Return the searches in one line, each with the number of hits that code counted."""
    return f"counted by code: {', '.join(map(describe_count, searches))}"


def describe_count(search: Search) -> str:
    """Return one search in words, with its number of hits."""
    words = f"\u201c{search.words}\u201d" if search.pattern else search.words
    within = f" (in {search.within} only)" if search.within else ""
    return f"{words}{within}: {'not counted' if search.hits is None else search.hits}"


def is_absence(claim: Claim) -> bool:
    """Whether a claim says only that something is not in the document: it has searches and no quotes."""
    return bool(claim.searches) and not claim.quotes


def rule_by_counts(claim: Claim) -> Ruling:
    """Return the ruling on a claim that something is not in the document, if no model reads the document."""
    return Ruling(claim.id, Verdict.ABSENT, describe_searches(claim.searches), "code")


@dataclass
class SearchRecord:
    """Count the searches that a worker names, and the searches of its code (`code_searches`)."""

    document: Document
    question: str
    code_searches: Callable[[], tuple[SearchTerm, ...]]
    _count: Callable[[tuple[str, ...], tuple[SearchTerm, ...]], tuple[Tally, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self._count = lru_cache(maxsize=1)(self.document.derive(SearchCounter).count)

    def add_claim_searches(self, attempt: Attempt, draft: Draft) -> Attempt:
        """Return the attempt with the counted searches for its claims that something is not in the document."""
        if not any(claim.searched for claim in draft.claims):
            return attempt
        searches = [self._count_for(claim.text, claim.searched) if claim.searched else () for claim in draft.claims]
        claims = tuple(replace(claim, searches=searches[claim.id - 1]) for claim in attempt.claims)
        return replace(attempt, claims=claims)

    def add_search_record(self, attempt: Attempt) -> Attempt:
        """Return the attempt with the record of its absence: the counted searches, and the nearest passages."""
        if attempt.absence is None:
            return attempt
        return replace(self.add_search_counts(attempt), nearest=self._nearest)

    def add_search_counts(self, attempt: Attempt) -> Attempt:
        """Return the attempt with its counted searches."""
        searched = (attempt.absence or Absence(())).searched
        return replace(attempt, searches=_once(self._count(tuple(searched), tuple(self.code_searches()))))

    def _count_for(self, claim: str, searched: Sequence[str]) -> tuple[Search, ...]:
        """Return the searches that the worker names for a claim. Searches of its code are not tied to one claim.

        In a set, the searches for a claim that gives a document's whole name are counted in that document.
        """
        member = self._member_named(claim)
        if member is None:
            return _once(self._count(tuple(searched), ()))
        found = self._count((), tuple(SearchTerm(term, within=member.name) for term in searched))
        return tuple(replace(tally.search, by="worker") for tally in found)

    def _member_named(self, claim: str) -> Member | None:
        named = [member for member in self.document.members if member.name in claim]
        longest = [one for one in named if not any(one.name in other.name for other in named if other is not one)]
        return longest[0] if len(longest) == 1 else None

    @cached_property
    def _nearest(self) -> tuple[Passage, ...]:
        found = []
        for near in nearest_passages(self.question, self.document.text):
            if near.share >= MIN_NEAR_SHARE:
                page, text = self.document.page_at(near.start), self.document.text[near.start : near.end]
                where = self.document.place_beside_pages(Span(near.start, near.end))
                found.append(Passage(text, near.start, near.end, page.number, page.label, near.words, where))
        return tuple(found)


def _once(tallies: Sequence[Tally]) -> tuple[Search, ...]:
    """Return each search once, by its words. A search by both the code and the worker counts once."""
    found: dict[tuple[str, str], Search] = {}
    for tally in tallies:
        found.setdefault((tally.search.words.casefold(), tally.search.within), tally.search)
    return tuple(found.values())
