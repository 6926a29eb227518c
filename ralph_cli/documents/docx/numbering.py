"""The numbers that Word generates: "1.2" before a clause, "(a)" before an item, a bullet.

Lists, levels and overrides follow ECMA-376, 17.9.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.styles import Styles
from ralph_cli.documents.docx.symbols import CHECKED, UNCHECKED, UNKNOWN, translate_symbol
from ralph_cli.documents.office.xml_tree import attribute, child, children, is_on, number

BULLET = "\u2022"
# Bullets that have a meaning, unlike those that only begin an item.
_MEANING = frozenset({CHECKED, UNCHECKED, "\u2611", "\u2713", "\u2717"})

_MOST_LEVELS, _LONGEST_TEXT = 9, 255
_PLACE = re.compile("%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_SMALL = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_ONES, _TENS = _SMALL.split(), ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth"}
_ORDINALS |= {"twelve": "twelfth"}


def _letters(value: int) -> str:
    """Return a to z, then aa to zz and so on, as Word numbers."""
    return chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1) if 0 < value <= 26 * 20 else str(value)


def write_roman(value: int) -> str:
    """Return a number in lower-case Roman numerals, or in decimals if it has no such form."""
    if not 0 < value < 5_000:
        return str(value)
    written = ""
    for worth, sign in _ROMAN:
        written += sign * (value // worth)
        value %= worth
    return written


def _ordinal(value: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{value}{'th' if value % 100 in (11, 12, 13) else ends.get(value % 10, 'th')}"


def _cardinal_text(value: int) -> str:
    if not 0 <= value < 100:
        return str(value)
    tens, ones = divmod(value, 10)
    name = _ONES[value] if value < 20 else _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    return name.capitalize()


def _ordinal_text(value: int) -> str:
    if not 0 < value < 100:
        return _ordinal(value)
    head, hyphen, last = _cardinal_text(value).lower().rpartition("-")
    last = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return (head + hyphen + last).capitalize()


_FORMATS: dict[str, Callable[[int], str]] = {
    "": str,
    "decimal": str,
    "decimalZero": "{:02}".format,
    "lowerLetter": _letters,
    "upperLetter": lambda value: _letters(value).upper(),
    "lowerRoman": write_roman,
    "upperRoman": lambda value: write_roman(value).upper(),
    "ordinal": _ordinal,
    "cardinalText": _cardinal_text,
    "ordinalText": _ordinal_text,
    "none": lambda value: "",
    "numberInDash": "- {} -".format,
    "hex": "{:X}".format,
    "decimalEnclosedParen": "({})".format,
    "decimalEnclosedFullstop": "{}.".format,
    "decimalEnclosedCircle": lambda value: chr(0x245F + value) if 0 < value <= 20 else str(value),
}


def format_number(value: int, kind: str) -> str:
    """Return a number in one of Word's formats (ST_NumberFormat), or in decimals if the format is unknown."""
    return _FORMATS.get(kind, str)(value)


@dataclass(slots=True)
class _Level:
    """The settings for the numbers of one level."""

    start: int = 1
    kind: str = "decimal"
    text: str = ""
    font: str = ""
    restarts_after: int | None = None
    all_decimal: bool = False
    spaced: bool = True
    style: str = ""

    @classmethod
    def read(cls, element: Element) -> "_Level":
        fonts = child(element, "w:rPr", "w:rFonts")
        restart = child(element, "w:lvlRestart")
        form = child(element, "w:numFmt")
        if form is None:  # a custom format has a plain one as fallback
            form = child(element, "mc:AlternateContent", "mc:Fallback", "w:numFmt")
        return cls(
            number(attribute(child(element, "w:start")), 0),
            attribute(form),
            attribute(child(element, "w:lvlText"))[:_LONGEST_TEXT],
            (attribute(fonts, "ascii") or attribute(fonts, "hAnsi")).casefold(),
            None if restart is None else number(attribute(restart)),
            is_on(child(element, "w:isLgl")),
            attribute(child(element, "w:suff")) != "nothing",
            attribute(child(element, "w:pStyle")),
        )


@dataclass(slots=True)
class _List:
    """An abstract list: its levels, and the current count of each."""

    levels: dict[int, _Level]
    linked_style: str = ""
    counts: dict[int, int] = field(default_factory=dict)
    started: set[str] = field(default_factory=set)


