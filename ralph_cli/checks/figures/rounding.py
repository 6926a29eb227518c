"""What quantities amount to in the dimensions in which they may be compared, and what a rounded figure shows. Pure."""

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from ralph_cli.checks.figures.candidates import UNSCALED, Candidate
from ralph_cli.text.quantities.quantity import Quantity

MONTHS_IN = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
SECONDS_IN = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "fortnight": 1_209_600}

_TOLERANCE = Decimal("1.0001")
_WORD_ROOM = Decimal("0.06")
_SHARE_ROOM = Decimal("0.02")
NEAR, _NEAR_BOUND, _MOST_PAST_BOUND = Decimal("0.05"), Decimal("0.25"), Decimal("0.5")


class Measure(NamedTuple):
    """A value in one dimension, in which it may be compared; `unit` is what one of its last whole digit is worth."""

    dimension: str
    value: Decimal
    unit: Decimal


def measure(quantity: Quantity) -> Measure:
    """What a quantity amounts to by what is written of it alone, without its sign."""
    value = abs(quantity.value)
    if quantity.kind in ("percent", "points"):
        return Measure("points" if quantity.kind == "points" else "ratio", value / 100, Decimal("0.01"))
    if quantity.kind == "ratio":
        return Measure("ratio", value, Decimal(1))
    if quantity.kind == "duration":
        return _measure_duration(quantity)
    scale = Decimal(10) ** (quantity.power or 0)
    return Measure("number", value * scale, scale)


def _measure_duration(quantity: Quantity) -> Measure:
    units = (("months", MONTHS_IN), ("seconds", SECONDS_IN))
    dimension, sizes = next((one for one in units if quantity.unit in one[1]), (quantity.unit, dict[str, int]()))
    size = sizes.get(quantity.unit, 1) * Decimal(10) ** (quantity.power or 0)
    return Measure(dimension, abs(quantity.value) * size, size)


def measures_of(candidate: Candidate, claimed: Quantity, own: Measure) -> Iterator[Measure]:
    """What a candidate may amount to, in the dimension of the claim's quantity where it has none of its own."""
    quantity = candidate.quantity
    value, one = abs(quantity.value), Decimal(1)
    whole = own.unit / Decimal(10) ** (claimed.power or 0)
    if candidate.is_pure:
        powers = candidate.powers if own.dimension == "number" else UNSCALED
        size = whole if claimed.kind == "duration" else one
        yield from (Measure(own.dimension, value * size * Decimal(10) ** power, one) for power in powers)
        return
    bare = quantity.kind in ("none", "count", "ordinal")
    if bare and claimed.kind in ("percent", "ratio", "points") and quantity.kind != "ordinal":
        yield Measure(own.dimension, value / 100, one)
        if claimed.kind == "ratio" and not claimed.worded:
            yield Measure(own.dimension, value, one)
    elif bare and claimed.kind == "duration":
        yield from (Measure(own.dimension, value * whole * Decimal(10) ** power, one) for power in candidate.powers)
    elif quantity.kind == "points" and claimed.kind == "percent":
        yield Measure("ratio", value / 100, one)
    elif quantity.kind == "percent" and claimed.kind == "points":
        yield Measure("points", value / 100, one)
    elif bare or own.dimension == "number" or quantity.kind in ("currency", "physical"):
        yield from (Measure("number", value * Decimal(10) ** power, Decimal(10) ** power) for power in candidate.powers)
    else:
        yield measure(quantity)


def shows(claimed: Quantity, own: Measure, value: Decimal) -> tuple[bool, str]:
    """Whether a claim's figure shows a value (equal, rounded, on the right side of its bound), and what is doubtful."""
    said = own.value
    if claimed.worded and claimed.kind == "ratio":
        return _shows_in_words(claimed, said, value), ""
    half = own.unit * Decimal(10) ** -_shown_decimals(claimed) / 2
    if value - said == half > 0:
        return True, "rounding"  # half is rounded up by most
    if abs(said - value) <= half * _TOLERANCE:
        beyond = value - said if claimed.bound == "under" else said - value
        if claimed.bound and not claimed.approximate and beyond > 0:
            return True, "side of the bound"
        plain = not (claimed.approximate or claimed.bound or claimed.decimals or claimed.kind in ("percent", "points"))
        room = 0 if len(str(abs(claimed.value)).strip("0")) == 1 else said * _WORD_ROOM
        return True, "rounding" if plain and abs(said - value) > room else ""
    if not claimed.decimals and claimed.value and claimed.value == int(claimed.value):
        same, doubt = _shows_with_zeros(claimed, own, value)
        if same:
            return same, doubt
    past = (value - said if claimed.bound == "over" else said - value) / said if claimed.bound and said else Decimal(-1)
    if 0 < past <= _MOST_PAST_BOUND:
        return True, "" if past <= (NEAR if claimed.kind == "duration" else _NEAR_BOUND) else "distance to the bound"
    return False, ""


def _shown_decimals(claimed: Quantity) -> int:
    """The decimals that a figure shows: of one that is hedged, zeros at their end may be a rounding."""
    zeros = len(str(claimed.value)) - len(str(claimed.value).rstrip("0")) if claimed.approximate else 0
    return claimed.decimals - min(zeros, max(claimed.decimals - 1, 0))


def _shows_in_words(claimed: Quantity, said: Decimal, value: Decimal) -> bool:
    """Whether a multiple or share in words is near enough: "a third" for 33.6 %, "more than half" for 61 %."""
    room = said * _WORD_ROOM if said >= 1 else _SHARE_ROOM
    room *= 2 if claimed.approximate or claimed.bound else 1
    if claimed.bound == "over":
        return said < value <= said * Decimal("1.5")
    if claimed.bound == "under":
        return said * Decimal("0.85") <= value < said or (said < 1 and value < said)
    return abs(said - value) <= room


def _shows_with_zeros(claimed: Quantity, own: Measure, value: Decimal) -> tuple[bool, str]:
    """Whether the zeros at the end of a whole number are a rounding: three digits may be, two need a word for it."""
    digits = str(abs(int(claimed.value)))
    kept = digits.rstrip("0")
    zeros = len(digits) - len(kept)
    half = own.unit * 10**zeros / 2
    if not zeros or not -half <= value - own.value < half:
        return False, ""
    right_side = (claimed.bound == "over" and value >= own.value) or (claimed.bound == "under" and value <= own.value)
    if len(kept) >= 3 or (len(kept) == 2 and (claimed.approximate or right_side)):
        return True, ""
    if claimed.approximate and abs(own.value - value) <= own.value * NEAR:
        return True, ""
    return len(kept) == 2, "rounding"
