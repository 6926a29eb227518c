"""One quantity of a claim against one that may bear it out, field by field: supported, contradicted or open. Pure.

The unit is compared first, then the value at the digits that the claim shows, then what it is stated for, its sign and
its bound. Code that cannot tell says so: that answer is open.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from ralph_cli.checks.figures.candidates import IN_FULL, MILLIONS, UNSCALED, Candidate
from ralph_cli.checks.figures.rounding import MONTHS_IN, Measure, measure, measures_of, shows
from ralph_cli.text.quantities.currencies import CENT_CURRENCIES, DOLLARS
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.relations import FALL, RISE
from ralph_cli.text.quantities.tokens import MINUSES
from ralph_cli.text.quantities.vocabulary import (
    SIZES,
    UNKNOWN_UNIT,
    is_sure_symbol,
    symbols_differ,
    units_named,
)
from ralph_cli.text.scales import content_words, scale_of

Standing = Literal["supported", "contradicted", "open"]
Relation = Literal["same", "open", "differs"]

BOUND = "side of the bound"
OTHER_UNIT, OTHER_SCALE = "other unit", "other scale"
"""Fields of which a message names both: what the claim writes, and what the quotes write or their table states."""

DIMENSIONLESS = ("percent", "ratio")
_MEASURED = ("physical", "duration")
_MOST_SHARE = 2

_OUTFLOWS = (
    r"used|charge|expen[sd]|use|spen[dt]|pa(?:y|id)|purchas|bought|invest|repurchas|repa[iy]|outlay|cost|provision"
    r"|consum(?!er)|absorb|allowance|accumulated|deduct|dividend|acqui|depreciat|amorti[sz]|treasury|redemption"
)
_ASIDE = re.compile(r"\([^()]*\)")
_PAID = re.compile(rf"(?i)\b(?:{_OUTFLOWS}|(?<!/)gains? on|(?:in|de)crease in)")
"""What a row is called whose brackets are no minus of what is told of it."""

_UP = re.compile(rf"(?i)\b(?:{RISE}|gain|profit|income|surplus)")
_DOWN = re.compile(
    rf"(?i)\b(?:{FALL}|{_OUTFLOWS}|halv|los[ste]|negative|minus|outflow|deficit|worse|short|below|chang|vari)"
)
"""Words that may stand for the minus that a claim leaves out."""

_SAME: tuple[Relation, str] = "same", ""
_OPEN: tuple[Relation, str] = "open", "unit"
_OTHER: tuple[Relation, str] = "differs", "unit"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a quantity of a claim stands to a candidate, and which field decides it, in words."""

    standing: Standing
    field: str = ""


def compare(claimed: Quantity, candidate: Candidate, sentence: str) -> Comparison | None:
    """How a quantity of a claim stands to a candidate, None if they have nothing to do with each other.

    `sentence` is the claim's sentence around it.
    """
    if (result := _compare_as_percent(claimed, candidate, sentence)) is not None:
        return result
    if candidate.quantity.symbol == "mm" and claimed.power == MILLIONS and _same_number(claimed, candidate):
        return Comparison("open", OTHER_UNIT)  # millimetres, or millions as some write them
    if not _same_number(claimed, candidate):
        candidate = _convert(candidate, claimed.unit)
    if claimed.bound == candidate.quantity.bound and abs(claimed.value) == abs(candidate.quantity.value):
        claimed = replace(claimed, bound="")  # "at least half" in both says the same
    elif _is_beyond_bound(claimed, candidate):
        # What is below a limit and what is at least as much are the two sides of it: either may be told.
        is_same_side = claimed.excludes == candidate.quantity.excludes
        return Comparison("contradicted" if is_same_side else "open", BOUND)
    relation, field = _relate(claimed, candidate)
    if relation == "differs" and "ordinal" in (claimed.kind, candidate.quantity.kind):
        return None
    if relation == "differs":
        return Comparison("contradicted", field) if _same_number(claimed, candidate) else None
    own = measure(claimed)
    for other in measures_of(candidate, claimed, own):
        same, doubt = shows(claimed, own, other.value) if other.dimension == own.dimension else (False, "")
        if same:
            if relation == "open":
                return Comparison("open", field)
            return _compare_rest(claimed, candidate, sentence, other.unit) or Comparison(
                "open" if doubt else "supported", doubt
            )
    if own.dimension == "number" and claimed.kind != "ordinal":
        bare = claimed.kind == "none" and claimed.power is None
        if bare and candidate.quantity.power is None and shows(claimed, own, abs(candidate.quantity.value))[0]:
            # A bare number repeats the cell as it is written.
            return _compare_rest(claimed, candidate, sentence, Decimal(1)) or Comparison("supported")
        return _compare_scale(claimed, candidate, own)
    if claimed.kind == candidate.quantity.kind == "duration" and claimed.value == candidate.quantity.value:
        same_unit = claimed.unit == candidate.quantity.unit
        return Comparison("contradicted", "scale" if same_unit else "unit")
    return None


