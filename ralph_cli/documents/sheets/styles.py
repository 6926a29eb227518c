"""The styles and strings of a workbook's cells: number formats, and what hides, raises or strikes out text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar
from xml.etree.ElementTree import Element

from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.number_format import GENERAL, NumberFormat
from ralph_cli.documents.office.theme import Theme, lighten
from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on, number
from ralph_cli.documents.page_text import one_line
from ralph_cli.documents.sight import BLACK, WHITE, WHITE_GROUND, Colours, read_colour, seen
from ralph_cli.text.raised import lower_figures, raise_figures, strike

# The names of theme colours, in the order of their numbers (ECMA-376, part 1, 18.8.3).
_THEME = ("lt1", "dk1", "lt2", "dk2", *(f"accent{at}" for at in range(1, 7)), "hlink", "folHlink")

# The width of three blanks (ECMA-376, part 1, 18.8.1).
_POINTS_OF_INDENT = 9.0

_USUAL = {0: WHITE, 1: BLACK}
# The indexed colours from 8 on; the numbers below repeat the first ones (ECMA-376, part 1, 18.8.27).
_PALETTE = """
    000000 ffffff ff0000 00ff00 0000ff ffff00 ff00ff 00ffff 800000 008000 000080 808000 800080 008080 c0c0c0 808080
    9999ff 993366 ffffcc ccffff 660066 ff8080 0066cc ccccff 000080 ff00ff ffff00 00ffff 800080 800000 008080 0000ff
    00ccff ccffff ccffcc ffff99 99ccff ff99cc cc99ff ffcc99 3366ff 33cccc 99cc00 ffcc00 ff9900 ff6600 666699 969696
    003366 339966 003300 333300 993300 993366 333399 333333 000000 ffffff
"""

_Item = TypeVar("_Item")

_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")


def read_string(element: Element | None, findings: Findings) -> str:
    """Return a shared or inline string (ECMA-376, part 1, 18.4) on one line, without its phonetic readings."""
    return one_line("".join(_read_runs(element, findings))) if element is not None else ""


def read_size(font: Element | None) -> float | None:
    """Return the font size in points of a font or of a run's properties; None if unset."""
    try:
        return float(attribute(child(font, "x:sz"), "val")) or None
    except ValueError:
        return None


def is_sized(element: Element | None) -> bool:
    """Whether all words of a string have their own font sizes, which override the cell's."""
    parts = [*children(element, "x:t"), *children(element, "x:r")]
    return not any("".join(one.itertext()).strip() for one in parts if not read_size(child(one, "x:rPr")))


def unescape(text: str) -> str:
    """Return a text with escapes like "_x000D_" decoded (ECMA-376, part 1, 22.4.2.4)."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _read_runs(element: Element, findings: Findings) -> Iterator[str]:
    for one in element:
        if one.tag == "x:t":
            yield unescape(one.text or "")
        elif one.tag == "x:r":
            text = unescape("".join(part.text or "" for part in one if part.tag == "x:t"))
            properties = child(one, "x:rPr")
            text = findings.take(text, seen(None, WHITE_GROUND, read_size(properties)))
            match attribute(child(properties, "x:vertAlign")):
                case "superscript":
                    text = raise_figures(text)
                case "subscript":
                    text = lower_figures(text)
            yield strike(text) if is_on(child(properties, "x:strike")) else text


@dataclass(frozen=True, slots=True)
class CellStyle:
    """The style of a cell; `why` is the answer of the rule of `sight`, `indent` the indent in points."""

    number_format: NumberFormat = GENERAL
    why: str = ""
    is_struck: bool = False
    indent: float = 0.0


def read_styles(root: Element | None, theme: Theme) -> list[CellStyle]:
    """Return the styles of cells, in the order of their numbers."""
    formats = {
        number(attribute(one, "numFmtId"), -1): NumberFormat(attribute(one, "formatCode"))
        for one in children(root, "x:numFmts", "x:numFmt")
    }
    fonts = [
        (_read_colour(child(one, "x:color"), theme, BLACK), is_on(child(one, "x:strike")), read_size(one))
        for one in children(root, "x:fonts", "x:font")
    ]
    fills = [_read_fill(one, theme) for one in children(root, "x:fills", "x:fill")]
    found: list[CellStyle] = []
    for one in children(root, "x:cellXfs", "x:xf"):
        identity = number(attribute(one, "numFmtId"), 0)
        shown = formats.get(identity) or NumberFormat.built_in(identity)
        colour, is_struck, size = _at(fonts, attribute(one, "fontId"), (BLACK, False, None))
        ground = _at(fills, attribute(one, "fillId"), WHITE_GROUND)
        indent = _POINTS_OF_INDENT * number(attribute(child(one, "x:alignment"), "indent"), 0)
        found.append(CellStyle(shown, seen(colour, ground, size), is_struck, indent))
    return found


def read_conditional_formats(root: Element | None) -> set[str]:
    """Return the numbers of the conditional formats that have a number format."""
    formats = children(root, "x:dxfs", "x:dxf")
    return {str(at) for at, one in enumerate(formats) if child(one, "x:numFmt") is not None}


def _at(items: list[_Item], index: str, default: _Item) -> _Item:
    at = number(index, 0)
    return items[at] if 0 <= at < len(items) else default


def _read_colour(element: Element | None, theme: Theme, usual: int | None = None) -> int | None:
    """Return a colour, None if unknown; `usual` if it is automatic."""
    colour = read_colour(attribute(element, "rgb")[-6:]) if attribute(element, "rgb") else usual
    at = number(attribute(element, "theme"), -1)
    if 0 <= at < len(_THEME):
        colour = theme.get(_THEME[at], _USUAL.get(at))
    at = number(attribute(element, "indexed"), -1)
    if 0 <= at < 66:
        colour = read_colour(_PALETTE.split()[at - 8 if at >= 8 else at])
    try:
        tint = float(attribute(element, "tint") or 0)
    except ValueError:
        return None
    if colour is None or not tint:
        return colour
    return lighten(colour, 1 - abs(tint), max(tint, 0.0))


def _read_fill(fill: Element, theme: Theme) -> Colours:
    pattern = child(fill, "x:patternFill")
    match attribute(pattern, "patternType"):
        case "" | "none" if child(fill, "x:gradientFill") is None:
            return WHITE_GROUND
        case "solid":
            colour = _read_colour(child(pattern, "x:fgColor"), theme)
            return None if colour is None else frozenset({colour})
    return None
