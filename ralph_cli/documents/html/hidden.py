"""Determines the look of an element's text, and whether a reader can see the text.

`aria-hidden` does not count, because it hides only from screen readers; nor does `<details>`, which a reader can
open.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

from ralph_cli.documents import sight
from ralph_cli.documents.html.styles.css import Declarations, Style, colour, fraction, pixels, points

_NO_RECT = re.compile(r"rect\( ?(?:([-+]?[01](?:\.0+)?(?:px|em)?|0%) ?){4}\)")
_NO_CLIP = re.compile(
    r"(?:inset\( ?(?:(?:[5-9]\d|\d{3,})(?:\.\d+)?% ?)+(?: round [^()]*)?\)|"
    r"circle\( ?0(?:px|%|em)?(?: at [^()]*)?\)|ellipse\( ?0(?:px|%)? [^()]*\)|polygon\( ?(?:0(?:px|%)?[ ,]*)+\))"
)
_FUNCTION = re.compile(r"([a-z0-9]+)\(([^()]*)\)")
_ON_EDGE = frozenset(("90deg", "270deg", "0.25turn", ".25turn"))
_SIZES = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0}
_SIZES |= {"xx-large": 32.0, "initial": 16.0}
_RELATIVE_SIZES = {"smaller": 1 / 1.2, "larger": 1.2}
_PREFORMATTED = {"pre": "pre", "pre-wrap": "pre", "break-spaces": "pre", "pre-line": "lines"}


@dataclass(frozen=True, slots=True)
class TextLook:
    """The look of an element's text, as far as it is known; None is an unknown colour.

    `why` is the answer of the rule of `sight`. `size` is the font size in pixels and `alpha` the opacity of the ink.
    `raised` is 1 for raised text, -1 for lowered. `white_space` is "pre" if spaces and line ends are kept, "lines" if
    only line ends are. `styles_known` means that every style sheet of the page could be read.
    """

    why: str = ""
    visible: bool = True
    size: float = 16.0
    opacity: float = 1.0
    colour: int | None = sight.BLACK
    alpha: float = 1.0
    background: int | None = sight.WHITE
    styles_known: bool = True
    raised: int = 0
    struck: bool = False
    masked: bool = False
    white_space: str = ""
    list_style: str = ""
    is_turned: bool = False
    """Whether all characters are shown from right to left."""
    is_gone: bool = False
    """Whether the element is hidden with all its content, whatever the look of that content."""

    def for_child(self, style: Declarations) -> "TextLook":
        """Return the look of a child element with these declarations."""
        if not style and (self.styles_known or self.background is None):
            return self
        return _child_look(self, style)


@lru_cache(maxsize=8_192)
def _child_look(look: TextLook, declarations: Declarations) -> TextLook:
    """Return the look within `look`; cached, because a page repeats a few combinations."""
    style = dict(declarations)
    if not look.styles_known:
        look = replace(look, background=None)
    changes: dict[str, Any] = {}
    if "font-size" in style:
        changes["size"] = _font_size(style["font-size"], look.size)
    zoom = fraction(style.get("zoom", ""))
    if zoom:
        changes["size"] = zoom * changes.get("size", look.size)
    if style.get("unicode-bidi", "").endswith("override"):
        changes["is_turned"] = style.get("direction") == "rtl"
    if "visibility" in style and style["visibility"] not in ("inherit", "unset"):
        changes["visible"] = style["visibility"] not in ("hidden", "collapse")
    if (opacity := _opacity(style)) is not None:
        changes["opacity"] = look.opacity * opacity
    if "-webkit-text-security" in style:
        changes["masked"] = style["-webkit-text-security"] != "none"
    if "white-space" in style:
        changes["white_space"] = _PREFORMATTED.get(style["white-space"].split(" ")[0], "")
    if "list-style-type" in style and style["list-style-type"] not in ("inherit", "unset"):
        changes["list_style"] = style["list-style-type"]
    if "line-through" in style.get("text-decoration-line", ""):
        changes["struck"] = True
    shift = _shift(style, look.size, changes.get("size", look.size))
    if shift:
        changes["raised"] = shift
    changed = replace(look, **changes, **_paint(look, style))
    gone = _why_gone(style, changed.size)
    flags = gone, "" if changed.visible else sight.MARKED, sight.OTHER_WORDS if changed.masked else ""
    ground = None if changed.background is None else frozenset({changed.background})
    why = sight.seen(changed.colour, ground, points(changed.size), flags, changed.opacity * changed.alpha)
    if why == sight.DOUBTFUL and not look.styles_known:
        why = ""  # one notice covers the whole page
    changed = replace(changed, why=why, is_gone=bool(gone))
    return look if changed == look else changed


def _opacity(style: Style) -> float | None:
    """Return the opacity of an element, from 0 to 1; None if nothing sets it."""
    values = (
        value
        for name, value in (("opacity", style.get("opacity", "")), *_functions(style, "filter"))
        if name == "opacity"
    )
    said = [min(max(value, 0.0), 1.0) for value in map(fraction, values) if value is not None]
    return prod(said) if said else None


def _paint(look: TextLook, style: Style) -> dict[str, Any]:
    """Return the changed colours of background and ink."""
    ink, alpha = look.colour, look.alpha
    named = style.get("-webkit-text-fill-color") or style.get("color") or ""
    if named in ("initial", "canvastext"):
        ink, alpha = sight.BLACK, 1.0
    elif named and named not in ("inherit", "unset", "currentcolor"):
        ink, alpha = colour(named)
    painted = style.get("background-color", "")
    ground, cover = look.background, 0.0
    if painted == "currentcolor":
        ground, cover = ink, 1.0
    elif painted and painted not in ("inherit", "initial", "unset", "revert"):
        ground, cover = colour(painted)
    background = look.background if cover == 0 else ground
    if background is not None and 0 < cover < 1:
        background = None if look.background is None else sight.mix(background, cover, look.background)
    if style.get("background-image", "none") not in ("none", "initial", "unset"):
        background = None
        if "text" in (style.get("background-clip"), style.get("-webkit-background-clip")):
            ink, alpha = None, 1.0  # the letters show the picture
    return {"colour": ink, "alpha": alpha, "background": background}


def _font_size(value: str, parent: float) -> float:
    if value in _RELATIVE_SIZES:
        return parent * _RELATIVE_SIZES[value]
    found = _SIZES.get(value, pixels(value, em=parent, whole=parent))
    return parent if found is None else found


def _shift(style: Style, outer: float, size: float) -> int:
    """Return 1 for text above the line around it, -1 for text below, 0 for neither."""
    if style.get("display", "inline") not in ("inline", "inline-block"):
        return 0
    align = style.get("vertical-align", "")
    if align in ("super", "sub"):
        return 1 if align == "super" else -1
    small = size <= 0.85 * outer
    if small and align in ("top", "text-top", "text-bottom"):
        return -1 if align == "text-bottom" else 1
    shift = pixels(align, em=size, whole=size) if align else 0.0
    if style.get("position") == "relative":
        up, down = (pixels(style.get(side, ""), em=size) or 0.0 for side in ("bottom", "top"))
        shift = shift or up or -down
    if not small or not shift or not 0.15 * size <= abs(shift) <= 1.2 * outer:
        return 0
    return 1 if shift > 0 else -1


def _why_gone(style: Style, size: float) -> str:
    """Return why an element is unseen with all its content; "" if it is not."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return sight.MARKED
    if _is_cut_off(style):
        return sight.CLIPPED
    return sight.OFF_PAGE if _is_moved_away(style, size) else _why_transformed(style, size)


