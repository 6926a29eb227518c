"""Why a reader does not see words that stand in a document's text: the vocabulary, and its form between processes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ralph_cli.documents.parsed import rows

OFF_PAGE = "off the page"
TINY = "too small to read"
INVISIBLE = "set in invisible mode"
TRANSPARENT = "transparent"
COLOUR = "in the colour of its background"
LAYER = "on a layer that is switched off"
CLIPPED = "covered or clipped away"
OTHER_WORDS = "other words are drawn in its place"

_REASONS = frozenset({"", OFF_PAGE, TINY, INVISIBLE, TRANSPARENT, COLOUR, LAYER, CLIPPED, OTHER_WORDS})


@dataclass(frozen=True, slots=True)
class Seen:
    """What was found of some words: `why` a reader cannot see them, "" if nothing speaks against it.

    `part` says that it is true of some of the characters only, `picture` that they are the text layer of a picture.
    """

    why: str = ""
    part: bool = False
    picture: bool = False


def joined(parts: Sequence[Seen]) -> Seen:
    """What is true of words that were looked at in parts."""
    hidden = [seen for seen in parts if seen.why]
    picture = any(seen.picture for seen in parts)
    if not hidden:
        return Seen(picture=picture)
    return Seen(hidden[0].why, len(hidden) < len(parts) or any(seen.part for seen in hidden), picture)


def write_seen(seen: Sequence[Seen]) -> bytes:
    """The answers as JSON."""
    return json.dumps([[item.why, item.part, item.picture] for item in seen]).encode("ascii")


def read_seen(data: bytes, count: int) -> list[Seen]:
    """Read the form of `write_seen` back; ValueError for anything else, or for more or fewer answers than `count`."""
    try:
        value = json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    seen = [Seen(*row) for row in rows(value, (str, bool, bool), count)]
    if len(seen) != count or any(item.why not in _REASONS for item in seen):
        raise ValueError("an answer too few, or one of no meaning")
    return seen
