"""How a run looks: whether a reader sees it, and whether it is raised, lowered or struck out."""

from typing import Any

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.docx.formatting.styles import Ground
from ralph_cli.documents.sight import MARKED, seen

_USUAL_SIZE = 20
"""Half-points: ten points is what no style says."""

_RAISED_SHARE = 5
"""A run is raised or lowered that is moved by at least a fifth of its size; less is a matter of looks."""


@dataclass(frozen=True, slots=True)
class RunLook:
    """How a run looks. `why` is the answer of the rule of sight; `script` is 1 if it is raised, -1 if lowered.

    `moved` says the same of a run that is merely set higher or lower: it is raised beside text that is not.
    """

    why: str = ""
    script: int = 0
    moved: int = 0
    struck: bool = False
    font: str = ""


def describe_look(properties: dict[str, Any], ground: Ground) -> RunLook:
    """The look of a run with these properties upon a ground."""
    behind, size = ground.colours, properties.get("size")
    if properties.get("highlight") is not None:
        behind = frozenset({properties["highlight"]})
    elif properties.get("shading", frozenset()) != frozenset():
        behind = properties["shading"]
    flags = (MARKED if properties.get("vanish") else "", ground.flag)
    points = None if size is None else size / 2
    return RunLook(
        seen(properties.get("colour"), behind, points, flags, properties.get("opacity", 1.0)),
        {"superscript": 1, "subscript": -1}.get(properties.get("script", ""), 0),
        _moved(properties.get("position") or 0, size or _USUAL_SIZE),
        bool(properties.get("strike") or properties.get("dstrike")),
        properties.get("font", ""),
    )


def _moved(position: int, size: int) -> int:
    if abs(position) * _RAISED_SHARE < size:
        return 0
    return 1 if position > 0 else -1
