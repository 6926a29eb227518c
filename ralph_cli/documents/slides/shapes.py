"""The shapes of slides: the placeholder that each one fills, its position, and what it inherits from the design.

The design is the layout of a slide with its master: positions, text styles, fills, colours and the background.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.package import Package
from ralph_cli.documents.office.theme import USUAL_NAMES, Theme, read_fill, read_ground, read_theme
from ralph_cli.documents.office.xml_tree import attribute, child, children, contents, number
from ralph_cli.documents.page_text import PageText, one_line
from ralph_cli.documents.sight import NOTHING, WHITE_GROUND, Colours
from ralph_cli.documents.slides.paragraphs import TextSetting, read_paragraphs
from ralph_cli.documents.slides.sight import Layer, Place
from ralph_cli.documents.tables import TableCell, TableRow, measure_blanks, write_table

# The types of placeholders for titles.
TITLES = ("title", "ctrTitle")

# The number of a theme's first background, which is a single colour.
_PLAIN = "1001"

# The default indent of a list level.
_EMU_OF_POINT, _EMU_OF_LEVEL = 12_700, 342_900


class Design:
    """The layout of some slides, with its master."""

    def __init__(self, package: Package, presentation: Element, layout: str) -> None:
        """`layout` is the name of a part, "" if the slide has none."""
        self.parts: list[tuple[str, Element]] = list(_read_parts(package, layout)) if package.has(layout) else []
        """The master and the layout, with the names of their parts."""
        roots = [root for _, root in self.parts]
        self._held: dict[str, list[Element]] = {"": []}
        for shape in (shape for root in reversed(roots) for shape in contents(root, "p:cSld", "p:spTree")):
            if placeholder(shape) is not None:
                self._held.setdefault(placeholder_key(shape), []).append(shape)
        themes = [one for part, _ in self.parts[:1] for one in package.relations(part).values() if one.kind == "theme"]
        self._theme = next((package.read_xml(one.target, "a:theme") for one in themes if package.has(one.target)), None)
        self._roots = roots[::-1]
        self._styles = next((one for root in roots if (one := child(root, "p:txStyles")) is not None), None)
        self._usual = child(presentation, "p:defaultTextStyle")
        self.layers = [self.layer(shape, self.theme(root)) for root in roots for shape in own_shapes(root)]
        """The shapes that the master and the layout draw on each slide."""

    def theme(self, slide: Element) -> Theme:
        """Return the theme's colours by the names that a slide, or a part of its design, uses for them."""
        maps = [child(one, "p:clrMapOvr", "a:overrideClrMapping") for one in (slide, *self._roots)]
        maps += [child(one, "p:clrMap") for one in self._roots]
        return read_theme(self._theme, next((one.attrib for one in maps if one is not None), USUAL_NAMES))

    def ground(self, slide: Element, theme: Theme) -> Colours:
        """Return the ground behind all shapes of a slide: its own background, or that of its layout or master."""
        grounds = (_read_background(root, theme) for root in (slide, *self._roots))
        return next((ground for ground in grounds if ground != NOTHING), WHITE_GROUND)

    def layer(self, shape: Element, theme: Theme) -> Layer:
        """Return a shape as a layer of the drawing; it inherits from the placeholder that it fills."""
        place = next((place for one in (shape, *self._same(shape)) if (place := read_place(one))), None)
        fill = NOTHING if is_hidden(shape) else self._fill(shape, theme)
        return Layer(place, fill, is_plain(shape), shape.tag in ("p:grpSp", "p:graphicFrame"))

    def _fill(self, shape: Element, theme: Theme) -> Colours:
        if shape.tag == "p:grpSp":
            return None if any(self._fill(one, theme) != NOTHING for one in shape) else NOTHING
        if shape.tag in ("p:pic", "p:graphicFrame", "mc:AlternateContent"):
            return None
        fill = NOTHING
        for one in (*self._same(shape)[::-1], shape):
            fill = read_fill(child(one, "p:spPr"), child(one, "p:style", "a:fillRef"), theme, fill)
        return fill

    def styles(self, shape: Element) -> Sequence[Element]:
        """Return the elements that style a shape's text if it has no own style, nearest first."""
        held = placeholder(shape)
        name = "p:titleStyle" if attribute(held, "type") in TITLES else "p:bodyStyle"
        found = [child(one, "p:txBody", "a:lstStyle") for one in self._same(shape)]
        found += [child(shape, "p:style", "a:fontRef") if held is None else child(self._styles, name), self._usual]
        return [one for one in found if one is not None]

    def _same(self, shape: Element) -> list[Element]:
        """Return the placeholders of the layout and the master that a shape fills."""
        return self._held.get(placeholder_key(shape), [])


