"""Recompute the calculations that an answer records, exactly, with the units and scales of their figures. Pure.

Each figure is in the quotes or is an earlier result. A quotient of like quantities is a ratio. A difference of
percentages is in points. An amount times a percentage is an amount. A date plus a duration is a date. These figures
need no source: 100 per cent and factors between scales, the 1 of a growth rate, the number of terms in an average, an
exponent, and a number of months, quarters or halves that the claim or its quotes name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date as Day
from decimal import Decimal, DecimalException, localcontext

from ralph_cli.checks.figures.candidates import IN_FULL, UNSCALED, Candidate
from ralph_cli.checks.figures.dates import full_day, shift_day, spans_duration
from ralph_cli.checks.figures.expression import CalculationError, Node, parse_equation
from ralph_cli.checks.figures.match import MONTHS_IN, same_value
from ralph_cli.text.quantities.quantity import Kind, Quantity

DATED_FORM = "write a date and a time: 31 May 2027 - 180 days = 2 December 2026"
WITHOUT_UNIT: tuple[Kind, ...] = ("none", "count")
PERCENTAGES: tuple[Kind, ...] = ("percent", "points")


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a calculation. `value` is the number as written; a percentage is divided by 100; days are counted.

    `powers` are its possible scales, as powers of ten. `is_sourced` is true if it comes from a quote; a constant does
    not. `is_pure` marks a quotient of like quantities. `is_hundredfold` marks a product with 100. `terms` is the number
    of terms of a sum. `days` are one date, or both ends of a duration.
    """

    value: Decimal
    kind: Kind = "none"
    unit: str = ""
    powers: frozenset[int] = UNSCALED
    is_sourced: bool = True
    is_pure: bool = False
    is_hundredfold: bool = False
    terms: int = 1
    days: tuple[Day, ...] = ()

    @property
    def is_rate(self) -> bool:
        return self.is_pure or self.kind in (*PERCENTAGES, "ratio") or (self.kind == "none" and abs(self.value) < 1)


def as_operand(figure: Quantity, candidate: Candidate) -> Term | None:
    """Return the term for a calculation's figure, with the data of its candidate; None if the figure differs."""
    other = candidate.quantity
    kinds = {figure.kind, other.kind}
    if (
        not other.is_measured
        or kinds == {"percent", "currency"}
        or (kinds == {"duration"} and figure.unit != other.unit)
    ):
        return None
    if other.kind in WITHOUT_UNIT:  # things may be counted in full, whatever scale their table has
        candidate = replace(candidate, powers=candidate.powers | UNSCALED)
    kind, unit = (other.kind, other.unit) if figure.kind in WITHOUT_UNIT else (figure.kind, figure.unit)
    value = figure.value / 100 if kind in PERCENTAGES else figure.value
    term = Term(value, kind, unit, candidate.powers, is_pure=candidate.is_pure, terms=candidate.terms)
    powers = candidate.powers if figure.power is None else candidate.powers & {figure.power}
    if abs(other.value) == figure.value and powers:
        return replace(term, powers=powers)
    if candidate.source == "calculation" and same_value(figure, candidate):  # an earlier result, rounded
        return term
    if figure.value == abs(other.value) * 100 and other.unit in ("basis point", "cent"):
        return replace(term, value=term.value / 100)
    return _in_full(figure, candidate, term)


def _may_be(figure: Quantity, other: Quantity) -> bool:
    """Whether a figure may repeat another one, judging by the kind of quantity and the unit."""
    kinds = {figure.kind, other.kind}
    is_other_time = kinds == {"duration"} and figure.unit != other.unit
    return other.is_measured and kinds != {"percent", "currency"} and not is_other_time


def _in_full(figure: Quantity, candidate: Candidate, term: Term) -> Term | None:
    """Return the term for a figure that writes out a candidate's scale, or None.

    41,000,000 writes out "41 million", and 0.4 million writes "400,000".
    """
    value = abs(candidate.quantity.value)
    if max(candidate.powers) == 0 and value < (IN_FULL if figure.value >= 1 else IN_FULL / 10):
        return None
    for shift in (0, 3, 6, 9):
        if any(value * Decimal(10) ** (power - shift) == figure.value for power in candidate.powers):
            return replace(term, powers=frozenset((shift,)))
    return None


