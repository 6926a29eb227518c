"""Which pages of the document the worker's code went through and a model was shown, as far as that was recorded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ralph_cli.core.coverage import merged
from ralph_cli.core.document import Document
from ralph_cli.core.events import AnyEvent, Covered, SnippetRan

MOST_PARTS = 300
_SLICES = 40
_WHOLE = 0.9

Level = Literal["whole", "some", "code", "none"]
"""How far a part was read: all or some of it was shown to a model, only code went through it, or nothing did."""

LEVELS: dict[Level, str] = {
    "whole": "shown to a model",
    "some": "shown to a model in part",
    "code": "gone through by code only",
    "none": "never read",
}


@dataclass(frozen=True, slots=True)
class Part:
    """One page, or several, or a slice of a text without pages: its name, and how far it was read."""

    name: str
    level: Level


@dataclass(frozen=True, slots=True)
class Coverage:
    """The parts of the document in order, empty when nothing was recorded; `told` says where this is from.

    `unit` is what a part is: "page", "pages" (several in each) or "characters".
    """

    told: str
    unit: str = "page"
    parts: tuple[Part, ...] = ()
    single: tuple[Part, ...] = ()

    def of(self, level: Level) -> list[str]:
        """Names of the pages, or parts, of a level."""
        return [part.name for part in (self.single or self.parts) if part.level == level]


NOT_RECORDED = Coverage("What of the document was read was not recorded in this run.")


def coverage(events: Iterable[AnyEvent], document: Document | None, pages: int) -> Coverage:
    """The coverage of a run. Without `document` only what is recorded by page number can be told."""
    events = tuple(events)
    covered = [event for event in events if isinstance(event, Covered)]
    if covered and document is not None:
        code = merged(span for event in covered for span in event.spans if event.how == "code")
        shown = merged(span for event in covered for span in event.spans if event.how == "shown")
        told = "Recorded while the run went on; what code went through is what the sandbox reported."
        if document.paged:
            whole = [(str(page.number), page.start, page.end) for page in document.pages]
        else:
            whole = _slices(len(document.text))
        single = tuple(Part(name, _level(_share(code, a, b), _share(shown, a, b))) for name, a, b in whole)
        return _grouped(told, "page" if document.paged else "characters", single)
    if covered:
        return Coverage("It was recorded which characters were read; to tell pages, the document is needed.")
    seen = {page for event in events if isinstance(event, SnippetRan) for page in event.pages}
    if not seen or pages < 2:
        return NOT_RECORDED
    told = "Pages count as shown when text of theirs stood in what a step printed for the worker."
    return _grouped(told, "page", tuple(Part(str(n), "some" if n in seen else "none") for n in range(1, pages + 1)))


def page_ranges(names: Sequence[str]) -> str:
    """Numbers as a reader writes them: 1, 4-6, 9. Other names are only joined."""
    if not all(name.isdigit() for name in names):
        return ", ".join(names)
    parts: list[str] = []
    numbers = [int(name) for name in names]
    at = 0
    while at < len(numbers):
        end = at
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        parts.append(names[at] if at == end else f"{names[at]}-{names[end]}")
        at = end + 1
    return ", ".join(parts)


def _share(spans: Sequence[tuple[int, int]], start: int, end: int) -> float:
    """How much of start..end lies in the spans; an empty page is covered when its place is."""
    if start == end:
        return float(any(low <= start <= high for low, high in spans))
    return sum(max(min(high, end) - max(low, start), 0) for low, high in spans) / (end - start)


def _slices(length: int) -> list[tuple[str, int, int]]:
    size = max(-(-length // _SLICES), 1)
    return [(f"{at:,}-{min(at + size, length):,}", at, min(at + size, length)) for at in range(0, length, size)]


def _grouped(told: str, unit: str, single: tuple[Part, ...]) -> Coverage:
    """The parts, several pages in each when there are more than a strip can show."""
    size = -(-len(single) // MOST_PARTS)
    if size <= 1:
        return Coverage(told, unit, single)
    parts = []
    for at in range(0, len(single), size):
        group = single[at : at + size]
        parts.append(Part(f"{group[0].name}-{group[-1].name}", _together({part.level for part in group})))
    return Coverage(told, "pages", tuple(parts), single)


def _level(code: float, shown: float) -> Level:
    if shown >= _WHOLE:
        return "whole"
    return "some" if shown else "code" if code else "none"


def _together(levels: set[Level]) -> Level:
    """The level of several pages that share a place in the strip."""
    if len(levels) == 1:
        return next(iter(levels))
    return "some" if levels & {"whole", "some"} else "code"
