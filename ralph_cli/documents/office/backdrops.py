"""What may lie behind text where only another program lays a page out: large filled drawings that are near it."""

from collections.abc import Hashable
from dataclasses import dataclass, field

from ralph_cli.documents.sight import NOTHING, WHITE_GROUND, Colours

# Width and height, in points, of what a few words have room on.
LINE_SIZE = (36.0, 10.8)

# Width and height of what may be behind the text of a page when it belongs to the page's header: three inches.
PAGE_SIZE = (216.0, 216.0)

# Paragraphs before and behind a drawing that may stand on its page, if breaks between pages do not say it better.
_REACH = 40


def is_backdrop(fill: Colours, sides: tuple[float | None, float | None], size: tuple[float, float] = LINE_SIZE) -> bool:
    """Whether text of another colour than the paper's may be seen upon a drawing from which text does not keep away.

    `fill` has no colour where nothing is filled. The sides are in points; what is not known is large enough.
    """
    is_large = all(side is None or side >= least for side, least in zip(sides, size, strict=True))
    return is_large and fill not in (NOTHING, WHITE_GROUND)


@dataclass(slots=True)
class Backdrops:
    """The paragraphs of a text by the pages that they are on, and the drawings that text may lie upon, in order."""

    _paragraphs: list[Hashable] = field(default_factory=list)
    _first: list[int] = field(default_factory=list)
    _last: list[int] = field(default_factory=list)
    _drawings: dict[tuple[int, int], None] = field(default_factory=dict)
    _page: int = 0

    def begin_paragraph(self, key: Hashable, is_on_new_page: bool = False) -> None:
        """A paragraph begins."""
        self._page += is_on_new_page
        self._paragraphs.append(key)
        self._first.append(self._page)
        self._last.append(self._page)

    def break_page(self, is_before: bool = False) -> None:
        """A page ends within the paragraph, or before it."""
        self._page += 1
        for ends in (self._first, self._last) if is_before else (self._last,):
            ends[-1:] = [self._page][: len(ends)]

    def add_drawing(self) -> None:
        """A drawing that text may lie upon belongs to the paragraph, and to the page that it has come to."""
        self._drawings[len(self._paragraphs) - 1, self._page] = None

    def find_paragraphs(self) -> set[Hashable]:
        """The paragraphs that stand beside a drawing on the same page."""
        return {
            self._paragraphs[near]
            for at, page in self._drawings
            for near in range(max(at - _REACH, 0), min(at + _REACH, len(self._paragraphs)))
            if self._first[near] <= page <= self._last[near]
        }