def _compare_as_percent(claimed: Quantity, candidate: Candidate, sentence: str) -> Comparison | None:
    """How a percentage stands to a bare figure that may be the share of one: 9.38 % to the 0.0938 of a cell."""
    quantity = candidate.quantity
    is_share = quantity.kind == "none" and quantity.decimals > 1 and abs(quantity.value) < _MOST_SHARE
    if not is_share or claimed.kind not in ("percent", "points"):
        return None
    percent = replace(quantity, value=quantity.value * 100, decimals=quantity.decimals - 2, kind="percent")
    result = compare(claimed, replace(candidate, quantity=percent, powers=UNSCALED), sentence)
    if result is None or result.field == "unit" or (candidate.in_table and not candidate.header.has_percent):
        return result if result is None or result.field != "unit" else None
    return Comparison("open", "unit")


def _convert(candidate: Candidate, unit: str) -> Candidate:
    """A candidate's size in the unit of the claim, if that is of the same dimension, else as it is."""
    quantity = candidate.quantity
    sort, size = SIZES.get(unit, ("", Decimal(1)))
    other, own_size = SIZES.get(quantity.unit, (None, size))
    if quantity.kind != "physical" or other != sort or own_size == size:
        return candidate
    return replace(candidate, quantity=replace(quantity, value=quantity.value * own_size / size, unit=unit))


