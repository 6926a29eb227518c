"""How a run looks: whether a reader sees it, and whether it is raised, lowered or struck out."""

from typing import Any

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.hidden_reasons import COLOUR, TINY, TRANSPARENT
from ralph_cli.documents.office.sight import Colours, is_doubtful, is_lost, is_tiny

MARKED_HIDDEN = "marked as hidden"

_USUAL_SIZE = 20
"""Half-points: ten points is what no style says."""

_RAISED_SHARE = 5
"""A run is raised or lowered that is moved by at least a fifth of its size; less is a matter of looks."""


@dataclass(frozen=True, slots=True)
class RunLook:
    """How a run looks. `hidden` says why it is not seen, "" if it is; `script` is 1 if it is raised, -1 if lowered.

    `moved` says the same of a run that is merely set higher or lower: it is raised beside text that is not.
    `is_doubtful` says that it is white on a ground that is not known.
    """

    hidden: str = ""
    script: int = 0
    moved: int = 0
    struck: bool = False
    font: str = ""
    is_doubtful: bool = False


def describe_look(properties: dict[str, Any], behind: Colours) -> RunLook:
    """The look of a run with these properties where these colours are `behind` it."""
    highlight, shading = properties.get("highlight"), properties.get("shading", frozenset())
    if highlight is not None:
        behind = frozenset({highlight})
    elif shading != frozenset():
        behind = shading
    hidden, colour = _hidden_reason(properties, behind), properties.get("colour")
    return RunLook(
        hidden,
        {"superscript": 1, "subscript": -1}.get(properties.get("script", ""), 0),
        _moved(properties.get("position") or 0, properties.get("size") or _USUAL_SIZE),
        bool(properties.get("strike") or properties.get("dstrike")),
        properties.get("font", ""),
        not hidden and is_doubtful(colour, behind),
    )


def _moved(position: int, size: int) -> int:
    if abs(position) * _RAISED_SHARE < size:
        return 0
    return 1 if position > 0 else -1


def _hidden_reason(properties: dict[str, Any], behind: Colours) -> str:
    if properties.get("vanish"):
        return MARKED_HIDDEN
    if properties.get("see_through"):
        return TRANSPARENT
    size = properties.get("size")
    if size is not None and is_tiny(size / 2):
        return TINY
    return COLOUR if is_lost(properties.get("colour"), behind) else ""
