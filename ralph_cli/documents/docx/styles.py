"""Styles: the properties that runs and paragraphs take from their styles.

The order follows ECMA-376, 17.7.2; on-off properties are combined as in 17.7.3.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on, number
from ralph_cli.documents.sight import BLACK, NOTHING, WHITE, WHITE_GROUND, Colours, mix, read_colour

_MOST_ANCESTORS = 100
_TOGGLES = ("vanish", "strike")
_HIGHLIGHTS = {
    "black": 0x000000, "blue": 0x0000FF, "cyan": 0x00FFFF, "green": 0x00FF00, "magenta": 0xFF00FF, "red": 0xFF0000,
    "yellow": 0xFFFF00, "white": 0xFFFFFF, "darkBlue": 0x000080, "darkCyan": 0x008080, "darkGreen": 0x008000,
    "darkMagenta": 0x800080, "darkRed": 0x800000, "darkYellow": 0x808000, "darkGray": 0x808080, "lightGray": 0xC0C0C0,
}  # fmt: skip
# Prefix of the id given to a default style without one. No XML contains this character, so no element can name the id.
_NAMELESS = "\0"

_WHITE_OF_THEME = ("background1", "light1")

_CONDITIONS = {"firstRow": 0x20, "lastRow": 0x40, "firstCol": 0x80, "lastCol": 0x100}
_NO_ROW_BANDS, _NO_COLUMN_BANDS = 0x200, 0x400
_BITS = {"firstRow": 0x20, "lastRow": 0x40, "firstColumn": 0x80, "lastColumn": 0x100}
_BITS |= {"noHBand": _NO_ROW_BANDS, "noVBand": _NO_COLUMN_BANDS}
_ROW_BANDS, _COLUMN_BANDS = ("band1Horz", "band2Horz"), ("band1Vert", "band2Vert")
_CORNERS = {
    "neCell": ("firstRow", "lastCol"), "nwCell": ("firstRow", "firstCol"),
    "seCell": ("lastRow", "lastCol"), "swCell": ("lastRow", "firstCol"),
}  # fmt: skip

# All parts of a table by their names in a style; later ones take priority (ECMA-376, 17.7.6).
ORDER = (*_COLUMN_BANDS, *_ROW_BANDS, *_CONDITIONS, *_CORNERS)


@dataclass(frozen=True, slots=True)
class TablePlace:
    """The position of a cell in its table: its row and column, and the number of rows and columns.

    The bits of `look` say which parts the table's style may format (w:tblLook, ECMA-376, 17.4.55); None if the table
    does not say.
    """

    row: int
    rows: int
    column: int
    columns: int
    look: int | None = None

    def parts(self, row_band: int, column_band: int) -> Iterator[str]:
        """Yield the parts of the table that contain the cell and that the style may format."""
        look = sum(_CONDITIONS.values()) if self.look is None else self.look
        ends = (self.row == 0, self.row == self.rows - 1, self.column == 0, self.column == self.columns - 1)
        inside = {name for (name, bit), at_end in zip(_CONDITIONS.items(), ends, strict=True) if at_end and look & bit}
        if not look & _NO_ROW_BANDS and not inside & {"firstRow", "lastRow"}:
            yield _ROW_BANDS[(self.row - bool(look & _CONDITIONS["firstRow"])) // row_band % 2]
        if not look & _NO_COLUMN_BANDS and not inside & {"firstCol", "lastCol"}:
            yield _COLUMN_BANDS[(self.column - bool(look & _CONDITIONS["firstCol"])) // column_band % 2]
        yield from inside
        yield from (corner for corner, sides in _CORNERS.items() if inside.issuperset(sides))


def read_look(element: Element | None) -> int | None:
    """Return the parts of a table that its style may format, as bits of w:tblLook; None if the table does not say."""
    if element is None:
        return None
    try:
        return int(attribute(element), 16)
    except ValueError:
        return sum(bit for name, bit in _BITS.items() if attribute(element, name) in ("1", "true", "on"))


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground behind some text, and the run properties from the style of the surrounding table.

    `flag` says why text on it is not seen, "" if it is.
    """

    colours: Colours = WHITE_GROUND
    run: tuple[tuple[str, Any], ...] = ()
    flag: str = ""


PAPER = Ground()


@dataclass(slots=True)
class _Style:
    name: str
    based_on: str
    run: dict[str, Any]
    element: Element


