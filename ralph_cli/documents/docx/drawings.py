"""Drawings: the text of text boxes, shapes, charts and diagrams, and which drawings other text may cover.

Only a page layout could tell what text really covers; this module does none.
"""

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.paragraphs import Box
from ralph_cli.documents.docx.styles import Ground
from ralph_cli.documents.office.backdrops import LINE_SIZE, Backdrops, is_backdrop
from ralph_cli.documents.office.drawing_text import describe_chart, describe_diagram
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.office.theme import Theme, read_fill
from ralph_cli.documents.office.xml_tree import all_text, attribute, child, is_on, number, preferred_choice
from ralph_cli.documents.page_text import PageText
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.sight import MARKED, NOTHING, Colours, read_colour

_What = Literal["chart", "diagram"]
_OBJECTS = frozenset({":OLEObject", "w:objectEmbed", "w:objectLink"})
_VML_SHAPES = frozenset({"v:shape", "v:rect", "v:roundrect", "v:oval"})
_LENGTH = re.compile(r"(?:^|;)\s*(width|height):\s*(\d+(?:\.\d+)?)(pt|in)")
_WHITES = {"": "ffffff", "white": "ffffff", "window": "ffffff", "fff": "ffffff"}


@dataclass(frozen=True, slots=True)
class Drawings:
    """Reads the drawings of one part. `open_part` returns the tree for an id in that part, None if it is missing.

    `read_foreign` reads an element that includes another file; it returns None, with a finding, if the file is not
    read.
    """

    findings: Findings
    open_part: Callable[[str], Element | None]
    theme: Theme
    read_foreign: Callable[[Element], ParsedDocument | None]

    def read(self, element: Element) -> list[Box]:
        """Return the boxes that a drawing, a picture or an object attaches to a paragraph."""
        found: list[Box] = []
        self._visit(element, Ground(None), found)
        return found

    def _visit(self, element: Element, ground: Ground, found: list[Box]) -> None:
        if attribute(child(element, "wp:docPr"), "hidden") in ("1", "true"):
            self.findings.hide(all_text(element, "w:t"), MARKED)
            return
        for one in element:
            if one.tag == "w:txbxContent":
                found.append(Box(one, ground))
            elif one.tag in ("c:chart", "cx:chart"):
                self._add_part("chart", attribute(one, "id"), describe_chart, found)
            elif one.tag == "dgm:relIds":
                self._add_part("diagram", attribute(one, "dm"), describe_diagram, found)
            elif one.tag in _OBJECTS:
                self.read_foreign(one)
            elif one.tag == "v:textpath":
                found.append(Box(text=PageText.of(attribute(one, "string").strip())))
            elif one.tag == "a:p":
                found.append(Box(text=PageText.of(all_text(one, "a:t").strip())))
            elif one.tag == "mc:AlternateContent":
                self._visit(preferred_choice(one), ground, found)
            else:
                self._visit(one, _fill(one, ground, self.theme), found)

    def _add_part(self, what: _What, identity: str, describe: Callable[[Element], PageText], found: list[Box]) -> None:
        root = self.open_part(identity)
        if root is not None and (told := describe(root)):
            found.append(Box(text=PageText()))
            found[-1].text.add_from(what, what, told)


def _fill(shape: Element, ground: Ground, theme: Theme) -> Ground:
    """Return the fill colour of a shape for the text in it; unknown without a fill, because anything may be below."""
    if shape.tag == "wps:wsp":
        return Ground(read_fill(child(shape, "wps:spPr"), child(shape, "wps:style", "a:fillRef"), theme) or None)
    if shape.tag in _VML_SHAPES:
        colour = read_colour(attribute(shape, "fillcolor").partition(" ")[0].removeprefix("#"))
        return Ground(None if colour is None else frozenset({colour}))
    return ground


def find_doubtful_paragraphs(root: Element) -> set[Hashable]:
    """Return the paragraphs (`id` of their elements) that may cover a drawing: those next to one on the same page."""

    if next((True for name in ("wp:anchor", *_VML_SHAPES) for _ in root.iter(name)), None) is None:
        return set()
    found, breaks = Backdrops(), False
    for element in _walk(root):
        if element.tag == "w:p":
            found.begin_paragraph(id(element), breaks or is_on(child(element, "w:pPr", "w:pageBreakBefore")))
            breaks = False
        elif element.tag == "w:lastRenderedPageBreak" or attribute(element, "type") == "page":
            found.break_page()
        elif element.tag == "w:sectPr":
            breaks = True
        elif _is_backdrop(element):
            found.add_drawing()
    return found.find_paragraphs()


def has_backdrop(root: Element, size: tuple[float, float]) -> bool:
    """Whether `root` has a drawing of at least this size that text may cover."""
    return any(_is_backdrop(element, size) for element in _walk(root))


def _is_backdrop(element: Element, size: tuple[float, float] = LINE_SIZE) -> bool:
    """Whether an element is a picture or a filled shape of at least this size that text does not flow around."""
    if element.tag == "wp:anchor":
        extent = child(element, "wp:extent")
        width, height = (number(attribute(extent, side), 0) / 12_700 for side in ("cx", "cy"))
        lies_on_text = attribute(element, "behindDoc") in ("1", "true") or child(element, "wp:wrapNone") is not None
        return lies_on_text and any(is_backdrop(_drawn_fill(one), (width, height), size) for one in _walk(element))
    style = attribute(element, "style")
    if element.tag not in _VML_SHAPES or "position:absolute" not in style.replace(" ", ""):
        return False
    told = {name: float(value) * (72 if unit == "in" else 1) for name, value, unit in _LENGTH.findall(style)}
    return is_backdrop(_vml_fill(element), (told.get("width"), told.get("height")), size)


def _drawn_fill(element: Element) -> Colours:
    """Return the fill of a part of a drawing; no colour if it is not filled."""
    if element.tag == "a:blip":
        return None
    if element.tag != "wps:wsp":
        return NOTHING
    return read_fill(child(element, "wps:spPr"), child(element, "wps:style", "a:fillRef"), {})


def _vml_fill(shape: Element) -> Colours:
    """Return the fill of an older (VML) shape, which may be a picture; letters drawn as a shape have no fill."""
    inside = {element.tag for element in _walk(shape)}
    if "v:imagedata" in inside:
        return None
    if "v:textpath" in inside or attribute(shape, "filled") in ("f", "false"):
        return NOTHING
    name = attribute(shape, "fillcolor").partition(" ")[0].lower().removeprefix("#")
    colour = read_colour(_WHITES.get(name, name))
    return None if colour is None else frozenset({colour})


def _walk(element: Element) -> Iterator[Element]:
    """Yield an element and its descendants in order; of alternative forms of a content, only the one shown."""
    yield element
    for one in preferred_choice(element) if element.tag == "mc:AlternateContent" else element:
        yield from _walk(one)
