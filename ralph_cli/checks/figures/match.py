"""Whether a figure of a claim matches one of its quotes: equal or rounded, at its scale and in its unit. Pure.

A match gives a possible source of a figure, and a unit or scale that differs there. It interprets no words.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, NamedTuple

from ralph_cli.checks.figures.candidates import IN_FULL, UNSCALED, Candidate
from ralph_cli.text.quantities.currencies import CENT_CURRENCIES, DOLLARS
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.vocabulary import SIZES, UNKNOWN_UNIT, convert_symbol, is_sure_symbol

MONTHS_IN = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
SECONDS_IN = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "fortnight": 1_209_600}
_TOLERANCE = Decimal("1.0001")
_WORD_ROOM, _SHARE_ROOM = Decimal("0.06"), Decimal("0.02")
_NEAR, _MOST_PAST_BOUND = Decimal("0.02"), Decimal("0.5")
_MOST_SHARE, _MOST_PERCENT, _MOST_MARK = 2, 1000, 25
_WITHOUT_UNIT = ("none", "count", "ordinal")
_SHARES = ("percent", "ratio", "points")


@dataclass(frozen=True, slots=True)
class Match:
    """A candidate that a figure may come from.

    `difference` is what differs, and `is_sure` is true if that is certain.
    """

    candidate: Candidate
    difference: Literal["", "unit", "scale"] = ""
    is_sure: bool = False


def match(claimed: Quantity, candidate: Candidate) -> Match | None:
    """Return how a figure of a claim matches a candidate; None if it does not match."""
    quantity = candidate.quantity
    if quantity.kind == "date" and claimed.kind in _WITHOUT_UNIT:
        return Match(candidate) if _is_of_date(claimed, quantity) else None
    if not _are_amounts(claimed, quantity) or _is_by_chance(claimed, candidate):
        return None
    if _is_in_range(claimed, quantity) or _is_share_of_one(claimed, candidate):
        return Match(candidate)
    return _compare(claimed, candidate)


def _compare(claimed: Quantity, candidate: Candidate) -> Match | None:
    """Compare a figure with a candidate: by unit, then by value, then by scale."""
    quantity = candidate.quantity
    converted, other_unit = _convert(candidate, claimed), Match(candidate, "unit", is_sure=True)
    if not _is_in_unit(claimed, candidate):
        return other_unit if _has_digits(claimed, candidate) else None
    if (
        converted is not candidate
        and abs(claimed.value) == abs(quantity.value) != 0
        and claimed.power == quantity.power
    ):
        return other_unit  # "less than 5 miles" of less than 5 km
    if has_value(claimed, converted):
        return other_unit if len({claimed.per_time, quantity.per_time} - {""}) > 1 else Match(candidate)
    if converted is not candidate and _has_digits(claimed, candidate):
        return other_unit  # 412 µg of 412 ng
    if claimed.kind == "duration":
        return other_unit if quantity.kind == "duration" and claimed.value == quantity.value else None
    return _match_other_scale(claimed, candidate)


def _are_amounts(*quantities: Quantity) -> bool:
    return all(quantity.is_measured for quantity in quantities)


def _is_of_date(claimed: Quantity, date: Quantity) -> bool:
    """Whether a number is the year or day of a date: "1900 members" looks like a year; "by the 15th" is a day."""
    is_year = date.date.year == claimed.value * 10 ** (claimed.power or 0)
    return is_year or (claimed.kind == "ordinal" and date.date.day == claimed.value and not claimed.nouns)


def _is_share_of_one(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether a percentage equals a share written as a fraction of one: 9.38 % for a cell with 0.0938."""
    quantity = candidate.quantity
    if claimed.kind not in _SHARES or quantity.kind != "none" or quantity.decimals < 2:
        return False
    percent = replace(quantity, value=quantity.value * 100, decimals=quantity.decimals - 2, kind="percent")
    is_part = abs(quantity.value) < _MOST_SHARE
    return is_part and has_value(claimed, replace(candidate, quantity=percent, powers=UNSCALED))