@dataclass(slots=True)
class Styles:
    """The styles of a document by their ids; circular inheritance is cut."""

    _styles: dict[str, _Style] = field(default_factory=dict)
    _defaults: dict[str, Any] = field(default_factory=dict)
    _usual: dict[str, str] = field(default_factory=dict)
    _merged: dict[str, dict[str, Any]] = field(default_factory=dict)
    _found: dict[tuple[str, str], list[tuple[str, Element]]] = field(default_factory=dict)
    _grounds: dict[Any, Ground] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Element | None) -> "Styles":
        """Return the styles of a part; no styles if `root` is None."""
        if root is None:
            return cls()
        styles: dict[str, _Style] = {}
        usual: dict[str, str] = {}
        for element in children(root, "w:style"):
            kind, is_usual = attribute(element, "type"), attribute(element, "default") in ("1", "true", "on")
            identity = attribute(element, "styleId") or (f"{_NAMELESS}{kind}" if is_usual else "")
            if not identity:
                continue  # no text can refer to it
            name, parent = attribute(child(element, "w:name")), attribute(child(element, "w:basedOn"))
            run = read_run_properties(child(element, "w:rPr"))
            styles.setdefault(identity, _Style(name.casefold(), parent, run, element))
            if is_usual:
                usual[kind] = identity
        defaults = read_run_properties(child(root, "w:docDefaults", "w:rPrDefault", "w:rPr"))
        return cls(styles, defaults, usual)

    def usual(self, kind: str) -> str:
        """Return the id of the default style of this kind, for paragraphs or tables."""
        return self._usual.get(kind, "")

    def names(self, style: str) -> list[str]:
        """Return the names of a style and its base styles in lower case, nearest first."""
        known = [one.name for one in self._chain(style)]
        return known or [style.casefold()]

    def chain_properties(self, style: str, name: str) -> list[tuple[str, Element]]:
        """Return this paragraph property as set by a style and its base styles, nearest first, each with its style."""
        if (style, name) not in self._found:
            properties = ((one, child(self._styles[one].element, "w:pPr", name)) for one in self._ancestry(style))
            self._found[style, name] = [(identity, found) for identity, found in properties if found is not None]
        return self._found[style, name]

    def paragraph_property(self, style: str, name: str) -> Element | None:
        """Return this paragraph property as set by the style, or its nearest base style that sets it."""
        return next((found for _, found in self.chain_properties(style, name)), None)

    def property_of(self, style: str, properties: Element | None, name: str) -> Element | None:
        """Return this property of a paragraph in this style; its own `properties` take priority."""
        own = child(properties, name)
        return self.paragraph_property(style, name) if own is None else own

    def heading_level(self, style: str, properties: Element | None) -> int:
        """Return the level (from 1) of a heading with this style and these properties; 0 for running text."""
        level = number(attribute(self.property_of(style, properties, "w:outlineLvl")))
        if level is not None:
            return level + 1 if 0 <= level < 9 else 0
        return next((level for name in self.names(style) if (level := _level_of_name(name))), 0)

    def numbering(self, style: str) -> str:
        """Return the id of the list that a list style refers to."""
        return attribute(child(self.paragraph_property(style, "w:numPr"), "w:numId"))

    def run_properties(
        self, paragraph_style: str, direct: dict[str, Any], of_table: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return the effective properties of a run in a paragraph of this style; `direct` are the run's own.

        `of_table` are the properties from the style of the surrounding table.
        """
        styles = (of_table or {}, self._merge(paragraph_style), self._merge(direct.get("style", "")))
        merged = dict(self._defaults)
        for style in (*styles, direct):
            merged |= style
        for toggle in _TOGGLES:
            if toggle not in direct:
                in_odd = sum(style.get(toggle, False) for style in styles) % 2 == 1
                merged[toggle] = self._defaults.get(toggle, False) or in_odd
        return merged

    def cell_ground(self, style: str, place: TablePlace, outside: Colours) -> Ground:
        """Return the ground that a table style puts behind a cell, with its properties for runs in the cell.

        If the table does not say which parts its style may format, all their colours may be behind the cell, and the
        colour of its text is unknown.
        """
        nearest_first = self._chain(style)
        settings = [child(one.element, "w:tblPr") for one in nearest_first]
        bands = (_band_size(settings, f"w:tblStyle{name}BandSize") for name in ("Row", "Col"))
        parts = frozenset(place.parts(*bands)) if nearest_first else frozenset()
        key = style, parts, place.look is None, outside
        if key not in self._grounds:
            chain = [one.element for one in reversed(nearest_first)]
            formats = [part for element in chain for part in children(element, "w:tblStylePr")]
            sources = [(element, True) for element in chain]
            for name in ORDER:
                if name in parts:
                    sources += [(part, place.look is not None) for part in formats if attribute(part, "type") == name]
            self._grounds[key] = _lay_over(sources, outside)
        return self._grounds[key]

    def _merge(self, style: str) -> dict[str, Any]:
        if style not in self._merged:
            merged: dict[str, Any] = {}
            for one in reversed(self._chain(style)):
                merged |= one.run
            self._merged[style] = merged
        return self._merged[style]

    def _chain(self, style: str) -> list[_Style]:
        return [self._styles[identity] for identity in self._ancestry(style)]

    def _ancestry(self, style: str) -> Iterator[str]:
        """Yield a style and its base styles, nearest first."""
        seen: set[str] = set()
        while style in self._styles and style not in seen and len(seen) < _MOST_ANCESTORS:
            seen.add(style)
            yield style
            style = self._styles[style].based_on


def read_run_properties(properties: Element | None) -> dict[str, Any]:
    """Return the run properties in an element (w:rPr) that matter for reading."""
    found: dict[str, Any] = {}
    for element in properties if properties is not None else ():
        if element.tag in _READERS:
            name, read = _READERS[element.tag]
            found[name] = read(element)
        elif element.tag == "w14:textFill":
            found |= _read_fill(element)
    return found


def shaded(shading: Element | None, outside: Colours) -> Colours:
    """Return the colours behind text with this shading (w:shd); without a colour, those `outside`."""
    colours = NOTHING if shading is None else _read_shading(shading)
    return outside if colours == NOTHING else colours


def exact_height(element: Element | None, name: str, rule: str) -> float | None:
    """Return an exact height in points, which does not depend on the content; None for any other height."""
    height = number(attribute(element, name), 0) if attribute(element, rule) == "exact" else None
    return height / 20 if height else None


def _read_shading(element: Element) -> Colours:
    """Return the colour of a shading; empty if it has no colour, None if it is a pattern of two."""
    kind, ink, fill = attribute(element), *(read_colour(attribute(element, name)) for name in ("color", "fill"))
    if kind in ("", "nil", "clear"):
        return NOTHING if fill is None else frozenset({fill})
    if kind == "solid":
        return frozenset({ink or BLACK})
    share = number(kind.removeprefix("pct")) if kind.startswith("pct") else None
    if share is None:
        return None
    return frozenset({mix(ink or BLACK, min(share, 100) / 100, WHITE if fill is None else fill)})


def _lay_over(sources: Iterable[tuple[Element, bool]], outside: Colours) -> Ground:
    """Return the ground of several formats, later ones over earlier ones, each with whether it certainly applies."""
    colours, run = outside, dict[str, Any]()
    for source, is_sure in sources:
        shading = child(source, "w:tcPr", "w:shd")
        own = read_run_properties(child(source, "w:rPr"))
        if not is_sure:
            own = {"colour": None} if "colour" in own else {}
        behind = colours if shading is None else shaded(shading, outside)
        colours = behind if is_sure or behind is None or colours is None else colours | behind
        run |= own
    return Ground(colours, tuple(run.items()))


def _band_size(settings: list[Element | None], name: str) -> int:
    """Return the number of rows or columns in a band, as the nearest style sets it."""
    sizes = (number(attribute(child(one, name))) for one in settings)
    return max(next((size for size in sizes if size is not None), 1), 1)


def _level_of_name(name: str) -> int:
    """Return the level of a built-in heading style, 0 for any other."""
    head, _, count = name.rpartition(" ")
    if head == "heading" and count.isdecimal():
        return int(count[:1])
    return 1 if name == "title" else 0


def _text_colour(element: Element) -> int | None:
    if read_colour(attribute(element)) is None and attribute(element, "themeColor") in _WHITE_OF_THEME:
        return WHITE
    return read_colour(attribute(element))


def _read_fill(fill: Element) -> dict[str, Any]:
    """Return the opacity of letters from their fill, and their colour, which takes priority over the run's."""
    if child(fill, "w14:noFill") is not None:
        return {"opacity": 0.0}
    clearest = min((number(attribute(alpha), 0) for alpha in fill.iter("w14:alpha")), default=0)
    colour = read_colour(attribute(child(fill, "w14:solidFill", "w14:srgbClr")))
    return {"opacity": 1 - clearest / 100_000} | ({} if colour is None else {"colour": colour})


# The property that each element of run properties sets, and the function that reads it.
_READERS: dict[str, tuple[str, Callable[[Element], Any]]] = {
    "w:vanish": ("vanish", is_on),
    "w:strike": ("strike", is_on),
    "w:dstrike": ("dstrike", is_on),
    "w:sz": ("size", lambda element: number(attribute(element))),
    "w:position": ("position", lambda element: number(attribute(element))),
    "w:rStyle": ("style", attribute),
    "w:vertAlign": ("script", attribute),
    "w:color": ("colour", _text_colour),
    "w:highlight": ("highlight", lambda element: _HIGHLIGHTS.get(attribute(element))),
    "w:shd": ("shading", _read_shading),
    "w:rFonts": ("font", lambda element: (attribute(element, "ascii") or attribute(element, "hAnsi")).casefold()),
}
