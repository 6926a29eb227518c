"""Calculations that an answer records, computed again exactly, with the units and scales of their figures. Pure.

A figure must stand in the quotes, or be an earlier result. Like by like is a ratio, percentages apart are points, an
amount by a percentage is an amount, a date and a time are a date. What needs no source: 100 per cent and conversions
between scales, the 1 of a growth rate, the number of terms that an average divides their sum by, an exponent, and a
number of months, quarters or halves of which the claim or its quotes speak. A figure that cancels out proves nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date as Day
from datetime import timedelta
from decimal import Decimal, DecimalException, localcontext

from ralph_cli.checks.figures.candidates import IN_FULL, UNSCALED, Candidate
from ralph_cli.checks.figures.dates import full_day, shift_day, spans_duration
from ralph_cli.checks.figures.expression import CalculationError, Node, UnquotedError, WrongResultError, parse_equation
from ralph_cli.checks.figures.match import MONTHS_IN, same_value
from ralph_cli.text.quantities.quantity import Date, Kind, Quantity

DATED_FORM = "write a date and a time: 31 May 2027 - 180 days = 2 December 2026"
WITHOUT_UNIT: tuple[Kind, ...] = ("none", "count")
_IN_PART = 10**5
"""From this on an amount that is written out may be a part of a million: 0.4 of "NOK 400,000"."""

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
    if other.kind in WITHOUT_UNIT:  # things may be counted in full, whatever scale their table has
        candidate = replace(candidate, powers=candidate.powers | UNSCALED)
    kind, unit = (other.kind, other.unit) if bare else (figure.kind, figure.unit)
    value = figure.value / 100 if kind in PERCENTAGES else figure.value
    term = Term(value, kind, unit, candidate.powers, is_pure=candidate.is_pure, terms=candidate.terms)
    if abs(other.value) == figure.value and (figure.power is None or figure.power in candidate.powers):
        powers = candidate.powers if figure.power is None else frozenset((figure.power,))
        return None if kinds == {"percent", "currency"} else replace(term, powers=powers)
    return _in_full(figure, candidate, term) or _in_other_unit(figure, candidate, term)


def _in_full(figure: Quantity, candidate: Candidate, term: Term) -> Term | None:
    """A figure that writes out the scale of a candidate: 41,000,000 of "41 million", 135,400 of "$135.4 billion"."""
    value = abs(candidate.quantity.value)
    is_large = max(candidate.powers) > 0 or value >= (IN_FULL if figure.value >= 1 else _IN_PART)
    if figure.power is not None or term.kind in PERCENTAGES or not is_large:
        return None
    shifts = (0, 3, 6, 9)
    amounts = ((shift, value * Decimal(10) ** (power - shift)) for shift in shifts for power in candidate.powers)
    return next((replace(term, powers=frozenset((shift,))) for shift, one in amounts if one == figure.value), None)


def _in_other_unit(figure: Quantity, candidate: Candidate, term: Term) -> Term | None:
    """A figure that repeats a candidate as a percentage, or in cents or basis points, or rounded if it is a result."""
    other, bare = candidate.quantity, figure.kind in WITHOUT_UNIT
    if {figure.kind, other.kind} == {"percent", "none"} and candidate.in_table and same_value(figure, candidate):
        return Term(term.value, "percent")  # 9.38 % of 0.0938
    if bare and figure.value == abs(other.value) * 100 and other.unit == "basis point":
        return replace(term, value=term.value / 100)
    if bare and figure.value == abs(other.value) * 100 and (other.unit == "cent" or _is_in_pence(other)):
        return replace(term, powers=frozenset((-2,)))
    return _as_result(figure, candidate, term)


def _as_result(figure: Quantity, candidate: Candidate, term: Term) -> Term | None:
    """A figure that repeats the result of an earlier calculation, perhaps rounded, or as a bare percentage."""
    if figure.kind in WITHOUT_UNIT and candidate.is_pure and same_value(replace(figure, kind="percent"), candidate):
        return Term(figure.value / 100, "percent")  # 82 of "2.14 / 2.61 = 82.0%"
    if candidate.source != "calculation" or not same_value(figure, candidate):
        return None
    is_rate = candidate.is_pure and figure.kind == "percent"
    return replace(term, kind="percent" if is_rate else term.kind, is_pure=candidate.is_pure and not is_rate)


def _is_in_pence(quantity: Quantity) -> bool:
    return quantity.kind == "currency" and quantity.text.lower().endswith(("pence", "p"))


def displayed_values(term: Term, stated: Quantity) -> tuple[Decimal, ...]:
    """The numbers that a result may show, in the unit in which it is stated; the likeliest first."""
    value = term.value
    if stated.kind in PERCENTAGES:
        return _as_percentages(term, stated)
    if stated.kind == "ratio" or stated.power is None:
        basis = (value * 10_000,) if term.unit == "basis point" else ()
        percent = (*basis, value * 100) if term.kind in PERCENTAGES else ()
        return (*percent, value, *(value * Decimal(10) ** power for power in term.powers if power))
    return tuple(value * Decimal(10) ** (power - stated.power) for power in term.powers)


def _as_percentages(term: Term, stated: Quantity) -> tuple[Decimal, ...]:
    """The percentages, or points, that a result may show."""
    value = term.value
    shares = tuple(value * 100 * Decimal(10) ** power for power in term.powers) if term.is_rate else ()
    is_hundredfold = term.is_hundredfold and stated.unit == "basis point"
    if shares and (term.is_pure or term.kind != "none"):
        return (*shares, *((value,) if is_hundredfold else ()))
    return (*shares, value, *((value / 100,) if is_hundredfold else ()))


def check_dated_result(term: Term, stated: Quantity) -> Candidate:
    """The candidate that a stated date, or time between two dates, is. Raises CalculationError if it is another."""
    if len(term.days) > 1:
        if not stated.unit or not spans_duration(term.days[0], term.days[-1], stated.value, stated.unit):
            raise WrongResultError(f"it gives {term.value} days, not {stated.text} {stated.unit}s")
        return Candidate(stated, source="calculation")
    day, slack = full_day(stated.date), term.unit in MONTHS_IN
    if day is None or abs((day - term.days[0]).days) > slack:
        raise WrongResultError(f"it gives {term.days[0].day} {term.days[0]:%B %Y}, not {stated.text}")
    return Candidate(stated, source="calculation")


def as_candidate(term: Term, text: str) -> Candidate:
    """The result of a calculation as what may bear out a claim, with its exact value."""
    rate = term.kind in PERCENTAGES and not term.is_pure
    value = term.value * 100 if rate else term.value
    found = Quantity(text, 0, 0, value, kind=term.kind, unit=term.unit, per_time=term.per_time)
    powers = UNSCALED if rate else term.powers
    is_scale_stated = powers != UNSCALED or rate
    return Candidate(found, powers, is_scale_stated, "calculation", is_pure=term.is_pure, terms=term.terms)


def write_number(value: Decimal) -> str:
    """A number with at most four decimals, for messages."""
    return f"{value:,.4f}".rstrip("0").rstrip(".")


_REASONS = {
    2: r"doubl|twice|two\b|half|halv|semi", 4: r"quarter|annuali[sz]|annual rate",
    12: r"month|annual|\byear|\b(?:mo|yr)\b|[年月]",
    52: r"week", 360: r"\bda(?:y|il)", 365: r"\bda(?:y|il)", 366: r"\bda(?:y|il)", 7: r"week", 24: r"hour|\bda(?:y|il)",
    60: r"hour|minute|second",
}  # fmt: skip
"""Words of the claim or its quotes for which a number of months, days or halves needs no quote."""

_SCALES = frozenset(map(Decimal, (100, 1_000, 10_000, 1_000_000, 1_000_000_000)))
_PRECISION = 40
_NUDGE = Decimal("1.0009765625")


class Calculator:
    """Computes the calculations of one claim over what they may rest on; each result may be used by the next."""

    def __init__(self, candidates: Sequence[Candidate], words: str) -> None:
        self.candidates = list(candidates)
        self._words = words.lower()
        self._nudged: Decimal | None = None

    def compute(self, text: str) -> tuple[Candidate, ...]:
        """The results of a calculation that holds, each as it is stated. Raises CalculationError."""
        with localcontext(prec=_PRECISION):
            try:
                equation = parse_equation(text)
                node = equation.computation
                term = self._evaluate_sourced(node)
                results = [self._check_result(term, result) for result in equation.results]
                differences = [part for part in node.nodes if part.sign in ("+", "-") and part.right is not None]
                parts = [as_candidate(self._evaluate(part), text) for part in differences]
            except DecimalException:
                raise CalculationError("it divides by zero, or is too large") from None
        self.candidates += (replace(one, expression=text) for one in (*results, *parts, *_eve(term)))
        return tuple(results)

    def _evaluate_sourced(self, node: Node) -> Term:
        """The value of a computation that rests on quotes, and on each of its figures. Raises CalculationError."""
        self._nudged, self._factors = None, list[Decimal]()
        term = self._evaluate(node)
        if not term.is_sourced:
            figure = next((one for one in node.figures if not self._is_free(one.value)), None)
            if figure and not figure.date.day:
                raise UnquotedError(f"its figure {figure.text} is in no quote of the claim", figure.value)
            raise CalculationError("none of its figures is in a quote of the claim")
        scales = {one for one in self._factors if one in _SCALES}
        for several in (scales, set(self._factors) - scales):
            if len(several) > 1:
                named = " and ".join(f"{one:,}" for one in sorted(several))
                raise CalculationError(f"its factors {named} are in no quote of the claim; one of them needs none")
        if any(part.sign in ("*", "/") for part in node.nodes) and not term.days:
            self._check_dependence(node, term)
        return term

    def _check_dependence(self, node: Node, term: Term) -> None:
        for figure in {one.value: one for one in node.figures}.values():
            if self._is_free(figure.value) or not self._operand(figure).is_sourced:
                continue
            self._nudged = figure.value
            nudged = self._evaluate(node).value
            self._nudged = None
            if nudged == term.value:
                raise CalculationError(f"its figure {figure.text} cancels out, so that the result does not rest on it")

    def _is_free(self, value: Decimal) -> bool:
        return value in _SCALES or value == 1 or value in _REASONS

    # Operands

    def _operand(self, figure: Quantity) -> Term:
        """A figure of a computation, with the unit and scale of the candidate that it is."""
        if figure.kind == "date":
            return self._day(figure)
        for candidate in sorted(self.candidates, key=lambda one: abs(one.quantity.value) != figure.value):
            if (term := as_operand(figure, candidate)) is not None:
                return term
        if figure.kind == "percent":
            return Term(figure.value / 100, "percent", is_sourced=False)
        quoted = (one.quantity for one in self.candidates if one.source == "quote")
        rates = {abs(one.value) / 100 for one in quoted if one.kind == "percent" and 0 < abs(one.value) < 100}
        if figure.kind == "none" and rates & {figure.value, abs(1 - figure.value)}:
            return Term(figure.value, "ratio", is_pure=True)  # 1.10 adds the 10 % of the quotes, 0.9 takes them off
        power = frozenset((figure.power or 0,))
        return Term(figure.value, figure.kind, figure.unit, power, is_sourced=False)

    def _day(self, figure: Quantity) -> Term:
        day = full_day(figure.date)
        if day is None or not self._is_quoted(day):
            raise CalculationError(f"its date {figure.text} is in no quote of the claim")
        return Term(Decimal(day.toordinal()), "date", days=(day,))

    def _is_quoted(self, day: Day) -> bool:
        """Whether a day stands in the sources, with its year or without."""
        dates = (candidate.quantity.date for candidate in self.candidates if candidate.quantity.kind == "date")
        return any((date.month, date.day) == (day.month, day.day) and date.year in (None, day.year) for date in dates)

    def _evaluate(self, node: Node) -> Term:
        if node.figure is not None:
            term = self._operand(node.figure)
            return replace(term, value=term.value * _NUDGE) if node.figure.value == self._nudged else term
        if node.sign == "-" and (years := self._years_between(node)) is not None:
            return years
        left = self._evaluate(node.left) if node.left is not None else Term(Decimal(0))
        if node.sign == "^":
            return self._raise(left, node.power)
        if node.right is None:
            return replace(left, value=-left.value) if node.sign == "-" else left
        right = self._evaluate(node.right)
        if node.sign == "*":
            return self._multiply(left, right)
        return self._divide(left, right) if node.sign == "/" else self._add(left, right, node.sign)

    def _years_between(self, node: Node) -> Term | None:
        """The time between two quoted years, from one of which the other is taken; None for other computations."""
        quoted = {found.quantity.date.year for found in self.candidates if found.source in ("quote", "header")}
        plain = [side.value for side in node.operands if side.kind in WITHOUT_UNIT and side.power is None]
        if len(plain) < 2 or not quoted.issuperset(plain):
            return None
        return Term(plain[0] - plain[1], "duration", "year")

    # Operations

    def _raise(self, base: Term, exponent: Decimal) -> Term:
        if not base.is_rate or base.value <= 0:
            raise CalculationError("only a ratio or a growth factor above zero is raised to a power")
        return replace(base, value=base.value**exponent, kind="ratio", is_pure=True)

    def _multiply(self, left: Term, right: Term) -> Term:
        _refuse_days(left, right)
        self._check_factor(left)
        self._check_factor(right)
        if not left.is_sourced:
            left, right = right, left
        value = left.value * right.value
        if not right.is_sourced and left.is_sourced:
            if right.value == 100 and left.is_rate and right.kind == "none":
                return replace(left, kind="percent", is_pure=False, is_hundredfold=True)
            # 61,700 thousand, times 1,000, is as much in another scale: no factor makes more of anything.
            # But per million there are so many more of a share.
            powers = frozenset(power - _zeros(right.value) * (not left.is_pure) for power in left.powers)
            return replace(left, value=value, powers=powers, is_hundredfold=right.value == 100)
        if left.is_rate and not right.is_rate:
            left, right = right, left
        if right.is_rate or right.kind == "duration":
            return replace(left, value=value, terms=1)
        money = left if left.kind == "currency" else right
        powers = frozenset(one + other for one in left.powers for other in right.powers)
        return replace(money, value=value, powers=powers, terms=1)

    def _divide(self, left: Term, right: Term) -> Term:
        _refuse_days(left, right)
        value = left.value / right.value
        if not right.is_sourced:
            if right.value == left.terms > 1 and right.kind == "none":
                return replace(left, value=value, terms=1)
            self._check_factor(right)
            powers = frozenset(power + _zeros(right.value) for power in left.powers)
            return replace(left, value=value, powers=powers, terms=1)
        self._check_factor(left)
        if (right.is_rate and not left.is_rate) or (right.kind == "duration" != left.kind):
            return replace(left, value=value, terms=1, per_time=right.unit if right.kind == "duration" else "")
        return Term(value / 100, "percent", is_hundredfold=True) if left.is_hundredfold else _quotient(left, right)

    def _add(self, left: Term, right: Term, sign: str) -> Term:
        if left.days:
            return self._add_days(left, right, sign)
        _refuse_days(right)
        if left.is_rate and right.value == 1 and right.kind == "none":
            right = replace(right, is_sourced=False)  # the 1 of a growth rate, whatever else is 1 in the quotes
        for one, other in ((left, right), (right, left)):
            if not one.is_sourced and not (one.kind == "duration" or (one.kind == "percent" and one.value == 1)):
                self._check_summand(one, other)
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
            raise UnquotedError(f"its figure {right.value} is in no quote of the claim", right.value)
        return replace(left, days=(day,), unit=right.unit if left.unit in ("", "day", "week") else left.unit)

    # What needs no source

    def _check_factor(self, term: Term) -> None:
        """Raises CalculationError for a factor or divisor without a source."""
        if term.is_sourced or (term.kind == "percent" and term.value == 1):
            return
        value = term.value
        if value in _SCALES or (value in _REASONS and re.search(_REASONS[int(value)], self._words)):
            self._factors.append(value)
            return
        message = f"its figure {write_number(value)} is in no quote of the claim"
        if value in _REASONS:
            message += ", nor do its words say what it stands for"
        elif value == int(value) and 2 <= value <= 12:
            message += "; an average divides the sum itself: (a + b + c) / 3"
        raise UnquotedError(message, value)

    def _check_summand(self, term: Term, other: Term) -> None:
        if term.value == 1 and term.kind == "none":
            if other.is_rate or not other.is_sourced:
                return
            raise CalculationError("1 may be added to a rate or a ratio, or taken from it, but not from an amount")
        if other.is_sourced or term.value not in _REASONS:
            raise UnquotedError(f"its figure {write_number(term.value)} is in no quote of the claim", term.value)

    # Results

    def _check_result(self, term: Term, node: Node) -> Candidate:
        """The candidate that a stated result is, if the computation gives it. Raises CalculationError."""
        negative = node.sign == "-"
        stated = node.left.figure if node.left is not None else node.figure
        if stated is None:
            raise CalculationError("one side must be the computation and the other its result, a single figure")
        if term.days:
            return check_dated_result(term, stated)
        half = Decimal(10) ** -stated.decimals / 2
        shown = -abs(stated.value) if negative else stated.value
        values = displayed_values(term, stated)
        value = next((one for one in values if abs(one - shown) <= half), None)
        if value is None:
            gives = values[0]
            sign = "%" if stated.kind == "percent" else ""
            near = write_number(gives.quantize(Decimal(10) ** -stated.decimals))
            raise WrongResultError(f"it gives {write_number(gives)}{sign}, not {stated.text}: write {near}{sign}")
        if term.is_pure and stated.kind == "currency" and term.unit == stated.unit:
            term = replace(term, kind="currency", is_pure=False)  # of a price by a bare number
        if term.kind in WITHOUT_UNIT and stated.kind not in WITHOUT_UNIT:
            rate = stated.kind in ("percent", "points")
            term = replace(term, kind=stated.kind, unit=stated.unit, value=value / 100 if rate else term.value)
        return as_candidate(term, stated.text)


def _quotient(left: Term, right: Term) -> Term:
    """One sourced term by another: of like ones a ratio, else so much of the first for each of the second."""
    kinds, value = {left.kind, right.kind}, left.value / right.value
    powers = frozenset(one - other for one in left.powers for other in right.powers)
    is_exchange = kinds == {"currency"} and left.unit != right.unit  # what one currency costs in the other
    if is_exchange or ("currency" in kinds and kinds & {"count", "physical"}):
        return replace(left, value=value, powers=powers, terms=1)
    if left.powers == right.powers:
        price = left.unit if left.kind == "currency" and right.kind == "none" else ""
        return Term(value, "ratio", price, is_pure=True)
    if 0 in powers:
        return Term(value, "ratio", powers=powers, is_pure=True)
    if left.kind == right.kind:
        return Term(value * Decimal(10) ** max(powers), "ratio", is_pure=True)
    return replace(left, value=value, powers=powers, terms=1)


def _has_amount(*terms: Term) -> bool:
    return any(term.is_sourced and not term.is_rate for term in terms)


def _total(left: Term, right: Term, *, is_sum: bool) -> Term:
    """Two terms together; a difference has the second with another sign."""
    both = left.is_sourced and right.is_sourced
    main = left if (left.is_sourced and left.kind not in WITHOUT_UNIT) or not right.is_sourced else right
    if both and left.is_rate != right.is_rate:
        main = right if left.is_rate else left
    return replace(
        main,
        value=left.value + right.value,
        kind=_kind_of_sum(left, right, main, is_apart=both and not is_sum),
        powers=left.powers & right.powers or main.powers,
        is_sourced=left.is_sourced or right.is_sourced,
        is_pure=(left.is_pure or right.is_pure) and not _has_amount(left, right),
        terms=left.terms + right.terms if is_sum else 1,
    )


def _kind_of_sum(left: Term, right: Term, main: Term, *, is_apart: bool) -> Kind:
    """What a sum measures: percentages that are apart are so many points, a rate with points is one again."""
    kinds = {left.kind, right.kind}
    if kinds == {"percent"} and is_apart:
        return "points"
    return "percent" if kinds == {"percent", "points"} else main.kind


def _eve(term: Term) -> Iterator[Candidate]:
    """The day before the one that so many months lead to: the last one of them."""
    if len(term.days) == 1 and term.unit in MONTHS_IN:
        day = term.days[0] - timedelta(days=1)
        date = Date(day.year, day.month, day.day)
        yield Candidate(Quantity(f"{day:%d %B %Y}", 0, 0, Decimal(0), kind="date", date=date), source="calculation")


def _refuse_days(*terms: Term) -> None:
    """Raises CalculationError if one of the terms is a date, which is neither multiplied nor divided."""
    if any(term.days for term in terms):
        raise CalculationError(DATED_FORM)


def _zeros(factor: Decimal) -> int:
    """By how many powers of ten a factor changes the scale; a number of months changes none."""
    return len(str(int(factor))) - 1 if factor in _SCALES else 0
