"""The styles of an OpenDocument file: the text that they hide, strike out, raise and number."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from ralph_cli.documents import sight
from ralph_cli.documents.docx.numbering import format_number
from ralph_cli.documents.office.xml_tree import attribute, child, contents, number

_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_BULLET = "\u2022"
_CONTAINERS = ("office:styles", "office:automatic-styles", "office:master-styles")
_LENGTH = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)?")
_POINTS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75, "": 1.0}
_SHARE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)%")
_LONGEST_CHAIN = 20
_MOST_LEVELS = 10


@dataclass(slots=True)
class ListLevel:
    """One level of a list: the format of its numbers ("" for none), the texts around it, and the levels it shows."""

    form: str = ""
    before: str = ""
    behind: str = ""
    shown: int = 1
    start: int = 1
    is_bullet: bool = False


@dataclass(slots=True)
class Styles:
    """The styles of one file, by their families and names."""

    _styles: dict[tuple[str, str], Element] = field(default_factory=dict)
    _lists: dict[str, list[ListLevel]] = field(default_factory=dict)
    outline: list[ListLevel] = field(default_factory=list)
    _layouts: dict[str, Element | None] = field(default_factory=dict)
    _masters: dict[str, Element] = field(default_factory=dict)
    _defaults: dict[str, Element] = field(default_factory=dict)
    """The default style of each family."""
    _inks: dict[tuple[str, str, sight.Ink], sight.Ink] = field(default_factory=dict)

    def add(self, containers: Iterable[Element]) -> None:
        """Add the styles of elements; later ones replace earlier ones of the same name."""
        self._inks.clear()
        for one in (one for container in containers for one in container):
            name = attribute(one, "name")
            match one.tag:
                case "style:default-style":
                    self._defaults[attribute(one, "family")] = one
                case "text:outline-style":
                    self.outline = _read_levels(one)
                case _ if not name:
                    pass  # no text can refer to it
                case "style:style":
                    self._styles[attribute(one, "family"), name] = one
                case "text:list-style":
                    self._lists[name] = _read_levels(one)
                case "style:page-layout":
                    self._layouts[name] = child(one, "style:page-layout-properties")
                case "style:master-page":
                    self._masters[name] = one

    def value(self, family: str, name: str, properties: str, key: str) -> str:
        """Return a property of a style, or of its nearest base style that sets it; "" if none does."""
        return _nearest(self._chain(family, name, properties), key)

    def _chain(self, family: str, name: str, properties: str) -> Iterator[Element]:
        """Yield the properties of one kind from a style and its base styles, nearest first."""
        for style in self._ancestry(family, name):
            if (found := child(style, f"style:{properties}-properties")) is not None:
                yield found

    def _ancestry(self, family: str, name: str) -> Iterator[Element]:
        """Yield a style and its base styles, nearest first."""
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get((family, name))
            if style is None:
                return
            yield style
            name = attribute(style, "parent-style-name")

    def master(self, name: str) -> Element | None:
        """Return the master page with this name; None if it does not exist."""
        return self._masters.get(name)

    def ink(self, family: str, name: str, around: sight.Ink) -> sight.Ink:
        """Return the ink that a style gives to characters inside text with the ink `around`."""
        key = family, name, around
        if key not in self._inks:
            self._inks[key] = self._ink(*key) if name else around
        return self._inks[key]

    def usual_ink(self, family: str, around: sight.Ink) -> sight.Ink:
        """Return the ink of characters without a style of this family."""
        usual = child(self._defaults.get(family), "style:text-properties")
        return around if usual is None else _inked([usual], around)

    def _ink(self, family: str, name: str, around: sight.Ink) -> sight.Ink:
        ink = _inked(list(self._chain(family, name, "text")), around)
        for kind in dict.fromkeys((family, "text")):
            ink = replace(ink, ground=_ground(self._chain(family, name, kind), ink.ground))
        fills = (attribute(child(one, ":graphic-properties"), "fill") for one in self._ancestry(family, name))
        if next(filter(None, fills), "none") not in ("none", "solid"):
            ink = replace(ink, ground=None)
        left = read_points(self.value(family, name, "paragraph", "margin-left"))
        height = read_points(self.value(family, name, "table-row", "row-height"))
        flags = (
            sight.MARKED if self.value(family, name, "text", "display") == "none" else "",
            around.flag,
            sight.OFF_PAGE if sight.is_far_off(left) else "",
            sight.CLIPPED if sight.is_flat(height) else "",
        )
        return replace(ink, flag=next(filter(None, flags), ""))

    def fill(self, family: str, name: str, usual: sight.Colours) -> sight.Colours:
        """Return the fill of a shape or page in this style; no colour if it is not filled, `usual` if none is set."""
        told = list(self._chain(family, name, "drawing-page" if family == "drawing-page" else "graphic"))
        kind = _nearest(told, "fill")
        if kind == "solid" and _nearest(told, "opacity") in ("", "100%"):
            colour = sight.read_colour(_nearest(told, "fill-color"))
            return None if colour is None else frozenset({colour})
        return sight.NOTHING if kind == "none" else None if kind else _ground(told, usual)

    def page_ground(self) -> sight.Colours:
        """Return the possible colours of pages; not every program prints a page's own colour."""
        grounds = [_ground([one], sight.WHITE_GROUND) for one in self._layouts.values() if one is not None]
        return None if None in grounds else frozenset({sight.WHITE}).union(*filter(None, grounds))

    def page_size(self, master: str) -> tuple[str, str]:
        """Return width and height of the pages with this master, "" if unknown."""
        layout = self._layouts.get(attribute(self._masters.get(master), "page-layout-name"))
        return attribute(layout, "page-width"), attribute(layout, "page-height")

    def list_levels(self, name: str) -> list[ListLevel]:
        """Return the levels of a list style; none if it is unknown."""
        return self._lists.get(name, [])


