"""The value of a computation that is written out, and whether it is an amount or a ratio of amounts. Pure."""

import re
from dataclasses import dataclass
from decimal import Decimal

from ralph_cli.text.quantities.figures import Figure, figures

MAX_DEPTH = 20
"""Brackets inside brackets."""

OPERATORS = {"\u2212": "-", "\u2013": "-", "\u00d7": "*", "x": "*", "\u00f7": "/", "**": "^"}
OPERATORS |= {sign: sign for sign in "+-*/^"}
"""What is meant by the signs of a computation."""


class CalculationError(ValueError):
    """A calculation that cannot be relied on; the message says why, for the writer."""


@dataclass(frozen=True, slots=True)
class Number:
    """A figure of a computation, and what is known of it.

    `is_constant` marks one that needs no source; `amount_degree` is 1 for an amount and 0 for a rate or ratio,
    `scale_degree` 1 for an amount in the scale of its table ("in millions"). `nudge` changes it a little, to see
    whether it matters.
    """

    figure: Figure
    is_constant: bool = False
    amount_degree: int = 0
    scale_degree: int = 0
    nudge: Decimal = Decimal(1)

    @property
    def value(self) -> Decimal:
        """The value, of a percentage its hundredth."""
        return self.figure.value / 100 if self.figure.percent else self.figure.value


@dataclass(frozen=True, slots=True)
class Power:
    """What a ratio is raised to: "^2", or "^(1/3)" of a rate that compounds over three years. It needs no source."""

    exponent: Decimal


Token = Number | Power | str

MAX_POWER = 30
"""The highest power, and root."""


@dataclass(frozen=True, slots=True)
class Value:
    """What a computation gives; its degrees count amounts that are multiplied, less those that divide."""

    value: Decimal
    amount_degree: int = 0
    scale_degree: int = 0
    is_one: bool = False


_BRACKETED_PERCENT = re.compile(r"\(\s*(\d[\d.,]*)\s*\)\s*%")
_POINTS = re.compile(r"(?i)(?<=\d)\s*(?:%\s*|percentage[\s-]+|per\s?cent\s+)?(?:points?|pps?|ppts?|p\.p\.)(?!\w)")
_BASIS_POINTS = re.compile(r"(?i)(\d[\d,]*(?:\.\d+)?)\s*(?:basis[\s-]+points?|bps?)\b")
_TIMES = re.compile(r"(?i)(?<=\d)\s*(?:x|times)\s*(?=[=\u2248~]|\Z)")
_SIGNS = {"plus": "+", "minus": "-", "multiplied": "*", "divided": "/"}
_WORDS = re.compile(r"(?i)\b(?:plus|minus|(?:multiplied|divided)\s+by)\b")
_FUNCTION = re.compile(
    r"(?i)\b(sqrt|root|log|ln|exp|abs|round|min|max|sum|avg|average|mean|median|int|float|pow|date)\s*\("
)


def normalize(calculation: str) -> str:
    """A calculation in plain signs: "(0.6)%" is -0.6%, "40 basis points" is 0.4%, "3.7x" is 3.7.

    Raises CalculationError.
    """
    if function := _FUNCTION.search(calculation):
        raise CalculationError(f"{function[1]!r} is not understood: use + - * / ^ and brackets, ^(1/2) for a root")
    text = _WORDS.sub(lambda match: f" {_SIGNS[match[0].split()[0].lower()]} ", calculation)
    text = _BRACKETED_PERCENT.sub(r"(-\1%)", text)
    text = _BASIS_POINTS.sub(lambda match: f"{Decimal(match[1].replace(',', '')) / 100:f}%", text)
    return _TIMES.sub(" ", _POINTS.sub("%", text))


def tokenize(side: str) -> list[Token]:
    """Figures, operators and brackets of one side. Units and words beside a figure are read over.

    Raises CalculationError.
    """
    # Brackets group here, so figures are read without them.
    flat = side.replace("(", " ( ").replace(")", " ) ").replace("[", " ( ").replace("]", " ) ")
    found = [figure for figure in figures(flat) if not figure.spelled]
    if any(figure.name for figure in found):
        raise CalculationError("a figure has several decimal points")
    tokens: list[Token] = []
    at = 0
    for figure in found:
        tokens += _tokenize_operators(flat[at : figure.start])
        if figure.sign == "-":
            tokens.append("-")
        tokens.append(Number(figure))
        at = figure.end
    return _parse_powers(tokens + _tokenize_operators(flat[at:]))


