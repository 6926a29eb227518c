"""The styles of a workbook's cells: number formats, and what hides or strikes out the text of a cell."""

from typing import TypeVar
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.office.number_format import GENERAL, NumberFormat
from ralph_cli.documents.office.sight import is_tiny
from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on, number
from ralph_cli.documents.sheets.strings import read_size

_WHITE, _BLACK = ("rgb", "FFFFFF"), ("rgb", "000000")
_KNOWN = {
    ("theme", "0"): _WHITE, ("theme", "1"): _BLACK, ("indexed", "0"): _BLACK, ("indexed", "1"): _WHITE,
    ("indexed", "8"): _BLACK, ("indexed", "9"): _WHITE, ("indexed", "64"): _BLACK, ("indexed", "65"): _WHITE,
}  # fmt: skip
_POINTS_OF_INDENT = 9.0
"""The width of three blanks (ECMA-376, part 1, 18.8.1)."""

_Colour = tuple[str, str]
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How a cell shows its value.

    `is_unseen` if its text has the colour of its background, `is_tiny` if it is too small to read; `indent` is how many
    points it is set in.
    """

    number_format: NumberFormat = GENERAL
    is_unseen: bool = False
    is_tiny: bool = False
    is_struck: bool = False
    indent: float = 0.0


def read_styles(root: Element | None) -> list[CellStyle]:
    """The styles of cells, in the order of their numbers."""
    formats = {
        number(attribute(one, "numFmtId"), -1): NumberFormat(attribute(one, "formatCode"))
        for one in children(child(root, "x:numFmts"), "x:numFmt")
    }
    fonts = [
        (_read_colour(child(one, "x:color"), _BLACK), is_on(child(one, "x:strike")), read_size(one))
        for one in children(child(root, "x:fonts"), "x:font")
    ]
    fills = [_read_fill(child(one, "x:patternFill")) for one in children(child(root, "x:fills"), "x:fill")]
    found: list[CellStyle] = []
    for one in children(child(root, "x:cellXfs"), "x:xf"):
        identity = number(attribute(one, "numFmtId"), 0) or 0
        shown = formats.get(identity) or NumberFormat.built_in(identity)
        font = _at(fonts, attribute(one, "fontId"), (_BLACK, False, None))
        fill = _at(fills, attribute(one, "fillId"), _WHITE)
        indent = _POINTS_OF_INDENT * (number(attribute(child(one, "x:alignment"), "indent"), 0) or 0)
        found.append(CellStyle(shown, font[0] is not None and font[0] == fill, is_tiny(font[2]), font[1], indent))
    return found


def read_conditional_formats(root: Element | None) -> set[str]:
    """The numbers of the conditional formats that have a number format."""
    formats = children(child(root, "x:dxfs"), "x:dxf")
    return {str(at) for at, one in enumerate(formats) if child(one, "x:numFmt") is not None}


def _at(items: list[_Item], index: str, default: _Item) -> _Item:
    at = number(index, 0) or 0
    return items[at] if 0 <= at < len(items) else default


def _read_colour(element: Element | None, usual: _Colour | None) -> _Colour | None:
    """A colour, None if it is mixed from another."""
    if element is None:
        return usual
    if attribute(element, "tint") not in ("", "0"):
        return None
    if rgb := attribute(element, "rgb"):
        return ("rgb", rgb[-6:].upper())
    for kind in ("theme", "indexed"):
        if value := attribute(element, kind):
            return _KNOWN.get((kind, value), (kind, value))
    return usual


def _read_fill(pattern: Element | None) -> _Colour | None:
    match attribute(pattern, "patternType"):
        case "" | "none":
            return _WHITE
        case "solid":
            return _read_colour(child(pattern, "x:fgColor"), None)
    return None
