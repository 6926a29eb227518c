"""Large filled drawings that may be behind nearby text, for formats whose page layout is unknown here."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from ralph_cli.documents.sight import NOTHING, WHITE_GROUND, Colours

# Width and height of the smallest drawing that a few words fit on, in points.
LINE_SIZE = (36.0, 10.8)

# Width and height of the smallest header drawing that may be behind the page's text: three inches, in points.
PAGE_SIZE = (216.0, 216.0)

# Paragraphs before and after a drawing that may be on its page, unless page breaks say otherwise.
_REACH = 40


def is_backdrop(fill: Colours, sides: tuple[float | None, float | None], size: tuple[float, float] = LINE_SIZE) -> bool:
    """Whether text in other colours than the paper's may be visible on a drawing that text does not flow around.

    `fill` has no colour if nothing is filled. The sides are in points; an unknown side counts as large enough.
    """
    is_large = all(side is None or side >= least for side, least in zip(sides, size, strict=True))
    return is_large and fill not in (NOTHING, WHITE_GROUND)


@dataclass(slots=True)
class Backdrops:
    """The paragraphs of a text with their pages, and the drawings that text may cover, in order."""

    _paragraphs: list[Hashable] = field(default_factory=list)
    _first: list[int] = field(default_factory=list)
    _last: list[int] = field(default_factory=list)
    _drawings: dict[tuple[int, int], None] = field(default_factory=dict)
    _page: int = 0

    def begin_paragraph(self, key: Hashable, is_on_new_page: bool = False) -> None:
        """Begin a paragraph."""
        self._page += is_on_new_page
        self._paragraphs.append(key)
        self._first.append(self._page)
        self._last.append(self._page)

    def break_page(self, is_before: bool = False) -> None:
        """Record a page break within the current paragraph, or before it."""
        self._page += 1
        for ends in (self._first, self._last) if is_before else (self._last,):
            ends[-1:] = [self._page][: len(ends)]

    def add_drawing(self) -> None:
        """Record a drawing that text may cover, at the current paragraph and page."""
        self._drawings[len(self._paragraphs) - 1, self._page] = None

    def find_paragraphs(self) -> set[Hashable]:
        """Return the paragraphs near a drawing on the same page."""
        return {
            self._paragraphs[near]
            for at, page in self._drawings
            for near in range(max(at - _REACH, 0), min(at + _REACH, len(self._paragraphs)))
            if self._first[near] <= page <= self._last[near]
        }
