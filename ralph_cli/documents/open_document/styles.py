"""The styles of an OpenDocument file: what they hide, strike out, raise and number."""

from collections.abc import Iterable
from dataclasses import field
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
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
    """One level of a list: its kind of number ("" for none), what stands around it, and levels shown with it."""

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
    """By the family of styles, what holds where none of them says anything."""

    def add(self, containers: Iterable[Element]) -> None:
        """Add the styles of some elements; those added later replace earlier ones of the same name."""
        for one in (one for container in containers for one in container):
            name = attribute(one, "name")
            match one.tag:
                case "style:default-style":
                    self._defaults[attribute(one, "family")] = one
                case "text:outline-style":
                    self.outline = _read_levels(one)
                case _ if not name:
                    pass  # no text can name it
                case "style:style":
                    self._styles[attribute(one, "family"), name] = one
                case "text:list-style":
                    self._lists[name] = _read_levels(one)
                case "style:page-layout":
                    self._layouts[name] = child(one, "style:page-layout-properties")
                case "style:master-page":
                    self._masters[name] = one

    def value(self, family: str, name: str, properties: str, key: str) -> str:
        """A property of a style, from itself or from those that it is based on; "" if none says it."""
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get((family, name))
            if style is None:
                return ""
            if found := attribute(child(style, f"style:{properties}-properties"), key):
                return found
            name = attribute(style, "parent-style-name")
        return ""

    def master(self, name: str) -> Element | None:
        """The master of pages that has this name, None if there is none."""
        return self._masters.get(name)

    def font_size(self, family: str, name: str, around: float | None = None) -> float | None:
        """The points that a style makes of characters in text of the size `around`; None if that is not known.

        A share is one of what the style is based on.
        """
        share = 1.0
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get((family, name)) if name else None
            if style is None:
                break
            told = attribute(child(style, "style:text-properties"), "font-size")
            if match := _SHARE.fullmatch(told):
                share *= float(match[1]) / 100
            elif points := read_points(told):
                return points * share
            name = attribute(style, "parent-style-name")
        return around and around * share

    def default_size(self, family: str) -> float | None:
        """The points of characters to which no style of the family gives a size; None if the file does not say."""
        return read_points(attribute(child(self._defaults.get(family), "style:text-properties"), "font-size"))

    def page_size(self, master: str) -> tuple[str, str]:
        """Width and height of the pages with this master, "" if they are not known."""
        layout = self._layouts.get(attribute(self._masters.get(master), "page-layout-name"))
        return attribute(layout, "page-width"), attribute(layout, "page-height")

    def list_levels(self, name: str) -> list[ListLevel]:
        """The levels of a list's style; none if it is not known."""
        return self._lists.get(name, [])

    def list_of(self, paragraph: str) -> str:
        """The name of the list that a paragraph's style puts it in, "" if none."""
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get(("paragraph", paragraph))
            if style is None:
                return ""
            if found := attribute(style, "list-style-name"):
                return found
            paragraph = attribute(style, "parent-style-name")
        return ""


def collect_styles(*roots: Element | None) -> Styles:
    """The styles of the parts with these roots."""
    styles = Styles()
    for root in roots:
        styles.add(one for one in contents(root) if one.tag in _CONTAINERS)
    return styles


def read_points(length: str) -> float | None:
    """A length in points; None if it is none."""
    match = _LENGTH.fullmatch(length)
    return float(match[1]) * _POINTS[match[2] or ""] if match else None


class Counter:
    """The numbers of one list while its items are counted."""

    def __init__(self, levels: list[ListLevel]) -> None:
        self._levels, self._counts = levels, dict[int, int]()

    def next_label(self, level: int, start: int | None = None) -> str:
        """What stands before the next item at a level, from 0, with the space behind; "" if nothing does."""
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
        at = (number(attribute(one, "level"), 0) or 0) - 1
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
