"""Pictures and filled shapes that text may lie upon: where a page is laid out decides that, which is not done here."""

from collections.abc import Hashable, Iterator
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred import re
from ralph_cli.documents.office.backdrops import LINE_SIZE, Backdrops, is_backdrop
from ralph_cli.documents.office.theme import read_fill
from ralph_cli.documents.office.xml_tree import attribute, child, is_on, number, preferred_choice
from ralph_cli.documents.sight import NOTHING, Colours, read_colour

VML_SHAPES = frozenset({"v:shape", "v:rect", "v:roundrect", "v:oval"})
_LENGTH = re.compile(r"(?:^|;)\s*(width|height):\s*(\d+(?:\.\d+)?)(pt|in)")
_WHITES = {"": "ffffff", "white": "ffffff", "window": "ffffff", "fff": "ffffff"}


def find_doubtful_paragraphs(root: Element) -> set[Hashable]:
    """The paragraphs, by the `id` of their elements, that may lie upon a drawing: those beside one on the same page."""

    if next((True for name in ("wp:anchor", *VML_SHAPES) for _ in root.iter(name)), None) is None:
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
    """Whether there is a drawing of at least this size that text may lie upon."""
    return any(_is_backdrop(element, size) for element in _walk(root))


def _is_backdrop(element: Element, size: tuple[float, float] = LINE_SIZE) -> bool:
    """Whether an element is a picture or a filled shape of at least this size from which text does not keep away."""
    if element.tag == "wp:anchor":
        extent = child(element, "wp:extent")
        width, height = ((number(attribute(extent, side), 0) or 0) / 12_700 for side in ("cx", "cy"))
        lies_on_text = attribute(element, "behindDoc") in ("1", "true") or child(element, "wp:wrapNone") is not None
        return lies_on_text and any(is_backdrop(_fill(one), (width, height), size) for one in _walk(element))
    style = attribute(element, "style")
    if element.tag not in VML_SHAPES or "position:absolute" not in style.replace(" ", ""):
        return False
    told = {name: float(value) * (72 if unit == "in" else 1) for name, value, unit in _LENGTH.findall(style)}
    return is_backdrop(_vml_fill(element), (told.get("width"), told.get("height")), size)


def _fill(element: Element) -> Colours:
    """What a part of a drawing is filled with; no colour if it is not filled."""
    if element.tag == "a:blip":
        return None
    if element.tag != "wps:wsp":
        return NOTHING
    return read_fill(child(element, "wps:spPr"), child(element, "wps:style", "a:fillRef"), {})


def _vml_fill(shape: Element) -> Colours:
    """That of a shape of the older kind (VML), which may be a picture; letters drawn as a shape have nothing behind."""
    inside = {element.tag for element in _walk(shape)}
    if "v:imagedata" in inside:
        return None
    if "v:textpath" in inside or attribute(shape, "filled") in ("f", "false"):
        return NOTHING
    name = attribute(shape, "fillcolor").partition(" ")[0].lower().removeprefix("#")
    colour = read_colour(_WHITES.get(name, name))
    return None if colour is None else frozenset({colour})


def _walk(element: Element) -> Iterator[Element]:
    """An element and all in it, in order, of several forms of the same content only the one that is shown."""
    yield element
    for one in preferred_choice(element) if element.tag == "mc:AlternateContent" else element:
        yield from _walk(one)
