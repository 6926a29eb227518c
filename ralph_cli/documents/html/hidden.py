"""What a page of HTML hides by its own attributes and inline styles; style sheets and scripts are not followed.

`aria-hidden` hides from screen readers only, so it does not count; nor does `<details>`, which a reader can open.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)
LEAST_CONTRAST = 16
"""Levels (of 255) by which text must differ from what is behind it; the same as for PDF pages."""

_FAR_OFF_PIXELS = 500.0
_NAMED_COLOURS: Mapping[str, Colour] = {
    "white": WHITE, "snow": (255, 250, 250), "ivory": (255, 255, 240), "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245), "silver": (192, 192, 192), "gray": (128, 128, 128), "grey": (128, 128, 128),
    "black": (0, 0, 0), "red": (255, 0, 0), "maroon": (128, 0, 0), "yellow": (255, 255, 0), "olive": (128, 128, 0),
    "lime": (0, 255, 0), "green": (0, 128, 0), "aqua": (0, 255, 255), "teal": (0, 128, 128), "blue": (0, 0, 255),
    "navy": (0, 0, 128), "fuchsia": (255, 0, 255), "purple": (128, 0, 128), "orange": (255, 165, 0),
}  # fmt: skip
_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)")
_HEX = re.compile(r"#?([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*(?:[,/]\s*(\d*\.?\d+%?)\s*)?\)")
_LENGTH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))\s*(px|pt|r?em|ch|ex|vw|vh|in|cm|mm|%)?")
_EM = 16.0
_PIXELS_PER_UNIT = {
    "em": _EM,
    "rem": _EM,
    "ch": 8.0,
    "ex": 8.0,
    "vw": 12.0,
    "vh": 8.0,
    "in": 96.0,
    "cm": 38.0,
    "mm": 3.8,
    "%": 12.0,
}
"""Rough pixels of a unit: what is hidden so is thousands of them away."""


@dataclass(frozen=True, slots=True)
class TextLook:
    """How the text of an element looks, as far as it is known; None stands for an unknown colour.

    `known` says that no style sheet can have set what the page itself does not say.
    """

    visible: bool = True
    has_size: bool = True
    opaque: bool = True
    colour: Colour | None = (0, 0, 0)
    background: Colour | None = WHITE
    styles_known: bool = True

    def for_child(self, tag: str, attributes: Mapping[str, str | None]) -> "TextLook":
        """The look of an element inside of this one."""
        ink = attributes.get("color") if tag == "font" else None
        return _child_look(self, attributes.get("style") or "", attributes.get("bgcolor") or "", ink or "")

    @property
    def is_invisible(self) -> bool:
        """Whether text of this look is not seen."""
        if not (self.visible and self.has_size and self.opaque):
            return True
        if self.colour is None or self.background is None:
            return False
        return all(abs(a - b) < LEAST_CONTRAST for a, b in zip(self.colour, self.background, strict=True))


@lru_cache(maxsize=4_096)
def _child_look(look: TextLook, style_text: str, bgcolor: str, ink: str) -> TextLook:
    """The look within `look` of an element with these attributes; a page repeats a few of them over and over."""
    style = declarations(style_text)
    look = look if look.styles_known else replace(look, background=None)
    paint = style.get("background-color") or style.get("background") or bgcolor
    if paint:
        colour, alpha = _colour(paint)
        if alpha != 0:
            look = replace(look, background=colour if alpha == 1 else None)
    ink = style.get("color") or ink
    if ink:
        colour, alpha = _colour(ink)
        look = replace(look, colour=colour, opaque=alpha != 0)
    if "visibility" in style:
        look = replace(look, visible=style["visibility"] not in ("hidden", "collapse"))
    if "font-size" in style:
        look = replace(look, has_size=_pixels(style["font-size"], 1.0) != 0)
    return look


def is_hidden(attributes: Mapping[str, str | None]) -> bool:
    """Whether an element is hidden with everything in it, whatever that says of its own look."""
    return "hidden" in attributes or _is_hidden_by_style(attributes.get("style") or "")


@lru_cache(maxsize=4_096)
def _is_hidden_by_style(style_text: str) -> bool:
    style = declarations(style_text)
    if not style:
        return False
    if style.get("display") == "none" or _is_zero(style.get("opacity")) or _is_cut_off(style):
        return True
    if (
        _pixels(style.get("text-indent", "")) <= -_FAR_OFF_PIXELS
        or _pixels(style.get("margin-left", "")) <= -_FAR_OFF_PIXELS
    ):
        return True
    placed = style.get("position") in ("absolute", "fixed")
    return placed and any(
        _pixels(style.get(side, "")) <= -_FAR_OFF_PIXELS for side in ("left", "top", "right", "bottom")
    )


def declarations(style: str) -> dict[str, str]:
    """The declarations of an inline style, names and values in lower case."""
    pairs = (part.split(":", 1) for part in _COMMENT.sub("", style).lower().split(";") if ":" in part)
    return {name.strip(): value.replace("!important", "").strip() for name, value in pairs}


def _is_cut_off(style: Mapping[str, str]) -> bool:
    """Whether an element is clipped to nothing."""
    clip = re.sub(r"[\s,]+", " ", style.get("clip", ""))
    if re.fullmatch(r"rect\( ?(?:([01](?:px)?) ?){4}\)", clip) or style.get("clip-path") in (
        "inset(50%)",
        "inset(100%)",
    ):
        return True
    empty = any(
        name in style and _pixels(style[name], 1.0) == 0 for name in ("width", "height", "max-height", "max-width")
    )
    return empty and style.get("overflow") in ("hidden", "clip")


def _is_zero(value: str | None) -> bool:
    number = re.fullmatch(r"(\d*\.?\d+)(%?)", value or "")
    return number is not None and float(number[1]) / (100 if number[2] else 1) < 0.05


def _pixels(value: str, default: float = 0.0) -> float:
    """Roughly the pixels of a length, `default` for anything else."""
    length = _LENGTH.fullmatch(value)
    return float(length[1]) * _PIXELS_PER_UNIT.get(length[2] or "px", 1.0) if length else default


def _colour(value: str) -> tuple[Colour | None, float]:
    """The colour that a value names, None if it is not known, and its opacity."""
    value = value.strip().lower()
    if value == "transparent":
        return None, 0.0
    if value in _NAMED_COLOURS:
        return _NAMED_COLOURS[value], 1.0
    if written := _HEX.fullmatch(value):
        digits = written[1] if len(written[1]) > 4 else "".join(2 * digit for digit in written[1])
        levels = [int(digits[at : at + 2], 16) for at in range(0, len(digits), 2)]
        return (levels[0], levels[1], levels[2]), levels[3] / 255 if len(levels) > 3 else 1.0
    if written := _RGB.fullmatch(value):
        alpha = written[4] or "1"
        opacity = float(alpha.rstrip("%")) / (100 if alpha.endswith("%") else 1)
        return (int(written[1]), int(written[2]), int(written[3])), opacity
    return None, 1.0
