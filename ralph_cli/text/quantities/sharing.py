"""Share what only one of several neighbouring figures states: "$28-32 billion", "7 to 9 days", "3億4,500万". Pure."""

import re
from dataclasses import replace

from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.vocabulary import SIZES

_JOINT = re.compile(r"\s*([-\u2013\u2014x\u00d7]|to|and|through|or)\s*")
_FROM = re.compile(r"(?i)(?:from|between)\s*(?:[a-z]+\s+)?\S{0,3}\Z")
_CELLS_APART = re.compile(r" {3,}|\t|\|")
_MAX_WHOLE_RANGE = 50
_REACH = 16


def share_between_neighbours(text: str, quantities: list[Quantity]) -> tuple[Quantity, ...]:
    """Return the quantities of a text, in order, each with what it takes from its neighbours."""
    found = list(quantities)
    for at in range(len(found) - 2, -1, -1):
        one, other = found[at], found[at + 1]
        if one.is_measured and other.is_measured and not _CELLS_APART.search(text, one.end, other.start):
            found[at], found[at + 1] = _share(text, one, other)
    for at in range(1, len(found)):
        one, other = found[at - 1], found[at]
        if one.end == other.start and one.value > 0 and (one.power or 0) > (other.power or 0) > 0:  # 3億4,500万
            value = one.value * 10 ** ((one.power or 0) - (other.power or 0)) + other.value
            found[at - 1] = found[at] = replace(
                other, start=one.start, value=value, last=None, text=text[one.start : other.end]
            )
    return tuple(dict.fromkeys(found))


def _share(text: str, one: Quantity, other: Quantity) -> tuple[Quantity, Quantity]:
    joint = _JOINT.fullmatch(text, one.end, other.start)
    sign = joint[1] if joint else ""
    if sign in ("x", "\u00d7"):  # "33.0 x 12.7 mm", but not "4 x 100 m"
        is_size = SIZES.get(other.unit, ("",))[0] == "metre" and one.decimals == other.decimals > 0
        return (_with_unit_of(one, other), other) if is_size and one.kind in ("none", "count") else (one, other)
    is_dash = sign in ("-", "\u2013", "\u2014", "through")
    is_from = bool(sign) and _FROM.search(text, max(0, one.start - _REACH), one.start) is not None
    is_alike = one.kind in ("none", "currency") and abs(one.value) <= abs(other.value)
    is_choice = sign == "or" and other.kind in ("none", "currency", "percent")
    if is_dash or is_from or (is_alike and (sign == "to" or is_choice)):
        return _share_range(one, other, sign)
    return one, other


def _share_range(one: Quantity, other: Quantity, sign: str) -> tuple[Quantity, Quantity]:
    if one.power is None and other.power is not None and (abs(one.value) < 1000 or abs(one.value) <= abs(other.value)):
        one = replace(one, power=other.power)
    if one.kind in ("none", "count") and other.kind not in ("none", "ordinal"):
        if other.unit == "cent":
            one = replace(one, value=one.value / 100, decimals=one.decimals + 2)
        one = _with_unit_of(one, other)
    if other.kind in ("none", "count") and one.kind in ("currency", "percent"):
        other = replace(other, kind=one.kind, unit=one.unit)
    is_whole = one.value == int(one.value) and other.value == int(other.value)
    if is_whole and sign != "or" and 0 < other.value - one.value < _MAX_WHOLE_RANGE:
        one = replace(one, last=other.value)
    return one, other


def _with_unit_of(one: Quantity, other: Quantity) -> Quantity:
    return replace(one, kind=other.kind, unit=other.unit, nouns=other.nouns, symbol=other.symbol)