class Numbering:
    """Numbers the paragraphs of lists in document order. `unknown` counts numbers in unknown formats."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._lists: dict[str, _List] = {}
        self._instances: dict[str, tuple[str, dict[int, Element]]] = {}
        self._own_levels: dict[tuple[str, int], _Level] = {}
        self.unknown = 0
        for element in root if root is not None else ():
            identity = attribute(element, "abstractNumId" if element.tag == "w:abstractNum" else "numId")
            if not identity:
                continue  # no paragraph can refer to it
            if element.tag == "w:abstractNum":
                levels = {_level_of(level): _Level.read(level) for level in children(element, "w:lvl")}
                linked = attribute(child(element, "w:numStyleLink"))
                self._lists[identity] = _List(levels, linked)
            elif element.tag == "w:num":
                overrides = {_level_of(one): one for one in children(element, "w:lvlOverride")}
                target = attribute(child(element, "w:abstractNumId"))
                self._instances[identity] = (target, overrides)

    def of_style(self, style: str) -> tuple[str, int]:
        """Return the list and level of paragraphs in this style; the list is "" if the style has none.

        The level is the one that names the style or one of its base styles; otherwise these styles give it.
        """
        instance, level = "", -1
        chain = self._styles.chain_properties(style, "w:numPr")
        for _, settings in chain:
            instance = instance or attribute(child(settings, "w:numId"))
            own = number(attribute(child(settings, "w:ilvl")))
            level = own if own is not None and level < 0 else level
        found = self._list_of(instance)
        if found is not None:
            styles = [identity for identity, _ in chain]
            linked = (at for one in styles for at, named in found.levels.items() if named.style == one)
            level = next(linked, level)
        return instance, max(level, 0)

    def next_number(self, instance: str, at: int) -> str:
        """Count the next paragraph at level `at` (from 0) of a list and return its label, with the space after it.

        Return "" if the list does not exist or shows no label.
        """
        found = self._list_of(instance)
        if found is None or not 0 <= at < _MOST_LEVELS or (level := self._level(instance, found, at)) is None:
            return ""
        self._count(instance, found, at)
        label = self._label(instance, found, level)
        joined = label[-1:].isalnum() or level.spaced
        return label + " " if label and joined else label

    def _label(self, instance: str, found: _List, level: _Level) -> str:
        if level.kind == "bullet":
            if not level.text.strip():
                return ""
            sign = translate_symbol(level.text, level.font) if len(level.text) == 1 else BULLET
            return sign if sign in _MEANING else BULLET

        def fill(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            other = self._level(instance, found, at) or level
            kind = "decimal" if level.all_decimal and other.kind != "none" else other.kind
            self.unknown += kind not in _FORMATS
            return format_number(found.counts.get(at, other.start), kind)

        shown = "".join(c if c.isprintable() else UNKNOWN for c in level.text)
        return _PLACE.sub(fill, shown).strip()

    def _count(self, instance: str, found: _List, at: int) -> None:
        self._restart(instance, found)
        for above in range(at):
            if above not in found.counts and (level := self._level(instance, found, above)):
                found.counts[above] = level.start
        level = self._level(instance, found, at) or _Level()
        found.counts[at] = found.counts[at] + 1 if at in found.counts else level.start
        for below in [one for one in found.counts if one > at]:
            after = (self._level(instance, found, below) or _Level()).restarts_after
            if after is None or at < after:  # after 0 it never restarts
                del found.counts[below]

    def _restart(self, instance: str, found: _List) -> None:
        """Reset the levels whose start this list overrides, at the first paragraph of the list."""
        if instance in found.started:
            return
        found.started.add(instance)
        for at, override in self._instances[instance][1].items():
            if child(override, "w:startOverride") is not None:
                found.counts.pop(at, None)

    def _level(self, instance: str, found: _List, at: int) -> _Level | None:
        """Return the settings of a level, with the overrides of this list instance."""
        override = self._instances[instance][1].get(at)
        if override is None:
            return found.levels.get(at)
        if (instance, at) not in self._own_levels:
            own = child(override, "w:lvl")
            level = replace(found.levels.get(at) or _Level()) if own is None else _Level.read(own)
            start = number(attribute(child(override, "w:startOverride")))
            level.start = level.start if start is None else start
            self._own_levels[instance, at] = level
        return self._own_levels[instance, at]

    def _list_of(self, instance: str) -> _List | None:
        """Return the list with this instance id; a list that links to a list style is resolved."""
        found = self._lists.get(self._instances.get(instance, ("", {}))[0])
        if found is not None and not found.levels and found.linked_style:
            target = self._instances.get(self._styles.numbering(found.linked_style))
            linked = self._lists.get(target[0]) if target else None
            found = linked or found
        return found


def _level_of(element: Element) -> int:
    return number(attribute(element, "ilvl"), 0)
