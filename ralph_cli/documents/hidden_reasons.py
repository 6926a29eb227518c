"""Why a reader does not see words that stand in a document's text: the vocabulary, and its form between processes."""

import json
from collections.abc import Sequence

from ralph_cli.core.deferred.dataclasses import dataclass

OFF_PAGE = "off the page"
TINY = "too small to read"
INVISIBLE = "set in invisible mode"
TRANSPARENT = "transparent"
COLOUR = "in the colour of its background"
LAYER = "on a layer that is switched off"
CLIPPED = "covered or clipped away"
OTHER_WORDS = "other words are drawn in its place"

_REASONS = frozenset({"", OFF_PAGE, TINY, INVISIBLE, TRANSPARENT, COLOUR, LAYER, CLIPPED, OTHER_WORDS})

LEAST_CONTRAST = 16
"""Levels (of 255) by which a colour channel must change to count as ink: #efefef on white is the lightest grey that
does. Fainter text is not there for a reader of paper, and hardly for one of a screen."""


@dataclass(frozen=True, slots=True)
class Visibility:
    """What was found of some words: the `reason` why a reader cannot see them, "" if nothing speaks against it.

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
