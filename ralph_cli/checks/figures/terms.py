"""The terms of a calculation: figures with the unit and scale of what they stand for, and what they may show. Pure."""

from dataclasses import replace
from datetime import date as Day
from decimal import Decimal

from ralph_cli.checks.figures.candidates import UNSCALED, Candidate
from ralph_cli.checks.figures.compare import same_value
from ralph_cli.checks.figures.dates import full_day, spans_duration
from ralph_cli.checks.figures.expression import CalculationError
from ralph_cli.checks.figures.rounding import MONTHS_IN
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.text.quantities.quantity import Kind, Quantity
from ralph_cli.text.quantities.vocabulary import SIZES

DATED_FORM = "write a date and a time: 31 May 2027 - 180 days = 2 December 2026"
WITHOUT_UNIT: tuple[Kind, ...] = ("none", "count")
PERCENTAGES: tuple[Kind, ...] = ("percent", "points")


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a calculation: `value` is as it is written, of percentages the hundredth, of days their number.

    `is_pure` marks a quotient of like quantities, `is_sourced` what rests on a quote; a constant is not. `terms` counts
    those of a sum, `is_hundredfold` says that it was multiplied by a hundred. `days` are one, or the ends of a time.
    """

    value: Decimal
    kind: Kind = "none"
    unit: str = ""
    powers: frozenset[int] = UNSCALED
    is_sourced: bool = True
    is_pure: bool = False
    terms: int = 1
    is_hundredfold: bool = False
    days: tuple[Day, ...] = ()
    per_time: str = ""

    @property
    def is_rate(self) -> bool:
        return self.is_pure or self.kind in (*PERCENTAGES, "ratio") or (self.kind == "none" and abs(self.value) < 1)


def as_operand(figure: Quantity, candidate: Candidate) -> Term | None:
    """A figure as the term that a candidate makes of it, None if it is not the candidate's."""
    other, bare = candidate.quantity, figure.kind in WITHOUT_UNIT
    kinds = {figure.kind, other.kind}
    if not other.is_measured or (kinds == {"duration"} and figure.unit != other.unit):
        return None
    kind, unit = (other.kind, other.unit) if bare else (figure.kind, figure.unit)
    value = figure.value / 100 if kind in PERCENTAGES else figure.value
    term = Term(value, kind, unit, candidate.powers, is_pure=candidate.is_pure, terms=candidate.terms)
    if abs(other.value) == figure.value and (figure.power is None or figure.power in candidate.powers):
        powers = candidate.powers if figure.power is None else frozenset((figure.power,))
        return None if kinds == {"percent", "currency"} else replace(term, powers=powers)
    if figure.power is None and kind not in PERCENTAGES and figure.value >= 1 and max(candidate.powers) > 0:
        for shift in (0, 3, 6, 9):  # 41,000,000 of "41 million", 135,400 of "$135.4 billion"
            amounts = (abs(other.value) * Decimal(10) ** (power - shift) for power in candidate.powers)
            if figure.value in amounts:
                return replace(term, powers=frozenset((shift,)))
    if kinds == {"percent", "none"} and candidate.in_table and same_value(figure, candidate):
        return Term(value, "percent")  # 9.38 % of 0.0938
    if bare and other.unit in ("cent", "basis point") and figure.value == abs(other.value) * 100:
        points = other.unit == "basis point"
        return replace(term, value=value / 100) if points else replace(term, powers=frozenset((-2,)))
    if candidate.source == "calculation" and same_value(figure, candidate):
        is_rate = candidate.is_pure and figure.kind == "percent"
        return replace(term, kind="percent" if is_rate else kind, is_pure=candidate.is_pure and not is_rate)
    return None


def convert_unit(term: Term, factor: Term, named: frozenset[str], *, divides: bool = False) -> Term | None:
    """A size in another unit, if a factor without a source is what one unit has of the other, to two digits or more.

    The `named` units must be of both: what is said of pounds and tonnes may make kilograms on the way.
    """
    parts = factor.value.as_tuple()
    if factor.is_sourced or not term.is_sourced or len(parts.digits) < 2 or not factor.value:
        return None
    by, half = 1 / factor.value if divides else factor.value, Decimal(10) ** int(parts.exponent) / 2
    for own in {term.unit} & SIZES.keys() or named & SIZES.keys():
        sort, size = SIZES[own]
        known = any(SIZES.get(one, ("",))[0] == sort for one in named - {own})
        for unit, (other, another) in SIZES.items() if known else ():
            if other == sort and abs((another / size if divides else size / another) - factor.value) <= half:
                return replace(term, value=term.value * by, kind="physical", unit=unit, terms=1)
    return None


def displayed_values(term: Term, stated: Quantity) -> tuple[Decimal, ...]:
    """The numbers that a result may show, in the unit in which it is stated; the likeliest first."""
    value = term.value
    if stated.kind in PERCENTAGES:
        shares = tuple(value * 100 * Decimal(10) ** power for power in term.powers) if term.is_rate else ()
        plain = () if shares and (term.is_pure or term.kind != "none") else (value,)
        hundredth = (value / 100,) if term.is_hundredfold and stated.unit == "basis point" else ()
        return (*shares, *plain, *(hundredth if plain else (value,) if hundredth else ()))
    if stated.kind == "ratio" or stated.power is None:
        basis = (value * 10_000,) if term.unit == "basis point" else ()
        percent = (*basis, value * 100) if term.kind in PERCENTAGES else ()
        return (*percent, value, *(value * Decimal(10) ** power for power in term.powers if power))
    return tuple(value * Decimal(10) ** (power - stated.power) for power in term.powers)


def check_dated_result(term: Term, stated: Quantity) -> Candidate:
    """The candidate that a stated date, or time between two dates, is. Raises CalculationError if it is another."""
    if len(term.days) > 1:
        if not stated.unit or not spans_duration(term.days[0], term.days[-1], stated.value, stated.unit):
            raise CalculationError(f"it gives {term.value} days, not {stated.text} {stated.unit}s")
        return Candidate(stated, source="calculation")
    day, slack = full_day(stated.date), term.unit in MONTHS_IN
    if day is None or abs((day - term.days[0]).days) > slack:
        raise CalculationError(f"it gives {term.days[0].day} {term.days[0]:%B %Y}, not {stated.text}")
    return Candidate(stated, source="calculation")


def as_candidate(term: Term, text: str) -> Candidate:
    """The result of a calculation as what may bear out a claim, with its exact value."""
    rate = term.kind in PERCENTAGES and not term.is_pure
    value = term.value * 100 if rate else term.value
    found = Quantity(text, 0, 0, value, kind=term.kind, unit=term.unit, per_time=term.per_time)
    powers = UNSCALED if rate else term.powers
    return Candidate(found, powers, source="calculation", is_pure=term.is_pure, terms=term.terms)


def write_number(value: Decimal) -> str:
    """A number with at most four decimals, for messages."""
    return f"{value:,.4f}".rstrip("0").rstrip(".")
