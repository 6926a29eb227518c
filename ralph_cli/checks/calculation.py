"""Calculations that an answer records: "(1,577 - 1,373) / 1,373 = 14.9%", computed again here, exactly. Pure.

The figures must be borne out by the quotes; only factors such as 12, 100 or 365 need no source, and the 1 of a growth
rate. Percent means its hundredth; a scale word multiplies; brackets group, and a loss is written with a minus.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, DecimalException, localcontext

from ralph_cli.checks.figures import Figure, figures

FACTORS = frozenset(map(Decimal, (*range(1, 13), 52, 100, 360, 365, 366, 1_000, 1_000_000)))
"""Numbers that a calculation may multiply with or divide by without quoting them: counts, months, days, scales."""

MOST = 400
"""Characters of a calculation."""

DEEP = 20
"""Brackets inside brackets."""

_OPERATORS = {
    "+": "+",
    "-": "-",
    "\u2212": "-",
    "\u2013": "-",
    "*": "*",
    "\u00d7": "*",
    "x": "*",
    "/": "/",
    "\u00f7": "/",
}
_INFIX = ("*", "/", "+")
_PARTS = re.compile(r"[=\u2248~;:?!]|\.\s|,\s")
MOST_TOKENS = 24
"""Figures, operators and brackets of a part of a text among which computations are looked for."""

_EQUALS = re.compile(r"=|\u2248|~")


class Wrong(ValueError):
    """A calculation that cannot be relied on; the message says why, for the writer."""


@dataclass(frozen=True, slots=True)
class _Number:
    figure: Figure

    @property
    def value(self) -> Decimal:
        return self.figure.value / 100 if self.figure.percent else self.figure.value


_Token = _Number | str


def verify(text: str, borne_out: Callable[[Figure], bool], scale: int = 1) -> Figure:
    """The result of a calculation that holds, as it is written there.

    `borne_out` says whether a figure stands in the quotes; `scale` is that of their table (10**6 for "in millions"), in
    which a result may be stated too. Raises Wrong, with what is the matter: the form, a figure, or the arithmetic.
    """
    if len(text) > MOST:
        raise Wrong(f"it has {len(text)} characters, at most {MOST} are taken")
    sides = _EQUALS.split(text)
    if len(sides) != 2:
        raise Wrong('write it as one computation and its result: "(1,577 - 1,373) / 1,373 = 14.9%"')
    left, right = (_tokens(side) for side in sides)
    if len(left) == 1 or (len(left) == 2 and left[0] == "-"):
        left, right = right, left
    negative = len(right) == 2 and right[0] == "-"
    shown = right[-1] if right and (len(right) == 1 or negative) else None
    if not isinstance(shown, _Number) or len(left) < 3:
        raise Wrong("one side must be the computation and the other its result, a single figure")
    _sources(left, borne_out)
    with localcontext() as context:
        context.prec = 40
        try:
            value = _Parser(left).value()
        except DecimalException:
            raise Wrong("it divides by zero, or is too large") from None
        result = shown.figure
        wanted = -result.value if negative or result.sign == "-" else result.value
        half = half_unit(result)
        candidates = [as_percent(left, value)] if result.percent else [value]
        # "1,577 + 1,373 = $2,950 million" over a table in millions.
        candidates += [value * scale] if result.scale == scale != 1 else []
        if not any(abs(candidate - wanted) <= half for candidate in candidates):
            near = candidates[-1]
            raise Wrong(f"it gives {_plain(near)}{'%' if result.percent else ''}, not {result.text}")
    return result


@dataclass(frozen=True, slots=True)
class Computed:
    """The value of a computation that stands in a text, what it is in per cent, and the figures it is made of."""

    value: Decimal
    percent: Decimal
    figures: tuple[Figure, ...]


def computations(text: str, borne_out: Callable[[Figure], bool]) -> Iterator[Computed]:
    """Every computation over figures borne out that stands in a text: "(1,749 / 34,229)", "21,500 + 6,400 = 27,900"."""
    for part in _PARTS.split(text):
        try:
            tokens = _tokens(part)
        except Wrong:
            continue
        places = [index for index, token in enumerate(tokens) if token not in _INFIX]
        for first in places[:MOST_TOKENS]:
            for last in reversed(places[:MOST_TOKENS]):
                inside = tokens[first : last + 1]
                used = tuple(token.figure for token in inside if isinstance(token, _Number))
                if len(used) < 2:
                    break
                try:
                    _sources(inside, borne_out)
                    with localcontext() as context:
                        context.prec = 40
                        value = _Parser(inside).value()
                        yield Computed(value, as_percent(inside, value), used)
                except (Wrong, DecimalException):
                    continue


def as_percent(tokens: "list[_Token]", value: Decimal) -> Decimal:
    """A value in per cent: 0.05 is 5 %, but the difference of two numbers of per cent is one already."""
    ratio = "/" in tokens or "*" in tokens
    signed = any(isinstance(token, _Number) and token.figure.percent for token in tokens)
    return value * 100 if ratio or signed else value


def half_unit(figure: Figure) -> Decimal:
    """Half a unit of the last digit that a figure shows: what rounding may change."""
    if figure.raw != figure.raw.to_integral_value() and "." not in figure.text and "," not in figure.text:
        return figure.scale * Decimal("0.05")  # 2\u00bd shows its decimals as a fraction
    decimals = re.search(r"\.(\d+)", figure.text)
    return Decimal(figure.scale) / Decimal(10) ** (len(decimals[1]) if decimals else 0) / 2


def _plain(value: Decimal) -> str:
    return f"{value:,.4f}".rstrip("0").rstrip(".")


def _tokens(side: str) -> list[_Token]:
    """Figures, operators and brackets of one side. Units and words beside a figure are read over."""
    # Brackets group here, so figures are read without them.
    flat = side.replace("(", " ( ").replace(")", " ) ").replace("[", " ( ").replace("]", " ) ")
    found = [figure for figure in figures(flat) if not figure.spelled]
    if any(figure.name for figure in found):
        raise Wrong("a figure has several decimal points")
    tokens: list[_Token] = []
    at = 0
    for figure in found:
        tokens += _marks(flat[at : figure.start])
        if figure.sign == "-":
            tokens.append("-")
        tokens.append(_Number(figure))
        at = figure.end
    return tokens + _marks(flat[at:])


def _marks(between: str) -> list[_Token]:
    marks: list[_Token] = []
    # A hyphen inside a word ("year-end") is no minus.
    for word in re.findall(r"[^\W\d_]+(?:[-\u2019'][^\W\d_]+)*|[^\w\s]", between):
        if word in "()" or word in _OPERATORS:
            marks.append(_OPERATORS.get(word, word))
        elif word in "^%!<>|&":
            raise Wrong(f"{word!r} is not understood: use + - * / and brackets")
    return marks


def _sources(tokens: list[_Token], borne_out: Callable[[Figure], bool]) -> None:
    """Raise Wrong for a figure that needs a source and has none, and when none has one."""
    if not any(isinstance(token, _Number) and borne_out(token.figure) for token in tokens):
        raise Wrong("none of its figures is in a quote of the claim")
    for index, token in enumerate(tokens):
        if not isinstance(token, _Number) or borne_out(token.figure):
            continue
        before = tokens[index - 1] if index else ""
        after = tokens[index + 1] if index + 1 < len(tokens) else ""
        plain = not token.figure.percent and not token.figure.currency and token.figure.scale == 1
        factor = plain and token.value in FACTORS and (before in ("*", "/") or after == "*")
        # The 1 that is taken from a ratio, or added to a rate.
        one = plain and token.value == 1 and (before in ("-", "+") or after in ("-", "+"))
        if not factor and not one:
            raise Wrong(f"its figure {token.figure.text} is in no quote of the claim")


class _Parser:
    """Sums of products of figures and bracketed sums, with signs; the usual precedence."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens, self._at = tokens, 0

    def value(self) -> Decimal:
        value = self._sum(0)
        if self._at < len(self._tokens):
            raise Wrong("a figure stands beside another without + - * / between them, or a bracket is not opened")
        return value

    def _next(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _sum(self, depth: int) -> Decimal:
        value = self._product(depth)
        while (sign := self._next()) in ("+", "-"):
            self._at += 1
            term = self._product(depth)
            value = value + term if sign == "+" else value - term
        return value

    def _product(self, depth: int) -> Decimal:
        value = self._factor(depth)
        while (sign := self._next()) in ("*", "/"):
            self._at += 1
            factor = self._factor(depth)
            value = value * factor if sign == "*" else value / factor
        return value

    def _factor(self, depth: int) -> Decimal:
        token = self._next()
        self._at += 1
        if depth > DEEP:
            raise Wrong("it has too many brackets")
        if isinstance(token, _Number):
            return token.value
        if token in ("+", "-"):
            value = self._factor(depth + 1)
            return value if token == "+" else -value
        if token == "(":
            value = self._sum(depth + 1)
            if self._next() != ")":
                raise Wrong("a bracket is not closed")
            self._at += 1
            return value
        raise Wrong("a figure is missing beside an operator or bracket")