def collect_styles(*roots: Element | None) -> Styles:
    """Return the styles of the parts with these roots."""
    styles = Styles()
    for root in roots:
        styles.add(one for one in contents(root) if one.tag in _CONTAINERS)
    return styles


def read_points(length: str) -> float | None:
    """Return a length in points; None if the text is not a length."""
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _POINTS[match[2] or ""] if match else None


def _nearest(told: Iterable[Element], key: str) -> str:
    """Return the first value of this attribute in the elements; "" if none has it."""
    return next((found for one in told if (found := attribute(one, key))), "")


def _inked(texts: list[Element], around: sight.Ink) -> sight.Ink:
    """Return the ink set by text properties, nearest first; a relative size multiplies the size it inherits."""
    size, share = around.size, 1.0
    for one in texts:
        told = attribute(one, "font-size")
        if match := _SHARE.fullmatch(told):
            share *= float(match[1]) / 100
        elif (points := read_points(told)) is not None:
            size = points
            break
    ink = replace(around, size=None if size is None else size * share)
    for one in texts:
        # Programs write an opacity of zero together with the automatic colour.
        if attribute(one, "use-window-font-color") == "true":
            return replace(ink, colour=None, opacity=1.0)
        if told := attribute(one, "color"):
            share_of_ink = _SHARE.fullmatch(attribute(one, "opacity"))
            opacity = float(share_of_ink[1]) / 100 if share_of_ink else 1.0
            return replace(ink, colour=sight.read_colour(told), opacity=opacity)
    return ink


def _ground(told: Iterable[Element], beneath: sight.Colours) -> sight.Colours:
    """Return the ground that properties, nearest first, put behind text; `beneath` if none or a transparent one."""
    for one in told:
        if attribute(picture := child(one, "style:background-image"), "href") or (picture is not None and len(picture)):
            return None
        if colour := attribute(one, "background-color"):
            ground = sight.read_colour(colour)
            return beneath if colour == "transparent" else None if ground is None else frozenset({ground})
    return beneath


class Counter:
    """The current numbers of one list."""

    def __init__(self, levels: list[ListLevel]) -> None:
        self._levels, self._counts = levels, dict[int, int]()

    def next_label(self, level: int, start: int | None = None) -> str:
        """Return the label before the next item at `level` (counted from 0), including the space after it, or ""."""
        if not 0 <= level < len(self._levels):
            return ""
        form = self._levels[level]
        if form.is_bullet:
            return f"{_BULLET} "
        for deeper in [one for one in self._counts if one > level]:
            del self._counts[deeper]
        self._counts[level] = start if start is not None else self._counts.get(level, form.start - 1) + 1
        if not form.form:
            return f"{form.before}{form.behind}".strip() + " " * bool(f"{form.before}{form.behind}".strip())
        numbers = []
        for at in range(max(level - form.shown + 1, 0), level + 1):
            kind = _FORMS.get(self._levels[at].form)
            if kind:
                numbers.append(format_number(self._counts.get(at, self._levels[at].start), kind))
        return f"{form.before}{'.'.join(numbers)}{form.behind} ".lstrip()


def _read_levels(element: Element) -> list[ListLevel]:
    levels = [ListLevel() for _ in range(_MOST_LEVELS)]
    for one in element:
        at = number(attribute(one, "level"), 0) - 1
        if 0 <= at < _MOST_LEVELS:
            levels[at] = ListLevel(
                attribute(one, "num-format"),
                attribute(one, "num-prefix"),
                attribute(one, "num-suffix"),
                max(number(attribute(one, "display-levels"), 1) or 1, 1),
                1 if (start := number(attribute(one, "start-value"))) is None else start,
                one.tag == "text:list-level-style-bullet",
            )
    return levels
