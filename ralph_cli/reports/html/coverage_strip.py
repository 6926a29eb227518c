"""Finds which pages of the document the worker's code processed, and which a model was shown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ralph_cli.core.coverage import Coverage, PageCoverage, Spans, count_covered, format_ranges
from ralph_cli.core.document import Document, Member
from ralph_cli.core.events import AnyEvent, CoverageAdded, SnippetRan
from ralph_cli.core.structure import Page

MAX_PARTS = 300
_SLICES = 40
_WHOLE = 0.9

Unit = Literal["page", "pages", "lines", "document", "documents"]

# How far a part was read: a model was shown all or some of it, only code processed it, or nothing read it.
Level = Literal["whole", "some", "code", "none"]

LEVELS: dict[Level, str] = {
    "whole": "shown to a model",
    "some": "shown to a model in part",
    "code": "processed by code only",
    "none": "never read",
}


@dataclass(frozen=True, slots=True)
class Part:
    """The pages from `first` to `last`, or the lines of a text without pages, and how far they were read."""

    first: int
    last: int
    level: Level

    @property
    def name(self) -> str:
        """The numbers as a reader writes them: "3-5"."""
        return format_ranges(range(self.first, self.last + 1))


@dataclass(frozen=True, slots=True)
class CoverageStrip:
    """The parts of the document in order, empty if nothing was recorded; `note` says where the data is from.

    `unit` is what a part is: "page", "pages" (several in each) or "lines"; in a set "document" or "documents", by
    number. `single` are the parts before several were combined.
    """

    note: str
    unit: Unit = "page"
    parts: tuple[Part, ...] = ()
    single: tuple[Part, ...] = ()

    def describe_levels(self) -> Iterator[tuple[Level, str, str]]:
        """Each level that occurs: the level, its name in words, and how many and which parts have it."""
        noun = {"lines": "Lines", "document": "Documents", "documents": "Documents"}.get(self.unit, "Pages")
        in_all = self.single[-1].last if self.single else 0
        for level, words in LEVELS.items():
            numbers = [n for part in self.single if part.level == level for n in range(part.first, part.last + 1)]
            if numbers:
                yield level, f"{noun} {words}", f" ({len(numbers)} of {in_all}): {all_ranges(numbers)}"


_RECORDED = "Recorded while the run went on; what code went through is what the sandbox reported."

NOT_RECORDED = CoverageStrip("What of the document was read was not recorded in this run.")


def all_ranges(numbers: Sequence[int]) -> str:
    """Numbers in order as a reader writes them, all of them: "1, 4-6, 9"."""
    return format_ranges(numbers, len(numbers))


def build_coverage_strip(
    events: Iterable[AnyEvent], document: Document | None, pages: int, recorded: Sequence[PageCoverage] = ()
) -> CoverageStrip:
    """The coverage of a run. Without its `document` only the coverage `recorded` by page is known."""
    events = tuple(events)
    covered = [event for event in events if isinstance(event, CoverageAdded)]
    if covered:
        if document is not None:
            return _strip_of_document(covered, document)
        if len(recorded) > 1:
            single = tuple(Part(page.number, page.number, _level(page.shown, page.code)) for page in recorded)
            return _group_parts(_RECORDED, "page", single)
        return CoverageStrip("Only character positions were recorded; to show pages, the document is needed.")
    seen = {page for event in events if isinstance(event, SnippetRan) for page in event.pages}
    if not seen or pages < 2:
        return NOT_RECORDED
    note = "A page counts as shown when some of its text was in the output of a step that the worker saw."
    return _group_parts(note, "page", tuple(Part(n, n, "some" if n in seen else "none") for n in range(1, pages + 1)))


def _strip_of_document(covered: Iterable[CoverageAdded], document: Document) -> CoverageStrip:
    read = Coverage()
    for event in covered:
        read = read.with_spans(event.how, event.spans)
    unit: Unit = "document" if document.members else "page" if document.paged else "lines"
    if unit == "lines":
        whole = list(_line_groups(document.text))
    else:
        pieces: Sequence[Member | Page] = document.members or document.pages
        whole = [(number, number, piece.start, piece.end) for number, piece in enumerate(pieces, 1)]
    single = []
    for first, last, start, end in whole:
        shown, code = (_covered_share(spans, start, end) for spans in (read.shown, read.code))
        single.append(Part(first, last, _level(shown, code)))
    return _group_parts(_RECORDED, unit, tuple(single))


def _covered_share(spans: Spans, start: int, end: int) -> float:
    """The share of text[start:end] in the spans; an empty page is covered if its position is."""
    if start == end:
        return float(any(low <= start <= high for low, high in spans))
    return count_covered(spans, start, end) / (end - start)


def _line_groups(text: str) -> Iterator[tuple[int, int, int, int]]:
    """The lines of a text in groups: first and last number, start and end."""
    starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n"), len(text)]
    lines = len(starts) - 1
    size = max(-(-lines // _SLICES), 1)
    for at in range(0, lines, size):
        last = min(at + size, lines)
        yield at + 1, last, starts[at], starts[last]


def _group_parts(note: str, unit: Unit, single: tuple[Part, ...]) -> CoverageStrip:
    """The coverage with several pages in each part if there are more than a strip can show."""
    size = -(-len(single) // MAX_PARTS)
    if size <= 1:
        return CoverageStrip(note, unit, single, single)
    parts = []
    for at in range(0, len(single), size):
        group = single[at : at + size]
        parts.append(Part(group[0].first, group[-1].last, _combined_level({part.level for part in group})))
    return CoverageStrip(note, "documents" if unit == "document" else "pages", tuple(parts), single)


def _level(shown: float, code: float) -> Level:
    if shown >= _WHOLE:
        return "whole"
    return "some" if shown else "code" if code else "none"


def _combined_level(levels: set[Level]) -> Level:
    """The level of several pages that share a place in the strip."""
    if len(levels) == 1:
        return next(iter(levels))
    return "some" if levels & {"whole", "some"} else "code"