def _read_parts(package: Package, layout: str) -> Iterator[tuple[str, Element]]:
    """Yield the master of a layout, then the layout itself."""
    for relation in package.relations(layout).values():
        if relation.kind == "slideMaster" and package.has(relation.target):
            yield relation.target, package.read_xml(relation.target, "p:sldMaster")
    yield layout, package.read_xml(layout, "p:sldLayout")


def _read_background(root: Element, theme: Theme) -> Colours:
    """Return the background of a slide or of a part of its design; no colour if it has none."""
    told = child(root, "p:cSld", "p:bg")
    reference = child(told, "p:bgRef")
    if reference is not None:
        return read_ground(reference, theme) if attribute(reference, "idx") == _PLAIN else None
    return read_fill(child(told, "p:bgPr"), None, theme)


def read_table(element: Element, findings: Findings, setting: TextSetting) -> PageText:
    """Return a table as text; empty if all cells are. The effect of its style on cells and their text is unknown."""
    named = attribute(child(element, "a:tblPr"), "firstRow") in ("1", "true")
    rows: list[TableRow] = []
    is_styled = child(element, "a:tblPr", "a:tableStyleId") is not None
    usual = None if is_styled else setting.ink.ground
    for row in children(element, "a:tr"):
        cells = []
        for at, cell in enumerate(children(row, "a:tc")):
            if attribute(cell, "hMerge") in ("1", "true"):
                continue
            span = max(number(attribute(cell, "gridSpan"), 1) or 1, 1)
            fill = read_fill(child(cell, "a:tcPr"), None, setting.theme, usual)
            ink = replace(setting.ink, ground=setting.ink.ground if fill == NOTHING else fill)
            text = one_line(read_paragraphs(child(cell, "a:txBody"), findings, replace(setting, ink=ink)))
            cells.append(TableCell(at, at + span, text, attribute(cell, "vMerge") in ("1", "true")))
        rows.append(TableRow(cells, _measure_indent(row), named and not rows))
    return write_table(rows)


def _measure_indent(row: Element) -> float:
    """Return the indent of a row's first line in points."""
    paragraph = child(row, "a:tc", "a:txBody", "a:p")
    properties = child(paragraph, "a:pPr")
    level = number(attribute(properties, "lvl"), 0)
    margin = number(attribute(properties, "marL"), level * _EMU_OF_LEVEL)
    text = child(paragraph, "a:r", "a:t")
    blanks = measure_blanks(text.text or "") if text is not None else 0.0
    return (margin + number(attribute(properties, "indent"), 0)) / _EMU_OF_POINT + blanks


def placeholder(shape: Element) -> Element | None:
    """Return the element that names the placeholder that a shape fills; None if it fills none."""
    return next((found for one in shape if (found := child(one, "p:nvPr", "p:ph")) is not None), None)


def placeholder_key(shape: Element) -> str:
    """Return the key of a placeholder in its layout: its number, or its type."""
    found = placeholder(shape)
    if found is None:
        return ""
    return attribute(found, "idx") or ("title" if attribute(found, "type") in TITLES else "body")


def is_hidden(shape: Element) -> bool:
    """Whether a shape is hidden."""
    return any(attribute(child(one, "p:cNvPr"), "hidden") in ("1", "true") for one in shape)


def read_place(shape: Element) -> Place | None:
    """Return left, top, right and bottom of a shape; None if it has no position of its own."""
    for one in (*(child(part, "a:xfrm") for part in shape), child(shape, "p:xfrm")):
        offset, size = child(one, "a:off"), child(one, "a:ext")
        left, top = number(attribute(offset, "x")), number(attribute(offset, "y"))
        if left is not None and top is not None:
            width, height = number(attribute(size, "cx"), 0), number(attribute(size, "cy"), 0)
            return left, top, left + width, top + height
    return None


def is_plain(shape: Element) -> bool:
    """Whether the fill of a shape covers its whole box."""
    return attribute(child(shape, "p:spPr", "a:prstGeom"), "prst") in ("rect", "roundRect")


def own_shapes(root: Element) -> list[Element]:
    """Return the shapes of a layout or master that appear on each of its slides."""
    return [shape for shape in contents(root, "p:cSld", "p:spTree") if placeholder(shape) is None]
