"""Theme colours of office formats (ECMA-376, part 1, 20.1.6.2), and the fills of drawings."""

import colorsys
from collections.abc import Mapping
from xml.etree.ElementTree import Element

from ralph_cli.documents.office.xml_tree import attribute, child, number
from ralph_cli.documents.sight import BLACK, NOTHING, WHITE, Colours, read_colour

# The default aliases of theme colours.
USUAL_NAMES = {"tx1": "dk1", "bg1": "lt1", "tx2": "dk2", "bg2": "lt2"}

_PRESETS = {"white": WHITE, "black": BLACK}
_FULL = 100_000

# Colours by their names in a theme.
Theme = Mapping[str, int]


def read_theme(root: Element | None, names: Mapping[str, str] = USUAL_NAMES) -> Theme:
    """Return the colours of a theme, also under the aliases in `names`; none if there is no part."""
    colours: dict[str, int] = {}
    scheme = child(root, "a:themeElements", "a:clrScheme")
    for element in scheme if scheme is not None else ():
        named = attribute(child(element, "a:srgbClr")) or attribute(child(element, "a:sysClr"), "lastClr")
        if (colour := read_colour(named)) is not None:
            colours[element.tag.removeprefix("a:")] = colour
    return colours | {name: colours[usual] for name, usual in names.items() if usual in colours}


def read_paint(fill: Element | None, theme: Theme) -> tuple[int | None, float]:
    """Return the colour of a fill, None if unknown, and its opacity."""
    told = next((one for one in fill if one.tag.endswith("Clr")), None) if fill is not None else None
    if told is None:
        return None, 1.0
    value = attribute(told)
    colour = {
        "a:srgbClr": read_colour(value),
        "a:schemeClr": theme.get(value),
        "a:sysClr": read_colour(attribute(told, "lastClr")),
        "a:prstClr": _PRESETS.get(value),
    }.get(told.tag)
    changes = {one.tag: number(attribute(one), _FULL) / _FULL for one in told}
    opacity, factor, more = (changes.pop(f"a:{name}", usual) for name, usual in _CHANGES)
    return None if colour is None or changes else lighten(colour, factor, more), opacity


# The changes that a fill makes to a colour, with the values that change nothing.
_CHANGES = (("alpha", 1.0), ("lumMod", 1.0), ("lumOff", 0.0))


def read_ground(fill: Element | None, theme: Theme) -> Colours:
    """Return the ground that a fill puts behind text; None if unknown, for example if the fill is translucent."""
    colour, opacity = read_paint(fill, theme)
    return None if colour is None or opacity < 1 else frozenset({colour})


def read_fill(properties: Element | None, reference: Element | None, theme: Theme, usual: Colours = NOTHING) -> Colours:
    """Return the fill of a shape from its properties or its reference to the theme; `usual` without either.

    Return no colour if the shape is not filled.
    """
    fill = next((one for one in properties if one.tag.endswith("Fill")), None) if properties is not None else None
    if fill is None and attribute(reference, "idx") not in ("", "0"):
        fill = reference
    if fill is None:
        return usual
    return NOTHING if fill.tag == "a:noFill" else read_ground(fill, theme)


def lighten(colour: int, factor: float, more: float) -> int:
    """Return a colour with its lightness (0 to 1) multiplied by `factor` and increased by `more`."""
    hue, light, saturation = colorsys.rgb_to_hls(*((colour >> by & 255) / 255 for by in (16, 8, 0)))
    levels = colorsys.hls_to_rgb(hue, min(max(light * factor + more, 0.0), 1.0), saturation)
    red, green, blue = (round(255 * level) for level in levels)
    return red << 16 | green << 8 | blue
