"""What is seen of slides: what lies behind and over their shapes, and what is hidden."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ralph_cli.core.document import Caution
from ralph_cli.documents.office.findings import describe_reasons
from ralph_cli.documents.page_text import PageText
from ralph_cli.documents.sight import CLIPPED, MARKED, NOTHING, OFF_PAGE, Colours

# Left, top, right and bottom.
Place = tuple[float, float, float, float]

# Of more shapes on one slide it is not known what is behind the others.
_MOST_SHAPES = 500


class Layer(NamedTuple):
    """A shape with what it is filled with, None if that is not known.

    `is_full` says that the fill takes up all of the place, `is_group` that it is the one of shapes or cells in it.
    """

    place: Place | None
    fill: Colours
    is_full: bool = False
    is_group: bool = False


class Canvas:
    """What is drawn on a slide, or in a group of shapes, in order."""

    def __init__(self, ground: Colours, drawn: Iterable[Layer] = ()) -> None:
        """`ground` is behind all of it, and then come layers that are `drawn` already."""
        self._ground, self._drawn = ground, [*drawn]

    def draw(self, layer: Layer) -> tuple[int, Colours]:
        """Draw a shape; returns its number, and what may be behind the text in it."""
        behind = self._behind(layer.place) if layer.fill == NOTHING or layer.is_group else layer.fill
        self._drawn.append(layer)
        return len(self._drawn) - 1, behind

    def is_covered(self, number: int) -> bool:
        """Whether a shape, by its number, lies beneath another that lets nothing of it be seen."""
        place = self._drawn[number].place
        above = self._drawn[number + 1 : number + _MOST_SHAPES]
        return place is not None and any(one.fill and one.is_full and _holds(one.place, place) for one in above)

    def _behind(self, place: Place | None) -> Colours:
        found = self._ground if len(self._drawn) < _MOST_SHAPES else None
        for one in self._drawn[:_MOST_SHAPES]:
            if one.fill == NOTHING or (place and one.place and not _meet(place, one.place)):
                continue
            if one.is_full and place and _holds(one.place, place):
                found = one.fill
            else:
                found = None if found is None or one.fill is None else found | one.fill
        return found


def why_shape_unseen(is_hidden: bool, place: Place | None, size: tuple[float, float], is_covered: bool) -> str:
    """Why nothing of a shape is seen on a slide of this width and height, 0 if unknown; "" if nothing says so."""
    if is_hidden:
        return MARKED
    if place is not None and all(size):
        left, top, right, bottom = place
        if right <= 0 or bottom <= 0 or left >= size[0] or top >= size[1]:
            return OFF_PAGE
    return CLIPPED if is_covered else ""


def describe_hidden(pages: Sequence[PageText], unseen: Counter[str]) -> Iterator[Caution]:
    """What a reader should know of hidden slides, and of shapes whose words are marked, by why they are not seen."""
    hidden = [str(at) for at, page in enumerate(pages, 1) if page.hidden]
    parts = [f"slide{'s' * (len(hidden) > 1)} {', '.join(hidden[:50])}"] * bool(hidden)
    parts += [f"{unseen.total():,} shapes ({describe_reasons(unseen)})"] * bool(unseen)
    if parts:
        yield Caution("hidden-parts", f"hidden parts are read and marked: {'; '.join(parts)}")


def _meet(one: Place, other: Place) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _holds(outer: Place | None, inner: Place) -> bool:
    if outer is None:
        return False
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]
