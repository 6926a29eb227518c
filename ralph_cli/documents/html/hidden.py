"""What a page of HTML hides by its own attributes and inline styles; style sheets and scripts are not followed.

`aria-hidden` hides from screen readers only, so it does not count; nor does `<details>`, which a reader can open.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from tinycss2 import color4

from ralph_cli.documents.hidden_reasons import LEAST_CONTRAST

Colour = tuple[float, float, float]

WHITE: Colour = (255, 255, 255)

_FAR_OFF_PIXELS = 500.0
_LONGEST = 100
"""Characters of a value that may be a colour."""

_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)")
_NO_RECT = re.compile(r"rect\( ?(?:([01](?:px)?) ?){4}\)")
_LENGTH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))\s*(px|pt|r?em|ch|ex|vw|vh|in|cm|mm|%)?")
_PIXELS_PER_UNIT = {"em": 16.0, "rem": 16.0, "ch": 8.0, "ex": 8.0, "vw": 12.0, "vh": 8.0, "%": 12.0}
_PIXELS_PER_UNIT |= {"in": 96.0, "cm": 38.0, "mm": 3.8}
"""Rough pixels of a unit: what is hidden so is thousands of them away."""


@dataclass(frozen=True, slots=True)
class TextLook:
    """How the text of an element looks, as far as it is known; None stands for an unknown colour.

    `styles_known` says that no style sheet can have set what the page itself does not say.
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
    if style.get("display") == "none" or _is_zero(style.get("opacity")) or _is_cut_off(style):
        return True
    shifts = ["text-indent", "margin-left"]
    if style.get("position") in ("absolute", "fixed"):
        shifts += ["left", "top", "right", "bottom"]
    return any(_pixels(style.get(shift, "")) <= -_FAR_OFF_PIXELS for shift in shifts)


def declarations(style: str) -> dict[str, str]:
    """The declarations of an inline style, names and values in lower case."""
    pairs = (part.split(":", 1) for part in _COMMENT.sub("", style).lower().split(";") if ":" in part)
    return {name.strip(): value.replace("!important", "").strip() for name, value in pairs}


def _is_cut_off(style: Mapping[str, str]) -> bool:
    """Whether an element is clipped to nothing."""
    clip = re.sub(r"[\s,]+", " ", style.get("clip", ""))
    if _NO_RECT.fullmatch(clip) or style.get("clip-path") in ("inset(50%)", "inset(100%)"):
        return True
    sides = ("width", "height", "max-height", "max-width")
    empty = any(_pixels(style.get(side, ""), 1.0) == 0 for side in sides)
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
    if len(value) > _LONGEST:
        return None, 1.0
    # An attribute of old HTML may leave out the # of a number.
    parsed = color4.parse_color(value) or color4.parse_color(f"#{value}")
    if not isinstance(parsed, color4.Color):
        return None, 1.0
    try:
        red, green, blue = (255 * level for level in parsed.to("srgb").coordinates)
    except NotImplementedError:  # a colour space that no screen has
        return None, parsed.alpha
    return (red, green, blue), parsed.alpha
