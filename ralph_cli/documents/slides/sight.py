"""What is seen of slides: the grounds behind their shapes, the shapes above them, and hidden content."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ralph_cli.core.document import Caution
from ralph_cli.documents.office.findings import describe_reasons
from ralph_cli.documents.page_text import PageText
from ralph_cli.documents.sight import CLIPPED, MARKED, NOTHING, OFF_PAGE, Colours

# Left, top, right and bottom.
Place = tuple[float, float, float, float]

# If a slide has more shapes, the ground behind the further ones is unknown.
_MOST_SHAPES = 500


class Layer(NamedTuple):
    """A shape with its fill, None if the fill is unknown.

    `is_full` means that the fill covers the whole place; `is_group`, that the fill belongs to shapes or cells in it.
    """

    place: Place | None
    fill: Colours
    is_full: bool = False
    is_group: bool = False


class Canvas:
    """The layers drawn on a slide, or in a group of shapes, in order."""

    def __init__(self, ground: Colours, drawn: Iterable[Layer] = ()) -> None:
        """`ground` is behind everything; above it are layers that are already `drawn`."""
        self._ground, self._drawn = ground, [*drawn]

    def draw(self, layer: Layer) -> tuple[int, Colours]:
        """Draw a shape; return its number, and the possible ground behind the text in it."""
        behind = self._behind(layer.place) if layer.fill == NOTHING or layer.is_group else layer.fill
        self._drawn.append(layer)
        return len(self._drawn) - 1, behind

    def is_covered(self, number: int) -> bool:
        """Whether an opaque shape above covers the shape with this number completely."""
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
    """Return why nothing of a shape is seen on a slide of this width and height (0 if unknown), or ""."""
    if is_hidden:
        return MARKED
    if place is not None and all(size):
        left, top, right, bottom = place
        if right <= 0 or bottom <= 0 or left >= size[0] or top >= size[1]:
            return OFF_PAGE
    return CLIPPED if is_covered else ""


def describe_hidden(pages: Sequence[PageText], unseen: Counter[str]) -> Iterator[Caution]:
    """Yield a caution about hidden slides, and about shapes marked as unseen, with the reasons."""
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
