"""Calculations that an answer records: "(1,577 - 1,373) / 1,373 = 14.9%", computed again here, exactly. Pure.

The figures must be supported by the quotes. Percent means its hundredth; a scale word multiplies; brackets group, and a
loss is written with a minus. What needs no source: one factor of time and one of scale (12 months, 100 per cent), the
number of terms that an average divides their sum by, and the 1 of a growth rate. The result must depend on every
quoted figure: one that cancels out proves nothing.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, DecimalException, localcontext

from ralph_cli.checks.figures.expression import (
    CalculationError,
    Number,
    Token,
    Value,
    count_terms,
    evaluate,
    normalize,
    tokenize,
)
from ralph_cli.text.quantities.figures import Figure

TIME_FACTORS = frozenset(map(Decimal, (2, 4, 12, 52, 360, 365, 366)))
"""Half-years, quarters, months, weeks and days of a year."""

SCALE_FACTORS = frozenset(map(Decimal, (100, 1_000, 10_000, 1_000_000)))

MAX_CHARS = 400
"""Characters of a calculation."""

_INFIX = ("*", "/", "+")
"""Operators that no computation begins or ends with; a minus may be a sign."""

_PARTS = re.compile(r"[=\u2248~;:?!]|\.\s|,\s")
_MAX_ENDPOINTS = 24
"""Places in a part of a text at which a computation may begin or end; more are not tried."""

_EQUALS = re.compile(r"=|\u2248|~")
_BASIS_POINTS = re.compile(r"(?i)basis[\s-]+points?|\bbps?\b")
_PRECISION = 40
_NUDGE = Decimal("1.0009765625")


@dataclass(frozen=True, slots=True)
class CalculationResult:
    """The result of a calculation that holds.

    `figure` is the result as it is written there; `terms` is how many terms it is the sum of; `longest_sum` counts the
    terms of the longest sum in it, of which it may be the average. `amount_degree` counts the amounts multiplied in it
    less those that divide (1: an amount, 0: a ratio), `scale_degree` those in the scale of the figures' table.
    """

    figure: Figure
    terms: int
    longest_sum: int
    amount_degree: int
    scale_degree: int


@dataclass(frozen=True, slots=True)
class CalculationSources:
    """What a calculation may rest on.

    `is_supported` tells whether a figure stands in the quotes, `is_table_scaled` whether it stands there in the scale
    of a table; `scale` is that scale (10**6 for "in millions"), in which a result may be stated too; `earlier_results`
    are results of earlier calculations, by value.
    """

    is_supported: Callable[[Figure], bool]
    scale: int
    is_table_scaled: Callable[[Figure], bool]
    earlier_results: Mapping[Decimal, CalculationResult]


def evaluate_calculation(text: str, sources: CalculationSources) -> CalculationResult:
    """The result of a calculation that holds.

    Raises CalculationError with what is the matter: form, a figure, or arithmetic.
    """
    if len(text) > MAX_CHARS:
        raise CalculationError(f"it has {len(text)} characters, at most {MAX_CHARS} are taken")
    basis_points = bool(_BASIS_POINTS.search(text))
    sides = _EQUALS.split(normalize(text))
    if len(sides) != 2:
        raise CalculationError('write it as one computation and its result: "(1,577 - 1,373) / 1,373 = 14.9%"')
    computation, stated_side = (tokenize(side) for side in sides)
    if len(computation) == 1 or (len(computation) == 2 and computation[0] == "-"):
        computation, stated_side = stated_side, computation
    negative = len(stated_side) == 2 and stated_side[0] == "-"
    stated = stated_side[-1] if stated_side and (len(stated_side) == 1 or negative) else None
    if not isinstance(stated, Number) or len(computation) < 3:
        raise CalculationError("one side must be the computation and the other its result, a single figure")
    with localcontext(prec=_PRECISION):
        try:
            computation, value = _evaluate(computation, sources)
        except DecimalException:
            raise CalculationError("it divides by zero, or is too large") from None
        figure = stated.figure
        stated_value = -figure.value if negative or figure.sign == "-" else figure.value
        candidates = [_as_percent(computation, value) if figure.percent else value.value]
        if basis_points and figure.percent and _is_times_hundred(computation):
            candidates.append(candidates[0] / 100)
        # "1,577 + 1,373 = $2,950 million" over a table in millions.
        if figure.scale == sources.scale != 1 and value.scale_degree == 1:
            candidates.append(value.value * sources.scale)
        if not any(abs(candidate - stated_value) <= half_unit(figure) for candidate in candidates):
            computed = f"{_format_number(candidates[-1])}{'%' if figure.percent else ''}"
            raise CalculationError(f"it gives {computed}, not {figure.text}")
    terms = count_terms(["(", *computation, ")"], len(computation) + 1)
    longest_sum = max(terms, *(count_terms(computation, at) for at in range(len(computation))))
    return CalculationResult(figure, terms, longest_sum, value.amount_degree, value.scale_degree)


@dataclass(frozen=True, slots=True)
class Computation:
    """The value of a computation that stands in a text, and the figures it is made of.

    `percent` is its value in per cent; `scale_degree` is 1 for an amount in the scale of the figures' table.
    """

    value: Decimal
    percent: Decimal
    scale_degree: int
    figures: tuple[Figure, ...]


def find_computations(text: str, sources: CalculationSources) -> Iterator[Computation]:
    """Every computation over supported figures that stands in a text: "(1,749 / 34,229)", "21,500 + 6,400 = 27,900"."""
    for part in _PARTS.split(text):
        try:
            tokens = tokenize(part)
        except CalculationError:
            continue
        places = [index for index, token in enumerate(tokens) if token not in _INFIX][:_MAX_ENDPOINTS]
        for first in places:
            for last in reversed(places):
                inside = tokens[first : last + 1]
                used = tuple(token.figure for token in inside if isinstance(token, Number))
                if len(used) < 2:
                    break
                try:
                    with localcontext(prec=_PRECISION):
                        inside, value = _evaluate(inside, sources)
                        yield Computation(value.value, _as_percent(inside, value), value.scale_degree, used)
                except (CalculationError, DecimalException):
                    continue


def _evaluate(tokens: list[Token], sources: CalculationSources) -> tuple[list[Token], Value]:
    """The tokens with what is known of their figures, and their value. Raises CalculationError, DecimalException."""
    known = _annotate(tokens, sources)
    value = evaluate(known)
    if "*" in tokens or "/" in tokens:  # a difference of equal figures is nil, and says so
        sourced = [token for token in known if isinstance(token, Number) and not token.is_constant]
        for number in {token.value: token for token in sourced}.values():
            if evaluate([_nudge(token, number.value) for token in known]).value == value.value:
                figure = number.figure.text
                raise CalculationError(f"its figure {figure} cancels out, so that the result does not rest on it")
    return known, value


def _nudge(token: Token, value: Decimal) -> Token:
    """The token, changed a little if it has the value: at all its places, as a figure over itself says nothing."""
    return replace(token, nudge=_NUDGE) if isinstance(token, Number) and token.value == value else token


def _annotate(tokens: list[Token], sources: CalculationSources) -> list[Token]:
    """The tokens with what is known of their figures. Raises CalculationError where a source is missing."""
    known: list[Token] = []
    factors: set[Decimal] = set()
    for index, token in enumerate(tokens):
        if not isinstance(token, Number):
            known.append(token)
        elif sources.is_supported(token.figure):
            known.append(_annotate_figure(token, sources))
        else:
            factors |= _unsourced_factor(tokens, index, token, sources)
            known.append(replace(token, is_constant=True))
    if not any(isinstance(token, Number) and not token.is_constant for token in known):
        raise CalculationError("none of its figures is in a quote of the claim")
    for group in (TIME_FACTORS, SCALE_FACTORS):
        if len(factors & group) > 1:
            several = " and ".join(f"{factor:,}" for factor in sorted(factors & group))
            raise CalculationError(f"its factors {several} are in no quote of the claim; one of them needs none")
    return known


def _annotate_figure(token: Number, sources: CalculationSources) -> Number:
    figure = token.figure
    if figure.value in sources.earlier_results and figure.scale == 1:
        result = sources.earlier_results[figure.value]
        return replace(token, amount_degree=result.amount_degree, scale_degree=result.scale_degree)
    if figure.percent:
        return token
    scaled = figure.scale == 1 and sources.is_table_scaled(figure)
    return replace(token, amount_degree=int(figure.value >= 1), scale_degree=int(scaled))


def _unsourced_factor(tokens: list[Token], index: int, token: Number, sources: CalculationSources) -> set[Decimal]:
    """The time or scale factor that an unsourced figure stands for. Raises CalculationError if it is nothing allowed.

    Empty for the divisor of an average and for the 1 of a growth rate.
    """
    before = tokens[index - 1] if index else ""
    after = tokens[index + 1] if index + 1 < len(tokens) else ""
    if not token.figure.percent and not token.figure.currency and token.figure.scale == 1:
        # The 1 that is taken from a ratio, or added to a rate: that it is one is seen where they are added up.
        if token.value == 1 and (before in ("-", "+") or after in ("-", "+")):
            return set()
        if before == "/" and index > 1 and token.value == _term_count(tokens, index - 2, sources) > 1:
            return set()
        if token.value in TIME_FACTORS | SCALE_FACTORS and (before in ("*", "/") or after == "*"):
            return {token.value}
    message = f"its figure {token.figure.text} is in no quote of the claim"
    if before == "/" and token.value == int(token.value) and 2 <= token.value <= 12:
        message += "; an average divides the sum itself: (a + b + c) / 3"
    raise CalculationError(message)


def _term_count(tokens: list[Token], index: int, sources: CalculationSources) -> int:
    """Of how many terms the sum is that ends at `index`, also if it is an earlier result."""
    token = tokens[index]
    result = sources.earlier_results.get(token.figure.value) if isinstance(token, Number) else None
    return result.terms if result else count_terms(tokens, index)


def _as_percent(tokens: list[Token], value: Value) -> Decimal:
    """A value in per cent: 0.05 is 5 %, but a difference of percentages is in per cent already, as is "* 100"."""
    numbers = [token for token in tokens if isinstance(token, Number)]
    # "1.149 - 1" is over a ratio that was computed before.
    ratio = "/" in tokens or "*" in tokens or any(number.is_constant and number.value == 1 for number in numbers)
    signed = any(number.figure.percent for number in numbers)
    return value.value * 100 if (ratio or signed) and not _is_times_hundred(tokens) else value.value


def _is_times_hundred(tokens: list[Token]) -> bool:
    """Whether it is multiplied by a hundred."""
    return any(
        token.is_constant and token.value == 100 and (before == "*" or (after == "*" and before != "/"))
        for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False)
        if isinstance(token, Number)
    )


def half_unit(figure: Figure) -> Decimal:
    """Half a unit of the last digit that a figure shows: what rounding may change."""
    if figure.unscaled != figure.unscaled.to_integral_value() and "." not in figure.text and "," not in figure.text:
        return figure.scale * Decimal("0.05")  # 2½ shows its decimals as a fraction
    decimals = re.search(r"\.(\d+)", figure.text)
    return Decimal(figure.scale) / Decimal(10) ** (len(decimals[1]) if decimals else 0) / 2


def _format_number(value: Decimal) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")
