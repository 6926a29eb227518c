"""The terms of a calculation: figures with the unit and scale of what they stand for; results as candidates. Pure."""

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
RATES: tuple[Kind, ...] = ("percent", "points", "ratio")


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a calculation: `value` is as it is written, of percentages the hundredth.

    `is_pure` marks a quotient of like quantities, `is_sourced` what rests on a quote; a constant is not. `terms` counts
    those of a sum, `is_hundredfold` says that it was multiplied by a hundred.
    """

    value: Decimal
    kind: Kind = "none"
    unit: str = ""
    powers: frozenset[int] = UNSCALED
    is_sourced: bool = True
    is_pure: bool = False
    terms: int = 1
    is_hundredfold: bool = False
    day: Day | None = None
    span: tuple[Day, Day] | None = None

    @property
    def is_rate(self) -> bool:
        return self.is_pure or self.kind in RATES or (self.kind == "none" and abs(self.value) < 1)


def as_operand(figure: Quantity, candidate: Candidate) -> Term | None:
    """A figure as the term that a candidate makes of it, None if it is not the candidate's."""
    other = candidate.quantity
    if not other.is_measured or (figure.kind == "duration" and other.kind == "duration" and figure.unit != other.unit):
        return None
    value = figure.value / 100 if figure.kind == "percent" else figure.value
    kind, unit = (other.kind, other.unit) if figure.kind in WITHOUT_UNIT else (figure.kind, figure.unit)
    term = Term(value, kind, unit, candidate.powers, is_pure=candidate.is_pure, terms=candidate.terms)
    plain = figure.kind in WITHOUT_UNIT and figure.power is None
    if kind in ("percent", "points") and figure.kind in WITHOUT_UNIT:
        term = replace(term, value=value / 100)
    explicit = figure.power is None or figure.power in candidate.powers
    if abs(other.value) == figure.value and explicit:
        unlike = (
            figure.kind in ("percent", "currency")
            and other.kind in ("percent", "currency")
            and figure.kind != other.kind
        )
        return None if unlike else term if figure.power is None else replace(term, powers=frozenset((figure.power,)))
    if (
        figure.power is None
        and figure.kind in ("none", "count", "currency", "physical")
        and figure.value >= 1
        and max(candidate.powers) > 0
    ):
        # 41,000,000 of "41 million", 135,400 of "$135.4 billion"
        for shift in (0, 3, 6, 9):
            amount = figure.value * Decimal(10) ** shift
            if any(amount == abs(other.value) * Decimal(10) ** power for power in candidate.powers):
                return replace(term, powers=frozenset((shift,)))
    if figure.kind == "percent" and other.kind == "none" and candidate.in_table and same_value(figure, candidate):
        return Term(value, "percent")  # 9.38 % of 0.0938
    if plain and other.unit == "cent" and figure.value == abs(other.value) * 100:
        return replace(term, value=value, powers=frozenset((-2,)))
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
    half = Decimal(10) ** int(parts.exponent) / 2
    for own in {term.unit} & SIZES.keys() or named & SIZES.keys():
        sort, size = SIZES[own]
        known = any(SIZES.get(one, ("",))[0] == sort for one in named - {own})
        for unit, (other, another) in SIZES.items() if known else ():
            if other == sort and abs((another / size if divides else size / another) - factor.value) <= half:
                by = 1 / factor.value if divides else factor.value
                return replace(term, value=term.value * by, kind="physical", unit=unit, terms=1)
    return None


def refuse_days(*terms: Term) -> None:
    """Raises CalculationError if one of the terms is a date, which is neither multiplied nor divided."""
    if any(term.day is not None for term in terms):
        raise CalculationError(DATED_FORM)


def displayed_values(term: Term, stated: Quantity) -> tuple[Decimal, ...]:
    """The numbers that a result may show, in the unit in which it is stated; the likeliest first."""
    value = term.value
    rate = term.is_pure or term.kind in RATES
    if stated.kind in ("percent", "points"):
        if rate:
            return (value * 100, value) if term.is_hundredfold and stated.unit == "basis point" else (value * 100,)
        hundredth = (value / 100,) if term.is_hundredfold and stated.unit == "basis point" else ()
        if abs(value) < 1:
            return (value * 100, value, *hundredth)
        return (value, *hundredth)
    if stated.kind == "ratio" or stated.power is None:
        percent = (value * 100,) if term.kind in ("percent", "points") else ()
        scaled = tuple(value * Decimal(10) ** power for power in term.powers if power)
        return (*percent, value, *scaled)
    return tuple(value * Decimal(10) ** (power - stated.power) for power in term.powers)


def check_dated_result(term: Term, stated: Quantity) -> Candidate:
    """The candidate that a stated date, or time between two dates, is. Raises CalculationError if it is another."""
    if term.span is not None:
        days = (term.span[1] - term.span[0]).days
        if not stated.unit or not spans_duration(*term.span, stated.value, stated.unit):
            raise CalculationError(f"it gives {days} days, not {stated.text} {stated.unit}s")
        return Candidate(stated, source="calculation")
    day = full_day(stated.date)
    slack = 1 if term.unit in MONTHS_IN else 0
    if term.day is None or day is None or abs((day - term.day).days) > slack:
        named = f"{term.day.day} {term.day:%B %Y}" if term.day else ""
        raise CalculationError(f"it gives {named}, not {stated.text}")
    return Candidate(stated, source="calculation")


def as_candidate(term: Term, text: str) -> Candidate:
    """The result of a calculation as what may bear out a claim, with its exact value."""
    rate = term.kind in ("percent", "points") and not term.is_pure
    value = term.value * 100 if rate else term.value
    found = Quantity(text, 0, 0, value, kind=term.kind, unit=term.unit)
    return Candidate(
        found, UNSCALED if rate else term.powers, source="calculation", is_pure=term.is_pure, terms=term.terms
    )


def write_number(value: Decimal) -> str:
    """A number with at most four decimals, for messages."""
    written = f"{value:,.4f}"
    return written.rstrip("0").rstrip(".")