def _parse_powers(tokens: list[Token]) -> list[Token]:
    """The tokens with each power as one.

    Raises CalculationError for one that is neither a whole number nor one over it.
    """
    known: list[Token] = []
    at = 0
    while at < len(tokens):
        if tokens[at] != "^":
            known.append(tokens[at])
            at += 1
            continue
        behind = tokens[at + 1 : at + 6]
        root = len(behind) == 5 and behind[0] == "(" and behind[2] == "/" and behind[4] == ")"
        number = behind[3] if root else behind[0] if behind else None
        numerator = behind[1] if root else None
        if not isinstance(number, Number) or (root and not (isinstance(numerator, Number) and numerator.value == 1)):
            raise CalculationError("a power is a whole number, or one over it in brackets: (121 / 100)^(1/2)")
        inverse = 1 / number.value if 0 < number.value < 1 else Decimal(0)
        if not root and inverse and abs(inverse - round(inverse)) < Decimal("0.001") and inverse < MAX_POWER:
            known.append(Power(1 / round(inverse, 0)))  # "^0.5", "^0.3333"
            at += 2
            continue
        if number.value != int(number.value) or not 1 <= number.value <= MAX_POWER:
            raise CalculationError(f"a power or root is a whole number from 1 to {MAX_POWER}")
        known.append(Power(1 / number.value if root else number.value))
        at += 6 if root else 2
    return known


def _tokenize_operators(text: str) -> list[Token]:
    marks: list[Token] = []
    # A hyphen inside a word ("year-end") is no minus.
    for word in re.findall(r"[^\W\d_]+(?:[-\u2019'][^\W\d_]+)*|\*\*|[^\w\s]", text):
        if word in "()" or word in OPERATORS:
            marks.append(OPERATORS.get(word, word))
        elif word in "%!<>|&":
            raise CalculationError(f"{word!r} is not understood: use + - * / ^ and brackets")
    return marks


def count_terms(tokens: list[Token], last: int) -> int:
    """How many terms are added up in the brackets that close at `tokens[last]`, or in the figure there: 1."""
    if tokens[last] != ")":
        return 1
    depth, terms = 0, 1
    for at in range(last, -1, -1):
        depth += {")": 1, "(": -1}.get(str(tokens[at]), 0)
        if depth == 0:
            return terms
        # A sign behind another operator or a bracket belongs to its figure.
        behind = isinstance(tokens[at - 1], Number) or tokens[at - 1] == ")"
        terms += depth == 1 and behind and tokens[at] in ("+", "-")
    return 1


def evaluate(tokens: list[Token]) -> Value:
    """The value of a computation. Raises CalculationError; DecimalException if it divides by zero, or is too large."""
    return _Parser(tokens).parse()


class _Parser:
    """Sums of products of figures and bracketed sums, with signs; the usual precedence."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._position = tokens, 0

    def parse(self) -> Value:
        value = self._parse_sum(0)
        if self._position < len(self._tokens):
            raise CalculationError(
                "a figure stands beside another without + - * / between them, or a bracket is not opened"
            )
        return value

    def _peek(self) -> Token | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _parse_sum(self, depth: int) -> Value:
        terms, signs = [self._parse_product(depth)], ["+"]
        while (sign := self._peek()) in ("+", "-"):
            self._position += 1
            signs.append(str(sign))
            terms.append(self._parse_product(depth))
        if len(terms) == 1:
            return terms[0]
        if any(term.is_one for term in terms) and any(term.amount_degree for term in terms):
            raise CalculationError("1 may be added to a rate or a ratio, or taken from it, but not from an amount")
        signed = (term.value if sign == "+" else -term.value for sign, term in zip(signs, terms, strict=True))
        return Value(
            sum(signed, Decimal(0)), max(term.amount_degree for term in terms), max(term.scale_degree for term in terms)
        )

    def _parse_product(self, depth: int) -> Value:
        value = self._parse_factor(depth)
        while (sign := self._peek()) in ("*", "/"):
            self._position += 1
            factor = self._parse_factor(depth)
            way = 1 if sign == "*" else -1
            result = value.value * factor.value if way == 1 else value.value / factor.value
            value = Value(
                result, value.amount_degree + way * factor.amount_degree, value.scale_degree + way * factor.scale_degree
            )
        return value

    def _parse_factor(self, depth: int) -> Value:
        token = self._peek()
        self._position += 1
        if depth > MAX_DEPTH:
            raise CalculationError("it has too many brackets")
        if isinstance(token, Number):
            is_one = token.is_constant and token.value == 1
            return self._apply_power(Value(token.value * token.nudge, token.amount_degree, token.scale_degree, is_one))
        if token in ("+", "-"):
            value = self._parse_factor(depth + 1)
            return value if token == "+" else Value(-value.value, value.amount_degree, value.scale_degree, value.is_one)
        if token == "(":
            value = self._parse_sum(depth + 1)
            if self._peek() != ")":
                raise CalculationError("a bracket is not closed")
            self._position += 1
            return self._apply_power(value)
        raise CalculationError("a figure is missing beside an operator or bracket")

    def _apply_power(self, value: Value) -> Value:
        """The value, raised to the power that follows it, if one does."""
        power = self._peek()
        if not isinstance(power, Power):
            return value
        if value.amount_degree or value.value <= 0:
            raise CalculationError("only a ratio or a growth factor above zero is raised to a power")
        self._position += 1
        return Value(value.value**power.exponent)
