"""Whether a reader sees words: one rule for every format, and the words in which each of them says why not.

A format maps its markup to what the rule asks for. The pages of a PDF are rendered instead, which shows more; the rule
then names the trick.
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

# What the rule says of words that may be seen, or not.
DOUBTFUL = "white on a ground that is not known"

# Levels (of 255) by which a colour channel must change to count as ink: #efefef on white is the lightest grey that
# does. Fainter text is not there for a reader of paper, and hardly for one of a screen.
LEAST_CONTRAST = 16

# Points: characters of this size or less are not read, and nothing is seen in a box of this height or width.
LARGEST_UNREAD = 1.0

# Points from the place that text flows to: further to the left, above, to the right or below no page reaches.
_FAR_BEFORE, _FAR_BEHIND = -375.0, 3_750.0

# The colours, as 0xRRGGBB, that may be behind some text; None if that is not known.
Colours = frozenset[int] | None

# That of a fill that is none.
NOTHING: Colours = frozenset()

BLACK, WHITE = 0x000000, 0xFFFFFF
WHITE_GROUND: Colours = frozenset({WHITE})


def seen(
    colour: int | None, ground: Colours, size: float | None = None, flags: Iterable[str] = (), opacity: float = 1.0
) -> str:
    """Why a reader does not see letters, "" if one does, DOUBTFUL if that is not known.

    `colour` is None if it is not known, or if the program chooses it, so that it is seen. `size` is in points, None if
    it is not known. `flags` are reasons that the markup itself gives, the first of which counts; "" is none. `opacity`
    goes from 0 to 1.
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
    """Whether an answer of the rule says that words are not seen."""
    return why not in ("", DOUBTFUL)


def is_far_off(*places: float | None) -> bool:
    """Whether one of these distances, in points from the left or from above, puts text off every page."""
    return any(place is not None and not _FAR_BEFORE < place < _FAR_BEHIND for place in places)


def is_flat(*sides: float | None) -> bool:
    """Whether a box that cuts off what is in it has no size, by a side in points; None is one that is not known."""
    return any(side is not None and side <= LARGEST_UNREAD for side in sides)


def read_colour(text: str) -> int | None:
    """A colour of six hexadecimal digits; None for "auto", which is seen on every ground, and for anything else."""
    digits = text.removeprefix("#")
    try:
        return int(digits, 16) if len(digits) == 6 and digits.isalnum() else None
    except ValueError:
        return None


def mix(above: int, share: float, below: int) -> int:
    """The colour of a ground on which another lies with a share of its ink."""
    levels = zip(_levels(above), _levels(below), strict=True)
    red, green, blue = (round(one * share + other * (1 - share)) for one, other in levels)
    return red << 16 | green << 8 | blue


def _contrast(colour: int, other: int) -> int:
    return max(abs(one - two) for one, two in zip(_levels(colour), _levels(other), strict=True))


def _levels(colour: int) -> tuple[int, int, int]:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


@dataclass(frozen=True, slots=True)
class Ink:
    """How letters are inked, as it is handed down from what is around them: what the rule asks for."""

    colour: int | None = None
    ground: Colours = WHITE_GROUND
    size: float | None = None
    flag: str = ""
    opacity: float = 1.0

    @property
    def why(self) -> str:
        """The answer of the rule."""
        return seen(self.colour, self.ground, self.size, (self.flag,), self.opacity)


@dataclass(frozen=True, slots=True)
class Visibility:
    """What was found of some words: the `reason` why a reader cannot see them, "" if a reader can.

    `partly` says that it is true of some of the characters only, `on_picture` that they are a picture's text layer.
    """

    reason: str = ""
    partly: bool = False
    on_picture: bool = False


def combine(parts: Sequence[Visibility]) -> Visibility:
    """What is true of words that were looked at in parts."""
    hidden = [part for part in parts if part.reason]
    picture = any(part.on_picture for part in parts)
    if not hidden:
        return Visibility(on_picture=picture)
    return Visibility(hidden[0].reason, len(hidden) < len(parts) or any(part.partly for part in hidden), picture)


def visibilities_to_json(answers: Sequence[Visibility]) -> bytes:
    """The answers as JSON."""
    return json.dumps([[answer.reason, answer.partly, answer.on_picture] for answer in answers]).encode("ascii")


def visibilities_from_json(data: bytes, count: int) -> list[Visibility]:
    """Read the form of `visibilities_to_json` back; ValueError for anything else, or for more or fewer answers than
    `count`."""
    from pydantic import TypeAdapter

    rows = TypeAdapter(list[tuple[str, bool, bool]]).validate_json(data, strict=True)
    answers = [Visibility(*row) for row in rows]
    if len(answers) != count or any(answer.reason not in _REASONS for answer in answers):
        raise ValueError("a missing or unknown answer")
    return answers