def displayed_values(term: Term, stated: Quantity) -> tuple[Decimal, ...]:
    """Return the numbers that a result may show, in its stated unit, the likeliest first."""
    value = term.value
    scaled = tuple(value * Decimal(10) ** (power - (stated.power or 0)) for power in sorted(term.powers, key=abs))
    if stated.kind in PERCENTAGES:
        shares = tuple(one * 100 for one in scaled) if term.is_rate else ()
        return shares if term.is_rate and (term.is_pure or term.kind != "none") else (*shares, value)
    if stated.power is not None and stated.kind != "ratio":
        return scaled
    whole = 10_000 if term.unit == "basis point" else 100 if term.kind in PERCENTAGES else 1
    return (value * whole, value, *scaled)


def check_dated_result(term: Term, stated: Quantity) -> Candidate:
    """Return the candidate for a stated date, or duration between two dates. Raises CalculationError if it is wrong."""
    if len(term.days) > 1:
        if not stated.unit or not spans_duration(term.days[0], term.days[-1], stated.value, stated.unit):
            raise CalculationError(f"it gives {term.value} days, not {stated.text} {stated.unit}s")
        return Candidate(stated, source="calculation")
    day, slack = full_day(stated.date), term.unit in MONTHS_IN
    if day is None or abs((day - term.days[0]).days) > slack:
        raise CalculationError(f"it gives {term.days[0].day} {term.days[0]:%B %Y}, not {stated.text}")
    return Candidate(stated, source="calculation")


def as_candidate(term: Term, text: str) -> Candidate:
    """Return the result of a calculation as a source of figures, with its exact value."""
    is_percentage = term.kind in PERCENTAGES and not term.is_pure
    value = term.value * 100 if is_percentage else term.value
    found = Quantity(text, 0, 0, value, kind=term.kind, unit=term.unit)
    powers = UNSCALED if is_percentage else term.powers
    is_scale_stated = powers != UNSCALED or is_percentage
    return Candidate(found, powers, is_scale_stated, "calculation", is_pure=term.is_pure, terms=term.terms)


def write_number(value: Decimal) -> str:
    """Return a number with at most four decimals, for messages."""
    return f"{value:,.4f}".rstrip("0").rstrip(".")


# Words of the claim or its quotes with which a number of months, days or halves needs no quote.
_REASONS = {
    2: r"doubl|twice|two\b|half|halv|semi", 4: r"quarter|annuali[sz]|annual rate",
    12: r"month|annual|\byear|\b(?:mo|yr)\b|[年月]",
    52: r"week", 360: r"\bda(?:y|il)", 365: r"\bda(?:y|il)", 366: r"\bda(?:y|il)", 7: r"week", 24: r"hour|\bda(?:y|il)",
    60: r"hour|minute|second",
}  # fmt: skip

_SCALES = frozenset(map(Decimal, (100, 1_000, 10_000, 1_000_000, 1_000_000_000)))
_PRECISION = 40


