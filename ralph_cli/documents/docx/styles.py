"""Styles: what of a run's and a paragraph's properties comes from the styles they are in.

The order is that of ECMA-376, 17.7.2; on-or-off properties are combined as 17.7.3 says.
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
# Begins the id of a usual style that has none: nothing can name it, for no XML holds this character.
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

# All parts by their names in a style; the later ones win (ECMA-376, 17.7.6).
ORDER = (*_COLUMN_BANDS, *_ROW_BANDS, *_CONDITIONS, *_CORNERS)


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a cell stands in its table: its row and column, and how many of them there are.

    `look` says by bits which parts the table lets its style format (w:tblLook, ECMA-376, 17.4.55), None if the table
    does not say.
    """

    row: int
    rows: int
    column: int
    columns: int
    look: int | None = None

    def parts(self, row_band: int, column_band: int) -> Iterator[str]:
        """The parts of the table that the cell is in, as far as the table lets them be formatted."""
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
    """Which parts of a table its style may format, as bits of w:tblLook; None if it does not say."""
    if element is None:
        return None
    try:
        return int(attribute(element), 16)
    except ValueError:
        return sum(bit for name, bit in _BITS.items() if attribute(element, name) in ("1", "true", "on"))


@dataclass(frozen=True, slots=True)
class Ground:
    """What is behind some text, and the run properties that the style of the table around it gives.

    `flag` says why nothing upon it is seen, if that is so.
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
    """The styles of a document by their ids; a circle of styles based on each other is cut."""

    _styles: dict[str, _Style] = field(default_factory=dict)
    _defaults: dict[str, Any] = field(default_factory=dict)
    _usual: dict[str, str] = field(default_factory=dict)
    _merged: dict[str, dict[str, Any]] = field(default_factory=dict)
    _found: dict[tuple[str, str], list[tuple[str, Element]]] = field(default_factory=dict)
    _grounds: dict[Any, Ground] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Element | None) -> "Styles":
        """The styles of a part; none if there is no part."""
        if root is None:
            return cls()
        styles: dict[str, _Style] = {}
        usual: dict[str, str] = {}
        for element in children(root, "w:style"):
            kind, is_usual = attribute(element, "type"), attribute(element, "default") in ("1", "true", "on")
            identity = attribute(element, "styleId") or (f"{_NAMELESS}{kind}" if is_usual else "")
            if not identity:
                continue  # no text can name it
            name, parent = attribute(child(element, "w:name")), attribute(child(element, "w:basedOn"))
            run = read_run_properties(child(element, "w:rPr"))
            styles.setdefault(identity, _Style(name.casefold(), parent, run, element))
            if is_usual:
                usual[kind] = identity
        defaults = read_run_properties(child(root, "w:docDefaults", "w:rPrDefault", "w:rPr"))
        return cls(styles, defaults, usual)

    def usual(self, kind: str) -> str:
        """The id of the style that paragraphs or tables without one are in."""
        return self._usual.get(kind, "")

    def names(self, style: str) -> list[str]:
        """What a style is called and those it is based on, in lower case, the nearest first."""
        known = [one.name for one in self._chain(style)]
        return known or [style.casefold()]

    def chain_properties(self, style: str, name: str) -> list[tuple[str, Element]]:
        """This property of paragraphs as the styles of a chain set it, the nearest first, each with its style."""
        if (style, name) not in self._found:
            properties = ((one, child(self._styles[one].element, "w:pPr", name)) for one in self._ancestry(style))
            self._found[style, name] = [(identity, found) for identity, found in properties if found is not None]
        return self._found[style, name]

    def paragraph_property(self, style: str, name: str) -> Element | None:
        """This property of paragraphs as the nearest style of the chain sets it."""
        return next((found for _, found in self.chain_properties(style, name)), None)

    def property_of(self, style: str, properties: Element | None, name: str) -> Element | None:
        """This property of a paragraph with these properties of its own in this style."""
        own = child(properties, name)
        return self.paragraph_property(style, name) if own is None else own

    def heading_level(self, style: str, properties: Element | None) -> int:
        """The level, from 1, of a heading in this style with these properties of its own; 0 for running text."""
        level = number(attribute(self.property_of(style, properties, "w:outlineLvl")))
        if level is not None:
            return level + 1 if 0 <= level < 9 else 0
        return next((level for name in self.names(style) if (level := _level_of_name(name))), 0)

    def numbering(self, style: str) -> str:
        """The number of the list that a style of lists stands for."""
        return attribute(child(self.paragraph_property(style, "w:numPr"), "w:numId"))

    def run_properties(
        self, paragraph_style: str, direct: dict[str, Any], of_table: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """What holds for a run with these properties of its own in a paragraph of this style.

        `of_table` is what the style of the table around it says.
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
        """What a style of tables puts behind a cell, and what it says of the runs in it.

        Where the table does not say which parts its style may format, either may be: the colours of all are behind the
        cell, and that of its text is not known.
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
        """A style and those it is based on, the nearest first."""
        seen: set[str] = set()
        while style in self._styles and style not in seen and len(seen) < _MOST_ANCESTORS:
            seen.add(style)
            yield style
            style = self._styles[style].based_on


def read_run_properties(properties: Element | None) -> dict[str, Any]:
    """What a list of run properties (w:rPr) itself says that matters for reading."""
    found: dict[str, Any] = {}
    for element in properties if properties is not None else ():
        if element.tag in _READERS:
            name, read = _READERS[element.tag]
            found[name] = read(element)
        elif element.tag == "w14:textFill":
            found |= _read_fill(element)
    return found


def shaded(shading: Element | None, outside: Colours) -> Colours:
    """What is behind text with this shading (w:shd), if any: one without a colour shows what is `outside`."""
    colours = NOTHING if shading is None else _read_shading(shading)
    return outside if colours == NOTHING else colours


def exact_height(element: Element | None, name: str, rule: str) -> float | None:
    """The points of a height that is kept whatever is in it; None for any other."""
    height = number(attribute(element, name), 0) if attribute(element, rule) == "exact" else None
    return height / 20 if height else None


def _read_shading(element: Element) -> Colours:
    """The colour of a shading; empty if it has none, None if it is a pattern of two."""
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
    """The ground that formats make, the later over the earlier, each with whether it is sure that it counts."""
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
    """How many rows or columns a band has, as the nearest style says."""
    sizes = (number(attribute(child(one, name))) for one in settings)
    return max(next((size for size in sizes if size is not None), 1), 1)


def _level_of_name(name: str) -> int:
    """The level of the built-in heading styles, 0 for any other."""
    head, _, count = name.rpartition(" ")
    if head == "heading" and count.isdecimal():
        return int(count[:1])
    return 1 if name == "title" else 0


def _text_colour(element: Element) -> int | None:
    if read_colour(attribute(element)) is None and attribute(element, "themeColor") in _WHITE_OF_THEME:
        return WHITE
    return read_colour(attribute(element))


def _read_fill(fill: Element) -> dict[str, Any]:
    """What the fill of letters says of them: its transparency, and its colour, which counts before that of the run."""
    if child(fill, "w14:noFill") is not None:
        return {"opacity": 0.0}
    clearest = min((number(attribute(alpha), 0) for alpha in fill.iter("w14:alpha")), default=0)
    colour = read_colour(attribute(child(fill, "w14:solidFill", "w14:srgbClr")))
    return {"opacity": 1 - clearest / 100_000} | ({} if colour is None else {"colour": colour})


# What the elements of run properties say, and how each is read.
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
