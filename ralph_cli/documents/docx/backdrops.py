"""Pictures and filled shapes that text may lie upon: where a page is laid out decides that, which is not done here."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred import re
from ralph_cli.documents.docx.formatting.styles import read_colour
from ralph_cli.documents.office.backdrops import LINE_SIZE, find_beside
from ralph_cli.documents.office.sight import WHITE
from ralph_cli.documents.office.xml_tree import attribute, child, is_on, number, preferred_choice

_SHAPES = frozenset({"v:shape", "v:rect", "v:roundrect", "v:oval"})
_LENGTH = re.compile(r"(?:^|;)\s*(width|height):\s*(\d+(?:\.\d+)?)(pt|in)")
_UNITS = {"pt": 12_700, "in": 914_400}
_WHITES = frozenset({"", "white", "window", "#fff"})


def find_doubtful_paragraphs(root: Element) -> set[int]:
    """The paragraphs, by the `id` of their elements, that may lie upon a drawing: those beside one on the same page."""
    if next((True for name in ("wp:anchor", *_SHAPES) for _ in root.iter(name)), None) is None:
        return set()
    paragraphs: list[int] = []
    first: list[int] = []
    last: list[int] = []
    drawings: list[tuple[int, int]] = []
    page = breaks = 0
    for element in _walk(root):
        if element.tag == "w:p":
            page, breaks = page + breaks + is_on(child(element, "w:pPr", "w:pageBreakBefore")), 0
            paragraphs.append(id(element))
            first.append(page)
            last.append(page)
        elif element.tag == "w:lastRenderedPageBreak" or attribute(element, "type") == "page":
            page += 1
            last[-1:] = [page][: len(last)]
        elif element.tag == "w:sectPr":
            breaks = 1
        elif is_backdrop(element):
            drawings.append((len(paragraphs) - 1, page))
    return {paragraphs[at] for at in find_beside(drawings, first, last)}


def has_backdrop(root: Element, size: tuple[int, int]) -> bool:
    """Whether there is a drawing of at least this size that text may lie upon."""
    return any(is_backdrop(element, size) for element in _walk(root))


def is_backdrop(element: Element, size: tuple[int, int] = LINE_SIZE) -> bool:
    """Whether an element is a picture or a filled shape of at least this size from which text does not keep away."""
    if element.tag == "wp:anchor":
        extent = child(element, "wp:extent")
        sides = [number(attribute(extent, side), 0) or 0 for side in ("cx", "cy")]
        lies_on_text = attribute(element, "behindDoc") in ("1", "true") or child(element, "wp:wrapNone") is not None
        return lies_on_text and sides[0] >= size[0] and sides[1] >= size[1] and any(map(_is_filled, _walk(element)))
    if element.tag not in _SHAPES or "position:absolute" not in attribute(element, "style").replace(" ", ""):
        return False
    lengths = {name: float(value) * _UNITS[unit] for name, value, unit in _LENGTH.findall(attribute(element, "style"))}
    is_large = all(lengths.get(name, least) >= least for name, least in zip(("width", "height"), size, strict=True))
    return is_large and _is_filled_shape(element)


def _is_filled(element: Element) -> bool:
    if element.tag == "a:blip":
        return True
    if element.tag != "wps:wsp" or child(element, "wps:spPr", "a:noFill") is not None:
        return False
    fills = [one for one in child(element, "wps:spPr") or () if one.tag.endswith("Fill")]
    if not fills:
        return attribute(child(element, "wps:style", "a:fillRef"), "idx") not in ("", "0")
    return read_colour(attribute(child(fills[0], "a:srgbClr"))) != WHITE


def _is_filled_shape(shape: Element) -> bool:
    """Whether a shape of the older kind (VML) has a picture or a colour; letters drawn as a shape have none behind."""
    inside = {element.tag for element in _walk(shape)}
    if "v:textpath" in inside or attribute(shape, "filled") in ("f", "false"):
        return "v:imagedata" in inside
    colour = attribute(shape, "fillcolor").partition(" ")[0].lower()
    return "v:imagedata" in inside or not (colour in _WHITES or read_colour(colour.removeprefix("#")) == WHITE)


def _walk(element: Element) -> Iterator[Element]:
    """An element and all in it, in order, of several forms of the same content only the one that is shown."""
    yield element
    for one in preferred_choice(element) if element.tag == "mc:AlternateContent" else element:
        yield from _walk(one)
