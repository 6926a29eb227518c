"""Decides whether a reader sees words: one rule for every format, and the reasons why words are unseen.

Each format maps its markup to the inputs of the rule. The pages of a PDF are rendered instead, which finds more; the
rule then names the cause.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MARKED = "marked as hidden"
OFF_PAGE = "off the page"
TINY = "too small to read"
INVISIBLE = "set in invisible mode"
TRANSPARENT = "transparent"
COLOUR = "in the colour of its background"
LAYER = "on a layer that is switched off"
CLIPPED = "covered or clipped away"
OTHER_WORDS = "other words are drawn in its place"

_REASONS = frozenset({"", MARKED, OFF_PAGE, TINY, INVISIBLE, TRANSPARENT, COLOUR, LAYER, CLIPPED, OTHER_WORDS})

# The rule's answer for words that may or may not be visible.
DOUBTFUL = "white on a ground that is not known"

# Levels (of 255) by which a colour channel must change to count as ink. The lightest grey that does so on white is
# #efefef. Readers do not see fainter text on paper, and hardly on a screen.
LEAST_CONTRAST = 16

# Points: characters of this size or smaller cannot be read, and a box of this height or width shows nothing.
LARGEST_UNREAD = 1.0

# Points from the position that text flows to: no page reaches further to the left, above, to the right or below.
_FAR_BEFORE, _FAR_BEHIND = -375.0, 3_750.0

# The possible colours behind a text, as 0xRRGGBB; None if they are unknown.
Colours = frozenset[int] | None

# The colours of an absent fill.
NOTHING: Colours = frozenset()

BLACK, WHITE = 0x000000, 0xFFFFFF
WHITE_GROUND: Colours = frozenset({WHITE})


def seen(
    colour: int | None, ground: Colours, size: float | None = None, flags: Iterable[str] = (), opacity: float = 1.0
) -> str:
    """Return why a reader does not see letters; "" if a reader sees them, DOUBTFUL if that is unknown.

    `colour` is None if it is unknown, or if the program chooses a visible colour. `size` is in points, None if
    unknown. `flags` are reasons that the markup itself gives; the first one that is not "" counts. `opacity` is from
    0 to 1.
    """
    if why := next(filter(None, flags), ""):
        return why
    if opacity * 255 < LEAST_CONTRAST:
        return TRANSPARENT
    if size is not None and size <= LARGEST_UNREAD:
        return TINY
    if colour is None:
        return ""
    if ground is None:
        return DOUBTFUL if _contrast(colour, WHITE) < LEAST_CONTRAST else ""
    return COLOUR if all(_contrast(colour, one) * opacity < LEAST_CONTRAST for one in ground) else ""


def is_unseen(why: str) -> bool:
    """Whether the rule's answer `why` says that words are not seen."""
    return why not in ("", DOUBTFUL)


def is_far_off(*places: float | None) -> bool:
    """Whether one of these distances from the left or the top, in points, puts text off every page."""
    return any(place is not None and not _FAR_BEFORE < place < _FAR_BEHIND for place in places)


def is_flat(*sides: float | None) -> bool:
    """Whether a clipping box has no area, given its sides in points; None is an unknown side."""
    return any(side is not None and side <= LARGEST_UNREAD for side in sides)


def read_colour(text: str) -> int | None:
    """Return the colour for six hexadecimal digits; None for other texts and "auto", which is visible on any ground."""
    digits = text.removeprefix("#")
    try:
        return int(digits, 16) if len(digits) == 6 and digits.isalnum() else None
    except ValueError:
        return None


def mix(above: int, share: float, below: int) -> int:
    """Return the colour that results from `above`, with the opacity `share` (0 to 1), on `below`."""
    levels = zip(_levels(above), _levels(below), strict=True)
    red, green, blue = (round(one * share + other * (1 - share)) for one, other in levels)
    return red << 16 | green << 8 | blue


def _contrast(colour: int, other: int) -> int:
    return max(abs(one - two) for one, two in zip(_levels(colour), _levels(other), strict=True))


def _levels(colour: int) -> tuple[int, int, int]:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


@dataclass(frozen=True, slots=True)
class Ink:
    """The inputs of the rule for some letters, inherited from the surrounding elements."""

    colour: int | None = None
    ground: Colours = WHITE_GROUND
    size: float | None = None
    flag: str = ""
    opacity: float = 1.0

    @property
    def why(self) -> str:
        """The rule's answer for this ink."""
        return seen(self.colour, self.ground, self.size, (self.flag,), self.opacity)


@dataclass(frozen=True, slots=True)
class Visibility:
    """The `reason` why a reader cannot see some words; "" if a reader can.

    `partly` means that this holds for only some of the characters. `on_picture` means that the words are a picture's
    text layer.
    """

    reason: str = ""
    partly: bool = False
    on_picture: bool = False


def combine(parts: Sequence[Visibility]) -> Visibility:
    """Combine the results for the parts of some words into one."""
    hidden = [part for part in parts if part.reason]
    picture = any(part.on_picture for part in parts)
    if not hidden:
        return Visibility(on_picture=picture)
    return Visibility(hidden[0].reason, len(hidden) < len(parts) or any(part.partly for part in hidden), picture)


def visibilities_to_json(answers: Sequence[Visibility]) -> bytes:
    """Return the answers as JSON."""
    return json.dumps([[answer.reason, answer.partly, answer.on_picture] for answer in answers]).encode("ascii")


def visibilities_from_json(data: bytes, count: int) -> list[Visibility]:
    """Read the form that `visibilities_to_json` writes. Raises ValueError for another form or number than `count`."""
    from pydantic import TypeAdapter

    rows = TypeAdapter(list[tuple[str, bool, bool]]).validate_json(data, strict=True)
    answers = [Visibility(*row) for row in rows]
    if len(answers) != count or any(answer.reason not in _REASONS for answer in answers):
        raise ValueError("a missing or unknown answer")
    return answers
