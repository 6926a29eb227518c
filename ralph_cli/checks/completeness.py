"""Check a brief's statements of completeness if its task asks for all of something.

There are three proofs: the document's own words close the list, a model read every place that could have an item, or a
model read the part that the task is about (its pages, or the text under its heading). The share of the text that was
sent to a model proves nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ralph_cli.core.coverage import Spans, asks_for_all, count_covered, format_ranges, uncovered_spans
from ralph_cli.core.document import Document
from ralph_cli.core.run import Completeness, CompletenessProof, Issue
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.search.occurrences import SearchCounter, Tally
from ralph_cli.retrieval.search.patterns import MAX_PLACES
from ralph_cli.text.sentences import line_at, shorten_line

NAME = "completeness"
# The most times that a brief is sent back for this; after that the result says that completeness was not proved.
MAX_REFUSALS = 1

MAX_NAMED = 30
MAX_CALLS_NAMED = 6
# The most lines with unread terms that a refusal shows.
MAX_LINES_SHOWN = 10

MAX_LINE = 240
# The share of a part that may be unread in a part that counts as read.
_MOST_UNREAD = 0.02

_RUN = re.compile(r"(\d+)(?:\s*(?:-|\u2013|to)\s*(\d+))?")

_WORD = re.compile(r"\w+")
_GIVEN = "given to the reader, or to a model that it asked"


@dataclass
class CompletenessReview:
    """Check a worker's statements on the completeness of its brief. `shown_spans` returns what a model was shown."""

    document: Document
    task: str
    index: QuoteIndex
    shown_spans: Callable[[], Spans]
    _refusals: int = 0

    def issues(self, said: Completeness | None) -> tuple[Issue, ...]:
        """Return what is left to do if nothing proves that the brief is complete; empty for a task that asks for no
        list.
        """
        if not asks_for_all(self.task) or self._refusals >= MAX_REFUSALS:
            return ()
        proofs = self.prove(said)
        if any(proof.holds for proof in proofs):
            return ()
        self._refusals += 1
        told = "; ".join(proof.message for proof in proofs) or "`complete` was not handed in"
        told = "\n".join((told, *self._unread_lines(said.terms if said else ())))
        message = (
            "the task asks for all of something, and nothing shows yet that nothing is missing: say in `complete` "
            "beside the items what does. Read what is left; then, if no item is to be added, hand in `claims: []` with "
            "`complete`: the items are kept"
        )
        return (Issue(NAME, message, material=told),)

    def prove(self, said: Completeness | None) -> tuple[CompletenessProof, ...]:
        """Return the proofs that `said` names, each with whether it holds. A text that was read whole needs no proof.

        Statements of completeness that the task did not ask for are checked, too.
        """
        if said is None and not asks_for_all(self.task):
            return ()
        if self._unread_share(0, len(self.document.text)) == 0:
            words = said.closed_by.strip() if said is not None else ""
            closing = (self._prove_by_words(words),) if words else ()
            whole = CompletenessProof("pages", True, "the whole text was read")
            return (whole, *(proof for proof in closing if proof.holds))
        return tuple(self._proofs(said or Completeness()))

    def _proofs(self, said: Completeness) -> Iterator[CompletenessProof]:
        if said.closed_by.strip():
            yield self._prove_by_words(said.closed_by.strip())
        if any(term.strip() for term in said.terms):
            yield self._prove_by_terms(said.terms)
        if said.pages.strip():
            yield self._prove_by_pages(said.pages.strip())
        if sections := tuple(filter(None, map(str.strip, said.sections))):
            yield self._prove_by_sections(sections)

    def _prove_by_words(self, words: str) -> CompletenessProof:
        match, shown = self.index.find(words), f"\u201c{shorten_line(words, 200)}\u201d"
        if match is None:
            return CompletenessProof("words", False, f"the words that close the list are not in the document: {shown}")
        page = f" (p. {self.document.page_at(match.span.start).number})" if self.document.paged else ""
        return CompletenessProof(
            "words",
            True,
            f"the reader names words of the document that close the list{page}: {shown}",
            (match.span.start, match.span.end),
        )

    def _prove_by_terms(self, terms: tuple[str, ...]) -> CompletenessProof:
        tallies = self._count(terms)
        named = ", ".join(f"{tally.search.term}: {_describe_count(tally)}" for tally in tallies)
        places = sorted({place for tally in tallies for place in tally.places})
        if not places or any(tally.search.hits is None or tally.search.hits > MAX_PLACES for tally in tallies):
            return CompletenessProof("places", False, f"terms that cannot be counted, or are too common: {named}")
        unread = self._unread(places)
        if unread:
            fault = f"{len(unread)} of {len(places)} places of these terms were not read: {self._name_places(unread)}"
            return CompletenessProof("places", False, f"{fault} ({named})")
        return CompletenessProof("places", True, f"every place of these terms in the text was read: {named}")

    def _count(self, terms: Sequence[str]) -> tuple[Tally, ...]:
        return self.document.derive(SearchCounter).count(tuple(terms), ())

    def _unread(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        shown = self.shown_spans()
        return [place for place in places if count_covered(shown, *place) < place[1] - place[0]]

    def _unread_lines(self, terms: tuple[str, ...]) -> Iterator[str]:
        """Yield the first unread lines with the terms, each with its position.

        The worker reads them when they are shown.
        """
        places = sorted({place for tally in self._count(terms) for place in tally.places}) if any(terms) else []
        lines: dict[int, str] = {}
        for start, end in self._unread(places) if len(places) <= MAX_PLACES else ():
            page = self.document.page_at(start)
            low, high = line_at(self.document.text, start, end, page.start, page.end)
            words = self.document.text[max(low, start - MAX_LINE // 2) : min(high, end + MAX_LINE // 2)]
            where = self.document.describe_page(page) if self.document.paged or self.document.members else "the text"
            lines.setdefault(low, f"{where}, offset {start}: {' '.join(words.split())}")
        yield from list(lines.values())[:MAX_LINES_SHOWN]

    def _prove_by_pages(self, said: str) -> CompletenessProof:
        count = len(self.document.pages)
        numbers = _parse_pages(said, count)
        if not numbers:
            return CompletenessProof("pages", False, f"pages are named by their numbers, such as 12-18: {said[:80]!r}")
        pages = [self.document.pages[number - 1] for number in numbers]
        if unread := [page.number for page in pages if not self._is_read(page.start, page.end)]:
            message = f"of the pages that it is about, these were not read whole: {format_ranges(unread, MAX_NAMED)}"
            left = ", ".join(map(self._name_unread, unread[:MAX_CALLS_NAMED]))
            return CompletenessProof("pages", False, f"{message}; what is left begins at {left}")
        if len(numbers) == count:
            return CompletenessProof("pages", True, f"all pages were {_GIVEN}")
        message = f"the reader says that the task is about pages {format_ranges(numbers)}; all of them were {_GIVEN}"
        return CompletenessProof("pages", True, message)

    def _prove_by_sections(self, names: tuple[str, ...]) -> CompletenessProof:
        parts = [self._part_under(name) for name in names]
        if unknown := [name for name, part in zip(names, parts, strict=True) if part is None]:
            named = "; ".join(f"\u201c{shorten_line(name, 60)}\u201d" for name in unknown[:MAX_CALLS_NAMED])
            return CompletenessProof("sections", False, f"no heading has these words: {named}")
        known = [part for part in parts if part is not None]
        if unread := [part for part in known if not self._is_read(*part[1:])]:
            left = (f"\u201c{name}\u201d from at({self._widest_gap(start, end)})" for name, start, end in unread)
            message = f"not all was read of the parts under {', '.join([*left][:MAX_CALLS_NAMED])} on"
            return CompletenessProof("sections", False, message)
        told = ", ".join(f"\u201c{name}\u201d" for name, _, _ in known)
        message = f"the reader says that the task is about the parts under {told}; all of them were {_GIVEN}"
        return CompletenessProof("sections", True, message)

    def _part_under(self, words: str) -> tuple[str, int, int] | None:
        """Return the longest part whose heading has these words: its heading, start and end.

        A part ends at the next heading of its level or above.
        """
        headings, wanted = self.document.headings, set(_WORD.findall(words.casefold()))
        found = []
        for number, heading in enumerate(headings):
            if wanted and wanted <= set(_WORD.findall(heading.text.casefold())):
                member = self.document.member_at(heading.start)
                last = member.end if member else len(self.document.text)
                later = (it.start for it in headings[number + 1 :] if it.level <= heading.level)
                found.append((shorten_line(heading.text, 60), heading.start, min(next(later, last), last)))
        return max(found, key=lambda part: part[2] - part[1], default=None)

    def _is_read(self, start: int, end: int) -> bool:
        return self._unread_share(start, end) <= _MOST_UNREAD

    def _name_unread(self, number: int) -> str:
        """Return the call that prints the unread rest of a page."""
        page = self.document.pages[number - 1]
        return f"show({number}, start={self._widest_gap(page.start, page.end) - page.start})"

    def _widest_gap(self, start: int, end: int) -> int:
        """Return the start of the longest unread piece of text[start:end]."""
        gaps = uncovered_spans(self.shown_spans(), len(self.document.text))
        inside = [(max(low, start), min(high, end)) for low, high in gaps]
        return max(inside, key=lambda gap: gap[1] - gap[0])[0]

    def _unread_share(self, start: int, end: int) -> float:
        """Return the share of the characters, without white space, that no model was shown."""
        text, at, unread, size = self.document.text, start, 0, 0
        for low, high in (*self.shown_spans(), (end, end)):
            low, high = min(max(low, at), end), min(max(high, at), end)
            unread += len("".join(text[at:low].split()))
            size += len("".join(text[at:high].split()))
            at = high
        return unread / size if size else 0.0

    def _name_places(self, places: list[tuple[int, int]]) -> str:
        if self.document.paged:
            pages = sorted({self.document.page_at(start).number for start, _ in places})
            return f"pages {format_ranges(pages, MAX_NAMED)}"
        return "offsets " + ", ".join(str(start) for start, _ in places[:MAX_NAMED])


def _describe_count(tally: Tally) -> str:
    hits = tally.search.hits
    return "not counted" if hits is None else f"{hits:,} place{'' if hits == 1 else 's'}"


def _parse_pages(said: str, count: int) -> list[int]:
    """Return the page numbers in order; empty if one of them is not a page of the document."""
    if said.casefold() in ("all", "*"):
        return list(range(1, count + 1))
    found: set[int] = set()
    for match in _RUN.finditer(said):
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= count:
            return []
        found |= set(range(first, last + 1))
    return sorted(found)
