"""Number formats that cells have on a condition (ECMA-376, part 1, 18.3.1.10).

Code checks a condition that compares a cell with numbers in the rule itself. Other conditions need what only a program
that calculates knows: other cells, the day, ranks of values.
"""

import operator
from collections.abc import Callable, Iterable, Sequence
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.office.number_format import NumberFormat
from ralph_cli.documents.office.xml_tree import attribute, child, children, number
from ralph_cli.documents.sheets.page import Area
from ralph_cli.documents.sheets.rows import read_area

CONDITIONS = "x:conditionalFormatting"
"""The element of a sheet that holds rules for some of its cells."""

TEXT = float("inf")
"""Some text as rules compare it: it is above each number."""

_MOST_AREAS = 200
_NUMBER = re.compile(r"[+-]?(?:\d{1,20}\.?\d{0,20}|\.\d{1,20})(?:[Ee][+-]?\d{1,2})?")
_TRUTHS = {"TRUE": True, "FALSE": False}
_COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    "lessThan": operator.lt, "lessThanOrEqual": operator.le, "equal": operator.eq, "notEqual": operator.ne,
    "greaterThanOrEqual": operator.ge, "greaterThan": operator.gt,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule for the cells of some areas; `holds` is None if only a program that calculates can tell."""

    areas: tuple[Area, ...]
    holds: Callable[[float], bool] | None = None
    number_format: NumberFormat | None = None

    def is_for(self, row: int, column: int) -> bool:
        return any(area.top <= row <= area.bottom and area.left <= column <= area.right for area in self.areas)

    def matters(self, value: float) -> bool:
        """Whether a value may look different by this rule; most formats show text as it is."""
        shown = self.number_format
        return shown is not None and (value != TEXT or shown.show_text("a") != "a")


_TOO_MANY = _Rule((Area(0, 0, 1 << 30, 1 << 30),), None, NumberFormat(";;;"))
"""What more rules than are checked may do: anything to any cell."""


class ConditionalFormats:
    """The rules of one sheet; `undecided` counts the cells of which it is not known how they are shown."""

    def __init__(self, elements: Iterable[Element] = (), formats: Sequence[NumberFormat | None] = ()) -> None:
        """`formats` are the number formats of the styles that rules name by their place."""
        self.undecided = 0
        found: list[tuple[int, _Rule]] = []
        for element in elements:
            areas = tuple(area for one in attribute(element, "sqref").split() if (area := read_area(one)))
            for one in children(element, "x:cfRule"):
                at = number(attribute(one, "dxfId"), -1) or 0
                shown = formats[at] if 0 <= at < len(formats) else None
                if shown is not None or attribute(one, "stopIfTrue") in ("1", "true"):
                    found.append((number(attribute(one, "priority"), 0) or 0, _Rule(areas, _read_test(one), shown)))
        self.rules = [rule for _, rule in sorted(found, key=lambda one: one[0])]
        if all(rule.number_format is None for rule in self.rules):
            self.rules = []
        if sum(len(rule.areas) for rule in self.rules) > _MOST_AREAS:
            self.rules = [_TOO_MANY]

    def choose(self, row: int, column: int, value: float) -> NumberFormat | None:
        """The format by which these rules show a cell with this value, a number or TEXT; None if they give it none."""
        rules = [rule for rule in self.rules if rule.is_for(row, column)]
        for at, rule in enumerate(rules):
            if rule.holds is None:
                self.undecided += any(one.matters(value) for one in rules[at:])
                return None
            if rule.holds(value):
                return rule.number_format
        return None


def _read_test(rule: Element) -> Callable[[float], bool] | None:
    """Whether a rule holds for a value; None if only a program that calculates can tell."""
    texts = [(one.text or "").strip() for one in children(rule, "x:formula")]
    kind, compare = attribute(rule, "type"), attribute(rule, "operator")
    if kind == "expression" and len(texts) == 1 and texts[0].upper() in _TRUTHS:
        is_true = _TRUTHS[texts[0].upper()]
        return lambda _: is_true
    if kind != "cellIs" or not all(_NUMBER.fullmatch(text) for text in texts):
        return None
    match compare, [float(text) for text in texts]:
        case "between", [low, high] if low <= high:
            return lambda value: low <= value <= high
        case "notBetween", [low, high] if low <= high:
            return lambda value: not low <= value <= high
        case _, [bound] if compare in _COMPARISONS:
            return lambda value: _COMPARISONS[compare](value, bound)
    return None


def read_conditional_styles(root: Element | None) -> list[NumberFormat | None]:
    """The number formats of the styles that rules name by their place, None for one without; nothing if all are."""
    found = [child(one, "x:numFmt") for one in children(child(root, "x:dxfs"), "x:dxf")]
    formats = [None if one is None else NumberFormat(attribute(one, "formatCode")) for one in found]
    return formats if any(formats) else []