def _is_by_chance(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether a figure is close to a candidate by chance: four segments and 4.2 %, or a limit of 2.50 and the mark
    "(2)".
    """
    other = candidate.quantity
    if claimed.kind in _WITHOUT_UNIT:
        is_share = other.kind in _SHARES and claimed.kind != "none"
        return claimed.is_small and (bool(other.value % 1) or is_share)
    is_bare = other.kind == "none" and other.power is None and not candidate.in_table
    is_mark = is_bare and abs(other.value) < _MOST_MARK and candidate.source == "quote"
    return is_mark and abs(claimed.value) != abs(other.value)


def _is_in_range(claimed: Quantity, other: Quantity) -> bool:
    """Whether a whole number is a year, or is in a range of whole numbers: "7 through 9"."""
    is_whole = claimed.kind in _WITHOUT_UNIT
    is_alike = is_whole or (claimed.kind == "duration" and claimed.unit == other.unit)
    return is_alike and other.last is not None and other.value <= claimed.value <= other.last


# Units


def _is_in_unit(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether two figures may have the same unit. They may not only if both units are written and differ."""
    quantity = candidate.quantity
    if candidate.is_pure:
        return True
    if claimed.symbol and quantity.symbol:
        is_unknown = UNKNOWN_UNIT in (claimed.symbol, quantity.symbol)
        return is_unknown or convert_symbol(quantity.symbol, claimed.symbol) is not None
    if claimed.kind in _WITHOUT_UNIT:
        return True
    if quantity.kind in _WITHOUT_UNIT:
        is_named = quantity.symbol not in ("", UNKNOWN_UNIT) and is_sure_symbol(quantity.symbol)
        is_other = is_named and claimed.kind == "physical"  # inches, where mA is written
        return not is_other and (candidate.source != "quote" or _may_be_above(claimed, candidate))
    return _is_in_one_unit(claimed, candidate)


def _is_in_one_unit(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether two figures with units have the same unit."""
    quantity = candidate.quantity
    kinds, units = {claimed.kind, quantity.kind}, {claimed.unit, quantity.unit}
    if kinds == {"currency"}:
        # A bare dollar sign means the dollars that its header names; many currencies have cents.
        cents = "cent" in units and units <= {"cent", *CENT_CURRENCIES}
        return (
            len(units) == 1 or cents or (quantity.unit == "$" and claimed.unit in DOLLARS & candidate.facts.currencies)
        )
    if kinds == {"points", "percent"}:
        return "basis point" in units  # 175 basis points are 1.75 %
    if kinds == {"physical"}:
        return len({_sort_of(unit) for unit in units}) == 1 or "degree" in units
    # "Pounds" may be a weight.
    return len(kinds) == 1 or kinds <= {"percent", "ratio"} or units == {"\u00a3", "pound"}


def _sort_of(unit: str) -> str:
    """Return what a unit measures, by its name, or the unit itself."""
    return SIZES[unit][0] if unit in SIZES else unit


def _may_be_above(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether the heading above a bare figure's cell allows it to have a unit.

    It does if the heading names that unit, or names no unit of the same kind.
    """
    facts = candidate.facts
    if claimed.kind == "currency":
        known = {claimed.unit, *(DOLLARS if claimed.unit == "$" else ())}
        return not facts.currencies or bool(facts.currencies & known) or claimed.unit == "cent"
    alike = {unit for unit in facts.units if _sort_of(unit) == _sort_of(claimed.unit)}
    return claimed.kind != "physical" or not alike or claimed.unit in alike


def _convert(candidate: Candidate, claimed: Quantity) -> Candidate:
    """Return a candidate converted to the unit of a claim's figure by an exact factor, or unchanged if there is
    none.
    """
    quantity, factor = candidate.quantity, None
    is_plain = claimed.kind == quantity.kind == "physical" and "/" not in claimed.symbol + quantity.symbol
    if not is_plain and claimed.symbol and quantity.symbol and claimed.power is quantity.power is None:
        factor = convert_symbol(quantity.symbol, claimed.symbol)
    elif quantity.kind == "physical":
        sort, size = SIZES.get(claimed.unit, ("", Decimal(1)))
        other, own_size = SIZES.get(quantity.unit, (None, size))
        factor = own_size / size if other == sort else None
    if factor is None or factor == 1:
        return candidate
    converted = replace(quantity, value=quantity.value * factor, unit=claimed.unit, kind=claimed.kind)
    return replace(candidate, quantity=converted)


# Values


class Measure(NamedTuple):
    """A value in one dimension, for comparisons. `unit` is the value of one in its last whole digit."""

    dimension: str
    value: Decimal
    unit: Decimal


def has_value(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether a candidate has the value of a figure, rounded to the figure's digits or within its bound."""
    own = measure(claimed)
    if any(
        one.dimension == own.dimension and _shows(claimed, own, one.value) for one in _measures_of(candidate, claimed)
    ):
        return True
    # A bare number repeats a cell as it is written.
    is_bare = claimed.kind in _WITHOUT_UNIT and claimed.power is None and candidate.quantity.power is None
    return is_bare and _shows(claimed, own, abs(candidate.quantity.value))


def measure(quantity: Quantity) -> Measure:
    """Return the size of a quantity, judging only by how it is written, without its sign."""
    value = abs(quantity.value)
    if quantity.kind in ("percent", "points"):
        return Measure("points" if quantity.kind == "points" else "ratio", value / 100, Decimal("0.01"))
    if quantity.kind == "ratio":
        return Measure("ratio", value, Decimal(1))
    scale = Decimal(10) ** (quantity.power or 0)
    if quantity.kind == "duration":
        units = (("months", MONTHS_IN), ("seconds", SECONDS_IN))
        dimension, sizes = next((one for one in units if quantity.unit in one[1]), (quantity.unit, dict[str, int]()))
        scale *= sizes.get(quantity.unit, 1)
        return Measure(dimension, value * scale, scale)
    return Measure("number", value * scale, scale)


def _measures_of(candidate: Candidate, claimed: Quantity) -> Iterator[Measure]:
    """Yield the possible sizes of a candidate, in the dimension of the claim's figure if it has none of its own."""
    quantity, own = candidate.quantity, measure(claimed)
    value, one = abs(quantity.value), Decimal(1)
    is_bare = quantity.kind in _WITHOUT_UNIT
    size, powers = one, UNSCALED
    if claimed.kind == "duration" and (candidate.is_pure or is_bare):
        size = own.unit / Decimal(10) ** (claimed.power or 0)
        powers = UNSCALED if candidate.is_pure else candidate.powers
    elif candidate.is_pure:
        powers = candidate.powers if own.dimension == "number" else UNSCALED
    elif is_bare and (claimed.kind in _SHARES if candidate.in_table else claimed.kind == "points"):
        yield from _shares_of(claimed, own, value)
        return
    elif {quantity.kind, claimed.kind} == {"points", "percent"}:
        size = Decimal("0.01")
    elif own.dimension == "number":
        powers = _powers_of(candidate, claimed)
    else:
        yield measure(quantity)
        return
    yield from (Measure(own.dimension, value * size * Decimal(10) ** power, one) for power in powers)


def _shares_of(claimed: Quantity, own: Measure, value: Decimal) -> Iterator[Measure]:
    """Yield the sizes of a bare cell read as a share or multiple: 39 is 39 %, and 2.7 may be 2.7 times."""
    if value < _MOST_PERCENT:
        yield Measure(own.dimension, value / 100, Decimal(1))
    if claimed.kind == "ratio" and not claimed.worded:
        yield Measure(own.dimension, value, Decimal(1))


def _powers_of(candidate: Candidate, claimed: Quantity) -> frozenset[int]:
    """Return the scales of a candidate. A quantity other than money may be written in full under any stated scale."""
    is_money = "currency" in (claimed.kind, candidate.quantity.kind)
    in_full = not is_money and (abs(candidate.quantity.value) >= IN_FULL or not claimed.power)
    return candidate.powers | UNSCALED if in_full else candidate.powers


def _shows(claimed: Quantity, own: Measure, value: Decimal) -> bool:
    """Whether a figure shows a value: the value is equal, rounds to it, or is within its bound."""
    said = own.value
    if claimed.worded and claimed.kind == "ratio":
        return _shows_in_words(claimed, said, value)
    past = (value - said) * (1 if claimed.bound == "over" else -1) if claimed.bound else Decimal(-1)
    if claimed.bound and not claimed.approximate and past < 0:
        return False
    half = own.unit * Decimal(10) ** -claimed.decimals / 2
    if -half * _TOLERANCE <= value - said < half or value == said:
        return True  # half is rounded up
    room = own.unit * _size_of_zeros(claimed) / 2
    if -room <= value - said < room or (claimed.approximate and abs(said - value) <= said * _NEAR):
        return True
    return 0 < past <= said * _MOST_PAST_BOUND


def _size_of_zeros(claimed: Quantity) -> int:
    """Return the value of one in the last digit before trailing zeros of a whole number, which may be rounded;
    else 0.
    """
    digits = str(abs(claimed.value)) if not claimed.decimals and claimed.value % 1 == 0 else ""
    digits = digits.partition(".")[0]
    zeros = len(digits) - len(digits.rstrip("0"))
    return 10**zeros if zeros and len(digits) - zeros > 1 else 0


def _shows_in_words(claimed: Quantity, said: Decimal, value: Decimal) -> bool:
    """Whether a value is close enough to a multiple or share in words: "a third" and 33.6 %, "more than half"
    and 61 %.
    """
    if claimed.bound == "over":
        return said <= value <= said * (1 + _MOST_PAST_BOUND)
    if claimed.bound == "under":
        return value <= said
    room = said * _WORD_ROOM if said >= 1 else _SHARE_ROOM
    return abs(said - value) <= room * (2 if claimed.approximate else 1)


def _has_digits(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether two figures of different units have the same number, so that one may be copied from the other."""
    other = abs(candidate.quantity.value)
    if abs(claimed.value) == other:
        return True
    power = Decimal(10) ** (claimed.power or 0)
    own = Measure("number", abs(claimed.value) * power, power)
    plain = replace(claimed, wording="", bound="", approximate=False, decimals=max(1, claimed.decimals))
    return any(_shows(plain, own, other * Decimal(10) ** power) for power in candidate.powers)


def _match_other_scale(claimed: Quantity, candidate: Candidate) -> Match | None:
    """Return a match with the same digits at another power of a thousand.

    It is certain only if both scales are written.
    """
    own = measure(claimed)
    digits = str(abs(claimed.value)).replace(".", "").strip("0")
    is_bare = not candidate.is_scale_stated and (candidate.in_table or candidate.source == "calculation")
    if own.dimension != "number" or len(digits) < 2 - is_bare or candidate.quantity.kind in _SHARES:
        return None  # of one digit there is soon another one
    plain = replace(claimed, bound="", approximate=False)
    is_scaled = claimed.power is not None or max(candidate.powers) > 0
    for power in candidate.powers:
        value = abs(candidate.quantity.value) * Decimal(10) ** power
        for shift in {-9, -6, -3, 3, 6, 9, -power} - {0}:
            if is_scaled and _shows(plain, own, value * Decimal(10) ** shift):
                is_written = claimed.power is not None or claimed.kind == "currency"
                is_prefixed = claimed.kind in _WITHOUT_UNIT and candidate.quantity.kind == "physical"  # of "38 MWh" 38
                return Match(candidate, "scale", is_sure=is_written and candidate.is_scale_stated and not is_prefixed)
    return None


def same_value(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether a quantity and a candidate are equal in value and unit, whatever else is written with them."""
    found = match(replace(claimed, bound=""), candidate)
    return found is not None and not found.difference