class Calculator:
    """Compute the calculations of one claim from its candidates. A calculation may use earlier results."""

    def __init__(self, candidates: Sequence[Candidate], words: str) -> None:
        self.candidates = list(candidates)
        self._words = words.lower()

    def compute(self, text: str) -> tuple[Candidate, ...]:
        """Return the results of a correct calculation, each as stated. Raises CalculationError if it is wrong."""
        with localcontext(prec=_PRECISION):
            try:
                equation = parse_equation(text)
                term = self._evaluate(equation.computation)
                if not term.is_sourced:
                    self._refuse_constants(equation.computation)
                results = [self._check_result(term, result) for result in equation.results]
                differences = [part for part in equation.computation.nodes if part.sign in ("+", "-") and part.right]
                parts = [as_candidate(self._evaluate(part), text) for part in differences]
            except DecimalException:
                raise CalculationError("it divides by zero, or is too large") from None
        self.candidates += (replace(one, expression=text) for one in (*results, *parts))
        return tuple(results)

    def _refuse_constants(self, node: Node) -> None:
        """Raise CalculationError for a computation with no figure from a source."""
        figures = (one for one in node.figures if one.value != 1 and one.value not in {*_SCALES, *_REASONS})
        if (figure := next(figures, None)) is not None:
            raise CalculationError(f"its figure {figure.text} is in no quote of the claim")
        raise CalculationError("none of its figures is in a quote of the claim")

    # Operands

    def _operand(self, figure: Quantity) -> Term:
        """Return a figure of a computation, with the unit and scale of its candidate."""
        if figure.kind == "date":
            return self._day(figure)
        for candidate in sorted(self.candidates, key=lambda one: abs(one.quantity.value) != figure.value):
            if (term := as_operand(figure, candidate)) is not None:
                return term
        if figure.kind == "percent":
            return Term(figure.value / 100, "percent", is_sourced=False)
        quoted = (one.quantity for one in self.candidates if one.source == "quote" and one.quantity.kind == "percent")
        rates = {abs(one.value) / 100 for one in quoted} - {0, 1}
        if figure.kind == "none" and rates & {figure.value, abs(1 - figure.value)}:
            return Term(figure.value, "ratio", is_pure=True)  # 1.10 adds the 10 % of the quotes, 0.9 takes them off
        return Term(figure.value, figure.kind, figure.unit, frozenset((figure.power or 0,)), is_sourced=False)

    def _day(self, figure: Quantity) -> Term:
        day = full_day(figure.date)
        if day is None or not self._is_quoted(day):
            raise CalculationError(f"its date {figure.text} is in no quote of the claim")
        return Term(Decimal(day.toordinal()), "date", days=(day,))

    def _is_quoted(self, day: Day) -> bool:
        """Whether a day is in the sources, with or without its year."""
        dates = (candidate.quantity.date for candidate in self.candidates if candidate.quantity.kind == "date")
        return any((date.month, date.day) == (day.month, day.day) and date.year in (None, day.year) for date in dates)

    def _evaluate(self, node: Node) -> Term:
        if node.figure is not None:
            return self._operand(node.figure)
        if node.sign == "-" and (years := self._years_between(node)) is not None:
            return years
        left = self._evaluate(node.left) if node.left is not None else Term(Decimal(0))
        if node.sign == "^":
            return _raise(left, node.power)
        if node.right is None:
            return replace(left, value=-left.value) if node.sign == "-" else left
        right = self._evaluate(node.right)
        if node.sign in ("*", "/") and (left.days or right.days):
            raise CalculationError(DATED_FORM)
        if node.sign == "*":
            return self._multiply(left, right)
        return self._divide(left, right) if node.sign == "/" else self._add(left, right, node.sign)

    def _years_between(self, node: Node) -> Term | None:
        """Return the difference between two quoted years as a duration; None for other computations."""
        quoted = {found.quantity.date.year for found in self.candidates if found.source in ("quote", "header")}
        plain = [side.value for side in node.operands if side.kind in WITHOUT_UNIT]
        if len(plain) < 2 or not quoted.issuperset(plain):
            return None
        return Term(plain[0] - plain[1], "duration", "year")

    # Operations

    def _multiply(self, left: Term, right: Term) -> Term:
        self._check_factor(left)
        self._check_factor(right)
        if not left.is_sourced:
            left, right = right, left
        value = left.value * right.value
        if not right.is_sourced:
            if right.value == 100 and left.is_rate:
                return replace(left, kind="percent", is_pure=False, is_hundredfold=True)
            # 61,700 thousand times 1,000 is the same amount in another scale: the factor does not change it.
            # But a share expressed per million is multiplied by it.
            powers = frozenset(power - _zeros(right.value) * (not left.is_pure) for power in left.powers)
            return replace(left, value=value, powers=powers, is_hundredfold=right.value == 100)
        if left.is_rate:
            left, right = right, left
        if right.is_rate or right.kind == "duration":
            return replace(left, value=value, terms=1)
        money = left if left.kind == "currency" else right
        powers = frozenset(one + other for one in left.powers for other in right.powers)
        return replace(money, value=value, powers=powers, terms=1)

    def _divide(self, left: Term, right: Term) -> Term:
        value = left.value / right.value
        if not right.is_sourced:
            if right.value == left.terms > 1:
                return replace(left, value=value, terms=1)
            self._check_factor(right)
            return replace(left, value=value, powers=frozenset(power + _zeros(right.value) for power in left.powers))
        self._check_factor(left)
        if right.is_rate and not left.is_rate:
            return replace(left, value=value, terms=1)
        if left.is_hundredfold:
            return Term(value / 100, "percent")
        powers = frozenset(one - other for one in left.powers for other in right.powers)
        if 0 in powers:
            return Term(value, "ratio", powers=UNSCALED if left.powers == right.powers else powers, is_pure=True)
        return replace(left, value=value, powers=powers, terms=1)

    def _add(self, left: Term, right: Term, sign: str) -> Term:
        if left.days:
            return self._add_days(left, right, sign)
        if right.days:
            raise CalculationError(DATED_FORM)
        if not left.is_sourced and left.value == 100 and right.kind == "percent":
            left = Term(Decimal(1), "percent", is_sourced=False)  # what a percentage leaves of the whole: 100 - 97.2
        for one, other in ((left, right), (right, left)):
            is_whole = one.kind == "percent" and one.value == 1
            if not one.is_sourced and one.kind != "duration" and not is_whole:
                _check_summand(one, other)
        return _total(left, right if sign == "+" else replace(right, value=-right.value), is_sum=sign == "+")

    def _add_days(self, left: Term, right: Term, sign: str) -> Term:
        if right.days and sign == "-":
            days = sorted((*left.days, *right.days))
            return Term(Decimal((days[-1] - days[0]).days), "duration", "day", days=tuple(days))
        if right.kind != "duration":
            raise CalculationError(DATED_FORM)
        if right.unit not in ("day", "week", *MONTHS_IN):
            raise CalculationError(f"{right.unit}s are not counted: the calendar of the document is not known")
        day = shift_day(left.days[0], right.value if sign == "+" else -right.value, right.unit)
        if day is None:
            raise CalculationError("it leaves the calendar")
        if not right.is_sourced and right.value != 1 and not self._is_quoted(day):
            raise CalculationError(f"its figure {right.value} is in no quote of the claim")
        return replace(left, days=(day,), unit=left.unit if left.unit in MONTHS_IN else right.unit)

    def _check_factor(self, term: Term) -> None:
        """Raise CalculationError for a factor or divisor that needs a source and has none."""
        value = term.value
        if term.is_sourced or value in _SCALES:
            return
        if value in _REASONS and re.search(_REASONS[int(value)], self._words):
            return
        message = f"its figure {write_number(value)} is in no quote of the claim"
        if value in _REASONS:
            message += ", nor do its words say what it stands for"
        elif value == int(value) and 2 <= value <= 12:
            message += "; an average divides the sum itself: (a + b + c) / 3"
        raise CalculationError(message)

    def _check_result(self, term: Term, node: Node) -> Candidate:
        """Return the candidate for a stated result if the computation gives it. Raises CalculationError otherwise."""
        stated = node.left.figure if node.left is not None else node.figure
        if stated is None:
            raise CalculationError("one side must be the computation and the other its result, a single figure")
        if term.days:
            return check_dated_result(term, stated)
        half = Decimal(10) ** -stated.decimals / 2
        shown = -abs(stated.value) if node.sign == "-" else stated.value
        values = displayed_values(term, stated)
        if not any(abs(one - shown) <= half for one in values):
            sign = "%" if stated.kind == "percent" else ""
            near = write_number(values[0].quantize(Decimal(10) ** -stated.decimals))
            raise CalculationError(f"it gives {write_number(values[0])}{sign}, not {stated.text}: write {near}{sign}")
        return as_candidate(term, stated.text)


