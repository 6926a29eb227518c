"""Whether nothing is missing where a task asks for all of something: what the worker says of it, looked at by code.

There are three ways to know it: the document's own words close the list, every place where an instance would be found
was read, or the part that the task is about was read (its pages, or what stands under its heading). How much of the
text was sent to a model is none of them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ralph_cli.core.coverage import Spans, asks_for_all, count_covered, format_ranges, uncovered_spans
from ralph_cli.core.document import Document
from ralph_cli.core.run import Completeness, CompletenessProof, Issue
from ralph_cli.core.structure import Heading
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.search.occurrences import SearchCounter, Tally
from ralph_cli.retrieval.search.patterns import MAX_PLACES
from ralph_cli.text.sentences import line_at, shorten_line

NAME = "completeness"
MAX_REFUSALS = 1
"""How often a brief is sent back for this; then it is taken, and the result says that it was not proved."""

MAX_NAMED, MAX_CALLS_NAMED = 30, 6
MAX_LINES_SHOWN, MAX_LINE = 10, 240
"""Lines with unread terms that a refusal shows, and characters of each."""

_RUN = re.compile(r"(\d+)(?:\s*(?:-|\u2013|to)\s*(\d+))?")

_WORD = re.compile(r"\w+")
_GIVEN = "given to the reader, or to a model that it asked"


@dataclass
class CompletenessReview:
    """Looks at what a worker says of the completeness of its brief; `shown_spans` gives what a model was shown."""

    document: Document
    task: str
    index: QuoteIndex
    shown_spans: Callable[[], Spans]
    _refusals: int = 0

    def issues(self, said: Completeness | None) -> tuple[Issue, ...]:
        """What is left to do, if nothing shows that the brief is complete; empty for a task that asks for no list."""
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
        """What of `said` holds, each in a sentence; of a text that was read whole nothing need be said.

        What a worker says of it unasked is looked at, too.
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

    def _count(self, terms: tuple[str, ...]) -> tuple[Tally, ...]:
        return self.document.derive(SearchCounter).count(terms, ())

    def _unread(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        shown = self.shown_spans()
        return [place for place in places if count_covered(shown, *place) < place[1] - place[0]]

    def _unread_lines(self, terms: tuple[str, ...]) -> Iterator[str]:
        """The first lines with terms that were not read, each with its place: whoever is told them has read them."""
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
        unread = [page.number for page in pages if not self._is_read(page.start, page.end)]
        bounds: list[str] = []
        for number in unread.copy():
            ends = number + 1 not in numbers and self._heading_read_to(number)
            begins = number - 1 not in numbers and self._heading_read_from(number)
            if heading := begins or ends:
                unread.remove(number)
                bounds.append(f"page {number} {'from' if begins else 'up to'} the heading \u201c{heading}\u201d")
        if unread:
            message = f"of the pages that it is about, these were not read whole: {format_ranges(unread, MAX_NAMED)}"
            left = ", ".join(map(self._name_unread, unread[:MAX_CALLS_NAMED]))
            return CompletenessProof("pages", False, f"{message}; what is left begins at {left}")
        if len(numbers) == count and not bounds:
            return CompletenessProof("pages", True, f"all pages were {_GIVEN}")
        message = f"the reader says that the task is about pages {format_ranges(numbers)}; all of them were {_GIVEN}"
        return CompletenessProof("pages", True, "; ".join((message, *bounds)))

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
        """The part whose heading has these words, of several the longest: its heading, where it begins and ends.

        It ends at the next heading of its level or above.
        """
        headings, wanted = self.document.headings, set(_WORD.findall(words.casefold()))
        found = []
        for number, heading in enumerate(headings):
            if wanted and wanted <= set(_WORD.findall(heading.text.casefold())):
                member = self.document.member_at(heading.start)
                last = member.end if member else len(self.document.text)
                later = (it.start for it in headings[number + 1 :] if it.level <= heading.level)
                found.append((_name_heading(heading), heading.start, min(next(later, last), last)))
        return max(found, key=lambda part: part[2] - part[1], default=None)

    def _is_read(self, start: int, end: int) -> bool:
        return self._unread_share(start, end) <= 0.02

    def _heading_read_from(self, number: int) -> str:
        """The heading from which on a page was read to its end, as where a part begins; empty if there is none."""
        page = self.document.pages[number - 1]
        found = (heading for heading in self._headings_on(number) if self._is_read(heading.start, page.end))
        return _name_heading(next(found, None))

    def _heading_read_to(self, number: int) -> str:
        """The heading up to which a page was read: whether a part ends there is for the judge to see."""
        page, text = self.document.pages[number - 1], self.document.text
        found = [it for it in self._headings_on(number) if text[page.start : it.start].strip()]
        return _name_heading(next((it for it in reversed(found) if self._is_read(page.start, it.start)), None))

    def _headings_on(self, number: int) -> list[Heading]:
        page = self.document.pages[number - 1]
        return [heading for heading in self.document.headings if page.start <= heading.start < page.end]

    def _name_unread(self, number: int) -> str:
        """What prints the rest of a page of which not all was read."""
        page = self.document.pages[number - 1]
        return f"show({number}, start={self._widest_gap(page.start, page.end) - page.start})"

    def _widest_gap(self, start: int, end: int) -> int:
        """Where the most begins that was not read of text[start:end] in one piece."""
        gaps = uncovered_spans(self.shown_spans(), len(self.document.text))
        inside = [(max(low, start), min(high, end)) for low, high in gaps]
        return max(inside, key=lambda gap: gap[1] - gap[0])[0]

    def _unread_share(self, start: int, end: int) -> float:
        """The share of the characters, white space apart, of which no model was shown anything."""
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
    """The page numbers that are meant, in order; empty when one of them is no page."""
    if said.casefold() in ("all", "*"):
        return list(range(1, count + 1))
    found: set[int] = set()
    for match in _RUN.finditer(said):
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= count:
            return []
        found |= set(range(first, last + 1))
    return sorted(found)


def _name_heading(heading: Heading | None) -> str:
    return shorten_line(heading.text, 60) if heading is not None else ""