def _is_beyond_bound(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether a bound of the claim shuts out all that the same bound on the other side leaves in the quotes."""
    both = {claimed.bound, candidate.quantity.bound} == {"over", "under"}
    return both and same_value(replace(claimed, bound=candidate.quantity.bound), candidate)


# Units


def _relate(claimed: Quantity, candidate: Candidate) -> tuple[Relation, str]:
    """Whether two quantities are of one kind; "differs" only where both say their unit."""
    kind, unit, quantity = claimed.kind, claimed.unit, candidate.quantity
    kinds, units = {kind, quantity.kind}, {unit, quantity.unit}
    if candidate.is_pure:
        return _OPEN if kind == "points" else _SAME
    if kinds == {"currency"}:
        # A bare dollar sign is that of the dollars which its header names.
        cents = "cent" in units and units <= {"cent", *CENT_CURRENCIES}
        named = quantity.unit == "$" and unit in DOLLARS & candidate.header.currencies
        return _SAME if len(units) == 1 or cents or named else ("differs", "currency")
    if kinds == {"physical"}:
        degrees = "degree" in units and all(one.startswith("degree") for one in units)
        return _SAME if len(units) == 1 or degrees else _OTHER
    if kinds == {"points", "percent"}:
        return _SAME if "basis point" in units else _OTHER  # 175 basis points are 1.75 %
    if len(kinds) == 1 or kinds <= {*DIMENSIONLESS} or units == {"\u00a3", "pound"}:  # "pounds" that are weighed
        return _SAME
    if quantity.kind == "none" or (quantity.kind == "count" and candidate.in_table):
        return _relate_to_bare(claimed, candidate)
    return _relate_explicit(claimed, candidate)


def _relate_to_bare(claimed: Quantity, candidate: Candidate) -> tuple[Relation, str]:
    """A figure without a unit of its own: its header may give it one."""
    kind, header, is_quoted = claimed.kind, candidate.header, candidate.source == "quote"
    if kind == "currency":
        named = header.currencies
        if named and not named & {claimed.unit, *(DOLLARS if claimed.unit == "$" else ())} and claimed.unit != "cent":
            return "differs", "currency"
        is_unsure = is_quoted and candidate.in_table and not named and not candidate.is_scale_sure
        return ("open", "currency") if is_unsure else _SAME
    if kind in _MEASURED and candidate.in_table:
        return _relate_to_words_above(claimed, candidate)
    is_scaled = 0 not in candidate.powers
    if kind in ("percent", "points"):
        is_computed = is_scaled or (kind == "points" and not is_quoted)
        if not (header.has_percent if is_quoted else is_computed):
            return _OPEN
    is_percent = header.has_percent and abs(candidate.quantity.value) < 1000
    if kind in DIMENSIONLESS and is_scaled and not is_percent and not candidate.is_odd:
        return _OPEN if is_quoted else _OTHER
    return _SAME


def _relate_to_words_above(claimed: Quantity, candidate: Candidate) -> tuple[Relation, str]:
    """A cell without a unit of its own: its header, its row or its column may name that of the claim, or another."""
    column = candidate.place.column if candidate.place else ""
    words = " ".join((*candidate.header.lines, candidate.row, column))
    if claimed.kind == "duration":
        return _SAME if claimed.unit in content_words(words) else _OPEN
    sort = SIZES.get(claimed.unit, ("",))[0]
    alike = {unit for unit in units_named(words) if SIZES.get(unit, (None,))[0] == sort}
    return _OTHER if alike and claimed.unit not in alike else _SAME


def _relate_explicit(claimed: Quantity, candidate: Candidate) -> tuple[Relation, str]:
    """Two units that are written, of different kinds."""
    kind, other = claimed.kind, candidate.quantity.kind
    if kind == "currency" and candidate.in_table and not any(map(str.isalpha, candidate.quantity.text)):
        # A column of units may say for what a price is.
        return _SAME if claimed.unit in candidate.header.currencies else _OPEN
    if kind == "count":
        timed = other == "duration" and claimed.nouns[0] not in MONTHS_IN
        return _SAME if timed or other in ("physical", "ratio", "ordinal") else _OPEN
    alike = set(claimed.nouns) & set(candidate.quantity.nouns)
    if (kind, other) == ("duration", "count") and not candidate.in_table and not alike:
        return _OPEN
    known = {
        "none": (other,),
        "ordinal": ("count", "duration"),
        "duration": ("count", "ordinal"),
        "physical": ("count",),
    }
    return _SAME if other in known.get(kind, ()) else _OTHER


def is_of_other_unit(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether two figures have units that are written differently: pF and nF, or ng/mL and patients."""
    quantity = candidate.quantity
    if claimed.kind == quantity.kind and claimed.kind in _MEASURED:
        return False  # code converts these
    if UNKNOWN_UNIT in (claimed.symbol, quantity.symbol):
        return False
    if claimed.symbol and quantity.symbol:
        return symbols_differ(claimed.symbol, quantity.symbol)
    measured, other = (quantity, claimed) if quantity.symbol else (claimed, quantity)
    if not measured.symbol or not is_sure_symbol(measured.symbol):
        return False
    is_counted = other.kind == "count" and not (other is quantity and candidate.in_table)
    return is_counted or other.kind in _MEASURED


def _same_number(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether two quantities of different units have one number, so that one was made of the other."""
    other = abs(candidate.quantity.value)
    if abs(claimed.value) == other:
        return True
    power = Decimal(10) ** (claimed.power or 0)
    own = Measure("number", abs(claimed.value) * power, power)
    plain = replace(claimed, wording="", bound="", approximate=False, decimals=max(1, claimed.decimals))
    return shows(plain, own, other * Decimal(10) ** max(candidate.powers))[0]


# Scale


def _compare_scale(claimed: Quantity, candidate: Candidate, own: Measure) -> Comparison | None:
    """The same digits at another power of a thousand."""
    digits = str(abs(claimed.value)).replace(".", "").strip("0")
    if len(digits) < 2 or not (claimed.power or max(candidate.powers)):
        return None
    plain = replace(claimed, bound="", approximate=False)
    for power in candidate.powers:
        value = abs(candidate.quantity.value) * Decimal(10) ** power
        for shift in {-9, -6, -3, 3, 6, 9, -power} - {0}:
            if shows(plain, own, value * Decimal(10) ** shift)[0]:
                # So many things may be written out in full, whatever scale is stated above them.
                in_full = shift == -power and abs(candidate.quantity.value) >= IN_FULL
                sure = candidate.is_scale_sure and (
                    claimed.kind == "currency" or not (claimed.power is None or in_full)
                )
                return Comparison("contradicted" if sure else "open", "scale")
    return None


# What else is said


def _compare_rest(claimed: Quantity, candidate: Candidate, sentence: str, unit: Decimal) -> Comparison | None:
    """What speaks against a quantity of the same value and unit, None if nothing does."""
    quantity = candidate.quantity
    if is_of_other_unit(claimed, candidate):
        return Comparison("open", OTHER_UNIT)
    if claimed.power and claimed.kind != "currency" and candidate.in_table and len(candidate.header.scales.powers) > 1:
        named = scale_of(claimed.nouns, candidate.header.lines)
        if named is None or Decimal(10) ** named != unit:
            return Comparison("open", OTHER_SCALE)
    if claimed.per_time and candidate.per_time and claimed.per_time != candidate.per_time:
        return Comparison("contradicted" if quantity.per_time else "open", "time it is stated for")
    if claimed.per_thing and quantity.per_thing and claimed.per_thing != quantity.per_thing:
        return Comparison("open", "thing it is stated for")
    if candidate.is_odd and len(candidate.powers) > 1 and unit > 1:
        return Comparison("open", "scale")
    return _compare_sign(claimed, candidate, sentence)


def _compare_sign(claimed: Quantity, candidate: Candidate, sentence: str) -> Comparison | None:
    """A minus that one of them has: it may be said in words, and is none where a row tells of what is paid."""
    quantity, own, value = candidate.quantity, claimed.value, candidate.quantity.value
    is_aside = claimed.text[:1] == "(" and claimed.kind in ("none", "count")  # "half of them (58)"
    if is_aside or claimed.kind in ("duration", "ordinal"):
        return None
    is_computed = candidate.source == "calculation"
    if own < 0 < value and (is_computed or quantity.text[:1] != "("):
        return Comparison("open" if candidate.in_table and not is_computed else "contradicted", "sign")
    is_mark = value > -10 and not quantity.decimals and quantity.kind == "none"  # of a footnote
    if not value < 0 < own or is_mark or _DOWN.search(sentence) or _PAID.search(_ASIDE.sub("", candidate.row)):
        return None
    if quantity.text[:1] not in MINUSES and not candidate.in_table and not _UP.search(sentence):
        return None  # brackets of running text
    is_named = candidate.label and candidate.label <= content_words(sentence)
    return Comparison("contradicted" if is_named else "open", "sign")


def same_value(claimed: Quantity, candidate: Candidate) -> bool:
    """Whether a quantity is a candidate's in value and unit, whatever else is said of either."""
    found = compare(replace(claimed, bound=""), candidate, "fell")
    return found is not None and found.standing == "supported"
