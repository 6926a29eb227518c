"""Colours that drawings name by the document's theme (ECMA-376, part 1, 20.1.6.2)."""

from collections.abc import Mapping
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.formatting.styles import read_colour
from ralph_cli.documents.office.sight import Colours
from ralph_cli.documents.office.xml_tree import attribute, child

_OTHER_NAMES = {"tx1": "dk1", "bg1": "lt1", "tx2": "dk2", "bg2": "lt2"}

Theme = Mapping[str, int]
"""Colours by their names in a theme."""


def read_theme(root: Element | None) -> Theme:
    """The colours of a theme; none if there is no part."""
    colours: dict[str, int] = {}
    for element in child(root, "a:themeElements", "a:clrScheme") or ():
        named = attribute(child(element, "a:srgbClr")) or attribute(child(element, "a:sysClr"), "lastClr")
        if (colour := read_colour(named)) is not None:
            colours[element.tag.removeprefix("a:")] = colour
    return colours | {name: colours[usual] for name, usual in _OTHER_NAMES.items() if usual in colours}


def read_fill(fill: Element | None, theme: Theme) -> Colours:
    """The colour of a fill; None if that is not known, as where it is changed or lets something shine through."""
    for name in ("a:srgbClr", "a:schemeClr"):
        found = child(fill, name)
        if found is not None and not len(found):
            value = attribute(found)
            colour = read_colour(value) if name == "a:srgbClr" else theme.get(value)
            return None if colour is None else frozenset({colour})
    return None
