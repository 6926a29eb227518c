"""Which pages of the document the worker's code went through and a model was shown, as far as that was recorded."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ralph_cli.core.coverage import Coverage, Spans, count_covered, format_ranges
from ralph_cli.core.document import Document
from ralph_cli.core.events import AnyEvent, CoverageAdded, SnippetRan

MAX_PARTS = 300
_SLICES = 40
_WHOLE = 0.9

Level = Literal["whole", "some", "code", "none"]
"""How far a part was read: all or some of it was shown to a model, only code went through it, or nothing did."""

LEVELS: dict[Level, str] = {
    "whole": "shown to a model",
    "some": "shown to a model in part",
    "code": "processed by code only",
    "none": "never read",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One page, or several, or a slice of a text without pages: its name, and how far it was read."""

    name: str
    level: Level


@dataclass(frozen=True, slots=True)
class CoverageStrip:
    """The parts of the document in order, empty when nothing was recorded; `note` says where this is from.

    `unit` is what a part is: "page", "pages" (several in each) or "characters". `single` are the parts before several
    pages were put into each.
    """

    note: str
    unit: str = "page"
    parts: tuple[Part, ...] = ()
    single: tuple[Part, ...] = ()

    def describe_levels(self) -> Iterator[tuple[str, str]]:
        """For each level that some pages, or parts, have: in words how many have it, and which these are."""
        noun = "Characters" if self.unit == "characters" else "Pages"
        for level, words in LEVELS.items():
            if names := [part.name for part in self.single if part.level == level]:
                which = ", ".join(names) if noun == "Characters" else all_ranges([int(name) for name in names])
                yield f"{noun} {words}", f" ({len(names)} of {len(self.single)}): {which}"


NOT_RECORDED = CoverageStrip("What of the document was read was not recorded in this run.")


def all_ranges(numbers: Sequence[int]) -> str:
    """Numbers in order as a reader writes them, none left out: 1, 4-6, 9."""
    return format_ranges(numbers, len(numbers))


def build_coverage_strip(events: Iterable[AnyEvent], document: Document | None, pages: int) -> CoverageStrip:
    """The coverage of a run. Without `document` only what is recorded by page number can be told."""
    events = tuple(events)
    covered = [event for event in events if isinstance(event, CoverageAdded)]
    if covered and document is not None:
        read = Coverage()
        for event in covered:
            read = read.with_spans(event.how, event.spans)
        note = "Recorded while the run went on; what code went through is what the sandbox reported."
        if document.paged:
            whole = [(str(page.number), page.start, page.end) for page in document.pages]
        else:
            whole = _slices(len(document.text))
        single = tuple(Part(name, _level(read, start, end)) for name, start, end in whole)
        return _group_parts(note, "page" if document.paged else "characters", single)
    if covered:
        return CoverageStrip("Only character positions were recorded; to show pages, the document is needed.")
    seen = {page for event in events if isinstance(event, SnippetRan) for page in event.pages}
    if not seen or pages < 2:
        return NOT_RECORDED
    note = "A page counts as shown when some of its text was in the output of a step that the worker saw."
    return _group_parts(note, "page", tuple(Part(str(n), "some" if n in seen else "none") for n in range(1, pages + 1)))


def _covered_share(spans: Spans, start: int, end: int) -> float:
    """How much of start..end lies in the spans; an empty page is covered when its place is."""
    if start == end:
        return float(any(low <= start <= high for low, high in spans))
    return count_covered(spans, start, end) / (end - start)


def _slices(length: int) -> list[tuple[str, int, int]]:
    size = max(-(-length // _SLICES), 1)
    return [(f"{at:,}-{min(at + size, length):,}", at, min(at + size, length)) for at in range(0, length, size)]


def _group_parts(note: str, unit: str, single: tuple[Part, ...]) -> CoverageStrip:
    """The parts, several pages in each when there are more than a strip can show."""
    size = -(-len(single) // MAX_PARTS)
    if size <= 1:
        return CoverageStrip(note, unit, single, single)
    parts = []
    for at in range(0, len(single), size):
        group = single[at : at + size]
        parts.append(Part(f"{group[0].name}-{group[-1].name}", _combined_level({part.level for part in group})))
    return CoverageStrip(note, "pages", tuple(parts), single)


def _level(read: Coverage, start: int, end: int) -> Level:
    shown = _covered_share(read.shown, start, end)
    if shown >= _WHOLE:
        return "whole"
    return "some" if shown else "code" if _covered_share(read.code, start, end) else "none"


def _combined_level(levels: set[Level]) -> Level:
    """The level of several pages that share a place in the strip."""
    if len(levels) == 1:
        return next(iter(levels))
    return "some" if levels & {"whole", "some"} else "code"
