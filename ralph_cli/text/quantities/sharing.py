"""What neighbouring figures share and only one of them says: "$28-32 billion", "the 7th, 8th and 9th floors". Pure."""

import re
from dataclasses import replace

from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.vocabulary import SIZES

_RANGE = re.compile(r"\s*(?:[-\u2013\u2014]|to|and|through|or)\s*")
_BY = re.compile(r"\s*[x\u00d7]\s*")
_PART_OF = re.compile(r"\s*(?:out )?of (?:its |the |a total of )?")
_FROM = re.compile(r"(?i)(?:from|between)\s*(?:[a-z]+\s+)?\S{0,3}\Z")
_CELLS_APART = re.compile(r" {3,}|\t|\|")
_AND = re.compile(r"[- ]?[a-z]+,?(?: and)? ")
_PARTS_OF_TIMES = {("year", "month"): 12, ("hour", "minute"): 60}
_MAX_WHOLE_RANGE = 50
_REACH = 16


def share_between_neighbours(text: str, quantities: list[Quantity]) -> tuple[Quantity, ...]:
    """The quantities of a text, in order, with what each takes over from the one before or behind it."""
    found = list(quantities)
    for at in range(len(found) - 2, -1, -1):
        one, other = found[at], found[at + 1]
        if one.is_measured and other.is_measured and not _CELLS_APART.search(text, one.end, other.start):
            found[at], found[at + 1] = _share(text, one, other)
    for at in range(1, len(found)):
        if factor := _factor(text, found[at - 1], found[at]):
            first, value = found[at - 1], found[at - 1].value * factor + found[at].value
            whole = text[first.start : found[at].end]
            found[at - 1] = found[at] = replace(found[at], start=first.start, value=value, last=None, text=whole)
    return tuple(dict.fromkeys(found))


def _factor(text: str, one: Quantity, other: Quantity) -> int:
    """How many of the second figure one of the first is, which it goes on with: "2 years, 3 months", "3億4,500万"."""
    if one.power and other.power and one.end == other.start and one.power > other.power and one.value > 0:
        return int(10 ** (one.power - other.power))
    factor = _PARTS_OF_TIMES.get((one.unit, other.unit), 0) if one.kind == other.kind == "duration" else 0
    return factor if other.value < factor and _AND.fullmatch(text, one.end, other.start) else 0


def _share(text: str, one: Quantity, other: Quantity) -> tuple[Quantity, Quantity]:
    gap = text[one.end : other.start]
    if gap.strip() in ("-", "\u2013") or (gap == "" and text[other.start] in "-\u2013"):
        other = replace(other, value=abs(other.value))
        gap = gap or "-"
    plain = one.kind in ("none", "count") and one.power is None
    is_size = SIZES.get(other.unit, ("",))[0] == "metre" and one.decimals == other.decimals > 0
    if plain and other.power and one.value < 1000 and _PART_OF.fullmatch(gap):
        return replace(one, power=other.power, kind=other.kind, unit=other.unit), other
    return _share_by_joint(text, one, other, gap, is_size=plain and is_size)


def _share_by_joint(text: str, one: Quantity, other: Quantity, gap: str, *, is_size: bool) -> tuple[Quantity, Quantity]:
    """What two figures share by what joins them: "x" between sizes, the sign of a range, the comma of a list."""
    if is_size and _BY.fullmatch(gap):  # "33.0 x 12.7 mm", but not "4 x 100 m"
        return replace(one, kind=other.kind, unit=other.unit, nouns=other.nouns, symbol=other.symbol), other
    if _RANGE.fullmatch(gap) and _is_range(text, one, other, gap.strip()):
        return _share_range(one, other, gap.strip())
    return one, other


def _is_range(text: str, one: Quantity, other: Quantity, sign: str) -> bool:
    if sign in ("-", "\u2013", "\u2014", "through") or _FROM.search(text, max(0, one.start - _REACH), one.start):
        return True
    kinds = one.kind, other.kind
    if sign == "to" and one.kind == "none" and other.kind in ("physical", "duration") and one.value < other.value:
        return True
    return sign != "and" and kinds in (
        ("currency", "none"),
        ("currency", "currency"),
        ("none", "currency"),
        ("none", "percent"),
    )


def _share_range(one: Quantity, other: Quantity, sign: str) -> tuple[Quantity, Quantity]:
    if one.power is None and other.power is not None and (abs(one.value) < 1000 or abs(one.value) <= abs(other.value)):
        one = replace(one, power=other.power)
    if one.kind in ("none", "count") and other.kind not in ("none", "ordinal"):
        if other.unit == "cent" or "pence" in other.text.lower():
            one = replace(one, value=one.value / 100, decimals=one.decimals + 2)
        one = replace(one, kind=other.kind, unit=other.unit, nouns=other.nouns, symbol=other.symbol)
    if other.kind in ("none", "count") and one.kind in ("currency", "percent"):
        other = replace(other, kind=one.kind, unit=one.unit)
    whole = one.value == int(one.value) and other.value == int(other.value)
    if whole and sign != "or" and 0 < other.value - one.value < _MAX_WHOLE_RANGE:
        one = replace(one, last=other.value)
    return one, other
