"""How a run looks: whether a reader sees it, and whether it is raised, lowered or struck out."""

from dataclasses import dataclass
from typing import Any

from ralph_cli.documents.docx.styles import Colours
from ralph_cli.documents.hidden_reasons import COLOUR, LEAST_CONTRAST, TINY, TRANSPARENT

MARKED_HIDDEN = "marked as hidden"

_TINY = 2
_USUAL_SIZE = 20
"""Half-points: what is no larger than one point is not read; ten points is what no style says."""

_RAISED_SHARE = 5
"""A run is raised or lowered that is moved by at least a fifth of its size; less is a matter of looks."""

_OVERLAY = "\u0336"


@dataclass(frozen=True, slots=True)
class RunLook:
    """How a run looks. `hidden` says why it is not seen, "" if it is; `script` is 1 if it is raised, -1 if lowered.

    `moved` says the same of a run that is merely set higher or lower: it is raised beside text that is not.
    """

    hidden: str = ""
    script: int = 0
    moved: int = 0
    struck: bool = False
    font: str = ""


def describe_look(properties: dict[str, Any], ground: Colours) -> RunLook:
    """The look of a run with these properties where `ground` is behind it."""
    return RunLook(
        _hidden_reason(properties, ground),
        {"superscript": 1, "subscript": -1}.get(properties.get("script", ""), 0),
        _moved(properties.get("position") or 0, properties.get("size") or _USUAL_SIZE),
        bool(properties.get("strike") or properties.get("dstrike")),
        properties.get("font", ""),
    )


def cross_out(text: str) -> str:
    """Struck-out words as they are shown: said to be so, and with a stroke on each character.

    So words that no longer hold are not found when they are quoted as if they did.
    """
    crossed = "".join(c if c.isspace() else c + _OVERLAY for c in text.strip())
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{lead}[struck out: {crossed}]{tail}" if crossed else text


def _moved(position: int, size: int) -> int:
    if abs(position) * _RAISED_SHARE < size:
        return 0
    return 1 if position > 0 else -1


def _hidden_reason(properties: dict[str, Any], ground: Colours) -> str:
    if properties.get("vanish"):
        return MARKED_HIDDEN
    if properties.get("see_through"):
        return TRANSPARENT
    size = properties.get("size")
    if size is not None and size <= _TINY:
        return TINY
    highlight, shading = properties.get("highlight"), properties.get("shading", frozenset())
    if highlight is not None:
        ground = frozenset({highlight})
    elif shading != frozenset():
        ground = shading
    colour = properties.get("colour")
    if colour is None or ground is None:
        return ""
    return COLOUR if all(_is_near(colour, behind) for behind in ground) else ""


def _is_near(colour: int, other: int) -> bool:
    return all(abs((colour >> by & 255) - (other >> by & 255)) < LEAST_CONTRAST for by in (16, 8, 0))