def _raise(base: Term, exponent: Decimal) -> Term:
    if not base.is_rate or base.value <= 0:
        raise CalculationError("only a ratio or a growth factor above zero is raised to a power")
    return replace(base, value=base.value**exponent, kind="ratio", is_pure=True)


def _check_summand(term: Term, other: Term) -> None:
    """Raise CalculationError for a term of a sum without a source, unless it is the 1 of a growth rate."""
    if term.value == 1 and term.kind == "none":
        if other.is_rate or not other.is_sourced:
            return
        raise CalculationError("1 may be added to a rate or a ratio, or taken from it, but not from an amount")
    if other.is_sourced or term.value not in _REASONS:
        raise CalculationError(f"its figure {write_number(term.value)} is in no quote of the claim")


def _total(left: Term, right: Term, *, is_sum: bool) -> Term:
    """Return the sum of two terms. For a difference, `right` has the opposite sign."""
    main = left if (left.is_sourced and left.kind not in WITHOUT_UNIT) or not right.is_sourced else right
    has_amount = any(term.is_sourced and not term.is_rate for term in (left, right))
    return replace(
        main,
        value=left.value + right.value,
        kind=_kind_of_sum(left, right, main, is_sum=is_sum),
        powers=left.powers & right.powers or main.powers,
        is_sourced=left.is_sourced or right.is_sourced,
        is_pure=(left.is_pure or right.is_pure) and not has_amount,
        terms=left.terms + right.terms if is_sum else 1,
    )


def _kind_of_sum(left: Term, right: Term, main: Term, *, is_sum: bool) -> Kind:
    """Return the kind of a sum: percentages subtracted give points; a percentage and points give a percentage."""
    kinds = {left.kind, right.kind}
    if kinds == {"percent"} and left.is_sourced and right.is_sourced and not is_sum:
        return "points"
    return "percent" if kinds == {"percent", "points"} else main.kind


def _zeros(factor: Decimal) -> int:
    """Return by how many powers of ten a factor changes the scale; 0 for a number of months."""
    return len(str(int(factor))) - 1 if factor in _SCALES else 0