def _is_moved_away(style: Style, size: float) -> bool:
    """Whether an element is off the page."""

    def moved(side: str) -> float:
        return points(pixels(style.get(side, ""), em=size)) or 0.0

    sides = [moved("text-indent"), moved("margin-left")]
    if style.get("position") in ("absolute", "fixed", "relative"):
        # A page has no limit downwards; an offset from the bottom moves text far below only if the page ends there.
        sides += [moved("left"), moved("right"), min(moved("top"), 0.0), min(moved("bottom"), 0.0)]
    shifts = [shift for name, shift in _transforms(style) if name.startswith("translate")]
    return sight.is_far_off(*sides, *(points(pixels(part, em=size, whole=100)) for shift in shifts for part in shift))


def _why_transformed(style: Style, size: float) -> str:
    """Return why an element is unseen that is scaled, or turned on its edge; "" if it is seen."""
    for name, values in _transforms(style):
        numbers = [fraction(value) for value in values]
        if name.startswith("scale") and any(
            sight.is_flat(points(size * abs(one))) for one in numbers if one is not None
        ):
            return sight.TINY
        if name in ("rotatex", "rotatey") and values[:1] and values[0].lstrip("-") in _ON_EDGE:
            return sight.CLIPPED
        if name == "matrix" and len(numbers) == 6 and numbers[0] == numbers[1] == 0:
            return sight.CLIPPED
    return ""


def _transforms(style: Style) -> list[tuple[str, list[str]]]:
    """Return the functions of `transform`, and the properties with the same effect."""
    found = [(name, re.split(r"[\s,]+", inside.strip())) for name, inside in _functions(style, "transform")]
    return found + [(name, style[name].split()) for name in ("scale", "translate") if name in style]


def _functions(style: Style, name: str) -> list[tuple[str, str]]:
    """Return the functions in a property's value, each with its arguments."""
    return _FUNCTION.findall(style.get(name, ""))


def _is_cut_off(style: Style) -> bool:
    """Whether an element is clipped to nothing."""
    clip = re.sub(r"[\s,]+", " ", style.get("clip", ""))
    if _NO_RECT.fullmatch(clip) and style.get("position") in ("absolute", "fixed"):
        return True
    if _NO_CLIP.fullmatch(re.sub(r"[\s,]+", " ", style.get("clip-path", ""))):
        return True
    kept = (style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    if not any(word in ("hidden", "clip") for value in kept for word in value.split()):
        return False
    return sight.is_flat(
        *(points(pixels(style.get(side, ""))) for side in ("width", "height", "max-height", "max-width"))
    )
